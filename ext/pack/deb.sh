#!/bin/sh
# deb.sh BUILD VERSION -- BUILD/libsqlite3-mod-kv_VERSION_ARCH.deb.
#
# What "make install" installs, for /usr, packed by dpkg-deb.  $MAINTAINER:
# whose name and address it bears.
set -eu
build=$1
version=$2
name=libsqlite3-mod-kv
arch=$(dpkg --print-architecture)
triplet=$("${CC:-gcc}" -print-multiarch 2>/dev/null || gcc -print-multiarch)
dir=$build/pack/deb
rm -rf "$dir"
mkdir -p "$dir/DEBIAN" "$dir/usr/share/doc/$name"

# Nothing is built here: only copied.
"${MAKE:-make}" -s NODEPS=1 BUILD="$build" DESTDIR="$dir" PREFIX=/usr \
  LIBDIR="/usr/lib/$triplet" install
cp LICENSE "$dir/usr/share/doc/$name/copyright"
strip -S "$dir/usr/lib/$triplet/sqlite3/kv.so" "$dir/usr/lib/$triplet"/*.a

# The newest version of libc's symbols that are used.
libc=$(objdump -T "$dir/usr/lib/$triplet/sqlite3/kv.so" |
  sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1)
size=$(du -sk "$dir/usr" | cut -f1)
cat >"$dir/DEBIAN/control" <<END
Package: $name
Version: $version
Architecture: $arch
Maintainer: ${MAINTAINER:-sqlite-kv contributors <root@localhost>}
Installed-Size: $size
Depends: libc6 (>= ${libc:-2.17}), libsqlite3-0 (>= 3.38)
Suggests: sqlite3, libsqlite3-dev
Section: database
Priority: optional
Description: SQLite extension that reads and writes Deno KV databases
 With this extension any SQLite client reads and writes the databases of
 Deno KV, the key-value store that comes with the JavaScript runtime Deno:
 typed keys in their order, values of every type, atomic operations, expiry
 and queues.
 .
 It contains the loadable extension, its static library, and a library of
 the formats for C programs.
END
(cd "$dir" && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums)
dpkg-deb --root-owner-group --build "$dir" "$build/${name}_${version}_$arch.deb" >/dev/null
echo "$build/${name}_${version}_$arch.deb"
