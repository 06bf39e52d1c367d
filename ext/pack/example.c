/*
** example.c -- a program with the extension in it, on a Deno KV database.
**
**     cc -O2 -DSQLITE_CORE -o example example.c kv.c -lsqlite3
**     ./example app.db
**
** It counts its runs at the key ["runs"] and prints all entries.
*/
#include <stdio.h>
#include <sqlite3.h>
#include "kv.h"

static int printRow(void *pUnused, int n, char **azValue, char **azName){
  (void)pUnused; (void)n; (void)azName;
  printf("%s  %s\n", azValue[0], azValue[1]);
  return 0;
}

int main(int argc, char **argv){
  char *zErr = 0;
  sqlite3 *db = 0;
  int rc;
  sqlite3_auto_extension((void(*)(void))sqlite3_kv_init);
  rc = sqlite3_open(argc>1 ? argv[1] : ":memory:", &db);
  if( rc==SQLITE_OK ) rc = sqlite3_exec(db, "SELECT kv_sum('[\"runs\"]', 1)", 0, 0, &zErr);
  if( rc==SQLITE_OK ) rc = sqlite3_exec(db, "SELECT key, js FROM kv_entries", printRow, 0, &zErr);
  if( rc!=SQLITE_OK ) fprintf(stderr, "%s\n", zErr ? zErr : sqlite3_errmsg(db));
  sqlite3_free(zErr);
  sqlite3_close(db);
  return rc!=SQLITE_OK;
}
