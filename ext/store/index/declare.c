/*
** declare.c -- declaring an index and removing one.  See declare.h.
*/
#include "store/store_int.h"
#include "store/clock.h"
#include "store/history.h"
#include "store/index/table.h"
#include "store/index/declare.h"
#include "store/index/dirty.h"
#include "store/row.h"
#include "store/index/entry.h"
#include "store/index/held.h"
#include "store/index/overlay.h"
#include "store/index/write.h"
#include "store/migrate.h"
#include "store/search.h"
#include "store/write.h"
#include <stdlib.h>

/* Primary entries that are read in one go. */
#define DECLARE_CHUNK   256
/* Bytes of memory for index entries to be sorted. */
#ifdef KV_DEBUG
# define DECLARE_BYTES  16384
#else
# define DECLARE_BYTES  (64*1024*1024)
#endif

/* An index that is being declared. */
typedef struct Declare Declare;
struct Declare {
  KvStore *pStore;
  const KvIndexDef *pDef;
  int mForm;              /* Forms that all entries have which are there */
  KvBuf blocker;          /* The key of one that leaves no form, or is none of the
                          ** index's entries; empty if there is none */
  i64 nEntry;             /* Index entries that were made */
  u8 bAlone;              /* No other index is about the same primary entries */
};

/* ---- for each primary entry ------------------------------------------------ */

static void declareDocument(Declare *p, KvBytes pk){
  p->nEntry += kvIndexDocument(p->pStore, p->pDef, pk);
}

static void declareFill(Declare *p, KvBytes pk){
  p->nEntry += kvIndexMaintain(p->pStore, p->pDef, pk, KVINDEX_REMOVE|KVINDEX_ADD|KVINDEX_STRICT);
}

/* In which form are the index entries of a primary entry there? */
static void declareProbe(Declare *p, KvBytes pk){
  const KvList *pWanted = kvIndexEntryWanted(p->pStore, p->pDef, pk);
  KvBytes ik;
  u32 i = 0;
  while( p->mForm && !kvFailed(&p->pStore->err) && kvListNext(pWanted, &i, &ik) ){
    p->mForm = kvIndexEntryForms(p->pStore, p->pDef, ik, pk, p->mForm);
    if( p->mForm==0 ) kvErrorCopy(&p->pStore->err, ik, &p->blocker);
  }
}

/* Up to DECLARE_CHUNK keys with the prefix from pLo on. */
static u32 declareChunk(Declare *p, KvBuf *pLo, KvList *pList){
  u32 mRead = p->pDef->prefix.n ? KVREAD_UPPER : 0;
  KvStmt *pStmt = kvStmtReader(p->pStore, mRead);
  kvErrorBuf(&p->pStore->err, pLo);
  kvBindBytes(pStmt, 1, kvBufBytes(pLo));
  if( mRead ) kvBindBytes(pStmt, 2, p->pDef->prefixEnd);
  kvBindInt(pStmt, 3, kvNow());
  return kvIndexCollect(pStmt, pList, DECLARE_CHUNK);
}

static void declareEach(Declare *p, void (*xKey)(Declare*, KvBytes)){
  KvBuf lo = { 0 };
  KvList list = { { 0 } };
  KvBytes key;
  u32 i, n;
  kvBufAdd(&lo, p->pDef->prefix);
  kvBufPut(&lo, 0);
  do{
    n = declareChunk(p, &lo, &list);
    for(i=0; !kvFailed(&p->pStore->err) && kvListNext(&list, &i, &key); ){
      kvBufReset(&lo);
      kvBufAdd(&lo, key);
      kvBufPut(&lo, 0);
      if( !kvIndexOwner(p->pStore, key) && !kvIndexDefOwns(p->pDef, key) ) xKey(p, key);
    }
  }while( n==DECLARE_CHUNK && !kvFailed(&p->pStore->err) );
  kvBufClear(&lo);
  kvListClear(&list);
}

/* ---- all at once ------------------------------------------------------------ */

/* An index entry to be made. */
typedef struct DeclareEntry DeclareEntry;
struct DeclareEntry {
  KvBytes ik, pk;
  i64 iExpires;
};

