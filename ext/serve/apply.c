/*
** apply.c -- an atomic operation, carried out.  See apply.h.
*/
#include "serve/apply.h"
#include <stdlib.h>
#include <string.h>
#include "codec/op.h"
#include "serve/clock.h"

/* kv_serve_op(): the next op. */
static void applyOpFunction(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  Apply *p = sqlite3_user_data(ctx);
  KvBytes op;
  (void)nArg; (void)apArg;
  if( p->pList && kvListNext(p->pList, &p->iAt, &op) ){
    sqlite3_result_blob(ctx, op.p, (int)op.n, SQLITE_STATIC);
  }
}

int applyInit(Apply *p, sqlite3 *db){
  memset(p, 0, sizeof(*p));
  p->db = db;
  return sqlite3_create_function(db, "kv_serve_op", 0, SQLITE_UTF8|SQLITE_DIRECTONLY, p,
      applyOpFunction, 0, 0);
}

void applyClear(Apply *p){
  sqlite3_finalize(p->pLook);
  sqlite3_finalize(p->pStored);
  sqlite3_finalize(p->pOne);
  sqlite3_finalize(p->pMany);
  p->pLook = p->pStored = p->pOne = p->pMany = 0;
}

static sqlite3_stmt *applyStmt(Apply *p, sqlite3_stmt **ppStmt, const char *zSql){
  if( *ppStmt==0 ) sqlite3_prepare_v3(p->db, zSql, -1, SQLITE_PREPARE_PERSISTENT, ppStmt, 0);
  return *ppStmt;
}

static int applyFailed(Apply *p, ApplyResult *pResult, int rc){
  pResult->zError = sqlite3_mprintf("%s", sqlite3_errmsg(p->db));
  return rc;
}

/* ---- checks --------------------------------------------------------------- */

/* *piVersion is the version of an entry, 0 if there is none.  SQLite's code. */
static int applyLook(Apply *p, KvBytes key, i64 *piVersion){
  sqlite3_stmt *pStmt = applyStmt(p, &p->pLook,
      "SELECT version FROM kv WHERE k = ?1 AND expiration_ms NOT BETWEEN 0 AND ?2");
  *piVersion = 0;
  if( pStmt==0 ) return sqlite3_errcode(p->db);
  sqlite3_bind_blob(pStmt, 1, key.n ? (const void*)key.p : "", (int)key.n, SQLITE_STATIC);
  sqlite3_bind_int64(pStmt, 2, clockNow());
  if( sqlite3_step(pStmt)==SQLITE_ROW ) *piVersion = sqlite3_column_int64(pStmt, 0);
  return sqlite3_reset(pStmt);
}

/* Make the checks.  *piOp is then the first op that is none, *pnOp how many those are. */
static int applyChecks(Apply *p, const KvList *pOps, ApplyResult *pResult, u32 *piOp, u32 *pnOp){
  u32 i = 0, n = 0;
  KvOp op;
  while( kvOpNext(pOps, &i, &op) ){
    i64 iVersion;
    u8 aStamp[10];
    int rc;
    if( op.eOp!=KV_OP_CHECK ){
      ++*pnOp;
      continue;
    }
    rc = applyLook(p, op.key, &iVersion);
    if( rc!=SQLITE_OK ) return applyFailed(p, pResult, rc);
    kvPut64be(aStamp, (u64)iVersion);
    aStamp[8] = aStamp[9] = 0;
    if( iVersion==0 ? op.stamp.n!=0 : op.stamp.n!=10 || memcmp(op.stamp.p, aStamp, 10)!=0 ){
      if( pResult->aFailed ) pResult->aFailed[pResult->nFailed] = n;
      pResult->nFailed++;
    }
    *piOp = i;
    n++;
  }
  return SQLITE_OK;
}

/* ---- what is wrong -------------------------------------------------------- */

/* Deno's name for the type of a number, 0 for any other value. */
static const char *applyKind(int eEncoding, KvBytes value){
  u32 i = 2;                             /* behind FF and V8's version */
  if( eEncoding==2 ) return "KvU64";
  if( eEncoding!=1 ) return 0;
  while( i<value.n && value.p[i]==0 ) i++;
  switch( i<value.n ? value.p[i] : 0 ){
    case 'I': case 'U': case 'N': return "Number";
    case 'Z': return "BigInt";
  }
  return 0;
}

