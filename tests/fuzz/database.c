/*
** database.c -- a whole hostile database file, read and written through every
** table and function.
**
** The first byte says what the rest is:
**
**   bit 0     0: the image of a database file.  1: a script that changes a
**             small store and then, perhaps, the bytes of its image
**   bit 1     PRAGMA trusted_schema = off
**   bit 2     the statements run inside of one transaction
**   bit 3     PRAGMA recursive_triggers = on
**   bit 4     PRAGMA foreign_keys = on
**
** A script is a list of steps: a letter and what goes with it.  A text or blob
** is a byte of length and that many bytes.
**
**   k KEY VALUE ENCODING VERSION EXPIRY   a row of kv; the numbers: 1 byte
**   q ID DATA BACKOFF KEYS TS             a row of queue
**   r ID DATA BACKOFF KEYS DEADLINE       a row of queue_running
**   v TYPE                                other content in data_version
**   s N                                   statement N of azSchema[]
**   t TABLE EVENT BODY                    a trigger: a table of azTable[], an
**                                         event of azEvent[], a body of azBody[]
**   x SQL                                 any SQL
**   p OFFSET OFFSET BYTE                  a byte of the image, modulo its size
**
** What must hold: no result code is SQLITE_MISUSE, SQLITE_INTERNAL or, as there
** is memory enough, SQLITE_NOMEM; each message of an error of the extension is
** a text; the connection can be closed and all memory is free again.
*/
#include <sqlite3.h>
#include "fuzz/fuzz.h"

int sqlite3_kv_init(sqlite3 *db, char **pzErrMsg, const void *pApi);

#define MAX_IMAGE 200000
#define MAX_STEPS 100000  /* of SQLite's virtual machine for one statement */

/* Deno's tables, as short as they can be. */
static const char zStore[] =
  "PRAGMA page_size = 512;"
  "CREATE TABLE migration_state(k integer not null primary key, version integer not null);"
  "CREATE TABLE data_version(k integer primary key, version integer not null, seq integer not null default 0);"
  "CREATE TABLE kv(k blob primary key, v blob not null, v_encoding integer not null,"
  " version integer not null, seq integer not null default 0,"
  " expiration_ms integer not null default -1) without rowid;"
  "CREATE TABLE queue(ts integer not null, id text not null, data blob not null,"
  " backoff_schedule text not null, keys_if_undelivered blob not null, primary key(ts, id));"
  "CREATE TABLE queue_running(deadline integer not null, id text not null, data blob not null,"
  " backoff_schedule text not null, keys_if_undelivered blob not null, primary key(deadline, id));"
  "CREATE INDEX kv_expiration_ms_idx ON kv(expiration_ms);"
  "INSERT INTO migration_state VALUES(0, 3);"
  "INSERT INTO data_version(k, version) VALUES(0, 100);"
  "INSERT INTO kv VALUES(x'026100', x'ff0f4902', 1, 65536, 0, -1), (x'026100026200', x'0500000000000000', 2, 65536, 0, -1);";

