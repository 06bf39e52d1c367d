-- Statements of the history: what entries were, kept by triggers in plain SQL
-- whichever program changes them.
--
--   kv_history_def   the prefixes, how long states are kept, the version since
--                    which all of them are there, and the state after which trimming
--                    goes on
--   kv_history       the states that have ended, n by n: an entry as it was from its
--                    version on, up to the version at which it was changed or removed
--                    (ended).  A table of rowids: states are appended, and one of 1 KB
--                    or more doesn't take pages of its own, as in a table without them
--   kv_history_at    when each version was taken, in ms; it never goes backwards
--
-- A row of kv_history belongs to the first change of a key in a version, so several
-- changes in one operation leave one row: the state before it.  Whoever writes takes a
-- new version first; what takes none counts to the newest one.  To an entry that gets an
-- older version, where nothing was before the newest one, belongs a row without a version,
-- which says so.  Only the removal of expired entries takes a version afterwards (Deno
-- adds 1): an entry whose time has come ends with the version that is yet to come.
--
-- As of version x, a key is what the row with the least ended > x says, or, where there
-- is none, the entry itself; and nothing if the version of that is later than x.
--
-- {below NEW}, {below OLD}: the key of the row is below a prefix whose history is
-- kept, and is no key of an index.  (A trigger's ON CONFLICT isn't overruled by
-- the outer statement, as OR IGNORE would be.)

-- name: history_def
CREATE TABLE IF NOT EXISTS {kv_history_def!}(
  prefix BLOB NOT NULL PRIMARY KEY,
  keep_ms INTEGER NOT NULL,
  since INTEGER NOT NULL,
  place INTEGER NOT NULL
) WITHOUT ROWID

-- name: history_table
CREATE TABLE IF NOT EXISTS {kv_history!}(
  n INTEGER PRIMARY KEY,
  k BLOB NOT NULL,
  ended INTEGER NOT NULL,
  version INTEGER,
  expiration_ms INTEGER,
  v_encoding INTEGER,
  v BLOB,
  UNIQUE (k, ended)
)

-- name: history_at
CREATE TABLE IF NOT EXISTS {kv_history_at!}(
  version INTEGER NOT NULL PRIMARY KEY,
  at INTEGER NOT NULL
)

-- name: history_on_insert
-- REPLACE fires no DELETE trigger.
CREATE TRIGGER {kv_history_insert!} BEFORE INSERT ON {kv-}
WHEN {below NEW} BEGIN
  INSERT INTO {kv_history-}(k, ended, version, expiration_ms, v_encoding, v)
  SELECT NEW.k, d.version, e.version, e.expiration_ms, e.v_encoding, e.v
    FROM {data_version-} d LEFT JOIN {kv-} e ON e.k = NEW.k AND e.version < d.version
   WHERE d.k = 0 AND (e.version NOT NULL OR NEW.version < d.version)
  ON CONFLICT DO NOTHING;
END

-- name: history_on_update
CREATE TRIGGER {kv_history_update!} BEFORE UPDATE ON {kv-}
WHEN {below OLD} BEGIN
  INSERT INTO {kv_history-}(k, ended, version, expiration_ms, v_encoding, v)
  SELECT OLD.k, d.version, CASE WHEN OLD.version < d.version THEN OLD.version END, OLD.expiration_ms,
         OLD.v_encoding, CASE WHEN OLD.version < d.version THEN OLD.v END
    FROM {data_version-} d WHERE d.k = 0 AND min(OLD.version, NEW.version) < d.version
  ON CONFLICT DO NOTHING;
END

-- name: history_on_move
-- What is in the new place.
CREATE TRIGGER {kv_history_move!} BEFORE UPDATE OF k ON {kv-}
WHEN OLD.k IS NOT NEW.k AND {below NEW} BEGIN
  INSERT INTO {kv_history-}(k, ended, version, expiration_ms, v_encoding, v)
  SELECT NEW.k, d.version, e.version, e.expiration_ms, e.v_encoding, e.v
    FROM {data_version-} d LEFT JOIN {kv-} e ON e.k = NEW.k AND e.version < d.version
   WHERE d.k = 0 AND (e.version NOT NULL OR NEW.version < d.version)
  ON CONFLICT DO NOTHING;
END

-- name: history_on_delete
CREATE TRIGGER {kv_history_delete!} BEFORE DELETE ON {kv-}
WHEN {below OLD} BEGIN
  INSERT INTO {kv_history-}(k, ended, version, expiration_ms, v_encoding, v)
  SELECT OLD.k, n.ended, OLD.version, OLD.expiration_ms, OLD.v_encoding, OLD.v
    FROM (SELECT version + ifnull(OLD.expiration_ms >= 0 AND OLD.expiration_ms
             <= CAST((julianday('now') - 2440587.5) * 86400000.0 + 0.5 AS INTEGER), 0) AS ended
            FROM {data_version-} WHERE k = 0) n
   WHERE OLD.version < n.ended
  ON CONFLICT DO NOTHING;
