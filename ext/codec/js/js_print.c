/*
** js_print.c -- the canonical JS text of a tree.
**
** What kvJsParse() reads back as the same value, without spaces:
**
**    {"a":1,"0b":[1,,2],["__proto__"]:3}    JSON wherever the value allows it
**    undefined  NaN  -0  10n
**    Object.assign([1,2],{"x":1})           an array's other properties
**    Object.assign(new Array(100),{"5":1})  an array of many holes
**    new Map([["a",1]])  new Set([1])  new Date("2023-04-23T00:00:00.000Z")
**    /a+/g  new RegExp("\n","")             the latter if it is no literal
**    new TypeError("m",{"cause":1})  Object.assign(new Error("m"),{"stack":"s"})
**    new Number(1)  new String("a")  new Boolean(true)  Object(1n)
**    new Uint8Array([1,2])                  a view of all of its own buffer
**    new Uint16Array(BUF,2,2)               any other view, where BUF is
**        new Uint8Array([1,2]).buffer  new ArrayBuffer(20)
**        new ArrayBuffer(2,{maxByteLength:8})
**        Object.assign(new Uint8Array(new ArrayBuffer(2,{maxByteLength:8})),[1,2]).buffer
**        new Uint8Array([1,2]).buffer.transferToImmutable()
**    new Deno.KvU64(1n)
**    <ref *1> {"self":[Circular *1]}        an object that occurs again; N
**                                           counts from 1 in order of printing
**    [HostObject Blob {"type":"Blob"}]      shown only: it can't be parsed
**
** With an indent the same with line breaks; arrays of a few scalars stay on
** one line.  Deeper levels than the 64th are indented like that one, so that
** the text of a value that nests deep isn't longer than in proportion to it.
** The walk uses a stack of its own.
*/
#include "codec/js/js_print.h"
#include "codec/names.h"
#include "codec/num/date.h"
#include "codec/num/num.h"
#include "codec/value_string.h"
#include "codec/view.h"
#include "codec/num/bigint.h"

/* Levels that are indented. */
#define JPR_MAX_INDENT 64

/* How a frame prints its children */
enum {
  JPR_OBJECT = 1,         /* key:value,... of an OBJECT */
  JPR_ARRAY,              /* elements, then perhaps properties */
  JPR_PROPS,              /* key:value,... of an ARRAY; elements by index */
  JPR_MAP, JPR_SET,
  JPR_CAUSE,              /* the cause of an ERROR */
  JPR_HOST
};

typedef struct JprFrame JprFrame;
struct JprFrame {
  u8 eForm;               /* JPR_xxx */
  u8 bFlat;               /* No line breaks */
  u8 bTail;               /* ARRAY: the properties follow */
  u8 bHalf;               /* MAP: the value of an entry is next */
  u32 iNode;
  u32 iNext;              /* The child to print next, 0: none */
  u32 k;                  /* Children printed, or elements and holes */
  const char *zClose;
};

typedef struct Jpr Jpr;
struct Jpr {
  KvTree *pTree;
  KvBuf *pOut;
  int nIndent;
  u32 nLevel;             /* Constructs with line breaks that are open */
  u32 *aLabel;            /* Label of each node, 0: none yet */
  u32 nLabel;
  JprFrame *aFrame;
  u32 nFrame, nFrameAlloc;
  int rc;
};

static void jprValue(Jpr *p, u32 iNode);

static void jprInt(Jpr *p, u64 v){
  char aDigit[24];
  int i = sizeof(aDigit);
  do{ aDigit[--i] = (char)('0' + v%10); v /= 10; }while( v );
  kvBufAppend(p->pOut, &aDigit[i], sizeof(aDigit) - (size_t)i);
}

static void jprNumber(Jpr *p, double r){
  char aSpace[KV_NUM_TEXT];
  if( r>=0.0 && r<1e15 && r==(double)(u64)r && kvDoubleToBits(r)>>63==0 ){
    jprInt(p, (u64)r);
  }else{
    kvBufAppend(p->pOut, aSpace, (u64)kvNumPrint(r, aSpace));
  }
}

static void jprBigint(Jpr *p, const KvNode *pNode){
  if( pNode->eSub ) kvBufPut(p->pOut, '-');
  kvBigPrint(p->pOut, kvNodeBytes(pNode));
  kvBufPut(p->pOut, 'n');
}

