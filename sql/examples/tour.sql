-- tour.sql -- a walk through a Deno KV database with plain SQL.
--
--     make run
--
-- shows it step by step, on a copy of a sample database.  On your own file:
--
--     sqlite3 -cmd '.load ./build/kv' app.db
--     sqlite> .read sql/examples/tour.sql
--
-- Only steps 6 to 13 write.

.mode box --wrap 60
.headers on

-- ==== What SQLite shows of Deno's table, and what kv_entries shows
-- Deno stores keys and values as bytes: V8's own format, which SQLite can't read.
SELECT substr(hex(k), 1, 24) || '…' AS k, substr(hex(v), 1, 40) || '…' AS v
  FROM kv WHERE k > kv_key_encode('["users"]') LIMIT 1;
-- The same entry, as the table kv_entries shows it.  The key is a JavaScript array,
-- the value is JSON to SQLite.
SELECT key, value FROM kv_entries('["users"]') LIMIT 1;

-- ==== An overview
-- A row for each first key part.
SELECT prefix, entries, bytes, expired FROM kv_stats ORDER BY bytes DESC LIMIT 5;
-- Below a prefix, as a folder lists its files.
SELECT key, has_value, has_children FROM kv_children('["posts"]') LIMIT 3;

-- ==== Ranges in key order: Deno's kv.list()
-- Seeks in the B-tree, never a scan and a sort: EXPLAIN QUERY PLAN says so.
SELECT key, value ->> 'name' AS name, versionstamp FROM kv_entries
 WHERE key BETWEEN '["users",3]' AND '["users",5]';
EXPLAIN QUERY PLAN SELECT key FROM kv_entries('["users"]')
 WHERE key < '["users",9]' ORDER BY key DESC LIMIT 2;

-- ==== Inside a value
-- Objects, Maps and Sets are JSON to SQLite's functions; js loses nothing.
SELECT value ->> '$.address.city' AS city, count(*) AS users,
       round(avg(value ->> 'score'), 1) AS score
  FROM kv_entries('["users"]') GROUP BY city ORDER BY users DESC, city LIMIT 3;
SELECT value AS sql, js FROM kv_entries WHERE key = '["types","Map"]';

-- ==== A join through the application's own index
-- The entry users_by_email holds the id, and the id makes the key of the user.
SELECT kv_part(i.key, 1) AS email, u.value ->> 'name' AS name
  FROM kv_entries('["users_by_email"]') AS i
  JOIN kv_entries AS u ON u.key = kv_key('users', i.value)
 LIMIT 4;

-- ==== A collection: entries as a table with columns
-- kv_infer('["users"]') writes the whole statement; this one is shorter.
CREATE VIRTUAL TABLE temp.users USING kv_collection('["users"]',
  id INTEGER KEY, name TEXT NOT NULL, city TEXT AT '$.address.city', credit BIGINT);
SELECT * FROM users WHERE id < 4;
-- It takes INSERT, UPDATE and DELETE; members without a column are left unchanged.
UPDATE users SET credit = credit + 1, city = 'Paris' WHERE id = 1;
SELECT kv_extract(raw, '$.credit') AS credit, kv_extract(raw, '$.address') AS address,
       type FROM kv_entries WHERE key = '["users",1]';

-- ==== A declared index
-- It covers what Deno writes, though Deno is unaware of it.
SELECT kv_index('users_by_city', '["users"]', '$.address.city') AS entries;
SELECT key, value ->> 'name' AS name FROM kv_lookup('users_by_city', 'London');
-- The collection uses it.
EXPLAIN QUERY PLAN SELECT name FROM users WHERE city = 'London';

-- ==== Full-text search, with SQLite's FTS5
SELECT kv_index('posts_text', '["posts"]', '$.title, $.body', 'fulltext') AS documents;
SELECT key, snippet, round(rank, 2) AS rank
  FROM kv_search('posts_text', 'title: commit') WHERE tokens = 6 ORDER BY rank LIMIT 4;

-- ==== Writing: one transaction, one versionstamp
BEGIN;
INSERT INTO kv_entries(key, value) VALUES (kv_key('settings', 'lang'), 'en');
INSERT INTO kv_entries(key, js)
  VALUES (kv_key('settings', 'limits'), 'new Map([["upload", 10n]])');
UPDATE kv_entries SET value = 'light' WHERE key = kv_key('settings', 'theme');
COMMIT;
SELECT key, js, versionstamp FROM kv_entries('["settings"]');

-- ==== An atomic operation: check, set and sum
-- It returns its versionstamp.
SELECT kv_atomic(
  kv_op('check', kv_key('users_by_email', 'new@example.com'), NULL),
  kv_op('set', kv_key('users_by_email', 'new@example.com'), 25),
  kv_op('sum', kv_key('counters', 'users'), 1)) AS versionstamp;
-- If a check fails it returns NULL and changes nothing; kv_conflict() is the key.
SELECT kv_atomic(kv_op('check', '["users_by_email","new@example.com"]', NULL),
                 kv_op('delete', '["settings"]')) AS versionstamp,
       kv_conflict() AS conflict;

-- ==== Entries that expire
INSERT INTO kv_entries(key, value, expire_in) VALUES ('["sessions","me"]', 25, 60000);
SELECT key, value, datetime(expires_at / 1000, 'unixepoch') AS expires
  FROM kv_entries WHERE key = '["sessions","me"]';

-- ==== An UPDATE without WHERE, and back
-- The history keeps past states, whoever writes: here for a day.
CREATE TEMP TABLE mark AS
  SELECT kv_history('["users"]', 86400000) AS kept, kv_versionstamp() AS v;
UPDATE users SET city = 'Paris';
SELECT u.name, u.city, old.city AS was FROM mark JOIN users AS u
  JOIN users AS old ON old.id = u.id AND old.kv_as_of = v WHERE was <> u.city LIMIT 2;
SELECT kv_restore('["users"]', v) AS restored FROM mark;

-- ==== The queue: Deno's kv.enqueue() and kv.listenQueue()
INSERT INTO kv_queue(value, delay) VALUES (json_object('mail', 'me@example.com'), 0);
SELECT value ->> 'mail' AS mail, state FROM kv_queue LIMIT 3;
-- Claim the next message, work, and acknowledge it.
CREATE TEMP TABLE job AS SELECT id, value ->> 'mail' AS mail FROM kv_dequeue(5000);
SELECT mail FROM job;
DELETE FROM kv_queue WHERE id IN (SELECT id FROM job);

-- ==== Is the file sound, and what else can be called?
SELECT count(*) AS faults FROM kv_check;
SELECT topic, group_concat(name, ' ') AS names
  FROM (SELECT DISTINCT topic, name FROM kv_help WHERE topic IN ('keys', 'changes'))
 GROUP BY topic;
