-- write.sql -- INSERT, UPDATE, DELETE, transactions, expiry.

-- block first
INSERT INTO kv_entries(key, value) VALUES ('["first"]', 1);

-- block insert
INSERT INTO kv_entries(key, value) VALUES ('["a"]', 'x'), ('["b"]', json('{"a":1}')), ('["c"]', x'0102');
INSERT OR REPLACE INTO kv_entries(key, js, expire_in) VALUES ('["a"]', 'new Set([1])', 60000);
INSERT OR IGNORE INTO kv_entries(key, value) VALUES ('["a"]', 1), ('["d"]', 2);
INSERT INTO kv_entries(key, value) VALUES ('["e"]', 1), ('["a"]', 2);
INSERT INTO kv_entries(key, raw) SELECT kv_key('copy', key), raw FROM kv_entries('["b"]') UNION ALL SELECT '["copy"]', raw FROM kv_entries WHERE key='["b"]';
INSERT INTO kv_entries(key, json, expires_at) VALUES (kv_key('log', kv_commit_versionstamp()), '[1,2]', 2000000000000);

-- block update
UPDATE kv_entries SET js='[1,2]', expire_in=100000 WHERE key>='["a"]' AND key<'["c"]';
UPDATE kv_entries SET key='["z"]' WHERE key='["c"]';
UPDATE kv_entries SET value=value||'x', expires_at=NULL WHERE key='["d"]' AND versionstamp>'';
UPDATE OR REPLACE kv_entries SET key='["d"]', value=9 WHERE key='["z"]';
UPDATE kv_entries SET versionstamp='00';

-- block transaction
BEGIN;
INSERT INTO kv_entries(key, value) VALUES ('["t",1]', 1), ('["t",2]', 2);
SAVEPOINT s;
UPDATE kv_entries SET key='["t",9]', value=9 WHERE key='["t",1]';
ROLLBACK TO s;
INSERT INTO kv_entries(key, value) VALUES ('["t",3]', 3);
RELEASE s;
SELECT count(DISTINCT versionstamp) FROM kv_entries('["t"]');
COMMIT;

-- block reading
SELECT kv_get('["d"]'), kv_versionstamp() > '', kv_sum('["sum"]', 1);
BEGIN;
SELECT kv_get('["d"]'), kv_sum('["sum"]', 1), kv_get('["sum"]');
COMMIT;

-- block back
BEGIN IMMEDIATE;
SELECT kv_set('["back"]', 1) > '';
DELETE FROM kv_entries WHERE prefix='["t"]';
ROLLBACK;
SELECT count(*) FROM kv_entries('["t"]');

-- block expire clean
SELECT kv_set('["x",1]', 1, 1000);
SELECT kv_set('["x",2]', 1, 1000);
SELECT kv_set('["x",3]', 1, 1000);
SELECT kv_set('["x",4]', 1, 1000);
SELECT kv_set('["x",5]', 1, 1000);
SELECT kv_set('["x",6]', 1, 1000);

-- block sweep tick=2000
INSERT INTO kv_entries(key, value) VALUES ('["y"]', 1);
SELECT count(*) FROM kv_entries('["x"]');
SELECT kv_sweep() >= 0;
SELECT kv_sweep();

-- block big
INSERT OR REPLACE INTO kv_entries(key, value) VALUES ('["big"]', zeroblob(30000));
UPDATE kv_entries SET raw=raw WHERE key='["big"]';

-- block delete
DELETE FROM kv_entries WHERE key='["big"]';
DELETE FROM kv_entries WHERE key>='["a"]' AND key<'["c"]';

-- block trigger
CREATE TABLE inbox(id INTEGER PRIMARY KEY, text TEXT);
CREATE TEMP TRIGGER inbox_kv AFTER INSERT ON inbox BEGIN INSERT INTO kv_entries(key, value) VALUES (kv_key('inbox', new.id), new.text); END;
INSERT INTO inbox(text) VALUES ('hello'), ('world');
DROP TABLE inbox;

-- block ahead
-- New keys are noted while what they are among is read.
INSERT INTO kv_entries(key, value) VALUES ('["a",1]', 1), ('["a",2]', 2);
INSERT INTO kv_atomic(op, key, value) SELECT 'set', kv_key('a', kv_part(key, 1) + 1), 3 FROM kv_entries('["a"]');
INSERT INTO kv_atomic(op, key, value) SELECT 'set', kv_key('a', part + 1), 4 FROM kv_children('["a"]');

-- block raise
-- A row that a trigger may fail half-way is a statement of its own.
CREATE TABLE seen(x UNIQUE);
CREATE TRIGGER half AFTER INSERT ON kv BEGIN INSERT OR FAIL INTO seen VALUES (length(new.k)); END;
INSERT OR FAIL INTO kv_entries(key, value) VALUES ('["a"]', 1), ('["b"]', 2);
INSERT INTO kv_entries(key, value) VALUES ('["cc"]', 1);
INSERT OR IGNORE INTO kv_entries(key, value) VALUES ('["ddd"]', 1), ('["ddd"]', 2), ('["e"]', 3);
INSERT INTO kv_atomic(op, key, value) VALUES ('set', '["ffff"]', 1), ('set', '["g"]', 1);
DROP TRIGGER half;