END

-- name: history_on_added
-- An entry whose time had come, and that was removed and is there again in one version,
-- has ended with that.
CREATE TRIGGER {kv_history_added!} AFTER INSERT ON {kv-}
WHEN {below NEW} AND EXISTS (SELECT 1 FROM {kv_history-}
  WHERE k = NEW.k AND ended > (SELECT version FROM {data_version-} WHERE k = 0))
BEGIN
  INSERT INTO {kv_history-}(k, ended, version, expiration_ms, v_encoding, v)
  SELECT h.k, d.version, h.version, h.expiration_ms, h.v_encoding, h.v
    FROM {data_version-} d JOIN {kv_history-} h ON h.k = NEW.k AND h.ended > d.version
   WHERE d.k = 0 AND h.version < d.version
  ON CONFLICT DO NOTHING;
  DELETE FROM {kv_history-}
   WHERE k = NEW.k AND ended > (SELECT version FROM {data_version-} WHERE k = 0);
END

-- name: history_on_moved
CREATE TRIGGER {kv_history_moved!} AFTER UPDATE OF k ON {kv-}
WHEN OLD.k IS NOT NEW.k AND {below NEW} AND EXISTS (SELECT 1 FROM {kv_history-}
  WHERE k = NEW.k AND ended > (SELECT version FROM {data_version-} WHERE k = 0))
BEGIN
  INSERT INTO {kv_history-}(k, ended, version, expiration_ms, v_encoding, v)
  SELECT h.k, d.version, h.version, h.expiration_ms, h.v_encoding, h.v
    FROM {data_version-} d JOIN {kv_history-} h ON h.k = NEW.k AND h.ended > d.version
   WHERE d.k = 0 AND h.version < d.version
  ON CONFLICT DO NOTHING;
  DELETE FROM {kv_history-}
   WHERE k = NEW.k AND ended > (SELECT version FROM {data_version-} WHERE k = 0);
END

-- name: history_on_version
CREATE TRIGGER {kv_history_version!} AFTER UPDATE OF version ON {data_version-}
WHEN NEW.k = 0 AND NEW.version > OLD.version AND typeof(NEW.version) = 'integer' BEGIN
  INSERT INTO {kv_history_at-}(version, at) VALUES (NEW.version, max(
    CAST((julianday('now') - 2440587.5) * 86400000.0 + 0.5 AS INTEGER),
    ifnull((SELECT at FROM {kv_history_at-} ORDER BY version DESC LIMIT 1), 0)))
  ON CONFLICT DO NOTHING;
END

-- name: history_on_back
-- A version that nothing was written with may be taken back.
CREATE TRIGGER {kv_history_back!} AFTER UPDATE OF version ON {data_version-}
WHEN NEW.k = 0 AND NEW.version < OLD.version BEGIN
  DELETE FROM {kv_history_at-} WHERE version > NEW.version;
END

-- name: history_drop_insert
DROP TRIGGER IF EXISTS {kv_history_insert}
-- name: history_drop_update
DROP TRIGGER IF EXISTS {kv_history_update}
-- name: history_drop_move
DROP TRIGGER IF EXISTS {kv_history_move}
-- name: history_drop_delete
DROP TRIGGER IF EXISTS {kv_history_delete}
-- name: history_drop_added
DROP TRIGGER IF EXISTS {kv_history_added}
-- name: history_drop_moved
DROP TRIGGER IF EXISTS {kv_history_moved}
-- name: history_drop_back
DROP TRIGGER IF EXISTS {kv_history_back}
-- name: history_drop_version
DROP TRIGGER IF EXISTS {kv_history_version}
-- name: history_drop_def
DROP TABLE IF EXISTS {kv_history_def}
-- name: history_drop_table
DROP TABLE IF EXISTS {kv_history}
-- name: history_drop_at
DROP TABLE IF EXISTS {kv_history_at}

-- name: history_own
-- The keys with which those of index entries begin.
SELECT own FROM {kv_index_def} WHERE own IS NOT NULL

-- name: history_prefixes
SELECT prefix, keep_ms, since FROM {kv_history_def} ORDER BY prefix

-- name: history_keep
INSERT INTO {kv_history_def}(prefix, keep_ms, since, place)
SELECT ?1, ?2, version, 0 FROM {data_version} WHERE k = 0
ON CONFLICT(prefix) DO UPDATE SET keep_ms = excluded.keep_ms

-- name: history_begin
-- The newest version was taken at ?1 or before.
INSERT INTO {kv_history_at}(version, at)
SELECT version, max(?1, ifnull((SELECT at FROM {kv_history_at} ORDER BY version DESC LIMIT 1), 0))
  FROM {data_version} WHERE k = 0
