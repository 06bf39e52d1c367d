/*
** value_bytes.c -- stored bytes of values: Deno's v_encoding, then the bytes.
**
** What can be read is printed, read and written: see value.h.  Parts of it are
** set and removed.
*/
#include "fuzz/value.h"
#include "codec/edit/edit.h"
#include "codec/edit/splice.h"
#include "codec/stored.h"
#include "fuzz/v8mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *a, size_t n, size_t nMost, unsigned iSeed){
  return vmMutate(a, n, nMost, iSeed);
}

/* The JS text of a result, which can always be read. */
static void editText(const KvEdit *p, KvBuf *pText){
  KvTree tree;
  KvErr err = {0, 0, 0};
  kvTreeInit(&tree);
  MUST( kvValueRead(&tree, p->eOut, kvBufBytes(p->pOut), &err)==KV_OK );
  valueTree(&tree);
  MUST( kvJsPrint(&tree, 0, pText, &err)==KV_OK );
  kvTreeClear(&tree);
}

/* Set zNew, JS text, at a path, or with 0 remove what is there: what the short
** way gives the long way gives too. */
static void editOne(const KvEdit *pValue, const char *zPath, const char *zNew, int bTyped){
  KvTree new;
  KvBuf out, text, text2;
  KvEdit edit = *pValue;
  KvErr err = {0, 0, 0};
  int bSpliced, rc;
  kvTreeInit(&new);
  kvBufInit(&out, 0, 0);
  kvBufInit(&text, 0, 0);
  kvBufInit(&text2, 0, 0);
  if( zNew ) MUST( kvJsParse(&new, kvBytesText(zNew), &err)==KV_OK );
  edit.path = kvBytesText(zPath);
  edit.pNew = zNew ? &new : 0;
  edit.bTyped = (u8)bTyped;
  edit.pOut = &out;
  edit.eOut = 1;
  bSpliced = edit.eEncoding==1 && kvSplice(&edit);
  MUST( bSpliced || out.n==0 );
  if( bSpliced ) editText(&edit, &text);
  kvBufReset(&out);
  if( zNew ) MUST( kvJsParse((kvTreeReset(&new), &new), kvBytesText(zNew), &err)==KV_OK );
  edit.bTyped = (u8)bTyped;
  rc = kvEditTree(&edit, &err);
  if( rc==KV_OK ) editText(&edit, &text2);
  else MUST( rc!=KV_NOMEM && err.zMsg );
  if( bSpliced ) MUST( rc==KV_OK && fuzzEqual(&text, &text2) );
  kvTreeClear(&new);
  kvBufClear(&out);
  kvBufClear(&text);
  kvBufClear(&text2);
}

static void editAll(int eEncoding, KvBytes value){
  static const char *const azPath[] = {
    "$", "$.a", "$[0]", "$[#]", "$[#-1]", "$.a.b", "$[0][0]", "$[1].a", "$.cause", "$.message"
  };
  static const char *const azNew[] = {
    "1", "1.5", "'\xe2\x82\xac'", "<ref *1> {b: [Circular *1]}", "5n"
  };
  KvEdit edit;
  size_t i, k;
  memset(&edit, 0, sizeof(edit));
  edit.eEncoding = eEncoding;
  edit.value = value;
  edit.iVersion = 15;
  for(i=0; i<sizeof(azPath)/sizeof(azPath[0]); i++){
    editOne(&edit, azPath[i], 0, 0);
    for(k=0; k<sizeof(azNew)/sizeof(azNew[0]); k++) editOne(&edit, azPath[i], azNew[k], k!=0);
  }
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
  rc = kvValueRead(&tree, a[0], kvBytes(z, (u32)n-1), &err);
  fuzzBudget(n, 512);
  if( rc==KV_OK ){
    valueAll(&tree, (u32)n);
    if( n<1000 ) editAll(a[0], kvBytes(z, (u32)n-1));
  }else{
    MUST( rc==KV_CORRUPT && err.zMsg && err.iPos>=-1 && err.iPos<=(i64)n );
  }
  kvTreeClear(&tree);
  free(z);
  return 0;
}
