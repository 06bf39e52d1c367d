/*
** search_overlay.c -- the documents that a full-text index has not seen.  See
** search_overlay.h.
*/
#include "store/store_int.h"
#include "codec/stored.h"
#include "store/index_changes.h"
#include "store/search_names.h"
#include "store/search_overlay.h"

struct KvSearchOverlay {
  KvSearchOverlay *pNext; /* In the store's list of those that are kept */
  u32 nRef;
  char *zName;            /* The index */
  u32 iSchema;            /* State that it is of */
  u32 iData;
  KvFeed feed;
  u8 bPending;
  sqlite3 *db;
  sqlite3_stmt *pAdd, *pDelete;
  KvMap changed;          /* Primary keys; iValue: the row of the document, 0 if it has none */
  KvBuf rows;             /* For each row, from 1 on, where its key is in changed: an OverSlice */
};

/* A row: where its key is in changed, and a hash of the stored value. */
typedef struct OverSlice OverSlice;
struct OverSlice {
  u32 iAt, n;
  u64 iHash;
};

void kvSearchOverlayClose(KvSearchOverlay *p){
  if( p==0 || --p->nRef>0 ) return;
  sqlite3_finalize(p->pAdd);
  sqlite3_finalize(p->pDelete);
  sqlite3_close(p->db);
  sqlite3_free(p->zName);
  kvMapClear(&p->changed);
  kvBufClear(&p->rows);
  sqlite3_free(p);
}

void kvSearchOverlaysForget(KvStore *p, const char *zName){
  KvSearchOverlay **pp = &p->search.pOverlays;
  while( *pp ){
    KvSearchOverlay *pOver = *pp;
    if( zName && strcmp(pOver->zName, zName)!=0 ){
      pp = &pOver->pNext;
    }else{
      *pp = pOver->pNext;
      kvSearchOverlayClose(pOver);
    }
  }
}

int kvSearchOverlayHas(const KvSearchOverlay *p, KvBytes pk){
  return kvMapFind(&p->changed, pk)!=0;
}

u32 kvSearchOverlayChanged(const KvSearchOverlay *p){
  return p->changed.nItem;
}

u32 kvSearchOverlayDocuments(const KvSearchOverlay *p){
  u32 i, n = 0;
  for(i=0; i<p->changed.nSlot; i++) n += p->changed.aSlot[i].bUsed && p->changed.aSlot[i].iValue;
  return n;
}

sqlite3 *kvSearchOverlayDb(const KvSearchOverlay *p){
  return p->db;
}

KvBytes kvSearchOverlayKey(const KvSearchOverlay *p, i64 iRow){
  OverSlice slice;
  if( iRow<1 || iRow>(i64)(p->rows.n/sizeof(slice)) ) return kvBytes(0, 0);
  memcpy(&slice, &p->rows.a[(u64)(iRow-1)*sizeof(slice)], sizeof(slice));
  return kvBytes(&p->changed.bytes.a[slice.iAt], slice.n);
}

/* ---- its database ------------------------------------------------------------- */

/* What has failed there, unless it is SQLITE_OK, is the store's error. */
static void overResult(KvStore *p, KvSearchOverlay *pOver, int rc){
  if( rc==SQLITE_OK ) return;
  if( pOver->db ) kvErrorDb(&p->err, pOver->db, rc);
  else kvErrorCode(&p->err, rc);
}

/* The interface of FTS5 in a connection; 0: there is none. */
static fts5_api *overApi(sqlite3 *db){
  fts5_api *pApi = 0;
  sqlite3_stmt *pStmt = 0;
  if( kvPrepare(db, &pStmt, "SELECT fts5(?1)")==SQLITE_OK ){
    sqlite3_bind_pointer(pStmt, 1, (void*)&pApi, "fts5_api_ptr", 0);
    sqlite3_step(pStmt);
  }
  sqlite3_finalize(pStmt);
  return pApi;
}

