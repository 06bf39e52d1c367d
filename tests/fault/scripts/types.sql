-- types.sql -- what an UPDATE stores, marks that are kept and marks that are refused.

-- block store
SELECT kv_init();
CREATE TABLE g(n INTEGER PRIMARY KEY, x TEXT, j AS (json_array(x)));
INSERT INTO g(n, x) VALUES (1, '[1]'), (2, '{"a":1}'), (3, 'plain');
INSERT INTO kv_entries(key, js) VALUES ('["t",1]','undefined'), ('["t",2]','null'), ('["t",3]','true'), ('["t",4]','1.5'), ('["t",5]','42n');
INSERT INTO kv_entries(key, js) VALUES ('["t",6]','new Deno.KvU64(7n)'), ('["t",7]','"[1]"'), ('["t",8]','new Uint8Array([1,2])'), ('["t",9]','new Uint8Array([1]).buffer');
INSERT INTO kv_entries(key, js) VALUES ('["t",10]','new Date(0)'), ('["t",11]','/a/g'), ('["t",12]','{a:1n,b:[new Date(0),2]}'), ('["t",13]','[1n,,2]'), ('["t",14]','new Map([["a",1n]])');
INSERT INTO kv_entries(key, js) VALUES ('["t",15]','new Set([1n,"x"])'), ('["t",16]','new TypeError("m")'), ('["t",17]','new Float64Array([1.5])'), ('["t",18]','Object(1n)'), ('["t",19]','18446744073709551616n');
CREATE INDEX gx ON g(json(x)) WHERE n < 3;

-- block same
UPDATE kv_entries SET value = value WHERE prefix = '["t"]';
UPDATE kv_entries SET json = json WHERE prefix = '["t"]';
UPDATE kv_entries SET raw = raw WHERE prefix = '["t"]';

-- block plain
UPDATE kv_entries SET value = value + 1 WHERE key IN ('["t",4]', '["t",5]', '["t",6]');
UPDATE kv_entries SET value = 0 WHERE key = '["t",3]';
UPDATE kv_entries SET value = 'true' WHERE key = '["t",3]';
UPDATE kv_entries SET value = '2020-01-01' WHERE key = '["t",10]';
UPDATE kv_entries SET value = x'0304' WHERE key IN ('["t",8]', '["t",9]');
UPDATE kv_entries SET value = '123456789012345678901234567890' WHERE key = '["t",19]';
UPDATE kv_entries SET value = 'text' WHERE prefix = '["t"]';
UPDATE kv_entries SET value = 5, key = '["u",1]' WHERE key = '["t",1]';

-- block merge
UPDATE kv_entries SET json = json_set(json, '$.b[1]', 3) WHERE key = '["t",12]';
UPDATE kv_entries SET value = json_set(value, '$.a', 2) WHERE key = '["t",14]';
UPDATE kv_entries SET value = json_set(value, '$.a', 'x') WHERE key = '["t",12]';
UPDATE kv_entries SET json = '[5,null,2]' WHERE key = '["t",13]';
UPDATE kv_entries SET json = '["x",1,2]' WHERE key = '["t",15]';

-- block kept
SELECT kv_set(kv_key('k', n), j) FROM g WHERE n = 1;
INSERT INTO kv_entries(key, value) SELECT kv_key('k', n, 1), kv_bigint(n) FROM g;
INSERT INTO kv_entries(key, value) SELECT kv_key('k', n, 2), kv_raw(x'0102', 3) FROM g;
INSERT INTO kv_atomic(op, key, value) SELECT 'set', kv_key('k', n, 3), kv_value('new Set([1n])') FROM g;
UPDATE kv_entries SET value = kv_bool(1) WHERE key = '["t",12]';

-- block refused
INSERT INTO kv_entries(key, value) SELECT kv_key('r', n), json(x) FROM g WHERE n < 3 ORDER BY -n;
INSERT INTO kv_entries(key, value) SELECT kv_key('r', n), json(x) FROM g INDEXED BY gx WHERE n < 3;
SELECT kv_set(kv_key('r', n), x) FROM (SELECT n, kv_raw(x'0102', 3) AS x FROM g ORDER BY -n LIMIT 2);
UPDATE kv_entries SET value = json(value) WHERE prefix = '["t"]' AND type = 'string';
UPDATE kv_entries SET value = kv_bigint(7) WHERE prefix = '["t"]';
SELECT hex(kv_value_encode(x)) FROM (SELECT json('[1]') AS x FROM g ORDER BY -n LIMIT 1);
SELECT kv_key('a', x) FROM (SELECT kv_bigint(7) AS x FROM g ORDER BY -n LIMIT 1);
INSERT INTO kv_entries(key, value) SELECT '["r"]', value FROM json_each('[[1]]') ORDER BY 1;

-- block text
INSERT INTO kv_entries(key, value) SELECT kv_key('s', n), x FROM g ORDER BY -n;
INSERT INTO kv_entries(key, value) SELECT kv_key('s', n, json_type(x)), x FROM g WHERE n < 3;
