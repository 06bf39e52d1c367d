/*
** index_entry.c -- the entries of a declared index.  See index_entry.h.
*/
#include "store/index_entry.h"
SQLITE_EXTENSION_INIT3
#include "codec/key/key.h"
#include "codec/stored.h"
#include "store_sql.h"
#include <stdlib.h>

/* ---- lists of keys ------------------------------------------------------- */

void kvIndexListAdd(KvBuf *p, const u8 *a, u32 n){
  u8 aLen[4];
  aLen[0] = (u8)(n>>24);
  aLen[1] = (u8)(n>>16);
  aLen[2] = (u8)(n>>8);
  aLen[3] = (u8)n;
  kvBufAppend(p, aLen, 4);
  kvBufAppend(p, a, n);
}

int kvIndexCompare(const u8 *pA, u32 nA, const u8 *pB, u32 nB){
  u32 n = nA<nB ? nA : nB;
  int c = n ? memcmp(pA, pB, n) : 0;
  return c ? c : (nA>nB) - (nA<nB);
}

typedef struct IndexEntryKey IndexEntryKey;
struct IndexEntryKey {
  const u8 *a;
  u32 n;
};

static int indexEntryKeyCompare(const void *pA, const void *pB){
  const IndexEntryKey *a = pA, *b = pB;
  return kvIndexCompare(a->a, a->n, b->a, b->n);
}

