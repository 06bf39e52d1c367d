/*
** search_scan.h -- searching in a full-text index.
**
**   kvSearchOpen(p, pStore, "posts_text");
**   for(bRow = kvSearchStart(p, &query); bRow; bRow = kvSearchStep(p)) ... p->pRow
**   kvSearchClose(p);
**
** A row is a matching document with its present primary entry.  Documents changed
** since the index has seen them come from an overlay (search_overlay.h), ranked by
** its own statistics.
*/
#ifndef KV_SEARCH_SCAN_H
#define KV_SEARCH_SCAN_H

#include "store/search_names.h"
#include "store/search_overlay.h"

/* The query; fields that mMask doesn't ask for need not be set. */
typedef struct KvSearchQuery KvSearchQuery;
struct KvSearchQuery {
  u32 mMask;              /* KVSEARCH_xxx */
  sqlite3_value *pQuery;  /* In the language of FTS5 ... */
  const char *zQuery;     /* ... or, if it isn't 0, this */
  const char *zRank;      /* WEIGHTS: bm25(...), as FTS5 takes it */
  sqlite3_value *pOpen, *pClose;  /* SNIPPET, HIGHLIGHT: before and after words that match;
                          ** 0: <b> and </b> */
  i64 nToken;             /* Tokens that a snippet has */
};

/* Columns of a row: pRow has those of the entry, pHit the others, of HIGHLIGHT one for each
** column of the index. */
enum {
  KVSEARCH_COL_KEY, KVSEARCH_COL_VERSION, KVSEARCH_COL_EXPIRES, KVSEARCH_COL_V,
  KVSEARCH_COL_ENCODING, KVSEARCH_COL_RANK, KVSEARCH_COL_SNIPPET, KVSEARCH_COL_HIGHLIGHT
};

/* All zero at first. */
typedef struct KvSearch KvSearch;
struct KvSearch {
  KvStore *pStore;
  KvStmt *pPin;           /* Holds the read transaction */
  KvSearchOverlay *pOver; /* What the index hasn't seen, or 0 */
  u8 bGuard;              /* kvGuardBegin() was called */
  u32 nColumn;            /* Columns of the index */
  i64 iNow;
  i64 iClock;             /* kvGuardClock() when it was opened */
  u32 mMask;
  KvStmt *pStmt;          /* Of the index, or 0: at its end */
  sqlite3_stmt *pPending; /* Of the overlay, the same */
  KvStmt *pPoint;         /* The entry of a row of the overlay */
  u8 bStored, bPending;   /* pStmt, pPending are at a row that is not done yet */
  sqlite3_stmt *pRow;     /* The current row, or 0 */
  sqlite3_stmt *pHit;
};

/* False if there is no such index, or after an error. */
int kvSearchOpen(KvSearch *p, KvStore *pStore, const char *zName);
/* The same only to count, which needs no FTS5. */
int kvSearchOpenCount(KvSearch *p, KvStore *pStore, const char *zName);
void kvSearchClose(KvSearch *p);
/* How many documents there are. */
i64 kvSearchDocuments(KvSearch *p, const char *zName);

/* Go to the first row, and to the next.  False at the end, or after an error. */
int kvSearchStart(KvSearch *p, const char *zName, const KvSearchQuery *pQuery);
int kvSearchStep(KvSearch *p);
void kvSearchStop(KvSearch *p);

#endif /* KV_SEARCH_SCAN_H */
