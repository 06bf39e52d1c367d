/*
** vtab.c -- what the virtual tables over a store have in common.  See vtab.h.
*/
#include "sql/vtab.h"
#include "sql/run.h"
SQLITE_EXTENSION_INIT3
#include "sql/result.h"
#include "sql/codec_error.h"
#include "sql/named.h"
#include "sql/vtab_args.h"

/* Which columns of a declaration "CREATE TABLE x(a, b ...)" are marked values: by
** their names. */
static void tableMarks(KvTable *p, const char *zDeclare){
  const char *z = strchr(zDeclare, '(');
  u64 mBit;
  for(mBit=1; z; mBit<<=1, z=strchr(z, ',')){
    size_t n;
    z += 1 + strspn(z+1, " ");
    n = strcspn(z, " ,)");
    if( n==5 && memcmp(z, "value", 5)==0 ) p->mJson |= mBit;
    if( n==4 && memcmp(z, "json", 4)==0 ) p->mJson |= mBit;
    if( n==9 && memcmp(z, "conflicts", 9)==0 ) p->mJson |= mBit;
    if( n==2 && memcmp(z, "js", 2)==0 ) p->mJs |= mBit;
    if( n==3 && memcmp(z, "raw", 3)==0 ) p->mRaw |= mBit;
  }
}

/* Keep the table if it shows values. */
static void tableKeep(KvTable *p, const char *zDeclare){
  tableMarks(p, zDeclare);
  if( (p->mJson | p->mJs | p->mRaw)==0 ) return;
  p->pNext = p->pConn->pTables;
  p->pConn->pTables = p;
}

static void tableFree(KvTable *p){
  KvTable **pp = &p->pConn->pTables;
  while( *pp && *pp!=p ) pp = &(*pp)->pNext;
  if( *pp ) *pp = p->pNext;
  sqlite3_free(p);
}

int kvTableDeclare(sqlite3 *db, const char *zDeclare, char **pzErr){
  int rc = sqlite3_declare_vtab(db, zDeclare);
  if( rc!=SQLITE_OK ) *pzErr = sqlite3_mprintf("kv: %s", sqlite3_errmsg(db));
  return rc;
}

int kvTableConnect(
  sqlite3 *db, KvConn *pConn, int argc, const char *const *argv,
  const char *zDeclare, u32 nByte, sqlite3_vtab **ppVtab, char **pzErr
){
  KvTable *p = 0;
  char *zSchema = 0, *zPrefix = 0;
  int rc = kvModuleArgs(db, argc, argv, &zSchema, &zPrefix, pzErr);
  if( rc==SQLITE_OK ) rc = kvTableDeclare(db, zDeclare, pzErr);
  if( rc==SQLITE_OK ){
    p = sqlite3_malloc64(nByte);
    rc = SQLITE_NOMEM;
  }
  if( p ){
    memset(p, 0, nByte);
    p->pConn = pConn;
    p->bElsewhere = sqlite3_stricmp(argv[1], zSchema)!=0;
    if( sqlite3_stricmp(argv[0], argv[2])==0 ) sqlite3_snprintf(sizeof(p->zEponym), p->zEponym, "%s", argv[0]);
    p->bEntries = strcmp(p->zEponym, "kv_entries")==0 && sqlite3_stricmp(argv[1], "main")==0;
    p->pStore = kvConnAttachStore(pConn, zSchema, zPrefix);
    if( p->pStore ){
      tableKeep(p, zDeclare);
      pConn->nEntries += p->bEntries;
      kvConnRef(pConn);
      *ppVtab = &p->base;
      rc = SQLITE_OK;
    }else{
      rc = SQLITE_NOMEM;
      tableFree(p);
    }
  }
  sqlite3_free(zSchema);
  sqlite3_free(zPrefix);
  return rc;
}

static void tableJoin(KvTable *p, int bMade){
  if( p->bJoined ) return;
  p->bJoined = 1;
  kvTxnJoin(p->pStore, bMade);
}