static int declareCompare(const void *pA, const void *pB){
  const DeclareEntry *a = pA, *b = pB;
  int c = kvBytesCompare(a->ik, b->ik);
  return c ? c : kvBytesCompare(a->pk, b->pk);
}

/* Note what the primary entry that a statement is at asks for, and add it: each ik, pk and
** expiry. */
static void declareGather(Declare *p, KvStmt *pStmt, KvList *pKeys, KvList *pOut){
  KvStore *pStore = p->pStore;
  KvBytes ik, pk = kvStmtBytes(pStmt, KVREAD_COL_KEY);
  i64 iExpires = kvStmtInt(pStmt, KVREAD_COL_EXPIRES);
  u32 i = 0, mKind = KVKIND_NULL*KVKIND_EACH;
  if( kvIndexOwner(pStore, pk) || kvIndexDefOwns(p->pDef, pk) ) return;
  kvListReset(pKeys);
  if( sqlite3_column_type(pStmt->pStmt, KVREAD_COL_V)==SQLITE_BLOB ){
    mKind = kvIndexEntryKeys(pStore, p->pDef, pk, (int)kvStmtInt(pStmt, KVREAD_COL_ENCODING),
                             kvStmtBytes(pStmt, KVREAD_COL_V), pKeys);
  }
  kvDirtyKinds(pStore, p->pDef, mKind);
  kvListSort(pKeys);
  kvErrorBuf(&pStore->err, &pKeys->bytes);
  if( !p->bAlone ) kvIndexHeldReplace(pStore, p->pDef, pk, pKeys);
  else if( pKeys->bytes.n ) kvIndexHeldSet(pStore, pk, pKeys);
  while( kvListNext(pKeys, &i, &ik) ){
    kvListAdd(pOut, ik);
    kvListAdd(pOut, pk);
    kvListAdd(pOut, kvBytes((const u8*)&iExpires, sizeof(iExpires)));
  }
  kvErrorBuf(&pStore->err, &pOut->bytes);
}

/* Gather for primary entries from *pLo on, as far as memory goes.  True if there are
** more: *pLo is where the next ones begin. */
static int declareRead(Declare *p, KvBuf *pLo, KvList *pOut){
  u32 mRead = KVREAD_META|KVREAD_VALUE | (p->pDef->prefix.n ? KVREAD_UPPER : 0);
  KvStmt *pStmt = kvStmtReader(p->pStore, mRead);
  KvList keys = { { 0 } };
  int bMore = 0;
  kvListReset(pOut);
  kvBindBytes(pStmt, 1, kvBufBytes(pLo));
  if( mRead & KVREAD_UPPER ) kvBindBytes(pStmt, 2, p->pDef->prefixEnd);
  kvBindInt(pStmt, 3, kvNow());
  while( !bMore && kvStmtRow(pStmt) ){
    declareGather(p, pStmt, &keys, pOut);
    bMore = pOut->bytes.n>=DECLARE_BYTES;
    if( !bMore ) continue;
    kvErrorCopy(&p->pStore->err, kvStmtBytes(pStmt, KVREAD_COL_KEY), pLo);
    kvBufPut(pLo, 0);
    kvErrorBuf(&p->pStore->err, pLo);
  }
  kvStmtGive(pStmt);
  kvListClear(&keys);
  return bMore && !kvFailed(&p->pStore->err);
}

/* The entries that were gathered, in the order of the index; to be freed. */
static DeclareEntry *declareSort(Declare *p, const KvList *pList, u32 *pn){
  KvBytes ik, pk, expires;
  DeclareEntry *a;
  u32 i = 0, n = 0;
  while( kvListNext(pList, &i, &ik) ) n++;
  *pn = 0;
  a = sqlite3_malloc64((u64)(n/3 + 1)*sizeof(*a));
  if( a==0 ) kvErrorCode(&p->pStore->err, SQLITE_NOMEM);
  for(i=n=0; a && kvListNext(pList, &i, &ik); n++){
    kvListNext(pList, &i, &pk);
    kvListNext(pList, &i, &expires);
    a[n].ik = ik;
    a[n].pk = pk;
    memcpy(&a[n].iExpires, expires.p, sizeof(a[n].iExpires));
  }
  if( n>1 ) qsort(a, n, sizeof(*a), declareCompare);
  *pn = n;
  return a;
}

