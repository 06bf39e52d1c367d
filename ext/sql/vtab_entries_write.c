/*
** vtab_entries_write.c -- INSERT, UPDATE and DELETE on kv_entries.
**
** Each row is checked completely before anything is written: argument errors
** and conflicts leave no trace, not even a version.  What is then written is
** undone by SQLite with the statement or savepoint it belongs to.  Where that
** does not suffice, because a row may fail after something was written for it
** and OR FAIL, say, keeps it, the row is a statement of its own: kvRunOwn().
**
** A table that stands in another file than its store (temp.x_entries over x)
** needs a fence: SQLite takes the write lock and opens the statement's
** savepoint only in the table's file.
*/
#include "sql/vtab_entries.h"
SQLITE_EXTENSION_INIT3
#include "sql/args.h"
#include "sql/codec_error.h"
#include "sql/run.h"
#include "sql/update_value.h"

/* One row to be written. */
typedef struct EntRow EntRow;
struct EntRow {
  KvBuf old;              /* UPDATE, DELETE: stored key of the row */
  KvBuf key;              /* INSERT, UPDATE: stored key, new or the same */
  KvBuf value;            /* Stored bytes of the new value */
  int eEncoding;
  int bStamp;             /* The key ends with the commit versionstamp */
  u32 mSet;               /* KVSET_xxx: what is given */
  i64 iExpires;
  i64 iNow;               /* 0: not asked for yet, see entwNow() */
  int bReplace;           /* INSERT OR REPLACE, UPDATE OR REPLACE */
};

/* Is argument iCol of the row given?  In an INSERT: not NULL. */
static int entwGiven(sqlite3_value **apArg, int iCol, int bUpdate){
  sqlite3_value *pVal = apArg[2+iCol];
  if( bUpdate ) return !sqlite3_value_nochange(pVal);
  return sqlite3_value_type(pVal)!=SQLITE_NULL;
}

char *kvEntriesUpdateFrom(void){
  return sqlite3_mprintf("kv: UPDATE ... FROM can't be used on kv_entries with this version of SQLite, which gives "
      "every column a value; UPDATE ... SET json = (SELECT ...) WHERE key IN (SELECT ...)");
}

/* Columns that are the store's to fill in. */
static int entwReadOnly(sqlite3_value **apArg, int bUpdate, char **pzErr){
  static const struct { int iCol; const char *zName; const char *zWhy; } aCol[] = {
    { ENT_VERSIONSTAMP, "versionstamp", "every write takes a new one" },
    { ENT_PREFIX,       "prefix",       "it only selects entries" },
    { ENT_TYPE,         "type",         "it follows from the value" },
    { ENT_CURSOR,       "cursor",       "it only selects entries" },
  };
  u32 i, nGiven = 0;
  for(i=0; i<sizeof(aCol)/sizeof(aCol[0]); i++) nGiven += entwGiven(apArg, aCol[i].iCol, bUpdate)!=0;
  if( bUpdate && nGiven==sizeof(aCol)/sizeof(aCol[0]) ){
    *pzErr = kvEntriesUpdateFrom();
    return SQLITE_ERROR;
  }
  for(i=0; nGiven && i<sizeof(aCol)/sizeof(aCol[0]); i++){
    if( entwGiven(apArg, aCol[i].iCol, bUpdate) ){
      *pzErr = sqlite3_mprintf("kv: %s: can't be set, %s; leave the column out",
                               aCol[i].zName, aCol[i].zWhy);
      return SQLITE_ERROR;
    }
  }
  return SQLITE_OK;
}

/* value, js, json or raw: which is given.  *piCol is -1 when none is. */
static int entwValueColumn(sqlite3_value **apArg, int bUpdate, int *piCol, int *peAs, char **pzErr){
  static const struct { int iCol; int eAs; } aCol[] = {
    { ENT_VALUE, KV_AS_VALUE }, { ENT_JS, KV_AS_JS },
    { ENT_JSON, KV_AS_JSON },   { ENT_RAW, KV_AS_RAW },
  };
  u32 i;
  *piCol = -1;
  for(i=0; i<4; i++){
    if( !entwGiven(apArg, aCol[i].iCol, bUpdate) ) continue;
    if( *piCol>=0 ){
      *pzErr = sqlite3_mprintf("kv: value: give exactly one of the columns value, js, json and raw");
      return SQLITE_ERROR;
    }
    *piCol = aCol[i].iCol;
    *peAs = aCol[i].eAs;
  }
  if( *piCol<0 && !bUpdate ){
    *piCol = ENT_VALUE;                /* INSERT of NULL: the value null */
    *peAs = KV_AS_VALUE;
  }
  return SQLITE_OK;
}

