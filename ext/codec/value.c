/*
** value.c -- the value tree: its memory, its names, the order of its keys,
** and the choice of the stored encoding.  See value.h.
*/
#include "codec/value.h"
#include "codec/v8/v8.h"
#include "codec/view.h"

/*
** Memory for slices: a list of blocks, each filled from its start.  A reset
** keeps one block and the nodes unless they are larger than these.
*/
struct KvBlock {
  KvBlock *pNext;
  u64 n, nAlloc;          /* Bytes in use, available (after the header) */
};
#define VAL_BLOCK_BYTES  (u64)4000
#define VAL_KEEP_BLOCK   (u64)65536
#define VAL_KEEP_NODES   20000u

void kvTreeInit(KvTree *p){
  memset(p, 0, sizeof(*p));
}

static void valFreeBlocks(KvBlock *pBlock){
  while( pBlock ){
    KvBlock *pNext = pBlock->pNext;
    kvFree(pBlock);
    pBlock = pNext;
  }
}

void kvTreeReset(KvTree *p){
  KvBlock *pBlock = p->pBlock;
  p->nNode = 0;
  p->nRef = 0;
  if( p->nAlloc>VAL_KEEP_NODES ){
    kvFree(p->aNode);
    p->aNode = 0;
    p->nAlloc = 0;
  }
  if( pBlock==0 ) return;
  valFreeBlocks(pBlock->pNext);
  pBlock->pNext = 0;
  pBlock->n = 0;
  if( pBlock->nAlloc>VAL_KEEP_BLOCK ){
    kvFree(pBlock);
    p->pBlock = 0;
  }
}

void kvTreeClear(KvTree *p){
  kvFree(p->aNode);
  valFreeBlocks(p->pBlock);
  kvTreeInit(p);
}

int kvTreeGrow(KvTree *p){
  u64 nNew = (u64)p->nAlloc*2 + 32;
  KvNode *aNew;
  if( p->nNode<p->nAlloc ) return KV_OK;
  if( nNew>=KV_NO_NODE ) nNew = KV_NO_NODE - 1;
  if( nNew<=p->nAlloc ) return KV_TOOBIG;
  aNew = kvRealloc(p->aNode, nNew*sizeof(KvNode));
  if( aNew==0 ) return KV_NOMEM;
  p->aNode = aNew;
  p->nAlloc = (u32)nNew;
  return KV_OK;
}

u8 *kvTreeSpace(KvTree *p, u64 n){
  KvBlock *pBlock = p->pBlock;
  if( KV_TEST_FAULT ) return 0;
  if( pBlock==0 || n>pBlock->nAlloc - pBlock->n ){
    u64 nAlloc = n>VAL_BLOCK_BYTES ? n : VAL_BLOCK_BYTES;
    if( nAlloc>KV_MAX_BUF ) return 0;
    pBlock = kvRealloc(0, sizeof(KvBlock) + nAlloc);
    if( pBlock==0 ) return 0;
    pBlock->pNext = p->pBlock;
    pBlock->n = 0;
    pBlock->nAlloc = nAlloc;
    p->pBlock = pBlock;
  }
  pBlock->n += n;
  return (u8*)&pBlock[1] + (pBlock->n - n);
}

/*************************************************************************
** Names
*/

static const char *const valErrorName[KV_ERR_COUNT] = {
  "Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError",
  "TypeError", "URIError"
};

/* By kind; 0 where the name depends on more than the kind. */
static const char *const valKindName[KV_U64+1] = {
  0, "undefined", "null", "undefined", "boolean", "number", "bigint", "string",
  "Object", "Array", "Map", "Set", "Date", "RegExp", 0, 0,
  "ArrayBuffer", 0, 0,
  0, "KvU64"
};

const char *kvErrorName(int eSub){
  return valErrorName[eSub];
}

