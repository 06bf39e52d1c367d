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
**   3. bigint takes digits: an integer of any length or, written otherwise, a
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
** Nothing is recursive: places to be visited are tasks on a stack.  A task
** whose container is open stays there until all below it is done.
*/
#include "codec/json/json_merge.h"
#include "codec/json/json_match.h"
#include "codec/js/js_parse.h"
#include "codec/js/js_print.h"
#include "codec/json/json_print.h"
#include "codec/num/date.h"
#include "codec/num/num.h"
#include "codec/value_check.h"
#include "codec/value_order.h"
#include "codec/value_string.h"
#include "codec/num/bigint.h"

/* KvMerge task names */
#define JMG_ROOT   0
#define JMG_KEY    1
#define JMG_INDEX  2

/* A place to be visited: three nodes that stand for the same part. */
typedef struct JmgTask JmgTask;
struct JmgTask {
  u32 iOld;               /* In the stored value; KV_NO_NODE: a hole */
  u32 iShown;             /* In its JSON */
  u32 iNew;               /* In the new JSON and the result */
  u32 iParent;            /* Task of the container */
  u32 iName;              /* KEY: the key, in the JSON; INDEX: the index */
  u8 eName;               /* JMG_xxx */
  u8 bOpen;               /* The container's parts are being done */
};

typedef struct JsonMerge JsonMerge;
struct JsonMerge {
  KvTree *pOld, *pNew;
  KvTree shown;           /* JSON of the stored value */
  KvBuf text;             /* ... as text */
  KvNode *aGiven;         /* The new JSON's nodes as they were parsed */
  u32 nGiven;
  KvMatch match;
  u8 *aMore;              /* Of each stored node: JSON can't hold all of it */
  u32 *aHidden;           /* Of a stored key that isn't shown: its node in shown */
  u32 *aObject;           /* JMG_COUNT words of each stored node, see jmgWord();
                          ** 0 if nothing occurs more than once */
  JmgTask *aTask;
  u32 nTask, nTaskAlloc;
  u32 (*aCopy)[2];        /* Stack of jmgCopy() and jmgAlike() */
  u32 nCopy, nCopyAlloc;
  int bSame;              /* The root's JSON is the same */
  u32 iPart;              /* What was refused */
  KvBuf *pPath;
  KvErr *pErr;
};

/* Words of aObject; indices are kept plus one, 0 is none. */
enum {
  JMG_OPEN,               /* Its node in the result while it is being changed */
  JMG_KEPT,               /* Its node where it stays as it is */
  JMG_SHOWN,              /* Where it was changed first: its JSON */
  JMG_GIVEN,              /* ... and its node in the new JSON and the result */
  JMG_COUNT
};

static u32 *jmgWord(JsonMerge *p, u32 iOld, int eWord){
  return &p->aObject[(size_t)iOld*JMG_COUNT + (size_t)eWord];
}

static int jmgNoMem(JsonMerge *p){
  return kvErrSet(p->pErr, KV_NOMEM, -1, "out of memory");
}

/* Memory for n things of nByte bytes, all zero. */
static void *jmgZero(u64 n, size_t nByte){
  void *a = kvRealloc(0, n*nByte + 1);
  if( a ) memset(a, 0, (size_t)(n*nByte + 1));
  return a;
}

/*************************************************************************
** Errors
*/

/* True if a key can stand in a path without quotes. */
static int jmgPlainKey(const KvNode *pKey){
  u32 i;
  for(i=0; i<pKey->n; i++){
    u8 c = pKey->u.p[i];
    if( c>=0x80 || c=='_' || c=='$' || (c>='0' && c<='9') ) continue;
    if( (c|0x20)<'a' || (c|0x20)>'z' ) return 0;
  }
  return pKey->n>0;
}

/* Append the step that leads to a task. */
static void jmgStepText(JsonMerge *p, const JmgTask *pTask){
  char a[KV_NUM_TEXT];
  if( pTask->eName==JMG_INDEX ){
    kvBufPut(p->pPath, '[');
    kvBufAppend(p->pPath, a, (u64)kvIntPrint((i64)pTask->iName, a));
    kvBufPut(p->pPath, ']');
  }else if( pTask->eName==JMG_KEY ){
    const KvNode *pKey = &p->shown.aNode[pTask->iName];
    kvBufPut(p->pPath, '.');
    if( pKey->eKind==KV_NUMBER ){
      kvBufAppend(p->pPath, a, (u64)kvNumPrint(pKey->u.r, a));
    }else if( jmgPlainKey(pKey) ){
      kvBufAppend(p->pPath, pKey->u.p, pKey->n);
    }else{
      kvJsString(pKey, p->pPath);
    }
  }
}

/* The part of task iTask is refused.  (Its parents' links are turned round to
** find the way down, and are of no use from then on.) */
static int jmgRefuse(JsonMerge *p, u32 iTask, const char *zMsg){
  u32 i = iTask, iDown = iTask;
  u32 iOld = p->aTask[iTask].iOld;
  p->iPart = iOld==KV_NO_NODE ? 0 : kvDeref(p->pOld, iOld);
  for(;;){
    u32 iUp = p->aTask[i].iParent;
    p->aTask[i].iParent = iDown;
    iDown = i;
    if( p->aTask[i].eName==JMG_ROOT ) break;
    i = iUp;
  }
  kvBufPut(p->pPath, '$');
  while( i!=iTask ){
    i = p->aTask[i].iParent;
    jmgStepText(p, &p->aTask[i]);
  }
  return kvErrSet(p->pErr, KV_REFUSED, -1, zMsg);
}

/*************************************************************************
** Tasks
*/

static int jmgPush(
  JsonMerge *p, u32 iOld, u32 iShown, u32 iNew, u32 iParent, u8 eName, u32 iName
){
  JmgTask *pTask;
  if( p->nTask>=p->nTaskAlloc ){
    u64 nNew = (u64)p->nTaskAlloc*2 + 32;
    JmgTask *aNew = kvRealloc(p->aTask, nNew*sizeof(JmgTask));
    if( aNew==0 ) return jmgNoMem(p);
    p->aTask = aNew;
    p->nTaskAlloc = (u32)nNew;
  }
  pTask = &p->aTask[p->nTask++];
  pTask->iOld = iOld;
  pTask->iShown = iShown;
  pTask->iNew = iNew;
  pTask->iParent = iParent;
  pTask->iName = iName;
  pTask->eName = eName;
  pTask->bOpen = 0;
  return KV_OK;
}

/* Item i of the stored ones is refused. */
static int jmgRefuseItem(JsonMerge *p, u32 iTask, u32 i, const char *zMsg){
  const KvItem *pItem = &p->match.stored.a[i];
  if( jmgPush(p, pItem->iOld, pItem->iNode, 0, iTask, JMG_INDEX, i)!=KV_OK ) return KV_NOMEM;
  return jmgRefuse(p, p->nTask-1, zMsg);
}

