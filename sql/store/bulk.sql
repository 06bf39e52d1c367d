-- Statements that remove many entries at once (ext/store/bulk.c).

-- name: bulk_count
-- How many there are in a range.
SELECT count(*) FROM {kv} WHERE k >= ?1{upper}{alive}

-- name: bulk_delete
DELETE FROM {kv} WHERE k >= ?1{upper}{alive}

-- name: bulk_note
-- What the trigger feed_on_delete notes of each of them, with the version ?4.
INSERT INTO {kv_deleted}(k, version)
SELECT k, ?4 FROM {kv} WHERE k >= ?1{upper}{alive}
ON CONFLICT(k) DO UPDATE SET version = excluded.version

-- name: bulk_note_expired
-- The same for sweep_all.
INSERT INTO {kv_deleted}(k, version)
SELECT e.k, d.version + 1 FROM {data_version} d CROSS JOIN {kv} e
 WHERE d.k = 0 AND e.expiration_ms >= 0 AND e.expiration_ms <= ?1
ON CONFLICT(k) DO UPDATE SET version = excluded.version
