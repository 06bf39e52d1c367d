/*
** def.c -- the declared indexes: which there are.  See def.h.
**
** The declarations are rows of kv_index_def.  What was read of them is kept
** for as long as the schema and kv_index_state.generation, which every change of
** them draws again, stay what they were.
*/
#include "store/store_int.h"
#include "codec/index_key.h"
#include "codec/key/key_bytes.h"
#include "store/feed.h"
#include "store/index/def.h"

void kvIndexForget(KvStore *pStore){
  KvIndexes *p = &pStore->indexes;
  u32 i;
  for(i=0; i<p->nDef; i++) sqlite3_free(p->apDef[i]);
  sqlite3_free(p->apDef);
  p->apDef = 0;
  p->nDef = 0;
  p->bLoaded = p->bSearch = 0;
}

/* ---- a declaration ------------------------------------------------------- */

/* The options as a mask, from the words in which they are kept, up to *pzWhere. */
static u32 indexDefOptions(const char *z, const char **pzWhere){
  static const struct { const char *zWord; u32 m; } aWord[] = {
    { "unique", KVINDEX_UNIQUE }, { "lower", KVINDEX_LOWER }, { "copy", KVINDEX_COPY },
    { "fulltext", KVINDEX_SEARCH }, { "table", KVINDEX_TABLE },
  };
  u32 m = 0;
  for(; *z; z+=strspn(z, " ")){
    size_t i, n = kvIndexTokenize(kvBytesText(z), 0);
    if( n==0 ) n = strcspn(z, " ");
    if( n==5 && memcmp(z, "where", n)==0 ) break;
    for(i=0; i<sizeof(aWord)/sizeof(aWord[0]); i++){
      if( strlen(aWord[i].zWord)==n && memcmp(z, aWord[i].zWord, n)==0 ) m |= aWord[i].m;
    }
    z += n;
  }
  *pzWhere = z;
  return m;
}

/* Read the paths and the condition; aSpace has room for the condition.  Texts that are
** none, which no declaration has left, index nothing. */
static void indexDefSpec(KvStore *p, KvIndexDef *pDef, u8 *aSpace){
  KvBytes where = kvBytesText(pDef->zWhere);
  int bWhere, rc;
  memset(&pDef->spec, 0, sizeof(pDef->spec));
  if( pDef->mOptions & KVINDEX_TABLE ) return;
  if( where.n>0 ) where = kvBytesFrom(where, 5);
  rc = kvIndexSpec(&pDef->spec, kvBytesText(pDef->zPath), where,
                   (pDef->mOptions & KVINDEX_SEARCH)!=0, aSpace, &bWhere, 0);
  if( rc==KV_NOMEM ) kvErrorCode(&p->err, SQLITE_NOMEM);
}

/* Append a text with its end to the declaration's memory. */
static const char *indexDefText(u8 **pa, const char *z){
  size_t n = strlen(z) + 1;
  char *zCopy = memcpy(*pa, z, n);
  *pa += n;
  return zCopy;
}

/* Append a key and the one that is after all that begin with it, which has the
** same bytes and 0xff. */
static void indexDefKey(u8 **pa, KvBytes key, KvBytes *pKey, KvBytes *pEnd){
  if( key.n ) memcpy(*pa, key.p, key.n);
  (*pa)[key.n] = 0xff;
  *pKey = kvBytes(*pa, key.n);
  *pEnd = kvBytes(*pa, key.n + 1);
  *pa += key.n + 1;
}

KvIndexDef *kvIndexDefNew(
  KvStore *p, const char *zName, KvBytes prefix, const char *zPath, const char *zOptions
){
  static const u8 aLast[] = { 0xff, 0xff };
  KvIndexDef *pDef = 0;
  KvBuf name;
  u8 *a;
  kvBufInit(&name, 0, 0);
  kvKeyPutString(&name, kvBytesText(zName));
  kvErrorBuf(&p->err, &name);
  if( !kvFailed(&p->err) ){
    pDef = sqlite3_malloc64(sizeof(*pDef) + strlen(zName) + strlen(zPath) + 2*strlen(zOptions) + 3
                            + prefix.n + name.n + 2);
    if( pDef==0 ) kvErrorCode(&p->err, SQLITE_NOMEM);
  }
  if( pDef ){
    a = (u8*)&pDef[1];
    pDef->zName = indexDefText(&a, zName);
    pDef->zPath = indexDefText(&a, zPath);
    pDef->zOptions = indexDefText(&a, zOptions);
    pDef->mKind = 0;
    pDef->mOptions = indexDefOptions(pDef->zOptions, &pDef->zWhere);
    indexDefKey(&a, prefix, &pDef->prefix, &pDef->prefixEnd);
    pDef->last = prefix.n ? pDef->prefixEnd : kvBytes(aLast, sizeof(aLast));
    indexDefKey(&a, kvBufBytes(&name), &pDef->name, &pDef->nameEnd);
    indexDefSpec(p, pDef, a);
  }
  kvBufClear(&name);
  return pDef;
}

/* The options of a full-text index are in one order, and all of them count. */
int kvIndexDefFits(const KvIndexDef *pOld, const KvIndexDef *pNew){
  const char *zWhere;
  u32 mOptions = indexDefOptions(pNew->zOptions, &zWhere);
  if( ((mOptions | pOld->mOptions) & KVINDEX_SEARCH)
   && strcmp(pOld->zOptions, pNew->zOptions)!=0
  ){
    return 0;
  }
  return (pOld->mOptions==mOptions || pOld->mOptions==(mOptions|KVINDEX_COPY))
      && strcmp(pOld->zPath, pNew->zPath)==0 && strcmp(pOld->zWhere, zWhere)==0
      && kvBytesEqual(pOld->prefix, pNew->prefix);
}

