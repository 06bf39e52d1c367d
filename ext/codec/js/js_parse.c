/*
** js_parse.c -- JavaScript literals and JSON text to a tree.
**
**    text      = value [';']
**    value     = 'undefined' | 'null' | 'true' | 'false'
**              | [sign] number | [sign] 'NaN' | [sign] 'Infinity' | ['-'] bigint
**              | string | '`' text without substitutions '`'
**              | '{' [ property {',' property} [','] ] '}'
**              | '[' [ element {',' element} ] ']'       (holes as in JavaScript)
**              | '/' regular expression '/' flags
**              | '(' value ')'
**              | ['new'] constructor '(' values ')'
**              | 'Object.assign(' values ')'
**              | view '.buffer' | buffer '.transferToImmutable()'
**              | '<ref *N>' value | '[Circular *N]' | console
**    property  = (word | string | number | '[' string or number ']') ':' value
**    element   = [value] | '<N empty items>' | key ':' value
**    console   = 'Map(' n ') {' {key '=>' value} '}' | 'Set(' n ') {' values '}'
**              | 'Uint8Array(' n ') [' elements ']'  (and the other views)
**              | '[Number: ' value ']'  (String, Boolean, BigInt, Deno.KvU64)
**              | 'ArrayBuffer { [Uint8Contents]: <' hex '>, byteLength: n' [','] '}'
**              | 'DataView { byteLength: n, byteOffset: n, buffer: ' ArrayBuffer [','] '}'
**              | 'Date { NaN }' | 'Invalid Date' | 2023-04-23T00:00:00.000Z
**              | '[Object: null prototype] {' ... '}'
**
** Constructors are those of js_call.c.  JSON text (RFC 8259) goes through the
** same engine with everything else switched off.
**
** What may not occur: identifiers, operators, spread, functions, calls of
** anything else; `[Error: 404]`, which is what the console prints for an Error
** without a stack (for one whose stack is just that, too), while an array's first
** property stands behind a space, `[ Error: 404 ]`; a plain `__proto__:` key,
** which sets the prototype in JavaScript; a label used before it is given; a
** reference to an object that didn't become part of the value (js_refs.c).
**
** Nothing is recursive: open constructs are frames on a stack of its own.
*/
#include "codec/js/js_parse.h"
#include "codec/js/js_call.h"
#include "codec/num/num.h"
#include "codec/value_order.h"

/* Make room for another frame. */
static int jspGrow(KvJsp *p, KvJsFrame *aSpace){
  u32 nNew = p->nFrameAlloc*2;
  KvJsFrame *aNew = kvRealloc(p->aFrame==aSpace ? 0 : p->aFrame, (u64)nNew*sizeof(KvJsFrame));
  if( aNew==0 ) return kvJspNoMem(p);
  if( p->aFrame==aSpace ) memcpy(aNew, aSpace, p->nFrame*sizeof(KvJsFrame));
  p->aFrame = aNew;
  p->nFrameAlloc = nNew;
  return KV_OK;
}

/* KvJsp with the frames that it starts with. */
typedef struct JspSpace JspSpace;
struct JspSpace {
  KvJsp jsp;
  KvJsFrame aFrame[24];
};

/* Open a construct.  0 when memory runs out. */
KvJsFrame *kvJspPush(KvJsp *p, u8 eFrame, const char *zAt){
  KvJsFrame *pFrame;
  if( p->nFrame>=p->nFrameAlloc && jspGrow(p, ((JspSpace*)p)->aFrame) ) return 0;
  pFrame = &p->aFrame[p->nFrame++];
  memset(pFrame, 0, sizeof(*pFrame));
  pFrame->eFrame = eFrame;
  pFrame->zAt = zAt;
  return pFrame;
}

/* Open a container whose node is made now. */
int kvJspOpen(KvJsp *p, u8 eFrame, u8 eKind, const char *zAt){
  u32 iNode = kvJspNode(p, eKind);
  KvJsFrame *pFrame;
  if( iNode==KV_NO_NODE ) return JSP_FAIL;
  pFrame = kvJspPush(p, eFrame, zAt);
  if( pFrame==0 ) return JSP_FAIL;
  pFrame->iNode = iNode;
  return JSP_VALUE;
}

