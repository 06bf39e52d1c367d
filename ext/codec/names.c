/*
** names.c -- what types, errors and flags are called.  See names.h.
*/
#include "codec/names.h"
#include "codec/value_string.h"
#include "codec/view.h"

static const char *const namesError[KV_ERR_COUNT] = {
  "Error", "EvalError", "RangeError", "ReferenceError", "SyntaxError",
  "TypeError", "URIError"
};

/* By kind; 0 where the name depends on more than the kind. */
static const char *const namesKind[KV_U64+1] = {
  0, "undefined", "null", "undefined", "boolean", "number", "bigint", "string",
  "Object", "Array", "Map", "Set", "Date", "RegExp", 0, 0,
  "ArrayBuffer", 0, 0,
  0, "KvU64"
};

const char *kvErrorName(int eSub){
  return namesError[eSub];
}

u32 kvErrorPart(KvBytes name){
  static const struct { const char *z; u32 m; } aPart[] = {
    { "message", KV_ERR_MESSAGE }, { "stack", KV_ERR_STACK }, { "cause", KV_ERR_CAUSE }
  };
  int i;
  for(i=0; i<3; i++){
    if( kvBytesEqual(name, kvBytesText(aPart[i].z)) ) return aPart[i].m;
  }
  return 0;
}

u32 kvErrorChild(const KvTree *p, u32 iErr, u32 mPart){
  u32 mHave = p->aNode[iErr].n, i = p->aNode[iErr].iChild, m;
  if( (mHave & mPart)==0 ) return 0;
  for(m=1; m<mPart; m<<=1) if( mHave & m ) i = p->aNode[i].iNext;
  return i;
}

void kvErrorLink(KvTree *p, u32 iErr, const u32 *aPart){
  u32 *piLink = &p->aNode[iErr].iChild, m;
  p->aNode[iErr].n = 0;
  for(m=KV_ERR_MESSAGE; m<=KV_ERR_CAUSE; m<<=1){
    if( aPart[m]==0 ) continue;
    p->aNode[iErr].n |= m;
    *piLink = aPart[m];
    piLink = &p->aNode[aPart[m]].iNext;
  }
  *piLink = 0;
}

/* The letters of a regular expression's flags, in the order of text. */
static const struct NamesFlag { char c; u32 m; } namesFlag[] = {
  { 'd', KV_RE_D }, { 'g', KV_RE_G }, { 'i', KV_RE_I }, { 'm', KV_RE_M },
  { 's', KV_RE_S }, { 'u', KV_RE_U }, { 'v', KV_RE_V }, { 'y', KV_RE_Y }
};
#define NAMES_FLAGS (sizeof(namesFlag)/sizeof(namesFlag[0]))

void kvRegexpFlags(u32 mFlags, char *z){
  size_t i;
  for(i=0; i<NAMES_FLAGS; i++){
    if( mFlags & namesFlag[i].m ) *z++ = namesFlag[i].c;
  }
  *z = 0;
}

u32 kvRegexpReadFlags(KvBytes letters){
  u32 mFlags = 0, k;
  size_t i;
  for(k=0; k<letters.n; k++){
    for(i=0; i<NAMES_FLAGS && namesFlag[i].c!=(char)letters.p[k]; i++){}
    if( i==NAMES_FLAGS || (mFlags & namesFlag[i].m) ) return KV_RE_NONE;
    mFlags |= namesFlag[i].m;
  }
  return kvRegexpFlagsValid(mFlags) ? mFlags : KV_RE_NONE;
}

int kvRegexpFlagsValid(u32 mFlags){
  u32 mKnown = 0;
  size_t i;
  for(i=0; i<NAMES_FLAGS; i++) mKnown |= namesFlag[i].m;
  return (mFlags & ~mKnown)==0 && (mFlags & (KV_RE_U|KV_RE_V))!=(KV_RE_U|KV_RE_V);
}

static const char *namesBoxed(int eKind){
  switch( eKind ){
    case KV_BOOL:    return "Boolean";
    case KV_NUMBER:  return "Number";
    case KV_BIGINT:  return "BigInt";
    default:         return "String";
  }
}

/*
** The "type" of a host object's payload, as far as it is a text of letters,
** digits and underscores that fits.
*/
static const char *namesHost(const KvTree *p, u32 iHost, char *zBuf){
  u32 iType = kvProperty(p, kvDeref(p, p->aNode[iHost].iChild), "type"), nUnit, i;
  const KvNode *pType = &p->aNode[iType];
  if( iType==0 || pType->eKind!=KV_STRING ) return "HostObject";
  nUnit = pType->eSub==KV_UTF16 ? 2 : 1;
  if( pType->n==0 || pType->n/nUnit>63 ) return "HostObject";
  for(i=0; i<pType->n/nUnit; i++){
    u8 c = pType->u.p[i*nUnit];
    if( nUnit==2 && pType->u.p[i*2+1] ) return "HostObject";
    if( (c<'0' || c>'9') && (c<'A' || c>'Z') && (c<'a' || c>'z') && c!='_' ) return "HostObject";
    zBuf[i] = (char)c;
  }
  zBuf[i] = 0;
  return zBuf;
}

const char *kvTypeName(const KvTree *p, u32 iNode, char *zBuf){
  const KvNode *pNode;
  iNode = kvDeref(p, iNode);
  pNode = &p->aNode[iNode];
  switch( pNode->eKind ){
    case KV_ERROR:  return kvErrorName(pNode->eSub);
    case KV_BOXED:  return namesBoxed(p->aNode[pNode->iChild].eKind);
    case KV_VIEW:   return kvViewName(pNode->eSub);
    case KV_HOST:   return namesHost(p, iNode, zBuf);
    default:        return namesKind[pNode->eKind];
  }
}
