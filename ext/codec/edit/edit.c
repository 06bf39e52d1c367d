/*
** edit.c -- parts of a value, set and removed in its tree.  See edit.h.
*/
#include "codec/edit/edit.h"
#include "codec/names.h"
#include "codec/path.h"
#include "codec/edit/retype.h"
#include "codec/edit/splice.h"
#include "codec/stored.h"
#include "codec/value_check.h"
#include "codec/value_order.h"
#include "codec/value_string.h"
#include "codec/view.h"

typedef struct Edit Edit;
struct Edit {
  KvEdit *pArg;
  KvTree *p;              /* The stored value */
  KvPath path;
  u32 iNew;               /* Root of the new value in p, or KV_NO_NODE */
  KvErr *pErr;
};

static const char editKeyInto[] =
  "the path leads through a value without members: .key applies to Objects, Maps and Errors";
static const char editIndexInto[] =
  "the path leads through a value without elements: [index] applies to Arrays, Maps, "
  "Sets and typed arrays";
static const char editPastEnd[] = "the index is past the end";

/* An error at the step that was read last. */
static int editFail(Edit *e, int eCode, const char *zMsg){
  return kvErrSet(e->pErr, eCode, e->path.iStep, zMsg);
}

static int editNoMem(Edit *e){
  return kvErrSet(e->pErr, KV_NOMEM, -1, "out of memory");
}

static int editNext(Edit *e){
  int rc = kvPathNext(&e->path);
  if( rc!=KV_OK ) *e->pErr = e->path.lex.err;
  return rc;
}

/*************************************************************************
** Links
*/

/* The link to the iAt-th child from *pi on. */
static u32 *editLinkOf(KvTree *p, u32 *pi, u64 nSkip){
  for(; nSkip>0; nSkip--) pi = &p->aNode[*pi].iNext;
  return pi;
}

/* The link to the child iAt of iParent, and how many children are before it. */
static u32 *editLinkTo(KvTree *p, u32 iParent, u32 iAt, u32 *pnBefore){
  u32 *pi = &p->aNode[iParent].iChild;
  *pnBefore = 0;
  while( *pi!=iAt ){
    pi = &p->aNode[*pi].iNext;
    (*pnBefore)++;
  }
  return pi;
}

/* Put iNew in the place of the child iAt of iParent. */
static void editReplace(KvTree *p, u32 iParent, u32 iAt, u32 iNew){
  u32 nBefore;
  *editLinkTo(p, iParent, iAt, &nBefore) = iNew;
  p->aNode[iNew].iNext = p->aNode[iAt].iNext;
}

/* Insert iNew at a link; *pi may be 0. */
static void editInsert(KvTree *p, u32 *pi, u32 iNew){
  p->aNode[iNew].iNext = *pi;
  *pi = iNew;
}

/* Take nNode siblings out, the first of which is at the link. */
static void editCut(KvTree *p, u32 *pi, u32 nNode){
  for(; nNode>0; nNode--) *pi = p->aNode[*pi].iNext;
}

/* Add a node of the step's key: in an OBJECT an array index is a NUMBER. */
static int editKey(Edit *e, int eKind, u32 *pi){
  KvBytes key = kvNodeBytes(&e->path.key);
  i64 iIndex = eKind==KV_OBJECT ? kvArrayIndex(key) : -1;
  *pi = kvTreeAdd(e->p, KV_NUMBER);
  if( *pi==KV_NO_NODE ) return editNoMem(e);
  e->p->aNode[*pi].u.r = (double)iIndex;
  return iIndex>=0 || kvTreeText(e->p, *pi, key)==KV_OK ? KV_OK : editNoMem(e);
}

/*************************************************************************
** The new value
*/

/* Make the new value a part of the tree: e->iNew.  Its slices stay where they
** are, in memory that outlives both trees. */
static int editGraft(Edit *e){
  const KvTree *pNew = e->pArg->pNew;
  u32 iBase = e->p->nNode, i;
  for(i=0; i<pNew->nNode; i++){
    u32 k = kvTreeAdd(e->p, 0);
    KvNode *pNode;
    if( k==KV_NO_NODE ) return editNoMem(e);
    pNode = &e->p->aNode[k];
    *pNode = pNew->aNode[i];
    if( pNode->iNext ) pNode->iNext += iBase;
    if( pNode->iChild ) pNode->iChild += iBase;
    if( pNode->eKind==KV_REF ) pNode->n += iBase;
  }
  e->p->nRef += pNew->nRef;
  e->iNew = iBase;
  return KV_OK;
}