void kvRegexpFlags(u32 mFlags, char *z){
  static const struct { u32 m; char c; } aFlag[] = {
    { KV_RE_D, 'd' }, { KV_RE_G, 'g' }, { KV_RE_I, 'i' }, { KV_RE_M, 'm' },
    { KV_RE_S, 's' }, { KV_RE_U, 'u' }, { KV_RE_V, 'v' }, { KV_RE_Y, 'y' }
  };
  size_t i;
  for(i=0; i<sizeof(aFlag)/sizeof(aFlag[0]); i++){
    if( mFlags & aFlag[i].m ) *z++ = aFlag[i].c;
  }
  *z = 0;
}

static const char *valBoxedName(int eKind){
  switch( eKind ){
    case KV_BOOL:    return "Boolean";
    case KV_NUMBER:  return "Number";
    case KV_BIGINT:  return "BigInt";
    default:         return "String";
  }
}

/* True if the STRING node holds exactly the ASCII text z. */
static int valIsText(const KvNode *pStr, const char *z){
  KvNode x;
  memset(&x, 0, sizeof(x));
  x.eKind = KV_STRING;
  x.eSub = KV_LATIN1;
  x.n = (u32)strlen(z);
  x.u.p = (const u8*)z;
  return kvStringEqual(pStr, &x);
}

/*
** The "type" of a host object's payload, as far as it is a text of letters,
** digits and underscores that fits.
*/
static const char *valHostName(const KvTree *p, u32 iHost, char *zBuf){
  u32 iKey = p->aNode[kvDeref(p, p->aNode[iHost].iChild)].iChild;
  while( iKey ){
    u32 iVal = p->aNode[iKey].iNext;
    const KvNode *pVal = &p->aNode[iVal];
    if( p->aNode[iKey].eKind==KV_STRING && valIsText(&p->aNode[iKey], "type") ){
      u32 nUnit = pVal->eSub==KV_UTF16 ? 2 : 1;
      u32 i;
      if( pVal->eKind!=KV_STRING || pVal->n==0 || pVal->n/nUnit>63 ) break;
      for(i=0; i<pVal->n/nUnit; i++){
        u8 c = pVal->u.p[i*nUnit];
        if( nUnit==2 && pVal->u.p[i*2+1] ) return "HostObject";
        if( !((c>='0' && c<='9') || (c>='A' && c<='Z') || (c>='a' && c<='z')
           || c=='_') ) return "HostObject";
        zBuf[i] = (char)c;
      }
      zBuf[i] = 0;
      return zBuf;
    }
    iKey = pVal->iNext;
  }
  return "HostObject";
}

const char *kvTypeName(const KvTree *p, u32 iNode, char *zBuf){
  const KvNode *pNode;
  iNode = kvDeref(p, iNode);
  pNode = &p->aNode[iNode];
  switch( pNode->eKind ){
    case KV_ERROR:  return kvErrorName(pNode->eSub);
    case KV_BOXED:  return valBoxedName(p->aNode[pNode->iChild].eKind);
    case KV_VIEW:   return kvViewName(pNode->eSub);
    case KV_HOST:   return valHostName(p, iNode, zBuf);
    default:        return valKindName[pNode->eKind];
  }
}

int kvDepthCost(int eKind, int bSparse){
  switch( eKind ){
    case KV_OBJECT:
    case KV_HOST:    return 24;
    case KV_ARRAY:   return bSparse ? 25 : 18;
    case KV_MAP:
    case KV_SET:     return 14;
    default:         return 10;
  }
}

/*************************************************************************
** Strings and keys
*/

i64 kvArrayIndex(KvBytes text){
  const u8 *z = text.p;
  u32 n = text.n, i;
  u64 v = 0;
  if( n==0 || n>10 || (z[0]=='0' && n>1) ) return -1;
  for(i=0; i<n; i++){
    if( z[i]<'0' || z[i]>'9' ) return -1;
    v = v*10 + (u64)(z[i] - '0');
  }
  return v<=4294967294u ? (i64)v : -1;
}

