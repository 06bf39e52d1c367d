/*
** index_claims.h -- which values of unique indexes are claimed by changes that the
** index entries don't show yet.
**
** While there is a gap (index_gap.h) a value may be another entry's without a row of
** kv_index_value that says so.  For each index entry that a change may ask for, the claims
** have its primary keys.  They may have more than that: who finds one looks at the
** primary entry.
*/
#ifndef KV_INDEX_CLAIMS_H
#define KV_INDEX_CLAIMS_H

#include "bytes/map.h"

typedef struct KvClaims KvClaims;
struct KvClaims {
  u8 bThere;              /* The rest is set */
  u8 bInUse;              /* There is a gap, and the claims are those of it */
  u8 bClean;              /* The write that is under way began its transaction: what it
                          ** finds is committed */
  i64 iGeneration;        /* Of the indexes */
  u32 iSchema;            /* KvSchema.iSchema */
  u32 iData;              /* What SQLITE_FCNTL_DATA_VERSION was when they were read */
  i64 iVersion;           /* All that was committed before this version was read, and what
                          ** there was of this version */
  i64 iCommit;            /* What iVersion becomes when the transaction is committed */
  i64 iNonce;             /* They are complete for the gap of KvFeed.iNonce; 0: of none */
  i64 iNonceWas;          /* And for this one, which is there if the write is undone */
  KvMap map;              /* Keys of index entries; iValue: the last row, counted from 1 */
  KvBuf rows;             /* One row before it in four bytes, and a primary key in a list */
};

void kvClaimsClear(KvClaims *p);
/* The transaction has been committed, or a part of it rolled back. */
void kvClaimsCommit(KvClaims *p);
void kvClaimsRollback(KvClaims *p);
/* Out of memory is an error of p->rows. */
void kvClaimsAdd(KvClaims *p, KvBytes ik, KvBytes pk);
/* The primary keys that claim an index entry: *piRow is 0 for the first, and 0 after
** the last.  False if there is none. */
int kvClaimsNext(const KvClaims *p, KvBytes ik, u32 *piRow, KvBytes *pPk);

#endif /* KV_INDEX_CLAIMS_H */
