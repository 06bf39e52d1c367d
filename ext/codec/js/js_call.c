/*
** js_call.c -- calls in JS text: what `new Map(...)`, `Object.assign(...)`
** and the other constructors make of their arguments.  See js_call.h.
**
** Arguments are consumed: `new Map([[k,v]])` turns the node of its array into
** the MAP.  An array that is consumed so can't carry a label.
*/
#include "codec/js/js_call.h"
#include "codec/names.h"
#include "codec/num/date.h"
#include "codec/num/num.h"
#include "codec/regexp/regexp.h"
#include "codec/value_order.h"
#include "codec/value_string.h"
#include "codec/view.h"

int kvJspNoMem(KvJsp *p){
  return kvErrSet(&p->lex.err, KV_NOMEM, -1, "out of memory");
}

u32 kvJspString(KvJsp *p, KvBytes s){
  u32 i = kvJspAdd(p, KV_STRING);
  if( i!=KV_NO_NODE ){
    KvNode *pNode = &p->pTree->aNode[i];
    pNode->eSub = KV_WTF8;
    pNode->n = s.n;
    pNode->u.p = s.p;
  }
  return i;
}

u32 kvJspDeref(const KvJsp *p, u32 iNode){
  const KvNode *pNode = &p->pTree->aNode[iNode];
  if( pNode->eKind==KV_REF && p->aDef[pNode->n].iNode!=KV_NO_NODE ) return p->aDef[pNode->n].iNode;
  return iNode;
}

/* Names that may be called.  Views and errors are looked up by their own. */
static const struct JscName { const char *zName; u8 eCall; } aJscName[] = {
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
  u32 i;
  for(i=0; i<sizeof(aJscName)/sizeof(aJscName[0]); i++){
    if( kvBytesEqual(name, kvBytesText(aJscName[i].zName)) ) return aJscName[i].eCall;
  }
  for(i=0; i<KV_VIEW_COUNT; i++){
    if( kvBytesEqual(name, kvBytesText(kvViewName((int)i))) ) return KV_CALL(KV_CALL_VIEW, (int)i);
  }
  for(i=0; i<KV_ERR_COUNT; i++){
    if( kvBytesEqual(name, kvBytesText(kvErrorName((int)i))) ) return KV_CALL(KV_CALL_ERROR, (int)i);
  }
  return 0;
}

/*
** Conversions of primitives.
*/

/* The length of z without white space at its end. */
static u32 jscTrimEnd(const u8 *z, u32 n){
  while( n>0 ){
    u32 i = n-1;
    while( i>0 && n-i<3 && (z[i] & 0xc0)==0x80 ) i--;
    if( kvLexSpaceChar(&z[i], n-i)!=n-i ) break;
    n = i;
  }
  return n;
}

/* ToNumber() of a string: NaN unless all of it is a number. */
static double jscTextToNumber(const u8 *z, u32 n){
  double r = 0.0;
  int bNeg = 0;
  u32 k;
  while( n>0 && (k = kvLexSpaceChar(z, n))>0 ){ z += k; n -= k; }
  n = jscTrimEnd(z, n);
  if( n==0 ) return 0.0;
  if( n>2 && z[0]=='0' && (z[1]|0x20)>'a' ){
    KvLex lex;
    KvLexNum num;
    kvLexInit(&lex, kvBytes(z, n));
    if( kvLexNumber(&lex, &num)==KV_OK && lex.z==lex.zEnd && num.iBase==0 && !num.bSep ){
      return num.r;
    }
    return kvNaN();
  }
  if( *z=='-' || *z=='+' ){
    bNeg = *z=='-';
    z++; n--;
  }
  if( n==8 && memcmp(z, "Infinity", 8)==0 ){
    r = kvBitsToDouble(0x7ff0000000000000u);
  }else if( n==0 || kvNumParse(kvBytes(z, n), &r)!=n ){
    return kvNaN();
  }
  return bNeg ? -r : r;
}

int kvJsToNumber(const KvNode *pNode, double *pr){
  switch( pNode->eKind ){
    case KV_NUMBER: *pr = pNode->u.r; return 1;
    case KV_NULL:   *pr = 0.0; return 1;
    case KV_BOOL:   *pr = pNode->n; return 1;
    case KV_HOLE:
    case KV_UNDEFINED: *pr = kvNaN(); return 1;
    case KV_STRING: *pr = jscTextToNumber(pNode->u.p, pNode->n); return 1;
    default: return 0;
  }
}

