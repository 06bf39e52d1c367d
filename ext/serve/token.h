/*
** token.h -- who may do what.
**
** A file of tokens has a line for each:  TOKEN rw|r [PREFIX]
** The prefix is a key, such as ["users"], and [] if it is missing.  Empty lines and
** lines that begin with # are skipped.  A token has from 12 to 200 letters, digits
** and -._~+/=: characters.
*/
#ifndef KV_SERVE_TOKEN_H
#define KV_SERVE_TOKEN_H

#include "bytes/bytes.h"

typedef struct Token Token;
struct Token {
  KvBuf text;
  KvBuf prefix;           /* Stored bytes of the keys that it is for begin with it */
  u8 bWrite;
};

/* Read the file, or if zFile is 0 take the environment's DENO_KV_ACCESS_TOKEN.  On
** an error, which is printed, what was read before stays, and the result is -1. */
int tokenLoad(const char *zFile);

/* The token of a text, or 0.  Takes as long for one that is nearly right. */
const Token *tokenFind(const char *z, size_t n);

/* May the token use this key, or all keys of this range? */
static inline int tokenKey(const Token *p, KvBytes key){
  return kvBytesBegins(key, kvBufBytes(&p->prefix));
}
int tokenRange(const Token *p, KvBytes start, KvBytes end);

#endif /* KV_SERVE_TOKEN_H */
