"""values.py STEP ... -- values between Python and Deno.

    vectors FILE ...        stored bytes that Deno wrote are read, and written as the
                            extension writes them
    write FILE SEED N       N random values
    verify FILE SEED N      FILE has these values, by type
    copy FROM TO            all entries of FROM, read and written here
"""

import json
import sys

import lib
import sqlite_kv
from lib import check, done

step, args = sys.argv[1], sys.argv[2:]


def canonical(kv, raw):
    """The same value as the extension writes it."""
    return kv.sql(
        "SELECT kv_value_encode(kv_value(kv_js(?1))), kv_value_encoding(kv_value(kv_js(?1)))", raw
    )[0]


if step == "vectors":
    kv = sqlite_kv.open(":memory:")
    for name in args:
        for line in open(name, encoding="utf-8"):
            vector = json.loads(line)
            raw = bytes([vector.get("encoding", 1)]) + bytes.fromhex(vector["hex"])
            if not vector.get("ok", True):
                # It compiles no RegExp, and reserves no memory for what a buffer may become.
                if not raw[3:4] in (b"R", b"~") and kv.sql("SELECT kv_type(?)", raw)[0][0] == "malformed":
                    lib.raises(vector["hex"], ValueError, "kv: value: ", sqlite_kv.loads, raw)
                continue
            x = sqlite_kv.loads(raw)
            back = sqlite_kv.dumps(x)
            check(vector["hex"] + " again", sqlite_kv.dumps(sqlite_kv.loads(back)), back)
            if b"\\\xff\xff\xff\xff" in raw:
                continue
            v, encoding = canonical(kv, raw)
            check(vector["hex"], back, bytes([encoding]) + v)
elif step == "write":
    kv = sqlite_kv.open(args[0])
    kv.sql("PRAGMA synchronous = off")
    lib.pairs_to_sql(kv, ((("v", i), v) for i, v in enumerate(lib.randoms(args[1], int(args[2])))))
    check("all are there", len(kv), int(args[2]))
elif step == "verify":
    kv = sqlite_kv.open(args[0])
    n = 0
    for entry, v in zip(kv.list(), lib.randoms(args[1], int(args[2]))):
        check("key %d" % n, entry.key, ("v", n))
        check("value %d" % n, entry.value, v)
        n += 1
    check("all are there", n, int(args[2]))
elif step == "copy":
    source, target = map(sqlite_kv.open, args)
    target.sql("PRAGMA synchronous = off")
    lib.pairs_to_sql(target, source.items())
    check("all are there", len(target), len(source))
    source.connection.execute("ATTACH ? AS t", (args[1],))
    differ = source.sql(
        """SELECT key, hex(a), hex(b) FROM (
             SELECT s.key, kv_value_encode(kv_value(kv_js(s.raw))) AS a, substr(t.raw, 2) AS b
               FROM kv_entries AS s JOIN kv_target AS t ON t.key = s.key) WHERE a IS NOT b"""
        if source.sql("SELECT 1 FROM t.kv LIMIT 1")
        and source.connection.execute("CREATE VIRTUAL TABLE temp.kv_target USING kv_entries(t)")
        else "SELECT 0"
    )
    for key, a, b in differ:
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b))) & ~1
        check("bytes of %s at %d" % (key, at // 2), b[max(0, at - 20) : at + 60], a[max(0, at - 20) : at + 60])
done()
