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
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "codec/key/key_parse.h"
#include "store/clock.h"
#include "store/migrate.h"
#include "store/row.h"
#include "store/txn.h"
#include "store/work.h"
#include "store/write.h"

/* One row to be written. */
typedef struct EntriesRow EntriesRow;
struct EntriesRow {
  KvBuf old;              /* UPDATE, DELETE: stored key of the row */
  KvBuf key;              /* INSERT, UPDATE: stored key, new or the same */
  KvBuf value;            /* Stored bytes of the new value */
  int eEncoding;
  int bStamp;             /* The key ends with the commit versionstamp */
  u32 mSet;               /* KVSET_xxx: what is given */
  i64 iExpires;
  i64 iNow;               /* 0: not asked for yet, see entriesWriteNow() */
  int bReplace;           /* INSERT OR REPLACE, UPDATE OR REPLACE */
};

/* Is argument iCol of the row given?  In an INSERT: not NULL. */
static int entriesWriteGiven(sqlite3_value **apCol, int iCol, int bUpdate){
  sqlite3_value *pVal = apCol[iCol];
  if( bUpdate ) return !sqlite3_value_nochange(pVal);
  return sqlite3_value_type(pVal)!=SQLITE_NULL;
}

char *kvEntriesUpdateFrom(void){
  return sqlite3_mprintf("kv: UPDATE ... FROM can't be used on kv_entries with this version of SQLite, which gives "
      "every column a value; UPDATE ... SET json = (SELECT ...) WHERE key IN (SELECT ...)");
}

/* Columns that are the store's to fill in. */
static int entriesWriteReadOnly(sqlite3_value **apCol, int bUpdate, char **pzErr){
  static const struct { int iCol; const char *zName; const char *zWhy; } aCol[] = {
    { ENT_VERSIONSTAMP, "versionstamp", "every write takes a new one" },
    { ENT_PREFIX,       "prefix",       "it only selects entries" },
    { ENT_TYPE,         "type",         "it follows from the value" },
    { ENT_CURSOR,       "cursor",       "it only selects entries" },
  };
  u32 i, nGiven = 0;
  for(i=0; i<sizeof(aCol)/sizeof(aCol[0]); i++) nGiven += entriesWriteGiven(apCol, aCol[i].iCol, bUpdate)!=0;
  if( bUpdate && nGiven==sizeof(aCol)/sizeof(aCol[0]) ){
    *pzErr = kvEntriesUpdateFrom();
    return SQLITE_ERROR;
  }
  for(i=0; nGiven && i<sizeof(aCol)/sizeof(aCol[0]); i++){
    if( entriesWriteGiven(apCol, aCol[i].iCol, bUpdate) ){
      *pzErr = sqlite3_mprintf("kv: %s: can't be set, %s; leave the column out",
                               aCol[i].zName, aCol[i].zWhy);
      return SQLITE_ERROR;
    }
  }
  return SQLITE_OK;
}

