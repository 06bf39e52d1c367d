/*
** entry.c -- the entries of a declared index.  See entry.h.
**
** An entry whose key an index owns is never a primary entry.
*/
#include "store/store_int.h"
#include "codec/index_key.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "codec/stored.h"
#include "store/clock.h"
#include "store/index/entry.h"
#include "store/index/held.h"
#include "store/index/rows.h"

void kvIndexWorkClear(KvStore *pStore){
  KvIndexWork *p = &pStore->indexWork;
  kvTreeClear(&p->tree);
  kvListClear(&p->parts);
  kvListClear(&p->wanted);
  kvListClear(&p->there);
  kvListClear(&p->whose);
  kvListClear(&p->rows);
  kvListClear(&p->held);
  kvTreeClear(&p->now);
  kvTreeClear(&p->before);
  kvBufClear(&p->current.v);
  kvBufClear(&p->primary.v);
  kvBufClear(&p->form);
  kvBufClear(&p->stored.v);
}

u32 kvIndexCollect(KvStmt *pStmt, KvList *pOut, u32 nMost){
  u32 n = 0;
  kvListReset(pOut);
  for(; n<nMost && kvStmtRow(pStmt); n++) kvListAdd(pOut, kvStmtBytes(pStmt, 0));
  if( pStmt ) kvErrorBuf(&pStmt->pStore->err, &pOut->bytes);
  kvStmtGive(pStmt);
  return n;
}

/* ---- what is stored ------------------------------------------------------ */

/* Run a statement on one row of kv_index_value. */
static void indexEntryRow(KvStore *p, int eSql, KvBytes ik, KvBytes pk){
  KV_ASSERT( p->indexes.bBusy );
  kvStmtRun(kvStmtWith(p, eSql, "bb", ik, pk));
}

/* The primary entries that have an index entry. */
static const KvList *indexEntryWhose(KvStore *p, const KvIndexDef *pDef, KvBytes ik){
  KvList *pWhose = &p->indexWork.whose;
  KvBuf pk = { 0 };
  if( kvIndexValued(pDef, ik) ){
    kvIndexCollect(kvStmtWith(p, KVSQL_INDEX_PRIMARIES, "b", ik), pWhose, UINT32_MAX);
    return pWhose;
  }
  kvListReset(pWhose);
  if( kvIndexHolder(pDef, ik, &pk) ){
    kvErrorBuf(&p->err, &pk);
    if( kvIndexHeldHas(p, kvBufBytes(&pk), ik) ) kvListAdd(pWhose, kvBufBytes(&pk));
    kvErrorBuf(&p->err, &pWhose->bytes);
  }
  kvBufClear(&pk);
  return pWhose;
}

int kvIndexEntryHad(KvStore *p, const KvIndexDef *pDef, KvBytes ik){
  return indexEntryWhose(p, pDef, ik)->bytes.n>0;
}

/* What an entry for the primary entry pk with a value holds in a form, into
** KvIndexWork.form.  0: it can't be made.  *peEncoding is that of the value at first. */
static int indexEntryForm(
  KvStore *pStore, const KvIndexDef *pDef, int bCopy, KvBytes pk, KvBytes value, int *peEncoding
){
  KvIndexWork *p = &pStore->indexWork;
  int iVersion = pStore->piV8Version ? *pStore->piV8Version : 15;
  int rc = KV_OK;
  if( bCopy ){
    kvErrorCopy(&pStore->err, value, &p->form);
  }else{
    kvBufReset(&p->form);
    kvTreeReset(&p->tree);
    rc = kvIndexPointer(&p->tree, kvBytesFrom(pk, pDef->prefix.n), iVersion,
                        &p->form, peEncoding, 0);
    if( rc==KV_NOMEM ) kvErrorCode(&pStore->err, SQLITE_NOMEM);
  }
  return rc==KV_OK;
}

/* Look up a primary entry and make what the index entry has to hold for it. */
static int indexEntryFormOf(KvStore *p, const KvIndexDef *pDef, KvBytes pk, int *peEncoding){
  KvFound *pFound = &p->indexWork.primary;
  if( !kvRowFind(p, pk, kvNow(), 1, pFound) ) return 0;
  *peEncoding = pFound->eEncoding;
  return indexEntryForm(p, pDef, (pDef->mOptions & KVINDEX_COPY)!=0, pk, kvBufBytes(&pFound->v),
                        peEncoding);
}

