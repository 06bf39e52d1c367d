/*
** splice.c -- plain values in V8's format: a part is set or removed among
** bytes that are copied.  See splice.h.
**
**   {a:1,b:2}  FF 0F 6F  22 01 61 49 02  22 01 62 49 04  7B 02
**   .b = 7               ..............  22 01 62 49 0E  7B 02    replaced
**   remove .a            22 01 62 49 04  7B 01                    cut out
**   .c.d = true          ..............................  22 01 63 6F 22 01 64 54
**                        7B 01 7B 03                              before the end
**
** A plain value has no references, so that no object ids shift.  The header's
** version can be changed in place: plain values are written alike in all of them.
** What can shift is
**
**   - the alignment of two-byte strings after the place: only an even number of
**     bytes may come or go then;
**   - the form of an array: V8 writes numbers alone, with a fraction among them,
**     or with undefined, in forms of their own.  Arrays are spliced here while
**     their elements are 32-bit integers and values that are no numbers.
*/
#include "codec/edit/splice.h"
#include "codec/edit/retype.h"
#include "codec/v8/v8_find.h"
#include "codec/v8/v8_plain.h"
#include "codec/v8/v8_write.h"

typedef struct Splice Splice;
struct Splice {
  KvEdit *pArg;
  const u8 *zEnd;         /* The end of the stored value */
  int bTwoByte;
  V8FindPath path;
};

/* What the form of an array depends on. */
enum { SPLICE_INT, SPLICE_OTHER, SPLICE_FORM };

static int spliceClassOfTag(u8 eTag){
  if( eTag=='I' ) return SPLICE_INT;
  return eTag=='N' || eTag=='_' ? SPLICE_FORM : SPLICE_OTHER;
}

static int spliceClassOfNew(const KvEdit *p){
  const KvNode *pNode = &p->pNew->aNode[0];
  i32 i;
  if( pNode->eKind==KV_NUMBER ) return v8IsInt(pNode->u.r, &i) ? SPLICE_INT : SPLICE_FORM;
  return pNode->eKind==KV_UNDEFINED ? SPLICE_FORM : SPLICE_OTHER;
}

/* Give the new value the type of what begins at zOld, or is new (0). */
static int spliceTake(Splice *s, const u8 *zOld){
  KvEdit *p = s->pArg;
  KvErr err;
  KvNode old;
  KvTree one;
  int rc;
  if( p->bTyped ) return p->pNew->aNode[0].eKind!=KV_U64;
  if( zOld==0 ){
    rc = kvRetypeNew(p->pNew, 0, &err);
  }else{
    memset(&old, 0, sizeof(old));
    old.eKind = kvPlainKind(*zOld);
    one.aNode = &old;
    rc = kvRetype(&one, 0, p->pNew, 0, &err);
  }
  p->bTyped = rc==KV_OK;
  return rc==KV_OK;
}

/*************************************************************************
** Bytes
*/

/* The header, and what is after it up to z. */
static void spliceHead(Splice *s, const u8 *z){
  KvBuf *pOut = s->pArg->pOut;
  kvBufPut(pOut, 0xff);
  kvBufPut(pOut, (u8)s->pArg->iVersion);
  kvBufAppend(pOut, s->pArg->value.p + 2, (u64)(z - s->pArg->value.p) - 2);
}

static void spliceCopy(Splice *s, const u8 *zFrom, const u8 *zTo){
  kvBufAppend(s->pArg->pOut, zFrom, (u64)(zTo - zFrom));
}

/* The new value. */
static int spliceValue(Splice *s){
  KvErr err;
  int nDepth = (int)(PLAIN_DEPTH + V8_FIND_STEPS)*kvDepthCost(KV_ARRAY, 1);
  return kvV8Append(s->pArg->pNew, nDepth, s->pArg->pOut, &err)==KV_OK;
}

/* Before the varint that ends at z. */
static const u8 *spliceVarintBefore(const u8 *z){
  z--;
  while( z[-1] & 0x80 ) z--;
  return z;
}

/* What is after zRest ends the value: true if all is well. */
static int spliceFinish(Splice *s, const u8 *zRest){
  KvBuf *pOut = s->pArg->pOut;
  u32 nOld = (u32)(s->zEnd - s->pArg->value.p);
  spliceCopy(s, zRest, s->zEnd);
  if( s->bTwoByte && ((pOut->n ^ nOld) & 1) ) return 0;
  return pOut->eErr==KV_OK;
}

