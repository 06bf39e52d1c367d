/*
** js_refs.c -- <ref *N> and [Circular *N] in JS text: which object is which.
**
** A label stands before an object, array, Map ..., and references to it after
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
#include "codec/js/js_refs.h"
#include "bytes/memory.h"
#include "codec/value_order.h"

#define REFS_MAX_LABEL 1000000

/* A label's mark in p->aLabel: it is referred to. */
#define REFS_USED 0xffffffffu

/*
** While the text is read.
*/

/* The digits and zTail after them.  0 after an error. */
static u32 refsNumber(KvJsp *p, const char *zAt, const char *zTail){
  u64 nMax = (u64)(p->lex.zEnd - p->lex.zStart), v;
  if( nMax<REFS_MAX_LABEL ) nMax = REFS_MAX_LABEL;
  v = kvJspDigits(p, nMax);
  if( v>0 && v<=nMax && kvLexText(&p->lex, zTail) ) return (u32)v;
  kvLexError(&p->lex, zAt, "expected <ref *N> or [Circular *N] with N from 1 to 1000000,"
      " or to the length of the text");
  return 0;
}

int kvJsLabel(KvJsp *p){
  const char *zAt = p->lex.z;
  KvJsFrame *pFrame;
  KvJsDef *aDef;
  u32 v, *aLabel, nOld = p->nLabel;
  if( !kvLexText(&p->lex, "<ref *") ) return kvJspError(p, zAt, JSP_WHAT);
  v = refsNumber(p, zAt, ">");
  if( v==0 ) return JSP_FAIL;
  aDef = kvReserve(p->aDef, &p->nDefAlloc, p->nDef+1, sizeof(KvJsDef));
  if( aDef==0 ) return kvJspNoMem(p);
  p->aDef = aDef;
  aLabel = kvReserve(p->aLabel, &p->nLabel, (u64)v+1, sizeof(u32));
  if( aLabel==0 ) return kvJspNoMem(p);
  p->aLabel = aLabel;
  memset(&aLabel[nOld], 0, (p->nLabel - nOld)*sizeof(u32));
  pFrame = kvJspPush(p, JSP_LABEL, zAt);
  if( pFrame==0 ) return JSP_FAIL;
  pFrame->iNode = p->nDef;
  aDef[p->nDef].iNode = KV_NO_NODE;
  aDef[p->nDef++].iLabel = v;
  aLabel[v] = p->nDef;
  return JSP_VALUE;
}

int kvJsLabelled(KvJsp *p){
  const KvJsFrame *pFrame = kvJspTop(p);
  KvNode *pNode = &p->pTree->aNode[p->iVal];
  KV_ASSERT( pFrame->eFrame==JSP_LABEL && p->aDef[pFrame->iNode].iNode==KV_NO_NODE );
  if( !KV_IS_OBJECT(pNode->eKind) ){
    return kvJspError(p, pFrame->zAt, "a label must precede an object, array, Map ...");
  }
  if( pNode->eSpare==KV_LABELLED ){
    return kvJspError(p, pFrame->zAt, "the object already has another label");
  }
  p->aDef[pFrame->iNode].iNode = p->iVal;
  pNode->eSpare = KV_LABELLED;
  kvJspPop(p);
  return JSP_DONE;
}

int kvJsCircular(KvJsp *p, const char *zAt){
  u32 v = refsNumber(p, zAt, "]");
  if( v==0 ) return JSP_FAIL;
  if( v>=p->nLabel || p->aLabel[v]==0 ){
    return kvJspError(p, zAt, "no <ref *N> with this number precedes it");
  }
  if( kvJspScalar(p, KV_REF, p->aLabel[v]-1)==JSP_FAIL ) return JSP_FAIL;
  p->pTree->aNode[p->iVal].u.u = (u64)(zAt - p->lex.zStart);
  return JSP_DONE;
}

