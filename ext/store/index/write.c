/*
** write.c -- index maintenance.  See write.h.
**
** All of it comes down to two steps, which may be repeated without harm:
**
**   kvIndexMaintain(pk)    change the rows of kv_index_held and kv_index_value to what
**                          the primary entry's value asks for, and then
**   kvIndexEntryMake(ik)   make each index entry that is concerned what they say
**
** An entry whose key an index owns is never a primary entry.  If one is written
** through this library, it is made what it has to be.
*/
#include "store/store_int.h"
#include "codec/v8/v8_find.h"
#include "store/clock.h"
#include "store/index/dirty.h"
#include "store/index/entry.h"
#include "store/index/held.h"
#include "store/index/table.h"
#include "store/index/write.h"
#include "store/search.h"

/* Two sorted lists, as one without double keys. */
typedef struct MaintainMerge MaintainMerge;
struct MaintainMerge {
  const KvList *apList[2];
  u32 ai[2];              /* How far each was read */
  KvBytes aNext[2];       /* Their next keys */
  int mNext;              /* In which list there is one: 1, 2 */
};

/* The next key, and in which lists it is: 1, 2 or both; 0 at the end. */
static int indexWriteNext(MaintainMerge *p, KvBytes *pKey){
  int i, c, m;
  for(i=0; i<2; i++){
    if( !(p->mNext & (1<<i)) && kvListNext(p->apList[i], &p->ai[i], &p->aNext[i]) ){
      p->mNext |= 1<<i;
    }
  }
  m = p->mNext;
  c = m==3 ? kvBytesCompare(p->aNext[0], p->aNext[1]) : 0;
  if( c!=0 ) m = c<0 ? 1 : 2;
  *pKey = p->aNext[m==2];
  p->mNext &= ~m;
  return m;
}

/* ---- a primary entry ------------------------------------------------------- */

/* A primary entry that was written. */
typedef struct Maintain Maintain;
struct Maintain {
  KvStore *pStore;
  KvRow row;              /* Its key, and what it is */
  u8 bThere;              /* It is there: the rest of row is set, and KvIndexWork.now */
  u8 bMalformed;          /* It is there, and its value is none */
  const KvFound *pKnown;  /* What it was: KvIndexWork.before, if bBefore; 0: not known, and
                          ** KvIndexWork.rows has the index entries that it has */
  u8 bBefore;
  u8 bLook;               /* An index entry that it hasn't had may be there */
  u8 bChanged;            /* KvIndexWork.held, which it will have, is another list */
  int mStep;              /* KVINDEX_xxx */
  u8 bLeft;               /* A full-text index hasn't followed */
  u32 nAdded;             /* Rows that were added */
};

/* Keys of index entries, sorted. */
static void indexWriteSort(KvStore *p, KvList *pList){
  KvBytes first;
  u32 i = 0;
  if( kvListNext(pList, &i, &first) && i<pList->bytes.n ) kvListSort(pList);
  kvErrorBuf(&p->err, &pList->bytes);
}

/* The index entries that it should have, and those that it has. */
static void indexWriteKeys(Maintain *m, const KvIndexDef *pDef){
  KvIndexWork *p = &m->pStore->indexWork;
  KvBytes ik;
  u32 i = 0, mKind = m->bMalformed ? KVKIND_NULL*KVKIND_EACH : 0;
  kvListReset(&p->wanted);
  kvListReset(&p->there);
  if( m->bThere ) mKind = kvIndexEntryKeysOf(m->pStore, pDef, m->row.key, &p->now, &p->wanted);
  kvDirtyKinds(m->pStore, pDef, mKind);
  indexWriteSort(m->pStore, &p->wanted);
  if( m->pKnown ){
    if( m->bBefore ) kvIndexEntryKeysOf(m->pStore, pDef, m->row.key, &p->before, &p->there);
    indexWriteSort(m->pStore, &p->there);
    return;
  }
  while( kvListNext(&p->rows, &i, &ik) ){
    if( kvIndexDefOwns(pDef, ik) ) kvListAdd(&p->there, ik);
  }
  kvErrorBuf(&m->pStore->err, &p->there.bytes);
}

/* Make an index entry what it has to be, which is in the lists mIn: 1, 2 or both. */
static void indexWriteMake(Maintain *m, const KvIndexDef *pDef, KvBytes ik, int mIn){
  KvStore *p = m->pStore;
  int bSame = m->pKnown && !(pDef->mOptions & KVINDEX_COPY)
           && m->pKnown->iExpires==m->row.iExpires;
  if( mIn==3 && bSame ) return;
  if( !(m->mStep & (mIn==2 ? KVINDEX_REMOVE : KVINDEX_ADD)) ) return;
  if( mIn==2 && !kvIndexEntryIsOf(p, pDef, ik) ) return;
  if( kvIndexDefLeft(pDef, ik) ) return;
  if( ik.n>KVINDEX_KEY_MAX || !kvIndexEntrySole(p, pDef, ik, m->row.key) ){
    kvIndexEntryMake(p, pDef, ik);
  }else if( mIn==2 ){
    kvIndexEntryGone(p, ik);
  }else{
    kvIndexEntryPut(p, pDef, ik, &m->row, m->bLook || mIn==3);
  }
}

