#!/bin/sh
# tsan.sh DIR -- 8 threads in one process, with SQLite, the extension and the
# program all built with ThreadSanitizer, in DIR.  A race ends the program.
set -u
so=$PWD/$1
dir=$PWD/build/tsan/run
bad=0
for mode in wal delete; do
  rm -rf "$dir"
  mkdir -p "$dir"
  printf 'PRAGMA journal_mode=%s;' $mode | sqlite3 "$dir/h.db" >/dev/null
  if TSAN_OPTIONS="halt_on_error=1 exitcode=66" LD_LIBRARY_PATH=$so \
      "$so/history" "$so/kv" "$dir/h.db" "$dir/log" 8 "${KV_TSAN:-8000}" 7 >"$dir/out" 2>&1
  then
    echo "$mode: $(cat "$dir/out"), no race"
  else
    cat "$dir/out"
    bad=$((bad + 1))
  fi
  if grep -h '^E' "$dir"/log.*; then bad=$((bad + 1)); fi
done
[ $bad = 0 ] && echo "2 passed, 0 failed" || echo "$((2 - bad)) passed, $bad failed"
[ $bad = 0 ]
