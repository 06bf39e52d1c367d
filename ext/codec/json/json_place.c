/*
** json_place.c -- a merge under way.  See json_place.h.
*/
#include "codec/json/json_place.h"
#include "bytes/memory.h"
#include "codec/js/js_parse.h"
#include "codec/num/num.h"
#include "codec/print.h"
#include "codec/value_order.h"

/*************************************************************************
** Errors
*/

void kvMergeFail(KvMerge *p, int eCode, const char *zMsg){
  if( p->rc==KV_OK ) p->rc = kvErrSet(p->pErr, eCode, -1, zMsg);
}

void kvMergeNoMem(KvMerge *p){
  kvMergeFail(p, KV_NOMEM, "out of memory");
}

/* True if a key can stand in a path without quotes. */
static int placePlainKey(KvBytes key){
  u32 i;
  for(i=0; i<key.n; i++){
    u8 c = key.p[i];
    if( c>=0x80 || c=='_' || c=='$' || (c>='0' && c<='9') ) continue;
    if( (c|0x20)<'a' || (c|0x20)>'z' ) return 0;
  }
  return key.n>0;
}

/* Append the step that leads to a place. */
static void placeStep(KvMerge *p, const KvPlace *pPlace){
  if( pPlace->eName==KV_PLACE_INDEX ){
    kvBufPut(p->pPath, '[');
    kvPrintInt(p->pPath, pPlace->iName);
    kvBufPut(p->pPath, ']');
  }else if( pPlace->eName==KV_PLACE_KEY ){
    const KvNode *pKey = &p->shown.aNode[pPlace->iName];
    KV_ASSERT( pKey->eKind==KV_NUMBER || pKey->eKind==KV_STRING );
    kvBufPut(p->pPath, '.');
    if( pKey->eKind==KV_NUMBER ){
      kvPrintNumber(p->pPath, pKey->u.r);
    }else if( placePlainKey(kvNodeBytes(pKey)) ){
      kvBufAdd(p->pPath, kvNodeBytes(pKey));
    }else{
      kvPrintString(p->pPath, pKey);
    }
  }
}

void kvMergeRefuse(KvMerge *p, u32 iPlace, const char *zMsg){
  u32 i = iPlace, iDown = iPlace, iOld = p->aPlace[iPlace].iOld, iUp;
  if( p->rc!=KV_OK ) return;
  p->iPart = iOld==KV_NO_NODE ? 0 : kvDeref(p->pOld, iOld);
  for(;; i=iUp){
    iUp = p->aPlace[i].iParent;
    p->aPlace[i].iParent = iDown;
    iDown = i;
    if( p->aPlace[i].eName==KV_PLACE_ROOT ) break;
  }
  kvBufPut(p->pPath, '$');
  while( i!=iPlace ){
    i = p->aPlace[i].iParent;
    placeStep(p, &p->aPlace[i]);
  }
  kvMergeFail(p, KV_REFUSED, zMsg);
}

void kvMergePush(
  KvMerge *p, u32 iOld, u32 iShown, u32 iNew, u32 iParent, u8 eName, u32 iName
){
  const KvPlace place = { iOld, iShown, iNew, iParent, iName, eName, 0 };
  KvPlace *a;
  if( p->rc!=KV_OK ) return;
  a = kvReserve(p->aPlace, &p->nPlaceAlloc, (u64)p->nPlace+1, sizeof(KvPlace));
  if( a==0 ){
    kvMergeNoMem(p);
    return;
  }
  p->aPlace = a;
  a[p->nPlace++] = place;
}

void kvMergeRefuseItem(KvMerge *p, u32 iPlace, u32 i, const char *zMsg){
  const KvItem *pItem = &p->match.stored.a[i];
  kvMergePush(p, pItem->iOld, pItem->iNode, 0, iPlace, KV_PLACE_INDEX, i);
  kvMergeRefuse(p, p->nPlace-1, zMsg);
}

/*************************************************************************
** What stays
*/

static void placeCopyPush(KvMerge *p, u32 iA, u32 iB){
  void *a = kvReserve(p->aCopy, &p->nCopyAlloc, (u64)p->nCopy+1, sizeof(p->aCopy[0]));
  if( a==0 ){
    kvMergeNoMem(p);
    return;
  }
  p->aCopy = a;
  p->aCopy[p->nCopy][0] = iA;
  p->aCopy[p->nCopy++][1] = iB;
}

