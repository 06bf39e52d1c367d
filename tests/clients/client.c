/*
** client.c FILE -- a program with the extension inside, for every connection.
*/
#include <stdio.h>
#include <string.h>
#include <sqlite3.h>

int sqlite3_kv_init(sqlite3 *db, char **pzErrMsg, const void *pApi);

static sqlite3 *db;

static sqlite3_stmt *prepare(const char *zSql){
  sqlite3_stmt *p = 0;
  if( sqlite3_prepare_v2(db, zSql, -1, &p, 0)!=SQLITE_OK ) printf("%s\n", sqlite3_errmsg(db));
  return p;
}

/* Print a word and the text of a statement's first column. */
static void show(const char *zWord, const char *zSql, int iArg){
  sqlite3_stmt *p = prepare(zSql);
  if( iArg ) sqlite3_bind_int(p, 1, iArg);
  if( sqlite3_step(p)==SQLITE_ROW ) printf("%s %s\n", zWord, (const char*)sqlite3_column_text(p, 0));
  sqlite3_finalize(p);
}

static int atomic(const char *zKey, const char *zValue, int n){
  sqlite3_stmt *p = prepare(
    "INSERT INTO kv_atomic(op, key, value) VALUES ('check', kv_key('client', ?1), NULL),"
    " ('set', kv_key('client', ?1), ?2), ('sum', kv_key('count'), ?3)");
  sqlite3_bind_text(p, 1, zKey, -1, SQLITE_STATIC);
  sqlite3_bind_text(p, 2, zValue, -1, SQLITE_STATIC);
  sqlite3_bind_int(p, 3, n);
  sqlite3_step(p);
  return sqlite3_finalize(p);
}

/* Begin an INSERT of the entry ["bound",zName]; the value is ?2. */
static sqlite3_stmt *bound(const char *zName, const char *zSql){
  char *z = sqlite3_mprintf("INSERT INTO kv_entries(key, value) VALUES (kv_key('bound', ?1), %s)", zSql);
  sqlite3_stmt *p = prepare(z);
  sqlite3_free(z);
  sqlite3_bind_text(p, 1, zName, -1, SQLITE_STATIC);
  return p;
}

/* Run it, and show the entry. */
static void shown(sqlite3_stmt *p, const char *zName){
  if( sqlite3_step(p)!=SQLITE_DONE ) printf("%s\n", sqlite3_errmsg(db));
  sqlite3_finalize(p);
  p = prepare("SELECT js, value FROM kv_entries WHERE key = kv_key('bound', ?1)");
  sqlite3_bind_text(p, 1, zName, -1, SQLITE_STATIC);
  if( sqlite3_step(p)==SQLITE_ROW ){
    printf("%s %s ", zName, (const char*)sqlite3_column_text(p, 0));
    if( sqlite3_column_type(p, 1)==SQLITE_NULL ){
      printf("NULL\n");
    }else if( sqlite3_column_type(p, 1)==SQLITE_BLOB ){
      const unsigned char *a = sqlite3_column_blob(p, 1);
      int i, n = sqlite3_column_bytes(p, 1);
      printf("[");
      for(i=0; i<n; i++) printf("%02x", a[i]);
      printf("]\n");
    }else{
      printf("[%s]\n", (const char*)sqlite3_column_text(p, 1));
    }
  }
  sqlite3_finalize(p);
}

int main(int argc, char **argv){
  static const char zKey[] = "[\"client\",\"it's\"]";
  sqlite3 *second;
  sqlite3_stmt *p;
  int rc;
  sqlite3_auto_extension((void(*)(void))sqlite3_kv_init);
  if( argc<2 || sqlite3_open(argv[1], &second)!=SQLITE_OK ) return 1;
  if( sqlite3_open(argv[1], &db)!=SQLITE_OK ) return 1;
  show("users", "SELECT count(*) FROM kv_entries('[\"users\"]')", 0);
  show("name", "SELECT value ->> 'name' FROM kv_entries WHERE key = kv_key('users', ?)", 1);
  show("city", "SELECT kv_get(kv_key('users', ?), '$.address.city')", 3);
  if( atomic("it's", "first", 5)!=SQLITE_OK ) printf("%s\n", sqlite3_errmsg(db));
  show("committed", "SELECT kv_get(kv_key('client', 'it''s')) = 'first'", 0);
  rc = atomic("it's", "second", 5);
  if( rc==SQLITE_CONSTRAINT && strstr(sqlite3_errmsg(db), "kv: check failed: key ")
   && strstr(sqlite3_errmsg(db), zKey)
  ){
    show("conflict", "SELECT kv_conflict() = '[\"client\",\"it''s\"]'", 0);
  }
  show("sum", "SELECT kv_get(kv_key('count'))", 0);
  shown(bound("null", "?2"), "null");
  p = bound("integer", "?2");
  sqlite3_bind_int(p, 2, 42);
  shown(p, "integer");
  p = bound("largest", "kv_bigint(?2)");
  sqlite3_bind_int64(p, 2, 0x7fffffffffffffff);
  shown(p, "largest");
  p = bound("least", "kv_bigint(?2)");
  sqlite3_bind_int64(p, 2, -0x7fffffffffffffff - 1);
  shown(p, "least");
  p = bound("real", "?2");
  sqlite3_bind_double(p, 2, -2.25);
  shown(p, "real");
  p = bound("text", "?2");
  sqlite3_bind_text(p, 2, "it's \"quoted\" \\ \xc3\xbc \xe6\xbc\xa2 \xf0\x9f\x98\x80", -1, SQLITE_STATIC);
  shown(p, "text");
  p = bound("empty", "?2");
  sqlite3_bind_text(p, 2, "", -1, SQLITE_STATIC);
  shown(p, "empty");
  p = bound("blob", "?2");
  sqlite3_bind_blob(p, 2, "\0\xff'", 3, SQLITE_STATIC);
  shown(p, "blob");
  p = bound("noblob", "?2");
  sqlite3_bind_zeroblob(p, 2, 0);
  shown(p, "noblob");
  /* The other connection has it too, and sees what was written. */
  sqlite3_close(db);
  db = second;
  p = prepare("SELECT kv_get(kv_key('count'))=5");
  if( sqlite3_step(p)!=SQLITE_ROW || !sqlite3_column_int(p, 0) ) printf("second: %s\n", sqlite3_errmsg(db));
  sqlite3_finalize(p);
  return sqlite3_close(db);
}
