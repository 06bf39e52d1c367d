/*
** vtab_published.c -- the table kv_published: the published tables of a store.
**
**     CREATE TABLE kv_published(name TEXT, rows INTEGER, pending INTEGER);
**
** rows counts the rows of the table, NULL if it is gone.  pending counts the entries that
** another program has written since, which the next write here or kv_sweep() brings to it.
*/
#include "sql/modules.h"
#include "sql/collection/publish.h"
#include "sql/result.h"
#include "store/index/dirty.h"
#include "store/schema.h"

#define PUBLISHED_SCHEMA "CREATE TABLE kv_published(name TEXT, rows INTEGER, pending INTEGER)"
enum { PUBLISHED_NAME, PUBLISHED_ROWS, PUBLISHED_PENDING };

typedef struct PublishedCursor PublishedCursor;
struct PublishedCursor {
  KvVtabCursor c;         /* Must be first */
  KvList names;           /* Copies, each with its zero */
  u32 iNext;              /* Where the next name begins */
  KvBytes name;           /* That of the row */
};

static int publishedNext(KvVtabCursor *pCursor){
  PublishedCursor *p = (PublishedCursor*)pCursor;
  return kvListNext(&p->names, &p->iNext, &p->name);
}

static int publishedFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  PublishedCursor *p = (PublishedCursor*)pCursor;
  KvStore *pStore = p->c.pStore;
  u32 i, n = 0;
  (void)mPlan; (void)apArg; (void)nArg;
  if( kvSchemaOpen(pStore)==KV_STORE_READY ) n = kvIndexList(pStore);
  for(i=0; i<n; i++){
    const KvIndexDef *pDef = kvIndexAt(pStore, i);
    if( !(pDef->mOptions & KVINDEX_TABLE) ) continue;
    kvListAdd(&p->names, kvBytes(pDef->zName, (u32)strlen(pDef->zName) + 1));
  }
  kvErrorBuf(p->c.pError, &p->names.bytes);
  p->iNext = 0;
  return publishedNext(pCursor);
}

static void publishedColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  PublishedCursor *p = (PublishedCursor*)pCursor;
  KvStore *pStore = p->c.pStore;
  const char *zName = (const char*)p->name.p;
  const KvIndexDef *pDef;
  i64 n = -1;
  if( iCol==PUBLISHED_NAME ){
    sqlite3_result_text(ctx, zName, -1, SQLITE_TRANSIENT);
    return;
  }
  pDef = kvIndexList(pStore)>0 ? kvIndexNamed(pStore, zName) : 0;
  if( pDef && iCol==PUBLISHED_ROWS ) n = kvPublisher.xCount(pStore, pDef, -1);
  if( pDef && iCol==PUBLISHED_PENDING ) n = kvDirtyCount(pStore, pDef);
  if( n>=0 ) sqlite3_result_int64(ctx, n);
}

const KvVtabDef kvPublishedTable = {
  .zName = "kv_published",
  .zDeclare = PUBLISHED_SCHEMA,
  .plan = { .none = { 10, 1000.0, 0 } },
  .read = { publishedFilter, publishedNext, publishedColumn, 0 },
  .nCursor = sizeof(PublishedCursor),
  .nBuf = 1,
};
