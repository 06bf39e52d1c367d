/*
** error.h -- the error of a run of calls.
**
** An error is set once and stays: the functions that share the object do
** nothing after it but clean up, so only the last caller looks.  That one takes
** the error, which leaves none.
**
**   kvMigrate(pStore);
**   kvWritePut(pStore, &row);         nothing, if the tables could not be made
**   return kvStoreTake(pStore, pzErr);
**
** While a statement runs there is no error: what it calls (a trigger that writes
** to the same store) takes its own.
*/
#ifndef KV_ERROR_H
#define KV_ERROR_H

#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT3
#include "bytes/bytes.h"

/* All zero: no error. */
typedef struct KvError KvError;
struct KvError {
  int rc;                 /* SQLITE_xxx, or a code of the user's below 0 */
  char *zMsg;             /* Its text, of sqlite3_malloc(); 0: the code says it */
};

static inline int kvFailed(const KvError *p){
  return p->rc!=SQLITE_OK;
}

/* Set an error, unless there is one: with a text, which shows control characters
** as escapes (where there is no memory for it, SQLITE_NOMEM); with a code alone,
** of which SQLITE_OK is none; with SQLite's own text for a statement that failed;
** with a text of sqlite3_malloc() that is handed over. */
void kvError(KvError *p, int rc, const char *zFormat, ...);
void kvErrorCode(KvError *p, int rc);
void kvErrorDb(KvError *p, sqlite3 *db, int rc);
void kvErrorGive(KvError *p, int rc, char *zMsg);
/* An error of a codec: "kv: zWhat: text (at offset n)". */
void kvErrorCodec(KvError *p, const char *zWhat, const KvErr *pErr);
/* SQLITE_NOMEM, or the like, if a buffer has failed. */
void kvErrorBuf(KvError *p, const KvBuf *pBuf);

/* Make a buffer a copy of some bytes; or a key as text, for a message. */
void kvErrorCopy(KvError *p, KvBytes b, KvBuf *pOut);
const char *kvErrorKey(KvError *p, KvBytes key, KvBuf *pOut);

/* Forget the error. */
void kvErrorClear(KvError *p);
/* The code, and the text in *pzErr unless there is none; no error is left. */
int kvErrorTake(KvError *p, char **pzErr);

/* Hand an error over to another object, which keeps its own if it has one. */
void kvErrorMove(KvError *pTo, KvError *pFrom);

/* Put the error aside, so that cleaning up can run statements of its own; what
** that runs into is forgotten when the error is put back. */
KvError kvErrorAside(KvError *p);
void kvErrorBack(KvError *p, KvError aside);

/*
** Messages that show text of the user's.
**
** A name or an argument may hold anything: a line break that makes two lines
** of a log entry, or what a terminal obeys.  These show control characters as
** JSON does.  Formats cut what may be long: %!.100s, which counts characters.
** kvMsg() is sqlite3_mprintf() so.
*/
char *kvMsg(const char *zFormat, ...);

#endif /* KV_ERROR_H */
