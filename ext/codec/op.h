/*
** op.h -- the steps of an atomic operation as self-contained bytes.
**
** kv_op() makes such a BLOB and kv_atomic() takes it, so that a step can pass
** through a subquery, a sort or a table.  The format is internal: it is
** written and read by the same version of the extension.
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
** A value is self-describing: a byte of encoding, then the stored bytes.  It
** is the operand of sum, min and max, and the message of enqueue.  min and
** max are values too.  expire_in and delay are eight bytes, big-endian.  keys
** and backoff are JSON texts, ready for the queue.  A check without a
** versionstamp asks that there is no entry.
**
** An operand or a bound may also be plain: a whole SQL number, which takes the
** kind of the number that is stored (sum.h).
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

/* The first byte of a plain number, where a value has its encoding. */
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
** Check what an op holds, which may come from anywhere: the key is one that
** Deno could have written, the values can be read, times and lists are in
** their ranges.  pTree is work space.  KV_OK, KV_NOMEM or KV_CORRUPT.
*/
int kvOpCheck(const KvOp *pOp, KvTree *pTree, KvErr *pErr);

/* The op at *pi of a list, which moves to the next one.  0 at the end. */
int kvOpNext(const KvList *pList, u32 *pi, KvOp *pOp);

/* A field of eight bytes as a number. */
i64 kvOpInt(KvBytes field);

/* KV_OP_xxx of a name ("check", "set" ...), or 0. */
int kvOpKind(KvBytes name);
const char *kvOpName(int eOp);

#endif /* KV_OP_H */
