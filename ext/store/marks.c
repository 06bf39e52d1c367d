/*
** marks.c -- the keys that are written while entries, an index or the feed are
** read.  See index.h.
**
** A statement may write what it reads: INSERT OR REPLACE INTO kv_entries ...
** SELECT ... FROM kv_lookup(...) moves the entries of the index on which the
** scan runs, maybe to a place ahead of it; what kv_changes() shows moves to
** its end.  So that nothing comes twice, or for ever, the store notes the key
** of every write while such a scan is open, with a count of the writes.  A
** scan passes over the keys that were noted since it began.  Versions can't
** tell: what one transaction writes has one version, before the scan and
** during it.
**
** A reader of entries (INSERT INTO kv_atomic ... SELECT ... FROM kv_entries)
** comes to each key once, so it only has to pass over those that are new since
** it began.  Whether a key is new is looked up before it is written, and only if
** a reader has it ahead: writing elsewhere, and to what is there, notes nothing.
*/
#include "store/index.h"
SQLITE_EXTENSION_INIT3
#include "store/keymap.h"

struct KvMarks {
  u32 nScan;              /* Scans that are open */
  i64 iClock;             /* Writes so far */
  KvKeyMap map;           /* iValue: iClock when the key was written last */
  KvKeyMap added;         /* iValue: iClock when the key was added last */
};

static int marksMake(KvStore *pStore){
  if( pStore->pMarks ) return SQLITE_OK;
  pStore->pMarks = sqlite3_malloc64(sizeof(KvMarks));
  if( pStore->pMarks==0 ) return SQLITE_NOMEM;
  memset(pStore->pMarks, 0, sizeof(KvMarks));
  return SQLITE_OK;
}

int kvMarksOpen(KvStore *pStore){
  int rc = marksMake(pStore);
  if( rc==SQLITE_OK ) pStore->pMarks->nScan++;
  return rc;
}

void kvMarksClose(KvStore *pStore){
  if( --pStore->pMarks->nScan==0 ) kvKeyMapClear(&pStore->pMarks->map);
}

void kvMarksFree(KvStore *pStore){
  if( pStore->pMarks ){
    kvKeyMapClear(&pStore->pMarks->map);
    kvKeyMapClear(&pStore->pMarks->added);
  }
  sqlite3_free(pStore->pMarks);
  pStore->pMarks = 0;
}

int kvMarksAdd(KvStore *pStore, const u8 *a, u32 n){
  KvMarks *p = pStore->pMarks;
  KvMapKey *pKey;
  if( p==0 || p->nScan==0 ) return SQLITE_OK;
  pKey = kvKeyMapAdd(&p->map, a, n);
  if( pKey==0 ) return SQLITE_NOMEM;
  pKey->iValue = ++p->iClock;
  return SQLITE_OK;
}

i64 kvMarksClock(const KvStore *pStore){
  return pStore->pMarks ? pStore->pMarks->iClock : 0;
}

int kvMarksSince(const KvStore *pStore, const u8 *a, u32 n, i64 iClock){
  const KvMarks *p = pStore->pMarks;
  const KvMapKey *pKey;
  if( p==0 || p->iClock==iClock ) return 0;
  pKey = kvKeyMapFind(&p->map, a, n);
  return pKey && pKey->iValue>iClock;
}

/* ---- readers of entries -------------------------------------------------- */

void kvReadingOpen(KvStore *pStore, KvReading *p, const KvBuf *pLo, const KvBuf *pHi){
  kvReadingClose(pStore, p);
  p->bOpen = 1;
  p->pLo = pLo;
  p->pHi = pHi;
  p->iClock = kvMarksClock(pStore);
  p->pNext = pStore->pReading;
  pStore->pReading = p;
}

void kvReadingClose(KvStore *pStore, KvReading *p){
  KvReading **pp = &pStore->pReading;
  if( !p->bOpen ) return;
  p->bOpen = 0;
  while( *pp!=p ) pp = &(*pp)->pNext;
  *pp = p->pNext;
  if( pStore->pReading==0 && pStore->pMarks ) kvKeyMapClear(&pStore->pMarks->added);
}

static int marksCompare(const u8 *a, u32 n, const KvBuf *p){
  u32 nLess = n<p->n ? n : p->n;
  int c = nLess ? memcmp(a, p->a, nLess) : 0;
  return c ? c : (n>p->n) - (n<p->n);
}

/* Has a reader the key ahead? */
static int marksAhead(const KvStore *pStore, const u8 *a, u32 n){
  const KvReading *p;
  for(p=pStore->pReading; p; p=p->pNext){
    if( marksCompare(a, n, p->pLo)>=0 && (p->pHi->n==0 || marksCompare(a, n, p->pHi)<0) ) return 1;
  }
  return 0;
}

int kvMarksPut(KvStore *pStore, const u8 *a, u32 n, char **pzErr){
  KvFound found;
  KvMapKey *pKey;
  int rc = kvMarksAdd(pStore, a, n);
  if( rc!=SQLITE_OK || pStore->pReading==0 || !marksAhead(pStore, a, n) ) return rc;
  memset(&found, 0, sizeof(found));
  rc = kvStoreFind(pStore, a, n, kvNow(), 0, &found, pzErr);
  if( rc!=SQLITE_OK || found.bFound ) return rc;
  rc = marksMake(pStore);
  if( rc!=SQLITE_OK ) return rc;
  pKey = kvKeyMapAdd(&pStore->pMarks->added, a, n);
  if( pKey==0 ) return SQLITE_NOMEM;
  pKey->iValue = ++pStore->pMarks->iClock;
  return SQLITE_OK;
}

int kvReadingIsNew(const KvStore *pStore, const KvReading *p, const u8 *a, u32 n){
  const KvMapKey *pKey;
  if( kvMarksClock(pStore)==p->iClock ) return 0;
  pKey = kvKeyMapFind(&pStore->pMarks->added, a, n);
  return pKey && pKey->iValue>p->iClock;
}