/* Give the new value the type of pOld's node iOld, or with pOld==0 of nothing. */
static int editType(Edit *e, const KvTree *pOld, u32 iOld){
  KvTree *pNew = e->pArg->pNew;
  int rc;
  if( e->pArg->bTyped ) return KV_OK;
  rc = pOld ? kvRetype(pOld, iOld, pNew, 0, e->pErr) : kvRetypeNew(pNew, 0, e->pErr);
  if( rc==KV_REFUSED ) e->pErr->iPos = e->path.iStep;
  return rc;
}

/* The new value in the place of that.  A KvU64 would become another type as a
** part of a value. */
static int editTake(Edit *e, const KvTree *pOld, u32 iOld){
  int rc = editType(e, pOld, iOld);
  if( e->pArg->bTyped && e->pArg->pNew->aNode[0].eKind==KV_U64 ){
    rc = editFail(e, KV_REFUSED,
        "a KvU64 can only be a whole value, not a part of one; use kv_bigint()");
  }
  return rc==KV_OK ? editGraft(e) : rc;
}

/* A container for the step that was read last, with the place of its part. */
static int editMakeOne(Edit *e, u32 *pi, u32 *piLast){
  const KvPath *pPath = &e->path;
  if( !pPath->bKey && pPath->iIndex!=0 ) return editFail(e, KV_REFUSED, editPastEnd);
  *pi = kvTreeAdd(e->p, pPath->bKey ? KV_OBJECT : KV_ARRAY);
  if( *pi==KV_NO_NODE ) return editNoMem(e);
  e->p->aNode[*pi].n = 1;
  if( !pPath->bKey ){
    e->p->aNode[*pi].u.c.nElem = 1;
    *piLast = *pi;
    return KV_OK;
  }
  if( editKey(e, KV_OBJECT, piLast)!=KV_OK ) return KV_NOMEM;
  e->p->aNode[*pi].iChild = *piLast;
  return KV_OK;
}

/* The new value where nothing was, within what the rest of the path makes.
** *pi is the node to be inserted. */
static int editMake(Edit *e, u32 *pi){
  u32 iLast = 0;
  int bKey = 0, bEnd = 0, rc = editTake(e, 0, 0);
  for(*pi=0; rc==KV_OK && !bEnd; bKey=e->path.bKey){
    u32 i = e->iNew, iAt = 0;
    bEnd = kvPathAtEnd(&e->path);
    if( !bEnd ) rc = editNext(e);
    if( !bEnd && rc==KV_OK ) rc = editMakeOne(e, &i, &iAt);
    if( rc!=KV_OK ) break;
    if( *pi==0 ) *pi = i;
    else if( bKey ) e->p->aNode[iLast].iNext = i;
    else e->p->aNode[iLast].iChild = i;
    iLast = iAt;
  }
  return rc;
}

/*************************************************************************
** Elements of typed arrays
*/

/* Whether what was read back from an element is what was put there; with bRound
** a finite number may have been rounded to another. */
static int editHolds(const KvNode *pPut, const KvNode *pRead, int bRound){
  u32 n = pPut->n;
  if( pPut->eKind==KV_NUMBER ){
    if( pPut->u.r==pRead->u.r || (pPut->u.r!=pPut->u.r && pRead->u.r!=pRead->u.r) ) return 1;
    return bRound && pRead->u.r - pRead->u.r==0.0;
  }
  while( n>0 && pPut->u.p[n-1]==0 ) n--;
  return n==pRead->n && (n==0 || (pPut->eSub==pRead->eSub && memcmp(pPut->u.p, pRead->u.p, n)==0));
}

/* Give the new value the type of element iElem of view iView. */
static int editElemType(Edit *e, u32 iView, i64 iElem){
  KvNode old;
  KvTree one;
  u8 aDigit[8];
  int rc;
  if( !kvViewElem(e->p, iView, iElem, &old, aDigit) ) return editFail(e, KV_REFUSED, editPastEnd);
  one.aNode = &old;
  rc = editType(e, &one, 0);
  if( rc!=KV_OK || e->pArg->pNew->aNode[0].eKind==old.eKind ) return rc;
  return editFail(e, KV_REFUSED, old.eKind==KV_BIGINT
      ? "the elements of this typed array are bigints"
      : "the elements of this typed array are numbers");
}

