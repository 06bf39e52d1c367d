/*
** js_refs.c -- <ref *N> and [Circular *N] in JS text: which object is which.
**
** A label stands before an object, array, Map ..., and references to it behind
** the label.  N may be up to 1000000, or up to the number of the text's bytes.
**
** Within one text the console gives an object that leads back to itself one
** label, and prints the object again wherever it occurs again:
**
**    p = {n: 1};  p.me = p;  console.log([p, p])
**    [ <ref *1> { n: 1, me: [Circular *1] }, <ref *1> { n: 1, me: [Circular *1] } ]
**
** So all definitions of a label that is referred to are one object, and what
** stands at equal places in them is one object too.  That holds for a text if
** it can hold for all of its labels: what becomes one is of one kind, with the
** same keys and scalars, no Map or Set has an object twice, and no object is
** printed inside of itself, where the console refers to it.  Otherwise the text
** was put together from several of the console's; then a definition of a label
** hides the ones before it.
*/
#include "codec/js/js_call.h"

#define JSR_MAX_LABEL 1000000

/* A label's mark in p->aLabel: it is referred to. */
#define JSR_USED 0xffffffffu

/* Room for n items of nSize bytes in a, the new ones 0.  0 without memory. */
static void *jsrReserve(KvJsp *p, void *a, u32 *pnAlloc, u32 n, u32 nSize){
  u32 nNew = n + n/2 + 16;
  u8 *aNew;
  if( n<=*pnAlloc ) return a;
  aNew = kvRealloc(a, (u64)nNew*nSize);
  if( aNew==0 ){
    kvJspNoMem(p);
    return 0;
  }
  memset(&aNew[(size_t)*pnAlloc*nSize], 0, (size_t)(nNew - *pnAlloc)*nSize);
  *pnAlloc = nNew;
  return aNew;
}

/* A list of numbers. */
typedef struct JsrList JsrList;
struct JsrList {
  u32 *a;
  u32 n, nAlloc;
};

static int jsrPush(KvJsp *p, JsrList *pList, u32 v){
  u32 *a = jsrReserve(p, pList->a, &pList->nAlloc, pList->n+1, sizeof(u32));
  if( a==0 ) return KV_NOMEM;
  pList->a = a;
  a[pList->n++] = v;
  return KV_OK;
}

/*
** While the text is read.
*/

/* The digits and zTail behind them.  0 after an error. */
static u32 jsrNumber(KvJsp *p, const char *zAt, const char *zTail){
  u64 nMax = (u64)(p->lex.zEnd - p->lex.zStart), v = 0;
  if( nMax<JSR_MAX_LABEL ) nMax = JSR_MAX_LABEL;
  while( kvJspIsDigit(kvJspPeek(p)) && v<=nMax ) v = v*10 + (u64)(*p->lex.z++ - '0');
  if( v==0 || v>nMax || !kvLexText(&p->lex, zTail) ){
    kvLexError(&p->lex, zAt, "expected <ref *N> or [Circular *N] with N from 1 to 1000000, or to the length of the text");
    return 0;
  }
  return (u32)v;
}

int kvJsLabel(KvJsp *p){
  const char *zAt = p->lex.z;
  KvJsFrame *pFrame;
  KvJsDef *aDef;
  u32 v, *aLabel;
  if( !kvLexText(&p->lex, "<ref *") ) return kvJspError(p, zAt, JSP_WHAT);
  v = jsrNumber(p, zAt, ">");
  if( v==0 ) return JSP_FAIL;
  aDef = jsrReserve(p, p->aDef, &p->nDefAlloc, p->nDef+1, sizeof(KvJsDef));
  if( aDef==0 ) return JSP_FAIL;
  p->aDef = aDef;
  aLabel = jsrReserve(p, p->aLabel, &p->nLabel, v+1, sizeof(u32));
  if( aLabel==0 ) return JSP_FAIL;
  p->aLabel = aLabel;
  pFrame = kvJspPush(p, JSP_LABEL, zAt);
  if( pFrame==0 ) return JSP_FAIL;
  pFrame->iNode = p->nDef;
  aDef[p->nDef].iNode = KV_NO_NODE;
  aDef[p->nDef++].iLabel = v;
  aLabel[v] = p->nDef;
  return JSP_VALUE;
}

int kvJsLabelled(KvJsp *p, KvJsFrame *pFrame){
  KvNode *pNode = &p->pTree->aNode[p->iVal];
  if( !KV_IS_OBJECT(pNode->eKind) ){
    return kvJspError(p, pFrame->zAt, "a label stands before an object, array, Map ...");
  }
  if( pNode->eSpare==KV_LABELLED ){
    return kvJspError(p, pFrame->zAt, "an object has one label, and this one has another");
  }
  p->aDef[pFrame->iNode].iNode = p->iVal;
  pNode->eSpare = KV_LABELLED;
  p->nFrame--;
  return JSP_DONE;
}

