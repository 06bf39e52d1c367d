/*
** vtab_search.c -- the table-valued function kv_search(name, query).
**
**     SELECT key, value ->> 'title', snippet FROM kv_search('posts_text', 'sqlite NEAR kv')
**      ORDER BY rank LIMIT 10;
**     SELECT key, highlight FROM kv_search('posts_text', 'title: deno*')
**      WHERE weights = '10, 1' AND open = '<em>' AND close = '</em>' ORDER BY rank;
**
**     CREATE TABLE kv_search(key TEXT COLLATE kv_compare, value, versionstamp TEXT,
**       expires_at INTEGER, rank REAL, name TEXT HIDDEN, query TEXT HIDDEN, weights HIDDEN,
**       open TEXT HIDDEN, close TEXT HIDDEN, tokens HIDDEN, snippet TEXT HIDDEN,
**       highlight TEXT HIDDEN, js TEXT HIDDEN, json TEXT HIDDEN, raw BLOB HIDDEN,
**       type TEXT HIDDEN, expire_in INTEGER HIDDEN);
**
** A row for each entry that matches the query in a full-text index.  snippet is a part of
** one text, highlight all texts, a line each; words that match are between open and close.
*/
#include "sql/search/vtab_search.h"
#include "sql/args.h"
#include "sql/entry_columns.h"
#include "sql/result.h"
#include "sql/rowid.h"
#include "store/search_scan.h"

#define SEARCH_SCHEMA \
  "CREATE TABLE kv_search(key TEXT COLLATE kv_compare, value, versionstamp TEXT, " \
  "expires_at INTEGER, rank REAL, name TEXT HIDDEN, query TEXT HIDDEN, weights BLOB HIDDEN, " \
  "open TEXT HIDDEN, close TEXT HIDDEN, tokens INTEGER HIDDEN, kv_extra HIDDEN, " \
  "snippet TEXT HIDDEN, highlight TEXT HIDDEN, js TEXT HIDDEN, json TEXT HIDDEN, " \
  "raw BLOB HIDDEN, type TEXT HIDDEN, expire_in INTEGER HIDDEN)"
enum {
  SEARCH_KEY, SEARCH_VALUE, SEARCH_VERSIONSTAMP, SEARCH_EXPIRES_AT, SEARCH_RANK,
  SEARCH_NAME, SEARCH_QUERY, SEARCH_WEIGHTS, SEARCH_OPEN, SEARCH_CLOSE, SEARCH_TOKENS,
  SEARCH_EXTRA, SEARCH_SNIPPET, SEARCH_HIGHLIGHT, SEARCH_JS, SEARCH_JSON, SEARCH_RAW, SEARCH_TYPE,
  SEARCH_EXPIRE_IN
};

/* idxNum: which arguments xFilter gets, SEARCH_NAME ... SEARCH_TOKENS in the order of the
** bits, and what is asked for: KVSEARCH_xxx from bit 8 on. */
#define SEARCH_ARGS        6
#define SEARCH_ARG(COL)    ((COL) - SEARCH_NAME)
#define SEARCH_PLAN(COL)   (1<<SEARCH_ARG(COL))
#define SEARCH_PLAN_MASK   8

/* Columns for which the primary entry has to be read. */
#define SEARCH_ENTRY  ((u64)1<<SEARCH_VALUE | (u64)1<<SEARCH_VERSIONSTAMP \
  | (u64)1<<SEARCH_EXPIRES_AT | (u64)1<<SEARCH_JS | (u64)1<<SEARCH_JSON | (u64)1<<SEARCH_RAW \
  | (u64)1<<SEARCH_TYPE | (u64)1<<SEARCH_EXPIRE_IN)

/* Tokens that a snippet has unless it is said: and the most that FTS5 gives. */
#define SEARCH_TOKENS_DEFAULT  KVSEARCH_TOKENS

typedef struct SearchCursor SearchCursor;
struct SearchCursor {
  KvVtabCursor c;         /* Must be first */
  KvBuf text;             /* Work space */
  sqlite3_value *apArg[SEARCH_ARGS];   /* Copies of the arguments; 0: not given */
  KvSearch search;
};

static void searchStop(KvVtabCursor *pCursor){
  SearchCursor *p = (SearchCursor*)pCursor;
  int i;
  if( p->search.pStore ) kvSearchClose(&p->search);
  for(i=0; i<SEARCH_ARGS; i++){
    sqlite3_value_free(p->apArg[i]);
    p->apArg[i] = 0;
  }
}

/* ---- the plan ------------------------------------------------------------------ */

#define SEARCH_CONS(COL,Z) { COL, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT, Z "=?" }
static const KvVtabCons searchCons[SEARCH_ARGS] = {
  SEARCH_CONS(SEARCH_NAME, "name"), SEARCH_CONS(SEARCH_QUERY, "query"),
  SEARCH_CONS(SEARCH_WEIGHTS, "weights"), SEARCH_CONS(SEARCH_OPEN, "open"),
  SEARCH_CONS(SEARCH_CLOSE, "close"), SEARCH_CONS(SEARCH_TOKENS, "tokens")
};

