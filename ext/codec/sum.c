/*
** sum.c -- the arithmetic of sum, min and max.  See sum.h.
*/
#include "codec/sum.h"
#include "codec/num/bigint.h"
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
  KvBytes mag;            /* U64, BIGINT: magnitude, without leading zeros */
  u8 aSpace[8];           /* U64 or plain: the magnitude */
};

/* The numbers that take part. */
typedef struct SumWork SumWork;
struct SumWork {
  SumNum old, operand, sum, min, max;
  KvTree tree;            /* Of the value that was read last */
  KvBuf big;              /* The magnitude of a sum */
};

static const char sumMixed[] =
  "the stored value and n have different types: a whole INTEGER or REAL fits every "
  "type, a REAL with a fraction fits a number, and a kv_bigint() fits a bigint";
static const char sumNegative[] =
  "the stored value is a KvU64, so n can't be negative; numbers and bigints accept a negative n";
static const char sumNegativeNew[] =
  "nothing is stored, and an INTEGER n makes a KvU64, which can't be negative; use a "
  "REAL for a number or kv_bigint() for a bigint";
static const char sumInexact[] =
  "the stored value is a number, which can't hold an INTEGER beyond 9007199254740991 "
  "exactly; use a REAL";

/* The byte after the varint at a, which has been read before. */
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

/* Read a stored value that must be a number of some kind.  A magnitude is a
** slice of it. */
static int sumRead(
  SumNum *p, KvTree *pTree, const KvStored *pStored, const char *zRefused, KvErr *pErr
){
  const KvNode *pNode;
  int rc;
  kvTreeReset(pTree);
  rc = kvValueRead(pTree, pStored->eEncoding, pStored->bytes, pErr);
  if( rc!=KV_OK ) return rc;
  pNode = &pTree->aNode[0];
  p->eKind = pNode->eKind;
  if( pNode->eKind==KV_NUMBER ){
    p->r = pNode->u.r;
    p->iBits = p->r!=p->r ? sumNanBits(pStored->bytes.p) : kvDoubleToBits(p->r);
  }else if( pNode->eKind==KV_BIGINT ){
    p->mag = kvBytes(pNode->u.p, pNode->n);
    /* cppcheck-suppress comparePointers */
    KV_ASSERT( p->mag.n==0 || (p->mag.p>=pStored->bytes.p
            && &p->mag.p[p->mag.n]<=&pStored->bytes.p[pStored->bytes.n]) );
    while( p->mag.n>0 && p->mag.p[p->mag.n-1]==0 ) p->mag.n--;
    p->bNeg = pNode->eSub && p->mag.n>0;
  }else if( pNode->eKind==KV_U64 ){
    p->mag = kvBigMagnitude(pNode->u.u, p->aSpace);
  }else{
    return kvErrSet(pErr, KV_REFUSED, -1, zRefused);
  }
  return KV_OK;
}

