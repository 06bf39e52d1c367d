/*
** check_index.c -- whether the entries of the declared indexes are right.  See
** check_index.h.
**
** What an index shows (index/scan.h) has to be what its primary entries ask for:
**
**   1. all primary entries: each index entry that one asks for is shown
**   2. all that the index shows, beside its entries in kv: each is stored with the
**      right value and expiry, and no other has such a key
**   3. only if it shows more than 1 has found: whose value doesn't ask for it
**
** With 1 it is checked that kv_index_held lists it, and before all that the declarations are
** there and the triggers are those that they ask for.
**
** Dirty keys are no faults.
** While there are any, what is stored may differ from what is shown, and 2 is left out.
*/
#include "store/store_int.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "store/check_index.h"
#include "store/check_search.h"
#include "store/check_published.h"
#include "store/index/dirty.h"
#include "store/index/entry.h"
#include "store/index/held.h"
#include "store/index/scan.h"

/* The check of one index. */
typedef struct CheckIndex CheckIndex;
struct CheckIndex {
  KvFaults *pFaults;
  KvStore *pStore;
  const KvIndexDef *pDef;
  KvIndexSnapshot snapshot;
  KvIndexScan scan;
  KvList keys;            /* Index entries that a primary entry asks for */
  KvList held;            /* Those that it has by kv_index_held */
  KvBuf ik, pk;           /* The row before */
  KvBuf text;             /* A key in a message */
  i64 nAsked;             /* Rows that primary entries ask for, and that are shown */
  i64 nShown;             /* Rows that are shown */
};

static KvBytes checkIndexCol(const CheckIndex *p, int iCol){
  sqlite3_stmt *pRow = p->scan.pRow;
  const void *a = sqlite3_column_blob(pRow, iCol);
  return kvBytes(a, (u32)sqlite3_column_bytes(pRow, iCol));
}

/* A fault of the index: zWhat, and a key after it. */
static void checkIndexFault(CheckIndex *p, KvBytes key, const char *zWhat, KvBytes other){
  kvFaultAdd(p->pFaults, KVCHECK_INDEX, key, "index %!.100s: %s %s", p->pDef->zName, zWhat,
             kvErrorKey(&p->pStore->err, other, &p->text));
}

static void checkIndexNobody(CheckIndex *p, KvBytes ik){
  kvFaultAdd(p->pFaults, KVCHECK_INDEX, ik, "index %!.100s: no entry requires this index entry",
             p->pDef->zName);
}

/* To the first row from lo on, before hi and, after that, a zero if bZero. */
static int checkIndexStart(CheckIndex *p, KvBytes lo, KvBytes hi, int bZero){
  kvErrorCopy(&p->pStore->err, lo, &p->scan.lo);
  kvErrorCopy(&p->pStore->err, hi, &p->scan.hi);
  if( bZero ) kvBufPut(&p->scan.hi, 0);
  return kvIndexScanStart(&p->scan, &p->snapshot, 0);
}

/* ---- 1: all primary entries ------------------------------------------------- */

/* Is a row shown? */
static int checkIndexShown(CheckIndex *p, KvBytes ik, KvBytes pk){
  int bRow = checkIndexStart(p, ik, ik, 1);
  while( bRow && !kvBytesEqual(checkIndexCol(p, KVINDEX_COL_KEY), pk) ){
    bRow = kvIndexScanStep(&p->scan);
  }
  kvIndexScanStop(&p->scan);
  return bRow;
}

/* Is an index entry in kv_index_held?  That of a dirty key may have to come. */
static void checkIndexHeld(CheckIndex *p, KvBytes ik, KvBytes pk){
  KvBytes held = { 0, 0 };
  u32 i = 0;
  if( p->snapshot.pRows && kvRowsHave(p->snapshot.pRows, ik, pk) ) return;
  while( kvListNext(&p->held, &i, &held) && !kvBytesEqual(held, ik) ){}
  if( held.n==0 || !kvBytesEqual(held, ik) ){
    checkIndexFault(p, pk, "kv_index_held doesn't list, so kv_index_drop() the index and declare "
        "it again, what this entry has:", ik);
  }
}