void kvJsString(const KvNode *pNode, KvBuf *pOut){
  if( pNode->mFlags & KVN_ASCII ){
    if( kvBufGrow(pOut, (u64)pNode->n + 2)!=KV_OK ) return;
    kvBufPut(pOut, '"');
    kvBufAppend(pOut, pNode->u.p, pNode->n);
    kvBufPut(pOut, '"');
  }else{
    kvUtfAppendQuoted(pOut, pNode->eSub, kvBytes(pNode->u.p, pNode->n));
  }
}

/* A new line, or nothing when the text is to be compact. */
static void jprBreak(Jpr *p){
  u32 nLevel = p->nLevel<JPR_MAX_INDENT ? p->nLevel : JPR_MAX_INDENT;
  u64 n = (u64)p->nIndent * nLevel;
  if( p->nIndent<=0 || kvBufGrow(p->pOut, n+1)!=KV_OK ) return;
  kvBufPut(p->pOut, '\n');
  memset(&p->pOut->a[p->pOut->n], ' ', (size_t)n);
  p->pOut->n += (u32)n;
}

/* A property's key and the colon. */
static void jprKey(Jpr *p, const KvNode *pKey){
  if( pKey->eKind==KV_NUMBER ){
    kvBufPut(p->pOut, '"');
    jprNumber(p, pKey->u.r);
    kvBufPut(p->pOut, '"');
  }else if( kvStringIs(pKey, "__proto__") ){
    kvBufLit(p->pOut, "[\"__proto__\"]");
  }else{
    kvJsString(pKey, p->pOut);
  }
  kvBufPut(p->pOut, ':');
  if( p->nIndent>0 ) kvBufPut(p->pOut, ' ');
}

static JprFrame *jprPush(Jpr *p, u8 eForm, u32 iNode, u32 iFirst, const char *zClose){
  JprFrame *pFrame;
  if( p->nFrame>=p->nFrameAlloc ){
    u32 nNew = p->nFrameAlloc*2 + 32;
    JprFrame *aNew = kvRealloc(p->aFrame, (u64)nNew*sizeof(JprFrame));
    if( aNew==0 ){
      p->rc = KV_NOMEM;
      return 0;
    }
    p->aFrame = aNew;
    p->nFrameAlloc = nNew;
  }
  pFrame = &p->aFrame[p->nFrame++];
  memset(pFrame, 0, sizeof(*pFrame));
  pFrame->eForm = eForm;
  pFrame->iNode = iNode;
  pFrame->iNext = iFirst;
  pFrame->zClose = zClose;
  p->nLevel++;
  return pFrame;
}

/* Print what stands before a child of the top frame. */
static void jprBefore(Jpr *p, JprFrame *pFrame){
  if( pFrame->k++ ){
    kvBufPut(p->pOut, ',');
    if( pFrame->bFlat && p->nIndent>0 ) kvBufPut(p->pOut, ' ');
  }
  if( !pFrame->bFlat ) jprBreak(p);
}

/* Close the top frame. */
static void jprPop(Jpr *p){
  JprFrame *pFrame = &p->aFrame[p->nFrame-1];
  p->nLevel--;
  if( !pFrame->bFlat && pFrame->k ) jprBreak(p);
  kvBufText(p->pOut, pFrame->zClose);
  p->nFrame--;
}

/*
** Buffers and views.
*/

static int jprAllZero(const u8 *a, u32 n){
  u32 i;
  for(i=0; i<n; i++) if( a[i] ) return 0;
  return 1;
}

/* [1,2,3] */
static void jprBytes(Jpr *p, const u8 *a, u32 n){
  u32 i;
  kvBufPut(p->pOut, '[');
  for(i=0; i<n; i++){
    if( i ) kvBufPut(p->pOut, ',');
    jprInt(p, a[i]);
  }
  kvBufPut(p->pOut, ']');
}

/* The label of a shared object.  True if it has been printed before. */
static int jprLabel(Jpr *p, u32 iNode){
  u32 iLabel;
  if( (p->pTree->aNode[iNode].mFlags & KVN_SHARED)==0 || p->aLabel==0 ) return 0;
  iLabel = p->aLabel[iNode];
  if( iLabel ){
    kvBufLit(p->pOut, "[Circular *");
    jprInt(p, iLabel);
    kvBufPut(p->pOut, ']');
    return 1;
  }
  p->aLabel[iNode] = ++p->nLabel;
  kvBufLit(p->pOut, "<ref *");
  jprInt(p, p->nLabel);
  kvBufLit(p->pOut, "> ");
  return 0;
}

