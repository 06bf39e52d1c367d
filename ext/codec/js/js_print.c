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
#include "bytes/memory.h"
#include "bytes/utf.h"
#include "codec/names.h"
#include "codec/num/date.h"
#include "codec/print.h"
#include "codec/regexp/regexp.h"
#include "codec/value_string.h"
#include "codec/view.h"

/* Levels that are indented. */
#define JSPRINT_MAX_INDENT 64

/* How a frame prints its children */
enum {
  JSPRINT_OBJECT = 1,         /* key:value,... of an OBJECT */
  JSPRINT_ARRAY,              /* elements, then perhaps properties */
  JSPRINT_PROPS,              /* key:value,... of an ARRAY; elements by index */
  JSPRINT_MAP, JSPRINT_SET,
  JSPRINT_CAUSE,              /* the cause of an ERROR */
  JSPRINT_HOST
};

typedef struct JsPrintFrame JsPrintFrame;
struct JsPrintFrame {
  u8 eForm;               /* JSPRINT_xxx */
  u8 bFlat;               /* No line breaks */
  u8 bTail;               /* ARRAY: the properties follow */
  u8 bHalf;               /* MAP: the value of an entry is next */
  u32 iNode;
  u32 iNext;              /* The child to print next, 0: none */
  u32 k;                  /* Children printed, or elements and holes */
  u32 iElem;              /* ARRAY, PROPS: for kvNextElement(), kvNextPresent() */
  const char *zClose;
};

typedef struct JsPrint JsPrint;
struct JsPrint {
  KvTree *pTree;
  KvBuf *pOut;
  int nIndent;
  u32 nLevel;             /* Constructs with line breaks that are open */
  u32 *aLabel;            /* Label of each node, 0: none yet */
  u32 nLabel;
  JsPrintFrame *aFrame;
  u32 nFrame, nFrameAlloc;
  int rc;
};

static void jsPrintValue(JsPrint *p, u32 iNode);

static void jsPrintBigint(JsPrint *p, const KvNode *pNode){
  kvPrintBigint(p->pOut, pNode);
  kvBufPut(p->pOut, 'n');
}

/* A new line, or nothing when the text is to be compact. */
static void jsPrintBreak(JsPrint *p){
  u32 nLevel = p->nLevel<JSPRINT_MAX_INDENT ? p->nLevel : JSPRINT_MAX_INDENT;
  u64 n = (u64)p->nIndent * nLevel;
  if( p->nIndent<=0 || kvBufGrow(p->pOut, n+1)!=KV_OK ) return;
  kvBufPut(p->pOut, '\n');
  memset(&p->pOut->a[p->pOut->n], ' ', (size_t)n);
  p->pOut->n += (u32)n;
}

/* The colon behind a key. */
static void jsPrintColon(JsPrint *p){
  kvBufPut(p->pOut, ':');
  if( p->nIndent>0 ) kvBufPut(p->pOut, ' ');
}