/* Make the entries of an index in its order, which costs a fraction of any other.  What
** violates it is looked for only where it can: beside the same key, and where others
** were made before.  bLook: some may be there. */
static void declareBulk(Declare *p, int bLook){
  KvStore *pStore = p->pStore;
  int bUnique = (p->pDef->mOptions & KVINDEX_UNIQUE)!=0, bLater = 0, bMore;
  KvBuf lo = { 0 };
  KvList list = { { 0 } };
  kvBufAdd(&lo, p->pDef->prefix);
  kvBufPut(&lo, 0);
  kvErrorBuf(&pStore->err, &lo);
  do{
    u32 i, n;
    DeclareEntry *a;
    bMore = declareRead(p, &lo, &list);
    a = declareSort(p, &list, &n);
    for(i=0; i<n && !kvFailed(&pStore->err); i++){
      KvRow row = { .key = a[i].pk, .iExpires = a[i].iExpires };
      int bSame = i>0 && kvBytesEqual(a[i-1].ik, a[i].ik);
      kvIndexEntryAdd(pStore, p->pDef, a[i].ik, a[i].pk, bUnique && (bSame || bLater));
      kvIndexEntryPut(pStore, p->pDef, a[i].ik, &row, bLook);
      p->nEntry += !kvIndexDefLeft(p->pDef, a[i].ik);
    }
    sqlite3_free(a);
    bLater = 1;
  }while( bMore );
  kvBufClear(&lo);
  kvListClear(&list);
}

/* ---- what is there --------------------------------------------------------- */

/* A statement for all keys that the index owns. */
static KvStmt *declareOwned(KvStore *p, int eSql, const KvIndexDef *pDef){
  return kvStmtWith(p, eSql, "bb", pDef->name, pDef->nameEnd);
}

/* Look for an entry whose key the index owns, into p->blocker.  False if there is none. */
static int declareBlocked(Declare *p){
  KvStmt *pStmt = declareOwned(p->pStore, KVSQL_INDEX_ANY, p->pDef);
  int bRow = kvStmtRow(pStmt);
  if( bRow ) kvErrorCopy(&p->pStore->err, kvStmtBytes(pStmt, 0), &p->blocker);
  kvStmtGive(pStmt);
  return bRow;
}

/* The error for p->blocker. */
static void declareRefuse(Declare *p, const char *zWhy){
  KvBuf key = { 0 };
  kvError(&p->pStore->err, SQLITE_ERROR,
      "kv: kv_index(): key %s already exists and %s index %!.100s; delete it, give the "
      "index another name, or replace it with the option overwrite",
      kvErrorKey(&p->pStore->err, kvBufBytes(&p->blocker), &key), zWhy, p->pDef->zName);
  kvBufClear(&key);
}

/* What is there already?  True if the entries are to hold copies, because those
** that are there do. */
static int declareFindForm(Declare *p){
  int bAsked = (p->pDef->mOptions & KVINDEX_COPY)!=0;
  if( !declareBlocked(p) ) return 0;           /* the index has no entries yet */
  p->mForm = KVINDEX_FORM_POINTER|KVINDEX_FORM_COPY;
  kvBufReset(&p->blocker);
  declareEach(p, declareProbe);
  if( p->mForm==0 ){
    declareRefuse(p, "is not an entry of");
  }else if( bAsked && !(p->mForm & KVINDEX_FORM_COPY) ){
    declareBlocked(p);
    declareRefuse(p, "holds a pointer, not a copy, in");
  }
  return !bAsked && !(p->mForm & KVINDEX_FORM_POINTER);
}

