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
#include "codec/value_order.h"
#include "codec/value_string.h"
#include "codec/view.h"
#include "bytes/base64.h"
#include "bytes/hex.h"

/* The type of bytes that are given raw; the others are kinds of nodes. */
#define ENTRY_RAW 0xff

/* The types by name, but for views and errors; of what kind "value" must be (0:
** of several), and what is said if it isn't. */
static const char entryReadDigits[] = "the value of a bigint is a string of its digits";
static const char entryReadNoBytes[] = "\"value\" must be a string of base64";
static const char entryReadNoList[] = "the value of an Array or Set is an array";
static const char entryReadNoRegexp[] = "the value of a RegExp is a string such as \"/a+/gi\"";
static const char entryReadOther[] = "\"value\" is not of the type that \"type\" names";
typedef struct EntryType EntryType;
struct EntryType { const char *zName; u8 eType, eKind; const char *zMsg; };
static const EntryType entryReadType[] = {
  { "undefined",   KV_UNDEFINED, 0,         0 },
  { "null",        KV_NULL,      0,         0 },
  { "boolean",     KV_BOOL,      KV_BOOL,   entryReadOther },
  { "number",      KV_NUMBER,    0,         0 },
  { "bigint",      KV_BIGINT,    KV_STRING, entryReadDigits },
  { "string",      KV_STRING,    KV_STRING, entryReadOther },
  { "Array",       KV_ARRAY,     KV_ARRAY,  entryReadNoList },
  { "object",      KV_OBJECT,    KV_OBJECT, "the value of an object is an object" },
  { "Map",         KV_MAP,       KV_ARRAY,  "the value of a Map is an array of pairs" },
  { "Set",         KV_SET,       KV_ARRAY,  entryReadNoList },
  { "Date",        KV_DATE,      0,         0 },
  { "RegExp",      KV_REGEXP,    KV_STRING, entryReadNoRegexp },
  { "ArrayBuffer", KV_BUFFER,    KV_STRING, entryReadNoBytes },
  { "KvU64",       KV_U64,       KV_STRING, entryReadDigits },
  { "raw",         ENTRY_RAW,    KV_STRING, entryReadNoBytes }
};
static const EntryType entryReadView =
  { 0, KV_VIEW, KV_STRING, entryReadNoBytes };
static const EntryType entryReadThrown =
  { 0, KV_ERROR, KV_OBJECT, "the value of an error is an object" };

/* An object that names its type. */
typedef struct EntryTyped EntryTyped;
struct EntryTyped {
  KvTree *pTree;
  KvErr *pErr;
  const EntryType *pType;  /* 0: none that is known */
  u8 eSub;                /* Of a view or error */
  u32 iNode;              /* The object, which becomes the value */
  u32 iVal;               /* Its property "value", or 0 */
};

static int entryReadError(KvErr *pErr, const char *zMsg){
  return kvErrSet(pErr, KV_SYNTAX, -1, zMsg);
}

/* The type of that name, 0 if there is none; *peSub is a view's or error's. */
static const EntryType *entryReadFind(const KvNode *pName, u8 *peSub){
  u32 i;
  for(i=0; i<sizeof(entryReadType)/sizeof(entryReadType[0]); i++){
    if( kvStringIs(pName, entryReadType[i].zName) ) return &entryReadType[i];
  }
  for(*peSub=0; *peSub<KV_VIEW_COUNT; (*peSub)++){
    if( kvStringIs(pName, kvViewName(*peSub)) ) return &entryReadView;
  }
  for(*peSub=0; *peSub<KV_ERR_COUNT; (*peSub)++){
    if( kvStringIs(pName, kvErrorName(*peSub)) ) return &entryReadThrown;
  }
  return 0;
}

/* Look at the node iNode. */
static EntryTyped entryReadTyped(KvTree *pTree, u32 iNode, KvErr *pErr){
  EntryTyped typed = { pTree, pErr, 0, 0, iNode, 0 };
  u32 iType;
  if( pTree->aNode[iNode].eKind!=KV_OBJECT ) return typed;
  iType = kvProperty(pTree, iNode, "type");
  typed.iVal = kvProperty(pTree, iNode, "value");
  if( iType ) typed.pType = entryReadFind(&pTree->aNode[iType], &typed.eSub);
  return typed;
}

/*************************************************************************
** Texts
*/

