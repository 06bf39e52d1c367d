-- views.sql -- a store at a glance, for people.
--
--     sqlite3 app.db
--     sqlite> .load ./build/kv
--     sqlite> .read sql/examples/views.sql
--     sqlite> SELECT * FROM entries;
--
-- or, in ~/.sqliterc, the two lines with the full paths of both files, and
-- ".mode column" if you like.  The views are temporary: the file is not changed.

-- Each entry: its type, bytes of the stored value, the time until it
-- expires, and its age if the key has it.  Deno's file has no time of writing:
-- the age is that of the newest ULID or UUIDv7 among the parts of the key.  The
-- order of the writes is that of the versionstamps:
-- SELECT * FROM entries ORDER BY versionstamp DESC LIMIT 10;
CREATE TEMP VIEW IF NOT EXISTS entries AS
SELECT key, type, length(raw) - 1 AS bytes,
       CASE WHEN expire_in IS NULL THEN ''
            WHEN expire_in < 120000 THEN (expire_in / 1000) || ' s'
            WHEN expire_in < 7200000 THEN (expire_in / 60000) || ' min'
            WHEN expire_in < 172800000 THEN (expire_in / 3600000) || ' h'
            ELSE (expire_in / 86400000) || ' days' END AS expires,
       (SELECT CASE WHEN ms IS NULL THEN ''
                    WHEN ms < 120000 THEN (ms / 1000) || ' s'
                    WHEN ms < 7200000 THEN (ms / 60000) || ' min'
                    WHEN ms < 172800000 THEN (ms / 3600000) || ' h'
                    ELSE (ms / 86400000) || ' days' END
          -- Since 2010 and not in the future: other texts of that form are none.
          FROM (SELECT kv_now() - max(made) AS ms
                  FROM (SELECT CASE
                          WHEN length(p.value) = 26 AND upper(p.value) GLOB '[0-7]*'
                               AND upper(p.value) NOT GLOB '*[^0-9A-HJKMNP-TV-Z]*'
                            THEN kv_ulid_time(p.value)
                          WHEN lower(p.value) GLOB '????????-????-7???-[89ab]???-????????????'
                               AND length(replace(p.value, '-', '')) = 32
                               AND lower(replace(p.value, '-', '')) NOT GLOB '*[^0-9a-f]*'
                            THEN kv_part('[0x' || substr(replace(p.value, '-', ''), 1, 12) || ']', 0)
                        END AS made
                          FROM kv_parts(e.key) AS p WHERE p.type = 'string')
                 WHERE made BETWEEN 1262304000000 AND kv_now())) AS age,
       versionstamp,
       CASE WHEN type = 'malformed' THEN hex(raw)
            WHEN length(js) > 60 THEN substr(js, 1, 57) || '...' ELSE js END AS value
  FROM kv_entries AS e;

-- The first parts of the keys: how many entries each has, and their bytes.
CREATE TEMP VIEW IF NOT EXISTS folders AS
SELECT kv_part(key, 0) AS folder, count(*) AS entries, sum(length(raw) - 1) AS bytes,
       max(length(raw) - 1) AS largest, max(versionstamp) AS newest
  FROM kv_entries GROUP BY folder;

-- The queue: when each message is due, or when its lease ends.
CREATE TEMP VIEW IF NOT EXISTS messages AS
SELECT id, state, datetime(ifnull(deadline, ready_at) / 1000, 'unixepoch') AS due,
       (kv_now() - ready_at) / 1000 AS seconds_ago,
       CASE WHEN length(js) > 60 THEN substr(js, 1, 57) || '...' ELSE js END AS value
  FROM kv_queue;
