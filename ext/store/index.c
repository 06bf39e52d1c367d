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
#include "store/index_work.h"
SQLITE_EXTENSION_INIT3
#include "codec/key/key.h"
#include "store_sql.h"
#include <stdlib.h>

/* Keys that are looked at in one go. */
#define INDEX_CHUNK   256

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

/* ---- statements ---------------------------------------------------------- */

void kvIndexBindPlace(KvStmt *pStmt, int iFirst, const KvIndexDef *pDef, KvBuf *pSpace){
  kvBufReset(pSpace);
  kvBufAppend(pSpace, pDef->aName, pDef->nName);
  kvBufPut(pSpace, 0xff);
  kvBindBlob(pStmt, iFirst, pDef->aName, pDef->nName);
  kvBindBlob(pStmt, iFirst+1, pSpace->a, pSpace->n);
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
  kvBindBlob(pStmt, 1, aIk, nIk);
  kvBindBlob(pStmt, 2, aPk, nPk);
  return kvStoreRun(p, pStmt, pzErr);
}

/* The primary keys of an index entry into p->whose. */
static int idxWhose(KvStore *pStore, const u8 *aIk, u32 nIk, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, KVSQL_INDEX_WHOSE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBufReset(&p->whose);
  kvBindBlob(pStmt, 1, aIk, nIk);
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
  kvBindBlob(pStmt, 1, aIk, nIk);
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

/* What an entry for the primary key, which was found, holds in that form: into
** p->pointer.  SQLITE_NOTFOUND: it can't be made. */
static int idxForm(
  KvStore *pStore, const KvIndexDef *pDef, int bCopy, const u8 *aPk, u32 nPk, int *peEncoding
){
  KvIndexes *p = pStore->pIndexes;
  int rc;
  kvBufReset(&p->pointer);
  if( bCopy ){
    kvBufAppend(&p->pointer, p->found.v.a, p->found.v.n);
    *peEncoding = p->found.eEncoding;
    return p->pointer.eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  }
  kvTreeReset(&p->tree);
  rc = kvIndexPointer(&p->tree, aPk+pDef->nPrefix, nPk-pDef->nPrefix,
                      pStore->piV8Version ? *pStore->piV8Version : 15, &p->pointer, peEncoding, 0);
  return rc==KV_OK ? SQLITE_OK : rc==KV_NOMEM ? SQLITE_NOMEM : SQLITE_NOTFOUND;
}

/* What it has to hold. */
static int idxWanted(KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk, int *peEncoding){
  return idxForm(pStore, pDef, (pDef->mOptions & KVINDEX_COPY)!=0, aPk, nPk, peEncoding);
}

/* Does the entry hold what it should?  A pointer may have another header
** version. */
static int idxHolds(const KvIndexes *p, const IdxEntry *pEntry, int eEncoding){
  const KvBuf *pA = &p->entry, *pB = &p->pointer;
  u32 i = 0;
  if( !pEntry->bThere || pEntry->eEncoding!=eEncoding || pA->n!=pB->n ) return 0;
  if( eEncoding==1 && pA->n>2 && pA->a[0]==0xff && pB->a[0]==0xff
   && pA->a[1]>=13 && pA->a[1]<=16
  ){
    i = 2;
  }
  return memcmp(pA->a+i, pB->a+i, pA->n-i)==0;
}

/* Is it as it should be? */
static int idxSame(const KvIndexes *p, const IdxEntry *pEntry, int eEncoding){
  return pEntry->iExpires==p->found.iExpires && idxHolds(p, pEntry, eEncoding);
}

static int idxUnder(const KvIndexDef *pDef, const u8 *a, u32 n){
  return n>pDef->nPrefix && memcmp(a, pDef->aPrefix, pDef->nPrefix)==0;
}

/* The entry of a key was written here: if its prefix has an index, the triggers
** have noted it. */
static int idxDone(KvStore *pStore, const u8 *a, u32 n, char **pzErr){
  const KvIndexes *p = pStore->pIndexes;
  KvStmt *pStmt;
  u32 i;
  int rc;
  if( !pStore->bPending ) return SQLITE_OK;
  for(i=0; i<p->nDef && !idxUnder(&p->aDef[i], a, n); i++){}
  if( i==p->nDef ) return SQLITE_OK;
  rc = kvStoreStatement(pStore, KVSQL_INDEX_DONE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindBlob(pStmt, 1, a, n);
  return kvStoreRun(pStore, pStmt, pzErr);
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
  while( rc==SQLITE_OK && nIk<=KVINDEX_KEY_MAX && (aPk = kvIndexValueNext(&p->whose, &i, &nPk))!=0 ){
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
  if( aFirst==0 ){
    if( entry.bThere ) rc = kvStoreDeleteBare(pStore, aIk, nIk, pzErr);
    return rc==SQLITE_OK && entry.bThere ? idxDone(pStore, aIk, nIk, pzErr) : rc;
  }
  if( !bLast ){                        /* others came behind it: once more */
    rc = kvStoreFind(pStore, aFirst, nFirst, kvNow(), 1, &p->found, pzErr);
    if( rc==SQLITE_OK ) rc = idxWanted(pStore, pDef, aFirst, nFirst, &eEncoding);
    if( rc!=SQLITE_OK ) return rc;
  }
  rc = kvStorePutBare(pStore, aIk, nIk, p->pointer.a, p->pointer.n, eEncoding,
                      pStore->work.iVersion, p->found.iExpires, pzErr);
  return rc==SQLITE_OK ? idxDone(pStore, aIk, nIk, pzErr) : rc;
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
  kvBindBlob(pStmt, 1, aPk, nPk);
  kvIndexBindPlace(pStmt, 2, pDef, &p->chunk);
  return idxCollect(pStore, pStmt, &p->there, pzErr);
}

char *kvIndexShow(const u8 *a, u32 n){
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
  char *zPk = kvIndexShow(aPk, nPk);
  char *zOther = kvIndexShow(aOther, nOther);
  char *zValue = 0;
  KvBuf text;
  KvPart part;
  u32 i = pDef->nName;
  kvBufInit(&text, 0, 0);
  if( kvPartRead(aIk, nIk, &i, &part, 0)==KV_OK ) kvPartPrint(&text, &part);
  if( kvBufTerminate(&text)==KV_OK ) zValue = sqlite3_mprintf("%s", (const char*)text.a);
  kvBufClear(&text);
  if( zPk && zOther && zValue ){
    *pzErr = kvMsg("kv: UNIQUE constraint failed: index %!.100s: the value %s of the key %s "
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
      pStore->bConflict = 1;
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
  if( bStrict && nIk>KVINDEX_KEY_MAX ){
    char *zPk = kvIndexShow(aPk, nPk);
    if( zPk ){
      *pzErr = kvMsg("kv: index %!.100s: the value of the key %s makes a key of %u bytes, "
          "and Deno reads at most %d", pDef->zName, zPk, nIk, KVINDEX_KEY_MAX);
    }
    sqlite3_free(zPk);
    return *pzErr ? SQLITE_CONSTRAINT : SQLITE_NOMEM;
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
  const KvIndexDef *pDef = kvIndexOwner(p, aKey, nKey);
  u32 i;
  int rc = kvIndexEnter(p, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( mStep & IDX_ADD ) rc = idxDone(pStore, aKey, nKey, pzErr);
  if( rc==SQLITE_OK && pDef ){
    if( mStep & IDX_ADD ) rc = idxRepair(pStore, pDef, aKey, nKey, pzErr);
  }else{
    for(i=0; rc==SQLITE_OK && i<p->nDef; i++){
      pDef = &p->aDef[i];
      if( idxUnder(pDef, aKey, nKey) ) rc = idxTouch(pStore, pDef, aKey, nKey, mStep, bStrict, pzErr);
    }
  }
  kvIndexLeave(p);
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
    kvBindBlob(pStmt, 3, pPlace->key.a, pPlace->key.n);
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
  if( iAfter==INT64_MAX ) return SQLITE_OK;
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

/* Is a key pending?  (p->bPending is known.) */
static int idxIsPending(KvStore *p, int *pbPending, char **pzErr){
  KvStmt *pStmt;
  int rc;
  *pbPending = 0;
  if( !p->bPending ) return SQLITE_OK;
  rc = kvStoreStatement(p, KVSQL_INDEX_IS_PENDING, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  rc = kvTrackStep(p, pStmt);
  *pbPending = rc==SQLITE_ROW;
  rc = rc==SQLITE_ROW || rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(p, rc, pzErr);
  kvStoreGive(p, pStmt);
  return rc;
}

int kvIndexPending(KvStore *p, int *pbPending, char **pzErr){
  int rc = kvIndexKnow(p, pzErr);
  *pbPending = 0;
  return rc==SQLITE_OK ? idxIsPending(p, pbPending, pzErr) : rc;
}

/* Take a chunk of the pending keys. */
static int idxTakePending(KvStore *p, KvBuf *pList, char **pzErr){
  static const int aSql[] = { KVSQL_INDEX_NEXT_PENDING, KVSQL_INDEX_TAKE_PENDING };
  KvStmt *pStmt;
  int i, rc = SQLITE_OK;
  kvBufReset(pList);
  for(i=0; rc==SQLITE_OK && i<2; i++){
    rc = kvStoreStatement(p, aSql[i], &pStmt, pzErr);
    if( rc!=SQLITE_OK ) break;
    kvBindInt(pStmt, 1, INDEX_CHUNK);
    rc = i==0 ? idxCollect(p, pStmt, pList, pzErr) : kvStoreRun(p, pStmt, pzErr);
  }
  return rc;
}

/* Catch up with the pending keys.  Not inside of another write, which has keys
** there that it will come to itself. */
static int idxCatchUp(KvStore *p, char **pzErr){
  KvBuf list;
  const u8 *a;
  u32 n, i, nKey;
  int bPending = 0, rc = SQLITE_OK;
  if( !p->work.bInner ) rc = idxIsPending(p, &bPending, pzErr);
  if( rc!=SQLITE_OK || !bPending ) return rc;
  kvBufInit(&list, 0, 0);
  do{
    rc = idxTakePending(p, &list, pzErr);
    for(i=0, nKey=0; rc==SQLITE_OK && (a = kvIndexValueNext(&list, &i, &n))!=0; nKey++){
      rc = idxSync(p, a, n, IDX_TAKE|IDX_ADD, 0, pzErr);
    }
  }while( rc==SQLITE_OK && nKey==INDEX_CHUNK );
  kvBufClear(&list);
  return rc;
}

int kvIndexSwept(KvStore *p, i64 iVersion, char **pzErr){
  KvTrack track;
  int rc = kvTrackGet(p, &track, pzErr);
  if( rc==SQLITE_OK ) rc = kvIndexLoad(p, track.iGeneration, pzErr);
  if( rc!=SQLITE_OK || p->pIndexes->nDef==0 ) return rc;
  return idxFollow(p, KVSQL_TRACK_GONE, iVersion, iVersion+1, pzErr);
}

int kvIndexApplied(KvStore *p, i64 iVersion, i64 iOld, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, KVSQL_TRACK_SET_APPLIED, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindInt(pStmt, 1, iVersion);
  kvBindInt(pStmt, 2, iOld);
  return kvStoreRun(p, pStmt, pzErr);
}

int kvIndexBegin(KvStore *p, i64 iOld, i64 iNew, char **pzErr){
  KvTrack track;
  int rc = kvIndexKnow(p, pzErr);
  if( rc!=SQLITE_OK || !p->bIndexed ) return rc;
  if( p->pIndexes ) rc = kvIndexRefused(p->pIndexes, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( !p->work.bOwnStatement ) return KV_AGAIN;
  p->work.iVersion = iNew;
  rc = kvTrackGet(p, &track, pzErr);
  if( rc==SQLITE_OK ) rc = kvIndexLoad(p, track.iGeneration, pzErr);
  if( rc!=SQLITE_OK || p->pIndexes->nDef==0 ) return rc;
  if( track.iApplied<iOld ) rc = idxFollow(p, KVSQL_TRACK_CHANGED, track.iApplied, iOld, pzErr);
  if( rc==SQLITE_OK && (track.iApplied<iOld || p->bSwept) ){
    rc = idxFollow(p, KVSQL_TRACK_GONE, track.iApplied, iOld+1, pzErr);
  }
  p->bSwept = 0;
  if( rc==SQLITE_OK ) rc = idxCatchUp(p, pzErr);
  if( rc==SQLITE_OK && !track.bWanted ) rc = kvTrackForget(p, iOld, pzErr);
  return rc==SQLITE_OK ? kvIndexApplied(p, iNew, iOld, pzErr) : rc;
}

int kvIndexResume(KvStore *p, i64 iVersion, char **pzErr){
  KvTrack track;
  int rc = kvIndexKnow(p, pzErr);
  if( rc!=SQLITE_OK || !p->bIndexed ) return rc;
  if( p->pIndexes ) rc = kvIndexRefused(p->pIndexes, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( !p->work.bOwnStatement ) return KV_AGAIN;
  p->work.iVersion = iVersion;
  rc = kvTrackGet(p, &track, pzErr);
  if( rc==SQLITE_OK ) rc = kvIndexLoad(p, track.iGeneration, pzErr);
  return rc==SQLITE_OK && p->pIndexes->nDef>0 ? idxCatchUp(p, pzErr) : rc;
}

int kvIndexStale(KvStore *p, int *pbStale, char **pzErr){
  KvTrack track;
  int rc = kvTrackGet(p, &track, pzErr);
  int bPending = 0;
  *pbStale = 0;
  if( rc==SQLITE_OK && track.bThere ) rc = kvIndexPending(p, &bPending, pzErr);
  if( rc!=SQLITE_OK || !track.bThere || (!bPending && track.iApplied>=track.iVersion) ) return rc;
  rc = kvIndexLoad(p, track.iGeneration, pzErr);
  *pbStale = rc==SQLITE_OK && p->pIndexes->nDef>0;
  return rc;
}

/* ---- what is written here ------------------------------------------------ */

int kvIndexWritten(KvStore *p, const u8 *aKey, u32 nKey, char **pzErr){
  if( !p->bIndexed || p->pIndexes==0 || p->pIndexes->nDef==0 ) return SQLITE_OK;
  if( p->work.pDefer ){
    idxListAdd(p->work.pDefer, aKey, nKey);
    return p->work.pDefer->eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  }
  return idxSync(p, aKey, nKey, IDX_TAKE|IDX_ADD, 1, pzErr);
}

void kvIndexDefer(KvStore *p, KvBuf *pList){
  if( p->bIndexed ) p->work.pDefer = pList;
}

int kvIndexDeferEnd(KvStore *pStore, int rc, char **pzErr){
  KvBuf *pList = pStore->work.pDefer;
  int nPass;
  if( pList==0 ) return rc;
  pStore->work.pDefer = 0;
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

/* ---- an index that is new ------------------------------------------------ */

/* What is done for each primary entry. */
typedef int (*IdxEach)(KvStore*, const KvIndexDef*, const u8*, u32, char**);

static int idxFillKey(KvStore *p, const KvIndexDef *pDef, const u8 *aPk, u32 nPk, char **pzErr){
  return idxTouch(p, pDef, aPk, nPk, IDX_TAKE|IDX_ADD, 1, pzErr);
}

/* Is an index entry that is there as it would be, in which form? */
static int idxProbeEntry(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aIk, u32 nIk,
  const u8 *aPk, u32 nPk, char **pzErr
){
  KvIndexes *p = pStore->pIndexes;
  IdxEntry entry;
  u8 mForm = 0;
  int bCopy;
  int rc = idxEntry(pStore, aIk, nIk, &entry, pzErr);
  if( rc!=SQLITE_OK || !entry.bThere || p->mForm==0 ) return rc;
  if( entry.iExpires>=0 && entry.iExpires<=kvNow() ) return SQLITE_OK;
  for(bCopy=0; bCopy<2; bCopy++){
    int eEncoding;
    rc = idxForm(pStore, pDef, bCopy, aPk, nPk, &eEncoding);
    if( rc!=SQLITE_OK && rc!=SQLITE_NOTFOUND ) return rc;
    if( rc==SQLITE_OK && idxHolds(p, &entry, eEncoding) ){
      mForm |= bCopy ? KVINDEX_FORM_COPY : KVINDEX_FORM_POINTER;
    }
  }
  p->mForm &= mForm;
  if( p->mForm==0 ) kvBufAppend(&p->entryKey, aIk, nIk);
  return p->entryKey.eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
}

static int idxProbeKey(KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk, char **pzErr){
  const u8 *aIk;
  u32 i = 0, nIk;
  int rc = idxAskedFor(pStore, pDef, aPk, nPk, pzErr);
  while( rc==SQLITE_OK && (aIk = kvIndexValueNext(&pStore->pIndexes->wanted, &i, &nIk))!=0 ){
    rc = idxProbeEntry(pStore, pDef, aIk, nIk, aPk, nPk, pzErr);
  }
  return rc;
}

static int idxEach(KvStore *pStore, const KvIndexDef *pDef, IdxEach xKey, char **pzErr){
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
      if( !kvIndexOwner(pStore->pIndexes, a, n) && !kvIndexOwns(pDef, a, n) ){
        rc = xKey(pStore, pDef, a, n, pzErr);
      }
    }
    if( rc==SQLITE_OK && (list.eErr || lo.eErr || hi.eErr) ) rc = SQLITE_NOMEM;
  }while( rc==SQLITE_OK && nKey==INDEX_CHUNK );
  kvBufClear(&lo);
  kvBufClear(&hi);
  kvBufClear(&list);
  return rc;
}

int kvIndexFill(KvStore *p, const KvIndexDef *pDef, char **pzErr){
  return idxEach(p, pDef, idxFillKey, pzErr);
}

int kvIndexProbe(KvStore *p, const KvIndexDef *pDef, char **pzErr){
  p->pIndexes->mForm = KVINDEX_FORM_POINTER|KVINDEX_FORM_COPY;
  kvBufReset(&p->pIndexes->entryKey);
  return idxEach(p, pDef, idxProbeKey, pzErr);
}

int kvIndexEvict(KvStore *pStore, const KvIndexDef *pDef, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  const u8 *aIk;
  u32 i = 0, nIk;
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, KVSQL_INDEX_OF_PLACE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBufReset(&p->there);
  kvIndexBindPlace(pStmt, 1, pDef, &p->chunk);
  rc = idxCollect(pStore, pStmt, &p->there, pzErr);
  if( rc!=SQLITE_OK || p->there.n==0 ) return rc;
  rc = kvStoreStatement(pStore, KVSQL_INDEX_EVICT, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvIndexBindPlace(pStmt, 1, pDef, &p->chunk);
  rc = kvStoreRun(pStore, pStmt, pzErr);
  while( rc==SQLITE_OK && (aIk = kvIndexValueNext(&p->there, &i, &nIk))!=0 ){
    const KvIndexDef *pOther = kvIndexOwner(p, aIk, nIk);
    if( pOther ) rc = idxRepair(pStore, pOther, aIk, nIk, pzErr);
  }
  return rc;
}
