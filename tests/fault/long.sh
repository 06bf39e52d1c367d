#!/bin/sh
# long.sh faults|crash SCRIPT ... -- the long forms of tests/fault.test: every
# place fails, in every way.  $KVFAULT is the harness, $KV_SO the extension.
# The last line is "N passed, M failed".
set -u
mode=$1
shift
dir=$PWD/build/fault.$$
[ -d /dev/shm ] && [ -w /dev/shm ] && dir=/dev/shm/kvfault.$$
trap 'rm -rf "$dir"' EXIT
passed=0
failed=0

run() {
  out=$("$KVFAULT" "$@" 2>&1)
  rc=$?
  printf '%s\n' "$out" | grep -v '^[0-9]* passed' || :
  last=$(printf '%s\n' "$out" | tail -n 1)
  case "$last" in
    *" passed, "*" failed")
      passed=$((passed + ${last%% passed*}))
      n=${last##*passed, }
      failed=$((failed + ${n% failed}))
      ;;
    *)
      failed=$((failed + 1))
      echo "! died with $rc: $*"
      ;;
  esac
  printf '%-60s %s\n' "$mode $what" "$last"
}

for script in "$@"; do
  name=$(basename "$script")
  if [ "$mode" = crash ]; then
    for how in "wal full" "wal normal" "delete extra" "delete full" "truncate full" "persist full"; do
      what="$name $how"
      run crash -kv "$KV_SO" -dir "$dir" -images 24 -journal "${how% *}" -sync "${how#* }" "$script"
    done
  else
    for how in memory "memory -persist" "memory -encoding UTF-16" api "api -persist" \
        io "io -persist" "io -journal wal" full "full -journal wal" busy "busy -journal wal" limit; do
      what="$name $how"
      # shellcheck disable=SC2086
      run $how -kv "$KV_SO" -dir "$dir" "$script"
    done
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