static void jspLink(KvJsp *p, KvJsFrame *pFrame, u32 iNode){
  if( pFrame->iLast ){
    p->pTree->aNode[pFrame->iLast].iNext = iNode;
  }else{
    pFrame->iFirst = iNode;
  }
  pFrame->iLast = iNode;
}

int kvJspScalar(KvJsp *p, u8 eKind, u32 n){
  p->iVal = kvJspNode(p, eKind);
  if( p->iVal==KV_NO_NODE ) return JSP_FAIL;
  p->pTree->aNode[p->iVal].n = n;
  return JSP_DONE;
}

int kvJspNumber(KvJsp *p, double r){
  p->iVal = kvJspNode(p, KV_NUMBER);
  if( p->iVal==KV_NO_NODE ) return JSP_FAIL;
  p->pTree->aNode[p->iVal].u.r = r==r ? r : kvNaN();
  return JSP_DONE;
}

/*
** Brackets and braces.
*/

/* [Number: 1] and the like: the argument of a call up to the ']'. */
static int jspOpenBoxed(KvJsp *p, int eCall, const char *zAt){
  KvJsFrame *pFrame = kvJspPush(p, JSP_CALL, zAt);
  if( pFrame==0 ) return JSP_FAIL;
  pFrame->eCall = (u16)eCall;
  pFrame->cClose = ']';
  return JSP_VALUE;
}

/* "[X": a console form, or JSP_END for an ordinary array. */
static int jspBracketWord(KvJsp *p, const char *zAt){
  if( kvLexText(&p->lex, "[Circular *") ) return kvJsCircular(p, zAt);
  if( kvLexText(&p->lex, "[Number: ") ) return jspOpenBoxed(p, KV_CALL_NUMBER, zAt);
  if( kvLexText(&p->lex, "[String: ") ) return jspOpenBoxed(p, KV_CALL_STRING, zAt);
  if( kvLexText(&p->lex, "[Boolean: ") ) return jspOpenBoxed(p, KV_CALL_BOOLEAN, zAt);
  if( kvLexText(&p->lex, "[BigInt: ") ) return jspOpenBoxed(p, KV_CALL_OBJECT, zAt);
  if( kvLexText(&p->lex, "[Deno.KvU64: ") ) return jspOpenBoxed(p, KV_CALL_U64, zAt);
  if( kvLexText(&p->lex, "[HostObject ") ){
    kvErrSet(&p->lex.err, KV_REFUSED, zAt - p->lex.zStart,
        "host objects can't be made from text; copy the raw value instead");
    return JSP_FAIL;
  }
  return JSP_END;
}

static int jspElement(KvJsp *p);
static int jspKey(KvJsp *p);

static int jspBracket(KvJsp *p){
  const char *zAt = p->lex.z;
  if( !p->bJson && p->lex.zEnd-zAt>2 && zAt[1]>='A' && zAt[1]<='Z' ){
    int e;
    if( kvLexText(&p->lex, "[Object: null prototype]") ){
      if( kvJspSpace(p) ) return JSP_FAIL;
      if( kvJspPeek(p)!='{' ) return kvJspError(p, p->lex.z, "expected {...}");
      return JSP_VALUE;
    }
    e = jspBracketWord(p, zAt);
    if( e!=JSP_END ) return e;
  }
  p->lex.z++;
  if( kvJspOpen(p, JSP_ARRAY, KV_ARRAY, zAt)==JSP_FAIL ) return JSP_FAIL;
  return jspElement(p);
}

static int jspBrace(KvJsp *p){
  const char *zAt = p->lex.z++;
  if( kvJspOpen(p, JSP_OBJECT, KV_OBJECT, zAt)==JSP_FAIL ) return JSP_FAIL;
  return jspKey(p);
}

