-- Statements of the declared indexes.
--
--   kv_index_def      the declarations; own is the stored key [name], with which
--                     the keys of index entries begin
--   kv_index_held     for each primary entry the keys of its index entries
--                     (index_held.h): what tells which of them to remove when a
--                     program that knows nothing of indexes has overwritten it
--   kv_index_value    whose index entries are of which the key doesn't tell: those
--                     of unique indexes; and those that have no place in kv
--                     because their key is too long
--   kv_index_pending  keys that the feed does not tell of
--
-- Files of older versions have kv_index_row(ik, pk) with all index entries in the
-- place of the second and third, and no column own.

-- name: index_def
CREATE TABLE IF NOT EXISTS {kv_index_def!}(
  name TEXT NOT NULL PRIMARY KEY,
  prefix BLOB NOT NULL,
  path TEXT NOT NULL,
  options TEXT NOT NULL,
  own BLOB
) WITHOUT ROWID

-- name: index_held
CREATE TABLE IF NOT EXISTS {kv_index_held!}(
  pk BLOB NOT NULL PRIMARY KEY,
  iks BLOB NOT NULL
) WITHOUT ROWID

-- name: index_value
CREATE TABLE IF NOT EXISTS {kv_index_value!}(
  ik BLOB NOT NULL,
  pk BLOB NOT NULL,
  PRIMARY KEY (ik, pk)
) WITHOUT ROWID

-- What is written to kv with another version than the newest, or with that up to
-- which the indexes have caught up, the feed does not tell: plain SQL that leaves
-- versions alone, or that comes after a write of this library in the same
-- transaction; a trigger of the application.  Such keys are noted here, if they
-- may be those of primary entries or of index entries, until the indexes have caught up.  Whoever
-- takes a version first, as Deno does, adds nothing.  Nor does what this library
-- writes where the indexes follow at once: meanwhile last_insert_rowid(), which
-- tables WITHOUT ROWID leave alone, is one of two numbers (KVOWN_xxx) that the
-- triggers know.

-- name: index_pending
CREATE TABLE IF NOT EXISTS {kv_index_pending!}(
  k BLOB NOT NULL PRIMARY KEY
) WITHOUT ROWID

-- name: index_on_insert
CREATE TRIGGER IF NOT EXISTS {kv_index_on_insert!} AFTER INSERT ON {kv-}
WHEN last_insert_rowid() > {own}
  AND (NEW.version IS NOT (SELECT version FROM {data_version-} WHERE k = 0)
    OR NEW.version <= (SELECT applied FROM {kv_track_state-} WHERE k = 0)
    OR NEW.version <= (SELECT applied FROM {kv_track_state-} WHERE k = 1))
  AND EXISTS (SELECT 1 FROM {kv_index_def-} WHERE substr(NEW.k, 1, length(prefix)) = prefix
    OR substr(NEW.k, 1, length(own)) = own)
BEGIN
  INSERT INTO {kv_index_pending-}(k) VALUES (NEW.k) ON CONFLICT(k) DO NOTHING;
END

-- name: index_on_update
CREATE TRIGGER IF NOT EXISTS {kv_index_on_update!} AFTER UPDATE ON {kv-}
WHEN last_insert_rowid() > {own}
  AND (NEW.version IS NOT (SELECT version FROM {data_version-} WHERE k = 0)
    OR NEW.version <= (SELECT applied FROM {kv_track_state-} WHERE k = 0)
    OR NEW.version <= (SELECT applied FROM {kv_track_state-} WHERE k = 1))
  AND EXISTS (SELECT 1 FROM {kv_index_def-} WHERE substr(NEW.k, 1, length(prefix)) = prefix
    OR substr(NEW.k, 1, length(own)) = own)
BEGIN
  INSERT INTO {kv_index_pending-}(k) VALUES (NEW.k) ON CONFLICT(k) DO NOTHING;
END

-- name: index_on_move
-- The key that is left is a deletion, with the newest version.
CREATE TRIGGER IF NOT EXISTS {kv_index_on_move!} AFTER UPDATE OF k ON {kv-}
WHEN OLD.k IS NOT NEW.k
  AND last_insert_rowid() > {own}
  AND ((SELECT version FROM {data_version-} WHERE k = 0)
       <= (SELECT applied FROM {kv_track_state-} WHERE k = 0)
    OR (SELECT version FROM {data_version-} WHERE k = 0)
       <= (SELECT applied FROM {kv_track_state-} WHERE k = 1))
  AND EXISTS (SELECT 1 FROM {kv_index_def-} WHERE substr(OLD.k, 1, length(prefix)) = prefix
    OR substr(OLD.k, 1, length(own)) = own)