static void jprBuffer(Jpr *p, u32 iBuf){
  const KvNode *pBuf = &p->pTree->aNode[iBuf];
  int bZero = jprAllZero(pBuf->u.p, pBuf->n);
  if( pBuf->eSub==KV_BUF_RESIZABLE ){
    if( !bZero ) kvBufLit(p->pOut, "Object.assign(new Uint8Array(");
    kvBufLit(p->pOut, "new ArrayBuffer(");
    jprInt(p, pBuf->n);
    kvBufLit(p->pOut, ",{maxByteLength:");
    jprNumber(p, p->pTree->aNode[pBuf->iChild].u.r);
    kvBufLit(p->pOut, "})");
    if( bZero ) return;
    kvBufLit(p->pOut, "),");
    jprBytes(p, pBuf->u.p, pBuf->n);
    kvBufLit(p->pOut, ").buffer");
    return;
  }
  if( bZero && (pBuf->n>16 || pBuf->n==0) ){
    kvBufLit(p->pOut, "new ArrayBuffer(");
    jprInt(p, pBuf->n);
    kvBufPut(p->pOut, ')');
  }else{
    kvBufLit(p->pOut, "new Uint8Array(");
    jprBytes(p, pBuf->u.p, pBuf->n);
    kvBufLit(p->pOut, ").buffer");
  }
  if( pBuf->eSub==KV_BUF_IMMUTABLE ) kvBufLit(p->pOut, ".transferToImmutable()");
}

/*
** True if every element of the view reads back from its decimal text: false
** for a NaN that isn't the one that JavaScript stores.
*/
static int jprNanOk(const KvNode *pView, const u8 *a){
  int nSize = kvViewSize(pView->eSub);
  u32 i;
  if( pView->eSub!=KV_VIEW_F16 && pView->eSub!=KV_VIEW_F32 && pView->eSub!=KV_VIEW_F64 ) return 1;
  for(i=0; i<pView->n; i+=(u32)nSize){
    const u8 *z = &a[i + (u32)nSize-1];
    u32 h = (u32)(z[0]<<8 | z[-1]);            /* sign, exponent and more */
    u32 mExp = nSize==2 ? 0x7c00 : nSize==4 ? 0x7f80 : 0x7ff0;
    u32 iQuiet = nSize==2 ? 0x7e00 : nSize==4 ? 0x7fc0 : 0x7ff8;
    if( (h & mExp)!=mExp ) continue;
    if( (h & ~mExp & 0x7fff)==0 && jprAllZero(&a[i], (u32)nSize-2) ) continue;  /* infinity */
    if( h!=iQuiet || !jprAllZero(&a[i], (u32)nSize-2) ) return 0;
  }
  return 1;
}

static void jprElements(Jpr *p, u32 iView){
  const KvNode *pView = &p->pTree->aNode[iView];
  u32 n = pView->n/(u32)kvViewSize(pView->eSub), i;
  kvBufPut(p->pOut, '[');
  for(i=0; i<n; i++){
    KvNode elem;
    u8 aDigit[8];
    if( i ) kvBufPut(p->pOut, ',');
    kvViewElem(p->pTree, iView, i, &elem, aDigit);
    if( elem.eKind==KV_BIGINT ){
      jprBigint(p, &elem);
    }else{
      jprNumber(p, elem.u.r);
    }
  }
  kvBufPut(p->pOut, ']');
}