/* Close the top frame, whose node is complete. */
static int jspClose(KvJsp *p, u32 n){
  KvJsFrame *pFrame = kvJspTop(p);
  KvNode *pNode = &p->pTree->aNode[pFrame->iNode];
  pNode->iChild = pFrame->iFirst;
  pNode->n = n;
  p->iVal = pFrame->iNode;
  p->nFrame--;
  return JSP_DONE;
}

static int jspCloseArray(KvJsp *p){
  KvJsFrame *pFrame = kvJspTop(p);
  KvNode *pNode = &p->pTree->aNode[pFrame->iNode];
  const char *zAt = pFrame->zAt;
  u32 iPair = 0, nPair = pFrame->nPair;
  pNode->u.c.nElem = pFrame->n;
  if( pFrame->m>0xffffffffu ) return kvJspError(p, zAt, "array too long");
  if( nPair ){
    u32 *piLink = pFrame->iElem ? &p->pTree->aNode[pFrame->iElem].iNext : &pFrame->iFirst;
    iPair = *piLink;
    *piLink = 0;
  }
  jspClose(p, (u32)pFrame->m);
  if( nPair && kvJsArrayPairs(p, zAt, p->iVal, iPair, nPair) ) return JSP_FAIL;
  return JSP_DONE;
}

static int jspCloseObject(KvJsp *p){
  KvJsFrame *pFrame = kvJspTop(p);
  u32 n = pFrame->n;
  if( pFrame->bOrder && kvTreeOrderPairs(p->pTree, &pFrame->iFirst, &n, 1) ){
    kvJspNoMem(p);
    return JSP_FAIL;
  }
  return jspClose(p, n);
}

/* End of a Map or Set in the console's form. */
static int jspCloseMap(KvJsp *p){
  KvJsFrame *pFrame = kvJspTop(p);
  if( pFrame->bCount && pFrame->nClaim!=pFrame->n ){
    return kvJspError(p, pFrame->zAt, "the size in parentheses isn't the number of entries");
  }
  jspClose(p, pFrame->n);
  return kvJsUnique(p, p->iVal) ? JSP_FAIL : JSP_DONE;
}

/* .buffer and .transferToImmutable() behind a value. */
int kvJspSuffix(KvJsp *p){
  KvTree *pTree = p->pTree;
  for(;;){
    const char *zAt;
    KvNode *pNode = &pTree->aNode[p->iVal];
    if( pNode->eKind!=KV_VIEW && pNode->eKind!=KV_BUFFER ) return JSP_DONE;
    if( kvJspSpace(p) ) return JSP_FAIL;
    zAt = p->lex.z;
    if( !kvJspAccept(p, '.') ) return JSP_DONE;
    if( pNode->eKind==KV_VIEW && kvLexWord(&p->lex, "buffer") ){
      p->iVal = pNode->iChild;
      if( pTree->aNode[p->iVal].eKind==KV_REF ) return JSP_DONE;
    }else if( pNode->eKind==KV_BUFFER && kvLexWord(&p->lex, "transferToImmutable")
           && kvJspAccept(p, '(') && kvJspAccept(p, ')')
    ){
      pNode->eSub = KV_BUF_IMMUTABLE;
      pNode->iChild = 0;
    }else{
      return kvJspError(p, zAt, "only .buffer of a view and .transferToImmutable() of a buffer can follow");
    }
  }
}

/* Evaluate the call that is the top frame. */
int kvJspCloseCall(KvJsp *p){
  KvJsFrame frame = *kvJspTop(p);
  p->nFrame--;
  if( frame.bCount && (frame.n!=1 || p->pTree->aNode[frame.iFirst].n!=frame.nClaim) ){
    return kvJspError(p, frame.zAt, "the length in parentheses isn't the number of elements");
  }
  if( kvJsCall(p, frame.eCall, frame.zAt, frame.iFirst, frame.n) ) return JSP_FAIL;
  return frame.cClose==']' ? JSP_DONE : kvJspSuffix(p);
}

/*
** A property key: [expression] in an object.
*/

