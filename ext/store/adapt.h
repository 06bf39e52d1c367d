/*
** adapt.h -- the calls as they were, with an error each, for who hasn't come to
** the store's own error yet.
*/
#ifndef KV_ADAPT_H
#define KV_ADAPT_H

#include "store/store_int.h"
#include "store/feed.h"
#include "store/migrate.h"
#include "store/store_names.h"
#include "store/plain_write.h"
#include "store/row.h"
#include "store/scan_guard.h"
#include "store/schema.h"
#include "store/txn.h"
#include "store/write.h"

typedef struct KvIndexes KvIndexes;
typedef KvFeed KvTrack;
typedef KvOpenScan KvReading;

/* A call with the store's error, as one with an error of its own. */
#define KV_CALL(P, CALL) ((void)(CALL), kvErrorTake(&(P)->err, pzErr))
#define KV_GET(P, LEFT, CALL) ((void)(*(LEFT) = (CALL)), kvErrorTake(&(P)->err, pzErr))
#define KV_FN static inline int

KV_FN kvStoreReader(KvStore *p, u32 mMask, KvStmt **pp, char **pzErr){ return KV_GET(p, pp, kvStmtReader(p, mMask)); }
KV_FN kvStoreUpdater(KvStore *p, u32 mMask, KvStmt **pp, char **pzErr){ return KV_GET(p, pp, kvStmtUpdater(p, mMask)); }
KV_FN kvStoreStatement(KvStore *p, int eSql, KvStmt **pp, char **pzErr){ return KV_GET(p, pp, kvStmtTake(p, eSql)); }
KV_FN kvStoreChanges(KvStore *p, int b, KvStmt **pp, char **pzErr){ return KV_GET(p, pp, kvStmtChanges(p, b)); }
KV_FN kvStoreRun(KvStore *p, KvStmt *pStmt, char **pzErr){ return KV_CALL(p, kvStmtRun(pStmt)); }
KV_FN kvStoreWrite(KvStore *p, KvStmt *pStmt, char **pzErr){ return KV_CALL(p, kvWorkRun(pStmt)); }
KV_FN kvStoreSimple(KvStore *p, int eSql, char **pzErr){ return KV_CALL(p, kvStmtSimple(p, eSql)); }
KV_FN kvStoreOwns(sqlite3_stmt *pStmt){ return kvStmtOurs(pStmt); }
static inline void kvStoreGive(KvStore *p, KvStmt *pStmt){ (void)p; kvStmtGive(pStmt); }
static inline void kvBindBlob(KvStmt *p, int i, const u8 *a, u32 n){ kvBindBytes(p, i, kvBytes(a, n)); }
int kvStep(KvStmt *p);
/* The message for a statement of the store that failed with rc: "kv: ...".
** Sets *pzErr and returns rc. */
int kvStoreFailed(KvStore *p, int rc, char **pzErr);