/*
** Definitions of one label become one object.
*/

typedef struct JsRefs JsRefs;
struct JsRefs {
  KvJsp *p;
  KvNode *aNode;
  u32 nNode;
  u32 *aUp;               /* Ancestors in a walk */
  u32 *aClass;            /* Of each object: another one that it is, or itself */
  u32 *aSeen;             /* For each class, by its last one: see the users */
  u32 (*aTodo)[2];        /* Pairs of nodes to unite */
  u32 nTodo, nTodoAlloc;
  u32 *aRef;              /* REF nodes in the order of the walk */
  u32 nRef;
};

/* The one that stands for its class. */
static u32 refsFind(const JsRefs *pR, u32 i){
  u32 *a = pR->aClass;
  while( a[i]!=i ) i = a[i] = a[a[i]];
  return i;
}
static u32 refsClass(const JsRefs *pR, u32 i){
  return refsFind(pR, kvDeref(pR->p->pTree, i));
}

static int refsPush(JsRefs *pR, u32 iA, u32 iB){
  void *a = kvReserve(pR->aTodo, &pR->nTodoAlloc, (u64)pR->nTodo+1, sizeof(pR->aTodo[0]));
  if( a==0 ) return kvErrSet(&pR->p->lex.err, KV_NOMEM, -1, "out of memory");
  pR->aTodo = a;
  pR->aTodo[pR->nTodo][0] = iA;
  pR->aTodo[pR->nTodo++][1] = iB;
  return KV_OK;
}

/* Unite two objects and what is in them: KV_OK, KV_REFUSED if they aren't
** equal, KV_NOMEM.  An object that is united is not looked into again. */
static int refsUnite(JsRefs *pR, u32 iA, u32 iB){
  KvNode *aNode = pR->aNode;
  int rc = refsPush(pR, iA, iB);
  while( rc==KV_OK && pR->nTodo>0 ){
    pR->nTodo--;
    iA = refsClass(pR, pR->aTodo[pR->nTodo][0]);
    iB = refsClass(pR, pR->aTodo[pR->nTodo][1]);
    if( iA==iB ) continue;
    if( !kvNodeAlike(&aNode[iA], &aNode[iB]) ) return KV_REFUSED;
    if( KV_IS_OBJECT(aNode[iA].eKind) ) pR->aClass[iB] = iA;
    iA = aNode[iA].iChild;
    iB = aNode[iB].iChild;
    for(; rc==KV_OK && iA && iB; iA=aNode[iA].iNext, iB=aNode[iB].iNext) rc = refsPush(pR, iA, iB);
    if( rc==KV_OK && (iA || iB) ) rc = KV_REFUSED;
  }
  return rc;
}

/* KV_REFUSED if a Map or Set would have an object twice. */
static int refsUnique(JsRefs *pR){
  const KvNode *aNode = pR->aNode;
  u32 i, k;
  for(i=0; i<pR->nNode; i++){
    if( (aNode[i].mFlags & KVN_MARK)==0 ) continue;
    if( aNode[i].eKind!=KV_MAP && aNode[i].eKind!=KV_SET ) continue;
    for(k=aNode[i].iChild; k; k=aNode[k].iNext){
      u32 iKey = refsClass(pR, k);
      if( pR->aSeen[iKey]==i+1 && KV_IS_OBJECT(aNode[iKey].eKind) ) return KV_REFUSED;
      pR->aSeen[iKey] = i+1;
      if( aNode[i].eKind==KV_MAP ) k = aNode[k].iNext;
    }
  }
  return KV_OK;
}

