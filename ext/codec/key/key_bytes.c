/*
** key_bytes.c -- stored bytes of keys: reading and writing parts.  See
** key_bytes.h.
*/
#include "codec/key/key_bytes.h"
#include "codec/versionstamp.h"
#include "codec/num/bigint.h"
#include "bytes/utf.h"

#define KEY_SIGN         0x8000000000000000ull
#define KEY_NAN          KV_NAN_BITS
#define KEY_EXPONENT     0x7ff0000000000000ull

static int keyBytesCorrupt(KvErr *pErr, u32 iPos, const char *zMsg){
  return kvErrSet(pErr, KV_CORRUPT, iPos, zMsg);
}

/* A 01 or 02 part: find its end. */
static int keyBytesReadText(KvBytes key, u32 *pi, KvPart *pPart, KvErr *pErr){
  u32 iStart = *pi, i = iStart, iSegment = iStart;
  for(;;){
    const u8 *pEnd = i<key.n ? memchr(&key.p[i], 0, key.n-i) : 0;
    if( pEnd==0 ) return keyBytesCorrupt(pErr, key.n, "part ends without 00");
    i = (u32)(pEnd - key.p);
    if( pPart->eType==KVP_STRING && !kvUtf8Valid(kvBytes(&key.p[iSegment], i-iSegment)) ){
      return keyBytesCorrupt(pErr, iSegment, "string part is not UTF-8");
    }
    if( i+1>=key.n || key.p[i+1]!=0xff ) break;
    pPart->bEscaped = 1;
    i += 2;
    iSegment = i;
  }
  pPart->content = kvBytes(&key.p[iStart], i-iStart);
  *pi = i+1;
  return KV_OK;
}

/* A bigint of nMag bytes at *pi. */
static int keyBytesReadBig(KvBytes key, u32 *pi, u32 nMag, u32 nLeast, KvPart *pPart, KvErr *pErr){
  if( nMag>key.n-*pi ) return keyBytesCorrupt(pErr, key.n, "bigint part ends too early");
  pPart->eType = KVP_BIGINT;
  pPart->content = kvBytes(&key.p[*pi], nMag);
  pPart->bCanon = nMag>=nLeast && (nMag==0 || key.p[*pi]!=(pPart->bNeg ? 0xff : 0x00));
  *pi += nMag;
  return KV_OK;
}

static int keyBytesReadNumber(KvBytes key, u32 *pi, KvPart *pPart, KvErr *pErr){
  u64 u;
  if( key.n-*pi<8 ) return keyBytesCorrupt(pErr, key.n, "number part ends too early");
  u = kvPartNumberBits(&key.p[*pi]);
  pPart->eType = KVP_NUMBER;
  if( (u & ~KEY_SIGN)>KEY_EXPONENT ){
    pPart->bCanon = (u & ~KEY_SIGN)==KEY_NAN;
    u = (u & KEY_SIGN) | KEY_NAN;
  }
  pPart->r = kvBitsToDouble(u);
  *pi += 8;
  return KV_OK;
}

