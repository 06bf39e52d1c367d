/*
** index_key.c -- the entries of a declared secondary index.  See index_key.h.
*/
#include "codec/index_key.h"
#include "bytes/utf.h"
#include "codec/path.h"
#include "bytes/endian.h"
#include "codec/json/json_print.h"
#include "codec/key/key_bytes.h"
#include "codec/num/bigint.h"
#include "codec/num/date_sql.h"
#include "codec/stored.h"
#include "codec/view.h"

static void indexKeyString(const KvNode *pNode, int bLower, KvBuf *pOut){
  u8 aSpace[256];
  KvBuf text;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  kvUtfAppend(&text, pNode->eSub, kvBytes(pNode->u.p, pNode->n), 0);
  if( bLower ) kvLower(text.a, text.n);
  if( text.eErr!=KV_OK ) pOut->eErr = text.eErr;
  else kvKeyPutString(pOut, kvBufBytes(&text));
  kvBufClear(&text);
}

/* Append the part that a node stands for; nothing if it can't be a part.  iNode is of
** use for a view only. */
static void indexKeyPart(const KvTree *p, const KvNode *pNode, u32 iNode, int bLower, KvBuf *pOut){
  switch( pNode->eKind ){
    case KV_STRING: indexKeyString(pNode, bLower, pOut);                       break;
    case KV_NUMBER:
    case KV_DATE:   kvKeyPutNumber(pOut, pNode->u.r);                     break;
    case KV_U64:    kvKeyPutBigint64(pOut, 0, pNode->u.u);                break;
    case KV_BOOL:   kvKeyPutBool(pOut, pNode->n!=0);                      break;
    case KV_BIGINT:
      if( pNode->n<=KV_BIGINT_KEY_BYTES ){
        kvKeyPutBigint(pOut, pNode->eSub, kvBytes(pNode->u.p, pNode->n));
      }
      break;
    case KV_VIEW:
      if( pNode->eSub==KV_VIEW_U8 ) kvKeyPutBytes(pOut, kvViewBytes(p, iNode));
      break;
    default:
      break;
  }
}

/* The kind of a node. */
static u32 indexKeyKind(const KvNode *pNode){
  char zDate[KV_DATE_SQL];
  double r = pNode->u.r;
  i64 v;
  switch( pNode->eKind ){
    case KV_UNDEFINED:
    case KV_NULL:
    case KV_HOLE:   return KVKIND_NULL;
    case KV_STRING: return KVKIND_STRING;
    case KV_BOOL:   return KVKIND_BOOL;
    case KV_NUMBER: return r!=r || kvDoubleToBits(r)==(u64)1<<63 ? KVKIND_OTHER : KVKIND_NUMBER;
    case KV_DATE:   return kvDateSqlText(r, zDate) ? KVKIND_DATE : KVKIND_OTHER;
    case KV_U64:    return (i64)pNode->u.u<0 ? KVKIND_OTHER : KVKIND_BIGINT;
    case KV_BIGINT:
      return kvBigInt64(pNode->eSub, kvNodeBytes(pNode), &v) ? KVKIND_BIGINT : KVKIND_OTHER;
    case KV_VIEW:   return pNode->eSub==KV_VIEW_U8 ? KVKIND_BYTES : KVKIND_OTHER;
    default:        return KVKIND_OTHER;
  }
}

/* What parts are asked for, and where they go. */
typedef struct IndexKeyOut IndexKeyOut;
struct IndexKeyOut {
  int bLower;
  u8 eKind;               /* Of nodes of this kind alone; 0: of all */
  KvList *pList;
};

/* The same, as an item of a list. */
static void indexKeyPut(
  const KvTree *p, const KvNode *pNode, u32 iNode, const IndexKeyOut *pOut
){
  u32 iBegin;
  if( pOut->eKind && pNode->eKind!=pOut->eKind ) return;
  iBegin = kvListBegin(pOut->pList);
  indexKeyPart(p, pNode, iNode, pOut->bLower, &pOut->pList->bytes);
  kvListEnd(pOut->pList, iBegin);
}

