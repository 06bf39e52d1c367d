#!/bin/sh
# client.sh EXTENSION FILE -- the sqlite3 shell.
set -eu
extension=$1
file=$2

# Bind ?1 and ?2 and run a statement.
bound() {
  cat <<SQL
.parameter clear
.parameter set ?1 "'$1'"
.parameter set ?2 "$2"
INSERT INTO kv_entries(key, value) VALUES (kv_key('bound', ?1), $3);
SELECT ?1 || ' ' || js || ' ' || CASE typeof(value) WHEN 'null' THEN 'NULL'
    WHEN 'blob' THEN '[' || lower(hex(value)) || ']' ELSE '[' || value || ']' END
  FROM kv_entries WHERE key = kv_key('bound', ?1);
SQL
}

{
  cat <<'SQL'
.mode list
SELECT 'users ' || count(*) FROM kv_entries('["users"]');
.parameter set ?1 1
SELECT 'name ' || (value ->> 'name') FROM kv_entries WHERE key = kv_key('users', ?1);
.parameter set ?1 3
SELECT 'city ' || kv_get(kv_key('users', ?1), '$.address.city');
.parameter set ?1 "'it''s'"
.parameter set ?2 "'first'"
.parameter set ?3 5
INSERT INTO kv_atomic(op, key, value) VALUES
  ('check', kv_key('client', ?1), NULL), ('set', kv_key('client', ?1), ?2), ('sum', kv_key('count'), ?3);
SELECT 'committed ' || (kv_get(kv_key('client', ?1)) = 'first');
.parameter set ?2 "'second'"
INSERT INTO kv_atomic(op, key, value) VALUES
  ('check', kv_key('client', ?1), NULL), ('set', kv_key('client', ?1), ?2), ('sum', kv_key('count'), ?3);
SELECT 'conflict ' || (kv_conflict() = '["client","it''s"]');
SELECT 'sum ' || kv_get(kv_key('count'));
SQL
  bound null NULL '?2'
  bound integer 42 '?2'
  bound largest 9223372036854775807 'kv_bigint(?2)'
  bound least -9223372036854775808 'kv_bigint(?2)'
  bound real -2.25 '?2'
  bound text "'it''s ' || char(34) || 'quoted' || char(34,32,92) || ' ü 漢 😀'" '?2'
  bound empty "''" '?2'
  bound blob "x'00ff27'" '?2'
  bound noblob "x''" '?2'
} | sqlite3 -init /dev/null -batch -cmd ".load $extension" "$file" 2>"$file.errors" || true

# That was the only error.
grep -Fq 'kv: check failed: key ["client","it'"'"'s"]' "$file.errors"
[ "$(wc -l <"$file.errors")" -eq 1 ]