/* What is asked for beside the entries: KVSEARCH_xxx. */
static u32 vsearchAsked(sqlite3_index_info *pInfo){
  u32 m = 0;
  if( pInfo->colUsed & (u64)1<<SEARCH_RANK ) m |= KVSEARCH_RANK;
  if( pInfo->colUsed & (u64)1<<SEARCH_SNIPPET ) m |= KVSEARCH_SNIPPET;
  if( pInfo->colUsed & (u64)1<<SEARCH_HIGHLIGHT ) m |= KVSEARCH_HIGHLIGHT;
  if( pInfo->idxNum & SEARCH_PLAN(SEARCH_WEIGHTS) ) m |= KVSEARCH_WEIGHTS;
  if( (pInfo->colUsed & SEARCH_ENTRY)==0 ) m |= KVSEARCH_KEYS;
  if( pInfo->nOrderBy==1 && pInfo->aOrderBy[0].iColumn==SEARCH_RANK ){
    m |= KVSEARCH_RANK|KVSEARCH_ORDER;
    if( pInfo->aOrderBy[0].desc ) m |= KVSEARCH_DESC;
    pInfo->orderByConsumed = 1;
  }
  return m;
}

static int searchBestIndex(KvVtab *pTab, sqlite3_index_info *pInfo){
  int rc = kvVtabPlan(pInfo, searchCons, SEARCH_ARGS);
  const int mNeeds = SEARCH_PLAN(SEARCH_NAME)|SEARCH_PLAN(SEARCH_QUERY);
  int bBoth;
  u32 m;
  (void)pTab;
  if( rc!=SQLITE_OK ) return rc;
  bBoth = (pInfo->idxNum & mNeeds)==mNeeds;
  m = vsearchAsked(pInfo);
  pInfo->idxNum |= (int)(m<<SEARCH_PLAN_MASK);
  pInfo->estimatedRows = 1000;
  pInfo->estimatedCost = bBoth ? 10000.0 : 1e30;
  return kvVtabWords(pInfo, "SEARCH", searchCons, SEARCH_ARGS,
      m & KVSEARCH_DESC ? " ORDER BY rank DESC" : m & KVSEARCH_ORDER ? " ORDER BY rank" : "");
}

/* ---- running -------------------------------------------------------------------- */

int kvSearchWeights(const char *zWeights, KvBuf *pOut){
  const char *z = zWeights + strspn(zWeights, " [");
  int bNumber = 0;
  kvBufLit(pOut, "bm25(");
  for(; *z && *z!=']'; z++){
    if( strchr("0123456789+-.eE", *z) ){
      kvBufPut(pOut, (u8)*z);
      bNumber = 1;
    }else if( strchr(", \t\r\n", *z) ){
      const char *zNext = z + strspn(z, ", \t\r\n");
      if( bNumber && *zNext && *zNext!=']' ) kvBufPut(pOut, ',');
      z = zNext - 1;
    }else{
      return 0;
    }
  }
  z += *z==']';
  kvBufPut(pOut, ')');
  kvBufTerminate(pOut);
  return bNumber && z[strspn(z, " ")]==0;
}

/* Copy the arguments. */
static void searchArgs(SearchCursor *p, int mPlan, sqlite3_value **apArg){
  int i, iArg = 0;
  for(i=0; i<SEARCH_ARGS; i++){
    if( !(mPlan>>i & 1) ) continue;
    p->apArg[i] = sqlite3_value_dup(apArg[iArg++]);
    if( p->apArg[i]==0 ) kvErrorCode(p->c.pError, SQLITE_NOMEM);
  }
}

static i64 searchTokens(SearchCursor *p){
  sqlite3_value *pVal = p->apArg[SEARCH_ARG(SEARCH_TOKENS)];
  i64 n = pVal ? sqlite3_value_int64(pVal) : SEARCH_TOKENS_DEFAULT;
  if( n<1 || n>64 ){
    kvError(p->c.pError, SQLITE_ERROR, "kv: kv_search(): tokens is %lld, and must be "
                                       "from 1 to 64", n);
  }
  return n;
}

/* The query, as far as it is given. */
static void searchQuery(SearchCursor *p, KvSearchQuery *pQuery){
  sqlite3_value *pWeights = p->apArg[SEARCH_ARG(SEARCH_WEIGHTS)];
  pQuery->pQuery = p->apArg[SEARCH_ARG(SEARCH_QUERY)];
  pQuery->pOpen = p->apArg[SEARCH_ARG(SEARCH_OPEN)];
  pQuery->pClose = p->apArg[SEARCH_ARG(SEARCH_CLOSE)];
  pQuery->nToken = searchTokens(p);
  if( pWeights ){
    const char *z = (const char*)kvArgName(pWeights, p->c.pError).p;
    kvBufReset(&p->text);
    if( z==0 || !kvSearchWeights(z, &p->text) ){
      kvError(p->c.pError, SQLITE_ERROR, "kv: kv_search(): weights must have a number "
          "for each path of the index, such as '10, 1'");
    }
    kvErrorBuf(p->c.pError, &p->text);
    pQuery->zRank = (const char*)p->text.a;
  }
}