/* Each element of an array: the elements, then the pairs of its indices. */
static void indexKeyArray(const KvTree *p, u32 iArray, const IndexKeyOut *pOut){
  const KvNode *pArray = &p->aNode[iArray];
  u32 i = pArray->iChild, iElem = 0;
  u64 nMore = (u64)pArray->u.c.nElem + 2*(u64)pArray->u.c.nPair;
  for(; i && nMore>0; i=p->aNode[i].iNext, nMore--, iElem++){
    int bKey = iElem>=pArray->u.c.nElem && (iElem - pArray->u.c.nElem)%2==0;
    u32 iNode;
    if( bKey ){
      if( p->aNode[i].eKind!=KV_NUMBER ) return;   /* properties come last */
      continue;
    }
    iNode = kvDeref(p, i);
    indexKeyPut(p, &p->aNode[iNode], iNode, pOut);
  }
}

/* Find what is at a path, and its kind. */
static int indexKeyFind(
  KvTree *p, KvBytes path, u32 *piNode, i64 *piElem, u32 *pmKind, KvErr *pErr
){
  int rc = kvPathFind(p, path, piNode, piElem, pErr);
  if( rc!=KV_OK || *piNode==KV_NO_NODE ) *pmKind = KVKIND_NULL;
  else if( *piElem>=0 ) *pmKind = KVKIND_OTHER;
  else *pmKind = indexKeyKind(&p->aNode[*piNode]);
  return rc;
}

/* What is at several paths, as one item; none if one of them has no part. */
static int indexKeyTuple(
  KvTree *p, const KvBytes *aPath, u32 nPath, int bLower, KvList *pOut, u32 *pmKind, KvErr *pErr
){
  u32 i, iBegin = kvListBegin(pOut), iPart = pOut->bytes.n;
  int rc = KV_OK, bAll = 1;
  for(i=0; i<nPath && rc==KV_OK; i++){
    u32 iNode, mKind, n = pOut->bytes.n;
    KvNode elem;
    u8 aDigit[8];
    i64 iElem;
    rc = indexKeyFind(p, aPath[i], &iNode, &iElem, &mKind, pErr);
    *pmKind |= mKind<<(KVKIND_BITS*i);
    if( rc!=KV_OK || iNode==KV_NO_NODE ){
      bAll = 0;
      continue;
    }
    if( iElem<0 ) indexKeyPart(p, &p->aNode[iNode], iNode, bLower, &pOut->bytes);
    else if( kvViewElem(p, iNode, iElem, &elem, aDigit) ){
      indexKeyPart(p, &elem, iNode, bLower, &pOut->bytes);
    }
    if( pOut->bytes.n==n ) bAll = 0;
  }
  if( !bAll && pOut->bytes.eErr==KV_OK ) pOut->bytes.n = iPart;
  kvListEnd(pOut, iBegin);
  return rc;
}

/* What is at one path. */
static int indexKeyAt(
  KvTree *p, KvBytes path, const IndexKeyOut *pOut, u32 *pmKind, KvErr *pErr
){
  u32 iNode;
  i64 iElem;
  int rc = indexKeyFind(p, path, &iNode, &iElem, pmKind, pErr);
  if( rc!=KV_OK || iNode==KV_NO_NODE ) return rc;
  if( iElem>=0 ){
    KvNode elem;
    u8 aDigit[8];
    if( kvViewElem(p, iNode, iElem, &elem, aDigit) ) indexKeyPut(p, &elem, iNode, pOut);
  }else if( p->aNode[iNode].eKind==KV_ARRAY ){
    indexKeyArray(p, iNode, pOut);
  }else{
    indexKeyPut(p, &p->aNode[iNode], iNode, pOut);
  }
  return kvErrMemory(pErr, pOut->pList->bytes.eErr);
}

