/*
** queue_text.c -- the lists that go with a queue message.  See queue_text.h.
*/
#include "codec/queue_text.h"
#include "bytes/limits.h"
#include "codec/js/js_parse.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "codec/key/key_parse.h"
#include "codec/num/num.h"

static const char queKeyList[] = "a list of keys such as [[\"failed\",1]] is expected";
static const char queStepList[] = "a list of whole milliseconds such as [100,1000] is expected";

static void quePutNumber(KvBuf *pOut, i64 v){
  char z[24];
  kvBufAppend(pOut, z, (u64)kvIntPrint(v, z));
}

/* Read the key at the cursor and append its stored bytes as a list. */
static int queListKey(KvLex *p, KvBuf *pKey, KvBuf *pOut){
  u32 k;
  int rc;
  kvBufReset(pKey);
  if( p->z>=p->zEnd || *p->z!='[' ) return kvLexError(p, p->z, queKeyList);
  rc = kvKeyLex(p, 0, pKey, 0);
  if( rc!=KV_OK ) return rc;
  if( pKey->eErr!=KV_OK ) return kvErrSet(&p->err, pKey->eErr, -1, "out of memory");
  if( pKey->n==0 ) return kvLexError(p, p->z-1, "a key needs at least one part");
  kvBufPut(pOut, '[');
  for(k=0; k<pKey->n; k++){
    if( k ) kvBufPut(pOut, ',');
    quePutNumber(pOut, pKey->a[k]);
  }
  kvBufPut(pOut, ']');
  return kvLexSpace(p);
}

/* The keys between the brackets. */
static int queListKeys(KvLex *p, KvBuf *pOut, u32 *pn, i64 *piMost){
  KvBuf key;
  int rc = kvLexSpace(p);
  kvBufInit(&key, 0, 0);
  while( rc==KV_OK && (p->z>=p->zEnd || *p->z!=']') ){
    if( (*pn)++ ) kvBufPut(pOut, ',');
    rc = queListKey(p, &key, pOut);
    if( key.n>*piMost ) *piMost = key.n;
    if( rc!=KV_OK || (p->z<p->zEnd && *p->z==']') ) break;
    if( p->z>=p->zEnd || *p->z!=',' ){
      rc = kvLexError(p, p->z, "',' or ']' is expected behind a key");
      break;
    }
    p->z++;
    rc = kvLexSpace(p);
  }
  kvBufClear(&key);
  return rc;
}

int kvQueueKeys(KvBytes text, KvBuf *pOut, u32 *pn, i64 *piMost, KvErr *pErr){
  KvLex lex;
  int rc;
  *pn = 0;
  *piMost = 0;
  kvLexInit(&lex, text);
  rc = kvLexSpace(&lex);
  if( rc==KV_OK && !kvLexText(&lex, "[") ) rc = kvLexError(&lex, lex.z, queKeyList);
  kvBufPut(pOut, '[');
  if( rc==KV_OK ) rc = queListKeys(&lex, pOut, pn, piMost);
  kvBufPut(pOut, ']');
  if( rc==KV_OK ){
    lex.z++;
    rc = kvLexSpace(&lex);
  }
  if( rc==KV_OK && kvLexText(&lex, ";") ) rc = kvLexSpace(&lex);
  if( rc==KV_OK && lex.z<lex.zEnd ) rc = kvLexError(&lex, lex.z, "there is text behind the list of keys");
  if( rc!=KV_OK ){
    *pErr = lex.err;
    return rc;
  }
  return kvErrMemory(pErr, pOut->eErr);
}

int kvQueueBackoff(KvTree *pTree, KvBytes text, KvBuf *pOut, u32 *pn, i64 *piMost, KvErr *pErr){
  const KvNode *pList;
  u32 i, iStep;
  int rc = kvJsParse(pTree, text, pErr);
  if( rc!=KV_OK ) return rc;
  pList = &pTree->aNode[0];
  if( pList->eKind!=KV_ARRAY || pList->n!=pList->u.c.nElem || pList->u.c.nPair!=0 ){
    return kvErrSet(pErr, KV_REFUSED, -1, queStepList);
  }
  *pn = pList->n;
  *piMost = 0;
  iStep = pList->iChild;
  kvBufPut(pOut, '[');
  for(i=0; i<*pn; i++){
    const KvNode *p = &pTree->aNode[iStep];
    i64 v;
    if( p->eKind!=KV_NUMBER || !(p->u.r>=0.0 && p->u.r<=(double)KV_MAX_SAFE) ){
      return kvErrSet(pErr, KV_REFUSED, -1, queStepList);
    }
    v = (i64)p->u.r;
    if( v>*piMost ) *piMost = v;
    if( i ) kvBufPut(pOut, ',');
    quePutNumber(pOut, v);
    iStep = p->iNext;
  }
  kvBufPut(pOut, ']');
  return kvErrMemory(pErr, pOut->eErr);
}

