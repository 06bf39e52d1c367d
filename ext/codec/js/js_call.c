/*
** js_call.c -- calls in JS text.  See js_call.h.
**
** Arguments are consumed: `new Map([[k,v]])` turns the node of its array into
** the MAP.  An array that is consumed so can't carry a label.
*/
#include "codec/js/js_call.h"
#include "codec/js/js_convert.h"
#include "codec/js/js_view.h"
#include "codec/names.h"
#include "codec/num/date.h"
#include "codec/regexp/regexp.h"
#include "codec/value_order.h"
#include "codec/value_string.h"
#include "codec/view.h"

/* Names that may be called.  Views and errors are looked up by their own. */
static const struct CallName { const char *zName; u8 eCall; } callNames[] = {
  { "Map",         KV_CALL_MAP     },
  { "Set",         KV_CALL_SET     },
  { "Date",        KV_CALL_DATE    },
  { "RegExp",      KV_CALL_REGEXP  },
  { "Deno.KvU64",  KV_CALL_U64     },
  { "ArrayBuffer", KV_CALL_BUFFER  },
  { "Number",      KV_CALL_NUMBER  },
  { "String",      KV_CALL_STRING  },
  { "Boolean",     KV_CALL_BOOLEAN },
  { "Array",       KV_CALL_ARRAY   },
  { "Object",      KV_CALL_OBJECT  },
};

int kvJsCallName(KvBytes name){
  int i;
  for(i=0; i<(int)(sizeof(callNames)/sizeof(callNames[0])); i++){
    if( kvBytesEqual(name, kvBytesText(callNames[i].zName)) ) return callNames[i].eCall;
  }
  for(i=0; i<KV_VIEW_COUNT; i++){
    if( kvBytesEqual(name, kvBytesText(kvViewName(i))) ) return KV_CALL(KV_CALL_VIEW, i);
  }
  for(i=0; i<KV_ERR_COUNT; i++){
    if( kvBytesEqual(name, kvBytesText(kvErrorName(i))) ) return KV_CALL(KV_CALL_ERROR, i);
  }
  return 0;
}

/* Make node i one of a kind without children. */
static KvNode *callBecome(KvJsp *p, u32 i, u8 eKind){
  KvNode *pNode = &p->pTree->aNode[i];
  memset(pNode, 0, sizeof(*pNode));
  pNode->eKind = eKind;
  p->iVal = i;
  return pNode;
}

/* Append node i to the parts of node iOwner, of which iLast is the last. */
static void callLink(KvJsp *p, u32 iOwner, u32 iLast, u32 i){
  KvNode *aNode = p->pTree->aNode;
  if( iLast ) aNode[iLast].iNext = i;
  else aNode[iOwner].iChild = i;
}

/*
** Map and Set.
*/

/* True if node i is an ARRAY that may be consumed. */
static int callIsArray(const KvJsp *p, u32 i){
  return p->pTree->aNode[i].eKind==KV_ARRAY && p->pTree->aNode[i].eSpare==0;
}

/* A hole in an array is read as undefined. */
static void callFill(KvJsp *p, u32 i){
  if( p->pTree->aNode[i].eKind==KV_HOLE ) p->pTree->aNode[i].eKind = KV_UNDEFINED;
}

#define CALL_ENTRIES "the entries of a Map are written [key, value]"

/* The key of entry iEntry, with the value linked to it.  0 after an error. */
static u32 callEntry(KvJsp *p, u32 iEntry){
  const KvNode *pEntry = &p->pTree->aNode[iEntry];
  const u32 n = pEntry->n, iKey = pEntry->iChild;
  u32 iVal;
  if( !callIsArray(p, iEntry) || pEntry->u.c.nElem<(n>1 ? 2 : 1) ){
    kvJspRefuse(p, CALL_ENTRIES);
    return 0;
  }
  iVal = n>1 ? p->pTree->aNode[iKey].iNext : kvJspAdd(p, KV_UNDEFINED);
  if( iVal==KV_NO_NODE ) return 0;
  p->pTree->aNode[iKey].iNext = iVal;
  p->pTree->aNode[iVal].iNext = 0;
  callFill(p, iKey);
  callFill(p, iVal);
  return iKey;
}

