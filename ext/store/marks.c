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

/* A key in KvMarks.bytes, and when it was written last; n is 0 in a free slot,
** since no key is empty. */
typedef struct MrkSlot MrkSlot;
struct MrkSlot {
  u32 iAt, n;
  u64 iClock;
};

struct KvMarks {
  u32 nView;              /* Scans that are open */
  u32 nMark, nSlot;       /* nSlot: 0 or a power of two above nMark */
  u64 iClock;             /* Writes so far */
  u32 iSeed;              /* Of the hash */
  MrkSlot *aSlot;
  KvBuf bytes;
};

static u32 mrkHash(const KvMarks *p, const u8 *a, u32 n){
  u32 h = p->iSeed, i;
  for(i=0; i<n; i++) h = (h ^ a[i])*16777619u;
  return h ^ h>>15;
}

/* The slot of a key, or the free one where it belongs. */
static MrkSlot *mrkFind(const KvMarks *p, const u8 *a, u32 n){
  u32 i = mrkHash(p, a, n);
  for(;; i++){
    MrkSlot *pSlot = &p->aSlot[i & (p->nSlot-1)];
    if( pSlot->n==0 ) return pSlot;
    if( pSlot->n==n && memcmp(&p->bytes.a[pSlot->iAt], a, n)==0 ) return pSlot;
  }
}

static int mrkGrow(KvMarks *p){
  u32 i, nOld = p->nSlot, nNew = nOld ? nOld*2 : 64;
  MrkSlot *aOld = p->aSlot;
  MrkSlot *aNew = sqlite3_malloc64((u64)nNew*sizeof(MrkSlot));
  if( aNew==0 ) return SQLITE_NOMEM;
  memset(aNew, 0, (size_t)nNew*sizeof(MrkSlot));
  p->aSlot = aNew;
  p->nSlot = nNew;
  for(i=0; i<nOld; i++){
    if( aOld[i].n ) *mrkFind(p, &p->bytes.a[aOld[i].iAt], aOld[i].n) = aOld[i];
  }
  sqlite3_free(aOld);
  return SQLITE_OK;
}

int kvMarksOpen(KvStore *pStore){
  KvMarks *p = pStore->pMarks;
  if( p==0 ){
    p = sqlite3_malloc64(sizeof(*p));
    if( p==0 ) return SQLITE_NOMEM;
    memset(p, 0, sizeof(*p));
    sqlite3_randomness(sizeof(p->iSeed), &p->iSeed);
    pStore->pMarks = p;
  }
  p->nView++;
  return SQLITE_OK;
}

static void mrkForget(KvMarks *p){
  kvBufClear(&p->bytes);
  sqlite3_free(p->aSlot);
  p->aSlot = 0;
  p->nSlot = p->nMark = 0;
}

void kvMarksClose(KvStore *pStore){
  if( --pStore->pMarks->nView==0 ) mrkForget(pStore->pMarks);
}

void kvMarksFree(KvStore *pStore){
  if( pStore->pMarks ) mrkForget(pStore->pMarks);
  sqlite3_free(pStore->pMarks);
  pStore->pMarks = 0;
}

int kvMarksAdd(KvStore *pStore, const u8 *a, u32 n){
  KvMarks *p = pStore->pMarks;
  MrkSlot *pSlot;
  if( p==0 || p->nView==0 || n==0 ) return SQLITE_OK;
  if( p->nMark>=p->nSlot/2 && mrkGrow(p)!=SQLITE_OK ) return SQLITE_NOMEM;
  pSlot = mrkFind(p, a, n);
  if( pSlot->n==0 ){
    u32 iAt = p->bytes.n;
    kvBufAppend(&p->bytes, a, n);
    if( p->bytes.eErr!=KV_OK ) return SQLITE_NOMEM;
    pSlot->iAt = iAt;
    pSlot->n = n;
    p->nMark++;
  }
  pSlot->iClock = ++p->iClock;
  return SQLITE_OK;
}

u64 kvMarksClock(const KvStore *pStore){
  return pStore->pMarks ? pStore->pMarks->iClock : 0;
}

int kvMarksSince(const KvStore *pStore, const u8 *a, u32 n, u64 iClock){
  const KvMarks *p = pStore->pMarks;
  if( p==0 || p->nMark==0 || p->iClock==iClock ) return 0;
  return mrkFind(p, a, n)->iClock>iClock;
}
