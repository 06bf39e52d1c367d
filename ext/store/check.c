/*
** check.c -- whether a store is sound.  See check.h.
**
** The entries are read once, the messages once, and then each declared index with
** its primary entries (check_index.c).  It takes memory for the faults that are
** listed and for one entry.
*/
#include "store/store_int.h"
#include "bytes/limits.h"
#include "codec/key/key_bytes.h"
#include "codec/queue_text.h"
#include "codec/stored.h"
#include "store/check.h"
#include "store/check_index.h"
#include "store/feed.h"
#include "store/clock.h"
#include "store/migrate.h"
#include "store/queue.h"

typedef struct Check Check;
struct Check {
  KvFaults *p;
  KvStore *pStore;
  u32 mKinds;
  KvTree tree;
  i64 iNewest;            /* data_version, or -1: it isn't known */
  i64 nAhead;             /* Entries that are later */
  i64 iAhead;             /* Version and key of the last of them */
  KvBuf ahead;
};

static int checkAsked(const Check *c, int eKind){
  return (c->mKinds>>eKind & 1) && !kvFailed(&c->pStore->err);
}

/* Bytes that should be a value.  zWhat names them. */
static void checkValue(
  Check *c, int eKind, KvBytes key, const char *zWhat, int eEncoding, KvBytes value
){
  KvErr err;
  int rc;
  kvTreeReset(&c->tree);
  rc = kvValueRead(&c->tree, eEncoding, value, &err);
  if( rc==KV_NOMEM || rc==KV_TOOBIG ){
    kvErrorCode(&c->pStore->err, rc==KV_NOMEM ? SQLITE_NOMEM : SQLITE_TOOBIG);
  }else if( rc!=KV_OK && err.iPos<0 ){
    kvFaultAdd(c->p, eKind, key, "%s: %s", zWhat, err.zMsg);
  }else if( rc!=KV_OK ){
    kvFaultAdd(c->p, eKind, key, "%s: %s%s%s (at offset %lld)", zWhat, err.zMsg,
               err.zNumber[0] ? ": " : "", err.zNumber, err.iPos);
  }
}

/* ---- entries --------------------------------------------------------------- */

enum { CHECK_K, CHECK_V, CHECK_ENCODING, CHECK_VERSION, CHECK_EXPIRES };

/* The type of a column, if it is another one than eType; else 0. */
static const char *checkType(const KvStmt *pStmt, int iCol, int eType){
  static const char *const azWhat[] = { "", "an INTEGER", "a REAL", "TEXT", "a BLOB", "NULL" };
  int e = sqlite3_column_type(pStmt->pStmt, iCol);
  return e==eType ? 0 : azWhat[e];
}

static void checkKey(Check *c, const KvStmt *pStmt, KvBytes key){
  const char *zType = checkType(pStmt, CHECK_K, SQLITE_BLOB);
  if( zType ) kvFaultAdd(c->p, KVCHECK_KEY, key, "the key is %s and not a BLOB", zType);
  else if( !kvKeyCanonical(key) ) kvFaultAdd(c->p, KVCHECK_KEY, key, "malformed key");
  else if( key.n>KVINDEX_KEY_MAX ){
    kvFaultAdd(c->p, KVCHECK_KEY, key, "the key has %u bytes; Deno reads at most %d", key.n,
               KVINDEX_KEY_MAX);
  }
}

static void checkContent(Check *c, KvStmt *pStmt, KvBytes key){
  const char *zType = checkType(pStmt, CHECK_V, SQLITE_BLOB);
  const char *zEncoding = checkType(pStmt, CHECK_ENCODING, SQLITE_INTEGER);
  i64 eEncoding = kvStmtInt(pStmt, CHECK_ENCODING);
  if( zType ) kvFaultAdd(c->p, KVCHECK_VALUE, key, "the value is %s and not a BLOB", zType);
  else if( zEncoding ) kvFaultAdd(c->p, KVCHECK_VALUE, key, "v_encoding is %s", zEncoding);
  else if( eEncoding<1 || eEncoding>3 ){
    kvFaultAdd(c->p, KVCHECK_VALUE, key, "v_encoding is %lld; Deno knows 1, 2 and 3", eEncoding);
  }else{
    checkValue(c, KVCHECK_VALUE, key, "undecodable value", (int)eEncoding,
               kvStmtBytes(pStmt, CHECK_V));
  }
}

