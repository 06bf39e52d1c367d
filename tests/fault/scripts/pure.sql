-- pure.sql -- functions that touch no store: keys, values, texts, ids.

-- block load load
SELECT kv_version();
SELECT count(*) FROM kv_entries;

-- block keys
SELECT kv_key('users', 42, kv_bigint(5), kv_bool(1), x'010203', -0.0, 1.5), hex(kv_key_encode('["a",1]')), kv_key_decode(x'02610014');
SELECT kv_key(kv_bigint('-123456789012345678901234567890123456789012345678901234567890'), 'ä€😀', zeroblob(40));
SELECT kv_part('["a",1,2n,true,new Uint8Array([1,2]),99999999999999999999n]', -1), kv_part('["a",x]', 0);
SELECT kv_part('["a",new Uint8Array([1,2])]', 1), kv_compare('["a"]', '[''a'', 1]'), kv_compare('[1]', '[2n]');
SELECT * FROM kv_parts('["a",1,2n,true,new Uint8Array([1,2]),99999999999999999999n]');
SELECT group_concat(column1, ' ') FROM (SELECT column1 FROM (VALUES('["b"]'), ('[1]'), ('no key'), ('[2n]')) ORDER BY column1 COLLATE kv_compare);
SELECT kv_part('["a",123456789012345678901234567890123456789012345678901234567890n]', 1), kv_part('["ab"]', 0);
SELECT length(kv_key(hex(zeroblob(450)), kv_commit_versionstamp())), length(kv_key_decode(kv_key_encode(kv_key(hex(zeroblob(1500))))));
SELECT length(kv_part(kv_key(hex(zeroblob(1500)), zeroblob(3000)), 0)), length(kv_part(kv_key(hex(zeroblob(1500)), zeroblob(3000)), 1));
SELECT kv_compare(kv_key(hex(zeroblob(1500))), kv_key(hex(zeroblob(1501))));
SELECT kv_key(CAST(x'61ff62' AS TEXT), kv_bigint('0x1fffffffffffffffffffffffffffffffff'), kv_bool('true'), kv_bool('FALSE'), kv_bool(0.5));
SELECT length(kv_bigint('-7' || hex(zeroblob(450)))), kv_bigint('x');
SELECT kv_key('a', NULL);
SELECT kv_key(kv_part(k, 0), kv_part(k, 1), kv_part(k, 2)) FROM (SELECT '[99999999999999999999n,true,NaN]' AS k);
SELECT length(kv_key(kv_part('[1' || hex(zeroblob(250)) || 'n]', 0)));
SELECT length(kv_rebase(kv_key(hex(zeroblob(1500)), 1), '[]', kv_key(hex(zeroblob(1500))))), kv_slice(kv_key('a', hex(zeroblob(1500)), 1), 0, 2) IS NULL;
SELECT length(kv_slice(kv_key('a', hex(zeroblob(1500)), kv_commit_versionstamp()), 1));
SELECT kv_rebase(kv_key(hex(zeroblob(1500))), kv_key(hex(zeroblob(1501))), '[]');
SELECT kv_key('a', kv_key('b'));
SELECT kv_key_encode('[9007199254740993]');
SELECT kv_key_decode(x'0261');
SELECT kv_key_encode('["a",');

-- block values
SELECT kv_value('{ a: 1, b: new Map([["x", 1n]]), c: [1,,3], d: undefined, e: new Date(0), f: /a+(b|c)[d-f]/g, s: "\u00e9\ud800", t: new Uint8Array([1,2]) }');
SELECT kv_value('<ref *1> { self: [Circular *1], e: new TypeError("m", { cause: [1] }), n: Object(1n), k: new Deno.KvU64(5n) }');
SELECT hex(kv_value_encode(kv_value('{ a: "ä€", f: new Float64Array([1.5, NaN]), b: 123456789012345678901234567890n, s: new Set([1, 2.5, null]) }')));
SELECT hex(kv_value_encode(x'0102')), hex(kv_value_encode('text')), hex(kv_value_encode(json('{"a":[1,2,{"b":null}]}'))), kv_value_encoding(1.5);
SELECT hex(kv_value_encode(CAST(x'61ff62' AS TEXT))), kv_value(CAST(x'61ff62' AS TEXT)) IS NULL;
SELECT length(kv_raw(zeroblob(2000), 3)), kv_value_encoding(NULL), hex(kv_value_encode(NULL)), hex(kv_value_encode(1.5));
SELECT kv_value('[' || group_concat('{ k' || value || ': ' || value || 'n }') || ']') > '' FROM json_each('[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]');
SELECT length(kv_value('"\u20ac' || hex(zeroblob(1500)) || '"')), length(kv_value('7' || hex(zeroblob(1500)) || 'n'));
SELECT kv_value('{ a: nul }');
SELECT kv_value(9007199254740993);