/* Returns true if it was the last table of the store in the transaction. */
static int tableLeave(KvTable *p){
  if( !p->bJoined ) return 0;
  p->bJoined = 0;
  return kvTxnLeave(p->pStore);
}

void kvTableGone(KvTable *p){
  if( tableLeave(p) ) kvTxnEnd(p->pStore, 1);
}

int kvTableDisconnect(sqlite3_vtab *pVtab){
  KvTable *p = (KvTable*)pVtab;
  KvConn *pConn = p->pConn;
  kvTableGone(p);
  pConn->nEntries -= p->bEntries;
  kvConnDetachStore(pConn, p->pStore);
  tableFree(p);
  kvConnUnref(pConn);
  return SQLITE_OK;
}

int kvTableFail(sqlite3_vtab *pVtab, int rc, char *zErr){
  sqlite3_free(pVtab->zErrMsg);
  pVtab->zErrMsg = zErr;
  return zErr==0 && (rc==SQLITE_ERROR || (rc & 0xff)==SQLITE_CONSTRAINT) ? SQLITE_NOMEM : rc;
}

int kvTableCodecError(sqlite3_vtab *pVtab, const char *zWhat, const KvErr *pErr){
  if( pErr->eCode==KV_NOMEM ) return SQLITE_NOMEM;
  if( pErr->eCode==KV_TOOBIG ) return SQLITE_TOOBIG;
  return kvTableFail(pVtab, SQLITE_ERROR, kvCodecErrorText(zWhat, pErr));
}

/* An eponymous table may be called by the name of another database. */
static int tableNamed(KvTable *p, i64 nMost, char **pzErr){
  return p->zEponym[0] ? kvNamedCheck(p->pConn->db, p->zEponym, nMost, pzErr) : SQLITE_OK;
}

int kvTableOpen(sqlite3_vtab *pVtab){
  KvTable *p = (KvTable*)pVtab;
  char *zErr = 0;
  int rc = tableNamed(p, 65536, &zErr);
  return rc==SQLITE_OK ? SQLITE_OK : kvTableFail(&p->base, rc, zErr);
}

/* Where the name of the table that is written stands in a statement. */
#define TABLE_NAMED 2000

