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
#include "sql/vtab_entries_write.h"
#include "sql/vtab_entries_plan.h"
#include "sql/args.h"
#include "sql/run.h"
#include "sql/update_value.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "codec/key/key_parse.h"
#include "store/clock.h"
#include "store/migrate.h"
#include "store/row.h"
#include "store/statement.h"
#include "store/write.h"

/* One row to be written. */
typedef struct EntriesRow EntriesRow;
struct EntriesRow {
  KvVtab *pTab;
  KvStore *pStore;        /* Its store, where errors are left */
  KvError *pError;
  sqlite3_value **apCol;  /* INSERT, UPDATE: what is given */
  u8 bUpdate;
  u8 bReplace;            /* INSERT OR REPLACE, UPDATE OR REPLACE */
  KvBuf old;              /* UPDATE, DELETE: stored key of the row */
  KvBuf key;              /* INSERT, UPDATE: stored key, new or the same */
  KvBuf value;            /* Stored bytes of the new value */
  int eEncoding;
  int bStamp;             /* The key ends with the commit versionstamp */
  u32 mSet;               /* KVSET_xxx: what is given */
  i64 iExpires;
  i64 iNow;               /* 0: not asked for yet, see entriesWriteNow() */
};

static int entriesWriteGiven(const EntriesRow *p, int iCol){
  return kvArgGiven(p->apCol[iCol], p->bUpdate);
}

char *kvEntriesUpdateFrom(void){
  return sqlite3_mprintf("kv: UPDATE ... FROM can't be used on kv_entries with this version of "
      "SQLite, which gives every column a value; UPDATE ... SET json = (SELECT ...) "
      "WHERE key IN (SELECT ...)");
}

/* Columns that are the store's to fill in. */
static void entriesWriteReadOnly(EntriesRow *p){
  static const struct { int iCol; const char *zName; const char *zWhy; } aCol[] = {
    { ENTRIES_VERSIONSTAMP, "versionstamp", "every write takes a new one" },
    { ENTRIES_PREFIX,       "prefix",       "it only selects entries" },
    { ENTRIES_TYPE,         "type",         "it follows from the value" },
    { ENTRIES_CURSOR,       "cursor",       "it only selects entries" },
  };
  u32 i, nGiven = 0;
  for(i=0; i<KV_COUNT(aCol); i++) nGiven += entriesWriteGiven(p, aCol[i].iCol)!=0;
  if( p->bUpdate && nGiven==KV_COUNT(aCol) ){
    kvErrorGive(p->pError, SQLITE_ERROR, kvEntriesUpdateFrom());
  }
  for(i=0; nGiven && i<KV_COUNT(aCol); i++){
    if( !entriesWriteGiven(p, aCol[i].iCol) ) continue;
    kvError(p->pError, SQLITE_ERROR, "kv: %s: can't be set, %s; leave the column out",
            aCol[i].zName, aCol[i].zWhy);
  }
}

/* The time of the write.  Most rows don't need it. */
static i64 entriesWriteNow(EntriesRow *p){
  if( p->iNow==0 ) p->iNow = kvNow();
  return p->iNow;
}

/* expires_at or expire_in */
static void entriesWriteExpiry(EntriesRow *p){
  int bAt = entriesWriteGiven(p, ENTRIES_EXPIRES_AT);
  int bIn = entriesWriteGiven(p, ENTRIES_EXPIRE_IN);
  sqlite3_value *pIn = p->apCol[ENTRIES_EXPIRE_IN];
  p->iExpires = -1;
  if( bAt && bIn ){
    kvError(p->pError, SQLITE_ERROR, "kv: expires_at: give it or expire_in, not both");
  }
  if( bAt || bIn ) p->mSet |= KVSET_EXPIRY;
  if( bAt ){
    p->iExpires = kvArgExpiresAt(p->apCol[ENTRIES_EXPIRES_AT], p->pError);
  }else if( bIn && sqlite3_value_type(pIn)!=SQLITE_NULL ){
    p->iExpires = kvArgExpireIn(pIn, entriesWriteNow(p), p->pError);
  }
}

/* The value, which in an UPDATE depends on what is stored. */
static void entriesWriteValue(EntriesRow *p, sqlite3_value *pVal, int eAs){
  KvConn *pConn = p->pTab->pConn;
  KvFound found;
  memset(&found, 0, sizeof(found));
  if( p->bUpdate && !kvUpdateIsTyped(pVal, eAs) ){
    kvRowFind(p->pStore, kvBufBytes(&p->old), entriesWriteNow(p), 1, &found);
  }
  if( found.bFound ){
    KvUpdate update = { pConn, kvBufBytes(&p->old), &found, pVal, eAs };
    kvUpdateValue(&update, &p->value, &p->eEncoding, p->pError);
  }else{
    kvArgWriteValue(pConn, pVal, eAs, &p->value, &p->eEncoding, p->pError);
  }
  kvBufClear(&found.v);
}

