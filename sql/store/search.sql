-- Statements of the full-text indexes (ext/store/search.h; search_names.c has what stands in
-- the braces that begin with search).
--
--   kv_search_NAME      a table of FTS5, with external content:
--   kv_search_NAME_doc  the texts of the documents, and whose they are

-- name: search_doc
CREATE TABLE {search doc}(
  kv_docid INTEGER PRIMARY KEY,
  kv_key BLOB NOT NULL UNIQUE,
  {search columns}
)

-- name: search_table
CREATE VIRTUAL TABLE {search} USING fts5(
  {search columns}, content={search content}, content_rowid='kv_docid'{search tokenize})

-- name: search_drop
DROP TABLE IF EXISTS {search}

-- name: search_drop_doc
DROP TABLE IF EXISTS {search doc}

-- name: search_check
-- FTS5 looks at its own tables, and at what they say of the documents.
INSERT INTO {search}({search-}, rank) VALUES('integrity-check', 1)

-- name: search_clear
INSERT INTO {search}({search-}) VALUES('delete-all')

-- name: search_clear_doc
DELETE FROM {search doc}

-- name: search_find
SELECT kv_docid, {search columns} FROM {search doc} WHERE kv_key = ?1

-- name: search_doc_add
INSERT INTO {search doc}(kv_key, {search columns}) VALUES(?2, {search values})

-- name: search_doc_set
UPDATE {search doc} SET {search sets} WHERE kv_docid = ?1

-- name: search_doc_delete
DELETE FROM {search doc} WHERE kv_docid = ?1

-- name: search_add
INSERT INTO {search}(rowid, {search columns}) VALUES(?1, {search values})

-- name: search_delete
INSERT INTO {search}({search-}, rowid, {search columns}) VALUES(?2, ?1, {search values})

-- name: search_recover
-- No command: FTS5 forgets what it has read when SQLite rolls the statement back.
INSERT INTO {search}({search-}) SELECT 'recover'

-- name: search_count
SELECT count(*) FROM {search doc}

-- name: search_keys
-- Whose documents there are, at the time ?1.
SELECT e.k FROM {search doc} d CROSS JOIN {kv} e
 WHERE e.k = d.kv_key AND (e.expiration_ms < 0 OR e.expiration_ms > ?1)

-- name: search_rows
-- The documents that match ?1, with the time ?2.  Where it is asked for: weights ?3; what is
-- put before and after words that match ?4 and ?5, and the tokens of a snippet ?6.
SELECT e.k, e.version, e.expiration_ms, e.v, e.v_encoding{search results}
  FROM {search} f CROSS JOIN {search doc} d CROSS JOIN {kv} e
 WHERE f.{search-} MATCH ?1{search weights} AND d.kv_docid = f.rowid AND e.k = d.kv_key
   AND (e.expiration_ms < 0 OR e.expiration_ms > ?2){search order}

-- name: search_rows_keys
-- The same of which only the keys are asked for, where nothing has expired.
SELECT d.kv_key, ?2, -1, NULL, 0{search results}
  FROM {search} f CROSS JOIN {search doc} d
 WHERE f.{search-} MATCH ?1{search weights} AND d.kv_docid = f.rowid{search order}

-- name: search_over_table
-- The same in a database of its own, of documents that the index hasn't seen.
CREATE VIRTUAL TABLE {search-} USING fts5({search columns}{search tokenize})

-- name: search_over_config
-- More words in memory: fewer segments to be merged.
INSERT INTO {search-}({search-}, rank) VALUES('hashsize', 8388608)

-- name: search_over_add
INSERT INTO {search-}(rowid, {search columns}) VALUES(?1, {search values})

-- name: search_over_delete
DELETE FROM {search-} WHERE rowid = ?1

-- name: search_over_rows
SELECT f.rowid, ?2, 0, 0, 0{search results}
  FROM {search-} f WHERE f.{search-} MATCH ?1{search weights}{search order}

-- name: search_point
SELECT k, version, expiration_ms, v, v_encoding FROM {kv}
 WHERE k = ?1 AND (expiration_ms < 0 OR expiration_ms > ?2)
