/*
** json_merge.c -- new JSON for a stored value: what of it stays as it is.
**
** JSON can't show all that a stored value is (json_print.c says how it shows
** the rest).  So the new JSON is compared, part by part, with the JSON of the
** stored value.  A part that JSON holds completely becomes what the new JSON is.
** Of the others,
**
**   1. a part whose JSON is the same stays as it is, with all that JSON doesn't show.
**
** Where the JSON of a part has changed, its type decides:
**
**   2. null, boolean, number, string, Object and Array become whatever the new
**      JSON is, each other too;
**   3. bigint takes digits: an integer or, written otherwise, a
**      number without a fraction up to 2^53-1; KvU64 takes those from 0 to 2^64-1;
**   4. Date takes the text of a date (date.c);
**   5. Boolean, Number, String and BigInt objects take what their content takes;
**   6. Map takes what it is shown as: an object if all its keys are strings, else
**      an array of pairs; Set takes an array.  No key and no element may be there
**      twice;
**   7. anything else is refused: undefined, RegExp, Error, typed arrays, buffers,
**      host objects, an Array with properties of its own, and the others where the
**      JSON isn't what they take.
**
** An Object that stays an Object, an Array that stays an Array, a Map and a Set
** are merged: their parts have these rules in turn.
**
**   8. Members, and the entries of a Map that is an object, match by name.  Those
**      that the new JSON lacks are gone; those that it has in addition are plain
**      JSON.  A member that is undefined isn't shown, and stays unless the new
**      JSON has its name: next to the member before it.  The order of all others
**      is the new one.
**   9. Elements of an Array or a Set match from the head and from the tail, as
**      long as their JSON is the same.  If then either has none left, these were
**      removed, or are new and plain JSON.  Else, if JSON holds all that is left
**      of the stored ones, that is replaced.  Else, if as many are left of both,
**      they match one by one.  Anything else is refused, and so is what might be
**      a move: an element that has changed and whose JSON is, elsewhere, that of
**      one that is new.
**  10. Of a Map that is an array of pairs, the keys match in that way, but don't
**      change.
**  11. Where stored elements of different types have the same JSON, and there
**      are not as many, nor none, of that in the new JSON, it is refused.
**  12. An object that occurs more than once in the stored value stays one object,
**      and isn't merged: if its JSON has changed it is refused.
**
**    stored                          new JSON               result
**    {a:1n, b:2}                     {"b":"x","a":5}        {b:"x", a:5n}
**    {a:1n}                          {"a":"x"}              refused: $.a
**    {a:undefined, b:1}              {"b":2}                {a:undefined, b:2}
**    [1n, 2n, 3n]                    [1,3]                  [1n, 3n]
**    [1n, 2n]                        [1,2,3]                [1n, 2n, 3]
**    [1n, 2n]                        [1,7]                  [1n, 7n]
**    [1n, 2n]                        [7]                    refused: $[0]
**    [1n, 2n]                        [2,1]                  refused: $[0]
**    [1n, 1]                         [1]                    refused: $[0]
**    [{d:new Date(0)}, {n:1}]        [{"d":null},{"n":1}]   refused: $[0].d
**    new Map([["a",1n]])             {"a":2,"b":3}          new Map([["a",2n],["b",3]])
**    new Set([1n])                   [1,1]                  refused: $
**
** The new JSON's tree becomes the result in place: each of its nodes is
** visited with the part of the stored value that it stands for, and is left,
** changed, or overwritten by a copy of that.  For n nodes in all this takes
** O(n log n) steps.
**
** Nothing is recursive: places to be visited are on a stack.  The place of a
** container that is open stays there until all below it is done; the open ones
** are the way down to the newest place.  Errors are sticky.
*/
#include "codec/json/json_merge.h"
#include "bytes/memory.h"
#include "codec/edit/retype.h"
#include "codec/js/js_parse.h"
#include "codec/json/json_print.h"
#include "codec/json/json_same.h"
#include "codec/num/num.h"
#include "codec/print.h"
#include "codec/value_check.h"
#include "codec/value_order.h"
#include "codec/value_string.h"
#include <stdlib.h>

/* A place to be visited: three nodes for the same part. */
typedef struct MergePlace MergePlace;
struct MergePlace {
  u32 iOld;               /* In the stored value; KV_NO_NODE: a hole */
  u32 iShown;             /* In its JSON */
  u32 iNew;               /* In the new JSON and the result */
  u32 iName;              /* KEY: the key's node in the result; INDEX: the index */
  u8 eName;               /* MERGE_xxx */
  u8 bOpen;               /* The container's parts are being done */
};
enum { MERGE_ROOT, MERGE_KEY, MERGE_INDEX };

/* An item of a container: an element, or a key with its value, 0 for an element. */
typedef struct MergeItem MergeItem;
struct MergeItem {
  u32 iNode, iVal;        /* In the tree of JSON */
  u32 iOld, iOldVal;      /* Of a stored item: in the stored value; KV_NO_NODE: a hole */
  u32 iMate;              /* 1 + index of its mate in the other list, 0: none */
  u8 bSame;               /* ... whose JSON, or whose key's, is the same */
};

