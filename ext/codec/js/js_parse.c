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
**              | '<ref *N>' value | '[Circular *N]'
**    property  = (word | string | number | '[' string or number ']') ':' value
**    element   = [value]
**
** Constructors are those of js_call.c.  JSON text (RFC 8259) goes through the
** same engine with everything else switched off.
**
** What may not occur: identifiers, operators, spread, functions, calls of
** anything else; what only a console prints, such as Map(2) {...}, Uint8Array(3) [...],
** [Object: null prototype] {...}, [Error: 404] and a date without quotes; a plain
** `__proto__:` key, which sets the prototype in JavaScript; a label used before it is
** given; a reference to an object that didn't become part of the value (js_refs.c).
**
** Nothing is recursive: open constructs are frames on a stack of its own.
*/
#include "codec/js/js_parse.h"
#include "codec/num/num.h"
#include "codec/js/js_call.h"
#include "codec/js/js_convert.h"
#include "codec/js/js_refs.h"
#include "codec/js/js_word.h"
#include "codec/value_check.h"
#include "codec/value_order.h"

static void parseLink(KvJsp *p, KvJsFrame *pFrame, u32 iNode){
  if( pFrame->iLast ){
    p->pTree->aNode[pFrame->iLast].iNext = iNode;
  }else{
    pFrame->iFirst = iNode;
  }
  pFrame->iLast = iNode;
}

static u8 parseNoSeparator(KvJsp *p, u8 cClose){
  kvLexError(&p->lex, p->lex.z, cClose==']' ? "expected , or ]"
                              : cClose=='}' ? "expected , or }" : "expected , or )");
  return 0;
}

/* After a part: ',' or the closing byte, which is consumed; 0 after an error. */
KV_INLINE u8 parseSeparator(KvJsp *p, u8 cClose){
  u8 c;
  if( kvJspSpace(p) ) return 0;
  c = kvJspPeek(p);
  if( c!=',' && c!=cClose ) return parseNoSeparator(p, cClose);
  p->lex.z++;
  return c;
}

/*
** The end of a construct.
*/

/* Close the top frame, whose node is complete. */
static int parseClose(KvJsp *p, u32 n){
  KvJsFrame *pFrame = kvJspTop(p);
  KvNode *pNode = &p->pTree->aNode[pFrame->iNode];
  pNode->iChild = pFrame->iFirst;
  pNode->n = n;
  p->iVal = pFrame->iNode;
  kvJspPop(p);
  return JSP_DONE;
}

static int parseCloseArray(KvJsp *p){
  KvJsFrame *pFrame = kvJspTop(p);
  p->pTree->aNode[pFrame->iNode].u.c.nElem = pFrame->n;
  return parseClose(p, pFrame->n);
}

static int parseCloseObject(KvJsp *p){
  KvJsFrame *pFrame = kvJspTop(p);
  u32 n = pFrame->n;
  if( kvTreeOrderPairs(p->pTree, &pFrame->iFirst, &n, 1) ) return kvJspNoMem(p);
  return parseClose(p, n);
}

/* .buffer and .transferToImmutable() after a value. */
static int parseSuffix(KvJsp *p){
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
      return kvJspError(p, zAt,
          "only .buffer of a view and .transferToImmutable() of a buffer can follow");
    }
  }
}

/* Evaluate the call that is the top frame. */
static int parseCloseCall(KvJsp *p){
  const KvJsFrame frame = *kvJspTop(p);
  int e;
  KV_ASSERT( frame.eFrame==JSP_CALL );
  kvJspPop(p);
  e = kvJsCall(p, frame.eCall, frame.zAt, frame.iFirst, frame.n);
  return e==JSP_DONE ? parseSuffix(p) : e;
}

/*
** A property key: [expression] in an object.
*/

/* Read a number: a STRING of it, or if it is an index a NUMBER. */
static int parseNumberKey(KvJsp *p){
  KvNode *pNode;
  if( kvJsReadNumber(p)==JSP_FAIL ) return JSP_FAIL;
  pNode = &p->pTree->aNode[p->iVal];
  if( pNode->eKind==KV_NUMBER && pNode->u.r>=0.0 && pNode->u.r<=4294967294.0
   && pNode->u.r==(double)(u32)pNode->u.r
  ){
    pNode->u.r += 0.0;
    return JSP_DONE;
  }
  p->iVal = kvJsToString(p, p->iVal);
  return p->iVal==KV_NO_NODE ? JSP_FAIL : JSP_DONE;
}

