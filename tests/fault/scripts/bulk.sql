-- bulk.sql -- entries that are removed by one statement.  (With KV_DEBUG 16 are many.)

-- block fill clean
SELECT kv_track(1);
INSERT INTO kv_entries(key, value) WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<40) SELECT kv_key('u', i%2, i), i FROM c;

-- block delete
DELETE FROM kv_entries WHERE prefix = '["u",1]';
SELECT count(*) FROM kv_changes WHERE deleted;

-- block expire clean
UPDATE kv SET expiration_ms = 1000 WHERE k < kv_key_encode('["u",0,20]');

-- block sweep
SELECT kv_sweep();

-- block again
INSERT INTO kv_entries(key, value) WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<20) SELECT kv_key('w', i), i FROM c;
DELETE FROM kv_entries;
