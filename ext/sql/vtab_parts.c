/*
** vtab_parts.c -- the table-valued function kv_parts(key).
**
**     SELECT ordinal, type, value FROM kv_parts('["users",42]');
**
**     CREATE TABLE kv_parts(ordinal INTEGER, type TEXT, value, key TEXT HIDDEN);
*/
#include "sql/vtab_parts.h"
SQLITE_EXTENSION_INIT3
#include "sql/vtab.h"
#include "sql/args.h"
#include "sql/result.h"
#include "sql/codec_error.h"

#define PARTS_SCHEMA \
  "CREATE TABLE kv_parts(ordinal INTEGER, type TEXT, value, key TEXT HIDDEN)"
enum { PARTS_ORDINAL, PARTS_TYPE, PARTS_VALUE, PARTS_KEY };

typedef struct PartsTable PartsTable;
struct PartsTable {
  sqlite3_vtab base;      /* Must be first */
};

typedef struct PartsCursor PartsCursor;
struct PartsCursor {
  sqlite3_vtab_cursor base;  /* Must be first */
  KvBuf text;             /* The argument */
  KvBuf key;              /* Its stored bytes */
  KvPart part;            /* The current part */
  u32 iNext;              /* Offset of the part behind it */
  i64 iOrdinal;
  u8 bEof;
};

static int partsConnect(
  sqlite3 *db, void *pAux, int argc, const char *const *argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  PartsTable *p;
  int rc;
  (void)pAux; (void)argc; (void)argv;
  rc = kvTableDeclare(db, PARTS_SCHEMA, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  p = sqlite3_malloc64(sizeof(*p));
  if( p==0 ) return SQLITE_NOMEM;
  memset(p, 0, sizeof(*p));
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  *ppVtab = &p->base;
  return SQLITE_OK;
}

static int partsDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int partsOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  PartsCursor *p = sqlite3_malloc64(sizeof(*p));
  (void)pVtab;
  if( p==0 ) return SQLITE_NOMEM;
  memset(p, 0, sizeof(*p));
  kvBufInit(&p->text, 0, 0);
  kvBufInit(&p->key, 0, 0);
  *ppCursor = &p->base;
  return SQLITE_OK;
}

static int partsClose(sqlite3_vtab_cursor *pCursor){
  PartsCursor *p = (PartsCursor*)pCursor;
  kvBufClear(&p->text);
  kvBufClear(&p->key);
  sqlite3_free(p);
  return SQLITE_OK;
}

/* idxNum 1: the argument is there; 0: it is not, and there are no rows. */
static int partsBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  int i;
  (void)pVtab;
  pInfo->estimatedCost = 1e30;         /* nothing without the argument */
  pInfo->estimatedRows = 4;
  for(i=0; i<pInfo->nConstraint; i++){
    if( pInfo->aConstraint[i].iColumn!=PARTS_KEY
     || pInfo->aConstraint[i].op!=SQLITE_INDEX_CONSTRAINT_EQ
    ){
      continue;
    }
    if( !pInfo->aConstraint[i].usable ) return SQLITE_CONSTRAINT;
    if( pInfo->idxNum ) continue;
    pInfo->aConstraintUsage[i].argvIndex = 1;
    pInfo->aConstraintUsage[i].omit = 1;
    pInfo->idxNum = 1;
    pInfo->estimatedCost = 10.0;
  }
  return SQLITE_OK;
}

static int partsNext(sqlite3_vtab_cursor *pCursor){
  PartsCursor *p = (PartsCursor*)pCursor;
  p->iOrdinal++;
  p->bEof = p->iNext>=p->key.n
      || kvPartRead(kvBufBytes(&p->key), &p->iNext, &p->part, 0)!=KV_OK;
  return SQLITE_OK;
}

static int partsFilter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *zIdx,
  int nArg, sqlite3_value **apArg
){
  PartsCursor *p = (PartsCursor*)pCursor;
  KvErr err;
  (void)zIdx; (void)nArg;
  kvBufReset(&p->text);
  kvBufReset(&p->key);
  p->bEof = 1;
  p->iNext = 0;
  p->iOrdinal = -1;
  if( idxNum==0 || sqlite3_value_type(apArg[0])==SQLITE_NULL ) return SQLITE_OK;
  if( kvArgKey(apArg[0], KVKEY_MALFORMED, &p->key, 0, &err)!=KV_OK ){
    sqlite3_free(pCursor->pVtab->zErrMsg);
    pCursor->pVtab->zErrMsg = kvCodecErrorText("kv_parts()", &err);
    if( pCursor->pVtab->zErrMsg==0 ) return SQLITE_NOMEM;
    return err.eCode==KV_NOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
  }
  if( kvArgText(apArg[0], &p->text)!=KV_OK ) return SQLITE_NOMEM;
  return partsNext(pCursor);
}

static int partsEof(sqlite3_vtab_cursor *pCursor){
  return ((PartsCursor*)pCursor)->bEof;
}

static int partsColumn(sqlite3_vtab_cursor *pCursor, sqlite3_context *ctx, int iCol){
  PartsCursor *p = (PartsCursor*)pCursor;
  switch( iCol ){
    case PARTS_ORDINAL: sqlite3_result_int64(ctx, p->iOrdinal);                                 break;
    case PARTS_TYPE:    sqlite3_result_text(ctx, kvPartTypeName(p->part.eType), -1, SQLITE_STATIC); break;
    case PARTS_VALUE:   kvResultPart(ctx, &p->part);                                              break;
    default:            kvResultText(ctx, &p->text);
  }
  return SQLITE_OK;
}

static int partsRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  PartsCursor *p = (PartsCursor*)pCursor;
  *piRowid = kvTableRowid(p->iOrdinal, p->text.a, p->text.n);
  return SQLITE_OK;
}

const sqlite3_module kvPartsModule = {
  .iVersion      = 0,
  .xCreate       = 0,                 /* eponymous only */
  .xConnect      = partsConnect,
  .xBestIndex    = partsBestIndex,
  .xDisconnect   = partsDisconnect,
  .xOpen         = partsOpen,
  .xClose        = partsClose,
  .xFilter       = partsFilter,
  .xNext         = partsNext,
  .xEof          = partsEof,
  .xColumn       = partsColumn,
  .xRowid        = partsRowid
};