/* Make the tokenizers known that the index may use: those that a word of its option names. */
static void overTokenizers(KvStore *p, KvSearchOverlay *pOver, const KvIndexDef *pDef){
  fts5_api *pFrom, *pTo;
  KvBuf text = { 0 };
  char *z, *zWord;
  kvSearchTokenize(pDef, &text);
  kvBufTerminate(&text);
  kvErrorBuf(&p->err, &text);
  pFrom = text.n && !kvFailed(&p->err) ? overApi(p->db) : 0;
  pTo = pFrom ? overApi(pOver->db) : 0;
  for(z=(char*)text.a; pTo && *z; ){
    fts5_tokenizer tokenizer;
    void *pUser = 0;
    int bEnd;
    zWord = z += strspn(z, " \t\r\n'\"");
    z += strcspn(z, " \t\r\n'\"");
    bEnd = *z==0;
    *z = 0;
    if( *zWord && pFrom->xFindTokenizer(pFrom, zWord, &pUser, &tokenizer)==SQLITE_OK ){
      overResult(p, pOver, pTo->xCreateTokenizer(pTo, zWord, pUser, &tokenizer, 0));
    }
    if( !bEnd ) z++;
  }
  kvBufClear(&text);
}

/* Prepare a statement of the index for its database. */
static sqlite3_stmt *overPrepare(
  KvStore *p, KvSearchOverlay *pOver, const KvIndexDef *pDef, int eSql
){
  sqlite3_stmt *pStmt = 0;
  char *zSql;
  if( kvFailed(&p->err) ) return 0;
  zSql = kvStmtSearchText(p, eSql, pDef, 0);
  if( zSql ) overResult(p, pOver, sqlite3_prepare_v2(pOver->db, zSql, -1, &pStmt, 0));
  else kvErrorCode(&p->err, SQLITE_NOMEM);
  sqlite3_free(zSql);
  return pStmt;
}

static void overExec(KvStore *p, KvSearchOverlay *pOver, const char *zSql){
  if( kvFailed(&p->err) || pOver->db==0 ) return;
  overResult(p, pOver, sqlite3_exec(pOver->db, zSql, 0, 0, 0));
}

/* Run one of its statements, of which the parameters are bound. */
static void overRun(KvStore *p, KvSearchOverlay *pOver, sqlite3_stmt *pStmt){
  int rc;
  if( kvFailed(&p->err) || pOver->db==0 ) return;
  rc = sqlite3_step(pStmt);
  overResult(p, pOver, rc==SQLITE_DONE ? SQLITE_OK : rc);
  sqlite3_reset(pStmt);
  sqlite3_clear_bindings(pStmt);
}

static void overDatabase(KvStore *p, KvSearchOverlay *pOver, const KvIndexDef *pDef){
  sqlite3_stmt *pStmt;
  overResult(p, pOver, sqlite3_open_v2(":memory:", &pOver->db,
      SQLITE_OPEN_READWRITE|SQLITE_OPEN_CREATE|SQLITE_OPEN_NOMUTEX, 0));
  overExec(p, pOver, "PRAGMA journal_mode = OFF");
  if( !kvFailed(&p->err) ) overTokenizers(p, pOver, pDef);
  pStmt = overPrepare(p, pOver, pDef, KVSQL_SEARCH_OVER_TABLE);
  overRun(p, pOver, pStmt);
  sqlite3_finalize(pStmt);
  pStmt = overPrepare(p, pOver, pDef, KVSQL_SEARCH_OVER_CONFIG);
  overRun(p, pOver, pStmt);
  sqlite3_finalize(pStmt);
  pOver->pAdd = overPrepare(p, pOver, pDef, KVSQL_SEARCH_OVER_ADD);
  pOver->pDelete = overPrepare(p, pOver, pDef, KVSQL_SEARCH_OVER_DELETE);
}

/* ---- making one --------------------------------------------------------------------- */

typedef struct OverFill OverFill;
struct OverFill {
  KvChanges changes;      /* Must be first */
  KvSearchOverlay *pOver;
};

