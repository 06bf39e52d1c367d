-- search_notes.sql -- full-text search over the notes of a Deno program.
--
--     sqlite3 -cmd '.load ./build/kv' app.db <sql/examples/search_notes.sql
--
-- The program keeps notes under ["notes", user, id], as kv.set() does it.  It knows
-- nothing of the index, and the index is right whenever it writes.

-- Some notes, as a Deno program would have stored them.
INSERT INTO kv_entries(key, js) VALUES
  ('["notes","ada",1]', '{ title: "Bread", text: "Knead the dough, let it rest, bake it.", tags: new Set(["kitchen"]) }'),
  ('["notes","ada",2]', '{ title: "Garden", text: "Plant tomatoes after the last frost.", tags: new Set(["outside"]) }'),
  ('["notes","bob",1]', '{ title: "Pizza", text: "The dough rests for a day; then tomatoes, cheese, and a hot oven.", tags: new Set(["kitchen", "baking"]) }');

-- One index over titles, texts and tags; porter finds "baking" for "bake".
SELECT kv_index('notes_text', '["notes"]', '$.title, $.text, $.tags', 'fulltext tokenize="porter unicode61"');
--> 3

-- The best matches, with a snippet of each.
SELECT kv_part(key, 1) AS user, value ->> 'title' AS title, snippet
  FROM kv_search('notes_text', 'bake OR dough') WHERE open = '[' AND close = ']' ORDER BY rank LIMIT 5;
--> ada|Bread|Knead the [dough], let it rest, [bake] it.
--> bob|Pizza|The [dough] rests for a day; then tomatoes, cheese, and a hot oven.

-- Words in a column, prefixes, phrases and what is not to be there.
SELECT key, type FROM kv_search('notes_text', 'tags: kitchen NOT cheese');
--> ["notes","ada",1]|Object
SELECT key FROM kv_search('notes_text', 'tomat* AND "last frost"');
--> ["notes","ada",2]

-- A match in the title counts ten times as much.
SELECT value ->> 'title' FROM kv_search('notes_text', 'pizza OR dough') WHERE weights = '10, 1, 1' ORDER BY rank;
--> Pizza
--> Bread

-- What a user has typed is no query: in double quotes it is searched as it is.
CREATE TEMP TABLE typed AS SELECT 'last frost?' AS words;
SELECT count(*) FROM kv_search('notes_text', '"' || replace((SELECT words FROM typed), '"', '""') || '"');
--> 1

-- The program changes a note behind our back (here: plain SQL as Deno runs it).
-- A search hides the old text and finds the new one.
UPDATE data_version SET version = version + 1;
INSERT OR REPLACE INTO kv(k, v, v_encoding, version, expiration_ms)
  SELECT kv_key_encode('["notes","bob",1]'), kv_value_encode(kv_value('{ title: "Pasta", text: "No oven today." }')), 1, version, -1
    FROM data_version;
SELECT count(*) FROM kv_search('notes_text', 'pizza');
--> 0
SELECT key, highlight FROM kv_search('notes_text', 'oven');
--> ["notes","bob",1]|Pasta
--> No <b>oven</b> today.

-- As a table: MATCH on its name and on its columns, the notes of one user.
CREATE VIRTUAL TABLE temp.notes USING kv_collection('["notes"]',
  user TEXT KEY, id INTEGER KEY, title TEXT FULLTEXT, text TEXT FULLTEXT, tags FULLTEXT);
SELECT title, kv_snippet FROM notes WHERE notes MATCH 'tomato OR dough' AND user = 'ada' ORDER BY kv_rank;
--> Garden|Plant <b>tomatoes</b> after the last frost.
--> Bread|Knead the <b>dough</b>, let it rest, bake it.
INSERT INTO notes(user, id, title, text) VALUES ('ada', 3, 'Soup', 'Tomatoes and bread.');
SELECT id, title FROM notes WHERE text MATCH 'tomato NOT frost';
--> 3|Soup

-- The index is one of FTS5's, which checks that it is what the texts say.
INSERT INTO kv_search_notes_text(kv_search_notes_text, rank) VALUES ('integrity-check', 1);
SELECT entries, pending FROM kv_indexes WHERE name = 'notes_text';
--> 4|0

-- Whoever gives the index up drops it; the notes stay.
SELECT kv_index_drop('notes_text');
--> 4
SELECT count(*) FROM kv_entries('["notes"]');
--> 4
