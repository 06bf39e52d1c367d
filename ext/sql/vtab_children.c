/*
** vtab_children.c -- the table-valued function kv_children(prefix).
**
**     SELECT part, type, has_children FROM kv_children('["users"]');
**
**     CREATE TABLE kv_children(part, type TEXT, key TEXT COLLATE kv_compare,
**                              has_value INTEGER, has_children INTEGER,
**                              prefix TEXT HIDDEN);
**
** The distinct next parts below a prefix, as a folder shows its files and
** folders.  From each part the search jumps behind everything below it, so
** the cost depends on the number of children and not on what they hold: a
** child is one or two steps in the B-tree.
**
** Stored keys that Deno can't read are listed with part NULL and the type
** "malformed".
*/
#include "sql/vtab_children.h"
SQLITE_EXTENSION_INIT3
#include "sql/vtab.h"
#include "sql/args.h"
#include "sql/result.h"

#define CHI_SCHEMA \
  "CREATE TABLE kv_children(part, type TEXT, key TEXT COLLATE kv_compare, " \
  "has_value INTEGER, has_children INTEGER, prefix TEXT HIDDEN)"
enum { CHI_PART, CHI_TYPE, CHI_KEY, CHI_HAS_VALUE, CHI_HAS_CHILDREN, CHI_PREFIX };

/* What is known of a child. */
#define CHI_IS_PART  1
#define CHI_VALUE    2
#define CHI_BELOW    4

typedef struct ChiCursor ChiCursor;
struct ChiCursor {
  sqlite3_vtab_cursor base;  /* Must be first */
  KvBuf text;             /* The argument */
  KvBuf lo, hi;           /* What is still to be looked at; hi empty: no bound */
  KvBuf key;              /* Stored bytes of the current child */
  KvBuf out;              /* Text of a column */
  KvPart part;            /* Its last part: a slice of key */
  KvReading reading;      /* Open while there may be more of them */
  u32 nPrefix;            /* Length of the prefix in bytes */
  u8 bPart;               /* part can be read */
  u8 bValue, bChildren;
  u8 bEof;
  u8 bAll;                /* all holds the children, from iAll on those ahead */
  KvBuf all;              /* ... of each the length of its key (8 bytes), what is
                          ** known of it (CHI_xxx) and the key */
  u32 iAll;
  i64 iNow;
};

static int chiConnect(
  sqlite3 *db, void *pAux, int argc, const char *const *argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  return kvTableConnect(db, pAux, argc, argv, CHI_SCHEMA, sizeof(KvTable), ppVtab, pzErr);
}

static int chiOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  int rc = kvTableOpen(pVtab);
  ChiCursor *p = rc==SQLITE_OK ? sqlite3_malloc64(sizeof(*p)) : 0;
  if( p==0 ) return rc==SQLITE_OK ? SQLITE_NOMEM : rc;
  memset(p, 0, sizeof(*p));
  kvBufInit(&p->text, 0, 0);
  kvBufInit(&p->lo, 0, 0);
  kvBufInit(&p->hi, 0, 0);
  kvBufInit(&p->key, 0, 0);
  kvBufInit(&p->out, 0, 0);
  kvBufInit(&p->all, 0, 0);
  *ppCursor = &p->base;
  return SQLITE_OK;
}

static int chiClose(sqlite3_vtab_cursor *pCursor){
  ChiCursor *p = (ChiCursor*)pCursor;
  kvReadingClose(((KvTable*)pCursor->pVtab)->pStore, &p->reading);
  kvBufClear(&p->text);
  kvBufClear(&p->lo);
  kvBufClear(&p->hi);
  kvBufClear(&p->key);
  kvBufClear(&p->out);
  kvBufClear(&p->all);
  sqlite3_free(p);
  return SQLITE_OK;
}

/* idxNum 1: there is a prefix; 0: the whole store. */
static int chiBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  int i;
  (void)pVtab;
  pInfo->estimatedCost = 1e6;
  pInfo->estimatedRows = 100;
  for(i=0; i<pInfo->nConstraint; i++){
    if( pInfo->aConstraint[i].iColumn!=CHI_PREFIX
     || pInfo->aConstraint[i].op!=SQLITE_INDEX_CONSTRAINT_EQ
    ){
      continue;
    }
    if( !pInfo->aConstraint[i].usable ) return SQLITE_CONSTRAINT;
    if( pInfo->idxNum ) continue;
    pInfo->aConstraintUsage[i].argvIndex = 1;
    pInfo->aConstraintUsage[i].omit = 1;
    pInfo->idxNum = 1;
    pInfo->estimatedCost = 1000.0;
  }
  if( pInfo->nOrderBy==1 && pInfo->aOrderBy[0].iColumn==CHI_KEY && !pInfo->aOrderBy[0].desc ){
    pInfo->orderByConsumed = 1;
  }
  return SQLITE_OK;
}