int kvJsCircular(KvJsp *p, const char *zAt){
  u32 v = jsrNumber(p, zAt, "]");
  if( v==0 ) return JSP_FAIL;
  if( v>=p->nLabel || p->aLabel[v]==0 ){
    return kvJspError(p, zAt, "there is no <ref *N> with this number before");
  }
  if( kvJspScalar(p, KV_REF, p->aLabel[v]-1)==JSP_FAIL ) return JSP_FAIL;
  p->pTree->aNode[p->iVal].u.u = (u64)(zAt - p->lex.zStart);
  return JSP_DONE;
}

void kvJsRefsClear(KvJsp *p){
  kvFree(p->aDef);
  kvFree(p->aLabel);
}

/*
** Definitions of one label become one object.
*/

typedef struct JsrMerge JsrMerge;
struct JsrMerge {
  KvJsp *p;
  KvNode *aNode;
  u32 nNode;
  u32 *aClass;            /* Of each object: another one that it is, or itself */
  u32 *aSeen;             /* For each class, by its last one: see the users */
  JsrList todo;           /* Pairs of nodes to unite, or nodes to visit */
  JsrList ref;            /* REF nodes in the order of the walk */
};

/* The one that stands for its class. */
static u32 jsrFind(const JsrMerge *pM, u32 i){
  u32 *a = pM->aClass;
  while( a[i]!=i ) i = a[i] = a[a[i]];
  return i;
}
static u32 jsrClass(const JsrMerge *pM, u32 i){
  return jsrFind(pM, kvDeref(pM->p->pTree, i));
}

/* True if two nodes are equal but for their children. */
static int jsrSame(const KvNode *pA, const KvNode *pB){
  if( pA->eKind!=pB->eKind || pA->eSub!=pB->eSub || pA->n!=pB->n
   || ((pA->mFlags^pB->mFlags) & KVN_TRACK)
  ){
    return 0;
  }
  switch( pA->eKind ){
    case KV_STRING: case KV_BIGINT: case KV_BUFFER:
      return pA->n==0 || memcmp(pA->u.p, pB->u.p, pA->n)==0;
    case KV_NUMBER: case KV_DATE:
      return kvDoubleToBits(pA->u.r)==kvDoubleToBits(pB->u.r);
    case KV_ARRAY:
      return pA->u.c.nElem==pB->u.c.nElem && pA->u.c.nPair==pB->u.c.nPair;
    case KV_VIEW:
      return pA->u.iOffset==pB->u.iOffset;
    default:
      return 1;
  }
}

/* Unite two objects and what is in them: KV_OK, KV_REFUSED if they aren't
** equal, KV_NOMEM.  An object that is united is not looked into again. */
static int jsrUnite(JsrMerge *pM, u32 iA, u32 iB){
  KvNode *aNode = pM->aNode;
  int rc = jsrPush(pM->p, &pM->todo, iA);
  if( rc==KV_OK ) rc = jsrPush(pM->p, &pM->todo, iB);
  while( rc==KV_OK && pM->todo.n>0 ){
    iB = jsrClass(pM, pM->todo.a[--pM->todo.n]);
    iA = jsrClass(pM, pM->todo.a[--pM->todo.n]);
    if( iA==iB ) continue;
    if( !jsrSame(&aNode[iA], &aNode[iB]) ) return KV_REFUSED;
    if( KV_IS_OBJECT(aNode[iA].eKind) ) pM->aClass[iB] = iA;
    iA = aNode[iA].iChild;
    iB = aNode[iB].iChild;
    for(; rc==KV_OK && iA && iB; iA=aNode[iA].iNext, iB=aNode[iB].iNext){
      rc = jsrPush(pM->p, &pM->todo, iA);
      if( rc==KV_OK ) rc = jsrPush(pM->p, &pM->todo, iB);
    }
    if( rc==KV_OK && (iA || iB) ) rc = KV_REFUSED;
  }
  return rc;
}

/* KV_REFUSED if a Map or Set would have an object twice. */
static int jsrUnique(JsrMerge *pM){
  const KvNode *aNode = pM->aNode;
  u32 i, k;
  for(i=0; i<pM->nNode; i++){
    if( (aNode[i].mFlags & KVN_MARK)==0 || (aNode[i].eKind!=KV_MAP && aNode[i].eKind!=KV_SET) ) continue;
    for(k=aNode[i].iChild; k; k=aNode[k].iNext){
      u32 iKey = jsrClass(pM, k);
      if( pM->aSeen[iKey]==i+1 && KV_IS_OBJECT(aNode[iKey].eKind) ) return KV_REFUSED;
      pM->aSeen[iKey] = i+1;
      if( aNode[i].eKind==KV_MAP ) k = aNode[k].iNext;
    }
  }
  return KV_OK;
}

