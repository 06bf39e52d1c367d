/*
** index.c -- declared indexes: bringing up their entries.  See index.h.
**
** All of it comes down to two steps, which may be repeated without harm:
**
**   touch(pk)    compare what the primary entry's value asks for with the rows
**                of kv_index_row, change those, and repair what they name
**   repair(ik)   make the index entry what its rows say: a pointer to (or copy
**                of) the first primary entry that is there, or nothing
**
** An entry in an index's place is never a primary entry.  Whoever writes one
** through this library finds it repaired.
*/
#include "store/index.h"
SQLITE_EXTENSION_INIT3
#include "codec/index_key.h"
#include "codec/key.h"
#include "store_sql.h"
#include <stdlib.h>

/* Keys that are looked at in one go. */
#define INDEX_CHUNK   256
/* Deno reads no longer key; an entry with one is left out. */
#define INDEX_KEY_MAX 2048

struct KvIndexes {
  u8 bLoaded;             /* aDef is what iGeneration stands for */
  u8 bBusy;               /* The work space is in use */
  i64 iGeneration;
  i64 nAdded;             /* Index entries that were added */
  u32 nDef;
  KvIndexDef *aDef;
  KvBuf *pDefer;          /* Keys that were written, not yet looked at */
  KvTree tree;            /* Work space, from here on */
  KvBuf parts;            /* Values, as kvIndexValues() gives them */
  KvBuf wanted, there;    /* Keys, each behind its length */
  KvBuf change;           /* Keys that have to be repaired */
  KvBuf whose;            /* Primary keys of an index entry */
  KvBuf pointer;
  KvBuf entry;            /* What is stored at an index entry */
  KvBuf chunk;
  KvFound found;          /* The primary entry */
};

/* ---- lists of keys ------------------------------------------------------- */

static void idxListAdd(KvBuf *p, const u8 *a, u32 n){
  u8 aLen[4];
  aLen[0] = (u8)(n>>24);
  aLen[1] = (u8)(n>>16);
  aLen[2] = (u8)(n>>8);
  aLen[3] = (u8)n;
  kvBufAppend(p, aLen, 4);
  kvBufAppend(p, a, n);
}

static int idxCompare(const u8 *pA, u32 nA, const u8 *pB, u32 nB){
  u32 n = nA<nB ? nA : nB;
  int c = n ? memcmp(pA, pB, n) : 0;
  return c ? c : (nA>nB) - (nA<nB);
}

typedef struct IdxKey IdxKey;
struct IdxKey {
  const u8 *a;
  u32 n;
};

static int idxKeyCompare(const void *pA, const void *pB){
  const IdxKey *a = pA, *b = pB;
  return idxCompare(a->a, a->n, b->a, b->n);
}

/* Sort a list and drop what occurs twice. */
static int idxListSort(KvBuf *p){
  KvBuf out;
  IdxKey *a;
  const u8 *z;
  u32 i = 0, n = 0, nKey, k;
  while( kvIndexValueNext(p, &i, &nKey) ) n++;
  if( n<2 ) return SQLITE_OK;
  a = sqlite3_malloc64((u64)n*sizeof(IdxKey));
  if( a==0 ) return SQLITE_NOMEM;
  for(i=0, k=0; (z = kvIndexValueNext(p, &i, &nKey))!=0; k++){
    a[k].a = z;
    a[k].n = nKey;
  }
  qsort(a, n, sizeof(IdxKey), idxKeyCompare);
  kvBufInit(&out, 0, 0);
  for(k=0; k<n; k++){
    if( k==0 || idxKeyCompare(&a[k-1], &a[k])!=0 ) idxListAdd(&out, a[k].a, a[k].n);
  }
  sqlite3_free(a);
  kvBufReset(p);
  kvBufAppend(p, out.a, out.n);
  if( out.eErr!=KV_OK ) p->eErr = out.eErr;
  kvBufClear(&out);
  return p->eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
}

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

/* Read the declarations unless those that are known are of that generation. */
static int idxLoad(KvStore *pStore, i64 iGeneration, char **pzErr){
  KvIndexes *p = idxGet(pStore);
  KvStmt *pStmt;
  int rc;
  if( p==0 ) return SQLITE_NOMEM;
  if( p->bLoaded && p->iGeneration==iGeneration ) return SQLITE_OK;
  idxForget(p);
  rc = kvStoreStatement(pStore, KVSQL_INDEX_LIST, &pStmt, pzErr);
  /* No such table: none are declared. */
  if( rc!=SQLITE_OK ) return kvStoreMissing(pStore, "kv_index_def", "options", rc, pzErr);
  while( (rc = kvStep(pStmt))==SQLITE_ROW ){
    rc = idxLoadRow(p, pStmt->pStmt);
    if( rc!=SQLITE_OK ) break;
  }
  if( rc==SQLITE_DONE ){
    rc = SQLITE_OK;
    p->bLoaded = 1;
    p->iGeneration = iGeneration;
  }else{
    if( rc!=SQLITE_NOMEM ) kvStoreFailed(pStore, rc, pzErr);
    idxForget(p);
  }
  kvStoreGive(pStore, pStmt);
  return rc;
}