/* new Map([[key, value], ...]), new Set([value, ...]) */
static int callCollection(KvJsp *p, u8 eKind, u32 iArg, u32 nArg){
  const int bMap = eKind==KV_MAP;
  const KvNode *pArg = &p->pTree->aNode[iArg];
  u32 i = pArg->iChild, iLast = 0, k, n = pArg->n;
  if( nArg==0 || pArg->eKind==KV_UNDEFINED || pArg->eKind==KV_NULL ){
    kvJspMake(p, eKind);
    return kvJspMade(p);
  }
  if( !callIsArray(p, iArg) ){
    return kvJspRefuse(p, bMap ? "a Map is made from [[key, value], ...]"
                               : "a Set is made from [value, ...]");
  }
  if( n!=pArg->u.c.nElem ){
    return kvJspRefuse(p, bMap ? CALL_ENTRIES
                       : "an array with that many holes can't be the content of a Set");
  }
  callBecome(p, iArg, eKind)->n = n;
  for(k=0; k<n; k++){
    u32 iNext = p->pTree->aNode[i].iNext;
    if( bMap ){
      i = callEntry(p, i);
      if( i==0 ) return JSP_FAIL;
    }else{
      callFill(p, i);
    }
    callLink(p, iArg, iLast, i);
    iLast = bMap ? p->pTree->aNode[i].iNext : i;
    i = iNext;
  }
  if( iLast ) p->pTree->aNode[iLast].iNext = 0;
  return kvJspUnique(p, iArg);
}

/*
** Date, RegExp, KvU64, boxed primitives, Array, Object.
*/

static int callDate(KvJsp *p, u32 iArg, u32 nArg){
  const KvNode *pArg = &p->pTree->aNode[iArg];
  double r;
  if( nArg==0 ) return kvJspRefuse(p, "new Date() needs a time, in ms or as text");
  if( nArg>1 ){
    return kvJspRefuse(p, "new Date(year, month, ...) depends on the local time zone;"
        " write new Date(\"2023-04-23T10:00:00Z\")");
  }
  if( pArg->eKind==KV_STRING ){
    if( kvDateParse(kvNodeBytes(pArg), &r)!=KV_OK ){
      return kvJspRefuse(p, "not a date of the form"
          " \"2023-04-23T10:00:00Z\", \"2023-04-23\" or \"Sun, 23 Apr 2023 10:00:00 GMT\"");
    }
  }else if( !kvJsToNumber(pArg, &r) ){
    return kvJspRefuse(p, "a Date is made from a number of ms or from text");
  }
  callBecome(p, iArg, KV_DATE)->u.r = kvTimeClip(r);
  return JSP_DONE;
}

/* The STRING that is argument i, empty if it is undefined or none (0). */
static int callString(KvJsp *p, u32 i, KvBytes *pOut){
  const KvNode *pNode = &p->pTree->aNode[i];
  *pOut = kvBytesText("");
  if( i==0 || pNode->eKind==KV_UNDEFINED ) return JSP_DONE;
  *pOut = kvNodeBytes(pNode);
  if( pNode->eKind==KV_STRING ) return JSP_DONE;
  return kvJspRefuse(p, "a RegExp is made from a source and flags, both strings");
}

static int callRegexp(KvJsp *p, u32 iArg, u32 nArg){
  const u32 iFlag = nArg>1 ? p->pTree->aNode[iArg].iNext : 0;
  u32 mFlag, iSource;
  const char *zErr;
  KvBytes source, flags;
  KvNode *pNode;
  if( callString(p, nArg ? iArg : 0, &source)==JSP_FAIL ) return JSP_FAIL;
  if( callString(p, iFlag, &flags)==JSP_FAIL ) return JSP_FAIL;
  mFlag = kvRegexpReadFlags(flags);
  if( mFlag==KV_RE_NONE ){
    return kvJspRefuse(p, "the flags of a RegExp are dgimsuvy, each once, and not both u and v");
  }
  zErr = kvRegexpKeep(p->pTree, mFlag, &source);
  if( zErr ) return kvJspRefuse(p, zErr);
  if( source.p==0 ) return kvJspNoMem(p);
  iSource = kvJspString(p, source);
  if( iSource==KV_NO_NODE ) return JSP_FAIL;
  pNode = kvJspMake(p, KV_REGEXP);
  pNode->iChild = iSource;
  pNode->n = mFlag;
  return kvJspMade(p);
}

