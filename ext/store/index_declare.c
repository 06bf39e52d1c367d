/*
** index_declare.c -- declaring an index and removing one.  See index_declare.h.
*/
#include "store/index_declare.h"
SQLITE_EXTENSION_INIT3
#include "store/index_entry.h"
#include "store/index_maintain.h"
#include "store_sql.h"

/* Primary entries that are read in one go. */
#define DECLARE_CHUNK   256

/* ---- an index that is new ------------------------------------------------ */

/* What is done for each primary entry. */
typedef int (*DeclareEach)(KvStore*, const KvIndexDef*, const u8*, u32, char**);

static int declareFillKey(KvStore *p, const KvIndexDef *pDef, const u8 *aPk, u32 nPk, char **pzErr){
  return kvIndexTouch(p, pDef, aPk, nPk, KVINDEX_TAKE|KVINDEX_ADD, 1, pzErr);
}

static int declareProbeKey(KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk, char **pzErr){
  const u8 *aIk;
  u32 i = 0, nIk;
  int rc = kvIndexWanted(pStore, pDef, aPk, nPk, pzErr);
  while( rc==SQLITE_OK && (aIk = kvIndexValueNext(&pStore->pIndexes->wanted, &i, &nIk))!=0 ){
    rc = kvIndexProbeEntry(pStore, pDef, aIk, nIk, aPk, nPk, pzErr);
  }
  return rc;
}

static int declareEach(KvStore *pStore, const KvIndexDef *pDef, DeclareEach xKey, char **pzErr){
  KvBuf lo, hi, list;
  KvStmt *pStmt;
  u32 mRead = pDef->nPrefix ? KVREAD_UPPER : 0;
  u32 nKey, n, i;
  const u8 *a;
  int rc;
  kvBufInit(&lo, 0, 0);
  kvBufInit(&hi, 0, 0);
  kvBufInit(&list, 0, 0);
  kvBufAppend(&lo, pDef->aPrefix, pDef->nPrefix);
  kvBufPut(&lo, 0);
  kvBufAppend(&hi, pDef->aPrefix, pDef->nPrefix);
  kvBufPut(&hi, 0xff);
  do{
    nKey = 0;
    kvBufReset(&list);
    rc = kvStoreReader(pStore, mRead, &pStmt, pzErr);
    if( rc!=SQLITE_OK ) break;
    kvBindBlob(pStmt, 1, lo.a, lo.n);
    if( mRead ) kvBindBlob(pStmt, 2, hi.a, hi.n);
    kvBindInt(pStmt, 3, kvNow());
    while( nKey<DECLARE_CHUNK && (rc = kvStep(pStmt))==SQLITE_ROW ){
      kvIndexListAdd(&list, sqlite3_column_blob(pStmt->pStmt, 0),
                 (u32)sqlite3_column_bytes(pStmt->pStmt, 0));
      nKey++;
    }
    if( rc!=SQLITE_ROW && rc!=SQLITE_DONE ) kvStoreFailed(pStore, rc, pzErr);
    kvStoreGive(pStore, pStmt);
    rc = rc==SQLITE_ROW || rc==SQLITE_DONE ? SQLITE_OK : rc;
    for(i=0; rc==SQLITE_OK && (a = kvIndexValueNext(&list, &i, &n))!=0; ){
      kvBufReset(&lo);
      kvBufAppend(&lo, a, n);
      kvBufPut(&lo, 0);
      if( !kvIndexOwner(pStore->pIndexes, a, n) && !kvIndexOwns(pDef, a, n) ){
        rc = xKey(pStore, pDef, a, n, pzErr);
      }
    }
    if( rc==SQLITE_OK && (list.eErr || lo.eErr || hi.eErr) ) rc = SQLITE_NOMEM;
  }while( rc==SQLITE_OK && nKey==DECLARE_CHUNK );
  kvBufClear(&lo);
  kvBufClear(&hi);
  kvBufClear(&list);
  return rc;
}

static int declareFill(KvStore *p, const KvIndexDef *pDef, char **pzErr){
  return declareEach(p, pDef, declareFillKey, pzErr);
}

static int declareProbe(KvStore *p, const KvIndexDef *pDef, char **pzErr){
  p->pIndexes->mForm = KVINDEX_FORM_POINTER|KVINDEX_FORM_COPY;
  kvBufReset(&p->pIndexes->entryKey);
  return declareEach(p, pDef, declareProbeKey, pzErr);
}

