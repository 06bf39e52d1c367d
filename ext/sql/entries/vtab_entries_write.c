/*
** vtab_entries_write.c -- INSERT, UPDATE and DELETE on kv_entries.
**
** Each row is checked completely before anything is written: argument errors
** and conflicts leave no trace, not even a version.  What is then written is
** undone by SQLite with the statement or savepoint it belongs to.  Where that
** does not suffice, because a row may fail after something was written for it
** and OR FAIL, say, keeps it, the row is a statement of its own: kvRunOwn().
**
** A table in another file than its store (temp.x_entries over x)
** needs a fence: SQLite takes the write lock and opens the statement's
** savepoint only in the table's file.
*/
#include "sql/entries/vtab_entries_write.h"
#include "sql/entries/vtab_entries_bulk.h"
#include "sql/entries/vtab_entries_plan.h"
#include "sql/args.h"
#include "sql/entries/entry_write.h"
#include "sql/entries/update_value.h"
#include "codec/key/key_parse.h"
#include "store/clock.h"
#include "store/row.h"

/* One row to be written. */
typedef struct EntriesRow EntriesRow;
struct EntriesRow {
  KvEntryWrite entry;     /* What is made of it */
  KvVtab *pTab;
  KvError *pError;        /* The store's */
  sqlite3_value **apCol;  /* INSERT, UPDATE: what is given */
  u8 bUpdate;
  KvBuf old;              /* UPDATE, DELETE: stored key of the row */
  KvBuf key;              /* INSERT, UPDATE: its new stored key */
  KvBuf value;            /* Stored bytes of the new value */
  KvFound found;          /* UPDATE: the entry as it is, if it was read */
};

static int entriesWriteGiven(const EntriesRow *p, int iCol){
  return kvArgGiven(p->apCol[iCol], p->bUpdate);
}

char *kvEntriesUpdateFrom(void){
  return sqlite3_mprintf("kv: UPDATE ... FROM can't be used on kv_entries with this "
      "version of SQLite, which assigns every column; use UPDATE ... SET json = (SELECT ...) "
      "WHERE key IN (SELECT ...)");
}