int kvPartRead(KvBytes key, u32 *pi, KvPart *pPart, KvErr *pErr){
  u32 iTag = *pi;
  u8 c;
  if( iTag>=key.n ) return keyBytesCorrupt(pErr, key.n, "no further part");
  c = key.p[iTag];
  *pi = iTag+1;
  pPart->bNeg = 0;
  pPart->bEscaped = 0;
  pPart->bCanon = 1;
  if( c==KV_TAG_BYTES || c==KV_TAG_STRING ){
    pPart->eType = c==KV_TAG_BYTES ? KVP_BYTES : KVP_STRING;
    return keyBytesReadText(key, pi, pPart, pErr);
  }
  if( c==KV_TAG_NUMBER ) return keyBytesReadNumber(key, pi, pPart, pErr);
  if( c==KV_TAG_FALSE || c==KV_TAG_TRUE ){
    pPart->eType = KVP_BOOL;
    pPart->r = c==KV_TAG_TRUE;
    return KV_OK;
  }
  if( c>KV_TAG_BIGNEG && c<KV_TAG_BIGPOS ){
    pPart->bNeg = c<KV_TAG_ZERO;
    return keyBytesReadBig(key, pi,
        pPart->bNeg ? (u32)(KV_TAG_ZERO-c) : (u32)(c-KV_TAG_ZERO), 0, pPart, pErr);
  }
  if( c==KV_TAG_BIGPOS || c==KV_TAG_BIGNEG ){
    if( *pi>=key.n ) return keyBytesCorrupt(pErr, key.n, "bigint part ends too early");
    pPart->bNeg = c==KV_TAG_BIGNEG;
    c = key.p[(*pi)++];
    return keyBytesReadBig(key, pi, pPart->bNeg ? c^0xffu : c, 9, pPart, pErr);
  }
  return keyBytesCorrupt(pErr, iTag, "unknown type of a key part");
}

void kvPartRange(int eType, KvBytes *pLo, KvBytes *pHi){
  static const u8 aTag[][2] = {
    [KVP_BYTES] = { KV_TAG_BYTES, KV_TAG_BYTES+1 },
    [KVP_STRING] = { KV_TAG_STRING, KV_TAG_STRING+1 },
    [KVP_BIGINT] = { KV_TAG_BIGNEG, KV_TAG_BIGPOS+1 },
    [KVP_NUMBER] = { KV_TAG_NUMBER, KV_TAG_NUMBER+1 },
    [KVP_BOOL] = { KV_TAG_FALSE, KV_TAG_TRUE+1 }
  };
  KV_ASSERT( eType>=KVP_BYTES && eType<=KVP_BOOL );
  *pLo = kvBytes(&aTag[eType][0], 1);
  *pHi = kvBytes(&aTag[eType][1], 1);
}

const char *kvPartTypeName(int eType){
  static const char *const azName[] = {
    "Uint8Array", "string", "bigint", "number", "boolean"
  };
  KV_ASSERT( eType>=KVP_BYTES && eType<=KVP_BOOL );
  return azName[eType-KVP_BYTES];
}

void kvPartContent(KvBuf *pOut, const KvPart *pPart){
  const u8 *p = pPart->content.p;
  const u8 *pEnd = p + pPart->content.n;
  while( pPart->bEscaped && p<pEnd ){
    const u8 *pZero = memchr(p, 0, (size_t)(pEnd-p));
    if( pZero==0 ) break;
    kvBufAppend(pOut, p, (u64)(pZero+1-p));
    p = pZero+2;                       /* 00 FF stands for 00 */
  }
  kvBufAppend(pOut, p, (u64)(pEnd-p));
}

u32 kvPartMagnitude(const KvPart *pPart, u8 *aMag){
  u8 m = pPart->bNeg ? 0xff : 0x00;
  u32 i, n = pPart->content.n;
  KV_ASSERT( pPart->eType==KVP_BIGINT && n<=KV_BIGINT_KEY_BYTES );
  for(i=0; i<n; i++) aMag[i] = pPart->content.p[n-1-i]^m;
  while( n>0 && aMag[n-1]==0 ) n--;
  return n;
}

int kvPartInt64(const KvPart *pPart, i64 *pv){
  u8 aMag[KV_BIGINT_KEY_BYTES];
  return kvBigInt64(pPart->bNeg, kvBytes(aMag, kvPartMagnitude(pPart, aMag)), pv);
}

int kvKeyCanonical(KvBytes key){
  KvPart part = { 0 };
  u32 i = 0;
  while( i<key.n ){
    if( kvPartRead(key, &i, &part, 0)!=KV_OK || !part.bCanon ) return 0;
  }
  return key.n>0;
}