/* Set element iElem of view iView, in a copy of its buffer's bytes. */
static int editSetElement(Edit *e, u32 iView, i64 iElem){
  const KvNode *pView = &e->p->aNode[iView], *pNew;
  KvNode *pBuffer = &e->p->aNode[kvViewBuffer(e->p, iView)];
  int bFloat = pView->eSub==KV_VIEW_F32 || pView->eSub==KV_VIEW_F16;
  int rc = editElemType(e, iView, iElem);
  KvNode read;
  u8 aDigit[8], *a;
  if( rc!=KV_OK ) return rc;
  if( pBuffer->eSub==KV_BUF_IMMUTABLE ){
    return editFail(e, KV_REFUSED, "the elements of an immutable ArrayBuffer can't be set");
  }
  a = kvTreeSpace(e->p, pBuffer->n);
  if( a==0 ) return editNoMem(e);
  memcpy(a, pBuffer->u.p, pBuffer->n);
  pBuffer->u.p = a;
  pNew = &e->pArg->pNew->aNode[0];
  a += pView->u.iOffset + (size_t)iElem*(size_t)kvViewSize(pView->eSub);
  if( kvViewPut(a, pView->eSub, pNew) && kvViewElem(e->p, iView, iElem, &read, aDigit)
   && editHolds(pNew, &read, bFloat && e->pArg->bTyped)
  ){
    return KV_OK;
  }
  return editFail(e, KV_REFUSED, bFloat
      ? "the elements of this typed array can't hold the number exactly; kv_value(...) rounds it"
      : "the elements of this typed array can't hold the number");
}

/*************************************************************************
** Arrays
*/

/* Put iNew where the array has nothing: in a hole, or after its end. */
static int editArrayFill(Edit *e, u32 iArray, u32 iIndex, u32 iNew){
  u32 iKey = kvTreeAdd(e->p, KV_NUMBER);
  u64 nStep = 0;
  if( iKey==KV_NO_NODE ) return editNoMem(e);
  e->p->aNode[iKey].u.r = (double)iIndex;
  e->p->aNode[iKey].iNext = iNew;
  e->p->aNode[iNew].iNext = 0;
  return kvTreeArrayPairs(e->p, iArray, iKey, 1, 1, &nStep)==KV_OK ? KV_OK : editNoMem(e);
}

/* Remove the element iIndex; what is after it moves up. */
static int editArrayRemove(Edit *e, u32 iArray, u32 iIndex){
  KvTree *p = e->p;
  KvNode *pArray = &p->aNode[iArray];
  u64 nStep = 0;
  u32 *pi;
  if( iIndex<pArray->u.c.nElem ){
    editCut(p, editLinkOf(p, &pArray->iChild, iIndex), 1);
    pArray->u.c.nElem--;
  }
  pArray->n--;
  pi = editLinkOf(p, &pArray->iChild, pArray->u.c.nElem);
  while( *pi && p->aNode[*pi].eKind==KV_NUMBER ){
    KvNode *pKey = &p->aNode[*pi];
    if( pKey->u.r==(double)iIndex ){
      editCut(p, pi, 2);
      pArray->u.c.nPair--;
    }else{
      if( pKey->u.r>(double)iIndex ) pKey->u.r -= 1.0;
      pi = editLinkOf(p, pi, 2);
    }
  }
  return kvTreeArrayPairs(p, iArray, 0, 0, 1, &nStep)==KV_OK ? KV_OK : editNoMem(e);
}

/*************************************************************************
** The last step
*/

/* The index that the step means among n; -1: before the first. */
static i64 editIndex(const Edit *e, i64 n){
  return e->path.bEnd ? n - e->path.iIndex : e->path.iIndex;
}

/* The part of an Error that the step names, or 0. */
static u32 editErrorPart(const Edit *e){
  return kvErrorPart(kvNodeBytes(&e->path.key));
}

/* Message and stack must be strings; mPart is the part that iNew becomes. */
static int editErrorCheck(Edit *e, u32 mPart, u32 iNew){
  if( mPart==KV_ERR_CAUSE || e->p->aNode[iNew].eKind==KV_STRING ) return KV_OK;
  return editFail(e, KV_REFUSED, "message and stack of an Error must be strings");
}

/* Add a pair to an Object or a Map. */
static int editAddPair(Edit *e, u32 iParent){
  KvTree *p = e->p;
  KvNode *pParent;
  u32 iKey = 0, iNew = 0;
  int rc = editKey(e, p->aNode[iParent].eKind, &iKey);
  if( rc==KV_OK ) rc = editMake(e, &iNew);
  if( rc!=KV_OK ) return rc;
  pParent = &p->aNode[iParent];
  editInsert(p, editLinkOf(p, &pParent->iChild, 2*(u64)pParent->n), iKey);
  editInsert(p, &p->aNode[iKey].iNext, iNew);
  pParent->n++;
  if( pParent->eKind==KV_MAP ) return KV_OK;
  rc = kvTreeOrderPairs(p, &pParent->iChild, &pParent->n, 1);
  return rc==KV_OK ? KV_OK : editNoMem(e);
}

