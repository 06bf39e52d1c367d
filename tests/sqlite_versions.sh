#!/bin/sh
# sqlite_versions.sh [VERSION ...] -- the tests under other SQLites.
#
# The sources of SQLite come from releases of better-sqlite3 on npm.  For each
# version, below build/sqlite/VERSION:
#
#   - the extension compiles against that version's headers, without warnings;
#   - what was so compiled is loaded by that library, and by the newest one,
#     and runs the statements of README.md and the manual;
#   - the extension as built here (build/kv.so) does the whole Tcl suite with
#     that library in the place of the system's libsqlite3.so.0.
#
# A version before 3.38 must refuse to load the extension, in words.  The
# sqlite3 shell that some test files call keeps the system's library; those
# that are only about the shell and about packages, and speed.test, are left out.  KV_TESTS:
# names of test files instead.  The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.."
root=$PWD
CC=${CC:-gcc}
FLAGS="-DHAVE_USLEEP=1 -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_UNLOCK_NOTIFY
  -DSQLITE_ENABLE_DBSTAT_VTAB -DSQLITE_ENABLE_PREUPDATE_HOOK -DSQLITE_ENABLE_SESSION
  -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE -DSQLITE_SOUNDEX
  -DSQLITE_ENABLE_STMTVTAB -DSQLITE_ENABLE_BYTECODE_VTAB"
NEWEST=3.53.2

# The release of better-sqlite3 with that version.
release() {
  case $1 in
    3.37.2) echo 7.5.0 ;;
    3.38.2) echo 7.5.1 ;;
    3.39.1) echo 7.6.2 ;;
    3.40.0) echo 8.0.1 ;;
    3.45.1) echo 9.4.0 ;;
    3.53.2) echo 12.11.1 ;;
    *) echo "sqlite_versions.sh: which release has SQLite $1?" >&2; exit 2 ;;
  esac
}

passed=0
failed=0
ok() { passed=$((passed+1)); echo "  ok: $1"; }
bad() { failed=$((failed+1)); echo "  FAILED: $1"; }
check() { # WHAT COMMAND...: its exit status decides
  what=$1
  shift
  if "$@" >"$d/log" 2>&1; then ok "$what"; else bad "$what"; tail -n 40 "$d/log"; fi
}

# The sources of version $1 into $d.
fetch() {
  [ -e "$d/sqlite3.c" ] && return 0
  r=$(release "$1") || exit 2
  echo "  fetching better-sqlite3@$r from npm"
  (cd "$d" && npm pack --silent "better-sqlite3@$r" >/dev/null 2>npm.log &&
    tar xzf "better-sqlite3-$r.tgz" --strip-components=3 package/deps/sqlite3 &&
    rm -f "better-sqlite3-$r.tgz") || { cat "$d/npm.log"; exit 1; }
  grep -q "define SQLITE_VERSION  *\"$1\"" "$d/sqlite3.h" || {
    echo "sqlite_versions.sh: better-sqlite3@$r has another SQLite than $1" >&2
    exit 1
  }
}

library() {
  [ -e "$d/libsqlite3.so.0" ] ||
    $CC -O1 -w -fPIC -shared $FLAGS -Wl,-soname,libsqlite3.so.0 \
      -o "$d/libsqlite3.so.0" "$d/sqlite3.c" -lm -ldl -lpthread || exit 1
  ln -sf libsqlite3.so.0 "$d/libsqlite3.so"
  $CC -O1 -w -I"$d" -o "$d/shell" tests/mini_shell.c -L"$d" -lsqlite3
}

refused() {
  out=$(LD_LIBRARY_PATH=$d "$d/shell" -load "$root/build/kv" 2>&1 </dev/null)
  echo "$out"
  case $out in
    "Error: "*"kv: SQLite $1 is too old; 3.38.0 or later is needed") return 0 ;;
    *) return 1 ;;
  esac
}

compile() {
  $CC -std=c11 -O1 -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden \
    -I"$d" -o "$d/kv.so" build/kv.c
}

# Not: clients of their own (the system's SQLite, or none at all), and speed: its
# bounds are those of the system's library.
left_out="packages readme speed tour"
tests=${KV_TESTS:-$(for f in tests/*.test; do
  n=$(basename "$f" .test)
  case " $left_out " in *" $n "*) ;; *) echo "$n" ;; esac
done)}

suite() {
  mkdir -p "$d/bin"
  printf '#!/bin/sh\nunset LD_LIBRARY_PATH\nexec %s "$@"\n' "$(command -v sqlite3)" >"$d/bin/sqlite3"
  chmod +x "$d/bin/sqlite3"
  PATH=$d/bin:$PATH LD_LIBRARY_PATH=$d KV_UNIT=0 KV_SLOW=${KV_SLOW:-4} KV_TESTDIR=$d/test \
    tclsh tests/all.tcl $tests
}

[ $# -gt 0 ] || set -- 3.37.2 3.38.2 3.39.1 3.45.1 $NEWEST
newest=$root/build/sqlite/$NEWEST
for v in $NEWEST "$@"; do
  d=$root/build/sqlite/$v
  mkdir -p "$d"
  [ "$v" = "${seen:-}" ] || echo "SQLite $v"
  fetch "$v"
  library
  # The newest is fetched in any case, since the others need it.
  if [ -z "${seen:-}" ]; then seen=$v; continue; fi
  case $v in
    3.[0-9].*|3.[12]*|3.3[0-7].*) check "refused in words" refused "$v"; continue ;;
  esac
  check "compiles with its headers" compile
  LD_LIBRARY_PATH=$d; export LD_LIBRARY_PATH
  check "runs the texts" sh tests/readme_run.sh "$d/readme" "$d/shell" -load "$d/kv"
  LD_LIBRARY_PATH=$newest
  check "runs it in SQLite $NEWEST" \
    sh tests/readme_run.sh "$d/readme" "$newest/shell" -load "$d/kv"
  unset LD_LIBRARY_PATH
  suite | tee "$d/suite.log" | sed 's/^/  /'
  last=$(tail -n 1 "$d/suite.log")
  case $last in
    *" passed, 0 failed") ok "suite: $last" ;;
    *) bad "suite: $last" ;;
  esac
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
