-- tour.sql -- a walk through a Deno KV database with plain SQL.
--
--     sqlite3 app.db
--     sqlite> .load ./kv
--     sqlite> .read sql/examples/tour.sql
--
-- The statements run on the sample database (make run); most of them make
-- sense on any other.  Only the last two parts write.

.mode box --wrap 60
.headers on

.print
.print ==== The first entries, in the order of the keys =========================
-- kv_entries is the whole key space.  It needs no CREATE: load and select.
SELECT key, value, versionstamp FROM kv_entries LIMIT 5;

.print
.print ==== How many there are of each type =====================================
-- "type" is the type of the stored value, a hidden column.
SELECT type, count(*) AS entries FROM kv_entries GROUP BY type
 ORDER BY 2 DESC, 1 LIMIT 12;

.print
.print ==== One entry ===========================================================
-- A key is a JavaScript array.  "js" shows a value without any loss.
SELECT js FROM kv_entries WHERE key = '["users",1]';

.print
.print ==== All below a prefix: kv.list({ prefix: [...] }) ======================
SELECT key FROM kv_entries('["users_by_favorite_color","red"]');

.print
.print ==== A range, and the same range backwards ===============================
-- Seeks and bounded scans of the B-tree; EXPLAIN QUERY PLAN says so.
SELECT key, value ->> 'name' AS name
  FROM kv_entries WHERE key BETWEEN '["users",3]' AND '["users",5]';
SELECT key, value ->> 'name' AS name
  FROM kv_entries WHERE key >= '["users",3]' AND key < '["users",6]'
 ORDER BY key DESC LIMIT 2;
EXPLAIN QUERY PLAN
SELECT key
  FROM kv_entries WHERE key >= '["users",3]' AND key < '["users",6]'
 ORDER BY key DESC LIMIT 2;

.print
.print ==== Inside a value ======================================================
-- Objects, arrays, Maps and Sets are JSON to SQLite; kv_extract() takes a
-- path straight out of the stored bytes.
SELECT kv_part(key, 1) AS id,
       value ->> 'name' AS name,
       value ->> '$.address.city' AS city,
       kv_extract(raw, '$.tags[0]') AS tag,
       kv_extract(raw, '$.credit') AS credit
  FROM kv_entries('["users"]') LIMIT 5;

.print
.print ==== A join through the secondary index users_by_email ===================
-- The index entry holds the id, the id makes the key of the user.
SELECT kv_part(i.key, 1) AS email, u.value ->> 'name' AS name
  FROM kv_entries('["users_by_email"]') AS i
  JOIN kv_entries AS u ON u.key = kv_key('users', i.value)
 LIMIT 5;

.print
.print ==== Aggregates: comments of each post ===================================
SELECT kv_part(key, 1) AS post, count(*) AS comments,
       max(value ->> 'when') AS latest
  FROM kv_entries('["posts"]')
 WHERE kv_part(key, 2) = 'comments'
 GROUP BY post ORDER BY comments DESC, post LIMIT 5;

.print
.print ==== A listing of folders ================================================
-- kv_children() finds the distinct next parts by seeking.
SELECT part, type, key, has_value, has_children FROM kv_children('[]');

.print
.print ==== The parts of a key ==================================================
SELECT ordinal, type, quote(value) AS value
  FROM kv_parts('["teams", 1n, 2.5, true, new Uint8Array([1, 2, 3])]');

.print
.print ==== Sessions, with the moment they expire ===============================
SELECT key, datetime(expires_at / 1000, 'unixepoch') AS expires
  FROM kv_entries('["sessions"]') LIMIT 3;

.print
.print ==== The queue ===========================================================
SELECT state, json ->> '$.mail' AS mail, keys_if_undelivered FROM kv_queue;

.print
.print ==== Writing =============================================================
-- INSERT, UPDATE and DELETE; all of one transaction has one versionstamp.
BEGIN;
INSERT INTO kv_entries(key, value) VALUES (kv_key('settings', 'lang'), 'en');
INSERT INTO kv_entries(key, js)
  VALUES (kv_key('settings', 'limits'), 'new Map([["upload", 10n]])');
UPDATE kv_entries SET value = 'light' WHERE key = kv_key('settings', 'theme');
COMMIT;
SELECT key, type, js, versionstamp = kv_versionstamp() AS newest
  FROM kv_entries('["settings"]');

.print
.print ==== An atomic operation: check, set and sum =============================
SELECT kv_atomic(
  kv_op('check', kv_key('users_by_email', 'new@example.com'), NULL),
  kv_op('set', kv_key('users_by_email', 'new@example.com'), 25),
  kv_op('sum', kv_key('counters', 'users'), 1)
) IS NOT NULL AS committed;
SELECT key, type, js FROM kv_entries
 WHERE key IN ('["counters","users"]', '["users_by_email","new@example.com"]');
