/*
** marks.c -- the keys that are written while an index or the feed is read.
** See index.h.
**
** A statement may write what it reads: INSERT OR REPLACE INTO kv_entries ...
** SELECT ... FROM kv_lookup(...) moves the entries of the index on which the
** scan runs, maybe to a place ahead of it; what kv_changes() shows moves to
** its end.  So that nothing comes twice, or for ever, the store notes the key
** of every write while such a scan is open, with a count of the writes.  A
** scan passes over the keys that were noted since it began.  Versions can't
** tell: what one transaction writes has one version, before the scan and
** during it.
*/
#include "store/index.h"
SQLITE_EXTENSION_INIT3
#include "store/keymap.h"

struct KvMarks {
  u32 nScan;              /* Scans that are open */
  i64 iClock;             /* Writes so far */
  KvKeyMap map;           /* iValue: iClock when the key was written last */
};

int kvMarksOpen(KvStore *pStore){
  if( pStore->pMarks==0 ){
    pStore->pMarks = sqlite3_malloc64(sizeof(KvMarks));
    if( pStore->pMarks==0 ) return SQLITE_NOMEM;
    memset(pStore->pMarks, 0, sizeof(KvMarks));
  }
  pStore->pMarks->nScan++;
  return SQLITE_OK;
}

void kvMarksClose(KvStore *pStore){
  if( --pStore->pMarks->nScan==0 ) kvKeyMapClear(&pStore->pMarks->map);
}

void kvMarksFree(KvStore *pStore){
  if( pStore->pMarks ) kvKeyMapClear(&pStore->pMarks->map);
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
