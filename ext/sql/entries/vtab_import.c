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
** the format of @deno/kv-utils (codec/entry_print.h).  A line that is no entry is
** an error for a query that takes key, raw or versionstamp of it; "error" says
** what is wrong with it, or is NULL.  A line is read when one of these columns
** is asked for.
*/
#include "sql/modules.h"
#include "sql/result.h"
#include "codec/entry_read.h"
#include "codec/stored.h"
#include "codec/key/key_print.h"

#define IMPORT_SCHEMA \
  "CREATE TABLE kv_import(key TEXT, raw BLOB, versionstamp TEXT, line INTEGER, error TEXT, " \
  "text HIDDEN)"
enum { IMPORT_KEY, IMPORT_RAW, IMPORT_STAMP, IMPORT_LINE, IMPORT_ERROR, IMPORT_TEXT };

typedef struct ImportCursor ImportCursor;
struct ImportCursor {
  KvVtabCursor c;         /* Must be first */
  KvBuf work;
  sqlite3_value *pText;   /* The argument: a copy */
  const char *z;          /* Its text */
  u32 n;
  u32 iLine, iEnd;        /* The current line: where it begins and ends */
  i64 iNumber;            /* Its number, from 1 */
  u8 bRead;               /* What follows is that line's */
  KvErr err;
  KvEntry entry;          /* What it says */
};

static void importStop(KvVtabCursor *pCursor){
  ImportCursor *p = (ImportCursor*)pCursor;
  sqlite3_value_free(p->pText);
  p->pText = 0;
  p->iNumber = 0;
}

static void importFree(KvVtabCursor *pCursor){
  kvEntryClear(&((ImportCursor*)pCursor)->entry);
}

/* idxNum 1: the argument is given; 0: it isn't, and the result is empty. */
static const KvVtabCons importCons[] = {
  { IMPORT_TEXT, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT, 0 }
};

static int importIsBlank(const char *z, u32 n){
  u32 i;
  for(i=0; i<n && (z[i]==' ' || z[i]=='\t' || z[i]=='\r'); i++){}
  return i==n;
}

/* To the next line that is not blank. */
static int importNext(KvVtabCursor *pCursor){
  ImportCursor *p = (ImportCursor*)pCursor;
  u32 i = p->iNumber ? p->iEnd+1 : 0;            /* after the line feed */
  p->bRead = 0;
  for(; i<p->n; i=p->iEnd+1){
    const char *zEnd = memchr(&p->z[i], '\n', p->n - i);
    p->iLine = i;
    p->iEnd = zEnd ? (u32)(zEnd - p->z) : p->n;
    p->iNumber++;
    if( !importIsBlank(&p->z[i], p->iEnd - i) ) return 1;
  }
  return 0;
}

static int importFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  ImportCursor *p = (ImportCursor*)pCursor;
  (void)nArg;
  if( mPlan==0 || sqlite3_value_type(apArg[0])==SQLITE_NULL ) return 0;
  p->pText = sqlite3_value_dup(apArg[0]);
  /* The bytes of a BLOB as they are: it may be a file, which is UTF-8. */
  p->z = p->pText==0 ? 0 : sqlite3_value_type(p->pText)==SQLITE_BLOB
       ? sqlite3_value_blob(p->pText) : (const char*)sqlite3_value_text(p->pText);
  p->n = p->pText ? (u32)sqlite3_value_bytes(p->pText) : 0;
  if( p->z==0 && (p->pText==0 || sqlite3_value_type(p->pText)!=SQLITE_BLOB) ){
    kvErrorCode(p->c.pError, SQLITE_NOMEM);
    return 0;
  }
  if( p->z==0 ) p->z = "";
  if( p->n>=3 && memcmp(p->z, "\xef\xbb\xbf", 3)==0 ){     /* byte order mark */
    p->z += 3;
    p->n -= 3;
  }
  return importNext(pCursor);
}

/* Read the current line; p->err says how that went. */
static void importRead(ImportCursor *p){
  KvConn *pConn = ((KvVtab*)p->c.base.pVtab)->pConn;
  KvEntry *pEntry = &p->entry;
  KvErr *pErr = &p->err;
  int eEncoding = 0;
  p->bRead = 1;
  kvBufReset(&p->work);
  pErr->eCode = kvEntryRead(pEntry, kvBytes(&p->z[p->iLine], p->iEnd - p->iLine), pErr);
  if( pErr->eCode!=KV_OK || pEntry->bRaw ) return;
  pErr->eCode = kvValueWrite(&pEntry->tree, pConn->iV8Version, 0, &p->work, &eEncoding, pErr);
  if( pErr->eCode!=KV_OK ) return;
  kvBufPut(&pEntry->raw, (u8)eEncoding);
  kvBufAdd(&pEntry->raw, kvBufBytes(&p->work));
  if( pEntry->raw.eErr!=KV_OK ) kvErrSet(pErr, pEntry->raw.eErr, -1, "out of memory");
}

/* What is wrong with the current line: the column error, and the error of others. */
static void importError(ImportCursor *p, sqlite3_context *ctx, int iCol){
  KvError error = { SQLITE_OK, 0 };
  char zWhat[50];
  sqlite3_snprintf(sizeof(zWhat), zWhat, "kv_import(): line %lld", p->iNumber);
  kvErrorCodec(&error, zWhat, &p->err);
  if( iCol==IMPORT_ERROR && error.zMsg ){
    sqlite3_result_text(ctx, error.zMsg, -1, sqlite3_free);
  }else{
    kvResultTake(ctx, &error);
  }
}

/* A column of the current line: its key, its value, its versionstamp. */
static void importEntryColumn(ImportCursor *p, sqlite3_context *ctx, int iCol){
  switch( iCol ){
    case IMPORT_KEY:
      kvBufReset(&p->work);
      if( p->entry.key.n ){
        kvKeyShow(&p->work, kvBufBytes(&p->entry.key));
      }else{
        kvBufLit(&p->work, "[]");                /* no key that can be written */
      }
      kvResultText(ctx, &p->work);
      break;
    case IMPORT_RAW:
      kvResultBlob(ctx, &p->entry.raw);
      break;
    case IMPORT_STAMP:
      if( p->entry.stamp.p ){
        kvBufReset(&p->work);
        kvUtfAppendClean(&p->work, p->entry.stamp);
        kvResultText(ctx, &p->work);
      }
      break;
  }
}

static void importColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  ImportCursor *p = (ImportCursor*)pCursor;
  if( iCol==IMPORT_LINE ){
    sqlite3_result_int64(ctx, p->iNumber);
    return;
  }
  if( iCol==IMPORT_TEXT ){
    sqlite3_result_value(ctx, p->pText);
    return;
  }
  if( !p->bRead ) importRead(p);
  if( p->err.eCode==KV_OK ) importEntryColumn(p, ctx, iCol);
  else importError(p, ctx, iCol);
}

const KvVtabDef kvImportTable = {
  .zName = "kv_import",
  .zDeclare = IMPORT_SCHEMA,
  .mFlags = KVTAB_NO_STORE|KVTAB_EPONYMOUS,
  .plan = { importCons, KV_COUNT(importCons), { 100, 1000.0, 0 }, { 100, 1e30, 0 }, 0 },
  .read = { importFilter, importNext, importColumn, 0 },
  .nCursor = sizeof(ImportCursor),
  .nBuf = 1,
  .xStop = importStop,
  .xFree = importFree,
};