static int callU64(KvJsp *p, u32 iArg, u32 nArg){
  KvNode *pArg = &p->pTree->aNode[iArg];
  if( nArg==0 || pArg->eKind!=KV_BIGINT ){
    return kvJspRefuse(p, "new Deno.KvU64() needs a bigint, such as 42n");
  }
  if( !kvNodeToU64(pArg) ){
    return kvJspRefuse(p, "a KvU64 is from 0n to 18446744073709551615n");
  }
  p->iVal = iArg;
  return JSP_DONE;
}

/* A BOXED around the primitive iPrim. */
static int callBox(KvJsp *p, u32 iPrim){
  if( iPrim==KV_NO_NODE ){                       /* without memory, or none */
    return p->lex.err.eCode ? JSP_FAIL : kvJspRefuse(p, "a wrapper object needs a primitive value");
  }
  p->pTree->aNode[iPrim].iNext = 0;
  kvJspMake(p, KV_BOXED)->iChild = iPrim;
  return kvJspMade(p);
}

/* new Number(), new String(), new Boolean() */
static int callWrapper(KvJsp *p, int eCall, u32 iArg, u32 nArg){
  u32 n;
  double r;
  if( nArg==0 ){
    iArg = eCall==KV_CALL_STRING ? kvJspString(p, kvBytesText("")) : kvJspAdd(p, KV_NULL);
    if( iArg==KV_NO_NODE ) return JSP_FAIL;
  }
  if( eCall==KV_CALL_STRING ){
    iArg = kvJsToString(p, iArg);
  }else if( eCall==KV_CALL_BOOLEAN ){            /* of an object, too, which may */
    n = kvJsToBoolean(&p->pTree->aNode[iArg]);   /* have a label */
    iArg = kvJspAdd(p, KV_BOOL);
    if( iArg!=KV_NO_NODE ) p->pTree->aNode[iArg].n = n;
  }else if( kvJsToNumber(&p->pTree->aNode[iArg], &r) ){
    callBecome(p, iArg, KV_NUMBER)->u.r = r;
  }else{
    iArg = KV_NO_NODE;
  }
  return callBox(p, iArg);
}

/* Object(x) */
static int callObject(KvJsp *p, u32 iArg, u32 nArg){
  switch( nArg ? p->pTree->aNode[iArg].eKind : KV_UNDEFINED ){
    case KV_BOOL: case KV_NUMBER: case KV_BIGINT: case KV_STRING:
      return callBox(p, iArg);
    case KV_UNDEFINED: case KV_NULL:
      kvJspMake(p, KV_OBJECT);
      return kvJspMade(p);
    default:
      p->iVal = iArg;
      return JSP_DONE;
  }
}

/* new Array(n) or new Array(a, b, ...) */
static int callArray(KvJsp *p, u32 iArg, u32 nArg){
  const int bLen = nArg==1 && p->pTree->aNode[iArg].eKind==KV_NUMBER;
  const double r = bLen ? p->pTree->aNode[iArg].u.r : nArg;
  KvNode *pArr;
  if( !(r>=0.0 && r<=4294967295.0) || r!=(double)(u32)r ){
    return kvJspRefuse(p, "an array's length is an integer from 0 to 4294967295");
  }
  pArr = kvJspMake(p, KV_ARRAY);
  pArr->n = (u32)r;
  if( !bLen ){
    pArr->u.c.nElem = nArg;
    pArr->iChild = iArg;
  }
  return kvJspMade(p);
}

/*
** Errors.
*/

/* Note a part of an ERROR: see kvErrorLink(). */
static int callErrorPart(KvJsp *p, u32 *aPart, u32 mPart, u32 iVal){
  if( mPart==KV_ERR_MESSAGE ) iVal = kvJsToString(p, iVal);
  if( mPart==KV_ERR_STACK && p->pTree->aNode[iVal].eKind!=KV_STRING ) iVal = 0;
  if( iVal==KV_NO_NODE ){
    return p->lex.err.eCode ? JSP_FAIL : kvJspRefuse(p, "the message of an Error must be a string");
  }
  aPart[mPart] = iVal;
  return JSP_DONE;
}

