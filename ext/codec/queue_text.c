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
#include "codec/print.h"

static const char queueTextKeyList[] = "expected a list of keys such as [[\"failed\",1]]";
static const char queueTextStepList[] =
  "expected a list of whole milliseconds such as [100,1000]";

/* Read the key at the cursor and append its stored bytes as a list. */
static void queueTextListKey(KvLex *p, KvBuf *pKey, KvBuf *pOut){
  kvBufReset(pKey);
  if( p->z>=p->zEnd || *p->z!='[' ){
    kvLexError(p, p->z, queueTextKeyList);
  }else if( kvKeyLex(p, 0, pKey, 0)==KV_OK && pKey->eErr!=KV_OK ){
    kvErrSet(&p->err, pKey->eErr, -1, "out of memory");
  }else if( pKey->n==0 ){
    kvLexError(p, p->z-1, "a key needs at least one part");
  }
  kvPrintBytes(pOut, kvBufBytes(pKey));
}

/* The keys up to the closing bracket. */
static void queueTextListKeys(KvLex *p, KvBuf *pOut, u32 *pn, i64 *piMost){
  KvBuf key;
  kvBufInit(&key, 0, 0);
  while( p->err.eCode==KV_OK && !kvLexNext(p, ']') ){
    if( (*pn)++ ) kvBufPut(pOut, ',');
    queueTextListKey(p, &key, pOut);
    if( key.n>*piMost ) *piMost = key.n;
    kvLexComma(p, "expected ',' or ']' after a key");
  }
  kvBufClear(&key);
}

int kvQueueKeys(KvBytes text, KvBuf *pOut, u32 *pn, i64 *piMost, KvErr *pErr){
  KvLex lex;
  *pn = 0;
  *piMost = 0;
  kvLexInit(&lex, text);
  if( !kvLexNext(&lex, '[') ) kvLexError(&lex, lex.z, queueTextKeyList);
  kvBufPut(pOut, '[');
  queueTextListKeys(&lex, pOut, pn, piMost);
  kvBufPut(pOut, ']');
  kvLexNext(&lex, ';');
  kvLexSpace(&lex);
  if( lex.z<lex.zEnd ) kvLexError(&lex, lex.z, "unexpected text after the list of keys");
  if( lex.err.eCode==KV_OK ) return kvErrMemory(pErr, pOut->eErr);
  *pErr = lex.err;
  return pErr->eCode;
}

int kvQueueBackoff(KvTree *pTree, KvBytes text, KvBuf *pOut, u32 *pn, i64 *piMost, KvErr *pErr){
  const KvNode *pList;
  u32 i, iStep;
  int rc = kvJsParse(pTree, text, pErr);
  if( rc!=KV_OK ) return rc;
  pList = &pTree->aNode[0];
  if( pList->eKind!=KV_ARRAY || pList->n!=pList->u.c.nElem || pList->u.c.nPair!=0 ){
    return kvErrSet(pErr, KV_REFUSED, -1, queueTextStepList);
  }
  *pn = pList->n;
  *piMost = 0;
  iStep = pList->iChild;
  kvBufPut(pOut, '[');
  for(i=0; i<*pn; i++){
    const KvNode *p = &pTree->aNode[iStep];
    i64 v;
    if( p->eKind!=KV_NUMBER || !(p->u.r>=0.0 && p->u.r<=(double)KV_MAX_SAFE) ){
      return kvErrSet(pErr, KV_REFUSED, -1, queueTextStepList);
    }
    v = (i64)p->u.r;
    if( v>*piMost ) *piMost = v;
    if( i ) kvBufPut(pOut, ',');
    kvPrintInt(pOut, (u64)v);
    iStep = p->iNext;
  }
  kvBufPut(pOut, ']');
  return kvErrMemory(pErr, pOut->eErr);
}

/* Move *pi past all characters that are in zSkip. */
static void queueTextSkip(KvBytes text, u32 *pi, const char *zSkip){
  while( *pi<text.n && text.p[*pi]!=0 && strchr(zSkip, text.p[*pi]) ) (*pi)++;
}

/* Move *pi past the character c, if it is there. */
static int queueTextTake(KvBytes text, u32 *pi, char c){
  if( *pi>=text.n || text.p[*pi]!=(u8)c ) return 0;
  (*pi)++;
  return 1;
}

