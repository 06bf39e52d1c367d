/*
** func_words.c -- kv_words(text): a person's words as a query in FTS5's language.
**
**     SELECT id FROM posts WHERE posts MATCH kv_words('don''t e-mail ada@x.org');
**
** Each run of characters without white space becomes a string "...", so that nothing in it
** is an operator, and all have to be found.  FTS5 leaves out a string without a token beside
** others, and finds nothing by it alone: that is the query of a text without words.
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/result.h"
#include "codec/js/js_lex.h"

/* The length of the white space at z; a zero byte, which would end the query, is some. */
static u32 wordsSpace(const u8 *z, const u8 *zEnd){
  return *z==0 ? 1 : kvLexSpaceChar((const char*)z, (const char*)zEnd);
}

static void wordsFunc(KvCall *p){
  KvBytes text = kvArgName(p->apArg[0], &p->error);
  KvBuf *pOut = &p->pScratch->out;
  const u8 *z = text.p, *zEnd = text.p + text.n;
  if( text.p==0 ) return;
  while( z<zEnd ){
    u32 n = wordsSpace(z, zEnd);
    z += n;
    if( n ) continue;
    if( pOut->n ) kvBufPut(pOut, ' ');
    kvBufPut(pOut, '"');
    for(; z<zEnd && wordsSpace(z, zEnd)==0; z++){
      if( *z=='"' ) kvBufPut(pOut, '"');
      kvBufPut(pOut, *z);
    }
    kvBufPut(pOut, '"');
  }
  if( pOut->n==0 ) kvBufLit(pOut, "\"\"");
  kvResultText(p->ctx, pOut);
}

const KvFunc kvFuncsWords[] = {
  { "kv_words", 1, 1, KV_PURE, KVCALL_STRICT|KVCALL_SCRATCH, wordsFunc, 0 },
  { 0 }
};
