-- report.sql -- a report on what a Deno application has stored.
--
--     cp tests/sample/sample.sqlite3 app.db
--     sqlite3 -cmd '.load ./build/kv' app.db <sql/examples/report.sql
--
-- The application keeps users under ["users",id] and the comments of a post
-- under ["posts",id,"comments",...].  Everything here reads; nothing has to be
-- prepared in the application.

-- What there is: entries and bytes below each first part.
SELECT kv_part(key, 0) AS kind, count(*) AS entries, sum(length(raw) - 1) AS bytes
  FROM kv_entries GROUP BY kind ORDER BY entries DESC LIMIT 5;
--> posts|73|9722
--> types|66|1263
--> logs|60|1272
--> parts|36|144
--> counters|33|264

-- Users by city.
SELECT value ->> '$.address.city' AS city, count(*) AS users, round(avg(value ->> 'score'), 1) AS score
  FROM kv_entries('["users"]') GROUP BY city ORDER BY users DESC, city LIMIT 4;
--> Madrid|9|43.1
--> Athens|5|103.5
--> Kyoto|5|73.9
--> London|3|85.3

-- Users by tag; "tags" is a Set, which is an array to SQL.
SELECT t.value AS tag, count(*) AS users
  FROM kv_entries('["users"]') AS u, json_each(u.value, '$.tags') AS t
 GROUP BY tag ORDER BY users DESC, tag LIMIT 3;
--> member|24
--> beta|8

-- When the first and the last have joined.  A Date is ISO-8601 text to SQL.
SELECT date(min(value ->> 'joined')), date(max(value ->> 'joined')) FROM kv_entries('["users"]');
--> 2023-04-23|2023-04-29

-- The most discussed posts, with their titles.
SELECT p.value ->> 'title' AS title, count(*) AS comments
  FROM kv_entries('["posts"]') AS c
  JOIN kv_entries AS p ON p.key = kv_key('posts', kv_part(c.key, 1))
 WHERE kv_part(c.key, 2) = 'comments'
 GROUP BY kv_part(c.key, 1) ORDER BY comments DESC, title LIMIT 3;
--> Bytes order batch.|4
--> Store key sorted.|4
--> Store key value.|4

-- Does the application's own index by e-mail agree with the users?  Users
-- without their entry in it, and entries in it that lead to nobody.
SELECT count(*) FROM kv_entries('["users"]') AS u
 WHERE NOT EXISTS (SELECT 1 FROM kv_entries AS i
                    WHERE i.key = kv_key('users_by_email', u.value ->> 'email') AND i.value = kv_part(u.key, 1));
--> 0
SELECT count(*) FROM kv_entries('["users_by_email"]') AS i
 WHERE NOT EXISTS (SELECT 1 FROM kv_entries AS u WHERE u.key = kv_key('users', i.value));
--> 0
