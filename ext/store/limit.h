/*
** limit.h -- the limits by name.  bytes/limits.h has the list.
*/
#ifndef KV_LIMIT_H
#define KV_LIMIT_H

#include "bytes/limits.h"
#include "store/error.h"

typedef struct KvLimit KvLimit;
struct KvLimit {
  const char *zName;
  i64 iDefault, iMost;
};
extern const KvLimit kvLimits[KV_LIMIT_COUNT];

int kvLimitFind(const char *zName);              /* -1: no such limit */
/* The error "kv: zWhat: n is over the limit ...", if it is. */
void kvLimitCheck(KvError *pErr, const i64 *aLimit, int eLimit, const char *zWhat, i64 n);

#endif /* KV_LIMIT_H */