KV_FN kvStoreSchema(KvStore *p, u32 *pi, char **pzErr){
  u32 i = kvSchemaCount(p);
  if( pi ) *pi = i;
  return kvErrorTake(&p->err, pzErr);
}
KV_FN kvStoreOpen(KvStore *p, char **pzErr){ return KV_CALL(p, kvSchemaOpen(p)); }
KV_FN kvStoreReady(KvStore *p, char **pzErr){ return KV_CALL(p, kvSchemaReady(p)); }
KV_FN kvStoreOwn(KvStore *p, int e, int bMake, int *pb, char **pzErr){ return KV_GET(p, pb, kvNamesOwn(p, e, bMake)); }
KV_FN kvStoreHasQueue(KvStore *p, int *pb, char **pzErr){ return KV_GET(p, pb, kvSchemaHasQueue(p)); }
KV_FN kvStoreChanged(KvStore *p){ return kvSchemaChanged(p); }
static inline void kvStoreRelease(KvStore *p){ kvSchemaRelease(p); }
KV_FN kvIndexLook(KvStore *p, char **pzErr){ return KV_CALL(p, kvSchemaLook(p)); }
KV_FN kvIndexKnow(KvStore *p, char **pzErr){ return KV_CALL(p, kvSchemaKnow(p)); }
KV_FN kvStoreCreate(KvStore *p, char **pzErr){ return KV_CALL(p, kvMigrate(p)); }
KV_FN kvStoreRunner(KvStore *p, int *pe, char **pzErr){ return KV_GET(p, pe, kvMigrateRunner(p)); }
static inline KvWork kvStoreBegin(KvStore *p, int b){ return kvWorkBegin(p, b); }
static inline void kvStoreEnd(KvStore *p, const KvWork *pOuter){ kvWorkEnd(p, pOuter); }
KV_FN kvStoreVersion(KvStore *p, i64 *pi, char **pzErr){ return KV_GET(p, pi, kvRowVersion(p)); }
KV_FN kvStoreNewest(KvStore *p, i64 *pi, char **pzErr){ return KV_GET(p, pi, kvRowNewest(p)); }
KV_FN kvStoreFind(KvStore *p, const u8 *a, u32 n, i64 iNow, int bValue, KvFound *pFound, char **pzErr){
  return KV_CALL(p, kvRowFind(p, kvBytes(a, n), iNow, bValue, pFound));
}
KV_FN kvStoreHasExpired(KvStore *p, i64 iNow, int *pb, char **pzErr){ return KV_GET(p, pb, kvRowExpired(p, iNow)); }
KV_FN kvStoreForeign(KvStore *p, int *pb, char **pzErr){ return KV_GET(p, pb, kvPlainWrites(p)); }
KV_FN kvStoreFence(KvStore *p, char **pzErr){ return KV_CALL(p, kvWriteLock(p)); }
KV_FN kvStoreLock(KvStore *p, char **pzErr){ return KV_CALL(p, kvWriteLockFirst(p)); }
KV_FN kvStoreBump(KvStore *p, i64 *pi, int *pn, char **pzErr){ return KV_GET(p, pn, kvWriteBump(p, pi)); }
KV_FN kvStoreUnbump(KvStore *p, int nStep, int rc){
  kvErrorCode(&p->err, rc);
  kvWriteUnbump(p, nStep);
  rc = p->err.rc;
  kvErrorClear(&p->err);
  return rc;
}
KV_FN kvStoreSweep(KvStore *p, i64 iNow, i64 *pn, char **pzErr){ return KV_GET(p, pn, kvWriteSweep(p, iNow)); }
KV_FN kvStoreSweepSome(KvStore *p, i64 iNow, char **pzErr){ return KV_CALL(p, kvWriteSweepSome(p, iNow)); }
static inline KvRow kvRow(
  KvBytes key, KvBytes value, int eEncoding, i64 iVersion, i64 iExpires
){
  KvRow e;
  e.key = key;
  e.value = value;
  e.eEncoding = eEncoding;
  e.iVersion = iVersion;
  e.iExpires = iExpires;
  return e;
}
KV_FN kvStorePut(
  KvStore *p, const u8 *aKey, u32 nKey, const u8 *a, u32 n, int eEncoding,
  i64 iVersion, i64 iExpires, char **pzErr
){
  KvRow e = kvRow(kvBytes(aKey, nKey), kvBytes(a, n), eEncoding, iVersion, iExpires);
  return KV_CALL(p, kvWritePut(p, &e));
}
KV_FN kvStorePutBare(
  KvStore *p, const u8 *aKey, u32 nKey, const u8 *a, u32 n, int eEncoding,
  i64 iVersion, i64 iExpires, char **pzErr
){
  KvRow e = kvRow(kvBytes(aKey, nKey), kvBytes(a, n), eEncoding, iVersion, iExpires);
  return KV_CALL(p, kvRowPut(p, &e));
}
KV_FN kvStoreUpdate(
  KvStore *p, const u8 *aKey, u32 nKey, i64 iVersion, u32 mMask,
  const u8 *aNew, u32 nNew, const u8 *a, u32 n, int eEncoding, i64 iExpires,
  char **pzErr
){
  KvRow e = kvRow(kvBytes(aNew, nNew), kvBytes(a, n), eEncoding, iVersion, iExpires);
  return KV_CALL(p, kvWriteUpdate(p, kvBytes(aKey, nKey), mMask, &e));
}
KV_FN kvStoreDelete(KvStore *p, const u8 *a, u32 n, char **pzErr){ return KV_CALL(p, kvWriteDelete(p, kvBytes(a, n))); }
KV_FN kvStoreDeleteBare(KvStore *p, const u8 *a, u32 n, char **pzErr){ return KV_CALL(p, kvRowDelete(p, kvBytes(a, n))); }

KV_FN kvTrackGet(KvStore *p, KvTrack *pTrack, char **pzErr){ return KV_CALL(p, kvFeedGet(p, pTrack)); }
KV_FN kvTrackPin(KvStore *p, KvStmt **pp, KvTrack *pTrack, char **pzErr){ return KV_GET(p, pp, kvFeedPin(p, pTrack)); }
KV_FN kvTrackStep(KvStore *p, KvStmt *pStmt){
  u8 bOuter = p->bInFeed;
  int rc;
  p->bInFeed = 1;
  rc = kvStep(pStmt);
  p->bInFeed = bOuter;
  return rc;
}
KV_FN kvTrackOn(KvStore *p, int bWanted, char **pzErr){ return KV_CALL(p, kvFeedOn(p, bWanted)); }
KV_FN kvTrackTrim(KvStore *p, i64 i, i64 *pn, char **pzErr){ return KV_GET(p, pn, kvFeedTrim(p, i)); }
KV_FN kvTrackForget(KvStore *p, i64 i, char **pzErr){ return KV_CALL(p, kvFeedForget(p, i)); }
KV_FN kvTrackDrop(KvStore *p, char **pzErr){ return KV_CALL(p, kvFeedDrop(p)); }
KV_FN kvTrackSettle(KvStore *p, char **pzErr){ return KV_CALL(p, kvWriteSettle(p)); }

KV_FN kvMarksOpen(KvStore *p){ kvGuardBegin(p); return SQLITE_OK; }
static inline void kvMarksClose(KvStore *p){ kvGuardEnd(p); }
static inline i64 kvMarksClock(const KvStore *p){ return kvGuardClock(p); }
KV_FN kvMarksSince(const KvStore *p, const u8 *a, u32 n, i64 i){ return kvGuardWritten(p, kvBytes(a, n), i); }
static inline void kvReadingOpen(KvStore *pStore, KvReading *p, const KvBuf *pLo, const KvBuf *pHi){
  kvScanOpen(pStore, p, pLo, pHi);
}
static inline void kvReadingClose(KvStore *pStore, KvReading *p){ kvScanClose(pStore, p); }
KV_FN kvReadingIsNew(const KvStore *pStore, const KvReading *p, const u8 *a, u32 n){
  return kvScanIsNew(pStore, p, kvBytes(a, n));
}
KV_FN kvTxnUndo(KvStore *p, int nStep, int rc){
  kvErrorCode(&p->err, rc);
  kvTxnGiveBack(p, nStep);
  rc = p->err.rc;
  kvErrorClear(&p->err);
  return rc;
}

#undef KV_FN

#endif /* KV_ADAPT_H */
