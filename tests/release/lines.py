"""lines.py DATABASE SQL -- run the lines by the wheel's load()."""
import sqlite3
import sys

import sqlite_kv

sys.stdout.reconfigure(encoding="utf-8")
db = sqlite3.connect(sys.argv[1], isolation_level=None)
sqlite_kv.load(db)
with open(sys.argv[2], encoding="utf-8") as f:
    for line in f:
        for row in db.execute(line):
            print("|".join(str(v) for v in row))