/* The time of the write.  Most rows don't need it. */
static i64 entwNow(EntRow *p){
  if( p->iNow==0 ) p->iNow = kvNow();
  return p->iNow;
}

/* expires_at or expire_in */
static int entwExpiry(EntRow *p, sqlite3_value **apArg, int bUpdate, char **pzErr){
  int bAt = entwGiven(apArg, ENT_EXPIRES_AT, bUpdate);
  int bIn = entwGiven(apArg, ENT_EXPIRE_IN, bUpdate);
  sqlite3_value *pIn = apArg[2+ENT_EXPIRE_IN];
  p->iExpires = -1;
  if( bAt && bIn ){
    *pzErr = sqlite3_mprintf("kv: expires_at: give it or expire_in, not both");
    return SQLITE_ERROR;
  }
  if( bAt || bIn ) p->mSet |= KVSET_EXPIRY;
  if( bAt ) return kvArgExpiresAt(apArg[2+ENT_EXPIRES_AT], &p->iExpires, pzErr);
  if( bIn && sqlite3_value_type(pIn)!=SQLITE_NULL ){
    return kvArgExpireIn(pIn, entwNow(p), &p->iExpires, pzErr);
  }
  return SQLITE_OK;
}

/* The new value of an UPDATE, which depends on what is stored. */
static int entwNewValue(KvTable *pTab, EntRow *p, sqlite3_value *pVal, int eAs, char **pzErr){
  KvFound found;
  int rc = SQLITE_OK;
  memset(&found, 0, sizeof(found));
  kvBufInit(&found.v, 0, 0);
  if( !kvUpdateIsTyped(pVal, eAs) ){
    rc = kvStoreFind(pTab->pStore, p->old.a, p->old.n, entwNow(p), 1, &found, pzErr);
  }
  if( rc==SQLITE_OK && !found.bFound ){
    rc = kvArgWriteValue(pTab->pConn, pVal, eAs, &p->value, &p->eEncoding, pzErr);
  }else if( rc==SQLITE_OK ){
    rc = kvUpdateValue(pTab->pConn, p->old.a, p->old.n, &found, pVal, eAs,
                       &p->value, &p->eEncoding, pzErr);
  }
  kvBufClear(&found.v);
  return rc;
}

/* Check and encode what an INSERT or UPDATE gives. */
static int entwRow(KvTable *pTab, EntRow *p, sqlite3_value **apArg, int bUpdate, char **pzErr){
  int iCol = -1, eAs = KV_AS_VALUE;
  int rc = entwReadOnly(apArg, bUpdate, pzErr);
  if( rc==SQLITE_OK ) rc = entwValueColumn(apArg, bUpdate, &iCol, &eAs, pzErr);
  if( rc==SQLITE_OK ) rc = entwExpiry(p, apArg, bUpdate, pzErr);
  if( rc==SQLITE_OK && (!bUpdate || entwGiven(apArg, ENT_KEY, 1)) ){
    rc = kvArgWriteKey(pTab->pConn, apArg[2+ENT_KEY], &p->key, &p->bStamp, pzErr);
    p->mSet |= KVSET_KEY;
  }
  if( rc!=SQLITE_OK || iCol<0 ) return rc;
  p->mSet |= KVSET_VALUE;
  if( bUpdate ) return entwNewValue(pTab, p, apArg[2+iCol], eAs, pzErr);
  return kvArgWriteValue(pTab->pConn, apArg[2+iCol], eAs, &p->value, &p->eEncoding, pzErr);
}

