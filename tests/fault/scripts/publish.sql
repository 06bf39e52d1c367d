-- publish.sql -- collections as ordinary tables.

-- block fill clean
INSERT INTO kv_entries(key, value) VALUES ('["u",1]', json('{"name":"a","age":1}')), ('["u",2]', json('{"name":"b","age":2,"js":[1]}')), ('["m","x"]', 5);
CREATE VIRTUAL TABLE users USING kv_collection('["u"]', id INTEGER KEY, name TEXT COLLATE NOCASE, age INTEGER INDEX, js JSON, big BIGINT, at DATETIME);
CREATE VIRTUAL TABLE m USING kv_collection('["m"]', v AT '$');

-- block publish
SELECT kv_publish('users');
SELECT kv_publish('m');
SELECT id, name, age, js, big, at FROM users_table;
SELECT v, _expires_at, _key FROM m_table;

-- block write
-- (The first write of a connection that has read nothing may be run twice.)
SELECT name, rows, pending FROM kv_published;
INSERT INTO users(name, age, js, big, at) VALUES ('c', 3, '{"a":1}', '123456789012345678901234567890', '2024-05-01');
UPDATE users SET age = age + 1 WHERE id < 3;
UPDATE users SET id = 20 WHERE id = 2;
DELETE FROM users WHERE id = 1;
SELECT kv_set('["m",5]', 'x', 1000) > '';
SELECT kv_atomic(kv_op('set', '["u",7]', json('{"name":"g"}')), kv_op('delete', '["u",20]'), kv_op('set', '["m",1n]', 1)) > '';
SELECT id, name, age, js, big, at FROM users_table ORDER BY id;
SELECT name, rows, pending FROM kv_published;

-- block refused
UPDATE users_table SET age = 1;
SELECT kv_publish('users');

-- block others clean
UPDATE kv SET v = kv_value_encode(json('{"name":"new","age":99}')), version = version + 100 WHERE k = kv_key_encode('["u",7]');
UPDATE data_version SET version = (SELECT max(version) FROM kv);

-- block behind tick=5000
SELECT name, rows, pending FROM kv_published;
SELECT kind, key, message FROM kv_check;
SELECT kv_sweep();
SELECT id, name, age, js, big, at FROM users_table ORDER BY id;
SELECT v, _expires_at, _key FROM m_table;

-- block index
SELECT kv_index('users_by_name', '["u"]', '$.name');
SELECT kind, key, message FROM kv_check;

-- block end
SELECT kv_publish('m', 0);
SELECT kv_uninstall();
SELECT name FROM sqlite_schema;