/* Later versions are reported once, by the last of them. */
static void checkVersion(Check *c, KvStmt *pStmt, KvBytes key){
  i64 iVersion = kvStmtInt(pStmt, CHECK_VERSION);
  const char *zType = checkType(pStmt, CHECK_VERSION, SQLITE_INTEGER);
  if( zType ) kvFaultAdd(c->p, KVCHECK_VERSION, key, "the version is %s", zType);
  else if( iVersion<0 ) kvFaultAdd(c->p, KVCHECK_VERSION, key, "the version is %lld", iVersion);
  else if( c->iNewest>=0 && iVersion>c->iNewest && ++c->nAhead && iVersion>c->iAhead ){
    c->iAhead = iVersion;
    kvErrorCopy(&c->pStore->err, key, &c->ahead);
  }
}

static void checkExpiry(Check *c, KvStmt *pStmt, KvBytes key){
  i64 iExpires = kvStmtInt(pStmt, CHECK_EXPIRES);
  const char *zType = checkType(pStmt, CHECK_EXPIRES, SQLITE_INTEGER);
  if( zType ) kvFaultAdd(c->p, KVCHECK_EXPIRY, key, "expiration_ms is %s", zType);
  else if( iExpires<-1 || iExpires>KV_MAX_TIME ){
    kvFaultAdd(c->p, KVCHECK_EXPIRY, key, "expiration_ms is %lld, no time that Deno reads",
               iExpires);
  }
}

static void checkEntries(Check *c){
  u32 mAll = 1<<KVCHECK_KEY | 1<<KVCHECK_VALUE | 1<<KVCHECK_VERSION | 1<<KVCHECK_EXPIRY;
  KvStmt *pStmt;
  if( (c->mKinds & mAll)==0 ) return;
  pStmt = kvStmtTake(c->pStore, KVSQL_CHECK_ENTRIES);
  while( kvStmtRow(pStmt) ){
    KvBytes key = kvStmtBytes(pStmt, CHECK_K);
    if( key.p==0 ) key = kvBytes("", 0);
    if( checkAsked(c, KVCHECK_KEY) ) checkKey(c, pStmt, key);
    if( checkAsked(c, KVCHECK_VALUE) ) checkContent(c, pStmt, key);
    if( checkAsked(c, KVCHECK_VERSION) ) checkVersion(c, pStmt, key);
    if( checkAsked(c, KVCHECK_EXPIRY) ) checkExpiry(c, pStmt, key);
  }
  kvStmtGive(pStmt);
  if( c->nAhead==0 ) return;
  kvFaultAdd(c->p, KVCHECK_VERSION, kvBufBytes(&c->ahead), "data_version is %lld, but %lld "
      "entr%s later: the latest has version %lld", c->iNewest, c->nAhead,
      c->nAhead==1 ? "y is" : "ies are", c->iAhead);
}

/* ---- messages -------------------------------------------------------------- */

/* A list of a message, in JSON.  Deno has one of them as TEXT, in the file's encoding. */
static void checkQueueList(Check *c, KvStmt *pStmt, int iCol, const char *zId, const char *zWhat){
  KvBytes json = { 0, 0 };
  int rc;
  if( sqlite3_column_type(pStmt->pStmt, iCol)!=SQLITE_TEXT ){
    json = kvStmtBytes(pStmt, iCol);
  }else if( (json.p = sqlite3_column_text(pStmt->pStmt, iCol))!=0 ){
    json.n = (u32)sqlite3_column_bytes(pStmt->pStmt, iCol);
  }else{
    kvErrorCode(&c->pStore->err, SQLITE_NOMEM);
  }
  rc = kvQueueTextCheck(json, iCol==KVQ_KEYS, 0, 0);
  if( rc==KV_NOMEM ) kvErrorCode(&c->pStore->err, SQLITE_NOMEM);
  else if( rc!=KV_OK && !kvBytesEqual(json, kvBytesText("null")) ){
    kvFaultAdd(c->p, KVCHECK_QUEUE, kvBytes(0, 0), "message %!.100s: malformed %s", zId, zWhat);
  }
}

