-- collection_search.sql -- collections: MATCH on FULLTEXT columns, indexes of several paths
-- and partial ones.

-- block create
CREATE VIRTUAL TABLE main.f USING kv_collection('["f"]', id INTEGER KEY, a TEXT FULLTEXT, b FULLTEXT, v, n INTEGER, tokenize='porter');

-- block fill clean
INSERT INTO f(id, a, b, v, n) VALUES (1, 'one words', 'two', 1, 5), (2, 'two', 'one wording', 'x', 6), (3, 'three', 'word', 2, 5);
SELECT kv_index('f_nv', '["f"]', '$.n, $.v'), kv_index('f_part', '["f"]', '$.n', 'where $.a = "two"');

-- block others clean
UPDATE data_version SET version=version+5;
UPDATE kv SET v=kv_value_encode(json_object('a', 'other words')), version=(SELECT version FROM data_version) WHERE k=kv_key_encode('["f",3]');

-- block match
SELECT id FROM f WHERE f MATCH 'word' ORDER BY id;
SELECT id, kv_snippet, kv_highlight FROM f WHERE f MATCH 'one OR other' ORDER BY kv_rank DESC;
SELECT id FROM f WHERE a MATCH 'two OR one' AND b MATCH 'one OR two' ORDER BY id;
SELECT id FROM f WHERE b MATCH '"';
SELECT kv_infer('["f"]') LIKE '%FULLTEXT%';

-- block several
SELECT id FROM f WHERE n = 5 AND v > 0 ORDER BY v;
SELECT id FROM f WHERE n = '6' AND v = 'x';
SELECT id FROM f WHERE n > 5 AND a = 'two';

-- block fails
INSERT INTO f(id, kv_rank) VALUES (9, 1);
CREATE VIRTUAL TABLE temp.g USING kv_collection('["f"]', id INTEGER KEY, g FULLTEXT);
CREATE VIRTUAL TABLE temp.g USING kv_collection('["f"]', id INTEGER KEY, v FULLTEXT, n FULLTEXT);

-- block drop
DROP TABLE f;
SELECT kv_index_drop('f_text');
