-- Statements that look for what is wrong with a store.

-- name: check_entries
-- All entries, whatever they are.
SELECT k, v, v_encoding, version, {expires} FROM {kv} ORDER BY k

-- name: check_documents
-- Documents of no entry.
SELECT kv_key FROM {search doc} WHERE NOT EXISTS (SELECT 1 FROM {kv} WHERE k = kv_key)