/* new Error(message, {cause}) */
static int callError(KvJsp *p, int eSub, u32 iArg, u32 nArg){
  const KvNode *aNode = p->pTree->aNode;
  const u32 iOpt = nArg>1 ? aNode[iArg].iNext : 0;
  u32 aPart[KV_ERR_CAUSE+1] = {0};
  if( iOpt && aNode[iOpt].eKind==KV_OBJECT ){
    aPart[KV_ERR_CAUSE] = kvProperty(p->pTree, iOpt, "cause");
  }
  if( nArg && aNode[iArg].eKind!=KV_UNDEFINED
   && callErrorPart(p, aPart, KV_ERR_MESSAGE, iArg)==JSP_FAIL
  ){
    return JSP_FAIL;
  }
  aNode = p->pTree->aNode;
  if( iOpt && aNode[iOpt].eKind!=KV_OBJECT && aNode[iOpt].eKind!=KV_UNDEFINED ){
    return kvJspRefuse(p, "the options of an Error are written {cause: value}");
  }
  kvJspMake(p, KV_ERROR)->eSub = (u8)eSub;
  if( kvJspMade(p)==JSP_FAIL ) return JSP_FAIL;
  kvErrorLink(p->pTree, p->iVal, aPart);
  return JSP_DONE;
}

/* Object.assign(error, {message, stack, cause}) */
static int callAssignError(KvJsp *p, u32 iErr, u32 iSource){
  u32 aPart[KV_ERR_CAUSE+1], i, m;
  for(m=KV_ERR_MESSAGE; m<=KV_ERR_CAUSE; m<<=1) aPart[m] = kvErrorChild(p->pTree, iErr, m);
  for(i=p->pTree->aNode[iSource].iChild; i; ){
    const KvNode *pKey = &p->pTree->aNode[i];
    const u32 iVal = pKey->iNext;
    m = pKey->eKind==KV_STRING ? kvErrorPart(kvNodeBytes(pKey)) : 0;
    if( m==0 ) return kvJspRefuse(p, "a stored Error has only message, stack and cause");
    i = p->pTree->aNode[iVal].iNext;
    if( callErrorPart(p, aPart, m, iVal)==JSP_FAIL ) return JSP_FAIL;
  }
  kvErrorLink(p->pTree, iErr, aPart);
  p->iVal = iErr;
  return JSP_DONE;
}

/*
** Object.assign() to arrays and objects.
*/

/* n parts are walked.  All calls of a text together may only walk so many. */
static int callWork(KvJsp *p, u64 n){
  p->nWork += n;
  if( p->nWork<=16*(u64)(p->lex.zEnd - p->lex.zStart)+1000 ) return JSP_DONE;
  return kvJspRefuse(p, "Object.assign() is nested too deeply");
}

int kvJsArrayPairs(KvJsp *p, u32 iArr, u32 iPair, u32 nPair){
  const KvNode *pArr = &p->pTree->aNode[iArr];
  int rc;
  if( nPair==0 ) return JSP_DONE;
  if( callWork(p, (u64)pArr->u.c.nElem + pArr->u.c.nPair)==JSP_FAIL ) return JSP_FAIL;
  rc = kvTreeArrayPairs(p->pTree, iArr, iPair, nPair, 1, &p->nWork);
  if( rc==KV_OK ) return JSP_DONE;
  if( rc==KV_NOMEM ) return kvJspNoMem(p);
  return kvJspRefuse(p, "the length of an array can't be given as a property");
}

#define CALL_SOURCES "Object.assign() takes its properties from {...} or [...]"

/*
** The pairs of all sources from iSource on as one chain -> *piPair.
** An array's elements become pairs.
*/
static int callSourcePairs(KvJsp *p, u32 iSource, u32 *piPair, u32 *pnPair){
  KvTree *pTree = p->pTree;
  u32 iLast = 0, iNext;
  *piPair = *pnPair = 0;
  for(; iSource; iSource=iNext){
    const KvNode *pSource = &pTree->aNode[iSource];
    const int eKind = pSource->eKind;
    u32 n = eKind==KV_ARRAY ? pSource->u.c.nElem : 0, i = pSource->iChild, k;
    iNext = pSource->iNext;
    if( eKind==KV_UNDEFINED || eKind==KV_NULL ) continue;
    if( eKind!=KV_OBJECT && eKind!=KV_ARRAY ) return kvJspRefuse(p, CALL_SOURCES);
    for(k=0; i; k++){
      u32 iKey = i, iVal = i;
      if( k>=n ){
        iVal = pTree->aNode[i].iNext;
      }else if( pTree->aNode[i].eKind!=KV_HOLE ){
        iKey = kvJspAdd(p, KV_NUMBER);
        if( iKey==KV_NO_NODE ) return JSP_FAIL;
        pTree->aNode[iKey].u.r = k;
        pTree->aNode[iKey].iNext = i;
      }
      i = pTree->aNode[iVal].iNext;
      if( iKey==iVal ) continue;                 /* a hole */
      if( iLast ) pTree->aNode[iLast].iNext = iKey;
      else *piPair = iKey;
      iLast = iVal;
      (*pnPair)++;
    }
    if( iLast ) pTree->aNode[iLast].iNext = 0;
  }
  return JSP_DONE;
}