/* Add a part to an Error. */
static int editAddPart(Edit *e, u32 iError){
  KvNode *pError;
  u32 mPart = editErrorPart(e), m, nBefore = 0, iNew = 0;
  int rc;
  if( mPart!=KV_ERR_CAUSE && !kvPathAtEnd(&e->path) ) return editFail(e, KV_REFUSED, editKeyInto);
  rc = editMake(e, &iNew);
  if( rc==KV_OK ) rc = editErrorCheck(e, mPart, iNew);
  if( rc!=KV_OK ) return rc;
  pError = &e->p->aNode[iError];
  for(m=1; m<mPart; m<<=1) nBefore += (pError->n & m)!=0;
  editInsert(e->p, editLinkOf(e->p, &pError->iChild, nBefore), iNew);
  pError->n |= mPart;
  return KV_OK;
}

/* Keep each element of a Set once. */
static int editUnique(Edit *e, u32 iSet){
  KvNode *pSet = &e->p->aNode[iSet];
  return kvTreeUniqueKeys(e->p, &pSet->iChild, &pSet->n, 1)==KV_OK ? KV_OK : editNoMem(e);
}

/* Add an element to a Set. */
static int editAddElement(Edit *e, u32 iSet){
  KvNode *pSet;
  u32 iNew = 0;
  int rc = editMake(e, &iNew);
  if( rc!=KV_OK ) return rc;
  pSet = &e->p->aNode[iSet];
  editInsert(e->p, editLinkOf(e->p, &pSet->iChild, pSet->n), iNew);
  pSet->n++;
  return editUnique(e, iSet);
}

/* Set what the step doesn't find in iParent. */
static int editAdd(Edit *e, u32 iParent){
  int eKind = e->p->aNode[iParent].eKind;
  i64 n = kvPathLength(e->p, iParent), iIndex;
  u32 iNew = 0;
  int rc;
  if( e->path.bKey ){
    if( eKind==KV_ERROR && editErrorPart(e) ) return editAddPart(e, iParent);
    return editAddPair(e, iParent);
  }
  iIndex = editIndex(e, n);
  if( eKind==KV_MAP ){
    return editFail(e, KV_REFUSED, "the index is past the end; .key adds to a Map");
  }
  if( eKind==KV_VIEW || iIndex<0 || iIndex>n ) return editFail(e, KV_REFUSED, editPastEnd);
  if( eKind==KV_SET ) return editAddElement(e, iParent);
  if( iIndex>4294967294 ) return editFail(e, KV_REFUSED, "the Array has the maximum length");
  rc = editMake(e, &iNew);
  return rc==KV_OK ? editArrayFill(e, iParent, (u32)iIndex, iNew) : rc;
}

/* Set the part iAt of iParent, at which the path ends. */
static int editSet(Edit *e, u32 iParent, u32 iAt, i64 iElem){
  int eKind = e->p->aNode[iParent].eKind;
  int rc;
  if( iElem>=0 ) return editSetElement(e, iParent, iElem);
  rc = editTake(e, e->p, iAt);
  if( rc==KV_OK && eKind==KV_ERROR ) rc = editErrorCheck(e, editErrorPart(e), e->iNew);
  if( rc!=KV_OK ) return rc;
  editReplace(e->p, iParent, iAt, e->iNew);
  return eKind==KV_SET ? editUnique(e, iParent) : KV_OK;
}

/* Remove the part iAt of iParent, at which the path ends. */
static int editRemove(Edit *e, u32 iParent, u32 iAt, i64 iElem){
  KvNode *pParent = &e->p->aNode[iParent];
  u32 nBefore = 0, *pi;
  if( iElem>=0 ){
    return editFail(e, KV_REFUSED, "a typed array has a fixed length: nothing can be removed");
  }
  if( pParent->eKind==KV_ARRAY && !e->path.bKey ){
    return editArrayRemove(e, iParent, (u32)editIndex(e, pParent->n));
  }
  pi = editLinkTo(e->p, iParent, iAt, &nBefore);
  switch( pParent->eKind ){
    case KV_SET:    pParent->n--;                     break;
    case KV_ERROR:  pParent->n &= ~editErrorPart(e);   break;
    default:                                          /* a pair: with its key */
      pi = editLinkOf(e->p, &pParent->iChild, nBefore-1);
      editCut(e->p, pi, 1);
      if( pParent->eKind==KV_ARRAY ) pParent->u.c.nPair--;
      else pParent->n--;
  }
  editCut(e->p, pi, 1);
  return KV_OK;
}

