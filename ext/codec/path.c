/*
** path.c -- SQLite's JSON paths into a tree.
**
**    path = '$' { '.' key | '[' index ']' | '[#-' index ']' | '[#]' }
**    key  = characters up to the next '.' or '['  |  '"' JSON string '"'
**
**    OBJECT   .key               HOST     as its payload
**    ARRAY    [i] .key           ERROR    .message .stack .cause
**    MAP      .key [i] (value)   VIEW     [i] (not of a DataView)
**    SET      [i]
**
** What isn't there is no error: a hole, an index out of range, a step into a
** value that has no such parts.  [#] is the place after the last element.
**
** A path that goes down passes each part of a value once; one that goes around
** in a cycle may pass it again with every step, and is given up (an error)
** after PATH_MAX_AROUND parts.
*/
#include "codec/path.h"
#include "codec/names.h"
#include "codec/value_string.h"
#include "codec/view.h"

#define PATH_MAX_AROUND 10000000

/* Among the nPair pairs from i on, the value of the STRING key *pKey, or of the
** NUMBER key rIndex; or KV_NO_NODE. */
static u32 pathPair(const KvTree *p, u32 i, u32 nPair, const KvNode *pKey, double rIndex){
  const KvNode *aNode = p->aNode;
  for(; nPair>0; nPair--){
    const KvNode *pAt = &aNode[i];
    if( pAt->eKind==KV_STRING ? kvStringEqual(pAt, pKey)
                              : pAt->eKind==KV_NUMBER && pAt->u.r==rIndex ){
      return pAt->iNext;
    }
    i = aNode[pAt->iNext].iNext;
  }
  return KV_NO_NODE;
}

static u32 pathSkip(const KvTree *p, u32 i, u64 n){
  for(; n>0; n--) i = p->aNode[i].iNext;
  return i;
}

/* The step .key */
static u32 pathByKey(const KvTree *p, u32 iNode, const KvNode *pKey){
  const KvNode *pNode = &p->aNode[iNode];
  u32 i = pNode->iChild;
  switch( pNode->eKind ){
    case KV_OBJECT:
      return pathPair(p, i, pNode->n, pKey, (double)kvArrayIndex(kvNodeBytes(pKey)));
    case KV_ARRAY:
      if( pNode->u.c.nPair==0 ) return KV_NO_NODE;
      return pathPair(p, pathSkip(p, i, pNode->u.c.nElem), pNode->u.c.nPair, pKey, kvNaN());
    case KV_MAP:                                 /* only a string is a key */
      return pathPair(p, i, pNode->n, pKey, kvNaN());
    case KV_ERROR:
      i = kvErrorChild(p, iNode, kvErrorPart(kvNodeBytes(pKey)));
      return i ? i : KV_NO_NODE;
    default:
      return KV_NO_NODE;
  }
}

i64 kvPathLength(const KvTree *p, u32 iNode){
  const KvNode *pNode = &p->aNode[iNode];
  switch( pNode->eKind ){
    case KV_ARRAY: case KV_MAP: case KV_SET:
      return pNode->n;
    case KV_VIEW:
      return pNode->eSub==KV_VIEW_DATA ? -1 : (i64)(pNode->n/(u32)kvViewSize(pNode->eSub));
    default:
      return -1;
  }
}

/* The step [iIndex], or with bEnd [#-iIndex].  *piElem: see kvPathEnter(). */
static u32 pathByIndex(const KvTree *p, u32 iNode, i64 iIndex, int bEnd, i64 *piElem){
  const KvNode *pNode = &p->aNode[iNode];
  i64 n = kvPathLength(p, iNode);
  u32 i;
  if( bEnd ) iIndex = n - iIndex;
  if( iIndex<0 || iIndex>=n ) return KV_NO_NODE;
  if( pNode->eKind==KV_VIEW ){
    *piElem = iIndex;
    return iNode;
  }
  if( pNode->eKind==KV_MAP ) return pathSkip(p, pNode->iChild, 2*(u64)iIndex + 1);
  if( pNode->eKind==KV_SET ) return pathSkip(p, pNode->iChild, (u64)iIndex);
  if( iIndex<(i64)pNode->u.c.nElem ){
    i = pathSkip(p, pNode->iChild, (u64)iIndex);
    return p->aNode[i].eKind==KV_HOLE ? KV_NO_NODE : i;
  }
  for(i=pathSkip(p, pNode->iChild, pNode->u.c.nElem); i && p->aNode[i].eKind==KV_NUMBER; ){
    if( p->aNode[i].u.r==(double)iIndex ) return p->aNode[i].iNext;
    i = p->aNode[p->aNode[i].iNext].iNext;
  }
  return KV_NO_NODE;
}