static int declareEvict(KvStore *pStore, const KvIndexDef *pDef, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  const u8 *aIk;
  u32 i = 0, nIk;
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, KVSQL_INDEX_OF_PLACE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBufReset(&p->there);
  kvIndexBindPlace(pStmt, 1, pDef, &p->chunk);
  rc = kvIndexCollect(pStore, pStmt, &p->there, pzErr);
  if( rc!=SQLITE_OK || p->there.n==0 ) return rc;
  rc = kvStoreStatement(pStore, KVSQL_INDEX_EVICT, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvIndexBindPlace(pStmt, 1, pDef, &p->chunk);
  rc = kvStoreRun(pStore, pStmt, pzErr);
  while( rc==SQLITE_OK && (aIk = kvIndexValueNext(&p->there, &i, &nIk))!=0 ){
    const KvIndexDef *pOther = kvIndexOwner(p, aIk, nIk);
    if( pOther ) rc = kvIndexRepair(pStore, pOther, aIk, nIk, pzErr);
  }
  return rc;
}

/* ---- declaring ----------------------------------------------------------- */

/* The first entry in the index's place that is none of its entries: its key is
** put into p->entryKey, which is empty if there is none. */
static int declareStray(KvStore *pStore, const KvIndexDef *pDef, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, KVSQL_INDEX_STRAY, &pStmt, pzErr);
  kvBufReset(&p->entryKey);
  if( rc!=SQLITE_OK ) return rc;
  kvIndexBindPlace(pStmt, 1, pDef, &p->chunk);
  rc = kvStep(pStmt);
  if( rc==SQLITE_ROW ){
    kvBufAppend(&p->entryKey, sqlite3_column_blob(pStmt->pStmt, 0),
                (u64)sqlite3_column_bytes(pStmt->pStmt, 0));
    rc = p->entryKey.eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  }else{
    rc = rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(pStore, rc, pzErr);
  }
  kvStoreGive(pStore, pStmt);
  return rc;
}

