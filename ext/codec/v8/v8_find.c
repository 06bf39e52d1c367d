/*
** v8_find.c -- plain values in V8's format: what is at a path.
**
** See plain.h for what is plain.  The whole value is checked, the part behind
** the place too, so that what is wrong with it is found as by kvV8Read().
*/
#include "codec/v8/plain_int.h"
#include "codec/value_string.h"

u64 kvPlnPrefix(const u8 *z, u32 n){
  u64 x = 0;
  if( n>=8 ) return kvGet64le(z);
  while( n>0 ) x = x<<8 | z[--n];
  return x;
}

/* The key behind the '.' at z.  The end, or 0: not read here. */
static const char *pfdKey(const char *z, const char *zEnd, PlnStep *pStep){
  const char *zStart;
  int bQuote = z<zEnd && *z=='"';
  zStart = z += bQuote;
  while( z<zEnd && (u8)*z>=0x20 && (u8)*z<0x80
      && (bQuote ? *z!='"' && *z!='\\' : *z!='.' && *z!='[')
  ){
    z++;
  }
  if( bQuote ? z>=zEnd || *z!='"' : z==zStart || (z<zEnd && *z!='.' && *z!='[') ) return 0;
  pStep->eStep = PLN_KEY;
  pStep->z = (const u8*)zStart;
  pStep->n = (u32)(z - zStart);
  pStep->x = kvPlnPrefix(pStep->z, pStep->n);
  pStep->iIndex = -1;
  if( pStep->n && *zStart<='9' ) pStep->iIndex = kvArrayIndex(kvBytes(pStep->z, pStep->n));
  return z + bQuote;
}

/* The index behind the '[' at z. */
static const char *pfdIndex(const char *z, const char *zEnd, PlnStep *pStep){
  const char *zDigit;
  pStep->eStep = PLN_INDEX;
  pStep->iIndex = 0;
  if( z<zEnd && *z=='#' ){
    pStep->eStep = PLN_FROM_END;
    z++;
    if( z<zEnd && *z==']' ) return z + 1;
    if( z>=zEnd || *z++!='-' ) return 0;
  }
  for(zDigit=z; z<zEnd && *z>='0' && *z<='9' && z - zDigit<10; z++){
    pStep->iIndex = pStep->iIndex*10 + (*z - '0');
  }
  return z>zDigit && z<zEnd && *z==']' ? z + 1 : 0;
}

int kvPlnPath(PlnPath *p, KvBytes path){
  const char *z = (const char*)path.p, *zEnd = z + path.n;
  if( path.n==0 || *z++!='$' ) return 0;
  p->a[0].eStep = PLN_ROOT;
  p->n = 1;
  while( z<zEnd ){
    if( p->n>=PLN_STEPS ) return 0;
    if( *z=='.' ) z = pfdKey(z + 1, zEnd, &p->a[p->n++]);
    else if( *z=='[' ) z = pfdIndex(z + 1, zEnd, &p->a[p->n++]);
    else return 0;
    if( z==0 ) return 0;
  }
  return 1;
}

/* Does the step lead to the item that comes next in the container? */
static int pfdHit(const PlnStep *pStep, const PlnFrame *pFrame, const PlnV8Key *pKey){
  i64 iAt = (i64)pFrame->nItem - pFrame->nLeft;
  if( pStep->eStep==PLN_ROOT ) return 1;
  if( pStep->eStep==PLN_KEY ){
    if( pFrame->bArray ) return 0;
    if( pKey->z==0 ) return pStep->iIndex==(i64)pKey->n;
    return pKey->eEnc==KV_LATIN1 && pKey->n==pStep->n
        && memcmp(pKey->z, pStep->z, pKey->n)==0;
  }
  if( !pFrame->bArray ) return 0;
  return iAt==(pStep->eStep==PLN_INDEX ? pStep->iIndex : pFrame->nItem - pStep->iIndex);
}

