-- Statements of the queue, on Deno's tables queue and queue_running.
--
-- Deno finds messages by time only.  These plain indexes find them by id; Deno
-- does not mind them.

-- name: queue_index_ready
CREATE INDEX IF NOT EXISTS {kv_queue_id_idx!} ON {queue-}(id)

-- name: queue_index_running
CREATE INDEX IF NOT EXISTS {kv_queue_running_id_idx!} ON {queue_running-}(id)

-- name: queue_index_drop_ready
DROP INDEX IF EXISTS {kv_queue_id_idx}
-- name: queue_index_drop_running
DROP INDEX IF EXISTS {kv_queue_running_id_idx}

-- name: queue_list
-- All messages that are there when it begins, so that a statement which adds a
-- message for each of them ends.
SELECT id, data, 0, ts, backoff_schedule, keys_if_undelivered
  FROM {queue} WHERE rowid <= (SELECT max(rowid) FROM {queue})
UNION ALL
SELECT id, data, 1, deadline, backoff_schedule, keys_if_undelivered
  FROM {queue_running} WHERE rowid <= (SELECT max(rowid) FROM {queue_running})

-- name: queue_find
-- One message by id.
SELECT id, data, 0, ts, backoff_schedule, keys_if_undelivered
  FROM {queue} WHERE id = ?1
UNION ALL
SELECT id, data, 1, deadline, backoff_schedule, keys_if_undelivered
  FROM {queue_running} WHERE id = ?1

-- name: queue_next
-- The messages that have been ready for the longest time.
SELECT id, data, 0, ts, backoff_schedule, keys_if_undelivered
  FROM {queue} WHERE ts <= ?1 ORDER BY ts LIMIT ?2

-- name: queue_late
-- Messages whose lease has run out.
SELECT id, data, 1, deadline, backoff_schedule, keys_if_undelivered
  FROM {queue_running} WHERE deadline <= ?1 ORDER BY deadline LIMIT ?2

-- name: queue_running_find
SELECT id, data, 1, deadline, backoff_schedule, keys_if_undelivered
  FROM {queue_running} WHERE id = ?1

-- name: queue_run
INSERT INTO {queue_running}(deadline, id, data, backoff_schedule, keys_if_undelivered)
VALUES (?1, ?2, ?3, ?4, ?5)

-- name: queue_extend
UPDATE {queue_running} SET deadline = ?2 WHERE id = ?1

-- name: queue_drop_ready
DELETE FROM {queue} WHERE id = ?1

-- name: queue_drop_running
DELETE FROM {queue_running} WHERE id = ?1
