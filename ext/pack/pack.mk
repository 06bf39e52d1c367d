# pack.mk -- installing, and packages: a part of the Makefile.

VERSION  := $(shell sed -n 's/^.define SQLITE_KV_VERSION "\(.*\)"/\1/p' ext/sql/kv.h)
INCDIR   ?= $(PREFIX)/include/sqlite-kv
EXTDIR   ?= $(LIBDIR)/sqlite3
DATADIR  ?= $(PREFIX)/share/sqlite-kv
HEADERS  := ext/sql/kv.h ext/codec/kv_codec.h
INSTALL  ?= install
STRIP    ?= strip

.PHONY: install uninstall amalgamation npm wheel sdist deb release

# The Python package as it is installed, but for the extension: with the codecs in C.
PYTHON   ?= /usr/bin/python3
PYINC     = $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')
PYPACKAGE := $(BUILD)/python/sqlite_kv

$(PYPACKAGE)/_codec.abi3.so: ext/pack/python/codec.c $(BUILD)/kv.c $(wildcard ext/pack/python/sqlite_kv/*.py) | deps-python
	@mkdir -p $(@D)
	@rm -f $(@D)/*.py
	@cp ext/pack/python/sqlite_kv/*.py $(@D)
	$(call say,CC,$@)$(CC) $(SHARED) -DKV_STANDALONE -include $(BUILD)/kv.c -I$(PYINC) -shared $(CPPFLAGS) $(CFLAGS) \
	  $(LDFLAGS) -o $@ $<

# For programs with the shared SQLite that load no extensions.
$(BUILD)/kv-preload.so: ext/pack/preload.c $(BUILD)/libkv.a
	$(call say,LD,$@)$(CC) -shared $(SHARED) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lsqlite3

# -------------------------------------------------------------- install

# $(call pc,NAME): a pkg-config file for where things will be.
pc = sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCDIR@|$(INCDIR)|' \
         -e 's|@EXTDIR@|$(EXTDIR)|' -e 's|@VERSION@|$(VERSION)|' ext/pack/$(1).in

# Others see the library, the archive and the header under names that say more than kv.
install: $(BUILD)/kv.so $(BUILD)/libkv.a $(BUILD)/libkvcodec.a
	$(INSTALL) -d $(DESTDIR)$(EXTDIR) $(DESTDIR)$(INCDIR) $(DESTDIR)$(LIBDIR)/pkgconfig
	$(INSTALL) -m 644 $(BUILD)/kv.so $(DESTDIR)$(EXTDIR)/sqlite_kv.so
	$(INSTALL) -m 644 $(BUILD)/libkv.a $(DESTDIR)$(LIBDIR)/libsqlite_kv.a
	$(INSTALL) -m 644 $(BUILD)/libkvcodec.a $(DESTDIR)$(LIBDIR)
	$(INSTALL) -m 644 ext/sql/kv.h $(DESTDIR)$(INCDIR)/sqlite_kv.h
	$(INSTALL) -m 644 ext/codec/kv_codec.h $(DESTDIR)$(INCDIR)
	$(INSTALL) -d $(DESTDIR)$(MANDIR)/man7
	$(INSTALL) -d $(DESTDIR)$(DATADIR)
	$(INSTALL) -m 644 sql/examples/views.sql $(DESTDIR)$(DATADIR)
	sed -e 's|EXTDIR|$(EXTDIR)|' -e 's|DATADIR|$(DATADIR)|' ext/sqlite-kv.7 >$(DESTDIR)$(MANDIR)/man7/sqlite-kv.7
	$(call pc,sqlite-kv.pc) >$(DESTDIR)$(LIBDIR)/pkgconfig/sqlite-kv.pc
	$(call pc,kvcodec.pc) >$(DESTDIR)$(LIBDIR)/pkgconfig/kvcodec.pc

uninstall:
	rm -f $(DESTDIR)$(EXTDIR)/sqlite_kv.so
	rm -f $(DESTDIR)$(MANDIR)/man7/sqlite-kv.7
	rm -f $(DESTDIR)$(DATADIR)/views.sql
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,libsqlite_kv.a libkvcodec.a)
	rm -f $(addprefix $(DESTDIR)$(INCDIR)/,sqlite_kv.h kv_codec.h)
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/pkgconfig/,sqlite-kv.pc kvcodec.pc)
	-rmdir $(DESTDIR)$(INCDIR) $(DESTDIR)$(EXTDIR) $(DESTDIR)$(DATADIR) 2>/dev/null || true

# --------------------------------------------------------- amalgamation

amalgamation: $(BUILD)/kv.c $(BUILD)/kv.h

$(BUILD)/kv.c: ext/gen/amalgamate.awk $(SRC) $(GEN) $(wildcard ext/*/*.h ext/*/*/*.h)
	$(call say,GEN,$@)awk -v version=$(VERSION) -v holder="$$(sed -n 's/^Copyright (c) //p' LICENSE)" \
	  -v paths="ext $(BUILD)" -f $< $(SRC) >$@