/* True if all units are below 256: then '"' might have been used as well. */
static int pfdIsNarrow(const u8 *z, u32 n){
  u32 i;
  for(i=1; i<n; i+=2){
    if( z[i] ) return 0;
  }
  return 1;
}

const u8 *kvPlnV8Key(
  const u8 *z, const u8 *zEnd, PlnFrame *pFrame, PlnKeys *pKeys, PlnV8Key *pKey
){
  u8 eTag = *z;
  u32 n = 0;
  if( eTag!='"' && eTag!='c' && eTag!='I' ) return 0;
  z = plnVarint(z + 1, zEnd, &n);
  if( z==0 ) return 0;
  if( eTag=='I' ){
    pKey->z = 0;
    pKey->n = n>>1;
    return (n&1)==0 && plnAddIndex(pFrame, n>>1) ? z : 0;
  }
  if( !plnHas(z, zEnd, n) ) return 0;
  pKey->z = z;
  pKey->n = n;
  pKey->eEnc = eTag=='"' ? KV_LATIN1 : KV_UTF16;
  if( eTag=='"' ? kvArrayIndex(kvBytes(z, n))>=0 : n%2 || pfdIsNarrow(z, n) ) return 0;
  return plnAddKey(pFrame, pKeys, z, n, kvPlnPrefix(z, n)) ? z + n : 0;
}

int kvPlnIsOld(const PlnFrame *p, const PlnKeys *pKeys, const u8 *z, u32 n, u64 x){
  u32 i;
  for(i=p->iKey; i<pKeys->n; i++){
    const PlnKey *pKey = &pKeys->a[i];
    if( pKey->x==x && pKey->n==n && (n<=8 || memcmp(pKey->z, z, n)==0) ) return 1;
  }
  return 0;
}

/* Skip a value that is no container, its tag eTag at z.  The end, or 0. */
static inline const u8 *pfdSkip(const u8 *z, const u8 *zEnd){
  u8 eTag = *z++;
  u32 n = 0;
  switch( eTag ){
    case '"': case 'c':
      z = plnVarint(z, zEnd, &n);
      if( z==0 || !plnHas(z, zEnd, n) || (eTag=='c' && n%2) ) return 0;
      return z + n;
    case 'I':
      return plnVarint(z, zEnd, &n);
    case 'N': case 'D':
      return zEnd - z<8 ? 0 : z + 8;
    case 'T': case 'F': case '0': case '_':
      return z;
    case 'Z':
      z = plnVarint(z, zEnd, &n);
      if( z==0 || n==1 || n>>1>V8_MAX_BIGINT || !plnHas(z, zEnd, n>>1) ) return 0;
      return z + (n>>1);
    default:
      return 0;
  }
}

/* Where the walk is looking for the path's next step. */
typedef struct Pfd Pfd;
struct Pfd {
  PlnKeys keys;
  PlnFrame aFrame[PLN_DEPTH+1];  /* aFrame[0] is an array of the root */
  const PlnFrame *pOn;    /* The container that the path leads through, or 0 */
  const PlnStep *pStep;   /* The step out of it */
  const PlnStep *pLast;
  const u8 *zFound;
  int bTwoByte;           /* A two-byte string was passed */
};

/* The value at z, behind padding, is the one that the step leads to. */
static void pfdTake(Pfd *p, const u8 *z){
  if( p->pStep==p->pLast ){
    p->zFound = z;
    p->pOn = 0;
  }else{
    p->pStep++;
    p->pOn = *z=='o' || *z=='A' ? p->pOn + 1 : 0;
  }
}

/*
** The same for the commonest values, when PLN_BEHIND bytes can be read.
*/
KV_INLINE const u8 *pfdSkipSmall(const u8 *z, const u8 *zEnd){
  u8 eTag = z[0];
  if( eTag=='"' ) return z[1]<0x80 && z[1]<=zEnd - z - 2 ? z + 2 + z[1] : 0;
  if( eTag=='I' ){
    u64 u = ~kvGet64le(z + 1) & 0x80808080;       /* of 4 bytes; the last one */
    return u ? z + 2 + kvFirstByte(u) : 0;
  }
  if( eTag=='N' || eTag=='D' ) return z + 9;
  return eTag=='T' || eTag=='F' || eTag=='0' ? z + 1 : 0;
}

