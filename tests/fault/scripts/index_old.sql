-- index_old.sql -- a file whose indexes an older version has made.

-- block fill clean
INSERT INTO kv_entries(key, value) VALUES ('["u",1]', json('{"mail":"a@x","age":30}')), ('["u",2]', json('{"mail":"b@x","age":20}')), ('["u",3]', json('{"age":25}'));
SELECT kv_index('mail', '["u"]', '$.mail', 'unique lower');
SELECT kv_index('age', '["u"]', '$.age');
BEGIN;
CREATE TABLE kv_index_row(ik BLOB NOT NULL, pk BLOB NOT NULL, PRIMARY KEY (ik, pk)) WITHOUT ROWID;
CREATE INDEX kv_index_row_pk_idx ON kv_index_row(pk);
INSERT INTO kv_index_row SELECT ik, pk FROM kv_index_value UNION ALL SELECT k, kv_holder(k, x'0000000501027500') FROM kv WHERE k > kv_key_encode('["age"]') AND k < kv_key_encode('["agf"]');
DROP TABLE kv_index_held;
DROP TABLE kv_index_value;
CREATE TABLE def AS SELECT name, prefix, path, options FROM kv_index_def;
DROP TABLE kv_index_def;
CREATE TABLE kv_index_def(name TEXT NOT NULL PRIMARY KEY, prefix BLOB NOT NULL, path TEXT NOT NULL, options TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO kv_index_def SELECT * FROM def;
DROP TABLE def;
DROP TRIGGER kv_index_on_insert;
DROP TRIGGER kv_index_on_update;
DROP TRIGGER kv_index_on_move;
DROP TRIGGER kv_index_on_delete;
DELETE FROM kv WHERE k = kv_key_encode('["age",25,3]');
INSERT INTO kv(k, v, v_encoding, version) VALUES (kv_key_encode('["age",9,9]'), kv_value_encode(9), 1, 1);
COMMIT;

-- block look
SELECT key, value ->> 'age' FROM kv_lookup('mail', 'A@X');
SELECT key, index_value FROM kv_lookup('age') ORDER BY index_value DESC;
SELECT count(*) FROM kv_lookup('age');

-- block migrate
SELECT kv_set('["u",4]', json('{"mail":"d@x","age":40}'));
SELECT key, index_value FROM kv_lookup('age');
SELECT name, entries, pending FROM kv_indexes;
SELECT kind, key, message FROM kv_check;

-- block after
UPDATE kv_entries SET value=json('{"mail":"b2@x","age":21}') WHERE key='["u",2]';
DELETE FROM kv_entries WHERE key='["u",3]';
SELECT key, index_value FROM kv_lookup('mail');
SELECT key, value FROM kv_entries('["age"]');

-- block drop
SELECT kv_index_drop('mail');
SELECT kv_index_drop('age');
SELECT name FROM sqlite_schema WHERE name LIKE 'kv_index%';
