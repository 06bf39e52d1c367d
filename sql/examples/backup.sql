-- backup.sql -- backups of a file that is in use.
--
--     sqlite3 -cmd '.load ./build/kv' app.db <sql/examples/backup.sql
--
-- Writes backup.db and backup.ndjson into the current folder.

PRAGMA journal_mode = wal;
--> wal
INSERT OR REPLACE INTO kv_entries(key, value) VALUES ('["a"]', 1), ('["b"]', kv_value('new Set([2n])'));
INSERT OR REPLACE INTO kv_entries(key, value, expire_in) VALUES ('["c"]', 'soon gone', 3600000);

-- All of it, as of one moment, while others read and write: VACUUM INTO, or
-- the shell's .backup.  (A copy of the file alone lacks what is in the -wal.)
VACUUM INTO 'backup.db';
ATTACH 'backup.db' AS b;
CREATE VIRTUAL TABLE temp.b_entries USING kv_entries(b);
SELECT count(*), sum(b.raw = e.raw), sum(b.versionstamp = e.versionstamp), sum(b.expires_at IS e.expires_at)
  FROM kv_entries AS e JOIN b_entries AS b ON b.key = e.key;
--> 3|3|3|3

-- As text, in the format of @deno/kv-utils: a line an entry, without expiry.
.once backup.ndjson
SELECT kv_export(key, raw, versionstamp) FROM kv_entries;

-- Data is lost ...
DELETE FROM kv_entries;

-- ... and restored, from the text or from the copy.
INSERT INTO kv_entries(key, raw) SELECT key, raw FROM kv_import(readfile('backup.ndjson')) WHERE key < '["b"]';
INSERT OR IGNORE INTO kv_entries(key, raw, expires_at) SELECT key, raw, expires_at FROM b_entries;
SELECT key, type, js, expires_at > kv_now() FROM kv_entries;
--> ["a"]|number|1|
--> ["b"]|Set|new Set([2n])|
--> ["c"]|string|"soon gone"|1