/* Deno's words for a sum, min or max of a stored value and an operand of another type,
** given their types (0: no number); 0 if that isn't what is wrong. */
static char *applyWords(const KvOp *pOp, int eStored, const char *zStored){
  const char *zOperand = applyKind(pOp->value.p[0], kvBytesFrom(pOp->value, 1));
  if( pOp->eOp==KV_OP_SUM && zOperand && pOp->value.p[0]!=2 && zStored ){
    return strcmp(zStored, zOperand)==0 ? 0
         : sqlite3_mprintf("Cannot sum %s with %s", zStored, zOperand);
  }
  if( (eStored==2)==(pOp->value.p[0]==2) ) return 0;
  return sqlite3_mprintf("Failed to perform '%s' mutation on a non-U64 %s", kvOpName(pOp->eOp),
      eStored==2 ? "operand" : "value in the database");
}

static char *applyMismatch(Apply *p, const KvOp *pOp){
  sqlite3_stmt *pStmt;
  char *z = 0;
  if( pOp->eOp<KV_OP_SUM || pOp->eOp>KV_OP_MAX || pOp->value.n==0 ) return 0;
  pStmt = applyStmt(p, &p->pStored,
      "SELECT v_encoding, v FROM kv WHERE k = ?1 AND expiration_ms NOT BETWEEN 0 AND ?2");
  if( pStmt==0 ) return 0;
  sqlite3_bind_blob(pStmt, 1, pOp->key.p, (int)pOp->key.n, SQLITE_STATIC);
  sqlite3_bind_int64(pStmt, 2, clockNow());
  if( sqlite3_step(pStmt)==SQLITE_ROW ){
    int eStored = sqlite3_column_int(pStmt, 0);
    KvBytes stored = kvBytes(sqlite3_column_blob(pStmt, 1), (u32)sqlite3_column_bytes(pStmt, 1));
    z = applyWords(pOp, eStored, applyKind(eStored, stored));
  }
  sqlite3_reset(pStmt);
  return z;
}

/* An operation has failed: if that is for a value that is none, or of another type,
** its message is to say so. */
static void applyExplain(Apply *p, const KvList *pOps, ApplyResult *pResult){
  KvTree tree;
  KvOp op;
  u32 i = 0;
  char *z = 0;
  kvTreeInit(&tree);
  while( z==0 && kvOpNext(pOps, &i, &op) ){
    int eValid = kvOpCheck(&op, &tree, 0);
    z = applyMismatch(p, &op);
    kvTreeReset(&tree);
    if( z==0 && eValid==KV_CORRUPT ){
      z = sqlite3_mprintf("A value is undecodable, or no number where one is needed.");
    }
  }
  kvTreeClear(&tree);
  if( z==0 ) return;
  sqlite3_free(pResult->zError);
  pResult->zError = z;
}

/* ---- ops ------------------------------------------------------------------ */

/* The versionstamp is 20 hexadecimal digits: of the version and of two zero bytes. */
static i64 applyVersion(sqlite3_stmt *p){
  const char *z = (const char*)sqlite3_column_text(p, 0);
  char zHigh[17];
  if( z==0 || strlen(z)!=20 ) return 0;
  memcpy(zHigh, z, 16);
  zHigh[16] = 0;
  return (i64)strtoull(zHigh, 0, 16);
}

int applyOps(Apply *p, const KvList *pOps, ApplyResult *pResult){
  sqlite3_stmt *pStmt;
  u32 iOp = 0, nOp = 0;
  int rc;
  pResult->iVersion = 0;
  pResult->nFailed = 0;
  rc = applyChecks(p, pOps, pResult, &iOp, &nOp);
  if( rc!=SQLITE_OK || pResult->nFailed ) return rc;
  pStmt = nOp<=1
    ? applyStmt(p, &p->pOne, "SELECT kv_atomic(kv_serve_op())")
    : applyStmt(p, &p->pMany, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n "
               "WHERE i < ?1) SELECT kv_atomic(kv_serve_op()) FROM n");
  if( pStmt==0 ) return applyFailed(p, pResult, sqlite3_errcode(p->db));
  if( nOp>1 ) sqlite3_bind_int64(pStmt, 1, nOp);
  p->pList = pOps;
  p->iAt = iOp;
  if( sqlite3_step(pStmt)==SQLITE_ROW ) pResult->iVersion = applyVersion(pStmt);
  p->pList = 0;
  rc = sqlite3_reset(pStmt);
  if( rc==SQLITE_OK ) return rc;
  applyFailed(p, pResult, rc);
  if( rc==SQLITE_ERROR ) applyExplain(p, pOps, pResult);
  return rc;
}
