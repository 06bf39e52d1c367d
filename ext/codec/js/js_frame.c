/*
** js_frame.c -- a text that is being parsed.  See js_frame.h.
*/
#include "codec/js/js_frame.h"
#include "codec/value_order.h"

int kvJspInit(KvJsp *p, KvTree *pTree, KvBytes text){
  memset(p, 0, offsetof(KvJsp, aSpace));
  kvLexInit(&p->lex, text);
  p->pTree = pTree;
  p->aFrame = p->aSpace;
  p->nFrameAlloc = sizeof(p->aSpace)/sizeof(p->aSpace[0]);
  KV_ASSERT( pTree->nNode==0 );
  return kvJspAdd(p, KV_UNDEFINED)==0 ? JSP_VALUE : JSP_FAIL;
}

void kvJspClear(KvJsp *p){
  if( p->aFrame!=p->aSpace ) kvFree(p->aFrame);
  kvFree(p->aLabel);
}

int kvJspNoMem(KvJsp *p){
  kvErrSet(&p->lex.err, KV_NOMEM, -1, "out of memory");
  return JSP_FAIL;
}

u64 kvJspDigits(KvJsp *p, u64 nMax){
  u64 v = 0;
  while( kvJspIsDigit(kvJspPeek(p)) && v<=nMax ) v = v*10 + (u64)(*p->lex.z++ - '0');
  return v;
}

KvNode *kvJspMake(KvJsp *p, u8 eKind){
  p->iVal = kvJspAdd(p, eKind);
  if( p->iVal!=KV_NO_NODE ) return &p->pTree->aNode[p->iVal];
  p->iVal = 0;
  return &p->spare;
}

u32 kvJspString(KvJsp *p, KvBytes s){
  u32 i = kvJspAdd(p, KV_STRING);
  if( i!=KV_NO_NODE ){
    KvNode *pNode = &p->pTree->aNode[i];
    pNode->eSub = KV_WTF8;
    pNode->n = s.n;
    pNode->u.p = s.p;
  }
  return i;
}

u32 kvJspDeref(const KvJsp *p, u32 iNode){
  const KvNode *pNode = &p->pTree->aNode[iNode];
  if( pNode->eKind!=KV_REF || p->aLabel[pNode->n]==KV_LABEL_OPEN ) return iNode;
  return p->aLabel[pNode->n]-1;
}

int kvJspScalar(KvJsp *p, u8 eKind, u32 n){
  p->iVal = kvJspNode(p, eKind);
  if( p->iVal==KV_NO_NODE ) return JSP_FAIL;
  p->pTree->aNode[p->iVal].n = n;
  return JSP_DONE;
}

int kvJspNumber(KvJsp *p, u8 eKind, double r){
  p->iVal = kvJspNode(p, eKind);
  if( p->iVal==KV_NO_NODE ) return JSP_FAIL;
  p->pTree->aNode[p->iVal].u.r = r==r ? r : kvNaN();
  return JSP_DONE;
}

/* What tells objects apart while REFs aren't tied to their targets yet. */
static u64 frameIdentity(const void *pCtx, u32 iNode){
  const KvJsp *p = pCtx;
  u32 iTo = kvJspDeref(p, iNode);
  const KvNode *pNode = &p->pTree->aNode[iTo];
  return pNode->eKind==KV_REF ? ((u64)1<<32) | pNode->n : iTo;
}

int kvJspUnique(KvJsp *p, u32 iNode){
  KvNode *pNode = &p->pTree->aNode[iNode];
  int nStep = pNode->eKind==KV_MAP ? 2 : 1;
  KV_ASSERT( pNode->eKind==KV_MAP || pNode->eKind==KV_SET );
  p->iVal = iNode;
  if( kvTreeUniqueKeysBy(p->pTree, &pNode->iChild, &pNode->n, nStep, frameIdentity, p) ){
    return kvJspNoMem(p);
  }
  return JSP_DONE;
}

/* Make room for another frame. */
static int frameGrow(KvJsp *p){
  KvJsFrame *aNew = kvStackGrow(p->aFrame, p->aSpace, &p->nFrameAlloc, sizeof(KvJsFrame));
  if( aNew==0 ) return kvJspNoMem(p);
  p->aFrame = aNew;
  return JSP_DONE;
}

KvJsFrame *kvJspPush(KvJsp *p, u8 eFrame, const char *zAt){
  KvJsFrame *pFrame;
  if( p->nFrame>=p->nFrameAlloc && frameGrow(p)==JSP_FAIL ) return 0;
  pFrame = &p->aFrame[p->nFrame++];
  memset(pFrame, 0, sizeof(*pFrame));
  pFrame->eFrame = eFrame;
  pFrame->zAt = zAt;
  return pFrame;
}

int kvJspOpen(KvJsp *p, u8 eFrame, u8 eKind, const char *zAt){
  u32 iNode = kvJspNode(p, eKind);
  KvJsFrame *pFrame;
  if( iNode==KV_NO_NODE ) return JSP_FAIL;
  pFrame = kvJspPush(p, eFrame, zAt);
  if( pFrame==0 ) return JSP_FAIL;
  pFrame->iNode = iNode;
  return JSP_VALUE;
}

int kvJspOpenCall(KvJsp *p, int eCall, const char *zAt){
  KvJsFrame *pFrame = kvJspPush(p, JSP_CALL, zAt);
  if( pFrame==0 ) return JSP_FAIL;
  pFrame->eCall = (u16)eCall;
  return JSP_VALUE;
}