/* A STRING node with a copy of what is in pBuf, which is then cleared. */
static u32 jscCopy(KvJsp *p, KvBuf *pBuf){
  u8 *a = pBuf->eErr ? 0 : kvTreeSpace(p->pTree, pBuf->n);
  u32 n = pBuf->n;
  if( a ) memcpy(a, pBuf->a, n);
  kvBufClear(pBuf);
  if( a==0 ){
    kvJspNoMem(p);
    return KV_NO_NODE;
  }
  return kvJspString(p, kvBytes(a, n));
}

u32 kvJsToString(KvJsp *p, u32 iNode){
  const KvNode *pNode = &p->pTree->aNode[iNode];
  char aSpace[64];
  KvBuf buf;
  kvBufInit(&buf, aSpace, sizeof(aSpace));
  switch( pNode->eKind ){
    case KV_STRING: return iNode;
    case KV_UNDEFINED: kvBufLit(&buf, "undefined"); break;
    case KV_NULL: kvBufLit(&buf, "null"); break;
    case KV_BOOL: kvBufText(&buf, pNode->n ? "true" : "false"); break;
    case KV_NUMBER:
      buf.n = (u32)kvNumPrint(pNode->u.r + 0.0, aSpace);       /* -0 is "0" */
      break;
    case KV_BIGINT:
      if( pNode->eSub ) kvBufPut(&buf, '-');
      kvBigPrint(&buf, kvBytes(pNode->u.p, pNode->n));
      break;
    default: return KV_NO_NODE;
  }
  return jscCopy(p, &buf);
}

/* ToBoolean() */
static u32 jscTruth(const KvNode *pNode){
  switch( pNode->eKind ){
    case KV_UNDEFINED: case KV_NULL: return 0;
    case KV_NUMBER: return pNode->u.r==pNode->u.r && pNode->u.r!=0.0;
    case KV_BOOL: case KV_BIGINT: case KV_STRING: return pNode->n!=0;
    default: return 1;
  }
}

/*
** Duplicates in Map and Set.
*/

/* What tells objects apart while REFs aren't tied to their targets yet. */
static u64 jscIdentity(const void *pCtx, u32 iNode){
  const KvJsp *p = pCtx;
  u32 iTo = kvJspDeref(p, iNode);
  const KvNode *pNode = &p->pTree->aNode[iTo];
  return pNode->eKind==KV_REF ? ((u64)1<<32) | pNode->n : iTo;
}

int kvJsUnique(KvJsp *p, u32 iNode){
  KvNode *pNode = &p->pTree->aNode[iNode];
  int nStep = pNode->eKind==KV_MAP ? 2 : 1;
  int rc = kvTreeUniqueKeysBy(
      p->pTree, &pNode->iChild, &pNode->n, nStep, jscIdentity, p);
  return rc==KV_OK ? KV_OK : kvJspNoMem(p);
}

/*
** Map and Set.
*/

/* True if iArg is an ARRAY that may be consumed. */
static int jscIsArray(const KvTree *pTree, u32 iArg){
  return pTree->aNode[iArg].eKind==KV_ARRAY && pTree->aNode[iArg].eSpare==0;
}

/* Make a MAP or SET of node iArg, which was an ARRAY, with n parts. */
static int jscBecome(KvJsp *p, u32 iArg, u8 eKind, u32 n){
  KvNode *pNode = &p->pTree->aNode[iArg];
  pNode->eKind = eKind;
  pNode->n = n;
  pNode->iNext = 0;
  pNode->u.u = 0;
  p->iVal = iArg;
  return kvJsUnique(p, iArg);
}

/* No argument, undefined or null: an empty one. */
static int jscEmpty(KvJsp *p, u8 eKind, const char *zAt, u32 iArg, u32 nArg){
  int eArg = nArg ? p->pTree->aNode[iArg].eKind : KV_UNDEFINED;
  if( eArg!=KV_UNDEFINED && eArg!=KV_NULL ){
    return kvLexError(&p->lex, zAt, eKind==KV_MAP ?
        "a Map is made from [[key, value], ...]" : "a Set is made from [value, ...]");
  }
  p->iVal = kvJspAdd(p, eKind);
  return p->iVal==KV_NO_NODE ? KV_NOMEM : KV_OK;
}

