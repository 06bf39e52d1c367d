-- report.sql -- a report on any store: its content and its state.
--
--     sqlite3 -box -cmd '.load ./build/kv' app.db <sql/examples/report.sql
--
-- It only reads the file.  The output below is that of the sample database.

.print == The file: bytes, and what VACUUM would free
--> == The file: bytes, and what VACUUM would free
SELECT page_count * page_size AS bytes, freelist_count * page_size AS free
  FROM pragma_page_count, pragma_freelist_count, pragma_page_size;
--> 94208|0

.print == Entries by first key part, and expired ones that are still in the file
--> == Entries by first key part, and expired ones that are still in the file
SELECT prefix, entries, bytes, expired, largest_key, largest_bytes
  FROM kv_stats ORDER BY bytes DESC;
--> ["posts"]|73|12524|0|["posts",4]|256
--> ["users"]|24|5301|0|["users",11]|233
--> ["logs"]|60|4932|0|["logs",2023,5,17,"01H0M8E5TGRXGQ6E37QYPWK8HG"]|83
--> ["types"]|66|2558|0|["types","Error with cause"]|167
--> ["sessions"]|20|1621|0|["sessions",new Uint8Array([189,151,221,113,135,90,41,62,54,181,55,251,0,224,45,179])]|82
--> ["posts_by_author"]|30|1140|0|["posts_by_author",1,4]|38
--> ["users_by_email"]|24|1117|0|["users_by_email","bjarne.stroustrup@example.com"]|51
--> ["counters"]|33|1098|0|["counters","views",1]|34
--> ["users_by_favorite_color"]|24|1044|0|["users_by_favorite_color","violet",21]|45
--> ["parts"]|36|675|0|["parts",10000000000000000000000000000000000000000n,"below"]|37
--> ["settings"]|1|25|0|["settings","theme"]|25

.print == Values by type
--> == Values by type
SELECT type, count(*) AS entries FROM kv_entries GROUP BY type ORDER BY entries DESC, type;
--> Object|123
--> number|67
--> string|67
--> null|55
--> KvU64|35
--> Array|6
--> Date|3
--> Map|3
--> bigint|3
--> ArrayBuffer|2
--> RegExp|2
--> Set|2
--> boolean|2
--> BigInt|1
--> BigInt64Array|1
--> BigUint64Array|1
--> Boolean|1
--> DataView|1
--> Error|1
--> Float16Array|1
--> Float32Array|1
--> Float64Array|1
--> Int16Array|1
--> Int32Array|1
--> Int8Array|1
--> Number|1
--> RangeError|1
--> String|1
--> TypeError|1
--> Uint16Array|1
--> Uint32Array|1
--> Uint8Array|1
--> Uint8ClampedArray|1
--> undefined|1

.print == Fields of the objects below each prefix, in its first 100 entries
--> == Fields of the objects below each prefix, in its first 100 entries
SELECT s.prefix, f.path, f.type, f.entries, f.example
  FROM kv_stats AS s JOIN kv_fields(s.prefix, 100) AS f
 WHERE f.path <> '$' ORDER BY s.prefix, f.path, f.type;
--> ["posts"]|$.author|number|30|11
--> ["posts"]|$.body|string|30|Commit batch read sorted check commit commit version. Store …
--> ["posts"]|$.by|number|43|1
--> ["posts"]|$.labels|Array|30|["value","bytes"]
--> ["posts"]|$.meta|Map|30|{"views":6573,"lang":"en"}
--> ["posts"]|$.posted|Date|30|"2023-04-29T05:01:26.000Z"
--> ["posts"]|$.stars|number|7|3
--> ["posts"]|$.text|string|43|Batch value prefix order store.
--> ["posts"]|$.title|string|30|Check check value.
--> ["posts"]|$.when|Date|43|"2023-04-29T07:02:14.000Z"
--> ["sessions"]|$.agent|string|20|sample/1.0
--> ["sessions"]|$.csrf|Uint8Array|20|"CbOAe3dsZmI="
--> ["sessions"]|$.user|number|20|14
--> ["types"]|$.""|number|1|1
--> ["types"]|$."10"|number|1|3
--> ["types"]|$."9"|number|1|4
--> ["types"]|$."a b"|number|1|2
--> ["types"]|$.__proto__|number|1|4
--> ["types"]|$.a|number|2|1
--> ["types"]|$.b|Object|1|{"c":[true,null]}
--> ["types"]|$.b|number|1|1
--> ["types"]|$.b.c|Array|1|[true,null]
--> ["types"]|$.bytes|Uint8Array|1|"AQID"
--> ["types"]|$.list|Array|1|[{"name":"loop","list":"[Circular]","self":"[Circular]"},1]
--> ["types"]|$.name|string|1|loop
--> ["types"]|$.self|Object|1|{"name":"loop","list":["[Circular]",1],"self":"[Circular]"}
--> ["types"]|$.é|number|1|5
--> ["users"]|$.address|Object|24|{"city":"London","zip":"26877"}
--> ["users"]|$.address.city|string|24|London
--> ["users"]|$.address.zip|string|24|26877
--> ["users"]|$.admin|boolean|24|false
--> ["users"]|$.credit|bigint|24|6600000000000
--> ["users"]|$.email|string|24|ada.lovelace@example.com
--> ["users"]|$.favoriteColor|string|24|blue
--> ["users"]|$.id|number|24|1
--> ["users"]|$.joined|Date|24|"2023-04-23T12:00:23.000Z"
--> ["users"]|$.name|string|24|Ada Lovelace
--> ["users"]|$.score|number|24|84.875
--> ["users"]|$.tags|Set|24|["member"]

.print == The queue: messages by state; when the first is due, or its lease ends
--> == The queue: messages by state; when the first is due, or its lease ends
SELECT count(*) || ' messages' AS queue FROM kv_queue;
--> 5 messages
SELECT state, count(*) AS messages, datetime(min(ifnull(ready_at, deadline)) / 1000, 'unixepoch') AS first
  FROM kv_queue GROUP BY state ORDER BY state;
--> ready|5|2026-11-21 08:07:16

.print == The change feed, and how many deletions it keeps
--> == The change feed, and how many deletions it keeps
SELECT kv_versionstamp() AS versionstamp, iif(kv_track(), 'on', 'off') AS feed,
       CASE WHEN kv_track() THEN (SELECT count(*) FROM kv_changes('') WHERE deleted) END AS deletions;
--> 00000000000004e40000|off|

.print == Declared indexes: entries, changes to catch up with, conflicts of unique ones
--> == Declared indexes: entries, changes to catch up with, conflicts of unique ones
SELECT count(*) || ' indexes' AS indexes FROM kv_indexes;
--> 0 indexes
SELECT name, prefix, path, options, entries, pending, conflicts FROM kv_indexes;

.print == Faults
--> == Faults
CREATE TEMP TABLE faults AS SELECT kind, key, message FROM kv_check;
SELECT count(*) || iif(count(*) = 1, ' fault', ' faults') AS faults FROM temp.faults;
--> 0 faults
SELECT kind, key, message FROM temp.faults;