/* Does the index entry hold what it should?  A pointer may have another version of
** V8's format. */
static int indexEntryHolds(const KvIndexWork *p, int eEncoding){
  return p->stored.bFound && p->stored.eEncoding==eEncoding
      && kvIndexPointerSame(eEncoding, kvBufBytes(&p->stored.v), kvBufBytes(&p->form));
}

/* Does a primary entry, as looked up, ask for an index entry? */
static int indexEntryAsks(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk){
  const KvFound *pFound = &p->indexWork.primary;
  KvList keys = { { 0 } };
  KvBytes key;
  u32 i = 0;
  int bAsks = 0;
  kvIndexEntryKeys(p, pDef, pk, pFound->eEncoding, kvBufBytes(&pFound->v), &keys);
  while( !bAsks && kvListNext(&keys, &i, &key) ) bAsks = kvBytesEqual(key, ik);
  kvListClear(&keys);
  return bAsks;
}

/* Write an index entry, or remove it if pRow is 0. */
static void indexEntryWrite(KvStore *p, KvBytes ik, const KvRow *pRow){
  if( p->pWrite->xBefore ) p->pWrite->xBefore(p->pWrite->pBefore, ik);
  if( pRow ) kvRowPut(p, pRow);
  else kvRowDelete(p, ik);
  if( p->indexes.eFresh==KVFRESH_ALL ) kvDirtyDone(p, ik);
}

void kvIndexEntryMake(KvStore *pStore, const KvIndexDef *pDef, KvBytes ik){
  KvIndexWork *p = &pStore->indexWork;
  KvRow entry;
  KvBytes pk, first = { 0, 0 };
  const KvList *pWhose;
  u32 i = 0;
  int eEncoding = 0, bLast = 0;
  KV_ASSERT( pStore->indexes.bBusy && kvIndexDefOwns(pDef, ik) );
  kvRowFind(pStore, ik, -1, 1, &p->stored);      /* before all expiry */
  pWhose = indexEntryWhose(pStore, pDef, ik);
  while( kvIndexDefStored(pDef, ik) && kvListNext(pWhose, &i, &pk) ){
    if( !indexEntryFormOf(pStore, pDef, pk, &eEncoding) ) continue;
    /* A row of a dirty primary entry may be out of date */
    if( pStore->indexes.eFresh>=KVFRESH_DIRTY && !indexEntryAsks(pStore, pDef, ik, pk) ) continue;
    if( p->stored.iExpires==p->primary.iExpires && indexEntryHolds(p, eEncoding) ) return;
    if( first.p ) continue;
    first = pk;
    bLast = i>=pWhose->bytes.n;
  }
  if( kvFailed(&pStore->err) || (first.p==0 && !p->stored.bFound) ) return;
  if( first.p==0 ){
    indexEntryWrite(pStore, ik, 0);
  }else if( bLast || indexEntryFormOf(pStore, pDef, first, &eEncoding) ){
    /* Unless it was the last one it had to be looked up again */
    entry.key = ik;
    entry.value = kvBufBytes(&p->form);
    entry.eEncoding = eEncoding;
    entry.iVersion = pStore->pWrite->iVersion;
    entry.iExpires = p->primary.iExpires;
    indexEntryWrite(pStore, ik, &entry);
  }
}

int kvIndexEntrySole(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk){
  KvBytes other;
  u32 i = 0;
  if( !(pDef->mOptions & KVINDEX_UNIQUE) ) return 1;
  indexEntryWhose(p, pDef, ik);
  while( kvListNext(&p->indexWork.whose, &i, &other) ){
    if( !kvBytesEqual(other, pk) ) return 0;
  }
  return 1;
}

