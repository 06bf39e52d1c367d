"""Kv: Deno KV's store as a mapping from tuples to values."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import ItemsView, MutableMapping, ValuesView
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from ._kinds import BigInt, KvU64, Opaque
from ._fast import dumps, key_bytes, key_parts, key_text, loads, row as value_row
from ._keys import Key
from ._values import dumps_message

_log = logging.getLogger("sqlite_kv")
_MISSING: Any = object()
_BATCH = 500                    # entries that a list reads at a time
_SLICE = 200                    # ms of a wait, between which Python can be interrupted

Milliseconds = Union[int, float, timedelta]


class Entry(NamedTuple):
    """A key with what is stored under it.

    `versionstamp`: 20 hex digits, which grow with each write; `expires_at`: ms since
    1970, or None if it doesn't expire.
    """

    key: Key
    value: Any
    versionstamp: str
    expires_at: Optional[int] = None


class CheckFailed(Exception):
    """An atomic operation was not carried out, since an entry has another versionstamp.

    `key`: that of the check that failed.
    """

    def __init__(self, key: Any):
        super().__init__("kv: check failed: key %r" % (key,))
        self.key = key


class Row(tuple):
    """A row of sql(): a tuple, whose columns have names, too: row["name"], row.asdict()."""

    names: Tuple[str, ...] = ()

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, str):
            try:
                return tuple.__getitem__(self, self.names.index(i))
            except ValueError:
                raise KeyError(i) from None
        return tuple.__getitem__(self, i)

    def asdict(self) -> Dict[str, Any]:
        return dict(zip(self.names, self))


def _ms(t: Optional[Milliseconds]) -> Optional[int]:
    if t is None:
        return None
    if isinstance(t, timedelta):
        return t // timedelta(milliseconds=1)
    if isinstance(t, bool) or not isinstance(t, (int, float)) or math.isnan(t) or math.isinf(t):
        raise TypeError("kv: %r is neither a number of ms nor a timedelta" % (t,))
    return int(t)


def _value(raw: bytes) -> Any:
    try:
        return loads(raw)
    except ValueError as e:
        return Opaque(raw, str(e))


def _keys_text(keys: Iterable[Key]) -> Optional[str]:
    texts = [key_text(k) for k in keys]
    return "[%s]" % ",".join(texts) if texts else None


# ------------------------------------------------------------------ SQL

_KEY = "CASE WHEN key LIKE 'kv.malformedKey(%' THEN key ELSE kv_key_encode(key) END"
# What most entries are, read from Deno's own table: in V8's format, without an expiry.
_PLAIN = "SELECT v FROM main.kv WHERE k = ? AND v_encoding = 1 AND expiration_ms = -1"
_GET = "SELECT raw FROM kv_entries WHERE key = ?"
_ENTRY = "SELECT raw, versionstamp, expires_at FROM kv_entries WHERE key = ?"
_HAS = "SELECT 1 FROM kv_entries WHERE key = ?"
_PUT = "INSERT OR REPLACE INTO kv_entries(key, raw) VALUES (?, ?)"
_SET = "SELECT kv_set(?, kv_raw(?, ?), ?)"
_DELETE = "DELETE FROM kv_entries WHERE key = ?"
# When the next message is ready, or a lease ends.
_DUE = """SELECT min(t) FROM (SELECT min(ready_at) AS t FROM kv_queue WHERE state = 'ready'
  UNION ALL SELECT min(deadline) FROM kv_queue WHERE state = 'running' AND deadline > kv_now() - 1000)"""
_CLAIM = "SELECT id, raw FROM kv_dequeue(?, 1)"


class _Rows:
    """All rows of a statement."""

    def __init__(self, rows: List[Any]):
        self.rows = rows

    def fetchone(self) -> Any:
        return self.rows[0] if self.rows else None


def _whole(cursor: Any) -> Any:
    """apsw's execute(), which otherwise leaves a statement unfinished behind its first row."""
    return lambda sql, args=(): _Rows(cursor.execute(sql, args).fetchall())


