-- monitor.sql -- the state of a store as one number a line, for monitoring.
--
--     sqlite3 -batch -list -cmd '.load ./build/kv' app.db <sql/examples/monitor.sql
--
-- A line is a name and a number, as Prometheus' text format has it (for the textfile
-- collector of node_exporter, for instance).  It only reads.  bytes, entries and expired
-- read all keys, faults reads all of the store: leave them out of what runs every minute.

-- The file, and what VACUUM would free.
SELECT 'kv_file_bytes ' || (page_count * page_size) FROM pragma_page_count, pragma_page_size;
--> kv_file_bytes 94208
SELECT 'kv_file_free_bytes ' || (freelist_count * page_size) FROM pragma_freelist_count, pragma_page_size;
--> kv_file_free_bytes 0

-- The newest version; its growth is the number of writes.
SELECT 'kv_version ' || ifnull(max(version), 0) FROM data_version;
--> kv_version 1252

-- Messages that wait, that a worker has claimed, and whose lease has ended; the time,
-- in seconds since 1970, at which the first one that waits was or is due.
SELECT 'kv_queue_ready ' || count(*) FROM kv_queue WHERE state = 'ready';
--> kv_queue_ready 5
SELECT 'kv_queue_running ' || count(*) FROM kv_queue WHERE state = 'running';
--> kv_queue_running 0
SELECT 'kv_queue_lease_ended ' || count(*) FROM kv_queue WHERE state = 'running' AND deadline < kv_now();
--> kv_queue_lease_ended 0
SELECT 'kv_queue_first_due_seconds ' || (ifnull(min(ready_at), 0) / 1000) FROM kv_queue WHERE state = 'ready';
--> kv_queue_first_due_seconds 1795248436

-- Declared indexes: changes that they have yet to catch up with, and values of unique
-- ones that several entries have.
SELECT 'kv_index_pending ' || ifnull(sum(pending), 0) FROM kv_indexes;
--> kv_index_pending 0
SELECT 'kv_index_conflicts ' || ifnull(sum(conflicts), 0) FROM kv_indexes;
--> kv_index_conflicts 0

-- Entries, their bytes, expired ones that are still in the file, and what history keeps.
SELECT printf('kv_entries %d' || char(10) || 'kv_bytes %d' || char(10) || 'kv_expired %d' || char(10) || 'kv_history_bytes %d',
              sum(entries), sum(bytes), sum(expired), sum(states_bytes)) FROM kv_stats;
--> kv_entries 391
--> kv_bytes 32035
--> kv_expired 0
--> kv_history_bytes 0

SELECT 'kv_faults ' || count(*) FROM kv_check;
--> kv_faults 0