/* What a hostile schema may do. */
static const char *const azSchema[] = {
  "DROP INDEX kv_expiration_ms_idx",
  "DROP TABLE data_version",
  "DROP TABLE queue",
  "DROP TABLE queue_running",
  "DROP TABLE migration_state",
  "ALTER TABLE kv RENAME TO old_kv; CREATE VIEW kv AS SELECT * FROM old_kv",
  "DROP TABLE kv; CREATE VIEW kv AS SELECT key AS k, value AS v, 1 AS v_encoding, 1 AS version FROM kv_entries",
  "DROP TABLE kv; CREATE TABLE kv(k, v, v_encoding, version)",
  "DROP TABLE kv; CREATE TABLE kv(k, v, v_encoding, version, expiration_ms, x AS (kv_key_decode(k)) STORED)",
  "DROP TABLE kv; CREATE TABLE kv(k TEXT COLLATE kv_compare PRIMARY KEY, v, v_encoding, version, expiration_ms)",
  "DROP TABLE kv; CREATE VIRTUAL TABLE kv USING kv_entries",
  "CREATE TRIGGER t1 AFTER INSERT ON kv BEGIN INSERT INTO kv_entries(key, value) VALUES('[\"t\"]', 1); END",
  "CREATE TRIGGER t2 AFTER UPDATE ON kv BEGIN DELETE FROM kv_entries; END",
  "CREATE TRIGGER t3 BEFORE DELETE ON kv BEGIN UPDATE kv_entries SET value = 1; END",
  "CREATE TRIGGER t4 AFTER UPDATE ON data_version BEGIN INSERT INTO kv_queue(value) VALUES(1); END",
  "CREATE TRIGGER t5 AFTER DELETE ON queue BEGIN INSERT INTO kv_atomic(op, key, value) VALUES('sum', '[1]', 1); END",
  "CREATE TRIGGER t6 BEFORE INSERT ON kv BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
  "CREATE TRIGGER t7 BEFORE INSERT ON kv BEGIN SELECT RAISE(IGNORE); END",
  "CREATE TRIGGER t8 AFTER INSERT ON kv BEGIN SELECT count(*) FROM kv_entries; SELECT kv_get(kv_key_decode(new.k)); END",
  "CREATE TRIGGER t9 AFTER INSERT ON kv BEGIN DELETE FROM kv WHERE k = new.k; DELETE FROM data_version; END",
  "CREATE TRIGGER t10 AFTER INSERT ON kv BEGIN INSERT OR REPLACE INTO kv SELECT k || x'27', v, v_encoding, version, 0, 1 FROM kv; END",
  "CREATE TRIGGER t11 AFTER INSERT ON kv BEGIN SELECT kv_set('[1]', 2); END",
  "CREATE VIEW v1 AS SELECT kv_wait('', 10)",
  "CREATE VIEW v2 AS SELECT kv_set('[1]', 2)",
  "CREATE VIEW v3 AS SELECT * FROM kv_entries, kv_queue, kv_children('[]')",
  "CREATE VIRTUAL TABLE e1 USING kv_entries(main)",
  "CREATE VIRTUAL TABLE e2 USING kv_entries(temp, tables='x_')",
  "CREATE VIRTUAL TABLE e3 USING kv_queue(main, tables='')",
  "CREATE VIRTUAL TABLE e4 USING kv_children(nowhere)",
  "CREATE VIRTUAL TABLE e5 USING kv_entries(main, tables='\"; DROP TABLE kv; --')",
  "CREATE INDEX i1 ON kv(kv_key_decode(k))",
  "CREATE INDEX i2 ON kv(kv_js(x'01' || v))",
  "CREATE UNIQUE INDEX i3 ON kv(version)",
  "CREATE TABLE kv_run(x)",
  "CREATE TABLE kv_parts(x)",
  "ALTER TABLE kv ADD COLUMN extra DEFAULT 5",
  "ALTER TABLE kv RENAME COLUMN v TO w",
  "ALTER TABLE kv DROP COLUMN seq",
  "ALTER TABLE kv RENAME COLUMN expiration_ms TO expires",
  "UPDATE data_version SET version = 9223372036854775807",
  "UPDATE data_version SET version = 'x'",
  "PRAGMA encoding = 'UTF-16le'",
  "CREATE TABLE child(k REFERENCES kv(k) ON DELETE CASCADE ON UPDATE SET NULL); INSERT INTO child SELECT k FROM kv",
  "CREATE TRIGGER t12 AFTER DELETE ON child BEGIN INSERT INTO kv_entries(key, value) VALUES('[9]', 1); END",
  "INSERT INTO kv(k, v, v_encoding, version) VALUES('text', 5, 'x', x'00')",
  "INSERT INTO kv(k, v, v_encoding, version, expiration_ms) SELECT x'02' || value || x'00', zeroblob(9), 3, value, 1 FROM json_each('[1,2,3,4,5,6,7,8,9]')",
  "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c WHERE x<60) INSERT INTO kv(k, v, v_encoding, version) SELECT CAST(printf('%c%d%c', 2, x, 0) AS BLOB) || x'00', x'ff0f30', 1, x FROM c",
  "SELECT kv_index('i', '[\"u\"]', '$.t')",
  "SELECT kv_index('c', '[]', '$', 'unique copy')",
  "SELECT kv_track(1)",
  "INSERT INTO kv_entries(key, js) VALUES('[\"u\", 1]', '{t: [1, \"x\"]}'), ('[\"u\", 2]', '{t: -1n}')",
  "INSERT INTO kv(k, v, v_encoding, version) SELECT kv_key_encode(kv_key('u', value)), kv_value_encode(json('{\"t\":[1,2]}')), 1, version+1 FROM data_version, json_each('[1,3]'); UPDATE data_version SET version = version + 1",
  "UPDATE kv_index_state SET since = 0, generation = generation + 1",
  "UPDATE kv_index_def SET options = 'lower', prefix = x'02'",
  "UPDATE kv_index_def SET path = '$[', name = 'u'",
  "INSERT OR REPLACE INTO kv_index_value SELECT k, pk FROM kv, kv_index_held",
  "UPDATE kv_index_value SET ik = x'ff', pk = zeroblob(3)",
  "UPDATE kv_index_held SET iks = iks || x'8101' || randomblob(3)",
  "UPDATE kv_index_held SET iks = x'0003026900' || iks",
  "DELETE FROM kv_index_state",
  "DROP TABLE kv_index_held",
  "DROP TABLE kv_deleted",
  "ALTER TABLE kv_index_def RENAME COLUMN path TO p",
  "DROP TABLE kv_deleted; CREATE VIEW kv_deleted AS SELECT k, 'x' AS version FROM kv",
  "INSERT INTO kv_deleted SELECT value, 9223372036854775807 FROM json_each('[1,null,\"a\"]') WHERE value",
  "CREATE VIRTUAL TABLE c1 USING kv_collection('[\"u\"]', id INTEGER KEY, t UNIQUE, n TEXT AT '$.a.b' COLLATE NOCASE INDEX, d DATETIME, b BIGINT, j JSON DEFAULT '[1]')",
  "CREATE VIRTUAL TABLE c2 USING kv_collection('[]', a KEY, b KEY, v AT '$')",
  "CREATE VIRTUAL TABLE c3 USING kv_collection('[]', js JSON, t, i INTEGER, z TEXT DEFAULT ulid)",
  "CREATE VIRTUAL TABLE c4 USING kv_collection('[\"u\"]', r REAL KEY, x BOOLEAN AT '$[0]', y BLOB, n INTEGER NOT NULL AT '$.t')",
  "CREATE VIRTUAL TABLE c5 USING kv_collection('[]', a KEY, v UNIQUE AT '$')",
  "PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = replace(sql, 'KEY', 'KEY UNIQUE') WHERE sql LIKE '%kv_collection%'",
  "PRAGMA writable_schema = on; UPDATE sqlite_schema SET sql = replace(sql, '$', '$.t') WHERE sql LIKE '%kv_collection%'",
  "PRAGMA writable_schema = on; INSERT INTO sqlite_schema VALUES('table', 'kv_deleted', 'kv_deleted', 0, 'CREATE VIRTUAL TABLE kv_deleted USING kv_collection(''[]'', k KEY, version KEY)')",
  "CREATE TRIGGER t13 AFTER INSERT ON kv BEGIN DELETE FROM c2; UPDATE c1 SET t = 5; INSERT OR REPLACE INTO c5 SELECT a, 7 FROM c5; END",
};
#define COUNT(A) (sizeof(A)/sizeof((A)[0]))