class _Values(ValuesView):
    def __iter__(self) -> Iterator[Any]:
        return (e.value for e in self._mapping.list())


class _Items(ItemsView):
    def __iter__(self) -> Iterator[Any]:
        return ((e.key, e.value) for e in self._mapping.list())


class Kv(MutableMapping):
    """The store of a connection of sqlite3 or apsw, as a mapping from tuples.

        kv = sqlite_kv.open("app.db")
        kv["users", 42] = {"name": "Ada"}
        for key, value in kv.items(): ...

    Kv(connection) uses a connection of yours, whose transactions hold for both.

    Units: times are in ms, as an int, a float or a timedelta; points in time in ms
    since 1970.

    Errors: KeyError for a missing key; TypeError for a key that is no tuple of parts,
    or a value of a type that can't be stored; ValueError for a value that can't be,
    such as a datetime without a time zone; CheckFailed for an atomic operation.  What
    SQLite or the extension refuses is an exception of the driver, mostly
    sqlite3.OperationalError (apsw.SQLError); the extension's messages begin with "kv: ".

    Source: each method is a statement of SQL on the tables of the extension, which
    its docstring names; the manual's chapters on them have the details.
    """

    def __init__(self, connection: Any):
        from . import load

        if getattr(connection, "text_factory", str) is not str:
            raise ValueError("kv: the connection's text_factory isn't str")
        load(connection)
        self.connection = connection
        self._owned = False
        self._closed = False
        cursor = self._cursor()
        self._execute: Any = cursor.execute if hasattr(cursor, "row_factory") else _whole(cursor)
        # What reads a plain value at once, in sqlite3 with the codecs in C.
        self._plain: Any = None
        if hasattr(cursor, "row_factory") and value_row is not None:
            plain = self._cursor()
            plain.row_factory = value_row
            self._plain = plain.execute

    # ------------------------------------------------------- statements

    def _one(self, sql: str, args: Sequence[Any] = ()) -> Any:
        """The first row of a statement that has no more, or None."""
        return self._execute(sql, args).fetchone()

    def _all(self, sql: str, args: Sequence[Any] = ()) -> List[Any]:
        return self._cursor().execute(sql, args).fetchall()

    def _cursor(self) -> Any:
        """A cursor whose rows are tuples, whatever the connection's are."""
        cursor = self.connection.cursor()
        if hasattr(cursor, "row_factory"):
            cursor.row_factory = None
        return cursor

    def _in_transaction(self) -> bool:
        db = self.connection
        return db.in_transaction if hasattr(db, "in_transaction") else not db.getautocommit()

    def _begin(self) -> None:
        """Begin the transaction that sqlite3 would begin for an INSERT.

        sqlite3 begins transactions by itself, by what a statement begins with.
        """
        level = getattr(self.connection, "isolation_level", None)
        if level is not None and not self._in_transaction():
            self._execute("BEGIN " + level)

    def _write(self, sql: str, args: Sequence[Any]) -> Any:
        """A SELECT that writes."""
        self._begin()
        return self._one(sql, args)

    @contextmanager
    def transaction(self) -> Iterator["Kv"]:
        """All that is done inside is done, or nothing if an exception leaves it.

        It takes the write lock at its start.  Within another transaction it is a
        savepoint.
        """
        nested = self._in_transaction()
        self._execute("SAVEPOINT sqlite_kv" if nested else "BEGIN IMMEDIATE")
        try:
            yield self
            self._execute("RELEASE sqlite_kv" if nested else "COMMIT")
        except BaseException:
            if self._in_transaction():
                self._execute("ROLLBACK TO sqlite_kv" if nested else "ROLLBACK")
                if nested:
                    self._execute("RELEASE sqlite_kv")
            raise

    # ---------------------------------------------------------- mapping

    def _get(self, key: Key) -> Any:
        """The value under a key, however it is stored, or _MISSING."""
        row = self._one(_GET, (key_text(key),))
        return _MISSING if row is None else _value(row[0])

    def __getitem__(self, key: Key) -> Any:
        if self._plain is not None:
            try:
                value = self._plain(_PLAIN, (key_bytes(key),)).fetchone()
                if value is not None:
                    return value
            except Exception:                           # no store yet, or malformed: _get() says so
                pass
        value = self._get(key)
        if value is _MISSING:
            raise KeyError(key)
        return value

    def get(self, key: Key, default: Any = None) -> Any:
        """The value under a key, or the default.

        SQL: SELECT raw FROM kv_entries WHERE key = ?.
        """
        try:
            return self[key]
        except KeyError:
            return default

    def __setitem__(self, key: Key, value: Any) -> None:
        self._execute(_PUT, (key_text(key), dumps(value)))

    def __delitem__(self, key: Key) -> None:
        if not self.delete(key):
            raise KeyError(key)

    def __contains__(self, key: Any) -> bool:
        return self._one(_HAS, (key_text(key),)) is not None

    def __iter__(self) -> Iterator[Key]:
        return (key for key, in self._scan(_KEY, None, None, None, None, False))

    def __reversed__(self) -> Iterator[Key]:
        return (key for key, in self._scan(_KEY, None, None, None, None, True))

    def __len__(self) -> int:
        return self._one("SELECT count(*) FROM kv_entries")[0]

    def __bool__(self) -> bool:
        return True

    def values(self) -> ValuesView:
        return _Values(self)

    def items(self) -> ItemsView:
        return _Items(self)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """As of a dict, in one transaction.

        On a connection of yours that begins transactions you commit it, as any other write.
        """
        self._begin()
        with self.transaction():
            super().update(*args, **kwargs)

    def __ior__(self, other: Any) -> "Kv":
        self.update(other)
        return self

    def clear(self) -> None:
        """Delete all entries; messages of the queue stay.

        SQL: DELETE FROM kv_entries.
        """
        self._execute("DELETE FROM kv_entries")

    def setdefault(self, key: Key, default: Any = None) -> Any:
        """The value under a key, after the default was stored if there was none."""
        while True:
            entry = self.entry(key)
            if entry is not None:
                return entry.value
            if self.atomic().check(key, None).set(key, default).commit():
                return default

    def pop(self, key: Key, default: Any = _MISSING) -> Any:
        """Delete an entry and return its value; of several callers one gets it."""
        while True:
            entry = self.entry(key)
            if entry is None:
                if default is _MISSING:
                    raise KeyError(key)
                return default
            if self.atomic().check(entry).delete(key).commit():
                return entry.value

    def popitem(self) -> Tuple[Key, Any]:
        """Delete the entry with the least key and return its key and value."""
        for entry in self.list():
            value = self.pop(entry.key, _MISSING) if entry.key in self else _MISSING
            if value is not _MISSING:
                return entry.key, value
        raise KeyError("popitem(): the store is empty")

    # ---------------------------------------------------------- entries

    def entry(self, key: Key) -> Optional[Entry]:
        """The entry of a key, or None.

        SQL: SELECT raw, versionstamp, expires_at FROM kv_entries WHERE key = ?.
        """
        row = self._one(_ENTRY, (key_text(key),))
        return None if row is None else Entry(key, _value(row[0]), row[1], row[2])

    def entries(self, keys: Iterable[Key]) -> List[Optional[Entry]]:
        """The entries of some keys, in their order, as of one moment; None where there is none.

        SQL: one SELECT, so it is one snapshot, as Deno's getMany().
        """
        keys = list(keys)
        texts = [key_text(k) for k in keys]
        if not texts:
            return []
        marks = ",".join("(%d,?)" % i for i in range(len(texts)))
        rows = self._all(
            "WITH k(i, t) AS (VALUES %s) SELECT e.raw, e.versionstamp, e.expires_at FROM k "
            "LEFT JOIN kv_entries AS e ON e.key = k.t ORDER BY k.i" % marks,
            texts,
        )
        return [None if raw is None else Entry(k, _value(raw), s, x) for k, (raw, s, x) in zip(keys, rows)]

    def set(self, key: Key, value: Any, expire_in: Optional[Milliseconds] = None) -> str:
        """Store a value, for `expire_in` ms if given; the versionstamp.

        The last part of the key may be COMMIT_VERSIONSTAMP.  Without `expire_in` an
        entry that expired at some time no longer does.  TypeError, ValueError: see Kv;
        OperationalError: the key has more than 2048 bytes or the value more than
        65536, Deno's limits (kv.sql("SELECT kv_config('value_bytes', ?)", n)).
        SQL: kv_set().
        """
        raw = dumps(value)
        return self._write(_SET, (key_text(key), raw[1:], raw[0], _ms(expire_in)))[0]

    def delete(self, key: Key) -> bool:
        """Delete an entry; False if there is none.

        SQL: DELETE FROM kv_entries WHERE key = ?.
        """
        self._begin()
        self._execute(_DELETE, (key_text(key),))
        return self._one("SELECT changes()")[0] != 0

    def list(
        self,
        prefix: Optional[Key] = None,
        start: Optional[Key] = None,
        end: Optional[Key] = None,
        limit: Optional[int] = None,
        reverse: bool = False,
    ) -> Iterator[Entry]:
        """Entries in the order of their keys, or backwards.

        Those strictly below `prefix`, from `start` on, before `end`; all without
        these.  They are read 500 at a time, each as of one moment: a write in
        between may show in what follows; inside of transaction() none does.
        ValueError: a negative limit.
        SQL: SELECT ... FROM kv_entries WHERE prefix = ? AND key >= ? AND key < ?.
        """
        if limit is not None and limit < 0:
            raise ValueError("kv: list(): the limit %r is negative" % (limit,))
        columns = _KEY + ", raw, versionstamp, expires_at"
        for key, raw, versionstamp, expires_at in self._scan(columns, prefix, start, end, limit, reverse):
            yield Entry(key, _value(raw), versionstamp, expires_at)

    def _scan(
        self,
        columns: str,
        prefix: Optional[Key],
        start: Optional[Key],
        end: Optional[Key],
        limit: Optional[int],
        reverse: bool,
    ) -> Iterator[Any]:
        """Rows of kv_entries, the first column as a key."""
        low = None if start is None else ("key >= ?", key_text(start))
        high = None if end is None else ("key < ?", key_text(end))
        below = None if prefix is None else ("prefix = ?", key_text(prefix))
        left = math.inf if limit is None else limit
        order = "ORDER BY key DESC" if reverse else "ORDER BY key"
        while left > 0:
            terms = [t for t in (below, low, high) if t]
            where = "WHERE " + " AND ".join(t[0] for t in terms) if terms else ""
            n = min(_BATCH, left)
            sql = "SELECT %s FROM kv_entries %s %s LIMIT ?" % (columns, where, order)
            rows = self._all(sql, [t[1] for t in terms] + [n])
            for row in rows:
                last = key_parts(row[0])
                yield (last, *row[1:])
            if len(rows) < n:
                return
            left -= n
            if reverse:
                high = ("key < ?", key_text(last))
            else:
                low = ("key > ?", key_text(last))

    # ---------------------------------------------------- atomic operations

    def atomic(self) -> "Atomic":
        """An atomic operation: `with kv.atomic() as op: op.check(...); op.set(...)`.

        SQL: SELECT kv_atomic(kv_op('check', ...), kv_op('set', ...)).
        """
        return Atomic(self)

    def sum(self, key: Key, n: Union[int, float, KvU64, BigInt] = 1) -> Any:
        """Add to a stored number, KvU64 or bigint; the new value.

        Where nothing is stored an int makes a KvU64 and a float a number.  An entry
        keeps its expiry.  TypeError: n is no number; OperationalError: what is stored
        is none, or n is negative and a KvU64 is stored, or nothing.  SQL: kv_sum().
        """
        mark, args = _operand(n)
        return self._write("SELECT kv_sum(?, %s)" % mark, (key_text(key), *args))[0]

    def enqueue(
        self,
        value: Any,
        delay: Milliseconds = 0,
        backoff_schedule: Optional[Sequence[int]] = None,
        keys_if_undelivered: Iterable[Key] = (),
    ) -> str:
        """Put a message into the queue, to be delivered in `delay` ms; the versionstamp.

        If its handler fails it is delivered again after each of the times of the
        backoff schedule (in ms; 100, 1000, 5000, 30000 and 60000 by default), and then
        stored under the keys.  TypeError: a KvU64 is no message, as in Deno.
        OperationalError: a delay of more than 30 days, more than 5 times or 10 keys.
        SQL: kv_enqueue(), or INSERT INTO kv_queue.
        """
        op = self.atomic().enqueue(value, delay, backoff_schedule, keys_if_undelivered)
        return op._commit()

    # ------------------------------------------------------- queue, watch

    def versionstamp(self) -> str:
        """The newest versionstamp of the store, which grows with every write.

        SQL: kv_versionstamp().
        """
        return self._one("SELECT kv_versionstamp()")[0]

    def wait(self, versionstamp: str, timeout: Optional[Milliseconds] = None) -> Optional[str]:
        """Wait until the store's versionstamp is past this one; the new one, or None after `timeout` ms.

        Any process may have written.  An exception: a transaction is open, or
        `versionstamp` is none ('' is the beginning).  SQL: kv_wait().
        """
        ms = _ms(timeout)
        end = math.inf if ms is None else time.monotonic() + ms / 1000
        while True:
            left = max(0, min(_SLICE, (end - time.monotonic()) * 1000))
            row = self._one("SELECT kv_wait(?, ?)", (versionstamp, math.ceil(left)))
            if row[0] is not None:
                return row[0]
            if time.monotonic() >= end:
                return None

    def listen(
        self,
        handler: Callable[[Any], Any],
        lease: Milliseconds = 30000,
        timeout: Optional[Milliseconds] = None,
    ) -> int:
        """Call handler(value) for each message, one after the other, whoever enqueued it.

        A message whose handler raises an Exception is delivered again by its backoff
        schedule; the exception goes to the logger "sqlite_kv".  `lease`: ms in which
        the handler must return, else the message is delivered again, as it is if
        the process dies.  It returns when no message has come for `timeout` ms, with
        the number of those handled; without a timeout it goes on.

        A transaction that the handler leaves open on this connection is committed
        together with the message, or undone if it raises.  RuntimeError: a transaction
        is open at the start.  SQL: kv_dequeue(), kv_finish().
        """
        handled = 0
        lease_ms, idle = _ms(lease), _ms(timeout)
        end = math.inf if idle is None else time.monotonic() + idle / 1000
        version = None
        if self._in_transaction():
            raise RuntimeError("kv: listen(): a transaction is open; commit it first")
        while True:
            version, row, due = self._claim(lease_ms, version)
            if row is not None:
                self._handle(handler, *row)
                handled += 1
                end = math.inf if idle is None else time.monotonic() + idle / 1000
                continue
            left = (end - time.monotonic()) * 1000
            if left <= 0:
                return handled
            self.wait(version, min(_SLICE, due, left))

    def _claim(self, lease: Optional[int], seen: Optional[str]) -> Tuple[str, Any, float]:
        """Claim a message, unless there can't be one: the store's version, the row of the message
        or None, and in how many ms there may be another, at the latest.

        `seen`: the version before which there was none.
        """
        version = self.versionstamp()
        due = self._one(_DUE)[0]
        ms = math.inf if due is None else due - time.time() * 1000
        if version == seen and ms > 0:
            return version, None, ms + 1
        # With the lock from the start: what a SELECT has read may be stale when it writes.
        with self.transaction():
            return version, self._one(_CLAIM, (lease,)), max(1, ms)

    def _handle(self, handler: Callable[[Any], Any], id: str, raw: bytes) -> None:
        ok = 0
        try:
            handler(loads(raw))
            ok = 1
        except Exception:
            _log.exception("kv: the handler of a message failed")
        finally:
            # What the handler has left in a transaction is committed with it, or undone.
            if not ok and self._in_transaction():
                self._execute("ROLLBACK")
            with self.transaction():
                self._one("SELECT kv_finish(?, ?)", (id, ok))
            if self._in_transaction():
                self._execute("COMMIT")

    def watch(
        self, keys: Iterable[Key], timeout: Optional[Milliseconds] = None
    ) -> Iterator[List[Optional[Entry]]]:
        """The entries of some keys, now and after each change, whoever made it.

        It ends when nothing has changed for `timeout` ms; without a timeout it goes on.
        Of several changes that come fast only the last may be yielded, as in Deno.
        SQL: kv_wait() and kv_entries.
        """
        keys = list(keys)
        idle = _ms(timeout)
        seen = None
        while True:
            end = math.inf if idle is None else time.monotonic() + idle / 1000
            while True:
                version = self.versionstamp()
                entries = self.entries(keys)
                now = [e and e.versionstamp for e in entries]
                if now != seen:
                    break
                left = (end - time.monotonic()) * 1000
                if left <= 0:
                    return
                due = min((e.expires_at for e in entries if e and e.expires_at is not None), default=math.inf)
                self.wait(version, min(_SLICE, math.ceil(left) if left < math.inf else left,
                                       max(1, due - time.time() * 1000 + 1)))
            seen = now
            yield entries

    # -------------------------------------------------------------- SQL

    def sql(self, statement: str, *args: Any) -> List[Row]:
        """Run a statement of SQL on the same connection; its rows, by position and name.

        An argument that is a tuple is bound as key text, others as the driver binds them.
        A value of any kind goes as sqlite_kv.dumps(value) to the column `raw`, and
        sqlite_kv.loads() reads that.  It reads all rows; connection.execute() doesn't.
        Errors are those of the driver.
        """
        cursor = self._cursor()
        bound = [key_text(a) if isinstance(a, tuple) else a for a in args]
        names: Tuple[str, ...] = ()
        rows: List[Row] = []
        for values in cursor.execute(statement, bound):
            if not rows:
                described = cursor.description if hasattr(cursor, "description") else cursor.getdescription()
                names = tuple(d[0] for d in described)
            row = Row(values)
            row.names = names
            rows.append(row)
        return rows

    def close(self) -> None:
        """Close the connection, if open() has opened it."""
        if self._owned and not self._closed:
            self.connection.close()
        self._closed = True

    def __enter__(self) -> "Kv":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<sqlite_kv.Kv over %r>" % (self.connection,)

    # A store is what it holds, but is compared by identity where that is needed.
    __hash__ = object.__hash__


