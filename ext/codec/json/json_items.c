/*
** json_items.c -- merging containers.  See json_items.h; the rules are at the
** head of json_merge.c.
*/
#include "codec/json/json_items.h"
#include "bytes/memory.h"
#include "codec/num/num.h"
#include "codec/print.h"
#include "codec/value_order.h"

/*************************************************************************
** The items of a container
*/

/* The items that the JSON node iNode of aNode has: pairs of an OBJECT (or, if
** bPairs, of an ARRAY of them), or elements of an ARRAY.  False: no pairs. */
static int itemsRead(KvMerge *p, KvItems *pList, const KvNode *aNode, u32 iNode, int bPairs){
  const int bObject = aNode[iNode].eKind==KV_OBJECT;
  u32 i;
  pList->n = 0;
  for(i=aNode[iNode].iChild; i; i=aNode[i].iNext){
    KvItem *pItem = kvItemAdd(pList);
    if( pItem==0 ){
      kvMergeNoMem(p);
      return 1;
    }
    pItem->iNode = i;
    if( bObject ){
      pItem->iVal = i = aNode[i].iNext;
    }else if( bPairs ){
      if( aNode[i].eKind!=KV_ARRAY || aNode[i].n!=2 ) return 0;
      pItem->iNode = aNode[i].iChild;
      pItem->iVal = aNode[pItem->iNode].iNext;
    }
  }
  return 1;
}

/* The items of the container at a place: the stored and the new ones. */
static void itemsBoth(KvMerge *p, u32 iPlace, int bPairs){
  const KvPlace place = p->aPlace[iPlace];
  if( !itemsRead(p, &p->match.stored, p->shown.aNode, place.iShown, bPairs)
   || !itemsRead(p, &p->match.fresh, p->aGiven, place.iNew, bPairs)
  ){
    kvMergeRefuse(p, iPlace, KV_MERGE_NOT_ONE);
  }
}

/*
** Give the stored items of an OBJECT or MAP their nodes of the stored value.
** The list has those that are shown, in the order of the text; it gets the
** hidden ones in addition.  Members of objects that are undefined are hidden, and
** entries of a Map that is (bDict) or will be (bText) shown as one.
*/
static void itemsStoredPairs(KvMerge *p, u32 iOld, int bDict, int bText){
  const KvNode *aOld = p->pOld->aNode;
  KvItems shown = p->match.stored;
  u32 iKey, k = 0;
  memset(&p->match.stored, 0, sizeof(p->match.stored));
  for(iKey=aOld[iOld].iChild; iKey && p->rc==KV_OK; iKey=aOld[aOld[iKey].iNext].iNext){
    const u32 iVal = aOld[iKey].iNext;
    const int bUndefined = aOld[iVal].eKind==KV_UNDEFINED;
    KvItem *pItem = kvItemAdd(&p->match.stored);
    if( pItem==0 ){
      kvMergeNoMem(p);
    }else if( bDict && bUndefined ){
      pItem->iNode = p->aHidden[iKey];
      pItem->bHidden = 1;
    }else if( k<shown.n ){
      pItem->iNode = shown.a[k].iNode;
      pItem->iVal = shown.a[k++].iVal;           /* hidden in the new form: */
      pItem->bHidden = bText && bUndefined && aOld[iKey].eKind==KV_STRING;
    }else{
      kvMergeFail(p, KV_CORRUPT, "the stored value has a duplicate key");
    }
    if( pItem ){
      pItem->iOld = iKey;
      pItem->iOldVal = iVal;
    }
  }
  kvFree(shown.a);
}

/* Do the same with the elements of an ARRAY or SET. */
static void itemsStoredElements(KvMerge *p, u32 iOld){
  u32 iNext = p->pOld->aNode[iOld].iChild, nDone = 0, k;
  for(k=0; k<p->match.stored.n; k++){
    u32 i = kvNextElement(p->pOld, iOld, &iNext, &nDone);
    p->match.stored.a[k].iOld = i ? i : KV_NO_NODE;
  }
}

/* Does the element hold more than its JSON? */
static int itemsIsMore(const KvMerge *p, const KvItem *pItem){
  return pItem->iOld==KV_NO_NODE || p->aMore[pItem->iOld];
}

/* Is the element, or key, null, a boolean, a number or a string? */
static int itemsIsPrimitive(const KvMerge *p, const KvItem *pItem){
  if( pItem->iOld==KV_NO_NODE ) return 1;
  switch( p->pOld->aNode[pItem->iOld].eKind ){
    case KV_UNDEFINED: case KV_NULL: case KV_BOOL: case KV_NUMBER: case KV_STRING:
      return 1;
    default:
      return 0;
  }
}

