-- queue.sql -- the queue, step by step.

-- block fill
INSERT INTO kv_queue(value, delay) VALUES ('now', 0), ('in a minute', 60000);
INSERT INTO kv_queue(js, keys_if_undelivered, backoff_schedule) VALUES ('{ a: 1n }', '[["f",1],["g"]]', '[10]');
SELECT id, value, js, json, hex(raw), state, ready_at, deadline, backoff_schedule, keys_if_undelivered FROM kv_queue;

-- block take tick=10
CREATE TEMP TABLE mine AS SELECT id FROM kv_dequeue(10000);
SELECT value, state FROM kv_queue WHERE id=(SELECT id FROM mine);
UPDATE kv_queue SET deadline=kv_now()+60000 WHERE id=(SELECT id FROM mine);
SELECT kv_finish(id, 1) FROM mine;
SELECT kv_finish(id, 1) FROM mine;

-- block fail tick=10
SELECT id FROM kv_dequeue();
SELECT kv_finish((SELECT id FROM kv_queue WHERE state='running'), 0);
SELECT id FROM kv_dequeue();

-- block giveup tick=20
SELECT id FROM kv_dequeue();
SELECT kv_finish((SELECT id FROM kv_queue WHERE state='running'), 0);
SELECT key, js, versionstamp FROM kv_entries;

-- block late tick=70000
SELECT id FROM kv_dequeue(100);

-- block expired tick=1000
SELECT id FROM kv_dequeue(5);
SELECT state, backoff_schedule FROM kv_queue;

-- block drop
DELETE FROM kv_queue WHERE state='ready';
SELECT kv_enqueue('y', 0, NULL, '[]') > '';
SELECT id FROM kv_dequeue();
SELECT kv_finish((SELECT id FROM kv_queue WHERE state='running'), 0);
SELECT value, state, deadline FROM kv_queue;
DELETE FROM kv_queue;

-- block against clean
-- A message that can't be written under its keys once its lease has run out.
CREATE TRIGGER against BEFORE INSERT ON kv WHEN new.k = kv_key_encode('["no"]') BEGIN SELECT raise(ABORT, 'no'); END;
SELECT kv_enqueue('z', 0, '[["yes"],["no"]]', '[]') > '';
SELECT id FROM kv_dequeue(5);

-- block kept tick=10
SELECT id FROM kv_dequeue(5);
SELECT value, state FROM kv_queue;
SELECT key FROM kv_entries;

-- block gone clean
DROP TRIGGER against;
DELETE FROM kv_queue;

-- block malformed clean
INSERT INTO queue(ts, id, data, backoff_schedule, keys_if_undelivered) VALUES (1, 'bad', x'ff0f41', '[]', '[]');

-- block message
SELECT value FROM kv_queue;
SELECT js, json FROM kv_queue WHERE id='bad';
SELECT type FROM (SELECT id AS type, hex(raw) FROM kv_queue);
DELETE FROM kv_queue WHERE id='bad';

-- block transaction
BEGIN;
SELECT kv_enqueue('t', 0) > '';
CREATE TEMP TABLE mine AS SELECT id FROM kv_dequeue();
SELECT kv_finish(id, 1) FROM mine;
ROLLBACK;
SELECT count(*) FROM kv_queue;

-- block table tick=10
INSERT INTO kv_queue(value) VALUES ('t1'), ('t2'), ('t3');
CREATE TEMP TABLE got AS SELECT id, value, js, json, hex(raw), deadline, keys_if_undelivered FROM kv_dequeue(10000, 2);
SELECT a.value, b.value FROM kv_dequeue(10000, 2) AS a CROSS JOIN kv_dequeue(10000, 2) AS b;
SELECT count(*) FROM kv_queue WHERE state='running';

-- block named tick=10
ATTACH ':memory:' AS "o""x";
SELECT count(*) FROM kv_queue;
SELECT count(*) FROM "o""x".kv_queue;