/*************************************************************************
** Containers
*/

/* An object or an array among the bytes. */
typedef struct SpliceBox SpliceBox;
struct SpliceBox {
  const u8 *zTag;         /* 'o' or 'A' */
  const u8 *zFirst;       /* After its head */
  const u8 *zClose;       /* '{' or '$' */
  const u8 *zBehind;      /* After it */
  u32 n;                  /* Pairs or elements */
};

static void spliceBox(Splice *s, const u8 *zTag, SpliceBox *p){
  const u8 *zCount;
  p->zTag = zTag;
  p->zFirst = zTag + 1;
  p->n = 0;
  p->zBehind = kvV8FindEnd(zTag, s->zEnd);
  zCount = spliceVarintBefore(p->zBehind);
  p->zClose = zCount - (*zTag=='A' ? 2 : 1);
  if( *zTag=='A' ) p->zFirst = plainVarint(zTag + 1, s->zEnd, &p->n);
  else plainVarint(zCount, s->zEnd, &p->n);
}

/* Begin with all before the first item: an array's head has its length. */
static int spliceOpen(Splice *s, const SpliceBox *p, u32 nNew){
  if( *p->zTag=='o' ){
    spliceHead(s, p->zFirst);
    return 1;
  }
  spliceHead(s, p->zTag + 1);
  v8AppendVarint(s->pArg->pOut, nNew);
  return !s->bTwoByte || v8VarintSize(nNew)==(u32)(p->zFirst - p->zTag) - 1;
}

/* The end of the container, and the rest. */
static int spliceClose(Splice *s, const SpliceBox *p, u32 nNew){
  KvBuf *pOut = s->pArg->pOut;
  kvBufPut(pOut, *p->zClose);
  if( *p->zTag=='A' ) kvBufPut(pOut, 0);
  v8AppendVarint(pOut, nNew);
  return spliceFinish(s, p->zBehind);
}

/*
** The item of the container that has its value at zAt is at [*pzItem..*pzNext).
** False: not found, or with an array: its form may change.
*/
static int spliceItem(
  Splice *s, const SpliceBox *p, const u8 *zAt, const u8 **pzItem, const u8 **pzNext
){
  const u8 *z = p->zFirst;
  int bFound = 0;
  u32 i;
  for(i=0; i<p->n; i++){
    const u8 *zItem = z;
    z = plainPad(z, s->zEnd);
    if( z && *p->zTag=='o' ) z = plainPad(kvV8FindEnd(z, s->zEnd), s->zEnd);
    if( z==0 ) return 0;                         /* not reached: it was checked */
    if( *p->zTag=='A' && spliceClassOfTag(*z)==SPLICE_FORM ) return 0;
    if( z==zAt ){
      bFound = 1;
      *pzItem = zItem;
      *pzNext = kvV8FindEnd(z, s->zEnd);
      if( *p->zTag=='o' ) break;
    }
    z = kvV8FindEnd(z, s->zEnd);
  }
  return bFound || zAt==0;
}

/*************************************************************************
** The four things that are done
*/

/* Replace the value at zAt. */
static int spliceReplace(Splice *s, const u8 *zAt){
  int eOld = spliceClassOfTag(*zAt), eNew;
  if( zAt[-1]==0 ) return 0;                     /* padding, or the end of what is before */
  if( !spliceTake(s, zAt) ) return 0;
  eNew = spliceClassOfNew(s->pArg);
  if( s->path.a[s->path.n-1].eStep!=V8_FIND_KEY
   && (eOld==SPLICE_FORM || eNew==SPLICE_FORM || (eOld==SPLICE_OTHER && eNew==SPLICE_INT))
  ){
    return 0;
  }
  spliceHead(s, zAt);
  return spliceValue(s) && spliceFinish(s, kvV8FindEnd(zAt, s->zEnd));
}

/* Remove the value at zAt from the container at zTag, with its key. */
static int spliceRemove(Splice *s, const u8 *zAt, const u8 *zTag){
  const u8 *zItem = 0, *zNext = 0;
  SpliceBox box;
  spliceBox(s, zTag, &box);
  if( !spliceItem(s, &box, zAt, &zItem, &zNext) ) return 0;
  if( !spliceOpen(s, &box, box.n-1) ) return 0;
  spliceCopy(s, box.zFirst, zItem);
  spliceCopy(s, zNext, box.zClose);
  if( s->bTwoByte && ((zNext - zItem) & 1) ) return 0;
  return spliceClose(s, &box, box.n-1);
}