/*
** Read the list of numbers up to iMost at *pi, which moves behind it.
** *pn receives how many, *piLargest the largest; as bytes they go to pBytes,
** if that is not 0.
*/
static int queNumbers(
  KvBytes json, u32 *pi, i64 iMost, u32 *pn, i64 *piLargest, KvBuf *pBytes
){
  const u8 *z = json.p;
  u32 i = *pi, n = json.n;
  *pn = 0;
  *piLargest = 0;
  if( i>=n || z[i++]!='[' ) return 0;
  if( i<n && z[i]==']' ){
    *pi = i+1;
    return 1;
  }
  for(;;){
    i64 v = 0;
    u32 iStart = i;
    while( i<n && z[i]>='0' && z[i]<='9' && v<=iMost ) v = v*10 + (z[i++]-'0');
    if( i==iStart || v>iMost || i>=n || (z[iStart]=='0' && i>iStart+1) ) return 0;
    if( v>*piLargest ) *piLargest = v;
    if( pBytes ) kvBufPut(pBytes, (u8)v);
    (*pn)++;
    if( z[i]==']' ) break;
    if( z[i++]!=',' ) return 0;
  }
  *pi = i+1;
  return 1;
}

/* The list of keys behind its opening bracket. */
static int queKeyLists(KvBytes json, u32 *pn, i64 *piMost, KvBuf *pKey){
  const u8 *z = json.p;
  u32 nByte, i = 1, n = json.n;
  i64 iLargest;
  if( z[i]==']' ) return n==2;
  for(;;){
    kvBufReset(pKey);
    if( !queNumbers(json, &i, 255, &nByte, &iLargest, pKey) || i>=n ) return 0;
    if( pKey->eErr!=KV_OK || !kvKeyCanonical(kvBufBytes(pKey)) ) return 0;
    if( nByte>*piMost ) *piMost = nByte;
    (*pn)++;
    if( z[i]==']' ) return i+1==n;
    if( z[i++]!=',' ) return 0;
  }
}

int kvQueueTextCheck(KvBytes json, int bDeep, u32 *pn, i64 *piMost){
  u8 aSpace[512];
  KvBuf key;
  u32 i = 0, nList = 0;
  i64 iMost = 0;
  int b;
  if( bDeep ){
    kvBufInit(&key, aSpace, sizeof(aSpace));
    b = json.n>=2 && json.p[0]=='[' && queKeyLists(json, &nList, &iMost, &key);
    kvBufClear(&key);
  }else{
    b = queNumbers(json, &i, KV_MAX_SAFE, &nList, &iMost, 0) && i==json.n;
  }
  if( pn ) *pn = nList;
  if( piMost ) *piMost = iMost;
  return b;
}

void kvQueueKeysShow(KvBuf *pOut, KvBytes json){
  const u8 *a = json.p;
  KvBuf key;
  u32 i = 1;
  if( json.n<2 || !kvQueueTextCheck(json, 1, 0, 0) ){
    kvBufAdd(pOut, json);
    return;
  }
  kvBufInit(&key, 0, 0);
  kvBufPut(pOut, '[');
  while( a[i]=='[' ){
    kvBufReset(&key);
    for(i++; a[i]!=']'; i++){
      u32 v = 0;
      while( a[i]>='0' && a[i]<='9' ) v = v*10 + (a[i++]-'0');
      kvBufPut(&key, (u8)v);
      if( a[i]==']' ) break;
    }
    if( key.eErr!=KV_OK ) pOut->eErr = key.eErr;
    kvKeyShow(pOut, kvBufBytes(&key));
    i++;
    if( a[i]==',' ){
      kvBufPut(pOut, ',');
      i++;
    }
  }
  kvBufPut(pOut, ']');
  kvBufClear(&key);
}

/* Move *pi behind all characters that are in zSkip. */
static void queSkip(KvBytes text, u32 *pi, const char *zSkip){
  while( *pi<text.n && text.p[*pi]!=0 && strchr(zSkip, text.p[*pi]) ) (*pi)++;
}

/* Move *pi behind the character c, if it is there. */
static int queTake(KvBytes text, u32 *pi, char c){
  if( *pi>=text.n || text.p[*pi]!=(u8)c ) return 0;
  (*pi)++;
  return 1;
}

/* The number at *pi, which moves behind it and a comma.  0 if there is none. */
static int queNumber(KvBytes text, u32 *pi, i64 *pv){
  u32 i = *pi, iStart;
  i64 v = 0;
  queSkip(text, &i, " ,");
  iStart = i;
  while( i<text.n && text.p[i]>='0' && text.p[i]<='9' && v<KV_MAX_TIME ) v = v*10 + (text.p[i++]-'0');
  if( i==iStart ) return 0;
  queSkip(text, &i, " ");
  queTake(text, &i, ',');
  *pi = i;
  *pv = v;
  return 1;
}

int kvQueueBackoffStep(KvBytes backoff, i64 *pnWait, KvBytes *pRest){
  u32 i = 0;
  queSkip(backoff, &i, " ");
  if( !queTake(backoff, &i, '[') || !queNumber(backoff, &i, pnWait) ) return 0;
  *pRest = kvBytesFrom(backoff, i);
  return 1;
}

int kvQueueKeyNext(KvBytes keys, u32 *pi, KvBuf *pKey){
  i64 v;
  kvBufReset(pKey);
  if( *pi==0 ){
    queSkip(keys, pi, " ");
    queTake(keys, pi, '[');
  }
  queSkip(keys, pi, " ,");
  if( !queTake(keys, pi, '[') ) return 0;
  while( queNumber(keys, pi, &v) ) kvBufPut(pKey, (u8)v);
  queSkip(keys, pi, " ");
  return queTake(keys, pi, ']');
}