/*************************************************************************
** What stays
*/

static int jmgCopyPush(JsonMerge *p, u32 iA, u32 iB){
  if( p->nCopy>=p->nCopyAlloc ){
    u64 nNew = (u64)p->nCopyAlloc*2 + 32;
    u32 (*aNew)[2] = kvRealloc(p->aCopy, nNew*sizeof(*aNew));
    if( aNew==0 ) return jmgNoMem(p);
    p->aCopy = aNew;
    p->nCopyAlloc = (u32)nNew;
  }
  p->aCopy[p->nCopy][0] = iA;
  p->aCopy[p->nCopy][1] = iB;
  p->nCopy++;
  return KV_OK;
}

/* Make node iNew of the result the same as iOld, but for its links. */
static void jmgSet(JsonMerge *p, u32 iNew, const KvNode *pFrom){
  KvNode *pTo = &p->pNew->aNode[iNew];
  u32 iNext = pTo->iNext;
  *pTo = *pFrom;
  pTo->iNext = iNext;
  pTo->iChild = 0;
  pTo->eSpare = 0;
  pTo->mFlags &= (u8)~(KVN_SHARED|KVN_MARK);
}

/* Make it a REF. */
static void jmgRef(JsonMerge *p, u32 iNew, u32 iTarget){
  KvNode ref;
  memset(&ref, 0, sizeof(ref));
  ref.eKind = KV_REF;
  ref.n = iTarget;
  jmgSet(p, iNew, &ref);
  p->pNew->aNode[iTarget].mFlags |= KVN_SHARED;
  p->pNew->nRef++;
}

/* If iOld stands already somewhere in the result, as it is or, if iNew is inside
** of it, changed: make iNew a REF to that. */
static int jmgKnown(JsonMerge *p, u32 iOld, u32 iNew){
  u32 iAt;
  if( p->aObject==0 || !KV_IS_OBJECT(p->pOld->aNode[iOld].eKind) ) return 0;
  iAt = *jmgWord(p, iOld, JMG_OPEN);
  if( iAt==0 ) iAt = *jmgWord(p, iOld, JMG_KEPT);
  if( iAt ){
    jmgRef(p, iNew, iAt-1);
    return 1;
  }
  *jmgWord(p, iOld, JMG_KEPT) = iNew+1;
  return 0;
}

/* Copy a node, and nodes for its children, whose own are left to be copied. */
static int jmgCopyNode(JsonMerge *p, u32 iOld, u32 iNew){
  const KvNode *aOld = p->pOld->aNode;
  u32 iChild, iLast = 0;
  jmgSet(p, iNew, &aOld[iOld]);
  for(iChild=aOld[iOld].iChild; iChild; iChild=aOld[iChild].iNext){
    u32 i = kvTreeAdd(p->pNew, KV_NULL);
    if( i==KV_NO_NODE ) return jmgNoMem(p);
    if( iLast ) p->pNew->aNode[iLast].iNext = i;
    else p->pNew->aNode[iNew].iChild = i;
    iLast = i;
    if( aOld[iChild].eKind!=KV_REF && !KV_IS_OBJECT(aOld[iChild].eKind) ){
      jmgSet(p, i, &aOld[iChild]);
    }else if( jmgCopyPush(p, iChild, i)!=KV_OK ){
      return KV_NOMEM;
    }
  }
  return KV_OK;
}

/* Put iOld, with all of its parts, in the place of iNew. */
static int jmgCopy(JsonMerge *p, u32 iOld, u32 iNew){
  int rc = jmgCopyPush(p, iOld, iNew);
  while( rc==KV_OK && p->nCopy ){
    u32 i;
    p->nCopy--;
    i = kvDeref(p->pOld, p->aCopy[p->nCopy][0]);
    iNew = p->aCopy[p->nCopy][1];
    if( !jmgKnown(p, i, iNew) ) rc = jmgCopyNode(p, i, iNew);
  }
  return rc;
}

/* True if two nodes of the stored value hold the same themselves. */
static int jmgAlikeNode(const KvNode *pA, const KvNode *pB){
  if( pA->eKind!=pB->eKind ) return 0;
  switch( pA->eKind ){
    case KV_STRING: return kvStringEqual(pA, pB);
    case KV_NUMBER:
    case KV_DATE:   return kvDoubleToBits(pA->u.r)==kvDoubleToBits(pB->u.r);
    default:        break;
  }
  if( pA->eSub!=pB->eSub || pA->n!=pB->n ) return 0;
  switch( pA->eKind ){
    case KV_BIGINT:
    case KV_BUFFER: return pA->n==0 || memcmp(pA->u.p, pB->u.p, pA->n)==0;
    case KV_VIEW:   return pA->u.iOffset==pB->u.iOffset
                        && ((pA->mFlags ^ pB->mFlags) & KVN_TRACK)==0;
    case KV_ARRAY:  return pA->u.c.nElem==pB->u.c.nElem && pA->u.c.nPair==pB->u.c.nPair;
    default:        return 1;
  }
}

/*
** Are two elements of the same JSON the same altogether?  *pbAlike.  KV_NO_NODE
** is a hole.  What refers to an object is only like another reference to it.
*/
static int jmgAlike(JsonMerge *p, u32 iA, u32 iB, int *pbAlike){
  const KvNode *aOld = p->pOld->aNode;
  int rc;
  *pbAlike = iA==iB;
  if( iA==iB || iA==KV_NO_NODE || iB==KV_NO_NODE ) return KV_OK;
  *pbAlike = 1;
  rc = jmgCopyPush(p, iA, iB);
  while( rc==KV_OK && p->nCopy && *pbAlike ){
    p->nCopy--;
    iA = p->aCopy[p->nCopy][0];
    iB = p->aCopy[p->nCopy][1];
    if( kvDeref(p->pOld, iA)==kvDeref(p->pOld, iB) ) continue;
    if( !jmgAlikeNode(&aOld[iA], &aOld[iB]) || aOld[iA].eKind==KV_REF ){
      *pbAlike = 0;
      break;
    }
    iA = aOld[iA].iChild;
    iB = aOld[iB].iChild;
    for(; rc==KV_OK && iA && iB; iA=aOld[iA].iNext, iB=aOld[iB].iNext){
      rc = jmgCopyPush(p, iA, iB);
    }
    if( iA || iB ) *pbAlike = 0;
  }
  p->nCopy = 0;
  return rc;
}

/*************************************************************************
** Values without parts
*/

#define JMG_NOT_ONE "and the new JSON is not one"
#define JMG_UNSHOWN "and JSON doesn't show it"