/* The key of entry iEntry, with the value linked to it.  0 after an error. */
static u32 jscEntry(KvJsp *p, const char *zAt, u32 iEntry){
  KvTree *pTree = p->pTree;
  KvNode *pEntry = &pTree->aNode[iEntry];
  u32 iKey, iVal;
  if( !jscIsArray(pTree, iEntry) || pEntry->u.c.nElem<1
   || (pEntry->n>1 && pEntry->u.c.nElem<2)
  ){
    kvLexError(&p->lex, zAt, "the entries of a Map are written [key, value]");
    return 0;
  }
  iKey = pEntry->iChild;
  if( pEntry->n<2 ){
    iVal = kvJspAdd(p, KV_UNDEFINED);
    if( iVal==KV_NO_NODE ) return 0;
  }else{
    iVal = pTree->aNode[iKey].iNext;
  }
  pTree->aNode[iKey].iNext = iVal;
  pTree->aNode[iVal].iNext = 0;
  if( pTree->aNode[iKey].eKind==KV_HOLE ) pTree->aNode[iKey].eKind = KV_UNDEFINED;
  if( pTree->aNode[iVal].eKind==KV_HOLE ) pTree->aNode[iVal].eKind = KV_UNDEFINED;
  return iKey;
}

static int jscMap(KvJsp *p, const char *zAt, u32 iArg, u32 nArg){
  KvTree *pTree = p->pTree;
  u32 i, iLast = 0, n;
  if( nArg==0 || !jscIsArray(pTree, iArg) ) return jscEmpty(p, KV_MAP, zAt, iArg, nArg);
  n = pTree->aNode[iArg].u.c.nElem;
  if( n!=pTree->aNode[iArg].n ){
    return kvLexError(&p->lex, zAt, "the entries of a Map are written [key, value]");
  }
  i = pTree->aNode[iArg].iChild;
  pTree->aNode[iArg].iChild = 0;
  for(; n>0; n--){
    u32 iNext = pTree->aNode[i].iNext;
    u32 iKey = jscEntry(p, zAt, i);
    if( iKey==0 ) return p->lex.err.eCode;
    if( iLast ){
      pTree->aNode[iLast].iNext = iKey;
    }else{
      pTree->aNode[iArg].iChild = iKey;
    }
    iLast = pTree->aNode[iKey].iNext;
    i = iNext;
  }
  return jscBecome(p, iArg, KV_MAP, pTree->aNode[iArg].u.c.nElem);
}

/* The elements; extra properties are left out, holes are undefined. */
static int jscSet(KvJsp *p, const char *zAt, u32 iArg, u32 nArg){
  KvNode *aNode = p->pTree->aNode;
  u32 *piLink, n, nElem, nPair;
  if( nArg==0 || !jscIsArray(p->pTree, iArg) ) return jscEmpty(p, KV_SET, zAt, iArg, nArg);
  nElem = aNode[iArg].u.c.nElem;
  nPair = aNode[iArg].u.c.nPair;
  if( nElem!=aNode[iArg].n ){
    return kvLexError(&p->lex, zAt, "an array with that many holes can't be the content of a Set");
  }
  piLink = &aNode[iArg].iChild;
  for(n=0; n<nElem; n++){
    if( aNode[*piLink].eKind==KV_HOLE ) aNode[*piLink].eKind = KV_UNDEFINED;
    piLink = &aNode[*piLink].iNext;
  }
  if( nPair ) *piLink = 0;
  return jscBecome(p, iArg, KV_SET, nElem);
}

/*
** Date, RegExp, KvU64, boxed primitives, Array, Object.
*/

