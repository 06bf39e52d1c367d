-- Statements of the change feed: plain SQL that every program's writes keep
-- up, Deno's too.
--
--   kv_version_idx     finds the entries that changed, by version
--   kv_deleted         the keys that were deleted, each with the version of
--                      its last deletion, kept by two triggers on kv; for the
--                      indexes alone, not what this library deletes itself
--   kv_track_state     row 0: what the feed and the indexes know
--
-- A deletion gets the version that data_version has by then, since whoever
-- writes takes a new version first.  Only the removal of expired entries
-- takes one afterwards (Deno adds 1): so an entry whose time has come gets the
-- version that is yet to come.
--
-- kv_track_state: wanted is 1 if kv_track(1) was called, else deletions are
-- kept only until the indexes have caught up; since is the version up to
-- which deletions are not known; generation changes with the declared
-- indexes; applied is the version up to which they have caught up.
--
-- A write catches up with a part only if there is much.  Then there is a gap: the
-- indexes have caught up to version applied of row 0, and also with all that is
-- later than the end of the gap, up to applied of row 1.  generation of row 1 is the
-- end of the gap, since a number that each write changes.  Rows 2 and 3 are the
-- places in the gap up to which they have come, of entries and of deletions: a
-- version, since, and the key before the next one, generation; rows 4 and 5 the same
-- of keys that indexes own, which come after all others.

-- name: feed_version_index
CREATE INDEX IF NOT EXISTS {kv_version_idx!} ON {kv-}(version)

-- name: feed_deleted
CREATE TABLE IF NOT EXISTS {kv_deleted!}(
  k BLOB NOT NULL PRIMARY KEY,
  version INTEGER NOT NULL
) WITHOUT ROWID

-- name: feed_deleted_index
CREATE INDEX IF NOT EXISTS {kv_deleted_version_idx!} ON {kv_deleted-}(version)

-- name: feed_on_delete
CREATE TRIGGER IF NOT EXISTS {kv_track_delete!} AFTER DELETE ON {kv-}
WHEN last_insert_rowid() > {quiet} BEGIN
  INSERT INTO {kv_deleted-}(k, version) VALUES (OLD.k,
    coalesce((SELECT version FROM {data_version-} WHERE k = 0), 0)
    + (OLD.expiration_ms >= 0 AND OLD.expiration_ms
       <= CAST((julianday('now') - 2440587.5) * 86400000.0 + 0.5 AS INTEGER)))
  ON CONFLICT(k) DO UPDATE SET version = excluded.version;
END

-- name: feed_on_move
CREATE TRIGGER IF NOT EXISTS {kv_track_move!} AFTER UPDATE OF k ON {kv-}
WHEN OLD.k IS NOT NEW.k BEGIN
  INSERT INTO {kv_deleted-}(k, version) VALUES (OLD.k,
    coalesce((SELECT version FROM {data_version-} WHERE k = 0), 0))
  ON CONFLICT(k) DO UPDATE SET version = excluded.version;
END

-- name: feed_state
CREATE TABLE IF NOT EXISTS {kv_track_state!}(
  k INTEGER PRIMARY KEY,
  wanted INTEGER NOT NULL,
  since INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  applied INTEGER NOT NULL
)

-- name: feed_state_row
INSERT INTO {kv_track_state}(k, wanted, since, generation, applied)
SELECT 0, 0, version, 0, version FROM {data_version} WHERE k = 0
ON CONFLICT(k) DO NOTHING

-- name: feed_get
SELECT s.wanted, s.since, s.generation, s.applied, d.version,
  r.applied, r.generation, r.since
  FROM {kv_track_state} s CROSS JOIN {data_version} d
  LEFT JOIN {kv_track_state} r ON r.k = 1 WHERE s.k = 0 AND d.k = 0

-- name: feed_set_wanted
UPDATE {kv_track_state} SET wanted = 1 WHERE k = 0

-- name: feed_set_since
-- Before deletions are forgotten: the newest of them.
UPDATE {kv_track_state} SET since = max(since,
  coalesce((SELECT max(version) FROM {kv_deleted} WHERE version < ?1), since))
 WHERE k = 0