typedef struct MergeItems MergeItems;
struct MergeItems {
  MergeItem *a;
  u32 n, nAlloc;
};

/* A name of a container's new members, or the JSON of an item, to be sorted. */
typedef struct MergeName MergeName;
struct MergeName {
  KvNode key;
  u32 i;                  /* Which of the new items */
};
typedef struct MergeHash MergeHash;
struct MergeHash {
  u64 h;
  u32 i;                  /* Which item; the new ones follow the stored ones */
};

typedef struct KvMerge KvMerge;
struct KvMerge {
  KvTree *pOld, *pNew;
  KvTree shown;           /* JSON of the stored value */
  KvBuf text;             /* ... as text */
  KvJsonIndex hadJson, newJson;
  u8 *aMore;              /* Of each stored node: JSON can't hold all of it */
  u32 *aKept;             /* Of each stored node: 1 + where it is in the result; 0 if
                          ** nothing occurs more than once */
  MergePlace *aPlace;     /* Stack of places to visit */
  u32 nPlace, nPlaceAlloc;
  MergeItems stored, fresh;   /* Of the container that is being opened */
  u32 (*aPair)[2];        /* Stack of mergeCopy() and mergeAlike() */
  u32 nPair, nPairAlloc;
  u32 iPart;              /* What was refused */
  KvBuf *pPath;
  KvErr *pErr;
  int rc;                 /* The first error */
};

#define MERGE_NOT_ONE  "and the new JSON is not one"
#define MERGE_UNSHOWN  "and JSON doesn't show it"
#define MERGE_TWICE    "and the new JSON has a key or an element of it twice"
#define MERGE_SEVERAL  "and one of several parts of different types with the same JSON, and " \
                       "the new JSON has a different number of them"
#define MERGE_UNCLEAR  "and the new JSON doesn't determine what becomes of it: elements were " \
                       "added, removed or moved beside changed ones"
#define MERGE_SHARED   "and occurs more than once in the stored value"

/*************************************************************************
** Errors
*/

static void mergeFail(KvMerge *p, int eCode, const char *zMsg){
  if( p->rc==KV_OK ) p->rc = kvErrSet(p->pErr, eCode, -1, zMsg);
}

static void mergeNoMem(KvMerge *p){
  mergeFail(p, KV_NOMEM, "out of memory");
}

/* True if a key can stand in a path without quotes. */
static int mergePlainKey(KvBytes key){
  u32 i;
  for(i=0; i<key.n; i++){
    u8 c = key.p[i];
    if( c>=0x80 || c=='_' || c=='$' || (c>='0' && c<='9') ) continue;
    if( (c|0x20)<'a' || (c|0x20)>'z' ) return 0;
  }
  return key.n>0;
}

/* Append the step that leads to a place. */
static void mergeStepName(KvMerge *p, const MergePlace *pPlace){
  if( pPlace->eName==MERGE_INDEX ){
    kvBufPut(p->pPath, '[');
    kvPrintInt(p->pPath, pPlace->iName);
    kvBufPut(p->pPath, ']');
  }else if( pPlace->eName==MERGE_KEY ){
    const KvNode *pKey = &p->pNew->aNode[pPlace->iName];
    kvBufPut(p->pPath, '.');
    if( pKey->eKind==KV_NUMBER ) kvPrintNumber(p->pPath, pKey->u.r);
    else if( mergePlainKey(kvNodeBytes(pKey)) ) kvBufAdd(p->pPath, kvNodeBytes(pKey));
    else kvPrintString(p->pPath, pKey);
  }
}

/* The part at the newest place is refused. */
static void mergeRefuse(KvMerge *p, const char *zMsg){
  const MergePlace *pLast = &p->aPlace[p->nPlace-1], *pPlace;
  if( p->rc!=KV_OK ) return;
  p->iPart = pLast->iOld==KV_NO_NODE ? 0 : kvDeref(p->pOld, pLast->iOld);
  kvBufPut(p->pPath, '$');
  for(pPlace=p->aPlace; pPlace<=pLast; pPlace++){
    if( pPlace->bOpen || pPlace==pLast ) mergeStepName(p, pPlace);
  }
  mergeFail(p, KV_REFUSED, zMsg);
}

static void mergePush(KvMerge *p, u32 iOld, u32 iShown, u32 iNew, u8 eName, u32 iName){
  const MergePlace place = { iOld, iShown, iNew, iName, eName, 0 };
  MergePlace *a;
  if( p->rc!=KV_OK ) return;
  a = kvReserve(p->aPlace, &p->nPlaceAlloc, (u64)p->nPlace+1, sizeof(MergePlace));
  if( a==0 ){
    mergeNoMem(p);
    return;
  }
  p->aPlace = a;
  a[p->nPlace++] = place;
}

