/*
** entry_read.c -- a line of JSON to an entry's key and value (entry_print.h: the
** format).
**
** The line is read as JSON into the tree, and each object that names its type
** is then changed in place into the value that it stands for.  The parser
** makes a node before the nodes below it, so one pass in the order of the
** nodes meets the outer ones first; a node that is yet to be changed carries
** KVN_MARK.  Nothing is recursive.
*/
#include "codec/entry_read.h"
#include "codec/js/js_parse.h"
#include "codec/names.h"
#include "codec/num/date.h"
#include "codec/regexp/regexp.h"
#include "codec/key/key_bytes.h"
#include "codec/value_check.h"
#include "codec/value_order.h"
#include "codec/view.h"
#include "codec/num/bigint.h"
#include "bytes/base64.h"

/* Types that are neither views nor errors. */
enum {
  ENTRY_UNDEFINED = 1, ENTRY_NULL, ENTRY_BOOLEAN, ENTRY_NUMBER, ENTRY_BIGINT, ENTRY_STRING,
  ENTRY_ARRAY, ENTRY_OBJECT, ENTRY_MAP, ENTRY_SET, ENTRY_DATE, ENTRY_REGEXP, ENTRY_BUFFER,
  ENTRY_U64, ENTRY_RAW, ENTRY_VIEW, ENTRY_ERROR
};
static const struct { const char *zName; int eType; } entryReadName[] = {
  { "undefined", ENTRY_UNDEFINED }, { "null", ENTRY_NULL },
  { "boolean", ENTRY_BOOLEAN },     { "number", ENTRY_NUMBER },
  { "bigint", ENTRY_BIGINT },       { "string", ENTRY_STRING },
  { "Array", ENTRY_ARRAY },         { "object", ENTRY_OBJECT },
  { "Map", ENTRY_MAP },             { "Set", ENTRY_SET },
  { "Date", ENTRY_DATE },           { "RegExp", ENTRY_REGEXP },
  { "ArrayBuffer", ENTRY_BUFFER },  { "KvU64", ENTRY_U64 },
  { "raw", ENTRY_RAW },
};

static int entryReadError(KvErr *pErr, const char *zMsg){
  return kvErrSet(pErr, KV_SYNTAX, -1, zMsg);
}

static int entryReadNoMem(KvErr *pErr){
  return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
}

/* True if the STRING holds just this ASCII text. */
static int entryReadIs(const KvNode *p, const char *z){
  size_t n = strlen(z);
  return p->eKind==KV_STRING && p->n==n && memcmp(p->u.p, z, n)==0;
}

/* The value of the OBJECT's property zKey, or 0. */
static u32 entryReadGet(const KvTree *pTree, u32 iObj, const char *zKey){
  const KvNode *aNode = pTree->aNode;
  u32 i = aNode[iObj].iChild;
  for(; i; i=aNode[aNode[i].iNext].iNext){
    if( entryReadIs(&aNode[i], zKey) ) return aNode[i].iNext;
  }
  return 0;
}

/*
** The type that an object names, 0 if none is known; *pSub is the eSub of a
** view or error, *piVal the property "value" or 0.
*/
static int entryReadType(const KvTree *pTree, u32 iObj, int *peSub, u32 *piVal){
  const KvNode *pType;
  u32 iType, i;
  if( pTree->aNode[iObj].eKind!=KV_OBJECT ) return 0;
  iType = entryReadGet(pTree, iObj, "type");
  *piVal = entryReadGet(pTree, iObj, "value");
  if( iType==0 ) return 0;
  pType = &pTree->aNode[iType];
  for(i=0; i<sizeof(entryReadName)/sizeof(entryReadName[0]); i++){
    if( entryReadIs(pType, entryReadName[i].zName) ) return entryReadName[i].eType;
  }
  for(*peSub=0; *peSub<KV_VIEW_COUNT; (*peSub)++){
    if( entryReadIs(pType, kvViewName(*peSub)) ) return ENTRY_VIEW;
  }
  for(*peSub=0; *peSub<KV_ERR_COUNT; (*peSub)++){
    if( entryReadIs(pType, kvErrorName(*peSub)) ) return ENTRY_ERROR;
  }
  return 0;
}