/* The magnitude of a number without a fraction, at most 2^53-1, or of digits,
** in place.  *pb is false if the node is neither. */
static int jmgTakeInteger(JsonMerge *p, KvNode *pNode, int *pb){
  u32 n;
  u8 *a;
  *pb = 0;
  if( pNode->eKind==KV_NUMBER ){
    double r = pNode->u.r;
    u64 v;
    if( !(r>=-9007199254740991.0 && r<=9007199254740991.0) || r!=(double)(i64)r ) return KV_OK;
    v = (u64)(r<0.0 ? -r : r);
    a = kvTreeSpace(p->pNew, 8);
    if( a==0 ) return jmgNoMem(p);
    kvPut64le(a, v);
    for(n=8; n>0 && a[n-1]==0; n--){}
    pNode->eSub = r<0.0;
  }else if( pNode->eKind==KV_BIGINT ){
    a = kvTreeSpace(p->pNew, kvBigBound(pNode->n));
    if( a==0 ) return jmgNoMem(p);
    n = kvBigParse(kvBytes(pNode->u.p, pNode->n), 10, a);
    if( n==KV_BIG_NOMEM ) return jmgNoMem(p);
  }else{
    return KV_OK;
  }
  pNode->eKind = KV_BIGINT;
  pNode->eSpare = 0;
  pNode->n = n;
  pNode->u.p = a;
  *pb = 1;
  return KV_OK;
}

/* Digits that no bigint took: the nearest number. */
static void jmgTakeNumber(KvNode *pNode){
  double r = 0.0;
  if( pNode->eKind!=KV_BIGINT || pNode->eSpare!=KV_DIGITS ) return;
  kvNumParse(kvBytes(pNode->u.p, pNode->n), &r);
  if( pNode->eSub ) r = -r;
  pNode->eKind = KV_NUMBER;
  pNode->eSub = pNode->eSpare = 0;
  pNode->n = 0;
  pNode->u.r = r;
}

static int jmgTakeU64(JsonMerge *p, KvNode *pNode, int *pb){
  u8 a[8];
  int rc = jmgTakeInteger(p, pNode, pb);
  if( rc!=KV_OK || !*pb ) return rc;
  if( pNode->eSub || pNode->n>8 ){
    *pb = 0;
    return KV_OK;
  }
  memset(a, 0, 8);
  memcpy(a, pNode->u.p, pNode->n);
  pNode->eKind = KV_U64;
  pNode->n = 0;
  pNode->u.u = kvGet64le(a);
  return KV_OK;
}

static void jmgTakeDate(KvNode *pNode, int *pb){
  double r;
  *pb = 0;
  if( pNode->eKind!=KV_STRING ) return;
  if( kvDateParse(kvNodeBytes(pNode), &r)!=KV_OK ) return;
  memset(pNode, 0, sizeof(*pNode));
  pNode->eKind = KV_DATE;
  pNode->u.r = r;
  *pb = 1;
}

/* Make a value that fits pOld, which has no parts but of itself, of the JSON
** node *pNode.  *pb is false if it can't. */
static int jmgTake(JsonMerge *p, const KvNode *pOld, KvNode *pNode, int *pb){
  *pb = 1;
  switch( pOld->eKind ){
    case KV_BIGINT: return jmgTakeInteger(p, pNode, pb);
    case KV_U64:    return jmgTakeU64(p, pNode, pb);
    case KV_DATE:   jmgTakeDate(pNode, pb);  return KV_OK;
    case KV_NUMBER: jmgTakeNumber(pNode);    break;
    default:        break;
  }
  *pb = pNode->eKind==pOld->eKind;
  return KV_OK;
}

/* The new value of a BOXED, of the kind that it has. */
static int jmgBoxed(JsonMerge *p, u32 iTask, u32 iOld){
  const u32 iNew = p->aTask[iTask].iNew;
  KvNode node = p->pNew->aNode[iNew], *pBox;
  u32 iChild;
  int b, rc = jmgTake(p, &p->pOld->aNode[p->pOld->aNode[iOld].iChild], &node, &b);
  if( rc!=KV_OK ) return rc;
  if( !b ) return jmgRefuse(p, iTask, JMG_NOT_ONE);
  iChild = kvTreeAdd(p->pNew, KV_NULL);
  if( iChild==KV_NO_NODE ) return jmgNoMem(p);
  node.iNext = 0;
  p->pNew->aNode[iChild] = node;
  jmgSet(p, iNew, &p->pOld->aNode[iOld]);
  pBox = &p->pNew->aNode[iNew];
  pBox->iChild = iChild;
  return KV_OK;
}

/* The new value of anything else without parts. */
static int jmgLeaf(JsonMerge *p, u32 iTask, u32 iOld){
  const u32 iNew = p->aTask[iTask].iNew;
  KvNode node = p->pNew->aNode[iNew];
  int b, rc = jmgTake(p, &p->pOld->aNode[iOld], &node, &b);
  if( rc!=KV_OK ) return rc;
  if( !b ) return jmgRefuse(p, iTask, JMG_NOT_ONE);
  jmgSet(p, iNew, &node);
  return KV_OK;
}

/*************************************************************************
** The items of a container
*/

static KvItem *jmgStored(JsonMerge *p, u32 iOld, u32 iOldVal, u32 iNode, u32 iVal){
  KvItem *pItem = kvItemAdd(&p->match.stored);
  if( pItem==0 ) return 0;
  pItem->iOld = iOld;
  pItem->iOldVal = iOldVal;
  pItem->iNode = iNode;
  pItem->iVal = iVal;
  return pItem;
}

/* The items that the JSON node iNode of aNode has: pairs of an OBJECT (or, if
** bPairs, of an ARRAY of them), or elements of an ARRAY.  KV_REFUSED: no pairs. */
static int jmgItems(JsonMerge *p, KvItems *pList, const KvNode *aNode, u32 iNode, int bPairs){
  const int bObject = aNode[iNode].eKind==KV_OBJECT;
  u32 i;
  pList->n = 0;
  for(i=aNode[iNode].iChild; i; i=aNode[i].iNext){
    KvItem *pItem = kvItemAdd(pList);
    if( pItem==0 ) return jmgNoMem(p);
    pItem->iNode = i;
    if( bObject ){
      pItem->iVal = i = aNode[i].iNext;
    }else if( bPairs ){
      if( aNode[i].eKind!=KV_ARRAY || aNode[i].n!=2 ) return KV_REFUSED;
      pItem->iNode = aNode[i].iChild;
      pItem->iVal = aNode[pItem->iNode].iNext;
    }
  }
  return KV_OK;
}

