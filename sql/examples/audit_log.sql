-- audit_log.sql -- who has changed what, in the order of the commits.
--
--     sqlite3 -cmd '.load ./build/kv' app.db <sql/examples/audit_log.sql
--
-- Each change writes a line of the log in the same atomic operation.  Its key
-- ends with the operation's own versionstamp, so the log is in the order of
-- the commits, and the entry that was changed leads to its line.

INSERT INTO kv_atomic(op, key, value) VALUES
  ('set', kv_key('account', 'ada'), 100),
  ('set', kv_key('account', 'grace'), 50),
  ('set', kv_key('log', kv_commit_versionstamp()), json_object('who', 'bank', 'what', 'opened'));

-- A transfer.  The checks make sure that nobody else has changed the accounts
-- since they were read; otherwise the statement fails, and is run again.
INSERT INTO kv_atomic(op, key, value)
  SELECT 'check', key, versionstamp FROM kv_entries('["account"]')
  UNION ALL SELECT 'set', kv_key('account', 'ada'), kv_get(kv_key('account', 'ada')) - 30
  UNION ALL SELECT 'set', kv_key('account', 'grace'), kv_get(kv_key('account', 'grace')) + 30
  UNION ALL SELECT 'set', kv_key('log', kv_commit_versionstamp()), kv_value('{"who":"ada","what":"30 to grace"}');
SELECT key, type, value FROM kv_entries('["account"]');
--> ["account","ada"]|number|70
--> ["account","grace"]|number|80

-- The log, from the oldest.
SELECT type, value ->> 'who', value ->> 'what' FROM kv_entries('["log"]');
--> Object|bank|opened
--> Object|ada|30 to grace

-- The line of the log behind each account's present state.
SELECT a.key, l.value ->> 'what'
  FROM kv_entries('["account"]') AS a
  JOIN kv_entries AS l ON l.key = kv_key('log', a.versionstamp);
--> ["account","ada"]|30 to grace
--> ["account","grace"]|30 to grace

-- What has happened since a versionstamp: here, since the log's first line.
SELECT value ->> 'what' FROM kv_entries('["log"]')
 WHERE key > (SELECT min(key) FROM kv_entries('["log"]'));
--> 30 to grace
