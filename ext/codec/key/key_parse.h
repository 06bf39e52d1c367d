/*
** key_parse.h -- key text to the stored bytes of a key.
*/
#ifndef KV_KEY_PARSE_H
#define KV_KEY_PARSE_H

#include "codec/js/js_lex.h"

/* What kvKeyParse() accepts besides a plain key. */
#define KVKEY_MALFORMED  1   /* kv.malformedKey("...") */
#define KVKEY_STAMP      2   /* kv.commitVersionstamp() as the last part */

/*
** Append the stored bytes of a key text to pOut.  With KVKEY_STAMP
** *pbStamp tells whether the text ends with kv.commitVersionstamp(), whose
** part is then missing from pOut (the caller appends it as a string part).
** KV_SYNTAX with the position, KV_NOMEM, KV_TOOBIG.
*/
int kvKeyParse(KvBytes text, int mFlags, KvBuf *pOut, int *pbStamp, KvErr *pErr);

/*
** The same for the key at a lexer's cursor, which is at its '[' and moves
** after its ']'.  The error is the lexer's; pOut->eErr is the caller's to look at.
*/
int kvKeyLex(KvLex *p, int mFlags, KvBuf *pOut, int *pbStamp);

/* The same for the text of a single part such as 42n or "a". */
int kvKeyParsePart(KvBytes text, KvBuf *pOut, KvErr *pErr);

#endif /* KV_KEY_PARSE_H */
