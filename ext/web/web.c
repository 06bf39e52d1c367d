/*
** web.c -- SQLite with the extension, as the page's worker calls it.
**
** The worker (engine.js) calls SQLite's own functions; here is what JavaScript
** can't do through them: opening with the extension and a progress handler in
** place, and integers of 64 bits.
*/
#include <emscripten.h>
#include <math.h>
#include "sqlite3.h"
#include "kv.h"

/* Called every so many steps of SQLite's; anything but 0 interrupts. */
EM_JS(int, webTick, (void), { return Module.onTick ? Module.onTick() : 0; });

static int webProgress(void *pUnused){
  (void)pUnused;
  return webTick();
}

/* Open a database; 0 if there is no memory.  sqlite3_errcode() tells more. */
EMSCRIPTEN_KEEPALIVE sqlite3 *web_open(const char *zFile){
  sqlite3 *db = 0;
  int rc;
  sqlite3_initialize();
  sqlite3_auto_extension((void(*)(void))sqlite3_kv_init);
  rc = sqlite3_open_v2(zFile, &db, SQLITE_OPEN_READWRITE|SQLITE_OPEN_CREATE, 0);
  if( rc==SQLITE_OK ){
    sqlite3_extended_result_codes(db, 1);
    sqlite3_progress_handler(db, 5000, webProgress, 0);
  }
  return db;
}

/* Bind a JavaScript number: an INTEGER if it is whole and exact. */
EMSCRIPTEN_KEEPALIVE int web_bind_number(sqlite3_stmt *pStmt, int i, double r){
  if( r==floor(r) && fabs(r)<=9007199254740991.0 ){
    return sqlite3_bind_int64(pStmt, i, (sqlite3_int64)r);
  }
  return sqlite3_bind_double(pStmt, i, r);
}