/* Make a STRING node of the number just read, or leave it, if an index. */
static int jspNumberKey(KvJsp *p){
  KvNode *pNode = &p->pTree->aNode[p->iVal];
  if( pNode->eKind==KV_NUMBER && pNode->u.r>=0.0 && pNode->u.r<=4294967294.0
   && pNode->u.r==(double)(u32)pNode->u.r
  ){
    pNode->u.r += 0.0;
    return JSP_DONE;
  }
  p->iVal = kvJsToString(p, p->iVal);
  return p->iVal==KV_NO_NODE ? JSP_FAIL : JSP_DONE;
}

static int jspComputedKey(KvJsp *p){
  const char *zAt = p->lex.z++;
  u8 c;
  if( kvJspSpace(p) ) return JSP_FAIL;
  c = kvJspPeek(p);
  if( c=='"' || c=='\'' || c=='`' ){
    if( kvJspReadString(p)==JSP_FAIL ) return JSP_FAIL;
  }else if( kvJspIsDigit(c) || c=='.' || c=='-' || c=='+' ){
    if( kvJspReadNumber(p)==JSP_FAIL ) return JSP_FAIL;
    if( p->pTree->aNode[p->iVal].eKind==KV_DATE ) return kvJspError(p, zAt, "expected a string or number");
    if( jspNumberKey(p)==JSP_FAIL ) return JSP_FAIL;
  }else{
    return kvJspError(p, p->lex.z, "a computed property name must be a string or a number");
  }
  if( !kvJspAccept(p, ']') ) return kvJspError(p, p->lex.z, "expected ]");
  return JSP_DONE;
}

/* True if key iKey was in this object before.  (Looks at a few keys only.) */
static int jspKeySeen(const KvJsp *p, const KvJsFrame *pFrame, const KvNode *pKey){
  const KvNode *aNode = p->pTree->aNode;
  u32 i;
  if( pFrame->n>24 ) return 1;
  for(i=pFrame->iFirst; i; i=aNode[aNode[i].iNext].iNext){
    if( aNode[i].n==pKey->n && (pKey->n==0 || memcmp(aNode[i].u.p, pKey->u.p, pKey->n)==0) ) return 1;
  }
  return 0;
}

/* Link the key p->iVal: note whether the pairs will have to be ordered. */
static void jspAddKey(KvJsp *p, KvJsFrame *pFrame){
  const KvNode *pKey = &p->pTree->aNode[p->iVal];
  if( !pFrame->bOrder ){
    u32 h = pKey->n;
    if( pKey->eKind!=KV_STRING || (h && kvJspIsDigit(pKey->u.p[0])) ){
      pFrame->bOrder = 1;
    }else{
      u64 mBit;
      if( h ) h = h*7 + pKey->u.p[0] + pKey->u.p[h-1]*5u + pKey->u.p[h/2]*3u;
      mBit = (u64)1<<(h&63);
      if( (pFrame->m & mBit) && jspKeySeen(p, pFrame, pKey) ) pFrame->bOrder = 1;
      pFrame->m |= mBit;
    }
  }
  jspLink(p, pFrame, p->iVal);
}

#define JSP_PROTO "__proto__: sets the prototype in JavaScript;" \
                  " write [\"__proto__\"]: for a property of that name"

/* A key that isn't in double quotes. */
static int jspKeySlow(KvJsp *p){
  const u8 c = kvJspPeek(p);
  u32 n;
  if( c=='[' ) return jspComputedKey(p);
  if( c=='\'' ) return kvJspReadString(p);
  if( kvJspIsDigit(c) || c=='.' ){
    const char *zAt = p->lex.z;
    if( kvLexText(&p->lex, "...") ) return kvJspError(p, zAt, "spread is not evaluated");
    if( kvJspReadNumber(p)==JSP_FAIL ) return JSP_FAIL;
    if( p->pTree->aNode[p->iVal].eKind==KV_DATE ) return kvJspError(p, zAt, "expected a property name");
    return jspNumberKey(p);
  }
  n = kvJspWordLength(p);
  if( n==0 ) return kvJspError(p, p->lex.z, "expected a property name or }");
  p->iVal = kvJspString(p, kvBytes(p->lex.z, n));
  p->lex.z += n;
  return p->iVal==KV_NO_NODE ? JSP_FAIL : JSP_DONE;
}