static void jprView(Jpr *p, u32 iView){
  const KvNode *pView = &p->pTree->aNode[iView];
  u32 iBuf = kvViewBuffer(p->pTree, iView);
  const KvNode *pBuf = &p->pTree->aNode[iBuf];
  int bAll = pBuf->eSub!=KV_BUF_RESIZABLE && pView->u.iOffset==0 && pView->n==pBuf->n;
  kvBufLit(p->pOut, "new ");
  kvBufText(p->pOut, kvViewName(pView->eSub));
  kvBufPut(p->pOut, '(');
  if( bAll && pBuf->eSub==KV_BUF_FIXED && pView->eSub!=KV_VIEW_DATA
   && (pBuf->mFlags & KVN_SHARED)==0 && jprNanOk(pView, pBuf->u.p)
  ){
    if( pView->eSub==KV_VIEW_U8 ){
      jprBytes(p, pBuf->u.p, pBuf->n);
    }else{
      jprElements(p, iView);
    }
  }else{
    int bTrack = (pView->mFlags & KVN_TRACK)!=0;
    if( !jprLabel(p, iBuf) ) jprBuffer(p, iBuf);
    if( !bAll && (!bTrack || pView->u.iOffset) ){
      kvBufPut(p->pOut, ',');
      jprInt(p, pView->u.iOffset);
    }
    if( !bAll && !bTrack ){
      kvBufPut(p->pOut, ',');
      jprInt(p, pView->n/(u32)kvViewSize(pView->eSub));
    }
  }
  kvBufPut(p->pOut, ')');
}

/*
** Regular expressions.
*/

/* True if /source/ would be read as a literal with this source. */
static int jprIsLiteral(const u8 *z, u32 n){
  int bClass = 0;
  u32 i;
  if( n==0 || z[0]=='*' || !kvUtf8Valid(kvBytes(z, n)) ) return 0;
  for(i=0; i<n; i++){
    int bEsc = z[i]=='\\';
    if( bEsc && ++i>=n ) return 0;
    if( z[i]=='\n' || z[i]=='\r' ) return 0;
    if( n-i>=3 && memcmp(&z[i], "\xe2\x80", 2)==0 && (z[i+2]&0xfe)==0xa8 ) return 0;
    if( bEsc ) continue;
    if( z[i]=='/' && !bClass ) return 0;
    if( z[i]=='[' ) bClass = 1;
    if( z[i]==']' ) bClass = 0;
  }
  return !bClass;
}

static void jprRegexp(Jpr *p, const KvNode *pNode){
  const KvNode *pSrc = &p->pTree->aNode[pNode->iChild];
  char zFlags[16], aSpace[200];
  KvBuf buf;
  kvBufInit(&buf, aSpace, sizeof(aSpace));
  kvRegexpFlags(pNode->n, zFlags);
  kvUtfAppend(&buf, pSrc->eSub, kvBytes(pSrc->u.p, pSrc->n), 1);
  if( buf.n==0 ) kvBufLit(&buf, "(?:)");
  if( buf.eErr ){
    p->rc = buf.eErr;
  }else if( jprIsLiteral(buf.a, buf.n) ){
    kvBufPut(p->pOut, '/');
    kvBufAppend(p->pOut, buf.a, buf.n);
    kvBufPut(p->pOut, '/');
    kvBufText(p->pOut, zFlags);
  }else{
    kvBufLit(p->pOut, "new RegExp(");
    kvUtfAppendQuoted(p->pOut, KV_WTF8, kvBufBytes(&buf));
    kvBufLit(p->pOut, ",\"");
    kvBufText(p->pOut, zFlags);
    kvBufLit(p->pOut, "\")");
  }
  kvBufClear(&buf);
}

/*
** Things with one child.
*/

static void jprDate(Jpr *p, double r){
  if( r!=r ){
    kvBufLit(p->pOut, "new Date(NaN)");
  }else{
    kvBufLit(p->pOut, "new Date(\"");
    kvDatePrint(r, p->pOut);
    kvBufLit(p->pOut, "\")");
  }
}

static void jprBoxed(Jpr *p, u32 iPrim){
  switch( p->pTree->aNode[iPrim].eKind ){
    case KV_BOOL:   kvBufLit(p->pOut, "new Boolean("); break;
    case KV_NUMBER: kvBufLit(p->pOut, "new Number("); break;
    case KV_STRING: kvBufLit(p->pOut, "new String("); break;
    default:        kvBufLit(p->pOut, "Object("); break;
  }
  jprValue(p, iPrim);                  /* a primitive: prints it and returns */
  kvBufPut(p->pOut, ')');
}

