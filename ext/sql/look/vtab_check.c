/*
** vtab_check.c -- the table kv_check: what is wrong with a store.
**
**     SELECT kind, key, message FROM kv_check;
**
**     CREATE TABLE kv_check(kind TEXT, key TEXT COLLATE kv_compare, message TEXT,
**                           only TEXT HIDDEN);
**
** No rows when the store is sound.  key is that of the entry that a fault is of, or
** NULL.  All is found before the first row, so a statement may mend what it reads.
** kv_check('...') and WHERE kind = '...' look for faults of that kind only.
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/result.h"
#include "codec/key/key_print.h"
#include "store/check.h"

#define CHECK_SCHEMA \
  "CREATE TABLE kv_check(kind TEXT, key TEXT COLLATE kv_compare, message TEXT, only TEXT HIDDEN)"
enum { CHECK_KIND, CHECK_KEY, CHECK_MESSAGE, CHECK_ONLY };

/* In the order of KVCHECK_xxx. */
static const char *const checkKind[KVCHECK_KINDS] = {
  "schema", "key", "value", "version", "expiry", "queue", "index"
};

typedef struct CheckCursor CheckCursor;
struct CheckCursor {
  KvVtabCursor c;         /* Must be first */
  KvBuf out;              /* Text of a column */
  KvFaults faults;
  KvFault fault;          /* The current row */
  u32 iNext;              /* Where the next one is */
};

static void checkStop(KvVtabCursor *pCursor){
  kvFaultsReset(&((CheckCursor*)pCursor)->faults);
}

static void checkFree(KvVtabCursor *pCursor){
  kvFaultsClear(&((CheckCursor*)pCursor)->faults);
}

static int checkNext(KvVtabCursor *pCursor){
  CheckCursor *p = (CheckCursor*)pCursor;
  return kvFaultNext(&p->faults, &p->iNext, &p->fault);
}

static const KvVtabCons checkCons[] = {
  { CHECK_ONLY, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT, "kind=" },
  { CHECK_KIND, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_BINARY, "kind=" }
};
#define CHECK_PLAN_ONLY  1

/* The kind of kv_check('...') or of kind = '...', as a mask; 0: none of them. */
static u32 checkMask(CheckCursor *p, sqlite3_value *pKind, int bOnly){
  KvBytes kind = kvArgName(pKind, p->c.pError);
  int i;
  for(i=0; i<KVCHECK_KINDS; i++){
    if( kind.p && kvBytesEqual(kind, kvBytesText(checkKind[i])) ) return (u32)1<<i;
  }
  if( bOnly && kind.p ){
    kvError(p->c.pError, SQLITE_ERROR, "kv: kv_check(): no such kind: %!.100s; the kinds are "
        "schema, key, value, version, expiry, queue and index", (const char*)kind.p);
  }
  return 0;
}

static int checkFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  CheckCursor *p = (CheckCursor*)pCursor;
  u32 mKinds = (1<<KVCHECK_KINDS) - 1;
  (void)nArg;
  /* Beside the argument SQLite checks kind = '...' itself */
  if( mPlan ) mKinds = checkMask(p, apArg[0], mPlan & CHECK_PLAN_ONLY);
  kvFaultsReset(&p->faults);
  p->faults.pStore = p->c.pStore;
  p->iNext = 0;
  if( mKinds ) kvCheck(&p->faults, mKinds);
  return !kvFailed(p->c.pError) && checkNext(pCursor);
}

static void checkColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  CheckCursor *p = (CheckCursor*)pCursor;
  if( iCol==CHECK_KIND ){
    sqlite3_result_text(ctx, checkKind[p->fault.eKind], -1, SQLITE_STATIC);
  }else if( iCol==CHECK_ONLY ){
    kvVtabOnlySelects(ctx, "only");
  }else if( iCol==CHECK_MESSAGE ){
    sqlite3_result_text(ctx, (const char*)p->fault.message.p, (int)p->fault.message.n,
                        SQLITE_TRANSIENT);
  }else if( p->fault.key.p ){
    kvBufReset(&p->out);
    kvKeyShow(&p->out, p->fault.key);
    kvResultText(ctx, &p->out);
  }
}

const KvVtabDef kvCheckTable = {
  .zName = "kv_check",
  .zDeclare = CHECK_SCHEMA,
  .plan = { checkCons, KV_COUNT(checkCons), { 10, 1e7, "FAULTS" }, { 10, 1e8, "ALL FAULTS" }, 0 },
  .read = { checkFilter, checkNext, checkColumn, 0 },
  .nCursor = sizeof(CheckCursor),
  .nBuf = 1,
  .xStop = checkStop,
  .xFree = checkFree,
};
