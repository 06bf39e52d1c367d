/*
** hot.c -- values that kv_get() has read.  See hot.h.
**
** More than half of the time of a point read is spent on beginning and ending its read
** transaction.  In WAL mode there is another way to see that nobody has written: the
** header of the WAL index, 48 bytes in memory that all connections share
** (https://www.sqlite.org/walformat.html#the_wal_index_header), is another one after each
** commit, whoever makes it.  SQLite itself relies on it.
**
**     aPgno  0        48        96                         two copies, which are the same
**            | header | header | ...                       unless one is being written
**
** The cache answers only where that is certain, and otherwise kv_get() reads as ever:
**
**    - the file has a WAL, whose index is in shared memory (SQLITE_FCNTL_JOURNAL_POINTER
**      is another file as soon as it has none), and its salt isn't 0, as it is where
**      another process has made the index again from an empty WAL;
**    - no transaction is open, and no statement reads the file: the next one to read
**      would see the newest commit, which is what the header is that of;
**    - the header is the one before and after all that the cache holds was read.
**
** A statement that is answered has no read transaction, so a second read would be of a state
** of its own.  So only one is answered that reads nothing else (kvProgramGets()), and whose
** read SQLite still allows: sqlite3_set_authorizer() makes it prepare statements again.
*/
#include "sql/hot.h"

/* A WAL index is mapped by pieces of this size; in its header: the version, if it was
** initialized, and the salt. */
#define HOT_PIECE    32768
#define HOT_VERSION  3007000
#define HOT_INIT     12
#define HOT_SALT     32

/* What is before the value in KvHot.values. */
typedef struct HotHead HotHead;
struct HotHead {
  i64 iFrom, iTo;
  int eEncoding;
  u32 n;                  /* Bytes that follow */
  u8 bFound;
};

/* What an entry takes besides its key and value. */
#define HOT_OVERHEAD (sizeof(HotHead) + 4*sizeof(KvMapItem))

static void hotForget(KvHot *p){
  kvMapClear(&p->map);
  kvBufClear(&p->values);
}

void kvHotLimit(KvHot *p, i64 nMost){
  hotForget(p);
  p->nMost = nMost;
}

void kvHotClear(KvHot *p){
  kvHotLimit(p, 0);
}

/* ---- the state of the file --------------------------------------------------- */

static sqlite3_file *hotFile(sqlite3 *db, int eControl){
  sqlite3_file *pFile = 0;
  int rc = sqlite3_file_control(db, "main", eControl, &pFile);
  return rc==SQLITE_OK && pFile && pFile->pMethods ? pFile : 0;
}

/* Does a PRAGMA of the main file say so? */
static int hotSays(sqlite3 *db, const char *zSql, const char *zWhat){
  sqlite3_stmt *pStmt = 0;
  const char *z = 0;
  int b;
  if( sqlite3_prepare_v2(db, zSql, -1, &pStmt, 0)==SQLITE_OK && sqlite3_step(pStmt)==SQLITE_ROW ){
    z = (const char*)sqlite3_column_text(pStmt, 0);
  }
  b = z && strcmp(z, zWhat)==0;
  sqlite3_finalize(pStmt);
  return b;
}

/* Is there a WAL with an index in shared memory?  Asked where the journal is another file
** than before. */
static void hotJournal(KvHot *p, sqlite3 *db){
  sqlite3_file *pJournal = hotFile(db, SQLITE_FCNTL_JOURNAL_POINTER);
  if( pJournal==p->pJournal || p->bLooking ) return;
  p->bLooking = 1;
  p->bWal = hotSays(db, "PRAGMA main.journal_mode", "wal")
         && hotSays(db, "PRAGMA main.locking_mode", "normal")
         && hotFile(db, SQLITE_FCNTL_JOURNAL_POINTER)==pJournal;
  p->pJournal = pJournal;
  p->bLooking = 0;
}