/*
** The first key at or behind lo (and before hi) into pOut.  *pbFound tells
** whether there is one.
*/
static int chiFirst(ChiCursor *p, KvBuf *pLo, KvBuf *pHi, KvBuf *pOut, int *pbFound){
  KvStore *pStore = ((KvTable*)p->base.pVtab)->pStore;
  KvStmt *pStmt = 0;
  char *zErr = 0;
  int rc = kvStoreReader(pStore, pHi->n ? KVREAD_UPPER : 0, &pStmt, &zErr);
  *pbFound = 0;
  if( rc!=SQLITE_OK ) return kvTableFail(p->base.pVtab, rc, zErr);
  kvBindBlob(pStmt, 1, pLo->a, pLo->n);
  if( pHi->n ) kvBindBlob(pStmt, 2, pHi->a, pHi->n);
  kvBindInt(pStmt, 3, p->iNow);
  rc = kvStep(pStmt);
  if( rc==SQLITE_ROW ){
    const u8 *a = sqlite3_column_blob(pStmt->pStmt, KVREAD_COL_KEY);
    *pbFound = 1;
    if( pOut ){
      kvBufReset(pOut);
      kvBufAppend(pOut, a, (u64)sqlite3_column_bytes(pStmt->pStmt, KVREAD_COL_KEY));
      if( pOut->eErr!=KV_OK ) rc = SQLITE_NOMEM;
    }
  }else if( rc!=SQLITE_DONE ){
    kvTableFail(p->base.pVtab, rc, sqlite3_mprintf("kv: %s", sqlite3_errmsg(pStore->db)));
  }
  kvStoreGive(pStore, pStmt);
  return rc==SQLITE_ROW || rc==SQLITE_DONE ? SQLITE_OK : rc;
}

/* Are there keys strictly under p->key? */
static int chiLookBelow(ChiCursor *p){
  KvBuf from, to;
  int bFound, rc = SQLITE_NOMEM;
  kvBufInit(&from, 0, 0);
  kvBufInit(&to, 0, 0);
  kvBufAppend(&from, p->key.a, p->key.n);
  kvBufPut(&from, 0);
  kvBufAppend(&to, p->key.a, p->key.n);
  kvBufPut(&to, 0xff);
  if( from.eErr==KV_OK && to.eErr==KV_OK ){
    rc = chiFirst(p, &from, &to, 0, &bFound);
    p->bChildren = (u8)bFound;
  }
  kvBufClear(&from);
  kvBufClear(&to);
  return rc;
}

/* Move p->lo behind the key. */
static int chiBehind(ChiCursor *p, u8 cMore){
  kvBufReset(&p->lo);
  kvBufAppend(&p->lo, p->key.a, p->key.n);
  kvBufPut(&p->lo, cMore);
  return p->lo.eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
}

/* The next key at or behind p->lo that was there when the search began: what
** the statement adds itself could have no end. */
static int chiKey(ChiCursor *p, int *pbFound){
  KvStore *pStore = ((KvTable*)p->base.pVtab)->pStore;
  int rc;
  for(;;){
    rc = chiFirst(p, &p->lo, &p->hi, &p->key, pbFound);
    if( rc!=SQLITE_OK || !*pbFound ) break;
    if( !kvReadingIsNew(pStore, &p->reading, p->key.a, p->key.n) ) return SQLITE_OK;
    rc = chiBehind(p, 0x00);
    if( rc!=SQLITE_OK ) break;
  }
  kvReadingClose(pStore, &p->reading);
  return rc;
}

/* Find the next child at or behind p->lo. */
static int chiFind(ChiCursor *p){
  u32 i = p->nPrefix;
  int rcLo, bFound;
  int rc = chiKey(p, &bFound);
  p->bEof = !bFound;
  if( rc!=SQLITE_OK || !bFound ) return rc;
  p->bPart = kvPartRead(kvBufBytes(&p->key), &i, &p->part, 0)==KV_OK;
  p->bValue = !p->bPart || i==p->key.n;
  p->bChildren = !p->bValue;
  if( p->bPart ) p->key.n = i;
  if( p->bPart && p->bValue ) rc = chiLookBelow(p);
  rcLo = chiBehind(p, p->bPart ? 0xff : 0x00);
  return rc==SQLITE_OK ? rcLo : rc;
}

/* Find all children at once. */
static int chiAll(ChiCursor *p){
  u8 aHead[9];
  int rc = chiFind(p);
  while( rc==SQLITE_OK && !p->bEof ){
    kvPut64be(aHead, p->key.n);
    aHead[8] = (u8)((p->bPart ? CHI_IS_PART : 0) | (p->bValue ? CHI_VALUE : 0) | (p->bChildren ? CHI_BELOW : 0));
    kvBufAppend(&p->all, aHead, 9);
    kvBufAppend(&p->all, p->key.a, p->key.n);
    rc = p->all.eErr==KV_OK ? chiFind(p) : p->all.eErr==KV_TOOBIG ? SQLITE_TOOBIG : SQLITE_NOMEM;
  }
  p->bAll = 1;
  return rc;
}

