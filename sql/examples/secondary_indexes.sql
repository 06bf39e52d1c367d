-- secondary_indexes.sql -- secondary indexes in Deno KV's own pattern.
--
--     sqlite3 :memory: -cmd '.load build/kv' < sql/examples/secondary_indexes.sql
--
-- Deno KV finds an entry by its key and by nothing else.  To find a user by
-- e-mail too, a program keeps one more entry, whose key holds the e-mail and
-- whose value says which user it is:
--
--     ["users", id]                            -> the user
--     ["users_by_email", email]                -> id    a unique index
--     ["users_by_favorite_color", color, id]   -> id    one that is not unique
--
-- The store doesn't know that these belong together.  They stay together
-- because a program that writes one of them writes all of them, in one atomic
-- operation.  This is how to do that in SQL.  A Deno program that does the same
-- with kv.atomic() may work on the same file at the same time.
--
-- Words such as :id are parameters, which a program binds; the shell has
-- ".parameter set" for it.  A name in brackets, such as [insert], stands over
-- each statement that a program would keep.  Two statements are meant to
-- fail; the shell continues after them.

.bail off
.mode box --wrap 200
.headers on
.parameter init

.print
.print ==== 1 Insert, with both checks ==========================================
-- One operation.  The first check says "no user has this id", the second "no
-- user has this e-mail".  If one of them fails nothing is written.
--
-- The index holds the e-mail in lower case, the user as it was given.  lower()
-- knows the letters A to Z only, JavaScript's toLowerCase() those of every
-- alphabet.  If addresses may have others, let the program bind the lower case.
.parameter set :id "'u1'"
.parameter set :name "'Ada'"
.parameter set :email "'Ada@Example.com'"
.parameter set :color "'blue'"
-- [insert]
INSERT INTO kv_atomic(op, key, value) VALUES
  ('check', kv_key('users', :id), NULL),
  ('check', kv_key('users_by_email', lower(:email)), NULL),
  ('set',   kv_key('users', :id), json_object('id', :id, 'name', :name,
              'email', :email, 'favoriteColor', :color)),
  ('set',   kv_key('users_by_email', lower(:email)), :id),
  ('set',   kv_key('users_by_favorite_color', :color, :id), :id);

SELECT key, type, value FROM kv_entries;
SELECT count(*) AS entries, count(DISTINCT versionstamp) AS versionstamps
  FROM kv_entries;

-- Another user with this e-mail: the statement fails, with an error that names
-- the key.  So does kv_conflict().
.parameter set :id "'u2'"
.parameter set :name "'Another Ada'"
.parameter set :email "'ADA@example.com'"
INSERT INTO kv_atomic(op, key, value) VALUES                     -- fails
  ('check', kv_key('users', :id), NULL),
  ('check', kv_key('users_by_email', lower(:email)), NULL),
  ('set',   kv_key('users', :id), json_object('id', :id, 'name', :name,
              'email', :email, 'favoriteColor', :color)),
  ('set',   kv_key('users_by_email', lower(:email)), :id),
  ('set',   kv_key('users_by_favorite_color', :color, :id), :id);
SELECT kv_conflict() AS refused, count(*) AS entries FROM kv_entries;

-- The same operation as a function.  It returns the new versionstamp, or NULL
-- if a check failed, which is not an error then.  This is for a prompt: drivers and
-- replicas may take a SELECT for a statement that only reads.
-- [try_insert]
SELECT kv_atomic(
  kv_op('check', kv_key('users', :id), NULL),
  kv_op('check', kv_key('users_by_email', lower(:email)), NULL),
  kv_op('set',   kv_key('users', :id), json_object('id', :id, 'name', :name,
                   'email', :email, 'favoriteColor', :color)),
  kv_op('set',   kv_key('users_by_email', lower(:email)), :id),
  kv_op('set',   kv_key('users_by_favorite_color', :color, :id), :id)
) IS NOT NULL AS inserted;

