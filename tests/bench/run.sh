#!/bin/sh
# run.sh -- what "make bench" runs, once bench and peer_lmdb are built.
#
# BENCH_N      users in the data (200000)
# BENCH_QUICK  1: 20000 users, 3 rounds
# BENCH_ROUNDS, BENCH_ONLY, BENCH_CPU: see bench.c
# BENCH_PEERS  0: none but those in C
#
# The data is made by Deno and kept in build/bench.  All of it runs on one
# core where taskset is there, but for the peer that keeps 32 operations in
# flight, which may use all of them.
set -eu
cd "$(dirname "$0")/../.."
dir=build/bench
n=${BENCH_N:-200000}
if [ -n "${BENCH_QUICK:-}" ]; then
  n=${BENCH_N:-20000}
  BENCH_ROUNDS=${BENCH_ROUNDS:-3}
  export BENCH_ROUNDS
fi
deno=${DENO:-build/npm/deno}
data=$dir/data$n.db
mkdir -p "$dir"
if [ ! -e "$data" ]; then
  rm -f "$dir"/new.db*
  "$deno" run -A --no-lock --unstable-kv tests/bench/make_data.ts "$dir/new.db" "$n"
  mv "$dir/new.db" "$data"
fi
pin=
free=
if command -v taskset >/dev/null 2>&1; then
  pin="taskset -c 0"
  free="taskset -c 0-$(($(getconf _NPROCESSORS_ONLN)-1))"
fi
set --
if [ "${BENCH_PEERS:-1}" != 0 ]; then
  run="$deno run -A --no-lock --unstable-kv tests/bench/peer.ts $data $dir $n"
  set -- "$@" "6=$pin $run 1" "7=$free $run 32"
  if node -e 'new (require("./build/npm/node_modules/better-sqlite3"))(":memory:")' 2>/dev/null; then
    set -- "$@" "8=$pin node tests/bench/peer.cjs $data $dir $n"
  else
    echo "run.sh: better-sqlite3 does not load in node: left out" >&2
  fi
  if [ -d build/npm/node_modules/@deno/kv ]; then
    set -- "$@" "10=$pin build/npm/bin/node --no-warnings tests/bench/peer_npm.mjs $data $dir $n"
  else
    echo "run.sh: no @deno/kv: left out" >&2
  fi
  if [ -x "$dir/peer_lmdb" ]; then
    set -- "$@" "9=$pin $dir/peer_lmdb $data $dir $n"
  else
    echo "run.sh: no LMDB (Debian: liblmdb-dev): left out" >&2
  fi
fi
echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1), $(getconf _NPROCESSORS_ONLN) cores, SQLite $("$dir/bench"), Deno $("$deno" --version | awk 'NR==1{print $2}'); $n users"
echo
exec $pin "$dir/bench" "$data" "$dir" build/kv "$n" "$@"
