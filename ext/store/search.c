/*
** search.c -- full-text indexes.  See search.h.
*/
#include "store/store_int.h"
#include "codec/index_spec.h"
#include "codec/search_text.h"
#include "store/search.h"

/* ---- documents -------------------------------------------------------------- */

void kvDocumentRead(KvStore *p, const KvIndexDef *pDef, const KvTree *pTree, KvDocument *pDoc){
  const KvIndexSpec *pSpec = &pDef->spec;
  int rc, bIn = 0;
  u32 i;
  kvBufReset(&pDoc->text);
  pDoc->nColumn = pSpec->nPath;
  pDoc->bAny = 0;
  rc = kvIndexSpecMeets(pSpec, pTree, &bIn, 0);
  for(i=0; i<pSpec->nPath; i++){
    int bAny = 0;
    if( rc==KV_OK && bIn ) rc = kvSearchText(pTree, pSpec->aPath[i], &pDoc->text, &bAny);
    if( rc==KV_SYNTAX ) rc = KV_OK;
    pDoc->abAny[i] = (u8)bAny;
    pDoc->aEnd[i] = pDoc->text.n;
    if( bAny ) pDoc->bAny = 1;
  }
  if( rc==KV_NOMEM ) kvErrorCode(&p->err, SQLITE_NOMEM);
  kvErrorBuf(&p->err, &pDoc->text);
}

void kvDocumentClear(KvDocument *p){
  kvBufClear(&p->text);
}

/* The text of column i. */
static KvBytes documentText(const KvDocument *p, u32 i){
  u32 iBegin = i>0 ? p->aEnd[i-1] : 0;
  return kvBytes(p->text.a ? &p->text.a[iBegin] : 0, p->aEnd[i] - iBegin);
}

int kvDocumentBind(sqlite3_stmt *pStmt, int i, const KvDocument *p){
  u32 k;
  int rc = SQLITE_OK;
  for(k=0; k<p->nColumn && rc==SQLITE_OK; k++){
    KvBytes text = documentText(p, k);
    const char *z = text.n ? (const char*)text.p : "";
    if( p->abAny[k] ) rc = sqlite3_bind_text(pStmt, i+(int)k, z, (int)text.n, SQLITE_STATIC);
  }
  return rc;
}

/* ---- following a primary entry ----------------------------------------------- */

/* The document that an index has for a primary entry. */
typedef struct SearchOld SearchOld;
struct SearchOld {
  KvStmt *pStmt;          /* At its row, or 0: there is none */
  i64 iDoc;
};

/* Is a column that text, whatever the file's encoding? */
static int searchIsText(KvStmt *p, int iCol, KvBytes text){
  sqlite3_stmt *pStmt = p->pStmt;
  const void *z = sqlite3_column_text(pStmt, iCol);
  if( z==0 ) kvErrorCode(&p->pStore->err, SQLITE_NOMEM);
  return z && kvBytesEqual(kvBytes(z, (u32)sqlite3_column_bytes(pStmt, iCol)), text);
}

/* Is it the same as the new one? */
static int searchSame(const SearchOld *pOld, const KvDocument *pDoc){
  sqlite3_stmt *pStmt = pOld->pStmt->pStmt;
  u32 i;
  for(i=0; i<pDoc->nColumn; i++){
    int bText = sqlite3_column_type(pStmt, (int)i+1)!=SQLITE_NULL;
    if( bText!=pDoc->abAny[i] ) return 0;
    if( bText && !searchIsText(pOld->pStmt, (int)i+1, documentText(pDoc, i)) ) return 0;
  }
  return 1;
}

/* Bind the new document from ?3 on. */
static void searchBind(KvStmt *p, const KvDocument *pDoc){
  int rc = p ? kvDocumentBind(p->pStmt, 3, pDoc) : SQLITE_OK;
  if( rc!=SQLITE_OK ) kvErrorDb(&p->pStore->err, p->pStore->db, rc);
}

/* Run a statement on the document. */
static void searchRun(
  KvStore *p, int eSql, const KvIndexDef *pDef, i64 iDoc, const KvDocument *pDoc
){
  KvStmt *pStmt = kvStmtSearch(p, eSql, pDef, 0);
  kvBindInt(pStmt, 1, iDoc);
  if( pDoc ) searchBind(pStmt, pDoc);
  kvStmtRun(pStmt);
}

