-- Statements that write entries.

-- name: lock
-- Changes nothing.  In the file of the store it takes the write lock and
-- opens the savepoint of the statement that is running, so that what follows
-- is undone if that statement fails.  (An INSERT of several rows that may fail;
-- one into kv has the triggers of the feed.)
INSERT INTO {data_version}(k, version) SELECT 0, 0 WHERE 0

-- name: bump_look
-- The newest version, to which Deno, too, adds 1 to 9.
SELECT version FROM {data_version}
 WHERE k = 0 AND typeof(version) = 'integer' AND version < 9223372036854775000

-- name: bump
-- The next one.  (Both together take a third of what UPDATE ... RETURNING does.)
UPDATE {data_version} SET version = ?1 WHERE k = 0

-- name: unbump
-- Take a version back that nothing was written with.
UPDATE {data_version} SET version = version - ?1 WHERE k = 0

-- name: put
INSERT INTO {kv}(k, v, v_encoding, version, expiration_ms)
VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT(k) DO UPDATE SET
  v = excluded.v, v_encoding = excluded.v_encoding,
  version = excluded.version, expiration_ms = excluded.expiration_ms

-- name: put_lasting
-- The same for an entry that does not expire, unless there is one that does:
-- then nothing is changed.  A statement that names expiration_ms writes to the
-- index over it, always, and that costs as much as all the rest.
INSERT INTO {kv}(k, v, v_encoding, version, expiration_ms)
VALUES (?1, ?2, ?3, ?4, -1)
ON CONFLICT(k) DO UPDATE SET
  v = excluded.v, v_encoding = excluded.v_encoding, version = excluded.version
  WHERE expiration_ms = -1

-- name: update
-- Change parts of an entry; the pieces in braces follow KVSET_xxx.
UPDATE {kv} SET version = ?2{key}{value}{expiry} WHERE k = ?1

-- name: delete
DELETE FROM {kv} WHERE k = ?1

-- name: sweep_look
-- When does the first entry expire?  By Deno's index, or not at all.
SELECT expiration_ms FROM {kv} INDEXED BY {kv_expiration_ms_idx-}
 WHERE expiration_ms >= 0 ORDER BY expiration_ms LIMIT 1

-- name: sweep
-- Remove a few expired entries, by Deno's index.
DELETE FROM {kv} WHERE k IN (
  SELECT k FROM {kv} WHERE expiration_ms >= 0 AND expiration_ms <= ?1
   ORDER BY expiration_ms LIMIT ?2)

-- name: sweep_all
-- Remove all of them.
DELETE FROM {kv} WHERE expiration_ms >= 0 AND expiration_ms <= ?1

-- name: enqueue
INSERT INTO {queue}(ts, id, data, backoff_schedule, keys_if_undelivered)
VALUES (?1, ?2, ?3, ?4, ?5)
