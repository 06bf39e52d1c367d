/*
** queue_text.c -- the lists that go with a queue message.  See queue_text.h.
*/
#include "codec/queue_text.h"
#include "codec/js.h"
#include "codec/key.h"
#include "codec/num.h"

static const char quePart[] =
  "a key part must be a string, number, bigint, boolean or Uint8Array";

/* Append the stored bytes of one key part. */
static int quePutPart(KvTree *pTree, const KvNode *p, KvBuf *pKey, KvErr *pErr){
  switch( p->eKind ){
    case KV_STRING: {
      KvBuf text;
      kvBufInit(&text, 0, 0);
      kvUtfAppend(&text, p->eSub, p->u.p, p->n, 0);
      if( text.eErr!=KV_OK ) pKey->eErr = text.eErr;
      kvKeyPutString(pKey, text.a, text.n);
      kvBufClear(&text);
      break;
    }
    case KV_NUMBER:
      kvKeyPutNumber(pKey, p->u.r);
      break;
    case KV_BOOL:
      kvKeyPutBool(pKey, p->n!=0);
      break;
    case KV_BIGINT:
      if( p->n>KV_BIGINT_KEY_BYTES ){
        return kvErrSet(pErr, KV_REFUSED, -1, "bigint in a key needs more than 255 bytes");
      }
      kvKeyPutBigint(pKey, p->eSub, p->u.p, p->n);
      break;
    case KV_VIEW: {
      const KvNode *pBuf = &pTree->aNode[kvDeref(pTree, p->iChild)];
      if( p->eSub!=KV_VIEW_U8 ) return kvErrSet(pErr, KV_REFUSED, -1, quePart);
      kvKeyPutBytes(pKey, pBuf->u.p + p->u.iOffset, p->n);
      break;
    }
    default:
      return kvErrSet(pErr, KV_REFUSED, -1, quePart);
  }
  return pKey->eErr==KV_OK ? KV_OK : kvErrSet(pErr, pKey->eErr, -1, "out of memory");
}

/* The stored bytes of one key. */
static int quePutKey(KvTree *pTree, const KvNode *p, KvBuf *pKey, KvErr *pErr){
  u32 i, iPart;
  if( p->eKind!=KV_ARRAY || p->n==0 || p->n!=p->u.c.nElem || p->u.c.nPair!=0 ){
    return kvErrSet(pErr, KV_REFUSED, -1,
        "keys_if_undelivered must be a list of keys such as [[\"failed\",1]]");
  }
  iPart = p->iChild;
  for(i=0; i<p->n; i++){
    int rc = quePutPart(pTree, &pTree->aNode[iPart], pKey, pErr);
    if( rc!=KV_OK ) return rc;
    iPart = pTree->aNode[iPart].iNext;
  }
  return KV_OK;
}

static void quePutNumber(KvBuf *pOut, i64 v){
  char z[24];
  kvBufAppend(pOut, z, (u64)kvIntPrint(v, z));
}

/* Parse a list and check that it is one without holes and the like. */
static int queList(KvTree *pTree, const char *z, u32 n, const char *zMsg, KvErr *pErr){
  const KvNode *p;
  int rc = kvJsParse(pTree, z, n, pErr);
  if( rc!=KV_OK ) return rc;
  p = &pTree->aNode[0];
  if( p->eKind!=KV_ARRAY || p->n!=p->u.c.nElem || p->u.c.nPair!=0 ){
    return kvErrSet(pErr, KV_REFUSED, -1, zMsg);
  }
  return KV_OK;
}

int kvQueueKeys(KvTree *pTree, const char *z, u32 n, KvBuf *pOut, u32 *pn, i64 *piMost, KvErr *pErr){
  KvBuf key;
  u32 i, k, iKey;
  int rc = queList(pTree, z, n,
      "keys_if_undelivered must be a list of keys such as [[\"failed\",1]]", pErr);
  if( rc!=KV_OK ) return rc;
  *pn = pTree->aNode[0].n;
  *piMost = 0;
  iKey = pTree->aNode[0].iChild;
  kvBufInit(&key, 0, 0);
  kvBufPut(pOut, '[');
  for(i=0; rc==KV_OK && i<*pn; i++){
    kvBufReset(&key);
    rc = quePutKey(pTree, &pTree->aNode[iKey], &key, pErr);
    iKey = pTree->aNode[iKey].iNext;
    if( key.n>*piMost ) *piMost = key.n;
    if( i ) kvBufPut(pOut, ',');
    kvBufPut(pOut, '[');
    for(k=0; k<key.n; k++){
      if( k ) kvBufPut(pOut, ',');
      quePutNumber(pOut, key.a[k]);
    }
    kvBufPut(pOut, ']');
  }
  kvBufPut(pOut, ']');
  kvBufClear(&key);
  if( rc==KV_OK && pOut->eErr!=KV_OK ) rc = kvErrSet(pErr, pOut->eErr, -1, "out of memory");
  return rc;
}