static int jscDate(KvJsp *p, const char *zAt, u32 iArg, u32 nArg){
  KvNode *pArg = &p->pTree->aNode[iArg];
  double r;
  if( nArg==0 ) return kvLexError(&p->lex, zAt, "new Date() needs a time, in ms or as text");
  if( nArg>1 ){
    return kvLexError(&p->lex, zAt, "new Date(year, month, ...) depends on the local time zone;"
        " write new Date(\"2023-04-23T10:00:00Z\")");
  }
  if( pArg->eKind==KV_STRING ){
    if( kvDateParse(kvNodeBytes(pArg), &r)!=KV_OK ){
      return kvLexError(&p->lex, zAt, "not a date of the form"
          " \"2023-04-23T10:00:00Z\", \"2023-04-23\" or \"Sun, 23 Apr 2023 10:00:00 GMT\"");
    }
  }else if( !kvJsToNumber(pArg, &r) ){
    return kvLexError(&p->lex, zAt, "a Date is made from a number of ms or from text");
  }
  pArg->eKind = KV_DATE;
  pArg->eSub = pArg->mFlags = 0;
  pArg->n = 0;
  pArg->u.r = kvTimeClip(r);
  p->iVal = iArg;
  return KV_OK;
}

static int jscRegexp(KvJsp *p, const char *zAt, u32 iArg, u32 nArg){
  KvTree *pTree = p->pTree;
  const char *zErr;
  u32 iSrc = nArg ? iArg : 0, iFlag = nArg>1 ? pTree->aNode[iArg].iNext : 0;
  u32 mFlag = 0, iPos = 0;
  KvBuf buf;
  kvBufInit(&buf, 0, 0);
  if( iSrc && pTree->aNode[iSrc].eKind==KV_UNDEFINED ) iSrc = 0;
  if( iFlag && pTree->aNode[iFlag].eKind==KV_UNDEFINED ) iFlag = 0;
  if( (iSrc && pTree->aNode[iSrc].eKind!=KV_STRING)
   || (iFlag && pTree->aNode[iFlag].eKind!=KV_STRING)
  ){
    return kvLexError(&p->lex, zAt, "a RegExp is made from a source and flags, both strings");
  }
  if( iFlag ) mFlag = kvRegexpReadFlags(kvNodeBytes(&pTree->aNode[iFlag]));
  if( mFlag==KV_RE_NONE ){
    return kvLexError(&p->lex, zAt, "the flags of a RegExp are dgimsuvy, each once, and not both u and v");
  }
  kvRegexpSource(&buf, iSrc ? kvNodeBytes(&pTree->aNode[iSrc]) : kvBytesText(""));
  iSrc = jscCopy(p, &buf);
  if( iSrc==KV_NO_NODE ) return KV_NOMEM;
  zErr = kvRegexpCheck(kvNodeBytes(&pTree->aNode[iSrc]), mFlag, &iPos);
  if( zErr ) return iPos==KV_RE_NOMEM ? kvJspNoMem(p) : kvLexError(&p->lex, zAt, zErr);
  p->iVal = kvJspAdd(p, KV_REGEXP);
  if( p->iVal==KV_NO_NODE ) return KV_NOMEM;
  pTree->aNode[p->iVal].iChild = iSrc;
  pTree->aNode[p->iVal].n = mFlag;
  return KV_OK;
}

static int jscU64(KvJsp *p, const char *zAt, u32 iArg, u32 nArg){
  KvNode *pArg = &p->pTree->aNode[iArg];
  u64 v = 0;
  u32 i;
  if( nArg==0 || pArg->eKind!=KV_BIGINT ){
    return kvLexError(&p->lex, zAt, "new Deno.KvU64() needs a bigint, such as 42n");
  }
  if( (pArg->eSub && pArg->n) || pArg->n>8 ){
    return kvLexError(&p->lex, zAt, "a KvU64 is from 0n to 18446744073709551615n");
  }
  for(i=0; i<pArg->n; i++) v |= (u64)pArg->u.p[i]<<(8*i);
  pArg->eKind = KV_U64;
  pArg->eSub = 0;
  pArg->n = 0;
  pArg->u.u = v;
  p->iVal = iArg;
  return KV_OK;
}

/* A BOXED around the primitive iPrim. */
static int jscBox(KvJsp *p, u32 iPrim){
  p->iVal = kvJspAdd(p, KV_BOXED);
  if( p->iVal==KV_NO_NODE ) return KV_NOMEM;
  p->pTree->aNode[iPrim].iNext = 0;
  p->pTree->aNode[p->iVal].iChild = iPrim;
  return KV_OK;
}

