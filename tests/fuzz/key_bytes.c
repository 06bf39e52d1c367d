/*
** key_bytes.c -- stored bytes of keys.
**
** Any bytes are shown as a text that stands for just those bytes, in order
** too; the canonical ones, and only they, are shown as an array, which encodes
** to the same bytes.  Parts are read one after the other and put together
** again.
*/
#include "fuzz/fuzz.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "codec/key/key_parse.h"
#include "codec/key/key_compare.h"

/* Read a key part by part; append the same parts to pOut. */
static int parts(const u8 *a, u32 n, KvBuf *pOut){
  KvPart part;
  KvErr err;
  KvBuf text, bytes;
  u32 i = 0;
  int bCanon = 1, rc = KV_OK;
  kvBufInit(&text, 0, 0);
  kvBufInit(&bytes, 0, 0);
  while( rc==KV_OK && i<n ){
    u32 iStart = i;
    rc = kvPartRead(kvBytes(a, n), &i, &part, &err);
    if( rc!=KV_OK ){
      MUST( rc==KV_CORRUPT && err.zMsg && err.iPos>=0 && err.iPos<=(i64)n );
      break;
    }
    MUST( i>iStart && i<=n && kvPartTypeName(part.eType) );
    bCanon = bCanon && part.bCanon;
    kvBufReset(&text);
    kvBufReset(&bytes);
    kvPartPrint(&text, &part);
    if( part.bCanon ){
      MUST( kvKeyParsePart(kvBufBytes(&text), &bytes, &err)==KV_OK );
      MUST( bytes.n==i-iStart && memcmp(bytes.a, &a[iStart], bytes.n)==0 );
    }
    if( part.eType==KVP_BYTES || part.eType==KVP_STRING ){
      kvBufReset(&bytes);
      kvPartContent(&bytes, &part);
      if( part.eType==KVP_BYTES ) kvKeyPutBytes(pOut, kvBufBytes(&bytes));
      else kvKeyPutString(pOut, kvBufBytes(&bytes));
    }else if( part.eType==KVP_NUMBER ){
      kvKeyPutNumber(pOut, part.r);
    }else if( part.eType==KVP_BOOL ){
      kvKeyPutBool(pOut, part.r!=0.0);
    }else{
      i64 v;
      kvPartInt64(&part, &v);
      kvBufAppend(pOut, &a[iStart], i - iStart);
    }
  }
  kvBufClear(&text);
  kvBufClear(&bytes);
  return rc==KV_OK && bCanon;
}

static void one(const u8 *a, u32 n, KvBuf *pText){
  KvBuf bytes, again;
  KvErr err;
  int bCanon, rc;
  kvBufInit(&bytes, 0, 0);
  kvBufInit(&again, 0, 0);
  bCanon = parts(a, n, &again) && n>0;           /* [] is never written */
  MUST( bCanon==kvKeyCanonical(kvBytes(a, n)) );
  if( bCanon ) MUST( again.n==n && (n==0 || memcmp(again.a, a, n)==0) );
  kvKeyShow(pText, kvBytes(a, n));
  MUST( pText->eErr==KV_OK && (pText->a[0]=='[')==bCanon );
  MUST( kvKeyParse(kvBufBytes(pText), KVKEY_MALFORMED, &bytes, 0, &err)==KV_OK );
  MUST( bytes.n==n && (n==0 || memcmp(bytes.a, a, n)==0) );
  kvBufReset(&again);
  rc = kvKeyPrint(&again, kvBytes(a, n), &err);
  if( bCanon ) MUST( rc==KV_OK && fuzzEqual(&again, pText) );
  if( rc==KV_OK ){                     /* readable: its text is a key */
    kvBufReset(&bytes);
    MUST( kvKeyParse(kvBufBytes(&again), 0, &bytes, 0, &err)==KV_OK );
    MUST( n==0 || kvKeyCanonical(kvBufBytes(&bytes)) );
  }else{
    MUST( rc==KV_CORRUPT && err.zMsg );
  }
  kvBufClear(&bytes);
  kvBufClear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n){
  FuzzCut cut;
  KvBuf aText[3];
  u32 i, j;
  fuzzBegin();
  fuzzCut(&cut, a, n);
  for(i=0; i<3; i++){
    kvBufInit(&aText[i], 0, 0);
    one((u8*)cut.az[i], cut.an[i], &aText[i]);
  }
  for(i=0; i<3; i++){
    for(j=0; j<3; j++){
      u32 m = cut.an[i]<cut.an[j] ? cut.an[i] : cut.an[j];
      int c = memcmp(cut.az[i], cut.az[j], m);
      if( c==0 ) c = (cut.an[i]>cut.an[j]) - (cut.an[i]<cut.an[j]);
      MUST( fuzzSign(c)==fuzzSign(kvKeyCompare(kvBufBytes(&aText[i]), kvBufBytes(&aText[j]))) );
    }
  }
  for(i=0; i<3; i++) kvBufClear(&aText[i]);
  fuzzUncut(&cut);
  fuzzBudget(n, 256);
  return 0;
}