/* Behind '{' or ',' in an object: '}', or a key and its ':'. */
static int jspKey(KvJsp *p){
  const char *zAt;
  const KvNode *pKey;
  if( kvJspSpace(p) ) return JSP_FAIL;
  zAt = p->lex.z;
  if( kvJspPeek(p)=='"' ){
    if( kvJspReadString(p)==JSP_FAIL ) return JSP_FAIL;
  }else if( kvJspPeek(p)=='}' && (!p->bJson || kvJspTop(p)->n==0) ){
    p->lex.z++;
    return jspCloseObject(p);
  }else if( p->bJson ){
    return kvJspError(p, zAt, "expected a property name in double quotes");
  }else if( jspKeySlow(p)==JSP_FAIL ){
    return JSP_FAIL;
  }
  pKey = &p->pTree->aNode[p->iVal];
  if( !p->bJson && pKey->n==9 && pKey->eKind==KV_STRING && *zAt!='['
   && memcmp(pKey->u.p, "__proto__", 9)==0
  ){
    return kvJspError(p, zAt, JSP_PROTO);
  }
  jspAddKey(p, kvJspTop(p));
  if( !kvJspAccept(p, ':') ) return kvJspError(p, p->lex.z, "expected : after the property name");
  return JSP_VALUE;
}

/*
** Elements of an array.
*/

/* n more holes. */
static int jspHoles(KvJsp *p, KvJsFrame *pFrame, u64 n){
  if( pFrame->m==pFrame->n && n<=16 ){           /* still all elements */
    for(; n>0; n--){
      u32 i = kvJspAdd(p, KV_HOLE);
      if( i==KV_NO_NODE ) return JSP_FAIL;
      jspLink(p, pFrame, i);
      pFrame->iElem = i;
      pFrame->n++;
      pFrame->m++;
    }
  }
  pFrame->m += n;
  if( pFrame->m>0xffffffffu ) return kvJspError(p, p->lex.z, "an array has at most 4294967295 elements");
  return JSP_DONE;
}

/* <3 empty items> */
static int jspEmptyItems(KvJsp *p){
  const char *zAt = p->lex.z++;
  u64 v = 0;
  while( kvJspIsDigit(kvJspPeek(p)) && v<((u64)1<<33) ) v = v*10 + (u64)(*p->lex.z++ - '0');
  if( v==0 || !(kvLexText(&p->lex, " empty items>") || kvLexText(&p->lex, " empty item>")) ){
    return kvJspError(p, zAt, "expected <N empty items>");
  }
  if( kvJspTop(p)->bOrder ){
    return kvJspError(p, zAt, "elements can't come after properties");
  }
  if( jspHoles(p, kvJspTop(p), v)==JSP_FAIL ) return JSP_FAIL;
  if( kvJspAccept(p, ',') ) return jspElement(p);
  if( !kvJspAccept(p, ']') ) return kvJspError(p, p->lex.z, "expected , or ]");
  return jspCloseArray(p);
}

/* Behind '[' or ',' in an array. */
static int jspElement(KvJsp *p){
  for(;;){
    u8 c;
    if( kvJspSpace(p) ) return JSP_FAIL;
    c = kvJspPeek(p);
    if( c==']' ){
      if( p->bJson && kvJspTop(p)->n ) return kvJspError(p, p->lex.z, "expected a value after the comma");
      p->lex.z++;
      return jspCloseArray(p);
    }
    if( p->bJson ) return JSP_VALUE;
    if( c=='<' && p->lex.zEnd-p->lex.z>1 && kvJspIsDigit((u8)p->lex.z[1]) ) return jspEmptyItems(p);
    if( c!=',' ) return JSP_VALUE;
    if( kvJspTop(p)->bOrder ) return kvJspError(p, p->lex.z, "elements can't come after properties");
    p->lex.z++;
    if( jspHoles(p, kvJspTop(p), 1)==JSP_FAIL ) return JSP_FAIL;
  }
}