/* The parts of an ERROR: node, or 0. */
/* What stands behind the cause. */
static void jprErrorTail(Jpr *p, u32 iErr, int bCause){
  u32 iStack = kvErrorChild(p->pTree, iErr, KV_ERR_STACK);
  if( bCause ) kvBufPut(p->pOut, '}');
  kvBufPut(p->pOut, ')');
  if( iStack ){
    kvBufLit(p->pOut, ",{\"stack\":");
    kvJsString(&p->pTree->aNode[iStack], p->pOut);
    kvBufLit(p->pOut, "})");
  }
}

static void jprError(Jpr *p, u32 iErr){
  KvTree *pTree = p->pTree;
  u32 iMsg = kvErrorChild(pTree, iErr, KV_ERR_MESSAGE);
  u32 iCause = kvErrorChild(pTree, iErr, KV_ERR_CAUSE);
  if( pTree->aNode[iErr].n & KV_ERR_STACK ) kvBufLit(p->pOut, "Object.assign(");
  kvBufLit(p->pOut, "new ");
  kvBufText(p->pOut, kvErrorName(pTree->aNode[iErr].eSub));
  kvBufPut(p->pOut, '(');
  if( iMsg ) kvJsString(&pTree->aNode[iMsg], p->pOut);
  if( iCause==0 ){
    jprErrorTail(p, iErr, 0);
    return;
  }
  if( iMsg==0 ) kvBufLit(p->pOut, "undefined");
  kvBufLit(p->pOut, ",{\"cause\":");
  if( jprPush(p, JPR_CAUSE, iErr, iCause, "")==0 ) return;
  p->aFrame[p->nFrame-1].bFlat = 1;
  p->nLevel--;
}

static void jprHost(Jpr *p, u32 iHost){
  char aName[64];
  kvBufLit(p->pOut, "[HostObject ");
  kvBufText(p->pOut, kvTypeName(p->pTree, iHost, aName));
  kvBufPut(p->pOut, ' ');
  if( jprPush(p, JPR_HOST, iHost, p->pTree->aNode[iHost].iChild, "]")==0 ) return;
  p->aFrame[p->nFrame-1].bFlat = 1;
}

/*
** Arrays.
*/

/* True for an array of a few scalars: it stays on one line. */
static int jprIsShort(const KvTree *pTree, u32 iArr){
  const KvNode *aNode = pTree->aNode;
  u32 i = aNode[iArr].iChild, k, n = aNode[iArr].u.c.nElem;
  if( n>16 || aNode[iArr].u.c.nPair ) return 0;
  for(k=0; k<n; k++, i=aNode[i].iNext){
    if( aNode[i].eKind>KV_STRING || aNode[i].n>40 ) return 0;
  }
  return 1;
}

/*
** Count an array's elements that are there, and how many of its pairs are
** indices.
*/
static void jprCount(const KvTree *pTree, u32 iArr, u32 *pnPresent, u32 *pnIndex){
  const KvNode *aNode = pTree->aNode;
  u32 i = aNode[iArr].iChild, k;
  *pnPresent = *pnIndex = 0;
  for(k=0; k<aNode[iArr].u.c.nElem; k++, i=aNode[i].iNext){
    *pnPresent += aNode[i].eKind!=KV_HOLE;
  }
  for(k=0; k<aNode[iArr].u.c.nPair && aNode[i].eKind==KV_NUMBER; k++){
    (*pnIndex)++;
    i = aNode[aNode[i].iNext].iNext;
  }
  *pnPresent += *pnIndex;
}

static void jprArray(Jpr *p, u32 iArr){
  const KvNode *pArr = &p->pTree->aNode[iArr];
  u32 nPresent = pArr->n, nIndex = 0;
  JprFrame *pFrame;
  if( pArr->n==0 && pArr->u.c.nPair==0 ){
    kvBufLit(p->pOut, "[]");
    return;
  }
  jprCount(p->pTree, iArr, &nPresent, &nIndex);
  if( (u64)(pArr->n - nPresent)>16 + 4*(u64)nPresent ){
    int bPairs = nPresent || pArr->u.c.nPair;
    kvBufText(p->pOut, bPairs ? "Object.assign(new Array(" : "new Array(");
    jprInt(p, pArr->n);
    kvBufText(p->pOut, bPairs ? "),{" : ")");
    if( bPairs ) jprPush(p, JPR_PROPS, iArr, pArr->iChild, "})");
    return;
  }
  if( pArr->u.c.nPair>nIndex ) kvBufLit(p->pOut, "Object.assign(");
  kvBufPut(p->pOut, '[');
  pFrame = jprPush(p, JPR_ARRAY, iArr, pArr->iChild, pArr->u.c.nPair>nIndex ? "],{" : "]");
  if( pFrame==0 ) return;
  pFrame->bTail = pArr->u.c.nPair>nIndex;
  pFrame->bFlat = (u8)jprIsShort(p->pTree, iArr);
}

