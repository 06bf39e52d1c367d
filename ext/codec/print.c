/*
** print.c -- what printers share.  See print.h.
*/
#include "codec/print.h"
#include "bytes/utf.h"
#include "codec/names.h"
#include "codec/num/bigint.h"
#include "codec/num/date.h"
#include "codec/num/num.h"

void kvPrintInt(KvBuf *pOut, u64 v){
  if( !kvBufRoom(pOut, KV_NUM_TEXT) ) return;
  pOut->n += (u32)kvU64Print(v, (char*)&pOut->a[pOut->n]);
}

void kvPrintDate(KvBuf *pOut, double r){
  kvBufPut(pOut, '"');
  kvDatePrint(r, pOut);
  kvBufPut(pOut, '"');
}

void kvPrintBytes(KvBuf *pOut, KvBytes b){
  u32 i;
  kvBufPut(pOut, '[');
  for(i=0; i<b.n; i++){
    if( i ) kvBufPut(pOut, ',');
    kvPrintInt(pOut, b.p[i]);
  }
  kvBufPut(pOut, ']');
}

void kvPrintNumber(KvBuf *pOut, double r){
  if( !kvBufRoom(pOut, KV_NUM_TEXT) ) return;
  pOut->n += (u32)kvNumPrint(r, (char*)&pOut->a[pOut->n]);
}

void kvPrintJsonNumber(KvBuf *pOut, double r){
  if( r-r==0.0 ){
    kvPrintNumber(pOut, r + 0.0);                /* -0 is 0 */
  }else{
    kvBufLit(pOut, "null");
  }
}

void kvPrintBigint(KvBuf *pOut, const KvNode *pNode){
  if( pNode->eSub ) kvBufPut(pOut, '-');
  kvBigPrint(pOut, kvNodeBytes(pNode));
}

void kvPrintString(KvBuf *pOut, const KvNode *pNode){
  if( pNode->mFlags & KVN_ASCII ){
    u8 *z;
    if( !kvBufRoom(pOut, pNode->n + 2) ) return;
    z = &pOut->a[pOut->n];
    *z = z[pNode->n + 1] = '"';
    if( pNode->n ) memcpy(&z[1], pNode->u.p, pNode->n);
    pOut->n += pNode->n + 2;
  }else{
    kvUtfAppendQuoted(pOut, pNode->eSub, kvNodeBytes(pNode));
  }
}

void kvPrintIndex(KvBuf *pOut, u32 i){
  kvBufPut(pOut, '"');
  kvPrintInt(pOut, i);
  kvBufPut(pOut, '"');
}

void kvPrintRegexp(KvBuf *pOut, const KvTree *p, const KvNode *pNode){
  const KvNode *pSrc = &p->aNode[pNode->iChild];
  char zFlags[16];
  kvBufPut(pOut, '/');
  kvUtfAppend(pOut, pSrc->eSub, kvNodeBytes(pSrc), 1);
  if( pSrc->n==0 ) kvBufLit(pOut, "(?:)");
  kvBufPut(pOut, '/');
  kvRegexpFlags(pNode->n, zFlags);
  kvBufText(pOut, zFlags);
}

u32 kvPresentElements(const KvTree *p, const KvNode *pArr, u32 *pnPair){
  const KvNode *aNode = p->aNode;
  u32 i = pArr->iChild, k, n = 0, nPair;
  for(k=pArr->u.c.nElem; k>0; k--, i=aNode[i].iNext) n += aNode[i].eKind!=KV_HOLE;
  for(nPair=0; nPair<pArr->u.c.nPair && aNode[i].eKind==KV_NUMBER; nPair++){
    i = aNode[aNode[i].iNext].iNext;
  }
  *pnPair = nPair;
  return n + nPair;
}

u32 kvNextPresent(const KvTree *p, u32 iOwner, u32 *piNext, u32 *pk){
  u32 i;
  do{
    if( *pk>=p->aNode[iOwner].u.c.nElem ){       /* pairs: without their gaps */
      i = *piNext;
      if( i==0 || p->aNode[i].eKind!=KV_NUMBER ) return KV_NO_NODE;
      *pk = (u32)p->aNode[i].u.r;
    }
    i = kvNextElement(p, iOwner, piNext, pk);
  }while( i==0 );
  return i;
}