-- kv_atomic() collects the ops of all its rows into one operation.  Either all
-- these users are inserted or none.  An operation has at most 100 checks, and
-- they look at what was there before it: two of these rows with one e-mail would
-- both pass, so the list must have each only once.
-- [insert_many]
WITH people(id, name, email, color) AS (VALUES
  ('u2', 'Grace', 'grace@example.com', 'red'),
  ('u3', 'Alan', 'alan@example.com', 'green'),
  ('u4', 'Edsger', 'edsger@example.com', 'green'),
  ('u5', 'Barbara', 'barbara@example.com', 'red'),
  ('u6', 'Donald', 'donald@example.com', 'green')
)
SELECT kv_atomic(
  kv_op('check', kv_key('users', id), NULL),
  kv_op('check', kv_key('users_by_email', lower(email)), NULL),
  kv_op('set',   kv_key('users', id), json_object('id', id, 'name', name,
                   'email', email, 'favoriteColor', color)),
  kv_op('set',   kv_key('users_by_email', lower(email)), id),
  kv_op('set',   kv_key('users_by_favorite_color', color, id), id)
) IS NOT NULL AS inserted FROM people;

.print
.print ==== 2 Get by id =========================================================
.parameter set :id "'u1'"
-- [get]
SELECT value FROM kv_entries WHERE key = kv_key('users', :id);

.print
.print ==== 3 Get by e-mail =====================================================
-- In Deno these are two requests, first the id and then the user.  Here they
-- are one join, which sees one snapshot of the store: no write can come between
-- the two reads.  Both are seeks (POINT); the size of the store doesn't matter.
.parameter set :email "'ada@EXAMPLE.com'"
-- [get_by_email]
SELECT u.key, u.value
  FROM kv_entries AS i
  JOIN kv_entries AS u ON u.key = kv_key('users', i.value)
 WHERE i.key = kv_key('users_by_email', lower(:email));

EXPLAIN QUERY PLAN
SELECT u.key, u.value
  FROM kv_entries AS i
  JOIN kv_entries AS u ON u.key = kv_key('users', i.value)
 WHERE i.key = kv_key('users_by_email', lower(:email));

-- Ids are strings here, and may be numbers.  If they are bigints, write i.js in
-- place of i.value: an SQL integer would be a number to kv_key().

.print
.print ==== 4 Delete, with check and retry ======================================
-- The index entries must be deleted too, and only the user tells which they
-- are.  So a program reads the user first.
.parameter set :id "'u2'"
CREATE TEMP TABLE seen AS
-- [read]
SELECT versionstamp, value ->> 'email' AS email,
       value ->> 'favoriteColor' AS color
  FROM kv_entries WHERE key = kv_key('users', :id);

-- Before it goes on, another program gives that user another colour.
SELECT kv_atomic(
  kv_op('set',    key, json_set(value, '$.favoriteColor', 'green')),
  kv_op('delete', kv_key('users_by_favorite_color', 'red', :id)),
  kv_op('set',    kv_key('users_by_favorite_color', 'green', :id), :id)
) IS NOT NULL AS meanwhile FROM kv_entries WHERE key = kv_key('users', :id);

-- The check of the versionstamp stops the delete.  Without it an entry for
-- "green" would remain that points to no user.
.parameter set :versionstamp "(SELECT versionstamp FROM seen)"
.parameter set :email "(SELECT email FROM seen)"
.parameter set :color "(SELECT color FROM seen)"
-- [delete]
INSERT INTO kv_atomic(op, key, value) VALUES                     -- fails
  ('check',  kv_key('users', :id), :versionstamp),
  ('delete', kv_key('users', :id), NULL),
  ('delete', kv_key('users_by_email', lower(:email)), NULL),
  ('delete', kv_key('users_by_favorite_color', :color, :id), NULL);
SELECT kv_conflict() AS changed, count(*) AS "entries left"
  FROM kv_entries WHERE :id IN (kv_part(key, 1), value);

-- So it reads again and tries again, until that succeeds or the user is gone.
DELETE FROM seen;
INSERT INTO seen
SELECT versionstamp, value ->> 'email' AS email,
       value ->> 'favoriteColor' AS color
  FROM kv_entries WHERE key = kv_key('users', :id);
