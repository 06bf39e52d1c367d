"""python -m sqlite_kv FILE [STATEMENT] -- a prompt for the store of a SQLite file.

`kv` is the store, and the names of sqlite_kv are there.  A line that begins with a
word of SQL, such as SELECT, is a statement, which ends with a semicolon.  With
STATEMENT that is run, and its rows are printed.
"""

from __future__ import annotations

import code
import sqlite3
import sys
from typing import Any, Dict, List

import sqlite_kv

_SQL = set(
    "SELECT INSERT UPDATE DELETE REPLACE CREATE DROP ALTER EXPLAIN PRAGMA VALUES BEGIN COMMIT END ROLLBACK "
    "SAVEPOINT RELEASE ATTACH DETACH ANALYZE VACUUM REINDEX WITH".split()
)


def _show(rows: List[Any]) -> None:
    for row in rows:
        print("|".join("" if v is None else v.hex() if isinstance(v, bytes) else str(v) for v in row))


class _Shell(code.InteractiveConsole):
    def __init__(self, kv: sqlite_kv.Kv):
        names: Dict[str, Any] = {name: getattr(sqlite_kv, name) for name in sqlite_kv.__all__}
        names.update(kv=kv, sqlite_kv=sqlite_kv, __name__="__main__")
        super().__init__(names)
        self.kv = kv

    def runsource(self, source: str, filename: str = "<input>", symbol: str = "single") -> bool:
        """True if more lines are needed."""
        first = source.split(None, 1)[0].rstrip(";") if source.strip() else ""
        # `with` and names that are in use are Python's.
        if first.upper() not in _SQL or first == "with" or first in self.locals:
            return super().runsource(source, filename, symbol)
        if not sqlite3.complete_statement(source):
            return True
        try:
            _show(self.kv.sql(source))
        except Exception as e:
            self.write("Error: %s\n" % e)
        return False


def main() -> None:
    args = sys.argv[1:]
    if len(args) not in (1, 2) or args[0] in ("-h", "--help"):
        print("usage: python -m sqlite_kv FILE [STATEMENT]\n\n" + (__doc__ or "").partition("\n\n")[2].strip())
        sys.exit(len(args) not in (1, 2))
    try:
        with sqlite_kv.open(args[0]) as kv:
            if len(args) == 2:
                _show(kv.sql(args[1]))
                return
            try:
                import readline  # noqa: F401
            except ImportError:
                pass
            _Shell(kv).interact(
                "sqlite_kv %s: kv is the store of %s; SQL ends with a semicolon" % (sqlite_kv.__version__, args[0]), ""
            )
    except Exception as e:
        sys.exit("Error: %s" % e)


if __name__ == "__main__":
    main()