$(BUILD)/kv.h: $(HEADERS)
	@mkdir -p $(@D)
	$(call say,GEN,$@)cat $^ >$@

# ------------------------------------------------------------- packages

# ext/pack/platforms says how each of them is made.
PLATFORMS   ?= linux-x64-gnu linux-x64-musl linux-arm64-gnu linux-arm64-musl win32-x64
# What packages say of their origin: URLs, and "Name <address>".  What is empty they leave out.
REPOSITORY  ?=
HOMEPAGE    ?= $(REPOSITORY)
BUGS        ?= $(if $(REPOSITORY),$(REPOSITORY)/issues)
MAINTAINER  ?=
# Without what only makes it longer: half a megabyte.
PACK_CFLAGS ?= -O2 -DKV_SMALL -fvisibility=hidden -fno-asynchronous-unwind-tables -fno-unwind-tables \
               -fno-inline-small-functions -fno-partial-inlining -fno-ipa-cp -fno-tree-vectorize \
               -freorder-blocks-algorithm=simple -fno-align-functions -fno-align-jumps -fno-align-loops
HERE         = $(shell sh ext/pack/here.sh $(CC))
pack         = CC="$(CC)" PACK_CFLAGS="$(PACK_CFLAGS)" REPOSITORY="$(REPOSITORY)" HOMEPAGE="$(HOMEPAGE)" \
               BUGS="$(BUGS)" MAINTAINER="$(MAINTAINER)"
# ... of the machine that CC is for, by CC itself.
here         = $(if $(filter $(HERE),$(1)),here)
library      = $(BUILD)/pack/$(1)/made

# The stripped libraries.
$(BUILD)/pack/%/made: $(BUILD)/kv.c ext/pack/binary.sh ext/pack/platforms ext/pack/python/codec.c
	$(call say,CC,$(@D))$(pack) sh ext/pack/binary.sh $(BUILD) $* $(call here,$*)
	@touch $@

# Linux only: elsewhere the Python package has no part in C.
.PHONY: pack-here
pack-here: deps-build deps-python $(BUILD)/kv.c
	@$(MAKE) -s NODEPS=1 $(call library,$(HERE))

npm: pack-here
	@$(pack) python3 ext/pack/pack.py $(BUILD) $(VERSION) npm $(HERE)

wheel: pack-here
	@$(pack) python3 ext/pack/pack.py $(BUILD) $(VERSION) wheel $(HERE)

sdist: $(BUILD)/kv.c
	@$(pack) python3 ext/pack/pack.py $(BUILD) $(VERSION) sdist

deb: pack-here
	@$(pack) sh ext/pack/deb.sh $(BUILD) $(VERSION) $(HERE) here

# The server's package, for this machine only.
.PHONY: serve-deb
serve-deb: $(BUILD)/kv-serve
	@$(pack) sh ext/pack/deb.sh $(BUILD) $(VERSION) $(HERE) here serve

# All of them with their sums, in a directory of their own, and the page for browsers;
# WEBPAGE= leaves that out.
WEBPAGE ?= $(BUILD)/web/index.html
release: deps-release deps-python $(BUILD)/kv.c $(BUILD)/kv.h $(WEBPAGE)
	@$(MAKE) -s NODEPS=1 $(foreach p,$(PLATFORMS),$(call library,$(p)))
	@$(pack) WEBPAGE="$(WEBPAGE)" sh ext/pack/release.sh $(BUILD) $(VERSION) $(HERE) $(PLATFORMS)
