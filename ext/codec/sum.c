/*
** sum.c -- the arithmetic of sum, min and max.  See sum.h.
*/
#include "codec/sum.h"
#include "codec/op.h"
#include "codec/value.h"

/* A number of one of the three kinds. */
typedef struct SumNum SumNum;
struct SumNum {
  u8 eKind;               /* KV_U64, KV_NUMBER or KV_BIGINT */
  u8 bNeg;                /* BIGINT: sign */
  double r;               /* NUMBER */
  u64 iBits;              /* NUMBER: as it is stored */
  const u8 *aMag;         /* U64, BIGINT: magnitude, least byte first, */
  u32 nMag;               /* ... without leading zero bytes */
  u8 aSpace[8];           /* U64: the magnitude */
  u8 *pHeap;              /* BIGINT results: to be freed */
  KvTree tree;            /* What aMag may point into */
};

static const char sumMixed[] =
  "the stored value and the operand are not of one kind: an INTEGER operand goes with a KvU64, "
  "a REAL with a number, a kv_bigint() with a bigint";

static void sumInit(SumNum *p){
  memset(p, 0, sizeof(*p));
  kvTreeInit(&p->tree);
}

static void sumClear(SumNum *p){
  kvTreeClear(&p->tree);
  kvFree(p->pHeap);
  p->pHeap = 0;
}

/* The byte behind the varint at a, which has been read before. */
static const u8 *sumVarintEnd(const u8 *a){
  int i;
  for(i=1; i<5 && (*a & 0x80); i++) a++;
  return a+1;
}

/*
** The bits of a NaN as they are stored.  The value reader makes every NaN the
** same, but Deno's sums keep the sign, and so do these.  The bytes are those of a
** NaN: the header, padding and counts of objects ('?'), and 'N' with its 8 bytes.
*/
static u64 sumNanBits(const u8 *a){
  a = sumVarintEnd(a+1);
  while( *a!='N' ) a = *a=='?' ? sumVarintEnd(a+1) : a+1;
  return kvGet64le(a+1);
}

/* Read a stored value that must be a number of some kind. */
static int sumRead(SumNum *p, const KvStored *pStored, const char *zRefused, KvErr *pErr){
  const KvNode *pNode;
  int rc = kvValueRead(&p->tree, pStored->eEncoding, pStored->a, pStored->n, pErr);
  if( rc!=KV_OK ) return rc;
  pNode = &p->tree.aNode[0];
  p->eKind = pNode->eKind;
  if( pNode->eKind==KV_NUMBER ){
    p->r = pNode->u.r;
    p->iBits = p->r!=p->r ? sumNanBits(pStored->a) : kvDoubleToBits(p->r);
  }else if( pNode->eKind==KV_BIGINT ){
    p->bNeg = pNode->eSub;
    p->aMag = pNode->u.p;
    p->nMag = pNode->n;
  }else if( pNode->eKind==KV_U64 ){
    kvPut64le(p->aSpace, pNode->u.u);
    p->aMag = p->aSpace;
    p->nMag = 8;
  }else{
    return kvErrSet(pErr, KV_REFUSED, -1, zRefused);
  }
  while( p->nMag>0 && p->aMag[p->nMag-1]==0 ) p->nMag--;
  if( p->nMag==0 ) p->bNeg = 0;
  return KV_OK;
}

static int sumCompareMag(const u8 *a, u32 nA, const u8 *b, u32 nB){
  if( nA!=nB ) return nA<nB ? -1 : 1;
  while( nA-- > 0 ) if( a[nA]!=b[nA] ) return a[nA]<b[nA] ? -1 : 1;
  return 0;
}

/* Compare two of one kind (U64 and BIGINT count as one).  NaN: 0. */
static int sumCompare(const SumNum *a, const SumNum *b){
  int c;
  if( a->eKind==KV_NUMBER ) return (a->r>b->r) - (a->r<b->r);
  if( a->bNeg!=b->bNeg ) return a->bNeg ? -1 : 1;
  c = sumCompareMag(a->aMag, a->nMag, b->aMag, b->nMag);
  return a->bNeg ? -c : c;
}

