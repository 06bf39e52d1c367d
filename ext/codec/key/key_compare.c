/*
** key_compare.c -- the order of key texts.  See key_compare.h.
*/
#include "codec/key/key_compare.h"
#include "codec/key/key_parse.h"

int kvKeyCompare(KvBytes textA, KvBytes textB){
  u8 aSpaceA[KV_COMPARE_STACK], aSpaceB[KV_COMPARE_STACK];
  KvBuf a, b;
  int rcA, rcB, c;
  if( kvBytesEqual(textA, textB) ) return 0;
  kvBufInit(&a, aSpaceA, sizeof(aSpaceA));
  kvBufInit(&b, aSpaceB, sizeof(aSpaceB));
  rcA = kvKeyParse(textA, KVKEY_MALFORMED, &a, 0, 0);
  rcB = kvKeyParse(textB, KVKEY_MALFORMED, &b, 0, 0);
  if( rcA==KV_OK && rcB==KV_OK ){
    c = kvBytesCompare(kvBufBytes(&a), kvBufBytes(&b));
  }else if( rcA!=KV_OK && rcB!=KV_OK ){
    c = kvBytesCompare(textA, textB);
  }else{
    c = rcA==KV_OK ? -1 : 1;
  }
  kvBufClear(&a);
  kvBufClear(&b);
  return c;
}
