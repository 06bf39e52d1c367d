-- Statements that look for what is wrong with a store.

-- name: check_entries
-- All entries, whatever they are.
SELECT k, v, v_encoding, version, {expires} FROM {kv} ORDER BY k
