-- read.sql -- reading: kv_entries, kv_children, kv_get, plans, cursors.

-- block fill clean
SELECT kv_set('["users",1]', json('{"name":"Ann","tags":["a","b"]}'));
SELECT kv_set('["users",2]', kv_value('new Map([["x",1n]])'), 100000);
SELECT kv_set('["users",3]', 'text ä');
SELECT kv_set('["n",1]', 1.5);
SELECT kv_set('["n",2]', kv_bigint('123456789012345678901234567890'));
SELECT kv_sum('["c"]', 5);
SELECT kv_set('["bytes"]', zeroblob(5000));
INSERT INTO kv(k, v, v_encoding, version) VALUES (x'0261', x'ff0f30', 1, 1), (kv_key_encode('["bad"]'), x'ff0f41', 1, 1), (kv_key_encode(kv_key('long', hex(zeroblob(4000)))), x'ff0f41', 1, 1);

-- block all
SELECT key, versionstamp, expires_at, type, hex(raw), cursor FROM kv_entries;
SELECT key, value, json, js, expire_in FROM kv_entries WHERE type<>'malformed';
SELECT value FROM kv_entries WHERE key='["bad"]';

-- block error
SELECT value FROM kv_entries('["long"]');

-- block plans
SELECT key, value FROM kv_entries('["users"]') ORDER BY key DESC LIMIT 1 OFFSET 1;
SELECT key FROM kv_entries WHERE key IN ('["a"]','["c"]','["users",1]') ORDER BY key;
SELECT key FROM kv_entries WHERE key>='["users",1]' AND key<'["users",3]' ORDER BY key DESC;
SELECT key, cursor FROM kv_entries WHERE prefix='["users"]' AND cursor=(SELECT cursor FROM kv_entries WHERE prefix='["users"]' LIMIT 1);
SELECT e.key FROM (SELECT '["c"]' AS k UNION ALL SELECT '["n",1]') AS t JOIN kv_entries AS e ON e.key=t.k;
SELECT key FROM kv_entries('users');
SELECT key FROM kv_entries WHERE cursor='!';
SELECT key FROM kv_entries WHERE key>='["users"]' AND key<'["users",9]' AND key>'["users",1]' AND cursor='';
SELECT key FROM kv_entries WHERE prefix='["users"]' AND key<'["users",2]' AND cursor='IcAcAAAAAAAA' ORDER BY key DESC;
EXPLAIN QUERY PLAN SELECT key FROM kv_entries('["users"]') WHERE key>'["users",1]' ORDER BY key;

-- block children
SELECT part, type, key, has_value, has_children FROM kv_children('[]');
SELECT part FROM kv_children('["users"]');

-- block stats
SELECT prefix, entries, bytes, expired, largest_key, largest_bytes FROM kv_stats;
SELECT entries FROM kv_stats WHERE prefix='["users"]';

-- block check
SELECT kind, key, message FROM kv_check;
SELECT count(*) FROM kv_check WHERE kind='value';

-- block get
SELECT kv_get('["users",1]'), kv_get('["users",1]','$.tags[1]'), kv_get('["users",2]'), kv_get('["nobody"]'), kv_get('["n",2]');
SELECT kv_get('["bad"]');
SELECT kv_versionstamp(), kv_wait('ffffffffffffffffffff', 0);
-- A lock in its way is a reason to wait, not an error.
SELECT coalesce(kv_wait('', 0), kv_versionstamp());
SELECT kv_get('x');

-- block snapshot
SELECT kv_get('["users",1]'), kv_get('["n",2]'), kv_versionstamp() > '', kv_track(), (SELECT count(*) FROM kv_entries), kv_get('["nobody"]');
SELECT kv_get('["c"]') UNION ALL SELECT kv_get('["n",1]') UNION ALL SELECT kv_versionstamp() > '';

-- block many
SELECT count(*), max(kv_get(key)) FROM kv_entries WHERE prefix='["users"]';

-- block stamp
SELECT kv_versionstamp() > '';

-- block wait
SELECT kv_wait('ffffffffffffffffffff', 0);

-- block cache
PRAGMA journal_mode = wal;
SELECT kv_config('cache_bytes', 100000);
SELECT kv_set('["hot"]', 1);
SELECT kv_get('["hot"]');
SELECT kv_get('["hot"]');
SELECT kv_get('["none"]');
SELECT kv_get('["none"]');
SELECT kv_get('["hot"]'), kv_get('["n",1]');
SELECT kv_get('["hot"]'), kv_set('["hot"]', 2);
SELECT kv_get('["users",1]', '$.name');
SELECT kv_get('["users",1]', '$.name');
