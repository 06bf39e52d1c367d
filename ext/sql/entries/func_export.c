/*
** func_export.c -- kv_export(key, raw, versionstamp): an entry as a line of JSON.
**
**     SELECT kv_export(key, raw, versionstamp) FROM kv_entries ORDER BY key;
**
** The format is that of @deno/kv-utils (codec/entry_print.h).  kv_import() is the
** way back.
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/result.h"
#include "codec/entry_print.h"
#include "codec/key/key_parse.h"

/* The three members of an entry, into p->out. */
static int funcExportEntry(KvScratch *p, sqlite3_value **apArg, KvErr *pErr){
  const u8 *a = sqlite3_value_blob(apArg[1]);
  const u8 *zStamp = sqlite3_value_text(apArg[2]);
  int rc;
  if( zStamp==0 && sqlite3_value_type(apArg[2])!=SQLITE_NULL ){
    return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  }
  if( kvArgKey(apArg[0], KVKEY_MALFORMED, &p->in, 0, pErr)!=KV_OK ) return pErr->eCode;
  kvBufLit(&p->out, "{\"key\":");
  kvEntryPrintKey(&p->out, kvBufBytes(&p->in));
  kvBufLit(&p->out, ",\"value\":");
  rc = kvEntryPrintValue(&p->out, &p->tree, kvBytes(a, (u32)sqlite3_value_bytes(apArg[1])), pErr);
  if( rc!=KV_OK ) return rc;
  kvBufLit(&p->out, ",\"versionstamp\":");
  if( zStamp ){
    kvBufReset(&p->in);
    kvUtfAppendClean(&p->in, kvBytes(zStamp, (u32)sqlite3_value_bytes(apArg[2])));
    kvUtfAppendQuoted(&p->out, KV_WTF8, kvBufBytes(&p->in));
    if( p->in.eErr!=KV_OK ) p->out.eErr = p->in.eErr;
  }else{
    kvBufLit(&p->out, "null");
  }
  kvBufPut(&p->out, '}');
  return KV_OK;
}

static void funcExport(KvCall *p){
  if( sqlite3_value_type(p->apArg[0])==SQLITE_NULL ) return;
  if( sqlite3_value_type(p->apArg[1])==SQLITE_NULL ) return;
  if( sqlite3_value_type(p->apArg[1])!=SQLITE_BLOB ){
    kvError(&p->error, SQLITE_ERROR,
        "kv: kv_export(): the second argument must be a raw value: the column raw, "
        "or kv_raw(v, v_encoding)");
  }else if( funcExportEntry(p->pScratch, p->apArg, &p->err)==KV_OK ){
    kvResultText(p->ctx, &p->pScratch->out);
  }
}

const KvFunc kvFuncsExport[] = {
  { "kv_export", 3, 3, KV_PURE, KVCALL_SCRATCH, funcExport, 0 },
  { 0 }
};
