"""lib.py -- what the programs in this folder share: random values, a strict comparison,
and check(), which says what was otherwise than expected.
"""

import math
import random
import sys
from datetime import datetime, timedelta, timezone

import sqlite_kv
from sqlite_kv import BigInt, KvU64, Map, OrderedSet, undefined

failures = []
count = 0


def check(what, got, expected=True):
    global count
    count += 1
    if not same(got, expected):
        failures.append("%s: %.300r, expected %.300r" % (what, got, expected))


def raises(what, exception, text, f, *args, **kwargs):
    """f() raises this exception, with this in its message."""
    try:
        got = f(*args, **kwargs)
    except exception as e:
        check(what, text if text in str(e) else str(e), text)
    except Exception as e:
        check(what, repr(e), exception.__name__)
    else:
        check(what, got, exception)


def done():
    """"ok", or the failures."""
    print("\n".join(failures[:20]) or "ok")
    sys.exit(bool(failures))


def same(a, b):
    """Equal, of the same types at every level; a NaN is a NaN, and -0.0 isn't 0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, float):
        return a == b and math.copysign(1, a) == math.copysign(1, b) or a != a and b != b
    if type(a) in (list, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if type(a) is dict:
        return len(a) == len(b) and all(k in b and same(v, b[k]) for k, v in a.items())
    if type(a) in (set, OrderedSet):
        return same(sorted(a, key=key), sorted(b, key=key))
    if type(a) is sqlite_kv.Map:
        return same(a.pairs, b.pairs)
    if isinstance(a, datetime):
        return a == b and a.utcoffset() == b.utcoffset()
    return same(a._content(), b._content()) if hasattr(a, "_content") else a == b


def key(x):
    return type(x).__name__, repr(x)


# --------------------------------------------------------------- random

EDGES = [
    0, 1, -1, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**53 - 1, -(2**53) + 1, 2**53, -(2**53), 2**63, 2**64,
    -(2**64), 10**40, -0.0, 0.5, -1.5, 1e300, 5e-324, math.inf, -math.inf, math.nan, float(2**53), 1e21, 1e22,
]
WORDS = ["", "a", "length", "__proto__", "0", "10", "01", "4294967294", "4294967295", "é", "€uro", "😀", "\0", "\ud800", "日本"]


def text(r):
    if r.random() < 0.4:
        return r.choice(WORDS)
    alphabet = r.choice(["abc de", "éàü", "漢字€", "a😀\u2028"])
    return "".join(r.choice(alphabet) for _ in range(r.randrange(12)))


def number(r):
    n = r.randrange(6)
    if n == 0:
        return r.choice(EDGES)
    if n == 1:
        return r.randrange(-(2**60), 2**60)
    if n == 2:
        return r.uniform(-1e6, 1e6) + 0.1
    return r.randrange(-300, 300)


def moment(r):
    ms = r.choice([r.randrange(-62135596800000, 253402300799999), r.randrange(2 * 10**12)])
    return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=ms)


def plain(r):
    """What can be a member of a set."""
    n = r.randrange(8)
    if n < 3:
        return number(r)
    if n < 6:
        return text(r)
    return [None, moment(r)][n - 6]


def value(r, depth=3):
    """A random value that Python has plainly."""
    n = r.randrange(16 if depth else 10)
    if n < 3:
        return number(r)
    if n < 5:
        return text(r)
    if n < 10:
        return [None, True, False, r.randbytes(r.randrange(20)), moment(r)][n - 5]
    size = r.choice([0, 1, 2, 3, 8])
    if n < 12:
        return [value(r, depth - 1) for _ in range(size)]
    if n == 12:
        return [number(r) for _ in range(size)]
    if n < 15:
        return {text(r): value(r, depth - 1) for _ in range(size)}
    return {x for x in (plain(r) for _ in range(size)) if x == x and x != 0}


def other(r):
    """A random value of the classes of sqlite_kv."""
    kinds = [
        lambda: undefined,
        lambda: BigInt(r.randrange(-1000, 1000)),
        lambda: KvU64(r.randrange(2**64)),
        lambda: Map([(text(r) + str(i), value(r, 1)) for i in range(2)]),
        lambda: sqlite_kv.Set([[], {"a": value(r, 1)}]),
        lambda: OrderedSet(["b", "a", 3]),
        lambda: sqlite_kv.RegExp("a+b", r.choice(["", "g", "giu"])),
        lambda: sqlite_kv.Date(r.choice([math.nan, 8.64e15, -8.64e15])),
        lambda: sqlite_kv.Array(5, {1: value(r, 1), 3: 2}),
        lambda: sqlite_kv.Array(2, {0: 1, 1: 2}, {"x": value(r, 1)}),
        lambda: sqlite_kv.Error("no", "TypeError", "stack", (value(r, 1),)),
        lambda: sqlite_kv.ArrayBuffer(r.randbytes(5)),
        lambda: sqlite_kv.View("Float64Array", [1.5, number_or_zero(r)]),
        lambda: sqlite_kv.View("DataView", sqlite_kv.ArrayBuffer(b"12345678"), 2, 4),
        lambda: sqlite_kv.Boxed(r.choice([True, 1.5, "x", BigInt(3)])),
    ]
    x = r.choice(kinds)()
    # A KvU64 is only a whole value.
    return x if isinstance(x, KvU64) or r.random() < 0.5 else r.choice([lambda: [x, 1], lambda: {"a": x}])()


def number_or_zero(r):
    return float(r.randrange(-5, 5))


def randoms(seed, n):
    """n random values, the same for the same seed."""
    for i in range(n):
        r = random.Random("%s %d" % (seed, i))
        yield other(r) if i % 10 == 0 else value(r)


def pairs_to_sql(kv, rows):
    """Write many entries in one transaction, by a statement each."""
    with kv.transaction():
        for k, v in rows:
            kv[k] = v
