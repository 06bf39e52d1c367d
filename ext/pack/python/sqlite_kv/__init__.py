"""A SQLite extension that reads and writes Deno KV databases.

    import sqlite3
    import sqlite_kv

    db = sqlite3.connect("app.db")
    sqlite_kv.load(db)
"""

from os import path

__all__ = ["load", "loadable_path"]
__version__ = "@VERSION@"


def loadable_path() -> str:
    """The path of the extension, without its suffix, which SQLite appends."""
    return path.join(path.abspath(path.dirname(__file__)), "kv")


def load(conn) -> None:
    """Load the extension into a connection of sqlite3 or apsw.

    Extensions are enabled for that and disabled afterwards.
    """
    enable = getattr(conn, "enable_load_extension", None) or conn.enableloadextension
    load_extension = getattr(conn, "load_extension", None) or conn.loadextension
    enable(True)
    try:
        load_extension(loadable_path())
    finally:
        enable(False)