/* What has to be in kv_index_value follows, and what the primary entry will have is added
** to KvIndexWork.held.  If one can't be added none has been removed, and it can be tried
** again. */
static void indexWriteRows(Maintain *m, const KvIndexDef *pDef, MaintainMerge merge){
  KvStore *p = m->pStore;
  KvList *pHeld = &p->indexWork.held;
  MaintainMerge again = merge;
  KvBytes ik, pk = m->row.key;
  int i;
  while( !kvFailed(&p->err) && (i = indexWriteNext(&merge, &ik))!=0 ){
    int mStep = i==1 ? KVINDEX_ADD : KVINDEX_REMOVE;
    int bStep = i!=3 && (m->mStep & mStep);
    if( i==3 || (i==1)==bStep ) kvListAdd(pHeld, ik);
    if( !bStep ) continue;
    m->bChanged = 1;
    if( i==2 ) continue;
    kvIndexEntryAdd(p, pDef, ik, pk, m->mStep & KVINDEX_STRICT);
    m->nAdded++;
  }
  while( !kvFailed(&p->err) && (i = indexWriteNext(&again, &ik))!=0 ){
    if( i==2 && (m->mStep & KVINDEX_REMOVE) ) kvIndexEntryRemove(p, pDef, ik, pk);
  }
  kvErrorBuf(&p->err, &pHeld->bytes);
}

/* A full-text index follows, at once or later.  With each savepoint that is opened, and that
** is whenever an entry is written, FTS5 writes what it keeps in memory: at twice the cost of
** the rest, if that is one document. */
static void indexWriteSearch(Maintain *m, const KvIndexDef *pDef){
  KvStore *p = m->pStore;
  int bLater = p->pWrite->bLater && (m->mStep & KVINDEX_STRICT);
  if( !(m->mStep & KVINDEX_ADD) ) return;
  if( !p->pWrite->bLater ) p->search.nWait = 0;
  if( bLater ) p->search.nWait++;
  else if( kvSearchFollow(p, pDef, m->row.key, m->bThere ? &p->indexWork.now : 0, &m->nAdded) ){
    return;
  }
  m->bLeft = 1;
}

/* A published table follows. */
static void indexWriteTable(Maintain *m, const KvIndexDef *pDef){
  KvStore *p = m->pStore;
  if( m->mStep & KVINDEX_ADD ) p->pPublisher->xFollow(p, pDef, m->row.key);
}

/* One index follows. */
static void indexWriteIndex(Maintain *m, const KvIndexDef *pDef){
  KvStore *p = m->pStore;
  MaintainMerge merge;
  KvBytes ik;
  int i;
  if( pDef->mOptions & KVINDEX_APART ){
    if( pDef->mOptions & KVINDEX_TABLE ) indexWriteTable(m, pDef);
    else indexWriteSearch(m, pDef);
    return;
  }
  indexWriteKeys(m, pDef);
  memset(&merge, 0, sizeof(merge));
  merge.apList[0] = &p->indexWork.wanted;
  merge.apList[1] = &p->indexWork.there;
  indexWriteRows(m, pDef, merge);
  while( !kvFailed(&p->err) && (i = indexWriteNext(&merge, &ik))!=0 ){
    indexWriteMake(m, pDef, ik, i);
  }
}

/* The primary entry has what the indexes have made of it. */
static void indexWriteHeld(Maintain *m){
  KvStore *p = m->pStore;
  if( m->bChanged && !kvFailed(&p->err) ) kvIndexHeldSet(p, m->row.key, &p->indexWork.held);
}

/* Look a primary entry up, and the index entries that it has. */
static void indexWriteRead(Maintain *m){
  KvStore *p = m->pStore;
  KvFound *pFound = &p->indexWork.current;
  if( kvRowFind(p, m->row.key, kvNow(), 1, pFound) ){
    m->row.value = kvBufBytes(&pFound->v);
    m->row.eEncoding = pFound->eEncoding;
    m->row.iExpires = pFound->iExpires;
    m->bThere = kvIndexEntryRead(p, &p->indexWork.now, pFound->eEncoding, m->row.value)!=0;
    m->bMalformed = !m->bThere;
  }
}

static void indexWriteLook(Maintain *m){
  indexWriteRead(m);
  kvIndexHeld(m->pStore, m->row.key, &m->pStore->indexWork.rows);
}

