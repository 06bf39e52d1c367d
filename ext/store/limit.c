/*
** limit.c -- the limits by name.  See limit.h.
*/
#include "store/limit.h"

const KvLimit kvLimits[] = {
#define LIMIT_ROW(NAME, DEFAULT, MAX) { #NAME, DEFAULT, MAX },
  KV_LIMITS(LIMIT_ROW)
#undef LIMIT_ROW
};

int kvLimitFind(const char *zName){
  int i;
  for(i=0; i<KV_LIMIT_COUNT; i++){
    if( strcmp(kvLimits[i].zName, zName)==0 ) return i;
  }
  return -1;
}

void kvLimitCheck(KvError *pErr, const i64 *aLimit, int eLimit, const char *zWhat, i64 n){
  const char *zName = kvLimits[eLimit].zName;
  if( n<=aLimit[eLimit] ) return;
  kvError(pErr, SQLITE_ERROR, "kv: %s: %lld is over the limit %s = %lld; "
      "kv_config('%s', n) changes it for this connection",
      zWhat, n, zName, aLimit[eLimit], zName);
}