/* "x": in an array: the value just read becomes the key of a property. */
static int jspArrayKey(KvJsp *p, KvJsFrame *pFrame){
  KvNode *aNode = p->pTree->aNode;
  u32 iKey = p->iVal;
  if( aNode[iKey].eKind==KV_ARRAY && aNode[iKey].n==1 && aNode[iKey].u.c.nElem==1
   && aNode[iKey].u.c.nPair==0
  ){
    iKey = aNode[iKey].iChild;                   /* ["__proto__"]: */
  }
  if( aNode[iKey].eKind!=KV_STRING ) return kvJspError(p, p->lex.z, "expected , or ]");
  p->lex.z++;
  jspLink(p, pFrame, iKey);
  pFrame->bHalf = 1;
  return JSP_VALUE;
}

/* An index too far away to fill the gap with holes: a pair. */
static int jspFarElement(KvJsp *p, KvJsFrame *pFrame){
  u32 i = kvJspAdd(p, KV_NUMBER);
  if( i==KV_NO_NODE ) return JSP_FAIL;
  p->pTree->aNode[i].u.r = (double)pFrame->m;
  jspLink(p, pFrame, i);
  jspLink(p, pFrame, p->iVal);
  pFrame->nPair++;
  pFrame->m++;
  return JSP_DONE;
}

static int jspInArray(KvJsp *p, KvJsFrame *pFrame){
  if( kvJspSpace(p) ) return JSP_FAIL;
  if( kvJspPeek(p)==':' && !p->bJson && !pFrame->bHalf ) return jspArrayKey(p, pFrame);
  if( pFrame->bHalf ){
    jspLink(p, pFrame, p->iVal);
    pFrame->bHalf = 0;
    pFrame->bOrder = 1;                          /* properties have begun */
    pFrame->nPair++;
  }else if( pFrame->bOrder ){
    return kvJspError(p, p->lex.z, "elements can't come after properties");
  }else if( pFrame->m!=pFrame->n ){
    if( jspFarElement(p, pFrame)==JSP_FAIL ) return JSP_FAIL;
  }else{
    jspLink(p, pFrame, p->iVal);
    pFrame->iElem = p->iVal;
    pFrame->n++;
    pFrame->m++;
  }
  if( kvJspPeek(p)==',' ){
    p->lex.z++;
    return jspElement(p);
  }
  if( kvJspPeek(p)!=']' ) return kvJspError(p, p->lex.z, "expected , or ]");
  p->lex.z++;
  return jspCloseArray(p);
}

static int jspInObject(KvJsp *p, KvJsFrame *pFrame){
  jspLink(p, pFrame, p->iVal);
  pFrame->n++;
  if( kvJspSpace(p) ) return JSP_FAIL;
  if( kvJspPeek(p)==',' ){
    p->lex.z++;
    return jspKey(p);
  }
  if( kvJspPeek(p)!='}' ) return kvJspError(p, p->lex.z, "expected , or }");
  p->lex.z++;
  return jspCloseObject(p);
}

/* In Map { k => v } and Set { v }. */
static int jspInMap(KvJsp *p, KvJsFrame *pFrame){
  jspLink(p, pFrame, p->iVal);
  if( pFrame->eFrame==JSP_MAP && !pFrame->bHalf ){
    if( kvJspSpace(p) ) return JSP_FAIL;
    if( !kvLexText(&p->lex, "=>") ) return kvJspError(p, p->lex.z, "expected =>");
    pFrame->bHalf = 1;
    return JSP_VALUE;
  }
  pFrame->bHalf = 0;
  pFrame->n++;
  if( kvJspAccept(p, ',') ) return JSP_VALUE;
  if( !kvJspAccept(p, '}') ) return kvJspError(p, p->lex.z, "expected , or }");
  return jspCloseMap(p);
}

