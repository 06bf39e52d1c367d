/*
** bridge.h -- calls that still return an error of their own, with the store's.
*/
#ifndef KV_BRIDGE_H
#define KV_BRIDGE_H

#include "store/store.h"
#include "store/index.h"

#define KV_BRIDGE(P, CALL) do{ \
    char *zBridge = 0; \
    char **pzErr = &zBridge; \
    if( !kvFailed(&(P)->err) ){ \
      int rcBridge = (CALL); \
      kvErrorGive(&(P)->err, rcBridge, zBridge); \
    } \
  }while( 0 )

static inline void kvxSchema(KvStore *p){ KV_BRIDGE(p, kvStoreSchema(p, 0, pzErr)); }
static inline void kvxCreate(KvStore *p){ KV_BRIDGE(p, kvStoreCreate(p, pzErr)); }
static inline void kvxReady(KvStore *p){ KV_BRIDGE(p, kvStoreReady(p, pzErr)); }
static inline void kvxWrite(KvStore *p, KvStmt *pStmt){
  if( kvFailed(&p->err) ) kvStmtGive(pStmt);
  else KV_BRIDGE(p, kvStoreWrite(p, pStmt, pzErr));
}
static inline i64 kvxBump(KvStore *p){
  i64 iVersion = 0;
  int nStep;
  KV_BRIDGE(p, kvStoreBump(p, &iVersion, &nStep, pzErr));
  return iVersion;
}
static inline void kvxPut(KvStore *p, KvBytes key, KvBytes value, int eEncoding, i64 iVersion, i64 iExpires){
  KV_BRIDGE(p, kvStorePut(p, key.p, key.n, value.p, value.n, eEncoding, iVersion, iExpires, pzErr));
}
static inline void kvxPutBare(KvStore *p, KvBytes key, KvBytes value, int eEncoding, i64 iVersion, i64 iExpires){
  KV_BRIDGE(p, kvStorePutBare(p, key.p, key.n, value.p, value.n, eEncoding, iVersion, iExpires, pzErr));
}
static inline void kvxDelete(KvStore *p, KvBytes key){
  KV_BRIDGE(p, kvStoreDelete(p, key.p, key.n, pzErr));
}
static inline void kvxDeleteBare(KvStore *p, KvBytes key){
  KV_BRIDGE(p, kvStoreDeleteBare(p, key.p, key.n, pzErr));
}
static inline int kvxFind(KvStore *p, KvBytes key, i64 iNow, int bValue, KvFound *pFound){
  pFound->bFound = 0;
  KV_BRIDGE(p, kvStoreFind(p, key.p, key.n, iNow, bValue, pFound, pzErr));
  return !kvFailed(&p->err) && pFound->bFound;
}
static inline void kvxTrackGet(KvStore *p, KvTrack *pTrack){
  memset(pTrack, 0, sizeof(*pTrack));
  KV_BRIDGE(p, kvTrackGet(p, pTrack, pzErr));
}
static inline KvStmt *kvxTrackPin(KvStore *p, KvTrack *pTrack){
  KvStmt *pPin = 0;
  memset(pTrack, 0, sizeof(*pTrack));
  KV_BRIDGE(p, kvTrackPin(p, &pPin, pTrack, pzErr));
  return pPin;
}
static inline void kvxTrackForget(KvStore *p, i64 iMost){ KV_BRIDGE(p, kvTrackForget(p, iMost, pzErr)); }
static inline void kvxTrackOn(KvStore *p, int bWanted){ KV_BRIDGE(p, kvTrackOn(p, bWanted, pzErr)); }
static inline int kvxOwn(KvStore *p, int eOwn, int bMake){
  int bThere = 0;
  KV_BRIDGE(p, kvStoreOwn(p, eOwn, bMake, &bThere, pzErr));
  return bThere;
}
static inline void kvxSweepSome(KvStore *p, i64 iNow){ KV_BRIDGE(p, kvStoreSweepSome(p, iNow, pzErr)); }
static inline i64 kvxSweep(KvStore *p, i64 iNow){
  i64 nGone = 0;
  KV_BRIDGE(p, kvStoreSweep(p, iNow, &nGone, pzErr));
  return nGone;
}

#endif /* KV_BRIDGE_H */
