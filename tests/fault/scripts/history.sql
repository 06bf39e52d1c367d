-- history.sql -- states kept by triggers, read, restored, forgotten, trimmed.

-- block fill clean
SELECT kv_index('age', '["u"]', '$.age');
INSERT INTO kv_entries(key, value) VALUES ('["u",1]', json('{"age":1}')), ('["u",2]', json('{"age":2}')), ('["x"]', 'a string');
INSERT INTO kv_entries(key, value, expire_in) VALUES ('["u",3]', json('{"age":3}'), 5000);
CREATE TABLE at(s);
CREATE VIRTUAL TABLE c USING kv_collection('["u"]', id INTEGER KEY, age INTEGER INDEX 'age');

-- block keep
SELECT kv_history('["u"]', 1000000);
SELECT kv_history('[]', 60000);
INSERT INTO at SELECT kv_versionstamp();

-- block write tick=100
UPDATE c SET age = age + 10;
INSERT OR REPLACE INTO kv_entries(key, value) VALUES ('["u",1]', json('{"age":100}'));
DELETE FROM kv_entries WHERE key = '["u",2]';
UPDATE kv_entries SET key = '["u",9]' WHERE key = '["x"]';
SELECT kv_set('["u",2]', 'again', 3000) > '';

-- block versions tick=100
SELECT key, value, versionstamp, expires_at, until, at, deleted, js, json, type FROM kv_versions('["u"]', 1);
SELECT value, versionstamp FROM kv_versions('["u",1]') ORDER BY versionstamp DESC LIMIT 2;
SELECT count(*) FROM kv_versions('["u"]', 1) WHERE key > '["u",1]' AND key <= '["u",9]';
SELECT prefix, entries, states, states_bytes, keep_ms FROM kv_stats;
SELECT kind, key, message FROM kv_check;

-- block past
SELECT key, value, versionstamp, expires_at FROM kv_entries WHERE as_of = (SELECT s FROM at);
SELECT count(*) FROM kv_entries WHERE as_of = (SELECT s FROM at);
SELECT value FROM kv_entries WHERE key = '["u",2]' AND as_of = (SELECT s FROM at);
SELECT key FROM kv_entries('["u"]') WHERE as_of = 1700000000050 ORDER BY key DESC;
SELECT n.id, n.age, o.age FROM c AS n JOIN c AS o ON o.id = n.id AND o.kv_as_of = (SELECT s FROM at);
SELECT age FROM c WHERE kv_as_of = (SELECT s FROM at) AND id = 2;
SELECT kv_restore('["u"]', (SELECT s FROM at), 1);

-- block restore
SELECT kv_restore('["u"]', (SELECT s FROM at));
SELECT key, value FROM kv_entries;
SELECT key FROM kv_lookup('age', 2);
INSERT INTO at SELECT kv_versionstamp();

-- block later tick=7000
SELECT kv_sweep();
SELECT kv_history_forget('["u",1]');
SELECT key, value FROM kv_entries WHERE as_of = (SELECT max(s) FROM at);

-- block remake
SELECT kv_index('tag', '["u"]', '$.tag');
SELECT kv_index_drop('age');
UPDATE c SET age = 0 WHERE id = 1;

-- block trim tick=2000000
SELECT kv_set('["u",5]', 5) > '';
SELECT kv_sweep();
SELECT count(*) FROM kv_history;

-- block end
SELECT kv_history('["u"]', 0);
SELECT kv_history('[]', 0);
SELECT name FROM sqlite_schema WHERE name LIKE '%history%';
