/*
** json_merge.c -- new JSON for a stored value: what of it stays as it is.
**
** JSON can't show all that a stored value is (json_print.c says how it shows
** the rest).  So the new JSON is compared, part by part, with the JSON of the
** stored value, and with J(x) for the JSON that x is shown as
**
**   1. a part whose JSON is the same stays as it is.
**
** Where the JSON of a part has changed, its type decides:
**
**   2. null, boolean, number, string, Object and Array become whatever the new
**      JSON is, each other too;
**   3. bigint takes digits: an integer or, written otherwise, a
**      number without a fraction up to 2^53-1; KvU64 takes those from 0 to 2^64-1;
**   4. Date takes the text of a date (date.c);
**   5. Boolean, Number, String and BigInt objects take what their content takes;
**   6. Map takes an object, then its keys are strings, or an array of pairs; Set
**      takes an array.  No key and no element may be there twice;
**   7. anything else is refused: undefined, RegExp, Error, typed arrays, buffers,
**      host objects, and the others where the JSON isn't what they take.
**
** An Object that stays an Object, an Array that stays an Array, a Map and a Set
** are merged: their parts have these rules in turn.
**
**   8. Members and the entries of a Map match by key.  Those that the new JSON
**      lacks are gone; those that it has in addition are plain JSON.  A member
**      that is undefined isn't shown, and stays unless the new JSON has its key:
**      next to the member before it.  The order of all others is the new one.
**   9. Elements match by common head, by common tail, then (if there are as many
**      new as stored ones) in the same position by the same JSON, then by the same
**      JSON, first to first.  What is left between two of these matches one by one
**      if there are as many new as stored ones.  Stored elements that are left
**      after that are gone; but if new ones are left, too, which one of those
**      might be, then only if JSON holds all that they are: else it is refused.
**      So do the elements of a Set, and the keys of a Map that aren't all strings;
**      of these, those that are null, booleans, numbers or strings don't change.
**  10. Where stored elements of different types have the same JSON, and there
**      are not as many, nor none, of that in the new JSON, it is refused.
**
**    stored                          new JSON               result
**    {a:1n, b:2}                     {"b":"x","a":5}        {b:"x", a:5n}
**    {a:1n}                          {"a":"x"}              refused: $.a
**    {a:undefined, b:1}              {"b":2}                {a:undefined, b:2}
**    [1n, 2n, 3n]                    [1,3]                  [1n, 3n]
**    [1n, 2n]                        [1,2,3]                [1n, 2n, 3]
**    [1n, 2n]                        [1,7]                  [1n, 7n]
**    [1n, 2n]                        [7]                    refused: $[0]
**    [1n, 2n]                        [7,1]                  refused: $[1]
**    [1n, 1]                         [1]                    refused: $[0]
**    [{d:new Date(0)}, {n:1}]        [{"d":null},{"n":1}]   refused: $[0].d
**    new Map([["a",1n]])             {"a":2,"b":3}          new Map([["a",2n],["b",3]])
**    new Set([1n])                   [1,1]                  refused: $
**
** An object that occurs more than once stays one object where its JSON is
** unchanged, or has changed alike; otherwise each place gets its own.  Where
** then not all places can show what the new JSON says (in a cycle) it is
** refused.  What JSON doesn't show stays: what an Array has besides its elements,
** the cause of an Error.  An object that occurs there, too, stays there as it was.
**
** The new JSON's tree becomes the result in place: each of its nodes is
** visited with the part of the stored value that it stands for, and is left,
** changed, or overwritten by a copy of that.  For n nodes in all this takes
** O(n log n) steps, and O(n) for each place of an object with several.
**
** Nothing is recursive: places to be visited are on a stack.  The place of a
** container that is open stays there until all below it is done.
*/
#include "codec/json/json_merge.h"
#include "bytes/memory.h"
#include "bytes/utf.h"
#include "codec/js/js_parse.h"
#include "codec/json/json_items.h"
#include "codec/json/json_print.h"
#include "codec/num/date.h"
#include "codec/value_check.h"
#include "codec/value_order.h"
#include "codec/value_string.h"

/*************************************************************************
** Values without parts.  These functions make of node iNode, a JSON scalar of the
** result, what their names say; false if it can't be.
*/

