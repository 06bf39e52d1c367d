-- Statements of the queue, on Deno's tables queue and queue_running.
--
-- Deno finds messages by time only.  These plain indexes find them by id; Deno
-- does not mind them.  That of waiting messages is made when one of them is deleted,
-- and not before: claims go by time.

-- name: queue_index_ready
CREATE INDEX IF NOT EXISTS {kv_queue_id_idx!} ON {queue-}(id)

-- name: queue_index_running
CREATE INDEX IF NOT EXISTS {kv_queue_running_id_idx!} ON {queue_running-}(id)

-- name: queue_list
-- All messages that are there when it begins, so that a statement which adds a
-- message for each of them ends.
SELECT id, data, 0, ts, backoff_schedule, keys_if_undelivered, rowid
  FROM {queue} WHERE rowid <= (SELECT max(rowid) FROM {queue})
UNION ALL
SELECT id, data, 1, deadline, backoff_schedule, keys_if_undelivered, rowid
  FROM {queue_running} WHERE rowid <= (SELECT max(rowid) FROM {queue_running})

-- name: queue_find
-- One message by id: a claimed one, else one that waits.  Without an index by id all of
-- these would be read, so then there is none to look at.
SELECT id, data, 1, deadline, backoff_schedule, keys_if_undelivered, rowid
  FROM {queue_running} WHERE id = ?1
UNION ALL
SELECT id, data, 0, ts, backoff_schedule, keys_if_undelivered, rowid
  FROM {queue} WHERE id = ?1
   AND rowid >= iif(EXISTS (SELECT 1 FROM {queue_running} WHERE id = ?1),
                    9223372036854775807, -9223372036854775807)

-- name: queue_next
-- The messages that have been ready for the longest time, as they are shown when
-- they have been claimed until ?3.
SELECT id, data, 1, ?3, backoff_schedule, keys_if_undelivered, rowid
  FROM {queue} WHERE ts <= ?1 ORDER BY ts LIMIT ?2

-- name: queue_take
-- One of them is claimed.  No two messages with the same id have the same deadline.
DELETE FROM {queue} WHERE rowid = ?1 AND id = ?2
   AND NOT EXISTS (SELECT 1 FROM {queue_running} WHERE deadline = ?3 AND id = ?2)

-- name: queue_late
-- Messages whose lease has run out.
SELECT id, data, 1, deadline, backoff_schedule, keys_if_undelivered, rowid
  FROM {queue_running} WHERE deadline <= ?1 ORDER BY deadline LIMIT ?2

-- name: queue_running_find
SELECT id, data, 1, deadline, backoff_schedule, keys_if_undelivered, rowid
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