static int parseComputedKey(KvJsp *p){
  int e;
  u8 c;
  p->lex.z++;
  if( kvJspSpace(p) ) return JSP_FAIL;
  c = kvJspPeek(p);
  if( c=='"' || c=='\'' || c=='`' ){
    e = kvJsReadString(p);
  }else if( kvJspIsDigit(c) || c=='.' || c=='-' || c=='+' ){
    e = parseNumberKey(p);
  }else{
    e = kvJspError(p, p->lex.z, "a computed property name must be a string or a number");
  }
  if( e==JSP_DONE && !kvJspAccept(p, ']') ) e = kvJspError(p, p->lex.z, "expected ]");
  return e;
}

#define PARSE_PROTO "__proto__: sets the prototype in JavaScript;" \
                  " write [\"__proto__\"]: for a property of that name"

/* A key that isn't in double quotes. */
static int parseKeySlow(KvJsp *p){
  const u8 c = kvJspPeek(p);
  const char *zAt = p->lex.z;
  KvBytes word;
  if( c=='[' ) return parseComputedKey(p);
  if( c=='\'' ) return kvJsReadString(p);
  if( kvJspIsDigit(c) || c=='.' ){
    if( kvLexText(&p->lex, "...") ) return kvJspError(p, zAt, "spread is not evaluated");
    return parseNumberKey(p);
  }
  word = kvJsIdentifier(p);
  if( word.n==0 ) return kvJspError(p, zAt, "expected a property name or }");
  p->iVal = kvJspString(p, word);
  return p->iVal==KV_NO_NODE ? JSP_FAIL : JSP_DONE;
}

/* After '{' or ',' in an object: '}', or a key and its ':'. */
static int parseKey(KvJsp *p){
  const char *zAt;
  const KvNode *pKey;
  if( kvJspSpace(p) ) return JSP_FAIL;
  zAt = p->lex.z;
  if( kvJspPeek(p)=='"' ){
    if( kvJsReadString(p)==JSP_FAIL ) return JSP_FAIL;
  }else if( kvJspPeek(p)=='}' && (!p->bJson || kvJspTop(p)->n==0) ){
    p->lex.z++;
    return parseCloseObject(p);
  }else if( p->bJson ){
    return kvJspError(p, zAt, "expected a property name in double quotes");
  }else if( parseKeySlow(p)==JSP_FAIL ){
    return JSP_FAIL;
  }
  pKey = &p->pTree->aNode[p->iVal];
  if( !p->bJson && pKey->n==9 && pKey->eKind==KV_STRING && *zAt!='['
   && memcmp(pKey->u.p, "__proto__", 9)==0
  ){
    return kvJspError(p, zAt, PARSE_PROTO);
  }
  parseLink(p, kvJspTop(p), p->iVal);
  if( !kvJspAccept(p, ':') ) return kvJspError(p, p->lex.z, "expected : after the property name");
  return JSP_VALUE;
}

/*
** Elements of an array.
*/

/* One more hole. */
static int parseHole(KvJsp *p){
  u32 i = kvJspAdd(p, KV_HOLE);
  if( i==KV_NO_NODE ) return JSP_FAIL;
  parseLink(p, kvJspTop(p), i);
  kvJspTop(p)->n++;
  return JSP_DONE;
}

static int parseElement(KvJsp *p);

/* After an element: the next one, or the end. */
static int parseArrayNext(KvJsp *p){
  switch( parseSeparator(p, ']') ){
    case 0:   return JSP_FAIL;
    case ',': return parseElement(p);
    default:  return parseCloseArray(p);
  }
}

/* After '[' or ',' in an array. */
static int parseElement(KvJsp *p){
  for(;;){
    u8 c;
    if( kvJspSpace(p) ) return JSP_FAIL;
    c = kvJspPeek(p);
    if( c==']' ){
      if( p->bJson && kvJspTop(p)->n ){
        return kvJspError(p, p->lex.z, "expected a value after the comma");
      }
      p->lex.z++;
      return parseCloseArray(p);
    }
    if( p->bJson ) return JSP_VALUE;
    if( c!=',' ) return JSP_VALUE;
    p->lex.z++;
    if( parseHole(p)==JSP_FAIL ) return JSP_FAIL;
  }
}