static int jspInCall(KvJsp *p, KvJsFrame *pFrame){
  jspLink(p, pFrame, p->iVal);
  pFrame->n++;
  if( pFrame->cClose==0 ) return kvJspCloseCall(p);
  if( pFrame->cClose==')' && kvJspAccept(p, ',') ) return JSP_VALUE;
  if( !kvJspAccept(p, pFrame->cClose) ){
    return kvJspError(p, p->lex.z, pFrame->cClose==')' ? "expected , or )" : "expected ]");
  }
  return kvJspCloseCall(p);
}

/* Inside of something else a KvU64 is stored as the object {value: 42n}. */
static int jspPlainU64(KvJsp *p){
  u32 iKey = kvJspString(p, kvBytesText("value"));
  u32 iVal = iKey==KV_NO_NODE ? iKey : kvJspAdd(p, KV_BIGINT);
  u8 *a = kvTreeSpace(p->pTree, 8);
  KvNode *pNode;
  u32 n = 8;
  if( iVal==KV_NO_NODE || a==0 ){
    kvJspNoMem(p);
    return JSP_FAIL;
  }
  pNode = &p->pTree->aNode[p->iVal];
  kvPut64le(a, pNode->u.u);
  while( n>0 && a[n-1]==0 ) n--;
  pNode->eKind = KV_OBJECT;
  pNode->n = 1;
  pNode->iChild = iKey;
  pNode->u.u = 0;
  p->pTree->aNode[iKey].iNext = iVal;
  p->pTree->aNode[iKey].mFlags = KVN_ASCII;
  p->pTree->aNode[iVal].n = n;
  p->pTree->aNode[iVal].u.p = a;
  return JSP_DONE;
}

/* Give the value that is complete to the construct that it is in. */
static int jspDeliver(KvJsp *p){
  KvJsFrame *pFrame = kvJspTop(p);
  if( pFrame==0 ) return JSP_END;
  if( p->pTree->aNode[p->iVal].eKind==KV_U64 && pFrame->eFrame!=JSP_GROUP
   && jspPlainU64(p)==JSP_FAIL
  ){
    return JSP_FAIL;
  }
  switch( pFrame->eFrame ){
    case JSP_ARRAY:  return jspInArray(p, pFrame);
    case JSP_OBJECT: return jspInObject(p, pFrame);
    case JSP_CALL:   return jspInCall(p, pFrame);
    case JSP_LABEL:  return kvJsLabelled(p, pFrame);
    case JSP_GROUP:
      if( !kvJspAccept(p, ')') ) return kvJspError(p, p->lex.z, "expected )");
      p->nFrame--;
      return kvJspSuffix(p);
    default:         return jspInMap(p, pFrame);
  }
}

/* A ')' or '}' where a value might stand: the end of a call, Map or Set. */
static int jspEarlyEnd(KvJsp *p, u8 c){
  KvJsFrame *pFrame = kvJspTop(p);
  if( pFrame==0 ) return JSP_END;
  if( c==')' && pFrame->eFrame==JSP_CALL && pFrame->cClose==')' ){
    p->lex.z++;
    return kvJspCloseCall(p);
  }
  if( c=='}' && (pFrame->eFrame==JSP_MAP || pFrame->eFrame==JSP_SET) && !pFrame->bHalf ){
    p->lex.z++;
    return jspCloseMap(p);
  }
  return JSP_END;
}

static int jspValueJs(KvJsp *p, u8 c){
  int e;
  switch( c ){
    case '\'': case '`': return kvJspReadString(p);
    case '-': case '+': case '.':
      if( kvLexText(&p->lex, "...") ) return kvJspError(p, p->lex.z-3, "spread is not evaluated");
      return kvJspReadNumber(p);
    case '/': return kvJspReadRegexp(p);
    case '<': return kvJsLabel(p);
    case '(':
      if( kvJspPush(p, JSP_GROUP, p->lex.z)==0 ) return JSP_FAIL;
      p->lex.z++;
      return JSP_VALUE;
    case ')': case '}':
      e = jspEarlyEnd(p, c);
      if( e!=JSP_END ) return e;
      /* fall through */
    default: return kvJspReadWord(p);
  }
}

