/*
** call.h -- the frame of every SQL function.
**
** A func_x.c has a table of functions, which kv.c registers.  SQLite calls
** kvCall(), which checks the arguments, opens the store, calls the function's own
** xFunc and reports its error.  xFunc sets a result, or an error in one of two
** objects or in the store.
*/
#ifndef KV_CALL_H
#define KV_CALL_H

#include "sql/conn.h"
#include "store/error.h"

/* Flags that an older sqlite3.h lacks; libraries that do not know them
** ignore them. */
#ifndef SQLITE_SUBTYPE
# define SQLITE_SUBTYPE 0x000100000
#endif
#ifndef SQLITE_RESULT_SUBTYPE
# define SQLITE_RESULT_SUBTYPE 0x001000000
#endif
/* Flags of pure functions. */
#define KV_PURE (SQLITE_DETERMINISTIC|SQLITE_INNOCUOUS)

/* KvFunc.mCall */
#define KVCALL_STRICT    0x01  /* If an argument is NULL it fails, and that is NULL */
#define KVCALL_KEY       0x02  /* key may be used */
#define KVCALL_SCRATCH   0x04  /* pScratch is set: it runs no SQL */
#define KVCALL_STORE     0x08  /* pStore is set */
#define KVCALL_SNAPSHOT  0x10  /* ... and read in the statement's snapshot */

typedef struct KvCall KvCall;

/* An SQL function. */
typedef struct KvFunc KvFunc;
struct KvFunc {
  const char *zName;      /* 0: the end of the table */
  int nLeast, nMost;      /* Arguments; -1: any number */
  int mFlags;             /* SQLite's, added to SQLITE_UTF8 */
  int mCall;              /* KVCALL_xxx */
  void (*xFunc)(KvCall*);
  int eKind;              /* For xFunc, which may be that of several */
};

/* What kvCall() has as its user data. */
typedef struct KvCallSite KvCallSite;
struct KvCallSite {
  KvConn *pConn;
  const KvFunc *pFunc;
};

/* A call of a function. */
#define KVCALL_KEY_SPACE 2100
struct KvCall {
  sqlite3_context *ctx;
  KvConn *pConn;
  const KvFunc *pFunc;
  int nArg;
  sqlite3_value **apArg;
  KvScratch *pScratch;
  KvStore *pStore;        /* The main store */
  KvError error;          /* The error, if any; it may be that of the store, or: */
  KvErr err;              /* ... a codec's, "kv: kv_x(): text (at offset n)" */
  KvBuf key;              /* For the stored bytes of a key */
  u8 aKey[KVCALL_KEY_SPACE];
};

/* What SQLite calls, and what it calls when the function is no longer needed. */
void kvCall(sqlite3_context *ctx, int nArg, sqlite3_value **apArg);
void kvCallUnref(void *pSite);

/* Argument i, or 0 if it is not given. */
static inline sqlite3_value *kvCallArg(const KvCall *p, int i){
  return i<p->nArg ? p->apArg[i] : 0;
}
/* The function's name as messages have it, "kv_x()". */
#define KVCALL_NAME 40
const char *kvCallName(const KvCall *p, char *zSpace);
/* Attribute the error in p->err to zWhat instead of the function. */
void kvCallCodecError(KvCall *p, const char *zWhat);

#endif /* KV_CALL_H */