/* Decode the code point of a STRING at offset *pi<n and step over it. */
static u32 valPoint(const KvNode *pStr, u32 *pi){
  const u8 *z = &pStr->u.p[*pi];
  u32 nLeft = pStr->n - *pi;
  u32 c;
  if( pStr->eSub==KV_UTF16 ){
    c = (u32)z[0] | (u32)z[1]<<8;
    *pi += 2;
    if( (c&0xfc00)==0xd800 && nLeft>=4 && (z[3]&0xfc)==0xdc ){
      c = 0x10000 + ((c&0x3ff)<<10) + ((u32)z[2] | (u32)(z[3]&3)<<8);
      *pi += 2;
    }
    return c;
  }
  c = z[0];
  if( pStr->eSub==KV_LATIN1 || c<0x80 ){
    *pi += 1;
    return c;
  }
  *pi += (u32)kvUtf8Get(kvBytes(z, nLeft), &c, 1);
  return c;
}

/*
** Compare two STRING nodes by code points.  (The bytes of Latin-1 and of
** WTF-8 have that order by themselves.)
*/
static int valStringCompare(const KvNode *pA, const KvNode *pB){
  u32 iA = 0, iB = 0;
  if( pA->eSub==pB->eSub && pA->eSub!=KV_UTF16 ){
    u32 n = pA->n<pB->n ? pA->n : pB->n;
    int c = n ? memcmp(pA->u.p, pB->u.p, n) : 0;
    return c ? c : (pA->n>pB->n) - (pA->n<pB->n);
  }
  while( iA<pA->n && iB<pB->n ){
    u32 cA = valPoint(pA, &iA);
    u32 cB = valPoint(pB, &iB);
    if( cA!=cB ) return cA<cB ? -1 : 1;
  }
  return (iA<pA->n) - (iB<pB->n);
}

int kvStringEqual(const KvNode *pA, const KvNode *pB){
  if( pA->eSub==pB->eSub ){
    return pA->n==pB->n && (pA->n==0 || memcmp(pA->u.p, pB->u.p, pA->n)==0);
  }
  return valStringCompare(pA, pB)==0;
}

/*
** Keys of objects and Maps and elements of Sets, in a total order that tells
** two apart exactly when JavaScript does (SameValueZero): first by a prefix
** of 64 bits, which is the rank of the kind and the beginning of the value,
** then by the whole value.  Numbers come first and strings last, as in the
** property order of an object.
*/
typedef struct ValKey ValKey;
struct ValKey {
  u64 uPrefix;
  u32 iKey;               /* The node, or KV_NO_NODE for a dropped duplicate */
  u32 iOrd;               /* Position in the source */
};

/* The bits of a double, as an integer of the same order.  NaN is the last. */
static u64 valNumberBits(double r){
  u64 u = kvDoubleToBits(r + 0.0);
  if( r!=r ) return ~(u64)0;
  return (u>>63) ? ~u : u | (u64)1<<63;
}

static u64 valStringBits(const KvNode *pStr){
  u64 u = 0;
  u32 i = 0;
  int k;
  for(k=0; k<3; k++){
    u <<= 21;
    if( i<pStr->n ) u |= valPoint(pStr, &i) + 1;
  }
  return u<<1;
}

static u64 valKeyPrefix(const KvTree *p, u32 iKey){
  const KvNode *pKey = &p->aNode[iKey];
  u64 uRank = 5, u = 0;
  switch( pKey->eKind ){
    case KV_NUMBER:
      uRank = 0;
      u = valNumberBits(pKey->u.r);
      break;
    case KV_UNDEFINED:
      uRank = 1;
      break;
    case KV_NULL:
      uRank = 2;
      break;
    case KV_BOOL:
      uRank = 3;
      u = (u64)pKey->n<<32;
      break;
    case KV_BIGINT:
      uRank = 4;
      u = (u64)pKey->eSub<<63 | (u64)pKey->n<<31;
      if( pKey->n ) u |= (u64)pKey->u.p[pKey->n-1]<<23;
      break;
    case KV_STRING:
      uRank = 7;
      u = valStringBits(pKey);
      break;
    default:
      u = (u64)kvDeref(p, iKey)<<8;
      break;
  }
  return uRank<<61 | u>>3;
}

