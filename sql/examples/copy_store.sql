-- copy_store.sql -- from one store to another.
--
--     sqlite3 -cmd '.load ./build/kv' app.db <sql/examples/copy_store.sql
--
-- Writes other.db into the current folder, where another program would have
-- its store.  "raw" copies the stored bytes unchanged.

INSERT OR REPLACE INTO kv_entries(key, value) VALUES
  ('["users",1]', json('{"name":"Ada"}')), ('["users",2]', json('{"name":"Grace"}')), ('["logs",1]', 'x');
ATTACH 'other.db' AS other;
CREATE VIRTUAL TABLE temp.other_entries USING kv_entries(other);

-- A prefix, in one statement: all of it or, if a key already exists,
-- nothing.  (OR REPLACE overwrites, OR IGNORE keeps existing entries.)
INSERT INTO other_entries(key, raw, expires_at)
  SELECT key, raw, expires_at FROM kv_entries('["users"]');
SELECT key, type, value FROM other_entries;
--> ["users",1]|Object|{"name":"Ada"}
--> ["users",2]|Object|{"name":"Grace"}

-- Only what has changed since the last copy: the copy keeps the newest
-- versionstamp of this store.
INSERT INTO other_entries(key, value) VALUES ('["copied"]', kv_versionstamp());
UPDATE kv_entries SET value = json_set(value, '$.name', 'Ada L.') WHERE key = '["users",1]';
INSERT OR REPLACE INTO other_entries(key, raw, expires_at)
  SELECT key, raw, expires_at FROM kv_entries('["users"]')
   WHERE versionstamp > (SELECT value FROM other_entries WHERE key = '["copied"]');
SELECT changes();
--> 1

-- Entries that differ, or are missing on the other side.
DELETE FROM kv_entries WHERE key = '["users",2]';
SELECT o.key, 'gone' FROM other_entries AS o
 WHERE o.prefix = '["users"]' AND NOT EXISTS (SELECT 1 FROM kv_entries AS e WHERE e.key = o.key)
UNION ALL
SELECT e.key, 'differs' FROM kv_entries AS e JOIN other_entries AS o ON o.key = e.key WHERE e.raw <> o.raw;
--> ["users",2]|gone
