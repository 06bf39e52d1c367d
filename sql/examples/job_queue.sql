-- job_queue.sql -- jobs for workers, by Deno's queue.
--
--     sqlite3 -cmd '.load ./build/kv' app.db <sql/examples/job_queue.sql
--
-- A program enqueues, workers (here or in Deno, listenQueue()) claim the jobs.
-- If a worker fails or dies, its job is retried.

-- A job and the entry that it is about, in one operation: both or none.
INSERT INTO kv_atomic(op, key, value, delay, keys_if_undelivered, backoff_schedule) VALUES
  ('set', kv_key('orders', 1), json_object('state', 'new'), NULL, NULL, NULL),
  ('enqueue', NULL, json_object('mail', 'order 1'), 0, '[["failed","order",1]]', '[0]');
INSERT INTO kv_queue(value, delay) VALUES (json_object('mail', 'reminder'), 86400000);
SELECT value ->> 'mail', kv_type(raw), state, ready_at > kv_now() + 1000 AS later FROM kv_queue ORDER BY ready_at;
--> order 1|Object|ready|0
--> reminder|Object|ready|1

-- A worker claims the next job that is due, for 30 seconds.
CREATE TEMP TABLE mine AS SELECT id, value, state FROM kv_dequeue(30000);
SELECT value ->> 'mail', state FROM mine;
--> order 1|running

-- It takes longer than expected: extend the lease.
UPDATE kv_queue SET deadline = kv_now() + 120000 WHERE id = (SELECT id FROM mine);

-- It fails: the job is due again after the first step of its backoff schedule
-- (here at once).  It fails again: that was the last step, and the job is
-- stored under its keys.
SELECT kv_finish(id, 0) FROM mine;
--> 1
SELECT kv_finish(id, 0) FROM kv_dequeue(30000);
--> 1
SELECT key, type, js FROM kv_entries('["failed"]');
--> ["failed","order",1]|Object|{"mail":"order 1"}

-- A worker reads the newest versionstamp before it looks for a job.  If nothing
-- is due, kv_wait() sleeps until the next write after that one, or until it is
-- time to look for delayed jobs (here after 10 ms).
CREATE TEMP TABLE seen AS SELECT kv_versionstamp() AS v;
SELECT count(*) FROM kv_dequeue(30000);
--> 0
SELECT kv_wait((SELECT v FROM seen), 10) IS NULL;
--> 1

-- A job is cancelled.
DELETE FROM kv_queue WHERE value ->> 'mail' = 'reminder';
SELECT count(*) FROM kv_queue;
--> 0