/* Add a document under the key of an item.  Returns its row. */
static i64 overAdd(KvStore *p, KvSearchOverlay *pOver, const KvMapItem *pItem, u64 iHash){
  OverSlice slice = { pItem->iAt, pItem->n, iHash };
  i64 iRow;
  kvBufAppend(&pOver->rows, &slice, sizeof(slice));
  kvErrorBuf(&p->err, &pOver->rows);
  if( kvFailed(&p->err) ) return 0;
  iRow = (i64)(pOver->rows.n/sizeof(slice));
  if( pOver->db==0 ) return iRow;
  overResult(p, pOver, sqlite3_bind_int64(pOver->pAdd, 1, iRow));
  overResult(p, pOver, kvDocumentBind(pOver->pAdd, 3, &p->search.doc));
  overRun(p, pOver, pOver->pAdd);
  return iRow;
}

static u64 overHash(int eEncoding, KvBytes b){
  u64 x = (u64)b.n<<8 ^ (u64)(u32)eEncoding;
  u32 i;
  for(i=0; i+8<=b.n; i+=8){
    x = (x ^ kvGet64le(&b.p[i]))*0x9fb21c651e98df25u;
    x ^= x>>32;
  }
  for(; i<b.n; i++) x = (x ^ b.p[i])*0x100000001b3u;
  return x ^ x>>29;
}

/* Is the document of an item that of a stored value? */
static int overSame(const KvSearchOverlay *p, const KvMapItem *pItem, u64 iHash){
  OverSlice slice;
  if( pItem->iValue==0 ) return 0;
  memcpy(&slice, &p->rows.a[(u64)(pItem->iValue-1)*sizeof(slice)], sizeof(slice));
  return slice.iHash==iHash;
}

/* A primary entry has changed, or may have: of the version up to which the overlay goes all
** are looked at again when it grows. */
static void overChange(KvChanges *pChanges, KvStmt *pRow){
  KvSearchOverlay *pOver = ((OverFill*)pChanges)->pOver;
  KvStore *p = pChanges->pStore;
  KvDocument *pDoc = &p->search.doc;
  KvMapItem *pItem = kvMapAdd(&pOver->changed, kvStmtBytes(pRow, KVCHANGE_COL_KEY));
  KvTree *pTree = &p->indexWork.tree;
  int bThere = !kvStmtInt(pRow, KVCHANGE_COL_DELETED)
            && sqlite3_column_type(pRow->pStmt, KVCHANGE_COL_V)==SQLITE_BLOB;
  int eEncoding = (int)kvStmtInt(pRow, KVCHANGE_COL_ENCODING);
  KvBytes value = bThere ? kvStmtBytes(pRow, KVCHANGE_COL_V) : kvBytes(0, 0);
  u64 iHash = overHash(eEncoding, value);
  if( pItem==0 ) kvErrorCode(&p->err, SQLITE_NOMEM);
  if( kvFailed(&p->err) || (bThere && overSame(pOver, pItem, iHash)) ) return;
  if( pItem->iValue && pOver->db ){
    sqlite3_bind_int64(pOver->pDelete, 1, pItem->iValue);
    overRun(p, pOver, pOver->pDelete);
  }
  pItem->iValue = 0;
  pDoc->bAny = 0;
  if( bThere ){
    int rc;
    kvTreeReset(pTree);
    rc = kvValueRead(pTree, eEncoding, value, 0);
    if( rc==KV_OK ) kvDocumentRead(p, pChanges->pDef, pTree, pDoc);
    else if( rc==KV_NOMEM ) kvErrorCode(&p->err, SQLITE_NOMEM);
  }
  if( pDoc->bAny && !kvFailed(&p->err) ) pItem->iValue = overAdd(p, pOver, pItem, iHash);
}

/* Add what has changed after a version; bGap: and what is in the gap. */
static void overFill(
  KvStore *p, KvSearchOverlay *pOver, const KvIndexDef *pDef, i64 iAfter, int bGap
){
  OverFill fill = { { p, pDef, overChange }, pOver };
  overExec(p, pOver, "BEGIN");
  if( bGap ) kvChangesGap(&fill.changes, &pOver->feed);
  kvChangesAfter(&fill.changes, iAfter);
  if( pOver->bPending ){
    KvStmt *pStmt = kvStmtWith(p, KVSQL_SEARCH_WAITING_CHANGES, "t", kvBytesText(pDef->zName));
    kvChangesOf(&fill.changes, kvStmtTake(p, KVSQL_INDEX_PENDING_CHANGES));
    kvChangesOf(&fill.changes, pStmt);
  }
  overExec(p, pOver, "COMMIT");
}

