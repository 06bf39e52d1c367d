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

/* An SQL value as TEXT; p is 0 for NULL, and if out of memory.  As a BLOB; p is 0
** for NULL and an empty one. */
static inline KvBytes kvArgText(sqlite3_value *pVal){
  const u8 *z = sqlite3_value_text(pVal);
  return kvBytes(z, z ? (u32)sqlite3_value_bytes(pVal) : 0);
}
static inline KvBytes kvArgBlob(sqlite3_value *pVal){
  const u8 *a = sqlite3_value_blob(pVal);
  return kvBytes(a, a ? (u32)sqlite3_value_bytes(pVal) : 0);
}
/* As TEXT, or appended; zero-terminated.  p is 0 for NULL, and also without memory,
** which sets the error. */
KvBytes kvArgName(sqlite3_value *pVal, KvError *pError);
void kvArgCopyText(sqlite3_value *pVal, KvBuf *pOut, KvError *pError);

/* Key text -> stored bytes; mFlags as for kvKeyParse(). */
int kvArgKey(sqlite3_value *pVal, int mFlags, KvBuf *pOut, int *pbStamp, KvErr *pErr);
/* Key text that is a prefix: its text, and the bounds of the keys below it, which
** are empty for [].  The buffers must be empty.  zWhat is for the error. */
void kvArgPrefix(
  sqlite3_value *pVal, const char *zWhat, KvBuf *pText, KvBuf *pLo, KvBuf *pHi, KvError *pError
);

/*
** Build the value that an SQL value represents (see the table "From
** SQL to a stored value" in sql/manual/values.md).
*/
int kvArgValue(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr);
/* Build a string from the text of an SQL value of any type. */
int kvArgString(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr);
/* The same for a value that replaces a stored one: an INTEGER beyond 2^53-1 becomes
** a BIGINT, as kvRetype() requires. */
int kvArgNewValue(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr);
/* Build the tree of a value interpreted as eAs.  NULL is the value null, except
** that it is no raw value. */
int kvArgTree(sqlite3_value *pVal, int eAs, KvTree *pTree, KvErr *pErr);
/* Append the stored bytes of a value interpreted as eAs; those of a RAW one
** unchanged. */
int kvArgEncode(
  KvConn *p, sqlite3_value *pVal, int eAs, KvTree *pTree, KvBuf *pOut, int *peEncoding, KvErr *pErr
);

/* Is a column given in a row to write?  In an INSERT: is it not NULL? */
int kvArgGiven(sqlite3_value *pVal, int bUpdate);
/* Which of the columns aiCol[KV_AS_VALUE ... KV_AS_RAW] is given: KV_AS_xxx, or -1
** if none is. */
int kvArgValueColumn(sqlite3_value **apCol, const u8 *aiCol, int bUpdate, KvError *pError);

/* True if an SQL value has the subtype of a raw value. */
int kvArgIsRaw(sqlite3_value *pVal);
/* True if it has the subtype of JSON, a typed value or a raw value. */
int kvArgIsTyped(sqlite3_value *pVal);
/* Read a raw value: one byte of encoding, then the stored bytes. */
int kvArgRaw(KvBytes raw, KvTree *pTree, KvErr *pErr);

/* Read stored bytes; the tree points into them. */
int kvReadStored(sqlite3_value *pVal, int eEncoding, KvTree *pTree, KvErr *pErr);

/*
** Arguments of writes, checked against the limits.
**
** kvArgWriteKey(): key text of a key to write (not empty, not malformed); pbStamp
** (may be 0) as in kvKeyParse().  kvArgWriteValue(): the stored bytes of a value,
** *peEncoding.  eAs says how to interpret the argument: as an SQL value, JS text,
** JSON text or raw value.  kvArgValueLimit(): are the stored bytes of a value
** within the limit?
*/
void kvArgWriteKey(KvConn *p, sqlite3_value *pVal, KvBuf *pOut, int *pbStamp, KvError *pError);
void kvArgWriteValue(
  KvConn *p, sqlite3_value *pVal, int eAs, KvBuf *pOut, int *peEncoding, KvError *pError
);
void kvArgValueLimit(KvConn *p, const KvBuf *pBytes, KvError *pError);

/* An INTEGER, or a REAL without a fraction.  0 if the value is something else. */
int kvArgWholeNumber(sqlite3_value *pVal, i64 *pv);
/* The same, but also TEXT that reads as such a number. */
int kvArgNumber(sqlite3_value *pVal, i64 *pv);
/* Yes or no: 1, 0, 'true' or 'false'.  0 if the value is something else. */
int kvArgBool(sqlite3_value *pVal, int *pb);
/* An optional whole number, at least iLeast: *pv stays if pVal is 0 or NULL. */
int kvArgCount(sqlite3_value *pVal, i64 iLeast, i64 *pv);
/* "expire_in" as a time, from the time iNow on. */
i64 kvArgExpireIn(sqlite3_value *pVal, i64 iNow, KvError *pError);
/* A time in ms since 1970, at most iMost.  A time before 1973 is an error: it is
** most likely in seconds, and the entry would expire at once. */
i64 kvArgTime(sqlite3_value *pVal, const char *zWhat, i64 iMost, KvError *pError);
/* "expires_at": NULL is never (-1). */
i64 kvArgExpiresAt(sqlite3_value *pVal, KvError *pError);

#endif /* KV_ARGS_H */
