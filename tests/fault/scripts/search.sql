-- search.sql -- full-text indexes.

-- block fill clean
INSERT INTO kv_entries(key, value) VALUES ('["p",1]', json('{"title":"one word","tags":["more","words"]}')), ('["p",2]', json('{"title":"two words","n":2}')), ('["p",3]', json('{"n":3}'));

-- block declare
SELECT kv_index('text', '["p"]', '$.title, $.tags', 'fulltext tokenize="porter unicode61"');

-- block look
SELECT key, rank, snippet, highlight FROM kv_search('text', 'word') ORDER BY rank;
SELECT key, value FROM kv_search('text', 'title: one*') WHERE weights = '3, 1';
SELECT name, entries, pending FROM kv_indexes;

-- block write
SELECT kv_set('["p",3]', json('{"title":"three words"}')) > '';
INSERT INTO kv_entries(key, value) VALUES ('["p",4]', json('{"title":"four"}'));
UPDATE kv_entries SET value=json('{"title":"two and more"}') WHERE key='["p",2]';
DELETE FROM kv_entries WHERE key='["p",1]';
SELECT kv_atomic(kv_op('set', '["p",6]', json('{"title":"six words"}')), kv_op('delete', '["p",4]')) > '';
SELECT key, snippet FROM kv_search('text', 'word OR more') WHERE open = '[' AND close = ']' ORDER BY rank DESC;

-- block many
SELECT name FROM kv_indexes;
INSERT INTO kv_entries(key, value) SELECT kv_key('p', 'm', value), json_object('title', 'many ' || value) FROM json_each('[1,2,3,4,5,6,7,8,9]');
SELECT count(*) FROM kv_search('text', 'many');
UPDATE kv_entries SET json = json_object('title', 'other') WHERE key GLOB '*"m",[1-5]*';
SELECT key FROM kv_search('text', 'many OR other');
SELECT kv_sweep();
SELECT kind, key, message FROM kv_check;

-- block others clean
UPDATE data_version SET version=version+100;
UPDATE kv SET v=kv_value_encode(json('{"title":"new words","n":99}')), version=(SELECT version FROM data_version) WHERE k IN (kv_key_encode('["p",2]'), kv_key_encode('["p","m",3]'));
DELETE FROM kv WHERE k=kv_key_encode('["p",3]');

-- block after
SELECT key, rank, snippet FROM kv_search('text', 'word') ORDER BY rank;
SELECT key, highlight FROM kv_search('text', 'new OR six');
SELECT entries, pending FROM kv_indexes;
SELECT kv_set('["n"]', 1) > '';
SELECT key FROM kv_search('text', 'word') ORDER BY rank;

-- block second
SELECT kv_index('all', '[]', '$', 'fulltext where $.n');
SELECT key FROM kv_search('all', 'word');
DELETE FROM kv_indexes WHERE name = 'all';

-- block drop
SELECT kv_index_drop('text');
SELECT kv_index('text', '["p"]', '$.tags', 'fulltext');
SELECT kv_uninstall();