static int jspValueJson(KvJsp *p, u8 c){
  if( c=='-' ) return kvJspReadJson(p);
  if( kvLexText(&p->lex, "null") ) return kvJspScalar(p, KV_NULL, 0);
  if( kvLexText(&p->lex, "true") ) return kvJspScalar(p, KV_BOOL, 1);
  if( kvLexText(&p->lex, "false") ) return kvJspScalar(p, KV_BOOL, 0);
  return kvJspError(p, p->lex.z, "expected a JSON value");
}

static int jspValue(KvJsp *p){
  u8 c;
  if( kvJspSpace(p) ) return JSP_FAIL;
  if( p->lex.z>=p->lex.zEnd ) return kvJspError(p, p->lex.z, "unexpected end of the text");
  c = (u8)*p->lex.z;
  if( c=='"' ) return kvJspReadString(p);
  if( kvJspIsDigit(c) ) return kvJspReadDigit(p);
  if( c=='{' ) return jspBrace(p);
  if( c=='[' ) return jspBracket(p);
  return p->bJson ? jspValueJson(p, c) : jspValueJs(p, c);
}

/* There is more text at the cursor, behind the value. */
static int jspAfter(KvJsp *p){
  const char *z = p->lex.z;
  return kvLexError(&p->lex, z, !p->bJson && strchr("+-*/%<>=&|^?.([`", *z) && *z
      ? "unexpected text after the value: JS text is one literal, and operators, properties and calls "
        "are not evaluated"
      : "unexpected text after the value");
}

/* Behind the value: nothing but space and one ';'.  Then node 0 is the root. */
static int jspFinish(KvJsp *p){
  KvTree *pTree = p->pTree;
  u32 iRoot = p->iVal;
  if( kvJspSpace(p) ) return p->lex.err.eCode;
  if( !p->bJson && kvJspAccept(p, ';') && kvJspSpace(p) ) return p->lex.err.eCode;
  if( p->lex.z<p->lex.zEnd ) return jspAfter(p);
  if( iRoot!=0 ){
    pTree->aNode[0] = pTree->aNode[iRoot];
    if( iRoot==pTree->nNode-1 ) pTree->nNode--;
  }
  return p->nDef ? kvJsResolve(p, iRoot) : KV_OK;
}

static int jspRun(KvTree *pTree, KvBytes text, int bJson, int bDigits, KvErr *pErr){
  JspSpace space;
  KvJsp *p = &space.jsp;
  int e = JSP_VALUE, rc;
  memset(p, 0, sizeof(*p));
  kvLexInit(&p->lex, text);
  p->pTree = pTree;
  p->bJson = (u8)bJson;
  p->bDigits = (u8)bDigits;
  p->aFrame = space.aFrame;
  p->nFrameAlloc = sizeof(space.aFrame)/sizeof(space.aFrame[0]);
  if( kvJspAdd(p, KV_UNDEFINED)!=0 ) e = JSP_FAIL;
  while( e<JSP_END ) e = e==JSP_VALUE ? jspValue(p) : jspDeliver(p);
  rc = e==JSP_END ? jspFinish(p) : p->lex.err.eCode;
  if( rc!=KV_OK && pErr ) *pErr = p->lex.err;
  if( p->aFrame!=space.aFrame ) kvFree(p->aFrame);
  kvJsRefsClear(p);
  return rc;
}

int kvJsParse(KvTree *p, KvBytes text, KvErr *pErr){
  return jspRun(p, text, 0, 0, pErr);
}

int kvJsonParse(KvTree *p, KvBytes text, KvErr *pErr){
  return jspRun(p, text, 1, 0, pErr);
}

int kvJsonParseDigits(KvTree *p, KvBytes text, KvErr *pErr){
  return jspRun(p, text, 1, 1, pErr);
}