/* A part of the newest place's container is refused. */
static void mergeRefusePart(KvMerge *p, u32 iOld, u8 eName, u32 iName, const char *zMsg){
  mergePush(p, iOld, 0, 0, eName, iName);
  if( p->rc==KV_OK ) mergeRefuse(p, zMsg);
}

/* Stored item i is. */
static void mergeRefuseItem(KvMerge *p, u32 i, const char *zMsg){
  mergeRefusePart(p, p->stored.a[i].iOld, MERGE_INDEX, i, zMsg);
}

/*************************************************************************
** What stays
*/

/* Make node iNew of the result the same as *pFrom, but for its links. */
static void mergeSet(KvMerge *p, u32 iNew, const KvNode *pFrom){
  KvNode *pTo = &p->pNew->aNode[iNew];
  u32 iNext = pTo->iNext;
  *pTo = *pFrom;
  pTo->iNext = iNext;
  pTo->iChild = 0;
  pTo->eSpare = 0;
  pTo->mFlags &= (u8)~(KVN_SHARED|KVN_MARK);
}

static void mergePairPush(KvMerge *p, u32 iA, u32 iB){
  void *a = kvReserve(p->aPair, &p->nPairAlloc, (u64)p->nPair+1, sizeof(p->aPair[0]));
  if( a==0 ){
    mergeNoMem(p);
    return;
  }
  p->aPair = a;
  p->aPair[p->nPair][0] = iA;
  p->aPair[p->nPair++][1] = iB;
}

/* If iOld stands already somewhere in the result make iNew a REF to that. */
static int mergeKnown(KvMerge *p, u32 iOld, u32 iNew){
  KvNode *pRef;
  u32 iAt;
  if( p->aKept==0 || !KV_IS_OBJECT(p->pOld->aNode[iOld].eKind) ) return 0;
  iAt = p->aKept[iOld];
  p->aKept[iOld] = iAt ? iAt : iNew+1;
  if( iAt==0 ) return 0;
  pRef = kvNodeBecome(&p->pNew->aNode[iNew], KV_REF);
  pRef->iChild = 0;
  pRef->n = iAt-1;
  p->pNew->aNode[iAt-1].mFlags |= KVN_SHARED;
  p->pNew->nRef++;
  return 1;
}

/* Copy a node, and nodes for its children, whose own are left to be copied. */
static void mergeCopyNode(KvMerge *p, u32 iOld, u32 iNew){
  const KvNode *aOld = p->pOld->aNode;
  u32 iChild, iLast = 0;
  mergeSet(p, iNew, &aOld[iOld]);
  for(iChild=aOld[iOld].iChild; iChild; iChild=aOld[iChild].iNext){
    u32 i = kvTreeAdd(p->pNew, KV_NULL);
    if( i==KV_NO_NODE ){
      mergeNoMem(p);
      return;
    }
    if( iLast ) p->pNew->aNode[iLast].iNext = i;
    else p->pNew->aNode[iNew].iChild = i;
    iLast = i;
    if( aOld[iChild].eKind!=KV_REF && !KV_IS_OBJECT(aOld[iChild].eKind) ){
      mergeSet(p, i, &aOld[iChild]);
    }else{
      mergePairPush(p, iChild, i);
    }
  }
}

/* Put iOld, with all of its parts, in the place of iNew. */
static void mergeCopy(KvMerge *p, u32 iOld, u32 iNew){
  KV_ASSERT( p->nPair==0 );
  mergePairPush(p, iOld, iNew);
  while( p->rc==KV_OK && p->nPair ){
    p->nPair--;
    iOld = kvDeref(p->pOld, p->aPair[p->nPair][0]);
    iNew = p->aPair[p->nPair][1];
    if( !mergeKnown(p, iOld, iNew) ) mergeCopyNode(p, iOld, iNew);
  }
}

/* Are two elements of the same JSON the same altogether?  What refers to an object
** is only like another reference to it. */
static int mergeAlike(KvMerge *p, u32 iA, u32 iB){
  const KvNode *aOld = p->pOld->aNode;
  int bAlike = 1;
  if( iA==iB || iA==KV_NO_NODE || iB==KV_NO_NODE ) return iA==iB;
  mergePairPush(p, iA, iB);
  while( p->rc==KV_OK && p->nPair && bAlike ){
    p->nPair--;
    iA = p->aPair[p->nPair][0];
    iB = p->aPair[p->nPair][1];
    if( kvDeref(p->pOld, iA)==kvDeref(p->pOld, iB) ) continue;
    bAlike = kvNodeAlike(&aOld[iA], &aOld[iB]) && aOld[iA].eKind!=KV_REF;
    iA = aOld[iA].iChild;
    iB = aOld[iB].iChild;
    for(; p->rc==KV_OK && iA && iB; iA=aOld[iA].iNext, iB=aOld[iB].iNext) mergePairPush(p, iA, iB);
    if( iA || iB ) bAlike = 0;
  }
  p->nPair = 0;
  return bAlike;
}

