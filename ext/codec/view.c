/*
** view.c -- typed arrays and DataViews: names, elements.  See view.h.
*/
#include "codec/view.h"
#include "codec/num/num.h"

static const struct ViewType {
  const char *zName;
  int nByte;
} viewType[KV_VIEW_COUNT] = {
  { "Int8Array", 1 },         { "Uint8Array", 1 },     { "Uint8ClampedArray", 1 },
  { "Int16Array", 2 },        { "Uint16Array", 2 },    { "Int32Array", 4 },
  { "Uint32Array", 4 },       { "Float16Array", 2 },   { "Float32Array", 4 },
  { "Float64Array", 8 },      { "BigInt64Array", 8 },  { "BigUint64Array", 8 },
  { "DataView", 1 }
};

const char *kvViewName(int eView){
  return viewType[eView].zName;
}

int kvViewSize(int eView){
  return viewType[eView].nByte;
}

u32 kvTreeView(KvTree *p, int eView, KvBytes content){
  u32 iView = kvTreeAdd(p, KV_VIEW);
  u32 iBuffer = kvTreeAdd(p, KV_BUFFER);
  if( iView==KV_NO_NODE || iBuffer==KV_NO_NODE ) return KV_NO_NODE;
  p->aNode[iView].eSub = (u8)eView;
  p->aNode[iView].n = p->aNode[iBuffer].n = content.n;
  p->aNode[iView].iChild = iBuffer;
  p->aNode[iBuffer].u.p = content.p;
  return iView;
}

int kvViewBuild(KvTree *p, KvBytes bytes, KvErr *pErr){
  return kvErrMemory(pErr, kvTreeView(p, KV_VIEW_U8, bytes)==KV_NO_NODE ? KV_NOMEM : KV_OK);
}

/*************************************************************************
** Read
*/

static double viewFromHalf(u32 h){
  u32 e = (h>>10) & 31, m = h & 0x3ff;
  double r;
  if( e==31 ){
    r = kvBitsToDouble(m ? KV_NAN_BITS : 0x7ff0000000000000u);
  }else if( e==0 ){
    r = (double)m / 16777216.0;                /* m * 2^-24 */
  }else{
    r = kvBitsToDouble(((u64)(e-15+1023)<<52) | ((u64)m<<42));
  }
  return h & 0x8000 ? -r : r;
}

static double viewFloat(u32 u){
  float f;
  memcpy(&f, &u, 4);
  return (double)f;
}

/* An element of eight bytes as a BIGINT. */
static void viewBigint(u64 v, int bNeg, KvNode *pOut, u8 *aDigit){
  pOut->eKind = KV_BIGINT;
  pOut->eSub = (u8)bNeg;
  kvPut64le(aDigit, bNeg ? 0-v : v);
  pOut->n = 8;
  while( pOut->n>0 && aDigit[pOut->n-1]==0 ) pOut->n--;
  pOut->u.p = aDigit;
}

int kvViewElem(const KvTree *p, u32 iView, i64 iElem, KvNode *pOut, u8 *aDigit){
  const KvNode *pView = &p->aNode[iView];
  const int nSize = kvViewSize(pView->eSub);
  const u8 *a;
  u64 v = 0;
  double r;
  int i;
  if( pView->eSub==KV_VIEW_DATA || iElem<0 || iElem>=(i64)(pView->n/(u32)nSize) ) return 0;
  a = kvViewBytes(p, iView).p + (size_t)iElem*(size_t)nSize;
  for(i=nSize-1; i>=0; i--) v = (v<<8) | a[i];
  memset(pOut, 0, sizeof(*pOut));
  pOut->eKind = KV_NUMBER;
  switch( pView->eSub ){
    case KV_VIEW_I8:  r = (double)v - (v & 0x80 ? 256.0 : 0.0); break;
    case KV_VIEW_I16: r = (double)v - (v & 0x8000 ? 65536.0 : 0.0); break;
    case KV_VIEW_I32: r = (double)v - (v & 0x80000000u ? 4294967296.0 : 0.0); break;
    case KV_VIEW_F16: r = viewFromHalf((u32)v); break;
    case KV_VIEW_F32: r = viewFloat((u32)v); break;
    case KV_VIEW_F64: r = kvBitsToDouble(v); break;
    case KV_VIEW_I64: viewBigint(v, v>>63!=0, pOut, aDigit); return 1;
    case KV_VIEW_U64: viewBigint(v, 0, pOut, aDigit); return 1;
    default:          r = (double)v; break;
  }
  pOut->u.r = r==r ? r : kvNaN();
  return 1;
}

/*************************************************************************
** Write
*/

/* The nearest half precision number, ties to even. */
static u32 viewToHalf(double r){
  u64 u = kvDoubleToBits(r);
  u64 m = u & 0xfffffffffffffu, nDrop, iHalf;
  u32 s = (u32)(u>>48) & 0x8000;
  int e = (int)((u>>52) & 0x7ff) - 1023;
  u32 h;
  if( e==1024 ) return m ? 0x7e00 : s|0x7c00;
  if( e>15 ) return s|0x7c00;
  if( e<-25 ) return s;
  if( e>=-14 ){
    nDrop = 42;
    h = (u32)(e+15)<<10;
  }else{
    m |= 0x10000000000000u;
    nDrop = (u64)(42 - 14 - e);
    h = 0;
  }
  h += (u32)(m>>nDrop);
  iHalf = (u64)1<<(nDrop-1);
  m &= (iHalf<<1) - 1;
  if( m>iHalf || (m==iHalf && (h&1)) ) h++;      /* may carry up to infinity */
  return s|h;
}

static u32 viewClamp(double r){
  u32 v;
  if( !(r>0.0) ) return 0;
  if( r>=255.0 ) return 255;
  v = (u32)r;
  r -= (double)v;
  if( r>0.5 || (r==0.5 && (v&1)) ) v++;
  return v;
}

static void viewPut(u8 *a, int nByte, u64 v){
  for(; nByte>0; nByte--, v>>=8) *a++ = (u8)v;
}

/* Store r as an element of a view that isn't of bigints. */
static void viewPutNumber(u8 *a, int eView, double r){
  if( r!=r ) r = kvNaN();
  switch( eView ){
    case KV_VIEW_U8C: *a = (u8)viewClamp(r); break;
    case KV_VIEW_F16: viewPut(a, 2, viewToHalf(r)); break;
    case KV_VIEW_F64: viewPut(a, 8, kvDoubleToBits(r)); break;
    case KV_VIEW_F32: {
      float f = (float)r;
      u32 u;
      memcpy(&u, &f, 4);
      viewPut(a, 4, u);
      break;
    }
    default: viewPut(a, kvViewSize(eView), kvNumModulo(r));
  }
}

int kvViewPut(u8 *a, int eView, const KvNode *pNode){
  if( eView!=KV_VIEW_I64 && eView!=KV_VIEW_U64 ){
    if( pNode->eKind!=KV_NUMBER ) return 0;
    viewPutNumber(a, eView, pNode->u.r);
  }else if( pNode->eKind==KV_BIGINT ){
    u64 v = kvNodeU64(pNode);
    viewPut(a, 8, pNode->eSub ? 0-v : v);
  }else if( pNode->eKind==KV_BOOL ){
    viewPut(a, 8, pNode->n);
  }else{
    return 0;
  }
  return 1;
}
