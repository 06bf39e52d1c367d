#!/bin/sh
# binary.sh BUILD PLATFORM [here] -- BUILD/pack/PLATFORM/kv.so (kv.dll, kv.dylib)
# from the amalgamation, without what debuggers read; libsqlite_kv.a and libkvcodec.a; and
# for Linux _codec.abi3.so, the Python package's part in C, by its limited API.
#
# "here": with $CC.  $PACK_CFLAGS: how.  A library that needs more than its
# wheel promises is refused: a glibc after 2.17, or anything but libc.
set -eu
build=$1
platform=$2
line=$(grep "^$platform " ext/pack/platforms) || { echo "binary.sh: no such platform: $platform" >&2; exit 1; }
# shellcheck disable=SC2086
set -- $line "${3-}"
cc=$2 file=$3
[ -z "${7-}" ] || cc=${CC:-cc}
dir=$build/pack/$platform
rm -rf "$dir"
mkdir -p "$dir" "$build/pack/include"

# SQLite's headers alone: beside them are those of this machine's libc.
headers=$(echo '#include <sqlite3ext.h>' | "${CC:-cc}" -E - |
  sed -n 's|^# [0-9]* "\(.*\)/sqlite3ext\.h".*|\1|p' | head -n 1)
cp "$headers/sqlite3.h" "$headers/sqlite3ext.h" "$build/pack/include"

case $platform in
  linux-*) link='-Wl,-z,defs -Wl,-z,noseparate-code -Wl,--build-id=none -s' ;;
  win32-*) link='-static-libgcc -Wl,--no-insert-timestamp -s' ;;
  darwin-x64) link='-arch x86_64 -mmacosx-version-min=11.0' ;;
  *) link='-arch arm64 -mmacosx-version-min=11.0' ;;
esac
# shellcheck disable=SC2086
"$cc" -std=c11 $PACK_CFLAGS -fPIC -shared -I"$build/pack/include" $link -o "$dir/$file" "$build/kv.c"

# The archives for programs that link it.
for a in libsqlite_kv.a:-DSQLITE_CORE libkvcodec.a:-DKV_STANDALONE; do
  # shellcheck disable=SC2086
  "$cc" -std=c11 $PACK_CFLAGS -fPIC "${a#*:}" -I"$build/pack/include" -c -o "$dir/kv.o" "$build/kv.c"
  deterministic=D
  case $platform in darwin-*) deterministic= ;; esac
  "$("$cc" -print-prog-name=ar)" rcs$deterministic "$dir/${a%:*}" "$dir/kv.o"
  rm "$dir/kv.o"
done

refuse() { echo "binary.sh: $dir/$1 needs $2" >&2; rm -f "$dir/$1"; exit 1; }
check_linux() {
  needs=$(LC_ALL=C readelf -dW "$dir/$1" | sed -n '/NEEDED/s/.*\[\(.*\)\]/\1/p' | grep -v '^libc\.' || true)
  glibc=$(LC_ALL=C readelf -W --dyn-syms "$dir/$1" | sed -n 's/.*GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1)
  [ -z "$needs" ] || refuse "$1" "$needs"
  [ "$(printf '%s\n2.17\n' "${glibc:-0}" | sort -V | tail -n 1)" = 2.17 ] || refuse "$1" "GLIBC_$glibc"
}

# Python's headers alone, too, with the configuration itself in the place of Debian's
# choice among several.
python_headers() {
  rm -rf "$build/pack/include/python"
  from=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("include"))') && [ -e "$from/Python.h" ] || {
    echo "binary.sh: no Python.h here: the package for Python goes without its part in C" >&2
    return 1
  }
  cp -r "$from/." "$build/pack/include/python"
  config=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_config_h_filename())')
  cp "$config" "$build/pack/include/python/pyconfig.h"
}

case $platform in
  linux-*)
    check_linux "$file"
    if python_headers; then
      # shellcheck disable=SC2086
      "$cc" -std=c11 $PACK_CFLAGS -ffunction-sections -Wl,--gc-sections -fPIC -shared -DKV_STANDALONE \
        -include "$build/kv.c" -Iext -I"$build/pack/include/python" $(echo "$link" | sed 's/-Wl,-z,defs//') \
        -o "$dir/_codec.abi3.so" ext/pack/python/codec.c
      check_linux _codec.abi3.so
    fi
    ;;
  win32-*)
    needs=$("${cc%gcc}objdump" -p "$dir/$file" | sed -n 's/.*DLL Name: //p' | grep -vi '^\(kernel32\|msvcrt\)\.dll$' || true)
    [ -z "$needs" ] || refuse "$file" "$needs"
    ;;
esac
