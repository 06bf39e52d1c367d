"""deno_tests.py DIR -- what the tests of denokv (its end-to-end test) and of Deno's
kv_test.ts promise, by their meaning, of sqlite_kv.
"""

import logging
import os
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone

import lib
import sqlite_kv
from lib import check, raises, same
from sqlite_kv import (
    COMMIT_VERSIONSTAMP, Array, ArrayBuffer, BigInt, CheckFailed, Date, Entry, Error, KvU64, Map, RegExp, View, undefined,
)

folder = sys.argv[1]
logging.getLogger("sqlite_kv").addHandler(logging.NullHandler())
logging.getLogger("sqlite_kv").propagate = False
tests = []
Refused = Exception


def test(name):
    def add(f):
        tests.append((name, f))
        return f

    return add


def cases(name, values):
    """A test for each case: f(kv, case)."""

    def add(f):
        for i, case in enumerate(values):
            tests.append(("%s: %.60r" % (name, case), lambda kv, case=case: f(kv, case)))
        return f

    return add


# ------------------------------------------------ reading, writing, values


@test("read, write, delete, and versionstamps")
def _(kv):
    check("none", (kv.entry(("a",)), kv.get(("a",))), (None, None))
    v1 = kv.set(("a",), "b")
    e1 = kv.entry(("a",))
    check("written", e1, Entry(("a",), "b", v1, None))
    v2 = kv.set(("a",), "c")
    check("greater", v2 > v1 and len(v2) == 20)
    check("deleted", (kv.delete(("a",)), kv.entry(("a",)), kv.delete(("a",))), (True, None, False))


now = datetime(2023, 4, 23, 12, 30, 1, 250000, tzinfo=timezone.utc)


@cases("a value comes back", [
    undefined, None, True, False, "hello", "", "é€😀", "a" * 10000, 0, 1, -1, 2**31, 2**53 - 1, -(2**53) + 1, 1.5, -0.5, 1e308,
    float("inf"), float("-inf"), float("nan"), -0.0, BigInt(0), BigInt(-5), 2**53, -(2**64), 2**500, b"", b"\0\1\xff",
    b"x" * 65536, [], [1, 2, 3], [1, "2", None, [True]], [1.5, 2], {}, {"a": 1, "b": {"c": [None]}}, {"": 1, "1": 2}, set(),
    {1, 2, 3}, {"a", None, 1.5}, now, datetime(1, 1, 1, tzinfo=timezone.utc), Date(float("nan")), Date(8.64e15),
    Map([("a", 1), (2, "b"), (None, [1])]), Map(), sqlite_kv.Set([[1], {"a": 1}]), RegExp("a.b", "gi"), ArrayBuffer(b"abc"),
    ArrayBuffer(b"abc", 10), View("Uint8Array", [1, 2]), View("Int16Array", [1, -2]), View("Float64Array", [1.5]),
    View("BigInt64Array", [-1]), View("DataView", b"1234", 1, 2), Error("no"), Error("no", "RangeError", "at x", ("why",)),
    sqlite_kv.Boxed(True), sqlite_kv.Boxed("s"), sqlite_kv.Boxed(1.5), Array(3, {0: 1, 2: 3}), Array(1, {0: 1}, {"x": 2}),
    KvU64(0), KvU64(2**64 - 1), {"deep": [{"er": {1, 2}, "b": b"bytes", "t": now}]},
])
def _(kv, value):
    expected = bytes(value) if isinstance(value, View) and value.type == "Uint8Array" else value
    kv["v",] = value
    check("it", kv["v",], expected)
    check("in its entry", kv.entry(("v",)).value, expected)
    check("in a list", [e.value for e in kv.list()], [expected])
    kv["again",] = kv["v",]
    a, b = (r[0] for r in kv.sql("SELECT raw FROM kv_entries ORDER BY key"))
    check("with the same bytes", a, b)


@test("a recursive object comes back as one")
def _(kv):
    x = {"name": "x", "list": []}
    x["self"] = x
    x["list"].append(x["list"])
    kv["v",] = x
    got = kv["v",]
    check("cycles", got["self"] is got and got["list"][0] is got["list"])
    shared = [1]
    kv["v",] = [shared, shared]
    a, b = kv["v",]
    check("shared", a is b and a == [1])
    m = Map()
    m.pairs.append((m, m))
    kv["v",] = m
    got = kv["v",]
    check("a Map in itself", got.pairs[0][0] is got)