int kvIndexLook(KvStore *p, char **pzErr){
  int rc = SQLITE_OK;
  if( p->bLooked ) return SQLITE_OK;
  p->bTracked = (u8)kvStoreHasColumn(p, "kv_track_state", "applied", &rc);
  p->bIndexed = p->bTracked && kvStoreHasColumn(p, "kv_index_def", "options", &rc);
  p->bLooked = rc==SQLITE_OK;
  return rc==SQLITE_OK ? SQLITE_OK : kvStoreFailed(p, rc, pzErr);
}

int kvIndexList(KvStore *p, const KvIndexDef **pa, u32 *pn, char **pzErr){
  KvTrack track;
  int rc = kvTrackGet(p, &track, pzErr);
  *pa = 0;
  *pn = 0;
  if( rc!=SQLITE_OK || !track.bThere ) return rc;
  rc = idxLoad(p, track.iGeneration, pzErr);
  if( rc==SQLITE_OK ){
    *pa = p->pIndexes->aDef;
    *pn = p->pIndexes->nDef;
  }
  return rc;
}

/* The index in whose place a key is, or 0. */
static const KvIndexDef *idxPlace(const KvIndexes *p, const u8 *a, u32 n){
  u32 i;
  for(i=0; i<p->nDef; i++){
    const KvIndexDef *pDef = &p->aDef[i];
    if( n>pDef->nName && memcmp(a, pDef->aName, pDef->nName)==0 ) return pDef;
  }
  return 0;
}

static int idxUnder(const KvIndexDef *pDef, const u8 *a, u32 n){
  return n>pDef->nPrefix && memcmp(a, pDef->aPrefix, pDef->nPrefix)==0;
}

/* ---- statements ---------------------------------------------------------- */

static void idxBind(KvStmt *pStmt, int i, const u8 *a, u32 n){
  kvBindBlob(pStmt, i, a, n);
}

/* Bind the range of keys in an index's place: ?iFirst < k < ?iFirst+1.  The
** bound is made in pSpace, which must stay. */
static void idxBindPlace(KvStmt *pStmt, int iFirst, const KvIndexDef *pDef, KvBuf *pSpace){
  kvBufReset(pSpace);
  kvBufAppend(pSpace, pDef->aName, pDef->nName);
  kvBufPut(pSpace, 0xff);
  idxBind(pStmt, iFirst, pDef->aName, pDef->nName);
  idxBind(pStmt, iFirst+1, pSpace->a, pSpace->n);
  if( pSpace->eErr!=KV_OK ) pStmt->rc = SQLITE_NOMEM;
}

/* Append the first column of all rows to a list. */
static int idxCollect(KvStore *p, KvStmt *pStmt, KvBuf *pList, char **pzErr){
  int rc;
  while( (rc = kvStep(pStmt))==SQLITE_ROW ){
    idxListAdd(pList, sqlite3_column_blob(pStmt->pStmt, 0),
               (u32)sqlite3_column_bytes(pStmt->pStmt, 0));
  }
  rc = rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(p, rc, pzErr);
  kvStoreGive(p, pStmt);
  return rc==SQLITE_OK && pList->eErr!=KV_OK ? SQLITE_NOMEM : rc;
}

/* Run a statement on one row of kv_index_row. */
static int idxRow(KvStore *p, int eSql, const u8 *aIk, u32 nIk, const u8 *aPk, u32 nPk, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, eSql, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  idxBind(pStmt, 1, aIk, nIk);
  idxBind(pStmt, 2, aPk, nPk);
  return kvStoreRun(p, pStmt, pzErr);
}

/* The primary keys of an index entry into p->whose. */
static int idxWhose(KvStore *pStore, const u8 *aIk, u32 nIk, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, KVSQL_INDEX_WHOSE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBufReset(&p->whose);
  idxBind(pStmt, 1, aIk, nIk);
  return idxCollect(pStore, pStmt, &p->whose, pzErr);
}

/* ---- repair -------------------------------------------------------------- */

/* What is stored at an index entry. */
typedef struct IdxEntry IdxEntry;
struct IdxEntry {
  int bThere;
  int eEncoding;          /* The bytes are in KvIndexes.entry */
  i64 iExpires;
};

static int idxEntry(KvStore *pStore, const u8 *aIk, u32 nIk, IdxEntry *pEntry, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, KVSQL_INDEX_ENTRY, &pStmt, pzErr);
  memset(pEntry, 0, sizeof(*pEntry));
  if( rc!=SQLITE_OK ) return rc;
  idxBind(pStmt, 1, aIk, nIk);
  rc = kvStep(pStmt);
  if( rc==SQLITE_ROW ){
    pEntry->bThere = 1;
    pEntry->eEncoding = sqlite3_column_int(pStmt->pStmt, 1);
    pEntry->iExpires = sqlite3_column_int64(pStmt->pStmt, 2);
    kvBufReset(&p->entry);
    kvBufAppend(&p->entry, sqlite3_column_blob(pStmt->pStmt, 0),
                (u64)sqlite3_column_bytes(pStmt->pStmt, 0));
    rc = p->entry.eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  }else{
    rc = rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(pStore, rc, pzErr);
  }
  kvStoreGive(pStore, pStmt);
  return rc;
}

