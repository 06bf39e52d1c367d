-- collection.sql -- collections: declared with indexes, written, read by key and index,
-- by a primary key, a rowid and the key.

-- block create
CREATE VIRTUAL TABLE main.c USING kv_collection('["c"]', id INTEGER KEY, name TEXT NOT NULL, mail TEXT UNIQUE, age INTEGER INDEX, city TEXT AT '$.a.city' INDEX, big BIGINT, at DATETIME, js JSON DEFAULT '[1]', u DEFAULT 5, COLLATE_ TEXT COLLATE NOCASE);
CREATE VIRTUAL TABLE main.m USING kv_collection('["m"]', a TEXT KEY, b, v);
CREATE VIRTUAL TABLE main.n USING kv_collection('["n"]', v AT '$');

-- block insert
SELECT count(*) FROM c WHERE mail = 'a@x';
INSERT INTO c(id, name, mail, age, city, big, at) VALUES (1, 'a', 'a@x', 30, 'p', '123456789012345678901234567890', '2024-05-01'), (2, 'b', 'b@x', 20, NULL, 5, '1970-01-01');
INSERT INTO c(id, name, mail, kv_js) VALUES (3, 'c', 'c@x', '{more:new Map([[1,2]])}');
INSERT INTO m VALUES ('x', 1, 1), ('xx', kv_bigint(2), 2), ('y', 'z', 3);
INSERT INTO n(kv_key, v) VALUES ('["n",1]', 5), ('["n",1,2]', 'x');

-- block next
SELECT count(*) FROM c WHERE mail = 'a@x';
INSERT INTO c(name, mail) VALUES ('d', 'd@x'), ('e', 'e@x');

-- block read
SELECT id, name, city, big, at, js FROM c;
SELECT id FROM c WHERE id BETWEEN 2 AND 5 ORDER BY id DESC;
SELECT name FROM c WHERE mail = 'b@x';
SELECT name FROM c WHERE age > 10 ORDER BY age DESC;
SELECT name FROM c WHERE mail GLOB 'a*' OR age = 20;
SELECT name FROM c WHERE age = 30 AND city = 'p';
SELECT m.v FROM c JOIN m ON m.a = c.age OR m.b = c.mail;
SELECT name FROM c WHERE age IS 30 OR city = '{"x":1}';
SELECT name FROM c WHERE at = '2024-05-01 00:00:00.000000';
SELECT a.name, m.v FROM c AS a JOIN m ON m.b = a.id WHERE m.a = 'x';
SELECT v FROM m WHERE b = 2;
SELECT kv_key, kv_js, kv_type, length(kv_versionstamp), kv_expires_at FROM n;

-- block compare
SELECT id FROM c WHERE at >= 1714521600000 AND at <> 1714521600001 AND js = '[ 1 ]';
SELECT id FROM c WHERE at IN (1714521600000, '1970-01-01T00:00:00Z') ORDER BY at DESC, js;
SELECT name FROM c WHERE mail IN (SELECT 'a@x' UNION ALL SELECT 5) AND age IN (20, 30, '30');
SELECT v FROM m WHERE a IN ('x', 'xx', 5) AND b IN (1, 2);
SELECT id FROM c WHERE at = 'x';
SELECT count(*) FROM c AS a JOIN c AS b ON a.at = b.at GROUP BY a.js;

-- block update
SELECT count(*) FROM c WHERE mail = 'a@x';
UPDATE c SET age = age + 1, city = 'q' WHERE age < 100;
UPDATE c SET id = id + 10;
UPDATE c SET age = age + 1 WHERE id = 12;
UPDATE m SET a = a || '!', v = v + 1;
UPDATE c SET js = '{"a":2}', kv_expire_in = 100000 WHERE id = 11;
UPDATE OR REPLACE c SET mail = 'b@x' WHERE id = 11;
UPDATE OR IGNORE c SET mail = 'b@x';
SELECT id, age, mail FROM c;

-- block fails
SELECT count(*) FROM c WHERE mail = 'a@x';
INSERT INTO c(id, name, mail) VALUES (50, 'x', 'b@x');
INSERT INTO c(id, name) VALUES (51, NULL);
INSERT INTO c(id, name) VALUES ('x', 1);
UPDATE m SET a = 'x';
CREATE VIRTUAL TABLE temp.w USING kv_collection('["c"]', id INTEGER KEY, a AT '$[');
CREATE VIRTUAL TABLE temp.w USING kv_collection('["c"]', name INDEX 'c_by_mail');
CREATE VIRTUAL TABLE temp.w USING kv_collection('["c"]', name UNIQUE, city AT '$.a.city' UNIQUE);

-- block returning
INSERT INTO c(name, mail) SELECT 'f', 'f@x' RETURNING name;
INSERT INTO c(name, mail) VALUES ('g', 'g@x') RETURNING id + 1;
INSERT INTO n(kv_key, v) SELECT kv_key('n', 9, id), json('[1]') FROM c WHERE id = 1 ORDER BY -id;

-- block look
SELECT kv_infer('["c"]') IS NOT NULL;
SELECT path, type, entries FROM kv_fields('["c"]');
SELECT id FROM c WHERE mail >= 'a' ORDER BY age DESC;

-- block delete
SELECT count(*) FROM c WHERE mail = 'a@x';
DELETE FROM c WHERE mail = 'c@x';
DELETE FROM m WHERE a > 'x';
DELETE FROM c;
SELECT count(*) FROM c;

-- block replace
BEGIN;
DROP TABLE m;
CREATE TABLE m(x);
COMMIT;

-- block drop
DROP TABLE c;
DROP TABLE m;
DROP TABLE n;