@cases("a value is refused", [
    object(), print, lambda: 1, 1j, {1: 2}, {None: 1}, [object()], {"a": {1, object()}}, datetime(2020, 1, 1),
    datetime(2020, 1, 1).date(), timedelta(1), type, [KvU64(1)], range(3), iter([]),
])
def _(kv, value):
    try:
        kv["v",] = value
    except (TypeError, ValueError) as e:
        check("the message", str(e).startswith("kv: "))
    else:
        check("refused", False)
    check("nothing is stored", len(kv), 0)


# ----------------------------------------------------------------- keys

KEYS = [
    (b"",), (b"\0",), (b"\0\xff",), (b"a",), ("",), ("\0",), ("a",), ("a", b"x"), ("a", "b"), ("a", 1), ("a\0b",), ("b",), ("é",),
    ("日",), ("😀",), (-(2**80),), (-(2**53),), (BigInt(-1),), (BigInt(0),), (BigInt(1),), (2**53,), (2**80,), (float("-inf"),),
    (-1.5,), (-1,), (-0.0,), (0,), (0.5,), (1,), (1e300,), (float("inf"),), (float("nan"),), (False,), (True,), (True, False, 1),
]


@test("keys are in Deno's order")
def _(kv):
    for k in KEYS[::-1]:
        kv[k] = 1
    check("all", list(kv), KEYS)
    check("backwards", list(reversed(kv)), KEYS[::-1])


@cases("a key is a part of nothing else", KEYS)
def _(kv, key):
    kv[key] = "x"
    check("it", kv[key], "x")
    check("its list", list(kv), [key])
    check("it isn't below itself", list(kv.list(prefix=key)), [])
    kv[key + (1,)] = "y"
    check("below", [e.value for e in kv.list(prefix=key)], ["y"])
    check("deleted", (kv.delete(key), list(kv.values())), (True, ["y"]))


@test("42.0 and 42 are one key")
def _(kv):
    kv[42.0,] = 1
    check("int", kv[42,], 1)
    check("read as int", list(kv), [(42,)])


@cases("no key", [(None,), ([],), ({},), (("a",),), (object(),), (1j,)])
def _(kv, key):
    raises("set", TypeError, "kv: key: a part of the type", kv.set, key, 1)
    raises("get", TypeError, "kv: key: a part of the type", kv.get, key)
    raises("list", TypeError, "kv: key: a part of the type", lambda: list(kv.list(prefix=key)))
    raises("check", TypeError, "kv: key: a part of the type", kv.atomic().check, key, None)


@test("the empty key holds nothing")
def _(kv):
    check("get", kv.get((), "none"), "none")
    raises("set", Refused, "kv: ", kv.set, (), 1)
    raises("delete", Refused, "kv: ", lambda: kv.atomic().delete(()).commit())
    check("len", len(kv), 0)


# ------------------------------------------------------ atomic operations


@test("compare and mutate")
def _(kv):
    v1 = kv.set(("t",), "1")
    entry = kv.entry(("t",))
    v2 = kv.atomic().check(entry).set(("t",), "2").commit()
    check("committed", v2 > v1)
    check("a stale check", kv.atomic().check(entry).set(("t",), "3").commit(), None)
    check("nothing done", kv["t",], "2")
    check("by versionstamp", kv.atomic().check(("t",), v2).set(("t",), "4").commit() is not None)


@test("compare and mutate of what doesn't exist")
def _(kv):
    check("made", kv.atomic().check(("t",), None).set(("t",), 1).commit() is not None)
    check("once", kv.atomic().check(("t",), None).set(("t",), 2).commit(), None)
    check("the first", kv["t",], 1)


@test("compare several and mutate")
def _(kv):
    kv["a",] = 1
    kv["b",] = 2
    a, b = kv.entries([("a",), ("b",)])
    check("all hold", kv.atomic().check(a).check(b).set(("a",), 3).set(("b",), 4).commit() is not None)
    check("one doesn't", kv.atomic().check(kv.entry(("a",))).check(b).set(("a",), 5).commit(), None)
    check("values", (kv["a",], kv["b",]), (3, 4))