/* In the list of nodes to visit: all of this class's object was visited.  There
** are fewer nodes than that, as there are fewer bytes of text. */
#define JSR_LEAVE 0x80000000u

/* KV_REFUSED if an object would stand inside of itself. */
static int jsrNested(JsrMerge *pM){
  int rc;
  memset(pM->aSeen, 0, pM->nNode*sizeof(u32));
  rc = jsrPush(pM->p, &pM->todo, 0);
  while( rc==KV_OK && pM->todo.n>0 ){
    u32 i = pM->todo.a[--pM->todo.n];
    const KvNode *pNode;
    if( i & JSR_LEAVE ){
      pM->aSeen[i & ~JSR_LEAVE] = 0;
      continue;
    }
    pNode = &pM->aNode[i];
    if( pNode->iNext ) rc = jsrPush(pM->p, &pM->todo, pNode->iNext);
    if( rc==KV_OK && KV_IS_OBJECT(pNode->eKind) ){
      u32 iClass = jsrFind(pM, i);
      if( pM->aSeen[iClass] ) return KV_REFUSED;
      pM->aSeen[iClass] = 1;
      rc = jsrPush(pM->p, &pM->todo, iClass | JSR_LEAVE);
    }
    if( rc==KV_OK && pNode->iChild ) rc = jsrPush(pM->p, &pM->todo, pNode->iChild);
  }
  return rc;
}

/* The object of a REF is no part of what was visited: it moves to the REF. */
static int jsrMove(JsrMerge *pM, u32 iRef, u32 iClass){
  KvNode *pRef = &pM->aNode[iRef];
  u32 iNext = pRef->iNext;
  *pRef = pM->aNode[iClass];
  pRef->iNext = iNext;
  pM->aSeen[iClass] = iRef+1;
  return pRef->iChild ? jsrPush(pM->p, &pM->todo, pRef->iChild) : KV_OK;
}

/* Visit a node: the first of its class stays, any other becomes a REF. */
static int jsrVisit(JsrMerge *pM, u32 i){
  KvNode *pNode = &pM->aNode[i];
  int rc = pNode->iNext ? jsrPush(pM->p, &pM->todo, pNode->iNext) : KV_OK;
  if( KV_IS_OBJECT(pNode->eKind) ){
    u32 iClass = jsrFind(pM, i);
    if( pM->aSeen[iClass]==0 ){
      pM->aSeen[iClass] = i+1;
    }else{
      u32 iNext = pNode->iNext;
      memset(pNode, 0, sizeof(*pNode));
      pNode->eKind = KV_REF;
      pNode->n = iClass;
      pNode->iNext = iNext;
    }
  }
  if( rc==KV_OK && pNode->eKind==KV_REF ) rc = jsrPush(pM->p, &pM->ref, i);
  if( rc==KV_OK && pNode->iChild ) rc = jsrPush(pM->p, &pM->todo, pNode->iChild);
  return rc;
}

/* Make the classes objects of the tree.  All REFs are in pM->ref then. */
static int jsrRewrite(JsrMerge *pM){
  u32 i, k = 0, n = 0;
  int rc;
  memset(pM->aSeen, 0, pM->nNode*sizeof(u32));
  pM->ref.n = 0;
  rc = jsrPush(pM->p, &pM->todo, 0);
  while( rc==KV_OK && (pM->todo.n>0 || k<pM->ref.n) ){
    if( pM->todo.n>0 ){
      rc = jsrVisit(pM, pM->todo.a[--pM->todo.n]);
    }else{
      u32 iRef = pM->ref.a[k++];
      u32 iClass = jsrFind(pM, pM->aNode[iRef].n);
      if( pM->aSeen[iClass]==0 ) rc = jsrMove(pM, iRef, iClass);
    }
  }
  for(i=0; rc==KV_OK && i<pM->ref.n; i++){
    KvNode *pRef = &pM->aNode[pM->ref.a[i]];
    if( pRef->eKind!=KV_REF ) continue;
    pRef->n = pM->aSeen[jsrFind(pM, pRef->n)]-1;
    pM->ref.a[n++] = pM->ref.a[i];
  }
  pM->ref.n = n;
  return rc;
}

