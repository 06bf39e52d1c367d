/*
** args.h -- SQL values as arguments: keys, values, numbers and times.
*/
#ifndef KV_ARGS_H
#define KV_ARGS_H

#include "sql/conn.h"
#include "store/error.h"

/* How a value is meant or shown. */
#define KV_AS_VALUE  0
#define KV_AS_JS     1
#define KV_AS_JSON   2
#define KV_AS_RAW    3
#define KV_AS_TYPE   4
#define KV_AS_V8     0x10   /* Added for a message: always in V8's format */

/* Errors of more than one function. */
#define KV_ARG_UNSAFE \
  "integer is beyond 2^53-1, which a JavaScript number can't hold exactly; " \
  "use kv_bigint() for a bigint"
#define KV_ARG_EMPTY_RAW  "raw value is empty; it begins with a byte of encoding"

/* An SQL value as TEXT: p is 0 for NULL, and out of memory.  And as a BLOB: p is
** 0 for NULL and an empty one. */
static inline KvBytes kvArgText(sqlite3_value *pVal){
  const u8 *z = sqlite3_value_text(pVal);
  return kvBytes(z, z ? (u32)sqlite3_value_bytes(pVal) : 0);
}
static inline KvBytes kvArgBlob(sqlite3_value *pVal){
  const u8 *a = sqlite3_value_blob(pVal);
  return kvBytes(a, a ? (u32)sqlite3_value_bytes(pVal) : 0);
}
/* As TEXT, zero-terminated, or appended.  Of NULL there is none: p is 0.  It is 0
** without memory, too, and then that is the error. */
KvBytes kvArgName(sqlite3_value *pVal, KvError *pError);
void kvArgCopyText(sqlite3_value *pVal, KvBuf *pOut, KvError *pError);

/* Key text -> stored bytes; mFlags as for kvKeyParse(). */
int kvArgKey(sqlite3_value *pVal, int mFlags, KvBuf *pOut, int *pbStamp, KvErr *pErr);
/* Key text that is a prefix: its text, and between which bounds the keys under it are;
** those of [] are empty.  The buffers are.  zWhat is for the error. */
void kvArgPrefix(
  sqlite3_value *pVal, const char *zWhat, KvBuf *pText, KvBuf *pLo, KvBuf *pHi, KvError *pError
);

/*
** Build the value that an SQL value stands for (see the table "From
** SQL to a stored value" in sql/manual/values.md).
*/
int kvArgValue(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr);
/* Build the string that the text of an SQL value is, whatever its type. */
int kvArgString(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr);
/* The same for a value that takes the place of a stored one: an INTEGER beyond
** 2^53-1 becomes a BIGINT, as kvRetype() wants it. */
int kvArgNewValue(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr);
/* Build the tree of a value that is meant as eAs.  NULL is the value null, but it
** is no raw value. */
int kvArgTree(sqlite3_value *pVal, int eAs, KvTree *pTree, KvErr *pErr);
/* Append the stored bytes of a value that is meant as eAs; a RAW one's as they are. */
int kvArgEncode(
  KvConn *p, sqlite3_value *pVal, int eAs, KvTree *pTree, KvBuf *pOut, int *peEncoding, KvErr *pErr
);

/* Is a column of a row that is written given?  In an INSERT: not NULL. */
int kvArgGiven(sqlite3_value *pVal, int bUpdate);
/* The one of the columns aiCol[KV_AS_VALUE ... KV_AS_RAW] that is given: KV_AS_xxx, -1 if
** none is. */
int kvArgValueColumn(sqlite3_value **apCol, const u8 *aiCol, int bUpdate, KvError *pError);

/* True if an SQL value has the subtype of a raw value. */
int kvArgIsRaw(sqlite3_value *pVal);
/* True if its subtype says that it is JSON, a typed value or a raw value. */
int kvArgIsTyped(sqlite3_value *pVal);
/* Read a raw value: one byte of encoding, then the stored bytes. */
int kvArgRaw(KvBytes raw, KvTree *pTree, KvErr *pErr);

/* Read stored bytes, into which the tree points. */
int kvReadStored(sqlite3_value *pVal, int eEncoding, KvTree *pTree, KvErr *pErr);

/*
** Arguments of writes, checked against the limits.
**
** kvArgWriteKey(): key text that is to be written (no empty key, no malformed
** one); pbStamp (may be 0) as in kvKeyParse().
** kvArgWriteValue(): the stored bytes of a value, *peEncoding.  eAs says how
** the argument is meant: as an SQL value, JS text, JSON text or raw value.
** kvArgValueLimit(): are the stored bytes of a value within the limit?
*/
void kvArgWriteKey(KvConn *p, sqlite3_value *pVal, KvBuf *pOut, int *pbStamp, KvError *pError);
void kvArgWriteValue(
  KvConn *p, sqlite3_value *pVal, int eAs, KvBuf *pOut, int *peEncoding, KvError *pError
);
void kvArgValueLimit(KvConn *p, const KvBuf *pBytes, KvError *pError);

/* An INTEGER, or a REAL without a fraction.  0 if the value is something else. */
int kvArgWholeNumber(sqlite3_value *pVal, i64 *pv);
/* The same, where no text could be meant: or TEXT that reads as such a number. */
int kvArgNumber(sqlite3_value *pVal, i64 *pv);
/* A whole number that is optional, iLeast or more: *pv stays if pVal is 0 or NULL. */
int kvArgCount(sqlite3_value *pVal, i64 iLeast, i64 *pv);
/* "expire_in" as a time, from the time iNow on. */
i64 kvArgExpireIn(sqlite3_value *pVal, i64 iNow, KvError *pError);
/* A time in ms since 1970, at most iMost.  One before 1973 is an error: seconds
** have been taken for ms, and the entry would be gone at once. */
i64 kvArgTime(sqlite3_value *pVal, const char *zWhat, i64 iMost, KvError *pError);
/* "expires_at": NULL is never (-1). */
i64 kvArgExpiresAt(sqlite3_value *pVal, KvError *pError);

#endif /* KV_ARGS_H */