u32 kvIndexMaintain(KvStore *p, const KvIndexDef *pDef, KvBytes pk, int mStep){
  Maintain m = { .pStore = p, .row = { .key = pk }, .bLook = 1, .mStep = mStep };
  KvBytes ik;
  u32 i = 0;
  KV_ASSERT( p->indexes.bBusy && kvIndexDefCovers(pDef, pk) );
  indexWriteLook(&m);
  kvListReset(&p->indexWork.held);
  while( kvListNext(&p->indexWork.rows, &i, &ik) ){
    if( !kvIndexDefOwns(pDef, ik) ) kvListAdd(&p->indexWork.held, ik);
  }
  indexWriteIndex(&m, pDef);
  indexWriteHeld(&m);
  return m.nAdded;
}

/* Does any index cover a key that none owns? */
static int indexWriteCovered(const KvStore *p, KvBytes key){
  u32 i;
  if( kvIndexOwner(p, key) ) return 0;
  for(i=0; i<kvIndexCount(p); i++){
    if( kvIndexDefCovers(kvIndexAt(p, i), key) ) return 1;
  }
  return 0;
}

/* All indexes that cover the key follow. */
static void indexWriteAll(Maintain *m){
  KvStore *p = m->pStore;
  u32 i;
  kvListReset(&p->indexWork.held);
  for(i=0; i<kvIndexCount(p) && !kvFailed(&p->err); i++){
    const KvIndexDef *pDef = kvIndexAt(p, i);
    if( kvIndexDefCovers(pDef, m->row.key) ) indexWriteIndex(m, pDef);
  }
  indexWriteHeld(m);
}

/* Primary entries and index entries follow what was written, here (KVINDEX_STRICT) or by
** others.  What triggers of others write is noted while it is brought up: so it is done
** before. */
int kvIndexFollow(KvStore *p, KvBytes key, int mStep){
  Maintain m = { .pStore = p, .row = { .key = key }, .mStep = mStep,
                 .bLook = p->indexes.eFresh==KVFRESH_ALL };
  const KvIndexDef *pOwner = kvIndexOwner(p, key);
  int bAll = 1;
  if( !kvIndexEnter(p) ) return 0;
  if( pOwner ){
    if( mStep & KVINDEX_ADD ) bAll = kvIndexEntryFollow(p, pOwner, key);
    if( !bAll ) kvDirtyAdd(p, key);
    if( bAll && p->indexes.eFresh==KVFRESH_ALL ) kvDirtyDone(p, key);
  }else{
    if( p->indexes.eFresh>=KVFRESH_DIRTY && (mStep & KVINDEX_STRICT) ) kvDirtyDone(p, key);
    if( indexWriteCovered(p, key) ){
      indexWriteLook(&m);
      indexWriteAll(&m);
    }
    if( m.bLeft ) kvDirtyAdd(p, key);
    bAll = !m.bLeft;
  }
  kvIndexLeave(p);
  return bAll;
}

static void indexWriteList(KvStore *p, const KvList *pList, int mStep){
  KvBytes key;
  u32 i = 0;
  while( !kvFailed(&p->err) && kvListNext(pList, &i, &key) ) kvIndexFollow(p, key, mStep);
}

u32 kvIndexDocument(KvStore *p, const KvIndexDef *pDef, KvBytes pk){
  Maintain m = { .pStore = p, .row = { .key = pk }, .mStep = KVINDEX_ADD };
  KV_ASSERT( p->indexes.bBusy && (pDef->mOptions & KVINDEX_APART) );
  if( !kvIndexDefCovers(pDef, pk) || kvIndexOwner(p, pk) ) return 0;
  if( pDef->mOptions & KVINDEX_TABLE ){
    indexWriteTable(&m, pDef);
    return 1;
  }
  indexWriteRead(&m);
  indexWriteSearch(&m, pDef);
  return m.nAdded;
}

/* ---- what is written here ------------------------------------------------ */

static int indexWriteExpired(i64 iExpires){
  return iExpires>=0 && iExpires<=kvNow();
}

/* The entry before is known to be what the indexes show, if its key isn't dirty. */
void kvIndexBefore(KvStore *p, KvBytes key, const KvFound *pOld, KvBefore *pBefore){
  int eFresh = p->indexes.eFresh;
  pBefore->bKnown = 0;
  kvBufInit(&pBefore->own.v, pBefore->aSpace, sizeof(pBefore->aSpace));
  if( kvFailed(&p->err) || eFresh==KVFRESH_UNKNOWN || p->pWrite->pDefer || !p->pWrite->bGuard
   || !indexWriteCovered(p, key) || (eFresh>=KVFRESH_DIRTY && kvDirtyHas(p, key))
  ){
    return;
  }
  pBefore->pFound = pOld ? pOld : &pBefore->own;
  if( pOld==0 ) kvRowFind(p, key, -1, 1, &pBefore->own);       /* before all expiry */
  /* One that has expired may have no index entries */
  pBefore->bKnown = !(pBefore->pFound->bFound && indexWriteExpired(pBefore->pFound->iExpires));
}