/* Run one; returns how many rows it changed. */
static i64 declareRange(KvStore *p, int eSql, const KvIndexDef *pDef){
  kvWriteOwn(declareOwned(p, eSql, pDef));
  return kvFailed(&p->err) ? 0 : sqlite3_changes64(p->db);
}

/* Some keys of entries after p->blocker that the index owns, which is then the last of
** them; false if there is none. */
static int declareNext(Declare *p, KvList *pList){
  KvStmt *pStmt = kvStmtWith(p->pStore, KVSQL_INDEX_ANY, "bb", kvBufBytes(&p->blocker),
                             p->pDef->nameEnd);
  return kvIndexCollect(pStmt, pList, DECLARE_CHUNK)>0 && !kvFailed(&p->pStore->err);
}

/* What is still there and no entry of the index.  There is none if there are as many as
** were made. */
static void declareRest(Declare *p, int bOverwrite){
  KvStore *pStore = p->pStore;
  KvStmt *pCount = declareOwned(pStore, KVSQL_INDEX_COUNT, p->pDef);
  KvList list = { { 0 } };
  KvBytes key;
  u32 i;
  int bAll = !kvStmtRow(pCount) || kvStmtInt(pCount, 0)==p->nEntry;
  kvStmtGive(pCount);
  if( bAll ) return;
  kvErrorCopy(&pStore->err, p->pDef->name, &p->blocker);
  while( declareNext(p, &list) ){
    for(i=0; !kvFailed(&pStore->err) && kvListNext(&list, &i, &key); ){
      kvErrorCopy(&pStore->err, key, &p->blocker);
      if( kvIndexEntryHad(pStore, p->pDef, key) ) continue;
      if( bOverwrite ) kvIndexEntryGone(pStore, key);
      else declareRefuse(p, "is not an entry of");
    }
  }
  kvListClear(&list);
}

/* The keys that a new index owns are primary keys no longer: take them out of the
** other indexes. */
static void declareEvict(Declare *p){
  KvList list = { { 0 } };
  KvBytes ik;
  u32 i = 0;
  kvIndexHeldEvict(p->pStore, p->pDef, &list);
  kvListSort(&list);
  kvErrorBuf(&p->pStore->err, &list.bytes);
  while( !kvFailed(&p->pStore->err) && kvListNext(&list, &i, &ik) ){
    const KvIndexDef *pOther = kvIndexOwner(p->pStore, ik);
    if( pOther ) kvIndexEntryMake(p->pStore, pOther, ik);
  }
  kvListClear(&list);
}

/* ---- the declaration ------------------------------------------------------- */

/* An error if the index can't be declared beside the others. */
static void declareAllowed(KvStore *p, const KvIndexDef *pNew){
  const char *zIn = kvBytesBegins(pNew->prefix, pNew->name) ? pNew->zName : 0;
  u32 i;
  if( kvIndexNamed(p, pNew->zName) ){
    kvError(&p->err, SQLITE_ERROR,
        "kv: kv_index(): index %!.100s already exists with a different definition; "
        "kv_index_drop() it first", pNew->zName);
  }
  if( pNew->name.n>KVINDEX_NAME_MAX ){
    kvError(&p->err, SQLITE_ERROR,
        "kv: kv_index(): the name takes %u bytes of each key, and may take at most %d "
        "of the %d that Deno reads; give the index a shorter name",
        pNew->name.n, KVINDEX_NAME_MAX, KVINDEX_KEY_MAX);
  }
  for(i=0; zIn==0 && i<kvIndexCount(p); i++){
    const KvIndexDef *pDef = kvIndexAt(p, i);
    if( kvBytesBegins(pNew->prefix, pDef->name) ) zIn = pDef->zName;
    if( kvBytesBegins(pDef->prefix, pNew->name) ){
      kvError(&p->err, SQLITE_ERROR,
          "kv: kv_index(): the name %!.100s contains primary entries of the index "
          "%!.100s; give the index another name", pNew->zName, pDef->zName);
    }
  }
  if( zIn ){
    kvError(&p->err, SQLITE_ERROR,
        "kv: kv_index(): the prefix contains the entries of the index %!.100s; give "
        "the index another name or prefix", zIn);
  }
}