/* Unite the definitions of each label that is referred to, if all can be. */
static int jsrMergeLabels(JsrMerge *pM){
  KvJsp *p = pM->p;
  u32 i;
  int rc = KV_OK;
  pM->aClass = kvRealloc(0, (u64)pM->nNode*2*sizeof(u32));
  if( pM->aClass==0 ) return kvJspNoMem(p);
  pM->aSeen = &pM->aClass[pM->nNode];
  for(i=0; i<pM->nNode; i++){
    pM->aClass[i] = i;
    pM->aSeen[i] = 0;
  }
  for(i=0; rc==KV_OK && i<p->nDef; i++){
    u32 iNode = p->aDef[i].iNode, *piFirst = &p->aLabel[p->aDef[i].iLabel];
    if( *piFirst==0 || iNode==KV_NO_NODE ) continue;
    if( *piFirst==JSR_USED ){
      *piFirst = iNode+1;
    }else{
      rc = jsrUnite(pM, *piFirst-1, iNode);
    }
  }
  if( rc==KV_OK ) rc = jsrUnique(pM);
  if( rc==KV_OK ) rc = jsrNested(pM);
  pM->todo.n = 0;
  if( rc==KV_OK ) rc = jsrRewrite(pM);
  return rc==KV_REFUSED ? KV_OK : rc;
}

/*
** Once everything is read.
*/

/* Mark what can be reached from the root; the REFs are collected in pM->ref. */
static int jsrReach(JsrMerge *pM){
  KvJsp *p = pM->p;
  int rc = jsrPush(p, &pM->todo, 0);
  while( rc==KV_OK && pM->todo.n>0 ){
    u32 i = pM->todo.a[--pM->todo.n];
    KvNode *pNode = &pM->aNode[i];
    pNode->mFlags |= KVN_MARK;
    pNode->eSpare = 0;
    if( pNode->eKind==KV_REF ) rc = jsrPush(p, &pM->ref, i);
    if( rc==KV_OK && pNode->iNext ) rc = jsrPush(p, &pM->todo, pNode->iNext);
    if( rc==KV_OK && pNode->iChild ) rc = jsrPush(p, &pM->todo, pNode->iChild);
  }
  return rc;
}

/* The definitions that are parts of the value; iRoot is where node 0 was made. */
static void jsrDefinitions(JsrMerge *pM, u32 iRoot){
  KvJsp *p = pM->p;
  u32 i;
  for(i=0; i<p->nDef; i++){
    u32 *piNode = &p->aDef[i].iNode;
    if( *piNode==iRoot ) *piNode = 0;
    if( *piNode!=KV_NO_NODE && (pM->aNode[*piNode].mFlags & KVN_MARK)==0 ) *piNode = KV_NO_NODE;
  }
}

/* Turn indices into aDef into nodes, and note which labels are used. */
static int jsrTargets(JsrMerge *pM){
  KvJsp *p = pM->p;
  u32 i;
  memset(p->aLabel, 0, p->nLabel*sizeof(u32));
  for(i=0; i<pM->ref.n; i++){
    KvNode *pRef = &pM->aNode[pM->ref.a[i]];
    const KvJsDef *pDef = &p->aDef[pRef->n];
    if( pDef->iNode==KV_NO_NODE ){
      return kvLexError(&p->lex, p->lex.zStart + pRef->u.u,
          "the object of this label is not itself a part of the value");
    }
    pRef->n = pDef->iNode;
    pRef->u.u = 0;
    p->aLabel[pDef->iLabel] = JSR_USED;
  }
  return KV_OK;
}

/* True if a label that is used has two definitions.  aLabel is as before. */
static int jsrAgain(const KvJsp *p){
  u32 i;
  int b = 0;
  for(i=0; i<p->nDef; i++){
    u32 *pMark = &p->aLabel[p->aDef[i].iLabel];
    if( *pMark==0 || p->aDef[i].iNode==KV_NO_NODE ) continue;
    b |= *pMark!=JSR_USED;
    *pMark = 1;
  }
  for(i=0; i<p->nDef; i++){
    u32 *pMark = &p->aLabel[p->aDef[i].iLabel];
    if( *pMark ) *pMark = JSR_USED;
  }
  return b;
}

int kvJsResolve(KvJsp *p, u32 iRoot){
  JsrMerge merge;
  u32 i;
  int rc;
  memset(&merge, 0, sizeof(merge));
  merge.p = p;
  merge.aNode = p->pTree->aNode;
  merge.nNode = p->pTree->nNode;
  rc = jsrReach(&merge);
  if( rc==KV_OK ){
    jsrDefinitions(&merge, iRoot);
    rc = jsrTargets(&merge);
  }
  if( rc==KV_OK && jsrAgain(p) ) rc = jsrMergeLabels(&merge);
  for(i=0; i<merge.nNode; i++) merge.aNode[i].mFlags &= (u8)~KVN_MARK;
  for(i=0; rc==KV_OK && i<merge.ref.n; i++){
    merge.aNode[merge.aNode[merge.ref.a[i]].n].mFlags |= KVN_SHARED;
  }
  p->pTree->nRef = merge.ref.n;
  kvFree(merge.aClass);
  kvFree(merge.todo.a);
  kvFree(merge.ref.a);
  return rc;
}
