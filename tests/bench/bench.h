/*
** bench.h -- what the files of the benchmark share.
*/
#ifndef BENCH_H
#define BENCH_H

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>

/*
** Who does a piece of work.  Every figure is divided by that of PEER_RAW in
** the same round: Deno's own SQL, prepared, through SQLite's C interface,
** which takes and gives stored bytes and decodes nothing.
*/
enum {
  PEER_RAW,      /* Deno's own SQL */
  PEER_LEAN,     /* The cheapest SQL for the same result in the file */
  PEER_TABLE,    /* kv_entries, kv_atomic */
  PEER_FUNC,     /* kv_get(), kv_set() ... */
  PEER_SQL,      /* SQL over Deno's table with kv_json(), kv_key_encode() */
  PEER_JSON,     /* JSON text in a table of one's own, SQLite's JSON functions */
  PEER_DENO,     /* Deno.openKv, pinned to one core */
  PEER_DENO32,   /* Deno.openKv, 32 operations in flight */
  PEER_NODE,     /* better-sqlite3 in Node, JSON text */
  PEER_LMDB,     /* LMDB, bytes */
  PEER_NPM,      /* @deno/kv in Node */
  PEER_COUNT
};

/* What a program that loads the extension may have set up. */
typedef struct Bench Bench;
struct Bench {
  const char *zData;      /* Made by Deno; only read */
  const char *zDir;       /* For copies of it */
  const char *zKv;        /* The extension, without its suffix */
  int nUser;
  int bCpu;               /* Measure processor time */
};
extern Bench bench;

/* Nanoseconds of a clock that only goes forward. */
int64_t benchNow(void);
/* Numbers in 0..n-1 that the seed decides. */
uint32_t benchRandom(uint32_t n);

/* End the program with a message of the connection, or another. */
void benchDie(sqlite3 *db, const char *zWhat);
/* Open a database with the extension loaded. */
sqlite3 *benchOpen(const char *zFile);
sqlite3_stmt *benchPrepare(sqlite3 *db, const char *zSql);
void benchExec(sqlite3 *db, const char *zSql);
/* Step a statement to its end, reading its columns, and reset it.  Returns
** the number of rows. */
int benchDrain(sqlite3_stmt *p);
/* Bind bytes or text that stay where they are. */
void benchBlob(sqlite3_stmt *p, int i, const void *a, int n);
void benchText(sqlite3_stmt *p, int i, const char *z);
/* The single integer that a query gives. */
int64_t benchInt(sqlite3 *db, const char *zSql);

/* Stored bytes of ["users",i]: USER_KEY bytes. */
#define USER_KEY 16
void benchUserKey(unsigned char *a, int i);

/*
** A piece of work.  xRun does n operations as peer e and returns the
** nanoseconds an operation took, or -1 where the peer can't do it.  n==0 ends
** the work: what is open is closed.
*/
typedef struct Work Work;
struct Work {
  const char *zName;      /* In commands to the peers and BENCH_ONLY */
  const char *zTitle;     /* In the table */
  double rAim;            /* What kv_entries aims at, as a ratio; 0: nothing */
  int n;                  /* Operations in a round */
  double (*xRun)(const Work *p, int e, int n);
  const char *zArg;       /* For xRun */
};
extern const Work benchRead[];
extern const Work benchWrite[];
extern const Work benchCollection[];
extern const Work benchSearch[];
extern const Work benchBulk[];
extern const Work benchCodec[];

#endif /* BENCH_H */
