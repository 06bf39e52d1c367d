/*
** vtab_import.c -- the table-valued function kv_import(text).
**
**     INSERT OR REPLACE INTO kv_entries(key, raw)
**       SELECT key, raw FROM kv_import(readfile('backup.ndjson'));
**
**     CREATE TABLE kv_import(
**       key TEXT, raw BLOB, versionstamp TEXT,
**       line INTEGER, error TEXT, text HIDDEN);
**
** A row for each line of the text (a BLOB is text too) that is not blank, in
** the format of @deno/kv-utils (codec/entry.h).  A line that is no entry is
** an error for a query that takes key, raw or versionstamp of it; "error" says
** what is wrong with it, or is NULL.  A line is read when one of these columns
** is asked for.
*/
#include "sql/vtab_import.h"
SQLITE_EXTENSION_INIT3
#include "sql/vtab.h"
#include "sql/result.h"
#include "sql/codec_error.h"
#include "codec/entry.h"
#include "codec/stored.h"

#define IMPORT_SCHEMA \
  "CREATE TABLE kv_import(key TEXT, raw BLOB, versionstamp TEXT, line INTEGER, error TEXT, text HIDDEN)"
enum { IMPORT_KEY, IMPORT_RAW, IMPORT_STAMP, IMPORT_LINE, IMPORT_ERROR, IMPORT_TEXT };

typedef struct ImportTable ImportTable;
struct ImportTable {
  sqlite3_vtab base;      /* Must be first */
  KvConn *pConn;
};

typedef struct ImportCursor ImportCursor;
struct ImportCursor {
  sqlite3_vtab_cursor base;  /* Must be first */
  sqlite3_value *pText;   /* The argument: a copy */
  const char *z;          /* Its text */
  u32 n;
  u32 iLine, iEnd;        /* The current line: where it begins and ends */
  i64 iNumber;            /* Its number, from 1 */
  i64 iText;              /* Stands for the text in rowids */
  u8 bEof;
  u8 bRead;               /* What follows is that line's */
  KvErr err;
  KvBuf key, raw, work;
  KvTree tree;
  const u8 *zStamp;       /* The versionstamp, or 0 */
  u32 nStamp;
};