void kvMergeSet(KvMerge *p, u32 iNew, const KvNode *pFrom){
  KvNode *pTo = &p->pNew->aNode[iNew];
  u32 iNext = pTo->iNext;
  *pTo = *pFrom;
  pTo->iNext = iNext;
  pTo->iChild = 0;
  pTo->eSpare = 0;
  pTo->mFlags &= (u8)~(KVN_SHARED|KVN_MARK);
}

void kvMergeRef(KvMerge *p, u32 iNew, u32 iTarget){
  KvNode *pRef = kvNodeBecome(&p->pNew->aNode[iNew], KV_REF);
  pRef->iChild = 0;
  pRef->n = iTarget;
  p->pNew->aNode[iTarget].mFlags |= KVN_SHARED;
  p->pNew->nRef++;
}

/* If iOld stands already somewhere in the result, as it is or, if iNew is inside
** of it, changed: make iNew a REF to that. */
static int placeKnown(KvMerge *p, u32 iOld, u32 iNew){
  u32 iAt;
  if( p->aObject==0 || !KV_IS_OBJECT(p->pOld->aNode[iOld].eKind) ) return 0;
  iAt = *kvMergeWord(p, iOld, KV_OBJ_OPEN);
  if( iAt==0 ) iAt = *kvMergeWord(p, iOld, KV_OBJ_KEPT);
  if( iAt==0 ){
    *kvMergeWord(p, iOld, KV_OBJ_KEPT) = iNew+1;
    return 0;
  }
  kvMergeRef(p, iNew, iAt-1);
  return 1;
}

/* Copy a node, and nodes for its children, whose own are left to be copied. */
static void placeCopyNode(KvMerge *p, u32 iOld, u32 iNew){
  const KvNode *aOld = p->pOld->aNode;
  u32 iChild, iLast = 0;
  kvMergeSet(p, iNew, &aOld[iOld]);
  for(iChild=aOld[iOld].iChild; iChild; iChild=aOld[iChild].iNext){
    u32 i = kvTreeAdd(p->pNew, KV_NULL);
    if( i==KV_NO_NODE ){
      kvMergeNoMem(p);
      return;
    }
    if( iLast ) p->pNew->aNode[iLast].iNext = i;
    else p->pNew->aNode[iNew].iChild = i;
    iLast = i;
    if( aOld[iChild].eKind!=KV_REF && !KV_IS_OBJECT(aOld[iChild].eKind) ){
      kvMergeSet(p, i, &aOld[iChild]);
    }else{
      placeCopyPush(p, iChild, i);
    }
  }
}

void kvMergeCopy(KvMerge *p, u32 iOld, u32 iNew){
  KV_ASSERT( p->nCopy==0 );
  placeCopyPush(p, iOld, iNew);
  while( p->rc==KV_OK && p->nCopy ){
    p->nCopy--;
    iOld = kvDeref(p->pOld, p->aCopy[p->nCopy][0]);
    iNew = p->aCopy[p->nCopy][1];
    if( !placeKnown(p, iOld, iNew) ) placeCopyNode(p, iOld, iNew);
  }
}

int kvMergeAlike(KvMerge *p, u32 iA, u32 iB){
  const KvNode *aOld = p->pOld->aNode;
  int bAlike = 1;
  if( iA==iB || iA==KV_NO_NODE || iB==KV_NO_NODE ) return iA==iB;
  placeCopyPush(p, iA, iB);
  while( p->rc==KV_OK && p->nCopy && bAlike ){
    p->nCopy--;
    iA = p->aCopy[p->nCopy][0];
    iB = p->aCopy[p->nCopy][1];
    if( kvDeref(p->pOld, iA)==kvDeref(p->pOld, iB) ) continue;
    bAlike = kvNodeAlike(&aOld[iA], &aOld[iB]) && aOld[iA].eKind!=KV_REF;
    iA = aOld[iA].iChild;
    iB = aOld[iB].iChild;
    for(; p->rc==KV_OK && iA && iB; iA=aOld[iA].iNext, iB=aOld[iB].iNext) placeCopyPush(p, iA, iB);
    if( iA || iB ) bAlike = 0;
  }
  p->nCopy = 0;
  return bAlike;
}

void kvMergeNumber(KvNode *pNode){
  double r = 0.0;
  if( pNode->eKind!=KV_BIGINT || pNode->eSpare!=KV_DIGITS ) return;
  kvNumParse(kvNodeBytes(pNode), &r);
  if( pNode->eSub ) r = -r;
  kvNodeBecome(pNode, KV_NUMBER)->u.r = r;
}
