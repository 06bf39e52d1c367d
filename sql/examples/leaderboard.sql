-- leaderboard.sql -- the best scores, and the rank of a player.
--
--     sqlite3 -cmd '.load ./build/kv' app.db <sql/examples/leaderboard.sql
--
-- ["score",player] holds the score; ["board",score,player] matters only
-- for its position in the order of the keys.  The best are at the end of that range.

CREATE TEMP TABLE played(player TEXT, score REAL);
CREATE TEMP TRIGGER played_best AFTER INSERT ON played
  WHEN new.score > ifnull(kv_get(kv_key('score', new.player)), -1)
BEGIN
  DELETE FROM kv_entries WHERE key IN (
    SELECT kv_key('board', value, new.player) FROM kv_entries WHERE key = kv_key('score', new.player));
  INSERT OR REPLACE INTO kv_entries(key, value) VALUES
    (kv_key('score', new.player), new.score), (kv_key('board', new.score, new.player), NULL);
END;

INSERT INTO played VALUES ('ada', 120), ('grace', 310), ('alan', 95), ('ada', 250), ('edsger', 310), ('alan', 90);

-- The scores.  A REAL is a number, whole or not.
SELECT key, type, js FROM kv_entries('["score"]');
--> ["score","ada"]|number|250
--> ["score","alan"]|number|95
--> ["score","edsger"]|number|310
--> ["score","grace"]|number|310

-- The best three: a seek to the end and three steps back.
SELECT kv_part(key, 1) AS score, kv_part(key, 2) AS player FROM kv_entries('["board"]') ORDER BY key DESC LIMIT 3;
--> 310|grace
--> 310|edsger
--> 250|ada

-- The rank of a player: one more than there are better scores.  A key that
-- ends with the score sorts before all with that score, true after them.
SELECT 1 + count(*) AS rank FROM kv_entries('["board"]')
 WHERE key > kv_key('board', kv_get(kv_key('score', 'ada')), kv_bool(1));
--> 3

-- From 100 up to, but not including, 300.
SELECT kv_part(key, 2) FROM kv_entries WHERE key >= kv_key('board', 100) AND key < kv_key('board', 300);
--> ada