/*
** Give the stored items of an OBJECT or MAP their nodes of the stored value.
** The list has those that are shown, in the order of the text; it gets the
** hidden ones in addition.  Members of objects that are undefined are hidden, and
** entries of a Map that is (bDict) or will be (bText) shown as one.
*/
static int jmgStoredPairs(JsonMerge *p, u32 iOld, int bDict, int bText){
  const KvNode *aOld = p->pOld->aNode;
  KvItems shown = p->match.stored;
  u32 iKey, k = 0;
  int rc = KV_OK;
  memset(&p->match.stored, 0, sizeof(p->match.stored));
  for(iKey=aOld[iOld].iChild; iKey && rc==KV_OK; iKey=aOld[aOld[iKey].iNext].iNext){
    u32 iVal = aOld[iKey].iNext;
    KvItem *pItem;
    if( bDict && aOld[iVal].eKind==KV_UNDEFINED ){
      pItem = jmgStored(p, iKey, iVal, p->aHidden[iKey], 0);
      if( pItem ) pItem->bHidden = 1;
    }else if( k<shown.n ){
      pItem = jmgStored(p, iKey, iVal, shown.a[k].iNode, shown.a[k].iVal);
      k++;
      if( pItem && bText && aOld[iVal].eKind==KV_UNDEFINED && aOld[iKey].eKind==KV_STRING ){
        pItem->bHidden = 1;                      /* ... in the new form */
      }
    }else{
      rc = kvErrSet(p->pErr, KV_CORRUPT, -1, "the stored value has a key twice");
      break;
    }
    if( pItem==0 ) rc = jmgNoMem(p);
  }
  kvFree(shown.a);
  return rc;
}

/* Do the same with the elements of an ARRAY or SET. */
static void jmgStoredElements(JsonMerge *p, u32 iOld){
  const KvNode *aOld = p->pOld->aNode;
  const KvNode *pOwner = &aOld[iOld];
  u32 nElem = pOwner->eKind==KV_ARRAY ? pOwner->u.c.nElem : pOwner->n;
  u32 i = pOwner->iChild, k;
  for(k=0; k<p->match.stored.n; k++){
    u32 iAt = KV_NO_NODE;
    if( k<nElem ){
      if( aOld[i].eKind!=KV_HOLE ) iAt = i;
      i = aOld[i].iNext;
    }else if( i && aOld[i].eKind==KV_NUMBER && aOld[i].u.r==(double)k ){
      iAt = aOld[i].iNext;
      i = aOld[iAt].iNext;
    }
    p->match.stored.a[k].iOld = iAt;
  }
}

/* Does the element hold more than its JSON? */
static int jmgIsMoreItem(const JsonMerge *p, const KvItem *pItem){
  return pItem->iOld==KV_NO_NODE || p->aMore[pItem->iOld];
}