/* Write the declaration.  bCopy: its entries are to hold copies, which was not asked
** for. */
static void declareWrite(KvStore *p, const KvIndexDef *pDef, int bCopy){
  KvBuf options = { 0 };
  size_t n = (size_t)(pDef->zWhere - pDef->zOptions);
  kvBufAppend(&options, pDef->zOptions, n);
  if( bCopy && n>0 && options.n==n && pDef->zOptions[n-1]!=' ' ) kvBufPut(&options, ' ');
  if( bCopy ) kvBufText(&options, pDef->zWhere[0] ? "copy " : "copy");
  kvBufText(&options, pDef->zWhere);
  kvErrorBuf(&p->err, &options);
  kvStmtRun(kvStmtWith(p, KVSQL_INDEX_ADD, "tbttb", kvBytesText(pDef->zName), pDef->prefix,
                       kvBytesText(pDef->zPath), kvBufBytes(&options), kvIndexDefOwn(pDef)));
  kvBufClear(&options);
  kvDirtyDeclared(p);
  kvHistoryRemake(p);
  kvIndexList(p);                      /* of this schema */
}

/* The published tables of the prefix have an index, too. */
static void declareTables(KvStore *p, const KvIndexDef *pDef){
  u32 i;
  if( pDef->spec.where.n>0 ) return;
  for(i=0; i<kvIndexCount(p) && !kvFailed(&p->err); i++){
    const KvIndexDef *pTable = kvIndexAt(p, i);
    if( (pTable->mOptions & KVINDEX_TABLE) && kvBytesEqual(pTable->prefix, pDef->prefix) ){
      p->pPublisher->xIndex(p, pTable, pDef);
    }
  }
}

/* Make the entries of an index that is declared. */
static void declareMake(Declare *p, int bOverwrite){
  if( p->pDef==0 ){
    kvIndexMeddled(p->pStore);
    return;
  }
  if( !kvIndexEnter(p->pStore) ) return;
  if( p->pDef->mOptions & KVINDEX_TABLE ) p->pStore->pPublisher->xCreate(p->pStore, p->pDef);
  if( p->pDef->mOptions & KVINDEX_APART ){
    declareEach(p, declareDocument);
    kvIndexLeave(p->pStore);
    return;
  }
  p->bAlone = kvIndexCount(p->pStore)==1;
  if( !p->bAlone ) declareEvict(p);
  if( p->pDef->mOptions & KVINDEX_COPY ){
    declareEach(p, declareFill);
  }else{
    declareBulk(p, declareBlocked(p));
  }
  declareRest(p, bOverwrite);
  declareTables(p->pStore, p->pDef);
  kvIndexLeave(p->pStore);
}

i64 kvIndexCreate(KvStore *p, const KvIndexDef *pArgs, int bOverwrite){
  Declare declare;
  const KvIndexDef *pOld;
  KvIndexDef *pNew;
  i64 iVersion;
  int bCopy = 0;
  memset(&declare, 0, sizeof(declare));
  declare.pStore = p;
  kvDirtyTables(p);
  kvWriteBump(p, &iVersion);
  pNew = kvIndexDefNew(p, pArgs->zName, pArgs->prefix, pArgs->zPath, pArgs->zOptions);
  if( pNew==0 ) return 0;
  pOld = kvIndexNamed(p, pArgs->zName);
  if( pOld==0 || !kvIndexDefFits(pOld, pNew) ){
    declare.pDef = pNew;
    declareAllowed(p, pNew);
    if( pNew->mOptions & KVINDEX_SEARCH ) kvSearchCreate(p, pNew);
    else if( !(pNew->mOptions & KVINDEX_TABLE) && !bOverwrite && !kvFailed(&p->err) ){
      bCopy = declareFindForm(&declare);
    }
    declareWrite(p, pNew, bCopy);
    p->pWrite->bGuard = 1;
    p->pWrite->iVersion = iVersion;
    if( p->indexes.eFresh==KVFRESH_UNKNOWN ) p->indexes.eFresh = KVFRESH_CLEAN;
    declare.pDef = kvFailed(&p->err) ? 0 : kvIndexNamed(p, pArgs->zName);
    declareMake(&declare, bOverwrite);
  }
  kvBufClear(&declare.blocker);
  sqlite3_free(pNew);
  return declare.nEntry;
}