/* KV_REFUSED if an object would stand inside of itself. */
static int refsNested(JsRefs *pR){
  u32 i = 0, nUp = 0, nOld = 0;
  memset(pR->aSeen, 0, pR->nNode*sizeof(u32));
  do{
    if( KV_IS_OBJECT(pR->aNode[i].eKind) && pR->aSeen[refsFind(pR, i)] ) return KV_REFUSED;
    i = kvTreeWalk(pR->p->pTree, i, pR->aUp, &nUp);
    if( nUp>nOld ) pR->aSeen[refsFind(pR, pR->aUp[nOld++])] = 1;
    while( nOld>nUp ) pR->aSeen[refsFind(pR, pR->aUp[--nOld])] = 0;
  }while( i );
  return KV_OK;
}

/* Visit node i and all below it: the first of a class stays, any other becomes a
** REF.  The REFs are collected. */
static void refsVisit(JsRefs *pR, u32 i){
  u32 nUp = 0;
  do{
    KvNode *pNode = &pR->aNode[i];
    if( KV_IS_OBJECT(pNode->eKind) ){
      u32 iClass = refsFind(pR, i), iNext = pNode->iNext;
      if( pR->aSeen[iClass]==0 ){
        pR->aSeen[iClass] = i+1;
      }else if( pR->aSeen[iClass]!=i+1 ){
        memset(pNode, 0, sizeof(*pNode));
        pNode->eKind = KV_REF;
        pNode->n = iClass;
        pNode->iNext = iNext;
      }
    }
    if( pNode->eKind==KV_REF ) pR->aRef[pR->nRef++] = i;
    i = kvTreeWalk(pR->p->pTree, i, pR->aUp, &nUp);
  }while( i && nUp>0 );
}

/* Make the classes objects of the tree. */
static void refsRewrite(JsRefs *pR){
  u32 k, n = 0;
  memset(pR->aSeen, 0, pR->nNode*sizeof(u32));
  pR->nRef = 0;
  refsVisit(pR, 0);
  for(k=0; k<pR->nRef; k++){
    u32 iRef = pR->aRef[k], iClass = refsFind(pR, pR->aNode[iRef].n);
    KvNode *pRef = &pR->aNode[iRef];
    if( pR->aSeen[iClass]==0 ){        /* it isn't a part yet: it moves to the REF */
      u32 iNext = pRef->iNext;
      *pRef = pR->aNode[iClass];
      pRef->iNext = iNext;
      pR->aClass[iRef] = iClass;
      pR->aSeen[iClass] = iRef+1;
      if( pRef->iChild ) refsVisit(pR, iRef);
    }
  }
  for(k=0; k<pR->nRef; k++){
    KvNode *pRef = &pR->aNode[pR->aRef[k]];
    if( pRef->eKind!=KV_REF ) continue;
    pRef->n = pR->aSeen[refsFind(pR, pRef->n)]-1;
    pR->aRef[n++] = pR->aRef[k];
  }
  pR->nRef = n;
}

/* Unite the definitions of each label that is referred to, if all can be. */
static int refsMerge(JsRefs *pR){
  KvJsp *p = pR->p;
  u32 i;
  int rc = KV_OK;
  for(i=0; i<pR->nNode; i++){
    pR->aClass[i] = i;
    pR->aSeen[i] = 0;
  }
  for(i=0; rc==KV_OK && i<p->nDef; i++){
    u32 iNode = p->aDef[i].iNode, *piFirst = &p->aLabel[p->aDef[i].iLabel];
    if( *piFirst==0 || iNode==KV_NO_NODE ) continue;
    if( *piFirst==REFS_USED ){
      *piFirst = iNode+1;
    }else{
      rc = refsUnite(pR, *piFirst-1, iNode);
    }
  }
  if( rc==KV_OK ) rc = refsUnique(pR);
  if( rc==KV_OK ) rc = refsNested(pR);
  if( rc==KV_OK ) refsRewrite(pR);
  return rc==KV_NOMEM ? KV_NOMEM : KV_OK;
}

/*
** Once everything is read.
*/