/* Compare two keys of equal prefix. */
static int valKeyCompare(const KvTree *p, u32 iA, u32 iB){
  const KvNode *pA = &p->aNode[iA];
  const KvNode *pB = &p->aNode[iB];
  u64 uA, uB;
  u32 i;
  switch( pA->eKind ){
    case KV_STRING:
      return valStringCompare(pA, pB);
    case KV_NUMBER:
      uA = valNumberBits(pA->u.r);
      uB = valNumberBits(pB->u.r);
      return (uA>uB) - (uA<uB);
    case KV_BIGINT:
      if( pA->n!=pB->n ) return pA->n<pB->n ? -1 : 1;
      for(i=pA->n; i>0; i--){
        if( pA->u.p[i-1]!=pB->u.p[i-1] ) return pA->u.p[i-1]<pB->u.p[i-1] ? -1 : 1;
      }
      return 0;
    default:
      return 0;
  }
}

static int valCompare(const KvTree *p, const ValKey *pA, const ValKey *pB){
  if( pA->uPrefix!=pB->uPrefix ) return pA->uPrefix<pB->uPrefix ? -1 : 1;
  return valKeyCompare(p, pA->iKey, pB->iKey);
}

/*
** Sort a[0..n-1] (stable), with aTmp as work space of the same size.  Returns
** whichever of the two holds the result.
*/
static ValKey *valSort(const KvTree *p, ValKey *a, ValKey *aTmp, u32 n){
  u64 nRun, i;
  for(nRun=1; nRun<n; nRun*=2){
    ValKey *aSwap = a;
    for(i=0; i<n; i+=2*nRun){
      u64 iMid = i+nRun<n ? i+nRun : n;
      u64 iEnd = i+2*nRun<n ? i+2*nRun : n;
      u64 iL = i, iR = iMid, k = i;
      while( iL<iMid && iR<iEnd ){
        aTmp[k++] = valCompare(p, &a[iR], &a[iL])<0 ? a[iR++] : a[iL++];
      }
      while( iL<iMid ) aTmp[k++] = a[iL++];
      while( iR<iEnd ) aTmp[k++] = a[iR++];
    }
    a = aTmp;
    aTmp = aSwap;
  }
  return a;
}

/*
** The work space of one ordering: the keys in the order of the source, the
** keys sorted, and space for the sort.  The first of each run of equal keys
** is kept; of the others iKey in aSrc becomes KV_NO_NODE.
*/
#define VAL_SMALL 32
typedef struct ValSorter ValSorter;
struct ValSorter {
  KvTree *p;
  ValKey *aSrc;
  ValKey *aSorted;
  u32 n;
  u32 nDup;
  ValKey aSpace[3*VAL_SMALL];
};

/*
** Collect n keys, each nStep (1 or 2) siblings after the one before.
** *pbAscending is true if they stand in strictly ascending order.
*/
static int valSorterInit(
  ValSorter *pS, KvTree *p, u32 iFirst, u32 n, int nStep, int *pbAscending
){
  u32 i, iKey = iFirst;
  pS->p = p;
  pS->n = n;
  pS->nDup = 0;
  pS->aSrc = pS->aSpace;
  *pbAscending = 1;
  if( n>VAL_SMALL ){
    pS->aSrc = kvRealloc(0, (u64)n*3*sizeof(ValKey));
    if( pS->aSrc==0 ) return KV_NOMEM;
  }
  for(i=0; i<n; i++){
    ValKey *pKey = &pS->aSrc[i];
    pKey->uPrefix = valKeyPrefix(p, iKey);
    pKey->iKey = iKey;
    pKey->iOrd = i;
    if( i && *pbAscending && valCompare(p, pKey-1, pKey)>=0 ) *pbAscending = 0;
    iKey = p->aNode[iKey].iNext;
    if( nStep==2 ) iKey = p->aNode[iKey].iNext;
  }
  return KV_OK;
}

static void valSorterRelease(ValSorter *pS){
  if( pS->aSrc!=pS->aSpace ) kvFree(pS->aSrc);
}

