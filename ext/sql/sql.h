/*
** face.h -- what the files of the SQL face share.
**
** The face turns SQL arguments into calls of the codecs and the store, and
** their results into SQL values and error messages.  It knows no format.
*/
#ifndef KV_FACE_H
#define KV_FACE_H

#include "sqlite3ext.h"
#include "bytes/buf.h"
#include "bytes/limits.h"
#include "codec/key/key.h"
#include "codec/value.h"
#include "store/store.h"
#include "store/atomic.h"

/* Flags that an older sqlite3.h lacks; libraries that do not know them
** ignore them. */
#ifndef SQLITE_SUBTYPE
# define SQLITE_SUBTYPE 0x000100000
#endif
#ifndef SQLITE_RESULT_SUBTYPE
# define SQLITE_RESULT_SUBTYPE 0x001000000
#endif

/* Marks (subtypes) of SQL values: SQLite's JSON text, JS text that is a typed
** value, and a BLOB that is a raw value. */
#define KV_SUBTYPE_JSON  74
#define KV_SUBTYPE_JS    75
#define KV_SUBTYPE_RAW   82
/* Marks that kv_key() alone reads.  A part of a key that an SQL value doesn't
** tell: INTEGER or TEXT of digits that is a bigint, INTEGER that is a boolean,
** NULL that is a NaN (of either sign).  And key text that is no part of a key. */
#define KV_SUBTYPE_PART_BIGINT   66
#define KV_SUBTYPE_PART_BOOL     67
#define KV_SUBTYPE_PART_NAN      68
#define KV_SUBTYPE_PART_NEG_NAN  69
#define KV_SUBTYPE_KEY           70

/*
** Memory that a function uses for the length of one call, or of a part of it.
*/
typedef struct KvScratch KvScratch;
struct KvScratch {
  KvTree tree;            /* A value */
  KvBuf in;               /* Input that had to be put together */
  KvBuf out;              /* Output */
};

/*
** What belongs to one database connection.  Every registered function and
** module holds a reference.
*/
typedef struct KvConn KvConn;
struct KvConn {
  sqlite3 *db;
  u32 nRef;               /* Registrations that point here */
  int iV8Version;         /* Header version of the values written: 15 or 16 */
  i64 aLimit[KV_LIMIT_COUNT];  /* Limits on what is written */
  u8 bNoSelectWrites;     /* Functions may not write in a SELECT: run.c */
  KvBuf conflict;         /* Key text of the last check that failed, or empty */
  KvAtomList *pRun;       /* The operation that a function runs: atomic.c */
  u32 nWriting;           /* xUpdate calls that are running: table.h */
  i64 iRowTotal;          /* sqlite3_total_changes64() behind the last row of
                          ** kv_atomic, -1 if its operation is over */
  KvScratch scratch;
  KvStore *pStores;       /* The stores in use */
  struct KvTable *pTables;     /* Virtual tables that show values: table.h */
  struct KvMarked *pMarked;    /* What statements are known to make: mark.c */
  u32 nEntries;           /* Connected tables main.kv_entries */
  u8 bUlid;               /* kv_monotonic_ulid() has been called: */
  i64 iUlidTime;          /* ... time and randomness of the last one */
  u8 aUlidRandom[10];
};

void kvConnRef(KvConn *p);
/* For sqlite3_create_function_v2() and friends. */
void kvConnUnref(void *p);

/* Borrow the connection's scratch memory, empty, and give it back.  There is one:
** who has it runs no SQL meanwhile, so that nobody else can ask for it. */
KvScratch *kvScratchTake(KvConn *p);
void kvScratchGive(KvScratch *p);

/*
** The store of a schema and prefix; each use is ended by kvConnDropStore().
** 0 if memory ran out.
*/
KvStore *kvConnStore(KvConn *p, const char *zSchema, const char *zPrefix);
void kvConnDropStore(KvConn *p, KvStore *pStore);
/* The same for a virtual table, from when it is connected until it is
** disconnected.  The last one finalizes the statements that are kept, since
** nothing else could before the connection is closed. */
KvStore *kvConnAttachStore(KvConn *p, const char *zSchema, const char *zPrefix);
void kvConnDetachStore(KvConn *p, KvStore *pStore);

/*
** The main store for a function.  It makes sure, if it can, that a virtual
** table looks after the store's statements.  Ended by kvConnDropStore().
*/
KvStore *kvConnMainStore(KvConn *p);

/*
** A statement is one snapshot: see snapshot.c.  For scalar functions only, whose
** user data is the KvConn.
**
** kvSnapshotTake(): what the statement reads from here on is one snapshot of the
** main file.  SQLITE_OK, or an error with a message in *pzErr.
** kvSnapshotKeep(): the same by pStmt, a statement of the store that stands on a
** row.  It is given back, now or when the statement ends.
** kvSnapshotDrop(): what is read next is in a new snapshot.
*/
int kvSnapshotTake(sqlite3_context *ctx, KvStore *pStore, char **pzErr);
void kvSnapshotKeep(sqlite3_context *ctx, KvStmt *pStmt);
void kvSnapshotDrop(sqlite3_context *ctx);