i64 kvIndexEmpty(KvStore *p, const KvIndexDef *pDef, int bPrimaries){
  if( pDef->mOptions & KVINDEX_TABLE ) return 0;         /* it is dropped afterwards */
  if( pDef->mOptions & KVINDEX_SEARCH ){
    i64 n = kvSearchCount(p, pDef);
    kvSearchEmpty(p, pDef);
    return n;
  }
  if( bPrimaries ) kvIndexHeldRemove(p, pDef);
  else kvIndexHeldForget(p, pDef);
  declareRange(p, KVSQL_INDEX_REMOVE_VALUES, pDef);
  return declareRange(p, KVSQL_INDEX_REMOVE_ENTRIES, pDef);
}

int kvIndexRemove(KvStore *p, const char *zName, i64 *pnEntry, int *pnLeft){
  const KvIndexDef *pDef;
  i64 iVersion;
  *pnEntry = 0;
  *pnLeft = 0;
  p->pWrite->bInner = 1;                  /* it needn't catch up, and couldn't without its tables */
  kvWriteBump(p, &iVersion);
  if( kvFailed(&p->err) || !(kvSchemaKnown(p) & KVKNOWN_INDEXES) ) return 0;
  pDef = kvIndexNamed(p, zName);
  *pnLeft = (int)kvIndexCount(p) - (pDef!=0);
  if( pDef==0 || !kvIndexEnter(p) ) return 0;
  kvStmtRun(kvStmtWith(p, KVSQL_INDEX_REMOVE, "t", kvBytesText(zName)));
  *pnEntry = kvIndexEmpty(p, pDef, 0);
  kvIndexLeave(p);
  kvDirtyDeclared(p);
  kvHistoryRemake(p);
  kvIndexList(p);                      /* of this schema */
  if( kvIndexNamed(p, zName) ) kvIndexMeddled(p);
  return 1;
}

void kvIndexTables(KvStore *p, KvList *pNames){
  KvStmt *pStmt;
  if( !kvSchemaHasColumn(p, "kv_index_def", "options") ) return;
  pStmt = kvStmtTake(p, KVSQL_INDEX_TABLES);
  while( kvStmtRow(pStmt) ){
    KvBytes name = kvStmtBytes(pStmt, 0);
    kvListAdd(pNames, name);
    kvErrorBuf(&p->err, &pNames->bytes);
  }
  kvStmtGive(pStmt);
}

void kvIndexRemoveAll(KvStore *p){
  i64 iVersion;
  u32 i, n = 0;
  kvNamesDropTriggers(p, KVNAMES_INDEXES);
  kvNamesDropTriggers(p, KVNAMES_FEED);
  kvNamesDropTriggers(p, KVNAMES_HISTORY);
  kvIndexForget(p);
  kvSchemaLook(p);
  iVersion = kvRowNewest(p);
  if( !kvFailed(&p->err) ) kvStmtRun(kvStmtWith(p, KVSQL_BUMP, "i", iVersion+1));
  if( kvSchemaHasColumn(p, "kv_index_def", "options") ) n = kvIndexLoad(p, -1);
  for(i=0; i<n; i++){
    if( !(kvIndexAt(p, i)->mOptions & KVINDEX_APART) ){
      declareRange(p, KVSQL_INDEX_REMOVE_ENTRIES, kvIndexAt(p, i));
    }
  }
  if( n==0 && kvSchemaHasColumn(p, "kv_index_held", "iks") ) kvIndexHeldClear(p);
  kvIndexForget(p);                    /* what full-text indexes have is nobody's now */
}

void kvIndexDropTables(KvStore *p){
  kvSchemaLook(p);
  kvNamesDrop(p, KVNAMES_INDEXES);
  kvSchemaRelease(p);
  kvIndexForget(p);
  kvOverlaysForget(p);
}
