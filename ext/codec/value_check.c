/*
** value_check.c -- the shape of a tree.  See value_check.h.
*/
#include "codec/value_check.h"

#ifdef KV_DEBUG
#include "codec/value_string.h"
#include "codec/view.h"
#include <stdlib.h>

/* The children of a node, first to last. */
typedef struct CheckChildren CheckChildren;
struct CheckChildren {
  const KvTree *p;
  u32 i;                  /* The next one, or 0 */
};

static const KvNode *checkNextChild(CheckChildren *pAt){
  const KvNode *pNode = &pAt->p->aNode[pAt->i];
  KV_ASSERT( pAt->i!=0 && pAt->i<pAt->p->nNode );
  pAt->i = pNode->iNext;
  return pNode;
}

/* nPair pairs in JavaScript's order, array indices from iLeast on.  Returns how
** many of the keys are indices. */
static u32 checkPairs(CheckChildren *pAt, u32 nPair, u32 iLeast){
  u32 nIndex = 0, i;
  const KvNode *pLast = 0;
  for(i=0; i<nPair; i++){
    const KvNode *pKey = checkNextChild(pAt), *pMember;
    if( pKey->eKind==KV_NUMBER ){
      KV_ASSERT( nIndex==i );                    /* no string before an index */
      KV_ASSERT( pKey->u.r>=iLeast && pKey->u.r<=4294967294.0 );
      KV_ASSERT( pKey->u.r==(double)(u32)pKey->u.r );
      KV_ASSERT( pLast==0 || pLast->u.r<pKey->u.r );
      nIndex++;
    }else{
      KV_ASSERT( pKey->eKind==KV_STRING );
      KV_ASSERT( pLast==0 || pLast->eKind==KV_NUMBER || !kvStringEqual(pLast, pKey) );
      if( pKey->eSub!=KV_UTF16 ) KV_ASSERT( kvArrayIndex(kvNodeBytes(pKey))<0 );
    }
    pLast = pKey;
    pMember = checkNextChild(pAt);
    KV_ASSERT( pMember->eKind!=KV_HOLE );
  }
  return nIndex;
}

static void checkArray(CheckChildren *pAt, const KvNode *pArray){
  u32 nElem = pArray->u.c.nElem, i;
  const KvNode *pFirst;
  for(i=0; i<nElem; i++) checkNextChild(pAt);         /* the only place of a HOLE */
  KV_ASSERT( nElem<=pArray->n );
  pFirst = pAt->i ? &pAt->p->aNode[pAt->i] : 0;
  KV_ASSERT( pFirst==0 || pFirst->eKind!=KV_NUMBER || pFirst->u.r>nElem );
  checkPairs(pAt, pArray->u.c.nPair, nElem);
}

static void checkError(CheckChildren *pAt, const KvNode *pError){
  u32 m;
  KV_ASSERT( pError->eSub<KV_ERR_COUNT && pError->n<8 );
  for(m=KV_ERR_MESSAGE; m<=KV_ERR_CAUSE; m<<=1){
    if( pError->n & m ){
      u8 eKind = checkNextChild(pAt)->eKind;
      KV_ASSERT( m==KV_ERR_CAUSE ? eKind!=KV_HOLE : eKind==KV_STRING );
    }
  }
}

static void checkView(CheckChildren *pAt, const KvNode *pView){
  const KvNode *pBuffer = checkNextChild(pAt);
  if( pBuffer->eKind==KV_REF ) pBuffer = &pAt->p->aNode[pBuffer->n];
  KV_ASSERT( pBuffer->eKind==KV_BUFFER && pView->eSub<KV_VIEW_COUNT );
  KV_ASSERT( (u64)pView->u.iOffset + pView->n<=pBuffer->n );
  KV_ASSERT( pView->n%(u32)kvViewSize(pView->eSub)==0 );
}

static void checkRef(const KvTree *p, const KvNode *pRef){
  const KvNode *pTo = &p->aNode[pRef->n];
  KV_ASSERT( pRef->n<p->nNode );
  KV_ASSERT( KV_IS_OBJECT(pTo->eKind) && (pTo->mFlags & KVN_SHARED) );
}

/* A node's kind, its fields and its children. */
static void checkTreeNode(const KvTree *p, u32 iNode){
  const KvNode *pNode = &p->aNode[iNode];
  CheckChildren at = { p, pNode->iChild };
  u32 i;
  switch( pNode->eKind ){
    case KV_UNDEFINED: case KV_NULL: case KV_HOLE: case KV_NUMBER: case KV_DATE:
    case KV_U64:
      break;
    case KV_BOOL:    KV_ASSERT( pNode->n<=1 );                             break;
    case KV_BIGINT:
      KV_ASSERT( pNode->n ? pNode->u.p[pNode->n-1]!=0 : pNode->eSub==0 );
      break;
    case KV_STRING:
      KV_ASSERT( pNode->eSub<=KV_WTF8 && (pNode->eSub!=KV_UTF16 || pNode->n%2==0) );
      break;
    case KV_OBJECT:  checkPairs(&at, pNode->n, 0);                         break;
    case KV_ARRAY:   checkArray(&at, pNode);                               break;
    case KV_MAP: case KV_SET:
      for(i=0; i<(pNode->eKind==KV_MAP ? 2 : 1)*pNode->n; i++){
        KV_ASSERT( checkNextChild(&at)->eKind!=KV_HOLE );
      }
      break;
    case KV_REGEXP:  KV_ASSERT( checkNextChild(&at)->eKind==KV_STRING );        break;
    case KV_ERROR:   checkError(&at, pNode);                               break;
    case KV_BOXED:
      i = checkNextChild(&at)->eKind;
      KV_ASSERT( i==KV_BOOL || i==KV_NUMBER || i==KV_BIGINT || i==KV_STRING );
      break;
    case KV_BUFFER:
      if( pNode->eSub==KV_BUF_RESIZABLE ) KV_ASSERT( checkNextChild(&at)->u.r>=pNode->n );
      break;
    case KV_VIEW:    checkView(&at, pNode);                                break;
    case KV_HOST:    checkNextChild(&at);                                       break;
    case KV_REF:     checkRef(p, pNode);                                   break;
    default:         KV_ASSERT( 0 );
  }
  KV_ASSERT( at.i==0 );                          /* no more than these */
}

/* Every node that belongs to the value, once. */
void kvTreeCheck(const KvTree *p){
  u8 *aSeen = calloc(p->nNode, 1);
  u32 *aUp = malloc(p->nNode*sizeof(u32));
  u32 i = 0, nUp = 0, nRef = 0;
  KV_ASSERT( p->nNode>0 && p->aNode[0].iNext==0 && p->aNode[0].eKind!=KV_HOLE );
  if( aSeen && aUp ){
    do{
      KV_ASSERT( i<p->nNode && !aSeen[i] );
      aSeen[i] = 1;
      KV_ASSERT( (p->aNode[i].mFlags & KVN_MARK)==0 );
      checkTreeNode(p, i);
      nRef += p->aNode[i].eKind==KV_REF;
      i = kvTreeWalk(p, i, aUp, &nUp);
    }while( i );
    KV_ASSERT( nRef==p->nRef );
    for(i=0; i<p->nNode; i++){
      if( aSeen[i] && p->aNode[i].eKind==KV_REF ) KV_ASSERT( aSeen[p->aNode[i].n] );
    }
  }
  free(aSeen);
  free(aUp);
}
#else
typedef int KvValueCheck;                        /* a file is never empty */
#endif