/* Take the old document out of FTS5, which needs its texts. */
static void searchForget(KvStore *p, const KvIndexDef *pDef, const SearchOld *pOld){
  KvStmt *pStmt = kvStmtSearch(p, KVSQL_SEARCH_DELETE, pDef, 0);
  u32 i;
  kvBindInt(pStmt, 1, pOld->iDoc);
  kvBindText(pStmt, 2, kvBytesText("delete"));
  for(i=0; pStmt && i<pDef->spec.nPath; i++){
    int rc = sqlite3_bind_value(pStmt->pStmt, (int)i+3,
                                sqlite3_column_value(pOld->pStmt->pStmt, (int)i+1));
    if( rc!=SQLITE_OK ) kvErrorDb(&p->err, p->db, rc);
  }
  kvStmtRun(pStmt);
}

/* Is the table of FTS5 one that this connection can write to?  If not, why is no error. */
static int searchUsable(KvStore *p, const KvIndexDef *pDef){
  KvStmt *pStmt;
  if( kvFailed(&p->err) ) return 0;
  pStmt = kvStmtSearch(p, KVSQL_SEARCH_ADD, pDef, 0);
  kvStmtGive(pStmt);
  if( p->err.rc==SQLITE_ERROR ) kvErrorClear(&p->err);
  return pStmt!=0;
}

/* FTS5 keeps totals that it couldn't read for want of memory, if the read took the whole
** transaction with it: what is deleted next is malformed to it, and what is added is counted
** from zero.  It forgets them in a rollback. */
static void searchRecover(KvStore *p){
  u32 i;
  for(i=0; i<kvIndexCount(p) && !kvFailed(&p->err); i++){
    const KvIndexDef *pDef = kvIndexAt(p, i);
    if( !(pDef->mOptions & KVINDEX_SEARCH) ) continue;
    kvStmtRun(kvStmtSearch(p, KVSQL_SEARCH_RECOVER, pDef, 0));
    if( p->err.rc==SQLITE_ERROR ) kvErrorClear(&p->err);
  }
  if( !kvFailed(&p->err) ) p->search.bDoubt = 0;
}

/* Replace the old document by the new one. */
static void searchReplace(
  KvStore *p, const KvIndexDef *pDef, KvBytes pk, SearchOld *pOld, const KvDocument *pDoc
){
  i64 iDoc = pOld->iDoc;
  if( pOld->pStmt ){
    searchForget(p, pDef, pOld);
    kvStmtGive(pOld->pStmt);
    pOld->pStmt = 0;
    searchRun(p, pDoc->bAny ? KVSQL_SEARCH_DOC_SET : KVSQL_SEARCH_DOC_DELETE, pDef, iDoc,
              pDoc->bAny ? pDoc : 0);
  }else{
    KvStmt *pStmt = kvStmtSearch(p, KVSQL_SEARCH_DOC_ADD, pDef, 0);
    kvBindBytes(pStmt, 2, pk);
    searchBind(pStmt, pDoc);
    kvStmtRun(pStmt);
    iDoc = sqlite3_last_insert_rowid(p->db);
  }
  if( pDoc->bAny ) searchRun(p, KVSQL_SEARCH_ADD, pDef, iDoc, pDoc);
}

/* Look up the document that the index has. */
static void searchFind(KvStore *p, const KvIndexDef *pDef, KvBytes pk, SearchOld *pOld){
  KvStmt *pStmt = kvStmtSearch(p, KVSQL_SEARCH_FIND, pDef, 0);
  kvBindBytes(pStmt, 1, pk);
  pOld->pStmt = 0;
  pOld->iDoc = 0;
  if( kvStmtRow(pStmt) ){
    pOld->pStmt = pStmt;
    pOld->iDoc = kvStmtInt(pStmt, 0);
  }else{
    kvStmtGive(pStmt);
  }
}

int kvSearchFollow(
  KvStore *p, const KvIndexDef *pDef, KvBytes pk, const KvTree *pTree, u32 *pnAdded
){
  KvDocument *pDoc = &p->search.doc;
  i64 iRowid = sqlite3_last_insert_rowid(p->db);
  SearchOld old;
  int bUsable = 1;
  pDoc->bAny = 0;
  if( p->search.bDoubt ) searchRecover(p);
  if( pTree ) kvDocumentRead(p, pDef, pTree, pDoc);
  searchFind(p, pDef, pk, &old);
  if( !kvFailed(&p->err) && (old.pStmt ? !pDoc->bAny || !searchSame(&old, pDoc) : pDoc->bAny) ){
    bUsable = searchUsable(p, pDef);
    if( bUsable ){
      *pnAdded += old.pStmt==0;
      searchReplace(p, pDef, pk, &old, pDoc);
      if( p->err.rc==SQLITE_NOMEM ) p->search.bDoubt = 1;
    }
  }
  kvStmtGive(old.pStmt);
  sqlite3_set_last_insert_rowid(p->db, iRowid);
  return bUsable;
}

