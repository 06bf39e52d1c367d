/*
** collate.c -- the collations.  See collate.h.
*/
#include "sql/collate.h"
#include "bytes/memory.h"
#include "codec/json/json_order.h"
#include "codec/key/key_compare.h"
#include "codec/num/date_sql.h"
SQLITE_EXTENSION_INIT3

static int collateKeys(void *pArg, int nA, const void *zA, int nB, const void *zB){
  (void)pArg;
  return kvKeyCompare(kvBytes(zA, (u32)nA), kvBytes(zB, (u32)nB));
}

static int collateDates(void *pArg, int nA, const void *zA, int nB, const void *zB){
  (void)pArg;
  return kvDateSqlCompare(kvBytes(zA, (u32)nA), kvBytes(zB, (u32)nB));
}

static int collateJson(void *pArg, int nA, const void *zA, int nB, const void *zB){
  KvJsonSide *p = pArg;
  return kvJsonCompare(&p[0], kvBytes(zA, (u32)nA), &p[1], kvBytes(zB, (u32)nB));
}

static void collateFree(void *pArg){
  KvJsonSide *p = pArg;
  kvJsonSideClear(&p[0]);
  kvJsonSideClear(&p[1]);
  kvFree(p);
}

int kvAddCollations(sqlite3 *db){
  KvJsonSide *p = kvZeroed(2*sizeof(*p));
  int rc = sqlite3_create_collation_v2(db, "kv_compare", SQLITE_UTF8, 0, collateKeys, 0);
  if( rc==SQLITE_OK ){
    rc = sqlite3_create_collation_v2(db, "kv_datetime", SQLITE_UTF8, 0, collateDates, 0);
  }
  if( p==0 ) return SQLITE_NOMEM;
  if( rc==SQLITE_OK ){
    rc = sqlite3_create_collation_v2(db, "kv_json", SQLITE_UTF8, p, collateJson, collateFree);
  }
  if( rc!=SQLITE_OK ) collateFree(p);            /* SQLite doesn't */
  return rc;
}