/* Read an operand or a bound, which may be plain.  (What is stored never is: there
** the same byte is an encoding that is unknown.) */
static int sumReadPlain(SumNum *p, KvTree *pTree, KvBytes raw, const char *zRefused, KvErr *pErr){
  KvStored stored = { raw.p[0], kvBytesFrom(raw, 1) };
  u64 u;
  i64 v;
  if( (raw.p[0]!=KV_PLAIN_INTEGER && raw.p[0]!=KV_PLAIN_REAL) || raw.n!=9 ){
    return sumRead(p, pTree, &stored, zRefused, pErr);
  }
  p->ePlain = raw.p[0];
  u = kvGet64be(stored.bytes.p);
  p->r = p->ePlain==KV_PLAIN_REAL ? kvBitsToDouble(u) : (double)(i64)u;
  p->iBits = kvDoubleToBits(p->r);
  v = p->ePlain==KV_PLAIN_REAL ? (i64)p->r : (i64)u;
  p->bNeg = v<0;
  p->mag = kvBigMagnitude(v<0 ? 0-(u64)v : (u64)v, p->aSpace);
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

static int sumCompareMag(KvBytes a, KvBytes b){
  u32 i = a.n;
  if( a.n!=b.n ) return a.n<b.n ? -1 : 1;
  while( i-- > 0 ) if( a.p[i]!=b.p[i] ) return a.p[i]<b.p[i] ? -1 : 1;
  return 0;
}

/* Compare two of one kind (U64 and BIGINT count as one).  NaN: 0. */
static int sumCompare(const SumNum *a, const SumNum *b){
  int c;
  if( a->eKind==KV_NUMBER ) return (a->r>b->r) - (a->r<b->r);
  if( a->bNeg!=b->bNeg ) return a->bNeg ? -1 : 1;
  c = sumCompareMag(a->mag, b->mag);
  return a->bNeg ? -c : c;
}

/* a + b or, with iSign -1 and a>=b, a - b into aOut, which has room for the
** longer and a byte.  Returns the length. */
static u32 sumAddMag(KvBytes a, KvBytes b, int iSign, u8 *aOut){
  u32 i, n = a.n>b.n ? a.n : b.n;
  int c = 0;
  KV_ASSERT( iSign>0 || sumCompareMag(a, b)>=0 );
  for(i=0; i<n; i++){
    c += (i<a.n ? a.p[i] : 0) + iSign*(i<b.n ? b.p[i] : 0);
    aOut[i] = (u8)c;
    c = c<0 ? -1 : c/256;
  }
  if( c ) aOut[n++] = (u8)c;
  while( n>0 && aOut[n-1]==0 ) n--;
  return n;
}

/* The sum of two bigints or KvU64 (no wrap yet). */
static int sumAddBig(SumWork *p, KvErr *pErr){
  const SumNum *a = &p->old, *b = &p->operand;
  int iSign = a->bNeg==b->bNeg ? 1 : -1;
  if( iSign<0 && sumCompareMag(a->mag, b->mag)<0 ){
    a = &p->operand;
    b = &p->old;
  }
  if( kvBufGrow(&p->big, (u64)a->mag.n + b->mag.n + 1)!=KV_OK ){
    return kvErrMemory(pErr, p->big.eErr);
  }
  p->big.n = sumAddMag(a->mag, b->mag, iSign, p->big.a);
  p->sum.mag = kvBufBytes(&p->big);
  p->sum.bNeg = a->bNeg && p->big.n>0;
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
  pOut->mag = p->mag;
}

/* Append the number as Deno stores it. */
static void sumWrite(const SumNum *p, KvBuf *pOut, int *peEncoding){
  u8 a[8];
  *peEncoding = p->eKind==KV_U64 ? 2 : 1;
  if( p->eKind==KV_U64 ){
    memset(a, 0, 8);
    if( p->mag.n ) memcpy(a, p->mag.p, p->mag.n>8 ? 8 : p->mag.n);   /* modulo 2^64 */
    kvBufAppend(pOut, a, 8);
  }else if( p->eKind==KV_NUMBER ){
    kvBufLit(pOut, "\xff\x0f" "N");
    kvPut64le(a, p->iBits);
    kvBufAppend(pOut, a, 8);
  }else{
    u32 n = p->mag.n ? p->mag.n : 1;
    u32 v = n<<1 | p->bNeg;
    kvBufLit(pOut, "\xff\x0f" "Z");
    for(; v>=0x80; v>>=7) kvBufPut(pOut, (u8)(v|0x80));
    kvBufPut(pOut, (u8)v);
    kvBufAdd(pOut, p->mag);
    if( p->mag.n==0 ) kvBufPut(pOut, 0);
  }
}

/* Apply one bound, read into pSpace, to the sum; zBeyond is said of one beyond
** it. */
static int sumBound(
  SumWork *p, KvBytes bound, int iSide, const char *zBeyond, int bClamp, SumNum *pSpace, KvErr *pErr
){
  static const char zKind[] =
    "min and max must be whole INTEGERs or REALs, or have the type of the stored value";
  static const char zRange[] = "min and max of a KvU64 are from 0n to 18446744073709551615n";
  int rc;
  if( bound.p==0 ) return KV_OK;
  rc = sumReadPlain(pSpace, &p->tree, bound, zKind, pErr);
  if( rc==KV_OK ) rc = sumSettle(pSpace, p->sum.eKind, zRange, pErr);
  if( rc!=KV_OK ) return rc;
  if( (p->sum.eKind==KV_NUMBER)!=(pSpace->eKind==KV_NUMBER) ){
    return kvErrSet(pErr, KV_REFUSED, -1, zKind);
  }
  if( p->sum.eKind==KV_U64 && (pSpace->bNeg || pSpace->mag.n>8) ){
    return kvErrSet(pErr, KV_REFUSED, -1, zRange);
  }
  if( sumCompare(&p->sum, pSpace)*iSide<=0 ) return KV_OK;
  if( !bClamp ) return kvErrSet(pErr, KV_REFUSED, -1, zBeyond);
  sumBorrow(&p->sum, pSpace);
  return KV_OK;
}

/* The kind that the result has, or KV_REFUSED. */
static int sumKind(SumWork *p, int bBounds, KvErr *pErr){
  int rc = sumSettle(&p->operand, p->old.eKind, sumNegative, pErr);
  if( rc!=KV_OK ) return rc;
  p->sum.eKind = p->old.eKind;
  if( p->old.eKind==p->operand.eKind ) return KV_OK;
  if( p->old.eKind==KV_U64 && p->operand.eKind==KV_BIGINT && !bBounds
   && !p->operand.bNeg && p->operand.mag.n<=8
  ){
    return KV_OK;
  }
  return kvErrSet(pErr, KV_REFUSED, -1, sumMixed);
}

/* The result, whose magnitude may be an operand's. */
static int sumCombine(SumWork *p, int eOp, KvErr *pErr){
  if( eOp==KV_OP_SUM ){
    if( p->sum.eKind!=KV_NUMBER ) return sumAddBig(p, pErr);
    sumAddNumbers(&p->old, &p->operand, &p->sum);
  }else if( (sumCompare(&p->operand, &p->old)<0)==(eOp==KV_OP_MIN) ){
    sumBorrow(&p->sum, &p->operand);
  }else{
    sumBorrow(&p->sum, &p->old);
  }
  return KV_OK;
}

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
  int rc = sumReadPlain(&p->operand, &p->tree, pOp->value,
      "n must be an INTEGER, a REAL, a kv_bigint() or another typed value that is a number", pErr);
  if( rc!=KV_OK ) return rc;
  if( pOld==0 ) return sumFirst(p, pErr);
  rc = sumRead(&p->old, &p->tree, pOld, "the stored value is not a KvU64, number or bigint", pErr);
  if( rc==KV_OK ) rc = sumKind(p, pOp->min.p || pOp->max.p, pErr);
  return rc==KV_OK ? sumCombine(p, pOp->eOp, pErr) : rc;
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
  rc = sumBound(p, pOp->min, -1, "the sum would be below min", bClamp, &p->min, pErr);
  if( rc==KV_OK ) rc = sumBound(p, max, 1, zAbove, bClamp, &p->max, pErr);
  return rc;
}

int kvSum(const KvOp *pOp, const KvStored *pOld, KvBuf *pOut, int *peEncoding, KvErr *pErr){
  SumWork w;
  int rc;
  KV_ASSERT( pOp->eOp>=KV_OP_SUM && pOp->eOp<=KV_OP_MAX && pOp->value.n>0 );
  memset(&w, 0, sizeof(w));
  kvTreeInit(&w.tree);
  kvBufInit(&w.big, 0, 0);
  rc = sumUnbound(&w, pOp, pOld, pErr);
  if( rc==KV_OK ) rc = sumBounds(&w, pOp, pErr);
  if( rc==KV_OK ){
    sumWrite(&w.sum, pOut, peEncoding);
    rc = kvErrMemory(pErr, pOut->eErr);
  }
  kvTreeClear(&w.tree);
  kvBufClear(&w.big);
  return rc;
}