BEGIN
  INSERT INTO {kv_index_pending-}(k) VALUES (OLD.k) ON CONFLICT(k) DO NOTHING;
END

-- name: index_on_delete
-- So is that of an entry that is deleted, but for what kv_track_delete gives a
-- version that is yet to come.
CREATE TRIGGER IF NOT EXISTS {kv_index_on_delete!} AFTER DELETE ON {kv-}
WHEN last_insert_rowid() > {own}
  AND (SELECT version FROM {data_version-} WHERE k = 0)
   + (OLD.expiration_ms >= 0 AND OLD.expiration_ms
      <= CAST((julianday('now') - 2440587.5) * 86400000.0 + 0.5 AS INTEGER))
  <= max((SELECT applied FROM {kv_track_state-} WHERE k = 0),
         ifnull((SELECT applied FROM {kv_track_state-} WHERE k = 1), 0))
  AND EXISTS (SELECT 1 FROM {kv_index_def-} WHERE substr(OLD.k, 1, length(prefix)) = prefix
    OR substr(OLD.k, 1, length(own)) = own)
BEGIN
  INSERT INTO {kv_index_pending-}(k) VALUES (OLD.k) ON CONFLICT(k) DO NOTHING;
END

-- name: index_drop_insert
DROP TRIGGER IF EXISTS {kv_index_on_insert}
-- name: index_drop_update
DROP TRIGGER IF EXISTS {kv_index_on_update}
-- name: index_drop_move
DROP TRIGGER IF EXISTS {kv_index_on_move}
-- name: index_drop_delete
DROP TRIGGER IF EXISTS {kv_index_on_delete}
-- name: index_drop_pending
DROP TABLE IF EXISTS {kv_index_pending}

-- name: index_pending_any
SELECT 1 FROM {kv_index_pending} LIMIT 1

-- name: index_pending_next
SELECT k FROM {kv_index_pending} ORDER BY k LIMIT ?1

-- name: index_pending_delete
-- Those that index_pending_next shows, whatever their type.
DELETE FROM {kv_index_pending} WHERE k IN (
  SELECT k FROM {kv_index_pending} ORDER BY k LIMIT ?1)

-- name: index_pending_done
DELETE FROM {kv_index_pending} WHERE k = ?1

-- name: index_pending_changes
-- As track_changes.
SELECT p.k, e.version, e.expiration_ms, e.v, e.v_encoding, e.k IS NULL AS deleted
  FROM {kv_index_pending} p LEFT JOIN {kv} e ON e.k = p.k
 WHERE p.k >= ?2 AND (?3 IS NULL OR p.k < ?3)

-- name: index_changes
-- As feed_changes: what was changed after the version ?1 and the key ?5, deletions
-- after ?6 and ?7, up to version ?4.
SELECT e.k, e.version, e.expiration_ms, e.v, e.v_encoding, 0 AS deleted
  FROM {kv} e INDEXED BY {kv_version_idx-}
 WHERE (e.version, e.k) > (?1, ?5) AND e.version <= ?4
   AND e.k >= ?2 AND (?3 IS NULL OR e.k < ?3)
UNION ALL
SELECT d.k, d.version, -1, NULL, 0, 1
  FROM {kv_deleted} d INDEXED BY {kv_deleted_version_idx-}
 WHERE (d.version, d.k) > (?6, ?7) AND d.version <= ?4
   AND d.k >= ?2 AND (?3 IS NULL OR d.k < ?3)
   AND NOT EXISTS (SELECT 1 FROM {kv} x WHERE x.k = d.k)
 ORDER BY 2, 1

-- name: index_claims
-- The entries with a version after ?1 and the key ?3, up to ?2.
SELECT k, version, v, v_encoding FROM {kv} INDEXED BY {kv_version_idx-}
 WHERE (version, k) > (?1, ?3) AND version <= ?2

-- name: index_state_mark
INSERT INTO {kv_track_state}(k, wanted, since, generation, applied)
SELECT 1, 1, 0, 0, applied FROM {kv_track_state} WHERE k = 0
ON CONFLICT(k) DO NOTHING

-- name: index_state_gap
-- The indexes have seen all up to ?1 and, but for a gap up to ?2, up to ?3.
INSERT OR REPLACE INTO {kv_track_state}(k, wanted, since, generation, applied)
VALUES (1, 1, ?1, ?2, ?3)

-- name: index_place
SELECT since, generation FROM {kv_track_state} WHERE k = ?1