/* Sort, and mark the duplicates. */
static void valSorterRun(ValSorter *pS){
  ValKey *aOne = &pS->aSrc[pS->n];
  u32 i, iFirst = 0;
  memcpy(aOne, pS->aSrc, (size_t)pS->n*sizeof(ValKey));
  pS->aSorted = valSort(pS->p, aOne, aOne + pS->n, pS->n);
  for(i=1; i<pS->n; i++){
    if( valCompare(pS->p, &pS->aSorted[iFirst], &pS->aSorted[i])!=0 ){
      iFirst = i;
    }else{
      pS->aSrc[pS->aSorted[i].iOrd].iKey = KV_NO_NODE;
      pS->nDup++;
    }
  }
}

/*
** Give the first of equal keys the value of the last.  (Of all keys this
** changes only the first's link, and nothing has been relinked yet.)
*/
static void valSorterTakeLast(ValSorter *pS){
  u32 i, iFirst = 0;
  for(i=1; i<pS->n; i++){
    if( pS->aSrc[pS->aSorted[i].iOrd].iKey!=KV_NO_NODE ){
      iFirst = i;
    }else{
      KvNode *aNode = pS->p->aNode;
      aNode[pS->aSorted[iFirst].iKey].iNext = aNode[pS->aSorted[i].iKey].iNext;
    }
  }
}

/* Append the key iKey, and with nStep==2 its value, to a list of siblings. */
static void valLink(KvTree *p, u32 *piFirst, u32 *piLast, u32 iKey, int nStep){
  if( *piLast ) p->aNode[*piLast].iNext = iKey;
  else *piFirst = iKey;
  *piLast = nStep==2 ? p->aNode[iKey].iNext : iKey;
}

/*
** True if the pairs surely are in order and have no equal keys: few of them,
** all keys strings of one encoding of one byte per unit, none of which begins
** with a digit.  A key is compared with those before it only if one of them
** has the same bit in mSeen.
*/
static int valPairsPlain(const KvTree *p, u32 iKey, u32 nPair){
  const KvNode *apKey[VAL_SMALL];
  u8 eSub = p->aNode[iKey].eSub;
  u64 mSeen = 0;
  u32 i, j;
  if( nPair>VAL_SMALL || eSub==KV_UTF16 ) return 0;
  for(i=0; i<nPair; i++){
    const KvNode *pKey = &p->aNode[iKey];
    const u8 *z = pKey->u.p;
    u32 n = pKey->n;
    u64 mBit;
    if( pKey->eKind!=KV_STRING || pKey->eSub!=eSub || n==0 ) return 0;
    if( z[0]>='0' && z[0]<='9' ) return 0;
    mBit = (u64)1<<((z[0] + 5*z[n-1] + 11*z[n/2] + 23*n)&63);
    if( mSeen & mBit ){
      for(j=0; j<i; j++){
        if( apKey[j]->n==n && memcmp(apKey[j]->u.p, z, n)==0 ) return 0;
      }
    }
    mSeen |= mBit;
    apKey[i] = pKey;
    iKey = p->aNode[pKey->iNext].iNext;
  }
  return 1;
}

/* Make NUMBER keys of the string keys that are array indices. */
static void valFindIndices(KvTree *p, u32 iKey, u32 nPair){
  u32 i;
  for(i=0; i<nPair; i++){
    KvNode *pKey = &p->aNode[iKey];
    iKey = p->aNode[pKey->iNext].iNext;
    if( pKey->eKind==KV_STRING && pKey->n>0 && pKey->n<=20 ){
      u8 z[20];
      u32 k, n = pKey->n;
      i64 v;
      if( pKey->u.p[0]<'0' || pKey->u.p[0]>'9' ) continue;
      if( pKey->eSub==KV_UTF16 ){
        n /= 2;
        for(k=0; k<n; k++) z[k] = pKey->u.p[k*2+1] ? 0 : pKey->u.p[k*2];
      }else{
        memcpy(z, pKey->u.p, n);
      }
      v = kvArrayIndex(kvBytes(z, n));
      if( v>=0 ){
        pKey->eKind = KV_NUMBER;
        pKey->eSub = 0;
        pKey->mFlags = 0;
        pKey->n = 0;
        pKey->u.r = (double)v;
      }
    }
  }
}