/* Sort a list and drop what occurs twice. */
int kvIndexListSort(KvBuf *p){
  KvBuf out;
  IndexEntryKey *a;
  const u8 *z;
  u32 i = 0, n = 0, nKey, k;
  while( kvIndexValueNext(p, &i, &nKey) ) n++;
  if( n<2 ) return SQLITE_OK;
  a = sqlite3_malloc64((u64)n*sizeof(IndexEntryKey));
  if( a==0 ) return SQLITE_NOMEM;
  for(i=0, k=0; (z = kvIndexValueNext(p, &i, &nKey))!=0; k++){
    a[k].a = z;
    a[k].n = nKey;
  }
  qsort(a, n, sizeof(IndexEntryKey), indexEntryKeyCompare);
  kvBufInit(&out, 0, 0);
  for(k=0; k<n; k++){
    if( k==0 || indexEntryKeyCompare(&a[k-1], &a[k])!=0 ) kvIndexListAdd(&out, a[k].a, a[k].n);
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
  kvErrorBuf(&pStmt->pStore->err, pSpace);
}

/* Append the first column of all rows to a list. */
int kvIndexCollect(KvStore *p, KvStmt *pStmt, KvBuf *pList, char **pzErr){
  int rc;
  while( (rc = kvStep(pStmt))==SQLITE_ROW ){
    kvIndexListAdd(pList, sqlite3_column_blob(pStmt->pStmt, 0),
               (u32)sqlite3_column_bytes(pStmt->pStmt, 0));
  }
  rc = rc==SQLITE_DONE ? SQLITE_OK : kvStoreFailed(p, rc, pzErr);
  kvStoreGive(p, pStmt);
  return rc==SQLITE_OK && pList->eErr!=KV_OK ? SQLITE_NOMEM : rc;
}

/* Run a statement on one row of kv_index_row. */
int kvIndexRow(KvStore *p, int eSql, const u8 *aIk, u32 nIk, const u8 *aPk, u32 nPk, char **pzErr){
  KvStmt *pStmt;
  int rc = kvStoreStatement(p, eSql, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindBlob(pStmt, 1, aIk, nIk);
  kvBindBlob(pStmt, 2, aPk, nPk);
  return kvStoreRun(p, pStmt, pzErr);
}

/* The primary keys of an index entry into p->whose. */
static int indexEntryWhose(KvStore *pStore, const u8 *aIk, u32 nIk, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, KVSQL_INDEX_WHOSE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBufReset(&p->whose);
  kvBindBlob(pStmt, 1, aIk, nIk);
  return kvIndexCollect(pStore, pStmt, &p->whose, pzErr);
}

/* ---- repair -------------------------------------------------------------- */

/* What is stored at an index entry. */
typedef struct IndexEntry IndexEntry;
struct IndexEntry {
  int bThere;
  int eEncoding;          /* The bytes are in KvIndexes.entry */
  i64 iExpires;
};

static int indexEntryEntry(KvStore *pStore, const u8 *aIk, u32 nIk, IndexEntry *pEntry, char **pzErr){
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
static int indexEntryForm(
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
  rc = kvIndexPointer(&p->tree, kvBytes(aPk+pDef->nPrefix, nPk-pDef->nPrefix),
                      pStore->piV8Version ? *pStore->piV8Version : 15, &p->pointer, peEncoding, 0);
  return rc==KV_OK ? SQLITE_OK : rc==KV_NOMEM ? SQLITE_NOMEM : SQLITE_NOTFOUND;
}

/* What it has to hold. */
static int indexEntryWanted(KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk, int *peEncoding){
  return indexEntryForm(pStore, pDef, (pDef->mOptions & KVINDEX_COPY)!=0, aPk, nPk, peEncoding);
}

/* Does the entry hold what it should?  A pointer may have another header
** version. */
static int indexEntryHolds(const KvIndexes *p, const IndexEntry *pEntry, int eEncoding){
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
static int indexEntrySame(const KvIndexes *p, const IndexEntry *pEntry, int eEncoding){
  return pEntry->iExpires==p->found.iExpires && indexEntryHolds(p, pEntry, eEncoding);
}

int kvIndexUnder(const KvIndexDef *pDef, const u8 *a, u32 n){
  return n>pDef->nPrefix && memcmp(a, pDef->aPrefix, pDef->nPrefix)==0;
}

/* The entry of a key was written here: if its prefix has an index, the triggers
** have noted it. */
int kvIndexDone(KvStore *pStore, const u8 *a, u32 n, char **pzErr){
  const KvIndexes *p = pStore->pIndexes;
  KvStmt *pStmt;
  u32 i;
  int rc;
  if( !(kvSchemaKnown(pStore) & KVKNOWN_PENDING) ) return SQLITE_OK;
  for(i=0; i<p->nDef && !kvIndexUnder(&p->aDef[i], a, n); i++){}
  if( i==p->nDef ) return SQLITE_OK;
  rc = kvStoreStatement(pStore, KVSQL_INDEX_DONE, &pStmt, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  kvBindBlob(pStmt, 1, a, n);
  return kvStoreRun(pStore, pStmt, pzErr);
}

static int indexEntryBefore(KvStore *p, const u8 *a, u32 n, char **pzErr){
  return p->xBefore ? p->xBefore(p->pBefore, a, n, pzErr) : SQLITE_OK;
}

int kvIndexRepair(KvStore *pStore, const KvIndexDef *pDef, const u8 *aIk, u32 nIk, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  IndexEntry entry;
  const u8 *aPk, *aFirst = 0;
  u32 i = 0, nPk = 0, nFirst = 0;
  int eEncoding = 0, bLast = 0, rc;
  rc = indexEntryEntry(pStore, aIk, nIk, &entry, pzErr);
  if( rc==SQLITE_OK ) rc = indexEntryWhose(pStore, aIk, nIk, pzErr);
  while( rc==SQLITE_OK && nIk<=KVINDEX_KEY_MAX && (aPk = kvIndexValueNext(&p->whose, &i, &nPk))!=0 ){
    rc = kvStoreFind(pStore, aPk, nPk, kvNow(), 1, &p->found, pzErr);
    if( rc!=SQLITE_OK || !p->found.bFound ) continue;
    rc = indexEntryWanted(pStore, pDef, aPk, nPk, &eEncoding);
    if( rc==SQLITE_OK && indexEntrySame(p, &entry, eEncoding) ) return SQLITE_OK;
    if( rc==SQLITE_OK && aFirst==0 ){
      aFirst = aPk;
      nFirst = nPk;
      bLast = i>=p->whose.n;
    }
    if( rc==SQLITE_NOTFOUND ) rc = SQLITE_OK;
  }
  if( rc==SQLITE_OK && (aFirst || entry.bThere) ) rc = indexEntryBefore(pStore, aIk, nIk, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( aFirst==0 ){
    if( entry.bThere ) rc = kvStoreDeleteBare(pStore, aIk, nIk, pzErr);
    return rc==SQLITE_OK && entry.bThere ? kvIndexDone(pStore, aIk, nIk, pzErr) : rc;
  }
  if( !bLast ){                        /* others came behind it: once more */
    rc = kvStoreFind(pStore, aFirst, nFirst, kvNow(), 1, &p->found, pzErr);
    if( rc==SQLITE_OK ) rc = indexEntryWanted(pStore, pDef, aFirst, nFirst, &eEncoding);
    if( rc!=SQLITE_OK ) return rc;
  }
  rc = kvStorePutBare(pStore, aIk, nIk, p->pointer.a, p->pointer.n, eEncoding,
                      pStore->work.iVersion, p->found.iExpires, pzErr);
  return rc==SQLITE_OK ? kvIndexDone(pStore, aIk, nIk, pzErr) : rc;
}

/* ---- touch --------------------------------------------------------------- */

/* The index entries that a primary entry asks for into p->wanted, sorted. */
int kvIndexWanted(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk, char **pzErr
){
  KvIndexes *p = pStore->pIndexes;
  KvBuf ik;
  u8 aSpace[512];
  const u8 *aPart;
  u32 i = 0, nPart;
  int rc = kvStoreFind(pStore, aPk, nPk, kvNow(), 1, &p->found, pzErr);
  kvBufReset(&p->wanted);
  if( rc!=SQLITE_OK || !p->found.bFound || !kvKeyCanonical(kvBytes(aPk, nPk)) ) return rc;
  kvTreeReset(&p->tree);
  kvListReset(&p->parts);
  rc = kvValueRead(&p->tree, p->found.eEncoding, kvBufBytes(&p->found.v), 0);
  if( rc==KV_OK ){
    rc = kvIndexValues(&p->tree, pDef->zPath, (pDef->mOptions & KVINDEX_LOWER)!=0, &p->parts, 0);
  }
  if( rc==KV_NOMEM ) return SQLITE_NOMEM;
  if( rc!=KV_OK ) return SQLITE_OK;    /* malformed: it has no values */
  kvBufInit(&ik, aSpace, sizeof(aSpace));
  while( (aPart = kvIndexValueNext(&p->parts.bytes, &i, &nPart))!=0 ){
    kvBufReset(&ik);
    kvBufAppend(&ik, pDef->aName, pDef->nName);
    kvBufAppend(&ik, aPart, nPart);
    if( !(pDef->mOptions & KVINDEX_UNIQUE) ){
      kvBufAppend(&ik, aPk+pDef->nPrefix, nPk-pDef->nPrefix);
    }
    if( ik.eErr!=KV_OK ) break;
    kvIndexListAdd(&p->wanted, ik.a, ik.n);
  }
  rc = ik.eErr==KV_OK && p->wanted.eErr==KV_OK ? kvIndexListSort(&p->wanted) : SQLITE_NOMEM;
  kvBufClear(&ik);
  return rc;
}

/* The index entries that a primary entry has into p->there, sorted. */
int kvIndexHas(KvStore *pStore, const KvIndexDef *pDef, const u8 *aPk, u32 nPk, char **pzErr){
  KvIndexes *p = pStore->pIndexes;
  KvStmt *pStmt;
  int rc = kvStoreStatement(pStore, KVSQL_INDEX_OF, &pStmt, pzErr);
  kvBufReset(&p->there);
  if( rc!=SQLITE_OK ) return rc;
  kvBindBlob(pStmt, 1, aPk, nPk);
  kvIndexBindPlace(pStmt, 2, pDef, &p->chunk);
  return kvIndexCollect(pStore, pStmt, &p->there, pzErr);
}

char *kvIndexShow(const u8 *a, u32 n){
  KvBuf text;
  char *z = 0;
  kvBufInit(&text, 0, 0);
  kvKeyShow(&text, kvBytes(a, n));
  if( kvBufTerminate(&text)==KV_OK ) z = sqlite3_mprintf("%s", (const char*)text.a);
  kvBufClear(&text);
  return z;
}

/* An index entry that belongs to another primary entry. */
static int indexEntryViolation(
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
  if( kvPartRead(kvBytes(aIk, nIk), &i, &part, 0)==KV_OK ) kvPartPrint(&text, &part);
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
static int indexEntryUnique(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aIk, u32 nIk,
  const u8 *aPk, u32 nPk, char **pzErr
){
  KvIndexes *p = pStore->pIndexes;
  const u8 *aOther;
  u32 i = 0, nOther;
  int rc = indexEntryWhose(pStore, aIk, nIk, pzErr);
  while( rc==SQLITE_OK && (aOther = kvIndexValueNext(&p->whose, &i, &nOther))!=0 ){
    if( kvIndexCompare(aOther, nOther, aPk, nPk)==0 ) continue;
    rc = kvStoreFind(pStore, aOther, nOther, kvNow(), 0, &p->found, pzErr);
    if( rc!=SQLITE_OK ) break;
    if( p->found.bFound ){
      pStore->bConflict = 1;
      return indexEntryViolation(pDef, aIk, nIk, aPk, nPk, aOther, nOther, pzErr);
    }
    rc = kvIndexRow(pStore, KVSQL_INDEX_TAKE, aIk, nIk, aOther, nOther, pzErr);
  }
  return rc;
}

/* An index entry that is new.  bStrict: what can't be kept is an error. */
int kvIndexAdd(
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
    rc = indexEntryUnique(pStore, pDef, aIk, nIk, aPk, nPk, pzErr);
  }
  if( rc!=SQLITE_OK ) return rc;
  pStore->pIndexes->nAdded++;
  return kvIndexRow(pStore, KVSQL_INDEX_PUT, aIk, nIk, aPk, nPk, pzErr);
}


/* Is an index entry that is there as it would be, in which form? */
int kvIndexProbeEntry(
  KvStore *pStore, const KvIndexDef *pDef, const u8 *aIk, u32 nIk,
  const u8 *aPk, u32 nPk, char **pzErr
){
  KvIndexes *p = pStore->pIndexes;
  IndexEntry entry;
  u8 mForm = 0;
  int bCopy;
  int rc = indexEntryEntry(pStore, aIk, nIk, &entry, pzErr);
  if( rc!=SQLITE_OK || !entry.bThere || p->mForm==0 ) return rc;
  if( entry.iExpires>=0 && entry.iExpires<=kvNow() ) return SQLITE_OK;
  for(bCopy=0; bCopy<2; bCopy++){
    int eEncoding;
    rc = indexEntryForm(pStore, pDef, bCopy, aPk, nPk, &eEncoding);
    if( rc!=SQLITE_OK && rc!=SQLITE_NOTFOUND ) return rc;
    if( rc==SQLITE_OK && indexEntryHolds(p, &entry, eEncoding) ){
      mForm |= bCopy ? KVINDEX_FORM_COPY : KVINDEX_FORM_POINTER;
    }
  }
  p->mForm &= mForm;
  if( p->mForm==0 ) kvBufAppend(&p->entryKey, aIk, nIk);
  return p->entryKey.eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
}