/*
** Steps: print up to the next child and return it, 0 at the end.
*/

static u32 jprStepObject(Jpr *p, JprFrame *pFrame){
  const KvNode *aNode = p->pTree->aNode;
  u32 iKey = pFrame->iNext;
  if( iKey==0 ) return 0;
  jprBefore(p, pFrame);
  jprKey(p, &aNode[iKey]);
  pFrame->iNext = aNode[aNode[iKey].iNext].iNext;
  return aNode[iKey].iNext;
}

/* Elements as "5":value, then the pairs.  bHalf: past the elements. */
static u32 jprStepProps(Jpr *p, JprFrame *pFrame){
  const KvNode *aNode = p->pTree->aNode;
  const KvNode *pArr = &aNode[pFrame->iNode];
  u32 i = pFrame->iNext;
  for(; !pFrame->bHalf && pFrame->k<pArr->u.c.nElem; i=aNode[i].iNext){
    u32 k = pFrame->k++;
    if( aNode[i].eKind==KV_HOLE ) continue;
    if( pFrame->bTail ) kvBufPut(p->pOut, ',');
    pFrame->bTail = 1;
    jprBreak(p);
    kvBufPut(p->pOut, '"');
    jprInt(p, k);
    kvBufText(p->pOut, p->nIndent>0 ? "\": " : "\":");
    pFrame->iNext = aNode[i].iNext;
    return i;
  }
  if( !pFrame->bHalf ){
    pFrame->bHalf = 1;
    pFrame->k = pFrame->bTail;                   /* for the comma */
    pFrame->iNext = i;
  }
  return jprStepObject(p, pFrame);
}

/* An element's value, the holes before it printed. */
static u32 jprStepArray(Jpr *p, JprFrame *pFrame){
  const KvNode *aNode = p->pTree->aNode;
  const KvNode *pArr = &aNode[pFrame->iNode];
  u32 i = pFrame->iNext;
  while( pFrame->k<pArr->n ){
    u32 k = pFrame->k;
    jprBefore(p, pFrame);
    if( k<pArr->u.c.nElem ){
      pFrame->iNext = aNode[i].iNext;
      if( aNode[i].eKind!=KV_HOLE ) return i;
      i = pFrame->iNext;
    }else if( i && aNode[i].eKind==KV_NUMBER && aNode[i].u.r==(double)k ){
      pFrame->iNext = aNode[aNode[i].iNext].iNext;
      return aNode[i].iNext;
    }
    if( k==pArr->n-1 ) kvBufPut(p->pOut, ',');   /* the last one is a hole */
  }
  if( !pFrame->bTail ) return 0;
  p->nLevel--;
  if( !pFrame->bFlat && pFrame->k ) jprBreak(p);
  p->nLevel++;
  kvBufText(p->pOut, pFrame->zClose);
  pFrame->zClose = "})";
  pFrame->eForm = JPR_OBJECT;
  pFrame->bFlat = 0;
  pFrame->k = 0;
  return jprStepObject(p, pFrame);
}

static u32 jprStepMap(Jpr *p, JprFrame *pFrame){
  u32 i = pFrame->iNext;
  if( i ) pFrame->iNext = p->pTree->aNode[i].iNext;
  if( pFrame->bHalf ){
    kvBufText(p->pOut, p->nIndent>0 ? ", " : ",");
  }else{
    if( pFrame->k ) kvBufPut(p->pOut, ']');
    if( i==0 ) return 0;
    jprBefore(p, pFrame);
    kvBufPut(p->pOut, '[');
  }
  pFrame->bHalf ^= 1;
  return i;
}

/* Set, cause, host. */
static u32 jprStepOne(Jpr *p, JprFrame *pFrame){
  u32 i = pFrame->iNext;
  if( i==0 ){
    if( pFrame->eForm==JPR_CAUSE ){
      jprErrorTail(p, pFrame->iNode, 1);
      p->nLevel++;                               /* as it didn't count */
    }
    return 0;
  }
  jprBefore(p, pFrame);
  pFrame->iNext = pFrame->eForm==JPR_SET ? p->pTree->aNode[i].iNext : 0;
  return i;
}