/* Triggers: any of these bodies after any event of any table. */
static const char *const azTable[] = {
  "kv", "data_version", "queue", "queue_running", "migration_state",
  "kv_index_def", "kv_index_held", "kv_index_value", "kv_index_state", "kv_dirty", "old_kv", "child",
};
static const char *const azEvent[] = {
  "BEFORE INSERT", "AFTER INSERT", "BEFORE UPDATE", "AFTER UPDATE", "BEFORE DELETE", "AFTER DELETE",
};
static const char *const azBody[] = {
  "INSERT INTO kv_atomic(op, key, value) VALUES('set', '[\"log\"]', 'a longer value than the one before')",
  "INSERT INTO kv_atomic(op, key, value) VALUES('sum', '[\"a\",\"b\"]', 1), ('check', '[\"u\",1]', NULL)",
  "INSERT INTO kv_atomic(op, key, value) SELECT 'delete', key, NULL FROM kv_entries",
  "INSERT OR REPLACE INTO kv_entries(key, js) VALUES('[\"u\",1]', '{t: [3, 4]}')",
  "INSERT OR REPLACE INTO kv_entries(key, js) VALUES('[\"u\",2]', '{t: [3, 5]}')",
  "INSERT OR IGNORE INTO kv_entries(key, value, expire_in) VALUES('[\"a\"]', 7, 1)",
  "UPDATE kv_entries SET value = 3 WHERE key = '[\"a\"]'",
  "UPDATE OR REPLACE kv_entries SET key = '[\"u\",2]' WHERE key = '[\"u\",1]'",
  "DELETE FROM kv_entries WHERE key = '[\"u\",1]'",
  "DELETE FROM kv_entries",
  "INSERT INTO kv_queue(value, keys_if_undelivered) VALUES(1, '[[\"u\",3]]')",
  "UPDATE kv_queue SET deadline = 1",
  "DELETE FROM kv_queue",
  "SELECT kv_set('[\"u\",2]', kv_value('{t: [5, 6]}')), kv_get('[\"a\"]')",
  "SELECT kv_sum('[\"a\",\"b\"]', 1), kv_delete('[\"u\",2]')",
  "SELECT kv_atomic(kv_op('check', '[\"a\"]', NULL), kv_op('set', '[\"u\",4]', 1))",
  "SELECT kv_enqueue(1, 0, '[[\"u\",2]]')",
  "SELECT id FROM kv_dequeue(1)",
  "SELECT kv_finish(id, 0) FROM kv_queue",
  "SELECT kv_sweep()",
  "SELECT count(*) FROM kv_lookup('i'), kv_indexes",
  "SELECT key, value FROM kv_lookup('i', 'x')",
  "SELECT count(*) FROM kv_changes('')",
  "SELECT kv_index('j', '[\"u\"]', '$.t')",
  "SELECT kv_index_drop('i')",
  "SELECT kv_track(0)",
  "DELETE FROM kv_changes WHERE versionstamp < kv_versionstamp()",
  "SELECT kv_uninstall()",
  "SELECT kv_init()",
  "UPDATE kv_index_state SET generation = generation + 1; SELECT count(*) FROM kv_lookup('i')",
  "UPDATE kv_index_state SET generation = generation + 1; SELECT kv_set('[\"u\",5]', kv_value('{t: 1}'))",
  "DELETE FROM kv_index_def",
  "DELETE FROM kv_index_held",
  "DELETE FROM kv_dirty",
  "UPDATE data_version SET version = version - 1",
  "UPDATE kv SET version = version + 1",
  "DELETE FROM kv",
  "DELETE FROM queue",
  "SELECT RAISE(IGNORE)",
  "SELECT RAISE(ABORT, 'no')",
  "SELECT RAISE(FAIL, 'no')",
  "SELECT RAISE(ROLLBACK, 'no')",
  "INSERT OR REPLACE INTO c1(id, t, n) VALUES(1, 5, 'x')",
  "UPDATE c2 SET v = 1; DELETE FROM c3 WHERE t = 1",
};