.parameter set :versionstamp "(SELECT versionstamp FROM seen)"
.parameter set :email "(SELECT email FROM seen)"
.parameter set :color "(SELECT color FROM seen)"
INSERT INTO kv_atomic(op, key, value) VALUES
  ('check',  kv_key('users', :id), :versionstamp),
  ('delete', kv_key('users', :id), NULL),
  ('delete', kv_key('users_by_email', lower(:email)), NULL),
  ('delete', kv_key('users_by_favorite_color', :color, :id), NULL);
SELECT count(*) AS "entries left"
  FROM kv_entries WHERE :id IN (kv_part(key, 1), value);

-- If the program has nothing to decide between reading and writing, let one
-- statement do both.  INSERT, UPDATE and DELETE have SQLite's write lock before
-- they read, so this needs neither a check nor a second try.
.parameter set :id "'u5'"
-- [delete_at_once]
WITH u(id, email, color) AS (
  SELECT :id, value ->> 'email', value ->> 'favoriteColor'
    FROM kv_entries WHERE key = kv_key('users', :id)
)
DELETE FROM kv_entries WHERE key IN (
  SELECT kv_key('users', id) FROM u
  UNION ALL SELECT kv_key('users_by_email', lower(email)) FROM u
  UNION ALL SELECT kv_key('users_by_favorite_color', color, id) FROM u
);
SELECT count(*) AS "entries left"
  FROM kv_entries WHERE :id IN (kv_part(key, 1), value);

.print
.print ==== 5 A new e-mail ======================================================
-- The entry of the index moves: the old one is deleted, a new one is set.  Two
-- checks: the user is still as it was read, and nobody has the new address.
-- The second is left out if only the spelling changes, because then the entry
-- is there, and is the user's own.
.parameter set :id "'u1'"
DELETE FROM seen;
INSERT INTO seen
SELECT versionstamp, value ->> 'email' AS email,
       value ->> 'favoriteColor' AS color
  FROM kv_entries WHERE key = kv_key('users', :id);
.parameter set :versionstamp "(SELECT versionstamp FROM seen)"
.parameter set :email "(SELECT email FROM seen)"
.parameter set :new_email "'Lovelace@example.com'"
.parameter set :user "'{\"id\":\"u1\",\"name\":\"Ada\",\"email\":\"Lovelace@example.com\",\"favoriteColor\":\"blue\"}'"
-- [change_email]
INSERT INTO kv_atomic(op, key, value)
  SELECT 'check', kv_key('users', :id), :versionstamp
  UNION ALL
  SELECT 'check', kv_key('users_by_email', lower(:new_email)), NULL
   WHERE lower(:new_email) <> lower(:email)
  UNION ALL
  SELECT 'delete', kv_key('users_by_email', lower(:email)), NULL
  UNION ALL
  SELECT 'set', kv_key('users', :id), json(:user)
  UNION ALL
  SELECT 'set', kv_key('users_by_email', lower(:new_email)), :id;
SELECT key, value FROM kv_entries('["users_by_email"]') WHERE value = :id;

-- All in one statement, which needs only the check of the new address.  If
-- there is no such user it writes nothing.
--
-- json_set() makes JSON of the user: a Date in it becomes a string, a Map an
-- object, a bigint a number.  If users have such values, name the column raw
-- too, and set it to kv_value_set(raw, '$.email', :new_email); or, above, set
-- kv_value(:user) instead of json(:user), with the js that was read, changed.
.parameter set :new_email "'ada@example.com'"
-- [change_email_at_once]
WITH u(key, value, old, new) AS (
  SELECT key, value, kv_key('users_by_email', lower(value ->> 'email')),
         kv_key('users_by_email', lower(:new_email))
    FROM kv_entries WHERE key = kv_key('users', :id)
)
INSERT INTO kv_atomic(op, key, value)
  SELECT 'check', new, NULL FROM u WHERE new <> old
  UNION ALL SELECT 'delete', old, NULL FROM u
  UNION ALL SELECT 'set', key, json_set(value, '$.email', :new_email) FROM u
  UNION ALL SELECT 'set', new, :id FROM u;

