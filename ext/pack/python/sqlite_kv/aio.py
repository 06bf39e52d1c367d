"""The store for asyncio: the same methods, as coroutines that don't block the loop.

    from sqlite_kv import aio

    async with await aio.open("app.db") as kv:
        await kv.set(("users", 1), {"name": "Ada"})
        async for entry in kv.list(prefix=("users",)):
            print(entry.key, entry.value)

SQLite runs in a thread of its own, one call after the other.  Waiting has another
thread and connection.  Times are in ms, or a timedelta; errors are those of Kv.
"""

from __future__ import annotations

import asyncio
import inspect
import math
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, AsyncIterator, Callable, Iterable, List, Optional, Sequence, Union

from ._keys import Key
from ._kv import _BATCH, _SLICE, Atomic, Entry, Kv, Milliseconds, Row, _log, _ms
from ._values import loads

_HANDLERS = 100                 # messages that are handled at a time
_POLL = 0.02                    # seconds between two looks at a store in memory


async def open(path: Any, *, timeout: float = 30.0) -> "AsyncKv":
    """Open the store of a SQLite file; see sqlite_kv.open()."""
    kv = AsyncKv(path, timeout)
    await kv._open()
    return kv


class AsyncAtomic(Atomic):
    """An atomic operation: `async with kv.atomic() as op: op.check(...).set(...)`."""

    def __init__(self, kv: "AsyncKv"):
        super().__init__(kv.kv)
        self._async = kv

    async def commit(self) -> Optional[str]:  # type: ignore[override]
        """Carry it out; its versionstamp, or None if a check failed."""
        return await self._async.run(lambda kv: self._carry_out())

    def __enter__(self) -> Any:
        raise TypeError("kv: write `async with kv.atomic()`")

    async def __aenter__(self) -> "AsyncAtomic":
        return self

    async def __aexit__(self, kind: Any, *_: Any) -> None:
        if kind is None and not self._committed:
            await self._async.run(lambda kv: self._commit())


