/*
** bridge.h -- names that are going away.
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

#define kvxSchema(P)      ((void)kvSchemaCount(P))
#define kvxCreate(P)      kvMigrate(P)
#define kvxReady(P)       ((void)kvSchemaReady(P))
#define kvxWrite(P, S)    kvWorkRun(S)
#define kvxDelete(P, K)   kvWriteDelete(P, K)
#define kvxDeleteBare(P, K) kvRowDelete(P, K)
#define kvxFind           kvRowFind
#define kvxTrackGet       (void)kvFeedGet
#define kvxTrackPin       kvFeedPin
#define kvxTrackForget    kvFeedForget
#define kvxTrackOn        kvFeedOn
#define kvxOwn            kvNamesOwn
#define kvxSweepSome      kvWriteSweepSome
#define kvxSweep          kvWriteSweep
static inline i64 kvxBump(KvStore *p){
  i64 iVersion = 0;
  kvWriteBump(p, &iVersion);
  return iVersion;
}
static inline void kvxPut(KvStore *p, KvBytes key, KvBytes value, int eEncoding, i64 iVersion, i64 iExpires){
  KvRow e = kvRow(key, value, eEncoding, iVersion, iExpires);
  kvWritePut(p, &e);
}
static inline void kvxPutBare(KvStore *p, KvBytes key, KvBytes value, int eEncoding, i64 iVersion, i64 iExpires){
  KvRow e = kvRow(key, value, eEncoding, iVersion, iExpires);
  kvRowPut(p, &e);
}

#endif /* KV_BRIDGE_H */
