/*
** js_text.c -- JS text of values: see value.h for what holds of those that can
** be read.
*/
#include "fuzz/value.h"

/* Bytes of memory beyond which a text that asks for big buffers is only read. */
#define BIG 1000000

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n){
  char *z = fuzzCopy(a, n);
  KvTree tree;
  KvErr err = {0, 0, 0};
  int rc;
  kvTreeInit(&tree);
  fuzzBegin();
  rc = kvJsParse(&tree, kvBytes(z, (u32)n), &err);
  if( rc==KV_OK && fuzzBytes<BIG ){
    valueAll(&tree, 1000000);
  }else if( rc!=KV_OK ){
    MUST( (rc==KV_SYNTAX || rc==KV_REFUSED) && err.zMsg && err.iPos>=-1 && err.iPos<=(i64)n );
  }
  kvTreeClear(&tree);
  free(z);
  return 0;
}