/*************************************************************************
** Texts
*/

/*
** The bytes of a STRING of base64, of either alphabet, padded or not.  0 if
** it is none or memory ran out: the error is set.
*/
static const u8 *entryReadBase64(KvTree *pTree, u32 iStr, u32 *pn, KvErr *pErr){
  const KvNode *p = &pTree->aNode[iStr];
  u8 *a;
  if( iStr==0 || p->eKind!=KV_STRING ){
    entryReadError(pErr, "\"value\" must be a string of base64");
    return 0;
  }
  a = kvTreeSpace(pTree, KV_BASE64_BOUND(p->n));
  if( a==0 ){
    entryReadNoMem(pErr);
    return 0;
  }
  if( kvBase64Parse(kvBytes(p->u.p, p->n), KV_BASE64_EITHER, a, pn)>=0 ){
    entryReadError(pErr, "\"value\" must be base64");
    return 0;
  }
  return a;
}

/* A STRING of decimal digits, perhaps with a sign, becomes a BIGINT. */
static int entryReadBigint(KvTree *pTree, u32 iNode, KvErr *pErr){
  KvNode *p = &pTree->aNode[iNode];
  const char *z = (const char*)p->u.p;
  u32 i, n = p->n;
  int bNeg;
  u8 *a;
  if( p->eKind!=KV_STRING ) return entryReadError(pErr, "the value of a bigint is a string of its digits");
  bNeg = n>0 && z[0]=='-';
  z += bNeg;
  n -= (u32)bNeg;
  for(i=0; i<n && z[i]>='0' && z[i]<='9'; i++){}
  if( n==0 || i<n ) return entryReadError(pErr, "the value of a bigint is a string of its digits");
  a = kvTreeSpace(pTree, kvBigBound(n));
  if( a==0 ) return entryReadNoMem(pErr);
  p->eKind = KV_BIGINT;
  p->n = kvBigParse(kvBytes(z, n), 10, a);
  p->eSub = (u8)(bNeg && p->n>0);
  p->mFlags = 0;
  p->u.p = a;
  return KV_OK;
}