@test("checks come first, wherever they stand")
def _(kv):
    check("null after set", kv.atomic().set(("a",), 1).check(("a",), None).commit() is not None)


@test("a failed check in a with block raises CheckFailed with the key")
def _(kv):
    kv["a", 1] = 1
    try:
        with kv.atomic() as op:
            op.check(("a", 1), None).set(("a", 1), 2)
    except CheckFailed as e:
        check("key", e.key, ("a", 1))
    else:
        check("raised", False)
    check("not done", (op.versionstamp, kv["a", 1]), (None, 1))
    try:
        with kv.atomic() as op:
            op.set(("a", 1), 3)
            raise KeyError("mine")
    except KeyError:
        pass
    check("an exception in the block commits nothing", kv["a", 1], 1)
    with kv.atomic() as op:
        op.set(("a", 1), 4)
        v = op.commit()
    check("commit() in the block commits once", (op.versionstamp, kv.entry(("a", 1)).versionstamp), (v, v))


@test("all mutations have one versionstamp")
def _(kv):
    v = kv.atomic().set(("a",), 1).set(("b",), 2).sum(("c",), 3).commit()
    check("all", {e.versionstamp for e in kv.list()}, {v})


@cases("an invalid check", ["", "00", "0" * 19, "0" * 21, "x" * 20, 5])
def _(kv, versionstamp):
    raises("refused", Refused, "", lambda: kv.atomic().check(("a",), versionstamp).set(("a",), 1).commit())
    check("nothing done", len(kv), 0)


@test("set before delete, delete before set")
def _(kv):
    kv["a",] = 1
    kv.atomic().set(("a",), 2).delete(("a",)).commit()
    check("deleted", ("a",) in kv, False)
    kv.atomic().delete(("a",)).set(("a",), 3).commit()
    check("set", kv["a",], 3)
    kv.atomic().set(("a",), 4).set(("a",), 5).commit()
    check("the last", kv["a",], 5)


@test("set overwrites; delete of nothing is no error")
def _(kv):
    kv["a",] = 1
    kv["a",] = "other"
    check("value", kv["a",], "other")
    check("delete", kv.atomic().delete(("nothing",)).commit() is not None)


@test("an atomic operation without steps")
def _(kv):
    before = kv.set(("a",), 1)
    after = kv.atomic().commit()
    check("has a versionstamp", after is None or after >= before)


SUMS = [
    ("sum", KvU64(10), 1, KvU64(11)), ("sum", None, 1, KvU64(1)), ("sum", KvU64(2**64 - 1), 10, KvU64(9)),
    ("sum", KvU64(10), KvU64(5), KvU64(15)), ("sum", 10, 5, 15), ("sum", 1.5, 2.25, 3.75), ("sum", BigInt(7), BigInt(-9), BigInt(-2)),
    ("sum", 2**70, BigInt(1), 2**70 + 1), ("sum", None, 2.0, 2), ("sum", None, BigInt(3), BigInt(3)),
    ("min", KvU64(10), 5, KvU64(5)), ("min", KvU64(10), 15, KvU64(10)), ("min", None, 5, KvU64(5)),
    ("max", KvU64(10), 5, KvU64(10)), ("max", KvU64(10), 15, KvU64(15)), ("max", None, 5, KvU64(5)),
]


@cases("numbers", SUMS)
def _(kv, case):
    op, before, n, after = case
    if before is not None:
        kv["n",] = before
    check("committed", getattr(kv.atomic(), op)(("n",), n).commit() is not None)
    check("result", kv["n",], after)


@cases("no number", [(op, v) for op in ("sum", "min", "max") for v in ("text", [1], b"1", None, True)])
def _(kv, case):
    op, stored = case
    kv["a",] = "before"
    kv["n",] = stored
    raises("refused", Refused, "kv: %s of the key" % op, lambda: getattr(kv.atomic().set(("a",), "after"), op)(("n",), 1).commit())
    check("nothing done", (kv["a",], kv["n",]), ("before", stored))


