/*
** entry_columns.c -- an entry's columns, as every table shows them.
*/
#include "sql/entry_columns.h"
#include "sql/args.h"
#include "sql/result.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"

/* Columns of a row of the store, after the key. */
enum { ECOL_KEY, ECOL_VERSION, ECOL_EXPIRES, ECOL_V, ECOL_ENCODING };

/* ---- the value ------------------------------------------------------------ */

void kvValueColumnsClear(KvValueColumns *p){
  kvTreeClear(&p->tree);
  kvBufClear(&p->text);
}

/* The stored bytes after their encoding. */
static void entryColumnsRaw(sqlite3_context *ctx, KvBuf *pOut, int eEncoding, KvBytes stored){
  kvBufReset(pOut);
  /* 0 means a number that no byte holds: it is no encoding either */
  kvBufPut(pOut, eEncoding>=0 && eEncoding<=255 ? (u8)eEncoding : 0);
  kvBufAdd(pOut, stored);
  kvResultRaw(ctx, pOut);
}

int kvValueColumn(
  sqlite3_context *ctx, KvValueColumns *p, sqlite3_value *pVal, int eEncoding, int eAs, KvErr *pErr
){
  int rc;
  if( eAs==KV_AS_RAW ){
    entryColumnsRaw(ctx, &p->text, eEncoding, kvArgBlob(pVal));
    return KV_OK;
  }
  if( !p->bTree ){
    if( eEncoding==1 && sqlite3_value_type(pVal)==SQLITE_BLOB
     && kvResultPlain(ctx, eEncoding, kvArgBlob(pVal), eAs, &p->text)
    ){
      return KV_OK;
    }
    rc = kvReadStored(pVal, eEncoding, &p->tree, pErr);
    if( rc==KV_CORRUPT && eAs==KV_AS_TYPE ){
      sqlite3_result_text(ctx, "malformed", -1, SQLITE_STATIC);
      return KV_OK;
    }
    if( rc!=KV_OK ) return rc;
    p->bTree = 1;
  }
  return kvResultValueAs(ctx, &p->tree, eAs, &p->text, pErr);
}

/* ---- the entry ------------------------------------------------------------ */

void kvEntryColumnsClear(KvEntryColumns *p){
  kvValueColumnsClear(&p->value);
  kvBufClear(&p->head);
  kvBufClear(&p->keyText);
}

u64 kvEntryColumnsMemory(const KvEntryColumns *p){
  return (u64)p->value.text.nAlloc + p->head.nAlloc + p->keyText.nAlloc;
}

KvBytes kvEntryKey(const KvEntryColumns *p){
  if( p->key.n ) return p->key;
  return kvArgBlob(sqlite3_column_value(p->pRow, p->iFirst + ECOL_KEY));
}

/* Put the text of a key into p->keyText part by part and keep what its head is. */
static KV_NOINLINE void entryColumnsKeyText(KvEntryColumns *p, KvBytes key){
  KvPart part;
  u32 i = 0, iLast = 0;
  kvBufReset(&p->keyText);
  p->nHeadText = 0;
  while( i<key.n ){
    kvBufPut(&p->keyText, i ? ',' : '[');
    iLast = i;
    p->nHeadText = p->keyText.n;
    if( kvPartRead(key, &i, &part, 0)!=KV_OK || !part.bCanon ) break;
    kvPartPrint(&p->keyText, &part);
    if( i==key.n ){
      kvBufPut(&p->keyText, ']');
      kvBufReset(&p->head);
      kvBufAppend(&p->head, key.p, iLast);
      if( p->head.eErr!=KV_OK ) p->nHeadText = 0;
      return;
    }
  }
  kvBufReset(&p->keyText);
  p->nHeadText = 0;
  kvKeyShow(&p->keyText, key);
}

/* Keys that follow each other mostly differ in the last part alone. */
static void entryColumnsKey(sqlite3_context *ctx, KvEntryColumns *p, KvBytes key){
  KvPart part;
  u32 i = p->head.n;
  if( p->nHeadText && i<key.n && kvBytesBegins(key, kvBufBytes(&p->head))
   && kvPartRead(key, &i, &part, 0)==KV_OK && i==key.n && part.bCanon
  ){
    p->keyText.n = p->nHeadText;
    kvPartPrint(&p->keyText, &part);
    kvBufPut(&p->keyText, ']');
  }else{
    entryColumnsKeyText(p, key);
  }
  if( p->keyText.eErr!=KV_OK ) p->nHeadText = 0;
  kvResultText(ctx, &p->keyText);
}

/* The value can't be shown: the error, with the key. */
static KV_NOINLINE void entryColumnsError(
  sqlite3_context *ctx, KvEntryColumns *p, const KvErr *pErr
){
  KvBuf *pText = &p->value.text;
  kvBufReset(pText);
  kvBufLit(pText, "value of the key ");
  kvKeyShow(pText, kvEntryKey(p));
  if( kvBufTerminate(pText)!=KV_OK ){
    sqlite3_result_error_nomem(ctx);
  }else{
    kvResultCodecError(ctx, (const char*)pText->a, pErr);
  }
}

/* One of the columns that are made from the value. */
static void entryColumnsValue(sqlite3_context *ctx, KvEntryColumns *p, int eAs){
  KvErr err;
  int eEncoding = sqlite3_column_int(p->pRow, p->iFirst + ECOL_ENCODING);
  sqlite3_value *pVal = sqlite3_column_value(p->pRow, p->iFirst + ECOL_V);
  if( kvValueColumn(ctx, &p->value, pVal, eEncoding, eAs, &err)!=KV_OK ){
    entryColumnsError(ctx, p, &err);
  }
}

void kvEntryColumn(sqlite3_context *ctx, KvEntryColumns *p, int eShow){
  i64 i;
  switch( eShow ){
    case KVSHOW_OTHER:
      break;
    case KVSHOW_KEY:
      entryColumnsKey(ctx, p, kvEntryKey(p));
      break;
    case KVSHOW_VERSIONSTAMP:
      kvResultVersionstamp(ctx, sqlite3_column_int64(p->pRow, p->iFirst + ECOL_VERSION));
      break;
    case KVSHOW_EXPIRES_AT:
    case KVSHOW_EXPIRE_IN:
      i = sqlite3_column_int64(p->pRow, p->iFirst + ECOL_EXPIRES);
      if( i>=0 ) sqlite3_result_int64(ctx, eShow==KVSHOW_EXPIRES_AT ? i : i - p->iNow);
      break;
    default:
      KV_ASSERT( eShow<=KVSHOW_TYPE );
      entryColumnsValue(ctx, p, eShow);
  }
}