static void jprStep(Jpr *p){
  JprFrame *pFrame = &p->aFrame[p->nFrame-1];
  u32 i;
  switch( pFrame->eForm ){
    case JPR_OBJECT: i = jprStepObject(p, pFrame); break;
    case JPR_ARRAY:  i = jprStepArray(p, pFrame); break;
    case JPR_PROPS:  i = jprStepProps(p, pFrame); break;
    case JPR_MAP:    i = jprStepMap(p, pFrame); break;
    default:         i = jprStepOne(p, pFrame); break;
  }
  if( i ){
    jprValue(p, i);
  }else{
    jprPop(p);
  }
}

/* An OBJECT, MAP or SET: empty, or its beginning. */
static void jprOpen(Jpr *p, u8 eForm, u32 iNode, const char *zEmpty, const char *zOpen, const char *zClose){
  u32 iFirst = p->pTree->aNode[iNode].iChild;
  kvBufText(p->pOut, iFirst ? zOpen : zEmpty);
  if( iFirst ) jprPush(p, eForm, iNode, iFirst, zClose);
}

/* Print a value, of a container only the beginning. */
static void jprValue(Jpr *p, u32 iNode){
  const KvNode *pNode;
  iNode = kvDeref(p->pTree, iNode);
  if( jprLabel(p, iNode) ) return;
  pNode = &p->pTree->aNode[iNode];
  switch( pNode->eKind ){
    case KV_NULL:   kvBufLit(p->pOut, "null"); break;
    case KV_BOOL:   kvBufText(p->pOut, pNode->n ? "true" : "false"); break;
    case KV_NUMBER: jprNumber(p, pNode->u.r); break;
    case KV_BIGINT: jprBigint(p, pNode); break;
    case KV_STRING: kvJsString(pNode, p->pOut); break;
    case KV_OBJECT: jprOpen(p, JPR_OBJECT, iNode, "{}", "{", "}"); break;
    case KV_ARRAY:  jprArray(p, iNode); break;
    case KV_MAP:    jprOpen(p, JPR_MAP, iNode, "new Map()", "new Map([", "])"); break;
    case KV_SET:    jprOpen(p, JPR_SET, iNode, "new Set()", "new Set([", "])"); break;
    case KV_DATE:   jprDate(p, pNode->u.r); break;
    case KV_REGEXP: jprRegexp(p, pNode); break;
    case KV_ERROR:  jprError(p, iNode); break;
    case KV_BOXED:  jprBoxed(p, pNode->iChild); break;
    case KV_BUFFER: jprBuffer(p, iNode); break;
    case KV_VIEW:   jprView(p, iNode); break;
    case KV_HOST:   jprHost(p, iNode); break;
    case KV_U64:
      kvBufLit(p->pOut, "new Deno.KvU64(");
      jprInt(p, pNode->u.u);
      kvBufLit(p->pOut, "n)");
      break;
    default:        kvBufLit(p->pOut, "undefined"); break;
  }
}

int kvJsPrint(KvTree *pTree, int nIndent, KvBuf *pOut, KvErr *pErr){
  Jpr jpr;
  memset(&jpr, 0, sizeof(jpr));
  jpr.pTree = pTree;
  jpr.pOut = pOut;
  jpr.nIndent = nIndent;
  if( pTree->nRef ){
    u64 nByte = (u64)pTree->nNode*sizeof(u32);
    jpr.aLabel = kvRealloc(0, nByte);
    if( jpr.aLabel==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
    memset(jpr.aLabel, 0, (size_t)nByte);
  }
  jprValue(&jpr, 0);
  while( jpr.nFrame && jpr.rc==KV_OK && pOut->eErr==KV_OK ) jprStep(&jpr);
  kvFree(jpr.aFrame);
  kvFree(jpr.aLabel);
  if( jpr.rc==KV_OK ) jpr.rc = pOut->eErr;
  if( jpr.rc==KV_OK ) return KV_OK;
  return kvErrSet(pErr, jpr.rc, -1, jpr.rc==KV_TOOBIG ? "text too long" : "out of memory");
}