int kvQueueBackoff(KvTree *pTree, const char *z, u32 n, KvBuf *pOut, u32 *pn, i64 *piMost, KvErr *pErr){
  static const char zMsg[] = "backoff_schedule must be a list of whole milliseconds such as [100,1000]";
  u32 i, iStep;
  int rc = queList(pTree, z, n, zMsg, pErr);
  if( rc!=KV_OK ) return rc;
  *pn = pTree->aNode[0].n;
  *piMost = 0;
  iStep = pTree->aNode[0].iChild;
  kvBufPut(pOut, '[');
  for(i=0; i<*pn; i++){
    const KvNode *p = &pTree->aNode[iStep];
    i64 v;
    if( p->eKind!=KV_NUMBER || !(p->u.r>=0.0 && p->u.r<=9007199254740991.0) ){
      return kvErrSet(pErr, KV_REFUSED, -1, zMsg);
    }
    v = (i64)p->u.r;
    if( v>*piMost ) *piMost = v;
    if( i ) kvBufPut(pOut, ',');
    quePutNumber(pOut, v);
    iStep = p->iNext;
  }
  kvBufPut(pOut, ']');
  return pOut->eErr==KV_OK ? KV_OK : kvErrSet(pErr, pOut->eErr, -1, "out of memory");
}

/*
** Read the list of numbers up to iMost at z[*pi], which moves behind it.
** *pn receives how many, *piLargest the largest; as bytes they go to pBytes,
** if that is not 0.
*/
static int queNumbers(
  const u8 *z, u32 n, u32 *pi, i64 iMost, u32 *pn, i64 *piLargest, KvBuf *pBytes
){
  u32 i = *pi;
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
static int queKeyLists(const u8 *z, u32 n, u32 *pn, i64 *piMost, KvBuf *pKey){
  u32 nByte, i = 1;
  i64 iLargest;
  if( z[i]==']' ) return n==2;
  for(;;){
    kvBufReset(pKey);
    if( !queNumbers(z, n, &i, 255, &nByte, &iLargest, pKey) || i>=n ) return 0;
    if( pKey->eErr!=KV_OK || !kvKeyCanonical(pKey->a, pKey->n) ) return 0;
    if( nByte>*piMost ) *piMost = nByte;
    (*pn)++;
    if( z[i]==']' ) return i+1==n;
    if( z[i++]!=',' ) return 0;
  }
}

int kvQueueTextCheck(const u8 *z, u32 n, int bDeep, u32 *pn, i64 *piMost){
  u8 aSpace[512];
  KvBuf key;
  u32 i = 0, nList = 0;
  i64 iMost = 0;
  int b;
  if( bDeep ){
    kvBufInit(&key, aSpace, sizeof(aSpace));
    b = n>=2 && z[0]=='[' && queKeyLists(z, n, &nList, &iMost, &key);
    kvBufClear(&key);
  }else{
    b = queNumbers(z, n, &i, 9007199254740991LL, &nList, &iMost, 0) && i==n;
  }
  if( pn ) *pn = nList;
  if( piMost ) *piMost = iMost;
  return b;
}

void kvQueueKeysShow(KvBuf *pOut, const char *z, u32 n){
  const u8 *a = (const u8*)z;
  KvBuf key;
  u32 i = 1;
  if( n<2 || !kvQueueTextCheck(a, n, 1, 0, 0) ){
    kvBufAppend(pOut, z, n);
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
    kvKeyShow(pOut, key.a, key.n);
    i++;
    if( a[i]==',' ){
      kvBufPut(pOut, ',');
      i++;
    }
  }
  kvBufPut(pOut, ']');
  kvBufClear(&key);
}