/* The key of a step.  False: it isn't written here. */
static int spliceKey(Splice *s, const V8FindStep *pStep){
  KvBuf *pOut = s->pArg->pOut;
  if( pStep->eStep!=V8_FIND_KEY || pStep->iIndex>=0 || pStep->n>=0x80 ) return 0;
  kvBufPut(pOut, '"');
  kvBufPut(pOut, (u8)pStep->n);
  kvBufAppend(pOut, pStep->z, pStep->n);
  return 1;
}

/* Add the value after the last item of the container at zTag, into which
** the step iStep leads; what is after that step makes objects. */
static int spliceAdd(Splice *s, const u8 *zTag, u32 iStep){
  const V8FindStep *aStep = s->path.a;
  const u8 *zItem, *zNext;
  u32 n = s->path.n, i;
  SpliceBox box;
  spliceBox(s, zTag, &box);
  if( !spliceTake(s, 0) ) return 0;
  if( *zTag=='A' ){
    i64 iIndex = aStep[iStep].iIndex;            /* [#] is [#-0] */
    if( aStep[iStep].eStep==V8_FIND_KEY ) return 0;
    if( iIndex!=(aStep[iStep].eStep==V8_FIND_INDEX ? (i64)box.n : 0) ) return 0;
    if( iStep==n-1 && spliceClassOfNew(s->pArg)==SPLICE_FORM ) return 0;
    if( !spliceItem(s, &box, 0, &zItem, &zNext) ) return 0;
  }
  if( !spliceOpen(s, &box, box.n+1) ) return 0;
  spliceCopy(s, box.zFirst, box.zClose);
  if( *zTag=='o' && !spliceKey(s, &aStep[iStep]) ) return 0;
  for(i=iStep+1; i<n; i++){
    kvBufPut(s->pArg->pOut, 'o');
    if( !spliceKey(s, &aStep[i]) ) return 0;
  }
  if( !spliceValue(s) ) return 0;
  for(i=iStep+1; i<n; i++) kvBufAppend(s->pArg->pOut, "{\001", 2);
  return spliceClose(s, &box, box.n+1);
}

/* What is at the first nStep steps of the path; 0: nothing, or not plain. */
static const u8 *spliceFind(Splice *s, u32 nStep){
  V8FindSite site;
  KvEdit *p = s->pArg;
  return kvV8FindAt(p->value, &s->path, nStep, &site)==KV_PLAIN_FOUND ? site.zAt : 0;
}

/* There is nothing at the path. */
static int spliceMissing(Splice *s){
  const u8 *z = 0;
  u32 n = s->path.n - 1;
  while( n>0 && (z = spliceFind(s, n))==0 ) n--;
  if( z==0 || (*z!='o' && *z!='A') ) return 0;
  if( s->pArg->pNew ) return spliceAdd(s, z, n);
  if( *z!='o' || s->path.a[n].eStep!=V8_FIND_KEY ) return 0;
  spliceHead(s, s->zEnd);                           /* nothing is removed */
  return s->pArg->pOut->eErr==KV_OK;
}

static int spliceDo(Splice *s, const u8 *zAt){
  const u8 *zTag;
  if( zAt==0 ) return spliceMissing(s);
  if( s->pArg->pNew ) return spliceReplace(s, zAt);
  zTag = spliceFind(s, s->path.n - 1);
  return zTag && spliceRemove(s, zAt, zTag);
}

int kvSplice(KvEdit *p){
  Splice s;
  V8FindSite site;
  s.pArg = p;
  if( p->pNew && p->pNew->nRef ) return 0;
  if( !kvV8FindPath(&s.path, p->path) || s.path.n<2 ) return 0;
  if( kvV8FindAt(p->value, &s.path, s.path.n, &site)==KV_PLAIN_NOT ) return 0;
  s.zEnd = site.zEnd;
  s.bTwoByte = site.bTwoByte;
  if( spliceDo(&s, site.zAt) ) return 1;
  kvBufReset(p->pOut);
  return 0;
}
