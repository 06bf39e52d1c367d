/*
** key_print.c -- keys as key text.  See key_print.h.
*/
#include "codec/key/key_print.h"
#include "codec/num/bigint.h"
#include "codec/print.h"
#include "bytes/hex.h"
#include "bytes/utf.h"

static void keyPrintBigint(KvBuf *pOut, const KvPart *pPart){
  u8 aMag[KV_BIGINT_KEY_BYTES];
  u32 n = kvPartMagnitude(pPart, aMag);
  if( pPart->bNeg && n>0 ) kvBufPut(pOut, '-');
  kvBigPrint(pOut, kvBytes(aMag, n));
  kvBufPut(pOut, 'n');
}

static void keyPrintNumber(KvBuf *pOut, double r){
  if( r!=r && kvDoubleToBits(r)>>63 ) kvBufPut(pOut, '-');
  kvPrintNumber(pOut, r);
}

/* A BYTES or STRING part */
static void keyPrintContent(KvBuf *pOut, const KvPart *pPart){
  KvBytes content = pPart->content;
  KvBuf plain;
  u8 aSpace[256];
  kvBufInit(&plain, aSpace, sizeof(aSpace));
  if( pPart->bEscaped ){
    kvPartContent(&plain, pPart);
    if( plain.eErr!=KV_OK ) pOut->eErr = plain.eErr;
    content = kvBufBytes(&plain);
  }
  if( pPart->eType==KVP_STRING ){
    kvUtfAppendQuoted(pOut, KV_WTF8, content);
  }else{
    kvBufLit(pOut, "new Uint8Array(");
    kvPrintBytes(pOut, content);
    kvBufPut(pOut, ')');
  }
  kvBufClear(&plain);
}

void kvPartPrint(KvBuf *pOut, const KvPart *pPart){
  switch( pPart->eType ){
    case KVP_BYTES:
    case KVP_STRING: keyPrintContent(pOut, pPart);           break;
    case KVP_BIGINT: keyPrintBigint(pOut, pPart);            break;
    case KVP_NUMBER: keyPrintNumber(pOut, pPart->r);         break;
    default:         kvBufText(pOut, pPart->r!=0.0 ? "true" : "false");
  }
}

void kvPartsPrint(KvBuf *pOut, KvBytes parts){
  KvPart part;
  u32 i = 0;
  while( i<parts.n && kvPartRead(parts, &i, &part, 0)==KV_OK ){
    if( pOut->n ) kvBufLit(pOut, ", ");
    kvPartPrint(pOut, &part);
  }
}

/* A string part, after its tag: appended in quotes if it is plain ASCII.
** Returns the byte after it, or 0. */
static const u8 *keyPrintShortString(const u8 *z, const u8 *zEnd, KvBuf *pOut){
  z = kvPlainWrap(pOut, z, zEnd, 0, '"', '"');
  return z && z<zEnd && *z==0xff ? 0 : z;
}

/* The same for a number part, unless it is a NaN. */
static const u8 *keyPrintShortNumber(const u8 *z, const u8 *zEnd, KvBuf *pOut){
  double r;
  if( zEnd - z<8 ) return 0;
  r = kvBitsToDouble(kvPartNumberBits(z));
  if( r!=r ) return 0;
  kvPrintNumber(pOut, r);
  return z + 8;
}

/*
** The short way to print what most keys are: plain strings and numbers.  False:
** something else, or no memory, and pOut is as it was but for eErr.
*/
static int keyPrintShort(KvBuf *pOut, KvBytes key){
  const u8 *z = key.p, *zEnd;
  u32 nOld = pOut->n;
  if( key.n==0 || pOut->eErr!=KV_OK ) return 0;
  zEnd = key.p + key.n;
  while( z && z<zEnd ){
    kvBufPut(pOut, z==key.p ? '[' : ',');
    if( *z==KV_TAG_STRING ) z = keyPrintShortString(z+1, zEnd, pOut);
    else if( *z==KV_TAG_NUMBER ) z = keyPrintShortNumber(z+1, zEnd, pOut);
    else z = 0;
  }
  kvBufPut(pOut, ']');
  if( z && pOut->eErr==KV_OK ) return 1;
  pOut->n = nOld;
  return 0;
}

int kvKeyPrint(KvBuf *pOut, KvBytes key, KvErr *pErr){
  KvPart part = { 0 };
  u32 i = 0;
  if( keyPrintShort(pOut, key) ) return KV_OK;
  kvBufPut(pOut, '[');
  while( i<key.n ){
    int rc;
    if( i ) kvBufPut(pOut, ',');
    rc = kvPartRead(key, &i, &part, pErr);
    if( rc!=KV_OK ) return rc;
    kvPartPrint(pOut, &part);
  }
  kvBufPut(pOut, ']');
  return kvErrMemory(pErr, pOut->eErr);
}

void kvKeyShow(KvBuf *pOut, KvBytes any){
  KvPart part = { 0 };
  u32 i = 0;
  u32 iStart = pOut->n;
  if( keyPrintShort(pOut, any) ) return;
  while( i<any.n ){
    kvBufPut(pOut, i ? ',' : '[');
    if( kvPartRead(any, &i, &part, 0)!=KV_OK || !part.bCanon ) break;
    kvPartPrint(pOut, &part);
    if( i==any.n ){
      kvBufPut(pOut, ']');
      return;
    }
  }
  if( pOut->eErr!=KV_OK ) return;
  pOut->n = iStart;
  kvBufLit(pOut, "kv.malformedKey(\"");
  for(i=0; i<any.n; i++){
    kvBufPut(pOut, (u8)kvHexDigit(any.p[i]>>4));
    kvBufPut(pOut, (u8)kvHexDigit(any.p[i]));
  }
  kvBufLit(pOut, "\")");
}