-- name: index_place_set
INSERT OR REPLACE INTO {kv_track_state}(k, wanted, since, generation, applied)
VALUES (?1, 1, ?2, ?3, 0)

-- name: index_place_end
DELETE FROM {kv_track_state} WHERE k > 1

-- name: index_drop_row
DROP TABLE IF EXISTS {kv_index_row}
-- name: index_drop_def
DROP TABLE IF EXISTS {kv_index_def}
-- name: index_drop_held
DROP TABLE IF EXISTS {kv_index_held}
-- name: index_drop_value
DROP TABLE IF EXISTS {kv_index_value}
-- name: index_drop_old
DROP TABLE IF EXISTS {kv_index_old}

-- name: index_list
SELECT name, prefix, path, options FROM {kv_index_def} ORDER BY name

-- name: index_add
INSERT INTO {kv_index_def}(name, prefix, path, options, own)
VALUES (?1, ?2, ?3, ?4, nullif(?5, x''))

-- name: index_remove
DELETE FROM {kv_index_def} WHERE name = ?1

-- name: index_remove_values
DELETE FROM {kv_index_value} WHERE ik > ?1 AND ik < ?2

-- name: index_remove_entries
DELETE FROM {kv} WHERE k > ?1 AND k < ?2

-- name: index_any
-- Entries with a key that an index owns.
SELECT k FROM {kv} WHERE k > ?1 AND k < ?2 ORDER BY k

-- name: index_count
SELECT count(*) FROM {kv} WHERE k > ?1 AND k < ?2

-- name: index_held_get
-- The index entries of a primary entry.
SELECT iks FROM {kv_index_held} WHERE pk = ?1

-- name: index_held_range
-- Those of the primary entries after the key ?1, up to ?2.
SELECT pk, iks FROM {kv_index_held} WHERE pk > ?1 AND pk < ?2 ORDER BY pk LIMIT ?3

-- name: index_held_set
INSERT INTO {kv_index_held}(pk, iks) VALUES (?1, ?2)
ON CONFLICT(pk) DO UPDATE SET iks = excluded.iks

-- name: index_held_delete
DELETE FROM {kv_index_held} WHERE pk = ?1

-- name: index_held_remove
DELETE FROM {kv_index_held} WHERE pk > ?1 AND pk < ?2

-- name: index_value_add
INSERT INTO {kv_index_value}(ik, pk) VALUES (?1, ?2) ON CONFLICT DO NOTHING

-- name: index_value_delete
DELETE FROM {kv_index_value} WHERE ik = ?1 AND pk = ?2

-- name: index_primaries
-- The primary entries of an index entry: one, unless a unique index has been
-- violated by a program that knows nothing of it.
SELECT pk FROM {kv_index_value} WHERE ik = ?1 ORDER BY pk

-- name: index_long
-- The primary entries of an index that is not unique which are in the table for
-- want of a place in kv.
SELECT pk FROM {kv_index_value} WHERE ik >= ?1 AND ik < ?2

-- name: index_behind
-- Are there pending keys, and such as index_long shows?
SELECT EXISTS (SELECT 1 FROM {kv_index_pending}),
  EXISTS (SELECT 1 FROM {kv_index_value} WHERE ik >= ?1 AND ik < ?2)

-- name: index_up
SELECT r.ik, e.k, e.version, e.expiration_ms, e.v, e.v_encoding
  FROM {kv_index_value} r CROSS JOIN {kv} e
 WHERE e.k = r.pk AND r.ik >= ?1 AND r.ik < ?2
   AND (e.expiration_ms < 0 OR e.expiration_ms > ?3)
 ORDER BY r.ik, r.pk

-- name: index_down
SELECT r.ik, e.k, e.version, e.expiration_ms, e.v, e.v_encoding
  FROM {kv_index_value} r CROSS JOIN {kv} e
 WHERE e.k = r.pk AND r.ik >= ?1 AND r.ik < ?2
   AND (e.expiration_ms < 0 OR e.expiration_ms > ?3)
 ORDER BY r.ik DESC, r.pk DESC

-- name: index_keys_up
-- The same without the primary entries, and what is left of it after a row: how many
-- rows, and those after the first ?4 of them.
SELECT ik, pk FROM {kv_index_value} WHERE ik >= ?1 AND ik < ?2 ORDER BY ik, pk

-- name: index_keys_down
SELECT ik, pk FROM {kv_index_value} WHERE ik >= ?1 AND ik < ?2 ORDER BY ik DESC, pk DESC

