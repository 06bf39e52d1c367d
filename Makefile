# sqlite-kv: GNU make.
#
#   make            build/kv.so, the loadable extension
#   make run        a tour of a sample database in the sqlite3 shell
#   make test       every test; the last line is "N passed, N failed"
#   make quick      the tests that start no other program: in a minute
#   make unit       the C unit tests of the codecs only
#   make asan       the Tcl tests against a build with sanitizers
#   make faults     every allocation, API call and file operation fails once
#   make crash      the power fails at every sync
#   make soak       threads, processes and Denos at once, for minutes
#   make tsan       8 threads, all of it built with ThreadSanitizer
#   make sqlite-debug  the tests under another SQLite, with its own checks on
#   make coverage   lines and branches of ext/ that the tests reach
#   make fuzz       libFuzzer on each target, FUZZ_SECONDS of each
#   make lint       compile with every warning, gcc and clang, and cppcheck
#   make tidy       clang-tidy and gcc's -fanalyzer over ext/
#   make valgrind   unit tests and some others, each access to memory looked at
#   make bench      how fast it is beside raw SQLite and others (tests/bench)
#   make bench-growth   how cost grows with entries, values, keys ...
#   make bench-openkv   openKv() beside @deno/kv and the real Deno
#   make bench-python   sqlite_kv in Python beside pickles in a plain table
#   make dqlite     build/kv-dqlite, a node of dqlite with the extension
#   make run-cluster     three nodes, two servers, Deno, kill -9 of the leader
#   make serve      build/kv-serve, a server for Deno's remote clients
#   make serve-deb  a Debian package of it, with a systemd unit
#   make build/libkv.a   for static linking: call sqlite3_kv_init()
#   make build/kv-preload.so   LD_PRELOAD it into what loads no extensions
#   make install    PREFIX=/usr/local, DESTDIR=, and uninstall
#   make amalgamation    build/kv.c and build/kv.h: all in one file
#   make npm, wheel, sdist, deb   packages for this machine, in build
#   make release    packages for every platform, in build/release, with sums
#   make web        build/web/index.html, a page for browsers; make web-test
#   make clients    the extension in Go, Rust, Java, R, Lua and others
#   make suites     other programs' tests over Deno KV, with openKv(); tsc
#   make cross      builds for other machines, and tests of them
#   make sqlite-versions     the tests under older and newer SQLites
#
# What is missing is installed by tests/deps.sh (Debian's apt-get; packages
# from npm go to build/npm).  NODEPS=1 keeps make from installing anything,
# V=1 shows the commands.  Tests are in tests/tests.mk, packages in
# ext/pack/pack.mk.

PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
MANDIR  ?= $(PREFIX)/share/man
CFLAGS  ?= -O2 -g
BUILD   := build

# make's built-in "cc" is a default, not somebody's choice.
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin AR),default)
AR := ar
endif