/* The number at *pi, which moves past it and a comma.  0 if there is none. */
static int queueTextNumber(KvBytes text, u32 *pi, i64 *pv){
  u32 i = *pi, iStart;
  i64 v = 0;
  queueTextSkip(text, &i, " ,");
  iStart = i;
  while( i<text.n && text.p[i]>='0' && text.p[i]<='9' && v<KV_MAX_TIME ){
    v = v*10 + (text.p[i++]-'0');
  }
  if( i==iStart ) return 0;
  queueTextSkip(text, &i, " ");
  queueTextTake(text, &i, ',');
  *pi = i;
  *pv = v;
  return 1;
}

int kvQueueBackoffStep(KvBytes backoff, i64 *pnWait, KvBytes *pRest){
  u32 i = 0;
  queueTextSkip(backoff, &i, " ");
  if( !queueTextTake(backoff, &i, '[') || !queueTextNumber(backoff, &i, pnWait) ) return 0;
  *pRest = kvBytesFrom(backoff, i);
  return 1;
}

int kvQueueKeyNext(KvBytes keys, u32 *pi, KvBuf *pKey){
  i64 v;
  kvBufReset(pKey);
  if( *pi==0 ){
    queueTextSkip(keys, pi, " ");
    queueTextTake(keys, pi, '[');
  }
  queueTextSkip(keys, pi, " ,");
  if( !queueTextTake(keys, pi, '[') ) return 0;
  while( queueTextNumber(keys, pi, &v) ) kvBufPut(pKey, (u8)v);
  queueTextSkip(keys, pi, " ");
  return queueTextTake(keys, pi, ']');
}

/* Go through the keys of a list, and print them as Deno has them. */
static int queueTextCheckKeys(KvBytes json, KvBuf *pAgain, u32 *pn, i64 *piMost){
  u8 aSpace[512];
  KvBuf key;
  u32 i = 0;
  int rc = KV_OK;
  kvBufInit(&key, aSpace, sizeof(aSpace));
  while( rc==KV_OK && kvQueueKeyNext(json, &i, &key) ){
    rc = key.eErr;
    if( rc==KV_OK && !kvKeyCanonical(kvBufBytes(&key)) ) rc = KV_CORRUPT;
    if( key.n>*piMost ) *piMost = key.n;
    if( (*pn)++ ) kvBufPut(pAgain, ',');
    kvPrintBytes(pAgain, kvBufBytes(&key));
  }
  if( rc==KV_OK ) rc = key.eErr;
  kvBufClear(&key);
  return rc;
}

/* The same for the steps of a backoff schedule. */
static int queueTextCheckSteps(KvBytes json, KvBuf *pAgain, u32 *pn, i64 *piMost){
  u32 i = 0;
  i64 v;
  queueTextTake(json, &i, '[');
  while( queueTextNumber(json, &i, &v) ){
    if( v>KV_MAX_SAFE ) return KV_CORRUPT;
    if( v>*piMost ) *piMost = v;
    if( (*pn)++ ) kvBufPut(pAgain, ',');
    kvPrintInt(pAgain, (u64)v);
  }
  return KV_OK;
}

/* What is read and printed again must be the same text. */
int kvQueueTextCheck(KvBytes json, int bDeep, u32 *pn, i64 *piMost){
  u8 aSpace[512];
  KvBuf again;
  u32 n = 0;
  i64 iMost = 0;
  int rc;
  kvBufInit(&again, aSpace, sizeof(aSpace));
  kvBufPut(&again, '[');
  if( bDeep ) rc = queueTextCheckKeys(json, &again, &n, &iMost);
  else rc = queueTextCheckSteps(json, &again, &n, &iMost);
  kvBufPut(&again, ']');
  if( rc==KV_OK ) rc = again.eErr;
  if( rc==KV_OK && !kvBytesEqual(kvBufBytes(&again), json) ) rc = KV_CORRUPT;
  kvBufClear(&again);
  if( pn ) *pn = n;
  if( piMost ) *piMost = iMost;
  return rc;
}

void kvQueueKeysShow(KvBuf *pOut, KvBytes json){
  KvBuf key;
  u32 i = 0, n = 0;
  int rc = kvQueueTextCheck(json, 1, 0, 0);
  if( rc==KV_CORRUPT ) kvBufAdd(pOut, json);
  else if( rc!=KV_OK && pOut->eErr==KV_OK ) pOut->eErr = (u8)rc;
  if( rc!=KV_OK ) return;
  kvBufInit(&key, 0, 0);
  kvBufPut(pOut, '[');
  while( kvQueueKeyNext(json, &i, &key) ){
    if( n++ ) kvBufPut(pOut, ',');
    if( key.eErr!=KV_OK ) pOut->eErr = key.eErr;
    kvKeyShow(pOut, kvBufBytes(&key));
  }
  kvBufPut(pOut, ']');
  kvBufClear(&key);
}