/* The row that argument 0 names, as SQLite got it from the column key. */
static int entwOldKey(EntRow *p, sqlite3_value *pVal, char **pzErr){
  KvErr err;
  int rc = kvArgKey(pVal, KVKEY_MALFORMED, &p->old, 0, &err);
  if( rc==KV_OK ) return SQLITE_OK;
  if( rc==KV_NOMEM ) return SQLITE_NOMEM;
  *pzErr = kvCodecErrorText("key", &err);         /* not reached: it is what we printed */
  return SQLITE_ERROR;                           /* not reached */
}

/* Does an entry that is there already end the row?  Then SQLITE_CONSTRAINT. */
static int entwConflict(KvTable *pTab, EntRow *p, char **pzErr){
  KvFound found;
  KvBuf text;
  int rc;
  if( p->bReplace ) return SQLITE_OK;
  memset(&found, 0, sizeof(found));
  rc = kvStoreFind(pTab->pStore, p->key.a, p->key.n, entwNow(p), 0, &found, pzErr);
  if( rc!=SQLITE_OK || !found.bFound ) return rc;
  kvBufInit(&text, 0, 0);
  kvKeyShow(&text, kvBufBytes(&p->key));
  if( kvBufTerminate(&text)==KV_OK ){
    *pzErr = sqlite3_mprintf("kv: UNIQUE constraint failed: the key %s is there already; %s",
        (const char*)text.a, p->old.n ? "UPDATE OR REPLACE replaces that entry"
                                      : "INSERT OR REPLACE sets it anyway");
  }
  kvBufClear(&text);
  pTab->pStore->bConflict = 1;
  return *pzErr ? SQLITE_CONSTRAINT_UNIQUE : SQLITE_NOMEM;
}

/*
** The row's arguments are good: make the tables if need be, look for a
** conflict, and take the transaction's version.  A key that ends with the
** versionstamp can only meet an entry of its own transaction.
*/
static int entwStart(KvTable *pTab, EntRow *p, i64 *piVersion, int *pnStep, char **pzErr){
  KvStore *pStore = pTab->pStore;
  int bKey = (p->mSet & KVSET_KEY)!=0;
  int rc = kvStoreCreate(pStore, pzErr);
  *pnStep = 0;
  if( rc==SQLITE_OK && pTab->bElsewhere ) rc = kvStoreFence(pStore, pzErr);
  if( rc==SQLITE_OK && bKey && !p->bStamp ) rc = entwConflict(pTab, p, pzErr);
  if( rc==SQLITE_OK ) rc = kvTxnVersion(pStore, piVersion, pnStep, pzErr);
  if( rc!=SQLITE_OK || !p->bStamp ) return rc;
  kvKeyPutStamp(&p->key, *piVersion);
  if( p->key.eErr!=KV_OK ) rc = SQLITE_NOMEM;
  return rc==SQLITE_OK && *pnStep==0 ? entwConflict(pTab, p, pzErr) : rc;
}

/* The row has been written, or has failed with rc.  A version that was taken
** for it is given back then; otherwise expired entries go with it. */
static int entwDone(KvTable *pTab, EntRow *p, int nStep, int rc, char **pzErr){
  if( nStep==0 ) return rc;
  if( rc==SQLITE_OK ) return kvStoreSweepSome(pTab->pStore, entwNow(p), pzErr);
  kvTxnForget(pTab->pStore);
  return kvStoreUnbump(pTab->pStore, nStep, rc);
}

static int entwInsert(KvTable *pTab, EntRow *p, sqlite3_value **apArg, char **pzErr){
  i64 iVersion;
  int nStep = 0;
  int rc = entwRow(pTab, p, apArg, 0, pzErr);
  if( rc==SQLITE_OK ) rc = entwStart(pTab, p, &iVersion, &nStep, pzErr);
  if( rc==SQLITE_OK ){
    rc = kvStorePut(pTab->pStore, p->key.a, p->key.n, p->value.a, p->value.n, p->eEncoding,
                    iVersion, p->iExpires, pzErr);
  }
  return entwDone(pTab, p, nStep, rc, pzErr);
}