static void checkIndexPrimary(CheckIndex *p, KvStmt *pStmt){
  KvBytes ik, pk = kvStmtBytes(pStmt, KVREAD_COL_KEY);
  u32 i = 0;
  if( kvIndexOwner(p->pStore, pk) || !kvIndexDefCovers(p->pDef, pk) ) return;
  kvListReset(&p->keys);
  kvIndexEntryKeys(p->pStore, p->pDef, pk, (int)kvStmtInt(pStmt, KVREAD_COL_ENCODING),
                   kvStmtBytes(pStmt, KVREAD_COL_V), &p->keys);
  kvListSort(&p->keys);
  kvErrorBuf(&p->pStore->err, &p->keys.bytes);
  if( p->keys.bytes.n ) kvIndexHeld(p->pStore, pk, &p->held);
  while( !kvFailed(&p->pStore->err) && kvListNext(&p->keys, &i, &ik) ){
    checkIndexHeld(p, ik, pk);
    if( checkIndexShown(p, ik, pk) ) p->nAsked++;
    else if( !kvFailed(&p->pStore->err) ) checkIndexFault(p, pk, "doesn't find this entry by", ik);
  }
}

/* The entries of a range that haven't expired. */
static KvStmt *checkIndexReader(CheckIndex *p, u32 mRead, KvBytes lo, KvBytes hi){
  KvStmt *pStmt = kvStmtReader(p->pStore, mRead | (hi.n ? (u32)KVREAD_UPPER : 0));
  kvBindBytes(pStmt, 1, lo);
  if( hi.n ) kvBindBytes(pStmt, 2, hi);
  kvBindInt(pStmt, 3, p->snapshot.iNow);
  return pStmt;
}

static void checkIndexPrimaries(CheckIndex *p){
  const KvIndexDef *pDef = p->pDef;
  KvBytes none = { 0, 0 };
  KvStmt *pStmt = checkIndexReader(p, KVREAD_VALUE, pDef->prefix.n ? pDef->prefix : kvBytes("", 0),
                                   pDef->prefix.n ? pDef->prefixEnd : none);
  while( kvStmtRow(pStmt) ) checkIndexPrimary(p, pStmt);
  kvStmtGive(pStmt);
}

/* ---- 2: all rows that are shown, beside what is stored ----------------------- */

/* Note the row that the scan is at.  A second one of the same index entry: the index isn't
** unique any more. */
static void checkIndexRow(CheckIndex *p){
  KvBytes ik = checkIndexCol(p, KVINDEX_COL_IK), pk = checkIndexCol(p, KVINDEX_COL_KEY);
  p->nShown++;
  if( (p->pDef->mOptions & KVINDEX_UNIQUE) && kvBytesEqual(ik, kvBufBytes(&p->ik)) ){
    checkIndexFault(p, pk, "it is unique, but another entry has the same value:",
                    kvBufBytes(&p->pk));
  }
  kvErrorCopy(&p->pStore->err, ik, &p->ik);
  kvErrorCopy(&p->pStore->err, pk, &p->pk);
}

/* Go through the rows of the next index entry.  bStored: there is an entry with that key.
** It must be right for one of them. */
static int checkIndexRows(CheckIndex *p, int bStored){
  int bRight = p->snapshot.pRows!=0, bRow;
  KvBytes ik;
  do{
    checkIndexRow(p);
    ik = kvBufBytes(&p->ik);
    if( bStored && !bRight ){
      bRight = kvIndexEntryIsRight(p->pStore, p->pDef, ik, kvBufBytes(&p->pk));
    }
    bRow = kvIndexScanStep(&p->scan);
  }while( bRow && kvBytesEqual(checkIndexCol(p, KVINDEX_COL_IK), ik) );
  if( !bRight && !kvFailed(&p->pStore->err) && kvIndexDefStored(p->pDef, ik) ){
    if( bStored ){
      checkIndexFault(p, ik, "this index entry is wrong for", kvBufBytes(&p->pk));
    }else{
      checkIndexFault(p, kvBufBytes(&p->pk), "its index entry is missing:", ik);
    }
  }
  return bRow;
}

/* Merge the two by their keys. */
static void checkIndexBoth(CheckIndex *p){
  KvBytes name = p->pDef->name;
  int bRow = checkIndexStart(p, name, p->pDef->nameEnd, 0), bStored, c;
  KvStmt *pStmt = checkIndexReader(p, 0, name, p->pDef->nameEnd);
  bStored = kvStmtRow(pStmt);
  while( (bRow || bStored) && !kvFailed(&p->pStore->err) ){
    KvBytes key = bStored ? kvStmtBytes(pStmt, KVREAD_COL_KEY) : name;
    c = !bRow ? -1 : !bStored ? 1 : kvBytesCompare(key, checkIndexCol(p, KVINDEX_COL_IK));
    if( c<0 && p->snapshot.pRows==0 && !kvBytesEqual(key, name) ) checkIndexNobody(p, key);
    if( c>=0 ) bRow = checkIndexRows(p, c==0);
    if( c<=0 ) bStored = kvStmtRow(pStmt);
  }
  kvStmtGive(pStmt);
  kvIndexScanStop(&p->scan);
}