/* Read the key after the '.' into p->key. */
static int pathKey(KvPath *p){
  KvLex *pLex = &p->lex;
  KvLexStr str;
  int rc = KV_OK;
  kvBufReset(&p->space);
  if( pLex->z<pLex->zEnd && *pLex->z=='"' ){
    rc = kvLexString(pLex, 0, &p->space, &str);
  }else{
    const char *z = pLex->z;
    while( pLex->z<pLex->zEnd && *pLex->z!='.' && *pLex->z!='[' ) pLex->z++;
    if( pLex->z==z ) return kvLexError(pLex, z, "expected a key after the . of a path");
    str.s = kvBytes(z, (u32)(pLex->z - z));
    if( !kvUtf8Valid(str.s) ){
      kvUtfAppendClean(&p->space, str.s);
      str.s = kvBufBytes(&p->space);
      if( p->space.eErr ) return kvErrSet(&pLex->err, p->space.eErr, -1, "out of memory");
    }
  }
  if( rc!=KV_OK ) return rc;
  memset(&p->key, 0, sizeof(p->key));
  p->key.eKind = KV_STRING;
  p->key.eSub = KV_WTF8;
  p->key.n = str.s.n;
  p->key.u.p = str.s.p;
  return KV_OK;
}

/* Read the index after the '['. */
static int pathIndex(KvLex *p, i64 *pi, u8 *pbEnd){
  const char *zDigit;
  i64 v = 0;
  *pbEnd = (u8)kvLexText(p, "#");
  *pi = 0;
  if( !*pbEnd || kvLexText(p, "-") ){
    for(zDigit=p->z; p->z<p->zEnd && *p->z>='0' && *p->z<='9'; p->z++){
      if( v<((i64)1<<40) ) v = v*10 + (*p->z - '0');
    }
    if( p->z==zDigit ) return kvLexError(p, p->z, "expected [index], [#-index] or [#] in a path");
  }
  if( !kvLexText(p, "]") ) return kvLexError(p, p->z, "expected ] in a path");
  *pi = v;
  return KV_OK;
}

int kvPathStart(KvPath *p, KvBytes path){
  kvLexInit(&p->lex, path);
  kvBufInit(&p->space, p->aSpace, sizeof(p->aSpace));
  p->nPassed = 0;
  p->iStep = 0;
  return kvLexText(&p->lex, "$") ? KV_OK : kvLexError(&p->lex, p->lex.z, "a path starts with $");
}

void kvPathClear(KvPath *p){
  kvBufClear(&p->space);
}

int kvPathNext(KvPath *p){
  p->iStep = (u32)(p->lex.z - p->lex.zStart);
  p->bKey = (u8)kvLexText(&p->lex, ".");
  if( p->bKey ) return pathKey(p);
  if( kvLexText(&p->lex, "[") ) return pathIndex(&p->lex, &p->iIndex, &p->bEnd);
  return kvLexError(&p->lex, p->lex.z, "expected . or [ in a path");
}

/* Parts of a node that a step may pass. */
static u64 pathParts(const KvNode *p){
  switch( p->eKind ){
    case KV_OBJECT: case KV_MAP: case KV_SET: return p->n;
    case KV_ARRAY:  return (u64)p->u.c.nElem + p->u.c.nPair;
    default:        return 0;
  }
}

int kvPathEnter(KvPath *p, const KvTree *pTree, u32 iNode, u32 *piNode, i64 *piElem){
  *piElem = -1;
  p->nPassed += pathParts(&pTree->aNode[iNode]);
  if( p->nPassed>(u64)pTree->nNode + PATH_MAX_AROUND ){
    return kvLexError(&p->lex, p->lex.zStart + p->iStep,
        "the path goes around in a cycle too often");
  }
  *piNode = p->bKey ? pathByKey(pTree, iNode, &p->key)
                    : pathByIndex(pTree, iNode, p->iIndex, p->bEnd, piElem);
  return KV_OK;
}

/* One step.  *piNode may become KV_NO_NODE: the rest is only checked. */
static int pathStep(KvPath *p, const KvTree *pTree, u32 *piNode, i64 *piElem){
  int rc = kvPathNext(p);
  u32 i = *piNode;
  if( *piElem>=0 ) i = KV_NO_NODE;               /* a number has no parts */
  *piElem = -1;
  *piNode = i;
  if( rc!=KV_OK || i==KV_NO_NODE ) return rc;
  i = kvDeref(pTree, i);
  if( pTree->aNode[i].eKind==KV_HOST ) i = kvDeref(pTree, pTree->aNode[i].iChild);
  return kvPathEnter(p, pTree, i, piNode, piElem);
}

int kvPathFind(
  const KvTree *p, KvBytes path, u32 *piNode, i64 *piElem, KvErr *pErr
){
  KvPath at;
  int rc = kvPathStart(&at, path);
  *piNode = p->nNode ? 0 : KV_NO_NODE;
  *piElem = -1;
  while( rc==KV_OK && !kvPathAtEnd(&at) ) rc = pathStep(&at, p, piNode, piElem);
  if( rc==KV_OK && *piNode!=KV_NO_NODE ) *piNode = kvDeref(p, *piNode);
  if( rc!=KV_OK && pErr ) *pErr = at.lex.err;
  kvPathClear(&at);
  return rc;
}
