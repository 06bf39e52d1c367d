/*
** key_parse.c -- key text, and the collation.
**
** What is a key encodes to canonical bytes, whose text is the canonical
** spelling: it encodes to the same bytes and is equal to the one given.  The
** collation is a total order on all texts: reflexive, antisymmetric,
** transitive; two texts are equal if and only if they stand for the same bytes
** or, being no keys, are the same text.
**
** Digits are a part if they are the value of a double or what JavaScript prints.
*/
#include "fuzz/fuzz.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "codec/key/key_parse.h"
#include "codec/key/key_compare.h"
#include "codec/num/num.h"

/* The digits in a text, as a part of a key. */
static void digits(const char *z, u32 n){
  char zDigit[400], zExact[400], zPrint[KV_NUM_TEXT];
  u32 i, nDigit = 0;
  int bExact, bPrint;
  double r;
  KvBuf bytes;
  KvErr err;
  for(i=0; i<n && nDigit<sizeof(zDigit)-1; i++){
    if( z[i]>=(nDigit ? '0' : '1') && z[i]<='9' ) zDigit[nDigit++] = z[i];
  }
  if( nDigit==0 ) return;
  zDigit[nDigit] = 0;
  r = strtod(zDigit, 0);
  bExact = snprintf(zExact, sizeof(zExact), "%.0f", r)==(int)nDigit && memcmp(zExact, zDigit, nDigit)==0;
  bPrint = kvNumPrint(r, zPrint)==(int)nDigit && memcmp(zPrint, zDigit, nDigit)==0;
  kvBufInit(&bytes, 0, 0);
  if( kvKeyParsePart(kvBytes(zDigit, nDigit), &bytes, &err)==KV_OK ){
    MUST( bExact || bPrint );
  }else{
    MUST( !bExact && !bPrint && strtod(err.zNumber, 0)==r );
  }
  kvBufClear(&bytes);
}

/* A text, and its bytes if it is a key. */
typedef struct Text Text;
struct Text {
  const char *z;
  u32 n;
  int bKey;
  KvBuf bytes;
};

static void encode(Text *p, const char *z, u32 n){
  KvErr err;
  KvBuf text, bytes;
  int rc, bStamp = 0;
  p->z = z;
  p->n = n;
  kvBufInit(&p->bytes, 0, 0);
  kvBufInit(&text, 0, 0);
  kvBufInit(&bytes, 0, 0);
  rc = kvKeyParse(kvBytes(z, n), KVKEY_MALFORMED, &p->bytes, 0, &err);
  p->bKey = rc==KV_OK;
  if( rc==KV_OK ){
    kvKeyShow(&text, kvBufBytes(&p->bytes));
    MUST( kvKeyParse(kvBufBytes(&text), KVKEY_MALFORMED, &bytes, 0, &err)==KV_OK );
    MUST( fuzzEqual(&bytes, &p->bytes) );
    MUST( kvKeyCompare(kvBytes(z, n), kvBufBytes(&text))==0 );
    if( kvKeyParse(kvBytes(z, n), 0, &bytes, 0, 0)==KV_OK ){
      MUST( p->bytes.n==0 || kvKeyCanonical(kvBufBytes(&p->bytes)) );
    }
  }else{
    MUST( rc==KV_SYNTAX && err.zMsg && err.iPos>=0 && err.iPos<=(i64)n );
  }
  /* As the key of a set: the same, or it ends with the stamp. */
  kvBufReset(&bytes);
  rc = kvKeyParse(kvBytes(z, n), KVKEY_STAMP, &bytes, &bStamp, &err);
  if( rc==KV_OK ){
    if( !bStamp ) MUST( p->bKey && fuzzEqual(&bytes, &p->bytes) );
    else kvKeyPutVersionstamp(&bytes, 0x123456789aLL);
    MUST( bytes.n==0 || kvKeyCanonical(kvBufBytes(&bytes)) );
  }
  kvBufReset(&bytes);
  if( kvKeyParsePart(kvBytes(z, n), &bytes, &err)==KV_OK ){
    MUST( kvKeyCanonical(kvBufBytes(&bytes)) );
  }
  kvBufClear(&text);
  kvBufClear(&bytes);
}

static int compare(const Text *pA, const Text *pB){
  return fuzzSign(kvKeyCompare(kvBytes(pA->z, pA->n), kvBytes(pB->z, pB->n)));
}

/* What the order must be. */
static int expected(const Text *pA, const Text *pB){
  u32 nA = pA->n, nB = pB->n;
  const void *aA = pA->z, *aB = pB->z;
  int c;
  if( pA->bKey!=pB->bKey ) return pA->bKey ? -1 : 1;
  if( pA->bKey ){
    nA = pA->bytes.n;
    nB = pB->bytes.n;
    aA = pA->bytes.a;
    aB = pB->bytes.a;
  }
  c = nA && nB ? memcmp(aA, aB, nA<nB ? nA : nB) : 0;
  return c ? fuzzSign(c) : (nA>nB) - (nA<nB);
}

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n){
  FuzzCut cut;
  Text aText[3];
  int i, j, k;
  fuzzBegin();
  fuzzCut(&cut, a, n);
  for(i=0; i<3; i++) digits(cut.az[i], cut.an[i]);
  for(i=0; i<3; i++) encode(&aText[i], cut.az[i], cut.an[i]);
  for(i=0; i<3; i++){
    for(j=0; j<3; j++){
      int c = compare(&aText[i], &aText[j]);
      MUST( c==expected(&aText[i], &aText[j]) );
      MUST( c==-compare(&aText[j], &aText[i]) );
      for(k=0; k<3; k++){
        if( c<=0 && compare(&aText[j], &aText[k])<=0 ){
          MUST( compare(&aText[i], &aText[k])<=0 );
        }
      }
    }
  }
  for(i=0; i<3; i++) kvBufClear(&aText[i].bytes);
  fuzzUncut(&cut);
  /* 72 comparisons and more; new Uint8Array(n) is up to 64 KiB for 18 bytes,
  ** twice in each. */
  if( fuzzHas(a, n, "y(") ) fuzzBudget(n, 200*4096);
  else fuzzBudget(n, 2048);
  return 0;
}
