/*
** words.c -- the small formats: numbers, bigints, dates, regular expressions,
** paths, UTF-8.  The first byte says which.
*/
#include "fuzz/fuzz.h"
#include "codec/js/js_parse.h"
#include "codec/num/date.h"
#include "codec/path.h"
#include "codec/regexp/regexp.h"
#include "codec/num/num.h"
#include "codec/num/bigint.h"

/* Numbers are read as the C library reads them, and printed with digits that
** read back as the same. */
static void numbers(const char *z, u32 n){
  char zText[KV_NUM_TEXT+1];
  double r = 0.0, rAgain = 0.0;
  u32 nUsed = kvNumParse(kvBytes(z, n), &r), nText;
  MUST( nUsed<=n );
  if( nUsed>0 ){
    char *zCopy = malloc(nUsed+1), *zEnd;
    memcpy(zCopy, z, nUsed);
    zCopy[nUsed] = 0;
    MUST( strtod(zCopy, &zEnd)==r && zEnd==zCopy+nUsed );
    free(zCopy);
  }
  if( n>=8 ) r = kvBitsToDouble(kvGet64le((const u8*)z) & 0x7fffffffffffffff);
  if( r!=r || r-r!=0.0 ) return;
  nText = (u32)kvNumPrint(r, zText);
  MUST( nText>0 && nText<=KV_NUM_TEXT );
  MUST( kvNumParse(kvBytes(zText, nText), &rAgain)==nText && rAgain==r );
}

/* A magnitude, printed and read, and in hexadecimal. */
static void bigints(const u8 *a, u32 n){
  static const char aHex[] = "0123456789abcdef";
  KvBuf text;
  u8 *aMag;
  char *zHex;
  u32 i, nMag = n;
  while( nMag>0 && a[nMag-1]==0 ) nMag--;
  if( nMag>KV_BIG_BYTES ) return;
  kvBufInit(&text, 0, 0);
  kvBigPrint(&text, kvBytes(a, n));
  MUST( text.eErr==KV_OK && text.n>0 && (text.a[0]!='0' || text.n==1) );
  aMag = malloc((size_t)kvBigBound(text.n));
  MUST( kvBigParse(kvBufBytes(&text), 10, aMag)==nMag );
  MUST( nMag==0 || memcmp(aMag, a, nMag)==0 );
  free(aMag);
  zHex = malloc(2*(size_t)n + 1);
  aMag = malloc((size_t)kvBigBound(2*n));
  for(i=0; i<n; i++){
    zHex[2*i] = aHex[a[n-1-i]>>4];
    zHex[2*i+1] = aHex[a[n-1-i] & 15];
  }
  if( n>0 ){
    MUST( kvBigParse(kvBytes(zHex, 2*n), 16, aMag)==nMag );
    MUST( nMag==0 || memcmp(aMag, a, nMag)==0 );
  }
  free(zHex);
  free(aMag);
  kvBufClear(&text);
}

static void dates(const char *z, u32 n){
  KvBuf text;
  double r = 0.0, rAgain = 0.0;
  int rc = kvDateParse(kvBytes(z, n), &r);
  kvBufInit(&text, 0, 0);
  MUST( rc==KV_OK || rc==KV_SYNTAX );
  if( rc!=KV_OK && n>=8 ){
    r = (double)(i64)(kvGet64le((const u8*)z) % 17280000000000001u) - 8640000000000000.0;
    rc = KV_OK;
  }
  if( rc==KV_OK && r==r ){
    kvDatePrint(r, &text);
    MUST( kvDateParse(kvBufBytes(&text), &rAgain)==KV_OK && rAgain==r );
  }
  kvBufClear(&text);
}

