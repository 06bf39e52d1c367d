-- name: run
-- Runs an operation that a function has prepared (face/atomic.c) as one
-- statement: SQLite takes the write lock first, gives it a savepoint of its
-- own and, outside of a transaction, commits it.
INSERT INTO main.kv_run SELECT 1
