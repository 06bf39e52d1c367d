-- Statements that carry out, as one statement, what has been prepared for them
-- (sql/run.c).  SQLite takes the write lock first, gives it a savepoint of its
-- own and, outside of a transaction, commits it.

-- name: run
-- On the main file, whether it has a store or not.  SQLite looks for a table in
-- the schema that is named, and then for the module: temp, since no file can put
-- a table there.  (The module's table is main's nevertheless, and main is locked.)
INSERT INTO temp.kv_run SELECT 1

-- name: run_there
-- On another file, which alone is locked.  The function does it all, no row is
-- inserted.
INSERT OR ABORT INTO {kv}(k, v, v_encoding, version)
SELECT x'', x'', 1, 0 WHERE kv_run()

-- name: run_making
-- The same while the store's tables are being made, of which this is the first.
INSERT OR ABORT INTO {migration_state}(k, version) SELECT 0, 0 WHERE kv_run()