/* Does nothing get lost with an item but what its JSON shows (and -0, NaN and
** undefined)?  A key that is a primitive goes as the key of a member does. */
static int itemsMayGo(const KvMerge *p, const KvItem *pItem, int bKeys){
  if( itemsIsPrimitive(p, pItem) ) return 1;
  return !itemsIsMore(p, pItem) && !(bKeys && p->aMore[pItem->iOldVal]);
}

/*************************************************************************
** Matching
*/

/* Rule 10, and if bUnique: the new JSON has no more than what is stored of
** anything that it has twice. */
static void itemsCheckGroups(KvMerge *p, u32 iPlace, int bUnique){
  const KvItem *aStored = p->match.stored.a;
  u32 i = 0;
  while( i<p->match.nSort && p->rc==KV_OK ){
    u32 nStored, nFresh, iAt = i, k;
    kvMatchGroup(&p->match, &i, &nStored, &nFresh);
    if( bUnique && nFresh>1 && nFresh>nStored ) kvMergeRefuse(p, iPlace, KV_MERGE_TWICE);
    if( nFresh==0 || nStored==nFresh ) continue;
    for(k=1; k<nStored; k++){
      u32 iA = p->match.aSort[iAt].i, iB = p->match.aSort[iAt+k].i;
      if( kvMergeAlike(p, aStored[iA].iOld, aStored[iB].iOld) ) continue;
      kvMergeRefuseItem(p, iPlace, itemsIsMore(p, &aStored[iA]) ? iA : iB,
          "and one of several parts of different types with the same JSON, and the new "
          "JSON has a different number of them");
    }
  }
}

/* Mates in a segment of n stored and n new items, from iS and iF on. */
static void itemsSegment(KvMerge *p, int bKeys, u32 iS, u32 iF, u32 n){
  u32 k;
  for(k=0; k<n; k++){
    KvItem *pS = &p->match.stored.a[iS+k], *pF = &p->match.fresh.a[iF+k];
    if( bKeys && itemsIsPrimitive(p, pS) ) continue;
    pS->iMate = iF+k+1;
    pF->iMate = iS+k+1;
  }
}

/* The first item, from i on, that has (bMate), or hasn't, a mate. */
static u32 itemsNext(const KvItems *pList, u32 i, int bMate){
  while( i<pList->n && (pList->a[i].iMate!=0)!=bMate ) i++;
  return i;
}

/* Rule 9: mates for what is left between those of the same JSON. */
static void itemsSegments(KvMerge *p, int bKeys){
  const KvItems *pS = &p->match.stored, *pF = &p->match.fresh;
  u32 iS = 0, iF = 0;
  for(;;){
    u32 iEndS = itemsNext(pS, iS, 1), iEndF = itemsNext(pF, iF, 1);
    if( iEndS-iS==iEndF-iF ) itemsSegment(p, bKeys, iS, iF, iEndS-iS);
    if( iEndS>=pS->n ) return;
    iS = iEndS+1;
    iF = iEndF+1;
  }
}

/* Rule 9, after items of the same JSON have found each other. */
static void itemsCheckRest(KvMerge *p, u32 iPlace, int bKeys){
  const KvItems *pS = &p->match.stored, *pF = &p->match.fresh;
  u32 i;
  if( kvMatchOrdered(&p->match) ) itemsSegments(p, bKeys);
  if( itemsNext(pF, 0, 0)>=pF->n ) return;       /* nothing that one might be */
  for(i=0; i<pS->n; i++){
    if( pS->a[i].iMate==0 && !itemsMayGo(p, &pS->a[i], bKeys) ){
      kvMergeRefuseItem(p, iPlace, i,
          "and the new JSON doesn't determine what becomes of it: elements were added, "
          "removed or moved beside changed ones");
    }
  }
}

static void itemsMatch(KvMerge *p, int bGroups){
  if( p->rc==KV_OK && kvMatchItems(&p->match, bGroups)!=KV_OK ) kvMergeNoMem(p);
}

/*************************************************************************
** The result
*/

