#!/bin/sh
# cross.sh [musl] [i386] [arm64] [s390x] [windows] [wasm] [release] -- builds for
# other machines.
#
# For each of them, below build/cross: a library to be loaded, where there is
# such a thing, and a shell (tests/mini_shell.c) with SQLite and the extension
# in it, which runs the texts' statements, on this machine or in an emulator
# (qemu-user, wine, node).  On other processors the unit tests run too.
# SQLite's source is the one that comes with better-sqlite3 (tests/deps.sh).
#
# "release" installs the files of build/release on all their platforms
# (tests/release.sh).  build/release, build/kv.c and build/kv.h must be there: make cross.  The last line is
# "N passed, N failed".
set -u
cd "$(dirname "$0")/.."
root=$PWD
out=$root/build/cross
src=$root/build/npm/node_modules/better-sqlite3/deps/sqlite3
warn="-Wall -Wextra -Werror"
codec="$(ls ext/bytes/*.c ext/codec/*.c ext/codec/*/*.c)"
passed=0
failed=0

check() { # WHAT COMMAND...: its exit status decides
  what=$1
  shift
  if "$@" >"$out/log" 2>&1; then
    passed=$((passed+1))
    echo "  ok: $what"
  else
    failed=$((failed+1))
    echo "  FAILED: $what"
    tail -n 40 "$out/log"
  fi
}

# library CC FLAGS...: kv.so or the like, without warnings
library() {
  cc=$1
  shift
  "$cc" -std=c11 -O2 $warn -fPIC -shared -I"$src" "$@" build/kv.c
}

# shell CC OUT FLAGS...: the shell with SQLite and the extension in it.  FLAGS
# are for the linker.
shell() {
  cc=$1
  to=$2
  shift 2
  "$cc" -std=c11 -O1 $warn -DSQLITE_CORE -I"$src" -Ibuild -c build/kv.c -o "$d/kv.o" &&
    "$cc" -std=gnu11 -O1 -w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION \
      -c "$src/sqlite3.c" -o "$d/sqlite3.o" &&
    "$cc" -std=gnu11 -O1 $warn -DKV_BUILTIN -DSQLITE_OMIT_LOAD_EXTENSION -I"$src" -Ibuild "$@" \
      tests/mini_shell.c "$d/kv.o" "$d/sqlite3.o" -lm -o "$to"
}

# units CC RUNNER: the unit tests
units() {
  for f in $codec; do
    "$1" -std=c11 -O1 -Iext -Ibuild -DKV_STANDALONE -DKV_TEST -c "$f" -o "$d/$(basename "$f" .c).o" || return 1
  done
  for t in tests/unit/*_test.c; do
    name=$(basename "$t" .c)
    objs=
    for f in $codec; do objs="$objs $d/$(basename "$f" .c).o"; done
    "$1" -std=c11 -O1 -static -Iext -Ibuild -Itests -DKV_STANDALONE -DKV_TEST "$t" $objs -lm -o "$d/$name" || return 1
    $2 "$d/$name" >"$d/$name.log" 2>&1 || { tail -n 20 "$d/$name.log"; return 1; }
    tail -n 1 "$d/$name.log" | grep -q '^[1-9][0-9]* passed, 0 failed$' || return 1
  done
}

readme() {
  sh tests/readme_run.sh "$d/readme" "$@"
}

# What a library exports: the entry point under two names.
ENTRY='sqlite3_extension_init sqlite3_kv_init'

# exports FILE: a Linux library exports the entry point and needs only libc
exports() {
  nm -D --defined-only "$1" | awk '{ print $3 }' | grep -v '^_\(init\|fini\)$' | sort >"$d/names"
  cat "$d/names"
  [ "$(paste -sd ' ' "$d/names")" = "$ENTRY" ] || return 1
  readelf -d "$1" | grep NEEDED
  ! readelf -d "$1" | grep NEEDED | grep -qv 'lib*c\.'
}

linux() { # CC RUNNER
  check "kv.so compiles" library "$1" -o "$d/kv.so"
  check "kv.so exports its entry point, needs libc" exports "$d/kv.so"
  check "the shell compiles, static" shell "$1" "$d/shell" -static
  check "the texts run in it" readme $2 "$d/shell"
}

do_musl() {
  linux musl-gcc ""
}

# 32 bits.
do_i386() {
  linux i686-linux-gnu-gcc qemu-i386-static
  check "the unit tests run" units i686-linux-gnu-gcc qemu-i386-static
}

do_arm64() {
  linux aarch64-linux-gnu-gcc qemu-aarch64-static
  check "the unit tests run" units aarch64-linux-gnu-gcc qemu-aarch64-static
}

# Big-endian.
do_s390x() {
  linux s390x-linux-gnu-gcc qemu-s390x-static
  check "the unit tests run" units s390x-linux-gnu-gcc qemu-s390x-static
}

dll_exports() {
  x86_64-w64-mingw32-objdump -p "$d/kv.dll" >"$d/dump" || return 1
  grep 'DLL Name' "$d/dump"
  sed -n '/Ordinal\/Name Pointer/,/^$/p' "$d/dump" >"$d/names"
  cat "$d/names"
  [ "$(sed 1d "$d/names" | awk 'NF { print $NF }' | sort | paste -sd ' ' -)" = "$ENTRY" ]
}

wine_run() {
  wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
  WINEPREFIX=$out/wine WINEDEBUG=-all "$wine" "$@"
}

do_windows() {
  cc=x86_64-w64-mingw32-gcc
  check "kv.dll compiles" "$cc" -std=c11 -O2 $warn -shared -static-libgcc -I"$src" -o "$d/kv.dll" build/kv.c
  check "kv.dll exports its entry point" dll_exports
  check "a shell compiles that loads it" "$cc" -std=gnu11 -O1 -w -DSQLITE_THREADSAFE=0 -I"$src" \
    tests/mini_shell.c "$src/sqlite3.c" -o "$d/shell.exe"
  # Wine makes its prefix the first time.
  wine_run wineboot -i >"$out/log" 2>&1
  printf '#!/bin/sh\nWINEPREFIX=%s/wine WINEDEBUG=-all exec %s "$@"\n' "$out" \
    "$(command -v wine64 || echo /usr/lib/wine/wine64)" >"$d/run"
  chmod +x "$d/run"
  check "the texts run in it, in wine" readme "$d/run" "$d/shell.exe" -load "Z:$d/kv.dll"
}

do_wasm() {
  # The loader of older emscriptens takes a fetch() for a browser's.
  check "the shell compiles" shell emcc "$d/shell.js" -sNODERAWFS=1 -sALLOW_MEMORY_GROWTH=1 -sEXIT_RUNTIME=1
  # PRAGMA mmap_size: nothing can be mapped there.
  check "the texts run in it, in node" env DIFF_IGNORE='^(0|268435456)$' \
    sh tests/readme_run.sh "$d/readme" node --no-experimental-fetch "$d/shell.js"
}

do_release() {
  sh tests/release.sh | tee "$out/release.log"
  set -- $(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$out/release.log")
  passed=$((passed+${1:-0}))
  failed=$((failed+${2:-1}))
}

[ $# -gt 0 ] || set -- musl i386 arm64 s390x windows wasm release
for target in "$@"; do
  d=$out/$target
  mkdir -p "$d"
  echo "$target"
  "do_$target"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