class AsyncKv:
    """The store of a SQLite file, for asyncio.  `run(f)` calls f(kv) with the Kv, in its thread."""

    def __init__(self, path: Any, timeout: float):
        self._path, self._timeout = path, timeout
        self._thread = ThreadPoolExecutor(1, "sqlite_kv")
        self._waiting: Optional[ThreadPoolExecutor] = None
        self._waiter: Any = None
        self._closed = False
        self.kv: Any = None

    async def _open(self) -> None:
        from . import open as open_kv

        loop = asyncio.get_running_loop()
        self.kv = await loop.run_in_executor(self._thread, lambda: open_kv(self._path, timeout=self._timeout))

    async def run(self, f: Callable[[Kv], Any]) -> Any:
        """f(kv) in the thread of the store: several calls at once, or a transaction."""
        if self._closed:
            raise RuntimeError("kv: the store is closed")
        return await asyncio.get_running_loop().run_in_executor(self._thread, f, self.kv)

    async def get(self, key: Key, default: Any = None) -> Any:
        """The value under a key, or the default."""
        return await self.run(lambda kv: kv.get(key, default))

    async def entry(self, key: Key) -> Optional[Entry]:
        """The entry of a key, or None."""
        return await self.run(lambda kv: kv.entry(key))

    async def entries(self, keys: Iterable[Key]) -> List[Optional[Entry]]:
        """The entries of some keys, as of one moment."""
        return await self.run(lambda kv: kv.entries(keys))

    async def set(self, key: Key, value: Any, expire_in: Optional[Milliseconds] = None) -> str:
        """Store a value; the versionstamp."""
        return await self.run(lambda kv: kv.set(key, value, expire_in))

    async def delete(self, key: Key) -> bool:
        """Delete an entry; False if there is none."""
        return await self.run(lambda kv: kv.delete(key))

    async def sum(self, key: Key, n: Any = 1) -> Any:
        """Add to a stored number; the new value."""
        return await self.run(lambda kv: kv.sum(key, n))

    async def list(
        self,
        prefix: Optional[Key] = None,
        start: Optional[Key] = None,
        end: Optional[Key] = None,
        limit: Optional[int] = None,
        reverse: bool = False,
    ) -> AsyncIterator[Entry]:
        """Entries in the order of their keys; see Kv.list()."""
        rows = self.kv.list(prefix, start, end, limit, reverse)
        while True:
            batch = await self.run(lambda kv: [e for _, e in zip(range(_BATCH), rows)])
            for entry in batch:
                yield entry
            if len(batch) < _BATCH:
                return

    def atomic(self) -> AsyncAtomic:
        """An atomic operation."""
        return AsyncAtomic(self)

    async def sql(self, statement: str, *args: Any) -> List[Row]:
        """Run a statement of SQL; its rows."""
        return await self.run(lambda kv: kv.sql(statement, *args))

    async def enqueue(
        self,
        value: Any,
        delay: Milliseconds = 0,
        backoff_schedule: Optional[Sequence[int]] = None,
        keys_if_undelivered: Iterable[Key] = (),
    ) -> str:
        """Put a message into the queue; see Kv.enqueue()."""
        return await self.run(lambda kv: kv.enqueue(value, delay, backoff_schedule, keys_if_undelivered))

    async def versionstamp(self) -> str:
        """The newest versionstamp of the store."""
        return await self.run(lambda kv: kv.versionstamp())

    async def wait(self, versionstamp: str, timeout: Optional[Milliseconds] = None) -> Optional[str]:
        """Wait until the store's versionstamp is past this one; None after `timeout` ms."""
        ms = _ms(timeout)
        end = math.inf if ms is None else time.monotonic() + ms / 1000
        while True:
            left = end - time.monotonic()
            version = await self._wait(versionstamp, max(0, left))
            if version is not None or left <= 0:
                return version

    async def _wait(self, versionstamp: str, seconds: float) -> Optional[str]:
        """The same for a short time at most, so that it can be cancelled."""
        if str(self._path) == ":memory:":
            await asyncio.sleep(min(seconds, _POLL))
            version = await self.versionstamp()
            return version if version > versionstamp else None
        loop = asyncio.get_running_loop()
        if self._waiting is None:
            from . import open as open_kv

            self._waiting = ThreadPoolExecutor(1, "sqlite_kv.wait")
            opened = loop.run_in_executor(self._waiting, lambda: open_kv(self._path, timeout=self._timeout))
            self._waiter = opened
        waiter = await asyncio.shield(self._waiter)
        ms = min(_SLICE, seconds * 1000)
        return await loop.run_in_executor(self._waiting, waiter.wait, versionstamp, ms)

    async def watch(
        self, keys: Iterable[Key], timeout: Optional[Milliseconds] = None
    ) -> AsyncIterator[List[Optional[Entry]]]:
        """The entries of some keys, now and after each change; see Kv.watch()."""
        keys = list(keys)
        idle = _ms(timeout)
        seen = None
        while True:
            end = math.inf if idle is None else time.monotonic() + idle / 1000
            while True:
                version = await self.versionstamp()
                entries = await self.entries(keys)
                now = [e and e.versionstamp for e in entries]
                if now != seen:
                    break
                left = (end - time.monotonic()) * 1000
                if left <= 0:
                    return
                due = min((e.expires_at for e in entries if e and e.expires_at is not None), default=math.inf)
                await self._wait(version, max(1, min(left, due - time.time() * 1000 + 1)) / 1000)
            seen = now
            yield entries

    async def listen(
        self,
        handler: Callable[[Any], Any],
        lease: Milliseconds = 5000,
        timeout: Optional[Milliseconds] = None,
        handlers: int = _HANDLERS,
    ) -> int:
        """Call handler(value), which may be a coroutine, for each message; see Kv.listen().

        Up to `handlers` messages at a time.  A lease is extended while its handler runs.
        """
        lease_ms, idle = _ms(lease), _ms(timeout)
        running: set = set()
        handled = 0
        end = math.inf if idle is None else time.monotonic() + idle / 1000
        version = None
        try:
            while True:
                if len(running) >= handlers:
                    await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                    continue
                version, row, due = await self.run(lambda kv: kv._claim(lease_ms, version))
                if row is not None:
                    handled += 1
                    task = asyncio.ensure_future(self._handle(handler, row[0], row[1], lease_ms))
                    running.add(task)
                    task.add_done_callback(running.discard)
                if row is not None or running:
                    end = math.inf if idle is None else time.monotonic() + idle / 1000
                if row is not None:
                    continue
                left = (end - time.monotonic()) * 1000
                if left <= 0:
                    return handled
                await self._wait(version, min(_SLICE, due, left) / 1000)
        finally:
            if running:
                await asyncio.gather(*running, return_exceptions=True)

    async def _handle(self, handler: Callable[[Any], Any], id: str, raw: bytes, lease: int) -> None:
        ok = 0
        keep = asyncio.ensure_future(self._keep(id, lease))
        try:
            result = handler(loads(raw))
            if inspect.isawaitable(result):
                await result
            ok = 1
        except Exception:
            _log.exception("kv: the handler of a message failed")
        finally:
            keep.cancel()
            await self.run(lambda kv: kv._write("SELECT kv_finish(?, ?)", (id, ok)))

    async def _keep(self, id: str, lease: int) -> None:
        """Extend the lease of a message."""
        while True:
            await asyncio.sleep(lease / 2000)
            try:
                await self.run(lambda kv: kv.sql("UPDATE kv_queue SET deadline = kv_now() + ? WHERE id = ?", lease, id))
            except Exception:                           # locked: the next one may succeed
                _log.exception("kv: a lease wasn't extended")

    async def close(self) -> None:
        """Close the connections."""
        if self._closed:
            return
        self._closed = True
        loop = asyncio.get_running_loop()
        if self._waiting is not None:
            waiter = await self._waiter
            await loop.run_in_executor(self._waiting, waiter.close)
            self._waiting.shutdown()
        await loop.run_in_executor(self._thread, self.kv.close)
        self._thread.shutdown()

    async def __aenter__(self) -> "AsyncKv":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()