/* All that can be read and written. */
static const char *const azRun[] = {
  "SELECT * FROM kv_entries",
  "SELECT key, type, raw, cursor, versionstamp, expires_at, expire_in FROM kv_entries",
  "SELECT js FROM kv_entries",
  "SELECT json FROM kv_entries",
  "SELECT key, value FROM kv_entries ORDER BY key DESC LIMIT 3 OFFSET 1",
  "SELECT value FROM kv_entries('[\"a\"]')",
  "SELECT key FROM kv_entries WHERE key > '[]' AND key <= '[true]' AND prefix = '[]'",
  "SELECT e.key, f.js FROM kv_entries e JOIN kv_entries f ON f.key = e.key WHERE f.type <> 'malformed'",
  "SELECT key FROM kv_entries WHERE key IN (SELECT kv_key_decode(k) FROM kv)",
  "SELECT key FROM kv_entries WHERE prefix = '[]' AND cursor = (SELECT cursor FROM kv_entries WHERE prefix = '[]' LIMIT 1)",
  "SELECT * FROM kv_children('[]')",
  "SELECT * FROM kv_children('[\"a\"]')",
  "SELECT * FROM kv_queue",
  "SELECT id, js, json, raw FROM kv_queue ORDER BY ready_at",
  "SELECT kv_get('[\"a\"]'), kv_get('[\"a\"]', '$.a[1]'), kv_versionstamp(), kv_conflict()",
  "SELECT kv_get(kv_key_decode(k)) FROM kv",
  "SELECT kv_key_decode(k), kv_type(kv_raw(v, v_encoding)) FROM kv",
  "SELECT kv_js(kv_raw(v, v_encoding)) FROM kv",
  "SELECT kv_json(kv_raw(v, v_encoding)) FROM kv",
  "SELECT kv_extract(kv_raw(v, v_encoding), '$[0]'), kv_extract(kv_raw(v, v_encoding), '$.a') FROM kv",
  "SELECT kv_value_encode(kv_js(kv_raw(v, v_encoding))) FROM kv",
  "SELECT kv_value_set(kv_raw(v, v_encoding), '$.a', 1, '$.b.c', 'x') FROM kv",
  "SELECT kv_value_set(kv_raw(v, v_encoding), '$[0]', kv_raw(v, v_encoding), '$[#]', json('[1]')) FROM kv",
  "SELECT kv_value_remove(kv_raw(v, v_encoding), '$.a') FROM kv",
  "SELECT kv_value_remove(kv_raw(v, v_encoding), '$[0]', '$[#-1]') FROM kv",
  "SELECT p.* FROM kv, kv_parts(kv_key_decode(k)) p",
  "SELECT kv_part(kv_key_decode(k), 0), kv_part(kv_key_decode(k), -1) FROM kv",
  "SELECT k FROM kv ORDER BY CAST(k AS TEXT) COLLATE kv_compare",
  "SELECT max(kv_compare(a.v, b.v)), kv_key(a.v, b.k) FROM kv a, kv b",
  "SELECT kv_wait('', 0), kv_wait('ffffffffffffffff0000', 0)",
  "SELECT * FROM v1", "SELECT * FROM v2", "SELECT * FROM v3", "SELECT * FROM e1", "SELECT * FROM e2", "SELECT * FROM e3",
  "SELECT name, sql FROM sqlite_schema",
  "INSERT INTO kv_entries(key, value) VALUES('[\"new\"]', 1)",
  "INSERT OR REPLACE INTO kv_entries(key, js, expire_in) VALUES('[\"a\"]', '{a: [1, 2n]}', 5)",
  "INSERT OR IGNORE INTO kv_entries(key, value) SELECT key, value FROM kv_entries",
  "INSERT OR REPLACE INTO kv_entries(key, raw) SELECT key, raw FROM kv_entries",
  "UPDATE kv_entries SET value = 2 WHERE key = '[\"a\"]'",
  "UPDATE OR IGNORE kv_entries SET expires_at = 99 WHERE type = 'number'",
  "UPDATE kv_entries SET key = '[\"moved\"]' WHERE key = '[\"new\"]'",
  "UPDATE kv_entries SET js = js",
  "SELECT * FROM c1",
  "SELECT kv_key, kv_js, kv_json, kv_raw, kv_type, kv_versionstamp, kv_expires_at, kv_expire_in FROM c1",
  "SELECT t, n FROM c1 WHERE t >= 1 ORDER BY t DESC",
  "SELECT id FROM c1 WHERE n LIKE 'a%' OR id BETWEEN 1 AND 3 OR t IN (1, 'x', x'00')",
  "SELECT a, b, v FROM c2 ORDER BY a DESC, b DESC",
  "SELECT v FROM c2 WHERE a = 'u' AND b > 1",
  "SELECT kv_key, js, t, i FROM c3 WHERE kv_key > '[\"b\"]'",
  "SELECT x.a, y.v FROM c5 x JOIN c5 y ON y.v = x.a",
  "SELECT r, x, y, n FROM c4 WHERE r >= -1 ORDER BY r",
  "SELECT kv_infer('[]'), kv_infer('[\"u\"]', 3)",
  "SELECT * FROM kv_fields('[]')",
  "INSERT INTO c1(t, n, d) VALUES(1, 'a', 0), (2, 'B', '2024-05-01')",
  "INSERT OR REPLACE INTO c1(id, t, b) SELECT id + 1, t, id FROM c1",
  "UPDATE c1 SET n = 'x', j = '{}', id = id + 10",
  "UPDATE OR IGNORE c1 SET t = 1, d = d, b = b",
  "UPDATE c2 SET b = 'moved', v = v",
  "UPDATE OR REPLACE c5 SET v = 1",
  "UPDATE c3 SET t = 5, js = NULL",
  "UPDATE OR REPLACE c3 SET js = js, kv_expire_in = 5",
  "INSERT INTO c4(r, n, kv_js) VALUES (1.5, 1, '[1]')",
  "UPDATE c4 SET x = 1, y = x'01'",
  "DELETE FROM c4 WHERE r < 2",
  "DELETE FROM c2 WHERE b = 'moved'",
  "DROP TABLE c3",
  "SELECT kv_set('[\"s\"]', kv_value('new Map([[1,2]])'), 1000), kv_delete('[\"a\",\"b\"]')",
  "SELECT kv_sum('[\"a\",\"b\"]', 1), kv_atomic(kv_op('min', '[\"m\"]', 1.5), kv_op('max', '[\"n\"]', kv_bigint('-7')))",
  "SELECT kv_sum(key, 1) FROM kv_entries",
  "SELECT kv_atomic(kv_op('check', key, versionstamp), kv_op('set', key, value)) FROM kv_entries",
  "SELECT kv_atomic(v) FROM kv",
  "INSERT INTO kv_atomic(op) SELECT v FROM kv",
  "INSERT INTO kv_atomic(op, key, value) VALUES('check', '[\"zz\"]', NULL), ('set', '[\"zz\"]', 1), ('enqueue', NULL, 2)",
  "SELECT kv_enqueue('m', 0, '[[\"lost\"]]', '[1]')",
  "INSERT INTO kv_queue(value, delay) VALUES('x', 0)",
  "SELECT (SELECT id FROM kv_dequeue()), (SELECT id FROM kv_dequeue(10))",
  "SELECT kv_finish(id, 0) FROM kv_queue",
  "SELECT kv_finish(id, 1) FROM kv_queue",
  "UPDATE kv_queue SET deadline = 5",
  "DELETE FROM kv_queue WHERE state = 'ready'",
  "SELECT kv_sweep()",
  "DELETE FROM kv_entries WHERE type = 'malformed'",
  "DELETE FROM e1",
  "DELETE FROM kv_entries",
  "SELECT kv_init()",
  "INSERT INTO kv_entries(key, js) VALUES('[\"u\",1]', '{t: [1, 2, \"x\"]}'), ('[\"u\",2]', '{t: 3n}')",
  "INSERT OR FAIL INTO kv_entries(key, js) VALUES('[\"u\",3]', '{t: 1}'), ('[\"u\",1]', '0'), ('[\"u\",4]', '{t: 4}')",
  "SELECT * FROM kv_indexes",
  "SELECT kv_index('i', '[\"u\"]', '$.t'), kv_index('l', '[\"u\"]', '$.t[0]', 'unique lower copy')",
  "SELECT * FROM kv_lookup('i')",
  "SELECT key, js, index_value FROM kv_lookup('i') WHERE index_value > 1 ORDER BY index_value DESC",
  "SELECT key, raw, type FROM kv_lookup('l', 'X'), kv_indexes",
  "INSERT INTO kv_atomic(op, key, value) VALUES('sum', '[\"a\",\"b\"]', 1), ('max', '[\"m\"]', 5), ('set', '[\"a\"]', 2)",
  "INSERT INTO kv_atomic(op, key, value) VALUES('set', '[\"u\",1]', 1), ('set', '[\"u\",5]', kv_value('{t: \"y\"}')), ('delete', '[\"u\",2]', NULL)",
  "SELECT kv_set('[\"u\",6]', kv_value('{t: [1, 6]}')), kv_delete('[\"u\",5]')",
  "UPDATE kv_entries SET js = '{t: [7]}' WHERE prefix = '[\"u\"]'",
  "SELECT kv_track(1), kv_track()",
  "SELECT * FROM kv_changes('')",
  "SELECT key, deleted, js FROM kv_changes('00000000000000640000', '[\"u\"]')",
  "DELETE FROM kv_entries WHERE prefix = '[\"u\"]'",
  "SELECT key, value, since FROM kv_changes((SELECT min(versionstamp) FROM kv_entries))",
  "DELETE FROM kv_changes WHERE versionstamp < kv_versionstamp()",
  "SELECT kv_index_drop('i')",
  "UPDATE c1 SET t = t || 'x' WHERE t > 0",
  "SELECT id, j FROM c1 WHERE t = 1 OR n = 'X'",
  "DROP TABLE c1",
  "CREATE VIRTUAL TABLE temp.c1 USING kv_collection('[\"u\"]', id KEY, t INDEX, n UNIQUE)",
  "SELECT * FROM temp.c1 WHERE t BETWEEN 1 AND 'x'",
  "SELECT kv_export(key, raw, versionstamp) FROM kv_entries",
  "SELECT i.* FROM kv_entries e, kv_import(kv_export(e.key, e.raw, e.versionstamp)) i",
  "SELECT i.* FROM kv, kv_import(CAST(v AS TEXT)) i",
  "SELECT kv_js(raw, 2), kv_value(js), kv_value_encoding(raw) FROM kv_entries",
  "SELECT kv_ulid_time(CAST(k AS TEXT)), kv_bool(v), kv_config('max_value', 10) FROM kv",
  "SELECT kv_op('set', key, value), kv_op('check', key, versionstamp) FROM kv_entries",
  "SELECT kv_commit_versionstamp(), kv_key('z', kv_commit_versionstamp()), kv_bigint(v) FROM kv",
  "SELECT kv_set(kv_key('v', kv_commit_versionstamp()), 1)",
  "SELECT kv_uninstall()",
  "SELECT kv_track(0), kv_uninstall()",
  "PRAGMA integrity_check",
  "SELECT count(*) FROM kv_entries",
};

