-- rate_limit.sql -- at most three requests a minute.
--
--     sqlite3 -cmd '.load ./build/kv' app.db <sql/examples/rate_limit.sql
--
-- The counter ["rate",user] expires a minute after the first request; a sum
-- keeps the expiry.  Reading and counting are one transaction, which holds the
-- write lock from its start, so each request is counted exactly once.

CREATE TEMP TABLE request(user TEXT);
CREATE TEMP TABLE answer(user TEXT, allowed INTEGER);
CREATE TEMP TRIGGER request_counted AFTER INSERT ON request BEGIN
  -- The first request of a minute: a counter that starts from 0.
  INSERT OR IGNORE INTO kv_entries(key, js, expire_in)
    VALUES (kv_key('rate', new.user), 'new Deno.KvU64(0n)', 60000);
  INSERT INTO kv_atomic(op, key, value) VALUES ('sum', kv_key('rate', new.user), 1);
  INSERT INTO answer SELECT new.user, value <= 3 FROM kv_entries WHERE key = kv_key('rate', new.user);
END;

INSERT INTO request VALUES ('ada'), ('ada'), ('grace'), ('ada'), ('ada');
SELECT user, allowed FROM answer;
--> ada|1
--> ada|1
--> grace|1
--> ada|1
--> ada|0

-- Deno's programs see a Deno.KvU64 that expires, and may count in it too.
SELECT key, type, js, expire_in BETWEEN 1 AND 60000 FROM kv_entries('["rate"]');
--> ["rate","ada"]|KvU64|new Deno.KvU64(4n)|1
--> ["rate","grace"]|KvU64|new Deno.KvU64(1n)|1
