-- tables.sql -- stores elsewhere: other files, other names, and tables that
-- are not Deno's.

-- block prefix
CREATE VIRTUAL TABLE temp.app USING kv_entries(main, tables='app_');
INSERT INTO app(key, value) VALUES ('["a"]', 1), ('["b"]', 2);
UPDATE app SET value=3 WHERE key='["a"]';
SELECT key, value, versionstamp FROM app;
DROP TABLE app;

-- block attached
ATTACH ':memory:' AS x;
CREATE VIRTUAL TABLE temp.x_entries USING kv_entries(x);
INSERT INTO x_entries(key, value) VALUES ('["a"]', 1), ('["b"]', 2);
BEGIN;
INSERT INTO x_entries(key, value) VALUES ('["c"]', 1);
INSERT INTO kv_entries(key, value) SELECT key, value FROM x_entries;
COMMIT;
INSERT INTO x_entries(key, value) VALUES ('["d"]', 1), ('["a"]', 2);
SELECT key, value FROM x_entries;
SELECT key, value FROM kv_entries;
DROP TABLE x_entries;
DETACH x;

-- block queue
CREATE VIRTUAL TABLE temp.q USING kv_queue(main, tables='app_');
INSERT INTO q(value) VALUES (1);
SELECT value FROM q;
CREATE VIRTUAL TABLE temp.c USING kv_children(main, tables='app_');
SELECT part FROM c('[]');
DELETE FROM q;

-- block made
-- The tables are all made or none is, although the transaction goes on.
CREATE VIRTUAL TABLE temp.m USING kv_entries(main, tables='made_');
BEGIN;
INSERT INTO m(key, value) VALUES ('["a"]', 1);
INSERT INTO m(key, value) VALUES ('["b"]', 2);
COMMIT;
SELECT key, value FROM m;
DROP TABLE m;

-- block stored
CREATE VIRTUAL TABLE here USING kv_entries(main, tables='here_');
INSERT INTO here(key, value) VALUES ('["a"]', 1);
SELECT key FROM here;
DROP TABLE here;

-- block there
ATTACH ':memory:' AS x;
CREATE VIRTUAL TABLE temp.x_entries USING kv_entries(x);
INSERT INTO x_entries(key, value) VALUES ('["a"]', 1);
CREATE TRIGGER x.half BEFORE INSERT ON kv WHEN new.k = x'026e6f00' BEGIN SELECT RAISE(FAIL, 'no'); END;
BEGIN;
INSERT INTO x_entries(key, value) VALUES ('["b"]', 2);
UPDATE OR REPLACE x_entries SET key='["b"]' WHERE key='["a"]';
COMMIT;
SELECT key, value FROM x_entries;
DROP TABLE x_entries;
DETACH x;

-- block plain
INSERT INTO kv_entries(key, value) VALUES ('["a"]', 1), ('["b"]', 2);
SELECT kv_track(1);
INSERT INTO kv(k, v, v_encoding, version) SELECT kv_key_encode(kv_key('z', kv_part(key, 0))), x'ff0f30', 1, 1 FROM kv_entries;
INSERT INTO kv(k, v, v_encoding, version) SELECT kv_key_encode(kv_key(part || 'y')), x'ff0f30', 1, 1 FROM kv_children('[]');
INSERT INTO kv(k, v, v_encoding, version) SELECT kv_key_encode(kv_key('x', kv_part(key, 0), kv_part(key, 1) IS NULL)), x'ff0f30', 1, 99 FROM kv_changes('');
SELECT key, value FROM kv_entries;

-- block wrong
CREATE VIRTUAL TABLE temp.w USING kv_entries(nowhere);
CREATE VIRTUAL TABLE temp.w USING kv_entries(main, tabels='x');

-- block foreign clean nocrash
DROP TABLE kv;
CREATE TABLE kv(setting TEXT);

-- block refused
SELECT count(*) FROM kv_entries;
SELECT kv_set('["a"]', 1);
SELECT kv_get('["a"]');

-- block taken clean nocrash
DROP TABLE kv;
DROP TABLE data_version;
DROP TABLE queue;
CREATE TABLE queue(job TEXT);

-- block untouched
INSERT INTO kv_entries(key, value) VALUES ('["a"]', 1);
SELECT kv_set('["a"]', 1);
SELECT kv_init();