/* Take the next one of them. */
static int chiTake(ChiCursor *p){
  const u8 *a = &p->all.a[p->iAll];
  u32 n;
  p->bEof = p->iAll>=p->all.n;
  if( p->bEof ) return SQLITE_OK;
  n = (u32)kvGet64be(a);
  p->iAll += 9 + n;
  p->bPart = (a[8] & CHI_IS_PART)!=0;
  p->bValue = (a[8] & CHI_VALUE)!=0;
  p->bChildren = (a[8] & CHI_BELOW)!=0;
  kvBufReset(&p->key);
  kvBufAppend(&p->key, a+9, n);
  return p->key.eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
}

static int chiNext(sqlite3_vtab_cursor *pCursor){
  ChiCursor *p = (ChiCursor*)pCursor;
  return p->bAll ? chiTake(p) : chiFind(p);
}

static int chiFilter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *zIdx,
  int nArg, sqlite3_value **apArg
){
  ChiCursor *p = (ChiCursor*)pCursor;
  KvStore *pStore = ((KvTable*)pCursor->pVtab)->pStore;
  KvErr err;
  char *zErr = 0;
  int rc, bForeign = 0;
  (void)zIdx; (void)nArg;
  kvReadingClose(pStore, &p->reading);
  kvBufReset(&p->all);
  p->bAll = 0;
  p->iAll = 0;
  kvBufReset(&p->text);
  kvBufReset(&p->lo);
  kvBufReset(&p->hi);
  p->bEof = 1;
  p->iNow = kvNow();
  if( idxNum ){
    if( sqlite3_value_type(apArg[0])==SQLITE_NULL ) return SQLITE_OK;
    if( kvArgKey(apArg[0], 0, &p->lo, 0, &err)!=KV_OK ){
      return kvTableCodecError(pCursor->pVtab, "kv_children()", &err);
    }
    if( kvArgText(apArg[0], &p->text)!=KV_OK ) return SQLITE_NOMEM;
  }
  p->nPrefix = p->lo.n;
  if( p->nPrefix ){
    kvBufAppend(&p->hi, p->lo.a, p->lo.n);
    kvBufPut(&p->hi, 0xff);
    kvBufPut(&p->lo, 0);
  }
  if( p->lo.eErr || p->hi.eErr || p->text.eErr ) return SQLITE_NOMEM;
  rc = kvStoreOpen(pStore, &zErr);
  if( rc==SQLITE_OK && pStore->eState!=KV_STORE_NONE ) rc = kvStoreForeign(pStore, &bForeign, &zErr);
  if( rc!=SQLITE_OK ) return kvTableFail(p->base.pVtab, rc, zErr);
  if( pStore->eState==KV_STORE_NONE ) return SQLITE_OK;
  kvReadingOpen(pStore, &p->reading, &p->lo, &p->hi);
  if( bForeign ) rc = chiAll(p);
  if( rc!=SQLITE_OK ) return rc;
  return chiNext(pCursor);
}

static int chiEof(sqlite3_vtab_cursor *pCursor){
  return ((ChiCursor*)pCursor)->bEof;
}

static int chiColumn(sqlite3_vtab_cursor *pCursor, sqlite3_context *ctx, int iCol){
  ChiCursor *p = (ChiCursor*)pCursor;
  u32 i = p->nPrefix;
  if( p->bPart && iCol<=CHI_TYPE ) kvPartRead(kvBufBytes(&p->key), &i, &p->part, 0);
  switch( iCol ){
    case CHI_PART:
      if( p->bPart ) kvResultPart(ctx, &p->part);
      break;
    case CHI_TYPE:
      sqlite3_result_text(ctx, p->bPart ? kvPartTypeName(p->part.eType) : "malformed", -1, SQLITE_STATIC);
      break;
    case CHI_KEY:
      kvBufReset(&p->out);
      kvKeyShow(&p->out, kvBufBytes(&p->key));
      kvResultText(ctx, &p->out);
      break;
    case CHI_HAS_VALUE:
      sqlite3_result_int(ctx, p->bValue);
      break;
    case CHI_HAS_CHILDREN:
      sqlite3_result_int(ctx, p->bChildren);
      break;
    default:
      if( p->text.n ) kvResultText(ctx, &p->text);
      else kvTableOnlySelects(ctx, "prefix");
  }
  return SQLITE_OK;
}

static int chiRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  ChiCursor *p = (ChiCursor*)pCursor;
  *piRowid = kvTableRowid(kvTableRowid(0, p->text.a, p->text.n), p->key.a, p->key.n);
  return SQLITE_OK;
}

const sqlite3_module kvChildrenModule = {
  .iVersion      = 0,
  .xCreate       = chiConnect,
  .xConnect      = chiConnect,
  .xBestIndex    = chiBestIndex,
  .xDisconnect   = kvTableDisconnect,
  .xDestroy      = kvTableDisconnect,
  .xOpen         = chiOpen,
  .xClose        = chiClose,
  .xFilter       = chiFilter,
  .xNext         = chiNext,
  .xEof          = chiEof,
  .xColumn       = chiColumn,
  .xRowid        = chiRowid
};