/* Link the pairs anew: sorted numbers, then strings as in the source. */
static void valRelinkPairs(ValSorter *pS, u32 *piFirst){
  KvTree *p = pS->p;
  u32 i, iFirst = 0, iLast = 0;
  for(i=0; i<pS->n; i++){
    u32 iKey = pS->aSorted[i].iKey;
    if( p->aNode[iKey].eKind!=KV_NUMBER ) break;
    if( pS->aSrc[pS->aSorted[i].iOrd].iKey==KV_NO_NODE ) continue;
    valLink(p, &iFirst, &iLast, iKey, 2);
  }
  for(i=0; i<pS->n; i++){
    u32 iKey = pS->aSrc[i].iKey;
    if( iKey==KV_NO_NODE || p->aNode[iKey].eKind==KV_NUMBER ) continue;
    valLink(p, &iFirst, &iLast, iKey, 2);
  }
  if( iLast ) p->aNode[iLast].iNext = 0;
  *piFirst = iFirst;
}

int kvTreeOrderPairs(KvTree *p, u32 *piFirst, u32 *pnPair, int bLast){
  ValSorter s;
  int bAscending, rc;
  if( *pnPair==0 || valPairsPlain(p, *piFirst, *pnPair) ) return KV_OK;
  valFindIndices(p, *piFirst, *pnPair);
  rc = valSorterInit(&s, p, *piFirst, *pnPair, 2, &bAscending);
  if( rc!=KV_OK ) return rc;
  if( !bAscending ){
    valSorterRun(&s);
    if( s.nDup && !bLast ){
      rc = KV_CORRUPT;
    }else{
      if( s.nDup ) valSorterTakeLast(&s);
      valRelinkPairs(&s, piFirst);
      *pnPair -= s.nDup;
    }
  }
  valSorterRelease(&s);
  return rc;
}

int kvTreeUniqueKeys(KvTree *p, u32 *piFirst, u32 *pnKey, int nStep){
  ValSorter s;
  int bAscending, rc;
  u32 i, iKey = *piFirst;
  for(i=0; i<*pnKey; i++){
    KvNode *pKey = &p->aNode[iKey];
    if( pKey->eKind==KV_NUMBER && pKey->u.r==0.0 ) pKey->u.r = 0.0;
    iKey = nStep==2 ? p->aNode[pKey->iNext].iNext : pKey->iNext;
  }
  if( *pnKey<2 ) return KV_OK;
  rc = valSorterInit(&s, p, *piFirst, *pnKey, nStep, &bAscending);
  if( rc!=KV_OK ) return rc;
  if( !bAscending ) valSorterRun(&s);
  if( s.nDup ){
    u32 iFirst = 0, iLast = 0;
    if( nStep==2 ) valSorterTakeLast(&s);
    for(i=0; i<s.n; i++){
      if( s.aSrc[i].iKey==KV_NO_NODE ) continue;
      valLink(p, &iFirst, &iLast, s.aSrc[i].iKey, nStep);
    }
    p->aNode[iLast].iNext = 0;
    *piFirst = iFirst;
    *pnKey -= s.nDup;
  }
  valSorterRelease(&s);
  return KV_OK;
}

u32 kvTreeWalk(const KvTree *p, u32 i, u32 *aUp, u32 *pnUp){
  if( p->aNode[i].iChild ){
    aUp[(*pnUp)++] = i;
    return p->aNode[i].iChild;
  }
  while( i && p->aNode[i].iNext==0 ){
    i = *pnUp ? aUp[--*pnUp] : 0;
  }
  return i ? p->aNode[i].iNext : 0;
}

/*
** The node at iRef is a REF whose target is no longer part of the tree: put
** the target in its place, and leave in the target's a REF to the new one.
*/
static void valMoveTarget(KvTree *p, u32 iRef){
  KvNode *pRef = &p->aNode[iRef];
  KvNode *pTo = &p->aNode[pRef->n];
  u32 iNextRef = pRef->iNext, iNextTo = pTo->iNext;
  *pRef = *pTo;
  pRef->iNext = iNextRef;
  memset(pTo, 0, sizeof(*pTo));
  pTo->eKind = KV_REF;
  pTo->n = iRef;
  pTo->iNext = iNextTo;
}

