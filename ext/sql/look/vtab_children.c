/*
** vtab_children.c -- the table-valued function kv_children(prefix).
**
**     SELECT part, type, has_children FROM kv_children('["users"]');
**
**     CREATE TABLE kv_children(part, type TEXT, key TEXT COLLATE kv_compare,
**                              has_value INTEGER, has_children INTEGER,
**                              prefix TEXT HIDDEN);
**
** The distinct next parts below a prefix, as a folder shows its files and
** folders.  From each part the search jumps after everything below it, so
** the cost depends on the number of children and not on what they hold: a
** child is a step in the B-tree if there is nothing below it, else a search.
**
** Stored keys that Deno can't read are listed with part NULL and the type
** "malformed".
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/program.h"
#include "sql/result.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "store/clock.h"
#include "store/scan_guard.h"
#include "store/schema.h"

#define CHILDREN_SCHEMA \
  "CREATE TABLE kv_children(part, type TEXT, key TEXT COLLATE kv_compare, " \
  "has_value INTEGER, has_children INTEGER, prefix TEXT HIDDEN)"
enum {
  CHILDREN_PART, CHILDREN_TYPE, CHILDREN_KEY, CHILDREN_HAS_VALUE, CHILDREN_HAS_CHILDREN,
  CHILDREN_PREFIX
};

typedef struct ChildrenCursor ChildrenCursor;
struct ChildrenCursor {
  KvVtabCursor c;         /* Must be first */
  KvBuf text;             /* The argument */
  KvBuf lo, hi;           /* What is still to be looked at; hi empty: no bound */
  KvBuf key;              /* Stored bytes of the current child */
  KvBuf out;              /* Text of a column */
  KvBuf from;             /* Where the statement has begun */
  KvPart part;            /* Its last part: a slice of key */
  KvOpenScan scan;        /* Open while there may be more of them */
  u32 nPrefix;            /* Length of the prefix in bytes */
  u8 bPart;               /* part can be read */
  u8 bValue, bChildren;
  u8 bPlain;              /* Plain SQL writes meanwhile */
  u8 bAhead;              /* The statement is at a row */
  i64 nTotal;             /* Changes on the connection when it has begun */
  i64 iNow;
};

static void childrenStop(KvVtabCursor *pCursor){
  ChildrenCursor *p = (ChildrenCursor*)pCursor;
  kvScanClose(p->c.pStore, &p->scan);
}

/* idxNum 1: there is a prefix; 0: the whole store. */
static const KvVtabCons childrenCons[] = {
  { CHILDREN_PREFIX, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT, 0 }
};

/* Is the statement at a key at or after p->lo? */
static int childrenAhead(const ChildrenCursor *p){
  return p->bAhead
      && kvBytesCompare(kvStmtBytes(p->c.pStmt, KVREAD_COL_KEY), kvBufBytes(&p->lo))>=0;
}

static void childrenStep(ChildrenCursor *p){
  p->bAhead = (u8)kvStmtRow(p->c.pStmt);
}

/*
** Go to the first key at or after p->lo.  It is the one that the statement is at, or
** the next, unless there is much below a child; then it is sought.  It is, too, if
** something was written meanwhile (row_scan.c explains why).  If plain SQL writes, all keys
** are read before the first child, and gone through.
*/
static int childrenSeek(ChildrenCursor *p){
  u32 mRead = (p->hi.n ? (u32)KVREAD_UPPER : 0) | (p->bPlain ? (u32)KVREAD_SORTED : 0);
  i64 nTotal = sqlite3_total_changes64(kvStoreDb(p->c.pStore));
  if( p->c.pStmt && (p->bPlain || nTotal==p->nTotal) ){
    while( p->bAhead && !childrenAhead(p) ){
      childrenStep(p);
      if( !p->bPlain ) break;
    }
    if( !p->bAhead || childrenAhead(p) ) return p->bAhead;
  }
  kvStmtGive(p->c.pStmt);
  p->nTotal = nTotal;
  kvErrorCopy(p->c.pError, kvBufBytes(&p->lo), &p->from);
  p->c.pStmt = kvStmtReader(p->c.pStore, mRead);
  kvBindBytes(p->c.pStmt, 1, kvBufBytes(&p->from));
  if( p->hi.n ) kvBindBytes(p->c.pStmt, 2, kvBufBytes(&p->hi));
  kvBindInt(p->c.pStmt, 3, p->iNow);
  childrenStep(p);
  return p->bAhead;
}

/* The key and a byte after it: a bound. */
static void childrenBound(ChildrenCursor *p, KvBuf *pOut, u8 cMore){
  kvBufReset(pOut);
  kvBufAdd(pOut, kvBufBytes(&p->key));
  kvBufPut(pOut, cMore);
  kvErrorBuf(p->c.pError, pOut);
}