/* What an entry for the primary key, which was found, has to hold: in
** p->pointer, or (copy) in p->found.  SQLITE_NOTFOUND: it can't be made. */
static int idxWanted(KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk, int *peEncoding){
  KvIndexes *p = pStore->pIndexes;
  int rc;
  kvBufReset(&p->pointer);
  if( pDef->mOptions & KVINDEX_COPY ){
    kvBufAppend(&p->pointer, p->found.v.a, p->found.v.n);
    *peEncoding = p->found.eEncoding;
    return p->pointer.eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  }
  kvTreeReset(&p->tree);
  rc = kvIndexPointer(&p->tree, aPk+pDef->nPrefix, nPk-pDef->nPrefix,
                      pStore->piV8Version ? *pStore->piV8Version : 15, &p->pointer, peEncoding, 0);
  return rc==KV_OK ? SQLITE_OK : rc==KV_NOMEM ? SQLITE_NOMEM : SQLITE_NOTFOUND;
}

/* Is the entry as it should be?  A pointer may have another header version. */
static int idxSame(const KvIndexes *p, const IdxEntry *pEntry, int eEncoding){
  const KvBuf *pA = &p->entry, *pB = &p->pointer;
  u32 i = 0;
  if( !pEntry->bThere || pEntry->eEncoding!=eEncoding || pEntry->iExpires!=p->found.iExpires
   || pA->n!=pB->n
  ){
    return 0;
  }
  if( eEncoding==1 && pA->n>2 && pA->a[0]==0xff && pB->a[0]==0xff
   && pA->a[1]>=13 && pA->a[1]<=16
  ){
    i = 2;
  }
  return memcmp(pA->a+i, pB->a+i, pA->n-i)==0;
}

static int idxBefore(KvStore *p, const u8 *a, u32 n, char **pzErr){
  return p->xBefore ? p->xBefore(p->pBefore, a, n, pzErr) : SQLITE_OK;
}

static int idxRepair(KvStore *pStore, const KvIndexDef *pDef, const u8 *aIk, u32 nIk, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  IdxEntry entry;
  const u8 *aPk, *aFirst = 0;
  u32 i = 0, nPk = 0, nFirst = 0;
  int eEncoding = 0, bLast = 0, rc;
  rc = idxEntry(pStore, aIk, nIk, &entry, pzErr);
  if( rc==SQLITE_OK ) rc = idxWhose(pStore, aIk, nIk, pzErr);
  while( rc==SQLITE_OK && nIk<=INDEX_KEY_MAX && (aPk = kvIndexValueNext(&p->whose, &i, &nPk))!=0 ){
    rc = kvStoreFind(pStore, aPk, nPk, kvNow(), 1, &p->found, pzErr);
    if( rc!=SQLITE_OK || !p->found.bFound ) continue;
    rc = idxWanted(pStore, pDef, aPk, nPk, &eEncoding);
    if( rc==SQLITE_OK && idxSame(p, &entry, eEncoding) ) return SQLITE_OK;
    if( rc==SQLITE_OK && aFirst==0 ){
      aFirst = aPk;
      nFirst = nPk;
      bLast = i>=p->whose.n;
    }
    if( rc==SQLITE_NOTFOUND ) rc = SQLITE_OK;
  }
  if( rc==SQLITE_OK && (aFirst || entry.bThere) ) rc = idxBefore(pStore, aIk, nIk, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( aFirst==0 ) return entry.bThere ? kvStoreDeleteBare(pStore, aIk, nIk, pzErr) : SQLITE_OK;
  if( !bLast ){                        /* others came behind it: once more */
    rc = kvStoreFind(pStore, aFirst, nFirst, kvNow(), 1, &p->found, pzErr);
    if( rc==SQLITE_OK ) rc = idxWanted(pStore, pDef, aFirst, nFirst, &eEncoding);
    if( rc!=SQLITE_OK ) return rc;
  }
  return kvStorePutBare(pStore, aIk, nIk, p->pointer.a, p->pointer.n, eEncoding,
                        pStore->iWriteVersion, p->found.iExpires, pzErr);
}

/* ---- touch --------------------------------------------------------------- */

/* The index entries that a primary entry asks for into p->wanted, sorted. */
static int idxAskedFor(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk, char **pzErr
){
  KvIndexes *p = pStore->pIndexes;
  KvBuf ik;
  u8 aSpace[512];
  const u8 *aPart;
  u32 i = 0, nPart;
  int rc = kvStoreFind(pStore, aPk, nPk, kvNow(), 1, &p->found, pzErr);
  kvBufReset(&p->wanted);
  if( rc!=SQLITE_OK || !p->found.bFound || !kvKeyCanonical(aPk, nPk) ) return rc;
  kvTreeReset(&p->tree);
  kvBufReset(&p->parts);
  rc = kvValueRead(&p->tree, p->found.eEncoding, p->found.v.a, p->found.v.n, 0);
  if( rc==KV_OK ){
    rc = kvIndexValues(&p->tree, pDef->zPath, (pDef->mOptions & KVINDEX_LOWER)!=0, &p->parts, 0);
  }
  if( rc==KV_NOMEM ) return SQLITE_NOMEM;
  if( rc!=KV_OK ) return SQLITE_OK;    /* malformed: it has no values */
  kvBufInit(&ik, aSpace, sizeof(aSpace));
  while( (aPart = kvIndexValueNext(&p->parts, &i, &nPart))!=0 ){
    kvBufReset(&ik);
    kvBufAppend(&ik, pDef->aName, pDef->nName);
    kvBufAppend(&ik, aPart, nPart);
    if( !(pDef->mOptions & KVINDEX_UNIQUE) ){
      kvBufAppend(&ik, aPk+pDef->nPrefix, nPk-pDef->nPrefix);
    }
    if( ik.eErr!=KV_OK ) break;
    idxListAdd(&p->wanted, ik.a, ik.n);
  }
  rc = ik.eErr==KV_OK && p->wanted.eErr==KV_OK ? idxListSort(&p->wanted) : SQLITE_NOMEM;
  kvBufClear(&ik);
  return rc;
}

/* The index entries that a primary entry has into p->there, sorted. */
static int idxHas(KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, KVSQL_INDEX_OF, &pStmt, pzErr);
  kvBufReset(&p->there);
  if( rc!=SQLITE_OK ) return rc;
  idxBind(pStmt, 1, aPk, nPk);
  idxBindPlace(pStmt, 2, pDef, &p->chunk);
  return idxCollect(pStore, pStmt, &p->there, pzErr);
}