/* A place for each new item that has a stored one: of elements; with bValues of
** values, and with bKeys of keys too.  With bText the new keys are texts. */
static void itemsPush(KvMerge *p, u32 iPlace, int bValues, int bKeys, int bText){
  u32 i;
  for(i=p->match.fresh.n; i-->0 && p->rc==KV_OK; ){
    const KvItem *pNew = &p->match.fresh.a[i];
    const u32 iAt = pNew->iMate-1;
    const KvItem *pOld = pNew->iMate ? &p->match.stored.a[iAt] : 0;
    if( pOld==0 || pOld->bHidden ) continue;
    if( !bValues || bKeys ){
      kvMergePush(p, pOld->iOld, pOld->iNode, pNew->iNode, iPlace, KV_PLACE_INDEX, iAt);
    }
    if( bValues ){
      int bIndex = bKeys && !(bText && p->shown.aNode[pOld->iNode].eKind==KV_STRING);
      kvMergePush(p, pOld->iOldVal, pOld->iVal, pNew->iVal, iPlace,
                  bIndex ? KV_PLACE_INDEX : KV_PLACE_KEY, bIndex ? iAt : pOld->iNode);
    }
  }
}

/* Add the pair of a hidden item after the pair whose key is iPrev, 0: first.
** Returns its key. */
static u32 itemsShowHidden(KvMerge *p, u32 iOwner, const KvItem *pItem, u32 iPrev){
  u32 iKey = kvTreeAdd(p->pNew, KV_NULL);
  u32 iVal = kvTreeAdd(p->pNew, KV_UNDEFINED);
  KvNode *aNew = p->pNew->aNode;
  u32 *piLink = iPrev ? &aNew[aNew[iPrev].iNext].iNext : &aNew[iOwner].iChild;
  if( iKey==KV_NO_NODE || iVal==KV_NO_NODE ){
    kvMergeNoMem(p);
    return iPrev;
  }
  kvMergeSet(p, iKey, &p->pOld->aNode[pItem->iOld]);
  aNew[iKey].iNext = iVal;
  aNew[iVal].iNext = *piLink;
  *piLink = iKey;
  aNew[iOwner].n++;
  return iKey;
}

/* Add all hidden pairs to the container at a place.  What the new JSON has for one
** must be what it is shown as: in pairs (not bText), null, which is undefined. */
static void itemsHiddenPairs(KvMerge *p, u32 iPlace, int bText){
  const u32 iOwner = p->aPlace[iPlace].iNew;
  u32 i, iPrev = 0;
  for(i=0; i<p->match.stored.n && p->rc==KV_OK; i++){
    const KvItem *pItem = &p->match.stored.a[i];
    if( pItem->iMate==0 ){
      if( pItem->bHidden ) iPrev = itemsShowHidden(p, iOwner, pItem, iPrev);
    }else{
      const KvItem *pNew = &p->match.fresh.a[pItem->iMate-1];
      KvNode *pVal = &p->pNew->aNode[pNew->iVal];
      iPrev = pNew->iNode;
      if( !pItem->bHidden ) continue;
      if( !bText && pVal->eKind==KV_NULL ){
        pVal->eKind = KV_UNDEFINED;
      }else{
        kvMergePush(p, pItem->iOldVal, 0, 0, iPlace, KV_PLACE_KEY, pItem->iNode);
        kvMergeRefuse(p, p->nPlace-1, KV_MERGE_UNSHOWN);
      }
    }
  }
}

void kvMergeObject(KvMerge *p, u32 iPlace, u32 iOld){
  const u32 iNew = p->aPlace[iPlace].iNew, n = p->pNew->aNode[iNew].n;
  KvNode *pNew;
  itemsBoth(p, iPlace, 1);
  itemsStoredPairs(p, iOld, 1, 1);
  itemsMatch(p, 0);
  itemsHiddenPairs(p, iPlace, 1);
  pNew = &p->pNew->aNode[iNew];
  if( p->rc==KV_OK && pNew->n!=n && kvTreeOrderPairs(p->pNew, &pNew->iChild, &pNew->n, 0)!=KV_OK ){
    kvMergeNoMem(p);
  }
  itemsPush(p, iPlace, 1, 0, 1);
}

/* An index that is the key of an object, as the string that it is in a Map. */
static void itemsKeyText(KvMerge *p, KvNode *pKey){
  const double r = pKey->u.r;
  u8 *a;
  if( pKey->eKind!=KV_NUMBER ) return;
  a = kvTreeSpace(p->pNew, KV_NUM_TEXT);
  if( a==0 ){
    kvMergeNoMem(p);
    return;
  }
  kvNodeBecome(pKey, KV_STRING)->eSub = KV_WTF8;
  pKey->n = (u32)kvNumPrint(r, (char*)a);
  pKey->u.p = a;
}