/* The overlay is one of that state of the feed. */
static void overIsOf(KvStore *p, KvSearchOverlay *pOver, const KvFeed *pFeed){
  pOver->iSchema = p->schema.iSchema;
  pOver->iData = kvFeedData(p);
  pOver->feed = *pFeed;
}

static KvSearchOverlay *overNew(
  KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed, int bPending, int bCount
){
  KvSearchOverlay *pOver = kvZeroed(sizeof(*pOver));
  if( pOver==0 ){
    kvErrorCode(&p->err, SQLITE_NOMEM);
    return 0;
  }
  pOver->nRef = 1;
  pOver->bPending = (u8)bPending;
  pOver->zName = sqlite3_mprintf("%s", pDef->zName);
  if( pOver->zName==0 ) kvErrorCode(&p->err, SQLITE_NOMEM);
  overIsOf(p, pOver, pFeed);
  if( !bCount && !kvFailed(&p->err) ) overDatabase(p, pOver, pDef);
  if( !kvFailed(&p->err) ) overFill(p, pOver, pDef, pFeed->iDone, pFeed->bGap);
  return pOver;
}

/* ---- keeping them --------------------------------------------------------------------- */

/* Take that of an index off the list; 0 if there is none of use. */
static KvSearchOverlay *overTake(KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed){
  KvSearchOverlay **pp = &p->search.pOverlays, *pOver;
  while( (pOver = *pp)!=0 && strcmp(pOver->zName, pDef->zName)!=0 ) pp = &pOver->pNext;
  if( pOver==0 ) return 0;
  *pp = pOver->pNext;
  if( pOver->feed.iGeneration==pFeed->iGeneration && pOver->iSchema==p->schema.iSchema ){
    return pOver;
  }
  kvSearchOverlayClose(pOver);
  return 0;
}

static int overCurrent(KvStore *p, const KvSearchOverlay *pOver, const KvFeed *pFeed, int bPending){
  return pOver->feed.iApplied==pFeed->iApplied && pOver->feed.iVersion==pFeed->iVersion
      && pOver->bPending==bPending && pOver->iData==kvFeedData(p);
}

/* Can what has changed since be added?  Not for ever: of what the index has seen meanwhile
** nothing is taken away. */
static int overCanGrow(const KvSearchOverlay *pOver, const KvFeed *pFeed, int bPending){
  return !bPending && !pOver->bPending && pOver->nRef==1 && pOver->feed.iApplied<=pFeed->iApplied
      && pFeed->iApplied<=pOver->feed.iVersion && pOver->feed.iVersion<=pFeed->iVersion;
}

KvSearchOverlay *kvSearchOverlayOpen(
  KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed, int bPending
){
  /* What is not committed yet may be rolled back, and others may then take the same
  ** version. */
  int bKeep = sqlite3_txn_state(p->db, p->zSchema)!=SQLITE_TXN_WRITE;
  KvSearchOverlay *pOver = overTake(p, pDef, pFeed);
  int bCurrent = pOver && bKeep && overCurrent(p, pOver, pFeed, bPending);
  if( pOver && bKeep && !bCurrent && overCanGrow(pOver, pFeed, bPending) ){
    /* Of its own version, too, there may be changes since */
    overFill(p, pOver, pDef, pOver->feed.iVersion-1, 0);
    overIsOf(p, pOver, pFeed);
  }else if( !bCurrent ){
    kvSearchOverlayClose(pOver);
    pOver = overNew(p, pDef, pFeed, bPending, 0);
  }
  if( kvFailed(&p->err) ){
    kvSearchOverlayClose(pOver);
    return 0;
  }
  if( bKeep ){
    pOver->nRef++;
    pOver->pNext = p->search.pOverlays;
    p->search.pOverlays = pOver;
  }
  return pOver;
}

KvSearchOverlay *kvSearchOverlayCount(
  KvStore *p, const KvIndexDef *pDef, const KvFeed *pFeed, int bPending
){
  return overNew(p, pDef, pFeed, bPending, 1);
}
