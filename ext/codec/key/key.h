/*
** key.h -- Deno KV keys: stored bytes and key text.
**
** A key is a list of parts.  Its stored bytes are the parts' bytes, one after
** the other, so that memcmp() orders keys as Deno does; a key that is a
** prefix of another comes first:
**
**   Uint8Array   01, the bytes with 00 as 00 FF, 00
**   string       02, UTF-8 with 00 as 00 FF, 00
**   bigint       14+n, n bytes big-endian         positive, n = 1..8 bytes
**                1D, n, n bytes                   positive, n = 9..255
**                14                               0n
**                14-n, n complemented bytes       negative, n = 1..8
**                0B, n^FF, n complemented bytes   negative, n = 9..255
**   number       21, 8 bytes: the IEEE-754 double, big-endian, with the sign
**                bit flipped if it is clear, else with all bits flipped
**   false, true  26, 27
**
** A magnitude has no leading zero byte, a NaN has the payload 8000000000000
** (either sign), a string is UTF-8 without surrogates.  Deno reads (but never
** writes) magnitudes with leading zeros and other NaNs; such keys are called
** "not canonical" here.
**
** Key text is a JavaScript array literal of those parts.  The canonical form
** has no spaces, JSON's strings, and numbers as JavaScript prints them:
**
**   ["users",42,-0,NaN,-NaN,1n,true,new Uint8Array([1,2,3])]
**
** Stored bytes that are not a canonical key are shown as
**
**   kv.malformedKey("02ff")
**
** which stands for just those bytes, in order and in equality too.
*/
#ifndef KV_KEY_H
#define KV_KEY_H

#include "bytes/bytes.h"
#include "codec/js/js_lex.h"

/* Types of a part, in key order. */
enum { KVP_BYTES = 1, KVP_STRING, KVP_BIGINT, KVP_NUMBER, KVP_BOOL };

/* One part of stored bytes; the slices point into them. */
typedef struct KvPart KvPart;
struct KvPart {
  u8 eType;               /* KVP_xxx */
  u8 bNeg;                /* BIGINT: negative, content is complemented */
  u8 bEscaped;            /* BYTES, STRING: content has 00 FF for 00 */
  u8 bCanon;              /* Encoded as Deno writes it */
  KvBytes content;        /* Content, or big-endian magnitude */
  double r;               /* NUMBER; BOOL: 0.0 or 1.0 */
};

/*
** Read the part at byte *pi of a key and advance *pi past it.  KV_CORRUPT
** with the position if there is none.
*/
int kvPartRead(KvBytes key, u32 *pi, KvPart *pPart, KvErr *pErr);

/* "Uint8Array", "string", "bigint", "number" or "boolean". */
const char *kvPartTypeName(int eType);
/* Append the canonical text of a part. */
void kvPartPrint(KvBuf *pOut, const KvPart *pPart);
/* Append the content of a BYTES or STRING part without escapes. */
void kvPartContent(KvBuf *pOut, const KvPart *pPart);
/* The value of a BIGINT part.  Returns 0 if it does not fit 64 bits. */
int kvPartInt64(const KvPart *pPart, i64 *pv);

/* Append a part to stored bytes.  String: clean UTF-8 (lone surrogates as
** WTF-8 become U+FFFD, as in Deno).  Bigint: magnitude of up to 255 bytes,
** least significant first, without leading zeros. */
void kvKeyPutBytes(KvBuf *pOut, KvBytes content);
void kvKeyPutString(KvBuf *pOut, KvBytes text);
void kvKeyPutNumber(KvBuf *pOut, double r);
void kvKeyPutNaN(KvBuf *pOut, int bNeg);
void kvKeyPutBigint(KvBuf *pOut, int bNeg, KvBytes magnitude);
void kvKeyPutBool(KvBuf *pOut, int b);

/* The part that kv.commitVersionstamp() becomes: a string of 20 hexadecimal
** digits, the version and four zeros. */
void kvKeyPutStamp(KvBuf *pOut, i64 iVersion);
#define KV_STAMP_DIGITS 20
/* The digits of a versionstamp (no terminating zero). */
void kvStampPrint(i64 iVersion, char *z);

/* The version of 20 hexadecimal digits whose last four are zeros or not.  Past
** the largest version it is that one.  0 if the text is something else. */
int kvStampParse(KvBytes text, i64 *piVersion);

/* Largest magnitude of a bigint part, in bytes. */
#define KV_BIGINT_KEY_BYTES 255

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
** behind its ']'.  The error is the lexer's; pOut->eErr is the caller's to look at.
*/
int kvKeyLex(KvLex *p, int mFlags, KvBuf *pOut, int *pbStamp);

/* The same for the text of a single part such as 42n or "a". */
int kvKeyParsePart(KvBytes text, KvBuf *pOut, KvErr *pErr);

/*
** Append the canonical key text of stored bytes.  KV_CORRUPT if Deno could
** not read them either.
*/
int kvKeyPrint(KvBuf *pOut, KvBytes key, KvErr *pErr);

/* Append key text for any bytes: kv.malformedKey("..") unless canonical. */
void kvKeyShow(KvBuf *pOut, KvBytes any);

/* True if the bytes are a key that Deno could have written. */
int kvKeyCanonical(KvBytes key);

/*
** The collation kv_compare: order two texts as keys.  Text that is no key
** sorts after every key, bytewise.  Negative, zero or positive.  No memory
** is allocated for keys of up to KV_COMPARE_STACK bytes.
*/
#define KV_COMPARE_STACK 3072
int kvKeyCompare(KvBytes textA, KvBytes textB);

/*
** Deno's list cursor: URL-safe base64, padded, of a key's bytes behind the
** common prefix of the listed range.
*/
void kvCursorPrint(KvBuf *pOut, KvBytes rest);
int kvCursorParse(KvBuf *pOut, KvBytes text, KvErr *pErr);

#endif /* KV_KEY_H */