@cases("no operand", ["1", None, [1], True, 1j])
def _(kv, n):
    raises("sum", TypeError, "is not an int, float, KvU64 or BigInt", kv.sum, ("n",), n)
    raises("min", TypeError, "is not an int, float, KvU64 or BigInt", kv.atomic().min, ("n",), n)


@cases("no KvU64", [-1, 2**64, "x"])
def _(kv, n):
    raises("refused", ValueError, "", KvU64, n)


@test("kv.sum() returns the new value")
def _(kv):
    check("new", (kv.sum(("n",)), kv.sum(("n",), 41), kv.sum(("n",), KvU64(2**64 - 1))), (1, 42, 41))
    check("stored", kv["n",], KvU64(41))


@test("the commit's versionstamp as the last part of a key")
def _(kv):
    v = kv.atomic().set(("log", COMMIT_VERSIONSTAMP), "x").commit()
    check("key", list(kv), [("log", v)])
    v2 = kv.set(("log", COMMIT_VERSIONSTAMP), "y")
    check("order", [e.value for e in kv.list(("log",))], ["x", "y"])
    check("found", kv["log", v2], "y")
    raises("elsewhere", Refused, "kv: ", kv.set, (COMMIT_VERSIONSTAMP, "x"), 1)
    check("in a get", kv.get(("log", COMMIT_VERSIONSTAMP)), None)


# ----------------------------------------------------------------- list

ENTRIES = ["a", "b", "c", "d", "e", "f"]


def setup(kv):
    kv.update({("a", x): i for i, x in enumerate(ENTRIES)})
    kv["a",] = "itself"
    kv["b", "a"] = "other"
    kv["a\0",] = "between"


LISTS = [
    (dict(prefix=("a",)), "abcdef"), (dict(prefix=("a",), start=("a", "c")), "cdef"), (dict(prefix=("a",), end=("a", "c")), "ab"),
    (dict(prefix=("a",), start=("a", "a")), "abcdef"), (dict(prefix=("a",), end=("a", "a")), ""), (dict(prefix=("a",), limit=2), "ab"),
    (dict(prefix=("a",), reverse=True), "fedcba"), (dict(prefix=("a",), start=("a", "c"), reverse=True), "fedc"),
    (dict(prefix=("a",), end=("a", "c"), reverse=True), "ba"), (dict(prefix=("a",), limit=2, reverse=True), "fe"),
    (dict(start=("a", "b"), end=("a", "d")), "bc"), (dict(start=("a", "b"), end=("a", "d"), reverse=True), "cb"),
    (dict(start=("a", "b"), end=("a", "f"), limit=3), "bcd"), (dict(start=("a", "b"), end=("a", "b")), ""),
    (dict(start=("a", "d"), end=("a", "b")), ""), (dict(prefix=("x",)), ""), (dict(prefix=("a", "b")), ""),
    (dict(prefix=("a",), start=("a", "c"), end=("a", "e")), "cd"), (dict(prefix=("a",), limit=0), ""),
    (dict(prefix=("a",), limit=100), "abcdef"), (dict(start=("a", "bb"), end=("a", "cc")), "c"),
]


@cases("a list", LISTS)
def _(kv, case):
    options, expected = case
    setup(kv)
    check("keys", [e.key for e in kv.list(**options)], [("a", x) for x in expected])
    check("values", [e.value for e in kv.list(**options)], [ENTRIES.index(x) for x in expected])
    check("versionstamps", all(e.versionstamp == kv.entry(e.key).versionstamp for e in kv.list(**options)))


@test("a list of everything")
def _(kv):
    setup(kv)
    check("all", len(list(kv.list())), len(ENTRIES) + 3)
    check("the empty prefix", [e.key for e in kv.list(prefix=())], list(kv))
    check("one", [e.key for e in kv.list(limit=1)], [("a",)])
    check("the last", [e.key for e in kv.list(limit=1, reverse=True)], [("b", "a")])
    raises("a negative limit", ValueError, "kv: list(): the limit", lambda: list(kv.list(limit=-1)))