static char *idxShow(const u8 *a, u32 n){
  KvBuf text;
  char *z = 0;
  kvBufInit(&text, 0, 0);
  kvKeyShow(&text, a, n);
  if( kvBufTerminate(&text)==KV_OK ) z = sqlite3_mprintf("%s", (const char*)text.a);
  kvBufClear(&text);
  return z;
}

/* An index entry that belongs to another primary entry. */
static int idxViolation(
  const KvIndexDef *pDef, const u8 *aIk, u32 nIk, const u8 *aPk, u32 nPk,
  const u8 *aOther, u32 nOther, char **pzErr
){
  char *zPk = idxShow(aPk, nPk);
  char *zOther = idxShow(aOther, nOther);
  char *zValue = 0;
  KvBuf text;
  KvPart part;
  u32 i = pDef->nName;
  kvBufInit(&text, 0, 0);
  if( kvPartRead(aIk, nIk, &i, &part, 0)==KV_OK ) kvPartPrint(&text, &part);
  if( kvBufTerminate(&text)==KV_OK ) zValue = sqlite3_mprintf("%s", (const char*)text.a);
  kvBufClear(&text);
  if( zPk && zOther && zValue ){
    *pzErr = sqlite3_mprintf("kv: UNIQUE constraint failed: index %s: the value %s of the key %s "
        "is that of the key %s already", pDef->zName, zValue, zPk, zOther);
  }
  sqlite3_free(zPk);
  sqlite3_free(zOther);
  sqlite3_free(zValue);
  return *pzErr ? SQLITE_CONSTRAINT_UNIQUE : SQLITE_NOMEM;
}

/* A new index entry of a unique index must not be another primary's, if that
** one is still there. */
static int idxUnique(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aIk, u32 nIk,
  const u8 *aPk, u32 nPk, char **pzErr
){
  KvIndexes *p = pStore->pIndexes;
  const u8 *aOther;
  u32 i = 0, nOther;
  int rc = idxWhose(pStore, aIk, nIk, pzErr);
  while( rc==SQLITE_OK && (aOther = kvIndexValueNext(&p->whose, &i, &nOther))!=0 ){
    if( idxCompare(aOther, nOther, aPk, nPk)==0 ) continue;
    rc = kvStoreFind(pStore, aOther, nOther, kvNow(), 0, &p->found, pzErr);
    if( rc!=SQLITE_OK ) break;
    if( p->found.bFound ){
      return idxViolation(pDef, aIk, nIk, aPk, nPk, aOther, nOther, pzErr);
    }
    rc = idxRow(pStore, KVSQL_INDEX_TAKE, aIk, nIk, aOther, nOther, pzErr);
  }
  return rc;
}

/* An index entry that is new.  bStrict: what can't be kept is an error. */
static int idxAdd(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aIk, u32 nIk,
  const u8 *aPk, u32 nPk, int bStrict, char **pzErr
){
  int rc = SQLITE_OK;
  if( bStrict && nIk>INDEX_KEY_MAX ){
    char *zPk = idxShow(aPk, nPk);
    if( zPk ){
      *pzErr = sqlite3_mprintf("kv: index %s: the value of the key %s makes a key of %u bytes, "
          "and Deno reads at most %d", pDef->zName, zPk, nIk, INDEX_KEY_MAX);
    }
    sqlite3_free(zPk);
    return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }
  if( bStrict && (pDef->mOptions & KVINDEX_UNIQUE) ){
    rc = idxUnique(pStore, pDef, aIk, nIk, aPk, nPk, pzErr);
  }
  if( rc!=SQLITE_OK ) return rc;
  pStore->pIndexes->nAdded++;
  return idxRow(pStore, KVSQL_INDEX_PUT, aIk, nIk, aPk, nPk, pzErr);
}

