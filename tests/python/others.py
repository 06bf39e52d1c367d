"""others.py DIR -- connections that are given, apsw, asyncio, the prompt, Pythons that load
no extensions.
"""

import asyncio
import logging
import os
import sqlite3
import subprocess
import sys
import time

import lib
import sqlite_kv
from lib import check, done, raises
from sqlite_kv import aio

logging.getLogger("sqlite_kv").addHandler(logging.NullHandler())
logging.getLogger("sqlite_kv").propagate = False
folder = sys.argv[1]
path = os.path.join(folder, "others.db")
with sqlite_kv.open(path) as kv:
    kv["a",] = 1


def committed(*keys):
    """What another connection sees."""
    with sqlite_kv.open(path) as kv:
        return [kv.get(k) for k in keys]


# ------------------------------------------------------- given connections


def given(db, begins):
    """One transaction for SQL and the store; begins: sqlite3 begins it by itself."""
    kv = sqlite_kv.Kv(db)
    db.execute("CREATE TABLE IF NOT EXISTS t(x)")
    db.commit()
    for write in [
        lambda: kv.__setitem__(("g",), 5), lambda: kv.set(("g",), 5), lambda: kv.atomic().set(("g",), 5).commit(),
        lambda: kv.sum(("g",), KvU64(5)), lambda: kv.update({("g",): 5}),
    ]:
        kv.delete(("g",))
        db.commit()
        write()
        db.execute("INSERT INTO t VALUES (1)")
        check("in a transaction", db.in_transaction)
        check("seen here", int(kv["g",]), 5)
        check("not elsewhere", committed(("g",)), [None])
        db.rollback()
        check("rolled back", (kv.get(("g",)), db.execute("SELECT count(*) FROM t").fetchone()[0]), (None, 0))
    kv["g",] = 6
    db.commit()
    check("committed", committed(("g",)), [6])
    check("deleted", kv.delete(("g",)))
    check("not elsewhere", committed(("g",)), [6])
    db.commit()
    check("elsewhere", committed(("g",)), [None])
    with db:
        kv["g",] = 7
    check("with db", committed(("g",)), [7])
    del kv["g",]
    db.commit()
    if getattr(db, "autocommit", True) is not False:
        # Messages: what the handler leaves in a transaction is committed with its message, or undone.
        db.execute("DELETE FROM kv_queue")
        kv.enqueue("message")
        kv.enqueue("fails", backoff_schedule=[], keys_if_undelivered=[("failed",)])
        raises("listening in a transaction", RuntimeError, "kv: listen(): a transaction is open", kv.listen, print)
        db.commit()

        def handler(value):
            kv["handled", value] = 1
            db.execute("INSERT INTO t VALUES (2)")
            if value == "fails":
                raise RuntimeError

        check("handled", kv.listen(handler, timeout=10), 2)
        check("no transaction is left", db.in_transaction, False)
        check("committed", committed(("handled", "message"), ("handled", "fails"), ("failed",)), [1, None, "fails"])
        check("rows", db.execute("SELECT count(*) FROM t WHERE x = 2").fetchone()[0], 1)
        for k in [("handled", "message"), ("failed",)]:
            del kv[k]
        db.execute("DELETE FROM t")
        db.commit()
    kv.enqueue("message")
    db.commit()
    check("names", kv.sql("SELECT key, value FROM kv_entries ORDER BY key")[0].asdict(), {"key": '["a"]', "value": 1})
    kv.close()
    check("not closed", db.execute("SELECT 1").fetchone() is not None)
    db.close()


from sqlite_kv import KvU64

given(sqlite3.connect(path), True)
given(sqlite3.connect(path, isolation_level="IMMEDIATE"), True)
db = sqlite3.connect(path)
db.row_factory = sqlite3.Row
given(db, True)
db = sqlite3.connect(path)
db.row_factory = lambda cursor, row: {"row": row[0], 0: row[0]}
given(db, True)
if sys.version_info >= (3, 12):
    given(sqlite3.connect(path, autocommit=False), True)
with sqlite_kv.open(path) as kv:
    got = []
    kv.listen(got.append, timeout=10)
    check("messages", set(got), {"message"})
db = sqlite3.connect(path)
db.text_factory = bytes
raises("text_factory", ValueError, "text_factory", sqlite_kv.Kv, db)