/* new Number(), new String(), new Boolean() */
static int jscWrapper(KvJsp *p, int eCall, const char *zAt, u32 iArg, u32 nArg){
  KvNode *pArg;
  if( nArg==0 ){
    iArg = eCall==KV_CALL_STRING ? kvJspString(p, kvBytesText("")) : kvJspAdd(p, KV_NULL);
    if( iArg==KV_NO_NODE ) return KV_NOMEM;
  }
  pArg = &p->pTree->aNode[iArg];
  if( eCall==KV_CALL_STRING ){
    iArg = kvJsToString(p, iArg);
  }else if( eCall==KV_CALL_BOOLEAN ){
    u32 n = jscTruth(pArg);            /* of any object, which may have a label */
    iArg = kvJspAdd(p, KV_BOOL);
    if( iArg!=KV_NO_NODE ) p->pTree->aNode[iArg].n = n;
  }else{
    double r;
    if( kvJsToNumber(pArg, &r) ){
      pArg->eKind = KV_NUMBER;
      pArg->eSub = pArg->mFlags = 0;
      pArg->n = 0;
      pArg->u.r = r;
    }else{
      iArg = KV_NO_NODE;
    }
  }
  if( iArg==KV_NO_NODE ){
    if( p->lex.err.eCode ) return p->lex.err.eCode;
    return kvLexError(&p->lex, zAt, "a wrapper object needs a primitive value");
  }
  return jscBox(p, iArg);
}

/* Object(x) */
static int jscObject(KvJsp *p, u32 iArg, u32 nArg){
  int eKind = nArg ? p->pTree->aNode[iArg].eKind : KV_UNDEFINED;
  switch( eKind ){
    case KV_BOOL: case KV_NUMBER: case KV_BIGINT: case KV_STRING:
      return jscBox(p, iArg);
    case KV_UNDEFINED: case KV_NULL:
      p->iVal = kvJspAdd(p, KV_OBJECT);
      return p->iVal==KV_NO_NODE ? KV_NOMEM : KV_OK;
    default:
      p->iVal = iArg;
      return KV_OK;
  }
}

/* new Array(n) or new Array(a, b, ...) */
static int jscArray(KvJsp *p, const char *zAt, u32 iArg, u32 nArg){
  u32 iArr;
  double r = 0.0;
  int bLen = nArg==1 && p->pTree->aNode[iArg].eKind==KV_NUMBER;
  if( bLen ){
    r = p->pTree->aNode[iArg].u.r;
    if( !(r>=0.0 && r<=4294967295.0) || r!=(double)(u32)r ){
      return kvLexError(&p->lex, zAt, "an array's length is an integer from 0 to 4294967295");
    }
  }
  iArr = kvJspAdd(p, KV_ARRAY);
  if( iArr==KV_NO_NODE ) return KV_NOMEM;
  p->iVal = iArr;
  if( bLen ){
    p->pTree->aNode[iArr].n = (u32)r;
  }else{
    p->pTree->aNode[iArr].n = p->pTree->aNode[iArr].u.c.nElem = nArg;
    p->pTree->aNode[iArr].iChild = iArg;
  }
  return KV_OK;
}

/*
** Errors.
*/

/* Make the children of ERROR iErr: aPart[] is message, stack, cause, or 0. */
static void jscErrorLink(KvTree *pTree, u32 iErr, const u32 *aPart){
  u32 *piLink = &pTree->aNode[iErr].iChild;
  u32 m = 0;
  int i;
  for(i=0; i<3; i++){
    if( aPart[i]==0 ) continue;
    m |= 1u<<i;                   /* KV_ERR_MESSAGE, _STACK, _CAUSE */
    *piLink = aPart[i];
    piLink = &pTree->aNode[aPart[i]].iNext;
  }
  *piLink = 0;
  pTree->aNode[iErr].n = m;
}

