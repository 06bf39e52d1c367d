/*
** cursor.c -- the cursor of a list of entries.  See cursor.h.
*/
#include "codec/key/cursor.h"
#include "bytes/base64.h"

void kvCursorPrint(KvBuf *pOut, KvBytes rest){
  kvBase64Print(pOut, rest, KV_BASE64_URL);
}

int kvCursorParse(KvBuf *pOut, KvBytes text, KvErr *pErr){
  i64 iBad = text.n;
  u32 n;
  if( kvBufGrow(pOut, KV_BASE64_BOUND(text.n))!=KV_OK ) return kvErrMemory(pErr, pOut->eErr);
  if( text.n%4==0 ) iBad = kvBase64Parse(text, KV_BASE64_URL, &pOut->a[pOut->n], &n);
  if( iBad>=0 ){
    return kvErrSet(pErr, KV_SYNTAX, iBad,
        "not a cursor (padded URL-safe base64, as list() gives it)");
  }
  pOut->n += n;
  return KV_OK;
}
