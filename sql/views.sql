-- views.sql -- a store at a glance, for people.
--
--     sqlite3 app.db
--     sqlite> .load ./build/kv
--     sqlite> .read sql/views.sql
--     sqlite> SELECT * FROM entries;
--
-- or, in ~/.sqliterc, the two lines with the full paths of both files.  The
-- views are temporary: the file is not changed.

-- Each entry: its type, bytes of the stored value, and the time that is left
-- to it.  The file has no time of writing; the versionstamps order the writes:
-- SELECT * FROM entries ORDER BY versionstamp DESC LIMIT 10;
CREATE TEMP VIEW IF NOT EXISTS entries AS
SELECT key, type, length(raw) - 1 AS bytes,
       CASE WHEN expire_in IS NULL THEN ''
            WHEN expire_in < 120000 THEN (expire_in / 1000) || ' s'
            WHEN expire_in < 7200000 THEN (expire_in / 60000) || ' min'
            WHEN expire_in < 172800000 THEN (expire_in / 3600000) || ' h'
            ELSE (expire_in / 86400000) || ' days' END AS expires,
       versionstamp,
       CASE WHEN type = 'malformed' THEN hex(raw)
            WHEN length(js) > 60 THEN substr(js, 1, 57) || '...' ELSE js END AS value
  FROM kv_entries;

-- The first parts of the keys: how many entries each has, and their bytes.
CREATE TEMP VIEW IF NOT EXISTS folders AS
SELECT kv_part(key, 0) AS folder, count(*) AS entries, sum(length(raw) - 1) AS bytes,
       max(length(raw) - 1) AS largest, max(versionstamp) AS newest
  FROM kv_entries GROUP BY folder;

-- The queue: when each message is due, or until when somebody has it.
CREATE TEMP VIEW IF NOT EXISTS messages AS
SELECT id, state, datetime(ifnull(deadline, ready_at) / 1000, 'unixepoch') AS due,
       (kv_now() - ready_at) / 1000 AS seconds_ago,
       CASE WHEN length(js) > 60 THEN substr(js, 1, 57) || '...' ELSE js END AS value
  FROM kv_queue;