/*************************************************************************
** The path
*/

/* Can the step go into iNode, whether or not there is such a part? */
static int editCheckStep(Edit *e, u32 iNode){
  int eKind = e->p->aNode[iNode].eKind;
  if( eKind==KV_HOST ){
    return editFail(e, KV_REFUSED, "a host object (Blob, CryptoKey ...) can't be changed");
  }
  if( !e->path.bKey ){
    return kvPathLength(e->p, iNode)>=0 ? KV_OK : editFail(e, KV_REFUSED, editIndexInto);
  }
  if( eKind==KV_OBJECT || eKind==KV_MAP ) return KV_OK;
  if( eKind!=KV_ERROR ) return editFail(e, KV_REFUSED, editKeyInto);
  return editErrorPart(e) ? KV_OK
      : editFail(e, KV_REFUSED, "an Error has the members .message, .stack and .cause only");
}

/* Remove what the step doesn't find in iParent: nothing, or an error. */
static int editRemoveNothing(Edit *e, u32 iParent){
  int rc = KV_OK;
  if( !e->path.bKey ){
    i64 n = kvPathLength(e->p, iParent), iIndex = editIndex(e, n);
    if( iIndex<0 || iIndex>=n ) return editFail(e, KV_REFUSED, editPastEnd);
    if( kvPathAtEnd(&e->path) ) rc = editArrayRemove(e, iParent, (u32)iIndex);    /* a hole */
  }
  while( rc==KV_OK && !kvPathAtEnd(&e->path) ) rc = editNext(e);
  return rc;
}

/* Go the path from the root, and set or remove. */
static int editWalk(Edit *e){
  u32 iAt = 0, iParent;
  i64 iElem = -1;
  int rc;
  for(;;){
    rc = editNext(e);
    if( rc!=KV_OK ) return rc;
    if( iElem>=0 ) return editFail(e, KV_REFUSED, e->path.bKey ? editKeyInto : editIndexInto);
    iParent = kvDeref(e->p, iAt);
    rc = kvPathEnter(&e->path, e->p, iParent, &iAt, &iElem);
    if( rc!=KV_OK ){
      *e->pErr = e->path.lex.err;
      return rc;
    }
    if( iAt==KV_NO_NODE ){
      rc = editCheckStep(e, iParent);
      if( rc!=KV_OK ) return rc;
      return e->pArg->pNew ? editAdd(e, iParent) : editRemoveNothing(e, iParent);
    }
    if( kvPathAtEnd(&e->path) ) break;
  }
  return e->pArg->pNew ? editSet(e, iParent, iAt, iElem) : editRemove(e, iParent, iAt, iElem);
}

/* The path is $: another value. */
static int editWhole(Edit *e){
  KvEdit *p = e->pArg;
  int rc = KV_OK;
  if( p->pNew==0 ){
    return kvErrSet(e->pErr, KV_REFUSED, -1, "the whole value can't be removed; DELETE the entry");
  }
  if( !p->bTyped ) rc = kvRetype(e->p, 0, p->pNew, 0, e->pErr);
  return rc==KV_OK ? kvValueWrite(p->pNew, p->iVersion, 0, p->pOut, &p->eOut, e->pErr) : rc;
}

int kvEditTree(KvEdit *p, KvErr *pErr){
  KvTree tree;
  Edit e;
  int rc;
  kvTreeInit(&tree);
  e.pArg = p;
  e.p = &tree;
  e.iNew = KV_NO_NODE;
  e.pErr = pErr;
  rc = kvPathStart(&e.path, p->path);
  if( rc!=KV_OK ) *pErr = e.path.lex.err;
  else rc = kvValueRead(&tree, p->eEncoding, p->value, pErr);
  if( rc==KV_OK && kvPathAtEnd(&e.path) ){
    rc = editWhole(&e);
  }else if( rc==KV_OK ){
    rc = editWalk(&e);
    if( rc==KV_OK && kvTreePrune(&tree)!=KV_OK ) rc = editNoMem(&e);
    if( rc==KV_OK ) kvTreeCheck(&tree);
    if( rc==KV_OK ) rc = kvValueWrite(&tree, p->iVersion, 0, p->pOut, &p->eOut, pErr);
  }
  kvPathClear(&e.path);
  kvTreeClear(&tree);
  return rc;
}

int kvEdit(KvEdit *p, KvErr *pErr){
  if( p->eEncoding==1 && kvSplice(p) ){
    p->eOut = 1;
    return KV_OK;
  }
  return kvEditTree(p, pErr);
}