static int jscError(KvJsp *p, int eSub, const char *zAt, u32 iArg, u32 nArg){
  KvTree *pTree = p->pTree;
  u32 aPart[3] = {0, 0, 0}, iErr, i;
  u32 iOpt = nArg>1 ? pTree->aNode[iArg].iNext : 0;
  if( nArg && pTree->aNode[iArg].eKind!=KV_UNDEFINED ){
    aPart[0] = kvJsToString(p, iArg);
    if( aPart[0]==KV_NO_NODE ){
      if( p->lex.err.eCode ) return p->lex.err.eCode;
      return kvLexError(&p->lex, zAt, "the message of an Error must be a string");
    }
  }
  if( iOpt && pTree->aNode[iOpt].eKind==KV_OBJECT ){
    for(i=pTree->aNode[iOpt].iChild; i; i=pTree->aNode[pTree->aNode[i].iNext].iNext){
      if( kvStringIs(&pTree->aNode[i], "cause") ) break;
    }
    aPart[2] = i ? pTree->aNode[i].iNext : 0;
  }else if( iOpt && pTree->aNode[iOpt].eKind!=KV_UNDEFINED ){
    return kvLexError(&p->lex, zAt, "the options of an Error are written {cause: value}");
  }
  iErr = kvJspAdd(p, KV_ERROR);
  if( iErr==KV_NO_NODE ) return KV_NOMEM;
  pTree->aNode[iErr].eSub = (u8)eSub;
  jscErrorLink(pTree, iErr, aPart);
  p->iVal = iErr;
  return KV_OK;
}

/* Object.assign(error, {message, stack, cause}) */
static int jscAssignError(KvJsp *p, const char *zAt, u32 iErr, u32 iSource){
  KvTree *pTree = p->pTree;
  u32 aPart[3] = {0, 0, 0}, i, iVal;
  int k;
  i = pTree->aNode[iErr].iChild;
  for(k=0; k<3; k++){
    if( (pTree->aNode[iErr].n & (1u<<k))==0 ) continue;
    aPart[k] = i;
    i = pTree->aNode[i].iNext;
  }
  for(i=pTree->aNode[iSource].iChild; i; ){
    u32 iNext;
    iVal = pTree->aNode[i].iNext;
    iNext = pTree->aNode[iVal].iNext;
    if( kvStringIs(&pTree->aNode[i], "message") ){
      aPart[0] = kvJsToString(p, iVal);
      if( aPart[0]==KV_NO_NODE ){
        return kvLexError(&p->lex, zAt, "the message of an Error must be a string");
      }
    }else if( kvStringIs(&pTree->aNode[i], "stack") ){
      aPart[1] = pTree->aNode[iVal].eKind==KV_STRING ? iVal : 0;
    }else if( kvStringIs(&pTree->aNode[i], "cause") ){
      aPart[2] = iVal;
    }else{
      return kvLexError(&p->lex, zAt, "a stored Error has only message, stack and cause");
    }
    i = iNext;
  }
  jscErrorLink(pTree, iErr, aPart);
  return KV_OK;
}

/*
** Object.assign() to arrays and objects.
*/

/* Put the leading index pairs of a chain in the place of iArr's elements and
** behind the last one, as long as there is no gap.  The elements are linked
** without pairs.  Returns the first pair that is left; *pn counts down. */
static u32 jscPlaceElems(KvTree *pTree, u32 iArr, u32 iPair, u32 *pn, u64 *pnWork){
  KvNode *aNode = pTree->aNode;
  KvNode *pArr = &aNode[iArr];
  u32 *piLink = &pArr->iChild;
  u32 k = 0;
  while( *pn && aNode[iPair].eKind==KV_NUMBER && aNode[iPair].u.r<=(double)pArr->u.c.nElem ){
    u32 iVal = aNode[iPair].iNext;
    u32 iNext = aNode[iVal].iNext;
    for(; (double)k<aNode[iPair].u.r; k++) piLink = &aNode[*piLink].iNext;
    if( *piLink==0 ) pArr->u.c.nElem++;
    aNode[iVal].iNext = aNode[*piLink].iNext;    /* of node 0 it is 0 */
    *piLink = iVal;
    iPair = iNext;
    (*pn)--;
  }
  if( pArr->n<pArr->u.c.nElem ) pArr->n = pArr->u.c.nElem;
  *pnWork += k;
  return iPair;
}

/* The link that follows n nodes from *piLink on. */
static u32 *jscSkip(KvTree *pTree, u32 *piLink, u64 n){
  for(; n>0; n--) piLink = &pTree->aNode[*piLink].iNext;
  return piLink;
}