/* Digits that no bigint took: the nearest number. */
static void mergeNumber(KvNode *pNode){
  double r;
  if( !kvJsonIsDigits(pNode) ) return;
  r = kvJsonDigits(pNode);
  kvNodeBecome(pNode, KV_NUMBER)->u.r = r;
}

/*************************************************************************
** The items of containers
*/

/* The items that a node of JSON has: pairs of an OBJECT (or, if bPairs, of an
** ARRAY of them), or elements of an ARRAY.  False: no pairs. */
static int mergeRead(KvMerge *p, MergeItems *pList, const KvTree *pTree, u32 iNode, int bPairs){
  const KvNode *aNode = pTree->aNode;
  const int bObject = aNode[iNode].eKind==KV_OBJECT;
  u32 i;
  pList->n = 0;
  for(i=aNode[iNode].iChild; i; i=aNode[i].iNext){
    MergeItem *a = kvReserve(pList->a, &pList->nAlloc, (u64)pList->n+1, sizeof(MergeItem));
    MergeItem *pItem;
    if( a==0 ){
      mergeNoMem(p);
      return 1;
    }
    pList->a = a;
    pItem = memset(&a[pList->n++], 0, sizeof(MergeItem));
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

/* An index that is the key of an object, as the string that it is in a Map. */
static void mergeKeyText(KvMerge *p, KvNode *pKey){
  const double r = pKey->u.r;
  u8 *a;
  if( pKey->eKind!=KV_NUMBER ) return;
  a = kvTreeSpace(p->pNew, KV_NUM_TEXT);
  if( a==0 ){
    mergeNoMem(p);
    return;
  }
  kvNodeBecome(pKey, KV_STRING)->eSub = KV_WTF8;
  pKey->n = (u32)kvNumPrint(r, (char*)a);
  pKey->u.p = a;
}

/* Make iNew a MAP or SET of the new items; of an object if bText. */
static void mergeRelink(KvMerge *p, u32 iNew, u8 eKind, int bText){
  KvNode *aNew = p->pNew->aNode;
  u32 i, *piLink = &aNew[iNew].iChild;
  if( p->rc!=KV_OK ) return;
  kvNodeBecome(&aNew[iNew], eKind)->n = p->fresh.n;
  for(i=0; i<p->fresh.n; i++){
    const MergeItem *pItem = &p->fresh.a[i];
    *piLink = pItem->iNode;
    piLink = &aNew[pItem->iNode].iNext;
    if( bText ) mergeKeyText(p, &aNew[pItem->iNode]);
    if( pItem->iVal ){
      *piLink = pItem->iVal;
      piLink = &aNew[pItem->iVal].iNext;
    }
  }
  *piLink = 0;
}

/*************************************************************************
** Members and entries by name
*/

static int mergeNodeOrder(const void *pLeft, const void *pRight){
  u32 iA = ((const MergeItem*)pLeft)->iNode, iB = ((const MergeItem*)pRight)->iNode;
  return (iA>iB) - (iA<iB);
}

static int mergeNameOrder(const void *pLeft, const void *pRight){
  const KvNode *pA = &((const MergeName*)pLeft)->key, *pB = &((const MergeName*)pRight)->key;
  if( pA->eKind!=pB->eKind ) return pA->eKind<pB->eKind ? -1 : 1;
  if( pA->eKind==KV_NUMBER ) return (pA->u.r>pB->u.r) - (pA->u.r<pB->u.r);
  return kvStringCompare(pA, pB);
}

/* The names of the new items, sorted; to be freed.  0: no memory. */
static MergeName *mergeNames(KvMerge *p){
  MergeName *a = kvRealloc(0, ((u64)p->fresh.n+1)*sizeof(MergeName));
  u32 i;
  if( a==0 ){
    mergeNoMem(p);
    return 0;
  }
  for(i=0; i<p->fresh.n; i++){
    a[i].key = p->pNew->aNode[p->fresh.a[i].iNode];
    a[i].i = i;
  }
  if( p->fresh.n ) qsort(a, p->fresh.n, sizeof(MergeName), mergeNameOrder);
  return a;
}

/* Add the stored key iKey, undefined, to the container iOwner, after the pair whose
** key is iPrev, 0: first.  Returns its key. */
static u32 mergeHidden(KvMerge *p, u32 iOwner, u32 iOldKey, u32 iPrev){
  u32 iKey = kvTreeAdd(p->pNew, KV_NULL);
  u32 iVal = kvTreeAdd(p->pNew, KV_UNDEFINED);
  KvNode *aNew = p->pNew->aNode;
  u32 *piLink = iPrev ? &aNew[aNew[iPrev].iNext].iNext : &aNew[iOwner].iChild;
  if( iKey==KV_NO_NODE || iVal==KV_NO_NODE ){
    mergeNoMem(p);
    return iPrev;
  }
  mergeSet(p, iKey, &p->pOld->aNode[iOldKey]);
  aNew[iKey].iNext = iVal;
  aNew[iVal].iNext = *piLink;
  *piLink = iKey;
  aNew[iOwner].n++;
  return iKey;
}

/* Match the members of the OBJECT or MAP iOld with the new ones. */
static void mergeMatchNames(KvMerge *p, u32 iOwner, u32 iOld, const MergeName *aName){
  const KvNode *aOld = p->pOld->aNode;
  u32 iKey, iVal, iPrev = 0, k = 0;
  for(iKey=aOld[iOld].iChild; iKey && p->rc==KV_OK; iKey=aOld[iVal].iNext){
    const MergeName name = { aOld[iKey], 0 };
    const MergeName *pName = bsearch(&name, aName, p->fresh.n, sizeof(name), mergeNameOrder);
    MergeItem *pNew = pName ? &p->fresh.a[pName->i] : 0;
    iVal = aOld[iKey].iNext;
    if( aOld[iVal].eKind!=KV_UNDEFINED ){
      if( k>=p->stored.n ){
        mergeFail(p, KV_CORRUPT, "the stored value has a duplicate key");
      }else if( pNew ){
        pNew->iOldVal = iVal;
        pNew->iMate = k+1;
      }
      k++;
      if( pNew ) iPrev = pNew->iNode;
    }else if( pNew ){
      mergeRefusePart(p, iVal, MERGE_KEY, pNew->iNode, MERGE_UNSHOWN);
    }else{
      iPrev = mergeHidden(p, iOwner, iKey, iPrev);
    }
  }
}

/* The place is an OBJECT, or a MAP that is shown as one. */
static void mergeMembers(KvMerge *p, const MergePlace *pPlace, u32 iOld){
  const int bMap = p->pOld->aNode[iOld].eKind==KV_MAP;
  const u32 iNew = pPlace->iNew, n = p->pNew->aNode[iNew].n;
  MergeName *aName;
  KvNode *pNew;
  u32 i;
  mergeRead(p, &p->stored, &p->shown, pPlace->iShown, 0);
  mergeRead(p, &p->fresh, p->pNew, iNew, 0);
  if( bMap ){                                    /* an OBJECT's keys aren't in the text's order */
    if( p->stored.n ) qsort(p->stored.a, p->stored.n, sizeof(MergeItem), mergeNodeOrder);
    if( p->fresh.n ) qsort(p->fresh.a, p->fresh.n, sizeof(MergeItem), mergeNodeOrder);
    mergeRelink(p, iNew, KV_MAP, 1);
  }
  aName = p->rc==KV_OK ? mergeNames(p) : 0;
  if( aName ) mergeMatchNames(p, iNew, iOld, aName);
  kvFree(aName);
  pNew = &p->pNew->aNode[iNew];
  if( !bMap && p->rc==KV_OK && pNew->n!=n
   && kvTreeOrderPairs(p->pNew, &pNew->iChild, &pNew->n, 0)!=KV_OK ){
    mergeNoMem(p);
  }
  for(i=p->fresh.n; i-->0 && p->rc==KV_OK; ){
    const MergeItem *pItem = &p->fresh.a[i];
    if( pItem->iMate==0 ) continue;
    mergePush(p, pItem->iOldVal, p->stored.a[pItem->iMate-1].iVal, pItem->iVal,
              MERGE_KEY, pItem->iNode);
  }
}

/*************************************************************************
** Elements, and pairs
*/

/* The nodes of the stored value for the items of an ARRAY, SET or MAP.  True if it has more
** than these: an ARRAY its own properties. */
static int mergeStored(KvMerge *p, u32 iOld){
  const KvNode *aOld = p->pOld->aNode;
  const int bMap = aOld[iOld].eKind==KV_MAP;
  u32 iNext = aOld[iOld].iChild, nDone = 0, k;
  for(k=0; k<p->stored.n; k++){
    MergeItem *pItem = &p->stored.a[k];
    u32 i = kvNextElement(p->pOld, iOld, &iNext, &nDone);
    pItem->iOld = i ? i : KV_NO_NODE;
    if( bMap ){
      pItem->iOldVal = iNext;
      iNext = aOld[iNext].iNext;
    }
  }
  return iNext!=0;
}

/* Does the item hold more than its JSON? */
static int mergeItemIsMore(const KvMerge *p, const MergeItem *pItem){
  if( pItem->iOld==KV_NO_NODE || p->aMore[pItem->iOld] ) return 1;
  return pItem->iVal && p->aMore[pItem->iOldVal];
}

/* Are an element, or the key of a pair, and a new one the same JSON? */
static int mergeItemsSame(const KvMerge *p, u32 iS, u32 iF){
  return kvJsonSame(&p->hadJson, p->stored.a[iS].iNode, &p->newJson, p->fresh.a[iF].iNode);
}

static void mergeMate(KvMerge *p, u32 iS, u32 iF, int bSame){
  p->stored.a[iS].iMate = iF+1;
  p->fresh.a[iF].iMate = iS+1;
  p->stored.a[iS].bSame = p->fresh.a[iF].bSame = (u8)bSame;
}

/* Rules 9 and 10: mates.  Returns 1 + the first of the changed stored items that holds more
** than JSON, or 0. */
static u32 mergeMates(KvMerge *p, int bPairs){
  const u32 nS = p->stored.n, nF = p->fresh.n, n = nS<nF ? nS : nF;
  u32 iHead = 0, nTail = 0, iMore = 0, i;
  for(; iHead<n && mergeItemsSame(p, iHead, iHead); iHead++) mergeMate(p, iHead, iHead, 1);
  for(; nTail<n-iHead && mergeItemsSame(p, nS-1-nTail, nF-1-nTail); nTail++){
    mergeMate(p, nS-1-nTail, nF-1-nTail, 1);
  }
  if( iHead+nTail==n ) return 0;                 /* one run, removed or inserted */
  for(i=iHead; i<nS-nTail && p->rc==KV_OK; i++){
    const int bSame = nS==nF && mergeItemsSame(p, i, i);
    if( bSame || !mergeItemIsMore(p, &p->stored.a[i]) ){
      if( bSame ) mergeMate(p, i, i, 1);
    }else{
      if( iMore==0 ) iMore = i+1;
      if( nS!=nF || bPairs ) mergeRefuseItem(p, i, MERGE_UNCLEAR);
      else mergeMate(p, i, i, 0);
    }
  }
  return iMore;
}

static int mergeHashOrder(const void *pLeft, const void *pRight){
  const MergeHash *pA = pLeft, *pB = pRight;
  if( pA->h!=pB->h ) return pA->h<pB->h ? -1 : 1;
  return (pA->i>pB->i) - (pA->i<pB->i);
}

/* Check nS stored and, behind them, nF new items of the same JSON. */
static void mergeCheckGroup(KvMerge *p, const MergeHash *a, u32 nS, u32 nF, int eKind, u32 iMore){
  u32 nSame = 0, k;
  for(k=0; k<nS; k++) nSame += p->stored.a[a[k].i].bSame;
  if( eKind!=KV_ARRAY && nF>1 && nF>nS ){
    mergeRefuse(p, MERGE_TWICE);
  }else if( iMore && nSame<nS && nSame<nF ){
    mergeRefuseItem(p, iMore-1, MERGE_UNCLEAR);
  }else if( nF && nS!=nF ){
    for(k=1; k<nS && p->rc==KV_OK; k++){
      const MergeItem *pA = &p->stored.a[a[0].i], *pB = &p->stored.a[a[k].i];
      if( eKind!=KV_MAP && mergeAlike(p, pA->iOld, pB->iOld) ) continue;
      mergeRefuseItem(p, a[mergeItemIsMore(p, pA) ? 0 : k].i, MERGE_SEVERAL);
    }
  }
}

/* Rules 6, 9 and 11: what can't be told from its JSON.  Items whose hashes are equal
** by chance are refused at the worst. */
static void mergeCheckItems(KvMerge *p, int eKind, u32 iMore){
  const u32 nStored = p->stored.n, n = nStored + p->fresh.n;
  MergeHash *a = kvRealloc(0, ((u64)n+1)*sizeof(MergeHash));
  u32 i, iEnd, nS;
  if( a==0 ){
    mergeNoMem(p);
    return;
  }
  for(i=0; i<n; i++){
    a[i].i = i;
    a[i].h = i<nStored ? p->hadJson.aHash[p->stored.a[i].iNode]
                       : p->newJson.aHash[p->fresh.a[i-nStored].iNode];
  }
  if( n ) qsort(a, n, sizeof(MergeHash), mergeHashOrder);
  for(i=0; i<n && p->rc==KV_OK; i=iEnd){
    for(iEnd=i, nS=0; iEnd<n && a[iEnd].h==a[i].h; iEnd++) nS += a[iEnd].i<nStored;
    mergeCheckGroup(p, &a[i], nS, iEnd-i-nS, eKind, iMore);
  }
  kvFree(a);
}

/* The place is an ARRAY, a SET, or a MAP that is shown as pairs. */
static void mergeElements(KvMerge *p, const MergePlace *pPlace, u32 iOld){
  const int eKind = p->pOld->aNode[iOld].eKind, bPairs = eKind==KV_MAP;
  u32 i;
  mergeRead(p, &p->stored, &p->shown, pPlace->iShown, bPairs);
  if( !mergeRead(p, &p->fresh, p->pNew, pPlace->iNew, bPairs) ) mergeRefuse(p, MERGE_NOT_ONE);
  if( p->rc!=KV_OK ) return;
  if( mergeStored(p, iOld) ) mergeRefuse(p, MERGE_UNSHOWN);
  mergeCheckItems(p, eKind, mergeMates(p, bPairs));
  if( eKind!=KV_ARRAY ) mergeRelink(p, pPlace->iNew, (u8)eKind, 0);
  for(i=p->fresh.n; i-->0 && p->rc==KV_OK; ){
    const MergeItem *pNew = &p->fresh.a[i], *pMate;
    if( pNew->iMate==0 ) continue;
    pMate = &p->stored.a[pNew->iMate-1];
    if( bPairs ){
      mergePush(p, pMate->iOldVal, pMate->iVal, pNew->iVal, MERGE_INDEX, pNew->iMate-1);
    }
    mergePush(p, pMate->iOld, pMate->iNode, pNew->iNode, MERGE_INDEX, pNew->iMate-1);
  }
}

/*************************************************************************
** Places
*/

/* Can a value without parts, of kind eOld, be made of one of JSON? */
static int mergeTakes(int eOld, int eNew){
  switch( eOld ){
    case KV_BIGINT: case KV_U64: return eNew==KV_NUMBER || eNew==KV_BIGINT;
    case KV_DATE:                return eNew==KV_STRING;
    default:                     return eNew==eOld;
  }
}

/* Make of the JSON scalar iNew a value of the type of iOld, which has no parts but,
** if it is BOXED, the primitive in it.  False if it can't be. */
static int mergeLeaf(KvMerge *p, u32 iNew, u32 iOld){
  const KvNode *pOld = &p->pOld->aNode[iOld];
  const int bBoxed = pOld->eKind==KV_BOXED;
  const u32 iLeaf = bBoxed ? pOld->iChild : iOld;
  const int eLeaf = p->pOld->aNode[iLeaf].eKind;
  KvNode *pNew = &p->pNew->aNode[iNew];
  u32 iChild;
  int rc = KV_OK;
  if( eLeaf!=KV_BIGINT && eLeaf!=KV_U64 ) mergeNumber(pNew);
  if( !mergeTakes(eLeaf, pNew->eKind) ) return 0;
  if( pNew->eKind==KV_BIGINT ){
    rc = kvTreeDigits(p->pNew, iNew, kvNodeBytes(pNew), 10, pNew->eSub);
  }
  if( rc==KV_OK ) rc = kvRetype(p->pOld, iLeaf, p->pNew, iNew, 0);
  if( rc==KV_NOMEM ) mergeNoMem(p);
  if( rc!=KV_OK || !bBoxed ) return rc==KV_OK;
  iChild = kvTreeAdd(p->pNew, KV_NULL);
  if( iChild==KV_NO_NODE ){
    mergeNoMem(p);
    return 0;
  }
  mergeSet(p, iChild, &p->pNew->aNode[iNew]);
  mergeSet(p, iNew, pOld);
  p->pNew->aNode[iNew].iChild = iChild;
  return 1;
}

/*
** What becomes of a part whose JSON has changed: it is taken from the new JSON
** as that is, or a value of the part's type is made of it, or its parts are
** merged, or it is refused.
*/
enum { MERGE_FREE, MERGE_LEAF, MERGE_MERGE, MERGE_NEVER };

static int mergeFate(const KvMerge *p, const MergePlace *pPlace, u32 iOld){
  const u8 eShown = p->shown.aNode[pPlace->iShown].eKind;
  const u8 eNew = p->pNew->aNode[pPlace->iNew].eKind;
  const int bParts = eNew==KV_OBJECT || eNew==KV_ARRAY;
  switch( p->pOld->aNode[iOld].eKind ){
    case KV_NULL: case KV_BOOL: case KV_NUMBER: case KV_STRING:
      return MERGE_FREE;
    case KV_BIGINT: case KV_DATE: case KV_BOXED: case KV_U64:
      return MERGE_LEAF;
    case KV_OBJECT:                              /* a cycle is a STRING */
      return eShown==KV_OBJECT && eNew==KV_OBJECT ? MERGE_MERGE : MERGE_FREE;
    case KV_ARRAY:                               /* so many holes: an OBJECT */
      if( eShown==KV_OBJECT && bParts ) return MERGE_NEVER;
      return eShown==KV_ARRAY && eNew==KV_ARRAY ? MERGE_MERGE : MERGE_FREE;
    case KV_MAP: case KV_SET:
      return bParts && eNew==eShown ? MERGE_MERGE : MERGE_NEVER;
    default:
      return MERGE_NEVER;
  }
}

/* Visit the newest place, whose JSON has changed. */
static void mergeChanged(KvMerge *p){
  MergePlace *pPlace = &p->aPlace[p->nPlace-1];
  const MergePlace place = *pPlace;
  const u32 iOld = kvDeref(p->pOld, place.iOld);
  const KvNode *pOld = &p->pOld->aNode[iOld];
  const int eFate = mergeFate(p, &place, iOld);
  if( eFate==MERGE_NEVER ){
    mergeRefuse(p, pOld->eKind==KV_UNDEFINED ? MERGE_UNSHOWN : MERGE_NOT_ONE);
  }else if( eFate==MERGE_FREE ){
    p->nPlace--;
  }else if( pOld->mFlags & KVN_SHARED ){
    mergeRefuse(p, MERGE_SHARED);
  }else if( eFate==MERGE_LEAF ){
    if( !mergeLeaf(p, place.iNew, iOld) ) mergeRefuse(p, MERGE_NOT_ONE);
    p->nPlace--;
  }else{
    pPlace->bOpen = 1;
    if( p->shown.aNode[place.iShown].eKind==KV_OBJECT ) mergeMembers(p, &place, iOld);
    else mergeElements(p, &place, iOld);
  }
}

/* All parts of the newest place's container are done. */
static void mergeClose(KvMerge *p){
  KvNode *aNew = p->pNew->aNode, *pNew = &aNew[p->aPlace[p->nPlace-1].iNew];
  if( pNew->eKind==KV_MAP || pNew->eKind==KV_SET ){
    u32 iFirst = pNew->iChild, n = pNew->n, i;
    for(i=iFirst; i; i=aNew[i].iNext) mergeNumber(&aNew[i]);
    if( kvTreeUniqueKeys(p->pNew, &iFirst, &n, pNew->eKind==KV_MAP ? 2 : 1)!=KV_OK ) mergeNoMem(p);
    if( n!=pNew->n ) mergeRefuse(p, MERGE_TWICE);
  }
  p->nPlace--;
}

/* Do the newest place. */
static void mergeStep(KvMerge *p){
  const MergePlace place = p->aPlace[p->nPlace-1];
  const int bHole = place.iOld==KV_NO_NODE;
  if( place.bOpen ){
    mergeClose(p);
    return;
  }
  if( !kvJsonSame(&p->hadJson, place.iShown, &p->newJson, place.iNew) ){
    if( !bHole && p->aMore[place.iOld] ){
      mergeChanged(p);
      return;
    }
  }else if( bHole ){
    kvNodeBecome(&p->pNew->aNode[place.iNew], KV_HOLE);
  }else if( p->aMore[place.iOld] ){
    mergeCopy(p, place.iOld, place.iNew);
  }
  p->nPlace--;
}

/*************************************************************************
** Begin and end
*/

/* Everything that the places need.  Returns whether the root's JSON is the same. */
static int mergePrepare(KvMerge *p){
  p->rc = kvJsonPrint(p->pOld, 0, &p->text, p->pErr);
  if( p->rc==KV_OK && p->text.n==0 ){
    kvBufPut(p->pPath, '$');
    mergeFail(p, KV_REFUSED, MERGE_UNSHOWN);
  }
  if( p->rc==KV_OK ) p->rc = kvJsonParseDigits(&p->shown, kvBufBytes(&p->text), p->pErr);
  if( p->rc!=KV_OK ) return 0;
  if( kvJsonIndex(&p->hadJson, &p->shown)!=KV_OK || kvJsonIndex(&p->newJson, p->pNew)!=KV_OK ){
    mergeNoMem(p);
  }
  p->aMore = kvJsonMisses(p->pOld);
  if( p->aMore==0 ) mergeNoMem(p);
  if( p->pOld->nRef ) p->aKept = kvZeroed((u64)p->pOld->nNode*sizeof(u32));
  if( p->pOld->nRef && p->aKept==0 ) mergeNoMem(p);
  mergePush(p, 0, 0, 0, MERGE_ROOT, 0);
  return p->rc==KV_OK && kvJsonSame(&p->hadJson, 0, &p->newJson, 0);
}

int kvJsonMerge(
  KvTree *pOld, KvBytes json, KvTree *pNew,
  int *pbSame, u32 *piPart, KvBuf *pPath, KvErr *pErr
){
  KvMerge merge;
  u32 i;
  int rc, bSame;
  *pbSame = 0;
  *piPart = 0;
  kvTreeReset(pNew);
  if( kvJsonHolds(pOld) ) return kvJsonParse(pNew, json, pErr);
  rc = kvJsonParseDigits(pNew, json, pErr);
  if( rc!=KV_OK ) return rc;
  memset(&merge, 0, sizeof(merge));
  merge.pOld = pOld;
  merge.pNew = pNew;
  merge.pPath = pPath;
  merge.pErr = pErr;
  kvTreeInit(&merge.shown);
  kvBufInit(&merge.text, 0, 0);
  bSame = mergePrepare(&merge);
  while( merge.rc==KV_OK && merge.nPlace ) mergeStep(&merge);
  if( pPath->eErr!=KV_OK ) mergeNoMem(&merge);
  if( merge.rc==KV_OK ){
    for(i=0; i<pNew->nNode; i++) mergeNumber(&pNew->aNode[i]);
    if( !bSame ) kvTreeCheck(pNew);
    *pbSame = bSame;
  }
  *piPart = merge.iPart;
  kvTreeClear(&merge.shown);
  kvBufClear(&merge.text);
  kvJsonIndexClear(&merge.hadJson);
  kvJsonIndexClear(&merge.newJson);
  kvFree(merge.aMore);
  kvFree(merge.aKept);
  kvFree(merge.aPlace);
  kvFree(merge.stored.a);
  kvFree(merge.fresh.a);
  kvFree(merge.aPair);
  return merge.rc;
}
