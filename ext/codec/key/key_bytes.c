/*
** key_bytes.c -- stored bytes of keys: reading, printing, appending parts.
** The format is at the head of key.h.
*/
#include "codec/key/key.h"
#include "codec/num/num.h"
#include "bytes/utf.h"

#define KEY_TAG_BYTES    0x01
#define KEY_TAG_STRING   0x02
#define KEY_TAG_BIGNEG   0x0b
#define KEY_TAG_ZERO     0x14
#define KEY_TAG_BIGPOS   0x1d
#define KEY_TAG_NUMBER   0x21
#define KEY_TAG_FALSE    0x26
#define KEY_TAG_TRUE     0x27

#define KEY_SIGN         0x8000000000000000ull
#define KEY_NAN          KV_NAN_BITS
#define KEY_EXPONENT     0x7ff0000000000000ull

static int keyCorrupt(KvErr *pErr, u32 iPos, const char *zMsg){
  return kvErrSet(pErr, KV_CORRUPT, iPos, zMsg);
}

/* A 01 or 02 part: find its end. */
static int keyReadText(KvBytes key, u32 *pi, KvPart *pPart, KvErr *pErr){
  u32 iStart = *pi, i = iStart, iSegment = iStart;
  for(;;){
    const u8 *pEnd = i<key.n ? memchr(&key.p[i], 0, key.n-i) : 0;
    if( pEnd==0 ) return keyCorrupt(pErr, key.n, "part ends without 00");
    i = (u32)(pEnd - key.p);
    if( pPart->eType==KVP_STRING && !kvUtf8Valid(kvBytes(&key.p[iSegment], i-iSegment)) ){
      return keyCorrupt(pErr, iSegment, "string part is not UTF-8");
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
static int keyReadBig(KvBytes key, u32 *pi, u32 nMag, u32 nLeast, KvPart *pPart, KvErr *pErr){
  if( nMag>key.n-*pi ) return keyCorrupt(pErr, key.n, "bigint part ends too early");
  pPart->eType = KVP_BIGINT;
  pPart->content = kvBytes(&key.p[*pi], nMag);
  pPart->bCanon = nMag>=nLeast && (nMag==0 || key.p[*pi]!=(pPart->bNeg ? 0xff : 0x00));
  *pi += nMag;
  return KV_OK;
}

static int keyReadNumber(KvBytes key, u32 *pi, KvPart *pPart, KvErr *pErr){
  u64 u;
  if( key.n-*pi<8 ) return keyCorrupt(pErr, key.n, "number part ends too early");
  u = kvGet64be(&key.p[*pi]);
  u = (u & KEY_SIGN) ? u ^ KEY_SIGN : ~u;
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
  if( iTag>=key.n ) return keyCorrupt(pErr, key.n, "there is no further part");
  c = key.p[iTag];
  *pi = iTag+1;
  pPart->bNeg = 0;
  pPart->bEscaped = 0;
  pPart->bCanon = 1;
  if( c==KEY_TAG_BYTES || c==KEY_TAG_STRING ){
    pPart->eType = c==KEY_TAG_BYTES ? KVP_BYTES : KVP_STRING;
    return keyReadText(key, pi, pPart, pErr);
  }
  if( c==KEY_TAG_NUMBER ) return keyReadNumber(key, pi, pPart, pErr);
  if( c==KEY_TAG_FALSE || c==KEY_TAG_TRUE ){
    pPart->eType = KVP_BOOL;
    pPart->r = c==KEY_TAG_TRUE;
    return KV_OK;
  }
  if( c>KEY_TAG_BIGNEG && c<KEY_TAG_BIGPOS ){
    pPart->bNeg = c<KEY_TAG_ZERO;
    return keyReadBig(key, pi,
        pPart->bNeg ? (u32)(KEY_TAG_ZERO-c) : (u32)(c-KEY_TAG_ZERO), 0, pPart, pErr);
  }
  if( c==KEY_TAG_BIGPOS || c==KEY_TAG_BIGNEG ){
    if( *pi>=key.n ) return keyCorrupt(pErr, key.n, "bigint part ends too early");
    pPart->bNeg = c==KEY_TAG_BIGNEG;
    c = key.p[(*pi)++];
    return keyReadBig(key, pi, pPart->bNeg ? c^0xffu : c, 9, pPart, pErr);
  }
  return keyCorrupt(pErr, iTag, "unknown type of a key part");
}

const char *kvPartTypeName(int eType){
  static const char *const azName[] = {
    "Uint8Array", "string", "bigint", "number", "boolean"
  };
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

/* The magnitude, least significant byte first, into aMag (255 bytes). */
static u32 keyMagnitude(const KvPart *pPart, u8 *aMag){
  u8 m = pPart->bNeg ? 0xff : 0x00;
  u32 i, n = pPart->content.n;
  for(i=0; i<n; i++) aMag[i] = pPart->content.p[n-1-i]^m;
  while( n>0 && aMag[n-1]==0 ) n--;
  return n;
}

int kvPartInt64(const KvPart *pPart, i64 *pv){
  u8 aMag[KV_BIGINT_KEY_BYTES+1];
  return kvBigInt64(pPart->bNeg, kvBytes(aMag, keyMagnitude(pPart, aMag)), pv);
}

static void keyPrintBigint(KvBuf *pOut, const KvPart *pPart){
  u8 aMag[KV_BIGINT_KEY_BYTES+1];
  u32 n = keyMagnitude(pPart, aMag);
  if( pPart->bNeg && n>0 ) kvBufPut(pOut, '-');
  kvBigPrint(pOut, kvBytes(aMag, n));
  kvBufPut(pOut, 'n');
}

static void keyPrintBytes(KvBuf *pOut, const KvPart *pPart){
  u32 i;
  char z[24];
  kvBufLit(pOut, "new Uint8Array([");
  for(i=0; i<pPart->content.n; i++){
    if( i ) kvBufPut(pOut, ',');
    kvBufAppend(pOut, z, (u64)kvIntPrint(pPart->content.p[i], z));
    if( pPart->content.p[i]==0 && pPart->bEscaped ) i++;
  }
  kvBufLit(pOut, "])");
}

static void keyPrintNumber(KvBuf *pOut, double r){
  char z[KV_NUM_TEXT];
  if( r!=r ){
    if( kvDoubleToBits(r) & KEY_SIGN ) kvBufPut(pOut, '-');
    kvBufLit(pOut, "NaN");
  }else{
    kvBufAppend(pOut, z, (u64)kvNumPrint(r, z));
  }
}

static void keyPrintString(KvBuf *pOut, const KvPart *pPart){
  KvBuf plain;
  u8 aSpace[256];
  if( !pPart->bEscaped ){
    kvUtfAppendQuoted(pOut, KV_WTF8, kvBytes(pPart->content.p, pPart->content.n));
    return;
  }
  kvBufInit(&plain, aSpace, sizeof(aSpace));
  kvPartContent(&plain, pPart);
  if( plain.eErr!=KV_OK ) pOut->eErr = plain.eErr;
  kvUtfAppendQuoted(pOut, KV_WTF8, kvBufBytes(&plain));
  kvBufClear(&plain);
}

void kvPartPrint(KvBuf *pOut, const KvPart *pPart){
  switch( pPart->eType ){
    case KVP_BYTES:  keyPrintBytes(pOut, pPart);             break;
    case KVP_STRING: keyPrintString(pOut, pPart);            break;
    case KVP_BIGINT: keyPrintBigint(pOut, pPart);            break;
    case KVP_NUMBER: keyPrintNumber(pOut, pPart->r);         break;
    default:         kvBufText(pOut, pPart->r!=0.0 ? "true" : "false");
  }
}

/* A string part, behind its tag: appended in quotes if it is plain ASCII.
** Returns the byte behind it, or 0. */
static const u8 *keyShortString(const u8 *z, const u8 *zEnd, KvBuf *pOut){
  u8 *zTo;
  u64 u;
  if( kvBufGrow(pOut, (u64)(zEnd - z) + 10)!=KV_OK ) return 0;
  zTo = &pOut->a[pOut->n];
  *zTo++ = '"';
  for(; zEnd - z>=8; z+=8, zTo+=8){
    u64 x = kvGet64le(z);
    kvPut64le(zTo, x);
    u = kvPlainBits(x);
    if( u ){
      z += kvFirstByte(u);
      zTo += kvFirstByte(u);
      break;
    }
  }
  while( z<zEnd && kvPlainByte(*z) ) *zTo++ = *z++;
  if( z>=zEnd || *z!=0 || (zEnd - z>1 && z[1]==0xff) ) return 0;
  *zTo++ = '"';
  pOut->n = (u32)(zTo - pOut->a);
  return z + 1;
}

/* The same for a number part, unless it is a NaN. */
static const u8 *keyShortNumber(const u8 *z, const u8 *zEnd, KvBuf *pOut){
  u64 u;
  double r;
  if( zEnd - z<8 || kvBufGrow(pOut, KV_NUM_TEXT)!=KV_OK ) return 0;
  u = kvGet64be(z);
  r = kvBitsToDouble((u & KEY_SIGN) ? u ^ KEY_SIGN : ~u);
  if( r!=r ) return 0;
  pOut->n += (u32)kvNumPrint(r, (char*)&pOut->a[pOut->n]);
  return z + 8;
}

/*
** The short way to print what most keys are: plain strings and numbers.  False:
** something else, or no memory, and pOut is as it was but for eErr.
*/
static int keyShort(KvBuf *pOut, KvBytes key){
  const u8 *z = key.p, *zEnd;
  u32 nOld = pOut->n;
  if( key.n==0 || pOut->eErr!=KV_OK ) return 0;
  zEnd = key.p + key.n;
  while( z && z<zEnd ){
    kvBufPut(pOut, z==key.p ? '[' : ',');
    if( *z==KEY_TAG_STRING ) z = keyShortString(z+1, zEnd, pOut);
    else if( *z==KEY_TAG_NUMBER ) z = keyShortNumber(z+1, zEnd, pOut);
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
  if( keyShort(pOut, key) ) return KV_OK;
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

int kvKeyCanonical(KvBytes key){
  KvPart part = { 0 };
  u32 i = 0;
  while( i<key.n ){
    if( kvPartRead(key, &i, &part, 0)!=KV_OK || !part.bCanon ) return 0;
  }
  return key.n>0;
}

void kvKeyShow(KvBuf *pOut, KvBytes any){
  static const char aHex[] = "0123456789abcdef";
  KvPart part = { 0 };
  u32 i = 0;
  u32 iStart = pOut->n;
  if( keyShort(pOut, any) ) return;
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
    kvBufPut(pOut, (u8)aHex[any.p[i]>>4]);
    kvBufPut(pOut, (u8)aHex[any.p[i]&15]);
  }
  kvBufLit(pOut, "\")");
}

/* Append bytes with 00 as 00 FF. */
static void keyPutEscaped(KvBuf *pOut, KvBytes b){
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
  kvBufPut(pOut, KEY_TAG_BYTES);
  keyPutEscaped(pOut, content);
  kvBufPut(pOut, 0);
}

void kvKeyPutString(KvBuf *pOut, KvBytes text){
  kvBufPut(pOut, KEY_TAG_STRING);
  while( text.n>0 ){
    u32 c, k;
    for(k=0; k<text.n && !(text.p[k]==0xed && k+1<text.n && text.p[k+1]>=0xa0); k++){}
    keyPutEscaped(pOut, kvBytes(text.p, k));
    text = kvBytesFrom(text, k);
    if( text.n>0 ){
      kvBufLit(pOut, "\xef\xbf\xbd");
      text = kvBytesFrom(text, (u32)kvUtf8Get(kvBytes(text.p, text.n), &c, 1));
    }
  }
  kvBufPut(pOut, 0);
}

void kvKeyPutNumber(KvBuf *pOut, double r){
  u8 a[9];
  u64 u = kvDoubleToBits(r);
  if( r!=r ) u = (u & KEY_SIGN) | KEY_NAN;
  u = (u & KEY_SIGN) ? ~u : u | KEY_SIGN;
  a[0] = KEY_TAG_NUMBER;
  kvPut64be(&a[1], u);
  kvBufAppend(pOut, a, 9);
}

void kvKeyPutNaN(KvBuf *pOut, int bNeg){
  kvKeyPutNumber(pOut, kvBitsToDouble(KEY_NAN | (bNeg ? KEY_SIGN : 0)));
}

void kvKeyPutBigint(KvBuf *pOut, int bNeg, KvBytes magnitude){
  u32 n = magnitude.n;
  u8 m = bNeg ? 0xff : 0x00;
  if( n==0 ){
    kvBufPut(pOut, KEY_TAG_ZERO);
  }else if( n<=8 ){
    kvBufPut(pOut, (u8)(bNeg ? KEY_TAG_ZERO-n : KEY_TAG_ZERO+n));
  }else{
    kvBufPut(pOut, bNeg ? KEY_TAG_BIGNEG : KEY_TAG_BIGPOS);
    kvBufPut(pOut, (u8)(n^m));
  }
  while( n>0 ) kvBufPut(pOut, magnitude.p[--n]^m);
}

void kvKeyPutBool(KvBuf *pOut, int b){
  kvBufPut(pOut, b ? KEY_TAG_TRUE : KEY_TAG_FALSE);
}

void kvStampPrint(i64 iVersion, char *z){
  static const char aHex[] = "0123456789abcdef";
  u64 v = (u64)iVersion;
  int i;
  for(i=15; i>=0; i--, v>>=4) z[i] = aHex[v&15];
  memcpy(&z[16], "0000", 4);
}

void kvKeyPutStamp(KvBuf *pOut, i64 iVersion){
  char z[KV_STAMP_DIGITS];
  kvStampPrint(iVersion, z);
  kvKeyPutString(pOut, kvBytes(z, KV_STAMP_DIGITS));
}

int kvStampParse(KvBytes text, i64 *piVersion){
  u64 v = 0;
  u32 i;
  if( text.n!=KV_STAMP_DIGITS ) return 0;
  for(i=0; i<text.n; i++){
    u8 c = text.p[i];
    int d = c>='0' && c<='9' ? c-'0' : (c|0x20)>='a' && (c|0x20)<='f' ? (c|0x20)-'a'+10 : -1;
    if( d<0 ) return 0;
    if( i<16 ) v = v<<4 | (u64)d;
  }
  *piVersion = v>(u64)INT64_MAX ? INT64_MAX : (i64)v;
  return 1;
}
