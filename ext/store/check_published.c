/*
** check_published.c -- whether the rows of a published table are right.  See check_published.h.
**
** They aren't compared while any key is dirty.
*/
#include "store/store_int.h"
#include "store/check_published.h"
#include "store/clock.h"
#include "store/index/dirty.h"
#include "store/index/table.h"

/* Compare the rows of all entries.  Returns how many there should be. */
static i64 checkPublishedRows(KvFaults *pFaults, const KvIndexDef *pDef, i64 iNow){
  KvStore *p = pFaults->pStore;
  KvStmt *pStmt = kvStmtReader(p, pDef->prefix.n ? (u32)KVREAD_UPPER : 0);
  i64 n = 0;
  kvBindBytes(pStmt, 1, pDef->prefix.n ? pDef->prefix : kvBytes("", 0));
  if( pDef->prefix.n ) kvBindBytes(pStmt, 2, pDef->prefixEnd);
  kvBindInt(pStmt, 3, iNow);
  while( kvStmtRow(pStmt) ){
    KvBytes key = kvStmtBytes(pStmt, KVREAD_COL_KEY);
    int eIs = KVTABLE_NONE;
    if( kvIndexDefCovers(pDef, key) && !kvIndexOwner(p, key) ){
      eIs = p->pPublisher->xIs(p, pDef, key);
    }
    if( eIs==KVTABLE_NONE || kvFailed(&p->err) ) continue;
    n++;
    if( eIs==KVTABLE_WRONG ){
      kvFaultAdd(pFaults, KVCHECK_INDEX, key, "%!.100s: the row isn't what the entry asks for",
          pDef->zName);
    }
  }
  kvStmtGive(pStmt);
  return n;
}

void kvCheckPublished(KvFaults *pFaults, const char *zName){
  KvStore *p = pFaults->pStore;
  const KvIndexDef *pDef = 0;
  KvDirty dirty;
  KvStmt *pPin = kvDirtyPin(p, &dirty);
  i64 iNow = kvNow(), nRow = -1;
  if( dirty.bThere && kvIndexLoad(p, dirty.iGeneration)>0 ) pDef = kvIndexNamed(p, zName);
  if( pDef ) nRow = p->pPublisher->xCount(p, pDef, iNow);
  if( pDef && nRow<0 && !kvFailed(&p->err) ){
    kvFaultAdd(pFaults, KVCHECK_INDEX, kvBytes(0, 0), "%!.100s: the published table is missing, or "
        "has other columns; kv_publish(collection, 0) ends it", pDef->zName);
  }else if( pDef && !dirty.bAny && checkPublishedRows(pFaults, pDef, iNow)<nRow ){
    kvFaultAdd(pFaults, KVCHECK_INDEX, kvBytes(0, 0), "%!.100s: it has rows without an entry",
        pDef->zName);
  }
  kvStmtGive(pPin);
}