/* A bigint: of a number without a fraction, at most 2^53-1, or of digits. */
static int mergeTakeInteger(KvMerge *p, u32 iNode){
  KvNode *pNode = &p->pNew->aNode[iNode];
  if( pNode->eKind==KV_NUMBER ){
    int rc = kvTreeInteger(p->pNew, iNode);
    if( rc==KV_SYNTAX ) return 0;
    if( rc!=KV_OK ) kvMergeNoMem(p);
  }else if( pNode->eKind==KV_BIGINT ){
    int bNeg = pNode->eSub;
    int rc = kvTreeDigits(p->pNew, iNode, kvNodeBytes(pNode), 10, bNeg);
    if( rc==KV_SYNTAX ) return 0;
    if( rc!=KV_OK ) kvMergeNoMem(p);
  }else{
    return 0;
  }
  return p->rc==KV_OK;
}

static int mergeTakeU64(KvMerge *p, u32 iNode){
  return mergeTakeInteger(p, iNode) && kvNodeToU64(&p->pNew->aNode[iNode]);
}

static int mergeTakeDate(KvMerge *p, u32 iNode){
  KvNode *pNode = &p->pNew->aNode[iNode];
  double r;
  if( pNode->eKind!=KV_STRING || kvDateParse(kvNodeBytes(pNode), &r)!=KV_OK ) return 0;
  kvNodeBecome(pNode, KV_DATE)->u.r = r;
  return 1;
}

/* A value that fits *pOld, which has no parts. */
static int mergeTake(KvMerge *p, const KvNode *pOld, u32 iNode){
  KvNode *pNode = &p->pNew->aNode[iNode];
  switch( pOld->eKind ){
    case KV_BIGINT: return mergeTakeInteger(p, iNode);
    case KV_U64:    return mergeTakeU64(p, iNode);
    case KV_DATE:   return mergeTakeDate(p, iNode);
    case KV_NUMBER: kvMergeNumber(pNode); break;
    default:        break;
  }
  return pNode->eKind==pOld->eKind;
}

/* The new value of a place whose stored value iOld has no parts but, if it is a
** BOXED, the primitive in it. */
static void mergeLeaf(KvMerge *p, u32 iPlace, u32 iOld){
  const u32 iNew = p->aPlace[iPlace].iNew;
  const KvNode *pOld = &p->pOld->aNode[iOld];
  const int bBoxed = pOld->eKind==KV_BOXED;
  u32 iChild;
  if( !mergeTake(p, bBoxed ? &p->pOld->aNode[pOld->iChild] : pOld, iNew) ){
    kvMergeRefuse(p, iPlace, KV_MERGE_NOT_ONE);
  }
  if( p->rc!=KV_OK || !bBoxed ) return;
  iChild = kvTreeAdd(p->pNew, KV_NULL);
  if( iChild==KV_NO_NODE ){
    kvMergeNoMem(p);
    return;
  }
  kvMergeSet(p, iChild, &p->pNew->aNode[iNew]);
  kvMergeSet(p, iNew, pOld);
  p->pNew->aNode[iNew].iChild = iChild;
}

/*************************************************************************
** Places
*/

/*
** What becomes of a part whose JSON has changed: it is taken from the new JSON
** as that is, or a value of the part's type is made of it, or its parts are
** merged, or it is refused.
*/
enum { MERGE_FREE, MERGE_LEAF, MERGE_MERGE, MERGE_NEVER };

static int mergeFate(KvMerge *p, const KvPlace *pPlace, u32 iOld){
  const u8 eKind = p->pOld->aNode[iOld].eKind;
  const u8 eShown = p->shown.aNode[pPlace->iShown].eKind;
  const u8 eNew = p->aGiven[pPlace->iNew].eKind;
  switch( eKind ){
    case KV_NULL: case KV_BOOL: case KV_NUMBER: case KV_STRING:
      return MERGE_FREE;
    case KV_BIGINT: case KV_DATE: case KV_BOXED: case KV_U64:
      return MERGE_LEAF;
    case KV_OBJECT:                              /* a cycle is a STRING */
      return eShown==KV_OBJECT && eNew==KV_OBJECT ? MERGE_MERGE : MERGE_FREE;
    case KV_ARRAY:                               /* so many holes: an OBJECT */
      if( eShown==KV_ARRAY && eNew==KV_ARRAY ) return MERGE_MERGE;
      if( eShown==KV_OBJECT && (eNew==KV_OBJECT || eNew==KV_ARRAY) ) return MERGE_NEVER;
      return MERGE_FREE;
    case KV_MAP:
      if( eShown!=KV_OBJECT && eShown!=KV_ARRAY ) return MERGE_NEVER;
      return eNew==KV_OBJECT || eNew==KV_ARRAY ? MERGE_MERGE : MERGE_NEVER;
    case KV_SET:
      return eShown==KV_ARRAY && eNew==KV_ARRAY ? MERGE_MERGE : MERGE_NEVER;
    default:
      return MERGE_NEVER;
  }
}

