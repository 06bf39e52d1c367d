-- Statements that read entries.
--
-- Words in braces are filled in when a statement is prepared (store.c):
--   {kv} {data_version} ...  the store's tables, with schema and prefix
--   {expires}                the column expiration_ms, or -1 in a store of an
--                            old Deno that has none
-- An entry whose time has come (0 <= expiration_ms <= now) is not there.

-- name: read_range
-- A run of entries in key order.  The pieces in braces follow KVREAD_xxx:
-- which columns, whether there is an upper bound, direction, rows to skip.
SELECT {columns} FROM {kv}
 WHERE k >= ?1{upper} AND ({expires} < 0 OR {expires} > ?3)
 ORDER BY k{direction}{offset}

-- name: read_point
-- One entry.
SELECT {columns} FROM {kv}
 WHERE k = ?1 AND ({expires} < 0 OR {expires} > ?3)

-- name: read_version
-- The store's newest version.
SELECT version FROM {data_version} WHERE k = 0
