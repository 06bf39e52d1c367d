"""A SQLite extension that reads and writes Deno KV databases.

    import sqlite3
    import sqlite_kv

    db = sqlite3.connect("app.db")
    db.enable_load_extension(True)
    sqlite_kv.load(db)
    db.enable_load_extension(False)
"""

from os import path

__all__ = ["load", "loadable_path"]


def loadable_path():
    """The path of the extension, without its suffix, which SQLite appends."""
    return path.join(path.abspath(path.dirname(__file__)), "kv")


def load(conn):
    """Load the extension into a connection of sqlite3 or apsw.

    Loading must be allowed before: conn.enable_load_extension(True).
    """
    if hasattr(conn, "load_extension"):
        conn.load_extension(loadable_path())
    else:
        conn.loadextension(loadable_path())