-- block parts
SELECT hex(kv_value_set(kv_raw(kv_value_encode(json('{"a":1,"b":"x"}')), 1), '$.a', 'a longer text', '$.c.d', 5, '$.b', json('[1,2]')));
SELECT kv_js(kv_value_set(kv_raw(kv_value_encode(kv_value('{ m: new Map([["k", [1,,3]]]), u: new Int8Array(3) }')), 1), '$.m.k[1]', kv_value('<ref *1> [[Circular *1]]'), '$.u[2]', 5, '$.m.n.x[#]', 9007199254740991));
SELECT kv_js(kv_value_remove(kv_raw(kv_value_encode(kv_value('{ a: <ref *1> { x: 1 }, b: [Circular *1], c: new Set([1,2]) }')), 1), '$.a', '$.c[0]', '$.nosuch'));
SELECT kv_value_set(kv_raw(kv_value_encode(json('{"a":1}')), 1), '$.a.b', 1);

-- block show
CREATE TEMP TABLE v(r);
INSERT INTO v SELECT kv_raw(kv_value_encode(kv_value(column1)), kv_value_encoding(kv_value(column1))) FROM (VALUES ('{ a: [1, "x", { b: 2n }], m: new Map([["k", new Set([7])]]), d: new Date(5), u: undefined }'), ('new Deno.KvU64(42n)'), ('new Uint8Array([1,2])'), ('"text ä"'), ('/x/g'), ('[1,,2]'), ('new Error("m")'));
SELECT kv_js(r), kv_json(r), kv_type(r), kv_js(r, 2) FROM v;
SELECT kv_extract(r, '$.a[2].b'), kv_extract(r, '$.m.k[0]'), kv_extract(r, '$.a'), kv_extract(r, '$') FROM v WHERE kv_type(r)='Object';
SELECT kv_extract(r, '$') FROM v;
SELECT kv_extract(r, '$.a[') FROM v;
SELECT kv_extract(kv_raw(kv_value_encode(kv_value(column1)), 1), '$[1]') FROM (VALUES ('new Uint16Array([1,2])'), ('new BigInt64Array([1n,-2n])'), ('[1,12345678901234567890n]'), ('[1,/x/g]'), ('[1,new Date(1)]'), ('[1,"a\u0000b"]'), ('[1,new Uint8Array([1])]'));
SELECT length(kv_js(kv_raw(kv_value_encode(hex(zeroblob(1500))), 1))), length(kv_json(kv_raw(kv_value_encode(kv_value('["' || hex(zeroblob(1500)) || '",1n,/(?:)/]')), 1)));
SELECT kv_type(x'01ff0f41'), kv_type(x'02'), kv_json(kv_raw(kv_value_encode(kv_value('new Map()')), 1)), kv_json(kv_raw(kv_value_encode(kv_value('[new RegExp("")]')), 1));
SELECT kv_js(x'01ff0f41');

-- block long
SELECT length(kv_bigint('7' || hex(zeroblob(70000))));

-- block blob
SELECT kv_value(x'0102'), kv_value(NULL), kv_value(1.5);

-- block ids
SELECT length(kv_ulid());
SELECT kv_ulid(), kv_ulid_time('01HF7YAT00ZZZZZZZZZZZZZZZZ'), kv_uuid(), kv_now();
SELECT kv_config('value_bytes'), kv_config('value_bytes', 100), kv_config('nothing');
SELECT kv_ulid_time('x');

-- block ones ones clean
SELECT kv_ulid(1700000000000);
SELECT kv_ulid(1700000000000);
SELECT kv_ulid(1700000000000);
SELECT substr(kv_ulid(1700000000001), 1, 10);

-- block ops
SELECT hex(kv_op('set', '["a"]', kv_value('new Set([1])'), 1000)), hex(kv_op('check', '["a"]', NULL)), hex(kv_op('sum', '["a"]', 5, 0, 10, 1));
SELECT hex(kv_op('enqueue', json('{"a":1}'), 10, '[["f",1],["g"]]', '[1,2]'));
SELECT length(kv_op('set', '["a"]', hex(zeroblob(1500)))), length(kv_op('enqueue', zeroblob(3000)));
SELECT hex(kv_op('sum', '["a"]', kv_bigint(-5), kv_bigint(-10), kv_bigint(10))), hex(kv_op('max', '["a"]', 2.5)), hex(kv_op('check', '["a"]', '0000000000000001ABcd'));
SELECT hex(kv_op('sum', '["a"]', kv_bigint(-5), -10, 10)), hex(kv_op('sum', '["a"]', 1.5, 0, 10, 1));
SELECT kv_op('sum', '["a"]', -5);
SELECT kv_op('sum', '["a"]', 'text');
SELECT kv_op('check', '["a"]', '00');
SELECT kv_op('set', '["a"]', 1, -1);
SELECT kv_op('enqueue', 'm', 1.5);
SELECT kv_op('what', '["a"]');
