/*
** vtab_parts.c -- the table-valued function kv_parts(key).
**
**     SELECT ordinal, type, value FROM kv_parts('["users",42]');
**
**     CREATE TABLE kv_parts(ordinal INTEGER, type TEXT, value, key TEXT HIDDEN);
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/result.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_parse.h"

#define PARTS_SCHEMA \
  "CREATE TABLE kv_parts(ordinal INTEGER, type TEXT, value, key TEXT HIDDEN)"
enum { PARTS_ORDINAL, PARTS_TYPE, PARTS_VALUE, PARTS_KEY };

typedef struct PartsCursor PartsCursor;
struct PartsCursor {
  KvVtabCursor c;         /* Must be first */
  KvBuf text;             /* The argument */
  KvBuf key;              /* Its stored bytes */
  KvPart part;            /* The current part */
  u32 iNext;              /* Offset of the part after it */
};

/* idxNum 1: the argument is given; 0: it isn't, and the result is empty. */
static const KvVtabCons partsCons[] = {
  { PARTS_KEY, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT, 0 }
};

static int partsNext(KvVtabCursor *pCursor){
  PartsCursor *p = (PartsCursor*)pCursor;
  return p->iNext<p->key.n && kvPartRead(kvBufBytes(&p->key), &p->iNext, &p->part, 0)==KV_OK;
}

static int partsFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  PartsCursor *p = (PartsCursor*)pCursor;
  KvErr err;
  (void)nArg;
  p->iNext = 0;
  if( mPlan==0 || sqlite3_value_type(apArg[0])==SQLITE_NULL ) return 0;
  if( kvArgKey(apArg[0], KVKEY_MALFORMED, &p->key, 0, &err)!=KV_OK ){
    kvErrorCodec(p->c.pError, "kv_parts()", &err);
  }
  kvArgCopyText(apArg[0], &p->text, p->c.pError);
  return partsNext(pCursor);
}

static void partsColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  PartsCursor *p = (PartsCursor*)pCursor;
  switch( iCol ){
    case PARTS_ORDINAL: sqlite3_result_int64(ctx, p->c.iRow);    break;
    case PARTS_VALUE:   kvResultPart(ctx, &p->part);             break;
    case PARTS_KEY:     kvResultText(ctx, &p->text);             break;
    default:
      sqlite3_result_text(ctx, kvPartTypeName(p->part.eType), -1, SQLITE_STATIC);
  }
}

const KvVtabDef kvPartsTable = {
  .zName = "kv_parts",
  .zDeclare = PARTS_SCHEMA,
  .mFlags = KVTAB_NO_STORE|KVTAB_EPONYMOUS,
  .plan = { partsCons, KV_COUNT(partsCons), { 4, 10.0, 0 }, { 4, 1e30, 0 }, 0 },
  .read = { partsFilter, partsNext, partsColumn, 0 },
  .nCursor = sizeof(PartsCursor),
  .nBuf = 2,
};