ON CONFLICT DO NOTHING

-- name: history_end
DELETE FROM {kv_history_def} WHERE prefix = ?1

-- name: history_clear
-- The states from ?1 on and (unless NULL) before ?2 that no prefix asks for.
DELETE FROM {kv_history} WHERE k >= ?1 AND (?2 IS NULL OR k < ?2)
  AND NOT EXISTS (SELECT 1 FROM {kv_history_def} d
    WHERE substr({kv_history-}.k, 1, length(d.prefix)) = d.prefix)

-- name: history_states
-- All states from ?1 on and (unless NULL) before ?2, by keys, in the order of time.
{whole}SELECT k, version, expiration_ms, v, v_encoding, ended FROM {kv_history}
 WHERE k >= ?1 AND (?2 IS NULL OR k < ?2)
UNION ALL
SELECT k, version, expiration_ms, v, v_encoding, 9223372036854775807 FROM {kv}
 WHERE k >= ?1 AND (?2 IS NULL OR k < ?2){states}

-- name: history_states_of
-- The same of the key ?1, of those that ended at the version ?2 or later.
{whole}SELECT k, version, expiration_ms, v, v_encoding, ended FROM {kv_history}
 WHERE k = ?1 AND ended >= ?2
UNION ALL
SELECT k, version, expiration_ms, v, v_encoding, 9223372036854775807 FROM {kv}
 WHERE k = ?1{states}

-- name: history_before
-- The ends of the last state of the key ?1 before ?2, and of the last row.
SELECT ifnull((SELECT ended FROM {kv_history}
    WHERE k = ?1 AND ended < ?2 AND version NOT NULL ORDER BY ended DESC LIMIT 1), 0),
  ifnull((SELECT max(ended) FROM {kv_history} WHERE k = ?1 AND ended < ?2), 0)

-- name: history_past
-- The states from ?1 on that ended after the version ?5, and after ?6 if they are of the key
-- ?1; and of those before some, where there are many, so that they can be passed over.  The
-- pieces in braces are those of read_range.
{whole}SELECT {columns}, ended FROM {kv_history}
 WHERE (k, ended) > (?1, ?6){upper} AND (ended > ?5 OR n % 16 = 0){end}
 ORDER BY {sorted}k, ended

-- name: history_past_down
-- The same in descending order, of all before ?2.
{whole}SELECT {columns}, ended FROM {kv_history}
 WHERE k >= ?1{upper} AND (ended > ?5 OR n % 16 = 0){end}
 ORDER BY {sorted}k DESC, ended DESC

-- name: history_past_point
-- What the key ?1 was at the end of the version ?5, and then what it is.
SELECT {columns} FROM (
  SELECT * FROM {kv_history} WHERE k = ?1 AND ended > ?5 ORDER BY ended LIMIT 1)
UNION ALL
SELECT {columns} FROM {kv} WHERE k = ?1

-- name: history_size
-- States and their bytes from ?1 on and before ?2.
SELECT count(*), ifnull(sum(length(k) + ifnull(length(v), 0)), 0) FROM {kv_history}
 WHERE k >= ?1 AND k < ?2

-- name: history_next
-- The first key from ?1 on that has a state.
SELECT k FROM {kv_history} WHERE k >= ?1 ORDER BY k LIMIT 1

-- name: history_time
-- When the version ?1, or the last one before it that is known, was taken.
SELECT at, version FROM {kv_history_at} WHERE version <= ?1 ORDER BY version DESC LIMIT 1

-- name: history_first
-- The first version whose time is known.
SELECT version, at FROM {kv_history_at} ORDER BY version LIMIT 1

-- name: history_forget
DELETE FROM {kv_history} WHERE k = ?1

-- name: history_place
-- After which state trimming goes on, and up to which version one may not be wanted.
SELECT max(place), max(since) FROM {kv_history_def}

-- name: history_set_place
UPDATE {kv_history_def} SET place = ?1

-- name: history_set_since
UPDATE {kv_history_def} SET since = ?2 WHERE prefix = ?1 AND since < ?2

-- name: history_oldest
-- States after the state ?1, in the order of time, and up to which version they aren't wanted.
SELECT n, ended, (
    SELECT ifnull(min(since), 9223372036854775807) FROM {kv_history_def} d
     WHERE substr({kv_history-}.k, 1, length(d.prefix)) = d.prefix)
  FROM {kv_history} WHERE n > ?1 ORDER BY n LIMIT ?2

-- name: history_trim
DELETE FROM {kv_history} WHERE n = ?1

-- name: history_trim_at
-- Some times that nobody asks for.
DELETE FROM {kv_history_at} WHERE version < (
  SELECT max(version) FROM (
    SELECT version FROM {kv_history_at}
     WHERE version <= (SELECT min(since) FROM {kv_history_def}) ORDER BY version LIMIT 64))