/* a + b of two magnitudes into aOut, which has room for the longer + 1. */
static u32 sumAddMag(const u8 *a, u32 nA, const u8 *b, u32 nB, u8 *aOut){
  u32 i, n = nA>nB ? nA : nB;
  u32 c = 0;
  for(i=0; i<n; i++){
    c += (i<nA ? a[i] : 0u) + (i<nB ? b[i] : 0u);
    aOut[i] = (u8)c;
    c >>= 8;
  }
  if( c ) aOut[n++] = (u8)c;
  return n;
}

/* a - b of two magnitudes, a >= b. */
static u32 sumSubMag(const u8 *a, u32 nA, const u8 *b, u32 nB, u8 *aOut){
  u32 i, n = nA;
  i32 c = 0;
  for(i=0; i<nA; i++){
    c += a[i] - (i<nB ? b[i] : 0);
    aOut[i] = (u8)c;
    c = c<0 ? -1 : 0;
  }
  while( n>0 && aOut[n-1]==0 ) n--;
  return n;
}

/* a + b of two bigints or KvU64 (no wrap yet). */
static int sumAddBig(const SumNum *a, const SumNum *b, SumNum *pOut, KvErr *pErr){
  u32 n = (a->nMag>b->nMag ? a->nMag : b->nMag) + 1;
  u8 *aOut = kvRealloc(0, n);
  if( aOut==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  if( a->bNeg==b->bNeg ){
    n = sumAddMag(a->aMag, a->nMag, b->aMag, b->nMag, aOut);
    pOut->bNeg = a->bNeg;
  }else if( sumCompareMag(a->aMag, a->nMag, b->aMag, b->nMag)>=0 ){
    n = sumSubMag(a->aMag, a->nMag, b->aMag, b->nMag, aOut);
    pOut->bNeg = a->bNeg;
  }else{
    n = sumSubMag(b->aMag, b->nMag, a->aMag, a->nMag, aOut);
    pOut->bNeg = b->bNeg;
  }
  pOut->pHeap = aOut;
  pOut->aMag = aOut;
  pOut->nMag = n;
  if( n==0 ) pOut->bNeg = 0;
  return KV_OK;
}

/* A NaN in a sum stays what it is, the operand's before the old one; a new one
** (Infinity - Infinity) is negative, as x86 makes it for Deno. */
static void sumAddNumbers(const SumNum *pOld, const SumNum *pOperand, SumNum *pOut){
  pOut->r = pOld->r + pOperand->r;
  pOut->iBits = kvDoubleToBits(pOut->r);
  if( pOut->r!=pOut->r ){
    pOut->iBits = pOperand->r!=pOperand->r ? pOperand->iBits
                : pOld->r!=pOld->r ? pOld->iBits : 0xfff8000000000000ull;
  }
}

/* Make *pOut show what *p holds. */
static void sumBorrow(SumNum *pOut, const SumNum *p){
  pOut->bNeg = p->bNeg;
  pOut->r = p->r;
  pOut->iBits = p->iBits;
  pOut->aMag = p->aMag;
  pOut->nMag = p->nMag;
}

/* Append the number as Deno stores it. */
static void sumWrite(const SumNum *p, KvBuf *pOut, int *peEncoding){
  u8 a[8];
  *peEncoding = p->eKind==KV_U64 ? 2 : 1;
  if( p->eKind==KV_U64 ){
    memset(a, 0, 8);
    if( p->nMag ) memcpy(a, p->aMag, p->nMag>8 ? 8 : p->nMag);   /* modulo 2^64 */
    kvBufAppend(pOut, a, 8);
  }else if( p->eKind==KV_NUMBER ){
    kvBufLit(pOut, "\xff\x0f" "N");
    kvPut64le(a, p->iBits);
    kvBufAppend(pOut, a, 8);
  }else{
    u32 n = p->nMag ? p->nMag : 1;
    u32 v = n<<1 | p->bNeg;
    kvBufLit(pOut, "\xff\x0f" "Z");
    for(; v>=0x80; v>>=7) kvBufPut(pOut, (u8)(v|0x80));
    kvBufPut(pOut, (u8)v);
    if( p->nMag ) kvBufAppend(pOut, p->aMag, p->nMag);
    else kvBufPut(pOut, 0);
  }
}

/* Apply one bound to a sum; zBeyond is said of one beyond it. */
static int sumBound(
  SumNum *pSum, const KvStored *pBound, int iSide, const char *zBeyond, int bClamp,
  SumNum *pSpace, KvErr *pErr
){
  static const char zKind[] =
    "min and max must be numbers of the kind of the operand";
  int rc, bBoth;
  if( pBound==0 ) return KV_OK;
  rc = sumRead(pSpace, pBound, zKind, pErr);
  if( rc!=KV_OK ) return rc;
  bBoth = (pSum->eKind==KV_NUMBER)==(pSpace->eKind==KV_NUMBER);
  if( !bBoth ) return kvErrSet(pErr, KV_REFUSED, -1, zKind);
  if( pSum->eKind==KV_U64 && (pSpace->bNeg || pSpace->nMag>8) ){
    return kvErrSet(pErr, KV_REFUSED, -1, "min and max of a KvU64 are from 0n to 18446744073709551615n");
  }
  if( sumCompare(pSum, pSpace)*iSide<=0 ) return KV_OK;
  if( !bClamp ) return kvErrSet(pErr, KV_REFUSED, -1, zBeyond);
  sumBorrow(pSum, pSpace);
  return KV_OK;
}

/* The kind that the result has, or KV_REFUSED. */
static int sumKind(const SumNum *pOld, const SumNum *pOperand, SumNum *pOut, KvErr *pErr){
  pOut->eKind = pOld->eKind;
  if( pOld->eKind==pOperand->eKind ) return KV_OK;
  if( pOld->eKind==KV_U64 && pOperand->eKind==KV_BIGINT && !pOperand->bNeg && pOperand->nMag<=8 ){
    return KV_OK;
  }
  return kvErrSet(pErr, KV_REFUSED, -1, sumMixed);
}

/* The result in *pOut, whose slices may point into the operands. */
static int sumCombine(
  int eOp, const SumNum *pOld, const SumNum *pOperand, SumNum *pOut, KvErr *pErr
){
  int rc = sumKind(pOld, pOperand, pOut, pErr);
  if( rc!=KV_OK ) return rc;
  if( eOp==KV_OP_SUM ){
    if( pOut->eKind==KV_NUMBER ){
      sumAddNumbers(pOld, pOperand, pOut);
      return KV_OK;
    }
    return sumAddBig(pOld, pOperand, pOut, pErr);
  }
  if( (sumCompare(pOperand, pOld)<0)==(eOp==KV_OP_MIN) ){
    sumBorrow(pOut, pOperand);
  }else{
    sumBorrow(pOut, pOld);
  }
  return KV_OK;
}

int kvSum(
  int eOp, const KvStored *pOld, const KvStored *pOperand,
  const KvStored *pMin, const KvStored *pMax, int bClamp,
  KvBuf *pOut, int *peEncoding, KvErr *pErr
){
  static const u8 aLargest[8] = {255, 255, 255, 255, 255, 255, 255, 255};
  static const KvStored largest = {2, aLargest, 8};
  const char *zAbove = "the sum would be above max";
  SumNum old, operand, sum, min, max;
  int rc;
  sumInit(&old);
  sumInit(&operand);
  sumInit(&sum);
  sumInit(&min);
  sumInit(&max);
  rc = sumRead(&operand, pOperand,
      "the operand must be an INTEGER (KvU64), a REAL (number) or a kv_bigint()", pErr);
  if( rc==KV_OK && pOld ){
    rc = sumRead(&old, pOld, "the stored value is not a KvU64, number or bigint", pErr);
    if( rc==KV_OK ) rc = sumCombine(eOp, &old, &operand, &sum, pErr);
  }else if( rc==KV_OK ){
    sum.eKind = operand.eKind;
    sumBorrow(&sum, &operand);
  }
  if( pMin && pMax==0 && sum.eKind==KV_U64 ){
    pMax = &largest;
    zAbove = "the sum would be above 18446744073709551615, the largest KvU64 "
        "(without min and max it wraps)";
  }
  if( rc==KV_OK ) rc = sumBound(&sum, pMin, -1, "the sum would be below min", bClamp, &min, pErr);
  if( rc==KV_OK ) rc = sumBound(&sum, pMax, 1, zAbove, bClamp, &max, pErr);
  if( rc==KV_OK ){
    sumWrite(&sum, pOut, peEncoding);
    if( pOut->eErr!=KV_OK ) rc = kvErrSet(pErr, pOut->eErr, -1, "out of memory");
  }
  sumClear(&old);
  sumClear(&operand);
  sumClear(&sum);
  sumClear(&min);
  sumClear(&max);
  return rc;
}
