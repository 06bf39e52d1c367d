"""client.py MODULE EXTENSION FILE -- MODULE is sqlite3 or apsw."""

import sys

module, extension, file = sys.argv[1:]
if module == "apsw":
    import apsw
    db = apsw.Connection(file)
    db.enableloadextension(True)
    db.loadextension(extension)
    db.enableloadextension(False)
    execute = db.cursor().execute
    Failure = apsw.ConstraintError
else:
    import sqlite3
    db = sqlite3.connect(file, isolation_level=None)
    db.enable_load_extension(True)
    db.load_extension(extension)
    db.enable_load_extension(False)
    execute = db.execute
    Failure = sqlite3.IntegrityError


def one(sql, *args):
    return list(execute(sql, args))[0]


def show(value):
    if value is None:
        return "NULL"
    return "[%s]" % (value.hex() if isinstance(value, bytes) else value)


print("users", *one("SELECT count(*) FROM kv_entries('[\"users\"]')"))
print("name", *one("SELECT value ->> 'name' FROM kv_entries WHERE key = kv_key('users', ?)", 1))
print("city", *one("SELECT kv_get(kv_key('users', ?), '$.address.city')", 3))

ATOMIC = """INSERT INTO kv_atomic(op, key, value) VALUES
  ('check', kv_key('client', ?1), NULL), ('set', kv_key('client', ?1), ?2), ('sum', kv_key('count'), ?3)"""
execute(ATOMIC, ("it's", "first", 5))
print("committed", *one("SELECT kv_get(kv_key('client', ?)) = 'first'", "it's"))
try:
    execute(ATOMIC, ("it's", "second", 5))
except Failure as e:
    text = "kv: check failed: key [\"client\",\"it's\"]" in str(e)
    print("conflict", int(text and one("SELECT kv_conflict()")[0] == "[\"client\",\"it's\"]"))
print("sum", *one("SELECT kv_get(kv_key('count'))"))

for name, value, sql in [
    ("null", None, "?"),
    ("integer", 42, "?"),
    ("largest", 2**63 - 1, "kv_bigint(?)"),
    ("least", -(2**63), "kv_bigint(?)"),
    ("real", -2.25, "?"),
    ("text", "it's \"quoted\" \\ ü 漢 😀", "?"),
    ("empty", "", "?"),
    ("blob", b"\x00\xff'", "?"),
    ("noblob", b"", "?"),
]:
    execute("INSERT INTO kv_entries(key, value) VALUES (kv_key('bound', ?), %s)" % sql, (name, value))
    js, back = one("SELECT js, value FROM kv_entries WHERE key = kv_key('bound', ?)", name)
    assert type(back) is type(value)
    print(name, js, show(back))