/* If iOld was changed to the same elsewhere: a REF to that.  Else remember. */
static int mergeChangedAlike(KvMerge *p, const KvPlace *pPlace, u32 iOld){
  u32 *piShown, *piGiven;
  if( p->aObject==0 || !KV_IS_OBJECT(p->pOld->aNode[iOld].eKind) ) return 0;
  piShown = kvMergeWord(p, iOld, KV_OBJ_SHOWN);
  piGiven = kvMergeWord(p, iOld, KV_OBJ_GIVEN);
  if( *piShown==0 ){
    *piShown = pPlace->iShown+1;
    *piGiven = pPlace->iNew+1;
    return 0;
  }
  if( !kvJsonSame(&p->match.shown, *piShown-1, &p->match.shown, pPlace->iShown)
   || !kvJsonSame(&p->match.given, *piGiven-1, &p->match.given, pPlace->iNew)
  ){
    return 0;
  }
  kvMergeRef(p, pPlace->iNew, *piGiven-1);
  return 1;
}

/* Visit the newest place, whose JSON has changed. */
static void mergeChanged(KvMerge *p, u32 iPlace){
  KvPlace *pPlace = &p->aPlace[iPlace];
  const u32 iOld = kvDeref(p->pOld, pPlace->iOld);
  const u8 eOld = p->pOld->aNode[iOld].eKind;
  int eFate = mergeFate(p, pPlace, iOld);
  if( eFate==MERGE_NEVER ){
    kvMergeRefuse(p, iPlace, eOld==KV_UNDEFINED ? KV_MERGE_UNSHOWN : KV_MERGE_NOT_ONE);
  }else if( eFate==MERGE_FREE || mergeChangedAlike(p, pPlace, iOld) ){
    p->nPlace--;
  }else if( eFate==MERGE_LEAF ){
    mergeLeaf(p, iPlace, iOld);
    p->nPlace--;
  }else{
    pPlace->bOpen = 1;
    if( p->aObject ) *kvMergeWord(p, iOld, KV_OBJ_OPEN) = pPlace->iNew+1;
    switch( eOld ){
      case KV_OBJECT: kvMergeObject(p, iPlace, iOld);   break;
      case KV_MAP:    kvMergeMap(p, iPlace, iOld);      break;
      default:        kvMergeElements(p, iPlace, iOld); break;
    }
  }
}

/* All parts of the newest place's container are done. */
static void mergeClose(KvMerge *p, u32 iPlace){
  const KvPlace *pPlace = &p->aPlace[iPlace];
  KvNode *pNew = &p->pNew->aNode[pPlace->iNew];
  if( p->aObject ) *kvMergeWord(p, kvDeref(p->pOld, pPlace->iOld), KV_OBJ_OPEN) = 0;
  if( pNew->eKind==KV_MAP || pNew->eKind==KV_SET ){
    u32 iFirst = pNew->iChild, n = pNew->n;
    int nStep = pNew->eKind==KV_MAP ? 2 : 1;
    if( kvTreeUniqueKeys(p->pNew, &iFirst, &n, nStep)!=KV_OK ) kvMergeNoMem(p);
    if( n!=pNew->n ) kvMergeRefuse(p, iPlace, KV_MERGE_TWICE);
  }
  p->nPlace--;
}

/* Do the newest place. */
static void mergeStep(KvMerge *p){
  const u32 iPlace = p->nPlace-1;
  const KvPlace place = p->aPlace[iPlace];
  const int bHole = place.iOld==KV_NO_NODE;
  if( place.bOpen ){
    mergeClose(p, iPlace);
    return;
  }
  if( !kvJsonSame(&p->match.shown, place.iShown, &p->match.given, place.iNew) ){
    if( !bHole && p->aMore[place.iOld] ){
      mergeChanged(p, iPlace);
      return;
    }
  }else if( bHole ){
    kvNodeBecome(&p->pNew->aNode[place.iNew], KV_HOLE);
  }else if( p->aMore[place.iOld] ){
    kvMergeCopy(p, place.iOld, place.iNew);
  }
  p->nPlace--;
}

