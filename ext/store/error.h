/*
** error.h -- the error of a run of calls.
**
** Errors are sticky: after the first one, the functions that share the object only
** clean up.  So only the outermost caller checks; it takes the error, which clears
** it.
**
**   kvMigrate(pStore);
**   kvWritePut(pStore, &row);         nothing, if the tables could not be made
**   return kvStoreTake(pStore, pzErr);
**
** There is no error while a statement runs: what it calls (a trigger that writes to
** the same store) takes its own.
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
  char *zMsg;             /* Its text, from sqlite3_malloc(); 0: that of the code */
};

static inline int kvFailed(const KvError *p){
  return p->rc!=SQLITE_OK;
}

/* Set an error, unless there is one: with a text, which shows control characters as
** escapes (without memory, SQLITE_NOMEM); with a code alone, which may be
** SQLITE_OK, no error; with SQLite's own text for a statement that failed; with a
** text from sqlite3_malloc(), of which it takes ownership. */
void kvError(KvError *p, int rc, const char *zFormat, ...);
void kvErrorCode(KvError *p, int rc);
void kvErrorDb(KvError *p, sqlite3 *db, int rc);
void kvErrorGive(KvError *p, int rc, char *zMsg);
/* An error of a codec: "kv: zWhat: text (at offset n)". */
void kvErrorCodec(KvError *p, const char *zWhat, const KvErr *pErr);
/* Set SQLITE_NOMEM or SQLITE_TOOBIG if a buffer has failed. */
void kvErrorBuf(KvError *p, const KvBuf *pBuf);

/* Copy bytes into a buffer; format a key as text, for a message. */
void kvErrorCopy(KvError *p, KvBytes b, KvBuf *pOut);
const char *kvErrorKey(KvError *p, KvBytes key, KvBuf *pOut);

/* A message without the "kv: " at its head. */
const char *kvErrorBare(const char *zMsg);

/* Forget the error. */
void kvErrorClear(KvError *p);
/* Return the code, store the text, if any, to *pzErr, and clear the error. */
int kvErrorTake(KvError *p, char **pzErr);

/* Move an error to another object, which keeps its own if it has one. */
void kvErrorMove(KvError *pTo, KvError *pFrom);

/* Save the error, so that cleaning up can run statements; their errors are dropped
** when the saved one is restored. */
KvError kvErrorAside(KvError *p);
void kvErrorBack(KvError *p, KvError aside);

/*
** Messages that show text of the user's.
**
** A name or an argument may contain anything: line breaks that split a log entry,
** or control sequences for a terminal.  These functions show control characters as
** JSON does.  Formats truncate what may be long: %!.100s, which counts characters.
** kvMsg() is sqlite3_mprintf() with this escaping.
*/
char *kvMsg(const char *zFormat, ...);

#endif /* KV_ERROR_H */
