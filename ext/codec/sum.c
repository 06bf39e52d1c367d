/*
** sum.c -- the arithmetic of sum, min and max.  See sum.h.
*/
#include "codec/sum.h"
#include "codec/num/num.h"
#include "codec/op.h"
#include "codec/stored.h"
#include "codec/value.h"

/* A number of one of the three kinds, or a plain one: it has the fields of all. */
typedef struct SumNum SumNum;
struct SumNum {
  u8 eKind;               /* KV_U64, KV_NUMBER or KV_BIGINT; 0: not settled yet */
  u8 ePlain;              /* KV_PLAIN_xxx, or 0 */
  u8 bNeg;                /* BIGINT: sign */
  double r;               /* NUMBER */
  u64 iBits;              /* NUMBER: as it is stored */
  const u8 *aMag;         /* U64, BIGINT: magnitude, least byte first, */
  u32 nMag;               /* ... without leading zero bytes */
  u8 aSpace[8];           /* U64 or plain: the magnitude */
  u8 *pHeap;              /* BIGINT results: to be freed */
  KvTree tree;            /* What aMag may point into */
};

static const char sumMixed[] =
  "the stored value and n are not of one kind: a whole INTEGER or REAL goes with every kind, "
  "another REAL with a number, a kv_bigint() with a bigint";
static const char sumNegative[] =
  "the stored value is a KvU64, which takes no negative n; a number or a bigint does";
static const char sumNegativeNew[] =
  "nothing is stored, and an INTEGER n makes a KvU64, which can't be negative; "
  "use a REAL to make a number or kv_bigint() to make a bigint";
static const char sumInexact[] =
  "the stored value is a number, and an INTEGER beyond 9007199254740991 is no exact one; "
  "use a REAL";

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

/* Without leading zero bytes, and zero without a sign. */
static void sumTrim(SumNum *p){
  while( p->nMag>0 && p->aMag[p->nMag-1]==0 ) p->nMag--;
  if( p->nMag==0 ) p->bNeg = 0;
}

