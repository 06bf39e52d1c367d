/*
** token.c -- who may do what.  See token.h.
*/
#include "serve/token.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "codec/key/key_parse.h"

#define TOKEN_LEAST 12           /* Characters of a token */
#define TOKEN_MOST  200
#define TOKEN_LINE  8192

typedef struct TokenList TokenList;
struct TokenList {
  Token *a;
  u32 n, nAlloc;
};

static TokenList tokens;

static void tokenClear(TokenList *p){
  u32 i;
  for(i=0; i<p->n; i++){
    kvBufClear(&p->a[i].text);
    kvBufClear(&p->a[i].prefix);
  }
  kvFree(p->a);
  memset(p, 0, sizeof(*p));
}

static int tokenFail(const char *zFile, int iLine, const char *zWhat){
  if( iLine ) fprintf(stderr, "kv-serve: %s, line %d: %s\n", zFile, iLine, zWhat);
  else fprintf(stderr, "kv-serve: %s: %s\n", zFile, zWhat);
  return -1;
}

/* Characters that may stand in a header and in JSON as they are. */
static int tokenPlain(KvBytes text){
  u32 i;
  for(i=0; i<text.n; i++){
    u8 c = text.p[i];
    if( (c|0x20)<'a' || (c|0x20)>'z' ){
      if( (c<'0' || c>'9') && (c==0 || strchr("-._~+/=:", c)==0) ) return 0;
    }
  }
  return 1;
}

/* Add a token; 0, or what is wrong with it. */
static const char *tokenAdd(TokenList *p, KvBytes text, int bWrite, KvBytes prefix){
  Token *a = kvReserve(p->a, &p->nAlloc, p->n+1, sizeof(Token));
  Token *pNew;
  int bStamp = 0;
  KvErr err;
  if( a==0 ) return "out of memory";
  p->a = a;
  if( text.n<TOKEN_LEAST ) return "a token has at least 12 characters";
  if( text.n>TOKEN_MOST ) return "a token has at most 200 characters";
  if( !tokenPlain(text) ) return "a token is made of letters, digits and -._~+/=:";
  pNew = &p->a[p->n];
  memset(pNew, 0, sizeof(*pNew));
  pNew->bWrite = (u8)bWrite;
  if( prefix.n && kvKeyParse(prefix, 0, &pNew->prefix, &bStamp, &err)!=KV_OK ){
    kvBufClear(&pNew->prefix);
    return "the prefix isn't a key such as [\"users\"]";
  }
  kvBufAdd(&pNew->text, text);
  p->n++;
  return pNew->text.eErr || pNew->prefix.eErr ? "out of memory" : 0;
}

/* The word at *pz, which then is behind it and the space that follows. */
static KvBytes tokenWord(char **pz){
  static const char zSpace[] = " \t\r\n";
  KvBytes word = kvBytes(*pz, (u32)strcspn(*pz, zSpace));
  *pz += word.n;
  *pz += strspn(*pz, zSpace);
  return word;
}

static const char *tokenLine(TokenList *p, char *z){
  KvBytes text, mode, prefix;
  int n = (int)strlen(z);
  if( n==TOKEN_LINE-1 ) return "the line is too long";
  while( n>0 && strchr(" \t\r\n", z[n-1]) ) z[--n] = 0;
  z += strspn(z, " \t");
  if( z[0]==0 || z[0]=='#' ) return 0;
  text = tokenWord(&z);
  mode = tokenWord(&z);
  prefix = kvBytesText(z);
  if( !kvBytesEqual(mode, kvBytesText("rw")) && !kvBytesEqual(mode, kvBytesText("r")) ){
    return "after the token comes rw or r";
  }
  return tokenAdd(p, text, mode.n==2, prefix);
}

static int tokenRead(TokenList *p, const char *zFile){
  char zLine[TOKEN_LINE];
  int iLine = 0, rc = 0;
  FILE *f = fopen(zFile, "r");
  if( f==0 ) return tokenFail(zFile, 0, strerror(errno));
  while( rc==0 && fgets(zLine, sizeof(zLine), f) ){
    const char *zWrong = tokenLine(p, zLine);
    iLine++;
    if( zWrong ) rc = tokenFail(zFile, iLine, zWrong);
  }
  fclose(f);
  if( rc==0 && p->n==0 ) rc = tokenFail(zFile, 0, "there is no token in it");
  return rc;
}

int tokenLoad(const char *zFile){
  TokenList list;
  const char *z = getenv("DENO_KV_ACCESS_TOKEN");
  const char *zWrong = 0;
  int rc = 0;
  memset(&list, 0, sizeof(list));
  if( zFile ){
    rc = tokenRead(&list, zFile);
  }else if( z==0 || z[0]==0 ){
    fprintf(stderr, "kv-serve: there is no token: set DENO_KV_ACCESS_TOKEN or use --tokens FILE\n");
    rc = -1;
  }else{
    zWrong = tokenAdd(&list, kvBytesText(z), 1, kvBytes(0, 0));
    if( zWrong ) rc = tokenFail("DENO_KV_ACCESS_TOKEN", 0, zWrong);
  }
  tokenClear(rc==0 ? &tokens : &list);
  if( rc==0 ) tokens = list;
  return rc;
}

/* Equal?  Looks at all of z, wherever it begins to differ. */
static int tokenSame(const Token *p, const char *z, size_t n){
  u8 c = 0;
  size_t i;
  u32 nText = p->text.n;
  for(i=0; i<n; i++) c |= (u8)z[i] ^ p->text.a[i%nText];
  return c==0 && n==nText;
}

const Token *tokenFind(const char *z, size_t n){
  const Token *pFound = 0;
  u32 i;
  for(i=0; i<tokens.n; i++){
    if( tokenSame(&tokens.a[i], z, n) ) pFound = &tokens.a[i];
  }
  return pFound;
}

/* Keys that begin with the prefix are before the prefix followed by FF, with which
** no part of a key begins. */
int tokenRange(const Token *p, KvBytes start, KvBytes end){
  KvBytes prefix = kvBufBytes(&p->prefix);
  if( !kvBytesBegins(start, prefix) ) return 0;
  if( prefix.n==0 ) return 1;
  if( kvBytesBegins(end, prefix) ){
    KvBytes rest = kvBytesFrom(end, prefix.n);
    return rest.n==0 || rest.p[0]<0xff || rest.n==1;
  }
  return kvBytesCompare(end, prefix)<0;
}
