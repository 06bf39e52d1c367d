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
SELECT kind, key, message FROM kv_check;

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
SELECT kind, key, message FROM kv_check;

-- block track
SELECT kv_track(1);
SELECT kv_set('["j",1]', 1);
DELETE FROM kv_entries WHERE key='["j",1]';
SELECT key, value, deleted FROM kv_changes('', '["j"]');
DELETE FROM kv_changes WHERE versionstamp < kv_versionstamp();

-- block bounds
SELECT key, index_value FROM kv_lookup('age') WHERE index_value > 20 AND index_value >= 21 AND index_value < 200 AND index_value <= 100 ORDER BY index_value;
SELECT key FROM kv_lookup('mail') WHERE index_value LIKE 'B%' OR index_value GLOB 'f@*';
SELECT key FROM kv_lookup('tags') WHERE index_value GLOB 'p*';
SELECT key FROM kv_lookup('tags') WHERE index_value IN ('q','z') ORDER BY index_value DESC;
SELECT key FROM kv_lookup('tags') WHERE index_value > 'a' AND index_value < x'02';
SELECT key, js, json, hex(raw), type FROM kv_lookup('age', kv_bigint(21)) UNION ALL SELECT key, js, json, hex(raw), type FROM kv_lookup('age', 21);
SELECT key, name, equals, expires_at FROM kv_lookup('tags', 'q');
SELECT key FROM kv_lookup('nothing');
SELECT key FROM kv_lookup(NULL);

-- block several
SELECT kv_index('two', '["u"]', '$.age, $.mail', 'lower');
SELECT kv_index('few', '["u"]', '$.age', 'copy where $.mail = "f@x"');
SELECT kv_set('["u",6]', json('{"mail":"f@x","age":21}')) > '';
SELECT kv_set('["u",7]', kv_value('{mail:"G@x",age:21n}')) > '';
SELECT key, index_value, index_value2, index_value3 FROM kv_lookup('two', 21, 'g@x') UNION ALL SELECT key, index_value, equals2, 0 FROM kv_lookup('few') WHERE index_value = 21;
SELECT key FROM kv_lookup('two') WHERE index_value = 21 AND index_value2 > 'a' ORDER BY index_value2 DESC;
SELECT key, index_value FROM kv_lookup('two') WHERE index_value IN (30, 21, 'x', x'02', NULL, 2.5) AND index_value < 30 ORDER BY index_value DESC;
SELECT key FROM kv_lookup('two', 21, 'g@x', 1);
SELECT kv_index('more', '["u"]', '$.age', 'where $.mail <> "f@x"');
SELECT kv_index_drop('two');
DELETE FROM kv_indexes WHERE name='few';
SELECT kv_delete('["u",7]');

-- block wrong
SELECT kv_index('tags', '["u"]', '$.tags');
SELECT kv_index('tags', '["u"]', '$.other');
SELECT kv_index('more', '["u"]', '$.tags', 'uniq');
SELECT kv_index('more', '["u"]', '$.tags[');
SELECT kv_index('more', 'u', '$.tags');
SELECT kv_index('more', '["tags"]', '$.tags');
SELECT kv_index('u', '["x"]', '$.tags');
SELECT kv_index('more', '["u"]', NULL);
SELECT kv_index_drop('none');

-- block twice clean
-- Somebody else gives two entries one mail.
INSERT INTO kv(k, v, v_encoding, version) SELECT kv_key_encode(kv_key('u', value)), kv_value_encode(json('{"mail":"new@x","age":50,"tags":["t",1]}')), 1, version+1 FROM data_version, json_each('[10,11,12]');
UPDATE data_version SET version=version+1;

-- block list
SELECT name, prefix, path, options, entries, pending, conflicts, conflict_keys FROM kv_indexes;
SELECT kv_set('["u",13]', json('{"mail":"new@x"}'));
SELECT kv_sweep() >= 0;
SELECT name, pending, conflicts FROM kv_indexes;

-- block later
-- Between two looks somebody else writes.
SELECT key FROM kv_lookup('age', 50);
UPDATE kv SET v=kv_value_encode(json('{"age":51}')), version=(SELECT version+1 FROM data_version) WHERE k=kv_key_encode('["u",11]');
UPDATE data_version SET version=version+1;
SELECT key FROM kv_lookup('age', 50);
UPDATE kv SET v=kv_value_encode(json('{"age":50}')), version=(SELECT version+1 FROM data_version) WHERE k=kv_key_encode('["u",11]');
UPDATE data_version SET version=version+1;
SELECT key FROM kv_lookup('age', 50) ORDER BY index_value DESC;

-- block pending
UPDATE kv SET v=kv_value_encode(json('{"age":52}')) WHERE k=kv_key_encode('["u",11]');
SELECT key FROM kv_lookup('age', 52);
SELECT key FROM kv_lookup('age', 52) ORDER BY index_value DESC;
BEGIN;
SELECT kv_set('["u",12]', json('{"age":53}')) > '';
DELETE FROM kv WHERE k=kv_key_encode('["u",11]');
COMMIT;
SELECT pending FROM kv_indexes WHERE name='age';
SELECT kv_sweep() >= 0;

-- block drop
SELECT kv_index_drop('age');
SELECT kv_track(0);
SELECT count(*) FROM kv_lookup('tags');

-- block last
SELECT kv_index_drop('mail');
SELECT kv_index_drop('tags');
DELETE FROM kv_changes WHERE versionstamp < '00000000000000000000';
SELECT kv_track(0);
SELECT kv_track();
SELECT count(*) FROM kv_entries('["u"]');

-- block again clean
SELECT kv_index('age', '["u"]', '$.age');
SELECT kv_index('tags', '["u"]', '$.tags');

-- block overwrite
SELECT kv_set('["by","x"]', 1) > '';
SELECT kv_index('by', '["u"]', '$.age', 'copy overwrite');
SELECT kv_index_drop('by');

-- block inside
BEGIN;
SELECT kv_set('["u",20]', json('{"age":1}')) > '';
SELECT kv_index_drop('age');
SELECT kv_index_drop('tags');
SELECT kv_track(0);
SELECT kv_index('age', '["u"]', '$.age');
COMMIT;
SELECT count(*) FROM kv_lookup('age');

-- block uninstall
SELECT kv_uninstall();
SELECT count(*) FROM kv_indexes;
DELETE FROM kv_changes WHERE versionstamp < '00000000000000000000';
SELECT kv_uninstall();
