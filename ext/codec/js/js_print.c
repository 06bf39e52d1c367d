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
** Nothing is recursive (see print_walk.h).
*/
#include "codec/js/js_print.h"
#include "bytes/memory.h"
#include "bytes/utf.h"
#include "codec/names.h"
#include "codec/print.h"
#include "codec/print_walk.h"
#include "codec/regexp/regexp.h"
#include "codec/view.h"

static void jsPrintValue(KvPrint *p, u32 iNode);

static void jsPrintBigint(KvPrint *p, const KvNode *pNode){
  kvPrintBigint(p->pOut, pNode);
  kvBufPut(p->pOut, 'n');
}

/*
** Buffers and views.
*/

static int jsPrintAllZero(const u8 *a, u32 n){
  u32 i;
  for(i=0; i<n; i++) if( a[i] ) return 0;
  return 1;
}

/* The label of a shared object.  True if it has been printed before. */
static int jsPrintLabel(KvPrint *p, u32 iNode){
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

static void jsPrintBuffer(KvPrint *p, u32 iBuf){
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
    kvPrintBytes(p->pOut, kvNodeBytes(pBuf));
    kvBufLit(p->pOut, ").buffer");
    return;
  }
  if( bZero && (pBuf->n>16 || pBuf->n==0) ){
    kvBufLit(p->pOut, "new ArrayBuffer(");
    kvPrintInt(p->pOut, pBuf->n);
    kvBufPut(p->pOut, ')');
  }else{
    kvBufLit(p->pOut, "new Uint8Array(");
    kvPrintBytes(p->pOut, kvNodeBytes(pBuf));
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

static void jsPrintView(KvPrint *p, u32 iView){
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
      kvPrintBytes(p->pOut, kvNodeBytes(pBuf));
    }else{
      kvPrintElements(p, iView);
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

static void jsPrintRegexp(KvPrint *p, const KvNode *pNode){
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

static void jsPrintDate(KvPrint *p, double r){
  kvBufLit(p->pOut, "new Date(");
  if( r!=r ) kvBufLit(p->pOut, "NaN");
  else kvPrintDate(p->pOut, r);
  kvBufPut(p->pOut, ')');
}

static void jsPrintBoxed(KvPrint *p, u32 iPrim){
  switch( p->pTree->aNode[iPrim].eKind ){
    case KV_BOOL:   kvBufLit(p->pOut, "new Boolean("); break;
    case KV_NUMBER: kvBufLit(p->pOut, "new Number("); break;
    case KV_STRING: kvBufLit(p->pOut, "new String("); break;
    default:        kvBufLit(p->pOut, "Object("); break;
  }
  jsPrintValue(p, iPrim);                  /* a primitive: prints it and returns */
  kvBufPut(p->pOut, ')');
}

/* What stands after the message and the cause. */
static void jsPrintErrorTail(KvPrint *p, u32 iErr){
  u32 iStack = kvErrorChild(p->pTree, iErr, KV_ERR_STACK);
  kvBufPut(p->pOut, ')');
  if( iStack ){
    kvBufLit(p->pOut, ",{\"stack\":");
    kvPrintString(p->pOut, &p->pTree->aNode[iStack]);
    kvBufLit(p->pOut, "})");
  }
}

static void jsPrintError(KvPrint *p, u32 iErr){
  KvTree *pTree = p->pTree;
  u32 iMsg = kvErrorChild(pTree, iErr, KV_ERR_MESSAGE);
  u32 iCause = kvErrorChild(pTree, iErr, KV_ERR_CAUSE);
  KvPrintFrame *pFrame;
  if( pTree->aNode[iErr].n & KV_ERR_STACK ) kvBufLit(p->pOut, "Object.assign(");
  kvBufLit(p->pOut, "new ");
  kvBufText(p->pOut, kvErrorName(pTree->aNode[iErr].eSub));
  kvBufPut(p->pOut, '(');
  if( iMsg ) kvPrintString(p->pOut, &pTree->aNode[iMsg]);
  if( iCause==0 ){
    jsPrintErrorTail(p, iErr);
    return;
  }
  if( iMsg==0 ) kvBufLit(p->pOut, "undefined");
  pFrame = kvPrintPush(p, KV_PRINT_ONE, iErr, 0, ",{\"cause\":", "}");
  if( pFrame==0 ) return;
  pFrame->iNext = iCause;
  pFrame->bFlat = 1;
  p->nLevel--;
}

static void jsPrintHost(KvPrint *p, u32 iHost){
  KvPrintFrame *pFrame;
  char aName[64];
  kvBufLit(p->pOut, "[HostObject ");
  kvBufText(p->pOut, kvTypeName(p->pTree, iHost, aName));
  pFrame = kvPrintPush(p, KV_PRINT_ONE, iHost, 0, " ", "]");
  if( pFrame ) pFrame->bFlat = 1;
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

static void jsPrintArray(KvPrint *p, u32 iArr){
  const KvNode *pArr = &p->pTree->aNode[iArr];
  u32 nPresent, nIndex;
  KvPrintFrame *pFrame;
  int bTail;
  if( pArr->n==0 && pArr->u.c.nPair==0 ){
    kvBufLit(p->pOut, "[]");
    return;
  }
  nPresent = kvPresentElements(p->pTree, pArr, &nIndex);
  if( (u64)(pArr->n - nPresent)>16 + 4*(u64)nPresent ){
    int bPairs = nPresent || pArr->u.c.nPair;
    kvBufText(p->pOut, bPairs ? "Object.assign(new Array(" : "new Array(");
    kvPrintInt(p->pOut, pArr->n);
    if( bPairs ) kvPrintPush(p, KV_PRINT_PROPS, iArr, 0, "),{", "})");
    else kvBufPut(p->pOut, ')');
    return;
  }
  bTail = pArr->u.c.nPair>nIndex;
  if( bTail ) kvBufLit(p->pOut, "Object.assign(");
  pFrame = kvPrintPush(p, KV_PRINT_LIST, iArr, 0, "[", bTail ? "],{" : "]");
  if( pFrame==0 ) return;
  pFrame->bTail = (u8)bTail;
  pFrame->bFlat = (u8)jsPrintIsShort(p->pTree, iArr);
}

/* An OBJECT, MAP or SET: empty, or its beginning. */
static void jsPrintOpen(
  KvPrint *p, u8 eForm, u32 iNode,
  const char *zEmpty, const char *zOpen, const char *zClose
){
  if( p->pTree->aNode[iNode].iChild ) kvPrintPush(p, eForm, iNode, 0, zOpen, zClose);
  else kvBufText(p->pOut, zEmpty);
}

/* Print a value, of a container only the beginning. */
static void jsPrintValue(KvPrint *p, u32 iNode){
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
    case KV_OBJECT: jsPrintOpen(p, KV_PRINT_OBJECT, iNode, "{}", "{", "}"); break;
    case KV_ARRAY:  jsPrintArray(p, iNode); break;
    case KV_MAP:    jsPrintOpen(p, KV_PRINT_MAP, iNode, "new Map()", "new Map([", "])"); break;
    case KV_SET:    jsPrintOpen(p, KV_PRINT_LIST, iNode, "new Set()", "new Set([", "])"); break;
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

static void jsPrintStep(KvPrint *p){
  const u32 iNode = p->aFrame[p->nFrame-1].iNode, i = kvPrintNext(p);
  if( i ){
    jsPrintValue(p, i);
  }else if( p->pTree->aNode[iNode].eKind==KV_ERROR ){
    jsPrintErrorTail(p, iNode);
    p->nLevel++;                                 /* as it didn't count */
  }
}

int kvJsPrint(KvTree *pTree, int nIndent, KvBuf *pOut, KvErr *pErr){
  KvPrint print;
  memset(&print, 0, sizeof(print));
  print.pTree = pTree;
  print.pOut = pOut;
  print.nIndent = nIndent;
  if( pTree->nRef ){
    print.aLabel = kvZeroed((u64)pTree->nNode*sizeof(u32));
    if( print.aLabel==0 ) return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
  }
  jsPrintValue(&print, 0);
  while( kvPrintMore(&print) ) jsPrintStep(&print);
  return kvPrintEnd(&print, pErr);
}