# sqlite3 without transactions of its own.
db = sqlite3.connect(path, isolation_level=None)
kv = sqlite_kv.Kv(db)
kv["auto",] = 1
check("in autocommit", committed(("auto",)), [1])
db.execute("BEGIN")
kv["auto",] = 2
with kv.transaction():
    kv["auto",] = 3
check("not yet", committed(("auto",)), [1])
db.execute("COMMIT")
check("then", committed(("auto",)), [3])
db.executescript("""
  PRAGMA foreign_keys = on;
  CREATE TABLE parent(id INTEGER PRIMARY KEY);
  CREATE TABLE child(id REFERENCES parent DEFERRABLE INITIALLY DEFERRED)""")


def broken():
    with kv.transaction():
        kv["auto",] = 4
        db.execute("INSERT INTO child VALUES (1)")


raises("a COMMIT that fails", sqlite3.IntegrityError, "FOREIGN KEY", broken)
check("is rolled back", (db.in_transaction, kv["auto",]), (False, 3))
raises("waiting in a transaction", Exception, "kv: kv_wait()", lambda: (db.execute("BEGIN"), kv.wait(kv.versionstamp(), 10)))
db.execute("ROLLBACK")

try:
    import apsw
except ImportError:
    apsw = None
if apsw:
    db = apsw.Connection(path)
    kv = sqlite_kv.Kv(db)
    kv["apsw", 1] = {"a": {1, 2}}
    check("value", kv["apsw", 1], {"a": {1, 2}})
    check("entry", kv.entry(("apsw", 1)).versionstamp, kv.versionstamp())
    check("elsewhere", committed(("apsw", 1)), [{"a": {1, 2}}])
    with kv.transaction():
        kv.sum(("n",), 5)
        check("not elsewhere", committed(("n",)), [None])
    check("elsewhere", committed(("n",)), [KvU64(5)])
    check("list", [e.key for e in kv.list(("apsw",))], [("apsw", 1)])
    check("delete", (kv.delete(("n",)), kv.delete(("n",))), (True, False))
    check("atomic", (kv.atomic().check(("n",), "0" * 20).commit(), kv.set(("n",), 1) > ""), (None, True))
    kv.enqueue(1)
    got = []
    check("listen", (kv.listen(got.append, timeout=10), got), (1, [1]))
    check("watch", [e.value for e, in kv.watch([("n",)], timeout=10)], [1])
    check("row", kv.sql("SELECT key, value AS v FROM kv_entries WHERE key = ?", ("n",))[0]["v"], 1)
    check("no rows", kv.sql("SELECT 1 WHERE 0"), [])
    kv.clear()
    check("len", len(kv), 0)
    db.close()

# -------------------------------------------------------------- asyncio