/*************************************************************************
** Begin and end
*/

/* True if JSON can't hold what a node is. */
static int mergeIsMore(const KvNode *pNode){
  if( pNode->mFlags & KVN_SHARED ) return 1;
  switch( pNode->eKind ){
    case KV_NULL: case KV_BOOL: case KV_STRING: case KV_OBJECT:
      return 0;
    case KV_NUMBER:
      return pNode->u.r-pNode->u.r!=0.0 || (pNode->u.r==0.0 && kvDoubleToBits(pNode->u.r)!=0);
    case KV_ARRAY:
      return pNode->n!=pNode->u.c.nElem || pNode->u.c.nPair!=0;
    default:
      return 1;
  }
}

int kvJsonHolds(const KvTree *p){
  u32 i;
  for(i=0; i<p->nNode && !mergeIsMore(&p->aNode[i]); i++){}
  return i>=p->nNode;
}

/* Fill aMore: a container has what its parts have. */
static void mergeFindMore(KvMerge *p){
  const KvTree *pOld = p->pOld;
  u32 *aUp = kvRealloc(0, (u64)pOld->nNode*sizeof(u32));
  u32 i = 0, nUp = 0, k;
  p->aMore = kvZeroed(pOld->nNode);
  if( aUp==0 || p->aMore==0 ){
    kvMergeNoMem(p);
    kvFree(aUp);
    return;
  }
  do{
    if( mergeIsMore(&pOld->aNode[i]) ){
      p->aMore[i] = 1;
      for(k=nUp; k>0 && !p->aMore[aUp[k-1]]; k--) p->aMore[aUp[k-1]] = 1;
    }
    i = kvTreeWalk(pOld, i, aUp, &nUp);
  }while( i );
  kvFree(aUp);
}

/* A key that isn't shown, as JSON would: a node of the tree shown. */
static void mergeHiddenKey(KvMerge *p, u32 iKey){
  const KvNode *pKey = &p->pOld->aNode[iKey];
  u32 i = kvTreeAdd(&p->shown, KV_NUMBER);
  KvNode *pNode;
  KvBuf text;
  char aSpace[64];
  i64 v;
  if( i==KV_NO_NODE ){
    kvMergeNoMem(p);
    return;
  }
  p->aHidden[iKey] = i;
  pNode = &p->shown.aNode[i];
  pNode->u.r = pKey->u.r;
  if( pKey->eKind!=KV_STRING ) return;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  kvUtfAppend(&text, pKey->eSub, kvNodeBytes(pKey), 1);
  v = kvArrayIndex(kvBufBytes(&text));
  pNode->u.r = (double)v;
  if( text.eErr || (v<0 && kvTreeText(&p->shown, i, kvBufBytes(&text))) ) kvMergeNoMem(p);
  kvBufClear(&text);
}

/* Members and entries that are undefined. */
static void mergeHiddenKeys(KvMerge *p){
  const KvNode *aOld = p->pOld->aNode;
  u32 i, iKey;
  for(i=0; i<p->pOld->nNode; i++){
    if( aOld[i].eKind!=KV_OBJECT && aOld[i].eKind!=KV_MAP ) continue;
    for(iKey=aOld[i].iChild; iKey; iKey=aOld[aOld[iKey].iNext].iNext){
      if( aOld[aOld[iKey].iNext].eKind!=KV_UNDEFINED ) continue;
      if( aOld[iKey].eKind!=KV_STRING && aOld[iKey].eKind!=KV_NUMBER ) continue;
      if( p->aHidden==0 ) p->aHidden = kvZeroed((u64)p->pOld->nNode*sizeof(u32));
      if( p->aHidden==0 ) kvMergeNoMem(p);
      if( p->rc!=KV_OK ) return;
      mergeHiddenKey(p, iKey);
    }
  }
}

/* The JSON of a value -> p->shown. */
static void mergeShow(KvMerge *p, KvTree *pTree){
  kvBufReset(&p->text);
  kvTreeReset(&p->shown);
  p->rc = kvJsonPrint(pTree, 0, &p->text, p->pErr);
  if( p->rc==KV_OK && p->text.n==0 ){
    kvBufPut(p->pPath, '$');
    kvMergeFail(p, KV_REFUSED, KV_MERGE_UNSHOWN);
  }
  if( p->rc==KV_OK ) p->rc = kvJsonParseDigits(&p->shown, kvBufBytes(&p->text), p->pErr);
}