@test("several entries at once")
def _(kv):
    setup(kv)
    got = kv.entries([("a", "b"), ("none",), ("a", "a"), ("a", "b")])
    check("in their order", [e and e.value for e in got], [1, None, 0, 1])
    check("none", kv.entries([]), [])
    check("many", [e.value for e in kv.entries([("a", x) for x in ENTRIES] * 5)], list(range(6)) * 5)


# --------------------------------------------------------------- limits


@cases("a limit", [
    ("key_bytes", lambda kv: kv.set(("k" * 2046,), 1), lambda kv: kv.set(("k" * 2047,), 1)),
    ("value_bytes", lambda kv: kv.set(("k",), b"x" * 65536), lambda kv: kv.set(("k",), b"x" * 65537)),
    ("value_bytes", lambda kv: kv.set(("k",), "x" * 65529), lambda kv: kv.set(("k",), "x" * 65533)),
    ("checks", lambda kv: many(kv, 100, lambda op, i: op.check((i,), None)), lambda kv: many(kv, 101, lambda op, i: op.check((i,), None))),
    ("mutations", lambda kv: many(kv, 1000, lambda op, i: op.set((i,), 1)), lambda kv: many(kv, 1001, lambda op, i: op.set((i,), 1))),
    ("mutations", lambda kv: many(kv, 1000, lambda op, i: op.delete((i,))), lambda kv: many(kv, 1001, lambda op, i: op.delete((i,)))),
    ("operation_bytes", lambda kv: many(kv, 12, lambda op, i: op.set((i,), b"x" * 65000)), lambda kv: many(kv, 13, lambda op, i: op.set((i,), b"x" * 65000))),
    ("enqueue_bytes", lambda kv: kv.enqueue("x" * 65529), lambda kv: kv.enqueue("x" * 65533)),
    ("backoff_steps", lambda kv: kv.enqueue(1, backoff_schedule=[1] * 5), lambda kv: kv.enqueue(1, backoff_schedule=[1] * 6)),
    ("backoff_ms", lambda kv: kv.enqueue(1, backoff_schedule=[3600000]), lambda kv: kv.enqueue(1, backoff_schedule=[3600001])),
    ("delay_ms", lambda kv: kv.enqueue(1, timedelta(days=30)), lambda kv: kv.enqueue(1, 2592000001)),
    ("delay", lambda kv: kv.enqueue(1, 0), lambda kv: kv.enqueue(1, -1)),
    ("undelivered_keys", lambda kv: kv.enqueue(1, keys_if_undelivered=[("k", i) for i in range(10)]),
     lambda kv: kv.enqueue(1, keys_if_undelivered=[("k", i) for i in range(11)])),
])
def _(kv, case):
    name, within, over = case
    check("within", within(kv) is not None)
    before = kv.sql("SELECT count(*), kv_versionstamp() FROM kv_entries")
    raises("over " + name, Refused, name, over, kv)
    check("nothing done", kv.sql("SELECT count(*), kv_versionstamp() FROM kv_entries"), before)


def many(kv, n, step):
    op = kv.atomic()
    for i in range(n):
        step(op, i)
    return op.commit()


# --------------------------------------------------------------- expiry


@test("an entry expires")
def _(kv):
    before = time.time() * 1000
    kv.set(("a",), 1, expire_in=60)
    kv.set(("b",), 2, expire_in=timedelta(hours=1))
    kv.atomic().set(("c",), 3, expire_in=60).commit()
    at = kv.entry(("a",)).expires_at
    check("when", before + 59 <= at <= before + 1000)
    check("there", (kv["a",], kv["b",], kv["c",]), (1, 2, 3))
    time.sleep(0.1)
    check("gone", [("a",) in kv, kv.get(("a",)), kv.entry(("c",)), len(kv)], [False, None, None, 1])
    kv.set(("a",), 4)
    check("set again", kv.entry(("a",)).expires_at, None)


@test("a set without expire_in doesn't expire any more; a sum keeps the expiry")
def _(kv):
    kv.set(("a",), KvU64(1), expire_in=100000)
    at = kv.entry(("a",)).expires_at
    kv.sum(("a",), 1)
    check("sum", kv.entry(("a",)).expires_at, at)
    kv["a",] = 1
    check("set", kv.entry(("a",)).expires_at, None)


