/*
** bulk.c -- the benchmark's work on a queue, and on all entries at once.
**
** Of a queue "raw" is the plain way in SQLite: one table, from which UPDATE ...
** RETURNING claims a message and DELETE removes it.  Of all entries it is plain SQL
** on Deno's table, without a change feed; "tracked" is what the others have then.
** What changes all entries is rolled back.
*/
#include "bench.h"

static sqlite3 *aDb[PEER_COUNT];
static sqlite3_stmt *aTake[PEER_COUNT], *aDone[PEER_COUNT];

static void bulkClose(int e){
  sqlite3_finalize(aTake[e]);
  sqlite3_finalize(aDone[e]);
  sqlite3_close(aDb[e]);
  aTake[e] = aDone[e] = 0;
  aDb[e] = 0;
}

/* A file of the peer's, empty but for the tables, or (bCopy) a copy of the data. */
static sqlite3 *bulkOpen(int e, int bCopy){
  char *zFile = sqlite3_mprintf("%s/bulk%d.db", bench.zDir, e);
  char *zWal = sqlite3_mprintf("%s-wal", zFile);
  sqlite3 *db;
  remove(zFile);
  remove(zWal);
  db = benchOpen(zFile);
  if( bCopy ){
    sqlite3 *pFrom = benchOpen(bench.zData);
    sqlite3_backup *pBackup = sqlite3_backup_init(db, "main", pFrom, "main");
    if( pBackup==0 || sqlite3_backup_step(pBackup, -1)!=SQLITE_DONE ) benchDie(db, "backup");
    sqlite3_backup_finish(pBackup);
    sqlite3_close(pFrom);
  }else{
    benchExec(db, "SELECT kv_init()");
  }
  benchExec(db, "PRAGMA journal_mode=wal; PRAGMA synchronous=off");
  sqlite3_free(zFile);
  sqlite3_free(zWal);
  return db;
}

/* ---- a queue --------------------------------------------------------------- */

static int queueOpen(int e){
  static const char *const azTake[PEER_COUNT] = {
    [PEER_RAW] = "UPDATE q SET running = 1, at = 9000000000000 WHERE id = "
      "(SELECT id FROM q WHERE running = 0 AND at <= 8000000000000 ORDER BY at LIMIT 1) RETURNING id",
    [PEER_TABLE] = "SELECT id FROM kv_dequeue(60000)",
    [PEER_FUNC] = "SELECT id FROM kv_dequeue(60000)",
  };
  static const char *const azDone[PEER_COUNT] = {
    [PEER_RAW] = "DELETE FROM q WHERE id = ?1",
    [PEER_TABLE] = "DELETE FROM kv_queue WHERE id = ?1",
    [PEER_FUNC] = "SELECT kv_finish(?1, 1)",
  };
  if( azTake[e]==0 ) return 0;
  if( aDb[e] ) return 1;
  aDb[e] = bulkOpen(e, 0);
  benchExec(aDb[e], "CREATE TABLE q(id INTEGER PRIMARY KEY, running INTEGER, at INTEGER, data BLOB); "
      "CREATE INDEX q_at ON q(running, at)");
  aTake[e] = benchPrepare(aDb[e], azTake[e]);
  aDone[e] = benchPrepare(aDb[e], azDone[e]);
  return 1;
}

/* A message is claimed and acknowledged.  The argument: "txn", all in one transaction. */
static double runQueue(const Work *w, int e, int n){
  int64_t t;
  char *z;
  int i;
  if( n==0 ){ bulkClose(e); return 0; }
  if( !queueOpen(e) ) return -1;
  z = sqlite3_mprintf("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<%d) %s FROM c",
      n, e==PEER_RAW ? "INSERT INTO q(running, at, data) SELECT 0, i, 'message ' || i"
                     : "INSERT INTO kv_queue(value) SELECT 'message ' || i");
  benchExec(aDb[e], z);
  sqlite3_free(z);
  t = benchNow();
  if( w->zArg ) benchExec(aDb[e], "BEGIN IMMEDIATE");
  for(i=0; i<n; i++){
    if( sqlite3_step(aTake[e])!=SQLITE_ROW ) benchDie(aDb[e], "no message");
    sqlite3_bind_value(aDone[e], 1, sqlite3_column_value(aTake[e], 0));
    benchDrain(aTake[e]);
    benchDrain(aDone[e]);
  }
  if( w->zArg ) benchExec(aDb[e], "COMMIT");
  return (double)(benchNow()-t)/n;
}

