/*
** cursor.c -- cursors, ULIDs and versionstamps.
**
** Each text that is read is what is printed for what it stands for, and what
** is printed is read.
*/
#include "fuzz/fuzz.h"
#include "codec/key/cursor.h"
#include "codec/versionstamp.h"
#include "codec/ulid.h"

static void cursors(const u8 *a, u32 n){
  KvBuf bytes, text, again;
  KvErr err = {0, 0, 0};
  int rc;
  kvBufInit(&bytes, 0, 0);
  kvBufInit(&text, 0, 0);
  kvBufInit(&again, 0, 0);
  rc = kvCursorParse(&bytes, kvBytes(a, n), &err);
  if( rc==KV_OK ){
    kvCursorPrint(&text, kvBufBytes(&bytes));
    MUST( text.n==n && (n==0 || memcmp(text.a, a, n)==0) );
  }else{
    MUST( rc==KV_SYNTAX && err.iPos>=0 && err.iPos<=(i64)n );
  }
  kvBufReset(&text);
  kvCursorPrint(&text, kvBytes(a, n));
  MUST( kvCursorParse(&again, kvBufBytes(&text), &err)==KV_OK );
  MUST( again.n==n && (n==0 || memcmp(again.a, a, n)==0) );
  kvBufClear(&bytes);
  kvBufClear(&text);
  kvBufClear(&again);
}

static void ulids(const u8 *a, u32 n){
  char z[KV_ULID_TEXT], z2[KV_ULID_TEXT];
  u8 aRandom[KV_ULID_RANDOM] = {0};
  i64 iMs = kvUlidTime(kvBytes(a, n));
  u32 i;
  MUST( iMs>=-1 && iMs<=KV_ULID_MOST );
  if( iMs>=0 ) MUST( n==KV_ULID_TEXT );
  for(i=0; i<KV_ULID_RANDOM && i<n; i++) aRandom[i] = a[n-1-i];
  if( n>=8 ) iMs = (i64)(kvGet64le(a) & (u64)KV_ULID_MOST);
  if( iMs<0 ) iMs = 0;
  kvUlidPrint(iMs, aRandom, z);
  MUST( kvUlidTime(kvBytes(z, KV_ULID_TEXT))==iMs );
  if( kvUlidIncrement(aRandom) ){
    kvUlidPrint(iMs, aRandom, z2);
    MUST( memcmp(z, z2, KV_ULID_TEXT)<0 );
  }
}

static void stamps(const u8 *a, u32 n){
  char z[KV_VERSIONSTAMP_TEXT];
  i64 iVersion = 0, iAgain = 0;
  if( kvVersionstampParse(kvBytes(a, n), &iVersion) ){
    MUST( n==KV_VERSIONSTAMP_TEXT );
  }else if( n>=8 ){
    iVersion = (i64)(kvGet64le(a) & 0x7fffffffffffffff);
  }
  if( iVersion>=0 ){
    kvVersionstampPrint(iVersion, z);
    MUST( kvVersionstampParse(kvBytes(z, KV_VERSIONSTAMP_TEXT), &iAgain) && iAgain==iVersion );
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n){
  char *z = fuzzCopy(a, n);
  fuzzBegin();
  cursors((u8*)z, (u32)n);
  ulids((u8*)z, (u32)n);
  stamps((u8*)z, (u32)n);
  fuzzBudget(n, 64);
  free(z);
  return 0;
}
