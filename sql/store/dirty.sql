-- Statements of the list of dirty keys.
--
--   kv_dirty        the keys below the prefixes of the declared indexes, and of the
--                   indexes' own entries, that were written by anybody but this
--                   library since the indexes were brought up.  done = 1: they have
--                   been since (a tombstone, so that whoever has read the list learns
--                   of it).  n grows with each change of the list
--   kv_index_state  generation: drawn anew with each change of kv_index_def.
--                   since: what was removed from the list had no larger n.
--                   guard: while last_insert_rowid() is this number, it is this
--                   library that writes.  place: the key at which catching up goes on
--
-- A key is in the list or it is done; nothing else tells how fresh an index is.  The
-- triggers are plain SQL, for every program, with the ranges of keys as literals; each
-- declaration makes them anew.  What they do is an upsert, because an OR ... of the
-- statement that fires them overrules an OR ... of theirs.  REPLACE fires no trigger
-- for the row that goes, which has the key of the one that comes.

-- name: dirty_state
CREATE TABLE IF NOT EXISTS {kv_index_state!}(
  k INTEGER PRIMARY KEY,
  generation INTEGER NOT NULL,
  since INTEGER NOT NULL,
  guard INTEGER NOT NULL,
  place BLOB NOT NULL
)

-- name: dirty_list
CREATE TABLE IF NOT EXISTS {kv_dirty!}(
  k BLOB NOT NULL PRIMARY KEY,
  n INTEGER NOT NULL,
  done INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID

-- name: dirty_order
CREATE INDEX IF NOT EXISTS {kv_dirty_n!} ON {kv_dirty-}(n, done)

-- name: dirty_on_insert
CREATE TRIGGER IF NOT EXISTS {kv_dirty_insert!} AFTER INSERT ON {kv-}
WHEN last_insert_rowid() IS NOT {guard} AND ({new is indexed}) BEGIN
  INSERT INTO {kv_dirty-}(k, n) VALUES (NEW.k, (SELECT ifnull(max(n), 0) + 1 FROM {kv_dirty-}))
  ON CONFLICT(k) DO UPDATE SET n = excluded.n, done = 0;
END

-- name: dirty_on_update
CREATE TRIGGER IF NOT EXISTS {kv_dirty_update!} AFTER UPDATE ON {kv-}
WHEN last_insert_rowid() IS NOT {guard} AND ({new is indexed}) BEGIN
  INSERT INTO {kv_dirty-}(k, n) VALUES (NEW.k, (SELECT ifnull(max(n), 0) + 1 FROM {kv_dirty-}))
  ON CONFLICT(k) DO UPDATE SET n = excluded.n, done = 0;
END

-- name: dirty_on_move
CREATE TRIGGER IF NOT EXISTS {kv_dirty_move!} AFTER UPDATE OF k ON {kv-}
WHEN OLD.k IS NOT NEW.k AND last_insert_rowid() IS NOT {guard} AND ({old is indexed}) BEGIN
  INSERT INTO {kv_dirty-}(k, n) VALUES (OLD.k, (SELECT ifnull(max(n), 0) + 1 FROM {kv_dirty-}))
  ON CONFLICT(k) DO UPDATE SET n = excluded.n, done = 0;
END

-- name: dirty_on_delete
CREATE TRIGGER IF NOT EXISTS {kv_dirty_delete!} AFTER DELETE ON {kv-}
WHEN last_insert_rowid() IS NOT {guard} AND ({old is indexed}) BEGIN
  INSERT INTO {kv_dirty-}(k, n) VALUES (OLD.k, (SELECT ifnull(max(n), 0) + 1 FROM {kv_dirty-}))
  ON CONFLICT(k) DO UPDATE SET n = excluded.n, done = 0;
END

-- name: dirty_state_row
INSERT INTO {kv_index_state}(k, generation, since, guard, place) VALUES (0, ?1, 0, ?2, x'')
ON CONFLICT(k) DO NOTHING

-- name: dirty_get
-- The state, the newest n, and whether any key is dirty: the oldest come first, and
-- tombstones alone don't stay.  (The last column says that the tables are of this layout.)
SELECT s.generation, s.since, s.guard, d.n,
  CASE WHEN d.done = 0 THEN 1 WHEN d.n > 0 THEN
    (SELECT 1 FROM {kv_dirty} INDEXED BY {kv_dirty_n-} WHERE done = 0 LIMIT 1) END,
  CASE WHEN d.n > 0 THEN (SELECT 1 FROM {kv_dirty} LIMIT 1 OFFSET 1) END,
  (SELECT kinds FROM {kv_index_def} LIMIT 0)
  FROM {kv_index_state} s LEFT JOIN {kv_dirty} d INDEXED BY {kv_dirty_n-}
    ON d.n = (SELECT max(n) FROM {kv_dirty} INDEXED BY {kv_dirty_n-})
 WHERE s.k = 0 LIMIT 1

-- name: dirty_still
SELECT 1 FROM {kv_index_state} WHERE k = 0

-- name: dirty_generation
UPDATE {kv_index_state} SET generation = ?1 WHERE k = 0

-- name: dirty_has
SELECT 1 FROM {kv_dirty} WHERE k = ?1 AND done = 0

-- name: dirty_add
INSERT INTO {kv_dirty}(k, n) VALUES (?1, (SELECT ifnull(max(n), 0) + 1 FROM {kv_dirty}))
ON CONFLICT(k) DO UPDATE SET n = excluded.n, done = 0

-- name: dirty_done
-- The indexes are what the key asks for.
UPDATE {kv_dirty} SET n = (SELECT max(n) + 1 FROM {kv_dirty}), done = 1 WHERE k = ?1 AND done = 0

-- name: dirty_done_to
-- The same of the keys after ?1, up to ?2, with one n.
UPDATE {kv_dirty} SET n = (SELECT max(n) + 1 FROM {kv_dirty}), done = 1
 WHERE k > ?1 AND k <= ?2 AND done = 0

-- name: dirty_between
SELECT 1 FROM {kv_dirty} WHERE k > ?1 AND k < ?2 LIMIT 1

-- name: dirty_place
SELECT place FROM {kv_index_state} WHERE k = 0

-- name: dirty_set_place
UPDATE {kv_index_state} SET place = ?1 WHERE k = 0

-- name: dirty_next
-- Some of the dirty keys after the key ?1.
SELECT k FROM {kv_dirty} WHERE k > ?1 AND done = 0 ORDER BY k LIMIT ?2

-- name: dirty_set_since
-- Before some tombstones go: all but one of the newest rows, or n would begin anew.
UPDATE {kv_index_state} SET since = max(since, ifnull((SELECT max(n) FROM (
  SELECT n FROM {kv_dirty} INDEXED BY {kv_dirty_n-} WHERE done = 1
   AND k <> (SELECT k FROM {kv_dirty} INDEXED BY {kv_dirty_n-} ORDER BY n DESC, done DESC, k DESC LIMIT 1)
   ORDER BY n LIMIT ?1)), 0))
 WHERE k = 0

-- name: dirty_purge
DELETE FROM {kv_dirty} WHERE k IN (
  SELECT k FROM {kv_dirty} INDEXED BY {kv_dirty_n-} WHERE done = 1
   AND k <> (SELECT k FROM {kv_dirty} INDEXED BY {kv_dirty_n-} ORDER BY n DESC, done DESC, k DESC LIMIT 1)
   ORDER BY n LIMIT ?1)

-- name: dirty_all
-- The dirty keys from ?1 up to ?2, with their entries.
SELECT d.k, e.version, e.expiration_ms, e.v, e.v_encoding, e.k IS NULL, 0
  FROM {kv_dirty} d LEFT JOIN {kv} e ON e.k = d.k
 WHERE d.k > ?1 AND d.k < ?2 AND d.done = 0 ORDER BY d.k

-- name: dirty_since
-- What has changed in the list after n = ?3, of the same range.
SELECT d.k, e.version, e.expiration_ms, e.v, e.v_encoding, e.k IS NULL, d.done
  FROM {kv_dirty} d INDEXED BY {kv_dirty_n-} LEFT JOIN {kv} e ON e.k = d.k AND d.done = 0
 WHERE d.n > ?3 AND d.k > ?1 AND d.k < ?2 ORDER BY d.n

-- name: dirty_one
-- The same of the key ?1 as it is.
SELECT ?1, e.version, e.expiration_ms, e.v, e.v_encoding, e.k IS NULL, ifnull(d.done, 1)
  FROM (SELECT 1) LEFT JOIN {kv_dirty} d ON d.k = ?1
  LEFT JOIN {kv} e ON e.k = ?1 AND d.done = 0

-- name: dirty_count
SELECT count(*) FROM {kv_dirty} WHERE k > ?1 AND k < ?2 AND done = 0
