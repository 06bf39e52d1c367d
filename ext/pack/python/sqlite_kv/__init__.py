"""Deno KV's store in a SQLite file, for Python: a mapping from tuples to typed values.

    import sqlite_kv

    kv = sqlite_kv.open("app.db")
    kv["users", 42] = {"name": "Ada", "roles": {"admin"}}
    for entry in kv.list(prefix=("users",)):
        print(entry.key, entry.value)

It is made of a SQLite extension, which any connection can load:

    db = sqlite3.connect("app.db")
    sqlite_kv.load(db)
"""

from __future__ import annotations

from os import PathLike, environ, fspath, path as _path
from typing import Any, Union

from ._fast import dumps, loads
from ._keys import COMMIT_VERSIONSTAMP, Key, MalformedKey
from ._kinds import (
    Array, ArrayBuffer, BigInt, Boxed, Date, Error, HostObject, KvU64, Map, Opaque, OrderedSet, RegExp, Set,
    Undefined, View, undefined,
)
from ._kv import Atomic, CheckFailed, Entry, Kv, Row

__all__ = [
    "Array", "ArrayBuffer", "Atomic", "BigInt", "Boxed", "COMMIT_VERSIONSTAMP", "CheckFailed", "Date", "Entry",
    "Error", "HostObject", "Key", "Kv", "KvU64", "MalformedKey", "Map", "Opaque", "OrderedSet", "RegExp", "Row",
    "Set", "Undefined", "View", "dumps", "load", "loadable_path", "loads", "open", "undefined",
]
__version__ = "@VERSION@"

_CANNOT = (
    "kv: this Python's sqlite3 can't load SQLite extensions. Install apsw (pip install apsw), whose own SQLite can, "
    "or another Python: Homebrew's on macOS, the system's on Linux (/usr/bin/python3), or pyenv's built with "
    "PYTHON_CONFIGURE_OPTS=--enable-loadable-sqlite-extensions"
)


def loadable_path() -> str:
    """The path of the extension, without its suffix, which SQLite appends.

    The environment variable SQLITE_KV_EXTENSION names another build of it.
    """
    given = environ.get("SQLITE_KV_EXTENSION")
    if given:
        return given
    # From Debian's package the extension lies where SQLite finds it by its name.
    own = _path.join(_path.abspath(_path.dirname(__file__)), "kv")
    return own if any(_path.exists(own + s) for s in (".so", ".dll", ".dylib")) else "sqlite_kv"


def load(conn: Any) -> None:
    """Load the extension into a connection of sqlite3 or apsw, unless it has it.

    Extensions are enabled for that and disabled afterwards.  RuntimeError: this
    Python can't load any; the message says what to install.
    """
    try:
        conn.cursor().execute("SELECT kv_version()").fetchall()
        return
    except Exception as e:
        if "no such function" not in str(e):
            raise
    enable = getattr(conn, "enable_load_extension", None) or getattr(conn, "enableloadextension", None)
    if enable is None:
        raise RuntimeError(_CANNOT)
    load_extension = getattr(conn, "load_extension", None) or conn.loadextension
    enable(True)
    try:
        load_extension(loadable_path())
    finally:
        enable(False)


def open(path: Union[str, "PathLike[str]"], *, timeout: float = 30.0) -> Kv:
    """Open the store of a SQLite file, which is made if need be; ":memory:" is one in memory.

    `timeout`: seconds that a write waits for others.  The file is put into WAL mode,
    as Deno does.  A Kv belongs to the thread that opened it.  RuntimeError: this
    Python can't load extensions; the message says what to install.
    """
    import sqlite3

    db: Any = sqlite3.connect(fspath(path), timeout=timeout, isolation_level=None, cached_statements=200)
    try:
        kv = Kv(db)
    except RuntimeError:
        db.close()
        try:
            import apsw
        except ImportError:
            raise RuntimeError(_CANNOT) from None
        db = apsw.Connection(fspath(path))
        db.setbusytimeout(int(timeout * 1000))
        kv = Kv(db)
    kv._owned = True
    try:
        db.cursor().execute("PRAGMA journal_mode = wal").fetchall()
    except Exception as e:
        if "readonly" not in str(e) and "read-only" not in str(e):
            db.close()
            raise
    return kv
