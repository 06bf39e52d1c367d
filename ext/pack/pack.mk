# pack.mk -- installing, and packages: a part of the Makefile.

VERSION  := $(shell sed -n 's/^.define SQLITE_KV_VERSION "\(.*\)"/\1/p' ext/sql/kv.h)
INCDIR   ?= $(PREFIX)/include/sqlite-kv
EXTDIR   ?= $(LIBDIR)/sqlite3
DATADIR  ?= $(PREFIX)/share/sqlite-kv
HEADERS  := ext/sql/kv.h ext/codec/kv_codec.h
ARCHIVES := $(BUILD)/libkv.a $(BUILD)/libkvcodec.a
INSTALL  ?= install
STRIP    ?= strip

.PHONY: install uninstall amalgamation npm wheel deb release

# The codecs alone: nothing but libc.
$(eval $(call objects,$(BUILD)/alone,$(SHARED) -DKV_STANDALONE,$(CODEC)))

$(BUILD)/libkvcodec.a: $(CODEC:%.c=$(BUILD)/alone/%.o)
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $^

# For programs with the shared SQLite that load no extensions.
$(BUILD)/kv-preload.so: ext/pack/preload.c $(BUILD)/libkv.a
	$(call say,LD,$@)$(CC) -shared $(SHARED) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lsqlite3

# -------------------------------------------------------------- install

# $(call pc,NAME): a pkg-config file for where things will be.
pc = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCDIR@|$(INCDIR)|' \
         -e 's|@EXTDIR@|$(EXTDIR)|' -e 's|@VERSION@|$(VERSION)|' ext/pack/$(1).in

install: $(BUILD)/kv.so $(ARCHIVES)
	$(INSTALL) -d $(DESTDIR)$(EXTDIR) $(DESTDIR)$(INCDIR) $(DESTDIR)$(LIBDIR)/pkgconfig
	$(INSTALL) -m 644 $(BUILD)/kv.so $(DESTDIR)$(EXTDIR)/kv.so
	$(INSTALL) -m 644 $(ARCHIVES) $(DESTDIR)$(LIBDIR)
	$(INSTALL) -m 644 $(HEADERS) $(DESTDIR)$(INCDIR)
	$(INSTALL) -d $(DESTDIR)$(MANDIR)/man7
	$(INSTALL) -d $(DESTDIR)$(DATADIR)
	$(INSTALL) -m 644 sql/examples/views.sql $(DESTDIR)$(DATADIR)
	sed -e 's|EXTDIR|$(EXTDIR)|' -e 's|DATADIR|$(DATADIR)|' ext/sqlite-kv.7 >$(DESTDIR)$(MANDIR)/man7/sqlite-kv.7
	$(call pc,sqlite-kv.pc) >$(DESTDIR)$(LIBDIR)/pkgconfig/sqlite-kv.pc
	$(call pc,kvcodec.pc) >$(DESTDIR)$(LIBDIR)/pkgconfig/kvcodec.pc

uninstall:
	rm -f $(DESTDIR)$(EXTDIR)/kv.so
	rm -f $(DESTDIR)$(MANDIR)/man7/sqlite-kv.7
	rm -f $(DESTDIR)$(DATADIR)/views.sql
	rm -f $(ARCHIVES:$(BUILD)/%=$(DESTDIR)$(LIBDIR)/%)
	rm -f $(addprefix $(DESTDIR)$(INCDIR)/,$(notdir $(HEADERS)))
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/pkgconfig/,sqlite-kv.pc kvcodec.pc)
	-rmdir $(DESTDIR)$(INCDIR) $(DESTDIR)$(EXTDIR) $(DESTDIR)$(DATADIR) 2>/dev/null || true

# --------------------------------------------------------- amalgamation

amalgamation: $(BUILD)/kv.c $(BUILD)/kv.h

$(BUILD)/kv.c: ext/gen/amalgamate.awk $(SRC) $(GEN) $(wildcard ext/*/*.h ext/*/*/*.h)
	$(call say,GEN,$@)awk -v version=$(VERSION) -v paths="ext $(BUILD)" -f $< $(SRC) >$@

$(BUILD)/kv.h: $(HEADERS)
	@mkdir -p $(@D)
	$(call say,GEN,$@)cat $^ >$@

# ------------------------------------------------------------- packages

# Without what debuggers read.
$(BUILD)/pack/kv.so: $(BUILD)/kv.so
	@mkdir -p $(@D)
	$(STRIP) -S -o $@ $<

npm: $(BUILD)/pack/kv.so
	@sh ext/pack/npm.sh $(BUILD) $(VERSION)

wheel: $(BUILD)/pack/kv.so
	@python3 ext/pack/wheel.py $(BUILD) $(VERSION)

deb: $(BUILD)/kv.so $(ARCHIVES)
	@MAKE="$(MAKE)" sh ext/pack/deb.sh $(BUILD) $(VERSION)

# All of them with their sums, in a directory of their own.
release: $(BUILD)/pack/kv.so $(BUILD)/kv.c $(BUILD)/kv.h
	@rm -rf $(BUILD)/release && mkdir -p $(BUILD)/release
	@for t in npm wheel deb; do $(MAKE) -s $$t >>$(BUILD)/release/files || exit 1; done
	@cp $$(cat $(BUILD)/release/files) $(BUILD)/release && rm $(BUILD)/release/files
	@cp $(BUILD)/pack/kv.so $(BUILD)/kv.c $(BUILD)/kv.h $(BUILD)/release
	@cd $(BUILD)/release && LC_ALL=C sha256sum * >SHA256SUMS && cat SHA256SUMS