/*
** The bytes of the STRING "value" of base64, of either alphabet, padded or not.
** p is 0 if it is none or memory ran out: the error is set.
*/
static KvBytes entryReadBase64(const EntryTyped *t){
  const KvNode *p = &t->pTree->aNode[t->iVal];
  u8 *a;
  u32 n = 0;
  if( p->eKind!=KV_STRING ){
    entryReadError(t->pErr, entryReadNoBytes);
    return kvBytes(0, 0);
  }
  a = kvTreeSpace(t->pTree, KV_BASE64_BOUND(p->n));
  if( a==0 ){
    kvErrMemory(t->pErr, KV_NOMEM);
  }else if( kvBase64Parse(kvBytes(p->u.p, p->n), KV_BASE64_EITHER, a, &n)>=0 ){
    entryReadError(t->pErr, "\"value\" must be base64");
    a = 0;
  }
  return kvBytes(a, n);
}

/* A STRING of decimal digits, perhaps with a sign, becomes a BIGINT. */
static int entryReadBigint(const EntryTyped *t){
  KvNode *pNode = &t->pTree->aNode[t->iVal];
  KvBytes text = kvNodeBytes(pNode);
  int bNeg = text.n>0 && text.p[0]=='-', rc;
  u32 i = (u32)bNeg + 2;
  if( pNode->eKind==KV_STRING && text.n>i && text.p[i-2]=='0' && text.p[i-1]=='x' ){
    KvBytes digits = kvBytesFrom(text, i);
    while( i<text.n && kvHexValue(text.p[i])>=0 ) i++;
    rc = i<text.n ? KV_SYNTAX : kvTreeDigits(t->pTree, t->iVal, digits, 16, bNeg);
  }else{
    rc = kvTreeDecimal(t->pTree, t->iVal);
  }
  if( rc==KV_SYNTAX ) return entryReadError(t->pErr, entryReadDigits);
  return rc==KV_OK ? KV_OK : kvErrMemory(t->pErr, rc);
}