/* Index what is shown and what is given. */
static void mergeIndex(KvMerge *p){
  kvJsonIndexClear(&p->match.shown);
  kvJsonIndexClear(&p->match.given);
  if( p->rc==KV_OK && (kvJsonIndex(&p->match.shown, p->shown.aNode, p->shown.nNode)!=KV_OK
                    || kvJsonIndex(&p->match.given, p->aGiven, p->nGiven)!=KV_OK) ){
    kvMergeNoMem(p);
  }
}

/* Everything that the places need. */
static void mergePrepare(KvMerge *p){
  const u64 nByte = (u64)p->pNew->nNode*sizeof(KvNode);
  mergeHiddenKeys(p);
  p->aGiven = kvRealloc(0, nByte);
  if( p->aGiven ) memcpy(p->aGiven, p->pNew->aNode, (size_t)nByte);
  p->nGiven = p->pNew->nNode;
  if( p->pOld->nRef ) p->aObject = kvZeroed((u64)p->pOld->nNode*KV_OBJ_COUNT*sizeof(u32));
  if( p->aGiven==0 || (p->pOld->nRef && p->aObject==0) ) kvMergeNoMem(p);
  mergeIndex(p);
  if( p->rc!=KV_OK ) return;
  mergeFindMore(p);
  p->bSame = kvJsonSame(&p->match.shown, 0, &p->match.given, 0);
  kvMergePush(p, 0, 0, 0, 0, KV_PLACE_ROOT, 0);
}

/* Dates that are written otherwise are the same to mergeVerify(). */
static void mergeNormalDates(KvNode *aNode, u32 nNode){
  u32 i;
  for(i=0; i<nNode; i++){
    double r;
    if( aNode[i].eKind==KV_STRING && kvDateParse(kvNodeBytes(&aNode[i]), &r)==KV_OK ){
      aNode[i].eKind = KV_NUMBER;
      aNode[i].u.r = r;
    }
  }
}

/*
** The result has objects with several places: does it show what the new JSON
** says, at each of them?
*/
static void mergeVerify(KvMerge *p){
  mergeShow(p, p->pNew);
  if( p->rc!=KV_OK ) return;
  mergeNormalDates(p->shown.aNode, p->shown.nNode);
  mergeNormalDates(p->aGiven, p->nGiven);
  mergeIndex(p);
  if( p->rc!=KV_OK || p->match.shown.aHash[0]==p->match.given.aHash[0] ) return;
  kvBufPut(p->pPath, '$');
  p->iPart = 0;
  kvMergeFail(p, KV_REFUSED, "with parts that occur several times, and their "
      "occurrences differ in the new JSON");
}

static void mergeRun(KvMerge *p){
  u32 i;
  mergeShow(p, p->pOld);
  if( p->rc==KV_OK ) mergePrepare(p);
  while( p->rc==KV_OK && p->nPlace ) mergeStep(p);
  if( p->rc!=KV_OK ) return;
  for(i=0; i<p->pNew->nNode; i++) kvMergeNumber(&p->pNew->aNode[i]);
  if( p->aObject && !p->bSame ) mergeVerify(p);
}

int kvJsonMerge(
  KvTree *pOld, KvBytes json, KvTree *pNew,
  int *pbSame, u32 *piPart, KvBuf *pPath, KvErr *pErr
){
  KvMerge merge;
  int rc;
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
  mergeRun(&merge);
  if( merge.rc==KV_OK && pPath->eErr!=KV_OK ) kvMergeNoMem(&merge);
  *piPart = merge.iPart;
  *pbSame = merge.rc==KV_OK && merge.bSame;
  if( merge.rc==KV_OK && !merge.bSame ) kvTreeCheck(pNew);
  kvTreeClear(&merge.shown);
  kvBufClear(&merge.text);
  kvMatchClear(&merge.match);
  kvFree(merge.aGiven);
  kvFree(merge.aMore);
  kvFree(merge.aHidden);
  kvFree(merge.aObject);
  kvFree(merge.aPlace);
  kvFree(merge.aCopy);
  return merge.rc;
}