void kvIndexEntryPut(
  KvStore *pStore, const KvIndexDef *pDef, KvBytes ik, const KvRow *pPrimary, int bLook
){
  KvIndexWork *p = &pStore->indexWork;
  KvRow entry = *pPrimary;
  int bCopy = (pDef->mOptions & KVINDEX_COPY)!=0;
  KV_ASSERT( pStore->indexes.bBusy && kvIndexDefOwns(pDef, ik) );
  if( kvFailed(&pStore->err) || !kvIndexDefStored(pDef, ik) ) return;
  if( !indexEntryForm(pStore, pDef, bCopy, pPrimary->key, pPrimary->value, &entry.eEncoding) ){
    return;
  }
  if( bLook ){
    kvRowFind(pStore, ik, -1, 1, &p->stored);    /* before all expiry */
    if( p->stored.iExpires==entry.iExpires && indexEntryHolds(p, entry.eEncoding) ) return;
  }
  entry.key = ik;
  entry.value = kvBufBytes(&p->form);
  entry.iVersion = pStore->pWrite->iVersion;
  indexEntryWrite(pStore, ik, &entry);
}

int kvIndexEntryIsRight(KvStore *pStore, const KvIndexDef *pDef, KvBytes ik, KvBytes pk){
  KvIndexWork *p = &pStore->indexWork;
  int eEncoding = 0;
  int bForm = indexEntryFormOf(pStore, pDef, pk, &eEncoding);
  if( !p->primary.bFound ) return 1;
  kvRowFind(pStore, ik, -1, 1, &p->stored);      /* before all expiry */
  return bForm && p->stored.iExpires==p->primary.iExpires && indexEntryHolds(p, eEncoding);
}

int kvIndexEntryIsOf(KvStore *p, const KvIndexDef *pDef, KvBytes ik){
  return p->indexes.eFresh!=KVFRESH_ALL || !(pDef->mOptions & KVINDEX_UNIQUE)
      || !kvDirtyHas(p, ik);
}

void kvIndexEntryGone(KvStore *p, KvBytes ik){
  if( !kvFailed(&p->err) ) indexEntryWrite(p, ik, 0);
}

/* ---- what a primary entry asks for ---------------------------------------- */

const KvList *kvIndexEntryWanted(KvStore *pStore, const KvIndexDef *pDef, KvBytes pk){
  KvIndexWork *p = &pStore->indexWork;
  kvListReset(&p->wanted);
  if( kvRowFind(pStore, pk, kvNow(), 1, &p->primary) ){
    kvIndexEntryKeys(pStore, pDef, pk, p->primary.eEncoding, kvBufBytes(&p->primary.v), &p->wanted);
    kvListSort(&p->wanted);
    kvErrorBuf(&pStore->err, &p->wanted.bytes);
  }
  return &p->wanted;
}

/* ---- uniqueness ---------------------------------------------------------- */

/* The error for an index entry that belongs to another primary entry. */
static void indexEntryViolation(
  KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk, KvBytes other
){
  KvBuf key = { 0 }, otherKey = { 0 }, value = { 0 };
  int bMore = pDef->spec.nPath>1;
  kvErrorCopy(&p->err, kvBytesText(pDef->zPath), &p->pWrite->rivalPath);
  kvErrorCopy(&p->err, other, &p->pWrite->rival);
  kvErrorKey(&p->err, pk, &key);
  kvErrorKey(&p->err, other, &otherKey);
  if( !kvIndexDefLeft(pDef, ik) ) kvPartsPrint(&value, kvBytesFrom(ik, pDef->name.n));
  kvBufTerminate(&value);
  kvErrorBuf(&p->err, &value);
  kvError(&p->err, SQLITE_CONSTRAINT_UNIQUE, "kv: UNIQUE constraint failed: index %!.100s: "
      "keys %s and %s have the same value%s %s",
      pDef->zName, (char*)otherKey.a, (char*)key.a, bMore ? "s" : "", (char*)value.a);
  kvBufClear(&key);
  kvBufClear(&otherKey);
  kvBufClear(&value);
  p->pWrite->bConflict = p->err.rc==SQLITE_CONSTRAINT_UNIQUE;
}

KvBytes kvIndexEntryRival(const KvStore *p, KvBytes *pPath){
  const KvWrite *pWrite = p->pWrite;
  if( p->err.rc!=SQLITE_CONSTRAINT_UNIQUE || !pWrite->bConflict || pWrite->rivalPath.eErr
   || pWrite->rival.eErr
  ){
    return kvBytes(0, 0);
  }
  *pPath = kvBufBytes(&pWrite->rivalPath);
  return kvBufBytes(&pWrite->rival);
}