static int importConnect(
  sqlite3 *db, void *pAux, int argc, const char *const *argv,
  sqlite3_vtab **ppVtab, char **pzErr
){
  ImportTable *p;
  int rc;
  (void)argc; (void)argv;
  rc = kvTableDeclare(db, IMPORT_SCHEMA, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  p = sqlite3_malloc64(sizeof(*p));
  if( p==0 ) return SQLITE_NOMEM;
  memset(p, 0, sizeof(*p));
  p->pConn = pAux;
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  *ppVtab = &p->base;
  return SQLITE_OK;
}

static int importDisconnect(sqlite3_vtab *pVtab){
  sqlite3_free(pVtab);
  return SQLITE_OK;
}

static int importOpen(sqlite3_vtab *pVtab, sqlite3_vtab_cursor **ppCursor){
  ImportCursor *p = sqlite3_malloc64(sizeof(*p));
  (void)pVtab;
  if( p==0 ) return SQLITE_NOMEM;
  memset(p, 0, sizeof(*p));
  kvBufInit(&p->key, 0, 0);
  kvBufInit(&p->raw, 0, 0);
  kvBufInit(&p->work, 0, 0);
  kvTreeInit(&p->tree);
  *ppCursor = &p->base;
  return SQLITE_OK;
}

static int importClose(sqlite3_vtab_cursor *pCursor){
  ImportCursor *p = (ImportCursor*)pCursor;
  sqlite3_value_free(p->pText);
  kvBufClear(&p->key);
  kvBufClear(&p->raw);
  kvBufClear(&p->work);
  kvTreeClear(&p->tree);
  sqlite3_free(p);
  return SQLITE_OK;
}

/* idxNum 1: the argument is there; 0: it is not, and there are no rows. */
static int importBestIndex(sqlite3_vtab *pVtab, sqlite3_index_info *pInfo){
  int i;
  (void)pVtab;
  pInfo->estimatedCost = 1e30;         /* nothing without the argument */
  pInfo->estimatedRows = 100;
  for(i=0; i<pInfo->nConstraint; i++){
    if( pInfo->aConstraint[i].iColumn!=IMPORT_TEXT
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
  return SQLITE_OK;
}

static int importIsBlank(const char *z, u32 n){
  u32 i;
  for(i=0; i<n && (z[i]==' ' || z[i]=='\t' || z[i]=='\r'); i++){}
  return i==n;
}

/* To the next line that is not blank. */
static int importNext(sqlite3_vtab_cursor *pCursor){
  ImportCursor *p = (ImportCursor*)pCursor;
  u32 i = p->iNumber ? p->iEnd+1 : 0;            /* behind the line feed */
  p->bRead = 0;
  for(;;){
    const char *zEnd = i<p->n ? memchr(&p->z[i], '\n', p->n - i) : 0;
    if( i>=p->n ){
      p->bEof = 1;
      break;
    }
    p->iLine = i;
    p->iEnd = zEnd ? (u32)(zEnd - p->z) : p->n;
    p->iNumber++;
    if( !importIsBlank(&p->z[i], p->iEnd - i) ) break;
    i = p->iEnd + 1;
  }
  return SQLITE_OK;
}

static int importFilter(
  sqlite3_vtab_cursor *pCursor, int idxNum, const char *zIdx,
  int nArg, sqlite3_value **apArg
){
  ImportCursor *p = (ImportCursor*)pCursor;
  (void)zIdx; (void)nArg;
  sqlite3_value_free(p->pText);
  p->pText = 0;
  p->bEof = 1;
  p->iNumber = 0;
  if( idxNum==0 || sqlite3_value_type(apArg[0])==SQLITE_NULL ) return SQLITE_OK;
  p->pText = sqlite3_value_dup(apArg[0]);
  if( p->pText==0 ) return SQLITE_NOMEM;
  /* The bytes of a BLOB as they are: it may be a file, which is UTF-8. */
  if( sqlite3_value_type(p->pText)==SQLITE_BLOB ){
    p->z = sqlite3_value_blob(p->pText);
  }else{
    p->z = (const char*)sqlite3_value_text(p->pText);
    if( p->z==0 ) return SQLITE_NOMEM;
  }
  p->n = (u32)sqlite3_value_bytes(p->pText);
  if( p->n>=3 && memcmp(p->z, "\xef\xbb\xbf", 3)==0 ){     /* byte order mark */
    p->z += 3;
    p->n -= 3;
  }
  p->iText = kvTableRowid(0, p->z, p->n);
  p->bEof = 0;
  return importNext(pCursor);
}

static int importEof(sqlite3_vtab_cursor *pCursor){
  return ((ImportCursor*)pCursor)->bEof;
}

/* Read the current line; p->err says how that went. */
static void importRead(ImportCursor *p){
  KvConn *pConn = ((ImportTable*)p->base.pVtab)->pConn;
  KvErr *pErr = &p->err;
  int bRaw, eEncoding = 0;
  p->bRead = 1;
  kvBufReset(&p->key);
  kvBufReset(&p->raw);
  kvBufReset(&p->work);
  kvTreeReset(&p->tree);
  pErr->eCode = kvEntryRead(&p->z[p->iLine], p->iEnd - p->iLine, &p->key, &p->tree, &p->raw, &bRaw,
      &p->zStamp, &p->nStamp, pErr);
  if( pErr->eCode!=KV_OK || bRaw ) return;
  pErr->eCode = kvValueWrite(&p->tree, pConn->iV8Version, 0, &p->work, &eEncoding, pErr);
  if( pErr->eCode!=KV_OK ) return;
  kvBufPut(&p->raw, (u8)eEncoding);
  kvBufAppend(&p->raw, p->work.a, p->work.n);
  if( p->raw.eErr!=KV_OK ) kvErrSet(pErr, p->raw.eErr, -1, "out of memory");
}

/* What is wrong with the current line (sqlite3_malloc), 0 without memory. */
static char *importError(ImportCursor *p){
  char zWhat[50];
  sqlite3_snprintf(sizeof(zWhat), zWhat, "kv_import(): line %lld", p->iNumber);
  return kvCodecErrorText(zWhat, &p->err);
}

/* A column of the current line: its key, its value, its versionstamp. */
static void importEntryColumn(ImportCursor *p, sqlite3_context *ctx, int iCol){
  switch( iCol ){
    case IMPORT_KEY:
      kvBufReset(&p->work);
      if( p->key.n ){
        kvKeyShow(&p->work, kvBufBytes(&p->key));
      }else{
        kvBufLit(&p->work, "[]");                /* no key that can be written */
      }
      kvResultText(ctx, &p->work);
      break;
    case IMPORT_RAW:
      kvResultBlob(ctx, &p->raw);
      break;
    case IMPORT_STAMP:
      if( p->zStamp ){
        kvBufReset(&p->work);
        kvUtfAppendClean(&p->work, kvBytes(p->zStamp, p->nStamp));
        kvResultText(ctx, &p->work);
      }
      break;
  }
}

static int importColumn(sqlite3_vtab_cursor *pCursor, sqlite3_context *ctx, int iCol){
  ImportCursor *p = (ImportCursor*)pCursor;
  if( iCol==IMPORT_LINE ){
    sqlite3_result_int64(ctx, p->iNumber);
    return SQLITE_OK;
  }
  if( iCol==IMPORT_TEXT ){
    sqlite3_result_value(ctx, p->pText);
    return SQLITE_OK;
  }
  if( !p->bRead ) importRead(p);
  if( p->err.eCode==KV_NOMEM ) return SQLITE_NOMEM;
  if( p->err.eCode==KV_TOOBIG ) return SQLITE_TOOBIG;
  if( p->err.eCode==KV_OK ){
    importEntryColumn(p, ctx, iCol);
  }else if( iCol==IMPORT_ERROR ){
    char *zErr = importError(p);
    if( zErr==0 ) return SQLITE_NOMEM;
    sqlite3_result_text(ctx, zErr, -1, sqlite3_free);
  }else{
    kvResultError(ctx, SQLITE_ERROR, importError(p));
  }
  return SQLITE_OK;
}

static int importRowid(sqlite3_vtab_cursor *pCursor, sqlite3_int64 *piRowid){
  ImportCursor *p = (ImportCursor*)pCursor;
  *piRowid = kvTableRowid(p->iNumber, &p->iText, sizeof(p->iText));
  return SQLITE_OK;
}

const sqlite3_module kvImportModule = {
  .iVersion      = 0,
  .xCreate       = 0,                 /* eponymous only */
  .xConnect      = importConnect,
  .xBestIndex    = importBestIndex,
  .xDisconnect   = importDisconnect,
  .xOpen         = importOpen,
  .xClose        = importClose,
  .xFilter       = importFilter,
  .xNext         = importNext,
  .xEof          = importEof,
  .xColumn       = importColumn,
  .xRowid        = importRowid
};