/*
** A part is complete.
*/

static int parseInArray(KvJsp *p, KvJsFrame *pFrame){
  parseLink(p, pFrame, p->iVal);
  pFrame->n++;
  return parseArrayNext(p);
}

static int parseInObject(KvJsp *p, KvJsFrame *pFrame){
  parseLink(p, pFrame, p->iVal);
  pFrame->n++;
  switch( parseSeparator(p, '}') ){
    case 0:   return JSP_FAIL;
    case ',': return parseKey(p);
    default:  return parseCloseObject(p);
  }
}

static int parseInCall(KvJsp *p, KvJsFrame *pFrame){
  parseLink(p, pFrame, p->iVal);
  pFrame->n++;
  switch( parseSeparator(p, ')') ){
    case 0:   return JSP_FAIL;
    case ',': return JSP_VALUE;
    default:  return parseCloseCall(p);
  }
}

/* Inside of something else a KvU64 is stored as the object {value: 42n}. */
static int parsePlainU64(KvJsp *p){
  u32 iKey = kvJspString(p, kvBytesText("value"));
  u32 iVal = iKey==KV_NO_NODE ? iKey : kvJspAdd(p, KV_BIGINT);
  KvNode *pNode = &p->pTree->aNode[p->iVal];
  if( iVal==KV_NO_NODE ) return JSP_FAIL;
  if( kvTreeBigint(p->pTree, iVal, pNode->u.u, 0) ) return kvJspNoMem(p);
  pNode->eKind = KV_OBJECT;
  pNode->n = 1;
  pNode->iChild = iKey;
  pNode->u.u = 0;
  p->pTree->aNode[iKey].iNext = iVal;
  p->pTree->aNode[iKey].mFlags = KVN_ASCII;
  return JSP_DONE;
}

/* Give the value that is complete to the construct that it is in. */
static int parseDeliver(KvJsp *p){
  KvJsFrame *pFrame = kvJspTop(p);
  if( pFrame==0 ) return JSP_END;
  if( p->pTree->aNode[p->iVal].eKind==KV_U64 && pFrame->eFrame!=JSP_GROUP
   && parsePlainU64(p)==JSP_FAIL
  ){
    return JSP_FAIL;
  }
  switch( pFrame->eFrame ){
    case JSP_ARRAY:  return parseInArray(p, pFrame);
    case JSP_OBJECT: return parseInObject(p, pFrame);
    case JSP_CALL:   return parseInCall(p, pFrame);
    case JSP_LABEL:  return kvJsLabelled(p);
    default:
      KV_ASSERT( pFrame->eFrame==JSP_GROUP );
      if( !kvJspAccept(p, ')') ) return kvJspError(p, p->lex.z, "expected )");
      kvJspPop(p);
      return parseSuffix(p);
  }
}

/*
** A value.
*/

static int parseBracket(KvJsp *p){
  const char *zAt = p->lex.z;
  if( !p->bJson && kvLexText(&p->lex, "[Circular *") ) return kvJsCircular(p, zAt);
  if( !p->bJson && kvLexText(&p->lex, "[HostObject ") ){
    kvErrSet(&p->lex.err, KV_REFUSED, zAt - p->lex.zStart,
        "host objects can't be created from text; copy the raw value instead");
    return JSP_FAIL;
  }
  p->lex.z++;
  if( kvJspOpen(p, JSP_ARRAY, KV_ARRAY, zAt)==JSP_FAIL ) return JSP_FAIL;
  return parseElement(p);
}

static int parseBrace(KvJsp *p){
  const char *zAt = p->lex.z++;
  if( kvJspOpen(p, JSP_OBJECT, KV_OBJECT, zAt)==JSP_FAIL ) return JSP_FAIL;
  return parseKey(p);
}

/* A ')' where a value might stand: the end of a call. */
static int parseEarlyEnd(KvJsp *p){
  const KvJsFrame *pFrame = kvJspTop(p);
  if( pFrame==0 || pFrame->eFrame!=JSP_CALL ) return kvJsReadWord(p);
  p->lex.z++;
  return parseCloseCall(p);
}

