-- index.sql -- declared indexes and the change feed.

-- block fill clean
INSERT INTO kv_entries(key, value) VALUES ('["u",1]', json('{"mail":"a@x","age":30,"tags":["p","q"]}')), ('["u",2]', json('{"mail":"b@x","age":20}')), ('["u",3]', json('{"age":25}'));

-- block declare
SELECT kv_index('mail', '["u"]', '$.mail', 'unique lower');
SELECT kv_index('age', '["u"]', '$.age');
SELECT kv_index('tags', '["u"]', '$.tags');

-- block look
SELECT key, value ->> 'age', versionstamp FROM kv_lookup('mail', 'A@X');
SELECT key, index_value FROM kv_lookup('age') WHERE index_value BETWEEN 20 AND 28 ORDER BY index_value DESC;
SELECT key, index_value FROM kv_lookup('tags');

-- block write
INSERT INTO kv_entries(key, value) VALUES ('["u",4]', json('{"mail":"d@x","age":40,"tags":["q"]}'));
UPDATE kv_entries SET value=json('{"mail":"b2@x","age":21}') WHERE key='["u",2]';
DELETE FROM kv_entries WHERE key='["u",3]';
SELECT kv_atomic(kv_op('set', '["u",6]', json('{"mail":"f@x","age":1}')), kv_op('delete', '["u",4]'));
SELECT key, index_value FROM kv_lookup('mail');

-- block others clean
UPDATE kv SET v=kv_value_encode(json('{"mail":"new@x","age":99}')), version=version+100 WHERE k=kv_key_encode('["u",1]');
UPDATE data_version SET version=(SELECT max(version) FROM kv);

-- block after
SELECT key, index_value FROM kv_lookup('mail');
SELECT kv_set('["n"]', 1);
SELECT key, index_value FROM kv_lookup('age');

-- block track
SELECT kv_track(1);
SELECT kv_set('["j",1]', 1);
DELETE FROM kv_entries WHERE key='["j",1]';
SELECT key, value, deleted FROM kv_changes('', '["j"]');
SELECT kv_track_trim(kv_versionstamp());
