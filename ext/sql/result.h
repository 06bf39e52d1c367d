/*
** result.h -- results of SQL functions and columns: values, key parts, errors.
*/
#ifndef KV_RESULT_H
#define KV_RESULT_H

#include "codec/key/key_bytes.h"
#include "codec/value.h"
#include "sqlite3ext.h"
#include "store/error.h"

/* The error of a codec: "kv: zWhat: text (at offset n)". */
void kvResultCodecError(sqlite3_context *ctx, const char *zWhat, const KvErr *pErr);
/* The error rc with the text zErr (from sqlite3_malloc(); freed here). */
void kvResultError(sqlite3_context *ctx, int rc, char *zErr);

/* The same, which is taken from *pError. */
void kvResultTake(sqlite3_context *ctx, KvError *pError);

/* The buffer's content as TEXT, BLOB or raw value. */
void kvResultText(sqlite3_context *ctx, KvBuf *pBuf);
void kvResultBlob(sqlite3_context *ctx, KvBuf *pBuf);
void kvResultRaw(sqlite3_context *ctx, KvBuf *pBuf);
/* TEXT with a subtype. */
void kvResultTyped(sqlite3_context *ctx, KvBuf *pBuf, unsigned eSubtype);

/* A number: INTEGER if it is a safe integer and not -0. */
void kvResultNumber(sqlite3_context *ctx, double r);
/* A version as a versionstamp of 20 hexadecimal digits. */
void kvResultVersionstamp(sqlite3_context *ctx, i64 iVersion);
/* A key part as an SQL value; its subtype carries the type for kv_key(). */
void kvResultPart(sqlite3_context *ctx, const KvPart *pPart);
/* A node of a value, or element iElem of it if that is a view and iElem>=0. */
void kvResultNode(sqlite3_context *ctx, KvTree *pTree, u32 iNode, i64 iElem);
/* Append the text of a STRING (lone surrogates become U+FFFD), a valid DATE
** (ISO-8601) or a REGEXP (/source/flags). */
void kvResultNodeText(KvBuf *pOut, const KvTree *pTree, u32 iNode);

/* The part at a JSON path of a stored value; NULL if there is none.  If its bytes
** are undecodable, the error is in *pErr. */
int kvResultExtract(
  sqlite3_context *ctx, int eEncoding, KvBytes value, KvTree *pTree,
  sqlite3_value *pPath, KvErr *pErr
);

/* A value as eAs (KV_AS_xxx but RAW).  pWork is work space. */
int kvResultValueAs(sqlite3_context *ctx, KvTree *pTree, int eAs, KvBuf *pWork, KvErr *pErr);
/*
** The same as reading a stored value and kvResultValueAs(), for a plain value
** (codec/v8/v8_plain.h) with a fast path.  False: no result was set.
*/
int kvResultPlain(sqlite3_context *ctx, int eEncoding, KvBytes value, int eAs, KvBuf *pWork);

#endif /* KV_RESULT_H */