/* What of the two steps of a touch is done. */
#define IDX_TAKE  1       /* Remove the entries that are not asked for */
#define IDX_ADD   2       /* Add those that are */

/* Change the rows of kv_index_row; p->change is what has to be repaired. */
static int idxChange(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk,
  int mStep, int bStrict, char **pzErr
){
  KvIndexes *p = pStore->pIndexes;
  u32 i = 0, k = 0, nW = 0, nT = 0;
  const u8 *aW = kvIndexValueNext(&p->wanted, &i, &nW);
  const u8 *aT = kvIndexValueNext(&p->there, &k, &nT);
  int rc = SQLITE_OK;
  while( rc==SQLITE_OK && (aW || aT) ){
    int c = aW==0 ? 1 : aT==0 ? -1 : idxCompare(aW, nW, aT, nT);
    if( c>0 ){
      if( mStep & IDX_TAKE ){
        rc = idxRow(pStore, KVSQL_INDEX_TAKE, aT, nT, aPk, nPk, pzErr);
        idxListAdd(&p->change, aT, nT);
      }
      aT = kvIndexValueNext(&p->there, &k, &nT);
      continue;
    }
    if( mStep & IDX_ADD ){
      if( c<0 ) rc = idxAdd(pStore, pDef, aW, nW, aPk, nPk, bStrict, pzErr);
      idxListAdd(&p->change, aW, nW);
    }
    aW = kvIndexValueNext(&p->wanted, &i, &nW);
    if( c==0 ) aT = kvIndexValueNext(&p->there, &k, &nT);
  }
  return rc==SQLITE_OK && p->change.eErr!=KV_OK ? SQLITE_NOMEM : rc;
}

static int idxTouch(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk,
  int mStep, int bStrict, char **pzErr
){
  KvIndexes *p = pStore->pIndexes;
  const u8 *aIk;
  u32 i = 0, nIk;
  int rc = idxAskedFor(pStore, pDef, aPk, nPk, pzErr);
  if( rc==SQLITE_OK ) rc = idxHas(pStore, pDef, aPk, nPk, pzErr);
  kvBufReset(&p->change);
  if( rc==SQLITE_OK ) rc = idxChange(pStore, pDef, aPk, nPk, mStep, bStrict, pzErr);
  while( rc==SQLITE_OK && (aIk = kvIndexValueNext(&p->change, &i, &nIk))!=0 ){
    rc = idxRepair(pStore, pDef, aIk, nIk, pzErr);
  }
  return rc;
}

/* The entry of a key was written: by us (bStrict) or by somebody else. */
static int idxSync(KvStore *pStore, const u8 *aKey, u32 nKey, int mStep, int bStrict, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  const KvIndexDef *pDef = idxPlace(p, aKey, nKey);
  u32 i;
  int rc = SQLITE_OK;
  if( p->bBusy ){
    *pzErr = sqlite3_mprintf("kv: a trigger wrote to the store while an index was brought up");
    return SQLITE_ERROR;
  }
  p->bBusy = 1;
  if( pDef ){
    if( mStep & IDX_ADD ) rc = idxRepair(pStore, pDef, aKey, nKey, pzErr);
  }else{
    for(i=0; rc==SQLITE_OK && i<p->nDef; i++){
      pDef = &p->aDef[i];
      if( idxUnder(pDef, aKey, nKey) ) rc = idxTouch(pStore, pDef, aKey, nKey, mStep, bStrict, pzErr);
    }
  }
  p->bBusy = 0;
  return rc;
}

/* ---- what others have written -------------------------------------------- */

/* One chunk of keys from a statement of the feed, with its place. */
typedef struct IdxPlace IdxPlace;
struct IdxPlace {
  int eSql;
  i64 iVersion, iMost;    /* From which version on, and to which */
  KvBuf key;              /* Behind which key of it; bKey: there is one */
  int bKey;
};

static int idxChunk(KvStore *pStore, IdxPlace *pPlace, KvBuf *pList, u32 *pnKey, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, pPlace->eSql, &pStmt, pzErr);
  *pnKey = 0;
  kvBufReset(pList);
  if( rc!=SQLITE_OK ) return rc;
  kvBindInt(pStmt, 1, pPlace->iVersion);
  kvBindInt(pStmt, 2, pPlace->iMost);
  if( pPlace->bKey ){
    idxBind(pStmt, 3, pPlace->key.a, pPlace->key.n);
  }else{
    kvBindText(pStmt, 3, "");   /* before any BLOB */
  }
  kvBindInt(pStmt, 4, INDEX_CHUNK);
  while( (rc = kvStep(pStmt))==SQLITE_ROW ){
    idxListAdd(pList, sqlite3_column_blob(pStmt->pStmt, 0),
               (u32)sqlite3_column_bytes(pStmt->pStmt, 0));
    pPlace->iVersion = sqlite3_column_int64(pStmt->pStmt, 1);
    (*pnKey)++;
  }
  rc = rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(pStore, rc, pzErr);
  kvStoreGive(pStore, pStmt);
  return rc==SQLITE_OK && pList->eErr!=KV_OK ? SQLITE_NOMEM : rc;
}