static void regexps(const u8 *z, u32 n){
  u32 iPos = 0;
  u32 mFlags = n>1 ? (u32)z[0] | (u32)z[1]<<8 : 0;
  const char *zMsg;
  if( n<2 ) return;
  mFlags &= KV_RE_G|KV_RE_I|KV_RE_M|KV_RE_Y|KV_RE_U|KV_RE_S|KV_RE_D|KV_RE_V;
  if( (mFlags & (KV_RE_U|KV_RE_V))==(KV_RE_U|KV_RE_V) ) return;
  {
    KvBuf clean;
    kvBufInit(&clean, 0, 0);
    kvUtfAppendClean(&clean, kvBytes(z+2, n-2));
    zMsg = kvRegexpCheck(kvBufBytes(&clean), mFlags, &iPos);
    MUST( zMsg==0 || iPos<=clean.n );
    kvBufClear(&clean);
  }
}

/* A path, on a fixed value. */
static void paths(const char *z, u32 n){
  static const char zValue[] =
    "<ref *1> {a:[1,2,[3,,4]],b:new Map([['k',1],[2,[Circular *1]]]),c:new Set([1,[2]]),"
    "'d e':new Uint16Array([7,8]),f:new Error('m',{cause:{x:1}}),'':[[[]]],7:8}";
  KvTree tree;
  KvErr err = {0};
  u32 iNode = 0;
  i64 iElem = 0;
  int rc;
  kvTreeInit(&tree);
  MUST( kvJsParse(&tree, kvBytes(zValue, sizeof(zValue)-1), &err)==KV_OK );
  rc = kvPathFind(&tree, kvBytes(z, n), &iNode, &iElem, &err);
  if( rc!=KV_OK ) MUST( rc==KV_SYNTAX && err.zMsg && err.iPos>=0 && err.iPos<=(i64)n );
  else MUST( iNode==KV_NO_NODE || (iNode<tree.nNode && iElem>=-1) );
  kvTreeClear(&tree);
}

/* Cleaned text is valid and stays; UTF-16 and Latin-1 give what can be read. */
static void utf(const u8 *z, u32 n){
  KvBuf out, out2;
  u32 c, i;
  int e;
  kvBufInit(&out, 0, 0);
  kvBufInit(&out2, 0, 0);
  kvUtfAppendClean(&out, kvBytes(z, n));
  MUST( kvUtf8Valid(kvBufBytes(&out)) );
  if( kvUtf8Valid(kvBytes(z, n)) ) MUST( out.n==n && (n==0 || memcmp(out.a, z, n)==0) );
  kvUtfAppendClean(&out2, kvBufBytes(&out));
  MUST( fuzzEqual(&out, &out2) );
  for(i=0; i<n; ){
    int k = kvUtf8Get(kvBytes(&z[i], n-i), &c, (int)(n & 1));
    MUST( k>0 && (u32)k<=n-i && c<=0x10ffff );
    i += (u32)k;
  }
  MUST( kvAsciiSpan(kvBytes(z, n))<=n );
  for(e=KV_LATIN1; e<=KV_UTF16; e++){
    u32 nIn = e==KV_UTF16 ? n & ~1u : n;
    kvBufReset(&out);
    kvUtfAppend(&out, e, kvBytes(z, nIn), 0);
    MUST( kvUtf8Valid(kvBufBytes(&out)) );
    kvBufReset(&out);
    kvBufReset(&out2);
    kvUtfAppend(&out, e, kvBytes(z, nIn), 1);
    kvUtfAppend(&out2, KV_WTF8, kvBufBytes(&out), 1);
    MUST( fuzzEqual(&out, &out2) );
    kvBufReset(&out2);
    kvUtfAppendQuoted(&out2, e, kvBytes(z, nIn));
    MUST( out2.n>=2 && kvUtf8Valid(kvBufBytes(&out2)) );
  }
  kvBufClear(&out);
  kvBufClear(&out2);
}

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n){
  char *z;
  u32 nText = (u32)n - 1;
  if( n==0 ) return 0;
  z = fuzzCopy(a+1, n-1);
  fuzzBegin();
  switch( a[0]%6 ){
    case 0: numbers(z, nText);           break;
    case 1: bigints((u8*)z, nText);      break;
    case 2: dates(z, nText);             break;
    case 3: regexps((u8*)z, nText);      break;
    case 4: paths(z, nText);             break;
    default: utf((u8*)z, nText);         break;
  }
  fuzzBudget(n, 1024);
  free(z);
  return 0;
}