/* ---- all entries ----------------------------------------------------------- */

/* Remove, change or read all users.  The argument says what: a statement for each peer. */
enum { BULK_DELETE, BULK_TRACKED, BULK_SWEEP, BULK_SWEEP_TRACKED, BULK_UPDATE, BULK_FEED };
static double runBulk(const Work *w, int e, int n){
  static const char *const azSql[][PEER_COUNT] = {
    [BULK_DELETE] = {
      [PEER_RAW] = "DELETE FROM kv WHERE k > x'02757365727300' AND k < x'02757365727301'",
      [PEER_TABLE] = "DELETE FROM kv_entries WHERE prefix = '[\"users\"]'",
    },
    [BULK_SWEEP] = {
      [PEER_RAW] = "DELETE FROM kv WHERE expiration_ms >= 0 AND expiration_ms <= 94694400000",
      [PEER_FUNC] = "SELECT kv_sweep()",
    },
    [BULK_UPDATE] = {
      [PEER_RAW] = "UPDATE kv SET v = x'ff0f490a', v_encoding = 1, version = version + 1 "
        "WHERE k > x'02757365727300' AND k < x'02757365727301'",
      [PEER_TABLE] = "UPDATE kv_entries SET js = '5' WHERE prefix = '[\"users\"]'",
    },
    [BULK_FEED] = {
      [PEER_RAW] = "SELECT sum(length(k) + length(v)) FROM kv WHERE k > x'02757365727300' AND k < x'02757365727301'",
      [PEER_TABLE] = "SELECT sum(length(key) + length(value)) FROM kv_entries('[\"users\"]')",
      [PEER_FUNC] = "SELECT sum(length(key) + length(value)) FROM kv_changes('', '[\"users\"]')",
    },
  };
  int eWork = w->zArg[0]-'0';
  int bTracked = eWork==BULK_TRACKED || eWork==BULK_SWEEP_TRACKED;
  const char *zSql = azSql[eWork-bTracked][e];     /* the one before, tracked */
  int64_t t;
  if( n==0 ){ bulkClose(e); return 0; }
  if( zSql==0 ) return -1;
  if( aDb[e]==0 ){
    aDb[e] = bulkOpen(e, 1);
    if( eWork-bTracked==BULK_SWEEP ){
      benchExec(aDb[e], "UPDATE kv SET expiration_ms = 94694400000 WHERE k > x'02757365727300' AND k < x'02757365727301'");
    }
    if( (bTracked || eWork==BULK_FEED) && e!=PEER_RAW ) benchExec(aDb[e], "SELECT kv_track(1)");
  }
  benchExec(aDb[e], "BEGIN IMMEDIATE");
  t = benchNow();
  benchExec(aDb[e], zSql);
  t = benchNow() - t;
  benchExec(aDb[e], "ROLLBACK");
  return (double)t/bench.nUser;
}

const Work benchBulk[] = {
  { "queue",     "dequeue and finish, OFF",                0, 500, runQueue, 0 },
  { "queuetxn",  "dequeue and finish, in one transaction", 0, 2000, runQueue, "txn" },
  { "delall",    "DELETE of all by prefix, a row",         1.5, 1, runBulk, "0" },
  { "deltrack",  "DELETE of all by prefix, with the change feed, a row", 4.0, 1, runBulk, "1" },
  { "sweep",     "sweep of all, a row",                    0, 1, runBulk, "2" },
  { "sweeptrack", "sweep of all, with the change feed, a row",          0, 1, runBulk, "3" },
  { "updall",    "UPDATE of all, a row",                   1.3, 1, runBulk, "4" },
  { "feed",      "all as kv_entries, as kv_changes, a row", 0, 1, runBulk, "5" },
  { 0, 0, 0, 0, 0, 0 }
};
