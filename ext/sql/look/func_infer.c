/*
** func_infer.c -- kv_infer(prefix [, sample [, parts]]): the CREATE statement of a
** collection that fits what is stored, or NULL where nothing is.
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/look/infer.h"
#include "store/store.h"

static void inferCall(KvCall *p){
  i64 nMost = INT64_MAX, nPart = 0;
  char *z;
  if( sqlite3_value_type(p->apArg[0])==SQLITE_NULL ) return;
  if( kvArgKey(p->apArg[0], 0, &p->key, 0, &p->err)!=KV_OK ) return;
  if( !kvArgCount(kvCallArg(p, 1), 1, &nMost) ){
    kvError(&p->error, SQLITE_ERROR, "kv: kv_infer(): sample must be a whole number, 1 or more");
    return;
  }
  if( !kvArgCount(kvCallArg(p, 2), 1, &nPart) || nPart>KVSURVEY_PARTS ){
    kvError(&p->error, SQLITE_ERROR, "kv: kv_infer(): parts must be a whole number, 1 to %d",
        KVSURVEY_PARTS);
    return;
  }
  z = kvInfer(p->pStore, kvBufBytes(&p->key), nMost, (u32)nPart);
  if( kvFailed(kvStoreError(p->pStore)) ){
    sqlite3_free(z);
    z = 0;
  }
  if( z ) sqlite3_result_text(p->ctx, z, -1, sqlite3_free);
}

const KvFunc kvFuncsInfer[] = {
  { "kv_infer", 1, 3, 0, KVCALL_KEY|KVCALL_STORE|KVCALL_SNAPSHOT, inferCall, 0 },
  { 0 }
};
