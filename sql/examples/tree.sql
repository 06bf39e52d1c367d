-- tree.sql -- keys as folders.
--
--     sqlite3 -cmd '.load ./build/kv' app.db <sql/examples/tree.sql
--
-- kv_children() finds the next parts below a prefix by seeks, no matter how
-- many entries are below each of them.

INSERT INTO kv_entries(key, value) VALUES
  ('["docs","cv.txt"]', 'I ...'), ('["docs","letters","ada.txt"]', 'Dear ...'),
  ('["docs","letters","grace.txt"]', 'Dear ...'), ('["docs","letters"]', 'a note'),
  ('["music",1843,"notes"]', x'00'), ('["music",1936]', 'silence');

-- One level.
SELECT part, type, has_value, has_children FROM kv_children('["docs"]');
--> cv.txt|string|1|0
--> letters|string|1|1

-- The whole tree, down to the tenth level.
WITH RECURSIVE tree(level, part, key, has_children) AS (
  SELECT 0, part, key, has_children FROM kv_children('[]')
  UNION ALL
  SELECT level + 1, c.part, c.key, c.has_children
    FROM tree, kv_children(tree.key) AS c
   WHERE tree.has_children AND level < 9
   ORDER BY 3 COLLATE kv_compare
)
SELECT printf('%*s%s%s', 2 * level, '', part, iif(has_children, '/', '')) FROM tree;
--> docs/
-->   cv.txt
-->   letters/
-->     ada.txt
-->     grace.txt
--> music/
-->   1843/
-->     notes
-->   1936

-- Everything below a folder, at any depth.
SELECT key, type, js FROM kv_entries('["music"]');
--> ["music",1843,"notes"]|Uint8Array|new Uint8Array([0])
--> ["music",1936]|string|"silence"

-- The number of entries below each first part.
SELECT c.part, count(*) AS entries, sum(length(e.raw)) - count(*) AS bytes
  FROM kv_children('[]') AS c JOIN kv_entries AS e ON e.prefix = c.key
 GROUP BY c.key;
--> docs|4|43
--> music|2|12