/* ---- 3: does the value ask for it? -------------------------------------------- */

static void checkIndexSurplus(CheckIndex *p){
  int bRow;
  for(bRow=checkIndexStart(p, p->pDef->name, p->pDef->nameEnd, 0); bRow;
      bRow=kvIndexScanStep(&p->scan)){
    KvBytes ik = checkIndexCol(p, KVINDEX_COL_IK), pk = checkIndexCol(p, KVINDEX_COL_KEY), key;
    const KvList *pWanted = kvIndexEntryWanted(p->pStore, p->pDef, pk);
    u32 i = 0;
    int bAsks = 0;
    while( !bAsks && kvListNext(pWanted, &i, &key) ) bAsks = kvBytesEqual(key, ik);
    if( bAsks || kvFailed(&p->pStore->err) ) continue;
    if( p->pStore->indexWork.primary.bFound ){
      checkIndexFault(p, pk, "its value doesn't require the index entry", ik);
    }else{
      checkIndexNobody(p, ik);
    }
  }
  kvIndexScanStop(&p->scan);
}

/* ---- all indexes --------------------------------------------------------------- */

/* The declarations and the triggers. */
static void checkIndexState(KvFaults *pFaults, u32 n){
  KvStore *p = pFaults->pStore;
  if( kvFailed(&p->err) || (kvSchemaKnown(p) & KVKNOWN_INDEXES)==0 ) return;
  if( n==0 && kvDirtyLost(p) ){
    kvFaultAdd(pFaults, KVCHECK_INDEX, kvBytes(0, 0), "kv_index_def has lost its rows, but there "
        "are index entries; SELECT kv_uninstall()");
  }else if( n>0 && !kvDirtyTriggers(p) && !kvFailed(&p->err) ){
    kvFaultAdd(pFaults, KVCHECK_INDEX, kvBytes(0, 0), "the triggers kv_dirty_... are not those of "
        "the declarations, and may have missed changes; kv_index_drop() the indexes and declare "
        "them again");
  }
}

static void checkIndexOne(CheckIndex *p, const char *zName){
  const KvIndexDef *pDef = kvIndexNamed(p->pStore, zName);
  if( pDef && (pDef->mOptions & KVINDEX_SEARCH) ){
    kvCheckSearch(p->pFaults, zName);
    return;
  }
  if( pDef && (pDef->mOptions & KVINDEX_TABLE) ){
    kvCheckPublished(p->pFaults, zName);
    return;
  }
  if( !kvIndexOpen(p->pStore, zName, &p->snapshot) ) return;
  p->pDef = kvIndexNamed(p->pStore, zName);
  p->nAsked = p->nShown = 0;
  kvBufReset(&p->ik);
  kvIndexKeys(&p->snapshot);
  checkIndexPrimaries(p);
  checkIndexBoth(p);
  if( p->nShown>p->nAsked ) checkIndexSurplus(p);
  kvIndexClose(&p->snapshot);
}

void kvCheckIndexes(KvFaults *pFaults){
  CheckIndex check = { .pFaults = pFaults, .pStore = pFaults->pStore };
  KvStore *p = pFaults->pStore;
  KvList names = { { 0 } };
  KvBytes name;
  u32 i, n;
  kvIndexForget(p);                    /* what has become of them meanwhile */
  n = kvIndexList(p);
  checkIndexState(pFaults, n);
  for(i=0; i<n; i++){
    const char *zName = kvIndexAt(p, i)->zName;
    kvListAdd(&names, kvBytes(zName, (u32)strlen(zName) + 1));
  }
  kvErrorBuf(&p->err, &names.bytes);
  kvFaultTake(pFaults, KVCHECK_INDEX);
  i = 0;
  while( !kvFailed(&p->err) && kvListNext(&names, &i, &name) ){
    checkIndexOne(&check, (const char*)name.p);
    kvFaultTake(pFaults, KVCHECK_INDEX);
  }
  kvListClear(&names);
  kvListClear(&check.keys);
  kvListClear(&check.held);
  kvIndexScanClear(&check.scan);
  kvBufClear(&check.ik);
  kvBufClear(&check.pk);
  kvBufClear(&check.text);
}
