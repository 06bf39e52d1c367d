/*
** op.h -- the steps of an atomic operation as self-contained bytes.
**
** kv_op() returns such a BLOB and kv_atomic() accepts it, so a step can pass
** through a subquery, a sort or a table.  The format is internal: the same version
** of the extension writes and reads it.
**
**   op      := "kvop" 01 kind flags field ...
**   kind    := 01 check | 02 set | 03 delete | 04 sum | 05 min | 06 max
**            | 07 enqueue
**   field   := id length bytes          length: four bytes, big-endian
**   id      := 01 key | 02 versionstamp | 03 value | 04 expire_in
**            | 05 min | 06 max | 07 delay | 08 keys | 09 backoff
**   flags   bit 0: the key ends with the commit versionstamp (its part is
**           missing in the key); bit 1: clamp
**
** A value is self-describing: a byte of encoding, then the stored bytes.  It is the
** operand of sum, min and max, and the message of enqueue.  min and max are values
** too.  expire_in and delay are eight bytes, big-endian.  keys and backoff are JSON
** texts, ready for the queue.  A check without a versionstamp requires that there
** is no entry.
**
** An operand or a bound may also be plain: a whole SQL number, which takes the type
** of the stored number (sum.h).
**
**   plain   := 'I' integer | 'R' double      eight bytes, big-endian; the
**              double is whole and from -(2^53-1) to 2^53-1
*/
#ifndef KV_OP_H
#define KV_OP_H

#include "bytes/list.h"
#include "codec/value.h"

enum {
  KV_OP_CHECK = 1, KV_OP_SET, KV_OP_DELETE, KV_OP_SUM, KV_OP_MIN, KV_OP_MAX,
  KV_OP_ENQUEUE
};
#define KV_OP_COUNT 8

/* KvOp.mFlags */
#define KV_OP_STAMP   0x01
#define KV_OP_CLAMP   0x02

/* The first byte of a plain number, in the place of a value's encoding. */
#define KV_PLAIN_INTEGER  'I'
#define KV_PLAIN_REAL     'R'

/* An op.  Of a field that is absent p is 0. */
typedef struct KvOp KvOp;
struct KvOp {
  u8 eOp;                 /* KV_OP_xxx */
  u8 mFlags;
  KvBytes key;            /* Stored bytes */
  KvBytes stamp;          /* The 10 bytes of a versionstamp */
  KvBytes value;          /* Encoding, bytes; an operand may be plain */
  KvBytes min, max;       /* The same */
  KvBytes keys, backoff;  /* JSON text */
  KvBytes expire, delay;  /* 8 bytes of ms each */
};

/* Append the bytes of an op. */
void kvOpWrite(KvBuf *pOut, const KvOp *pOp);

/* Read an op, whose fields point into bytes.  KV_OK or KV_CORRUPT. */
int kvOpRead(KvOp *pOp, KvBytes bytes, KvErr *pErr);

/*
** Check the content of an op, which may come from anywhere: Deno could have written
** the key, the values are decodable, times and lists are within their limits.
** pTree is work space.  KV_OK, KV_NOMEM or KV_CORRUPT.
*/
int kvOpCheck(const KvOp *pOp, KvTree *pTree, KvErr *pErr);

/* Return the op at *pi of a list and advance *pi.  0 at the end. */
int kvOpNext(const KvList *pList, u32 *pi, KvOp *pOp);

/* A field of eight bytes as a number. */
i64 kvOpInt(KvBytes field);

/* KV_OP_xxx of a name ("check", "set" ...), or 0. */
int kvOpKind(KvBytes name);
const char *kvOpName(int eOp);

#endif /* KV_OP_H */
