-- transfer.sql -- export and import, and the list of names.

-- block fill clean
SELECT kv_set('["a",1]', json('{"x":[1,"y"]}')) > '';
SELECT kv_set('["b",2]', 'text') > '';
SELECT kv_set('["c"]', x'0102') > '';

-- block export
SELECT kv_export(key, raw, versionstamp) FROM kv_entries;
SELECT kv_export('["a"]', x'01ff0f4902', NULL), kv_export('["a"]', x'01ff0f4902', CAST(x'30ff' AS TEXT));
SELECT kv_export('["a"]', x'01ff0f41', NULL);
SELECT kv_export('["a"]', 5, NULL);

-- block import
SELECT line, key, hex(raw), versionstamp, error FROM kv_import('{"key":[{"type":"string","value":"i"},{"type":"bigint","value":"12345678901234567890"}],"value":{"type":"Map","value":[[{"type":"string","value":"k"},{"type":"number","value":1}]]},"versionstamp":"00000000000000010000"}
{"key":[{"type":"Uint8Array","value":"AQI"}],"value":{"type":"KvU64","value":"5"},"versionstamp":"00000000000000010000"}

{"key":[1]}');
SELECT text IS NOT NULL, length(text) FROM kv_import('{}');
INSERT INTO kv_entries(key, raw) SELECT key, raw FROM kv_import('{"key":[{"type":"string","value":"i"}],"value":{"type":"string","value":"v"},"versionstamp":"00000000000000010000"}');
SELECT key, raw FROM kv_import('{"key":[1]}');
SELECT key, value FROM kv_entries('["i"]');

-- block help
SELECT count(*) > 10, min(name) > '' FROM kv_help;
SELECT name FROM kv_help WHERE name='kv_get';