/* Is the element, or key, null, a boolean, a number or a string? */
static int jmgIsPrimitive(const JsonMerge *p, const KvItem *pItem){
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
static int jmgMayGo(const JsonMerge *p, const KvItem *pItem, int bKeys){
  if( jmgIsPrimitive(p, pItem) ) return 1;
  return !jmgIsMoreItem(p, pItem) && !(bKeys && p->aMore[pItem->iOldVal]);
}

#define JMG_TWICE "and the new JSON has a key or an element of it twice"
#define JMG_UNCLEAR "and the new JSON doesn't tell what became of it: elements were" \
                    " added, removed or moved beside changed ones"

/* Rule 10, and if bUnique: the new JSON has no more than what is stored of
** anything that it has twice. */
static int jmgCheckGroups(JsonMerge *p, u32 iTask, int bUnique){
  u32 i = 0;
  while( i<p->match.nSort ){
    u32 nStored, nFresh, iAt = i, k;
    kvMatchGroup(&p->match, &i, &nStored, &nFresh);
    if( bUnique && nFresh>1 && nFresh>nStored ) return jmgRefuse(p, iTask, JMG_TWICE);
    if( nStored<2 || nFresh==0 || nStored==nFresh ) continue;
    for(k=1; k<nStored; k++){
      u32 iA = p->match.aSort[iAt].i, iB = p->match.aSort[iAt+k].i;
      int bAlike;
      int rc = jmgAlike(p, p->match.stored.a[iA].iOld, p->match.stored.a[iB].iOld, &bAlike);
      if( rc!=KV_OK ) return rc;
      if( bAlike ) continue;
      if( !jmgIsMoreItem(p, &p->match.stored.a[iA]) ) iA = iB;
      return jmgRefuseItem(p, iTask, iA, "and is one of several parts of different"
          " types with the same JSON, of which the new JSON doesn't have as many");
    }
  }
  return KV_OK;
}

/* Mates in a segment of n stored and n new items, from iS and iF on. */
static void jmgSegment(JsonMerge *p, int bKeys, u32 iS, u32 iF, u32 n){
  u32 k;
  for(k=0; k<n; k++){
    KvItem *pS = &p->match.stored.a[iS+k], *pF = &p->match.fresh.a[iF+k];
    if( bKeys && jmgIsPrimitive(p, pS) ) continue;
    pS->iMate = iF+k+1;
    pF->iMate = iS+k+1;
  }
}

/* The first item, from i on, that has a mate. */
static u32 jmgNextMate(const KvItems *pList, u32 i){
  while( i<pList->n && pList->a[i].iMate==0 ) i++;
  return i;
}

/* Rule 9: mates for what is left between those of the same JSON. */
static void jmgSegments(JsonMerge *p, int bKeys){
  const KvItems *pS = &p->match.stored, *pF = &p->match.fresh;
  u32 iS = 0, iF = 0;
  for(;;){
    u32 iEndS = jmgNextMate(pS, iS), iEndF = jmgNextMate(pF, iF);
    if( iEndS-iS==iEndF-iF ) jmgSegment(p, bKeys, iS, iF, iEndS-iS);
    if( iEndS>=pS->n ) return;
    iS = iEndS+1;
    iF = iEndF+1;
  }
}

/* Rule 9, after items of the same JSON have found each other. */
static int jmgCheckRest(JsonMerge *p, u32 iTask, int bKeys){
  const KvItems *pS = &p->match.stored, *pF = &p->match.fresh;
  u32 i;
  if( kvMatchOrdered(&p->match) ) jmgSegments(p, bKeys);
  for(i=0; i<pF->n && pF->a[i].iMate; i++){}
  if( i>=pF->n ) return KV_OK;                   /* nothing that one might be */
  for(i=0; i<pS->n; i++){
    if( pS->a[i].iMate==0 && !jmgMayGo(p, &pS->a[i], bKeys) ){
      return jmgRefuseItem(p, iTask, i, JMG_UNCLEAR);
    }
  }
  return KV_OK;
}

/*************************************************************************
** Containers
*/

/* A task for each new item that has a stored one, with bKeys for its key too.
** With bText the new keys are texts. */
static int jmgPushItems(JsonMerge *p, u32 iTask, int bValues, int bKeys, int bText){
  u32 i;
  int rc = KV_OK;
  for(i=p->match.fresh.n; i-->0 && rc==KV_OK; ){
    const KvItem *pNew = &p->match.fresh.a[i];
    const u32 iAt = pNew->iMate-1;
    const KvItem *pOld = pNew->iMate ? &p->match.stored.a[iAt] : 0;
    if( pOld==0 || pOld->bHidden ) continue;
    if( !bValues || bKeys ){
      rc = jmgPush(p, pOld->iOld, pOld->iNode, pNew->iNode, iTask, JMG_INDEX, iAt);
    }
    if( bValues && rc==KV_OK ){
      int bIndex = bKeys && !(bText && p->shown.aNode[pOld->iNode].eKind==KV_STRING);
      rc = jmgPush(p, pOld->iOldVal, pOld->iVal, pNew->iVal, iTask,
                   bIndex ? JMG_INDEX : JMG_KEY, bIndex ? iAt : pOld->iNode);
    }
  }
  return rc;
}

/* Add the pair of a hidden item after the pair whose key is iPrev, 0: first. */
static int jmgShowHidden(JsonMerge *p, u32 iOwner, const KvItem *pItem, u32 *piPrev){
  u32 iKey = kvTreeAdd(p->pNew, KV_NULL);
  u32 iVal = kvTreeAdd(p->pNew, KV_UNDEFINED);
  KvNode *aNew = p->pNew->aNode;
  u32 *piLink = *piPrev ? &aNew[aNew[*piPrev].iNext].iNext : &aNew[iOwner].iChild;
  if( iKey==KV_NO_NODE || iVal==KV_NO_NODE ) return jmgNoMem(p);
  jmgSet(p, iKey, &p->pOld->aNode[pItem->iOld]);
  aNew[iKey].iNext = iVal;
  aNew[iVal].iNext = *piLink;
  *piLink = iKey;
  aNew[iOwner].n++;
  *piPrev = iKey;
  return KV_OK;
}

/* Is what the new JSON has for a hidden pair what it is shown as: in pairs (not
** bText), null? */
static int jmgShowsHidden(const JsonMerge *p, const KvItem *pItem, int bText){
  return !bText && p->pNew->aNode[p->match.fresh.a[pItem->iMate-1].iVal].eKind==KV_NULL;
}

/* Add all hidden pairs to iTask's container. */
static int jmgHiddenPairs(JsonMerge *p, u32 iTask, int bText){
  const u32 iOwner = p->aTask[iTask].iNew;
  u32 i, iPrev = 0;
  int rc = KV_OK;
  for(i=0; i<p->match.stored.n && rc==KV_OK; i++){
    const KvItem *pItem = &p->match.stored.a[i];
    if( pItem->iMate && pItem->bHidden && !jmgShowsHidden(p, pItem, bText) ){
      rc = jmgPush(p, pItem->iOldVal, 0, 0, iTask, JMG_KEY, pItem->iNode);
      if( rc==KV_OK ) rc = jmgRefuse(p, p->nTask-1, JMG_UNSHOWN);
    }else if( pItem->iMate ){
      iPrev = p->match.fresh.a[pItem->iMate-1].iNode;
    }else if( pItem->bHidden ){
      rc = jmgShowHidden(p, iOwner, pItem, &iPrev);
    }
  }
  return rc;
}

static int jmgObject(JsonMerge *p, u32 iTask, u32 iOld){
  const JmgTask task = p->aTask[iTask];
  KvNode *pNew = &p->pNew->aNode[task.iNew];
  u32 iFirst, n;
  int rc;
  if( jmgItems(p, &p->match.stored, p->shown.aNode, task.iShown, 1)!=KV_OK
   || jmgItems(p, &p->match.fresh, p->aGiven, task.iNew, 1)!=KV_OK
  ){
    return KV_NOMEM;
  }
  rc = jmgStoredPairs(p, iOld, 1, 1);
  if( rc!=KV_OK ) return rc;
  if( kvMatchItems(&p->match)!=KV_OK ) return jmgNoMem(p);
  n = pNew->n;
  rc = jmgHiddenPairs(p, iTask, 1);
  if( rc!=KV_OK ) return rc;
  pNew = &p->pNew->aNode[task.iNew];
  if( pNew->n!=n ){
    iFirst = pNew->iChild;
    n = pNew->n;
    if( kvTreeOrderPairs(p->pNew, &iFirst, &n, 0)!=KV_OK ) return jmgNoMem(p);
    p->pNew->aNode[task.iNew].iChild = iFirst;
  }
  return jmgPushItems(p, iTask, 1, 0, 1);
}

/* An index that is the key of an object, as the string that it is in a Map. */
static int jmgKeyText(JsonMerge *p, KvNode *pKey){
  char a[KV_NUM_TEXT];
  u8 *z;
  if( pKey->eKind!=KV_NUMBER ) return KV_OK;
  pKey->n = (u32)kvNumPrint(pKey->u.r, a);
  z = kvTreeSpace(p->pNew, pKey->n);
  if( z==0 ) return jmgNoMem(p);
  memcpy(z, a, pKey->n);
  pKey->eKind = KV_STRING;
  pKey->eSub = KV_WTF8;
  pKey->u.p = z;
  return KV_OK;
}

/* Make iNew a MAP or SET of the new items. */
static int jmgRelink(JsonMerge *p, u32 iNew, u8 eKind, int bText){
  KvNode *aNew = p->pNew->aNode;
  u32 i, iLast = 0;
  KvNode owner;
  int rc = KV_OK;
  memset(&owner, 0, sizeof(owner));
  owner.eKind = eKind;
  owner.n = p->match.fresh.n;
  jmgSet(p, iNew, &owner);
  for(i=0; i<p->match.fresh.n && rc==KV_OK; i++){
    const KvItem *pItem = &p->match.fresh.a[i];
    if( iLast ) aNew[iLast].iNext = pItem->iNode;
    else aNew[iNew].iChild = pItem->iNode;
    iLast = pItem->iNode;
    if( pItem->iMate==0 ) jmgTakeNumber(&aNew[iLast]);
    if( bText ) rc = jmgKeyText(p, &aNew[iLast]);
    if( pItem->iVal ){
      aNew[iLast].iNext = pItem->iVal;
      iLast = pItem->iVal;
    }
  }
  if( iLast ) aNew[iLast].iNext = 0;
  return rc;
}

/* The same with all keys of the object whose items are in the list, so that they
** can be compared with those of pairs. */
static int jmgKeyTexts(JsonMerge *p, const KvItems *pList, KvNode *aNode, KvJsonIndex *pIndex){
  u32 i;
  int rc = KV_OK;
  for(i=0; i<pList->n && rc==KV_OK; i++){
    u32 iKey = pList->a[i].iNode;
    rc = jmgKeyText(p, &aNode[iKey]);
    kvJsonRehash(pIndex, iKey);
  }
  return rc;
}

/* Entries that are undefined aren't hidden in pairs: there they are null. */
static void jmgHiddenNull(JsonMerge *p){
  u32 i;
  for(i=0; i<p->match.fresh.n; i++){
    const KvItem *pItem = &p->match.fresh.a[i];
    KvNode *pVal = &p->pNew->aNode[pItem->iVal];
    if( pItem->iMate && p->match.stored.a[pItem->iMate-1].bHidden && pVal->eKind==KV_NULL ){
      pVal->eKind = KV_UNDEFINED;
    }
  }
}

static int jmgMap(JsonMerge *p, u32 iTask, u32 iOld){
  const JmgTask task = p->aTask[iTask];
  const int bDict = p->shown.aNode[task.iShown].eKind==KV_OBJECT;
  const int bText = p->aGiven[task.iNew].eKind==KV_OBJECT;
  int rc = jmgItems(p, &p->match.stored, p->shown.aNode, task.iShown, 1);
  if( rc==KV_OK ) rc = jmgItems(p, &p->match.fresh, p->aGiven, task.iNew, 1);
  if( rc==KV_REFUSED ) return jmgRefuse(p, iTask, JMG_NOT_ONE);
  if( rc!=KV_OK ) return rc;
  if( bDict && kvMatchTextOrder(&p->match, &p->match.stored)!=KV_OK ) return jmgNoMem(p);
  if( bText && kvMatchTextOrder(&p->match, &p->match.fresh)!=KV_OK ) return jmgNoMem(p);
  rc = jmgStoredPairs(p, iOld, bDict, bText);
  if( rc==KV_OK && bDict && !bText ){
    rc = jmgKeyTexts(p, &p->match.stored, p->shown.aNode, &p->match.shown);
  }else if( rc==KV_OK && bText && !bDict ){
    rc = jmgKeyTexts(p, &p->match.fresh, p->aGiven, &p->match.given);
  }
  if( rc==KV_OK && kvMatchItems(&p->match)!=KV_OK ) rc = jmgNoMem(p);
  if( rc==KV_OK ) rc = jmgCheckGroups(p, iTask, 1);
  if( rc==KV_OK && !bDict ) rc = jmgCheckRest(p, iTask, 1);
  if( rc==KV_OK ) rc = jmgRelink(p, task.iNew, KV_MAP, bText);
  if( rc==KV_OK ) rc = jmgHiddenPairs(p, iTask, bText);
  if( rc==KV_OK && !bText ) jmgHiddenNull(p);
  return rc==KV_OK ? jmgPushItems(p, iTask, 1, !bDict, bText) : rc;
}

/* Give the result what the stored array has besides its elements. */
static int jmgProperties(JsonMerge *p, u32 iOld, u32 iNew){
  const KvNode *aOld = p->pOld->aNode;
  u32 i = aOld[iOld].iChild, iLast = p->pNew->aNode[iNew].iChild, k;
  int rc = KV_OK;
  for(k=0; k<aOld[iOld].u.c.nElem; k++) i = aOld[i].iNext;
  while( iLast && p->pNew->aNode[iLast].iNext ) iLast = p->pNew->aNode[iLast].iNext;
  for(; i && rc==KV_OK; i=aOld[aOld[i].iNext].iNext){
    u32 iKey, iVal;
    if( aOld[i].eKind!=KV_STRING ) continue;
    iKey = kvTreeAdd(p->pNew, KV_NULL);
    iVal = kvTreeAdd(p->pNew, KV_NULL);
    if( iKey==KV_NO_NODE || iVal==KV_NO_NODE ) return jmgNoMem(p);
    jmgSet(p, iKey, &aOld[i]);
    p->pNew->aNode[iKey].iNext = iVal;
    if( iLast ) p->pNew->aNode[iLast].iNext = iKey;
    else p->pNew->aNode[iNew].iChild = iKey;
    iLast = iVal;
    p->pNew->aNode[iNew].u.c.nPair++;
    rc = jmgCopy(p, aOld[i].iNext, iVal);
  }
  return rc;
}

/* The elements of an ARRAY or SET. */
static int jmgElements(JsonMerge *p, u32 iTask, u32 iOld){
  const JmgTask task = p->aTask[iTask];
  const int bArray = p->pOld->aNode[iOld].eKind==KV_ARRAY;
  int rc;
  if( jmgItems(p, &p->match.stored, p->shown.aNode, task.iShown, 0)!=KV_OK
   || jmgItems(p, &p->match.fresh, p->aGiven, task.iNew, 0)!=KV_OK
  ){
    return KV_NOMEM;
  }
  jmgStoredElements(p, iOld);
  if( kvMatchItems(&p->match)!=KV_OK ) return jmgNoMem(p);
  rc = jmgCheckGroups(p, iTask, !bArray);
  if( rc==KV_OK ) rc = jmgCheckRest(p, iTask, 0);
  if( rc==KV_OK && bArray ) rc = jmgProperties(p, iOld, task.iNew);
  if( rc==KV_OK && !bArray ) rc = jmgRelink(p, task.iNew, KV_SET, 0);
  return rc==KV_OK ? jmgPushItems(p, iTask, 0, 0, 0) : rc;
}

/*************************************************************************
** Places
*/

/*
** What becomes of a part whose JSON has changed: it is taken from the new JSON
** as that is, or a value of the part's type is made of it, or its parts are
** merged, or it is refused.
*/
enum { JMG_FREE, JMG_LEAF, JMG_MERGE, JMG_NEVER };

static int jmgFate(JsonMerge *p, const JmgTask *pTask, u32 iOld){
  const u8 eKind = p->pOld->aNode[iOld].eKind;
  const u8 eShown = p->shown.aNode[pTask->iShown].eKind;
  const u8 eNew = p->aGiven[pTask->iNew].eKind;
  switch( eKind ){
    case KV_NULL: case KV_BOOL: case KV_NUMBER: case KV_STRING:
      return JMG_FREE;
    case KV_BIGINT: case KV_DATE: case KV_BOXED: case KV_U64:
      return JMG_LEAF;
    case KV_OBJECT:                              /* a cycle is a STRING */
      return eShown==KV_OBJECT && eNew==KV_OBJECT ? JMG_MERGE : JMG_FREE;
    case KV_ARRAY:                               /* so many holes: an OBJECT */
      if( eShown==KV_ARRAY && eNew==KV_ARRAY ) return JMG_MERGE;
      if( eShown==KV_OBJECT && (eNew==KV_OBJECT || eNew==KV_ARRAY) ) return JMG_NEVER;
      return JMG_FREE;
    case KV_MAP:
      if( eShown!=KV_OBJECT && eShown!=KV_ARRAY ) return JMG_NEVER;
      return eNew==KV_OBJECT || eNew==KV_ARRAY ? JMG_MERGE : JMG_NEVER;
    case KV_SET:
      return eShown==KV_ARRAY && eNew==KV_ARRAY ? JMG_MERGE : JMG_NEVER;
    default:
      return JMG_NEVER;
  }
}

/* If iOld was changed to the same elsewhere: a REF to that.  Else remember. */
static int jmgChangedAlike(JsonMerge *p, const JmgTask *pTask, u32 iOld){
  u32 *piShown, *piGiven;
  if( p->aObject==0 || !KV_IS_OBJECT(p->pOld->aNode[iOld].eKind) ) return 0;
  piShown = jmgWord(p, iOld, JMG_SHOWN);
  piGiven = jmgWord(p, iOld, JMG_GIVEN);
  if( *piShown==0 ){
    *piShown = pTask->iShown+1;
    *piGiven = pTask->iNew+1;
    return 0;
  }
  if( !kvJsonSame(&p->match.shown, *piShown-1, &p->match.shown, pTask->iShown)
   || !kvJsonSame(&p->match.given, *piGiven-1, &p->match.given, pTask->iNew)
  ){
    return 0;
  }
  jmgRef(p, pTask->iNew, *piGiven-1);
  return 1;
}

/* Visit the place of the newest task, whose JSON has changed. */
static int jmgChanged(JsonMerge *p, u32 iTask){
  const JmgTask *pTask = &p->aTask[iTask];
  u32 iOld = kvDeref(p->pOld, pTask->iOld);
  int eFate = jmgFate(p, pTask, iOld);
  if( eFate==JMG_NEVER ){
    int bUndefined = p->pOld->aNode[iOld].eKind==KV_UNDEFINED;
    return jmgRefuse(p, iTask, bUndefined ? JMG_UNSHOWN : JMG_NOT_ONE);
  }
  if( eFate==JMG_FREE || jmgChangedAlike(p, pTask, iOld) ){
    p->nTask--;
    return KV_OK;
  }
  if( eFate==JMG_LEAF ){
    int bBoxed = p->pOld->aNode[iOld].eKind==KV_BOXED;
    int rc = bBoxed ? jmgBoxed(p, iTask, iOld) : jmgLeaf(p, iTask, iOld);
    p->nTask--;
    return rc;
  }
  p->aTask[iTask].bOpen = 1;
  if( p->aObject ) *jmgWord(p, iOld, JMG_OPEN) = pTask->iNew+1;
  switch( p->pOld->aNode[iOld].eKind ){
    case KV_OBJECT: return jmgObject(p, iTask, iOld);
    case KV_MAP:    return jmgMap(p, iTask, iOld);
    default:        return jmgElements(p, iTask, iOld);
  }
}

/* All parts of the newest task's container are done. */
static int jmgClose(JsonMerge *p, u32 iTask){
  const JmgTask *pTask = &p->aTask[iTask];
  const u32 iOld = kvDeref(p->pOld, pTask->iOld);
  KvNode *pNew = &p->pNew->aNode[pTask->iNew];
  if( p->aObject ) *jmgWord(p, iOld, JMG_OPEN) = 0;
  if( pNew->eKind==KV_MAP || pNew->eKind==KV_SET ){
    u32 iFirst = pNew->iChild, n = pNew->n;
    int nStep = pNew->eKind==KV_MAP ? 2 : 1;
    if( kvTreeUniqueKeys(p->pNew, &iFirst, &n, nStep)!=KV_OK ) return jmgNoMem(p);
    if( n!=pNew->n ){
      return jmgRefuse(p, iTask, JMG_TWICE);
    }
  }
  p->nTask--;
  return KV_OK;
}

/* Do the newest task. */
static int jmgStep(JsonMerge *p){
  const u32 iTask = p->nTask-1;
  const JmgTask *pTask = &p->aTask[iTask];
  int rc = KV_OK;
  if( pTask->bOpen ) return jmgClose(p, iTask);
  if( !kvJsonSame(&p->match.shown, pTask->iShown, &p->match.given, pTask->iNew) ){
    if( pTask->iOld!=KV_NO_NODE && p->aMore[pTask->iOld] ) return jmgChanged(p, iTask);
  }else if( pTask->iOld==KV_NO_NODE ){
    KvNode hole;
    memset(&hole, 0, sizeof(hole));
    hole.eKind = KV_HOLE;
    jmgSet(p, pTask->iNew, &hole);
  }else if( p->aMore[pTask->iOld] ){
    rc = jmgCopy(p, pTask->iOld, pTask->iNew);
  }
  p->nTask--;
  return rc;
}

/*************************************************************************
** Begin and end
*/

/* True if JSON can't hold what a node is. */
static int jmgIsMore(const KvNode *pNode){
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
  for(i=0; i<p->nNode && !jmgIsMore(&p->aNode[i]); i++){}
  return i>=p->nNode;
}

/* Fill aMore: a container has what its parts have. */
static int jmgFindMore(JsonMerge *p){
  const KvTree *pOld = p->pOld;
  u32 *aUp = kvRealloc(0, (u64)pOld->nNode*sizeof(u32));
  u32 i = 0, nUp = 0, k;
  p->aMore = jmgZero(pOld->nNode, 1);
  if( aUp==0 || p->aMore==0 ){
    kvFree(aUp);
    return jmgNoMem(p);
  }
  do{
    if( jmgIsMore(&pOld->aNode[i]) ){
      p->aMore[i] = 1;
      for(k=nUp; k>0 && !p->aMore[aUp[k-1]]; k--) p->aMore[aUp[k-1]] = 1;
    }
    i = kvTreeWalk(pOld, i, aUp, &nUp);
  }while( i );
  kvFree(aUp);
  return KV_OK;
}

/* A key that isn't shown, as JSON would: a node of the tree shown. */
static int jmgHiddenKey(JsonMerge *p, u32 iKey){
  u32 i = kvTreeAdd(&p->shown, KV_STRING);
  const KvNode *pKey = &p->pOld->aNode[iKey];
  KvNode *pNode;
  KvBuf text;
  char aSpace[64];
  i64 v;
  if( i==KV_NO_NODE ) return jmgNoMem(p);
  pNode = &p->shown.aNode[i];
  p->aHidden[iKey] = i;
  if( pKey->eKind!=KV_STRING ){
    pNode->eKind = KV_NUMBER;
    pNode->u.r = pKey->u.r;
    return KV_OK;
  }
  kvBufInit(&text, aSpace, sizeof(aSpace));
  kvUtfAppend(&text, pKey->eSub, kvBytes(pKey->u.p, pKey->n), 1);
  pNode->eSub = KV_WTF8;
  pNode->n = text.n;
  pNode->u.p = kvTreeSpace(&p->shown, text.n);
  if( text.eErr!=KV_OK || pNode->u.p==0 ){
    kvBufClear(&text);
    return jmgNoMem(p);
  }
  if( text.n ) memcpy((u8*)pNode->u.p, text.a, text.n);
  kvBufClear(&text);
  v = kvArrayIndex(kvNodeBytes(pNode));
  if( v>=0 ){
    pNode->eKind = KV_NUMBER;
    pNode->eSub = 0;
    pNode->n = 0;
    pNode->u.r = (double)v;
  }
  return KV_OK;
}

/* Members and entries that are undefined. */
static int jmgHiddenKeys(JsonMerge *p){
  const KvNode *aOld = p->pOld->aNode;
  u32 i, iKey;
  int rc = KV_OK;
  for(i=0; i<p->pOld->nNode; i++){
    if( aOld[i].eKind!=KV_OBJECT && aOld[i].eKind!=KV_MAP ) continue;
    for(iKey=aOld[i].iChild; iKey; iKey=aOld[aOld[iKey].iNext].iNext){
      if( aOld[aOld[iKey].iNext].eKind!=KV_UNDEFINED ) continue;
      if( aOld[iKey].eKind!=KV_STRING && aOld[iKey].eKind!=KV_NUMBER ) continue;
      if( p->aHidden==0 ) p->aHidden = jmgZero(p->pOld->nNode, sizeof(u32));
      if( p->aHidden==0 ) return jmgNoMem(p);
      rc = jmgHiddenKey(p, iKey);
      if( rc!=KV_OK ) return rc;
    }
  }
  return KV_OK;
}

/* The JSON of the stored value.  *pbNone: it has none. */
static int jmgShow(JsonMerge *p, int *pbNone){
  int rc = kvJsonPrint(p->pOld, 0, &p->text, p->pErr);
  *pbNone = p->text.n==0;
  if( rc!=KV_OK || *pbNone ) return rc;
  rc = kvJsonParseDigits(&p->shown, kvBufBytes(&p->text), p->pErr);
  if( rc==KV_OK ) rc = jmgHiddenKeys(p);
  return rc;
}

/* Everything that the tasks need. */
static int jmgPrepare(JsonMerge *p){
  const u64 nNew = p->pNew->nNode;
  int rc;
  p->aGiven = kvRealloc(0, nNew*sizeof(KvNode));
  if( p->aGiven==0 ) return jmgNoMem(p);
  memcpy(p->aGiven, p->pNew->aNode, (size_t)nNew*sizeof(KvNode));
  p->nGiven = (u32)nNew;
  if( p->pOld->nRef ){
    p->aObject = jmgZero(p->pOld->nNode, JMG_COUNT*sizeof(u32));
    if( p->aObject==0 ) return jmgNoMem(p);
  }
  if( kvJsonIndex(&p->match.shown, p->shown.aNode, p->shown.nNode)!=KV_OK
   || kvJsonIndex(&p->match.given, p->aGiven, p->nGiven)!=KV_OK
  ){
    return jmgNoMem(p);
  }
  rc = jmgFindMore(p);
  p->bSame = kvJsonSame(&p->match.shown, 0, &p->match.given, 0);
  return rc==KV_OK ? jmgPush(p, 0, 0, 0, 0, JMG_ROOT, 0) : rc;
}

/* Dates that are written otherwise are the same to jmgVerify(). */
static void jmgNormalDates(KvNode *aNode, u32 nNode){
  u32 i;
  for(i=0; i<nNode; i++){
    double r;
    if( aNode[i].eKind==KV_STRING
     && kvDateParse(kvNodeBytes(&aNode[i]), &r)==KV_OK
    ){
      aNode[i].eKind = KV_NUMBER;
      aNode[i].u.r = r;
    }
  }
}

/*
** The result has objects with several places: does it show what the new JSON
** says, at each of them?
*/
static int jmgVerify(JsonMerge *p){
  int rc, bSame;
  kvBufReset(&p->text);
  rc = kvJsonPrint(p->pNew, 0, &p->text, p->pErr);
  if( rc!=KV_OK ) return rc;
  kvTreeReset(&p->shown);
  rc = kvJsonParseDigits(&p->shown, kvBufBytes(&p->text), p->pErr);
  if( rc!=KV_OK ) return rc;
  kvJsonIndexClear(&p->match.shown);
  kvJsonIndexClear(&p->match.given);
  jmgNormalDates(p->shown.aNode, p->shown.nNode);
  jmgNormalDates(p->aGiven, p->nGiven);
  if( kvJsonIndex(&p->match.shown, p->shown.aNode, p->shown.nNode)!=KV_OK
   || kvJsonIndex(&p->match.given, p->aGiven, p->nGiven)!=KV_OK
  ){
    return jmgNoMem(p);
  }
  bSame = p->match.shown.aHash[0]==p->match.given.aHash[0];
  if( bSame ) return KV_OK;
  kvBufPut(p->pPath, '$');
  p->iPart = 0;
  return kvErrSet(p->pErr, KV_REFUSED, -1, "with parts that are shown at several"
      " places, and in the new JSON these don't agree");
}

static int jmgRun(JsonMerge *p){
  u32 i;
  int bNone, rc = jmgShow(p, &bNone);
  if( rc==KV_OK && bNone ) rc = kvErrSet(p->pErr, KV_REFUSED, -1, JMG_UNSHOWN);
  if( rc==KV_REFUSED && bNone ) kvBufPut(p->pPath, '$');
  if( rc==KV_OK ) rc = jmgPrepare(p);
  while( rc==KV_OK && p->nTask ) rc = jmgStep(p);
  if( rc!=KV_OK ) return rc;
  for(i=0; i<p->pNew->nNode; i++) jmgTakeNumber(&p->pNew->aNode[i]);
  return p->aObject && !p->bSame ? jmgVerify(p) : KV_OK;
}

int kvJsonMerge(
  KvTree *pOld, KvBytes json, KvTree *pNew,
  int *pbSame, u32 *piPart, KvBuf *pPath, KvErr *pErr
){
  JsonMerge merge;
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
  rc = jmgRun(&merge);
  if( rc==KV_OK && pPath->eErr!=KV_OK ) rc = jmgNoMem(&merge);
  *piPart = merge.iPart;
  *pbSame = rc==KV_OK && merge.bSame;
  if( rc==KV_OK && !merge.bSame ) kvTreeCheck(pNew);
  kvTreeClear(&merge.shown);
  kvBufClear(&merge.text);
  kvMatchClear(&merge.match);
  kvFree(merge.aGiven);
  kvFree(merge.aMore);
  kvFree(merge.aHidden);
  kvFree(merge.aObject);
  kvFree(merge.aTask);
  kvFree(merge.aCopy);
  return rc;
}