-- A property that no index has is changed by itself.
.parameter set :name "'Ada Lovelace'"
-- [rename]
UPDATE kv_entries SET value = json_set(value, '$.name', :name)
 WHERE key = kv_key('users', :id);
SELECT key, type, value FROM kv_entries
 WHERE key IN ('["users","u1"]', '["users_by_email","ada@example.com"]');

.print
.print ==== 6 An index that is not unique =======================================
-- Many users have the same favourite colour, so the id is a part of the key:
-- ["users_by_favorite_color", color, id].  No check guards it, for no two users
-- ever want the same key.  It moves like the other, with the user.
.parameter set :id "'u6'"
.parameter set :color "'blue'"
-- [change_color_at_once]
WITH u(key, value, old) AS (
  SELECT key, value,
         kv_key('users_by_favorite_color', value ->> 'favoriteColor', :id)
    FROM kv_entries WHERE key = kv_key('users', :id)
)
INSERT INTO kv_atomic(op, key, value)
  SELECT 'delete', old, NULL FROM u
  UNION ALL SELECT 'set', key, json_set(value, '$.favoriteColor', :color) FROM u
  UNION ALL SELECT 'set', kv_key('users_by_favorite_color', :color, :id), :id FROM u;

-- The keys below a colour are the users who like it.  Where Deno's getMany()
-- takes ten keys and no more, the join takes as many as there are.  One range
-- of the index is read, then each user by a seek; they come in the order of
-- the ids, and with LIMIT no more is read than is asked for.
.parameter set :color "'blue'"
-- [get_by_color]
SELECT u.key, u.value ->> 'name' AS name
  FROM kv_entries(kv_key('users_by_favorite_color', :color)) AS i
  JOIN kv_entries AS u ON u.key = kv_key('users', i.value);

EXPLAIN QUERY PLAN
SELECT u.key, u.value ->> 'name' AS name
  FROM kv_entries(kv_key('users_by_favorite_color', :color)) AS i
  JOIN kv_entries AS u ON u.key = kv_key('users', i.value);

-- The index alone answers some questions: which colours are there (kv_children
-- seeks from one to the next), and how many users like each.
-- [colors]
SELECT part AS color,
       (SELECT count(*) FROM kv_entries(c.key)) AS users
  FROM kv_children('["users_by_favorite_color"]') AS c;

.print
.print ==== 7 Are the indexes right? ============================================
-- Every entry of an index points to a user who has that e-mail or colour, and
-- every user has its entries.  What breaks that, if anything does:
-- [wrong]
SELECT i.key, 'points to no such user' AS problem
  FROM kv_entries('["users_by_email"]') AS i
  LEFT JOIN kv_entries AS u ON u.key = kv_key('users', i.value)
 WHERE kv_part(i.key, 1) IS NOT lower(u.value ->> 'email')
UNION ALL
SELECT i.key, 'points to no such user'
  FROM kv_entries('["users_by_favorite_color"]') AS i
  LEFT JOIN kv_entries AS u ON u.key = kv_key('users', i.value)
 WHERE kv_part(i.key, 1) IS NOT u.value ->> 'favoriteColor'
    OR kv_part(i.key, 2) IS NOT i.value
UNION ALL
SELECT u.key, 'not found by e-mail'
  FROM kv_entries('["users"]') AS u
  LEFT JOIN kv_entries AS i
    ON i.key = kv_key('users_by_email', lower(u.value ->> 'email'))
 WHERE i.value IS NOT kv_part(u.key, 1)
UNION ALL
SELECT u.key, 'not found by colour'
  FROM kv_entries('["users"]') AS u
  LEFT JOIN kv_entries AS i
    ON i.key = kv_key('users_by_favorite_color',
                      u.value ->> 'favoriteColor', kv_part(u.key, 1))
 WHERE i.value IS NOT kv_part(u.key, 1);

-- None now.  But a program that writes to ["users", id] alone breaks them:
UPDATE kv_entries SET value = json_set(value, '$.email', 'turing@example.com')
 WHERE key = '["users","u3"]';
SELECT i.key, 'points to no such user' AS problem
  FROM kv_entries('["users_by_email"]') AS i
  LEFT JOIN kv_entries AS u ON u.key = kv_key('users', i.value)
 WHERE kv_part(i.key, 1) IS NOT lower(u.value ->> 'email')