static JsPrintFrame *jsPrintPush(JsPrint *p, u8 eForm, u32 iNode, u32 iFirst, const char *zClose){
  JsPrintFrame *pFrame, *a;
  a = kvReserve(p->aFrame, &p->nFrameAlloc, (u64)p->nFrame+1, sizeof(JsPrintFrame));
  if( a==0 ){
    p->rc = KV_NOMEM;
    return 0;
  }
  p->aFrame = a;
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
static void jsPrintBefore(JsPrint *p, JsPrintFrame *pFrame){
  if( pFrame->k++ ){
    kvBufPut(p->pOut, ',');
    if( pFrame->bFlat && p->nIndent>0 ) kvBufPut(p->pOut, ' ');
  }
  if( !pFrame->bFlat ) jsPrintBreak(p);
}

/* Close the top frame. */
static void jsPrintPop(JsPrint *p){
  JsPrintFrame *pFrame = &p->aFrame[p->nFrame-1];
  p->nLevel--;
  if( !pFrame->bFlat && pFrame->k ) jsPrintBreak(p);
  kvBufText(p->pOut, pFrame->zClose);
  p->nFrame--;
}

/*
** Buffers and views.
*/

static int jsPrintAllZero(const u8 *a, u32 n){
  u32 i;
  for(i=0; i<n; i++) if( a[i] ) return 0;
  return 1;
}

/* [1,2,3] */
static void jsPrintBytes(JsPrint *p, const u8 *a, u32 n){
  u32 i;
  kvBufPut(p->pOut, '[');
  for(i=0; i<n; i++){
    if( i ) kvBufPut(p->pOut, ',');
    kvPrintInt(p->pOut, a[i]);
  }
  kvBufPut(p->pOut, ']');
}

/* The label of a shared object.  True if it has been printed before. */
static int jsPrintLabel(JsPrint *p, u32 iNode){
  u32 iLabel;
  if( (p->pTree->aNode[iNode].mFlags & KVN_SHARED)==0 || p->aLabel==0 ) return 0;
  iLabel = p->aLabel[iNode];
  if( iLabel ){
    kvBufLit(p->pOut, "[Circular *");
    kvPrintInt(p->pOut, iLabel);
    kvBufPut(p->pOut, ']');
    return 1;
  }
  p->aLabel[iNode] = ++p->nLabel;
  kvBufLit(p->pOut, "<ref *");
  kvPrintInt(p->pOut, p->nLabel);
  kvBufLit(p->pOut, "> ");
  return 0;
}

static void jsPrintBuffer(JsPrint *p, u32 iBuf){
  const KvNode *pBuf = &p->pTree->aNode[iBuf];
  int bZero = jsPrintAllZero(pBuf->u.p, pBuf->n);
  if( pBuf->eSub==KV_BUF_RESIZABLE ){
    if( !bZero ) kvBufLit(p->pOut, "Object.assign(new Uint8Array(");
    kvBufLit(p->pOut, "new ArrayBuffer(");
    kvPrintInt(p->pOut, pBuf->n);
    kvBufLit(p->pOut, ",{maxByteLength:");
    kvPrintNumber(p->pOut, p->pTree->aNode[pBuf->iChild].u.r);
    kvBufLit(p->pOut, "})");
    if( bZero ) return;
    kvBufLit(p->pOut, "),");
    jsPrintBytes(p, pBuf->u.p, pBuf->n);
    kvBufLit(p->pOut, ").buffer");
    return;
  }
  if( bZero && (pBuf->n>16 || pBuf->n==0) ){
    kvBufLit(p->pOut, "new ArrayBuffer(");
    kvPrintInt(p->pOut, pBuf->n);
    kvBufPut(p->pOut, ')');
  }else{
    kvBufLit(p->pOut, "new Uint8Array(");
    jsPrintBytes(p, pBuf->u.p, pBuf->n);
    kvBufLit(p->pOut, ").buffer");
  }
  if( pBuf->eSub==KV_BUF_IMMUTABLE ) kvBufLit(p->pOut, ".transferToImmutable()");
}

/*
** True if every element of the view reads back from its decimal text: false
** for a NaN that isn't the one that JavaScript stores.
*/
static int jsPrintNanOk(const KvNode *pView, const u8 *a){
  int nSize = kvViewSize(pView->eSub);
  u32 i;
  if( pView->eSub!=KV_VIEW_F16 && pView->eSub!=KV_VIEW_F32 && pView->eSub!=KV_VIEW_F64 ) return 1;
  for(i=0; i<pView->n; i+=(u32)nSize){
    const u8 *z = &a[i + (u32)nSize-1];
    u32 h = (u32)(z[0]<<8 | z[-1]);            /* sign, exponent and more */
    u32 mExp = nSize==2 ? 0x7c00 : nSize==4 ? 0x7f80 : 0x7ff0;
    u32 iQuiet = nSize==2 ? 0x7e00 : nSize==4 ? 0x7fc0 : 0x7ff8;
    if( (h & mExp)!=mExp ) continue;
    if( (h & ~mExp & 0x7fff)==0 && jsPrintAllZero(&a[i], (u32)nSize-2) ) continue;  /* infinity */
    if( h!=iQuiet || !jsPrintAllZero(&a[i], (u32)nSize-2) ) return 0;
  }
  return 1;
}

static void jsPrintElements(JsPrint *p, u32 iView){
  const KvNode *pView = &p->pTree->aNode[iView];
  u32 n = pView->n/(u32)kvViewSize(pView->eSub), i;
  kvBufPut(p->pOut, '[');
  for(i=0; i<n; i++){
    KvNode elem;
    u8 aDigit[8];
    if( i ) kvBufPut(p->pOut, ',');
    kvViewElem(p->pTree, iView, i, &elem, aDigit);
    if( elem.eKind==KV_BIGINT ){
      jsPrintBigint(p, &elem);
    }else{
      kvPrintNumber(p->pOut, elem.u.r);
    }
  }
  kvBufPut(p->pOut, ']');
}

static void jsPrintView(JsPrint *p, u32 iView){
  const KvNode *pView = &p->pTree->aNode[iView];
  u32 iBuf = kvViewBuffer(p->pTree, iView);
  const KvNode *pBuf = &p->pTree->aNode[iBuf];
  int bAll = pBuf->eSub!=KV_BUF_RESIZABLE && pView->u.iOffset==0 && pView->n==pBuf->n;
  kvBufLit(p->pOut, "new ");
  kvBufText(p->pOut, kvViewName(pView->eSub));
  kvBufPut(p->pOut, '(');
  if( bAll && pBuf->eSub==KV_BUF_FIXED && pView->eSub!=KV_VIEW_DATA
   && (pBuf->mFlags & KVN_SHARED)==0 && jsPrintNanOk(pView, pBuf->u.p)
  ){
    if( pView->eSub==KV_VIEW_U8 ){
      jsPrintBytes(p, pBuf->u.p, pBuf->n);
    }else{
      jsPrintElements(p, iView);
    }
  }else{
    int bTrack = (pView->mFlags & KVN_TRACK)!=0;
    if( !jsPrintLabel(p, iBuf) ) jsPrintBuffer(p, iBuf);
    if( !bAll && (!bTrack || pView->u.iOffset) ){
      kvBufPut(p->pOut, ',');
      kvPrintInt(p->pOut, pView->u.iOffset);
    }
    if( !bAll && !bTrack ){
      kvBufPut(p->pOut, ',');
      kvPrintInt(p->pOut, pView->n/(u32)kvViewSize(pView->eSub));
    }
  }
  kvBufPut(p->pOut, ')');
}

/*
** Regular expressions.
*/

static void jsPrintRegexp(JsPrint *p, const KvNode *pNode){
  char zFlags[16], aSpace[200];
  KvBuf text;
  KvBytes source;
  kvBufInit(&text, aSpace, sizeof(aSpace));
  kvPrintRegexp(&text, p->pTree, pNode);
  kvRegexpFlags(pNode->n, zFlags);
  source = kvBytes(text.a + 1, text.n - 2 - (u32)strlen(zFlags));
  if( text.eErr ){
    p->rc = text.eErr;
  }else if( source.p[0]!='*' && kvUtf8Valid(source)
         && kvRegexpLiteral(kvBufBytes(&text))==source.n+2
  ){
    kvBufAdd(p->pOut, kvBufBytes(&text));
  }else{
    kvBufLit(p->pOut, "new RegExp(");
    kvUtfAppendQuoted(p->pOut, KV_WTF8, source);
    kvBufLit(p->pOut, ",\"");
    kvBufText(p->pOut, zFlags);
    kvBufLit(p->pOut, "\")");
  }
  kvBufClear(&text);
}

/*
** Things with one child.
*/

static void jsPrintDate(JsPrint *p, double r){
  if( r!=r ){
    kvBufLit(p->pOut, "new Date(NaN)");
  }else{
    kvBufLit(p->pOut, "new Date(\"");
    kvDatePrint(r, p->pOut);
    kvBufLit(p->pOut, "\")");
  }
}

static void jsPrintBoxed(JsPrint *p, u32 iPrim){
  switch( p->pTree->aNode[iPrim].eKind ){
    case KV_BOOL:   kvBufLit(p->pOut, "new Boolean("); break;
    case KV_NUMBER: kvBufLit(p->pOut, "new Number("); break;
    case KV_STRING: kvBufLit(p->pOut, "new String("); break;
    default:        kvBufLit(p->pOut, "Object("); break;
  }
  jsPrintValue(p, iPrim);                  /* a primitive: prints it and returns */
  kvBufPut(p->pOut, ')');
}

/* The parts of an ERROR: node, or 0. */
/* What stands behind the cause. */
static void jsPrintErrorTail(JsPrint *p, u32 iErr, int bCause){
  u32 iStack = kvErrorChild(p->pTree, iErr, KV_ERR_STACK);
  if( bCause ) kvBufPut(p->pOut, '}');
  kvBufPut(p->pOut, ')');
  if( iStack ){
    kvBufLit(p->pOut, ",{\"stack\":");
    kvPrintString(p->pOut, &p->pTree->aNode[iStack]);
    kvBufLit(p->pOut, "})");
  }
}

static void jsPrintError(JsPrint *p, u32 iErr){
  KvTree *pTree = p->pTree;
  u32 iMsg = kvErrorChild(pTree, iErr, KV_ERR_MESSAGE);
  u32 iCause = kvErrorChild(pTree, iErr, KV_ERR_CAUSE);
  if( pTree->aNode[iErr].n & KV_ERR_STACK ) kvBufLit(p->pOut, "Object.assign(");
  kvBufLit(p->pOut, "new ");
  kvBufText(p->pOut, kvErrorName(pTree->aNode[iErr].eSub));
  kvBufPut(p->pOut, '(');
  if( iMsg ) kvPrintString(p->pOut, &pTree->aNode[iMsg]);
  if( iCause==0 ){
    jsPrintErrorTail(p, iErr, 0);
    return;
  }
  if( iMsg==0 ) kvBufLit(p->pOut, "undefined");
  kvBufLit(p->pOut, ",{\"cause\":");
  if( jsPrintPush(p, JSPRINT_CAUSE, iErr, iCause, "")==0 ) return;
  p->aFrame[p->nFrame-1].bFlat = 1;
  p->nLevel--;
}

static void jsPrintHost(JsPrint *p, u32 iHost){
  char aName[64];
  kvBufLit(p->pOut, "[HostObject ");
  kvBufText(p->pOut, kvTypeName(p->pTree, iHost, aName));
  kvBufPut(p->pOut, ' ');
  if( jsPrintPush(p, JSPRINT_HOST, iHost, p->pTree->aNode[iHost].iChild, "]")==0 ) return;
  p->aFrame[p->nFrame-1].bFlat = 1;
}

/*
** Arrays.
*/

/* True for an array of a few scalars: it stays on one line. */
static int jsPrintIsShort(const KvTree *pTree, u32 iArr){
  const KvNode *aNode = pTree->aNode;
  u32 i = aNode[iArr].iChild, k, n = aNode[iArr].u.c.nElem;
  if( n>16 || aNode[iArr].u.c.nPair ) return 0;
  for(k=0; k<n; k++, i=aNode[i].iNext){
    if( aNode[i].eKind>KV_STRING || aNode[i].n>40 ) return 0;
  }
  return 1;
}

static void jsPrintArray(JsPrint *p, u32 iArr){
  const KvNode *pArr = &p->pTree->aNode[iArr];
  u32 nPresent, nIndex;
  JsPrintFrame *pFrame;
  if( pArr->n==0 && pArr->u.c.nPair==0 ){
    kvBufLit(p->pOut, "[]");
    return;
  }
  nPresent = kvPresentElements(p->pTree, pArr, &nIndex);
  if( (u64)(pArr->n - nPresent)>16 + 4*(u64)nPresent ){
    int bPairs = nPresent || pArr->u.c.nPair;
    kvBufText(p->pOut, bPairs ? "Object.assign(new Array(" : "new Array(");
    kvPrintInt(p->pOut, pArr->n);
    kvBufText(p->pOut, bPairs ? "),{" : ")");
    if( bPairs ) jsPrintPush(p, JSPRINT_PROPS, iArr, pArr->iChild, "})");
    return;
  }
  if( pArr->u.c.nPair>nIndex ) kvBufLit(p->pOut, "Object.assign(");
  kvBufPut(p->pOut, '[');
  pFrame = jsPrintPush(p, JSPRINT_ARRAY, iArr, pArr->iChild, pArr->u.c.nPair>nIndex ? "],{" : "]");
  if( pFrame==0 ) return;
  pFrame->bTail = pArr->u.c.nPair>nIndex;
  pFrame->bFlat = (u8)jsPrintIsShort(p->pTree, iArr);
}

/*
** Steps: print up to the next child and return it, 0 at the end.
*/

static u32 jsPrintStepObject(JsPrint *p, JsPrintFrame *pFrame){
  const KvNode *pKey = &p->pTree->aNode[pFrame->iNext];
  if( pFrame->iNext==0 ) return 0;
  jsPrintBefore(p, pFrame);
  if( pKey->eKind==KV_STRING && kvStringIs(pKey, "__proto__") ){
    kvBufLit(p->pOut, "[\"__proto__\"]");
  }else{
    kvPrintKey(p->pOut, pKey);
  }
  jsPrintColon(p);
  pFrame->iNext = p->pTree->aNode[pKey->iNext].iNext;
  return pKey->iNext;
}

/* Elements as "5":value, then the pairs that are no elements. */
static u32 jsPrintStepProps(JsPrint *p, JsPrintFrame *pFrame){
  u32 i = kvNextPresent(p->pTree, pFrame->iNode, &pFrame->iNext, &pFrame->iElem);
  if( i==KV_NO_NODE ) return jsPrintStepObject(p, pFrame);
  jsPrintBefore(p, pFrame);
  kvPrintIndex(p->pOut, pFrame->iElem-1);
  jsPrintColon(p);
  return i;
}

/* An element's value, the holes before it printed. */
static u32 jsPrintStepArray(JsPrint *p, JsPrintFrame *pFrame){
  const u32 n = p->pTree->aNode[pFrame->iNode].n;
  while( pFrame->k<n ){
    u32 i;
    jsPrintBefore(p, pFrame);
    i = kvNextElement(p->pTree, pFrame->iNode, &pFrame->iNext, &pFrame->iElem);
    if( i ) return i;
    if( pFrame->k==n ) kvBufPut(p->pOut, ',');   /* the last one is a hole */
  }
  if( !pFrame->bTail ) return 0;
  p->nLevel--;
  if( !pFrame->bFlat && pFrame->k ) jsPrintBreak(p);
  p->nLevel++;
  kvBufText(p->pOut, pFrame->zClose);
  pFrame->zClose = "})";
  pFrame->eForm = JSPRINT_OBJECT;
  pFrame->bFlat = 0;
  pFrame->k = 0;
  return jsPrintStepObject(p, pFrame);
}

static u32 jsPrintStepMap(JsPrint *p, JsPrintFrame *pFrame){
  u32 i = pFrame->iNext;
  if( i ) pFrame->iNext = p->pTree->aNode[i].iNext;
  if( pFrame->bHalf ){
    kvBufText(p->pOut, p->nIndent>0 ? ", " : ",");
  }else{
    if( pFrame->k ) kvBufPut(p->pOut, ']');
    if( i==0 ) return 0;
    jsPrintBefore(p, pFrame);
    kvBufPut(p->pOut, '[');
  }
  pFrame->bHalf ^= 1;
  return i;
}

/* Set, cause, host. */
static u32 jsPrintStepOne(JsPrint *p, JsPrintFrame *pFrame){
  u32 i = pFrame->iNext;
  if( i==0 ){
    if( pFrame->eForm==JSPRINT_CAUSE ){
      jsPrintErrorTail(p, pFrame->iNode, 1);
      p->nLevel++;                               /* as it didn't count */
    }
    return 0;
  }
  jsPrintBefore(p, pFrame);
  pFrame->iNext = pFrame->eForm==JSPRINT_SET ? p->pTree->aNode[i].iNext : 0;
  return i;
}

static void jsPrintStep(JsPrint *p){
  JsPrintFrame *pFrame = &p->aFrame[p->nFrame-1];
  u32 i;
  switch( pFrame->eForm ){
    case JSPRINT_OBJECT: i = jsPrintStepObject(p, pFrame); break;
    case JSPRINT_ARRAY:  i = jsPrintStepArray(p, pFrame); break;
    case JSPRINT_PROPS:  i = jsPrintStepProps(p, pFrame); break;
    case JSPRINT_MAP:    i = jsPrintStepMap(p, pFrame); break;
    default:         i = jsPrintStepOne(p, pFrame); break;
  }
  if( i ){
    jsPrintValue(p, i);
  }else{
    jsPrintPop(p);
  }
}

/* An OBJECT, MAP or SET: empty, or its beginning. */
static void jsPrintOpen(
  JsPrint *p, u8 eForm, u32 iNode,
  const char *zEmpty, const char *zOpen, const char *zClose
){
  u32 iFirst = p->pTree->aNode[iNode].iChild;
  kvBufText(p->pOut, iFirst ? zOpen : zEmpty);
  if( iFirst ) jsPrintPush(p, eForm, iNode, iFirst, zClose);
}

/* Print a value, of a container only the beginning. */
static void jsPrintValue(JsPrint *p, u32 iNode){
  const KvNode *pNode;
  iNode = kvDeref(p->pTree, iNode);
  if( jsPrintLabel(p, iNode) ) return;
  pNode = &p->pTree->aNode[iNode];
  switch( pNode->eKind ){
    case KV_NULL:   kvBufLit(p->pOut, "null"); break;
    case KV_BOOL:   kvBufText(p->pOut, pNode->n ? "true" : "false"); break;
    case KV_NUMBER: kvPrintNumber(p->pOut, pNode->u.r); break;
    case KV_BIGINT: jsPrintBigint(p, pNode); break;
    case KV_STRING: kvPrintString(p->pOut, pNode); break;
    case KV_OBJECT: jsPrintOpen(p, JSPRINT_OBJECT, iNode, "{}", "{", "}"); break;
    case KV_ARRAY:  jsPrintArray(p, iNode); break;
    case KV_MAP:    jsPrintOpen(p, JSPRINT_MAP, iNode, "new Map()", "new Map([", "])"); break;
    case KV_SET:    jsPrintOpen(p, JSPRINT_SET, iNode, "new Set()", "new Set([", "])"); break;
    case KV_DATE:   jsPrintDate(p, pNode->u.r); break;
    case KV_REGEXP: jsPrintRegexp(p, pNode); break;
    case KV_ERROR:  jsPrintError(p, iNode); break;
    case KV_BOXED:  jsPrintBoxed(p, pNode->iChild); break;
    case KV_BUFFER: jsPrintBuffer(p, iNode); break;
    case KV_VIEW:   jsPrintView(p, iNode); break;
    case KV_HOST:   jsPrintHost(p, iNode); break;
    case KV_U64:
      kvBufLit(p->pOut, "new Deno.KvU64(");
      kvPrintInt(p->pOut, pNode->u.u);
      kvBufLit(p->pOut, "n)");
      break;
    default:        kvBufLit(p->pOut, "undefined"); break;
  }
}

int kvJsPrint(KvTree *pTree, int nIndent, KvBuf *pOut, KvErr *pErr){
  JsPrint print;
  memset(&print, 0, sizeof(print));
  print.pTree = pTree;
  print.pOut = pOut;
  print.nIndent = nIndent;
  if( pTree->nRef ){
    u64 nByte = (u64)pTree->nNode*sizeof(u32);
    print.aLabel = kvRealloc(0, nByte);
    if( print.aLabel==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
    memset(print.aLabel, 0, (size_t)nByte);
  }
  jsPrintValue(&print, 0);
  while( print.nFrame && print.rc==KV_OK && pOut->eErr==KV_OK ) jsPrintStep(&print);
  kvFree(print.aFrame);
  kvFree(print.aLabel);
  if( print.rc==KV_OK ) print.rc = pOut->eErr;
  if( print.rc==KV_OK ) return KV_OK;
  return kvErrSet(pErr, print.rc, -1, print.rc==KV_TOOBIG ? "text too long" : "out of memory");
}