@cases("no expire_in", [-1, float("nan"), float("inf"), "5", True, 2**60])
def _(kv, ms):
    raises("refused", Refused, "", kv.set, ("a",), 1, expire_in=ms)
    check("nothing done", len(kv), 0)


# ---------------------------------------------------------------- queue


def listen(kv, fail=(), timeout=30):
    """The messages that come, of which those in fail are failed."""
    got = []

    def handler(value):
        got.append(value)
        if value in fail:
            raise RuntimeError("failed")

    kv.listen(handler, timeout=timeout)
    return got


@cases("a message comes back", ["test", 1, None, undefined, True, b"bytes", [1, {"a": 2}], {"a": now}, {1, 2}, 2**70, Map([(1, 2)]), 1.5])
def _(kv, value):
    check("enqueued", len(kv.enqueue(value)), 20)
    got = []
    check("one", kv.listen(got.append, timeout=10), 1)
    check("it", got, [value])
    check("once", listen(kv, timeout=1), [])


@test("messages of an atomic operation, only if its checks hold")
def _(kv):
    kv.atomic().check(("a",), None).set(("a",), 1).enqueue("first").commit()
    check("failed", kv.atomic().check(("a",), None).enqueue("second").commit(), None)
    check("messages", listen(kv), ["first"])


@test("a handler that enqueues and writes")
def _(kv):
    def handler(value):
        if value:
            kv.atomic().sum(("n",), 1).enqueue(value - 1).commit()

    kv.enqueue(3)
    check("all", kv.listen(handler, timeout=20), 4)
    check("sum", kv["n",], KvU64(3))


@test("a delayed message comes later")
def _(kv):
    kv.enqueue("late", delay=150)
    check("not yet", listen(kv, timeout=20), [])
    t = time.monotonic()
    check("then", listen(kv, timeout=400), ["late"])
    check("in time", time.monotonic() - t < 0.9)


@test("a failed message is delivered again, and at last stored")
def _(kv):
    kv.enqueue("bad", backoff_schedule=[1, 5], keys_if_undelivered=[("failed", 1), ("failed", 2)])
    kv.enqueue("good")
    got = listen(kv, {"bad"}, timeout=150)
    check("three times", sorted(got), ["bad", "bad", "bad", "good"])
    check("stored", [(e.key, e.value) for e in kv.list(("failed",))], [(("failed", 1), "bad"), (("failed", 2), "bad")])
    check("no more", listen(kv), [])
    kv.enqueue("lost", backoff_schedule=[])
    check("without keys", listen(kv, {"lost"}), ["lost"])
    check("no more", listen(kv, timeout=20), [])


@test("a message whose handler is interrupted is delivered again")
def _(kv):
    def interrupt(value):
        raise KeyboardInterrupt

    kv.enqueue("x", backoff_schedule=[1])
    try:
        kv.listen(interrupt, timeout=10)
        check("interrupted", False)
    except KeyboardInterrupt:
        pass
    check("again", listen(kv, timeout=50), ["x"])


@test("a claimed message is delivered again when its lease has ended")
def _(kv):
    kv.enqueue("x", backoff_schedule=[1])
    check("claimed", len(kv.sql("SELECT id FROM kv_dequeue(60)")), 1)
    check("not yet", listen(kv, timeout=10), [])
    check("again", listen(kv, timeout=200), ["x"])


# ---------------------------------------------------------------- watch


@test("a watch yields the state, and each change")
def _(kv):
    got = []
    for a, b in kv.watch([("a",), ("b",)], timeout=30):
        got.append((a and a.value, b and b.value))
        if len(got) < 4:
            [lambda: kv.set(("a",), 1), lambda: kv.set(("b",), 2), lambda: kv.delete(("a",))][len(got) - 1]()
    check("states", got, [(None, None), (1, None), (1, 2), (None, 2)])


@test("a watch doesn't yield without a change")
def _(kv):
    kv["a",] = 1
    n = 0
    for _ in kv.watch([("a",)], timeout=40):
        n += 1
        if n == 1:
            kv["other",] = 1
            kv.delete(("none",))
    check("once", n, 1)
    n = 0
    for _ in kv.watch([("a",)], timeout=40):
        n += 1
        if n == 1:
            kv["a",] = 1
    check("the same value set again", n, 2)


