/*
** vtab_fields.c -- the table-valued function kv_fields(prefix [, sample]).
**
**     SELECT path, type, entries, share, example FROM kv_fields('["users"]');
**
**     CREATE TABLE kv_fields(path TEXT, type TEXT, entries INTEGER, share REAL,
**                            example TEXT, prefix TEXT HIDDEN,
**                            sample INTEGER HIDDEN);
**
** What the values below a prefix look like: a row for each path into them and
** each type that is found there (survey.h).  With sample the first so many
** entries are looked at.
*/
#include "sql/modules.h"
#include "sql/args.h"
#include "sql/look/survey.h"

#define FIELDS_SCHEMA \
  "CREATE TABLE kv_fields(path TEXT, type TEXT, entries INTEGER, share REAL, " \
  "example TEXT, prefix TEXT HIDDEN, sample INTEGER HIDDEN)"
enum {
  FIELDS_PATH, FIELDS_TYPE, FIELDS_ENTRIES, FIELDS_SHARE, FIELDS_EXAMPLE, FIELDS_PREFIX,
  FIELDS_SAMPLE
};

typedef struct FieldsCursor FieldsCursor;
struct FieldsCursor {
  KvVtabCursor c;         /* Must be first */
  KvSurvey survey;
};

static void fieldsStop(KvVtabCursor *pCursor){
  kvSurveyClear(&((FieldsCursor*)pCursor)->survey);
}

static const KvVtabCons fieldsCons[] = {
  { FIELDS_PREFIX, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT, 0 },
  { FIELDS_SAMPLE, SQLITE_INDEX_CONSTRAINT_EQ, KVCONS_ARGUMENT, 0 }
};

static int fieldsFilter(KvVtabCursor *pCursor, int mPlan, sqlite3_value **apArg, int nArg){
  FieldsCursor *p = (FieldsCursor*)pCursor;
  KvError *pErr = kvStoreError(p->c.pStore);
  i64 nMost = INT64_MAX;
  KvBuf prefix;
  KvErr err;
  if( !kvArgCount(mPlan & 2 ? apArg[nArg-1] : 0, 1, &nMost) ){
    kvError(pErr, SQLITE_ERROR, "kv: kv_fields(): sample must be a whole number, 1 or more");
    return 0;
  }
  if( (mPlan & 1) && sqlite3_value_type(apArg[0])==SQLITE_NULL ) return 0;
  kvBufInit(&prefix, 0, 0);
  if( (mPlan & 1) && kvArgKey(apArg[0], 0, &prefix, 0, &err)!=KV_OK ){
    kvErrorCodec(pErr, "kv_fields()", &err);
  }
  kvSurveyValues(&p->survey, p->c.pStore, kvBufBytes(&prefix), 0, nMost);
  kvBufClear(&prefix);
  return !kvFailed(pErr) && p->survey.nField>0;
}

static int fieldsNext(KvVtabCursor *pCursor){
  return pCursor->iRow<((FieldsCursor*)pCursor)->survey.nField;
}

static void fieldsColumn(KvVtabCursor *pCursor, sqlite3_context *ctx, int iCol){
  FieldsCursor *p = (FieldsCursor*)pCursor;
  const KvSurveyField *pField = &p->survey.aField[pCursor->iRow];
  const char *z = iCol==FIELDS_PATH ? pField->zPath : iCol==FIELDS_TYPE ? pField->zType
                : iCol==FIELDS_EXAMPLE ? pField->zExample : 0;
  if( z ) sqlite3_result_text(ctx, z, -1, SQLITE_TRANSIENT);
  if( iCol==FIELDS_ENTRIES ) sqlite3_result_int64(ctx, pField->nEntry);
  if( iCol==FIELDS_SHARE ){
    sqlite3_result_double(ctx, (double)pField->nEntry/(double)p->survey.nEntry);
  }
}

const KvVtabDef kvFieldsTable = {
  .zName = "kv_fields",
  .zDeclare = FIELDS_SCHEMA,
  .mFlags = KVTAB_MAIN|KVTAB_EPONYMOUS,
  .plan = { fieldsCons, KV_COUNT(fieldsCons), { 100, 1e6, 0 }, { 100, 1e30, 0 }, 0 },
  .read = { fieldsFilter, fieldsNext, fieldsColumn, 0 },
  .nCursor = sizeof(FieldsCursor),
  .xStop = fieldsStop,
  .xFree = fieldsStop,
};