/* Columns that are the store's to fill in. */
static void entriesWriteReadOnly(EntriesRow *p){
  static const struct { int iCol; const char *zName; const char *zWhy; } aCol[] = {
    { ENTRIES_VERSIONSTAMP, "versionstamp", "every write assigns a new one" },
    { ENTRIES_PREFIX,       "prefix",       "it only selects entries" },
    { ENTRIES_TYPE,         "type",         "it follows from the value" },
    { ENTRIES_CURSOR,       "cursor",       "it only selects entries" },
    { ENTRIES_AS_OF,        "as_of",        "it only selects entries" },
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

/* expires_at or expire_in */
static void entriesWriteExpiry(EntriesRow *p){
  int bAt = entriesWriteGiven(p, ENTRIES_EXPIRES_AT);
  int bIn = entriesWriteGiven(p, ENTRIES_EXPIRE_IN);
  sqlite3_value *pIn = p->apCol[ENTRIES_EXPIRE_IN];
  p->entry.iExpires = -1;
  if( bAt && bIn ){
    kvError(p->pError, SQLITE_ERROR, "kv: expires_at: give either it or expire_in, not both");
  }
  if( bAt || bIn ) p->entry.mSet |= KVSET_EXPIRY;
  if( bAt ){
    p->entry.iExpires = kvArgExpiresAt(p->apCol[ENTRIES_EXPIRES_AT], p->pError);
  }else if( bIn && sqlite3_value_type(pIn)!=SQLITE_NULL ){
    p->entry.iExpires = kvArgExpireIn(pIn, p->entry.iNow = kvNow(), p->pError);
  }
}

/* The value, which in an UPDATE depends on what is stored. */
static void entriesWriteValue(EntriesRow *p, sqlite3_value *pVal, int eAs){
  KvConn *pConn = p->pTab->pConn;
  KvFound *pFound = &p->found;
  if( p->bUpdate && !kvUpdateIsTyped(pVal, eAs) ){
    p->entry.iNow = p->entry.iNow ? p->entry.iNow : kvNow();
    kvRowFind(p->pTab->pStore, kvBufBytes(&p->old), p->entry.iNow, 1, pFound);
  }
  if( pFound->bFound ){
    KvUpdate update = { pConn, kvBufBytes(&p->old), pFound, pVal, eAs };
    p->entry.pFound = pFound;
    kvUpdateValue(&update, &p->value, &p->entry.eEncoding, p->pError);
  }else{
    kvArgWriteValue(pConn, pVal, eAs, &p->value, &p->entry.eEncoding, p->pError);
  }
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
    int bStamp = 0;
    kvArgWriteKey(p->pTab->pConn, p->apCol[ENTRIES_KEY], &p->key, &bStamp, p->pError);
    if( bStamp ) p->entry.pStamp = &p->key;
  }else{
    kvErrorCopy(p->pError, kvBufBytes(&p->old), &p->key);
  }
  if( kvFailed(p->pError) || eAs<0 ) return;
  p->entry.mSet |= KVSET_VALUE;
  entriesWriteValue(p, p->apCol[aiValue[eAs]], eAs);
}

/* The row that argument 0 names, as SQLite got it from the column key. */
static void entriesWriteOldKey(EntriesRow *p, sqlite3_value *pVal){
  KvErr err;
  if( kvArgKey(pVal, KVKEY_MALFORMED, &p->old, 0, &err)!=KV_OK ){
    kvErrorCodec(p->pError, "key", &err);
  }
}

/* There is an entry that has the new key: SQLITE_CONSTRAINT. */
static void entriesWriteTaken(KvVtab *pTab, const KvEntryWrite *p, KvError *pError){
  KvBuf text;
  (void)pTab;
  kvBufInit(&text, 0, 0);
  kvError(pError, SQLITE_CONSTRAINT_UNIQUE,
      "kv: UNIQUE constraint failed: key %s already exists; %s",
      kvErrorKey(pError, p->key, &text), p->eOp==KVENTRY_UPDATE
          ? "UPDATE OR REPLACE replaces the entry" : "INSERT OR REPLACE replaces the entry");
  kvBufClear(&text);
}

/* Check the row and write it; pOld is its key as SQLite has it. */
static void entriesWrite(EntriesRow *p, sqlite3_value *pOld){
  KvBulk bulk;
  if( pOld ) entriesWriteOldKey(p, pOld);
  if( p->apCol ) entriesWriteRow(p);
  if( kvFailed(p->pError) ) return;
  p->entry.old = kvBufBytes(&p->old);
  p->entry.key = kvBufBytes(&p->key);
  p->entry.value = kvBufBytes(&p->value);
  if( p->apCol==0 && kvEntriesBulkMay(p->pTab, p->entry.old, &bulk) ) p->entry.pBulk = &bulk;
  kvEntryWrite(p->pTab, &p->entry);
  if( p->entry.pBulk ) kvEntriesBulkDone(p->pTab);
}

void kvEntriesWrite(KvVtab *pTab, const KvVtabRow *pRow){
  u8 aOld[256], aKey[256], aValue[2048];
  EntriesRow row;
  if( pRow->apCol==0 && kvEntriesBulkGone(pTab) ) return;
  memset(&row, 0, sizeof(row));
  row.pTab = pTab;
  row.pError = kvStoreError(pTab->pStore);
  row.apCol = pRow->apCol;
  row.bUpdate = pRow->pOld && pRow->apCol;
  row.entry.eOp = row.bUpdate ? KVENTRY_UPDATE : pRow->apCol ? KVENTRY_INSERT : KVENTRY_DELETE;
  row.entry.bReplace = pRow->bReplace;
  row.entry.xTaken = entriesWriteTaken;
  kvBufInit(&row.old, aOld, sizeof(aOld));
  kvBufInit(&row.key, aKey, sizeof(aKey));
  kvBufInit(&row.value, aValue, sizeof(aValue));
  entriesWrite(&row, pRow->pOld);
  kvBufClear(&row.old);
  kvBufClear(&row.key);
  kvBufClear(&row.value);
  kvBufClear(&row.found.v);
}
