/*
** base.h -- the database file that is served.
*/
#ifndef KV_SERVE_BASE_H
#define KV_SERVE_BASE_H

#include <sqlite3.h>
#include "bytes/bytes.h"

/* Make the extension part of every connection; before anything else, since memory
** comes from SQLite through it.  0, or -1. */
int baseInit(void);

/* Open a file, which is created if need be, and its store.  zName, or 0, is what its id
** is made from instead of its full name.  0, or -1 after an error, which is printed. */
int baseOpen(const char *zFile, const char *zName);
void baseClose(void);

sqlite3 *baseDb(void);
int baseReadonly(void);
/* A UUID that is the same whenever this file is served. */
const char *baseId(void);

/* A prepared statement of the text, prepared at its first use; 0 after an error. */
sqlite3_stmt *baseStmt(sqlite3_stmt **ppStmt, const char *zSql);
/* Run one that gives no rows. */
int baseRun(sqlite3_stmt **ppStmt, const char *zSql);

/* An entry as it is stored, until the next one is read. */
typedef struct BaseEntry BaseEntry;
struct BaseEntry {
  KvBytes key, value;
  int eEncoding;
  i64 iVersion;
};

/* Between the two calls all reads are of one snapshot.  SQLITE_OK, or a code. */
int baseBegin(void);
void baseEnd(void);
/* Call xRow for each entry of a range, until it returns false. */
int baseRange(
  KvBytes start, KvBytes end, int nLimit, int bReverse,
  int (*xRow)(void*, const BaseEntry*), void *pArg
);
/* The entry of a key: 1 and *pEntry, 0, or -1 (an error).  With bValue its bytes are
** valid until baseDone(); without, only the version is set. */
int baseGet(KvBytes key, int bValue, BaseEntry *pEntry);
void baseDone(void);
/* True if the file has been changed by another connection since the last call. */
int baseChanged(void);

/* Is this an error that passes?  Somebody else holds a lock. */
int baseBusy(int rc);

#endif /* KV_SERVE_BASE_H */