UNION ALL
SELECT u.key, 'not found by e-mail'
  FROM kv_entries('["users"]') AS u
  LEFT JOIN kv_entries AS i
    ON i.key = kv_key('users_by_email', lower(u.value ->> 'email'))
 WHERE i.value IS NOT kv_part(u.key, 1);
UPDATE kv_entries SET value = json_set(value, '$.email', 'alan@example.com')
 WHERE key = '["users","u3"]';

.print
.print ==== 8 Pointers or copies ================================================
-- An index may hold a copy of the user instead of the id.
INSERT INTO kv_entries(key, raw)
SELECT kv_key('copies_by_color', value ->> 'favoriteColor', kv_part(key, 1)), raw
  FROM kv_entries('["users"]');

-- A lookup then reads the range of the index and nothing else:
-- [get_copies]
SELECT value ->> 'name' AS name
  FROM kv_entries(kv_key('copies_by_color', :color));

-- What it costs: the file holds each user again for each such index,
SELECT kv_part(key, 0) AS "index", sum(length(raw)) AS "bytes of values"
  FROM kv_entries
 WHERE kv_part(key, 0) IN ('users_by_favorite_color', 'copies_by_color')
 GROUP BY 1 ORDER BY 2;

-- and whatever changes in a user, has to be changed in each copy too, in the
-- same operation.  A new name is one write with pointers, and here it is two:
.parameter set :name "'Donald Knuth'"
-- [rename_with_copies]
WITH u(key, value, copy) AS (
  SELECT key, json_set(value, '$.name', :name),
         kv_key('copies_by_color', value ->> 'favoriteColor', :id)
    FROM kv_entries WHERE key = kv_key('users', :id)
)
INSERT INTO kv_atomic(op, key, value)
  SELECT 'set', key, json(value) FROM u
  UNION ALL SELECT 'set', copy, json(value) FROM u;
SELECT value ->> 'name' AS name
  FROM kv_entries(kv_key('copies_by_color', :color));
DELETE FROM kv_entries WHERE prefix = '["copies_by_color"]';

-- Pointers are the rule.  Copies pay if the values are small, are seldom
-- changed, and are nearly always read by way of the index.

.print
.print ==== 9 From copies to pointers, while readers go on ======================
-- Members are indexed by copies, and shall be by pointers:
--
--     ["members", id]                      -> the member
--     ["members_by_email", email]          -> a copy of the member   (old)
--     ["member_ids_by_email", email]       -> id                     (new)
--
-- The new index gets a name of its own: an old program that finds an id where
-- it looks for a member would be lost.  The three steps can be far apart.
WITH m(id, email, value) AS (VALUES
  ('m1', 'ada@example.com', '{"id":"m1","email":"Ada@example.com"}'),
  ('m2', 'alan@example.com', '{"id":"m2","email":"alan@example.com"}')
)
INSERT INTO kv_atomic(op, key, value)
  SELECT 'set', kv_key('members', id), json(value) FROM m
  UNION ALL SELECT 'set', kv_key('members_by_email', email), json(value) FROM m;

-- The old reader and the new one.
.parameter set :email "'ada@example.com'"
-- [read_old]
SELECT value ->> 'id' AS id
  FROM kv_entries WHERE key = kv_key('members_by_email', lower(:email));
-- [read_new]
SELECT m.value ->> 'id' AS id
  FROM kv_entries AS i
  JOIN kv_entries AS m ON m.key = kv_key('members', i.value)
 WHERE i.key = kv_key('member_ids_by_email', lower(:email));