int kvJsArrayPairs(KvJsp *p, const char *zAt, u32 iArr, u32 iPair, u32 nPair){
  KvTree *pTree = p->pTree;
  KvNode *pArr;
  u32 *piLink, i, nOld, k;
  if( nPair==0 ) return KV_OK;
  for(i=iPair; i; i=pTree->aNode[pTree->aNode[i].iNext].iNext){
    if( kvStringIs(&pTree->aNode[i], "length") ){
      return kvLexError(&p->lex, zAt, "the length of an array isn't a property to be given");
    }
  }
  nOld = pTree->aNode[iArr].u.c.nPair;
  p->nWork += pTree->aNode[iArr].u.c.nElem + (u64)nOld;
  if( p->nWork>16*(u64)(p->lex.zEnd - p->lex.zStart)+1000 ){
    return kvLexError(&p->lex, zAt, "Object.assign() is nested too often");
  }
  if( nOld ){                             /* join the old pairs and the new */
    piLink = jscSkip(pTree, &pTree->aNode[iArr].iChild, pTree->aNode[iArr].u.c.nElem);
    i = *piLink;
    *piLink = 0;
    *jscSkip(pTree, &i, 2*(u64)nOld) = iPair;
    iPair = i;
    nPair += nOld;
    pTree->aNode[iArr].u.c.nPair = 0;
  }
  if( kvTreeOrderPairs(pTree, &iPair, &nPair, 1) ) return kvJspNoMem(p);
  iPair = jscPlaceElems(pTree, iArr, iPair, &nPair, &p->nWork);
  pArr = &pTree->aNode[iArr];
  pArr->u.c.nPair = nPair;
  *jscSkip(pTree, &pArr->iChild, pArr->u.c.nElem) = iPair;
  for(i=iPair, k=0; k<nPair && pTree->aNode[i].eKind==KV_NUMBER; k++){
    if( pTree->aNode[i].u.r>=(double)pArr->n ) pArr->n = (u32)pTree->aNode[i].u.r + 1;
    i = pTree->aNode[pTree->aNode[i].iNext].iNext;
  }
  return KV_OK;
}

/*
** The pairs of all sources from iSource on as one chain -> *piPair.
** An array's elements become pairs.
*/
static int jscSourcePairs(KvJsp *p, const char *zAt, u32 iSource, u32 *piPair, u32 *pnPair){
  KvTree *pTree = p->pTree;
  u32 iLast = 0, iNext, i, k, n;
  *piPair = *pnPair = 0;
  for(; iSource; iSource=iNext){
    int eKind = pTree->aNode[iSource].eKind;
    iNext = pTree->aNode[iSource].iNext;
    if( eKind==KV_UNDEFINED || eKind==KV_NULL ) continue;
    if( eKind!=KV_OBJECT && eKind!=KV_ARRAY ){
      return kvLexError(&p->lex, zAt, "Object.assign() takes its properties from {...} or [...]");
    }
    i = pTree->aNode[iSource].iChild;
    n = eKind==KV_ARRAY ? pTree->aNode[iSource].u.c.nElem : 0;
    for(k=0; i; k++){
      u32 iKey = i, iVal;
      if( k<n ){
        u32 iNextElem = pTree->aNode[i].iNext;
        if( pTree->aNode[i].eKind==KV_HOLE ){
          i = iNextElem;
          continue;
        }
        iKey = kvJspAdd(p, KV_NUMBER);
        if( iKey==KV_NO_NODE ) return KV_NOMEM;
        pTree->aNode[iKey].u.r = k;
        pTree->aNode[iKey].iNext = i;
        iVal = i;
        i = iNextElem;
      }else{
        iVal = pTree->aNode[i].iNext;
        i = pTree->aNode[iVal].iNext;
      }
      if( iLast ){
        pTree->aNode[iLast].iNext = iKey;
      }else{
        *piPair = iKey;
      }
      iLast = iVal;
      (*pnPair)++;
    }
    if( iLast ) pTree->aNode[iLast].iNext = 0;
  }
  return KV_OK;
}

