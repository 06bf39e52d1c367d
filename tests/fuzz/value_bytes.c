/*
** value_bytes.c -- stored bytes of values: Deno's v_encoding, then the bytes.
**
** What can be read is printed, read and written: see value.h.
*/
#include "fuzz/value.h"
#include "fuzz/v8mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *a, size_t n, size_t nMost, unsigned iSeed){
  return vmMutate(a, n, nMost, iSeed);
}

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n){
  KvTree tree;
  KvErr err = {0, 0, 0};
  char *z;
  int rc;
  if( n==0 ) return 0;
  z = fuzzCopy(a+1, n-1);
  kvTreeInit(&tree);
  fuzzBegin();
  rc = kvValueRead(&tree, a[0], (u8*)z, (u32)n-1, &err);
  fuzzBudget(n, 512);
  if( rc==KV_OK ){
    valueAll(&tree, (u32)n);
  }else{
    MUST( rc==KV_CORRUPT && err.zMsg && err.iPos>=-1 && err.iPos<=(i64)n );
  }
  kvTreeClear(&tree);
  free(z);
  return 0;
}
