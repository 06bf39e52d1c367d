# sqlite-kv: GNU make.
#
#   make            build/kv.so, the loadable extension
#   make run        a tour of a sample database in the sqlite3 shell
#   make test       every test; the last line is "N passed, N failed"
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
#   make dqlite     build/kv-dqlite, a node of dqlite with the extension
#   make build/libkv.a   for static linking: call sqlite3_kv_init()
#   make build/kv-preload.so   LD_PRELOAD it into what loads no extensions
#   make install    PREFIX=/usr/local, DESTDIR=, and uninstall
#   make amalgamation    build/kv.c and build/kv.h: all in one file
#   make npm, wheel, deb     packages, in build
#   make cross      builds for other machines, and tests of them
#   make sqlite-versions     the tests under older and newer SQLites
#
# What is missing is installed by tests/deps.sh (Debian's apt-get; packages
# from npm go to build/npm).  NODEPS=1 keeps make from installing anything.

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
SRC     := $(CODEC) $(sort $(wildcard ext/store/*.c ext/sql/*.c))
STORE   := $(sort $(wildcard sql/store/*.sql))
UNIT    := $(sort $(wildcard tests/unit/*_test.c))
DQLITE  := $(sort $(wildcard ext/dqlite/*.c))
GEN     := $(BUILD)/store_sql.h

BASE    := -std=c11 -Iext -I$(BUILD)
SHARED  := $(BASE) -fPIC -fvisibility=hidden
SAN     := -fsanitize=address,undefined -fno-sanitize-recover=all \
           -fno-omit-frame-pointer
DEBUG   := -DKV_DEBUG
DEPS    := sh tests/deps.sh

# Whatever is undefined is a mistake: SQLite is called through a table.
ifeq ($(shell uname),Linux)
SOFLAGS := -Wl,-z,defs
endif

# What tests/deps.sh can install for.
STEPS := build run test lint tidy bench dqlite cross fuzz

.PHONY: all run test unit asan lint clean
.PHONY: bench bench-growth
.PHONY: dqlite
.PHONY: $(STEPS:%=deps-%)
.PHONY: faults crash soak tsan sqlite-debug coverage tidy valgrind
.PHONY: fuzz fuzz-standalone
.DELETE_ON_ERROR:

all: $(BUILD)/kv.so

# ---------------------------------------------------------------- build

# Phony and order-only: looked at each time, but never a reason to rebuild.
$(STEPS:%=deps-%):
	@$(if $(NODEPS),:,$(DEPS) $(@:deps-%=%))

$(GEN): ext/gen/sql2c.awk $(STORE)
	@mkdir -p $(@D)
	awk -f ext/gen/sql2c.awk $(STORE) </dev/null >$@

# $(call objects,DIR,FLAGS,SOURCES): how SOURCES become objects below DIR.
define objects
$(patsubst %.c,$(1)/%.o,$(3)): $(1)/%.o: %.c | $(GEN) deps-build
	@mkdir -p $$(@D)
	$$(CC) $(2) $$(CPPFLAGS) $$(CFLAGS) -MMD -MP -c -o $$@ $$<
-include $(patsubst %.c,$(1)/%.d,$(3))
endef

$(eval $(call objects,$(BUILD)/obj,$(SHARED),$(SRC)))
$(eval $(call objects,$(BUILD)/debug,$(SHARED) $(DEBUG),$(SRC)))
$(eval $(call objects,$(BUILD)/static,$(SHARED) -DSQLITE_CORE,$(SRC)))
$(eval $(call objects,$(BUILD)/asan,$(SHARED) $(DEBUG) $(SAN),$(SRC)))
$(eval $(call objects,$(BUILD)/codec,$(BASE) -DKV_STANDALONE -DKV_TEST $(DEBUG) $(SAN),$(CODEC)))
$(eval $(call objects,$(BUILD)/unit,$(BASE) -Itests -DKV_STANDALONE -DKV_TEST $(DEBUG) $(SAN),$(UNIT)))

$(BUILD)/kv.so: $(SRC:%.c=$(BUILD)/obj/%.o)
	$(CC) -shared $(SOFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^

# With KV_ASSERT().
$(BUILD)/debug/kv.so: $(SRC:%.c=$(BUILD)/debug/%.o)
	$(CC) -shared $(SOFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(BUILD)/asan/kv.so: $(SRC:%.c=$(BUILD)/asan/%.o)
	$(CC) -shared $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(BUILD)/libkv.a: $(SRC:%.c=$(BUILD)/static/%.o)
	@rm -f $@
	$(AR) rcs $@ $^

# A program of its own, for Linux, where dqlite is.
dqlite: $(BUILD)/kv-dqlite

$(DQLITE:%.c=$(BUILD)/dqlite/%.o): | deps-dqlite
$(eval $(call objects,$(BUILD)/dqlite,$(BASE) -D_GNU_SOURCE,$(DQLITE)))

$(BUILD)/kv-dqlite: $(DQLITE:%.c=$(BUILD)/dqlite/%.o) $(BUILD)/libkv.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ldqlite -lsqlite3 -lpthread

# ------------------------------------------------------------------ use

run: deps-run $(BUILD)/kv.so
	@sh tests/tour.sh

# install, amalgamation, npm, wheel, deb, cross, sqlite-versions
include ext/pack/pack.mk

clean:
	rm -rf $(filter-out $(BUILD)/npm,$(wildcard $(BUILD)/*))

# ---------------------------------------------------------------- tests

UNITBIN := $(UNIT:tests/unit/%.c=$(BUILD)/unit/%)

$(UNITBIN): $(BUILD)/unit/%: $(BUILD)/unit/tests/unit/%.o $(CODEC:%.c=$(BUILD)/codec/%.o)
	$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

unit: $(UNITBIN)
	@for t in $(UNITBIN); do echo "$$t:"; $$t || exit 1; done

# What the test files run besides the extension itself.
TESTED := $(BUILD)/bench/steps $(BUILD)/kv-dqlite $(BUILD)/kvfault $(BUILD)/history

test: deps-test $(BUILD)/kv.so $(TESTED) $(UNITBIN) fuzz-standalone
	@tclsh tests/all.tcl

sqlite-versions: $(TESTED) fuzz-standalone

asan: deps-test $(BUILD)/asan/kv.so $(BUILD)/kv.so $(TESTED)
	@KV_SO=$(BUILD)/asan/kv.so KV_UNIT=0 KV_SLOW=4 \
	  KV_PRELOAD="$$($(CC) -print-file-name=libasan.so):$$($(CC) -print-file-name=libubsan.so)" \
	  tclsh tests/all.tcl

# ---------------------------------------------------------------- speed

BENCHSRC := $(patsubst %,tests/bench/%.c,bench read write codec)

$(BUILD)/bench/bench: $(BENCHSRC) tests/bench/bench.h $(BUILD)/libkvcodec.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Iext -Wall -Wextra -o $@ $(BENCHSRC) $(BUILD)/libkvcodec.a -lsqlite3

# The same program for tests/speed.test, which counts instructions.
$(BUILD)/bench/steps: $(BENCHSRC) tests/bench/bench.h $(BUILD)/libkvcodec.a | deps-test
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Iext -DBENCH_STEPS -o $@ $(BENCHSRC) $(BUILD)/libkvcodec.a -lsqlite3

$(BUILD)/bench/growth: tests/bench/growth.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -Wall -Wextra -o $@ $< -lsqlite3

# LMDB is measured where it is installed.
$(BUILD)/bench/peer_lmdb: tests/bench/peer_lmdb.c
	@mkdir -p $(@D)
	-$(CC) $(CFLAGS) -Wall -Wextra -o $@ $< -llmdb -lsqlite3

bench: deps-bench $(BUILD)/kv.so $(BUILD)/bench/bench $(BUILD)/bench/peer_lmdb
	@sh tests/bench/run.sh

bench-growth: deps-bench $(BUILD)/kv.so $(BUILD)/bench/growth
	@$(BUILD)/bench/growth $(BUILD)/kv $(BUILD)/bench

# --------------------------------- faults, crashes, threads, other SQLites

AMALGAM := $(BUILD)/npm/node_modules/better-sqlite3/deps/sqlite3
FAULT   := $(sort $(wildcard tests/fault/*.c))
SCRIPTS := $(sort $(wildcard tests/fault/scripts/*.sql))
CTEST   := -std=gnu11 -O1 -g -Wall -Wextra
TSAN    := -fsanitize=thread -fno-omit-frame-pointer

$(eval $(call objects,$(BUILD)/tsan,$(SHARED) $(DEBUG) $(TSAN),$(SRC)))
$(eval $(call objects,$(BUILD)/cov,$(SHARED) -O0 --coverage,$(SRC)))
$(eval $(call objects,$(BUILD)/covcodec,$(BASE) -O0 --coverage -DKV_STANDALONE -DKV_TEST,$(CODEC)))
$(eval $(call objects,$(BUILD)/covunit,$(BASE) -Itests -O0 -DKV_STANDALONE -DKV_TEST,$(UNIT)))

$(BUILD)/kvfault: $(FAULT) tests/fault/fault.h | deps-build
	@mkdir -p $(@D)
	$(CC) $(CTEST) -o $@ $(FAULT) -lsqlite3 -ldl

$(BUILD)/asan/kvfault: $(FAULT) tests/fault/fault.h | deps-build
	@mkdir -p $(@D)
	$(CC) $(CTEST) $(SAN) -o $@ $(FAULT) -lsqlite3 -ldl

$(BUILD)/history: tests/history/history.c | deps-build
	@mkdir -p $(@D)
	$(CC) $(CTEST) -o $@ $< -lsqlite3 -ldl -lpthread

faults: deps-test $(BUILD)/asan/kv.so $(BUILD)/asan/kvfault
	@KVFAULT=$(BUILD)/asan/kvfault KV_SO=$(BUILD)/asan/kv.so sh tests/fault/long.sh faults $(SCRIPTS)

crash: deps-test $(BUILD)/kv.so $(BUILD)/kvfault
	@KVFAULT=$(BUILD)/kvfault KV_SO=$(BUILD)/kv.so sh tests/fault/long.sh crash $(SCRIPTS)

soak: deps-test $(BUILD)/kv.so $(BUILD)/history
	@KV_TIMEOUT=3600 KV_HISTORY=40000 KV_CONTENTION=60 KV_SNAPSHOT=1200000 \
	  tclsh tests/all.tcl history contention snapshot

# SQLite itself is built with it too: all of its locking must be seen.
$(BUILD)/tsan/libsqlite3.so.0: $(AMALGAM)/sqlite3.c
	@mkdir -p $(@D)
	$(CC) -O1 -g $(TSAN) -fPIC -shared -Wl,-soname,libsqlite3.so.0 -DSQLITE_THREADSAFE=1 \
	  -o $@ $< -lm -ldl -lpthread

$(BUILD)/tsan/kv.so: $(SRC:%.c=$(BUILD)/tsan/%.o)
	$(CC) -shared $(TSAN) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(BUILD)/tsan/history: tests/history/history.c $(BUILD)/tsan/libsqlite3.so.0
	$(CC) $(CTEST) $(TSAN) -I$(AMALGAM) -o $@ $^ -ldl -lpthread

tsan: deps-test
	@$(MAKE) --no-print-directory NODEPS=1 $(BUILD)/tsan/kv.so $(BUILD)/tsan/history
	@sh tests/history/tsan.sh $(BUILD)/tsan

# The sqlite3 shell knows its own library by the source id and takes no other.
$(BUILD)/sqlite-debug/libsqlite3.so.0: $(AMALGAM)/sqlite3.c tests/sqlite_debug.sh
	@mkdir -p $(@D)
	CC="$(CC)" sh tests/sqlite_debug.sh $< $@

# Its assertions cost instructions: speed.test, which counts them, is left out.
sqlite-debug: deps-test $(BUILD)/kv.so $(TESTED) fuzz-standalone
	@$(MAKE) --no-print-directory NODEPS=1 $(BUILD)/sqlite-debug/libsqlite3.so.0
	@LD_LIBRARY_PATH=$(CURDIR)/$(BUILD)/sqlite-debug KV_UNIT=0 KV_SLOW=4 tclsh tests/all.tcl \
	  $(filter-out speed,$(patsubst tests/%.test,%,$(wildcard tests/*.test)))

$(BUILD)/cov/kv.so: $(SRC:%.c=$(BUILD)/cov/%.o)
	$(CC) -shared --coverage -o $@ $^

$(eval $(call objects,$(BUILD)/plain,$(BASE) -DKV_STANDALONE -DKV_TEST,$(CODEC)))
$(eval $(call objects,$(BUILD)/plain,$(BASE) -Itests -DKV_STANDALONE -DKV_TEST,$(UNIT)))

PLAINUNIT := $(UNIT:tests/unit/%.c=$(BUILD)/plain/%)
VALGRIND  := values keys entries atomic indexes changes queue hostile damage corners \
             write txn expiry ids transfer limits

$(PLAINUNIT): $(BUILD)/plain/%: $(BUILD)/plain/tests/unit/%.o $(CODEC:%.c=$(BUILD)/plain/%.o)
	$(CC) $(LDFLAGS) -o $@ $^ -lm

valgrind: deps-test $(BUILD)/kv.so $(PLAINUNIT)
	@sh tests/valgrind.sh $(BUILD)/plain $(VALGRIND)

COVUNIT := $(UNIT:tests/unit/%.c=$(BUILD)/covunit/%)

$(COVUNIT): $(BUILD)/covunit/%: $(BUILD)/covunit/tests/unit/%.o $(CODEC:%.c=$(BUILD)/covcodec/%.o)
	$(CC) --coverage -o $@ $^ -lm

# Not optimised, so that a line is a line.
coverage: deps-test $(BUILD)/kv.so $(BUILD)/kvfault $(BUILD)/history $(BUILD)/fuzz/bounds
	@$(MAKE) --no-print-directory -s NODEPS=1 CFLAGS='-g' $(BUILD)/cov/kv.so $(COVUNIT) $(COVFUZZ)
	@CC="$(CC)" tclsh tests/coverage.tcl

# ----------------------------------------------------------------- fuzz
#
# A target is a file tests/fuzz/NAME.c.  With driver.c it becomes
# build/fuzz/NAME, which tests/fuzz.test runs; with clang's libFuzzer,
# build/libfuzzer/NAME.  "database" needs SQLite and the whole extension, the
# others the codecs alone.

FUZZ_CODEC   := key_bytes key_text value_bytes js_text json cursor op words
FUZZ_TARGETS ?= $(FUZZ_CODEC) database
FUZZ_SECONDS ?= 60
FUZZ_CC      ?= clang
FUZZ_SAN     := -fsanitize=fuzzer-no-link,address,undefined \
                -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_SRC     := $(FUZZ_CODEC:%=tests/fuzz/%.c)
FUZZ_BASE    := $(BASE) -Itests -D_DEFAULT_SOURCE
NPM_SQLITE   := $(BUILD)/npm/node_modules/better-sqlite3/deps/sqlite3

$(eval $(call objects,$(BUILD)/fuzz,$(FUZZ_BASE) -DKV_STANDALONE -DKV_TEST $(DEBUG) $(SAN),$(FUZZ_SRC)))
$(eval $(call objects,$(BUILD)/fuzz,$(FUZZ_BASE) $(DEBUG) $(SAN),tests/fuzz/driver.c tests/fuzz/database.c))

$(FUZZ_CODEC:%=$(BUILD)/fuzz/%): $(BUILD)/fuzz/%: $(BUILD)/fuzz/tests/fuzz/%.o \
    $(BUILD)/fuzz/tests/fuzz/driver.o $(CODEC:%.c=$(BUILD)/codec/%.o)
	$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

$(BUILD)/fuzz/database: $(BUILD)/fuzz/tests/fuzz/database.o \
    $(BUILD)/fuzz/tests/fuzz/driver.o $(SRC:%.c=$(BUILD)/asan/%.o)
	$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lsqlite3

# The targets with the codecs that count, for "make coverage".
COVFUZZ := $(FUZZ_CODEC:%=$(BUILD)/covfuzz/%) $(BUILD)/covfuzz/database

$(eval $(call objects,$(BUILD)/covfuzz,$(FUZZ_BASE) -O0 -DKV_STANDALONE -DKV_TEST,$(FUZZ_SRC)))
$(eval $(call objects,$(BUILD)/covfuzz,$(FUZZ_BASE) -O0,tests/fuzz/driver.c tests/fuzz/database.c))

$(FUZZ_CODEC:%=$(BUILD)/covfuzz/%): $(BUILD)/covfuzz/%: $(BUILD)/covfuzz/tests/fuzz/%.o \
    $(BUILD)/covfuzz/tests/fuzz/driver.o $(CODEC:%.c=$(BUILD)/covcodec/%.o)
	$(CC) --coverage -o $@ $^ -lm

$(BUILD)/covfuzz/database: $(BUILD)/covfuzz/tests/fuzz/database.o \
    $(BUILD)/covfuzz/tests/fuzz/driver.o $(SRC:%.c=$(BUILD)/cov/%.o)
	$(CC) --coverage -o $@ $^ -lsqlite3

# The codecs with a step counted in each basic block.
$(eval $(call objects,$(BUILD)/steps,$(BASE) -DKV_STANDALONE -DKV_TEST -fsanitize-coverage=trace-pc,$(CODEC)))
$(eval $(call objects,$(BUILD)/steps,$(FUZZ_BASE) -DKV_STANDALONE -DKV_TEST,tests/fuzz/bounds.c))

$(BUILD)/fuzz/bounds: $(BUILD)/steps/tests/fuzz/bounds.o $(CODEC:%.c=$(BUILD)/steps/%.o)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

fuzz-standalone: $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%) $(BUILD)/fuzz/bounds $(BUILD)/kv.so

$(BUILD)/libfuzzer/%.o: CC := $(FUZZ_CC)
$(eval $(call objects,$(BUILD)/libfuzzer/codec,$(BASE) -DKV_STANDALONE -DKV_TEST $(DEBUG) $(FUZZ_SAN),$(CODEC)))
$(eval $(call objects,$(BUILD)/libfuzzer/ext,$(BASE) -DSQLITE_CORE -I$(NPM_SQLITE) $(DEBUG) $(FUZZ_SAN),$(SRC)))
$(eval $(call objects,$(BUILD)/libfuzzer,$(FUZZ_BASE) -DKV_STANDALONE -DKV_TEST $(DEBUG) $(FUZZ_SAN),$(FUZZ_SRC)))
$(eval $(call objects,$(BUILD)/libfuzzer,$(FUZZ_BASE) -I$(NPM_SQLITE) $(DEBUG) $(FUZZ_SAN),tests/fuzz/database.c))

# SQLite itself: its memory is watched, its branches are not what is fuzzed.
$(BUILD)/libfuzzer/sqlite3.o: $(NPM_SQLITE)/sqlite3.c | deps-fuzz
	@mkdir -p $(@D)
	$(CC) -O1 -g -fsanitize=address -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -c -o $@ $<

$(FUZZ_CODEC:%=$(BUILD)/libfuzzer/%): $(BUILD)/libfuzzer/%: $(BUILD)/libfuzzer/tests/fuzz/%.o \
    $(CODEC:%.c=$(BUILD)/libfuzzer/codec/%.o)
	$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $@ $^ -lm

$(BUILD)/libfuzzer/database: $(BUILD)/libfuzzer/tests/fuzz/database.o $(BUILD)/libfuzzer/sqlite3.o \
    $(SRC:%.c=$(BUILD)/libfuzzer/ext/%.o)
	$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $@ $^ -lm

fuzz: deps-fuzz $(FUZZ_TARGETS:%=$(BUILD)/libfuzzer/%) fuzz-standalone
	@FUZZ_SECONDS=$(FUZZ_SECONDS) sh tests/fuzz/run.sh $(FUZZ_TARGETS)

# ----------------------------------------------------------------- lint

LINT := $(BASE) -fsyntax-only -Wall -Wextra -Wshadow -Wconversion \
        -Wno-sign-conversion -Wstrict-prototypes -Wvla -Wpedantic -Werror

lint: deps-lint $(GEN) amalgamation
	@for c in $(CC) clang; do \
	  echo "$$c: the extension, the static build, the codecs alone; all in one file; kv-dqlite"; \
	  $$c $(LINT) $(SRC) && \
	  $$c $(LINT) -DSQLITE_CORE $(SRC) && \
	  $$c $(LINT) -DKV_STANDALONE $(CODEC) && \
	  $$c $(LINT) $(BUILD)/kv.c && \
	  $$c $(LINT) -DSQLITE_CORE $(BUILD)/kv.c && \
	  $$c $(LINT) -DKV_STANDALONE $(BUILD)/kv.c && \
	  $$c $(LINT) tests/mini_shell.c ext/pack/preload.c && \
	  $$c $(LINT) -D_GNU_SOURCE $(DQLITE) || exit 1; \
	done
	@echo 'clang: kv.h as C++'; \
	clang -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(BUILD)/kv.h
	@if command -v cppcheck >/dev/null; then \
	  cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr \
	    --enable=warning,portability --suppress=missingIncludeSystem \
	    --suppress=objectIndex --suppress=ctuuninitvar \
	    -Iext -I$(BUILD) ext; \
	else echo 'cppcheck is not installed: skipped'; fi

# By .clang-tidy, and gcc's analyzer.
tidy: deps-tidy $(GEN)
	@sh tests/tidy.sh $(SRC) $(DQLITE)
