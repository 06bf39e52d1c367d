/*
** js_lex.h -- the words of JavaScript literals: space, strings, numbers.
**
** Shared by the parsers of key text and of value text.  A lexer is a bounded
** cursor; nothing is read at or past zEnd.
*/
#ifndef KV_JS_LEX_H
#define KV_JS_LEX_H

#include "bytes/bytes.h"
#include "bytes/utf.h"

typedef struct KvLex KvLex;
struct KvLex {
  const char *zStart;     /* The whole text */
  const char *z;          /* What is still unread */
  const char *zEnd;
  u32 nZero;              /* Bytes that lengths stood for: key_parse.c */
  KvErr err;              /* The first error */
};

void kvLexInit(KvLex *p, KvBytes text);

/* Record a KV_SYNTAX error at position zAt and return KV_SYNTAX. */
int kvLexError(KvLex *p, const char *zAt, const char *zMsg);

/* Length of the white space character at z, which isn't zEnd; or 0. */
u32 kvLexSpaceChar(const char *z, const char *zEnd);
/* Skip white space and comments.  An unclosed comment is an error. */
int kvLexSpaceSlow(KvLex *p);
static inline int kvLexSpace(KvLex *p){
  if( p->z<p->zEnd && (u8)*p->z>' ' && *p->z!='/' && (u8)*p->z<0x80 ) return KV_OK;
  return kvLexSpaceSlow(p);
}

/*
** True if the character at z, which may be zEnd, can be a part of a word: of those
** beyond ASCII all count as letters, but for white space.
*/
int kvLexInWord(const char *z, const char *zEnd);

/* Skip white space; true, and it is consumed, if the character c comes next.  The lexer
** keeps its first error: the caller checks it at the end. */
int kvLexNext(KvLex *p, char c);
/* Consume the comma after an element of a list, unless its end comes. */
int kvLexComma(KvLex *p, const char *zMsg);

/* True, and the text is consumed, if it comes next (no space is skipped). */
int kvLexText(KvLex *p, const char *zText);
/* The same for a whole identifier: zWord must not go on as a longer one. */
int kvLexWord(KvLex *p, const char *zWord);

/* A string as it was read. */
typedef struct KvLexStr KvLexStr;
struct KvLexStr {
  KvBytes s;              /* WTF-8 */
  u8 bPlain;              /* ASCII, and printed by JSON without an escape */
};

/*
** Read a string literal in '...' or "..." (the cursor is at the quote), or
** `...` without substitutions.  If it holds no escape and is valid UTF-8 the
** result points into the text; otherwise its content is appended to pSpace
** (the result then points into pSpace, at the offset where it ended before:
** a pSpace that grows later moves it).  bJson: double quotes and JSON's
** escapes only.
*/
int kvLexString(KvLex *p, int bJson, KvBuf *pSpace, KvLexStr *pOut);

/*
** Read a numeric literal without a sign: decimal, 0x, 0o, 0b, with '_'
** between digits, or any of the integers with the suffix n.  For a bigint
** iBase is 2, 8, 10 or 16 and digits may have '_' among them (bSep is then
** true); for a number iBase is 0 and r the value.
*/
typedef struct KvLexNum KvLexNum;
struct KvLexNum {
  double r;
  int iBase;
  KvBytes digits;
  u8 bSep;
};
int kvLexNumber(KvLex *p, KvLexNum *pOut);

#endif /* KV_JS_LEX_H */
