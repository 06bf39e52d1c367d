/*
** collate.c -- the collations: kv_compare for keys, kv_datetime for dates, kv_json for JSON.
*/
#include "sql/modules.h"
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

/* What comparing JSON needs. */
typedef struct CollateJson CollateJson;
struct CollateJson {
  sqlite3 *db;
  KvJsonSide a, b;
};

/* A collation has no errors: without memory the statement is interrupted. */
static int collateJson(void *pArg, int nA, const void *zA, int nB, const void *zB){
  CollateJson *p = pArg;
  int c = kvJsonCompare(&p->a, kvBytes(zA, (u32)nA), &p->b, kvBytes(zB, (u32)nB));
  if( p->a.bNoMem || p->b.bNoMem ) sqlite3_interrupt(p->db);
  return c;
}

static void collateFree(void *pArg){
  CollateJson *p = pArg;
  kvJsonSideClear(&p->a);
  kvJsonSideClear(&p->b);
  kvFree(p);
}

int kvAddCollations(sqlite3 *db){
  CollateJson *p = kvZeroed(sizeof(*p));
  int rc = sqlite3_create_collation_v2(db, "kv_compare", SQLITE_UTF8, 0, collateKeys, 0);
  if( rc==SQLITE_OK ){
    rc = sqlite3_create_collation_v2(db, "kv_datetime", SQLITE_UTF8, 0, collateDates, 0);
  }
  if( p==0 ) return SQLITE_NOMEM;
  p->db = db;
  if( rc==SQLITE_OK ){
    rc = sqlite3_create_collation_v2(db, "kv_json", SQLITE_UTF8, p, collateJson, collateFree);
  }
  if( rc!=SQLITE_OK ) collateFree(p);            /* SQLite doesn't */
  return rc;
}