-- name: index_rest
SELECT count(*) FROM {kv_index_value} WHERE (ik, pk) > (?1, ?2) AND ik < ?3

-- name: index_land
SELECT ik, pk FROM {kv_index_value} WHERE (ik, pk) > (?1, ?2) AND ik < ?3
 ORDER BY ik, pk LIMIT -1 OFFSET ?4

-- name: index_entries_up
-- An index of which the keys in kv tell the primary ones: kv_holder().
SELECT r.k, e.k, e.version, e.expiration_ms, e.v, e.v_encoding
  FROM {kv} r CROSS JOIN {kv} e
 WHERE e.k = kv_holder(r.k, ?4) AND r.k >= ?1 AND r.k < ?2
   AND (e.expiration_ms < 0 OR e.expiration_ms > ?3)
 ORDER BY r.k

-- name: index_entries_down
SELECT r.k, e.k, e.version, e.expiration_ms, e.v, e.v_encoding
  FROM {kv} r CROSS JOIN {kv} e
 WHERE e.k = kv_holder(r.k, ?4) AND r.k >= ?1 AND r.k < ?2
   AND (e.expiration_ms < 0 OR e.expiration_ms > ?3)
 ORDER BY r.k DESC

-- name: index_entries_keys_up
-- The same without the primary entries, as above.
SELECT k, kv_holder(k, ?4) FROM {kv} WHERE k >= ?1 AND k < ?2 ORDER BY k

-- name: index_entries_keys_down
SELECT k, kv_holder(k, ?4) FROM {kv} WHERE k >= ?1 AND k < ?2 ORDER BY k DESC

-- name: index_entries_rest
SELECT count(*) FROM {kv} WHERE k > ?1 AND k < ?3

-- name: index_entries_land
SELECT k, kv_holder(k, ?5) FROM {kv} WHERE k > ?1 AND k < ?3 ORDER BY k LIMIT -1 OFFSET ?4

-- name: index_old_up
-- An index in a file of an older version.
SELECT r.ik, e.k, e.version, e.expiration_ms, e.v, e.v_encoding
  FROM {kv_index_row} r CROSS JOIN {kv} e
 WHERE e.k = r.pk AND r.ik >= ?1 AND r.ik < ?2
   AND (e.expiration_ms < 0 OR e.expiration_ms > ?3)
 ORDER BY r.ik, r.pk

-- name: index_old_down
SELECT r.ik, e.k, e.version, e.expiration_ms, e.v, e.v_encoding
  FROM {kv_index_row} r CROSS JOIN {kv} e
 WHERE e.k = r.pk AND r.ik >= ?1 AND r.ik < ?2
   AND (e.expiration_ms < 0 OR e.expiration_ms > ?3)
 ORDER BY r.ik DESC, r.pk DESC

-- name: index_old_add
-- From the tables of an older version to those of this one.
ALTER TABLE {kv_index_def} ADD COLUMN own BLOB

-- name: index_old_own
UPDATE {kv_index_def} SET own = nullif(?2, x'') WHERE name = ?1

-- name: index_old_rows
SELECT pk, ik FROM {kv_index_row} ORDER BY pk, ik

-- name: index_old_values
INSERT INTO {kv_index_value}(ik, pk)
SELECT ik, pk FROM {kv_index_row} WHERE ik > ?1 AND ik < ?2 AND length(ik) > ?3
ON CONFLICT DO NOTHING

-- name: index_old_more
-- Keys in kv that no row has, and those of rows that are not in kv.
INSERT INTO {kv_index_pending}(k)
SELECT e.k FROM {kv} e WHERE e.k > ?1 AND e.k < ?2 AND length(e.k) <= ?3
   AND NOT EXISTS (SELECT 1 FROM {kv_index_row} r WHERE r.ik = e.k)
ON CONFLICT(k) DO NOTHING

-- name: index_old_less
INSERT INTO {kv_index_pending}(k)
SELECT ik FROM {kv_index_row} WHERE ik > ?1 AND ik < ?2 AND length(ik) <= ?3
   AND NOT EXISTS (SELECT 1 FROM {kv} e WHERE e.k = ik)
ON CONFLICT(k) DO NOTHING

-- name: index_old_clear
DELETE FROM {kv_index_row}

-- name: index_old_rename
ALTER TABLE {kv_index_row} RENAME TO {kv_index_old-}

-- name: index_point
SELECT ?1, e.k, e.version, e.expiration_ms, e.v, e.v_encoding
  FROM {kv} e
 WHERE e.k = ?2 AND (e.expiration_ms < 0 OR e.expiration_ms > ?3)
