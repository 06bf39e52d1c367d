/*
** js_refs.c -- <ref *N> and [Circular *N] in JS text: which object is which.
**
** A label stands before an object, array, Map ..., once in a text, and references to it
** after the label.  N may be up to 1000000, or up to the number of the text's bytes.
*/
#include "codec/js/js_refs.h"
#include "bytes/memory.h"

#define REFS_MAX_LABEL 1000000

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
  u32 v, *aLabel, nOld = p->nLabel;
  if( !kvLexText(&p->lex, "<ref *") ) return kvJspError(p, zAt, JSP_WHAT);
  v = refsNumber(p, zAt, ">");
  if( v==0 ) return JSP_FAIL;
  aLabel = kvReserve(p->aLabel, &p->nLabel, (u64)v+1, sizeof(u32));
  if( aLabel==0 ) return kvJspNoMem(p);
  p->aLabel = aLabel;
  memset(&aLabel[nOld], 0, (p->nLabel - nOld)*sizeof(u32));
  if( aLabel[v] ) return kvJspError(p, zAt, "<ref *N> with this number is there already: "
      "write [Circular *N] for the same object, and another number for another one");
  pFrame = kvJspPush(p, JSP_LABEL, zAt);
  if( pFrame==0 ) return JSP_FAIL;
  pFrame->iNode = v;
  aLabel[v] = KV_LABEL_OPEN;
  p->nRefs++;
  return JSP_VALUE;
}

int kvJsLabelled(KvJsp *p){
  const KvJsFrame *pFrame = kvJspTop(p);
  KvNode *pNode = &p->pTree->aNode[p->iVal];
  KV_ASSERT( pFrame->eFrame==JSP_LABEL && p->aLabel[pFrame->iNode]==KV_LABEL_OPEN );
  if( !KV_IS_OBJECT(pNode->eKind) ){
    return kvJspError(p, pFrame->zAt, "a label must precede an object, array, Map ...");
  }
  if( pNode->eSpare==KV_LABELLED ){
    return kvJspError(p, pFrame->zAt, "the object already has another label");
  }
  p->aLabel[pFrame->iNode] = p->iVal+1;
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
  if( kvJspScalar(p, KV_REF, v)==JSP_FAIL ) return JSP_FAIL;
  p->pTree->aNode[p->iVal].u.u = (u64)(zAt - p->lex.zStart);
  return JSP_DONE;
}

/*
** Once everything is read.
*/

/* Mark what can be reached from the root, and collect the REFs in aRef.  Returns how many. */
static u32 refsReach(KvTree *p, u32 *aUp, u32 *aRef){
  u32 i = 0, nUp = 0, nRef = 0;
  do{
    p->aNode[i].mFlags |= KVN_MARK;
    p->aNode[i].eSpare = 0;
    if( p->aNode[i].eKind==KV_REF ) aRef[nRef++] = i;
    i = kvTreeWalk(p, i, aUp, &nUp);
  }while( i );
  return nRef;
}

/* Make the number of the label that a REF has the index of its object. */
static int refsTarget(KvJsp *p, KvNode *pRef, u32 iRoot){
  KvNode *aNode = p->pTree->aNode;
  u32 i = p->aLabel[pRef->n]-1;
  if( i==iRoot ) i = 0;
  if( i>=p->pTree->nNode || (aNode[i].mFlags & KVN_MARK)==0 ){
    return kvLexError(&p->lex, p->lex.zStart + pRef->u.u,
        "the object of this label is not itself a part of the value");
  }
  KV_ASSERT( KV_IS_OBJECT(aNode[i].eKind) );
  pRef->n = i;
  pRef->u.u = 0;
  aNode[i].mFlags |= KVN_SHARED;
  return KV_OK;
}

int kvJsResolve(KvJsp *p, u32 iRoot){
  KvTree *pTree = p->pTree;
  const u32 n = pTree->nNode;
  u32 *aUp = kvRealloc(0, (u64)n*2*sizeof(u32)), *aRef, i;
  int rc = KV_OK;
  if( aUp==0 ) return kvJspNoMem(p);
  aRef = &aUp[n];
  pTree->nRef = refsReach(pTree, aUp, aRef);
  for(i=0; rc==KV_OK && i<pTree->nRef; i++) rc = refsTarget(p, &pTree->aNode[aRef[i]], iRoot);
  for(i=0; i<n; i++) pTree->aNode[i].mFlags &= (u8)~KVN_MARK;
  kvFree(aUp);
  return rc==KV_OK ? JSP_DONE : JSP_FAIL;
}
