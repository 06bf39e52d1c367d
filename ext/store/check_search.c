/*
** check_search.c -- whether the documents of a full-text index are right.  See
** check_search.h.
**
** It reads the table of documents, which needs no FTS5, and lets FTS5 look at its own tables,
** which it does only where the file can be written.  Documents aren't compared while any key
** is dirty.
*/
#include "store/store_int.h"
#include "store/check_search.h"
#include "store/clock.h"
#include "store/index/dirty.h"
#include "store/index/keys.h"
#include "store/search.h"

/* The document of the primary entry that a statement is at. */
static void checkSearchEntry(KvFaults *pFaults, const KvIndexDef *pDef, KvStmt *pStmt){
  KvStore *p = pFaults->pStore;
  KvTree *pTree = &p->indexWork.tree;
  KvBytes pk = kvStmtBytes(pStmt, KVREAD_COL_KEY);
  int bTree;
  if( kvIndexOwner(p, pk) || !kvIndexDefCovers(pDef, pk) ) return;
  bTree = kvIndexEntryRead(p, pTree, (int)kvStmtInt(pStmt, KVREAD_COL_ENCODING),
                           kvStmtBytes(pStmt, KVREAD_COL_V));
  if( !kvSearchIsRight(p, pDef, pk, bTree ? pTree : 0) && !kvFailed(&p->err) ){
    kvFaultAdd(pFaults, KVCHECK_INDEX, pk, "index %!.100s: the document isn't what the value "
        "asks for", pDef->zName);
  }
}

static void checkSearchDocuments(KvFaults *pFaults, const KvIndexDef *pDef){
  KvStore *p = pFaults->pStore;
  KvStmt *pStmt = kvStmtReader(p, KVREAD_VALUE | (pDef->prefix.n ? (u32)KVREAD_UPPER : 0));
  kvBindBytes(pStmt, 1, pDef->prefix.n ? pDef->prefix : kvBytes("", 0));
  if( pDef->prefix.n ) kvBindBytes(pStmt, 2, pDef->prefixEnd);
  kvBindInt(pStmt, 3, kvNow());
  while( kvStmtRow(pStmt) ) checkSearchEntry(pFaults, pDef, pStmt);
  kvStmtGive(pStmt);
  pStmt = kvStmtSearch(p, KVSQL_CHECK_DOCUMENTS, pDef, 0);
  while( kvStmtRow(pStmt) ){
    kvFaultAdd(pFaults, KVCHECK_INDEX, kvStmtBytes(pStmt, 0),
               "index %!.100s: it has a document, but there is no such entry", pDef->zName);
  }
  kvStmtGive(pStmt);
}

/* FTS5's own tables. */
static void checkSearchTables(KvFaults *pFaults, const KvIndexDef *pDef){
  KvStore *p = pFaults->pStore;
  KvError error;
  if( kvFailed(&p->err) ) return;
  kvStmtRun(kvStmtSearch(p, KVSQL_SEARCH_CHECK, pDef, 0));
  if( !kvFailed(&p->err) || (p->err.rc & 0xff)==SQLITE_NOMEM ) return;
  error = kvErrorAside(&p->err);
  switch( error.rc & 0xff ){
    case SQLITE_READONLY:
      kvFaultAdd(pFaults, KVCHECK_INDEX, kvBytes(0, 0), "index %!.100s: FTS5's own tables were not "
          "looked at: %s", pDef->zName, sqlite3_errstr(error.rc));
      break;
    case SQLITE_INTERRUPT: case SQLITE_IOERR: case SQLITE_FULL: case SQLITE_BUSY:
    case SQLITE_LOCKED:
      kvErrorBack(&p->err, error);
      return;
    default:
      kvFaultAdd(pFaults, KVCHECK_INDEX, kvBytes(0, 0), "index %!.100s: FTS5's own tables are "
          "damaged, or FTS5 is missing (%s); kv_index_drop() it and declare it again", pDef->zName,
          sqlite3_errstr(error.rc));
  }
  kvErrorClear(&error);
}

void kvCheckSearch(KvFaults *pFaults, const char *zName){
  KvStore *p = pFaults->pStore;
  const KvIndexDef *pDef = 0;
  KvDirty dirty;
  KvStmt *pPin = kvDirtyPin(p, &dirty);
  if( dirty.bThere && kvIndexLoad(p, dirty.iGeneration)>0 ) pDef = kvIndexNamed(p, zName);
  if( pDef && !kvSearchThere(p, pDef) && !kvFailed(&p->err) ){
    kvFaultAdd(pFaults, KVCHECK_INDEX, kvBytes(0, 0), "index %!.100s: its tables are "
        "not all there; kv_index_drop() it and declare it again", pDef->zName);
  }else if( pDef ){
    i64 n = pFaults->an[KVCHECK_INDEX];
    if( !dirty.bAny ) checkSearchDocuments(pFaults, pDef);
    if( pFaults->an[KVCHECK_INDEX]==n ) checkSearchTables(pFaults, pDef);
  }
  kvStmtGive(pPin);
}
