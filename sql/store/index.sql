-- Statements of the declared indexes.
--
--   kv_index_def      the declarations; own is the stored key [name], with which
--                     the keys of index entries begin.  kinds: what there was at the
--                     paths since then (KVKIND_xxx), so that a reader knows whether the
--                     keys tell everything
--   kv_index_held     for each primary entry the keys of its index entries
--                     (index_held.h): what tells which of them to remove when a
--                     program that knows nothing of indexes has overwritten it
--   kv_index_value    whose index entries are of which the key doesn't tell: those
--                     of unique indexes; and those that have no place in kv
--                     because their key is too long

-- name: index_def
CREATE TABLE IF NOT EXISTS {kv_index_def!}(
  name TEXT NOT NULL PRIMARY KEY,
  prefix BLOB NOT NULL,
  path TEXT NOT NULL,
  options TEXT NOT NULL,
  own BLOB,
  kinds INTEGER NOT NULL DEFAULT 0
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

-- name: index_list
SELECT name, prefix, path, options, kinds FROM {kv_index_def} ORDER BY name

-- name: index_tables
-- The published tables; a zero ends each name.
SELECT CAST(name AS BLOB) || x'00' FROM {kv_index_def} WHERE options = 'table'

-- name: index_add
INSERT INTO {kv_index_def}(name, prefix, path, options, own)
VALUES (?1, ?2, ?3, ?4, nullif(?5, x''))

-- name: index_kinds
UPDATE {kv_index_def} SET kinds = kinds | ?2 WHERE name = ?1

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

-- name: index_lost
-- Has anything index entries?
SELECT 1 FROM {kv_index_held} UNION ALL SELECT 1 FROM {kv_index_value} LIMIT 1

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

-- name: index_values_any
-- Has an index that is not unique any that have no place in kv?
SELECT 1 FROM {kv_index_value} WHERE ik >= ?1 AND ik < ?2 LIMIT 1

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

-- name: index_point
SELECT ?1, e.k, e.version, e.expiration_ms, e.v, e.v_encoding
  FROM {kv} e
 WHERE e.k = ?2 AND (e.expiration_ms < 0 OR e.expiration_ms > ?3)