/* Append bytes with 00 as 00 FF. */
static void keyBytesPutEscaped(KvBuf *pOut, KvBytes b){
  const u8 *pZero;
  while( b.n>0 && (pZero = memchr(b.p, 0, b.n))!=0 ){
    u32 k = (u32)(pZero - b.p) + 1;
    kvBufAppend(pOut, b.p, k);
    kvBufPut(pOut, 0xff);
    b = kvBytesFrom(b, k);
  }
  kvBufAdd(pOut, b);
}

void kvKeyPutBytes(KvBuf *pOut, KvBytes content){
  kvBufPut(pOut, KV_TAG_BYTES);
  keyBytesPutEscaped(pOut, content);
  kvBufPut(pOut, 0);
}

void kvKeyPutString(KvBuf *pOut, KvBytes text){
  kvBufPut(pOut, KV_TAG_STRING);
  while( text.n>0 ){
    u32 c, k;
    for(k=0; k<text.n && !(text.p[k]==0xed && k+1<text.n && text.p[k+1]>=0xa0); k++){}
    keyBytesPutEscaped(pOut, kvBytes(text.p, k));
    text = kvBytesFrom(text, k);
    if( text.n>0 ){
      kvBufLit(pOut, "\xef\xbf\xbd");
      text = kvBytesFrom(text, (u32)kvUtf8Get(text, &c, 1));
    }
  }
  kvBufPut(pOut, 0);
}

void kvKeyPutText(KvBuf *pOut, KvBytes any){
  KvBuf clean;
  if( kvUtf8Valid(any) ){
    kvKeyPutString(pOut, any);
    return;
  }
  kvBufInit(&clean, 0, 0);
  kvUtfAppendClean(&clean, any);
  kvKeyPutString(pOut, kvBufBytes(&clean));
  if( clean.eErr!=KV_OK ) pOut->eErr = clean.eErr;
  kvBufClear(&clean);
}

void kvKeyPutNumber(KvBuf *pOut, double r){
  u8 a[9];
  u64 u = kvDoubleToBits(r);
  if( r!=r ) u = (u & KEY_SIGN) | KEY_NAN;
  u = (u & KEY_SIGN) ? ~u : u | KEY_SIGN;
  a[0] = KV_TAG_NUMBER;
  kvPut64be(&a[1], u);
  kvBufAppend(pOut, a, 9);
}

void kvKeyPutNaN(KvBuf *pOut, int bNeg){
  kvKeyPutNumber(pOut, kvBitsToDouble(KEY_NAN | (bNeg ? KEY_SIGN : 0)));
}

void kvKeyPutBigint(KvBuf *pOut, int bNeg, KvBytes magnitude){
  u32 n = magnitude.n;
  u8 m = bNeg ? 0xff : 0x00;
  KV_ASSERT( n<=KV_BIGINT_KEY_BYTES && (n==0 || magnitude.p[n-1]!=0) );
  if( n==0 ){
    kvBufPut(pOut, KV_TAG_ZERO);
  }else if( n<=8 ){
    kvBufPut(pOut, (u8)(bNeg ? KV_TAG_ZERO-n : KV_TAG_ZERO+n));
  }else{
    kvBufPut(pOut, bNeg ? KV_TAG_BIGNEG : KV_TAG_BIGPOS);
    kvBufPut(pOut, (u8)(n^m));
  }
  while( n>0 ) kvBufPut(pOut, magnitude.p[--n]^m);
}

void kvKeyPutBigint64(KvBuf *pOut, int bNeg, u64 magnitude){
  u8 a[8];
  kvKeyPutBigint(pOut, bNeg, kvBigMagnitude(magnitude, a));
}

void kvKeyPutBool(KvBuf *pOut, int b){
  kvBufPut(pOut, b ? KV_TAG_TRUE : KV_TAG_FALSE);
}

void kvKeyPutVersionstamp(KvBuf *pOut, i64 iVersion){
  char z[KV_VERSIONSTAMP_TEXT];
  kvVersionstampPrint(iVersion, z);
  kvKeyPutString(pOut, kvBytes(z, sizeof(z)));
}