/* Errors as the result of a function: "kv: zWhat: text (at offset n)". */
void kvFaceError(sqlite3_context *ctx, const char *zWhat, const KvErr *pErr);
/* The same text as a string of sqlite3_malloc(), 0 when memory ran out. */
char *kvFaceErrorText(const char *zWhat, const KvErr *pErr);
/* The same as a message in *pzErr and a result code. */
int kvFaceCodecError(const char *zWhat, const KvErr *pErr, char **pzErr);
/* End a function with the text zErr (sqlite3_malloc; it is freed) and code rc. */
void kvFaceFail(sqlite3_context *ctx, int rc, char *zErr);

/* Result: the buffer's content as TEXT or BLOB (handed over or copied). */
void kvFaceText(sqlite3_context *ctx, KvBuf *pBuf);
void kvFaceBlob(sqlite3_context *ctx, KvBuf *pBuf);
/* Result: the buffer's content as a marked raw value. */
void kvFaceRawResult(sqlite3_context *ctx, KvBuf *pBuf);
/* True if an SQL value carries the mark of a raw value. */
int kvFaceIsRaw(sqlite3_value *pVal);

/*
** Result: a node of a value, or element iElem of it if that is a view and
** iElem>=0, as an SQL value.
*/
void kvFaceNode(sqlite3_context *ctx, KvTree *pTree, u32 iNode, i64 iElem);

/* Append the text that a STRING (lone surrogates are U+FFFD), a valid DATE
** (ISO-8601) or a REGEXP (/source/flags) is shown as. */
void kvFaceShow(KvBuf *pOut, const KvTree *pTree, u32 iNode);

/* Result: a number, INTEGER when it is a safe integer and not -0. */
void kvFaceNumber(sqlite3_context *ctx, double r);
/* Result: a part of a key as an SQL value, marked with its type for kv_key(). */
void kvFacePart(sqlite3_context *ctx, const KvPart *pPart);
/* Result: what is at a JSON path in the stored bytes a[0..n-1]; nothing there:
** NULL.  If those can't be read the error is in *pErr. */
int kvFaceExtract(
  sqlite3_context *ctx, int eEncoding, const u8 *a, u32 n, KvTree *pTree,
  sqlite3_value *pPath, KvErr *pErr
);

/*
** Build the value that an SQL value stands for (see the table "From
** SQL to a stored value" in sql/manual/values.md).
*/
int kvFaceValue(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr);
/* True if an SQL value is marked: as JSON, as JS text that is a typed value, or
** as a raw value. */
int kvFaceIsTyped(sqlite3_value *pVal);
/* The same as kvFaceValue(), for a value that takes the place of a stored one:
** an INTEGER beyond 2^53-1 becomes a BIGINT, as kvRetype() wants it. */
int kvFaceNewValue(sqlite3_value *pVal, KvTree *pTree, KvErr *pErr);

/* How a value is meant or shown. */
#define KV_AS_VALUE  0
#define KV_AS_JS     1
#define KV_AS_JSON   2
#define KV_AS_RAW    3
#define KV_AS_TYPE   4

/*
** Columns made from a stored value.  kvFaceReadColumn() reads column iCol of a
** row of the store into the tree, whose slices point into the row;
** kvFaceValueAs() makes the result of it, as SQL value, JS text, JSON text or
** name of the type (pWork is work space); kvFaceRawColumn() gives it as a raw
** value.
*/
/*
** The BLOB in column iCol of a row, false if there is something else.  (Taken
** as a value once, because each sqlite3_column_xxx() locks the connection.
** That is locked already: these rows are read while another statement runs.)
*/
int kvFaceColumnBytes(sqlite3_stmt *pStmt, int iCol, const u8 **pa, u32 *pn);
int kvFaceReadValue(sqlite3_value *pVal, int eEncoding, KvTree *pTree, KvErr *pErr);
int kvFaceReadColumn(sqlite3_stmt *pStmt, int iCol, int eEncoding, KvTree *pTree, KvErr *pErr);
int kvFaceValueAs(sqlite3_context *ctx, KvTree *pTree, int eAs, KvBuf *pWork, KvErr *pErr);
void kvFaceRawColumn(sqlite3_context *ctx, sqlite3_stmt *pStmt, int iCol, int eEncoding, KvBuf *pWork);
/*
** The same as reading a[0..n-1] and kvFaceValueAs(), if it is a plain value
** (codec/v8/plain.h) for which there is a short way.  False: there is no result.
*/
int kvFacePlain(sqlite3_context *ctx, int eEncoding, const u8 *a, u32 n, int eAs, KvBuf *pWork);
/* ... of column iCol of a row of the store. */
int kvFacePlainColumn(
  sqlite3_context *ctx, sqlite3_stmt *pStmt, int iCol, int eEncoding, int eAs, KvBuf *pWork
);

