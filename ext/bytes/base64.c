/*
** base64.c -- bytes as base64.  See base64.h.
*/
#include "bytes/base64.h"

void kvBase64Print(KvBuf *pOut, KvBytes b, int eAlphabet){
  static const char aDigit[2][65] = {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  };
  const char *z;
  u8 *zTo;
  u32 i;
  KV_ASSERT( eAlphabet!=KV_BASE64_EITHER );
  z = aDigit[eAlphabet];
  if( kvBufGrow(pOut, ((u64)b.n+2)/3*4)!=KV_OK ) return;
  zTo = &pOut->a[pOut->n];
  for(i=0; i<b.n; i+=3, zTo+=4){
    u32 nLeft = b.n - i;
    u32 v = (u32)b.p[i]<<16 | (nLeft>1 ? (u32)b.p[i+1]<<8 : 0) | (nLeft>2 ? b.p[i+2] : 0);
    zTo[0] = (u8)z[v>>18];
    zTo[1] = (u8)z[(v>>12) & 63];
    zTo[2] = (u8)(nLeft>1 ? z[(v>>6) & 63] : '=');
    zTo[3] = (u8)(nLeft>2 ? z[v & 63] : '=');
  }
  pOut->n = (u32)(zTo - pOut->a);
}

/* The value of a digit, or -1. */
static int base64Value(u8 c, int eAlphabet){
  if( c>='A' && c<='Z' ) return c - 'A';
  if( c>='a' && c<='z' ) return c - 'a' + 26;
  if( c>='0' && c<='9' ) return c - '0' + 52;
  if( eAlphabet!=KV_BASE64_URL && (c=='+' || c=='/') ) return c=='+' ? 62 : 63;
  if( eAlphabet!=KV_BASE64_PLAIN && (c=='-' || c=='_') ) return c=='-' ? 62 : 63;
  return -1;
}

i64 kvBase64Parse(KvBytes text, int eAlphabet, u8 *aOut, u32 *pn){
  u32 i, n = text.n, nOut = 0, v = 0, nBit = 0;
  *pn = 0;
  if( n%4==0 && n>0 && text.p[n-1]=='=' ) n -= text.p[n-2]=='=' ? 2 : 1;
  for(i=0; i<n; i++){
    int d = base64Value(text.p[i], eAlphabet);
    if( d<0 ) return i;
    v = v<<6 | (u32)d;
    nBit += 6;
    if( nBit>=8 ){
      nBit -= 8;
      aOut[nOut++] = (u8)(v>>nBit);
      v &= (1u<<nBit) - 1;
    }
  }
  if( n%4==1 || v ) return n - n%4;
  *pn = nOut;
  return -1;
}