/* Check and encode what an INSERT or UPDATE gives. */
static void entriesWriteRow(EntriesRow *p){
  static const u8 aiValue[] = { ENTRIES_VALUE, ENTRIES_JS, ENTRIES_JSON, ENTRIES_RAW };
  int eAs;
  entriesWriteReadOnly(p);
  eAs = kvArgValueColumn(p->apCol, aiValue, p->bUpdate, p->pError);
  if( eAs<0 && !p->bUpdate ) eAs = KV_AS_VALUE;  /* INSERT of NULL: the value null */
  entriesWriteExpiry(p);
  if( kvFailed(p->pError) ) return;
  if( !p->bUpdate || entriesWriteGiven(p, ENTRIES_KEY) ){
    kvArgWriteKey(p->pTab->pConn, p->apCol[ENTRIES_KEY], &p->key, &p->bStamp, p->pError);
    p->mSet |= KVSET_KEY;
  }
  if( kvFailed(p->pError) || eAs<0 ) return;
  p->mSet |= KVSET_VALUE;
  entriesWriteValue(p, p->apCol[aiValue[eAs]], eAs);
}

/* The row that argument 0 names, as SQLite got it from the column key. */
static void entriesWriteOldKey(EntriesRow *p, sqlite3_value *pVal){
  KvErr err;
  if( kvArgKey(pVal, KVKEY_MALFORMED, &p->old, 0, &err)!=KV_OK ){
    kvErrorCodec(p->pError, "key", &err);
  }
}

/* Does an entry that is there already end the row?  Then SQLITE_CONSTRAINT. */
static void entriesWriteConflict(EntriesRow *p){
  KvFound found;
  KvBuf text;
  if( p->bReplace ) return;
  if( !kvRowFind(p->pStore, kvBufBytes(&p->key), entriesWriteNow(p), 0, &found) ) return;
  kvBufInit(&text, 0, 0);
  kvError(p->pError, SQLITE_CONSTRAINT_UNIQUE,
      "kv: UNIQUE constraint failed: the key %s is there already; %s",
      kvErrorKey(p->pError, kvBufBytes(&p->key), &text),
      p->old.n ? "UPDATE OR REPLACE replaces that entry" : "INSERT OR REPLACE sets it anyway");
  kvBufClear(&text);
  kvWorkConflict(p->pStore, 1);
}

/*
** The row's arguments are good: make the tables if need be, look for a
** conflict, and take the transaction's version.  A key that ends with the
** versionstamp can only meet an entry of its own transaction.
*/
static i64 entriesWriteStart(EntriesRow *p, int *pnStep){
  i64 iVersion;
  kvMigrate(p->pStore);
  if( p->pTab->bElsewhere ) kvWriteLock(p->pStore);
  if( (p->mSet & KVSET_KEY) && !p->bStamp ) entriesWriteConflict(p);
  iVersion = kvTxnVersion(p->pStore, pnStep);
  if( !p->bStamp ) return iVersion;
  kvKeyPutVersionstamp(&p->key, iVersion);
  kvErrorBuf(p->pError, &p->key);
  if( *pnStep==0 ) entriesWriteConflict(p);
  return iVersion;
}

/* Write the row; pOld is its key as SQLite has it.  A version that was taken for it is
** given back if that has failed; otherwise expired entries go with it. */
static void entriesWrite(EntriesRow *p, sqlite3_value *pOld){
  KvRow row;
  int nStep;
  if( pOld ) entriesWriteOldKey(p, pOld);
  if( p->apCol ) entriesWriteRow(p);
  if( kvFailed(p->pError) ) return;
  if( p->bUpdate && !p->bStamp && kvBytesEqual(kvBufBytes(&p->key), kvBufBytes(&p->old)) ){
    p->mSet &= ~(u32)KVSET_KEY;
  }
  row.iVersion = entriesWriteStart(p, &nStep);
  row.key = kvBufBytes(&p->key);
  row.value = kvBufBytes(&p->value);
  row.eEncoding = p->eEncoding;
  row.iExpires = p->iExpires;
  if( p->apCol==0 ) kvWriteDelete(p->pStore, kvBufBytes(&p->old));
  else if( p->bUpdate ) kvWriteUpdate(p->pStore, kvBufBytes(&p->old), p->mSet, &row);
  else kvWritePut(p->pStore, &row);
  if( nStep && !kvFailed(p->pError) ){
    kvWriteSweepSome(p->pStore, entriesWriteNow(p));
  }else{
    kvTxnGiveBack(p->pStore, nStep);
  }
}

void kvEntriesWrite(KvVtab *pTab, const KvVtabRow *pRow){
  u8 aOld[256], aKey[256], aValue[2048];
  EntriesRow row;
  memset(&row, 0, sizeof(row));
  row.pTab = pTab;
  row.pStore = pTab->pStore;
  row.pError = kvStoreError(pTab->pStore);
  row.apCol = pRow->apCol;
  row.bUpdate = pRow->pOld && pRow->apCol;
  row.bReplace = pRow->bReplace;
  kvBufInit(&row.old, aOld, sizeof(aOld));
  kvBufInit(&row.key, aKey, sizeof(aKey));
  kvBufInit(&row.value, aValue, sizeof(aValue));
  entriesWrite(&row, pRow->pOld);
  kvBufClear(&row.old);
  kvBufClear(&row.key);
  kvBufClear(&row.value);
}