/* Bring up the indexes for all keys of such a statement. */
static int idxFollow(KvStore *pStore, int eSql, i64 iAfter, i64 iMost, char **pzErr){
  KvBuf list;
  IdxPlace place;
  const u8 *a;
  u32 n = 0, nKey = 0, i;
  int rc = SQLITE_OK;
  kvBufInit(&list, 0, 0);
  memset(&place, 0, sizeof(place));
  place.eSql = eSql;
  place.iVersion = iAfter + 1;
  place.iMost = iMost;
  do{
    rc = idxChunk(pStore, &place, &list, &nKey, pzErr);
    for(i=0; rc==SQLITE_OK && (a = kvIndexValueNext(&list, &i, &n))!=0; ){
      rc = idxSync(pStore, a, n, IDX_TAKE|IDX_ADD, 0, pzErr);
      if( i>=list.n ){
        kvBufReset(&place.key);
        kvBufAppend(&place.key, a, n);
        place.bKey = 1;
        if( place.key.eErr!=KV_OK ) rc = SQLITE_NOMEM;
      }
    }
  }while( rc==SQLITE_OK && nKey==INDEX_CHUNK );
  kvBufClear(&list);
  kvBufClear(&place.key);
  return rc;
}

int kvIndexSwept(KvStore *p, i64 iVersion, char **pzErr){
  KvTrack track;
  int rc = kvTrackGet(p, &track, pzErr);
  if( rc==SQLITE_OK ) rc = idxLoad(p, track.iGeneration, pzErr);
  if( rc!=SQLITE_OK || p->pIndexes->nDef==0 ) return rc;
  return idxFollow(p, KVSQL_TRACK_GONE, iVersion, iVersion+1, pzErr);
}

/* The indexes have been brought up to a version, and what was deleted up to
** iOld is forgotten unless the feed is wanted. */
static int idxApplied(KvStore *p, i64 iVersion, i64 iOld, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, KVSQL_TRACK_SET_APPLIED, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindInt(pStmt, 1, iVersion);
  kvBindInt(pStmt, 2, iOld);
  return kvStoreRun(p, pStmt, pzErr);
}

int kvIndexBegin(KvStore *p, i64 iOld, i64 iNew, char **pzErr){
  KvTrack track;
  int rc = kvIndexLook(p, pzErr);
  p->iWriteVersion = iNew;
  if( rc!=SQLITE_OK || !p->bIndexed ) return rc;
  if( !p->bOwnStatement ) return KV_AGAIN;
  rc = kvTrackGet(p, &track, pzErr);
  if( rc==SQLITE_OK ) rc = idxLoad(p, track.iGeneration, pzErr);
  if( rc!=SQLITE_OK || p->pIndexes->nDef==0 ) return rc;
  if( track.iApplied<iOld ) rc = idxFollow(p, KVSQL_TRACK_CHANGED, track.iApplied, iOld, pzErr);
  if( rc==SQLITE_OK && (track.iApplied<iOld || p->bSwept) ){
    rc = idxFollow(p, KVSQL_TRACK_GONE, track.iApplied, iOld+1, pzErr);
  }
  p->bSwept = 0;
  if( rc==SQLITE_OK && !track.bWanted ) rc = kvTrackForget(p, iOld, pzErr);
  return rc==SQLITE_OK ? idxApplied(p, iNew, iOld, pzErr) : rc;
}

int kvIndexResume(KvStore *p, i64 iVersion, char **pzErr){
  KvTrack track;
  int rc = kvIndexLook(p, pzErr);
  p->iWriteVersion = iVersion;
  if( rc!=SQLITE_OK || !p->bIndexed ) return rc;
  if( !p->bOwnStatement ) return KV_AGAIN;
  rc = kvTrackGet(p, &track, pzErr);
  return rc==SQLITE_OK ? idxLoad(p, track.iGeneration, pzErr) : rc;
}

int kvIndexStale(KvStore *p, int *pbStale, char **pzErr){
  KvTrack track;
  int rc = kvTrackGet(p, &track, pzErr);
  *pbStale = 0;
  if( rc!=SQLITE_OK || !track.bThere || track.iApplied>=track.iVersion ) return rc;
  rc = idxLoad(p, track.iGeneration, pzErr);
  *pbStale = rc==SQLITE_OK && p->pIndexes->nDef>0;
  return rc;
}

/* ---- what is written here ------------------------------------------------ */

int kvIndexWritten(KvStore *p, const u8 *aKey, u32 nKey, char **pzErr){
  if( !p->bIndexed || p->pIndexes==0 || p->pIndexes->nDef==0 ) return SQLITE_OK;
  if( p->pIndexes->pDefer ){
    idxListAdd(p->pIndexes->pDefer, aKey, nKey);
    return p->pIndexes->pDefer->eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  }
  return idxSync(p, aKey, nKey, IDX_TAKE|IDX_ADD, 1, pzErr);
}

