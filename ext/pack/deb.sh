#!/bin/sh
# deb.sh BUILD VERSION PLATFORM [here [serve]] -- three Debian packages, in BUILD:
# libsqlite3-mod-kv has the extension, the manual and examples,
# libsqlite3-mod-kv-dev what C programs are built with, and python3-sqlite-kv the
# Python package.
#
# The library is BUILD/pack/PLATFORM/kv.so.  It lies in a folder of its own; a link
# lets dlopen(), and so ".load sqlite_kv", find it by name.  $MAINTAINER: whose name
# and address they bear, else that of the licence.
# $HOMEPAGE: their URL.  "here": with $CC.
# "serve": the package kv-serve instead, of BUILD/kv-serve.
set -eu
build=$1
version=$2
platform=$3
name=libsqlite3-mod-kv
what=${5-}
line=$(grep "^$platform " ext/pack/platforms)
# shellcheck disable=SC2086
set -- $line "${4-}"
cc=$2 arch=$5
[ -z "${7-}" ] || cc=${CC:-cc}
[ "$arch" != - ] || { echo "deb.sh: no Debian package for $platform" >&2; exit 1; }
triplet=$("$cc" -print-multiarch)
[ -n "$triplet" ] || triplet=$("$cc" -dumpmachine)
# The field can't be left out, the address can.
maintainer=${MAINTAINER:-sqlite-kv contributors}
top=$build/pack/$platform/deb
rm -rf "$top"
# All that is packed has the date of the newest version.
SOURCE_DATE_EPOCH=$(LC_ALL=C date -u -d "$(sed -n '/^## /{s/.* //p;q}' CHANGELOG.md)" +%s)
export SOURCE_DATE_EPOCH

