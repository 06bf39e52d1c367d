#!/bin/sh
# valgrind.sh DIR NAME ... -- memcheck over the unit tests in DIR, built without
# sanitizers, and over the test files NAME with build/kv.so: no value may be
# used that was never set, and of the unit tests nothing may be lost.  The last
# line is "N passed, M failed", of programs.
set -u
cd "$(dirname "$0")/.."
dir=$1
shift
log=build/valgrind.log
passed=0
failed=0

look() { # NAME OPTIONS COMMAND...
  name=$1
  shift
  if valgrind -q --error-exitcode=99 "$@" >$log 2>&1 && tail -n 1 $log | grep -q ' passed, 0 failed$'; then
    passed=$((passed + 1))
    echo "$name: $(tail -n 1 $log)"
  else
    failed=$((failed + 1))
    echo "! $name"
    tail -n 60 $log
  fi
}

for t in "$dir"/*_test; do
  look "unit/$(basename "$t")" --leak-check=full "$t" 1
done
# Tcl and SQLite are as the system has them; what Tcl keeps is its own affair.
export KV_SLOW=50 KV_TESTDIR="$PWD/build/plain/test"
for t in "$@"; do
  look "$t" --leak-check=no --trace-children=no tclsh "tests/$t.test"
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