void kvIndexDefer(KvStore *p, KvBuf *pList){
  if( p->bIndexed && p->pIndexes ) p->pIndexes->pDefer = pList;
}

int kvIndexDeferEnd(KvStore *pStore, int rc, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  KvBuf *pList = p ? p->pDefer : 0;
  int nPass;
  if( pList==0 ) return rc;
  p->pDefer = 0;
  if( rc==SQLITE_OK ) rc = idxListSort(pList);
  for(nPass=0; nPass<2; nPass++){
    const u8 *a;
    u32 n, i = 0;
    while( rc==SQLITE_OK && (a = kvIndexValueNext(pList, &i, &n))!=0 ){
      rc = idxSync(pStore, a, n, nPass==0 ? IDX_TAKE : IDX_ADD, 1, pzErr);
    }
  }
  return rc;
}

/* ---- declaring ----------------------------------------------------------- */

/* Make the entries for what is there, in chunks of keys. */
static int idxFill(KvStore *pStore, const KvIndexDef *pDef, char **pzErr){
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
    idxBind(pStmt, 1, lo.a, lo.n);
    if( mRead ) idxBind(pStmt, 2, hi.a, hi.n);
    kvBindInt(pStmt, 3, kvNow());
    while( nKey<INDEX_CHUNK && (rc = kvStep(pStmt))==SQLITE_ROW ){
      idxListAdd(&list, sqlite3_column_blob(pStmt->pStmt, 0),
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
      if( !idxPlace(pStore->pIndexes, a, n) ){
        rc = idxTouch(pStore, pDef, a, n, IDX_TAKE|IDX_ADD, 1, pzErr);
      }
    }
    if( rc==SQLITE_OK && (list.eErr || lo.eErr || hi.eErr) ) rc = SQLITE_NOMEM;
  }while( rc==SQLITE_OK && nKey==INDEX_CHUNK );
  kvBufClear(&lo);
  kvBufClear(&hi);
  kvBufClear(&list);
  return rc;
}

/* An entry that stood in the index's place before: not ours to change. */
static int idxStray(KvStore *pStore, const KvIndexDef *pDef, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, KVSQL_INDEX_STRAY, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  idxBindPlace(pStmt, 1, pDef, &p->chunk);
  rc = kvStep(pStmt);
  if( rc==SQLITE_ROW ){
    char *zKey = idxShow(sqlite3_column_blob(pStmt->pStmt, 0),
                         (u32)sqlite3_column_bytes(pStmt->pStmt, 0));
    if( zKey ){
      *pzErr = sqlite3_mprintf("kv: kv_index(): the key %s is there and is no entry of an index %s; "
          "delete it, or give the index another name", zKey, pDef->zName);
    }
    sqlite3_free(zKey);
    rc = *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
  }else{
    rc = rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(pStore, rc, pzErr);
  }
  kvStoreGive(pStore, pStmt);
  return rc;
}

