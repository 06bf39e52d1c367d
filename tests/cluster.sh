#!/bin/sh
# cluster.sh -- to be watched: three nodes and two servers on this machine, two Denos
# that count, and kill -9 of the leader.  "make run-cluster" builds what it needs.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
net=127.$((1 + $$ % 250)).$((1 + $$ / 250 % 250))
dir=$(mktemp -d)
pids=
cleanup() { for p in $pids; do kill -9 "$p" 2>/dev/null || :; done; rm -rf "$dir"; }
trap cleanup EXIT
trap 'exit 1' INT TERM
export DENO_KV_ACCESS_TOKEN=a-token-to-look-at DENO_NO_UPDATE_CHECK=1 NO_COLOR=1

say() { printf '\n== %s\n' "$*"; }
# Wait until a file has a line: await FILE TEXT
await() {
  n=0
  until grep -q "$2" "$1" 2>/dev/null; do
    n=$((n+1)); [ $n -lt 300 ] || { echo "in vain: $2"; cat "$1"; exit 1; }
    sleep .1
  done
}
# node I [MEMBER]: its process in pid_I
node() {
  i=$1; shift
  "$root/build/kv-dqlite" --latency 20 "$dir/n$i" "$net.$i:9001" "$@" >"$dir/n$i.log" 2>&1 &
  eval "pid_$i=$!"
  pids="$pids $!"
  await "$dir/n$i.log" ": ready"
}
sql() { timeout 60 dqlite -s "$members" kv.db "$1"; }
url() { sed -n 's/^listening on //p' "$dir/s$1.log"; }

members=$net.1:9001,$net.2:9001,$net.3:9001
say "three nodes: $members"
node 1
node 2 "$net.1:9001"
node 3 "$net.1:9001"

say "two servers, which Deno reaches by Deno.openKv(\"http://...\")"
for s in 1 2; do
  "$root/build/kv-serve" --cluster "$members" --listen 127.0.0.1:0 >"$dir/s$s.log" 2>&1 &
  pids="$pids $!"
  await "$dir/s$s.log" "^listening"
  cat "$dir/s$s.log"
done

cat >"$dir/count.ts" <<'JS'
const [url, name, n] = Deno.args;
const kv = await Deno.openKv(url);
let longest = 0;
for (let i = 1; i <= Number(n); i++) {
  const begin = performance.now();
  await kv.atomic().sum(["count"], 1n).commit();
  longest = Math.max(longest, performance.now() - begin);
  if (i % 100 === 0) console.log(`${name} has counted ${i}; the longest took ${longest.toFixed(0)} ms`);
}
JS
say "two Denos count, each to 600, at one server each"
counting=
for s in 1 2; do
  "$root/build/npm/deno" run -A --unstable-kv --quiet --no-lock --no-config "$dir/count.ts" "$(url $s)" "Deno $s" 600 2>&1 |
    tee "$dir/c$s.log" &
  counting="$counting $!"
  pids="$pids $!"
done
await "$dir/c1.log" "counted 200"

leader=$(sql .leader)
i=${leader%:9001}; i=${i##*.}
eval "p=\$pid_$i"
say "kill -9 of the leader, $leader"
kill -9 "$p"
new=
while [ -z "$new" ] || [ "$new" = "$leader" ]; do sleep .1; new=$(sql .leader 2>/dev/null || :); done
say "now $new leads, and the count goes on"
for c in $counting; do wait "$c"; done

say "SQL shows the sum, on the cluster"
echo "dqlite> SELECT key, js, versionstamp FROM kv_entries"
sum=$(sql "SELECT key, js, versionstamp FROM kv_entries")
echo "$sum"
case $sum in
  *"KvU64(1200n)"*) say "exactly 1200" ;;
  *) say "not 1200"; exit 1 ;;
esac
