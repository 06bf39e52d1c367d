"""beside.py FILE DENO ... -- the same file at the same time as a real Deno (the command that
runs tests/deno/python_peer.ts): sums, checks, messages in both directions, watches.
"""

import json
import logging
import os
import subprocess
import sys
import time

import sqlite_kv
from lib import check, done
from sqlite_kv import BigInt, KvU64, undefined

logging.getLogger("sqlite_kv").addHandler(logging.NullHandler())
logging.getLogger("sqlite_kv").propagate = False
file, command = sys.argv[1], sys.argv[2:]
environ = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}
kv = sqlite_kv.open(file)
deno = subprocess.Popen(
    command + [file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environ
)


def ask(task):
    deno.stdin.write(task + "\n")
    deno.stdin.flush()


def answer():
    return json.loads(deno.stdout.readline())


kv["values", 1] = {"a": {1, 2}, "b": b"\1", "c": KvU64}["a"]
kv["values", 2] = {"n": 2**70, "s": "é😀", "f": 1.5, "none": None}
kv["values", 3] = KvU64(5)
kv["values", 4] = b"bytes"
ask("values")
check("values", answer(), [
    "Set(2) { 1, 2 }", '{ n: 1180591620717411303424n, s: "é😀", f: 1.5, none: null }', "[Deno.KvU64: 5n]",
    "Uint8Array(5) [ 98, 121, 116, 101, 115 ]",
])

ask("sums")
for i in range(100):
    kv.atomic().sum(("sum",), 1).min(("min",), 500 - i).max(("max",), 500 + i).commit()
check("sums", (answer(), kv["sum",], kv["min",], kv["max",]), ("done", KvU64(200), KvU64(401), KvU64(599)))

ask("checks")
n = 0
while n < 100:
    entry = kv.entry(("checked",))
    if entry:
        n += kv.atomic().check(entry).set(("checked",), entry.value + 1).commit() is not None
check("checks", (answer(), kv["checked",]), ("done", 200))

ask("enqueue")
got = []
while len(got) < 6:
    kv.listen(got.append, timeout=100)
check("Deno's messages", (answer(), sorted(map(repr, got))),
      ("done", sorted(map(repr, [1, "two", {"three": {3}}, BigInt(4), undefined, "later"]))))

for m in [1, "two", {"three": {3}}, 4.5]:
    kv.enqueue(m)
kv.enqueue("bad", backoff_schedule=[10], keys_if_undelivered=[("undelivered",)])
ask("listen")
check("messages to Deno", answer(), sorted(["1", '"two"', "{ three: Set(1) { 3 } }", "4.5", '"bad"', '"bad"']))
for _ in range(100):
    if ("undelivered",) in kv:
        break
    time.sleep(0.02)
check("undelivered", kv.get(("undelivered",)), "bad")

ask("writes")
states = []
for (e,) in kv.watch([("watched",)], timeout=2000):
    states.append(e and e.value)
    if states[-1] is None and len(states) > 1:
        break
check("watch", (answer(), [s for s in states if s is not None], states[-1]), ("done", [0, 1, 2, 3, 4], None))
deno.stdin.close()
deno.wait()
done()