/* The overlay of a unique index, if anything is dirty.  To be given back. */
static KvRows *indexEntryRows(KvStore *p, const KvIndexDef *pDef){
  KvDirty dirty;
  if( p->indexes.eFresh<KVFRESH_DIRTY || !kvDirtyGet(p, &dirty) ) return 0;
  return kvRowsOpen(p, pDef, &dirty);
}

/* Does an index entry have a dirty primary entry that exists, other than pk?  It is what
** the overlay has at *pi, or after it. */
static int indexEntryClaimed(
  KvStore *p, const KvRows *pRows, KvBytes ik, KvBytes pk, KvBytes *pOther
){
  const KvOverRow *pRow;
  u32 i = pRows ? kvRowsFind(pRows, ik) : 0;
  for(; pRows && (pRow = kvRowsAt(pRows, i))!=0 && kvBytesEqual(pRow->ik, ik); i++){
    if( pRow->bGone || kvBytesEqual(pRow->pk, pk) ) continue;
    *pOther = pRow->pk;
    if( kvRowFind(p, pRow->pk, kvNow(), 0, &p->indexWork.primary) ) return 1;
  }
  return 0;
}

/* A new index entry of a unique index must not be another primary's, if that
** one is still there. */
static void indexEntryUnique(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk){
  const KvList *pWhose = indexEntryWhose(p, pDef, ik);
  KvRows *pRows = indexEntryRows(p, pDef);
  KvBytes other;
  u32 i = 0;
  while( !kvFailed(&p->err) && kvListNext(pWhose, &i, &other) ){
    if( kvBytesEqual(other, pk) || (pRows && kvRowsHave(pRows, ik, other)) ) continue;
    if( kvRowFind(p, other, kvNow(), 0, &p->indexWork.primary) ){
      indexEntryViolation(p, pDef, ik, pk, other);
    }else{
      kvIndexEntryRemove(p, pDef, ik, other);
    }
  }
  if( !kvFailed(&p->err) && indexEntryClaimed(p, pRows, ik, pk, &other) ){
    indexEntryViolation(p, pDef, ik, pk, other);
  }
  kvRowsClose(pRows);
}

void kvIndexEntryAdd(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk, int bStrict){
  if( bStrict && (pDef->mOptions & KVINDEX_UNIQUE) ) indexEntryUnique(p, pDef, ik, pk);
  if( kvIndexValued(pDef, ik) ) indexEntryRow(p, KVSQL_INDEX_VALUE_ADD, ik, pk);
}

void kvIndexEntryRemove(KvStore *p, const KvIndexDef *pDef, KvBytes ik, KvBytes pk){
  if( kvIndexValued(pDef, ik) ) indexEntryRow(p, KVSQL_INDEX_VALUE_DELETE, ik, pk);
}

int kvIndexEntryForms(KvStore *pStore, const KvIndexDef *pDef, KvBytes ik, KvBytes pk, int mForm){
  KvIndexWork *p = &pStore->indexWork;
  int eEncoding, bCopy, mHolds = 0;
  if( !kvRowFind(pStore, ik, kvNow(), 1, &p->stored) ) return mForm;
  for(bCopy=0; bCopy<2; bCopy++){
    eEncoding = p->primary.eEncoding;
    if( indexEntryForm(pStore, pDef, bCopy, pk, kvBufBytes(&p->primary.v), &eEncoding)
     && indexEntryHolds(p, eEncoding)
    ){
      mHolds |= bCopy ? KVINDEX_FORM_COPY : KVINDEX_FORM_POINTER;
    }
  }
  return mForm & mHolds;
}

/* ---- what others have made of an entry ---------------------------------------- */

/* Whose an entry of a unique index is tells kv_index_value, or a dirty primary entry. */
int kvIndexEntryFollow(KvStore *p, const KvIndexDef *pDef, KvBytes ik){
  KvRows *pRows = 0;
  KvBytes other;
  int bLater;
  if( (pDef->mOptions & KVINDEX_UNIQUE) && indexEntryWhose(p, pDef, ik)->bytes.n==0 ){
    pRows = indexEntryRows(p, pDef);
  }
  bLater = indexEntryClaimed(p, pRows, ik, kvBytes(0, 0), &other);
  kvRowsClose(pRows);
  if( bLater || kvFailed(&p->err) ) return 0;
  kvIndexEntryMake(p, pDef, ik);
  return 1;
}
