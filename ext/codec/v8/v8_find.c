/*
** v8_find.c -- plain values in V8's format: what is at a path.
**
** See v8_plain.h for what is plain.  The whole value is checked, the part after
** the place too, so that what is wrong with it is found as by kvV8Read().
*/
#include "codec/v8/v8_find.h"
#include "codec/names.h"
#include "codec/num/date.h"
#include "codec/v8/v8_plain.h"
#include "codec/value_string.h"

/* The key after the '.' at z.  The end, or 0: not read here. */
static const char *v8FindKey(const char *z, const char *zEnd, V8FindStep *pStep){
  const char *zStart;
  int bQuote = z<zEnd && *z=='"';
  zStart = z += bQuote;
  while( z<zEnd && (u8)*z>=0x20 && (u8)*z<0x80
      && (bQuote ? *z!='"' && *z!='\\' : *z!='.' && *z!='[')
  ){
    z++;
  }
  if( bQuote ? z>=zEnd || *z!='"' : z==zStart || (z<zEnd && *z!='.' && *z!='[') ) return 0;
  pStep->eStep = V8_FIND_KEY;
  pStep->z = (const u8*)zStart;
  pStep->n = (u32)(z - zStart);
  pStep->x = kvPlainPrefix(pStep->z, pStep->n);
  pStep->iIndex = -1;
  if( pStep->n && *zStart<='9' ) pStep->iIndex = kvArrayIndex(kvBytes(pStep->z, pStep->n));
  return z + bQuote;
}

/* The index after the '[' at z. */
static const char *v8FindIndex(const char *z, const char *zEnd, V8FindStep *pStep){
  const char *zDigit;
  pStep->eStep = V8_FIND_INDEX;
  pStep->iIndex = 0;
  if( z<zEnd && *z=='#' ){
    pStep->eStep = V8_FIND_FROM_END;
    z++;
    if( z<zEnd && *z==']' ) return z + 1;
    if( z>=zEnd || *z++!='-' ) return 0;
  }
  for(zDigit=z; z<zEnd && *z>='0' && *z<='9' && z - zDigit<10; z++){
    pStep->iIndex = pStep->iIndex*10 + (*z - '0');
  }
  return z>zDigit && z<zEnd && *z==']' ? z + 1 : 0;
}

int kvV8FindPath(V8FindPath *p, KvBytes path){
  const char *z = (const char*)path.p, *zEnd = z + path.n;
  if( path.n==0 || *z++!='$' ) return 0;
  p->a[0].eStep = V8_FIND_ROOT;
  p->n = 1;
  while( z<zEnd ){
    if( p->n>=V8_FIND_STEPS ) return 0;
    if( *z=='.' ) z = v8FindKey(z + 1, zEnd, &p->a[p->n++]);
    else if( *z=='[' ) z = v8FindIndex(z + 1, zEnd, &p->a[p->n++]);
    else return 0;
    if( z==0 ) return 0;
  }
  return 1;
}

/* Does the step lead to the item that comes next in the container? */
static int v8FindHit(const V8FindStep *pStep, const PlainFrame *pFrame, const PlainV8Key *pKey){
  i64 iAt = (i64)pFrame->nItem - pFrame->nLeft;
  if( pStep->eStep==V8_FIND_ROOT ) return 1;
  if( pStep->eStep==V8_FIND_KEY ){
    if( pFrame->bArray ) return 0;
    if( pKey->z==0 ) return pStep->iIndex==(i64)pKey->n;
    return pKey->eEnc==KV_LATIN1 && pKey->n==pStep->n
        && memcmp(pKey->z, pStep->z, pKey->n)==0;
  }
  if( !pFrame->bArray ) return 0;
  return iAt==(pStep->eStep==V8_FIND_INDEX ? pStep->iIndex : pFrame->nItem - pStep->iIndex);
}

/* Skip a value that is no container, its tag eTag at z.  The end, or 0. */
static inline const u8 *v8FindSkip(const u8 *z, const u8 *zEnd){
  u8 eTag = *z++;
  u32 n = 0;
  switch( eTag ){
    case '"': case 'c':
      z = plainVarint(z, zEnd, &n);
      if( z==0 || !plainHas(z, zEnd, n) || (eTag=='c' && n%2) ) return 0;
      return z + n;
    case 'I':
      return plainVarint(z, zEnd, &n);
    case 'N': case 'D':
      return zEnd - z<8 ? 0 : z + 8;
    case 'T': case 'F': case '0': case '_':
      return z;
    case 'Z':
      z = plainVarint(z, zEnd, &n);
      if( z==0 || n==1 || n>>1>V8_MAX_BIGINT || !plainHas(z, zEnd, n>>1) ) return 0;
      return z + (n>>1);
    default:
      return 0;
  }
}