int kvSearchIsRight(KvStore *p, const KvIndexDef *pDef, KvBytes pk, const KvTree *pTree){
  KvDocument *pDoc = &p->search.doc;
  SearchOld old;
  int bRight;
  pDoc->bAny = 0;
  if( pTree ) kvDocumentRead(p, pDef, pTree, pDoc);
  searchFind(p, pDef, pk, &old);
  bRight = old.pStmt ? pDoc->bAny && searchSame(&old, pDoc) : !pDoc->bAny;
  kvStmtGive(old.pStmt);
  return bRight;
}

/* ---- the tables -------------------------------------------------------------------- */

/* The first column of the row of a statement on the schema, which zFormat makes. */
static int searchAsk(KvStore *p, const char *zFormat, const char *zName){
  sqlite3_stmt *pStmt = 0;
  int rc, n = 0;
  if( kvFailed(&p->err) ) return 0;
  rc = kvPrepare(p->db, &pStmt, zFormat, p->zSchema, p->zPrefix, zName);
  if( rc==SQLITE_OK && sqlite3_step(pStmt)==SQLITE_ROW ) n = sqlite3_column_int(pStmt, 0);
  if( rc==SQLITE_OK ) rc = sqlite3_reset(pStmt);
  sqlite3_finalize(pStmt);
  if( rc!=SQLITE_OK ) kvErrorDb(&p->err, p->db, rc);
  return n;
}

int kvSearchThere(KvStore *p, const KvIndexDef *pDef){
  static const char zLook[] = "SELECT count(*)=2 FROM \"%w\".sqlite_schema "
      "WHERE type = 'table' AND name COLLATE nocase IN (WITH t(x) AS "
      "(SELECT '%qkv_search_%q') SELECT x FROM t UNION ALL SELECT x||'_doc' FROM t)";
  return searchAsk(p, zLook, pDef->zName);
}

void kvSearchModule(KvStore *p, const char *zWhat){
  const char *zMsg = p->err.zMsg;
  if( p->err.rc!=SQLITE_ERROR || zMsg==0 || strstr(zMsg, "no such module")==0 ) return;
  kvErrorClear(&p->err);
  kvError(&p->err, SQLITE_ERROR, "kv: %s: a full-text index needs FTS5, which this SQLite was "
      "built without", zWhat);
}

void kvSearchCreate(KvStore *p, const KvIndexDef *pDef){
  static const char zLook[] = "SELECT 1 FROM \"%w\".sqlite_schema WHERE name COLLATE nocase IN ("
      "WITH t(x) AS (SELECT '%qkv_search_%q') SELECT x FROM t UNION ALL SELECT x||'_doc' FROM t "
      "UNION ALL SELECT x||'_data' FROM t UNION ALL SELECT x||'_idx' FROM t UNION ALL "
      "SELECT x||'_docsize' FROM t UNION ALL SELECT x||'_config' FROM t)";
  if( searchAsk(p, zLook, pDef->zName) ){
    kvError(&p->err, SQLITE_ERROR, "kv: kv_index(): a table or index named "
        "%!.100skv_search_%!.100s, or so with _doc, _data, _idx, _docsize or _config after it, "
        "already exists; give the index another name, or drop it",
        p->zPrefix, pDef->zName);
  }
  kvStmtRun(kvStmtSearch(p, KVSQL_SEARCH_DOC, pDef, 0));
  kvStmtRun(kvStmtSearch(p, KVSQL_SEARCH_TABLE, pDef, 0));
  kvSearchModule(p, "kv_index()");
}

/* What somebody has dropped, or FTS5 can't read, needn't be emptied.  (Without FTS5 it must
** be: the table stays.) */
static void searchGone(KvStore *p){
  const char *z = p->err.zMsg;
  if( (p->err.rc==SQLITE_ERROR && z && strstr(z, "no such module")==0)
   || (p->err.rc & 0xff)==SQLITE_CORRUPT
  ){
    kvErrorClear(&p->err);
  }
}

void kvSearchEmpty(KvStore *p, const KvIndexDef *pDef){
  kvStmtRun(kvStmtSearch(p, KVSQL_SEARCH_CLEAR, pDef, 0));
  searchGone(p);
  kvSearchModule(p, "kv_index_drop()");
  kvStmtRun(kvStmtSearch(p, KVSQL_SEARCH_CLEAR_DOC, pDef, 0));
  searchGone(p);
}

