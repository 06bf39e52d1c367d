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
static int entriesWriteExpiry(EntriesRow *p, sqlite3_value **apCol, int bUpdate, char **pzErr){
  int bAt = entriesWriteGiven(apCol, ENT_EXPIRES_AT, bUpdate);
  int bIn = entriesWriteGiven(apCol, ENT_EXPIRE_IN, bUpdate);
  sqlite3_value *pIn = apCol[ENT_EXPIRE_IN];
  p->iExpires = -1;
  if( bAt && bIn ){
    *pzErr = sqlite3_mprintf("kv: expires_at: give it or expire_in, not both");
    return SQLITE_ERROR;
  }
  if( bAt || bIn ) p->mSet |= KVSET_EXPIRY;
  if( bAt ) return kvArgExpiresAt(apCol[ENT_EXPIRES_AT], &p->iExpires, pzErr);
  if( bIn && sqlite3_value_type(pIn)!=SQLITE_NULL ){
    return kvArgExpireIn(pIn, entriesWriteNow(p), &p->iExpires, pzErr);
  }
  return SQLITE_OK;
}

/* The new value of an UPDATE, which depends on what is stored. */
static int entriesWriteNewValue(KvVtab *pTab, EntriesRow *p, sqlite3_value *pVal, int eAs, char **pzErr){
  KvFound found;
  int rc = SQLITE_OK;
  memset(&found, 0, sizeof(found));
  kvBufInit(&found.v, 0, 0);
  if( !kvUpdateIsTyped(pVal, eAs) ){
    rc = kvStoreFind(pTab->pStore, p->old.a, p->old.n, entriesWriteNow(p), 1, &found, pzErr);
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
static int entriesWriteRow(KvVtab *pTab, EntriesRow *p, sqlite3_value **apCol, int bUpdate, char **pzErr){
  int iCol = -1, eAs = KV_AS_VALUE;
  int rc = entriesWriteReadOnly(apCol, bUpdate, pzErr);
  if( rc==SQLITE_OK ) rc = entriesWriteValueColumn(apCol, bUpdate, &iCol, &eAs, pzErr);
  if( rc==SQLITE_OK ) rc = entriesWriteExpiry(p, apCol, bUpdate, pzErr);
  if( rc==SQLITE_OK && (!bUpdate || entriesWriteGiven(apCol, ENT_KEY, 1)) ){
    rc = kvArgWriteKey(pTab->pConn, apCol[ENT_KEY], &p->key, &p->bStamp, pzErr);
    p->mSet |= KVSET_KEY;
  }
  if( rc!=SQLITE_OK || iCol<0 ) return rc;
  p->mSet |= KVSET_VALUE;
  if( bUpdate ) return entriesWriteNewValue(pTab, p, apCol[iCol], eAs, pzErr);
  return kvArgWriteValue(pTab->pConn, apCol[iCol], eAs, &p->value, &p->eEncoding, pzErr);
}

/* The row that argument 0 names, as SQLite got it from the column key. */
static int entriesWriteOldKey(EntriesRow *p, sqlite3_value *pVal, char **pzErr){
  KvErr err;
  int rc = kvArgKey(pVal, KVKEY_MALFORMED, &p->old, 0, &err);
  if( rc==KV_OK ) return SQLITE_OK;
  if( rc==KV_NOMEM ) return SQLITE_NOMEM;
  *pzErr = kvCodecErrorText("key", &err);         /* not reached: it is what we printed */
  return SQLITE_ERROR;                           /* not reached */
}

/* Does an entry that is there already end the row?  Then SQLITE_CONSTRAINT. */
static int entriesWriteConflict(KvVtab *pTab, EntriesRow *p, char **pzErr){
  KvFound found;
  KvBuf text;
  int rc;
  if( p->bReplace ) return SQLITE_OK;
  memset(&found, 0, sizeof(found));
  rc = kvStoreFind(pTab->pStore, p->key.a, p->key.n, entriesWriteNow(p), 0, &found, pzErr);
  if( rc!=SQLITE_OK || !found.bFound ) return rc;
  kvBufInit(&text, 0, 0);
  kvKeyShow(&text, kvBufBytes(&p->key));
  if( kvBufTerminate(&text)==KV_OK ){
    *pzErr = sqlite3_mprintf("kv: UNIQUE constraint failed: the key %s is there already; %s",
        (const char*)text.a, p->old.n ? "UPDATE OR REPLACE replaces that entry"
                                      : "INSERT OR REPLACE sets it anyway");
  }
  kvBufClear(&text);
  kvWorkConflict(pTab->pStore, 1);
  return *pzErr ? SQLITE_CONSTRAINT_UNIQUE : SQLITE_NOMEM;
}

/*
** The row's arguments are good: make the tables if need be, look for a
** conflict, and take the transaction's version.  A key that ends with the
** versionstamp can only meet an entry of its own transaction.
*/
static int entriesWriteStart(KvVtab *pTab, EntriesRow *p, i64 *piVersion, int *pnStep, char **pzErr){
  KvStore *pStore = pTab->pStore;
  int bKey = (p->mSet & KVSET_KEY)!=0;
  int rc = kvStoreCreate(pStore, pzErr);
  *pnStep = 0;
  if( rc==SQLITE_OK && pTab->bElsewhere ) rc = kvStoreFence(pStore, pzErr);
  if( rc==SQLITE_OK && bKey && !p->bStamp ) rc = entriesWriteConflict(pTab, p, pzErr);
  if( rc==SQLITE_OK ){
    *piVersion = kvTxnVersion(pStore, pnStep);
    rc = kvErrorTake(&pStore->err, pzErr);
  }
  if( rc!=SQLITE_OK || !p->bStamp ) return rc;
  kvKeyPutStamp(&p->key, *piVersion);
  if( p->key.eErr!=KV_OK ) rc = SQLITE_NOMEM;
  return rc==SQLITE_OK && *pnStep==0 ? entriesWriteConflict(pTab, p, pzErr) : rc;
}

/* The row has been written, or has failed with rc.  A version that was taken
** for it is given back then; otherwise expired entries go with it. */
static int entriesWriteDone(KvVtab *pTab, EntriesRow *p, int nStep, int rc, char **pzErr){
  if( nStep==0 ) return rc;
  if( rc==SQLITE_OK ) return kvStoreSweepSome(pTab->pStore, entriesWriteNow(p), pzErr);
  return kvTxnUndo(pTab->pStore, nStep, rc);
}

static int entriesWriteInsert(KvVtab *pTab, EntriesRow *p, sqlite3_value **apCol, char **pzErr){
  i64 iVersion;
  int nStep = 0;
  int rc = entriesWriteRow(pTab, p, apCol, 0, pzErr);
  if( rc==SQLITE_OK ) rc = entriesWriteStart(pTab, p, &iVersion, &nStep, pzErr);
  if( rc==SQLITE_OK ){
    rc = kvStorePut(pTab->pStore, p->key.a, p->key.n, p->value.a, p->value.n, p->eEncoding,
                    iVersion, p->iExpires, pzErr);
  }
  return entriesWriteDone(pTab, p, nStep, rc, pzErr);
}

static int entriesWriteUpdate(KvVtab *pTab, EntriesRow *p, const KvVtabRow *pRow, char **pzErr){
  i64 iVersion;
  int nStep = 0;
  int rc = entriesWriteOldKey(p, pRow->pOld, pzErr);
  if( rc==SQLITE_OK ) rc = entriesWriteRow(pTab, p, pRow->apCol, 1, pzErr);
  if( (p->mSet & KVSET_KEY) && !p->bStamp && p->key.n==p->old.n
   && memcmp(p->key.a, p->old.a, p->old.n)==0
  ){
    p->mSet &= ~(u32)KVSET_KEY;
  }
  if( rc==SQLITE_OK ) rc = entriesWriteStart(pTab, p, &iVersion, &nStep, pzErr);
  if( rc==SQLITE_OK ){
    rc = kvStoreUpdate(pTab->pStore, p->old.a, p->old.n, iVersion, p->mSet, p->key.a, p->key.n,
                       p->value.a, p->value.n, p->eEncoding, p->iExpires, pzErr);
  }
  return entriesWriteDone(pTab, p, nStep, rc, pzErr);
}

static int entriesWriteDelete(KvVtab *pTab, EntriesRow *p, sqlite3_value *pKey, char **pzErr){
  i64 iVersion;
  int nStep = 0;
  int rc = entriesWriteOldKey(p, pKey, pzErr);
  if( rc==SQLITE_OK ) rc = entriesWriteStart(pTab, p, &iVersion, &nStep, pzErr);
  if( rc==SQLITE_OK ) rc = kvStoreDelete(pTab->pStore, p->old.a, p->old.n, pzErr);
  return entriesWriteDone(pTab, p, nStep, rc, pzErr);
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