/* The key p->entryKey is in the way of the index. */
static int declareInTheWay(const KvIndexes *p, const char *zName, const char *zWhy, char **pzErr){
  char *zKey = kvIndexShow(p->entryKey.a, p->entryKey.n);
  if( zKey ){
    *pzErr = kvMsg("kv: kv_index(): the key %s is there and %s an index %!.100s; delete it, "
        "give the index another name, or replace it with the option overwrite", zKey, zWhy, zName);
  }
  sqlite3_free(zKey);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* What stands in the place of a new index?  *pbCopy: its entries are to hold
** copies, because those that are there do. */
static int declareTakeOver(KvStore *pStore, const KvIndexDef *pDef, int bOverwrite, int *pbCopy, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  int bAsked = (pDef->mOptions & KVINDEX_COPY)!=0;
  int rc = declareStray(pStore, pDef, pzErr);        /* it has no entries yet */
  *pbCopy = 0;
  if( rc!=SQLITE_OK || p->entryKey.n==0 || bOverwrite ) return rc;
  rc = declareProbe(pStore, pDef, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( p->mForm==0 ) return declareInTheWay(p, pDef->zName, "is no entry of", pzErr);
  if( bAsked && !(p->mForm & KVINDEX_FORM_COPY) ){
    rc = declareStray(pStore, pDef, pzErr);
    return rc==SQLITE_OK ? declareInTheWay(p, pDef->zName, "holds a pointer, not a copy, as an entry of", pzErr) : rc;
  }
  *pbCopy = !bAsked && !(p->mForm & KVINDEX_FORM_POINTER);
  return SQLITE_OK;
}

/* What still stands there is no entry of the index. */
static int declareLeft(KvStore *pStore, const KvIndexDef *pDef, int bOverwrite, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  KvStmt *pStmt;
  int rc = declareStray(pStore, pDef, pzErr);
  if( rc!=SQLITE_OK || p->entryKey.n==0 ) return rc;
  if( !bOverwrite ) return declareInTheWay(p, pDef->zName, "is no entry of", pzErr);
  rc = kvStoreStatement(pStore, KVSQL_INDEX_OVERWRITE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvIndexBindPlace(pStmt, 1, pDef, &p->chunk);
  return kvStoreRun(pStore, pStmt, pzErr);
}

/* The file has a new set of declarations, which is to be loaded. */
static int declareGeneration(KvStore *p, i64 *piGeneration, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, KVSQL_TRACK_SET_GENERATION, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  sqlite3_randomness(sizeof(*piGeneration), piGeneration);
  *piGeneration &= INT64_MAX;
  kvBindInt(pStmt, 1, *piGeneration);
  return kvStoreRun(p, pStmt, pzErr);
}

/* May the index be declared beside the others?  SQLITE_DONE: it is already. */
static int declareAllowed(KvStore *pStore, const KvIndexDef *pNew, char **pzErr){
  const KvIndexes *p = pStore->pIndexes;
  const KvIndexDef *pOld = kvIndexNamed(p, pNew->zName);
  const char *zIn = 0;
  u32 i;
  if( pOld ){
    if( kvIndexSameOptions(pOld, pNew) && strcmp(pOld->zPath, pNew->zPath)==0
     && pOld->nPrefix==pNew->nPrefix && memcmp(pOld->aPrefix, pNew->aPrefix, pNew->nPrefix)==0
    ){
      return SQLITE_DONE;
    }
    *pzErr = kvMsg("kv: kv_index(): there is an index %!.100s already, declared otherwise; "
        "kv_index_drop() it first", pNew->zName);
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  if( pNew->nName>KVINDEX_NAME_MAX ){
    *pzErr = sqlite3_mprintf("kv: kv_index(): the name takes %u bytes of the key of each entry, and may "
        "take %d of the %d that Deno reads; give the index a shorter name",
        pNew->nName, KVINDEX_NAME_MAX, KVINDEX_KEY_MAX);
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  if( pNew->nPrefix>=pNew->nName && memcmp(pNew->aPrefix, pNew->aName, pNew->nName)==0 ){
    zIn = pNew->zName;
  }
  for(i=0; zIn==0 && p && i<p->nDef; i++){
    const KvIndexDef *pDef = &p->aDef[i];
    if( pNew->nPrefix>=pDef->nName && memcmp(pNew->aPrefix, pDef->aName, pDef->nName)==0 ){
      zIn = pDef->zName;
    }
    if( pDef->nPrefix>=pNew->nName && memcmp(pDef->aPrefix, pNew->aName, pNew->nName)==0 ){
      *pzErr = kvMsg("kv: kv_index(): the name %!.100s is where the index %!.100s has its primary "
          "entries; give the index another name", pNew->zName, pDef->zName);
      return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
    }
  }
  if( zIn==0 ) return SQLITE_OK;
  *pzErr = kvMsg("kv: kv_index(): the prefix is where the index %!.100s keeps its entries; "
      "give the index another name or prefix", zIn);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

static int declareDeclare(KvStore *p, const KvIndexDef *pNew, char **pzErr){
  KvStmt *pStmt;
  i64 iGeneration;
  int rc = kvStoreStatement(p, KVSQL_INDEX_ADD, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindText(pStmt, 1, pNew->zName);
  kvBindBlob(pStmt, 2, pNew->aPrefix, pNew->nPrefix);
  kvBindText(pStmt, 3, pNew->zPath);
  kvBindText(pStmt, 4, pNew->zOptions);
  rc = kvStoreRun(p, pStmt, pzErr);
  if( rc==SQLITE_OK ) rc = declareGeneration(p, &iGeneration, pzErr);
  return rc==SQLITE_OK ? kvIndexLoad(p, iGeneration, pzErr) : rc;
}

/* Its entries are to hold copies. */
static int declareAddCopy(KvIndexDef *p){
  char *z = sqlite3_mprintf("%s%scopy", p->zOptions, p->zOptions[0] ? " " : "");
  if( z==0 ) return SQLITE_NOMEM;
  sqlite3_free(p->zOptions);
  p->zOptions = z;
  p->mOptions |= KVINDEX_COPY;
  return SQLITE_OK;
}

/* How many rows an index has: by the keys in its place. */
static int declareRemoveRange(KvStore *p, int eSql, const KvIndexDef *pDef, i64 *pn, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, eSql, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvIndexBindPlace(pStmt, 1, pDef, &p->pIndexes->chunk);
  rc = kvStoreRun(p, pStmt, pzErr);
  if( rc==SQLITE_OK && pn ) *pn = sqlite3_changes64(p->db);
  return rc;
}

int kvIndexCreate(KvStore *p, const KvIndexDef *pArgs, i64 *pnEntry, char **pzErr){
  static const int aSql[] = {
    KVSQL_INDEX_DEF, KVSQL_INDEX_ROW, KVSQL_INDEX_ROW_INDEX, KVSQL_INDEX_PENDING,
    KVSQL_INDEX_ON_INSERT, KVSQL_INDEX_ON_UPDATE, KVSQL_INDEX_ON_MOVE, KVSQL_INDEX_ON_DELETE,
  };
  KvIndexDef def;
  const KvIndexDef *pDef;
  i64 iVersion;
  int bThere, nStep, rc;
  u32 i;
  int bCopy = 0;
  *pnEntry = 0;
  rc = kvStoreOwn(p, KV_OWN_INDEXES, 1, &bThere, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreOwn(p, KV_OWN_PENDING, 1, &bThere, pzErr);
  if( rc==SQLITE_OK ) rc = kvTrackOn(p, 0, pzErr);
  for(i=0; rc==SQLITE_OK && i<sizeof(aSql)/sizeof(aSql[0]); i++){
    rc = kvStoreSimple(p, aSql[i], pzErr);
  }
  if( rc!=SQLITE_OK ) return rc;
  rc = kvIndexDefMake(&def, pArgs->zName, pArgs->aPrefix, pArgs->nPrefix, pArgs->zPath, pArgs->zOptions);
  if( rc==SQLITE_OK ) rc = kvStoreBump(p, &iVersion, &nStep, pzErr);
  if( rc==SQLITE_OK ) rc = declareAllowed(p, &def, pzErr);
  if( rc==SQLITE_OK ) rc = declareTakeOver(p, &def, pArgs->bOverwrite, &bCopy, pzErr);
  if( rc==SQLITE_OK && bCopy ) rc = declareAddCopy(&def);
  if( rc==SQLITE_OK ) rc = declareDeclare(p, &def, pzErr);
  if( rc==SQLITE_OK ) rc = kvIndexApplied(p, iVersion, 0, pzErr);
  kvIndexDefClear(&def);
  if( rc!=SQLITE_OK ) return rc==SQLITE_DONE ? SQLITE_OK : rc;
  pDef = kvIndexNamed(p->pIndexes, pArgs->zName);
  rc = pDef ? kvIndexEnter(p->pIndexes, pzErr) : kvIndexMeddled(pzErr);
  if( rc!=SQLITE_OK ) return rc;
  p->pIndexes->nAdded = 0;
  rc = declareEvict(p, pDef, pzErr);
  if( rc==SQLITE_OK ) rc = declareFill(p, pDef, pzErr);
  *pnEntry = p->pIndexes->nAdded;
  if( rc==SQLITE_OK ) rc = declareLeft(p, pDef, pArgs->bOverwrite, pzErr);
  kvIndexLeave(p->pIndexes);
  return rc;
}

/* Take an index out of the file: its rows, its entries, its declaration. */
static int declareRemove(
  KvStore *p, const KvIndexDef *pDef, i64 *pnEntry, i64 *piGeneration, char **pzErr
){
  KvStmt *pStmt;
  int rc = declareRemoveRange(p, KVSQL_INDEX_REMOVE_ROWS, pDef, 0, pzErr);
  if( rc==SQLITE_OK ) rc = declareRemoveRange(p, KVSQL_INDEX_REMOVE_ENTRIES, pDef, pnEntry, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreStatement(p, KVSQL_INDEX_REMOVE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindText(pStmt, 1, pDef->zName);
  rc = kvStoreRun(p, pStmt, pzErr);
  return rc==SQLITE_OK ? declareGeneration(p, piGeneration, pzErr) : rc;
}

int kvIndexRemove(KvStore *p, const char *zName, int *pbFound, i64 *pnEntry, int *pnLeft, char **pzErr){
  const KvIndexDef *pDef;
  i64 iVersion, iGeneration = 0;
  int nStep, rc;
  *pbFound = 0;
  *pnEntry = 0;
  *pnLeft = 0;
  rc = kvStoreBump(p, &iVersion, &nStep, pzErr);
  if( rc!=SQLITE_OK || !(kvSchemaKnown(p) & KVKNOWN_INDEXES) || p->pIndexes==0 ) return rc;
  pDef = kvIndexNamed(p->pIndexes, zName);
  *pnLeft = (int)p->pIndexes->nDef;
  if( pDef==0 ) return SQLITE_OK;
  *pbFound = 1;
  *pnLeft -= 1;
  rc = kvIndexEnter(p->pIndexes, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  rc = declareRemove(p, pDef, pnEntry, &iGeneration, pzErr);
  kvIndexLeave(p->pIndexes);
  if( rc==SQLITE_OK ) rc = kvIndexLoad(p, iGeneration, pzErr);
  if( rc==SQLITE_OK && kvIndexNamed(p->pIndexes, zName) ) rc = kvIndexMeddled(pzErr);
  return rc;
}

int kvIndexDropTables(KvStore *p, char **pzErr){
  static const int aPending[] = {
    KVSQL_INDEX_DROP_INSERT, KVSQL_INDEX_DROP_UPDATE, KVSQL_INDEX_DROP_MOVE,
    KVSQL_INDEX_DROP_DELETE, KVSQL_INDEX_DROP_PENDING,
  };
  int i, bThere, bPending = 0;
  int rc = kvStoreOwn(p, KV_OWN_INDEXES, 0, &bThere, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreOwn(p, KV_OWN_PENDING, 0, &bPending, pzErr);
  for(i=0; rc==SQLITE_OK && bPending && i<5; i++) rc = kvStoreSimple(p, aPending[i], pzErr);
  if( rc==SQLITE_OK && bThere ) rc = kvStoreSimple(p, KVSQL_INDEX_DROP_ROW, pzErr);
  if( rc==SQLITE_OK && bThere ) rc = kvStoreSimple(p, KVSQL_INDEX_DROP_DEF, pzErr);
  kvStoreRelease(p);
  if( p->pIndexes ) kvIndexForget(p->pIndexes);
  return rc;
}