static int parseValueJs(KvJsp *p, u8 c){
  switch( c ){
    case '\'': case '`': return kvJsReadString(p);
    case '-': case '+': case '.':
      if( kvLexText(&p->lex, "...") ) return kvJspError(p, p->lex.z-3, "spread is not evaluated");
      return kvJsReadNumber(p);
    case '/': return kvJsReadRegexp(p);
    case '<': return kvJsLabel(p);
    case '(': return kvJspPush(p, JSP_GROUP, p->lex.z++) ? JSP_VALUE : JSP_FAIL;
    case ')': return parseEarlyEnd(p);
    default: return kvJsReadWord(p);
  }
}

static int parseValueJson(KvJsp *p, u8 c){
  if( c=='-' ) return kvJsReadJson(p);
  if( kvLexText(&p->lex, "null") ) return kvJspScalar(p, KV_NULL, 0);
  if( kvLexText(&p->lex, "true") ) return kvJspScalar(p, KV_BOOL, 1);
  if( kvLexText(&p->lex, "false") ) return kvJspScalar(p, KV_BOOL, 0);
  return kvJspError(p, p->lex.z, "expected a JSON value");
}

static int parseValue(KvJsp *p){
  u8 c;
  if( kvJspSpace(p) ) return JSP_FAIL;
  if( p->lex.z>=p->lex.zEnd ) return kvJspError(p, p->lex.z, "unexpected end of the text");
  c = (u8)*p->lex.z;
  if( c=='"' ) return kvJsReadString(p);
  if( kvJspIsDigit(c) ) return kvJsReadDigit(p);
  if( c=='{' ) return parseBrace(p);
  if( c=='[' ) return parseBracket(p);
  return p->bJson ? parseValueJson(p, c) : parseValueJs(p, c);
}

/*
** A whole text.
*/

/* There is more text at the cursor, after the value. */
static int parseAfter(KvJsp *p){
  const char *z = p->lex.z;
  return kvJspError(p, z, !p->bJson && strchr("+-*/%<>=&|^?.([`", *z) && *z
      ? "unexpected text after the value: JS text is one literal, and operators, properties and"
        " calls are not evaluated"
      : "unexpected text after the value");
}

/* After the value: nothing but space and one ';'.  Then node 0 is the root. */
static int parseFinish(KvJsp *p){
  KvTree *pTree = p->pTree;
  const u32 iRoot = p->iVal;
  KV_ASSERT( p->nFrame==0 );
  if( kvJspSpace(p) || (!p->bJson && kvJspAccept(p, ';') && kvJspSpace(p)) ) return JSP_FAIL;
  if( p->lex.z<p->lex.zEnd ) return parseAfter(p);
  if( iRoot!=0 ){
    pTree->aNode[0] = pTree->aNode[iRoot];
    if( iRoot==pTree->nNode-1 ) pTree->nNode--;
  }
  return p->nRefs ? kvJsResolve(p, iRoot) : JSP_DONE;
}

static int parseText(KvTree *pTree, KvBytes text, int bJson, int bDigits, KvErr *pErr){
  KvJsp jsp, *p = &jsp;
  int e = kvJspInit(p, pTree, text);
  p->bJson = (u8)bJson;
  p->bDigits = (u8)bDigits;
  while( e<JSP_END ){
    switch( e ){
      case JSP_VALUE:  e = parseValue(p);     break;
      case JSP_DONE:   e = parseDeliver(p);   break;
      case JSP_SUFFIX: e = parseSuffix(p);    break;
      default:         e = parseCloseCall(p); break;
    }
  }
  if( e==JSP_END ) e = parseFinish(p);
  KV_ASSERT( (e==JSP_DONE)==(p->lex.err.eCode==KV_OK) );
  if( e==JSP_FAIL && pErr ) *pErr = p->lex.err;
  kvJspClear(p);
  if( e==JSP_DONE && !bDigits ) kvTreeCheck(pTree);
  return p->lex.err.eCode;
}

int kvJsParse(KvTree *p, KvBytes text, KvErr *pErr){
  return parseText(p, text, 0, 0, pErr);
}

int kvJsonParse(KvTree *p, KvBytes text, KvErr *pErr){
  return parseText(p, text, 1, 0, pErr);
}

int kvJsonParseDigits(KvTree *p, KvBytes text, KvErr *pErr){
  return parseText(p, text, 1, 1, pErr);
}

double kvJsonDigits(const KvNode *p){
  double r = 0.0;
  kvNumParse(kvNodeBytes(p), &r);
  return p->eSub ? -r : r;
}