int kvIndexValues(
  KvTree *p, const KvBytes *aPath, u32 nPath, int bLower, KvList *pOut, u32 *pmKind, KvErr *pErr
){
  IndexKeyOut out = { bLower, 0, pOut };
  u32 mKind;
  int rc;
  if( nPath==1 ){
    rc = indexKeyAt(p, aPath[0], &out, &mKind, pErr);
    *pmKind |= mKind;
    return rc;
  }
  rc = indexKeyTuple(p, aPath, nPath, bLower, pOut, pmKind, pErr);
  return rc==KV_OK ? kvErrMemory(pErr, pOut->bytes.eErr) : rc;
}

/* Is there an array that is empty, or has an element with a part? */
static int indexKeyElements(KvTree *p, KvBytes path){
  KvList parts = { { 0 } };
  IndexKeyOut out = { 0, 0, &parts };
  u32 iNode, i = 0;
  i64 iElem;
  KvBytes one;
  int bAny;
  if( kvPathFind(p, path, &iNode, &iElem, 0)!=KV_OK || iNode==KV_NO_NODE || iElem>=0
   || p->aNode[iNode].eKind!=KV_ARRAY
  ){
    return 0;
  }
  if( p->aNode[iNode].iChild==0 ) return 1;
  indexKeyArray(p, iNode, &out);
  bAny = kvListNext(&parts, &i, &one);
  kvListClear(&parts);
  return bAny;
}

/* Append what a node is that has no part. */
static void indexKeyWhat(KvTree *p, u32 iNode, KvBuf *pOut){
  u8 aHead[7];
  u32 iHead = pOut->n;
  aHead[0] = KV_TAG_LEFT;
  aHead[1] = p->aNode[iNode].eKind;
  aHead[2] = p->aNode[iNode].eSub;
  kvBufAppend(pOut, aHead, sizeof(aHead));
  if( aHead[1]==KV_BUFFER ) kvBufAdd(pOut, kvNodeBytes(&p->aNode[iNode]));
  else kvJsonPrint(p, iNode, pOut, 0);
  if( pOut->eErr==KV_OK ) kvPut32be(&pOut->a[iHead+3], pOut->n - iHead - (u32)sizeof(aHead));
}

int kvIndexLeft(
  KvTree *p, const KvBytes *aPath, u32 nPath, int bLower, int bWhat, KvBuf *pOut, KvErr *pErr
){
  u32 i, iBegin = pOut->n;
  int bLeft = 0;
  for(i=0; i<nPath; i++){
    u32 iNode, mKind, n = pOut->n;
    KvNode elem;
    u8 aDigit[8];
    i64 iElem;
    int rc = indexKeyFind(p, aPath[i], &iNode, &iElem, &mKind, pErr);
    if( rc!=KV_OK || mKind==KVKIND_NULL ) break;
    if( iElem>=0 ){
      if( !kvViewElem(p, iNode, iElem, &elem, aDigit) ) break;
      indexKeyPart(p, &elem, iNode, bLower, pOut);
    }else{
      indexKeyPart(p, &p->aNode[iNode], iNode, bLower, pOut);
    }
    if( pOut->n>n ) continue;
    bLeft = 1;
    if( bWhat ) indexKeyWhat(p, iNode, pOut);
  }
  if( (i<nPath || !bLeft || !bWhat) && pOut->eErr==KV_OK ) pOut->n = iBegin;
  if( bLeft && i==nPath && bWhat && nPath==1 && indexKeyElements(p, aPath[0]) ){
    if( pOut->eErr==KV_OK ) pOut->n = iBegin;
    return 2;
  }
  return bLeft && i==nPath;
}