/* value, js, json or raw: which is given.  *piCol is -1 when none is. */
static int entriesWriteValueColumn(sqlite3_value **apCol, int bUpdate, int *piCol, int *peAs, char **pzErr){
  static const struct { int iCol; int eAs; } aCol[] = {
    { ENT_VALUE, KV_AS_VALUE }, { ENT_JS, KV_AS_JS },
    { ENT_JSON, KV_AS_JSON },   { ENT_RAW, KV_AS_RAW },
  };
  u32 i;
  *piCol = -1;
  for(i=0; i<4; i++){
    if( !entriesWriteGiven(apCol, aCol[i].iCol, bUpdate) ) continue;
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
static i64 entriesWriteNow(EntriesRow *p){
  if( p->iNow==0 ) p->iNow = kvNow();
  return p->iNow;
}

/* expires_at or expire_in */
static void entriesWriteExpiry(KvVtab *pTab, EntriesRow *p, sqlite3_value **apCol, int bUpdate){
  KvError *pError = kvStoreError(pTab->pStore);
  int bAt = entriesWriteGiven(apCol, ENT_EXPIRES_AT, bUpdate);
  int bIn = entriesWriteGiven(apCol, ENT_EXPIRE_IN, bUpdate);
  sqlite3_value *pIn = apCol[ENT_EXPIRE_IN];
  p->iExpires = -1;
  if( bAt && bIn ) kvError(pError, SQLITE_ERROR, "kv: expires_at: give it or expire_in, not both");
  if( bAt || bIn ) p->mSet |= KVSET_EXPIRY;
  if( bAt ){
    p->iExpires = kvArgExpiresAt(apCol[ENT_EXPIRES_AT], pError);
  }else if( bIn && sqlite3_value_type(pIn)!=SQLITE_NULL ){
    p->iExpires = kvArgExpireIn(pIn, entriesWriteNow(p), pError);
  }
}

/* The new value of an UPDATE, which depends on what is stored. */
static void entriesWriteNewValue(KvVtab *pTab, EntriesRow *p, sqlite3_value *pVal, int eAs){
  KvError *pError = kvStoreError(pTab->pStore);
  KvFound found;
  memset(&found, 0, sizeof(found));
  kvBufInit(&found.v, 0, 0);
  if( !kvUpdateIsTyped(pVal, eAs) ){
    kvRowFind(pTab->pStore, kvBufBytes(&p->old), entriesWriteNow(p), 1, &found);
  }
  if( found.bFound ){
    KvUpdate update = { pTab->pConn, kvBufBytes(&p->old), &found, pVal, eAs };
    kvUpdateValue(&update, &p->value, &p->eEncoding, pError);
  }else{
    kvArgWriteValue(pTab->pConn, pVal, eAs, &p->value, &p->eEncoding, pError);
  }
  kvBufClear(&found.v);
}

/* Check and encode what an INSERT or UPDATE gives. */
static int entriesWriteRow(KvVtab *pTab, EntriesRow *p, sqlite3_value **apCol, int bUpdate, char **pzErr){
  KvError *pError = kvStoreError(pTab->pStore);
  int iCol = -1, eAs = KV_AS_VALUE;
  int rc = entriesWriteReadOnly(apCol, bUpdate, pzErr);
  if( rc==SQLITE_OK ) rc = entriesWriteValueColumn(apCol, bUpdate, &iCol, &eAs, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  entriesWriteExpiry(pTab, p, apCol, bUpdate);
  if( !bUpdate || entriesWriteGiven(apCol, ENT_KEY, 1) ){
    kvArgWriteKey(pTab->pConn, apCol[ENT_KEY], &p->key, &p->bStamp, pError);
    p->mSet |= KVSET_KEY;
  }
  if( iCol>=0 ){
    p->mSet |= KVSET_VALUE;
    if( bUpdate ) entriesWriteNewValue(pTab, p, apCol[iCol], eAs);
    else kvArgWriteValue(pTab->pConn, apCol[iCol], eAs, &p->value, &p->eEncoding, pError);
  }
  return kvStoreTake(pTab->pStore, pzErr);
}

/* The row that argument 0 names, as SQLite got it from the column key. */
static int entriesWriteOldKey(EntriesRow *p, sqlite3_value *pVal, char **pzErr){
  KvErr err;
  int rc = kvArgKey(pVal, KVKEY_MALFORMED, &p->old, 0, &err);
  return rc==KV_OK ? SQLITE_OK : kvCodecError("key", &err, pzErr);   /* out of memory */
}

/* Does an entry that is there already end the row?  Then SQLITE_CONSTRAINT. */
static void entriesWriteConflict(KvVtab *pTab, EntriesRow *p){
  KvError *pError = kvStoreError(pTab->pStore);
  KvFound found;
  KvBuf text;
  if( p->bReplace ) return;
  if( !kvRowFind(pTab->pStore, kvBufBytes(&p->key), entriesWriteNow(p), 0, &found) ) return;
  kvBufInit(&text, 0, 0);
  kvKeyShow(&text, kvBufBytes(&p->key));
  kvBufTerminate(&text);
  kvErrorBuf(pError, &text);
  kvErrorGive(pError, SQLITE_CONSTRAINT_UNIQUE, kvFailed(pError) ? 0 : sqlite3_mprintf(
      "kv: UNIQUE constraint failed: the key %s is there already; %s",
      (const char*)text.a, p->old.n ? "UPDATE OR REPLACE replaces that entry"
                                    : "INSERT OR REPLACE sets it anyway"));
  if( pError->zMsg==0 ) pError->rc = SQLITE_NOMEM;
  kvBufClear(&text);
  kvWorkConflict(pTab->pStore, 1);
}

/*
** The row's arguments are good: make the tables if need be, look for a
** conflict, and take the transaction's version.  A key that ends with the
** versionstamp can only meet an entry of its own transaction.
*/
static i64 entriesWriteStart(KvVtab *pTab, EntriesRow *p, int *pnStep){
  KvStore *pStore = pTab->pStore;
  i64 iVersion;
  kvMigrate(pStore);
  if( pTab->bElsewhere ) kvWriteLock(pStore);
  if( (p->mSet & KVSET_KEY) && !p->bStamp ) entriesWriteConflict(pTab, p);
  iVersion = kvTxnVersion(pStore, pnStep);
  if( !p->bStamp ) return iVersion;
  kvKeyPutVersionstamp(&p->key, iVersion);
  kvErrorBuf(kvStoreError(pStore), &p->key);
  if( *pnStep==0 ) entriesWriteConflict(pTab, p);
  return iVersion;
}

/* The row has been written, or has failed.  A version that was taken for it is
** given back then; otherwise expired entries go with it. */
static int entriesWriteDone(KvVtab *pTab, EntriesRow *p, int nStep, char **pzErr){
  if( nStep && !kvFailed(kvStoreError(pTab->pStore)) ){
    kvWriteSweepSome(pTab->pStore, entriesWriteNow(p));
  }else{
    kvTxnGiveBack(pTab->pStore, nStep);
  }
  return kvStoreTake(pTab->pStore, pzErr);
}

/* The new entry. */
static KvRow entriesWriteEntry(const EntriesRow *p, i64 iVersion){
  KvRow row;
  row.key = kvBufBytes(&p->key);
  row.value = kvBufBytes(&p->value);
  row.eEncoding = p->eEncoding;
  row.iVersion = iVersion;
  row.iExpires = p->iExpires;
  return row;
}

static int entriesWriteInsert(KvVtab *pTab, EntriesRow *p, sqlite3_value **apCol, char **pzErr){
  KvRow row;
  i64 iVersion;
  int nStep;
  int rc = entriesWriteRow(pTab, p, apCol, 0, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  iVersion = entriesWriteStart(pTab, p, &nStep);
  row = entriesWriteEntry(p, iVersion);
  kvWritePut(pTab->pStore, &row);
  return entriesWriteDone(pTab, p, nStep, pzErr);
}

static int entriesWriteUpdate(KvVtab *pTab, EntriesRow *p, const KvVtabRow *pRow, char **pzErr){
  KvRow row;
  i64 iVersion;
  int nStep;
  int rc = entriesWriteOldKey(p, pRow->pOld, pzErr);
  if( rc==SQLITE_OK ) rc = entriesWriteRow(pTab, p, pRow->apCol, 1, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( !p->bStamp && kvBytesEqual(kvBufBytes(&p->key), kvBufBytes(&p->old)) ) p->mSet &= ~(u32)KVSET_KEY;
  iVersion = entriesWriteStart(pTab, p, &nStep);
  row = entriesWriteEntry(p, iVersion);
  kvWriteUpdate(pTab->pStore, kvBufBytes(&p->old), p->mSet, &row);
  return entriesWriteDone(pTab, p, nStep, pzErr);
}

static int entriesWriteDelete(KvVtab *pTab, EntriesRow *p, sqlite3_value *pKey, char **pzErr){
  int nStep;
  int rc = entriesWriteOldKey(p, pKey, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  entriesWriteStart(pTab, p, &nStep);
  kvWriteDelete(pTab->pStore, kvBufBytes(&p->old));
  return entriesWriteDone(pTab, p, nStep, pzErr);
}

int kvEntriesWrite(KvVtab *pTab, const KvVtabRow *pRow, char **pzErr){
  u8 aOld[256], aKey[256], aValue[2048];
  EntriesRow row;
  int rc;
  memset(&row, 0, sizeof(row));
  kvBufInit(&row.old, aOld, sizeof(aOld));
  kvBufInit(&row.key, aKey, sizeof(aKey));
  kvBufInit(&row.value, aValue, sizeof(aValue));
  row.bReplace = pRow->bReplace;
  if( pRow->apCol==0 ){
    rc = entriesWriteDelete(pTab, &row, pRow->pOld, pzErr);
  }else if( pRow->pOld==0 ){
    rc = entriesWriteInsert(pTab, &row, pRow->apCol, pzErr);
  }else{
    rc = entriesWriteUpdate(pTab, &row, pRow, pzErr);
  }
  kvBufClear(&row.old);
  kvBufClear(&row.key);
  kvBufClear(&row.value);
  return rc;
}