/* Where the walk is looking for the path's next step. */
typedef struct V8Find V8Find;
struct V8Find {
  PlainKeys keys;
  PlainFrame aFrame[PLAIN_DEPTH+1];  /* aFrame[0] is an array of the root */
  const PlainFrame *pOn;    /* The container that the path leads through, or 0 */
  const V8FindStep *pStep;   /* The step out of it */
  const V8FindStep *pLast;
  const u8 *zFound;
  int bTwoByte;           /* A two-byte string was passed */
};

/* The value at z, after padding, is the one that the step leads to. */
static void v8FindTake(V8Find *p, const u8 *z){
  if( p->pStep==p->pLast ){
    p->zFound = z;
    p->pOn = 0;
  }else{
    p->pStep++;
    p->pOn = *z=='o' || *z=='A' ? p->pOn + 1 : 0;
  }
}

/*
** The same for the commonest values, when PLAIN_BEHIND bytes can be read.
*/
KV_INLINE const u8 *v8FindSkipSmall(const u8 *z, const u8 *zEnd){
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
static inline const u8 *v8FindSmallElements(PlainFrame *pFrame, const u8 *z, const u8 *zEnd){
  u32 nLeft = pFrame->nLeft;
  while( nLeft && zEnd - z>=PLAIN_BEHIND ){
    const u8 *zNext = v8FindSkipSmall(z, zEnd);
    if( zNext==0 ) break;
    nLeft--;
    z = zNext;
  }
  pFrame->nLeft = nLeft;
  return z;
}

/*
** Skip pairs whose keys and values are of the commonest kinds.  Stops before
** a key that isn't; or, with *pbKey set, after a key before a value that
** isn't.  0: not plain.
*/
static inline const u8 *v8FindSmallPairs(
  V8Find *p, PlainFrame *pFrame, const u8 *z, const u8 *zEnd, int *pbKey
){
  const V8FindStep *pStep = pFrame==p->pOn && p->pStep->eStep==V8_FIND_KEY ? p->pStep : 0;
  u32 n;
  *pbKey = 0;
  while( (n = plainShortKey(z, zEnd))>0 ){
    const u8 *zKey = z + 2;
    u64 x = plainPrefix(zKey, n);
    pFrame->nItem++;
    if( !plainAddKey(pFrame, &p->keys, zKey, n, x) ) return 0;
    z = zKey + n;
    if( pStep && n==pStep->n && x==pStep->x && (n<=8 || memcmp(zKey, pStep->z, n)==0) ){
      const u8 *zVal = plainPad(z, zEnd);
      if( zVal==0 ) return 0;
      v8FindTake(p, zVal);
      pStep = 0;
    }
    zKey = v8FindSkipSmall(z, zEnd);
    if( zKey==0 ){
      *pbKey = 1;
      break;
    }
    z = zKey;
  }
  return z;
}

/* The end of a container, the cursor being at its tag. */
static const u8 *v8FindClose(V8Find *p, PlainFrame *pFrame, const u8 *z, const u8 *zEnd){
  if( pFrame==p->pOn ) p->pOn = 0;
  if( pFrame->bArray ) return plainArrayEnd(z, zEnd, pFrame->nItem);
  p->keys.n = pFrame->iKey;
  return plainObjectEnd(z, zEnd, pFrame->nItem);
}

/* A key that is not of the commonest kind, after padding. */
static const u8 *v8FindKeyRare(
  V8Find *p, PlainFrame *pFrame, const u8 *z, const u8 *zEnd, int *pbHit
){
  PlainV8Key key;
  pFrame->nItem++;
  p->bTwoByte |= *z=='c';
  z = kvPlainV8Key(z, zEnd, pFrame, &p->keys, &key);
  *pbHit = z && pFrame==p->pOn && v8FindHit(p->pStep, pFrame, &key);
  return z;
}

/* The root and everything in it.  The end, or 0: not plain. */
static const u8 *v8FindWalk(V8Find *p, const u8 *z, const u8 *zEnd){
  PlainFrame *pFrame = p->aFrame;
  do{
    int bHit = 0, bKey = 0;
    if( pFrame->bArray==0 ) z = v8FindSmallPairs(p, pFrame, z, zEnd, &bKey);
    else if( pFrame!=p->pOn ) z = v8FindSmallElements(pFrame, z, zEnd);
    if( z ) z = plainPad(z, zEnd);
    if( z==0 ) return 0;
    if( !bKey && (pFrame->bArray ? pFrame->nLeft==0 : *z=='{') ){
      z = v8FindClose(p, pFrame, z, zEnd);
      pFrame--;
      continue;
    }
    if( pFrame->bArray ){
      bHit = pFrame==p->pOn && v8FindHit(p->pStep, pFrame, 0);
      pFrame->nLeft--;
    }else if( !bKey ){
      z = v8FindKeyRare(p, pFrame, z, zEnd, &bHit);
      if( z ) z = plainPad(z, zEnd);
      if( z==0 ) return 0;
    }
    if( bHit ) v8FindTake(p, z);
    if( *z=='o' || *z=='A' ){
      int bArray = *z++=='A';
      u32 n = 0;
      if( pFrame==&p->aFrame[PLAIN_DEPTH] ) return 0;
      if( bArray ) z = plainArrayStart(z, zEnd, &n);
      plainOpen(++pFrame, &p->keys, bArray, n);
    }else{
      p->bTwoByte |= *z=='c';
      z = v8FindSkip(z, zEnd);
    }
  }while( z && pFrame!=p->aFrame );
  return z;
}

/* Walk over the value at z, looking for the steps of aStep (or 0: for nothing). */
static const u8 *v8FindStart(
  V8Find *p, const V8FindStep *aStep, u32 nStep, const u8 *z, const u8 *zEnd
){
  p->keys.n = 0;
  p->pOn = aStep ? p->aFrame : 0;
  p->pStep = aStep;
  p->pLast = aStep ? &aStep[nStep-1] : 0;
  p->zFound = 0;
  p->bTwoByte = 0;
  plainOpen(p->aFrame, &p->keys, 1, 1);
  return v8FindWalk(p, z, zEnd);
}

int kvV8FindAt(KvBytes value, const V8FindPath *pPath, u32 nStep, V8FindSite *pSite){
  V8Find find;
  const u8 *z = plainHeader(value);
  memset(pSite, 0, sizeof(*pSite));
  if( z==0 ) return KV_PLAIN_NOT;
  pSite->zEnd = v8FindStart(&find, pPath->a, nStep, z, value.p + value.n);
  if( pSite->zEnd==0 ) return KV_PLAIN_NOT;
  pSite->zAt = find.zFound;
  pSite->bTwoByte = find.bTwoByte;
  return find.zFound ? KV_PLAIN_FOUND : KV_PLAIN_NONE;
}

const u8 *kvV8FindEnd(const u8 *z, const u8 *zEnd){
  V8Find find;
  if( *z!='o' && *z!='A' ) return v8FindSkip(z, zEnd);
  return v8FindStart(&find, 0, 0, z, zEnd);
}

int kvV8Find(KvBytes value, KvBytes path, u32 *piAt){
  V8FindPath steps;
  V8FindSite site;
  int e;
  if( !kvV8FindPath(&steps, path) ) return KV_PLAIN_NOT;
  e = kvV8FindAt(value, &steps, steps.n, &site);
  if( e==KV_PLAIN_FOUND ) *piAt = (u32)(site.zAt - value.p);
  return e;
}

/* ---- members --------------------------------------------------------------- */

/* Add a key of n bytes with the prefix x.  False if it is equal to another, or one too
** many. */
static int v8MemberAdd(V8Members *p, u64 *pmSeen, const u8 *z, u32 n, u64 x){
  u64 h = (u64)1<<(((x + n)*0x9e3779b97f4a7c15u)>>58);
  V8Member *pNew = &p->a[p->n];
  u32 i;
  if( p->n>=V8_MEMBERS ) return 0;
  for(i=0; (*pmSeen & h) && i<p->n; i++){
    if( p->a[i].x==x && p->a[i].n==n && (n<=8 || memcmp(p->a[i].z, z, n)==0) ) return 0;
  }
  *pmSeen |= h;
  pNew->z = z;
  pNew->n = n;
  pNew->x = x;
  p->n++;
  return 1;
}

/* Skip a value of the commonest kinds, or an Array of them, when PLAIN_BEHIND bytes can
** be read; 0: it is another. */
static inline const u8 *v8MemberSkip(const u8 *z, const u8 *zEnd){
  PlainFrame frame;
  u32 n = z[1];
  if( *z!='A' ) return v8FindSkipSmall(z, zEnd);
  if( n>=0x80 ) return 0;
  frame.nLeft = n;
  z = v8FindSmallElements(&frame, z + 2, zEnd);
  return frame.nLeft ? 0 : plainArrayEnd(z, zEnd, n);
}

/* plainShortKey() near the end, where nothing may be read behind the key. */
static u32 v8LastKey(const u8 *z, const u8 *zEnd){
  if( zEnd - z<4 || z[0]!='"' || z[1]>=0x80 || z[1]>zEnd - z - 3 ) return 0;
  return (u8)(z[2]-'0')<10 ? 0 : z[1];
}

int kvV8Members(KvBytes value, V8Members *p){
  const u8 *z = plainHeader(value), *zEnd = value.p + value.n;
  u64 mSeen = 0;
  u32 n;
  p->n = 0;
  if( z ) z = plainPad(z, zEnd);
  if( z==0 || *z++!='o' ) return 0;
  for(;;){
    const u8 *zVal, *zNext;
    u64 x;
    if( (n = plainShortKey(z, zEnd))>0 ) x = plainPrefix(z + 2, n);
    else if( (n = v8LastKey(z, zEnd))>0 ) x = kvPlainPrefix(z + 2, n);
    else break;
    zVal = z + 2 + n;
    if( !v8MemberAdd(p, &mSeen, z + 2, n, x) ) return 0;
    zVal = plainPad(zVal, zEnd);
    if( zVal==0 ) return 0;
    p->a[p->n-1].iAt = (u32)(zVal - value.p);
    zNext = zEnd - zVal>=PLAIN_BEHIND ? v8MemberSkip(zVal, zEnd) : 0;
    if( zNext==0 ) zNext = kvV8FindEnd(zVal, zEnd);
    if( zNext==0 ) return 0;
    z = zNext;
  }
  z = plainPad(z, zEnd);
  return z && *z=='{' && plainObjectEnd(z, zEnd, p->n)!=0;
}

const V8Member *kvV8Member(const V8Members *p, const V8FindStep *pStep){
  u32 i;
  for(i=0; i<p->n; i++){
    const V8Member *pAt = &p->a[i];
    if( pAt->x!=pStep->x || pAt->n!=pStep->n ) continue;
    if( pAt->n<=8 || memcmp(pAt->z, pStep->z, pAt->n)==0 ) return pAt;
  }
  return 0;
}

int kvV8FindLeaf(KvBytes value, u32 iAt, KvNode *pNode){
  const u8 *z = value.p + iAt, *zEnd = value.p + value.n;
  u8 eTag = *z++;
  u32 v = 0;
  memset(pNode, 0, sizeof(*pNode));
  switch( eTag ){
    case '"':
      z = plainVarint(z, zEnd, &v);
      pNode->eKind = KV_STRING;
      pNode->eSub = KV_LATIN1;
      pNode->u.p = z;
      pNode->n = v;
      return z!=0;
    case 'I':
      pNode->eKind = KV_NUMBER;
      pNode->u.r = plainVarint(z, zEnd, &v) ? v8Zigzag(v) : 0.0;
      return 1;
    case 'N': case 'D':
      if( zEnd - z<8 ) return 0;
      pNode->eKind = eTag=='N' ? KV_NUMBER : KV_DATE;
      pNode->u.r = v8LoadDouble(z);
      if( eTag=='D' ) pNode->u.r = kvTimeClip(pNode->u.r);
      return 1;
    case 'T': case 'F':
      pNode->eKind = KV_BOOL;
      pNode->n = eTag=='T';
      return 1;
    case '0': case '_':
      pNode->eKind = eTag=='0' ? KV_NULL : KV_UNDEFINED;
      return 1;
    default:
      return 0;
  }
}

int kvV8IsJson(KvBytes value){
  return value.n>=3 && (value.p[2]=='o' || value.p[2]=='A');
}

const char *kvV8Type(KvBytes value){
  KvTree one;
  KvNode node;
  u32 iAt = 0;
  if( kvV8Find(value, kvBytesText("$"), &iAt)!=KV_PLAIN_FOUND ) return 0;
  node.eKind = kvPlainKind(value.p[iAt]);
  one.aNode = &node;
  return kvTypeName(&one, 0, 0);
}

/* The bytes of a member, none if there is no such member. */
static KvBytes v8MemberBytes(KvBytes value, const V8Members *p, const V8FindStep *pStep){
  const V8Member *pMember = kvV8Member(p, pStep);
  const u8 *z, *zEnd = value.p + value.n;
  if( pMember==0 ) return kvBytes("", 0);
  z = value.p + pMember->iAt;
  return kvBytes(z, (u32)(kvV8FindEnd(z, zEnd) - z));
}

int kvV8Same(KvBytes a, KvBytes b, const KvBytes *aPath, u32 n){
  V8Members one, other;
  V8FindPath path;
  u32 i;
  if( !kvV8Members(a, &one) || !kvV8Members(b, &other) ) return 0;
  for(i=0; i<n; i++){
    if( !kvV8FindPath(&path, aPath[i]) || path.n<2 || path.a[1].eStep!=V8_FIND_KEY
     || !kvBytesEqual(v8MemberBytes(a, &one, &path.a[1]), v8MemberBytes(b, &other, &path.a[1]))
    ){
      return 0;
    }
  }
  return 1;
}