/* Read a stored value that must be a number of some kind. */
static int sumRead(SumNum *p, const KvStored *pStored, const char *zRefused, KvErr *pErr){
  const KvNode *pNode;
  int rc = kvValueRead(&p->tree, pStored->eEncoding, pStored->bytes, pErr);
  if( rc!=KV_OK ) return rc;
  pNode = &p->tree.aNode[0];
  p->eKind = pNode->eKind;
  if( pNode->eKind==KV_NUMBER ){
    p->r = pNode->u.r;
    p->iBits = p->r!=p->r ? sumNanBits(pStored->bytes.p) : kvDoubleToBits(p->r);
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
  sumTrim(p);
  return KV_OK;
}

/* Read an operand or a bound, which may be plain.  (What is stored never is: there
** the same byte is an encoding that is unknown.) */
static int sumReadPlain(SumNum *p, KvBytes raw, const char *zRefused, KvErr *pErr){
  u64 u;
  i64 v;
  int e = raw.p[0];
  KvStored stored = { e, kvBytesFrom(raw, 1) };
  if( (e!=KV_PLAIN_INTEGER && e!=KV_PLAIN_REAL) || stored.bytes.n!=8 ){
    return sumRead(p, &stored, zRefused, pErr);
  }
  p->ePlain = (u8)e;
  u = kvGet64be(stored.bytes.p);
  p->r = p->ePlain==KV_PLAIN_REAL ? kvBitsToDouble(u) : (double)(i64)u;
  p->iBits = kvDoubleToBits(p->r);
  v = p->ePlain==KV_PLAIN_REAL ? (i64)p->r : (i64)u;
  p->bNeg = v<0;
  kvPut64le(p->aSpace, v<0 ? 0-(u64)v : (u64)v);
  p->aMag = p->aSpace;
  p->nMag = 8;
  sumTrim(p);
  return KV_OK;
}

/* Give a plain number its kind, if it fits that. */
static int sumSettle(SumNum *p, int eKind, const char *zNegative, KvErr *pErr){
  if( p->ePlain==0 ) return KV_OK;
  if( eKind==KV_U64 && p->bNeg ) return kvErrSet(pErr, KV_REFUSED, -1, zNegative);
  if( eKind==KV_NUMBER && p->ePlain==KV_PLAIN_INTEGER
   && (p->r>(double)KV_MAX_SAFE || p->r<-(double)KV_MAX_SAFE)
  ){
    return kvErrSet(pErr, KV_REFUSED, -1, sumInexact);
  }
  p->eKind = (u8)eKind;
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
  SumNum *pSum, KvBytes bound, int iSide, const char *zBeyond, int bClamp,
  SumNum *pSpace, KvErr *pErr
){
  static const char zKind[] =
    "min and max must be whole INTEGERs or REALs, or of the kind of the stored value";
  static const char zRange[] = "min and max of a KvU64 are from 0n to 18446744073709551615n";
  int rc;
  if( bound.p==0 ) return KV_OK;
  rc = sumReadPlain(pSpace, bound, zKind, pErr);
  if( rc==KV_OK ) rc = sumSettle(pSpace, pSum->eKind, zRange, pErr);
  if( rc!=KV_OK ) return rc;
  if( (pSum->eKind==KV_NUMBER)!=(pSpace->eKind==KV_NUMBER) ){
    return kvErrSet(pErr, KV_REFUSED, -1, zKind);
  }
  if( pSum->eKind==KV_U64 && (pSpace->bNeg || pSpace->nMag>8) ){
    return kvErrSet(pErr, KV_REFUSED, -1, zRange);
  }
  if( sumCompare(pSum, pSpace)*iSide<=0 ) return KV_OK;
  if( !bClamp ) return kvErrSet(pErr, KV_REFUSED, -1, zBeyond);
  sumBorrow(pSum, pSpace);
  return KV_OK;
}

/* The kind that the result has, or KV_REFUSED. */
static int sumKind(
  const SumNum *pOld, SumNum *pOperand, int bBounds, SumNum *pOut, KvErr *pErr
){
  int rc = sumSettle(pOperand, pOld->eKind, sumNegative, pErr);
  if( rc!=KV_OK ) return rc;
  pOut->eKind = pOld->eKind;
  if( pOld->eKind==pOperand->eKind ) return KV_OK;
  if( pOld->eKind==KV_U64 && pOperand->eKind==KV_BIGINT && !bBounds
   && !pOperand->bNeg && pOperand->nMag<=8
  ){
    return KV_OK;
  }
  return kvErrSet(pErr, KV_REFUSED, -1, sumMixed);
}

/* The result in *pOut, whose slices may point into the operands. */
static int sumCombine(int eOp, const SumNum *pOld, const SumNum *pOperand, SumNum *pOut, KvErr *pErr){
  if( eOp==KV_OP_SUM ){
    if( pOut->eKind!=KV_NUMBER ) return sumAddBig(pOld, pOperand, pOut, pErr);
    sumAddNumbers(pOld, pOperand, pOut);
  }else if( (sumCompare(pOperand, pOld)<0)==(eOp==KV_OP_MIN) ){
    sumBorrow(pOut, pOperand);
  }else{
    sumBorrow(pOut, pOld);
  }
  return KV_OK;
}

/* The numbers that take part. */
typedef struct SumWork SumWork;
struct SumWork {
  SumNum old, operand, sum, min, max;
};

/* Nothing is stored: the operand is the result. */
static int sumFirst(SumWork *p, KvErr *pErr){
  int rc = sumSettle(&p->operand, p->operand.ePlain==KV_PLAIN_REAL ? KV_NUMBER : KV_U64,
                     sumNegativeNew, pErr);
  p->sum.eKind = p->operand.eKind;
  sumBorrow(&p->sum, &p->operand);
  return rc;
}

/* p->sum without the bounds. */
static int sumUnbound(SumWork *p, const KvOp *pOp, const KvStored *pOld, KvErr *pErr){
  int rc = sumReadPlain(&p->operand, pOp->value,
      "n must be an INTEGER, a REAL, a kv_bigint() or another typed value that is a number", pErr);
  if( rc!=KV_OK ) return rc;
  if( pOld==0 ) return sumFirst(p, pErr);
  rc = sumRead(&p->old, pOld, "the stored value is not a KvU64, number or bigint", pErr);
  if( rc==KV_OK ) rc = sumKind(&p->old, &p->operand, pOp->min.p || pOp->max.p, &p->sum, pErr);
  return rc==KV_OK ? sumCombine(pOp->eOp, &p->old, &p->operand, &p->sum, pErr) : rc;
}

static int sumBounds(SumWork *p, const KvOp *pOp, KvErr *pErr){
  static const u8 aLargest[9] = {2, 255, 255, 255, 255, 255, 255, 255, 255};
  KvBytes max = pOp->max;
  const char *zAbove = "the sum would be above max";
  int bClamp = pOp->mFlags & KV_OP_CLAMP;
  int rc;
  if( pOp->min.p && max.p==0 && p->sum.eKind==KV_U64 ){
    max = kvBytes(aLargest, sizeof(aLargest));
    zAbove = "the sum would be above 18446744073709551615, the largest KvU64 "
        "(without min and max it wraps)";
  }
  rc = sumBound(&p->sum, pOp->min, -1, "the sum would be below min", bClamp, &p->min, pErr);
  if( rc==KV_OK ) rc = sumBound(&p->sum, max, 1, zAbove, bClamp, &p->max, pErr);
  return rc;
}

int kvSum(const KvOp *pOp, const KvStored *pOld, KvBuf *pOut, int *peEncoding, KvErr *pErr){
  SumWork w;
  int rc;
  KV_ASSERT( pOp->eOp>=KV_OP_SUM && pOp->eOp<=KV_OP_MAX && pOp->value.n>0 );
  sumInit(&w.old);
  sumInit(&w.operand);
  sumInit(&w.sum);
  sumInit(&w.min);
  sumInit(&w.max);
  rc = sumUnbound(&w, pOp, pOld, pErr);
  if( rc==KV_OK ) rc = sumBounds(&w, pOp, pErr);
  if( rc==KV_OK ){
    sumWrite(&w.sum, pOut, peEncoding);
    if( pOut->eErr!=KV_OK ) rc = kvErrSet(pErr, pOut->eErr, -1, "out of memory");
  }
  sumClear(&w.old);
  sumClear(&w.operand);
  sumClear(&w.sum);
  sumClear(&w.min);
  sumClear(&w.max);
  return rc;
}