int kvIndexHolds(KvTree *p, KvBytes path, u8 eKind, KvBytes part, int *pbHolds, KvErr *pErr){
  KvList parts = { { 0 } };
  IndexKeyOut out = { 0, eKind, &parts };
  KvBytes one;
  u32 i = 0, mKind;
  int rc = indexKeyAt(p, path, &out, &mKind, pErr);
  *pbHolds = 0;
  while( rc==KV_OK && kvListNext(&parts, &i, &one) ){
    if( kvBytesEqual(one, part) ) *pbHolds = 1;
  }
  kvListClear(&parts);
  return rc;
}

/* The content of a part as memory of the tree: text or bytes without escapes,
** or the magnitude of a bigint with the least byte first. */
static KvBytes indexKeyContent(KvTree *p, const KvPart *pPart){
  KvBuf content;
  kvBufInit(&content, 0, 0);
  if( pPart->eType!=KVP_BIGINT ){
    kvPartContent(&content, pPart);
  }else if( kvBufGrow(&content, KV_BIGINT_KEY_BYTES)==KV_OK ){
    content.n = kvPartMagnitude(pPart, content.a);
  }
  return kvTreeKeep(p, &content);
}

/* Add the node that a part stands for; KV_NO_NODE when memory ran out. */
static u32 indexKeyPartNode(KvTree *p, const KvPart *pPart){
  static const u8 aKind[] = { 0, 0, KV_STRING, KV_BIGINT, KV_NUMBER, KV_BOOL };
  u32 i;
  KvBytes content;
  if( pPart->eType==KVP_BYTES ){
    content = indexKeyContent(p, pPart);
    return content.p ? kvTreeView(p, KV_VIEW_U8, content) : KV_NO_NODE;
  }
  i = kvTreeAdd(p, aKind[pPart->eType]);
  if( i==KV_NO_NODE ) return i;
  if( pPart->eType==KVP_NUMBER ){
    p->aNode[i].u.r = pPart->r;
    return i;
  }
  if( pPart->eType==KVP_BOOL ){
    p->aNode[i].n = pPart->r!=0.0;
    return i;
  }
  content = indexKeyContent(p, pPart);
  if( content.p==0 ) return KV_NO_NODE;
  p->aNode[i].n = content.n;
  p->aNode[i].u.p = content.p;
  p->aNode[i].eSub = pPart->eType==KVP_STRING ? KV_WTF8 : pPart->bNeg;
  return i;
}

int kvIndexPointer(
  KvTree *pTree, KvBytes parts, int iVersion, KvBuf *pOut, int *peEncoding, KvErr *pErr
){
  KvPart part;
  u32 i = 0, iLast = 0, nPart = 0;
  if( kvTreeAdd(pTree, KV_ARRAY)==KV_NO_NODE ) return kvErrMemory(pErr, KV_NOMEM);
  do{
    u32 iNode;
    int rc = kvPartRead(parts, &i, &part, pErr);
    if( rc!=KV_OK ) return rc;
    iNode = indexKeyPartNode(pTree, &part);
    if( iNode==KV_NO_NODE ) return kvErrMemory(pErr, KV_NOMEM);
    if( nPart++==0 ) pTree->aNode[0].iChild = iNode;
    else pTree->aNode[iLast].iNext = iNode;
    iLast = iNode;
  }while( i<parts.n );
  pTree->aNode[0].n = nPart;
  pTree->aNode[0].u.c.nElem = nPart;
  if( nPart==1 ) pTree->aNode[0] = pTree->aNode[iLast];
  return kvValueWrite(pTree, iVersion, 0, pOut, peEncoding, pErr);
}

/* Without V8's header, if it is of a version that Deno may have written. */
static KvBytes indexKeyBody(KvBytes b){
  return b.n>2 && b.p[0]==0xff && b.p[1]>=13 && b.p[1]<=16 ? kvBytesFrom(b, 2) : b;
}

int kvIndexPointerSame(int eEncoding, KvBytes a, KvBytes b){
  if( eEncoding!=1 || a.n!=b.n ) return kvBytesEqual(a, b);
  return kvBytesEqual(indexKeyBody(a), indexKeyBody(b));
}