/* "NaN", "Infinity" or "-Infinity" becomes a NUMBER; a NUMBER stays one. */
static int entryReadNumber(const EntryTyped *t){
  static const struct { const char *zName; u64 u; } aName[] = {
    { "NaN", KV_NAN_BITS }, { "Infinity", (u64)0x7ff<<52 }, { "-Infinity", (u64)0xfff<<52 }
  };
  KvNode *p = &t->pTree->aNode[t->iVal];
  u32 i;
  if( p->eKind==KV_NUMBER ) return KV_OK;
  for(i=0; i<3 && !kvStringIs(p, aName[i].zName); i++){}
  if( i==3 ){
    return entryReadError(t->pErr,
        "the value of a number is a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
  }
  kvNodeBecome(p, KV_NUMBER)->u.r = kvBitsToDouble(aName[i].u);
  return KV_OK;
}

/*************************************************************************
** Keys
*/

static int entryReadPart(KvTree *pTree, u32 iPart, KvBuf *pKey, KvErr *pErr){
  EntryTyped typed = entryReadTyped(pTree, iPart, pErr);
  KvNode *p = &pTree->aNode[typed.iVal];
  int eType = typed.pType ? typed.pType->eType : 0;
  if( typed.iVal==0 ){
    return entryReadError(pErr, "a part of a key must be {\"type\":...,\"value\":...}");
  }else if( eType==KV_BOOL && p->eKind==KV_BOOL ){
    kvKeyPutBool(pKey, p->n!=0);
  }else if( eType==KV_STRING && p->eKind==KV_STRING ){
    kvKeyPutString(pKey, kvBytes(p->u.p, p->n));
  }else if( eType==KV_NUMBER ){
    if( entryReadNumber(&typed)!=KV_OK ) return pErr->eCode;
    kvKeyPutNumber(pKey, p->u.r);
  }else if( eType==KV_BIGINT ){
    if( entryReadBigint(&typed)!=KV_OK ) return pErr->eCode;
    if( p->n>KV_BIGINT_KEY_BYTES ){
      return entryReadError(pErr, "a bigint in a key has at most 255 bytes");
    }
    kvKeyPutBigint(pKey, p->eSub, kvBytes(p->u.p, p->n));
  }else if( eType==ENTRY_RAW || (eType==KV_VIEW && typed.eSub==KV_VIEW_U8) ){
    KvBytes bytes = entryReadBase64(&typed);
    if( bytes.p==0 ) return pErr->eCode;
    if( eType==ENTRY_RAW ) kvBufAdd(pKey, bytes);
    else kvKeyPutBytes(pKey, bytes);
  }else{
    return entryReadError(pErr,
        "the type of a part is string, number, bigint, boolean or Uint8Array");
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
  KvNode *p = kvNodeBecome(&pTree->aNode[iNode], eKind);
  p->iChild = 0;
  return p;
}

/* An array of values; in an Array null is a hole. */
static int entryReadList(const EntryTyped *t){
  KvNode *aNode = t->pTree->aNode;
  KvNode *pList = entryReadCopy(t->pTree, t->iNode, t->iVal);
  int bHoles = t->pType->eType==KV_ARRAY;
  u32 i, iFirst = pList->iChild, n = pList->n;
  for(i=iFirst; i; i=aNode[i].iNext){
    if( bHoles && aNode[i].eKind==KV_NULL ) aNode[i].eKind = KV_HOLE;
    else aNode[i].mFlags |= KVN_MARK;
  }
  if( !bHoles ){
    pList = entryReadMake(t->pTree, t->iNode, KV_SET);
    pList->iChild = iFirst;
    pList->n = n;
  }
  return KV_OK;
}

/* An array of pairs becomes a chain of keys and values. */
static int entryReadMap(const EntryTyped *t){
  KvNode *aNode = t->pTree->aNode;
  u32 i = aNode[t->iVal].iChild, n = aNode[t->iVal].n;
  KvNode *pMap = entryReadMake(t->pTree, t->iNode, KV_MAP);
  u32 *piLink = &pMap->iChild;
  pMap->n = n;
  for(; i; i=aNode[i].iNext){
    u32 iKey = aNode[i].iChild, iLast;
    if( aNode[i].eKind!=KV_ARRAY || aNode[i].n!=2 ) return entryReadError(t->pErr, t->pType->zMsg);
    iLast = aNode[iKey].iNext;
    *piLink = iKey;
    piLink = &aNode[iLast].iNext;
    aNode[iKey].mFlags |= KVN_MARK;
    aNode[iLast].mFlags |= KVN_MARK;
  }
  return KV_OK;
}

static int entryReadObject(const EntryTyped *t){
  KvNode *aNode = t->pTree->aNode;
  u32 i = entryReadCopy(t->pTree, t->iNode, t->iVal)->iChild;
  for(; i; i=aNode[aNode[i].iNext].iNext) aNode[aNode[i].iNext].mFlags |= KVN_MARK;
  return KV_OK;
}

static int entryReadErrorValue(const EntryTyped *t){
  KvNode *aNode = t->pTree->aNode;
  u32 aPart[KV_ERR_CAUSE+1] = {0}, i = aNode[t->iVal].iChild;
  while( i ){
    u32 iPart = aNode[i].iNext;
    u32 m = aNode[i].eKind==KV_STRING ? kvErrorPart(kvNodeBytes(&aNode[i])) : 0;
    if( m==KV_ERR_CAUSE ){
      aNode[iPart].mFlags |= KVN_MARK;
    }else if( m && aNode[iPart].eKind!=KV_STRING ){
      return entryReadError(t->pErr, "the message and the stack of an error are strings");
    }
    aPart[m] = iPart;
    i = aNode[iPart].iNext;
  }
  entryReadMake(t->pTree, t->iNode, KV_ERROR)->eSub = t->eSub;
  kvErrorLink(t->pTree, t->iNode, aPart);
  return KV_OK;
}

static int entryReadBytes(const EntryTyped *t){
  int bView = t->pType->eType==KV_VIEW;
  KvBytes bytes = entryReadBase64(t);
  KvNode *p;
  if( bytes.p==0 ) return t->pErr->eCode;
  if( bView && bytes.n%(u32)kvViewSize(t->eSub)!=0 ){
    return entryReadError(t->pErr, "the bytes of a typed array must be whole elements");
  }
  p = entryReadMake(t->pTree, t->iVal, KV_BUFFER);
  p->iNext = 0;
  p->n = bytes.n;
  p->u.p = bytes.p;
  if( bView ){
    p = entryReadMake(t->pTree, t->iNode, KV_VIEW);
    p->eSub = t->eSub;
    p->n = bytes.n;
    p->iChild = t->iVal;
  }else{
    entryReadCopy(t->pTree, t->iNode, t->iVal);
  }
  return KV_OK;
}

static int entryReadDate(const EntryTyped *t){
  const KvNode *p = &t->pTree->aNode[t->iVal];
  double r = kvNaN();
  if( p->eKind!=KV_NULL && !kvStringIs(p, "Invalid Date")
   && (p->eKind!=KV_STRING || kvDateParse(kvBytes(p->u.p, p->n), &r)!=KV_OK)
  ){
    return entryReadError(t->pErr, "the value of a Date is a string as toISOString() gives it");
  }
  entryReadMake(t->pTree, t->iNode, KV_DATE)->u.r = r;
  return KV_OK;
}

/* "/source/flags" */
static int entryReadRegexp(const EntryTyped *t){
  KvNode *p = &t->pTree->aNode[t->iVal];
  u32 iEnd = p->n, mFlags;
  const char *zErr;
  KvBytes source;
  if( p->n<2 || p->u.p[0]!='/' ) return entryReadError(t->pErr, t->pType->zMsg);
  while( p->u.p[iEnd-1]!='/' ) iEnd--;
  if( iEnd<2 ) return entryReadError(t->pErr, t->pType->zMsg);
  mFlags = kvRegexpReadFlags(kvBytes(&p->u.p[iEnd], p->n-iEnd));
  if( mFlags==KV_RE_NONE ) return entryReadError(t->pErr, t->pType->zMsg);
  source = kvBytes(&p->u.p[1], iEnd-2);
  zErr = kvRegexpKeep(t->pTree, mFlags, &source);
  if( zErr ) return entryReadError(t->pErr, zErr);
  if( source.p==0 ) return kvErrMemory(t->pErr, KV_NOMEM);
  p->u.p = source.p;
  p->n = source.n;
  p->iNext = 0;
  p->mFlags = 0;
  p->eSub = KV_WTF8;
  p = entryReadMake(t->pTree, t->iNode, KV_REGEXP);
  p->n = mFlags;
  p->iChild = t->iVal;
  return KV_OK;
}

static int entryReadU64(const EntryTyped *t){
  if( entryReadBigint(t)!=KV_OK ) return t->pErr->eCode;
  if( !kvNodeToU64(&t->pTree->aNode[t->iVal]) ){
    return entryReadError(t->pErr, "a KvU64 is from 0 to 18446744073709551615");
  }
  return KV_OK;
}

/* Change the object iNode into the value that it stands for. */
static int entryReadValue(KvTree *pTree, u32 iNode, KvErr *pErr){
  EntryTyped typed = entryReadTyped(pTree, iNode, pErr);
  const EntryType *pType = typed.pType;
  int rc = KV_OK;
  if( pType==0 || pType->eType==ENTRY_RAW ){
    return entryReadError(pErr,
        "a value must be {\"type\":...,\"value\":...} with a type that can be stored");
  }
  if( pType->eType==KV_UNDEFINED || pType->eType==KV_NULL ){
    entryReadMake(pTree, iNode, pType->eType);
    return KV_OK;
  }
  if( typed.iVal==0 ) return entryReadError(pErr, "\"type\" without \"value\"");
  if( pType->eKind && pTree->aNode[typed.iVal].eKind!=pType->eKind ){
    return entryReadError(pErr, pType->zMsg);
  }
  switch( pType->eType ){
    case KV_ARRAY:
    case KV_SET:    return entryReadList(&typed);
    case KV_OBJECT: return entryReadObject(&typed);
    case KV_MAP:    return entryReadMap(&typed);
    case KV_ERROR:  return entryReadErrorValue(&typed);
    case KV_BUFFER:
    case KV_VIEW:   return entryReadBytes(&typed);
    case KV_DATE:   return entryReadDate(&typed);
    case KV_REGEXP: return entryReadRegexp(&typed);
    case KV_NUMBER: rc = entryReadNumber(&typed);  break;
    case KV_BIGINT: rc = entryReadBigint(&typed);  break;
    case KV_U64:    rc = entryReadU64(&typed);     break;
    default:        break;                       /* "value" is the value */
  }
  if( rc==KV_OK ) entryReadCopy(pTree, iNode, typed.iVal);
  return rc;
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
    if( rc!=KV_OK ) return kvErrMemory(pErr, KV_NOMEM);
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
  EntryTyped typed;
  int rc;
  if( iVal==0 ) return entryReadError(pErr, "the entry has no \"value\"");
  typed = entryReadTyped(&p->tree, iVal, pErr);
  if( typed.pType && typed.pType->eType==ENTRY_RAW ){
    KvBytes raw = entryReadBase64(&typed);
    if( raw.p==0 ) return pErr->eCode;
    kvBufAdd(&p->raw, raw);
    p->bRaw = 1;
    return kvErrMemory(pErr, p->raw.eErr);
  }
  rc = entryReadTree(&p->tree, iVal, pErr);
  if( rc==KV_OK ){
    p->tree.aNode[0] = p->tree.aNode[iVal];
    p->tree.aNode[0].iNext = 0;
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
  rc = entryReadKey(&p->tree, kvProperty(&p->tree, 0, "key"), &p->key, pErr);
  if( rc!=KV_OK ) return rc;
  pStamp = &p->tree.aNode[kvProperty(&p->tree, 0, "versionstamp")];
  if( pStamp->eKind==KV_STRING ) p->stamp = kvBytes(pStamp->u.p, pStamp->n);
  return entryReadEntryValue(p, kvProperty(&p->tree, 0, "value"), pErr);
}
