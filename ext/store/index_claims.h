/*
** index_claims.h -- which values of unique indexes are claimed by changes that the
** index entries don't show yet.
**
** While there is a gap (index_gap.h), an entry may have a value without a row of
** kv_index_value.  The claims list the primary keys for each index entry that a
** change may require.  They may list too many, so the caller checks the primary
** entry.
*/
#ifndef KV_INDEX_CLAIMS_H
#define KV_INDEX_CLAIMS_H

#include "bytes/map.h"

typedef struct KvClaims KvClaims;
struct KvClaims {
  u8 bThere;              /* The rest is set */
  u8 bInUse;              /* There is a gap, and these are its claims */
  u8 bClean;              /* The current write began its transaction: what it reads is committed */
  u8 bAhead;              /* They were read for that write before it took the lock: that the
                          ** schema is looked at again since then means nothing */
  i64 iGeneration;        /* Of the indexes */
  u32 iSchema;            /* KvSchema.iSchema */
  u32 iData;              /* What SQLITE_FCNTL_DATA_VERSION was when they were read */
  i64 iVersion;           /* Everything committed before this version has been read, and what
                          ** existed of this version */
  i64 iCommit;            /* What iVersion becomes when the transaction is committed */
  i64 iNonce;             /* They are complete for the gap of KvFeed.iNonce; 0: of none */
  i64 iNonceWas;          /* And for this one, which is restored if the write is undone */
  KvMap map;              /* Keys of index entries; iValue: the last row, counted from 1 */
  KvBuf rows;             /* One row before it in four bytes, and a primary key in a list */
};

void kvClaimsClear(KvClaims *p);
/* The transaction was committed, or partly rolled back. */
void kvClaimsCommit(KvClaims *p);
void kvClaimsRollback(KvClaims *p);
/* Out of memory is an error of p->rows. */
void kvClaimsAdd(KvClaims *p, KvBytes ik, KvBytes pk);
/* The primary keys that claim an index entry: *piRow is 0 for the first, and 0 after
** the last.  False if there is none. */
int kvClaimsNext(const KvClaims *p, KvBytes ik, u32 *piRow, KvBytes *pPk);

#endif /* KV_INDEX_CLAIMS_H */
