/*
** index_def.c -- declared indexes: which there are, declaring and removing one.
**
** The declarations are rows of kv_index_def.  What was read of them is kept
** for as long as the schema and kv_track_state.generation, which every change of
** them sets anew, stay what they were.
*/
#include "store/index_work.h"
SQLITE_EXTENSION_INIT3
#include "codec/key/key.h"
#include "store_sql.h"

/* ---- declarations -------------------------------------------------------- */

static void idxDefClear(KvIndexDef *p){
  sqlite3_free(p->zName);
  sqlite3_free(p->zPath);
  sqlite3_free(p->zOptions);
  sqlite3_free(p->aName);
  sqlite3_free(p->aPrefix);
  kvOverlayDrop(p->pOver);
}

static void idxForget(KvIndexes *p){
  u32 i;
  for(i=0; i<p->nDef; i++) idxDefClear(&p->aDef[i]);
  sqlite3_free(p->aDef);
  p->aDef = 0;
  p->nDef = 0;
  p->bLoaded = 0;
}

void kvIndexFree(KvStore *pStore){
  KvIndexes *p = pStore->pIndexes;
  if( p==0 ) return;
  idxForget(p);
  kvTreeClear(&p->tree);
  kvBufClear(&p->parts);
  kvBufClear(&p->wanted);
  kvBufClear(&p->there);
  kvBufClear(&p->change);
  kvBufClear(&p->whose);
  kvBufClear(&p->pointer);
  kvBufClear(&p->entry);
  kvBufClear(&p->chunk);
  kvBufClear(&p->entryKey);
  kvBufClear(&p->found.v);
  sqlite3_free(p);
  pStore->pIndexes = 0;
}

static KvIndexes *idxGet(KvStore *pStore){
  KvIndexes *p = pStore->pIndexes;
  if( p==0 && (p = sqlite3_malloc64(sizeof(*p)))!=0 ){
    memset(p, 0, sizeof(*p));        /* an empty tree or buffer is all zero */
    pStore->pIndexes = p;
  }
  return p;
}

static u8 *idxCopy(const void *a, u32 n){
  u8 *aNew = sqlite3_malloc64((u64)n + 1);
  if( aNew && n ) memcpy(aNew, a, n);
  return aNew;
}

/* The options as a mask, from the words in which they are kept. */
static u32 idxOptions(const char *z){
  return (strstr(z, "unique") ? (u32)KVINDEX_UNIQUE : 0u)
       | (strstr(z, "lower") ? (u32)KVINDEX_LOWER : 0u)
       | (strstr(z, "copy") ? (u32)KVINDEX_COPY : 0u);
}

/* Make a declaration.  SQLITE_OK or SQLITE_NOMEM; idxDefClear() either way. */
static int idxDefMake(
  KvIndexDef *p, const char *zName, const u8 *aPrefix, u32 nPrefix,
  const char *zPath, const char *zOptions
){
  KvBuf name;
  memset(p, 0, sizeof(*p));
  kvBufInit(&name, 0, 0);
  kvKeyPutString(&name, (const u8*)zName, (u32)strlen(zName));
  p->zName = sqlite3_mprintf("%s", zName);
  p->zPath = sqlite3_mprintf("%s", zPath);
  p->zOptions = sqlite3_mprintf("%s", zOptions);
  p->mOptions = idxOptions(zOptions);
  p->aPrefix = idxCopy(aPrefix, nPrefix);
  p->nPrefix = nPrefix;
  if( name.eErr==KV_OK ) p->aName = idxCopy(name.a, name.n);
  p->nName = name.n;
  kvBufClear(&name);
  return p->zName && p->zPath && p->zOptions && p->aPrefix && p->aName
      ? SQLITE_OK : SQLITE_NOMEM;
}

/* Append the declaration that a row of kv_index_def holds. */
static int idxLoadRow(KvIndexes *p, sqlite3_stmt *pStmt){
  KvIndexDef *aNew = sqlite3_realloc64(p->aDef, (u64)(p->nDef+1)*sizeof(KvIndexDef));
  const char *zName = (const char*)sqlite3_column_text(pStmt, 0);
  const u8 *aPrefix = sqlite3_column_blob(pStmt, 1);
  u32 nPrefix = (u32)sqlite3_column_bytes(pStmt, 1);
  const char *zPath = (const char*)sqlite3_column_text(pStmt, 2);
  const char *zOptions = (const char*)sqlite3_column_text(pStmt, 3);
  if( aNew==0 ) return SQLITE_NOMEM;
  p->aDef = aNew;
  if( zName==0 || zPath==0 || zOptions==0 ) return SQLITE_NOMEM;
  return idxDefMake(&p->aDef[p->nDef++], zName, aPrefix, nPrefix, zPath, zOptions);
}

