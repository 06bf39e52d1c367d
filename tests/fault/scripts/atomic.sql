-- atomic.sql -- atomic operations and short forms.

-- block init
SELECT kv_init();

-- block operation
SELECT kv_atomic(kv_op('check','["d"]',NULL), kv_op('set','["d"]',1), kv_op('sum','["n"]',2), kv_op('delete','["none"]'));
SELECT kv_atomic(kv_op('check','["d"]',NULL), kv_op('set','["d"]',2)), kv_conflict();
SELECT kv_atomic(kv_op('set',kv_key('n',value),value)) FROM json_each('[1,2,3]');
SELECT kv_atomic(kv_op('set','["e"]',1), kv_op('sum','["s"]',1), kv_op('sum','["d"]',kv_bigint(1)));
SELECT kv_atomic(kv_op('set',kv_key('log',kv_commit_versionstamp()),'x'), kv_op('enqueue','m',0,'[["f"]]','[]'));

-- block rows
INSERT INTO kv_atomic(op, key, value) VALUES ('check','["g"]',NULL), ('set','["g"]','x'), ('sum','["n"]',1), ('max','["n"]',2), ('delete','["d"]',NULL);
INSERT INTO kv_atomic(op, key, value) VALUES ('set','["h"]','x'), ('check','["g"]',NULL);
INSERT INTO kv_atomic(op) VALUES (kv_op('set','["i"]',kv_value('{ a: 1 }'))), (kv_op('enqueue','m'));
INSERT INTO kv_atomic(op, value, delay, keys_if_undelivered, backoff_schedule) VALUES ('enqueue', json('[1]'), 5, '[["k",1]]', '[10,20]');
INSERT INTO kv_atomic(op, key, value, min, max, clamp) VALUES ('sum','["n"]',100,0,50,1);
INSERT INTO kv_atomic(op, key, value) VALUES ('set','["h"]','x'), ('sum','["g"]',1);

-- block short
SELECT kv_set('["a"]', json('{"a":[1,2]}'));
SELECT kv_set('["b"]', kv_value('new Map([["x",1n]])'), 100000);
SELECT kv_delete('["a"]');
SELECT kv_sum('["c"]',5);
SELECT kv_sum('["c"]',3);
SELECT kv_atomic(kv_op('min', '["c"]',2));
SELECT kv_atomic(kv_op('max', '["m"]',2.5));
SELECT kv_sum('["big"]',kv_bigint('123456789012345678901234567890'));
SELECT kv_sum('["b"]', 1);
SELECT kv_sum('["big"]', -5.0);
SELECT kv_atomic(kv_op('max', '["big"]', 7));
INSERT INTO kv_atomic(op, key, raw) SELECT 'set', '["raw"]', raw FROM kv_entries WHERE key='["big"]';
INSERT INTO kv_atomic(op, key, value, min, max) VALUES ('sum', '["raw"]', 1, -10, 9.0);
SELECT kv_enqueue('m', 10, '[["f",1]]', '[1]'), kv_conflict();

-- block inside
BEGIN;
SELECT kv_set('["in",1]', 1);
SELECT kv_set('["in",2]', 2);
INSERT INTO kv_entries(key, value) VALUES ('["in",3]', 3);
SELECT kv_atomic(kv_op('set','["in",4]',1), kv_op('sum','["in",1]',kv_bigint(1)));
SELECT kv_atomic(kv_op('check','["in",1]',NULL), kv_op('set','["in",4]',1));
COMMIT;

-- block nested
INSERT INTO kv_entries(key, value) VALUES (kv_key('nest', 1), kv_sum('["nest"]', 1));
CREATE TABLE own(a, b);
INSERT INTO own VALUES (1, kv_set('["nest",3]', 3));
INSERT INTO kv_atomic(op) SELECT kv_op('sum', '["nest"]', value) FROM kv_entries WHERE key='["nest"]';

-- block limits
SELECT kv_set('["big"]', zeroblob(70000));
SELECT kv_atomic(kv_op('set', kv_key('many', value), value)) FROM generate_series(1, 1001);
SELECT kv_atomic(kv_op('set', kv_key('many', value), zeroblob(2000))) > '' FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]');

-- block old clean
BEGIN;
DROP TABLE kv;
DROP TABLE queue;
DROP TABLE queue_running;
DROP TABLE migration_state;
CREATE TABLE kv(k blob primary key, v blob not null, v_encoding integer not null, version integer not null) without rowid;
INSERT INTO kv VALUES (kv_key_encode('["old"]'), x'ff0f4902', 1, 5);
CREATE TABLE migration_state(k integer not null primary key, version integer not null);
INSERT INTO migration_state VALUES (0, 1);
ALTER TABLE data_version DROP COLUMN seq;
COMMIT;

-- block migrate
SELECT key, value, expires_at FROM kv_entries;
SELECT count(*) FROM kv_queue;
SELECT kv_set('["new"]', 1) > '';
SELECT key, value FROM kv_entries;