# The changelog in Debian's words: a section for each version of CHANGELOG.md.
changelog() {
  awk -v maintainer="$maintainer" '
    # A text at the indent of a list item, in lines of 78 characters.
    function item(mark, text,    n, i, word, line){
      n = split(text, word, " ")
      line = mark
      for(i=1; i<=n; i++){
        if( length(line)+length(word[i])>77 ){ print line; line = "   " }
        line = line " " word[i]
      }
      print line
    }
    function flush(){ if( text!="" ) item("  *", text); text = "" }
    function finish(){ flush(); if( date!="" ) printf "\n -- %s  %s\n\n", maintainer, date }
    function rfc(day,    cmd, line){
      cmd = "LC_ALL=C date -u -R -d " day
      cmd | getline line
      close(cmd)
      return line
    }
    /^## /{
      finish()
      date = rfc($NF)
      printf "sqlite-kv (%s) unstable; urgency=medium\n\n", $2
      next
    }
    date=="" { next }
    NF==0 { flush(); next }
    /^- / { flush() }
    { gsub(/\*\*|`/, ""); sub(/^- +/, ""); sub(/^ +/, ""); text = text " " $0 }
    END { finish() }
  ' CHANGELOG.md
}

copyright() {
  echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
  echo 'Upstream-Name: sqlite-kv'
  printf '\nFiles: *\nCopyright: %s\nLicense: Expat\n' "$(sed -n 's/^Copyright (c) //p' LICENSE)"
  sed -e '1,/^Copyright/d' -e '/./,$!d' -e 's/^$/./' -e 's/^/ /' LICENSE | sed '1{/^ \.$/d}'
}

# start PACKAGE: $dir is what will be packed; $doc its documentation.
start() {
  package=$1
  dir=$top/$package
  doc=$dir/usr/share/doc/$package
  mkdir -p "$dir/DEBIAN" "$doc"
  changelog | gzip -9n >"$doc/changelog.gz"
  copyright >"$doc/copyright"
}

# finish DEPENDS SECTION SUGGESTS: reads the description.
finish() {
  find "$dir" -type d -exec chmod 755 {} +
  find "$dir/usr" -type f -exec chmod 644 {} +
  [ ! -d "$dir/usr/bin" ] || chmod 755 "$dir"/usr/bin/*
  {
    echo "Package: $package"
    echo "Source: sqlite-kv"
    echo "Version: $version"
    echo "Architecture: $arch"
    echo "Maintainer: $maintainer"
    echo "Installed-Size: $(du -sk "$dir/usr" | cut -f1)"
    echo "Depends: $1"
    [ -z "$3" ] || echo "Suggests: $3"
    echo "Section: $2"
    echo "Priority: optional"
    [ "$2" = python ] || [ "$2" = net ] || echo "Multi-Arch: same"
    [ -z "${HOMEPAGE-}" ] || echo "Homepage: $HOMEPAGE"
    cat
  } >"$dir/DEBIAN/control"
  (cd "$dir" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
  find "$dir" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group --build "$dir" \
    "$build/${package}_${version}_$arch.deb" >/dev/null
  echo "$build/${package}_${version}_$arch.deb"
}

# The libc that a library needs.
libc() {
  glibc=$(LC_ALL=C readelf -W --dyn-syms "$1" | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1)
  echo "libc6 (>= ${glibc:-2.17})"
}

# ------------------------------------------------------- the server's package

# The packages of the libraries that a program needs itself.
needs() {
  LC_ALL=C readelf -d "$1" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | while read -r so; do
    file=$(ldd "$1" | awk -v so="$so" '$1==so { print $3 }')
    dpkg -S "$(readlink -f "$file")" "$file" 2>/dev/null | sed -n '1s/:.*//p'
  done | LC_ALL=C sort -u | paste -sd, | sed 's/,/, /g'
}

if [ "$what" = serve ]; then
  start kv-serve
  mkdir -p "$dir/usr/bin" "$dir/lib/systemd/system" "$dir/usr/lib/sysusers.d"
  cp "$build/kv-serve" "$dir/usr/bin"
  strip "$dir/usr/bin/kv-serve"
  cp ext/serve/kv-serve.service "$dir/lib/systemd/system"
  echo 'u kv-serve - "Deno KV over the network" /var/lib/kv-serve' >"$dir/usr/lib/sysusers.d/kv-serve.conf"
  cp sql/manual/serve.md "$doc"
  # shellcheck disable=SC2016
  printf '%s\n' '#!/bin/sh' 'set -e' 'if [ "$1" = configure ] && command -v systemd-sysusers >/dev/null; then' \
    '  systemd-sysusers kv-serve.conf' 'fi' >"$dir/DEBIAN/postinst"
  chmod 755 "$dir/DEBIAN/postinst"
  finish "$(needs "$build/kv-serve")" net "systemd" <<END
Description: server of Deno KV databases for Deno's remote clients
 It serves a database file of Deno KV over HTTP to Deno.openKv("http://...")
 and @deno/kv, while local Deno programs and SQL use the same file.
 .
 Tokens go into /etc/kv-serve/tokens, after which the unit kv-serve.service
 can be enabled.
END
  exit
fi

# -------------------------------------------------- the C programs' package

start $name-dev
lib=$dir/usr/lib/$triplet
include=$dir/usr/include/sqlite-kv
mkdir -p "$lib/pkgconfig" "$include"
cp ext/sql/kv.h "$include/sqlite_kv.h"
cp ext/codec/kv_codec.h "$include"
cp "$build/pack/$platform/libsqlite_kv.a" "$build/pack/$platform/libkvcodec.a" "$lib"
for p in sqlite-kv kvcodec; do
  sed -e 's|@PREFIX@|/usr|' -e "s|@LIBDIR@|/usr/lib/$triplet|" -e 's|@INCDIR@|/usr/include/sqlite-kv|' \
    -e "s|@EXTDIR@|/usr/lib/$triplet/sqlite3|" -e "s|@VERSION@|$version|" "ext/pack/$p.pc.in" >"$lib/pkgconfig/$p.pc"
done
finish "$name (= $version), libsqlite3-dev" libdevel '' <<END
Description: SQLite extension for Deno KV databases (development files)
 With this extension any SQLite client reads and writes the databases of
 Deno KV, the key-value store that comes with the JavaScript runtime Deno.
 .
 This package contains headers and static libraries: the extension for
 programs that link it, and the formats of keys and values for C programs
 that use no SQL.
END

# ------------------------------------------------------- the Python package

start python3-sqlite-kv
python3 ext/pack/pack.py "$build" "$version" python "$platform"
mkdir -p "$dir/usr/lib/python3/dist-packages"
cp -r "$build/pack/$platform/python/sqlite_kv" "$dir/usr/lib/python3/dist-packages"
codec=$build/pack/$platform/_codec.abi3.so
finish "$([ ! -e "$codec" ] || echo "$(libc "$codec"), ")$name (= $version), python3 (>= 3.9)" python '' <<END
Description: Deno KV's store in SQLite files for Python
 The package sqlite_kv is a mapping from tuples to typed values in a SQLite
 file, with atomic operations, queues and watches. Its files are those of
 Deno KV, the key-value store that comes with the JavaScript runtime Deno.
END

# ------------------------------------------------------ the extension's own

start $name
lib=$dir/usr/lib/$triplet
data=$dir/usr/share/sqlite-kv
man=$dir/usr/share/man/man7
mkdir -p "$lib/sqlite3" "$data" "$man" "$doc/manual" "$doc/examples"
cp "$build/pack/$platform/kv.so" "$lib/sqlite3/sqlite_kv.so"
ln -s sqlite3/sqlite_kv.so "$lib/sqlite_kv.so"
cp sql/examples/views.sql "$data"
sed -e 's|EXTDIR/||' -e 's|DATADIR|/usr/share/sqlite-kv|' ext/sqlite-kv.7 | gzip -9n >"$man/sqlite-kv.7.gz"
# The links between them lead to the same files as in the source.
sed -e 's|sql/manual/|manual/|g' -e 's|sql/examples/|examples/|g' README.md >"$doc/README.md"
cp sql/manual/* "$doc/manual"
cp sql/examples/* ext/pack/example.c "$doc/examples"
finish "$(libc "$lib/sqlite3/sqlite_kv.so"), libsqlite3-0 (>= 3.38)" database sqlite3 <<END
Description: SQLite extension for Deno KV databases
 With this extension any SQLite client reads and writes the databases of
 Deno KV, the key-value store that comes with the JavaScript runtime Deno:
 typed keys in their order, values of every type, collections with typed
 columns, atomic operations, indexes, expiry and queues.
 .
 In the sqlite3 shell ".load sqlite_kv" loads it.
END
