/*
** fault.h -- what the files of the fault harness share.
**
** The harness runs scripts of SQL (scripts/xxx.sql) with the extension, over
** and over, and each time one thing goes wrong at another place: one
** allocation fails, one call of SQLite's API, one call of the file system, or
** the power.  What must hold afterwards is known from a clean run first:
** results and the store's content after each statement.
**
** So that runs can be compared, nothing in them is left to chance: the
** extension gets its SQLite API by a table (api.c) in which randomness is
** seeded anew for each statement, and its time from the harness's VFS (vfs.c).
*/
#ifndef FAULT_H
#define FAULT_H

/* The harness calls SQLite itself, not through a table. */
#ifndef SQLITE_CORE
# define SQLITE_CORE 1
#endif
#include <sqlite3.h>
#include <sqlite3ext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What may fail. */
enum { KIND_NONE, KIND_MEMORY, KIND_API, KIND_IO, KIND_FULL, KIND_BUSY, KIND_LIMIT };

/*
** The fault that is planned.  Places where something can fail call
** faultHit(): it counts them and is true for number iAt, and for all behind it
** if bPersist.
*/
typedef struct Fault Fault;
struct Fault {
  int eKind;              /* KIND_xxx; other places don't count */
  int bPersist;
  long iAt;               /* 0: nothing fails */
  long n;                 /* Places passed */
  long nHit;              /* Failures */
};
extern Fault g_fault;
int faultHit(int eKind);

/* A growing text. */
typedef struct Text Text;
struct Text {
  char *z;
  size_t n, nAlloc;
};
void textAdd(Text *p, const char *z, size_t n);
void textReset(Text *p);
void textFree(Text *p);

/* Memory that is never short: the harness's own. */
void *need(size_t n);
void die(const char *zFormat, ...);

/*
** Scripts (script.c).  A line "-- block NAME" begins a block: a few statements
** that run on one connection, on the file as the block before has left it.
** Words behind the name: "clean" (nothing fails in it: it only prepares),
** "load" (loading the extension may fail too), "tick=N" (the clock goes on by
** N ms before it), "nocrash" (for crashes the script ends in front of it), "ones"
** (all bits of the numbers that the extension draws are 1; not for crashes).
*/
typedef struct Block Block;
struct Block {
  char *zName;
  int bClean, bLoad, bNoCrash, bOnes;
  long long nTick;
  char **azSql;
  int nSql;
};
typedef struct Script Script;
struct Script {
  const char *zFile;
  Block *aBlock;
  int nBlock;
};
void scriptRead(Script *p, const char *zFile);
void scriptFree(Script *p);

/* What a statement gave: result code, and the rows or the message. */
typedef struct Result Result;
struct Result {
  int rc;
  int bAutocommit;        /* Afterwards there is no transaction */
  Text text;
};
void resultFree(Result *p);

/* Everything that stays the same for all runs. */
typedef struct Setup Setup;
struct Setup {
  const char *zKv;        /* The extension */
  const char *zDir;       /* Where the files are */
  const char *zJournal;   /* Journal mode */
  const char *zSync;      /* PRAGMA synchronous */
  const char *zEncoding;  /* PRAGMA encoding of the database */
  long nStep;             /* Every nStep-th place only */
  long iSeed;
  int bVerbose;
  int nImage;             /* Crashes: images a sync */
};
extern Setup g_setup;
extern const char *g_zOnlyBlock;   /* -block */
extern long g_iOnly;               /* -at */

/* Seed the extension's random numbers and set its clock for a statement. */
void steady(unsigned iSeed, long long iTime);
/* All bits of the numbers that the extension draws are 1. */
extern int g_bOnes;
/* For what happens in the middle of a statement. */
uint64_t steadyState(void);
void steadyBack(uint64_t x);
#define TIME_BEGIN 1700000000000LL

/* The wrapped API table (api.c), from the library that is in use. */
void apiInit(void);
const sqlite3_api_routines *apiTable(void);
extern int (*g_xInit)(sqlite3*, char**, const sqlite3_api_routines*);

/* The VFS over the default one, which it replaces (vfs.c). */
void vfsInit(void);
extern long long g_time;

/* A connection to zFile with the extension. */
int dbOpen(const char *zFile, sqlite3 **pDb, int bLoadFails);
Result dbRun(sqlite3 *db, const char *zSql, unsigned iSeed, long long iTime);
/* Everything in the file as text, as the connection db sees it; db==0: by one
** of its own.  bCheck: it must be sound.  0, and the message, if there is an
** error. */
int dbDump(const char *zFile, sqlite3 *db, Text *pOut, int bCheck);
/* Copy, or put back, a database with what may belong to it. */
void fileRead(const char *zFile, Text *pOut);
void fileWrite(const char *zFile, const Text *p);
void fileRemove(const char *zFile);

/* Reports. */
extern long g_passed, g_failed;
void report(const char *zWhere, const char *zFormat, ...);

/* The modes. */
void runFaults(const Script *pScript);
void runCrashes(const Script *pScript);

/* Crashes (vfs.c records, crash.c judges): called at each sync and delete with
** the number of the point. */
extern void (*g_xCrashPoint)(void);
void vfsRecord(int bOn, int bDeleteLasts);
/* Write a state of the files below g_setup.zDir as it may be after a loss of
** power now, into the folder zTo. */
void vfsCrashImage(const char *zTo, unsigned iSeed);

#endif /* FAULT_H */
