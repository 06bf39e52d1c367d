# tests.mk -- tests, measurements and lint: a part of the Makefile.

UNIT    := $(sort $(wildcard tests/unit/*_test.c))
UNITBIN := $(UNIT:tests/unit/%.c=$(BUILD)/unit/%)

# KV_ASSERT is compiled in.
DEBUG   := -DKV_DEBUG
SAN     := $(DEBUG) -fsanitize=address,undefined -fno-sanitize-recover=all \
           -fno-omit-frame-pointer

.PHONY: test unit asan lint tidy valgrind bench bench-growth bench-openkv
.PHONY: faults crash soak tsan sqlite-debug coverage
.PHONY: fuzz fuzz-standalone cross clients sqlite-versions

# ---------------------------------------------------------------- tests

# What is changed daily is compiled file by file, the rest all in one.
$(eval $(call objects,$(BUILD)/debug,$(SHARED) $(DEBUG),$(SRC)))
$(eval $(call objects,$(BUILD)/unit,$(BASE) -Itests -DKV_STANDALONE -DKV_TEST $(SAN),$(UNIT)))

$(BUILD)/debug/kv.so: $(SRC:%.c=$(BUILD)/debug/%.o)
	$(call say,LD,$@)$(CC) -shared $(SOFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^

# $(call one,OBJECT,FLAGS): the whole extension as one object, optimized a little.
define one
$(BUILD)/$(1): $(BUILD)/kv.c | deps-build
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)$$(CC) $(2) $$(CPPFLAGS) $$(CFLAGS:-O2=-O1) -c -o $$@ $$<
endef

$(eval $(call one,asan/kv.o,$(SHARED) $(SAN)))
$(eval $(call one,asan/codec.o,$(BASE) -DKV_STANDALONE -DKV_TEST $(SAN)))

$(BUILD)/asan/kv.so: $(BUILD)/asan/kv.o
	$(call say,LD,$@)$(CC) -shared $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(UNITBIN): $(BUILD)/unit/%: $(BUILD)/unit/tests/unit/%.o $(BUILD)/asan/codec.o
	@$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

unit: $(UNITBIN)
	@for t in $(UNITBIN); do echo "$$t:"; $$t || exit 1; done

# What the test files run besides the extension itself.
TESTED := $(BUILD)/bench/steps $(BUILD)/kv-dqlite $(BUILD)/kv-serve $(BUILD)/asan/kv-serve \
          $(BUILD)/kvfault $(BUILD)/history

# $(call together,TARGETS): make them, one more at once than there are cores.
JOBS      = $(shell expr $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 1)
together  = $(MAKE) --no-print-directory NODEPS=1 $(if $(findstring j,$(firstword -$(MAKEFLAGS))),,-j$(JOBS)) $(1)

# What npm has is loaded while all is compiled, what takes longest first.  Files that measure
# or unpack the extension take build/kv.so themselves.
test: deps-tested
	@$(call together,$(BUILD)/kv.c)
	@$(call together,oracle tested LOAD=$(if $(NODEPS),,yes))
	@KV_SO=$(BUILD)/debug/kv.so tclsh tests/all.tcl

.PHONY: oracle tested quick
oracle:
	@$(if $(LOAD),$(DEPS) oracle,:)

tested: $(BUILD)/asan/kv.o $(BUILD)/debug/kv.so $(BUILD)/kv.so $(TESTED) $(UNITBIN) fuzz-standalone

# The debug build, and the files that start no other program: less than a minute.
quick: deps-quick
	@$(call together,$(BUILD)/debug/kv.so)
	@KV_SO=$(BUILD)/debug/kv.so tclsh tests/all.tcl -quick

sqlite-versions: $(TESTED) fuzz-standalone

# Clients that "make test" leaves out, since they are much to install.
clients: deps-clients $(BUILD)/kv.so
	@KV_SO=$(BUILD)/kv.so tclsh tests/clients/more.tcl
	@KV_SO=$(BUILD)/kv.so tclsh tests/clients/mappers.tcl

# The tests of programs over Deno KV, in the real Deno and with openKv(); its types by tsc.
.PHONY: suites
suites: deps-suites $(BUILD)/kv.so
	@SUITES="$(SUITES)" sh tests/suites.sh

asan: deps-test $(BUILD)/asan/kv.so $(BUILD)/kv.so $(TESTED)
	@KV_SO=$(BUILD)/asan/kv.so KV_UNIT=0 KV_SLOW=4 \
	  KV_PRELOAD="$$($(CC) -print-file-name=libasan.so):$$($(CC) -print-file-name=libubsan.so)" \
	  tclsh tests/all.tcl

# kv-serve with sanitizers, which tests/serve_hostile.test sends what is malformed.
$(SERVE:%.c=$(BUILD)/asan/%.o): | $(PROTO).h
$(eval $(call objects,$(BUILD)/asan,$(BASE) -I$(BUILD)/serve -D_GNU_SOURCE $(SAN),$(SERVE)))

$(BUILD)/asan/kv-serve: $(SERVE:%.c=$(BUILD)/asan/%.o) $(PROTO).o $(BUILD)/asan/kv.o
	$(call say,LD,$@)$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(SERVELIBS)

# ---------------------------------------------------------------- speed

BENCHSRC := $(patsubst %,tests/bench/%.c,bench read write collection search bulk codec)

$(BUILD)/bench/bench: $(BENCHSRC) tests/bench/bench.h $(BUILD)/libkvcodec.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CFLAGS) -Iext -Wall -Wextra -o $@ $(BENCHSRC) $(BUILD)/libkvcodec.a -lsqlite3

# The same program for tests/speed.test, which counts instructions.
$(BUILD)/bench/steps: $(BENCHSRC) tests/bench/bench.h $(BUILD)/libkvcodec.a | deps-test
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CFLAGS) -Iext -DBENCH_STEPS -o $@ $(BENCHSRC) $(BUILD)/libkvcodec.a -lsqlite3

$(BUILD)/bench/growth: tests/bench/growth.c
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CFLAGS) -Wall -Wextra -o $@ $< -lsqlite3

# LMDB is measured where it is installed.
$(BUILD)/bench/peer_lmdb: tests/bench/peer_lmdb.c
	@mkdir -p $(@D)
	-$(call say,LD,$@)$(CC) $(CFLAGS) -Wall -Wextra -o $@ $< -llmdb -lsqlite3

bench: deps-bench $(BUILD)/kv.so $(BUILD)/bench/bench $(BUILD)/bench/peer_lmdb
	@sh tests/bench/run.sh

bench-openkv: deps-bench $(BUILD)/kv.so
	@mkdir -p $(BUILD)/bench
	@$(BUILD)/npm/bin/node --no-warnings tests/bench/openkv.mjs $(abspath $(BUILD)/kv.so) $(or $(wildcard /dev/shm),$(BUILD)/bench)

.PHONY: bench-python
bench-python: deps-python $(BUILD)/kv.so $(PYPACKAGE)/_codec.abi3.so
	@mkdir -p $(BUILD)/bench
	@PYTHONPATH=$(BUILD)/python SQLITE_KV_EXTENSION=$(abspath $(BUILD)/kv) \
	  $(PYTHON) -B tests/bench/python.py $(or $(wildcard /dev/shm),$(BUILD)/bench)

bench-growth: deps-bench $(BUILD)/kv.so $(BUILD)/bench/growth
	@$(BUILD)/bench/growth $(BUILD)/kv $(BUILD)/bench

# --------------------------------- faults, crashes, threads, other SQLites

AMALGAM := $(BUILD)/npm/node_modules/better-sqlite3/deps/sqlite3
FAULT   := $(sort $(wildcard tests/fault/*.c))
SCRIPTS := $(sort $(wildcard tests/fault/scripts/*.sql))
CTEST   := -std=gnu11 -O1 -g -Wall -Wextra
TSAN    := $(DEBUG) -fsanitize=thread -fno-omit-frame-pointer

$(eval $(call objects,$(BUILD)/tsan,$(SHARED) $(TSAN),$(SRC)))
$(eval $(call objects,$(BUILD)/cov,$(SHARED) -O0 --coverage,$(SRC)))
$(eval $(call objects,$(BUILD)/covcodec,$(BASE) -O0 --coverage -DKV_STANDALONE -DKV_TEST,$(CODEC)))
$(eval $(call objects,$(BUILD)/covunit,$(BASE) -Itests -O0 -DKV_STANDALONE -DKV_TEST,$(UNIT)))

$(BUILD)/kvfault: $(FAULT) tests/fault/fault.h | deps-build
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CTEST) -o $@ $(FAULT) -lsqlite3 -ldl

$(BUILD)/asan/kvfault: $(FAULT) tests/fault/fault.h | deps-build
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CTEST) $(SAN) -o $@ $(FAULT) -lsqlite3 -ldl

$(BUILD)/history: tests/history/history.c | deps-build
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CTEST) -o $@ $< -lsqlite3 -ldl -lpthread

faults: deps-test $(BUILD)/asan/kv.so $(BUILD)/asan/kvfault
	@KVFAULT=$(BUILD)/asan/kvfault KV_SO=$(BUILD)/asan/kv.so sh tests/fault/long.sh faults $(SCRIPTS)

crash: deps-test $(BUILD)/kv.so $(BUILD)/kvfault
	@KVFAULT=$(BUILD)/kvfault KV_SO=$(BUILD)/kv.so sh tests/fault/long.sh crash $(SCRIPTS)

# The last are the files that make random cases: all of them here, and others each time.
soak: deps-test $(BUILD)/debug/kv.so $(BUILD)/history fuzz-standalone
	@KV_SO=$(BUILD)/debug/kv.so KV_TIMEOUT=3600 KV_HISTORY=40000 KV_CONTENTION=200000 KV_SNAPSHOT=1200000 \
	  KV_COLLECTION=60 KV_FULL=1 KV_SEED=$(or $(KV_SEED),new) \
	  tclsh tests/all.tcl history contention snapshot collection_deno entries_random deno_programs \
	  collection_random search_random json_merge parts fresh txn fuzz forged_ops marks_random index_seek index_paths

# SQLite itself is built with it too: all of its locking must be seen.
$(BUILD)/tsan/libsqlite3.so.0: $(AMALGAM)/sqlite3.c
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -O1 -g $(TSAN) -fPIC -shared -Wl,-soname,libsqlite3.so.0 -DSQLITE_THREADSAFE=1 \
	  -o $@ $< -lm -ldl -lpthread

$(BUILD)/tsan/kv.so: $(SRC:%.c=$(BUILD)/tsan/%.o)
	$(call say,LD,$@)$(CC) -shared $(TSAN) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(BUILD)/tsan/history: tests/history/history.c $(BUILD)/tsan/libsqlite3.so.0
	$(call say,LD,$@)$(CC) $(CTEST) $(TSAN) -I$(AMALGAM) -o $@ $^ -ldl -lpthread

tsan: deps-test
	@$(MAKE) --no-print-directory NODEPS=1 $(BUILD)/tsan/kv.so $(BUILD)/tsan/history
	@sh tests/history/tsan.sh $(BUILD)/tsan

# The sqlite3 shell knows its own library by the source id and takes no other.
$(BUILD)/sqlite-debug/libsqlite3.so.0: $(AMALGAM)/sqlite3.c tests/sqlite_debug.sh
	@mkdir -p $(@D)
	CC="$(CC)" sh tests/sqlite_debug.sh $< $@

# Its assertions cost instructions: speed.test, which counts them, is left out.
sqlite-debug: deps-test $(BUILD)/debug/kv.so $(BUILD)/kv.so $(TESTED) fuzz-standalone
	@$(MAKE) --no-print-directory NODEPS=1 $(BUILD)/sqlite-debug/libsqlite3.so.0
	@LD_LIBRARY_PATH=$(CURDIR)/$(BUILD)/sqlite-debug KV_SO=$(BUILD)/debug/kv.so \
	  KV_UNIT=0 KV_SLOW=4 tclsh tests/all.tcl \
	  $(filter-out speed,$(patsubst tests/%.test,%,$(wildcard tests/*.test)))

$(BUILD)/cov/kv.so: $(SRC:%.c=$(BUILD)/cov/%.o)
	$(call say,LD,$@)$(CC) -shared --coverage -o $@ $^

$(eval $(call objects,$(BUILD)/plain,$(BASE) $(DEBUG) -DKV_STANDALONE -DKV_TEST,$(CODEC)))
$(eval $(call objects,$(BUILD)/plain,$(BASE) -Itests -DKV_STANDALONE -DKV_TEST,$(UNIT)))

PLAINUNIT := $(UNIT:tests/unit/%.c=$(BUILD)/plain/%)
VALGRIND  := values keys entries atomic indexes changes queue hostile damage tables \
             write write_failures write_triggers scan_guards dead_letters index_catch_up \
             index_triggers one_operation forged_ops txn expiry ids transfer limits \
             parts collection_write

$(PLAINUNIT): $(BUILD)/plain/%: $(BUILD)/plain/tests/unit/%.o $(CODEC:%.c=$(BUILD)/plain/%.o)
	$(call say,LD,$@)$(CC) $(LDFLAGS) -o $@ $^ -lm

valgrind: deps-test $(BUILD)/kv.so $(PLAINUNIT)
	@sh tests/valgrind.sh $(BUILD)/plain $(VALGRIND)

COVUNIT := $(UNIT:tests/unit/%.c=$(BUILD)/covunit/%)

$(COVUNIT): $(BUILD)/covunit/%: $(BUILD)/covunit/tests/unit/%.o $(CODEC:%.c=$(BUILD)/covcodec/%.o)
	$(call say,LD,$@)$(CC) --coverage -o $@ $^ -lm

# Not optimised, so that a line is a line.
coverage: deps-test $(BUILD)/kv.so $(BUILD)/kvfault $(BUILD)/history $(BUILD)/fuzz/bounds
	@$(MAKE) --no-print-directory -s NODEPS=1 CFLAGS='-g' $(BUILD)/cov/kv.so $(COVUNIT) $(COVFUZZ)
	@CC="$(CC)" tclsh tests/coverage.tcl

# ----------------------------------------------------------------- fuzz
#
# A target is a file tests/fuzz/NAME.c.  With driver.c it becomes
# build/fuzz/NAME, which tests/fuzz.test runs; with clang's libFuzzer,
# build/libfuzzer/NAME.  "database" needs SQLite and the whole extension, "serve"
# kv-serve without its main file, the others the codecs alone.

FUZZ_CODEC   := key_bytes key_text value_bytes js_text json cursor op words
FUZZ_TARGETS ?= $(FUZZ_CODEC) database serve
FUZZ_SECONDS ?= 60
FUZZ_CC      ?= clang
FUZZ_SAN     := $(DEBUG) -fsanitize=fuzzer-no-link,address,undefined \
                -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_SRC     := $(FUZZ_CODEC:%=tests/fuzz/%.c)
FUZZ_BASE    := $(BASE) -Itests -D_DEFAULT_SOURCE

$(eval $(call objects,$(BUILD)/fuzz,$(FUZZ_BASE) -DKV_STANDALONE -DKV_TEST $(SAN),$(FUZZ_SRC)))
$(eval $(call objects,$(BUILD)/fuzz,$(FUZZ_BASE) $(SAN),tests/fuzz/driver.c tests/fuzz/database.c))
FUZZ_SERVE   := $(filter-out %/kv_serve.c,$(SERVE))
$(eval $(call objects,$(BUILD)/fuzz,$(FUZZ_BASE) -I$(BUILD)/serve -D_GNU_SOURCE $(SAN),tests/fuzz/serve.c))
$(BUILD)/fuzz/tests/fuzz/serve.o $(BUILD)/libfuzzer/tests/fuzz/serve.o: | $(PROTO).h

$(FUZZ_CODEC:%=$(BUILD)/fuzz/%): $(BUILD)/fuzz/%: $(BUILD)/fuzz/tests/fuzz/%.o \
    $(BUILD)/fuzz/tests/fuzz/driver.o $(BUILD)/asan/codec.o
	@$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

$(BUILD)/fuzz/database: $(BUILD)/fuzz/tests/fuzz/database.o \
    $(BUILD)/fuzz/tests/fuzz/driver.o $(BUILD)/asan/kv.o
	@$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lsqlite3

$(BUILD)/fuzz/serve: $(BUILD)/fuzz/tests/fuzz/serve.o $(BUILD)/fuzz/tests/fuzz/driver.o \
    $(FUZZ_SERVE:%.c=$(BUILD)/asan/%.o) $(PROTO).o $(BUILD)/asan/kv.o
	@$(CC) $(SAN) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(SERVELIBS)

# The targets with the codecs that count, for "make coverage".
COVFUZZ := $(FUZZ_CODEC:%=$(BUILD)/covfuzz/%) $(BUILD)/covfuzz/database

$(eval $(call objects,$(BUILD)/covfuzz,$(FUZZ_BASE) -O0 -DKV_STANDALONE -DKV_TEST,$(FUZZ_SRC)))
$(eval $(call objects,$(BUILD)/covfuzz,$(FUZZ_BASE) -O0,tests/fuzz/driver.c tests/fuzz/database.c))

$(FUZZ_CODEC:%=$(BUILD)/covfuzz/%): $(BUILD)/covfuzz/%: $(BUILD)/covfuzz/tests/fuzz/%.o \
    $(BUILD)/covfuzz/tests/fuzz/driver.o $(CODEC:%.c=$(BUILD)/covcodec/%.o)
	$(call say,LD,$@)$(CC) --coverage -o $@ $^ -lm

$(BUILD)/covfuzz/database: $(BUILD)/covfuzz/tests/fuzz/database.o \
    $(BUILD)/covfuzz/tests/fuzz/driver.o $(SRC:%.c=$(BUILD)/cov/%.o)
	$(call say,LD,$@)$(CC) --coverage -o $@ $^ -lsqlite3

# The codecs with a step counted in each basic block, of which there are as many
# as the compiler makes: always the same, whatever CFLAGS are.
$(BUILD)/steps/%.o: override CFLAGS := -O2 -g
$(eval $(call objects,$(BUILD)/steps,$(BASE) -DKV_STANDALONE -DKV_TEST -fsanitize-coverage=trace-pc,$(CODEC)))
$(eval $(call objects,$(BUILD)/steps,$(FUZZ_BASE) -DKV_STANDALONE -DKV_TEST,tests/fuzz/bounds.c))

$(BUILD)/fuzz/bounds: $(BUILD)/steps/tests/fuzz/bounds.o $(CODEC:%.c=$(BUILD)/steps/%.o)
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm

fuzz-standalone: $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%) $(BUILD)/fuzz/bounds $(BUILD)/kv.so

$(BUILD)/libfuzzer/%.o: CC := $(FUZZ_CC)
$(eval $(call objects,$(BUILD)/libfuzzer/codec,$(BASE) -DKV_STANDALONE -DKV_TEST $(FUZZ_SAN),$(CODEC)))
$(eval $(call objects,$(BUILD)/libfuzzer/ext,$(BASE) -DSQLITE_CORE -I$(AMALGAM) $(FUZZ_SAN),$(SRC)))
$(eval $(call objects,$(BUILD)/libfuzzer,$(FUZZ_BASE) -DKV_STANDALONE -DKV_TEST $(FUZZ_SAN),$(FUZZ_SRC)))
$(eval $(call objects,$(BUILD)/libfuzzer,$(FUZZ_BASE) -I$(AMALGAM) $(FUZZ_SAN),tests/fuzz/database.c))
$(eval $(call objects,$(BUILD)/libfuzzer,$(FUZZ_BASE) -I$(AMALGAM) -I$(BUILD)/serve -D_GNU_SOURCE $(FUZZ_SAN),tests/fuzz/serve.c $(FUZZ_SERVE)))
$(FUZZ_SERVE:%.c=$(BUILD)/libfuzzer/%.o): | $(PROTO).h

# SQLite itself: its memory is watched, its branches are not what is fuzzed.
$(BUILD)/libfuzzer/sqlite3.o: $(AMALGAM)/sqlite3.c | deps-fuzz
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) -O1 -g -fsanitize=address -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -c -o $@ $<

$(FUZZ_CODEC:%=$(BUILD)/libfuzzer/%): $(BUILD)/libfuzzer/%: $(BUILD)/libfuzzer/tests/fuzz/%.o \
    $(CODEC:%.c=$(BUILD)/libfuzzer/codec/%.o)
	$(call say,LD,$@)$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $@ $^ -lm

$(BUILD)/libfuzzer/database: $(BUILD)/libfuzzer/tests/fuzz/database.o $(BUILD)/libfuzzer/sqlite3.o \
    $(SRC:%.c=$(BUILD)/libfuzzer/ext/%.o)
	$(call say,LD,$@)$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $@ $^ -lm

$(BUILD)/libfuzzer/serve: $(BUILD)/libfuzzer/tests/fuzz/serve.o $(FUZZ_SERVE:%.c=$(BUILD)/libfuzzer/%.o) \
    $(PROTO).o $(BUILD)/libfuzzer/sqlite3.o $(SRC:%.c=$(BUILD)/libfuzzer/ext/%.o)
	$(call say,LD,$@)$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $@ $^ $(filter-out -lsqlite3,$(SERVELIBS)) -lm

fuzz: deps-fuzz $(FUZZ_TARGETS:%=$(BUILD)/libfuzzer/%) fuzz-standalone
	@FUZZ_SECONDS=$(FUZZ_SECONDS) sh tests/fuzz/run.sh $(FUZZ_TARGETS)

# ----------------------------------------------------------------- lint

LINT := $(BASE) -fsyntax-only -Wall -Wextra -Wshadow -Wconversion \
        -Wno-sign-conversion -Wstrict-prototypes -Wvla -Wpedantic -Werror

lint: deps-lint $(GEN) $(PROTO).h amalgamation $(BUILD)/debug/kv.so
	@tclsh tests/ladder.tcl $(BUILD)/debug
	@for c in $(CC) clang; do \
	  echo "$$c: the extension, the static build, the codecs alone; all in one file; kv-dqlite, kv-serve"; \
	  $$c $(LINT) $(SRC) && \
	  $$c $(LINT) -DSQLITE_CORE $(SRC) && \
	  $$c $(LINT) -DKV_STANDALONE $(CODEC) && \
	  $$c $(LINT) $(BUILD)/kv.c && \
	  $$c $(LINT) -DSQLITE_CORE $(BUILD)/kv.c && \
	  $$c $(LINT) -DKV_STANDALONE $(BUILD)/kv.c && \
	  $$c $(LINT) tests/mini_shell.c ext/pack/preload.c && \
	  $$c $(LINT) -D_GNU_SOURCE $(DQLITE) && \
	  $$c $(LINT) -I$(BUILD)/serve -D_GNU_SOURCE $(SERVE) || exit 1; \
	done
	@echo 'clang: kv.h as C++'; \
	clang -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(BUILD)/kv.h
	@if command -v cppcheck >/dev/null; then \
	  cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr \
	    --enable=warning,portability --suppress=missingIncludeSystem \
	    --suppress=objectIndex --suppress=ctuuninitvar \
	    -Iext -I$(BUILD) -iext/web ext; \
	else echo 'cppcheck is not installed: skipped'; fi

# By .clang-tidy, and gcc's analyzer.
tidy: deps-tidy $(GEN) $(PROTO).h
	@sh tests/tidy.sh $(SRC) $(DQLITE) $(SERVE)

# ------------------------------- other machines, other versions of SQLite

cross: deps-cross amalgamation release
	@sh tests/cross.sh

sqlite-versions: deps-test amalgamation $(BUILD)/kv.so
	@sh tests/sqlite_versions.sh $(VERSIONS)
