/*
** keys.c -- the index entries that a value requires.  See keys.h.
*/
#include "store/store_int.h"
#include "codec/key/key_bytes.h"
#include "codec/stored.h"
#include "store/index/keys.h"

int kvIndexEntryRead(KvStore *p, KvTree *pTree, int eEncoding, KvBytes value){
  int rc;
  kvTreeReset(pTree);
  rc = kvValueRead(pTree, eEncoding, value, 0);
  if( rc==KV_NOMEM ) kvErrorCode(&p->err, SQLITE_NOMEM);
  return rc==KV_OK;
}

/* Add the row of what the index leaves out, if it does. */
static void keysLeft(
  KvStore *pStore, const KvIndexDef *pDef, KvBytes pk, KvTree *pTree, KvList *pOut
){
  const KvIndexSpec *pSpec = &pDef->spec;
  u32 i = pOut->bytes.n, iBegin = kvListBegin(pOut);
  KvErr err = { 0 };
  int eLeft;
  kvBufAdd(&pOut->bytes, pDef->name);
  kvBufPut(&pOut->bytes, KV_TAG_LEFT);
  eLeft = kvIndexLeft(pTree, pSpec->aPath, pSpec->nPath, (pDef->mOptions & KVINDEX_LOWER)!=0,
                      (pDef->mOptions & KVINDEX_UNIQUE)!=0, &pOut->bytes, &err);
  if( eLeft==2 ) kvBufAdd(&pOut->bytes, pk);
  if( eLeft ){
    kvListEnd(pOut, iBegin);
  }else if( pOut->bytes.eErr==KV_OK ){
    pOut->bytes.n = i;
  }
  if( err.eCode==KV_NOMEM ) kvErrorCode(&pStore->err, SQLITE_NOMEM);
}

u32 kvIndexEntryKeysOf(
  KvStore *pStore, const KvIndexDef *pDef, KvBytes pk, KvTree *pTree, KvList *pOut
){
  KvIndexWork *p = &pStore->indexWork;
  const KvIndexSpec *pSpec = &pDef->spec;
  KvBytes part;
  u32 i = 0, iBegin, mKind = 0;
  int rc, bIn, bLong = 0;
  if( !kvKeyCanonical(pk) ) return KVKIND_OTHER*KVKIND_EACH;
  kvListReset(&p->parts);
  rc = kvIndexSpecMeets(pSpec, pTree, &bIn, 0);
  if( rc==KV_OK && bIn ){
    rc = kvIndexValues(pTree, pSpec->aPath, pSpec->nPath, (pDef->mOptions & KVINDEX_LOWER)!=0,
                       &p->parts, &mKind, 0);
  }
  if( rc==KV_NOMEM ) kvErrorCode(&pStore->err, SQLITE_NOMEM);
  while( rc==KV_OK && kvListNext(&p->parts, &i, &part) ){
    iBegin = kvListBegin(pOut);
    kvBufAdd(&pOut->bytes, pDef->name);
    kvBufAdd(&pOut->bytes, part);
    if( !(pDef->mOptions & KVINDEX_UNIQUE) ){
      kvBufAdd(&pOut->bytes, kvBytesFrom(pk, pDef->prefix.n));
    }
    if( pOut->bytes.n-iBegin>KVINDEX_KEY_MAX ) bLong = 1;
    kvListEnd(pOut, iBegin);
  }
  if( rc==KV_OK && (mKind & (KVKIND_OTHER*KVKIND_EACH)) ) {
    keysLeft(pStore, pDef, pk, pTree, pOut);
  }
  if( bLong ) mKind |= KVKIND_OTHER*KVKIND_EACH;     /* it has no place in kv */
  kvErrorBuf(&pStore->err, &pOut->bytes);
  return rc==KV_OK ? mKind : KVKIND_OTHER*KVKIND_EACH;
}

u32 kvIndexEntryKeys(
  KvStore *p, const KvIndexDef *pDef, KvBytes pk, int eEncoding, KvBytes value, KvList *pOut
){
  KvTree *pTree = &p->indexWork.tree;
  if( kvIndexEntryRead(p, pTree, eEncoding, value) ){
    return kvIndexEntryKeysOf(p, pDef, pk, pTree, pOut);
  }
  return KVKIND_NULL*KVKIND_EACH;
}