static int searchFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  SearchCursor *p = (SearchCursor*)pCursor;
  const int mNeeds = SEARCH_PLAN(SEARCH_NAME)|SEARCH_PLAN(SEARCH_QUERY);
  KvSearchQuery query = { .mMask = (u32)mPlan>>SEARCH_PLAN_MASK };
  const char *zName;
  (void)nArg;
  if( (mPlan & mNeeds)!=mNeeds ){
    kvError(p->c.pError, SQLITE_ERROR, "kv: kv_search(): the arguments are the name of "
        "a full-text index and a query: kv_search('name', 'words'); kv_indexes lists the "
        "indexes");
    return 0;
  }
  searchArgs(p, mPlan, apArg);
  if( kvFailed(p->c.pError) ) return 0;
  searchQuery(p, &query);
  zName = (const char*)kvArgName(p->apArg[SEARCH_ARG(SEARCH_NAME)], p->c.pError).p;
  if( zName==0 || kvFailed(p->c.pError) ) return 0;
  if( !kvSearchOpen(&p->search, p->c.pStore, zName) ){
    kvError(p->c.pError, SQLITE_ERROR, "kv: kv_search(): no such full-text index: "
        "%!.100s; kv_index() with the option fulltext declares one, kv_indexes lists the "
        "indexes", zName);
    return 0;
  }
  return kvSearchStart(&p->search, zName, &query);
}

static int searchNext(KvVtabCursor *pCursor){
  return kvSearchStep(&((SearchCursor*)pCursor)->search);
}

/* ---- columns ------------------------------------------------------------------------ */

void kvSearchHighlight(sqlite3_context *ctx, const KvSearch *p, KvBuf *pText){
  u32 i;
  int bAny = 0;
  KvError *pError = kvStoreError(p->pStore);
  kvBufReset(pText);
  for(i=0; i<p->nColumn; i++){
    sqlite3_value *pVal = sqlite3_column_value(p->pHit, KVSEARCH_COL_HIGHLIGHT + (int)i);
    KvBytes text = kvArgName(pVal, pError);
    if( text.p==0 ) continue;
    if( bAny++ ) kvBufPut(pText, '\n');
    kvBufAdd(pText, text);
  }
  if( kvFailed(pError) ) kvResultTake(ctx, pError);
  else if( bAny ) kvResultText(ctx, pText);
}

static void searchColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  static const u8 aShow[] = {
    [SEARCH_EXTRA] = KVSHOW_OTHER,
    [SEARCH_KEY] = KVSHOW_KEY, [SEARCH_VALUE] = KVSHOW_VALUE,
    [SEARCH_VERSIONSTAMP] = KVSHOW_VERSIONSTAMP, [SEARCH_EXPIRES_AT] = KVSHOW_EXPIRES_AT,
    [SEARCH_JS] = KVSHOW_JS, [SEARCH_JSON] = KVSHOW_JSON, [SEARCH_RAW] = KVSHOW_RAW,
    [SEARCH_TYPE] = KVSHOW_TYPE, [SEARCH_EXPIRE_IN] = KVSHOW_EXPIRE_IN
  };
  SearchCursor *p = (SearchCursor*)pCursor;
  sqlite3_stmt *pHit = p->search.pHit;
  if( iCol>=SEARCH_NAME && iCol<=SEARCH_TOKENS ){
    sqlite3_value *pVal = p->apArg[SEARCH_ARG(iCol)];
    if( pVal ) sqlite3_result_value(ctx, pVal);
  }else if( iCol==SEARCH_RANK ){
    sqlite3_result_value(ctx, sqlite3_column_value(pHit, KVSEARCH_COL_RANK));
  }else if( iCol==SEARCH_SNIPPET ){
    sqlite3_result_value(ctx, sqlite3_column_value(pHit, KVSEARCH_COL_SNIPPET));
  }else if( iCol==SEARCH_HIGHLIGHT ){
    kvSearchHighlight(ctx, &p->search, &p->text);
  }else{
    p->c.show.pRow = p->search.pRow;
    p->c.show.iFirst = KVSEARCH_COL_KEY;
    kvEntryColumn(ctx, &p->c.show, aShow[iCol]);
  }
}

static i64 searchRowid(KvVtabCursor *pCursor){
  SearchCursor *p = (SearchCursor*)pCursor;
  sqlite3_stmt *pRow = p->search.pRow;
  return kvRowid(0, kvArgBlob(sqlite3_column_value(pRow, KVSEARCH_COL_KEY)));
}

const KvVtabDef kvSearchTable = {
  .zName = "kv_search",
  .zDeclare = SEARCH_SCHEMA,
  .xBestIndex = searchBestIndex,
  .read = { searchFilter, searchNext, searchColumn, searchRowid },
  .nCursor = sizeof(SearchCursor),
  .nBuf = 1,
  .xStop = searchStop,
};