int kvIndexDefIsOf(const KvIndexDef *p, KvBytes prefix, const char *zPath){
  return p->spec.nPath==1 && p->spec.where.n==0 && !(p->mOptions & KVINDEX_APART)
      && strcmp(p->zPath, zPath)==0 && kvBytesEqual(p->prefix, prefix);
}

int kvIndexDefOwns(const KvIndexDef *p, KvBytes key){
  return key.n>p->name.n && kvBytesBegins(key, p->name) && !(p->mOptions & KVINDEX_APART);
}

int kvIndexDefLeft(const KvIndexDef *p, KvBytes ik){
  return ik.n>p->name.n && ik.p[p->name.n]==KV_TAG_LEFT;
}

int kvIndexDefStored(const KvIndexDef *p, KvBytes ik){
  return ik.n<=KVINDEX_KEY_MAX && !kvIndexDefLeft(p, ik);
}

KvBytes kvIndexDefOwn(const KvIndexDef *p){
  return p->mOptions & KVINDEX_APART ? kvBytes(0, 0) : p->name;
}

int kvIndexDefCovers(const KvIndexDef *p, KvBytes key){
  return key.n>p->prefix.n && kvBytesBegins(key, p->prefix);
}

/* ---- those that there are ------------------------------------------------- */

int kvIndexEnter(KvStore *p){
  kvIndexRefuse(p);
  if( kvFailed(&p->err) ) return 0;
  p->indexes.bBusy = 1;
  return 1;
}

void kvIndexLeave(KvStore *p){
  KV_ASSERT( p->indexes.bBusy );
  p->indexes.bBusy = 0;
}

void kvIndexRefuse(KvStore *p){
  if( p->indexes.bBusy ){
    kvError(&p->err, SQLITE_ERROR,
        "kv: a trigger wrote to the store during index maintenance");
  }
}

void kvIndexMeddled(KvStore *p){
  kvError(&p->err, SQLITE_ERROR,
      "kv: a trigger changed the declared indexes while they were in use");
}

/* Append the declaration that a row of kv_index_def holds. */
static void indexDefAdd(KvStore *pStore, sqlite3_stmt *pStmt){
  KvIndexes *p = &pStore->indexes;
  const char *zName = (const char*)sqlite3_column_text(pStmt, 0);
  const u8 *aPrefix = sqlite3_column_blob(pStmt, 1);
  KvBytes prefix = kvBytes(aPrefix, (u32)sqlite3_column_bytes(pStmt, 1));
  const char *zPath = (const char*)sqlite3_column_text(pStmt, 2);
  const char *zOptions = (const char*)sqlite3_column_text(pStmt, 3);
  KvIndexDef **apNew = sqlite3_realloc64(p->apDef, (u64)(p->nDef+1)*sizeof(KvIndexDef*));
  if( apNew ) p->apDef = apNew;
  if( apNew==0 || zName==0 || zPath==0 || zOptions==0 ){
    kvErrorCode(&pStore->err, SQLITE_NOMEM);
    return;
  }
  apNew[p->nDef] = kvIndexDefNew(pStore, zName, prefix, zPath, zOptions);
  if( apNew[p->nDef]==0 ) return;
  apNew[p->nDef]->mKind = (u32)sqlite3_column_int64(pStmt, 4);
  if( apNew[p->nDef]->mOptions & KVINDEX_SEARCH ) p->bSearch = 1;
  p->nDef++;
}

/* Whether there is a table of them was looked at in this transaction; and another
** file may have the same generation. */
u32 kvIndexLoad(KvStore *pStore, i64 iGeneration){
  KvIndexes *p = &pStore->indexes;
  KvStmt *pStmt;
  if( kvFailed(&pStore->err) ) return 0;
  if( p->bLoaded && p->iGeneration==iGeneration && p->iSchema==pStore->schema.iSchema ){
    return p->nDef;
  }
  if( p->bBusy ){
    kvIndexMeddled(pStore);
    return 0;
  }
  kvIndexForget(pStore);
  if( kvSchemaKnow(pStore) & KVKNOWN_INDEXES ){
    pStmt = kvStmtTake(pStore, KVSQL_INDEX_LIST);
    while( kvFeedRow(pStmt) ) indexDefAdd(pStore, pStmt->pStmt);
    kvStmtGive(pStmt);
  }
  if( kvFailed(&pStore->err) ) kvIndexForget(pStore);
  else p->bLoaded = 1;
  p->iGeneration = iGeneration;
  p->iSchema = pStore->schema.iSchema;
  return p->nDef;
}

u32 kvIndexCount(const KvStore *p){
  return p->indexes.nDef;
}

const KvIndexDef *kvIndexAt(const KvStore *p, u32 i){
  return p->indexes.apDef[i];
}

const KvIndexDef *kvIndexNamed(const KvStore *p, const char *zName){
  u32 i;
  for(i=0; i<p->indexes.nDef; i++){
    if( strcmp(p->indexes.apDef[i]->zName, zName)==0 ) return p->indexes.apDef[i];
  }
  return 0;
}

const KvIndexDef *kvIndexOwner(const KvStore *p, KvBytes key){
  u32 i;
  for(i=0; i<p->indexes.nDef; i++){
    if( kvIndexDefOwns(p->indexes.apDef[i], key) ) return p->indexes.apDef[i];
  }
  return 0;
}
