/*
** index_maintain.c -- index maintenance.  See index_maintain.h.
**
** All of it comes down to two steps, which may be repeated without harm:
**
**   kvIndexMaintain(pk)    change the rows of kv_index_row to what the primary
**                          entry's value asks for, and then
**   kvIndexEntryMake(ik)   make each index entry that is concerned what its rows
**                          say
**
** An entry whose key an index owns is never a primary entry.  If one is written
** through this library, it is made what it has to be.
*/
#include "store/store_int.h"
#include "store/feed.h"
#include "store/index_entry.h"
#include "store/index_maintain.h"

/* Two sorted lists, as one without double keys. */
typedef struct MaintainMerge MaintainMerge;
struct MaintainMerge {
  const KvList *apList[2];
  u32 ai[2];              /* How far each was read */
  KvBytes aNext[2];       /* Their next keys */
  int mNext;              /* In which list there is one: 1, 2 */
};

/* The next key, and in which lists it is: 1, 2 or both; 0 at the end. */
static int maintainNext(MaintainMerge *p, KvBytes *pKey){
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

u32 kvIndexMaintain(KvStore *p, const KvIndexDef *pDef, KvBytes pk, int mStep){
  MaintainMerge merge, again;
  KvBytes ik;
  u32 nAdded = 0;
  int m, bSame;
  KV_ASSERT( p->indexes.bBusy && kvIndexDefCovers(pDef, pk) );
  memset(&merge, 0, sizeof(merge));
  merge.apList[0] = kvIndexEntryWanted(p, pDef, pk);
  merge.apList[1] = kvIndexEntryHas(p, pDef, pk);
  again = merge;
  bSame = kvBytesEqual(kvBufBytes(&merge.apList[0]->bytes), kvBufBytes(&merge.apList[1]->bytes));
  /* If one can't be added none has been removed, and it can be tried again */
  while( !bSame && (mStep & KVINDEX_ADD) && (m = maintainNext(&merge, &ik))!=0 ){
    if( m!=1 ) continue;
    kvIndexEntryAdd(p, pDef, ik, pk, mStep & KVINDEX_STRICT);
    nAdded++;
  }
  merge = again;
  while( !bSame && (mStep & KVINDEX_REMOVE) && (m = maintainNext(&merge, &ik))!=0 ){
    if( m==2 ) kvIndexEntryRemove(p, ik, pk);
  }
  while( !kvFailed(&p->err) && (m = maintainNext(&again, &ik))!=0 ){
    if( mStep & (m==2 ? KVINDEX_REMOVE : KVINDEX_ADD) ) kvIndexEntryMake(p, pDef, ik);
  }
  return nAdded;
}

void kvIndexFollow(KvStore *p, KvBytes key, int mStep){
  const KvIndexDef *pDef = kvIndexOwner(p, key);
  u32 i;
  if( !kvIndexEnter(p) ) return;
  if( mStep & KVINDEX_ADD ) kvIndexEntryNoted(p, key);
  if( pDef ){
    if( mStep & KVINDEX_ADD ) kvIndexEntryMake(p, pDef, key);
  }else{
    for(i=0; i<kvIndexCount(p); i++){
      pDef = kvIndexAt(p, i);
      if( kvIndexDefCovers(pDef, key) ) kvIndexMaintain(p, pDef, key, mStep);
    }
  }
  kvIndexLeave(p);
}

static void maintainList(KvStore *p, const KvList *pList, int mStep){
  KvBytes key;
  u32 i = 0;
  while( !kvFailed(&p->err) && kvListNext(pList, &i, &key) ) kvIndexFollow(p, key, mStep);
}

int kvIndexPending(KvStore *p){
  KvStmt *pStmt;
  int bPending;
  if( !(kvSchemaKnow(p) & KVKNOWN_PENDING) ) return 0;
  pStmt = kvStmtTake(p, KVSQL_INDEX_PENDING_ANY);
  bPending = kvFeedRow(pStmt);
  kvStmtGive(pStmt);
  return bPending;
}

/* ---- what is written here ------------------------------------------------ */

void kvIndexWritten(KvStore *p, KvBytes key){
  if( !(kvSchemaKnown(p) & KVKNOWN_INDEXES) || kvIndexCount(p)==0 || kvFailed(&p->err) ) return;
  if( p->work.pDefer ){
    kvListAdd(p->work.pDefer, key);
    kvErrorBuf(&p->err, &p->work.pDefer->bytes);
  }else{
    kvIndexFollow(p, key, KVINDEX_REMOVE|KVINDEX_ADD|KVINDEX_STRICT);
  }
}

void kvIndexDefer(KvStore *p, KvList *pList){
  KV_ASSERT( p->work.pDefer==0 );
  if( kvSchemaKnown(p) & KVKNOWN_INDEXES ) p->work.pDefer = pList;
}

void kvIndexDeferEnd(KvStore *p){
  KvList *pList = p->work.pDefer;
  p->work.pDefer = 0;
  if( pList==0 || kvFailed(&p->err) ) return;
  kvListSort(pList);
  kvErrorBuf(&p->err, &pList->bytes);
  maintainList(p, pList, KVINDEX_REMOVE|KVINDEX_STRICT);
  maintainList(p, pList, KVINDEX_ADD|KVINDEX_STRICT);
}