/* A new set of declarations. */
static int idxGeneration(KvStore *p, char **pzErr){
  KvStmt *pStmt;
  i64 iGeneration;
  int rc = kvStoreStatement(p, KVSQL_TRACK_SET_GENERATION, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  sqlite3_randomness(sizeof(iGeneration), &iGeneration);
  iGeneration &= INT64_MAX;
  kvBindInt(pStmt, 1, iGeneration);
  rc = kvStoreRun(p, pStmt, pzErr);
  return rc==SQLITE_OK ? idxLoad(p, iGeneration, pzErr) : rc;
}

static KvIndexDef *idxByName(const KvIndexes *p, const char *zName){
  u32 i;
  for(i=0; p && i<p->nDef; i++){
    if( strcmp(p->aDef[i].zName, zName)==0 ) return &p->aDef[i];
  }
  return 0;
}

int kvIndexByName(KvStore *p, i64 iGeneration, const char *zName, KvIndexDef **ppDef, char **pzErr){
  int rc = idxLoad(p, iGeneration, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  *ppDef = idxByName(p->pIndexes, zName);
  return *ppDef ? SQLITE_OK : SQLITE_NOTFOUND;
}

int kvIndexPlace(KvStore *p, const u8 *aKey, u32 nKey){
  return p->pIndexes && idxPlace(p->pIndexes, aKey, nKey)!=0;
}

/* May the index be declared beside the others?  SQLITE_DONE: it is already. */
static int idxAllowed(KvStore *pStore, const KvIndexDef *pNew, char **pzErr){
  const KvIndexes *p = pStore->pIndexes;
  const KvIndexDef *pOld = idxByName(p, pNew->zName);
  const char *zIn = 0;
  u32 i;
  if( pOld ){
    if( pOld->mOptions==pNew->mOptions && strcmp(pOld->zPath, pNew->zPath)==0
     && idxCompare(pOld->aPrefix, pOld->nPrefix, pNew->aPrefix, pNew->nPrefix)==0
    ){
      return SQLITE_DONE;
    }
    *pzErr = sqlite3_mprintf("kv: kv_index(): there is an index %s already, declared otherwise; "
        "kv_index_drop() it first", pNew->zName);
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
      *pzErr = sqlite3_mprintf("kv: kv_index(): the name %s is where the index %s has its primary "
          "entries; give the index another name", pNew->zName, pDef->zName);
      return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
    }
  }
  if( zIn==0 ) return SQLITE_OK;
  *pzErr = sqlite3_mprintf("kv: kv_index(): the prefix is where the index %s keeps its entries; "
      "give the index another name or prefix", zIn);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

static int idxDeclare(KvStore *p, const KvIndexDef *pNew, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, KVSQL_INDEX_ADD, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindText(pStmt, 1, pNew->zName);
  idxBind(pStmt, 2, pNew->aPrefix, pNew->nPrefix);
  kvBindText(pStmt, 3, pNew->zPath);
  kvBindText(pStmt, 4, pNew->zOptions);
  rc = kvStoreRun(p, pStmt, pzErr);
  return rc==SQLITE_OK ? idxGeneration(p, pzErr) : rc;
}

/* How many rows an index has: by the keys in its place. */
static int idxRemoveRange(KvStore *p, int eSql, const KvIndexDef *pDef, i64 *pn, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, eSql, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  idxBindPlace(pStmt, 1, pDef, &p->pIndexes->chunk);
  rc = kvStoreRun(p, pStmt, pzErr);
  if( rc==SQLITE_OK && pn ) *pn = sqlite3_changes64(p->db);
  return rc;
}

int kvIndexCreate(KvStore *p, const KvIndexDef *pArgs, i64 *pnEntry, char **pzErr){
  static const int aSql[] = { KVSQL_INDEX_DEF, KVSQL_INDEX_ROW, KVSQL_INDEX_ROW_INDEX };
  KvIndexDef def;
  const KvIndexDef *pDef;
  i64 iVersion;
  int nStep, rc;
  u32 i;
  *pnEntry = 0;
  rc = kvTrackOn(p, 0, pzErr);
  for(i=0; rc==SQLITE_OK && i<sizeof(aSql)/sizeof(aSql[0]); i++){
    rc = kvStoreSimple(p, aSql[i], pzErr);
  }
  p->bLooked = 0;
  if( rc!=SQLITE_OK ) return rc;
  rc = idxDefMake(&def, pArgs->zName, pArgs->aPrefix, pArgs->nPrefix, pArgs->zPath, pArgs->zOptions);
  if( rc==SQLITE_OK ) rc = kvStoreBump(p, &iVersion, &nStep, pzErr);
  if( rc==SQLITE_OK ) rc = idxAllowed(p, &def, pzErr);
  if( rc==SQLITE_OK ) rc = idxDeclare(p, &def, pzErr);
  if( rc==SQLITE_OK ) rc = idxApplied(p, iVersion, 0, pzErr);
  idxDefClear(&def);
  if( rc!=SQLITE_OK ) return rc==SQLITE_DONE ? SQLITE_OK : rc;
  pDef = idxByName(p->pIndexes, pArgs->zName);
  p->pIndexes->nAdded = 0;
  rc = idxFill(p, pDef, pzErr);
  *pnEntry = p->pIndexes->nAdded;
  return rc==SQLITE_OK ? idxStray(p, pDef, pzErr) : rc;
}

int kvIndexRemove(KvStore *p, const char *zName, int *pbFound, i64 *pnEntry, int *pnLeft, char **pzErr){
  const KvIndexDef *pDef;
  KvStmt *pStmt;
  i64 iVersion;
  int nStep, rc;
  *pbFound = 0;
  *pnEntry = 0;
  *pnLeft = 0;
  rc = kvStoreBump(p, &iVersion, &nStep, pzErr);
  if( rc!=SQLITE_OK || !p->bIndexed ) return rc;
  pDef = idxByName(p->pIndexes, zName);
  *pnLeft = p->pIndexes ? (int)p->pIndexes->nDef : 0;
  if( pDef==0 ) return SQLITE_OK;
  *pbFound = 1;
  *pnLeft -= 1;
  rc = idxRemoveRange(p, KVSQL_INDEX_REMOVE_ROWS, pDef, 0, pzErr);
  if( rc==SQLITE_OK ) rc = idxRemoveRange(p, KVSQL_INDEX_REMOVE_ENTRIES, pDef, pnEntry, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreStatement(p, KVSQL_INDEX_REMOVE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindText(pStmt, 1, zName);
  rc = kvStoreRun(p, pStmt, pzErr);
  return rc==SQLITE_OK ? idxGeneration(p, pzErr) : rc;
}

int kvIndexDropTables(KvStore *p, char **pzErr){
  int rc = kvStoreSimple(p, KVSQL_INDEX_DROP_ROW, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreSimple(p, KVSQL_INDEX_DROP_DEF, pzErr);
  kvStoreRelease(p);
  if( p->pIndexes ) idxForget(p->pIndexes);
  return rc;
}