/* Make iNew a MAP or SET of the new items. */
static void itemsRelink(KvMerge *p, u32 iNew, u8 eKind, int bText){
  KvNode *aNew = p->pNew->aNode;
  u32 i, iLast = 0;
  if( p->rc!=KV_OK ) return;
  kvNodeBecome(&aNew[iNew], eKind)->n = p->match.fresh.n;
  aNew[iNew].iChild = 0;
  for(i=0; i<p->match.fresh.n; i++){
    const KvItem *pItem = &p->match.fresh.a[i];
    if( iLast ) aNew[iLast].iNext = pItem->iNode;
    else aNew[iNew].iChild = pItem->iNode;
    iLast = pItem->iNode;
    if( pItem->iMate==0 ) kvMergeNumber(&aNew[iLast]);
    if( bText ) itemsKeyText(p, &aNew[iLast]);
    if( pItem->iVal ){
      aNew[iLast].iNext = pItem->iVal;
      iLast = pItem->iVal;
    }
  }
  if( iLast ) aNew[iLast].iNext = 0;
}

/* Make texts of all keys of the object whose items are in the list, so that they
** can be compared with those of pairs. */
static void itemsKeyTexts(KvMerge *p, const KvItems *pList, KvNode *aNode, KvJsonIndex *pIndex){
  u32 i;
  for(i=0; i<pList->n && p->rc==KV_OK; i++){
    u32 iKey = pList->a[i].iNode;
    itemsKeyText(p, &aNode[iKey]);
    kvJsonRehash(pIndex, iKey);
  }
}

void kvMergeMap(KvMerge *p, u32 iPlace, u32 iOld){
  const KvPlace place = p->aPlace[iPlace];
  const int bDict = p->shown.aNode[place.iShown].eKind==KV_OBJECT;
  const int bText = p->aGiven[place.iNew].eKind==KV_OBJECT;
  itemsBoth(p, iPlace, 1);
  if( bDict ) kvMatchTextOrder(&p->match.stored);
  if( bText ) kvMatchTextOrder(&p->match.fresh);
  itemsStoredPairs(p, iOld, bDict, bText);
  if( bDict && !bText ) itemsKeyTexts(p, &p->match.stored, p->shown.aNode, &p->match.shown);
  if( bText && !bDict ) itemsKeyTexts(p, &p->match.fresh, p->aGiven, &p->match.given);
  itemsMatch(p, 1);
  itemsCheckGroups(p, iPlace, 1);
  if( !bDict && p->rc==KV_OK ) itemsCheckRest(p, iPlace, 1);
  itemsRelink(p, place.iNew, KV_MAP, bText);
  itemsHiddenPairs(p, iPlace, bText);
  itemsPush(p, iPlace, 1, !bDict, bText);
}

/* Give the result what the stored array has besides its elements. */
static void itemsProperties(KvMerge *p, u32 iOld, u32 iNew){
  const KvNode *aOld = p->pOld->aNode;
  u32 i = aOld[iOld].iChild, iLast = p->pNew->aNode[iNew].iChild, k;
  for(k=0; k<aOld[iOld].u.c.nElem; k++) i = aOld[i].iNext;
  while( iLast && p->pNew->aNode[iLast].iNext ) iLast = p->pNew->aNode[iLast].iNext;
  for(; i && p->rc==KV_OK; i=aOld[aOld[i].iNext].iNext){
    u32 iKey, iVal;
    if( aOld[i].eKind!=KV_STRING ) continue;
    iKey = kvTreeAdd(p->pNew, KV_NULL);
    iVal = kvTreeAdd(p->pNew, KV_NULL);
    if( iKey==KV_NO_NODE || iVal==KV_NO_NODE ){
      kvMergeNoMem(p);
      return;
    }
    kvMergeSet(p, iKey, &aOld[i]);
    p->pNew->aNode[iKey].iNext = iVal;
    if( iLast ) p->pNew->aNode[iLast].iNext = iKey;
    else p->pNew->aNode[iNew].iChild = iKey;
    iLast = iVal;
    p->pNew->aNode[iNew].u.c.nPair++;
    kvMergeCopy(p, aOld[i].iNext, iVal);
  }
}

void kvMergeElements(KvMerge *p, u32 iPlace, u32 iOld){
  const u32 iNew = p->aPlace[iPlace].iNew;
  const int bArray = p->pOld->aNode[iOld].eKind==KV_ARRAY;
  itemsBoth(p, iPlace, 0);
  itemsStoredElements(p, iOld);
  itemsMatch(p, 1);
  itemsCheckGroups(p, iPlace, !bArray);
  if( p->rc==KV_OK ) itemsCheckRest(p, iPlace, 0);
  if( bArray ) itemsProperties(p, iOld, iNew);
  else itemsRelink(p, iNew, KV_SET, 0);
  itemsPush(p, iPlace, 0, 0, 0);
}