/* Are there keys strictly under the key, at which the statement is?  They come next. */
static int childrenBelow(ChildrenCursor *p){
  KvBytes next;
  childrenStep(p);
  if( !p->bAhead ) return 0;
  next = kvStmtBytes(p->c.pStmt, KVREAD_COL_KEY);
  return next.n>p->key.n && kvBytesBegins(next, kvBufBytes(&p->key)) && next.p[p->key.n]<0xff;
}

/* The next key at or after p->lo that was there when the search began: what
** the statement adds itself could have no end. */
static int childrenKey(ChildrenCursor *p){
  while( childrenSeek(p) ){
    kvErrorCopy(p->c.pError, kvStmtBytes(p->c.pStmt, KVREAD_COL_KEY), &p->key);
    if( kvFailed(p->c.pError) ) return 0;
    if( !kvScanIsNew(p->c.pStore, &p->scan, kvBufBytes(&p->key)) ) return 1;
    childrenBound(p, &p->lo, 0x00);
  }
  kvScanClose(p->c.pStore, &p->scan);
  return 0;
}

/* Find the next child at or after p->lo. */
static int childrenNext(KvVtabCursor *pCursor){
  ChildrenCursor *p = (ChildrenCursor*)pCursor;
  u32 i = p->nPrefix;
  if( !childrenKey(p) ) return 0;
  p->bPart = kvPartRead(kvBufBytes(&p->key), &i, &p->part, 0)==KV_OK;
  /* Bytes from 0xff on are no part, and not below the one before them. */
  if( p->bPart && i<p->key.n && p->key.a[i]==0xff ) p->bPart = 0;
  p->bValue = !p->bPart || i==p->key.n;
  p->bChildren = !p->bValue;
  if( p->bPart ) p->key.n = i;
  if( p->bPart && p->bValue ) p->bChildren = (u8)childrenBelow(p);
  childrenBound(p, &p->lo, p->bPart ? 0xff : 0x00);
  return !kvFailed(p->c.pError);
}

static int childrenFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  ChildrenCursor *p = (ChildrenCursor*)pCursor;
  KvStore *pStore = p->c.pStore;
  (void)nArg;
  p->iNow = kvNow();
  p->nPrefix = 0;
  if( mPlan && sqlite3_value_type(apArg[0])==SQLITE_NULL ) return 0;
  if( mPlan ) kvArgPrefix(apArg[0], "kv_children()", &p->text, &p->lo, &p->hi, p->c.pError);
  if( p->hi.n ) p->nPrefix = p->hi.n-1;
  if( kvSchemaOpen(pStore)==KV_STORE_NONE ) return 0;
  kvScanOpen(pStore, &p->scan, &p->lo, &p->hi);
  p->bPlain = kvProgramWritesKv(((KvVtab*)p->c.base.pVtab)->pConn, pStore)!=0;
  return childrenNext(pCursor);
}

static void childrenColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  ChildrenCursor *p = (ChildrenCursor*)pCursor;
  u32 i = p->nPrefix;
  if( p->bPart && iCol<=CHILDREN_TYPE ) kvPartRead(kvBufBytes(&p->key), &i, &p->part, 0);
  switch( iCol ){
    case CHILDREN_PART:
      if( p->bPart ) kvResultPart(ctx, &p->part);
      break;
    case CHILDREN_TYPE:
      sqlite3_result_text(ctx, p->bPart ? kvPartTypeName(p->part.eType) : "malformed", -1,
                          SQLITE_STATIC);
      break;
    case CHILDREN_KEY:
      kvBufReset(&p->out);
      kvKeyShow(&p->out, kvBufBytes(&p->key));
      kvResultText(ctx, &p->out);
      break;
    case CHILDREN_HAS_VALUE:
      sqlite3_result_int(ctx, p->bValue);
      break;
    case CHILDREN_HAS_CHILDREN:
      sqlite3_result_int(ctx, p->bChildren);
      break;
    default:
      if( p->text.n ) kvResultText(ctx, &p->text);
      else kvVtabOnlySelects(ctx, "prefix");
  }
}

const KvVtabDef kvChildrenTable = {
  .zName = "kv_children",
  .zDeclare = CHILDREN_SCHEMA,
  .plan = {
    childrenCons, KV_COUNT(childrenCons),
    { 100, 1000.0, 0 }, { 100, 1e6, 0 }, CHILDREN_KEY + 1
  },
  .read = { childrenFilter, childrenNext, childrenColumn, 0 },
  .nCursor = sizeof(ChildrenCursor),
  .nBuf = 6,
  .xStop = childrenStop,
};