@test("a watch notices what expires")
def _(kv):
    kv.set(("a",), 1, expire_in=60)
    check("states", [e and e.value for e, in kv.watch([("a",)], timeout=200)], [1, None])


# ---------------------------------------------- several connections, files


@test("another connection's writes are seen, and counted, never lost")
def _(kv):
    path = os.path.join(folder, "shared.db")
    program = (
        "import sys, sqlite_kv\n"
        "kv = sqlite_kv.open(sys.argv[1])\n"
        "for i in range(100):\n"
        "    while True:\n"
        "        e = kv.entry(('n',))\n"
        "        if kv.atomic().check(('n',), e and e.versionstamp).set(('n',), (e.value if e else 0) + 1).commit(): break\n"
        "    kv.sum(('u',), 1)\n"
        "    with kv.transaction(): kv['t',] = kv.get(('t',), 0) + 1\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", program, path]) for _ in range(3)]
    check("exits", [p.wait() for p in both], [0] * 3)
    with sqlite_kv.open(path) as other:
        check("counts", (other["n",], other["u",], other["t",]), (300, KvU64(300), 300))


@test("a message of another process is handled")
def _(kv):
    path = os.path.join(folder, "shared.db")
    with sqlite_kv.open(path) as other:
        program = "import sys, sqlite_kv\nsqlite_kv.open(sys.argv[1]).enqueue('from afar')"
        p = subprocess.Popen([sys.executable, "-c", program, path])
        got = []
        other.listen(lambda v: got.append(v), timeout=2000 if p.poll() is None else 100)
        p.wait()
        check("it", got, ["from afar"])


@test("a transaction is all or nothing")
def _(kv):
    try:
        with kv.transaction():
            kv["a",] = 1
            kv.sum(("n",), 1)
            kv.enqueue("x")
            raise RuntimeError
    except RuntimeError:
        pass
    check("nothing", (len(kv), listen(kv)), (0, []))
    with kv.transaction():
        kv["a",] = 1
        try:
            with kv.transaction():
                kv["a",] = 2
                raise RuntimeError
        except RuntimeError:
            pass
        kv["b",] = 3
    check("a savepoint", dict(kv), {("a",): 1, ("b",): 3})


@test("a closed store is closed")
def _(kv):
    other = sqlite_kv.open(":memory:")
    other.close()
    other.close()
    raises("get", Refused, "closed", other.get, ("a",))
    raises("set", Refused, "closed", other.set, ("a",), 1)


@test("bytes that aren't a value or key don't end a list, and can be deleted")
def _(kv):
    kv["a",] = 1
    kv["z",] = 2
    kv.sql("INSERT INTO kv(k, v, v_encoding, version) VALUES (x'026200', x'ff', 1, 1), (x'0261', x'', 1, 1), (x'026300', x'01', 2, 1)")
    got = list(kv.list())
    check("keys", [type(e.key).__name__ for e in got], ["MalformedKey", "tuple", "tuple", "tuple", "tuple"])
    check("values", [type(e.value).__name__ for e in got], ["Opaque", "int", "Opaque", "Opaque", "int"])
    check("get", type(kv["b",]).__name__, "Opaque")
    for e in got:
        if isinstance(e.value, sqlite_kv.Opaque):
            kv.delete(e.key)
    check("the rest", dict(kv), {("a",): 1, ("z",): 2})


@test("a file without a store is empty, and gets one at the first write")
def _(kv):
    path = os.path.join(folder, "empty.db")
    with sqlite_kv.open(path) as other:
        check("empty", (len(other), other.get(("a",)), list(other), ("a",) in other), (0, None, [], False))
        other["a",] = 1
    with sqlite_kv.open(path) as other:
        check("kept", dict(other), {("a",): 1})


for name, f in tests:
    kv = sqlite_kv.open(":memory:")
    before = len(lib.failures)
    try:
        f(kv)
    except Exception as e:
        import traceback
        lib.failures.append("raised %r" % e + traceback.format_exc(limit=-2))
    lib.failures[before:] = ["%s: %s" % (name, text) for text in lib.failures[before:]]
    kv.close()
check("tests", len(tests) > 240)
lib.done()