/* The header of the WAL index as it is now.  False: there is none, it is being written, or an
** error of the VFS. */
static int hotHeader(const KvHot *p, sqlite3 *db, u8 *aOut){
  sqlite3_file *pFile;
  void volatile *pMap = 0;
  u8 aOther[KVHOT_HEADER];
  u32 iVersion;
  if( !p->bWal || hotFile(db, SQLITE_FCNTL_JOURNAL_POINTER)!=p->pJournal ) return 0;
  pFile = hotFile(db, SQLITE_FCNTL_FILE_POINTER);
  if( pFile==0 || pFile->pMethods->iVersion<2 || pFile->pMethods->xShmMap==0 ) return 0;
  if( pFile->pMethods->xShmMap(pFile, 0, HOT_PIECE, 0, &pMap)!=SQLITE_OK || pMap==0 ) return 0;
  memcpy(aOut, (const void*)pMap, KVHOT_HEADER);
  pFile->pMethods->xShmBarrier(pFile);
  memcpy(aOther, (const u8*)pMap + KVHOT_HEADER, KVHOT_HEADER);
  memcpy(&iVersion, aOut, sizeof(iVersion));
  return memcmp(aOut, aOther, KVHOT_HEADER)==0 && iVersion==HOT_VERSION && aOut[HOT_INIT]!=0
      && memcmp(&aOut[HOT_SALT], "\0\0\0\0\0\0\0\0", 8)!=0;
}

/* Is the state of the cache the one that there is now? */
static int hotSame(const KvHot *p, sqlite3 *db){
  u8 aHeader[KVHOT_HEADER];
  return hotHeader(p, db, aHeader) && memcmp(aHeader, p->aHeader, KVHOT_HEADER)==0;
}

int kvHotFresh(const KvHot *p, sqlite3 *db){
  return p->nMost>0 && sqlite3_get_autocommit(db)
      && sqlite3_txn_state(db, "main")==SQLITE_TXN_NONE;
}

/* ---- values ---------------------------------------------------------------- */

int kvHotFind(const KvHot *p, sqlite3 *db, KvBytes key, i64 iNow, KvHotValue *pOut){
  const KvMapItem *pItem = kvMapFind(&p->map, key);
  HotHead head;
  if( pItem==0 ) return 0;
  memcpy(&head, &p->values.a[pItem->iValue], sizeof(head));
  if( iNow<head.iFrom || iNow>=head.iTo || !hotSame(p, db) ) return 0;
  pOut->iFrom = head.iFrom;
  pOut->iTo = head.iTo;
  pOut->eEncoding = head.eEncoding;
  pOut->bFound = head.bFound;
  pOut->v = kvBytes(&p->values.a[pItem->iValue + (i64)sizeof(head)], head.n);
  return 1;
}

int kvHotBegin(KvHot *p, sqlite3 *db){
  u8 aHeader[KVHOT_HEADER];
  hotJournal(p, db);
  if( !hotHeader(p, db, aHeader) ) return 0;
  if( memcmp(aHeader, p->aHeader, KVHOT_HEADER)!=0 ){
    hotForget(p);
    memcpy(p->aHeader, aHeader, KVHOT_HEADER);
  }
  return 1;
}

void kvHotAdd(KvHot *p, sqlite3 *db, KvBytes key, const KvHotValue *pValue){
  HotHead head = { pValue->iFrom, pValue->iTo, pValue->eEncoding, pValue->v.n, pValue->bFound };
  i64 n = (i64)HOT_OVERHEAD + key.n + pValue->v.n;
  KvMapItem *pItem;
  if( n>p->nMost/4 || !hotSame(p, db) ) return;
  if( (i64)p->map.nItem*(i64)HOT_OVERHEAD + p->map.bytes.n + p->values.n + n>p->nMost ){
    hotForget(p);
  }
  pItem = kvMapAdd(&p->map, key);
  if( pItem ){
    pItem->iValue = p->values.n;
    kvBufAppend(&p->values, &head, sizeof(head));
    kvBufAdd(&p->values, pValue->v);
  }
  if( pItem==0 || p->values.eErr!=KV_OK ) hotForget(p);
}