CODEC   := $(sort $(wildcard ext/bytes/*.c ext/codec/*.c ext/codec/*/*.c))
SRC     := $(CODEC) $(sort $(wildcard ext/store/*.c ext/store/*/*.c ext/sql/*.c ext/sql/*/*.c))
STORE   := $(sort $(wildcard sql/store/*.sql))
DQLITE  := $(sort $(wildcard ext/dqlite/*.c)) ext/serve/apply.c
SERVE   := $(sort $(wildcard ext/serve/*.c)) ext/dqlite/wire.c
GEN     := $(BUILD)/store_sql.h $(BUILD)/pow10.h

BASE    := -std=c11 -Iext -I$(BUILD)
SHARED  := $(BASE) -fPIC -fvisibility=hidden
DEPS    := sh tests/deps.sh

# $(call say,CC,FILE) stands before a command and is shown in its place.
ifeq ($(filter-out 0,$(V))$(findstring s,$(firstword -$(MAKEFLAGS))),)
say = @echo '$(1) $(2)';
else
say =
endif

# Whatever is undefined is a mistake: SQLite is called through a table.
# Symbols and line numbers lie beside the library, where gdb and valgrind find them.
OBJCOPY ?= objcopy
ifeq ($(shell uname),Linux)
SOFLAGS := -Wl,-z,defs
split    = && $(OBJCOPY) --only-keep-debug $@ $@.debug && \
           $(OBJCOPY) --strip-unneeded --add-gnu-debuglink=$@.debug $@
endif

# What tests/deps.sh can install for.
STEPS := build python release run run-cluster quick test tested suites lint tidy bench clients dqlite serve cross fuzz web web-test

.PHONY: all run run-cluster dqlite serve clean $(STEPS:%=deps-%)
.DELETE_ON_ERROR:

all: $(BUILD)/kv.so

# ---------------------------------------------------------------- build

# Phony and order-only: looked at each time, but never a reason to rebuild.
$(STEPS:%=deps-%):
	@$(if $(NODEPS),:,$(DEPS) $(@:deps-%=%))

$(BUILD)/store_sql.h: ext/gen/sql2c.awk $(STORE)
	@mkdir -p $(@D)
	$(call say,GEN,$@)awk -f ext/gen/sql2c.awk $(STORE) </dev/null >$@

$(BUILD)/pow10.h: ext/gen/pow10.awk
	@mkdir -p $(@D)
	$(call say,GEN,$@)awk -f $< </dev/null >$@

# $(call objects,DIR,FLAGS,SOURCES): how SOURCES become objects below DIR, one by
# one.  What is linked from them says so in a line; V=1 shows each.
define objects
$(patsubst %.c,$(1)/%.o,$(3)): $(1)/%.o: %.c | $(GEN) deps-build
	@mkdir -p $$(@D)
	$$(if $$(say),@,)$$(CC) $(2) $$(CPPFLAGS) $$(CFLAGS) -MMD -MP -c -o $$@ $$<
-include $(patsubst %.c,$(1)/%.d,$(3))
endef

# All of the extension in one file: compiled in a third of the time.
$(BUILD)/kv.o: $(BUILD)/kv.c | deps-build
	$(call say,CC,$@)$(CC) $(SHARED) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/kv.so: $(BUILD)/kv.o
	$(call say,LD,$@)$(CC) -shared $(SOFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(split)

# $(call archive,FLAGS): of that file.
archive = $(CC) $(SHARED) $(1) $(CPPFLAGS) $(CFLAGS) -c -o $(@:.a=.o) $< && \
          rm -f $@ && $(AR) rcs $@ $(@:.a=.o)

$(BUILD)/libkv.a: $(BUILD)/kv.c | deps-build
	$(call say,CC,$@)$(call archive,-DSQLITE_CORE)

# The codecs alone: nothing but libc.
$(BUILD)/libkvcodec.a: $(BUILD)/kv.c | deps-build
	$(call say,CC,$@)$(call archive,-DKV_STANDALONE)

# A program of its own, for Linux, where dqlite is.  It is linked with the object of kv.so:
# sqlite3_auto_extension() hands on SQLite's interface as to what is loaded.
dqlite: $(BUILD)/kv-dqlite

$(DQLITE:%.c=$(BUILD)/dqlite/%.o): | deps-dqlite
$(eval $(call objects,$(BUILD)/dqlite,$(BASE) -D_GNU_SOURCE,$(DQLITE)))

$(BUILD)/kv-dqlite: $(DQLITE:%.c=$(BUILD)/dqlite/%.o) $(BUILD)/kv.o
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ldqlite -lsqlite3 -lpthread

# Another, which speaks KV Connect: its messages are made from their schema.
SERVELIBS := -lmicrohttpd -lnghttp2 -lprotobuf-c -lsqlite3 -lpthread
PROTO     := $(BUILD)/serve/kv_connect.pb-c

serve: $(BUILD)/kv-serve

$(PROTO).h: ext/serve/kv_connect.proto | deps-serve
	@mkdir -p $(@D)
	$(call say,GEN,$@)protoc-c --proto_path=$(<D) --c_out=$(@D) $<

$(PROTO).c: $(PROTO).h ;

$(PROTO).o: $(PROTO).c
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(SERVE:%.c=$(BUILD)/serve/%.o): | $(PROTO).h
$(eval $(call objects,$(BUILD)/serve,$(BASE) -I$(BUILD)/serve -D_GNU_SOURCE,$(SERVE)))

$(BUILD)/kv-serve: $(SERVE:%.c=$(BUILD)/serve/%.o) $(PROTO).o $(BUILD)/kv.o
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(SERVELIBS)

# ------------------------------------------------------------------ use

run: deps-run $(BUILD)/kv.so
	@sh tests/tour.sh

# To be watched: Deno counts on three nodes, and the leader is killed.
run-cluster: deps-run-cluster $(BUILD)/kv-dqlite $(BUILD)/kv-serve
	@sh tests/cluster.sh

# install, amalgamation, npm, wheel, deb
include ext/pack/pack.mk

# test, unit, asan, ..., bench, fuzz, lint, cross, sqlite-versions
include tests/tests.mk

# web, web-test
include ext/web/web.mk

clean:
	rm -rf $(filter-out $(BUILD)/npm,$(wildcard $(BUILD)/*))
