/*
** vtab_atomic.c -- the table kv_atomic.
**
**     INSERT INTO kv_atomic(op, key, value)
**     VALUES ('check', k, NULL), ('set', k, 'x'), ('sum', c, 1);
**     ATTACH 'x.db' AS x;
**     CREATE VIRTUAL TABLE temp.x_atomic USING kv_atomic(x);
**
**     CREATE TABLE kv_atomic(op, key, value, expire_in, min, max, clamp,
**                            delay, keys_if_undelivered, backoff_schedule,
**                            raw HIDDEN);
**
** All rows that one statement inserts are one operation.  A row is carried
** out as it comes; a check looks at what was there before the statement.  If
** a check fails the statement fails, and SQLite takes back what the rows
** before it have written.  The table is always empty to a SELECT.
**
** Which rows belong together: SQLite informs a virtual table where a
** transaction or savepoint begins, but not where a statement does.  When a
** statement ends, though, its rows are added to sqlite3_total_changes().  As
** long as that count stays what it was when the last row was done, no other
** statement has ended since that wrote.  (Functions of ours that write for an
** argument of a row are distinguished: run.c.  Others that write are not.)  One may
** have begun, which is the row's then: a RETURNING has not been read to its end,
** or a function that is called for a row runs SQL.  atomicSame() decides.
**
** The functions (kv_atomic(), kv_set() ...) put their ops into a list and run it as
** one nested statement: run.h.
*/
#include "sql/modules.h"
#include "sql/vtab.h"
#include "sql/entries/op_args.h"
#include "sql/run.h"
#include "sql/args.h"
#include "store/schema.h"
#include "store/write.h"

#define ATOMIC_SCHEMA \
  "CREATE TABLE kv_atomic(op, key, value, expire_in, min, max, clamp, " \
  "delay, keys_if_undelivered, backoff_schedule, kv_extra HIDDEN, raw HIDDEN)"
enum {
  ATOMIC_OP, ATOMIC_KEY, ATOMIC_VALUE, ATOMIC_EXPIRE_IN, ATOMIC_MIN, ATOMIC_MAX, ATOMIC_CLAMP,
  ATOMIC_DELAY, ATOMIC_KEYS, ATOMIC_BACKOFF, ATOMIC_EXTRA, ATOMIC_RAW, ATOMIC_COLUMNS
};

/*
** Carrying out a row may fire a trigger that inserts into kv_atomic itself: an
** operation inside of another one's row.  So there is one for each number of
** writes that are running around the row (KvConn.nWriting).
*/
typedef struct AtomicOper AtomicOper;
struct AtomicOper {
  KvAtom atom;
  int nSavepoint;         /* Savepoints that were open when it began */
  sqlite3_value **apCol;  /* Where the columns of its last row were */
  const KvOp *pOp;        /* The op of the row that is carried out */
  KvStore *pFence;        /* Not 0: the store with the file yet to be locked */
};

typedef struct AtomicTable AtomicTable;
struct AtomicTable {
  KvVtab t;               /* Must be first */
  AtomicOper aOper[KV_MAX_WRITING];  /* The operations of the last rows */
};

static void atomicDisconnect(KvVtab *pVtab){
  AtomicTable *p = (AtomicTable*)pVtab;
  u32 i;
  for(i=0; i<KV_MAX_WRITING; i++) kvAtomClear(&p->aOper[i].atom);
}

/* Begin a new operation. */
static void atomicBegin(AtomicTable *p, AtomicOper *pOper){
  kvAtomClear(&pOper->atom);
  kvAtomInit(&pOper->atom, p->t.pStore, p->t.pConn->aLimit);
  pOper->nSavepoint = kvTxnDepth(p->t.pStore);
  pOper->pFence = p->t.bElsewhere ? p->t.pStore : 0;
  kvBufReset(&p->t.pConn->conflict);
}

/* The columns of a row as the arguments of an op. */
static void atomicRowArgs(sqlite3_value **apCol, KvOpArgs *p, KvError *pError){
  memset(p, 0, sizeof(*p));
  memcpy(p->ap, &apCol[ATOMIC_KEY], sizeof(p->ap));
  if( sqlite3_value_type(apCol[ATOMIC_RAW])!=SQLITE_NULL ){
    if( sqlite3_value_type(p->ap[KV_ARG_VALUE])!=SQLITE_NULL ){
      kvError(pError, SQLITE_ERROR, "kv: value: give only one of the columns value and raw");
    }
    p->ap[KV_ARG_VALUE] = apCol[ATOMIC_RAW];
    p->eAs = KV_AS_RAW;
  }
  p->eOp = kvOpNamed(apCol[ATOMIC_OP], pError);
}

/* The op of a row: a BLOB of kv_op() alone, or the columns. */
static void atomicRowOp(AtomicTable *p, sqlite3_value **apCol, KvBuf *pOut){
  KvError *pError = kvStoreError(p->t.pStore);
  KvOpArgs args;
  int i;
  if( sqlite3_value_type(apCol[ATOMIC_OP])==SQLITE_BLOB ){
    for(i=ATOMIC_KEY; i<ATOMIC_COLUMNS; i++){
      if( sqlite3_value_type(apCol[i])==SQLITE_NULL ) continue;
      kvError(pError, SQLITE_ERROR,
          "kv: op: a result of kv_op() holds the whole op; leave the other columns out");
    }
    kvOpArgCheck(p->t.pConn, apCol[ATOMIC_OP], pError);
    kvBufAdd(pOut, kvArgBlob(apCol[ATOMIC_OP]));
    kvErrorBuf(pError, pOut);
  }else{
    atomicRowArgs(apCol, &args, pError);
    if( args.eOp ) kvOpBytes(p->t.pConn, &args, pOut, pError);
  }
}