static int onProgress(void *p){
  (void)p;
  return 1;
}

/* The result code of a statement. */
static void check(sqlite3 *db, int rc, const char *zSql){
  const char *zMsg = sqlite3_errmsg(db);
  int bOk = rc!=SQLITE_MISUSE && rc!=SQLITE_INTERNAL && rc!=SQLITE_NOMEM;
  if( !bOk ) fprintf(stderr, "%s: %d %s\n", zSql, rc, zMsg);
  MUST( bOk );
  MUST( zMsg!=0 );
}

static void runOne(sqlite3 *db, const char *zSql){
  sqlite3_stmt *pStmt = 0;
  int rc;
  sqlite3_progress_handler(db, MAX_STEPS, onProgress, 0);
  rc = sqlite3_prepare_v2(db, zSql, -1, &pStmt, 0);
  while( rc==SQLITE_OK || rc==SQLITE_ROW ){
    int i;
    rc = sqlite3_step(pStmt);
    for(i=0; rc==SQLITE_ROW && i<sqlite3_column_count(pStmt); i++){
      sqlite3_column_bytes(pStmt, i);
      sqlite3_column_blob(pStmt, i);
    }
  }
  if( rc!=SQLITE_DONE ) check(db, rc & 0xff, zSql);
  sqlite3_finalize(pStmt);
}