async def asynchronous():
    where = os.path.join(folder, "aio.db")
    async with await aio.open(where) as kv:
        v = await kv.set(("a",), {"x": 1})
        check("get", (await kv.get(("a",)), await kv.get(("b",), 5)), ({"x": 1}, 5))
        check("entry", (await kv.entry(("a",))).versionstamp, v)
        async with kv.atomic() as op:
            op.check(("a",), v).set(("a",), 2).sum(("n",), 1)
        check("atomic", (await kv.get(("a",)), op.versionstamp > v), (2, True))
        check("a failed check", await kv.atomic().check(("a",), v).set(("a",), 3).commit(), None)
        try:
            async with kv.atomic() as op:
                op.check(("a",), v)
            check("raised", False)
        except sqlite_kv.CheckFailed as e:
            check("key", e.key, ("a",))
        check("sum", await kv.sum(("n",), 2), 3)
        await kv.run(lambda k: k.update({("l", i): i for i in range(1100)}))
        check("list", [e.value async for e in kv.list(("l",))], list(range(1100)))
        check("limit", [e.value async for e in kv.list(("l",), limit=3, reverse=True)], [1099, 1098, 1097])
        check("entries", [e and e.value for e in await kv.entries([("a",), ("none",)])], [2, None])
        check("delete", (await kv.delete(("a",)), await kv.delete(("a",))), (True, False))
        check("sql", (await kv.sql("SELECT 1 AS one"))[0]["one"], 1)

        # The loop goes on while another connection has the lock.
        lock = sqlite3.connect(where, isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticker = asyncio.ensure_future(tick())
        write = asyncio.ensure_future(kv.set(("locked",), 1))
        await asyncio.sleep(0.3)
        check("it waits", (write.done(), ticks > 10), (False, True))
        lock.execute("COMMIT")
        await write
        check("written", await kv.get(("locked",)), 1)

        # Watching, while others write.
        async def watched():
            return [e and e.value async for e, in kv.watch([("w",)], timeout=1000)]

        async with await aio.open(where) as other:
            task = asyncio.ensure_future(watched())
            for i in range(3):
                await asyncio.sleep(0.1)
                await other.set(("w",), i)
            check("watch", await task, [None, 0, 1, 2])

            # Messages: handlers at the same time, leases that are extended.
            at_once = most = 0
            got = []

            async def handler(value):
                nonlocal at_once, most
                at_once += 1
                most = max(most, at_once)
                await asyncio.sleep(3)
                got.append(value)
                at_once -= 1
                if value == "fails":
                    raise RuntimeError

            for i in range(5):
                await other.enqueue(i)
            await other.enqueue("fails", backoff_schedule=[], keys_if_undelivered=[("failed",)])
            n = await kv.listen(handler, lease=2000, timeout=100)
            check("messages", (n, sorted(got, key=str), most), (6, [0, 1, 2, 3, 4, "fails"], 6))
            check("failed", await other.get(("failed",)), "fails")
            await other.enqueue("x", delay=50)
            check("a plain function", await kv.listen(got.append, timeout=300), 1)
            check("waiting", await kv.wait(await kv.versionstamp(), 30), None)
        listening = asyncio.ensure_future(kv.listen(handler))
        await asyncio.sleep(0.05)
        listening.cancel()
        try:
            await listening
        except asyncio.CancelledError:
            pass
        ticker.cancel()
    try:
        await kv.get(("a",))
    except RuntimeError as e:
        check("closed", str(e), "kv: the store is closed")
    async with await aio.open(":memory:") as kv:
        await kv.set(("a",), 1)
        await kv.enqueue("m")
        got = []
        check("in memory", (await kv.listen(got.append, timeout=50), got, await kv.get(("a",))), (1, ["m"], 1))


asyncio.run(asynchronous())

# ----------------------------------------------------------- the prompt


def prompt(args, text=""):
    p = subprocess.run([sys.executable, "-m", "sqlite_kv", *args], input=text, capture_output=True, text=True)
    return [line.lstrip(">. ") for line in p.stdout.splitlines() if line.strip(">. ")], p.stderr, p.returncode


where = os.path.join(folder, "prompt.db")
out, err, rc = prompt([where], """kv["a", 1] = {"x": KvU64}
kv["a", 1] = {"x": {1}}
kv["a", 1]
SELECT key,
  value FROM kv_entries;
SELECT no_column FROM kv_entries;
with kv.atomic() as op:
    op.sum(("n",), 2)

WITH x AS (SELECT 5) SELECT * FROM x;
for k in kv:
    print(k)

""")
check("out", [line for line in out if "object at" not in line], ["{'x': {1}}", '["a",1]|{"x":[1]}', "5", "('a', 1)", "('n',)"])
check("errors", [w in err for w in ("TypeError: kv: value: ", "Error: no such column", "kv is the store")], [True] * 3)
check("a statement", prompt([where, "SELECT key FROM kv_entries"]), (['["a",1]', '["n"]'], "", 0))
out, err, rc = prompt([where, "SELECT"])
check("its error", (out, err.startswith("Error: "), rc), ([], True, 1))
out, err, rc = prompt([])
check("usage", (out[0][:6], rc), ("usage:", 1))

# ------------------------------------------ Pythons without extensions


class NoExtensions:
    def __init__(self):
        self.db = sqlite3.connect(":memory:")

    def cursor(self):
        return self.db.cursor()


raises("a message", RuntimeError, "pip install apsw", sqlite_kv.load, NoExtensions())
raises("another", RuntimeError, "--enable-loadable-sqlite-extensions", sqlite_kv.Kv, NoExtensions())
os.environ["SQLITE_KV_EXTENSION"] = os.path.join(folder, "none")
raises("no extension", Exception, "none", sqlite_kv.open, ":memory:")
done()