def _operand(n: Any) -> Tuple[str, Tuple[Any, ...]]:
    """The SQL of what is summed, and its arguments."""
    if isinstance(n, (KvU64, BigInt)):
        raw = dumps(n)
        return "kv_raw(?, ?)", (raw[1:], raw[0])
    if isinstance(n, bool) or not isinstance(n, (int, float)):
        raise TypeError("kv: %r is not an int, float, KvU64 or BigInt" % (n,))
    if isinstance(n, int) and not -(1 << 63) <= n < 1 << 63:
        return "kv_bigint(?)", (str(n),)
    return "?", (n,)


class Atomic:
    """An atomic operation: all of it is done, or nothing if a check fails.

    As a context manager it is committed at the end, and a failed check raises
    CheckFailed; an exception inside of the block drops it.  commit() returns None
    instead.  Deno's limits (100 checks, 1000 mutations, 819200 bytes) and operands
    of sum() that don't fit what is stored are errors of the driver, and undo all of it.
    `versionstamp`: that of the operation, once it is committed.
    """

    def __init__(self, kv: Kv):
        self._kv = kv
        self._steps: List[Tuple[str, Tuple[Any, ...]]] = []
        self._committed = False
        self.versionstamp: Optional[str] = None

    def check(self, key: Union[Entry, Key], versionstamp: Any = _MISSING) -> "Atomic":
        """Only if the entry is this one still: check(entry), or check(key, versionstamp).

        None instead of a versionstamp: only if there is no entry.
        """
        if isinstance(key, Entry):
            key, versionstamp = key.key, key.versionstamp
        elif versionstamp is _MISSING:
            raise TypeError("kv: check(): give an Entry, or a key and a versionstamp (None: no entry)")
        return self._add("kv_op('check', ?, ?)", key_text(key), versionstamp)

    def set(self, key: Key, value: Any, expire_in: Optional[Milliseconds] = None) -> "Atomic":
        """Store a value, for `expire_in` ms if given."""
        raw = dumps(value)
        return self._add("kv_op('set', ?, kv_raw(?, ?), ?)", key_text(key), raw[1:], raw[0], _ms(expire_in))

    def delete(self, key: Key) -> "Atomic":
        """Delete an entry, if there is one."""
        return self._add("kv_op('delete', ?)", key_text(key))

    def sum(self, key: Key, n: Any) -> "Atomic":
        """Add to a stored number, KvU64 or bigint; see Kv.sum()."""
        return self._number("sum", key, n)

    def min(self, key: Key, n: Any) -> "Atomic":
        """The lesser of a stored number and n."""
        return self._number("min", key, n)

    def max(self, key: Key, n: Any) -> "Atomic":
        """The greater of a stored number and n."""
        return self._number("max", key, n)

    def _number(self, op: str, key: Key, n: Any) -> "Atomic":
        mark, args = _operand(n)
        return self._add("kv_op('%s', ?, %s)" % (op, mark), key_text(key), *args)

    def enqueue(
        self,
        value: Any,
        delay: Milliseconds = 0,
        backoff_schedule: Optional[Sequence[int]] = None,
        keys_if_undelivered: Iterable[Key] = (),
    ) -> "Atomic":
        """Put a message into the queue; see Kv.enqueue()."""
        raw = dumps_message(value)
        backoff = None if backoff_schedule is None else "[%s]" % ",".join(str(_ms(t)) for t in backoff_schedule)
        return self._add(
            "kv_op('enqueue', kv_raw(?, ?), ?, ?, ?)", raw[1:], raw[0], _ms(delay),
            _keys_text(keys_if_undelivered), backoff,
        )

    def _add(self, sql: str, *args: Any) -> "Atomic":
        self._steps.append((sql, args))
        return self

    def commit(self) -> Optional[str]:
        """Carry it out; its versionstamp, or None if a check failed."""
        return self._carry_out()

    def _carry_out(self) -> Optional[str]:
        steps = self._steps
        ops = [sql for sql, _ in steps]
        args = [a for _, more in steps for a in more]
        if len(ops) <= 100:
            sql = "SELECT kv_atomic(%s)" % ", ".join(ops)
        else:
            sql = "SELECT kv_atomic(column1) FROM (VALUES (%s))" % "), (".join(ops)
        self._committed = True
        self.versionstamp = self._kv._write(sql, args)[0]
        return self.versionstamp

    def _commit(self) -> str:
        versionstamp = self._carry_out()
        if versionstamp is None:
            text = self._kv._one("SELECT kv_key_encode(kv_conflict())")[0]
            raise CheckFailed(None if text is None else key_parts(text))
        return versionstamp

    def __enter__(self) -> "Atomic":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None and not self._committed:
            self._commit()