/* Append the text of an SQL value that is one.  KV_OK or KV_NOMEM. */
int kvFaceCopyText(sqlite3_value *pVal, KvBuf *pOut);

/* Key text argument -> stored bytes; mFlags as for kvKeyParse(). */
int kvFaceKey(sqlite3_value *pVal, int mFlags, KvBuf *pOut, int *pbStamp, KvErr *pErr);

/*
** Arguments of writes, checked against the limits.  Errors are a message in
** *pzErr and a result code.
**
** kvFaceWriteKey(): key text that is to be written (no empty key, no malformed
** one); pbStamp (may be 0) as in kvKeyParse().
** kvFaceWriteValue(): the stored bytes of a value, *peEncoding.  eAs says how
** the argument is meant: as an SQL value, JS text, JSON text or raw value.
*/
int kvFaceWriteKey(KvConn *p, sqlite3_value *pVal, KvBuf *pOut, int *pbStamp, char **pzErr);
int kvFaceWriteValue(
  KvConn *p, sqlite3_value *pVal, int eAs, KvBuf *pOut, int *peEncoding, char **pzErr
);
/* An error if the stored bytes of a value are more than the limit. */
int kvFaceValueLimit(KvConn *p, const KvBuf *pBytes, char **pzErr);
/* Build the tree of a value that is meant as eAs.  NULL is the value null, but it
** is no raw value. */
int kvFaceTree(sqlite3_value *pVal, int eAs, KvTree *pTree, KvErr *pErr);
/* Append the stored bytes of a value that is meant as eAs, but not as RAW.
** bV8Only as for kvValueWrite(). */
int kvFaceEncode(
  KvConn *p, sqlite3_value *pVal, int eAs, int bV8Only, KvTree *pTree,
  KvBuf *pOut, int *peEncoding, KvErr *pErr
);
/* An INTEGER, or a REAL without a fraction.  0 if the value is something else. */
int kvFaceWholeNumber(sqlite3_value *pVal, i64 *pv);
/* The same, where no text could be meant: or TEXT that reads as such a number. */
int kvFaceNumberOf(sqlite3_value *pVal, i64 *pv);
/* "expire_in" as a time, from the time iNow on. */
int kvFaceExpireIn(sqlite3_value *pVal, i64 iNow, i64 *piExpires, char **pzErr);
/* A time in ms since 1970, at most iMost.  One before 1973 is an error: seconds
** have been taken for ms, and the entry would be gone at once. */
int kvFaceTime(sqlite3_value *pVal, const char *zWhat, i64 iMost, i64 *pv, char **pzErr);
/* "expires_at": NULL is never (-1). */
int kvFaceExpiresAt(sqlite3_value *pVal, i64 *piExpires, char **pzErr);

/*
** Read a self-describing value: one byte of encoding, then the stored bytes.
*/
int kvFaceRaw(const u8 *a, u32 n, KvTree *pTree, KvErr *pErr);

/* Result: a version as a versionstamp of 20 hexadecimal digits. */
void kvFaceVersionstamp(sqlite3_context *ctx, i64 iVersion);

/* Registration, a file each.  SQLITE_OK or an error code. */
int kvRegisterKeys(KvConn *p);
int kvRegisterValues(KvConn *p);
int kvRegisterStore(KvConn *p);
int kvRegisterWrites(KvConn *p);
int kvRegisterOps(KvConn *p);
int kvRegisterAtomic(KvConn *p);
int kvRegisterRun(KvConn *p);
int kvRegisterQueue(KvConn *p);
int kvRegisterDequeue(KvConn *p);
int kvRegisterIds(KvConn *p);
int kvRegisterEntries(KvConn *p);
int kvRegisterChildren(KvConn *p);
int kvRegisterParts(KvConn *p);
int kvRegisterIndexes(KvConn *p);
int kvRegisterIndexList(KvConn *p);
int kvRegisterLookup(KvConn *p);
int kvRegisterChanges(KvConn *p);
int kvRegisterExport(KvConn *p);
int kvRegisterImport(KvConn *p);
int kvRegisterHelp(KvConn *p);

/* An SQL function; mFlags is added to SQLITE_UTF8. */
typedef struct KvFunc KvFunc;
struct KvFunc {
  const char *zName;
  int nArg;
  int mFlags;
  void (*xFunc)(sqlite3_context*, int, sqlite3_value**);
};
/* Register n of them.  SQLITE_OK or an error code. */
int kvRegisterFunctions(KvConn *p, const KvFunc *a, u32 n);
/* Flags of pure functions. */
#define KV_PURE (SQLITE_DETERMINISTIC|SQLITE_INNOCUOUS)
#define KV_COUNT(A) ((u32)(sizeof(A)/sizeof((A)[0])))

/*
** Arguments of CREATE VIRTUAL TABLE t USING module(schema, tables='prefix').
** The results are copies (sqlite3_malloc).
*/
int kvModuleArgs(
  sqlite3 *db, int argc, const char *const *argv,
  char **pzSchema, char **pzPrefix, char **pzErr
);

#endif /* KV_FACE_H */
