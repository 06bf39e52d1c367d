# web.mk -- the page for browsers: a part of the Makefile.
#
# build/web/index.html is all of it: page, worker and WebAssembly in one file.

# Debian keeps emscripten's own node modules where only its own node looks.
EMCC     ?= NODE_PATH=/usr/share/nodejs emcc
WEB      := $(BUILD)/web
WEBSRC   := $(sort $(wildcard ext/web/*.js ext/web/*.html ext/web/*.css)) \
            tests/sample/sample.sqlite3
WEBCALLS := web_open web_bind_number malloc free sqlite3_close_v2 sqlite3_errmsg \
            sqlite3_extended_errcode sqlite3_error_offset sqlite3_prepare_v2 sqlite3_step \
            sqlite3_finalize sqlite3_reset sqlite3_clear_bindings sqlite3_bind_text \
            sqlite3_bind_blob sqlite3_bind_null sqlite3_bind_parameter_count \
            sqlite3_column_count sqlite3_column_name sqlite3_column_type sqlite3_column_text \
            sqlite3_column_blob sqlite3_column_bytes sqlite3_column_double sqlite3_changes \
            sqlite3_total_changes sqlite3_stmt_readonly sqlite3_stmt_isexplain sqlite3_sql \
            sqlite3_interrupt sqlite3_get_autocommit sqlite3_complete sqlite3_libversion
comma    := ,

.PHONY: web web-test

web: $(WEB)/index.html

$(WEB)/kv.o: $(BUILD)/kv.c $(BUILD)/kv.h | deps-web
	@mkdir -p $(@D)
	$(call say,EMCC,$@)$(EMCC) -std=c11 -O2 -DSQLITE_CORE -I$(AMALGAM) -I$(BUILD) -c -o $@ $<

$(WEB)/sqlite3.o: | deps-web
	@mkdir -p $(@D)
	$(call say,EMCC,$@)$(EMCC) -O2 -w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION \
	  -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_MATH_FUNCTIONS -c -o $@ $(AMALGAM)/sqlite3.c

$(WEB)/kv.js: ext/web/web.c ext/web/web.mk $(WEB)/kv.o $(WEB)/sqlite3.o
	$(call say,EMCC,$@)$(EMCC) -O2 -Wall -Wextra -I$(AMALGAM) -I$(BUILD) --no-entry -o $@ \
	  $(filter %.c %.o,$^) -sMODULARIZE=1 -sEXPORT_NAME=kvWasm -sENVIRONMENT=web,worker \
	  -sALLOW_MEMORY_GROWTH=1 -sDYNAMIC_EXECUTION=0 -sFORCE_FILESYSTEM=1 \
	  -sEXPORTED_RUNTIME_METHODS=FS \
	  -sEXPORTED_FUNCTIONS=$(subst $() $(),$(comma),$(WEBCALLS:%=_%))

$(WEB)/index.html: $(WEB)/kv.js $(WEBSRC)
	$(call say,WEB,$@)node ext/web/build.js $(WEB) $(BUILD)/npm/web

# With words: the checks whose sentence has one of them.
web-test: deps-test deps-web-test $(WEB)/index.html $(BUILD)/kv.so
	@$(BUILD)/npm/bin/node --no-warnings tests/web/run.js $(WORDS)
