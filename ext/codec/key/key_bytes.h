/*
** key_bytes.h -- the stored bytes of Deno KV keys: reading and writing parts.
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
*/
#ifndef KV_KEY_BYTES_H
#define KV_KEY_BYTES_H

#include "bytes/bytes.h"

/* The first byte of a part. */
#define KV_TAG_BYTES    0x01
#define KV_TAG_STRING   0x02
#define KV_TAG_BIGNEG   0x0b          /* of more than 8 bytes */
#define KV_TAG_ZERO     0x14          /* and up to 8 bytes on either side */
#define KV_TAG_BIGPOS   0x1d          /* of more than 8 bytes */
#define KV_TAG_NUMBER   0x21
#define KV_TAG_FALSE    0x26
#define KV_TAG_TRUE     0x27

/* Largest magnitude of a bigint part, in bytes. */
#define KV_BIGINT_KEY_BYTES 255

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

/* All parts of a type are at or after *pLo and before *pHi. */
void kvPartRange(int eType, KvBytes *pLo, KvBytes *pHi);

/* "Uint8Array", "string", "bigint", "number" or "boolean". */
const char *kvPartTypeName(int eType);
/* Append the content of a BYTES or STRING part without escapes. */
void kvPartContent(KvBuf *pOut, const KvPart *pPart);
/* The magnitude of a BIGINT part to aMag (KV_BIGINT_KEY_BYTES), the least byte
** first.  Returns its length without leading zeros. */
u32 kvPartMagnitude(const KvPart *pPart, u8 *aMag);
/* The value of a BIGINT part.  Returns 0 if it does not fit 64 bits. */
int kvPartInt64(const KvPart *pPart, i64 *pv);

/* The bits of a NUMBER part's double, from its eight bytes. */
static inline u64 kvPartNumberBits(const u8 *a){
  u64 u = kvGet64be(a);
  return u>>63 ? u ^ (u64)1<<63 : ~u;
}

/* Append a part to stored bytes.  String: clean UTF-8 (lone surrogates as
** WTF-8 become U+FFFD, as in Deno).  Bigint: magnitude of up to 255 bytes,
** least significant first, without leading zeros. */
void kvKeyPutBytes(KvBuf *pOut, KvBytes content);
void kvKeyPutString(KvBuf *pOut, KvBytes text);
/* The same of any text: what is not UTF-8 becomes U+FFFD. */
void kvKeyPutText(KvBuf *pOut, KvBytes any);
void kvKeyPutNumber(KvBuf *pOut, double r);
void kvKeyPutNaN(KvBuf *pOut, int bNeg);
void kvKeyPutBigint(KvBuf *pOut, int bNeg, KvBytes magnitude);
void kvKeyPutBigint64(KvBuf *pOut, int bNeg, u64 magnitude);
void kvKeyPutBool(KvBuf *pOut, int b);

/* The part that kv.commitVersionstamp() becomes: the versionstamp as a string. */
void kvKeyPutVersionstamp(KvBuf *pOut, i64 iVersion);

/* True if the bytes are a key that Deno could have written. */
int kvKeyCanonical(KvBytes key);

#endif /* KV_KEY_BYTES_H */