static void checkMessage(Check *c, KvStmt *pStmt){
  const char *zText = (const char*)sqlite3_column_text(pStmt->pStmt, KVQ_ID);
  char *zId = zText || checkType(pStmt, KVQ_ID, SQLITE_TEXT) ? kvMsg("%!.100s", zText) : 0;
  i64 iTime = kvStmtInt(pStmt, KVQ_TIME);
  KvBytes none = { 0, 0 };
  char *zWhat = zId ? kvMsg("message %s: undecodable value", zId) : 0;
  if( zWhat==0 ){
    kvErrorCode(&c->pStore->err, SQLITE_NOMEM);
    sqlite3_free(zId);
    return;
  }
  if( checkType(pStmt, KVQ_ID, SQLITE_TEXT) ){
    kvFaultAdd(c->p, KVCHECK_QUEUE, none, "message %s: its id is not TEXT", zId);
  }
  if( checkType(pStmt, KVQ_DATA, SQLITE_BLOB) ){
    kvFaultAdd(c->p, KVCHECK_QUEUE, none, "message %s: its value is not a BLOB", zId);
  }else{
    checkValue(c, KVCHECK_QUEUE, none, zWhat, 1, kvStmtBytes(pStmt, KVQ_DATA));
  }
  if( checkType(pStmt, KVQ_TIME, SQLITE_INTEGER) || iTime<0 || iTime>KV_MAX_TIME ){
    kvFaultAdd(c->p, KVCHECK_QUEUE, none, "message %s: no time that Deno reads", zId);
  }
  checkQueueList(c, pStmt, KVQ_BACKOFF, zId, "backoff_schedule");
  checkQueueList(c, pStmt, KVQ_KEYS, zId, "keys_if_undelivered");
  sqlite3_free(zId);
  sqlite3_free(zWhat);
}

static void checkQueue(Check *c){
  KvStmt *pStmt;
  if( !checkAsked(c, KVCHECK_QUEUE) || !kvSchemaHasQueue(c->pStore) ) return;
  pStmt = kvStmtTake(c->pStore, KVSQL_QUEUE_LIST);
  while( kvStmtRow(pStmt) ) checkMessage(c, pStmt);
  kvStmtGive(pStmt);
}

/* ---- all of it --------------------------------------------------------------- */

static void checkNames(Check *c){
  int i = 0, bMore = checkAsked(c, KVCHECK_SCHEMA);
  while( bMore && !kvFailed(&c->pStore->err) ){
    bMore = kvNamesCheck(c->pStore, i++);
    kvFaultTake(c->p, KVCHECK_SCHEMA);
  }
}

static void checkFeed(Check *c){
  KvFeed feed;
  KvStore *p = c->pStore;
  if( !checkAsked(c, KVCHECK_SCHEMA) || !(kvSchemaLook(p) & KVKNOWN_FEED) ) return;
  if( kvFeedGet(p, &feed) || kvFailed(&p->err) ) return;
  kvFaultAdd(c->p, KVCHECK_SCHEMA, kvBytes(0, 0), "kv_track_state has lost its row; "
      "SELECT kv_track(0), then kv_track(1)");
}

void kvCheck(KvFaults *p, u32 mKinds){
  Check c = { .p = p, .pStore = p->pStore, .mKinds = mKinds, .iNewest = -1 };
  int eState = kvSchemaOpen(p->pStore);
  int bOdd = kvFaultTake(p, KVCHECK_SCHEMA);
  if( !bOdd ) checkNames(&c);
  if( !bOdd && eState!=KV_STORE_NONE ){
    checkFeed(&c);
    kvFaultTake(p, KVCHECK_SCHEMA);
    if( checkAsked(&c, KVCHECK_VERSION) ) c.iNewest = kvRowNewest(p->pStore);
    if( kvFaultTake(p, KVCHECK_VERSION) ) c.iNewest = -1;
    checkEntries(&c);
    kvFaultTake(p, KVCHECK_SCHEMA);
    checkQueue(&c);
    kvFaultTake(p, KVCHECK_QUEUE);
    if( checkAsked(&c, KVCHECK_INDEX) ) kvCheckIndexes(p);
  }
  kvFaultsEnd(p);
  kvTreeClear(&c.tree);
  kvBufClear(&c.ahead);
}