/* A connection to the image of a file, which is handed over. */
static sqlite3 *openImage(u8 *a, sqlite3_int64 n, int *pRc){
  sqlite3_int64 nMost = MAX_IMAGE;
  sqlite3 *db = 0;
  if( sqlite3_open(":memory:", &db)!=SQLITE_OK ) abort();
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 10000000);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  *pRc = sqlite3_deserialize(db, "main", a, n, n,
                             SQLITE_DESERIALIZE_FREEONCLOSE|SQLITE_DESERIALIZE_RESIZEABLE);
  sqlite3_file_control(db, "main", SQLITE_FCNTL_SIZE_LIMIT, &nMost);
  return db;
}

/************************************************************************
** Scripts
*/
typedef struct Script Script;
struct Script {
  const u8 *z, *zEnd;
};
static int byteOf(Script *p){ return p->z<p->zEnd ? *p->z++ : 0; }
static void bindBytes(Script *p, sqlite3_stmt *pStmt, int i, int bText){
  int n = byteOf(p);
  if( n>p->zEnd - p->z ) n = (int)(p->zEnd - p->z);
  if( bText ) sqlite3_bind_text(pStmt, i, (const char*)p->z, n, SQLITE_TRANSIENT);
  else sqlite3_bind_blob(pStmt, i, n ? (const void*)p->z : "", n, SQLITE_TRANSIENT);
  p->z += n;
}