int kvTreePrune(KvTree *p){
  u32 *aUp;
  u32 i, nUp = 0;
  if( p->nRef==0 ) return KV_OK;
  aUp = kvRealloc(0, (u64)p->nNode*sizeof(u32));
  if( aUp==0 ) return KV_NOMEM;
  i = 0;
  do{
    p->aNode[i].mFlags |= KVN_MARK;
    i = kvTreeWalk(p, i, aUp, &nUp);
  }while( i );
  nUp = 0;
  do{
    KvNode *pNode = &p->aNode[i];
    if( pNode->eKind==KV_REF ){
      KvNode *pTo = &p->aNode[pNode->n];
      if( pTo->eKind==KV_REF ) pNode->n = pTo->n;
      else if( (pTo->mFlags & KVN_MARK)==0 ) valMoveTarget(p, i);
    }
    p->aNode[i].mFlags |= KVN_MARK;
    i = kvTreeWalk(p, i, aUp, &nUp);
  }while( i );
  for(i=0; i<p->nNode; i++) p->aNode[i].mFlags &= (u8)~(KVN_MARK|KVN_SHARED);
  p->nRef = 0;
  nUp = 0;
  i = 0;
  do{
    if( p->aNode[i].eKind==KV_REF ){
      p->nRef++;
      p->aNode[p->aNode[i].n].mFlags |= KVN_SHARED;
    }
    i = kvTreeWalk(p, i, aUp, &nUp);
  }while( i );
  kvFree(aUp);
  return KV_OK;
}

/*************************************************************************
** Stored encodings
*/

static int valReadU64(KvTree *p, KvBytes value, KvErr *pErr){
  u32 i;
  if( value.n!=8 ) return kvErrSet(pErr, KV_CORRUPT, value.n, "a KvU64 has exactly 8 bytes");
  i = kvTreeAdd(p, KV_U64);
  if( i==KV_NO_NODE ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  p->aNode[i].u.u = kvGet64le(value.p);
  return KV_OK;
}

static int valReadBytes(KvTree *p, KvBytes value, KvErr *pErr){
  u32 iView = kvTreeAdd(p, KV_VIEW);
  u32 iBuffer = kvTreeAdd(p, KV_BUFFER);
  if( iView==KV_NO_NODE || iBuffer==KV_NO_NODE ){
    return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  }
  p->aNode[iView].eSub = KV_VIEW_U8;
  p->aNode[iView].n = value.n;
  p->aNode[iView].iChild = iBuffer;
  p->aNode[iBuffer].n = value.n;
  p->aNode[iBuffer].u.p = value.p;
  return KV_OK;
}

int kvValueRead(KvTree *p, int eEncoding, KvBytes value, KvErr *pErr){
  kvTreeReset(p);
  switch( eEncoding ){
    case 1:   return kvV8Read(p, value, pErr);
    case 2:   return valReadU64(p, value, pErr);
    case 3:   return valReadBytes(p, value, pErr);
    default:  return kvErrSet(pErr, KV_CORRUPT, -1,
                  "the value encoding is unknown (1, 2 and 3 are known)");
  }
}

int kvValueWrite(
  KvTree *p, int iVersion, int bV8Only,
  KvBuf *pOut, int *peEncoding, KvErr *pErr
){
  const KvNode *pRoot = &p->aNode[0];
  u8 a[8];
  *peEncoding = 1;
  if( !bV8Only && pRoot->eKind==KV_U64 ){
    *peEncoding = 2;
    kvPut64le(a, pRoot->u.u);
    kvBufAppend(pOut, a, 8);
  }else if( !bV8Only && pRoot->eKind==KV_VIEW && pRoot->eSub==KV_VIEW_U8 ){
    *peEncoding = 3;
    kvBufAdd(pOut, kvViewBytes(p, 0));
  }else{
    return kvV8Write(p, iVersion, pOut, pErr);
  }
  if( pOut->eErr==KV_OK ) return KV_OK;
  return kvErrSet(pErr, pOut->eErr, -1,
      pOut->eErr==KV_NOMEM ? "out of memory" : "the value is too big");
}