/* Mark what can be reached from the root, and collect the REFs. */
static void refsReach(JsRefs *pR){
  u32 i = 0, nUp = 0;
  do{
    pR->aNode[i].mFlags |= KVN_MARK;
    pR->aNode[i].eSpare = 0;
    if( pR->aNode[i].eKind==KV_REF ) pR->aRef[pR->nRef++] = i;
    i = kvTreeWalk(pR->p->pTree, i, pR->aUp, &nUp);
  }while( i );
}

/* The definitions that are parts of the value; iRoot is where node 0 was made. */
static void refsDefinitions(JsRefs *pR, u32 iRoot){
  KvJsp *p = pR->p;
  u32 i;
  for(i=0; i<p->nDef; i++){
    u32 *piNode = &p->aDef[i].iNode;
    if( *piNode==iRoot ) *piNode = 0;
    if( *piNode!=KV_NO_NODE && (pR->aNode[*piNode].mFlags & KVN_MARK)==0 ) *piNode = KV_NO_NODE;
  }
}

/* Turn indices into aDef into nodes, and note which labels are used. */
static int refsTargets(JsRefs *pR){
  KvJsp *p = pR->p;
  u32 i;
  memset(p->aLabel, 0, p->nLabel*sizeof(u32));
  for(i=0; i<pR->nRef; i++){
    KvNode *pRef = &pR->aNode[pR->aRef[i]];
    const KvJsDef *pDef = &p->aDef[pRef->n];
    if( pDef->iNode==KV_NO_NODE ){
      return kvLexError(&p->lex, p->lex.zStart + pRef->u.u,
          "the object of this label is not itself a part of the value");
    }
    pRef->n = pDef->iNode;
    pRef->u.u = 0;
    p->aLabel[pDef->iLabel] = REFS_USED;
  }
  return KV_OK;
}

/* True if a label that is used has two definitions.  aLabel is as before. */
static int refsAgain(const KvJsp *p){
  u32 i;
  int b = 0;
  for(i=0; i<p->nDef; i++){
    u32 *pMark = &p->aLabel[p->aDef[i].iLabel];
    if( *pMark==0 || p->aDef[i].iNode==KV_NO_NODE ) continue;
    b |= *pMark!=REFS_USED;
    *pMark = 1;
  }
  for(i=0; i<p->nDef; i++){
    u32 *pMark = &p->aLabel[p->aDef[i].iLabel];
    if( *pMark ) *pMark = REFS_USED;
  }
  return b;
}

int kvJsResolve(KvJsp *p, u32 iRoot){
  JsRefs refs;
  u32 i;
  int rc;
  memset(&refs, 0, sizeof(refs));
  refs.p = p;
  refs.aNode = p->pTree->aNode;
  refs.nNode = p->pTree->nNode;
  refs.aUp = kvRealloc(0, (u64)refs.nNode*5*sizeof(u32));
  if( refs.aUp==0 ) return kvJspNoMem(p);
  refs.aClass = &refs.aUp[refs.nNode];
  refs.aSeen = &refs.aClass[refs.nNode];
  refs.aRef = &refs.aSeen[refs.nNode];           /* twice: refsVisit() */
  refsReach(&refs);
  refsDefinitions(&refs, iRoot);
  rc = refsTargets(&refs);
  if( rc==KV_OK && refsAgain(p) ) rc = refsMerge(&refs);
  for(i=0; i<refs.nNode; i++) refs.aNode[i].mFlags &= (u8)~KVN_MARK;
  for(i=0; rc==KV_OK && i<refs.nRef; i++){
    KV_ASSERT( KV_IS_OBJECT(refs.aNode[refs.aNode[refs.aRef[i]].n].eKind) );
    refs.aNode[refs.aNode[refs.aRef[i]].n].mFlags |= KVN_SHARED;
  }
  p->pTree->nRef = refs.nRef;
  kvFree(refs.aUp);
  kvFree(refs.aTodo);
  return rc==KV_OK ? JSP_DONE : JSP_FAIL;
}
