"""mapping.py FILE SEED N -- a Kv is a dict whose keys are in order: a random program of N
steps, against a dict; then what a dict refuses.
"""

import random
import sys
from collections.abc import MutableMapping

import lib
import sqlite_kv
from lib import check, done, raises

file, seed, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
r = random.Random(seed)
kv = sqlite_kv.open(file)
kv.sql("PRAGMA synchronous = off")
check("it is a MutableMapping", isinstance(kv, MutableMapping))
model = {}


def order(key):
    """Deno's order: strings by UTF-8, then numbers, then booleans."""
    return [
        (2, 0, p) if isinstance(p, bool) else (1, p, "") if isinstance(p, (int, float)) else (0, 0, p.encode())
        for p in key
    ]


def key():
    part = lambda: r.choice(["a", "b", "é", "\uffff", "😀", 3, 2, -1, 10, 1.5, True, False, "a\0", "aa"])
    return tuple(part() for _ in range(r.choice([1, 1, 2, 3])))


def keys():
    return sorted(model, key=order)


def small(depth=1):
    return lib.value(r, depth)


def outcome(f):
    try:
        return f()
    except KeyError as e:
        return KeyError, e.args


for step in range(n):
    k, v = key(), small()
    what = r.randrange(16)
    name = "step %d (%d, %r)" % (step, what, k)
    if what < 3:
        kv[k] = model[k] = v
    elif what == 3:
        check(name, outcome(lambda: kv[k]), outcome(lambda: model[k]))
    elif what == 4:
        check(name, kv.get(k, "none"), model.get(k, "none"))
    elif what == 5:
        check(name, k in kv, k in model)
    elif what == 6:
        check(name, outcome(lambda: kv.__delitem__(k)), outcome(lambda: model.__delitem__(k)))
    elif what == 7:
        check(name, outcome(lambda: kv.pop(k)), outcome(lambda: model.pop(k)))
    elif what == 8:
        check(name, kv.pop(k, 5), model.pop(k, 5))
    elif what == 9:
        check(name, kv.setdefault(k, v), model.setdefault(k, v))
    elif what == 10:
        more = {key(): small() for _ in range(3)}
        kv.update(more)
        model.update(more)
    elif what == 11:
        check(name, list(kv), keys())
        check(name, list(reversed(kv)), keys()[::-1])
    elif what == 12:
        check(name, list(kv.items()), [(k, model[k]) for k in keys()])
        check(name, list(kv.values()), [model[k] for k in keys()])
        check(name, list(kv.keys()), keys())
    elif what == 13:
        check(name, (len(kv), len(kv.items()), len(kv.keys())), (len(model),) * 3)
        check(name, k in kv.keys(), k in model)
        check(name, (k, v) in kv.items(), (k, v) in model.items())
    elif what == 14:
        if model:
            first = keys()[0]
            check(name, kv.popitem(), (first, model.pop(first)))
    else:
        prefix = k[:1]
        below = [k for k in keys() if len(k) > 1 and k[:1] == prefix and type(k[0]) is type(prefix[0])]
        check(name, [e.key for e in kv.list(prefix)], below)
        limit = r.randrange(4)
        check(name, [e.key for e in kv.list(prefix, limit=limit, reverse=True)], below[::-1][:limit])
        lo, hi = sorted([key(), key()], key=order)
        check(name, [e.key for e in kv.list(start=lo, end=hi)], [k for k in keys() if order(lo) <= order(k) < order(hi)])
check("all at the end", dict(kv), model)
kv.clear()
model = {("a", 1): [1, {"b": {2}}], ("c",): None}
kv.update(model)
check("equal", kv == model and not kv != model)
kv["one more",] = 1
check("not equal", kv != model and not kv == model)
kv.clear()
check("empty", (len(kv), list(kv), bool(kv)), (0, [], True))
# Unlike in a dict.
kv[1,], kv[True,], kv["a",] = "number", "boolean", 1
check("1 isn't True", [kv[1,], kv[1.0,], kv[True,], len(kv)], ["number", "number", "boolean", 3])
kv.clear()
raises("popitem() of nothing", KeyError, "empty", kv.popitem)
raises("a missing key", KeyError, "('a', 1)", lambda: kv["a", 1])
kv.update([(("a",), 1)])
kv |= {("b",): 2}
check("update from pairs, |=", dict(kv), {("a",): 1, ("b",): 2})
check("hash", {kv: 1}[kv], 1)
for bad in ["a", ["a"], None, 5, b"a"]:
    raises("the key %r" % (bad,), TypeError, "not a tuple", lambda: kv[bad])
    raises("the key %r" % (bad,), TypeError, "not a tuple", lambda: kv.__setitem__(bad, 1))
    raises("the key %r" % (bad,), TypeError, "not a tuple", lambda: bad in kv)
for bad in [(None,), ("a", None), (("a",),), ([1],), (object(),), (1j,)]:
    raises("the key %r" % (bad,), TypeError, "a part of the type", lambda: kv[bad])
raises("a lone surrogate", ValueError, "surrogate", lambda: kv["\ud800",])


def fails():
    def pairs():
        yield ("x",), 1
        raise RuntimeError("no more")

    kv.update(pairs())


raises("update() that fails", RuntimeError, "no more", fails)
check("has changed nothing", ("x",) in kv, False)
# More than are read at a time, and changes meanwhile.
kv.clear()
kv.update({("n", i): i for i in range(1201)})
check("many", [k[1] for k in kv], list(range(1201)))
check("many, backwards", [e.value for e in kv.list(reverse=True)], list(range(1200, -1, -1)))
check("many, with a limit", [e.value for e in kv.list(limit=700)], list(range(700)))
for k in kv:
    if k[1] % 2:
        del kv[k]
check("deleted on the way", len(kv), 601)
done()