/* Skip elements of an array that the path doesn't lead through, as long as
** they are of the commonest kinds. */
static inline const u8 *pfdSmallElements(PlnFrame *pFrame, const u8 *z, const u8 *zEnd){
  u32 nLeft = pFrame->nLeft;
  while( nLeft && zEnd - z>=PLN_BEHIND ){
    const u8 *zNext = pfdSkipSmall(z, zEnd);
    if( zNext==0 ) break;
    nLeft--;
    z = zNext;
  }
  pFrame->nLeft = nLeft;
  return z;
}

/*
** Skip pairs whose keys and values are of the commonest kinds.  Stops before
** a key that isn't; or, with *pbKey set, behind a key before a value that
** isn't.  0: not plain.
*/
static inline const u8 *pfdSmallPairs(
  Pfd *p, PlnFrame *pFrame, const u8 *z, const u8 *zEnd, int *pbKey
){
  const PlnStep *pStep = pFrame==p->pOn && p->pStep->eStep==PLN_KEY ? p->pStep : 0;
  u32 n;
  *pbKey = 0;
  while( (n = plnShortKey(z, zEnd))>0 ){
    const u8 *zKey = z + 2;
    u64 x = plnPrefix(zKey, n);
    pFrame->nItem++;
    if( !plnAddKey(pFrame, &p->keys, zKey, n, x) ) return 0;
    z = zKey + n;
    if( pStep && n==pStep->n && x==pStep->x && (n<=8 || memcmp(zKey, pStep->z, n)==0) ){
      const u8 *zVal = plnPad(z, zEnd);
      if( zVal==0 ) return 0;
      pfdTake(p, zVal);
      pStep = 0;
    }
    zKey = pfdSkipSmall(z, zEnd);
    if( zKey==0 ){
      *pbKey = 1;
      break;
    }
    z = zKey;
  }
  return z;
}

/* The end of a container, the cursor being at its tag. */
static const u8 *pfdClose(Pfd *p, PlnFrame *pFrame, const u8 *z, const u8 *zEnd){
  if( pFrame==p->pOn ) p->pOn = 0;
  if( pFrame->bArray ) return plnArrayEnd(z, zEnd, pFrame->nItem);
  p->keys.n = pFrame->iKey;
  return plnObjectEnd(z, zEnd, pFrame->nItem);
}

/* A key that is not of the commonest kind, behind padding. */
static const u8 *pfdKeyRare(Pfd *p, PlnFrame *pFrame, const u8 *z, const u8 *zEnd, int *pbHit){
  PlnV8Key key;
  pFrame->nItem++;
  p->bTwoByte |= *z=='c';
  z = kvPlnV8Key(z, zEnd, pFrame, &p->keys, &key);
  *pbHit = z && pFrame==p->pOn && pfdHit(p->pStep, pFrame, &key);
  return z;
}

/* The root and everything in it.  The end, or 0: not plain. */
static const u8 *pfdWalk(Pfd *p, const u8 *z, const u8 *zEnd){
  PlnFrame *pFrame = p->aFrame;
  do{
    int bHit = 0, bKey = 0;
    if( pFrame->bArray==0 ) z = pfdSmallPairs(p, pFrame, z, zEnd, &bKey);
    else if( pFrame!=p->pOn ) z = pfdSmallElements(pFrame, z, zEnd);
    if( z ) z = plnPad(z, zEnd);
    if( z==0 ) return 0;
    if( !bKey && (pFrame->bArray ? pFrame->nLeft==0 : *z=='{') ){
      z = pfdClose(p, pFrame, z, zEnd);
      pFrame--;
      continue;
    }
    if( pFrame->bArray ){
      bHit = pFrame==p->pOn && pfdHit(p->pStep, pFrame, 0);
      pFrame->nLeft--;
    }else if( !bKey ){
      z = pfdKeyRare(p, pFrame, z, zEnd, &bHit);
      if( z ) z = plnPad(z, zEnd);
      if( z==0 ) return 0;
    }
    if( bHit ) pfdTake(p, z);
    if( *z=='o' || *z=='A' ){
      int bArray = *z++=='A';
      u32 n = 0;
      if( pFrame==&p->aFrame[PLN_DEPTH] ) return 0;
      if( bArray ) z = plnArrayStart(z, zEnd, &n);
      plnOpen(++pFrame, &p->keys, bArray, n);
    }else{
      p->bTwoByte |= *z=='c';
      z = pfdSkip(z, zEnd);
    }
  }while( z && pFrame!=p->aFrame );
  return z;
}