-- Step 1, backfill.  It removes the pointers that are wrong and adds those that
-- are missing, and so can be run at any time and again; in one transaction, so
-- that no write comes between the two.  Meanwhile others can read if the file
-- is in WAL mode; writers wait.  These are no atomic operations in Deno's sense,
-- and the limit of 1000 mutations doesn't hold for them.  If two members have
-- the same e-mail it fails with an error that names the key.
BEGIN IMMEDIATE;
-- [remove_wrong]
DELETE FROM kv_entries WHERE key IN (
  SELECT i.key
    FROM kv_entries('["member_ids_by_email"]') AS i
    LEFT JOIN kv_entries AS m ON m.key = kv_key('members', i.value)
   WHERE kv_part(i.key, 1) IS NOT lower(m.value ->> 'email')
);
-- [add_missing]
INSERT INTO kv_entries(key, value)
SELECT kv_key('member_ids_by_email', lower(m.value ->> 'email')), kv_part(m.key, 1)
  FROM kv_entries('["members"]') AS m
  LEFT JOIN kv_entries AS i
    ON i.key = kv_key('member_ids_by_email', lower(m.value ->> 'email'))
 WHERE i.value IS NOT kv_part(m.key, 1);
COMMIT;

-- Step 2, switch.  First the writers, one program after another: from now on
-- they write the pointer, and still the copy, which old readers want; so do
-- their updates and deletes.
.parameter set :id "'m3'"
.parameter set :email "'Grace@example.com'"
.parameter set :member "'{\"id\":\"m3\",\"email\":\"Grace@example.com\"}'"
-- [insert_both]
INSERT INTO kv_atomic(op, key, value) VALUES
  ('check', kv_key('members', :id), NULL),
  ('check', kv_key('members_by_email', lower(:email)), NULL),
  ('check', kv_key('member_ids_by_email', lower(:email)), NULL),
  ('set',   kv_key('members', :id), json(:member)),
  ('set',   kv_key('members_by_email', lower(:email)), json(:member)),
  ('set',   kv_key('member_ids_by_email', lower(:email)), :id);

-- An old program that is still running has changed an address in its own way:
WITH m(key, value) AS (
  SELECT key, json_set(value, '$.email', 'turing@example.com')
    FROM kv_entries WHERE key = '["members","m2"]'
)
INSERT INTO kv_atomic(op, key, value)
  SELECT 'set', key, json(value) FROM m
  UNION ALL SELECT 'delete', '["members_by_email","alan@example.com"]', NULL
  UNION ALL SELECT 'set', '["members_by_email","turing@example.com"]', json(value) FROM m;

-- By its pointer the member isn't found now, and its old address still counts as
-- taken.  So, when the last old writer is gone, run the backfill once more; this
-- time there is little to do.
BEGIN IMMEDIATE;
DELETE FROM kv_entries WHERE key IN (
  SELECT i.key
    FROM kv_entries('["member_ids_by_email"]') AS i
    LEFT JOIN kv_entries AS m ON m.key = kv_key('members', i.value)
   WHERE kv_part(i.key, 1) IS NOT lower(m.value ->> 'email')
);
SELECT changes() AS removed;
INSERT INTO kv_entries(key, value)
SELECT kv_key('member_ids_by_email', lower(m.value ->> 'email')), kv_part(m.key, 1)
  FROM kv_entries('["members"]') AS m
  LEFT JOIN kv_entries AS i
    ON i.key = kv_key('member_ids_by_email', lower(m.value ->> 'email'))
 WHERE i.value IS NOT kv_part(m.key, 1);
SELECT changes() AS added;
COMMIT;

-- Now both indexes are right and stay so, and the readers can be switched, in
-- their own time.  Whichever index one uses, it finds every member:
SELECT kv_part(c.key, 1) AS email, c.value ->> 'id' AS "by copy",
       m.value ->> 'id' AS "by pointer"
  FROM kv_entries('["members_by_email"]') AS c
  LEFT JOIN kv_entries AS i ON i.key = kv_key('member_ids_by_email', kv_part(c.key, 1))
  LEFT JOIN kv_entries AS m ON m.key = kv_key('members', i.value);

-- Step 3, clean up.  When the last old reader is gone the writers leave out the
-- copy (the two lines with members_by_email above), and when all of them do,
-- the copies go.
-- [clean_up]
DELETE FROM kv_entries WHERE prefix = '["members_by_email"]';
SELECT i.key, m.value ->> 'id' AS id
  FROM kv_entries('["member_ids_by_email"]') AS i
  JOIN kv_entries AS m ON m.key = kv_key('members', i.value);
