/*
** json.c -- JSON text.
**
** It is accepted if and only if it is JSON by RFC 8259, which a small checker
** here decides; as JS text it means the same, but for the key __proto__, which
** is refused there.  Printed and read again it is the same text and the same
** stored bytes.
*/
#include "fuzz/fuzz.h"
#include "codec/js/js_parse.h"
#include "codec/json/json_print.h"
#include "codec/stored.h"
#include "codec/v8/v8_read.h"
#include "codec/v8/v8_write.h"

/************************************************************************
** The checker: a state machine with a bit for each open bracket.
*/
typedef struct Chk Chk;
struct Chk {
  const unsigned char *z, *zEnd;
  unsigned char *aOpen;   /* 1: object */
  size_t nOpen;
};

static void chkSpace(Chk *p){
  while( p->z<p->zEnd && (*p->z==' ' || *p->z=='\t' || *p->z=='\n' || *p->z=='\r') ) p->z++;
}
static int chkIs(Chk *p, int c){
  if( p->z>=p->zEnd || *p->z!=c ) return 0;
  p->z++;
  return 1;
}
static int chkDigits(Chk *p){
  const unsigned char *z = p->z;
  while( p->z<p->zEnd && *p->z>='0' && *p->z<='9' ) p->z++;
  return p->z>z;
}
static int chkNumber(Chk *p){
  chkIs(p, '-');
  if( !chkIs(p, '0') && !chkDigits(p) ) return 0;
  if( chkIs(p, '.') && !chkDigits(p) ) return 0;
  if( chkIs(p, 'e') || chkIs(p, 'E') ){
    if( !chkIs(p, '+') ) chkIs(p, '-');
    if( !chkDigits(p) ) return 0;
  }
  return 1;
}
static int chkHex(Chk *p){
  int i;
  for(i=0; i<4; i++, p->z++){
    if( p->z>=p->zEnd || *p->z==0 || strchr("0123456789abcdefABCDEF", *p->z)==0 ) return 0;
  }
  return 1;
}
static int chkString(Chk *p){
  if( !chkIs(p, '"') ) return 0;
  while( p->z<p->zEnd ){
    int c = *p->z++;
    if( c=='"' ) return 1;
    if( c<0x20 ) return 0;
    if( c!='\\' ) continue;
    if( p->z>=p->zEnd ) return 0;
    c = *p->z++;
    if( c=='u' ? !chkHex(p) : (c==0 || strchr("\"\\/bfnrt", c)==0) ) return 0;
  }
  return 0;
}
static int chkWord(Chk *p, const char *z){
  size_t n = strlen(z);
  if( (size_t)(p->zEnd - p->z)<n || memcmp(p->z, z, n)!=0 ) return 0;
  p->z += n;
  return 1;
}
/* 1: a complete value; 2: a bracket that now is open; 0: neither */
static int chkValue(Chk *p){
  chkSpace(p);
  if( p->z>=p->zEnd ) return 0;
  if( *p->z=='{' || *p->z=='[' ){
    p->aOpen[p->nOpen++] = *p->z++=='{';
    return 2;
  }
  if( *p->z=='"' ) return chkString(p);
  if( chkWord(p, "null") || chkWord(p, "true") || chkWord(p, "false") ) return 1;
  return chkNumber(p);
}
static int chkKey(Chk *p){
  chkSpace(p);
  if( !chkString(p) ) return 0;
  chkSpace(p);
  return chkIs(p, ':');
}
static int chkAll(Chk *p){
  int e = chkValue(p);
  while( e ){
    chkSpace(p);
    if( e==2 ){                        /* after an opening bracket */
      int bObject = p->aOpen[p->nOpen-1];
      if( !chkIs(p, bObject ? '}' : ']') ){
        e = (!bObject || chkKey(p)) ? chkValue(p) : 0;
        continue;
      }
      p->nOpen--;
      e = 1;
      continue;
    }
    if( p->nOpen==0 ) return p->z==p->zEnd;
    if( chkIs(p, ',') ){
      e = (!p->aOpen[p->nOpen-1] || chkKey(p)) ? chkValue(p) : 0;
    }else if( chkIs(p, p->aOpen[p->nOpen-1] ? '}' : ']') ){
      p->nOpen--;
    }else{
      return 0;
    }
  }
  return 0;
}
static int isJson(const void *a, size_t n){
  Chk chk;
  int b;
  chk.z = a;
  chk.zEnd = chk.z + n;
  chk.aOpen = malloc(n+1);
  chk.nOpen = 0;
  b = chkAll(&chk);
  free(chk.aOpen);
  return b;
}

/************************************************************************/

/* Stored bytes of the tree, KV_REFUSED for what nests too deep. */
static int stored(KvTree *p, KvBuf *pOut, KvErr *pErr){
  int eEncoding, rc;
  kvBufReset(pOut);
  rc = kvValueWrite(p, 15, 1, pOut, &eEncoding, pErr);
  MUST( rc==KV_OK || rc==KV_REFUSED );
  return rc;
}

/* Does the text hold __proto__ as a key, perhaps with escapes? */
static int hasProto(const KvTree *p){
  u32 i;
  for(i=0; i<p->nNode; i++){
    const KvNode *pNode = &p->aNode[i];
    if( pNode->eKind==KV_STRING && pNode->n==9 && memcmp(pNode->u.p, "__proto__", 9)==0 ) return 1;
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n){
  char *z = fuzzCopy(a, n);
  KvTree tree, again;
  KvBuf text, text2, bytes, bytes2;
  KvErr err = {0, 0, 0};
  int rc;
  kvTreeInit(&tree);
  kvTreeInit(&again);
  kvBufInit(&text, 0, 0);
  kvBufInit(&text2, 0, 0);
  kvBufInit(&bytes, 0, 0);
  kvBufInit(&bytes2, 0, 0);
  fuzzBegin();
  rc = kvJsonParse(&tree, kvBytes(z, (u32)n), &err);
  fuzzBudget(n, 1024);
  if( kvUtf8Valid(kvBytes(a, (u32)n)) ) MUST( (rc==KV_OK)==isJson(a, n) );
  if( rc==KV_OK ){
    MUST( kvJsonPrint(&tree, 0, &text, &err)==KV_OK && isJson(text.a, text.n) );
    MUST( kvJsonParse(&again, kvBufBytes(&text), &err)==KV_OK );
    MUST( kvJsonPrint(&again, 0, &text2, &err)==KV_OK && fuzzEqual(&text, &text2) );
    rc = stored(&tree, &bytes, &err);
    MUST( rc==stored(&again, &bytes2, &err) );
    if( rc==KV_OK ){
      kvTreeReset(&again);
      MUST( kvV8Read(&again, kvBufBytes(&bytes), &err)==KV_OK );
      kvBufReset(&text2);
      MUST( kvJsonPrint(&again, 0, &text2, &err)==KV_OK && fuzzEqual(&text, &text2) );
    }
    kvTreeReset(&again);
    if( kvJsParse(&again, kvBytes(z, (u32)n), &err)==KV_OK ){
      kvBufReset(&text2);
      MUST( kvJsonPrint(&again, 0, &text2, &err)==KV_OK && fuzzEqual(&text, &text2) );
    }else{
      MUST( hasProto(&tree) );
    }
  }else{
    MUST( rc==KV_SYNTAX && err.zMsg && err.iPos>=0 && err.iPos<=(i64)n );
  }
  kvTreeClear(&tree);
  kvTreeClear(&again);
  kvBufClear(&text);
  kvBufClear(&text2);
  kvBufClear(&bytes);
  kvBufClear(&bytes2);
  free(z);
  return 0;
}
