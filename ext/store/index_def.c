/*
** index_def.c -- the declared indexes: which there are.  See index_def.h.
**
** The declarations are rows of kv_index_def.  What was read of them is kept
** for as long as the schema and kv_track_state.generation, which every change of
** them sets anew, stay what they were.
*/
#include "store/index_def.h"
SQLITE_EXTENSION_INIT3
#include "store/overlay.h"
#include "codec/key/key.h"
#include "store_sql.h"

void kvIndexDefClear(KvIndexDef *p){
  sqlite3_free(p->zName);
  sqlite3_free(p->zPath);
  sqlite3_free(p->zOptions);
  sqlite3_free(p->aName);
  sqlite3_free(p->aPrefix);
  kvOverlayDrop(p->pOver);
}

void kvIndexForget(KvIndexes *p){
  u32 i;
  for(i=0; i<p->nDef; i++) kvIndexDefClear(&p->aDef[i]);
  sqlite3_free(p->aDef);
  p->aDef = 0;
  p->nDef = 0;
  p->bLoaded = 0;
}

void kvIndexFree(KvStore *pStore){
  KvIndexes *p = pStore->pIndexes;
  if( p==0 ) return;
  kvIndexForget(p);
  kvTreeClear(&p->tree);
  kvListClear(&p->parts);
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

static KvIndexes *indexDefGet(KvStore *pStore){
  KvIndexes *p = pStore->pIndexes;
  if( p==0 && (p = sqlite3_malloc64(sizeof(*p)))!=0 ){
    memset(p, 0, sizeof(*p));        /* an empty tree or buffer is all zero */
    pStore->pIndexes = p;
  }
  return p;
}

static u8 *indexDefCopy(const void *a, u32 n){
  u8 *aNew = sqlite3_malloc64((u64)n + 1);
  if( aNew && n ) memcpy(aNew, a, n);
  return aNew;
}

/* The options as a mask, from the words in which they are kept. */
static u32 indexDefOptions(const char *z){
  return (strstr(z, "unique") ? (u32)KVINDEX_UNIQUE : 0u)
       | (strstr(z, "lower") ? (u32)KVINDEX_LOWER : 0u)
       | (strstr(z, "copy") ? (u32)KVINDEX_COPY : 0u);
}

/* Make a declaration.  SQLITE_OK or SQLITE_NOMEM; kvIndexDefClear() either way. */
int kvIndexDefMake(
  KvIndexDef *p, const char *zName, const u8 *aPrefix, u32 nPrefix,
  const char *zPath, const char *zOptions
){
  KvBuf name;
  memset(p, 0, sizeof(*p));
  kvBufInit(&name, 0, 0);
  kvKeyPutString(&name, kvBytesText(zName));
  p->zName = sqlite3_mprintf("%s", zName);
  p->zPath = sqlite3_mprintf("%s", zPath);
  p->zOptions = sqlite3_mprintf("%s", zOptions);
  p->mOptions = indexDefOptions(zOptions);
  p->aPrefix = indexDefCopy(aPrefix, nPrefix);
  p->nPrefix = nPrefix;
  if( name.eErr==KV_OK ) p->aName = indexDefCopy(name.a, name.n);
  p->nName = name.n;
  kvBufClear(&name);
  return p->zName && p->zPath && p->zOptions && p->aPrefix && p->aName
      ? SQLITE_OK : SQLITE_NOMEM;
}

/* Append the declaration that a row of kv_index_def holds. */
static int indexDefLoadRow(KvIndexes *p, sqlite3_stmt *pStmt){
  KvIndexDef *aNew = sqlite3_realloc64(p->aDef, (u64)(p->nDef+1)*sizeof(KvIndexDef));
  const char *zName = (const char*)sqlite3_column_text(pStmt, 0);
  const u8 *aPrefix = sqlite3_column_blob(pStmt, 1);
  u32 nPrefix = (u32)sqlite3_column_bytes(pStmt, 1);
  const char *zPath = (const char*)sqlite3_column_text(pStmt, 2);
  const char *zOptions = (const char*)sqlite3_column_text(pStmt, 3);
  if( aNew==0 ) return SQLITE_NOMEM;
  p->aDef = aNew;
  if( zName==0 || zPath==0 || zOptions==0 ) return SQLITE_NOMEM;
  return kvIndexDefMake(&p->aDef[p->nDef++], zName, aPrefix, nPrefix, zPath, zOptions);
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
int kvIndexMeddled(char **pzErr){
  *pzErr = sqlite3_mprintf("kv: a trigger changed the declared indexes while they were in use");
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* Read the declarations. */
static int indexDefLoad(KvStore *pStore, KvIndexes *p, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, KVSQL_INDEX_LIST, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  while( (rc = kvTrackStep(pStore, pStmt))==SQLITE_ROW ){
    rc = indexDefLoadRow(p, pStmt->pStmt);
    if( rc!=SQLITE_OK ) break;
  }
  if( rc==SQLITE_DONE ) rc = SQLITE_OK;
  else if( rc!=SQLITE_NOMEM ) kvStoreFailed(pStore, rc, pzErr);
  kvStoreGive(pStore, pStmt);
  return rc;
}

/* KVKNOWN_INDEXES, which was looked at in this transaction, tells whether there is a
** table of them; and another file may have the same generation. */
int kvIndexLoad(KvStore *pStore, i64 iGeneration, char **pzErr){
  KvIndexes *p = indexDefGet(pStore);
  int rc;
  if( p==0 ) return SQLITE_NOMEM;
  if( p->bLoaded && p->iGeneration==iGeneration && p->iSchema==kvSchemaCounted(pStore) ) return SQLITE_OK;
  if( p->bBusy ) return kvIndexMeddled(pzErr);
  kvIndexForget(p);
  rc = kvIndexKnow(pStore, pzErr);
  if( rc==SQLITE_OK && (kvSchemaKnown(pStore) & KVKNOWN_INDEXES) ) rc = indexDefLoad(pStore, p, pzErr);
  if( rc!=SQLITE_OK ){
    kvIndexForget(p);
    return rc;
  }
  p->bLoaded = 1;
  p->iGeneration = iGeneration;
  p->iSchema = kvSchemaCounted(pStore);
  return SQLITE_OK;
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

KvIndexDef *kvIndexNamed(const KvIndexes *p, const char *zName){
  u32 i;
  for(i=0; p && i<p->nDef; i++){
    if( strcmp(p->aDef[i].zName, zName)==0 ) return &p->aDef[i];
  }
  return 0;
}

int kvIndexByName(KvStore *p, i64 iGeneration, const char *zName, KvIndexDef **ppDef, char **pzErr){
  int rc = kvIndexLoad(p, iGeneration, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  *ppDef = kvIndexNamed(p->pIndexes, zName);
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