static void insertRow(Script *p, sqlite3 *db, const char *zSql, const char *zTypes){
  sqlite3_stmt *pStmt = 0;
  int i, rc = sqlite3_prepare_v2(db, zSql, -1, &pStmt, 0);
  for(i=0; zTypes[i]; i++){
    if( zTypes[i]=='i' ){
      int v = byteOf(p);
      sqlite3_bind_int64(pStmt, i+1, v<128 ? v-1 : v<250 ? (sqlite3_int64)v<<40 : 9223372036854775807);
    }else{
      bindBytes(p, pStmt, i+1, zTypes[i]=='t');
    }
  }
  if( rc==SQLITE_OK ) sqlite3_step(pStmt);
  sqlite3_finalize(pStmt);
}

/* No files, and nothing that lasts longer than the connection. */
static int onAuthorize(void *p, int e, const char *z1, const char *z2, const char *z3, const char *z4){
  (void)p; (void)z1; (void)z2; (void)z3; (void)z4;
  return e==SQLITE_ATTACH || e==SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK;
}

/* SQL that the input gives. */
static void anySql(Script *p, sqlite3 *db){
  char z[256];
  int n = byteOf(p);
  if( n>p->zEnd - p->z ) n = (int)(p->zEnd - p->z);
  memcpy(z, p->z, (size_t)n);
  z[n] = 0;
  p->z += n;
  sqlite3_progress_handler(db, MAX_STEPS, onProgress, 0);
  sqlite3_set_authorizer(db, onAuthorize, 0);
  sqlite3_exec(db, z, 0, 0, 0);
  sqlite3_set_authorizer(db, 0, 0);
}

/* Of a step 't'. */
static void anyTrigger(Script *p, sqlite3 *db){
  const char *zTable = azTable[(size_t)byteOf(p)%COUNT(azTable)];
  const char *zEvent = azEvent[(size_t)byteOf(p)%COUNT(azEvent)];
  const char *zBody = azBody[(size_t)byteOf(p)%COUNT(azBody)];
  char *z = sqlite3_mprintf("CREATE TRIGGER \"%s %s %s\" %s ON %s BEGIN %s; END",
                            zTable, zEvent, zBody, zEvent, zTable, zBody);
  sqlite3_exec(db, z, 0, 0, 0);
  sqlite3_free(z);
}