/* Walk over the value at z, looking for the steps of aStep (or 0: for nothing). */
static const u8 *pfdStart(Pfd *p, const PlnStep *aStep, u32 nStep, const u8 *z, const u8 *zEnd){
  p->keys.n = 0;
  p->pOn = aStep ? p->aFrame : 0;
  p->pStep = aStep;
  p->pLast = aStep ? &aStep[nStep-1] : 0;
  p->zFound = 0;
  p->bTwoByte = 0;
  plnOpen(p->aFrame, &p->keys, 1, 1);
  return pfdWalk(p, z, zEnd);
}

int kvPlnFind(KvBytes value, const PlnPath *pPath, u32 nStep, PlnSite *pSite){
  Pfd find;
  const u8 *z = plnHeader(value);
  memset(pSite, 0, sizeof(*pSite));
  if( z==0 ) return KV_PLAIN_NOT;
  pSite->zEnd = pfdStart(&find, pPath->a, nStep, z, value.p + value.n);
  if( pSite->zEnd==0 ) return KV_PLAIN_NOT;
  pSite->zAt = find.zFound;
  pSite->bTwoByte = find.bTwoByte;
  return find.zFound ? KV_PLAIN_FOUND : KV_PLAIN_NONE;
}

const u8 *kvPlnSkip(const u8 *z, const u8 *zEnd){
  Pfd find;
  if( *z!='o' && *z!='A' ) return pfdSkip(z, zEnd);
  return pfdStart(&find, 0, 0, z, zEnd);
}

int kvPlainFind(KvBytes value, KvBytes path, u32 *piAt){
  PlnPath steps;
  PlnSite site;
  int e;
  if( !kvPlnPath(&steps, path) ) return KV_PLAIN_NOT;
  e = kvPlnFind(value, &steps, steps.n, &site);
  if( e==KV_PLAIN_FOUND ) *piAt = (u32)(site.zAt - value.p);
  return e;
}

int kvPlainLeaf(KvBytes value, u32 iAt, KvNode *pNode){
  const u8 *z = value.p + iAt, *zEnd = value.p + value.n;
  u8 eTag = *z++;
  u32 v = 0;
  if( eTag!='"' && eTag!='I' ) return 0;
  z = plnVarint(z, zEnd, &v);
  if( z==0 ) return 0;
  memset(pNode, 0, sizeof(*pNode));
  if( eTag=='I' ){
    pNode->eKind = KV_NUMBER;
    pNode->u.r = plnZigzag(v);
  }else{
    pNode->eKind = KV_STRING;
    pNode->eSub = KV_LATIN1;
    pNode->u.p = z;
    pNode->n = v;
  }
  return 1;
}

const char *kvPlainType(KvBytes value){
  u32 iAt = 0;
  if( kvPlainFind(value, kvBytesText("$"), &iAt)!=KV_PLAIN_FOUND ) return 0;
  switch( value.p[iAt] ){
    case '_':           return "undefined";
    case '0':           return "null";
    case 'T': case 'F': return "boolean";
    case 'I': case 'N': return "number";
    case 'Z':           return "bigint";
    case '"': case 'c': return "string";
    case 'D':           return "Date";
    case 'A':           return "Array";
    default:            return "Object";
  }
}
