-- Statements that read entries.
--
-- Words in braces are filled in when a statement is prepared (statement.c):
--   {kv} {data_version} ...  the store's tables, with schema and prefix
--   {alive}                  the entry has not expired at the time ?3
--   {expires}                when it does, -1: never
-- An entry whose time has come (0 <= expiration_ms <= now) is not there.

-- name: read_range
-- A run of entries in key order.  The pieces in braces follow KVREAD_xxx:
-- which columns, whether there is an upper bound, whether expired entries are
-- looked out for, direction, rows to skip; and whether all are read, and sorted,
-- before there is a first row.
SELECT {columns} FROM {kv}
 WHERE k >= ?1{upper}{alive}
 ORDER BY {sorted}k{direction}{offset}

-- name: read_lasting
-- The same for KVREAD_LASTING, by Deno's index, which holds nothing but such keys.
SELECT k FROM {kv} INDEXED BY {kv_expiration_ms_idx-}
 WHERE expiration_ms = -1 AND k >= ?1{upper}
 ORDER BY k{direction}{offset}

-- name: read_expiring
-- Is there an entry with an expiry from ?1 on and (unless NULL) before ?2, or are there
-- too many of them to look at?
SELECT count(*) >= 256 OR total(k >= ?1 AND (?2 IS NULL OR k < ?2)) > 0
    OR EXISTS (SELECT 1 FROM {kv} INDEXED BY {kv_expiration_ms_idx-} WHERE expiration_ms < -1)
    OR EXISTS (SELECT 1 FROM {kv} INDEXED BY {kv_expiration_ms_idx-} WHERE expiration_ms IS NULL)
  FROM (SELECT k FROM {kv} INDEXED BY {kv_expiration_ms_idx-}
         WHERE expiration_ms > -1 LIMIT 256)

-- name: read_size
-- How many keys there are between two others, ?3 at most; the first one and the last one,
-- and the one with that number.
SELECT count(*),
       (SELECT k FROM {kv} WHERE k > ?1 AND k < ?2 ORDER BY k LIMIT 1),
       (SELECT k FROM {kv} WHERE k > ?1 AND k < ?2 ORDER BY k DESC LIMIT 1),
       (SELECT k FROM {kv} WHERE k > ?1 AND k < ?2 ORDER BY k LIMIT 1 OFFSET ?3 - 1)
  FROM (SELECT 1 FROM {kv} WHERE k > ?1 AND k < ?2 LIMIT ?3)

-- name: read_point
-- One entry.
SELECT {columns} FROM {kv}
 WHERE k = ?1{alive}

-- name: where_kv
-- For EXPLAIN, which shows where the table is.  (No index has v.)
SELECT v FROM {kv}

-- name: read_version
-- The store's newest version.
SELECT version FROM {data_version} WHERE k = 0

-- name: idle
-- Takes no lock, and some two hundred steps: they let sqlite3_interrupt() be noticed
-- and the application's progress handler be called.
SELECT count(*) FROM (VALUES
  (0),(0),(0),(0),(0),(0),(0),(0),(0),(0),
  (0),(0),(0),(0),(0),(0),(0),(0),(0),(0),
  (0),(0),(0),(0),(0),(0),(0),(0),(0),(0),
  (0),(0),(0),(0),(0),(0),(0),(0),(0),(0))

-- name: read_value
-- One entry's value.  There is a first row in any case, with 1 at its end if it is
-- the entry's, so that the statement can hold its snapshot as "pin" does.
SELECT v, v_encoding, 1, {expires} FROM {kv} WHERE k = ?1{alive}
UNION ALL SELECT NULL, 0, 0, -1

-- name: pin
-- Holds a snapshot as long as it stands on its first row, which is there whatever
-- is in the file.  No cursor is open then.
SELECT 1 UNION ALL SELECT 1 FROM main.sqlite_schema