/* A check has failed: remember the key, and what the statement says. */
static void atomicConflict(AtomicTable *p, const KvAtom *pAtom){
  KvBuf *pConflict = &p->t.pConn->conflict;
  kvBufReset(pConflict);
  kvBufAdd(pConflict, kvBufBytes(&pAtom->conflict));
  if( kvBufTerminate(pConflict)!=KV_OK ) kvErrorCode(kvStoreError(p->t.pStore), SQLITE_NOMEM);
  kvErrorGive(kvStoreError(p->t.pStore), SQLITE_CONSTRAINT, sqlite3_mprintf(
      "kv: check failed: key %s does not have the expected versionstamp; read it again "
      "and retry", (const char*)pConflict->a));
}

/*
** Is a row one of the statement that the operation's last row was of?  Nothing
** that wrote has ended since.  SQLite hands the rows over in an array that each
** statement has for as long as it lives, so one of two that are both under way
** has another.  In an SQLite that takes a new array for each row it must be the
** same statement if no other one that writes is under way.
*/
static int atomicSame(const AtomicOper *pOper, sqlite3 *db, sqlite3_value **apCol){
  return pOper->apCol==apCol || kvRunWriters(db)==1;
}

/* What kvRunOwn() calls for a row. */
static void atomicRowCall(void *pArg){
  AtomicOper *p = pArg;
  if( p->pFence ) kvWriteLockFirst(p->pFence);
  kvAtomRow(&p->atom, p->pOp);
}

/* Carry out a row of an operation, which a new one begins unless bSame. */
static void atomicRowRun(AtomicTable *p, AtomicOper *pOper, const KvOp *pOp, int bSame){
  KvAtom *pAtom = &pOper->atom;
  KvStore *pStore = p->t.pStore;
  pOper->pOp = pOp;
  if( !bSame ) atomicBegin(p, pOper);
  kvRunOwn(p->t.pConn, pStore, atomicRowCall, pOper);
  if( pAtom->count.nMutation+pAtom->count.nCheck==1 && kvSchemaRetry(pStore) ){
    atomicBegin(p, pOper);             /* the tables were not as they seemed */
    kvRunOwn(p->t.pConn, pStore, atomicRowCall, pOper);
  }
  if( !kvFailed(kvStoreError(pStore)) && pAtom->bConflict ) atomicConflict(p, pAtom);
}

/* Carry out one inserted row; bQuiet: since the last one nothing that wrote has
** ended. */
static int atomicRow(AtomicTable *p, sqlite3_value **apCol, int bQuiet, char **pzErr){
  AtomicOper *pOper = &p->aOper[p->t.pConn->nWriting-1];
  KvError *pError = kvStoreError(p->t.pStore);
  int bSame = bQuiet && atomicSame(pOper, p->t.pConn->db, apCol);
  u8 aSpace[1024];
  KvBuf bytes;
  KvOp op;
  pOper->apCol = apCol;
  kvBufInit(&bytes, aSpace, sizeof(aSpace));
  atomicRowOp(p, apCol, &bytes);
  if( !kvFailed(pError) && kvOpRead(&op, kvBufBytes(&bytes), 0)!=KV_OK ){
    kvErrorCode(pError, SQLITE_INTERNAL);
  }
  if( !kvFailed(pError) ) atomicRowRun(p, pOper, &op, bSame);
  kvBufClear(&bytes);
  return kvStoreTake(p->t.pStore, pzErr);
}

/* There are no rows but those to be inserted. */
static int atomicUpdate(KvVtab *p, KvVtabRow *pRow, char **pzErr){
  sqlite3 *db = p->pConn->db;
  const AtomicOper *pOper = &((AtomicTable*)p)->aOper[p->pConn->nWriting-1];
  int bQuiet = pRow->iRowTotal==sqlite3_total_changes64(db) && pRow->pRowOper==pOper;
  int rc = atomicRow((AtomicTable*)p, pRow->apCol, bQuiet, pzErr);
  pRow->pRowOper = pOper;
  pRow->iRowTotal = rc==SQLITE_OK ? sqlite3_total_changes64(db) : -1;
  return rc;
}

/*
** The next row begins a new operation.  Not every statement that fails is that of the
** operation: a function that is called for the next row may have run one.  (iRowTotal
** is not -1 after a row, so nWriting is less than KV_MAX_WRITING.)
*/
static void atomicTxn(KvVtab *pVtab, int iSavepoint){
  const AtomicTable *p = (const AtomicTable*)pVtab;
  KvConn *pConn = pVtab->pConn;
  const AtomicOper *pOper;
  if( pConn->iRowTotal<0 ) return;
  pOper = &p->aOper[pConn->nWriting];
  if( iSavepoint<0 || (pConn->pRowOper==pOper && pOper->nSavepoint>iSavepoint) ){
    pConn->iRowTotal = -1;
  }
}

const KvVtabDef kvAtomicTable = {
  .zName = "kv_atomic",
  .zDeclare = ATOMIC_SCHEMA,
  .nTable = sizeof(AtomicTable),
  .plan = { .none = { 1, 1.0, 0 } },
  .xUpdate = atomicUpdate,
  .xTxn = atomicTxn,
  .xDisconnect = atomicDisconnect,
};
