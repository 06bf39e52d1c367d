"""python.py DIR -- sqlite_kv in Python beside a mapping in a plain table that holds pickles, all
by the module sqlite3, in one process by turns: microseconds of processor time for one
operation, the best of seven rounds, and the ratio of sqlite_kv to the plain table, with
rowids as sqlitedict makes it, and WITHOUT ROWID.
"""

import os
import pickle
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import MutableMapping

import sqlite_kv

N = 20000
USER = {"name": "Ada Lovelace", "age": 36, "tags": ["a", "b"], "ok": True}


class Pickles(MutableMapping):
    """What one would write without a library."""

    def __init__(self, path, options):
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute("PRAGMA journal_mode = wal")
        self.db.execute("CREATE TABLE t(k TEXT PRIMARY KEY, v BLOB) " + options)

    def __getitem__(self, key):
        row = self.db.execute("SELECT v FROM t WHERE k = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return pickle.loads(row[0])

    def __setitem__(self, key, value):
        self.db.execute("INSERT OR REPLACE INTO t VALUES (?, ?)", (key, pickle.dumps(value)))

    def __delitem__(self, key):
        self.db.execute("DELETE FROM t WHERE k = ?", (key,))

    def __iter__(self):
        return (k for k, in self.db.execute("SELECT k FROM t"))

    def __len__(self):
        return self.db.execute("SELECT count(*) FROM t").fetchone()[0]

    def items(self):
        return ((k, pickle.loads(v)) for k, v in self.db.execute("SELECT k, v FROM t"))


def measure(folder):
    stores = [
        (Pickles(os.path.join(folder, "rowids"), ""), lambda i: "users/%d" % i),
        (Pickles(os.path.join(folder, "pickles"), "WITHOUT ROWID"), lambda i: "users/%d" % i),
        (sqlite_kv.open(os.path.join(folder, "kv")), lambda i: ("users", i)),
    ]
    age = 0

    def sets(store, key, ids):
        nonlocal age
        for i in ids:
            age += 1
            store[key(i)] = {**USER, "age": age}

    def inside(store, key, ids):
        db = store.connection if isinstance(store, sqlite_kv.Kv) else store.db
        db.execute("BEGIN IMMEDIATE")
        sets(store, key, ids)
        db.execute("COMMIT")
        return db

    def gets(store, key, ids):
        for i in ids:
            store[key(i)]

    def items(store, key, ids):
        for _ in store.items():
            pass

    for store, key in stores:
        inside(store, key, range(N)).execute("PRAGMA wal_checkpoint(truncate)")
    some = [random.randrange(N) for _ in range(N)]
    few = some[: N // 5]
    for name, f, ids in [
        ("get", gets, some), ("set", sets, few), ("set, many in a transaction", inside, few), ("items(), an entry", items, some),
    ]:
        best = [1e9] * 3
        for _ in range(7):
            for i, (store, key) in enumerate(stores):
                start = time.process_time()
                f(store, key, ids)
                best[i] = min(best[i], (time.process_time() - start) / len(ids) * 1e6)
        rowids, without, kv = best
        print("| %s | %.1f | %.1f | %.1f (%.2f, %.2f) |" % (name, *best, kv / rowids, kv / without))


print("| codecs in %s | pickles in a table | WITHOUT ROWID | sqlite_kv |" % ("C" if sqlite_kv._fast.in_c else "Python"))
with tempfile.TemporaryDirectory(dir=sys.argv[1]) as folder:
    measure(folder)
if sqlite_kv._fast.in_c:
    sys.stdout.flush()
    subprocess.run([sys.executable] + sys.argv, env={**os.environ, "SQLITE_KV_PURE": "1"}, check=True)