-- name: feed_set_generation
UPDATE {kv_track_state} SET generation = ?1 WHERE k = 0

-- name: feed_set_applied
-- Deletions up to ?2 are not all known any more, unless they are wanted.  ?3 is 1, or 2 for
-- row 1 too, of which wanted is 1.
UPDATE {kv_track_state} SET applied = ?1,
  since = CASE WHEN wanted THEN since ELSE max(since, ?2) END WHERE k < ?3

-- name: feed_trim
DELETE FROM {kv_deleted} WHERE version < ?1

-- name: feed_forget
-- Some deletions up to the version ?1, which nobody needs.
DELETE FROM {kv_deleted} WHERE k IN (
  SELECT k FROM {kv_deleted} INDEXED BY {kv_deleted_version_idx-}
   WHERE version <= ?1 LIMIT 64)

-- name: feed_swept
-- Expired entries were removed by a write that has the version ?1.
UPDATE {kv_deleted} SET version = ?1 WHERE version > ?1

-- name: feed_drop_delete
DROP TRIGGER IF EXISTS {kv_track_delete}
-- name: feed_drop_move
DROP TRIGGER IF EXISTS {kv_track_move}
-- name: feed_drop_version_index
DROP INDEX IF EXISTS {kv_version_idx}
-- name: feed_drop_deleted
DROP TABLE IF EXISTS {kv_deleted}
-- name: feed_drop_state
DROP TABLE IF EXISTS {kv_track_state}

-- name: feed_entries
-- The keys of the entries changed after the version ?1, with keys from ?2 on
-- and (unless NULL) before ?3.
SELECT k, version FROM {kv} INDEXED BY {kv_version_idx-}
 WHERE version > ?1 AND k >= ?2 AND (?3 IS NULL OR k < ?3) ORDER BY version, k

-- name: feed_entries_whole
-- The same with the values, after the version ?1 and, in it, the key ?4.
SELECT k, version, expiration_ms, v, v_encoding FROM {kv} INDEXED BY {kv_version_idx-}
 WHERE (version, k) > (?1, ?4) AND k >= ?2 AND (?3 IS NULL OR k < ?3) ORDER BY version, k

-- name: feed_deletions
-- The deletions among them, as rows of feed_changes.
SELECT d.k, d.version, -1, NULL, 0 FROM {kv_deleted} d INDEXED BY {kv_deleted_version_idx-}
 WHERE d.version > ?1 AND d.k >= ?2 AND (?3 IS NULL OR d.k < ?3)
   AND NOT EXISTS (SELECT 1 FROM {kv} x WHERE x.k = d.k)
 ORDER BY d.version, d.k

-- name: feed_changes
-- Both, the entries with their values.
{whole}SELECT e.k, e.version, e.expiration_ms, e.v, e.v_encoding, 0 AS deleted
  FROM {kv} e INDEXED BY {kv_version_idx-}
 WHERE e.version > ?1 AND e.k >= ?2 AND (?3 IS NULL OR e.k < ?3)
UNION ALL
SELECT d.k, d.version, -1, NULL, 0, 1
  FROM {kv_deleted} d INDEXED BY {kv_deleted_version_idx-}
 WHERE d.version > ?1 AND d.k >= ?2 AND (?3 IS NULL OR d.k < ?3)
   AND NOT EXISTS (SELECT 1 FROM {kv} x WHERE x.k = d.k)
 ORDER BY 2, 1{at once}

-- name: feed_changed
-- The keys of entries with a version from ?1 to ?2, after the key ?3 in the
-- first of them.
SELECT k, version FROM {kv} INDEXED BY {kv_version_idx-}
 WHERE (version, k) > (?1, ?3) AND version <= ?2 ORDER BY version, k LIMIT ?4

-- name: feed_gone
-- The same for deletions.
SELECT k, version FROM {kv_deleted} INDEXED BY {kv_deleted_version_idx-}
 WHERE (version, k) > (?1, ?3) AND version <= ?2 ORDER BY version, k LIMIT ?4
