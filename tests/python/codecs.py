"""codecs.py SEED N -- the functions in C do what those in Python do, errors included."""

import random
import sys
from datetime import datetime, timedelta, timezone, tzinfo

import lib
import sqlite_kv
from lib import check, done
from sqlite_kv import _fast, _keys, _values

check("the functions are in C", _fast.in_c)


def outcome(f, x):
    try:
        return f(x)
    except Exception as e:
        return type(e).__name__, str(e)


def both(what, c, python, x):
    check("%s of %.100r" % (what, x), outcome(c, x), outcome(python, x))


seed, n = sys.argv[1], int(sys.argv[2])
r = random.Random(seed)
for x in lib.randoms(seed + " codecs", n):
    both("dumps", _fast.dumps, _values.dumps, x)
    raw = outcome(_values.dumps, x)
    if isinstance(raw, bytes):
        both("loads", _fast.loads, _values.loads, raw)
        if len(raw) > 4:
            at = r.randrange(1, len(raw))
            broken = raw[:at] + bytes([r.randrange(256)]) + raw[at + 1 :]
            got, expected = outcome(_fast.loads, broken), outcome(_values.loads, broken)
            if isinstance(got, tuple) or isinstance(expected, tuple):
                check("loads of %s" % broken.hex(), got, expected)
            else:
                # What was read may be cyclic, and can't be compared; what it is written as can.
                check("loads of %s" % broken.hex(), _values.dumps(got), _values.dumps(expected))
    key = tuple(r.choice([lib.text, lib.number, lambda r: r.randbytes(3), lambda r: True])(r) for _ in range(3))
    both("key_text", _fast.key_text, _keys.key_text, key)


class Subclass(str):
    pass


class Numbers(list):
    pass


shared = [1]
cycle = []
cycle.append(cycle)
deep = []
for _ in range(3000):
    deep = [deep]
for x in [
    Subclass("a"), {Subclass("a"): 1}, Numbers([1, 2.5]), [shared, shared], {"a": shared, "b": [shared]},
    datetime(2000, 1, 1), datetime(2000, 1, 1, tzinfo=timezone.utc), {1: 2}, {"a": object()}, object(), (), [(), ()],
    bytearray(b"x"), {"a": bytearray(b"x")}, frozenset([1]), [{1, 2}, {"b", "a"}], {"10": 1, "9": 2, "b": 3, "01": 4},
    {"4294967294": 1, "4294967295": 2}, [1, 2.5, -0.0], [1, sqlite_kv.undefined], {0.0, -1.5}, {-0.0}, 2**200, -(2**63),
    [sqlite_kv.KvU64(1)], sqlite_kv.KvU64(1), [b"", b""], "a" * 70000, ["\ud83d\ude00"], {"\ud800": 1}, True, None, 1j,
]:
    both("dumps", _fast.dumps, _values.dumps, x)
    raw = outcome(_values.dumps, x)
    if isinstance(raw, bytes):
        both("loads", _fast.loads, _values.loads, raw)
check("a cycle", _fast.dumps(cycle), _values.dumps(cycle))
raw = _fast.dumps(deep)
check("depth", [f(g(raw)) for f in (_fast.dumps, _values.dumps) for g in (_fast.loads, _values.loads)], [raw] * 4)
too_deep = [deep] * 1
for _ in range(1000):
    too_deep = [too_deep]
check("more depth", outcome(_fast.dumps, too_deep), outcome(_values.dumps, too_deep))


# Values that change while they are written: by a time zone, as another thread might.
class Changes(tzinfo):
    def __init__(self, change):
        self.change = change

    def utcoffset(self, x):
        self.change()
        self.change = lambda: None
        junk.extend("%d" % i * 20 for i in range(500))
        return timedelta(0)


def changing(change):
    """A list and a dict that each hold what nothing else does, and a date that changes them."""
    things = ["".join(["a", str(i)]) for i in range(20)]
    x = [[t + "!" for t in things], {t + "?": t + "b" for t in things}, bytes(range(30)), {t + "s" for t in things}]
    x.append(datetime(2000, 1, 1, tzinfo=Changes(lambda: change(x))))
    return x + [1, 2, 3]


junk = []
for name, change in [
    ("emptied", lambda x: [x[0].clear(), x[1].clear(), x[3].clear(), x.clear()]),
    ("longer", lambda x: [x[0].append("y"), x[1].update(z="z"), x.append("y")]),
    ("shorter", lambda x: [x[1].popitem(), x.pop(0)]),
    ("unchanged", lambda x: None),
]:
    for order in (changing, lambda change: changing(change)[::-1], lambda change: dict(zip("abcdefgh", changing(change)))):
        for dumps in (_fast.dumps, _values.dumps):
            try:
                raw = dumps(order(change))
            except RuntimeError as e:
                check("what is %s" % name, "changed size during iteration" in str(e))
            else:
                # Whatever it is, it is a value, in which each text is one of these.
                x = _values.loads(raw)
                x = list(x.values()) if isinstance(x, dict) else x
                texts = [t for y in x if isinstance(y, (list, dict, set)) for t in y]
                check("what is %s" % name, [t for t in texts if not (t == "y" or t == "z" or t[0] == "a" and t[-1] in "!?s")], [])
for x in [b"", b"\1", b"\2", b"\2" + b"1" * 8, b"\3", b"\4", "text", None, memoryview(b"\3a"), bytearray(b"\1\xff\x0f0")]:
    both("loads", _fast.loads, _values.loads, x)
for x in [
    (), ("a",), "a", ["a"], None, ("a\0\x1f\"\\é😀",), (2**53 - 1, -(2**53) + 1, 2**53), (True, False), (None,), (1.0, 0.5),
    (b"\0\xff",), (sqlite_kv.BigInt(1),), (Subclass("a"),), (("a",),), (sqlite_kv.COMMIT_VERSIONSTAMP,), tuple(range(20)),
]:
    both("key_text", _fast.key_text, _keys.key_text, x)
for x in ["026100", "0261", "", "01000200", "0200ff00", "21bff0000000000000", "218000000000000000", "217fffffffffffffff",
          "2627", "14", "1505", "1b20000000000000", "0bf6feffffffffffffffff", "ff"]:
    both("key_parts", _fast.key_parts, _keys.key_parts, bytes.fromhex(x))
done()