/* The names of those that are not declared, into a list, each with its zero: by their tables
** of FTS5, or by those of documents, of which the other may have been dropped. */
static void searchUnused(KvStore *p, KvList *pOut){
  sqlite3_stmt *pStmt = 0;
  int rc, nHead = (int)strlen(p->zPrefix) + 10;
  if( kvFailed(&p->err) ) return;
  rc = kvPrepare(p->db, &pStmt, "SELECT substr(name, 1, length(name) - 4*(rootpage > 0)) "
      "FROM \"%w\".sqlite_schema WHERE type = 'table' "
      "AND substr(name, 1, %d) = '%qkv_search_' COLLATE nocase AND "
      "sql LIKE CASE WHEN rootpage = 0 "
      "THEN 'create virtual table%%using fts5(%%content_rowid=''kv_docid''%%' "
      "ELSE 'create table%%_doc%%(%%kv_docid INTEGER PRIMARY KEY,"
      "%%kv_key BLOB NOT NULL UNIQUE,%%' END",
      p->zSchema, nHead, p->zPrefix);
  if( rc!=SQLITE_OK ) kvErrorDb(&p->err, p->db, rc);
  while( pStmt && (rc = sqlite3_step(pStmt))==SQLITE_ROW ){
    const char *z = (const char*)sqlite3_column_text(pStmt, 0);
    const KvIndexDef *pDef;
    if( z==0 ) kvErrorCode(&p->err, SQLITE_NOMEM);
    if( z==0 || (int)strlen(z)<=nHead ) continue;
    z = &z[nHead];
    pDef = kvIndexNamed(p, z);
    if( pDef && (pDef->mOptions & KVINDEX_SEARCH) ) continue;
    kvListAdd(pOut, kvBytes((const u8*)z, (u32)strlen(z) + 1));
  }
  sqlite3_finalize(pStmt);
  if( rc!=SQLITE_DONE && rc!=SQLITE_OK ) kvErrorDb(&p->err, p->db, rc);
  kvErrorBuf(&p->err, &pOut->bytes);
}

int kvSearchUnused(KvStore *p){
  KvList list = { { 0 } };
  int bAny;
  searchUnused(p, &list);
  bAny = list.bytes.n>0;
  kvListClear(&list);
  return bAny;
}

/* Has FTS5 failed because of what its tables are?  Another error may have taken the
** transaction with it. */
static int searchDamaged(const KvStore *p){
  return p->err.rc==SQLITE_ERROR || (p->err.rc & 0xff)==SQLITE_CORRUPT;
}

/* Drop FTS5's table.  FTS5 must be able to open it, so what another program has dropped or
** damaged of its own tables is made again, empty. */
static void searchDrop(KvStore *p, const KvIndexDef *pDef){
  static const char *const azMend[] = {
    "CREATE TABLE IF NOT EXISTS \"%w\".\"%wkv_search_%w_data\"(id INTEGER PRIMARY KEY, block BLOB)",
    "CREATE TABLE IF NOT EXISTS \"%w\".\"%wkv_search_%w_config\"(k PRIMARY KEY, v) WITHOUT ROWID",
    "REPLACE INTO \"%w\".\"%wkv_search_%w_data\" VALUES (1, x''), (10, x'00000000000000')",
    "REPLACE INTO \"%w\".\"%wkv_search_%w_config\" VALUES ('version', 4)",
  };
  KvError aside;
  u32 i;
  kvStmtRun(kvStmtSearch(p, KVSQL_SEARCH_DROP, pDef, 0));
  if( !searchDamaged(p) ) return;
  aside = kvErrorAside(&p->err);
  for(i=0; i<KV_COUNT(azMend); i++){
    sqlite3_stmt *pStmt = 0;
    int rc = kvPrepare(p->db, &pStmt, azMend[i], p->zSchema, p->zPrefix, pDef->zName);
    if( rc==SQLITE_OK ) sqlite3_step(pStmt);
    sqlite3_finalize(pStmt);
  }
  kvStmtRun(kvStmtSearch(p, KVSQL_SEARCH_DROP, pDef, 0));
  if( kvFailed(&p->err) ) kvErrorBack(&p->err, aside);
  else kvErrorClear(&aside);
}

void kvSearchDropUnused(KvStore *p){
  KvList list = { { 0 } };
  KvBytes name;
  u32 i = 0;
  searchUnused(p, &list);
  while( !kvFailed(&p->err) && kvListNext(&list, &i, &name) ){
    KvIndexDef def = { .zName = (const char*)name.p, .zPath = "" };
    searchDrop(p, &def);
    kvStmtRun(kvStmtSearch(p, KVSQL_SEARCH_DROP_DOC, &def, 0));
  }
  kvListClear(&list);
}

i64 kvSearchCount(KvStore *p, const KvIndexDef *pDef){
  KvStmt *pStmt = kvStmtSearch(p, KVSQL_SEARCH_COUNT, pDef, 0);
  i64 n = kvStmtRow(pStmt) ? kvStmtInt(pStmt, 0) : 0;
  kvStmtGive(pStmt);
  searchGone(p);
  return n;
}

void kvSearchClear(KvStore *p){
  kvDocumentClear(&p->search.doc);
}