/* The image of zStore. */
static u8 *baseImage(sqlite3_int64 *pn){
  sqlite3 *db = 0;
  u8 *a;
  if( sqlite3_open(":memory:", &db)!=SQLITE_OK || sqlite3_exec(db, zStore, 0, 0, 0)!=SQLITE_OK ) abort();
  a = sqlite3_serialize(db, "main", pn, 0);
  MUST( sqlite3_close(db)==SQLITE_OK );
  return a;
}

/* The image that a script makes; to be freed with sqlite3_free(). */
static u8 *buildImage(const u8 *a, size_t n, sqlite3_int64 *pn){
  Script script;
  sqlite3_int64 nBase;
  u8 *aImage = baseImage(&nBase);
  int rc;
  sqlite3 *db = openImage(aImage, nBase, &rc);
  script.z = a;
  script.zEnd = a + n;
  while( script.z<script.zEnd ){
    switch( byteOf(&script) ){
      case 'k':
        insertRow(&script, db, "INSERT OR REPLACE INTO kv(k, v, v_encoding, version, expiration_ms) VALUES(?,?,?,?,?)", "bbiii");
        break;
      case 'q':
        insertRow(&script, db, "INSERT OR REPLACE INTO queue(id, data, backoff_schedule, keys_if_undelivered, ts) VALUES(?,?,?,?,?)", "tbtti");
        break;
      case 'r':
        insertRow(&script, db, "INSERT OR REPLACE INTO queue_running(id, data, backoff_schedule, keys_if_undelivered, deadline) VALUES(?,?,?,?,?)", "tbtti");
        break;
      case 'v':
        insertRow(&script, db, "UPDATE data_version SET version = ?", byteOf(&script)%2 ? "b" : "i");
        break;
      case 's':
        sqlite3_progress_handler(db, MAX_STEPS, onProgress, 0);
        sqlite3_exec(db, azSchema[(size_t)byteOf(&script)%COUNT(azSchema)], 0, 0, 0);
        break;
      case 't':
        anyTrigger(&script, db);
        break;
      case 'x':
        anySql(&script, db);
        break;
      case 'p':
        goto done;
      default:
        break;
    }
  }
done:
  sqlite3_exec(db, "COMMIT", 0, 0, 0);
  aImage = sqlite3_serialize(db, "main", pn, 0);
  MUST( sqlite3_close(db)==SQLITE_OK );
  while( aImage && *pn>0 && script.z<script.zEnd ){
    u32 i = (u32)byteOf(&script)<<8;
    i |= (u32)byteOf(&script);
    aImage[i % (u32)*pn] = (u8)byteOf(&script);
    byteOf(&script);
  }
  return aImage;
}

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n){
  static sqlite3_int64 nUsed = -1;
  sqlite3_int64 nImage = (sqlite3_int64)n - 1;
  sqlite3 *db;
  u8 *aImage;
  size_t i;
  int rc;
  if( n<2 ) return 0;
  if( nUsed<0 ){
    sqlite3_auto_extension((void(*)(void))sqlite3_kv_init);
    nUsed = sqlite3_memory_used();
  }
  if( a[0] & 1 ){
    aImage = buildImage(&a[1], n-1, &nImage);
    if( aImage==0 ) return 0;
  }else{
    aImage = sqlite3_malloc64((sqlite3_uint64)nImage);
    memcpy(aImage, &a[1], (size_t)nImage);
  }
  db = openImage(aImage, nImage, &rc);
  if( rc==SQLITE_OK ){
    if( a[0] & 2 ) sqlite3_exec(db, "PRAGMA trusted_schema = off", 0, 0, 0);
    if( a[0] & 8 ) sqlite3_exec(db, "PRAGMA recursive_triggers = on", 0, 0, 0);
    if( a[0] & 16 ) sqlite3_exec(db, "PRAGMA foreign_keys = on", 0, 0, 0);
    if( a[0] & 4 ) sqlite3_exec(db, "BEGIN", 0, 0, 0);
    for(i=0; i<COUNT(azRun); i++) runOne(db, azRun[i]);
    if( a[0] & 4 ) sqlite3_exec(db, "COMMIT; ROLLBACK", 0, 0, 0);
  }
  rc = sqlite3_close(db);
  if( rc!=SQLITE_OK ){
    sqlite3_stmt *pStmt = sqlite3_next_stmt(db, 0);
    if( pStmt ) fprintf(stderr, "open: %s\n", sqlite3_sql(pStmt));
  }
  MUST( rc==SQLITE_OK );
  MUST( sqlite3_memory_used()==nUsed );
  return 0;
}
