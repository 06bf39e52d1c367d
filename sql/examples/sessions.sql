-- sessions.sql -- sessions that expire.
--
--     sqlite3 -cmd '.load ./build/kv' app.db <sql/examples/sessions.sql
--
-- A session is an entry ["sessions",id] with an expiry; a second entry
-- ["sessions_by_user",user,id] finds the sessions of a user.  From the moment
-- it expires an entry is no longer shown; when it is removed from the file
-- doesn't matter.

-- Ada logs in twice, Grace once.  Both entries of a session are one statement,
-- so both are there or none, and they expire together.
INSERT INTO kv_entries(key, value, expire_in) VALUES
  (kv_key('sessions', 'a1'), json_object('user', 'ada', 'agent', 'phone'), 1800000),
  (kv_key('sessions_by_user', 'ada', 'a1'), NULL, 1800000);
INSERT INTO kv_entries(key, value, expire_in) VALUES
  (kv_key('sessions', 'a2'), json_object('user', 'ada', 'agent', 'desk'), 1800000),
  (kv_key('sessions_by_user', 'ada', 'a2'), NULL, 1800000);
INSERT INTO kv_entries(key, value, expire_in) VALUES
  (kv_key('sessions', 'g1'), json_object('user', 'grace', 'agent', 'desk'), 0),
  (kv_key('sessions_by_user', 'grace', 'g1'), NULL, 0);

-- Who is it?  Grace's session expired at once (0 ms).
SELECT value ->> 'user', type FROM kv_entries WHERE key = kv_key('sessions', 'a1');
--> ada|Object
SELECT count(*) FROM kv_entries WHERE key = kv_key('sessions', 'g1');
--> 0

-- Each use extends the session.  changes() is 0 if it has expired.
UPDATE kv_entries SET expire_in = 3600000
 WHERE key IN (kv_key('sessions', 'a1'), kv_key('sessions_by_user', 'ada', 'a1'));
SELECT changes(), (SELECT expire_in > 3500000 FROM kv_entries WHERE key = kv_key('sessions', 'a1'));
--> 2|1

-- The sessions of a user.
SELECT kv_part(i.key, 2) AS id, s.value ->> 'agent' AS agent
  FROM kv_entries(kv_key('sessions_by_user', 'ada')) AS i
  JOIN kv_entries AS s ON s.key = kv_key('sessions', kv_part(i.key, 2));
--> a1|phone
--> a2|desk

-- Log out everywhere, in one transaction.
BEGIN IMMEDIATE;
DELETE FROM kv_entries WHERE key IN (
  SELECT kv_key('sessions', kv_part(key, 2)) FROM kv_entries(kv_key('sessions_by_user', 'ada')));
DELETE FROM kv_entries WHERE prefix = kv_key('sessions_by_user', 'ada');
COMMIT;
SELECT count(*) FROM kv_entries;
--> 0