/* Object.assign({...}, ...) */
static int jscAssignObject(KvJsp *p, const char *zAt, u32 iObj, u32 iPair, u32 nPair){
  KvTree *pTree = p->pTree;
  u32 nAll = pTree->aNode[iObj].n;
  if( nPair==0 ) return KV_OK;
  p->nWork += nAll;
  if( p->nWork>16*(u64)(p->lex.zEnd - p->lex.zStart)+1000 ){
    return kvLexError(&p->lex, zAt, "Object.assign() is nested too often");
  }
  *jscSkip(pTree, &pTree->aNode[iObj].iChild, 2*(u64)nAll) = iPair;
  nAll += nPair;
  iPair = pTree->aNode[iObj].iChild;
  if( kvTreeOrderPairs(pTree, &iPair, &nAll, 1) ) return kvJspNoMem(p);
  pTree->aNode[iObj].iChild = iPair;
  pTree->aNode[iObj].n = nAll;
  return KV_OK;
}

static int jscAssign(KvJsp *p, const char *zAt, u32 iArg, u32 nArg){
  KvTree *pTree = p->pTree;
  u32 iSource, iPair, nPair;
  int eKind = nArg ? pTree->aNode[iArg].eKind : KV_UNDEFINED;
  int rc = KV_OK;
  if( eKind!=KV_ARRAY && eKind!=KV_OBJECT && eKind!=KV_VIEW && eKind!=KV_ERROR ){
    return kvLexError(&p->lex, zAt,
        "Object.assign() is for arrays, objects, typed arrays and Errors");
  }
  iSource = pTree->aNode[iArg].iNext;
  pTree->aNode[iArg].iNext = 0;
  p->iVal = iArg;
  if( eKind==KV_ARRAY || eKind==KV_OBJECT ){
    if( jscSourcePairs(p, zAt, iSource, &iPair, &nPair) ) return p->lex.err.eCode;
    if( eKind==KV_OBJECT ) return jscAssignObject(p, zAt, iArg, iPair, nPair);
    return kvJsArrayPairs(p, zAt, iArg, iPair, nPair);
  }
  while( iSource && rc==KV_OK ){
    int eSource = pTree->aNode[iSource].eKind;
    u32 iNext = pTree->aNode[iSource].iNext;
    if( eSource!=KV_OBJECT && !(eSource==KV_ARRAY && eKind==KV_VIEW) ){
      return kvLexError(&p->lex, zAt, "Object.assign() takes its properties from {...} or [...]");
    }
    rc = eKind==KV_VIEW ? kvJsAssignView(p, zAt, iArg, iSource)
                        : jscAssignError(p, zAt, iArg, iSource);
    iSource = iNext;
  }
  return rc;
}

static int jscEval(KvJsp *p, int eCall, const char *zAt, u32 iArg, u32 nArg){
  int eSub = KV_CALL_SUB(eCall);
  switch( KV_CALL_KIND(eCall) ){
    case KV_CALL_MAP:     return jscMap(p, zAt, iArg, nArg);
    case KV_CALL_SET:     return jscSet(p, zAt, iArg, nArg);
    case KV_CALL_DATE:    return jscDate(p, zAt, iArg, nArg);
    case KV_CALL_REGEXP:  return jscRegexp(p, zAt, iArg, nArg);
    case KV_CALL_U64:     return jscU64(p, zAt, iArg, nArg);
    case KV_CALL_BUFFER:  return kvJsCallBuffer(p, zAt, iArg, nArg);
    case KV_CALL_NUMBER:
    case KV_CALL_STRING:
    case KV_CALL_BOOLEAN: return jscWrapper(p, eCall, zAt, iArg, nArg);
    case KV_CALL_ARRAY:   return jscArray(p, zAt, iArg, nArg);
    case KV_CALL_OBJECT:  return jscObject(p, iArg, nArg);
    case KV_CALL_ASSIGN:  return jscAssign(p, zAt, iArg, nArg);
    case KV_CALL_ERROR:   return jscError(p, eSub, zAt, iArg, nArg);
    default:              return kvJsCallView(p, eSub, zAt, iArg, nArg);
  }
}

int kvJsCall(KvJsp *p, int eCall, const char *zAt, u32 iArg, u32 nArg){
  int rc = jscEval(p, eCall, zAt, iArg, nArg);
  if( rc==KV_OK ) p->pTree->aNode[p->iVal].iNext = 0;
  return rc;
}