/* "NaN", "Infinity" or "-Infinity" becomes a NUMBER; a NUMBER stays one. */
static int entryReadNumber(KvNode *p, KvErr *pErr){
  u64 u;
  if( p->eKind==KV_NUMBER ) return KV_OK;
  if( entryReadIs(p, "NaN") ){
    u = KV_NAN_BITS;
  }else if( entryReadIs(p, "Infinity") ){
    u = 0x7ff0000000000000u;
  }else if( entryReadIs(p, "-Infinity") ){
    u = 0xfff0000000000000u;
  }else{
    return entryReadError(pErr, "the value of a number is a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
  }
  p->eKind = KV_NUMBER;
  p->eSub = p->mFlags = 0;
  p->n = 0;
  p->u.r = kvBitsToDouble(u);
  return KV_OK;
}

/*************************************************************************
** Keys
*/

static int entryReadPart(KvTree *pTree, u32 iPart, KvBuf *pKey, KvErr *pErr){
  int eSub = 0, eType;
  u32 iVal = 0, n;
  const u8 *a;
  KvNode *p;
  eType = entryReadType(pTree, iPart, &eSub, &iVal);
  p = &pTree->aNode[iVal];
  if( iVal==0 ){
    return entryReadError(pErr, "a part of a key must be {\"type\":...,\"value\":...}");
  }else if( eType==ENTRY_BOOLEAN && p->eKind==KV_BOOL ){
    kvKeyPutBool(pKey, p->n!=0);
  }else if( eType==ENTRY_STRING && p->eKind==KV_STRING ){
    kvKeyPutString(pKey, kvBytes(p->u.p, p->n));
  }else if( eType==ENTRY_NUMBER ){
    if( entryReadNumber(p, pErr)!=KV_OK ) return pErr->eCode;
    kvKeyPutNumber(pKey, p->u.r);
  }else if( eType==ENTRY_BIGINT ){
    if( entryReadBigint(pTree, iVal, pErr)!=KV_OK ) return pErr->eCode;
    if( p->n>KV_BIGINT_KEY_BYTES ) return entryReadError(pErr, "a bigint in a key has at most 255 bytes");
    kvKeyPutBigint(pKey, p->eSub, kvBytes(p->u.p, p->n));
  }else if( eType==ENTRY_RAW || (eType==ENTRY_VIEW && eSub==KV_VIEW_U8) ){
    a = entryReadBase64(pTree, iVal, &n, pErr);
    if( a==0 ) return pErr->eCode;
    if( eType==ENTRY_RAW ){
      kvBufAppend(pKey, a, n);
    }else{
      kvKeyPutBytes(pKey, kvBytes(a, n));
    }
  }else{
    return entryReadError(pErr, "the type of a part is string, number, bigint, boolean or Uint8Array");
  }
  return kvErrMemory(pErr, pKey->eErr);
}

static int entryReadKey(KvTree *pTree, u32 iKey, KvBuf *pKey, KvErr *pErr){
  u32 k, i = pTree->aNode[iKey].iChild;
  int rc = KV_OK;
  if( iKey==0 || pTree->aNode[iKey].eKind!=KV_ARRAY ){
    return entryReadError(pErr, "\"key\" must be an array of parts");
  }
  for(k=0; rc==KV_OK && k<pTree->aNode[iKey].n; k++, i=pTree->aNode[i].iNext){
    rc = entryReadPart(pTree, i, pKey, pErr);
  }
  return rc;
}

/*************************************************************************
** Values
*/

/* Node iTo becomes what node iFrom is; its place in the tree stays. */
static KvNode *entryReadCopy(KvTree *pTree, u32 iTo, u32 iFrom){
  KvNode *p = &pTree->aNode[iTo];
  u32 iNext = p->iNext;
  *p = pTree->aNode[iFrom];
  p->iNext = iNext;
  return p;
}

/* Node iNode becomes a node of kind eKind with nothing in it. */
static KvNode *entryReadMake(KvTree *pTree, u32 iNode, u8 eKind){
  KvNode *p = &pTree->aNode[iNode];
  u32 iNext = p->iNext;
  memset(p, 0, sizeof(*p));
  p->eKind = eKind;
  p->iNext = iNext;
  return p;
}

/* An array of values; in an Array null is a hole. */
static int entryReadList(KvTree *pTree, u32 iNode, u32 iVal, int eType, KvErr *pErr){
  KvNode *aNode = pTree->aNode;
  u32 i, n = aNode[iVal].n;
  if( aNode[iVal].eKind!=KV_ARRAY ) return entryReadError(pErr, "the value of an Array or Set is an array");
  entryReadCopy(pTree, iNode, iVal);
  for(i=aNode[iNode].iChild; i; i=aNode[i].iNext){
    if( eType==ENTRY_ARRAY && aNode[i].eKind==KV_NULL ){
      aNode[i].eKind = KV_HOLE;
    }else{
      aNode[i].mFlags |= KVN_MARK;
    }
  }
  if( eType==ENTRY_SET ){
    entryReadMake(pTree, iNode, KV_SET)->iChild = aNode[iVal].iChild;
    aNode[iNode].n = n;
  }
  return KV_OK;
}

/* An array of pairs becomes a chain of keys and values. */
static int entryReadMap(KvTree *pTree, u32 iNode, u32 iVal, KvErr *pErr){
  KvNode *aNode = pTree->aNode;
  u32 i, iLast = 0;
  KvNode *pMap;
  u32 n = aNode[iVal].n;
  if( aNode[iVal].eKind!=KV_ARRAY ) return entryReadError(pErr, "the value of a Map is an array of pairs");
  i = aNode[iVal].iChild;
  pMap = entryReadMake(pTree, iNode, KV_MAP);
  pMap->n = n;
  for(; i; i=aNode[i].iNext){
    u32 iKey = aNode[i].iChild;
    if( aNode[i].eKind!=KV_ARRAY || aNode[i].n!=2 ){
      return entryReadError(pErr, "the value of a Map is an array of pairs");
    }
    if( iLast ){
      aNode[iLast].iNext = iKey;
    }else{
      pMap->iChild = iKey;
    }
    iLast = aNode[iKey].iNext;
    aNode[iKey].mFlags |= KVN_MARK;
    aNode[iLast].mFlags |= KVN_MARK;
  }
  return KV_OK;
}

static int entryReadObject(KvTree *pTree, u32 iNode, u32 iVal, KvErr *pErr){
  KvNode *aNode = pTree->aNode;
  u32 i;
  if( aNode[iVal].eKind!=KV_OBJECT ) return entryReadError(pErr, "the value of an object is an object");
  entryReadCopy(pTree, iNode, iVal);
  for(i=aNode[iNode].iChild; i; i=aNode[aNode[i].iNext].iNext){
    aNode[aNode[i].iNext].mFlags |= KVN_MARK;
  }
  return KV_OK;
}

/* The parts of an error, in the order that a tree has them in. */
static int entryReadErrorValue(KvTree *pTree, u32 iNode, u32 iVal, int eSub, KvErr *pErr){
  static const struct { const char *zName; u32 m; } aPart[] = {
    { "message", KV_ERR_MESSAGE }, { "stack", KV_ERR_STACK }, { "cause", KV_ERR_CAUSE }
  };
  KvNode *aNode = pTree->aNode;
  KvNode *pNode;
  u32 k, aFound[3], iLast = 0;
  if( aNode[iVal].eKind!=KV_OBJECT ) return entryReadError(pErr, "the value of an error is an object");
  for(k=0; k<3; k++) aFound[k] = entryReadGet(pTree, iVal, aPart[k].zName);
  pNode = entryReadMake(pTree, iNode, KV_ERROR);
  pNode->eSub = (u8)eSub;
  for(k=0; k<3; k++){
    u32 i = aFound[k];
    if( i==0 ) continue;
    if( aPart[k].m==KV_ERR_CAUSE ){
      aNode[i].mFlags |= KVN_MARK;
    }else if( aNode[i].eKind!=KV_STRING ){
      return entryReadError(pErr, "the message and the stack of an error are strings");
    }
    if( iLast ){
      aNode[iLast].iNext = i;
    }else{
      pNode->iChild = i;
    }
    aNode[i].iNext = 0;
    pNode->n |= aPart[k].m;
    iLast = i;
  }
  return KV_OK;
}

static int entryReadBytes(KvTree *pTree, u32 iNode, u32 iVal, int eType, int eSub, KvErr *pErr){
  u32 n = 0;
  const u8 *a = entryReadBase64(pTree, iVal, &n, pErr);
  KvNode *p;
  if( a==0 ) return pErr->eCode;
  if( eType==ENTRY_VIEW && n%(u32)kvViewSize(eSub)!=0 ){
    return entryReadError(pErr, "the bytes of a typed array must be whole elements");
  }
  p = entryReadMake(pTree, iVal, KV_BUFFER);
  p->iNext = 0;
  p->n = n;
  p->u.p = a;
  if( eType==ENTRY_VIEW ){
    p = entryReadMake(pTree, iNode, KV_VIEW);
    p->eSub = (u8)eSub;
    p->n = n;
    p->iChild = iVal;
  }else{
    entryReadCopy(pTree, iNode, iVal);
  }
  return KV_OK;
}

static int entryReadDate(KvTree *pTree, u32 iNode, u32 iVal, KvErr *pErr){
  const KvNode *p = &pTree->aNode[iVal];
  double r = kvNaN();
  if( p->eKind!=KV_NULL && !entryReadIs(p, "Invalid Date")
   && (p->eKind!=KV_STRING || kvDateParse(kvNodeBytes(p), &r)!=KV_OK)
  ){
    return entryReadError(pErr, "the value of a Date is a string as toISOString() gives it");
  }
  entryReadMake(pTree, iNode, KV_DATE)->u.r = r;
  return KV_OK;
}

/* "/source/flags" */
static int entryReadRegexp(KvTree *pTree, u32 iNode, u32 iVal, KvErr *pErr){
  static const char zMsg[] = "the value of a RegExp is a string such as \"/a+/gi\"";
  KvNode *p = &pTree->aNode[iVal];
  u32 iEnd = p->n, mFlags, iPos;
  const char *zErr;
  KvBuf src;
  u8 *a;
  if( p->eKind!=KV_STRING || p->n<2 || p->u.p[0]!='/' ) return entryReadError(pErr, zMsg);
  while( p->u.p[iEnd-1]!='/' ) iEnd--;
  if( iEnd<2 ) return entryReadError(pErr, zMsg);
  mFlags = kvRegexpReadFlags(kvBytes(&p->u.p[iEnd], p->n-iEnd));
  if( mFlags==KV_RE_NONE ) return entryReadError(pErr, zMsg);
  kvBufInit(&src, 0, 0);
  kvRegexpSource(&src, kvBytes(&p->u.p[1], iEnd-2));
  a = src.eErr==KV_OK ? kvTreeSpace(pTree, src.n) : 0;
  if( a ) memcpy(a, src.a, src.n);
  p->u.p = a;
  p->n = src.n;
  p->iNext = 0;
  p->mFlags = 0;
  p->eSub = KV_WTF8;
  kvBufClear(&src);
  if( a==0 ) return entryReadNoMem(pErr);
  zErr = kvRegexpCheck(kvBytes(a, p->n), mFlags, &iPos);
  if( zErr ) return iPos==KV_RE_NOMEM ? entryReadNoMem(pErr) : entryReadError(pErr, zErr);
  p = entryReadMake(pTree, iNode, KV_REGEXP);
  p->n = mFlags;
  p->iChild = iVal;
  return KV_OK;
}

static int entryReadU64(KvTree *pTree, u32 iNode, u32 iVal, KvErr *pErr){
  KvNode *p = &pTree->aNode[iVal];
  u64 v = 0;
  u32 i;
  if( entryReadBigint(pTree, iVal, pErr)!=KV_OK ) return pErr->eCode;
  if( p->eSub || p->n>8 ) return entryReadError(pErr, "a KvU64 is from 0 to 18446744073709551615");
  for(i=0; i<p->n; i++) v |= (u64)p->u.p[i]<<(8*i);
  entryReadMake(pTree, iNode, KV_U64)->u.u = v;
  return KV_OK;
}

/* A string, boolean, number or bigint: the property "value" itself. */
static int entryReadScalar(KvTree *pTree, u32 iNode, u32 iVal, int eType, KvErr *pErr){
  const KvNode *p = &pTree->aNode[iVal];
  int rc = KV_OK;
  if( eType==ENTRY_NUMBER ){
    rc = entryReadNumber(&pTree->aNode[iVal], pErr);
  }else if( eType==ENTRY_BIGINT ){
    rc = entryReadBigint(pTree, iVal, pErr);
  }else if( p->eKind!=(eType==ENTRY_STRING ? KV_STRING : KV_BOOL) ){
    rc = entryReadError(pErr, "\"value\" is not of the type that \"type\" names");
  }
  if( rc==KV_OK ) entryReadCopy(pTree, iNode, iVal);
  return rc;
}

/* Change the object iNode into the value that it stands for. */
static int entryReadValue(KvTree *pTree, u32 iNode, KvErr *pErr){
  int eSub = 0;
  u32 iVal = 0;
  int eType = entryReadType(pTree, iNode, &eSub, &iVal);
  if( eType==0 || eType==ENTRY_RAW ){
    return entryReadError(pErr, "a value must be {\"type\":...,\"value\":...} with a type that can be stored");
  }
  if( iVal==0 && eType!=ENTRY_UNDEFINED && eType!=ENTRY_NULL ){
    return entryReadError(pErr, "there is a \"type\" without a \"value\"");
  }
  switch( eType ){
    case ENTRY_UNDEFINED: entryReadMake(pTree, iNode, KV_UNDEFINED); break;
    case ENTRY_NULL:   entryReadMake(pTree, iNode, KV_NULL); break;
    case ENTRY_ARRAY:
    case ENTRY_SET:    return entryReadList(pTree, iNode, iVal, eType, pErr);
    case ENTRY_OBJECT: return entryReadObject(pTree, iNode, iVal, pErr);
    case ENTRY_MAP:    return entryReadMap(pTree, iNode, iVal, pErr);
    case ENTRY_ERROR:  return entryReadErrorValue(pTree, iNode, iVal, eSub, pErr);
    case ENTRY_BUFFER:
    case ENTRY_VIEW:   return entryReadBytes(pTree, iNode, iVal, eType, eSub, pErr);
    case ENTRY_DATE:   return entryReadDate(pTree, iNode, iVal, pErr);
    case ENTRY_REGEXP: return entryReadRegexp(pTree, iNode, iVal, pErr);
    case ENTRY_U64:    return entryReadU64(pTree, iNode, iVal, pErr);
    default:         return entryReadScalar(pTree, iNode, iVal, eType, pErr);
  }
  return KV_OK;
}

/* Change the objects from iRoot on, then look for equal keys. */
static int entryReadTree(KvTree *pTree, u32 iRoot, KvErr *pErr){
  u32 i, n = pTree->nNode;
  int rc = KV_OK;
  pTree->aNode[iRoot].mFlags |= KVN_MARK;
  for(i=iRoot; i<n; i++){
    if( (pTree->aNode[i].mFlags & KVN_MARK)==0 ) continue;
    pTree->aNode[i].mFlags &= (u8)~KVN_MARK;
    rc = entryReadValue(pTree, i, pErr);
    if( rc!=KV_OK ) return rc;
  }
  for(i=iRoot; i<n; i++){
    KvNode *p = &pTree->aNode[i];
    if( p->eKind!=KV_MAP && p->eKind!=KV_SET ) continue;
    rc = kvTreeUniqueKeys(pTree, &p->iChild, &p->n, p->eKind==KV_MAP ? 2 : 1);
    if( rc!=KV_OK ) return entryReadNoMem(pErr);
  }
  return KV_OK;
}

void kvEntryInit(KvEntry *p){
  memset(p, 0, sizeof(*p));
  kvBufInit(&p->key, 0, 0);
  kvBufInit(&p->raw, 0, 0);
  kvTreeInit(&p->tree);
}

void kvEntryClear(KvEntry *p){
  kvBufClear(&p->key);
  kvBufClear(&p->raw);
  kvTreeClear(&p->tree);
}

/* The value of the entry. */
static int entryReadEntryValue(KvEntry *p, u32 iVal, KvErr *pErr){
  u32 iRaw = 0, n;
  int eSub, rc;
  if( iVal==0 ) return entryReadError(pErr, "the entry has no \"value\"");
  if( entryReadType(&p->tree, iVal, &eSub, &iRaw)==ENTRY_RAW ){
    const u8 *a = entryReadBase64(&p->tree, iRaw, &n, pErr);
    if( a==0 ) return pErr->eCode;
    kvBufAppend(&p->raw, a, n);
    p->bRaw = 1;
    return kvErrMemory(pErr, p->raw.eErr);
  }
  rc = entryReadTree(&p->tree, iVal, pErr);
  if( rc==KV_OK ){
    p->tree.aNode[0] = p->tree.aNode[iVal];
    p->tree.aNode[0].iNext = 0;
    kvTreeCheck(&p->tree);
  }
  return rc;
}

int kvEntryRead(KvEntry *p, KvBytes line, KvErr *pErr){
  const KvNode *pStamp;
  int rc;
  kvBufReset(&p->key);
  kvBufReset(&p->raw);
  p->bRaw = 0;
  p->stamp = kvBytes(0, 0);
  kvTreeReset(&p->tree);
  rc = kvJsonParse(&p->tree, line, pErr);
  if( rc!=KV_OK ) return rc;
  if( p->tree.aNode[0].eKind!=KV_OBJECT ){
    return entryReadError(pErr, "an entry is an object with \"key\" and \"value\"");
  }
  rc = entryReadKey(&p->tree, entryReadGet(&p->tree, 0, "key"), &p->key, pErr);
  if( rc!=KV_OK ) return rc;
  pStamp = &p->tree.aNode[entryReadGet(&p->tree, 0, "versionstamp")];
  if( pStamp->eKind==KV_STRING ) p->stamp = kvBytes(pStamp->u.p, pStamp->n);
  return entryReadEntryValue(p, entryReadGet(&p->tree, 0, "value"), pErr);
}