/* Object.assign({...}, ...) */
static int callAssignObject(KvJsp *p, u32 iObj, u32 iPair, u32 nPair){
  KvNode *aNode = p->pTree->aNode, *pObj = &aNode[iObj];
  u32 *piLink = &pObj->iChild;
  if( nPair==0 ) return JSP_DONE;
  if( callWork(p, pObj->n)==JSP_FAIL ) return JSP_FAIL;
  while( *piLink ) piLink = &aNode[*piLink].iNext;
  *piLink = iPair;
  pObj->n += nPair;
  return kvTreeOrderPairs(p->pTree, &pObj->iChild, &pObj->n, 1) ? kvJspNoMem(p) : JSP_DONE;
}

static int callAssign(KvJsp *p, u32 iArg, u32 nArg){
  KvTree *pTree = p->pTree;
  u32 iSource, iPair, nPair;
  const int eKind = nArg ? pTree->aNode[iArg].eKind : KV_UNDEFINED;
  int e = JSP_DONE;
  if( eKind!=KV_ARRAY && eKind!=KV_OBJECT && eKind!=KV_VIEW && eKind!=KV_ERROR ){
    return kvJspRefuse(p, "Object.assign() is for arrays, objects, typed arrays and Errors");
  }
  iSource = pTree->aNode[iArg].iNext;
  pTree->aNode[iArg].iNext = 0;
  p->iVal = iArg;
  if( eKind==KV_ARRAY || eKind==KV_OBJECT ){
    if( callSourcePairs(p, iSource, &iPair, &nPair)==JSP_FAIL ) return JSP_FAIL;
    if( eKind==KV_OBJECT ) return callAssignObject(p, iArg, iPair, nPair);
    return kvJsArrayPairs(p, iArg, iPair, nPair);
  }
  while( iSource && e==JSP_DONE ){
    int eSource = pTree->aNode[iSource].eKind;
    u32 iNext = pTree->aNode[iSource].iNext;
    if( eSource!=KV_OBJECT && !(eSource==KV_ARRAY && eKind==KV_VIEW) ){
      return kvJspRefuse(p, CALL_SOURCES);
    }
    e = eKind==KV_VIEW ? kvJsAssignView(p, iArg, iSource) : callAssignError(p, iArg, iSource);
    iSource = iNext;
  }
  return e;
}

static int callEval(KvJsp *p, int eCall, u32 iArg, u32 nArg){
  int eSub = KV_CALL_SUB(eCall);
  switch( KV_CALL_KIND(eCall) ){
    case KV_CALL_MAP:     return callCollection(p, KV_MAP, iArg, nArg);
    case KV_CALL_SET:     return callCollection(p, KV_SET, iArg, nArg);
    case KV_CALL_DATE:    return callDate(p, iArg, nArg);
    case KV_CALL_REGEXP:  return callRegexp(p, iArg, nArg);
    case KV_CALL_U64:     return callU64(p, iArg, nArg);
    case KV_CALL_BUFFER:  return kvJsCallBuffer(p, iArg, nArg);
    case KV_CALL_NUMBER:
    case KV_CALL_STRING:
    case KV_CALL_BOOLEAN: return callWrapper(p, eCall, iArg, nArg);
    case KV_CALL_ARRAY:   return callArray(p, iArg, nArg);
    case KV_CALL_OBJECT:  return callObject(p, iArg, nArg);
    case KV_CALL_ASSIGN:  return callAssign(p, iArg, nArg);
    case KV_CALL_ERROR:   return callError(p, eSub, iArg, nArg);
    default:              return kvJsCallView(p, eSub, iArg, nArg);
  }
}

int kvJsCall(KvJsp *p, int eCall, const char *zAt, u32 iArg, u32 nArg){
  int e;
  p->zCall = zAt;
  e = callEval(p, eCall, iArg, nArg);
  KV_ASSERT( e==JSP_DONE || (e==JSP_FAIL && p->lex.err.eCode) );
  if( e==JSP_DONE ) p->pTree->aNode[p->iVal].iNext = 0;
  return e;
}