static int entwUpdate(KvTable *pTab, EntRow *p, sqlite3_value **apArg, char **pzErr){
  i64 iVersion;
  int nStep = 0;
  int rc = entwOldKey(p, apArg[0], pzErr);
  if( rc==SQLITE_OK ) rc = entwRow(pTab, p, apArg, 1, pzErr);
  if( (p->mSet & KVSET_KEY) && !p->bStamp && p->key.n==p->old.n
   && memcmp(p->key.a, p->old.a, p->old.n)==0
  ){
    p->mSet &= ~(u32)KVSET_KEY;
  }
  if( rc==SQLITE_OK ) rc = entwStart(pTab, p, &iVersion, &nStep, pzErr);
  if( rc==SQLITE_OK ){
    rc = kvStoreUpdate(pTab->pStore, p->old.a, p->old.n, iVersion, p->mSet, p->key.a, p->key.n,
                       p->value.a, p->value.n, p->eEncoding, p->iExpires, pzErr);
  }
  return entwDone(pTab, p, nStep, rc, pzErr);
}

static int entwDelete(KvTable *pTab, EntRow *p, sqlite3_value *pKey, char **pzErr){
  i64 iVersion;
  int nStep = 0;
  int rc = entwOldKey(p, pKey, pzErr);
  if( rc==SQLITE_OK ) rc = entwStart(pTab, p, &iVersion, &nStep, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreDelete(pTab->pStore, p->old.a, p->old.n, pzErr);
  return entwDone(pTab, p, nStep, rc, pzErr);
}

/* Write one row, inserted, updated or deleted according to the arguments. */
static int entwWrite(KvTable *pTab, EntRow *p, int nArg, sqlite3_value **apArg, char **pzErr){
  if( nArg==1 ) return entwDelete(pTab, p, apArg[0], pzErr);
  if( sqlite3_value_type(apArg[0])==SQLITE_NULL ) return entwInsert(pTab, p, apArg, pzErr);
  return entwUpdate(pTab, p, apArg, pzErr);
}

/* What kvTableWrite() calls. */
typedef struct EntWrite EntWrite;
struct EntWrite {
  KvTable *pTab;
  EntRow *pRow;
  int nArg;
  sqlite3_value **apArg;
};

static int entwCall(void *pArg, char **pzErr){
  EntWrite *p = pArg;
  EntRow *pRow = p->pRow;
  kvBufReset(&pRow->old);
  kvBufReset(&pRow->key);
  kvBufReset(&pRow->value);
  pRow->mSet = 0;
  pRow->iNow = 0;
  p->pTab->pStore->bConflict = 0;
  return entwWrite(p->pTab, pRow, p->nArg, p->apArg, pzErr);
}

/*
** What SQLite gets to know of an error.  Under OR IGNORE, OR FAIL and OR
** ROLLBACK it takes SQLITE_CONSTRAINT for a reason to leave out the row, to keep
** the rows before it, or to roll back.  That is right for a conflict with an
** entry: nothing is left of the row then.  What a statement has run into inside
** of the store, such as an error that a trigger raises, fails the whole statement
** under any of them.
*/
static int entwResult(KvStore *pStore, int eConflict, int rc){
  if( (rc & 0xff)!=SQLITE_CONSTRAINT || pStore->bConflict
   || eConflict==SQLITE_ABORT || eConflict==SQLITE_REPLACE
  ){
    return rc;
  }
  return SQLITE_ERROR;
}

int kvEntriesUpdate(sqlite3_vtab *pVtab, int nArg, sqlite3_value **apArg, sqlite3_int64 *piRowid){
  KvTable *pTab = (KvTable*)pVtab;
  u8 aOld[256], aKey[256], aValue[2048];
  EntWrite call;
  EntRow row;
  int eConflict = sqlite3_vtab_on_conflict(pTab->pStore->db);
  int rc;
  (void)piRowid;
  memset(&row, 0, sizeof(row));
  kvBufInit(&row.old, aOld, sizeof(aOld));
  kvBufInit(&row.key, aKey, sizeof(aKey));
  kvBufInit(&row.value, aValue, sizeof(aValue));
  row.bReplace = eConflict==SQLITE_REPLACE;
  call.pTab = pTab;
  call.pRow = &row;
  call.nArg = nArg;
  call.apArg = apArg;
  rc = kvTableWrite(pTab, entwCall, &call);
  kvBufClear(&row.old);
  kvBufClear(&row.key);
  kvBufClear(&row.value);
  return entwResult(pTab->pStore, eConflict, rc);
}