/* Are the values at the paths of an index the same before and after? */
static int indexWriteSame(const KvIndexDef *pDef, KvBytes before, KvBytes now){
  const KvIndexSpec *pSpec = &pDef->spec;
  return !(pDef->mOptions & (KVINDEX_COPY|KVINDEX_TABLE))
      && kvV8Same(before, now, pSpec->aPath, pSpec->nPath)
      && (pSpec->where.n==0 || kvV8Same(before, now, &pSpec->where, 1));
}

/* Is no index concerned, since nothing at its paths has changed? */
static int indexWriteUnconcerned(const KvStore *p, const KvFound *pOld, const KvRow *pNew){
  u32 i;
  if( !pOld->bFound || pOld->eEncoding!=1 || pNew->eEncoding!=1 || pOld->iExpires!=pNew->iExpires ){
    return 0;
  }
  for(i=0; i<kvIndexCount(p); i++){
    const KvIndexDef *pDef = kvIndexAt(p, i);
    if( kvIndexDefCovers(pDef, pNew->key)
     && !indexWriteSame(pDef, kvBufBytes(&pOld->v), pNew->value)
    ){
      return 0;
    }
  }
  return 1;
}

/* The indexes follow from what was there to what is, without a look at either. */
static void indexWriteKnown(KvStore *p, KvBytes key, const KvFound *pOld, const KvRow *pNew){
  KvIndexWork *pWork = &p->indexWork;
  Maintain m = { .pStore = p, .row = { .key = key }, .pKnown = pOld,
                 .mStep = KVINDEX_REMOVE|KVINDEX_ADD|KVINDEX_STRICT };
  if( pNew && indexWriteUnconcerned(p, pOld, pNew) ) return;
  if( !kvIndexEnter(p) ) return;
  if( pNew && !indexWriteExpired(pNew->iExpires) ){
    m.row = *pNew;
    m.bThere = kvIndexEntryRead(p, &pWork->now, pNew->eEncoding, pNew->value)!=0;
    m.bMalformed = !m.bThere;
  }
  if( pOld->bFound ){
    m.bBefore = kvIndexEntryRead(p, &pWork->before, pOld->eEncoding, kvBufBytes(&pOld->v))!=0;
  }
  indexWriteAll(&m);
  if( m.bLeft ) kvDirtyAdd(p, key);
  kvIndexLeave(p);
}

void kvIndexUpdated(KvStore *p, KvBytes key, KvBefore *pBefore, u32 mSet, const KvRow *pNew){
  KvRow row = *pNew;
  row.key = key;
  if( pBefore->bKnown && !pBefore->pFound->bFound ) pBefore->bKnown = 0;
  if( pBefore->bKnown && !(mSet & KVSET_EXPIRY) ) row.iExpires = pBefore->pFound->iExpires;
  if( pBefore->bKnown && !(mSet & KVSET_VALUE) ){
    row.value = kvBufBytes(&pBefore->pFound->v);
    row.eEncoding = pBefore->pFound->eEncoding;
  }
  kvIndexWritten(p, key, pBefore, &row);
}

void kvIndexWritten(KvStore *p, KvBytes key, KvBefore *pBefore, const KvRow *pNew){
  KvList *pDefer = p->pWrite->pDefer;
  int bIndexes = (kvSchemaKnown(p) & KVKNOWN_INDEXES) && kvIndexCount(p)>0 && !kvFailed(&p->err);
  if( bIndexes && pDefer ){
    kvListAdd(pDefer, key);
    kvErrorBuf(&p->err, &pDefer->bytes);
  }else if( bIndexes && pBefore->bKnown ){
    indexWriteKnown(p, key, pBefore->pFound, pNew);
  }else if( bIndexes ){
    kvIndexFollow(p, key, KVINDEX_REMOVE|KVINDEX_ADD|KVINDEX_STRICT);
  }
  kvBufClear(&pBefore->own.v);
}

void kvIndexDefer(KvStore *p, KvList *pList){
  KV_ASSERT( p->pWrite->pDefer==0 );
  if( kvSchemaKnown(p) & KVKNOWN_INDEXES ) p->pWrite->pDefer = pList;
}

void kvIndexDeferEnd(KvStore *p){
  KvList *pList = p->pWrite->pDefer;
  p->pWrite->pDefer = 0;
  if( pList==0 || kvFailed(&p->err) ) return;
  kvListSort(pList);
  kvErrorBuf(&p->err, &pList->bytes);
  indexWriteList(p, pList, KVINDEX_REMOVE|KVINDEX_STRICT);
  indexWriteList(p, pList, KVINDEX_ADD|KVINDEX_STRICT);
}
