-- index_many.sql -- much that another program wrote to an indexed prefix.  (With KV_DEBUG a
-- write catches up with 64 keys.)

-- block fill clean
INSERT INTO kv_entries(key, value) WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<150) SELECT kv_key('u', i), json_object('m', 'm' || i) FROM c;
SELECT kv_index('mail', '["u"]', '$.m', 'unique');

-- block others clean
UPDATE data_version SET version=version+5;
UPDATE kv SET v=kv_value_encode(json_object('m', 'n' || kv_part(kv_key_decode(k), 1))), version=(SELECT version FROM data_version) WHERE k BETWEEN kv_key_encode('["u",1]') AND kv_key_encode('["u",140]');
DELETE FROM kv WHERE k=kv_key_encode('["u",150]');

-- block taken
SELECT kv_set('["u",200]', json('{"m":"m3"}'));
INSERT INTO kv_entries(key, value) VALUES('["u",201]', json('{"m":"m4"}'));
SELECT count(*) FROM kv_lookup('mail');

-- block together
BEGIN;
SELECT kv_set('["u",202]', json('{"m":"m5"}'));
INSERT INTO kv_entries(key, value) VALUES('["u",203]', json('{"m":"m6"}'));
SELECT kv_sweep();
COMMIT;
SELECT key, index_value FROM kv_lookup('mail') LIMIT 2;

-- block rest clean
SELECT kv_sweep();
