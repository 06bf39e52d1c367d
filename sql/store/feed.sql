-- Statements of the change feed, which kv_track(1) turns on: plain SQL that every
-- program's writes keep up, Deno's too.
--
--   kv_version_idx     finds the entries that changed, by version
--   kv_deleted         the keys that were deleted, each with the version of
--                      its last deletion, kept by two triggers on kv
--   kv_track_state     since: the version up to which deletions are not known
--
-- A deletion gets the version that data_version has by then, since whoever
-- writes takes a new version first.  Only the removal of expired entries
-- takes one afterwards (Deno adds 1): so an entry whose time has come gets the
-- version that is yet to come.

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
CREATE TRIGGER IF NOT EXISTS {kv_track_delete!} AFTER DELETE ON {kv-} BEGIN
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
  since INTEGER NOT NULL
)

-- name: feed_state_row
INSERT INTO {kv_track_state}(k, since) SELECT 0, version FROM {data_version} WHERE k = 0
ON CONFLICT(k) DO NOTHING

-- name: feed_get
SELECT s.since, d.version
  FROM {kv_track_state} s CROSS JOIN {data_version} d WHERE s.k = 0 AND d.k = 0

-- name: feed_set_since
-- Before deletions are forgotten: the newest of them.
UPDATE {kv_track_state} SET since = max(since,
  coalesce((SELECT max(version) FROM {kv_deleted} WHERE version < ?1), since))
 WHERE k = 0

-- name: feed_trim
DELETE FROM {kv_deleted} WHERE version < ?1

-- name: feed_swept
-- Expired entries were removed by a write that has the version ?1.
UPDATE {kv_deleted} SET version = ?1 WHERE version > ?1

-- name: feed_changes
-- What has changed after the version ?1, with keys from ?2 on and (unless NULL) before
-- ?3: entries, with their values unless they aren't asked for, and deletions.
{whole}SELECT e.k, e.version, {change}, 0 AS deleted
  FROM {kv} e INDEXED BY {kv_version_idx-}
 WHERE e.version > ?1 AND e.k >= ?2 AND (?3 IS NULL OR e.k < ?3)
UNION ALL
SELECT d.k, d.version, -1, NULL, 0, 1
  FROM {kv_deleted} d INDEXED BY {kv_deleted_version_idx-}
 WHERE d.version > ?1 AND d.k >= ?2 AND (?3 IS NULL OR d.k < ?3)
   AND NOT EXISTS (SELECT 1 FROM {kv} x WHERE x.k = d.k)
 ORDER BY 2, 1{at once}