int kvTableEnter(KvTable *p, KvOuter *pOuter, char **pzErr){
  int rc = tableNamed(p, TABLE_NAMED, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( p->pConn->nWriting>=KV_MAX_WRITING ){
    *pzErr = sqlite3_mprintf("kv: %d writes inside of each other: a trigger on the store's "
        "tables writes to the store and so fires itself", KV_MAX_WRITING);
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  tableJoin(p, 1);
  p->pConn->nWriting++;
  pOuter->iRowTotal = p->pConn->iRowTotal;
  p->pConn->iRowTotal = -1;
  pOuter->work = kvStoreBegin(p->pStore, 0);
  return SQLITE_OK;
}

void kvTableLeave(KvTable *p, const KvOuter *pOuter){
  p->pConn->nWriting--;
  p->pConn->iRowTotal = pOuter->iRowTotal;
  kvStoreEnd(p->pStore, &pOuter->work);
}

int kvTableWrite(KvTable *p, int (*xCall)(void*, char**), void *pArg){
  KvOuter outer;
  char *zErr = 0;
  int nTry;
  int rc = kvTableEnter(p, &outer, &zErr);
  if( rc!=SQLITE_OK ) return kvTableFail(&p->base, rc, zErr);
  for(nTry=0; nTry<2; nTry++){
    rc = kvRunOwn(p->pConn, p->pStore, xCall, pArg, &zErr);
    if( rc!=SQLITE_ERROR || nTry>0 || !kvStoreChanged(p->pStore) ) break;
    sqlite3_free(zErr);
    zErr = 0;
  }
  kvTxnRow(p->pStore, rc);
  kvTableLeave(p, &outer);
  return rc==SQLITE_OK ? SQLITE_OK : kvTableFail(&p->base, rc, zErr);
}

int kvTableBegin(sqlite3_vtab *pVtab){
  KvTable *p = (KvTable*)pVtab;
  char *zErr = 0;
  int rc = p->bElsewhere ? kvStoreLock(p->pStore, &zErr) : SQLITE_OK;
  if( rc!=SQLITE_OK ) return kvTableFail(pVtab, rc, zErr);
  tableJoin(p, 0);
  return SQLITE_OK;
}

int kvTableSync(sqlite3_vtab *pVtab){
  (void)pVtab;
  return SQLITE_OK;
}

int kvTableCommit(sqlite3_vtab *pVtab){
  KvTable *p = (KvTable*)pVtab;
  tableLeave(p);
  kvTxnEnd(p->pStore, 0);
  return SQLITE_OK;
}

int kvTableRollback(sqlite3_vtab *pVtab){
  KvTable *p = (KvTable*)pVtab;
  tableLeave(p);
  kvTxnEnd(p->pStore, 1);
  return SQLITE_OK;
}

int kvTableRename(sqlite3_vtab *pVtab, const char *zNew){
  (void)pVtab; (void)zNew;
  return SQLITE_OK;
}

int kvTableSavepoint(sqlite3_vtab *pVtab, int iSavepoint){
  tableJoin((KvTable*)pVtab, 1);
  kvTxnSavepoint(((KvTable*)pVtab)->pStore, iSavepoint);
  return SQLITE_OK;
}

int kvTableRelease(sqlite3_vtab *pVtab, int iSavepoint){
  kvTxnRelease(((KvTable*)pVtab)->pStore, iSavepoint);
  return SQLITE_OK;
}

int kvTableRollbackTo(sqlite3_vtab *pVtab, int iSavepoint){
  kvTxnRollbackTo(((KvTable*)pVtab)->pStore, iSavepoint);
  return SQLITE_OK;
}

void kvTableOnlySelects(sqlite3_context *ctx, const char *zColumn){
  kvResultError(ctx, SQLITE_ERROR, sqlite3_mprintf("kv: %s: only selects entries, as a condition that holds for "
      "the whole query; under OR beside other conditions use UNION, or key > and key <", zColumn));
}

#define TABLE_ROL(X,N) ((X)<<(N) | (X)>>(64-(N)))

static void tableSipRound(u64 *v){
  v[0] += v[1]; v[1] = TABLE_ROL(v[1], 13); v[1] ^= v[0]; v[0] = TABLE_ROL(v[0], 32);
  v[2] += v[3]; v[3] = TABLE_ROL(v[3], 16); v[3] ^= v[2];
  v[0] += v[3]; v[3] = TABLE_ROL(v[3], 21); v[3] ^= v[0];
  v[2] += v[1]; v[1] = TABLE_ROL(v[1], 17); v[1] ^= v[2]; v[2] = TABLE_ROL(v[2], 32);
}

static void tableSipWord(u64 *v, u64 m){
  v[3] ^= m;
  tableSipRound(v);
  tableSipRound(v);
  v[0] ^= m;
}

sqlite3_int64 kvTableRowid(sqlite3_int64 iStart, const void *a, u32 n){
  u64 v[4] = { 0x736f6d6570736575u, 0x646f72616e646f6du, 0x6c7967656e657261u, 0x7465646279746573u };
  u8 aLast[8] = { 0 };
  u32 i;
  v[0] ^= (u64)iStart;
  v[2] ^= (u64)iStart;
  for(i=0; n-i>=8; i+=8) tableSipWord(v, kvGet64le((const u8*)a + i));
  if( n>i ) memcpy(aLast, (const u8*)a + i, n-i);
  aLast[7] = (u8)n;
  tableSipWord(v, kvGet64le(aLast));
  v[2] ^= 0xff;
  for(i=0; i<4; i++) tableSipRound(v);
  return (sqlite3_int64)(v[0] ^ v[1] ^ v[2] ^ v[3]);
}