int kvIndexRefused(const KvIndexes *p, char **pzErr){
  if( !p->bBusy ) return SQLITE_OK;
  *pzErr = sqlite3_mprintf("kv: a trigger wrote to the store while an index was brought up");
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

int kvIndexEnter(KvIndexes *p, char **pzErr){
  int rc = kvIndexRefused(p, pzErr);
  if( rc==SQLITE_OK ) p->bBusy = 1;
  return rc;
}

void kvIndexLeave(KvIndexes *p){
  p->bBusy = 0;
}

/* The declarations are not what was made of them. */
static int idxMeddled(char **pzErr){
  *pzErr = sqlite3_mprintf("kv: a trigger changed the declared indexes while they were in use");
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* Read the declarations. */
static int idxLoad(KvStore *pStore, KvIndexes *p, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, KVSQL_INDEX_LIST, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  while( (rc = kvTrackStep(pStore, pStmt))==SQLITE_ROW ){
    rc = idxLoadRow(p, pStmt->pStmt);
    if( rc!=SQLITE_OK ) break;
  }
  if( rc==SQLITE_DONE ) rc = SQLITE_OK;
  else if( rc!=SQLITE_NOMEM ) kvStoreFailed(pStore, rc, pzErr);
  kvStoreGive(pStore, pStmt);
  return rc;
}

/* bIndexed, which was looked at in this transaction, tells whether there is a
** table of them; and another file may have the same generation. */
int kvIndexLoad(KvStore *pStore, i64 iGeneration, char **pzErr){
  KvIndexes *p = idxGet(pStore);
  int rc;
  if( p==0 ) return SQLITE_NOMEM;
  if( p->bLoaded && p->iGeneration==iGeneration && p->iSchema==pStore->iSchema ) return SQLITE_OK;
  if( p->bBusy ) return idxMeddled(pzErr);
  idxForget(p);
  rc = kvIndexKnow(pStore, pzErr);
  if( rc==SQLITE_OK && pStore->bIndexed ) rc = idxLoad(pStore, p, pzErr);
  if( rc!=SQLITE_OK ){
    idxForget(p);
    return rc;
  }
  p->bLoaded = 1;
  p->iGeneration = iGeneration;
  p->iSchema = pStore->iSchema;
  return SQLITE_OK;
}

int kvIndexKnow(KvStore *p, char **pzErr){
  int rc = SQLITE_OK;
  if( p->bLooked ) return SQLITE_OK;
  p->bTracked = (u8)kvStoreHasColumn(p, "kv_track_state", "applied", &rc);
  p->bIndexed = p->bTracked && kvStoreHasColumn(p, "kv_index_def", "options", &rc);
  p->bPending = p->bIndexed && kvStoreHasColumn(p, "kv_index_pending", "k", &rc);
  p->bLooked = rc==SQLITE_OK;
  return rc==SQLITE_OK ? SQLITE_OK : kvStoreFailed(p, rc, pzErr);
}

int kvIndexLook(KvStore *p, char **pzErr){
  int rc = kvStoreSchema(p, 0, pzErr);
  return rc==SQLITE_OK ? kvIndexKnow(p, pzErr) : rc;
}

int kvIndexList(KvStore *p, const KvIndexDef **pa, u32 *pn, char **pzErr){
  KvTrack track;
  int rc = kvTrackGet(p, &track, pzErr);
  *pa = 0;
  *pn = 0;
  if( rc!=SQLITE_OK || !track.bThere ) return rc;
  rc = kvIndexLoad(p, track.iGeneration, pzErr);
  if( rc==SQLITE_OK ){
    *pa = p->pIndexes->aDef;
    *pn = p->pIndexes->nDef;
  }
  return rc;
}

int kvIndexOwns(const KvIndexDef *pDef, const u8 *a, u32 n){
  return n>pDef->nName && memcmp(a, pDef->aName, pDef->nName)==0;
}

const KvIndexDef *kvIndexOwner(const KvIndexes *p, const u8 *a, u32 n){
  u32 i;
  for(i=0; i<p->nDef; i++){
    if( kvIndexOwns(&p->aDef[i], a, n) ) return &p->aDef[i];
  }
  return 0;
}

/* ---- declaring ----------------------------------------------------------- */

/* The first entry in the index's place that is none of its entries: its key is
** put into p->entryKey, which is empty if there is none. */
static int idxStray(KvStore *pStore, const KvIndexDef *pDef, char **pzErr){
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
static int idxInTheWay(const KvIndexes *p, const char *zName, const char *zWhy, char **pzErr){
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
static int idxTakeOver(KvStore *pStore, const KvIndexDef *pDef, int bOverwrite, int *pbCopy, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  int bAsked = (pDef->mOptions & KVINDEX_COPY)!=0;
  int rc = idxStray(pStore, pDef, pzErr);        /* it has no entries yet */
  *pbCopy = 0;
  if( rc!=SQLITE_OK || p->entryKey.n==0 || bOverwrite ) return rc;
  rc = kvIndexProbe(pStore, pDef, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( p->mForm==0 ) return idxInTheWay(p, pDef->zName, "is no entry of", pzErr);
  if( bAsked && !(p->mForm & KVINDEX_FORM_COPY) ){
    rc = idxStray(pStore, pDef, pzErr);
    return rc==SQLITE_OK ? idxInTheWay(p, pDef->zName, "holds a pointer, not a copy, as an entry of", pzErr) : rc;
  }
  *pbCopy = !bAsked && !(p->mForm & KVINDEX_FORM_POINTER);
  return SQLITE_OK;
}

/* What still stands there is no entry of the index. */
static int idxLeft(KvStore *pStore, const KvIndexDef *pDef, int bOverwrite, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  KvStmt *pStmt;
  int rc = idxStray(pStore, pDef, pzErr);
  if( rc!=SQLITE_OK || p->entryKey.n==0 ) return rc;
  if( !bOverwrite ) return idxInTheWay(p, pDef->zName, "is no entry of", pzErr);
  rc = kvStoreStatement(pStore, KVSQL_INDEX_OVERWRITE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvIndexBindPlace(pStmt, 1, pDef, &p->chunk);
  return kvStoreRun(pStore, pStmt, pzErr);
}

/* The file has a new set of declarations, which is to be loaded. */
static int idxGeneration(KvStore *p, i64 *piGeneration, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, KVSQL_TRACK_SET_GENERATION, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  sqlite3_randomness(sizeof(*piGeneration), piGeneration);
  *piGeneration &= INT64_MAX;
  kvBindInt(pStmt, 1, *piGeneration);
  return kvStoreRun(p, pStmt, pzErr);
}

static KvIndexDef *idxByName(const KvIndexes *p, const char *zName){
  u32 i;
  for(i=0; p && i<p->nDef; i++){
    if( strcmp(p->aDef[i].zName, zName)==0 ) return &p->aDef[i];
  }
  return 0;
}

int kvIndexByName(KvStore *p, i64 iGeneration, const char *zName, KvIndexDef **ppDef, char **pzErr){
  int rc = kvIndexLoad(p, iGeneration, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  *ppDef = idxByName(p->pIndexes, zName);
  return *ppDef ? SQLITE_OK : SQLITE_NOTFOUND;
}

int kvIndexPlace(KvStore *p, const u8 *aKey, u32 nKey){
  return p->pIndexes && kvIndexOwner(p->pIndexes, aKey, nKey)!=0;
}

/* Are the options of an index those of a declaration?  It may hold copies without
** having been asked to. */
int kvIndexSameOptions(const KvIndexDef *pOld, const KvIndexDef *pNew){
  return pOld->mOptions==pNew->mOptions || pOld->mOptions==(pNew->mOptions|KVINDEX_COPY);
}

/* May the index be declared beside the others?  SQLITE_DONE: it is already. */
static int idxAllowed(KvStore *pStore, const KvIndexDef *pNew, char **pzErr){
  const KvIndexes *p = pStore->pIndexes;
  const KvIndexDef *pOld = idxByName(p, pNew->zName);
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

static int idxDeclare(KvStore *p, const KvIndexDef *pNew, char **pzErr){
  KvStmt *pStmt;
  i64 iGeneration;
  int rc = kvStoreStatement(p, KVSQL_INDEX_ADD, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindText(pStmt, 1, pNew->zName);
  kvBindBlob(pStmt, 2, pNew->aPrefix, pNew->nPrefix);
  kvBindText(pStmt, 3, pNew->zPath);
  kvBindText(pStmt, 4, pNew->zOptions);
  rc = kvStoreRun(p, pStmt, pzErr);
  if( rc==SQLITE_OK ) rc = idxGeneration(p, &iGeneration, pzErr);
  return rc==SQLITE_OK ? kvIndexLoad(p, iGeneration, pzErr) : rc;
}

/* Its entries are to hold copies. */
static int idxAddCopy(KvIndexDef *p){
  char *z = sqlite3_mprintf("%s%scopy", p->zOptions, p->zOptions[0] ? " " : "");
  if( z==0 ) return SQLITE_NOMEM;
  sqlite3_free(p->zOptions);
  p->zOptions = z;
  p->mOptions |= KVINDEX_COPY;
  return SQLITE_OK;
}

/* How many rows an index has: by the keys in its place. */
static int idxRemoveRange(KvStore *p, int eSql, const KvIndexDef *pDef, i64 *pn, char **pzErr){
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
  rc = idxDefMake(&def, pArgs->zName, pArgs->aPrefix, pArgs->nPrefix, pArgs->zPath, pArgs->zOptions);
  if( rc==SQLITE_OK ) rc = kvStoreBump(p, &iVersion, &nStep, pzErr);
  if( rc==SQLITE_OK ) rc = idxAllowed(p, &def, pzErr);
  if( rc==SQLITE_OK ) rc = idxTakeOver(p, &def, pArgs->bOverwrite, &bCopy, pzErr);
  if( rc==SQLITE_OK && bCopy ) rc = idxAddCopy(&def);
  if( rc==SQLITE_OK ) rc = idxDeclare(p, &def, pzErr);
  if( rc==SQLITE_OK ) rc = kvIndexApplied(p, iVersion, 0, pzErr);
  idxDefClear(&def);
  if( rc!=SQLITE_OK ) return rc==SQLITE_DONE ? SQLITE_OK : rc;
  pDef = idxByName(p->pIndexes, pArgs->zName);
  rc = pDef ? kvIndexEnter(p->pIndexes, pzErr) : idxMeddled(pzErr);
  if( rc!=SQLITE_OK ) return rc;
  p->pIndexes->nAdded = 0;
  rc = kvIndexEvict(p, pDef, pzErr);
  if( rc==SQLITE_OK ) rc = kvIndexFill(p, pDef, pzErr);
  *pnEntry = p->pIndexes->nAdded;
  if( rc==SQLITE_OK ) rc = idxLeft(p, pDef, pArgs->bOverwrite, pzErr);
  kvIndexLeave(p->pIndexes);
  return rc;
}

/* Take an index out of the file: its rows, its entries, its declaration. */
static int idxRemove(
  KvStore *p, const KvIndexDef *pDef, i64 *pnEntry, i64 *piGeneration, char **pzErr
){
  KvStmt *pStmt;
  int rc = idxRemoveRange(p, KVSQL_INDEX_REMOVE_ROWS, pDef, 0, pzErr);
  if( rc==SQLITE_OK ) rc = idxRemoveRange(p, KVSQL_INDEX_REMOVE_ENTRIES, pDef, pnEntry, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreStatement(p, KVSQL_INDEX_REMOVE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindText(pStmt, 1, pDef->zName);
  rc = kvStoreRun(p, pStmt, pzErr);
  return rc==SQLITE_OK ? idxGeneration(p, piGeneration, pzErr) : rc;
}

int kvIndexRemove(KvStore *p, const char *zName, int *pbFound, i64 *pnEntry, int *pnLeft, char **pzErr){
  const KvIndexDef *pDef;
  i64 iVersion, iGeneration = 0;
  int nStep, rc;
  *pbFound = 0;
  *pnEntry = 0;
  *pnLeft = 0;
  rc = kvStoreBump(p, &iVersion, &nStep, pzErr);
  if( rc!=SQLITE_OK || !p->bIndexed || p->pIndexes==0 ) return rc;
  pDef = idxByName(p->pIndexes, zName);
  *pnLeft = (int)p->pIndexes->nDef;
  if( pDef==0 ) return SQLITE_OK;
  *pbFound = 1;
  *pnLeft -= 1;
  rc = kvIndexEnter(p->pIndexes, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  rc = idxRemove(p, pDef, pnEntry, &iGeneration, pzErr);
  kvIndexLeave(p->pIndexes);
  if( rc==SQLITE_OK ) rc = kvIndexLoad(p, iGeneration, pzErr);
  if( rc==SQLITE_OK && idxByName(p->pIndexes, zName) ) rc = idxMeddled(pzErr);
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
  if( p->pIndexes ) idxForget(p->pIndexes);
  return rc;
}
