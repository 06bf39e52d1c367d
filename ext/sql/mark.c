/*
** mark.c -- marks that SQLite's temporary tables have dropped.  See mark.h.
**
** A sorter, a materialized view, an index of an expression or the list of rows of
** an UPDATE keeps the text of json('[1]') and drops its mark; so does the copy of a
** column of a subquery.  What is then stored looks like the string "[1]".
** Whether it is one can't be seen from the value, but what makes marks can be seen
** from the program of the statement (program.h).  So a text is in doubt only if
**
**    - the statement that runs stores values (or makes keys, for kv_key()), and
**    - something in it makes marks, and
**    - something in it drops them: it puts records together, copies what a subquery
**      shows, may read an index of such expressions, aggregates, or has sorted, and
**    - what makes marks could have made this very text.
**
** Any other statement stores what it is given: text without a mark is a string.
*/
#include "sql/mark.h"
#include "sql/program.h"
#include "sql/subtype.h"
#include "codec/js/js_parse.h"

const KvFor kvForValue = { KVFOR_VALUE, 0, "value" };

/* The bytes of a TEXT or BLOB; p is 0 if it is an empty BLOB, or without memory. */
static KvBytes markBytes(sqlite3_value *pVal){
  const void *a = sqlite3_value_type(pVal)==SQLITE_BLOB ? sqlite3_value_blob(pVal)
                : sqlite3_value_text(pVal);
  return kvBytes(a, a ? (u32)sqlite3_value_bytes(pVal) : 0);
}

/* True if a BLOB is binary JSON.  No error but a lack of memory counts: this SQLite may not
** know any. */
static int markIsJsonb(sqlite3 *db, sqlite3_value *pVal, int *pRc){
  sqlite3_stmt *pStmt = 0;
  int rc = sqlite3_prepare_v2(db, "SELECT 1 WHERE json_valid(?1, 8)", -1, &pStmt, 0);
  if( rc==SQLITE_OK ) rc = sqlite3_bind_value(pStmt, 1, pVal);
  if( rc==SQLITE_OK ) rc = sqlite3_step(pStmt);
  sqlite3_finalize(pStmt);
  if( rc==SQLITE_NOMEM ) *pRc = rc;
  return rc==SQLITE_ROW;
}

/* Of what a text could be, by its first character: most are none of it. */
static int markText(KvBytes text){
  const u8 *z = text.p;
  u32 n = text.n, i = 0;
  while( i<n && (z[i]==' ' || (z[i]>=9 && z[i]<=13)) ) i++;
  if( i>=n ) return 0;
  if( (z[i]>='0' && z[i]<='9') || strchr("-{[\"tfn", z[i]) ) return KVMADE_JSON|KVMADE_JS;
  return strchr("uNIOESRTB/<k(+.'", z[i]) ? KVMADE_JS : 0;
}

static int markBlob(KvBytes bytes){
  return bytes.n==0 ? 0 : bytes.p[0]>=1 && bytes.p[0]<=3 ? KVMADE_RAW|KVMADE_JSONB : KVMADE_JSONB;
}

/* True if a text is JSON, or JS. */
static int markReads(sqlite3_value *pVal, int bJson, int *pRc){
  KvBytes text = markBytes(pVal);
  KvTree tree;
  int rc = KV_NOMEM;
  kvTreeInit(&tree);
  if( text.p ) rc = bJson ? kvJsonParse(&tree, text, 0) : kvJsParse(&tree, text, 0);
  kvTreeClear(&tree);
  if( rc==KV_NOMEM ) *pRc = SQLITE_NOMEM;
  return rc==KV_OK;
}

/* Which of mCould made the value: KVMADE_xxx, or 0.  A raw value may well be one that
** can't be read. */
static int markWhich(KvConn *p, sqlite3_value *pVal, int mCould, int *pRc){
  if( (mCould & KVMADE_JSON) && markReads(pVal, 1, pRc) ) return KVMADE_JSON;
  if( *pRc==SQLITE_OK && (mCould & KVMADE_JS) && markReads(pVal, 0, pRc) ) return KVMADE_JS;
  if( *pRc!=SQLITE_OK ) return 0;
  if( mCould & KVMADE_RAW ) return KVMADE_RAW;
  return (mCould & KVMADE_JSONB) && markIsJsonb(p->db, pVal, pRc) ? KVMADE_JSONB : 0;
}

/* What a value is for, as messages name it.  From sqlite3_malloc(). */
static char *markSubject(const KvFor *p){
  if( p->zTable==0 ) return sqlite3_mprintf("%s", p->zName);
  return sqlite3_mprintf("%s.%s", p->zTable, p->zName);
}

/* The error: what the value may be, and what to write. */
static void markDoubt(int eMark, const KvFor *pFor, KvError *pError){
  const char *zBe = eMark==KVMADE_JSON ? "JSON" : eMark==KVMADE_JS ? "a typed value"
                  : "a raw value";
  const char *zColumn = eMark==KVMADE_JSON ? "json" : eMark==KVMADE_JS ? "js" : "raw";
  const char *zFunc = eMark==KVMADE_JSON ? "json(x)" : eMark==KVMADE_JS ? "kv_value(x)"
                    : "kv_js(x)";
  char *z = markSubject(pFor);
  if( z==0 ){
    kvErrorCode(pError, SQLITE_NOMEM);
  }else if( eMark==KVMADE_JSONB ){
    kvError(pError, SQLITE_ERROR, "kv: %s: binary JSON can't be stored; use the JSON "
        "function without the b%s", z,
        pFor->eUse==KVFOR_COLUMN ? "" : ", or write json(x) to the column json");
  }else if( pFor->eUse==KVFOR_COLUMN ){
    kvError(pError, SQLITE_ERROR, "kv: %s: this may be %s that has lost its type in a sort or "
        "a temporary table of the statement; declare the column with a type, such as JSON", z, zBe);
  }else if( pFor->eUse==KVFOR_KEY ){
    kvError(pError, SQLITE_ERROR, "kv: %s: a part may have lost its type in a sort or a "
        "temporary table of the statement; call kv_bigint() and kv_bool() as arguments of "
        "kv_key()", z);
  }else if( pFor->eUse!=KVFOR_VALUE ){
    kvError(pError, SQLITE_ERROR, "kv: %s: this may be %s that has lost its type in a sort or "
        "a temporary table of the statement; write %s", z, zBe, zFunc);
  }else if( eMark==KVMADE_JSON ){      /* digits from ->> look like it */
    kvError(pError, SQLITE_ERROR, "kv: %s: this may be JSON that has lost its type in a sort or a "
        "temporary table of the statement; write JSON to the column json, text to the column js as "
        "json_quote(x); or call kv_set(), or kv_op() for kv_atomic, where x is computed", z);
  }else{
    kvError(pError, SQLITE_ERROR, "kv: %s: this may be %s that has lost its type in a "
        "sort or a temporary table of the statement; write it to the column %s, or pass it "
        "to a function as %s", z, zBe, zColumn, zFunc);
  }
  sqlite3_free(z);
}

/* What an unmarked value could be: KVMADE_xxx. */
static int markCould(sqlite3_value *pVal, KvError *pError){
  unsigned eSubtype = sqlite3_value_subtype(pVal);
  if( sqlite3_value_type(pVal)==SQLITE_TEXT ){
    KvBytes text;
    if( eSubtype==KV_SUBTYPE_JSON || eSubtype==KV_SUBTYPE_JS ) return 0;
    text = markBytes(pVal);
    if( text.p ) return markText(text);
    kvErrorCode(pError, SQLITE_NOMEM);
  }else if( sqlite3_value_type(pVal)==SQLITE_BLOB && eSubtype!=KV_SUBTYPE_RAW ){
    return markBlob(markBytes(pVal));
  }
  return 0;
}

/* Is it what a statement that runs and uses values so has made?  With
** iShift that counts which it makes otherwise: KVMADE_OTHERS. */
static void markCheck(
  KvConn *p, sqlite3_value *pVal, int mCould, const KvFor *pFor, int iShift, KvError *pError
){
  static const int aUse[] = {
    [KVFOR_VALUE] = KVMADE_STORES, [KVFOR_COLUMN] = KVMADE_STORES, [KVFOR_KEY] = KVMADE_KEYS,
    [KVFOR_PART] = KVMADE_PARTS, [KVFOR_BYTES] = KVMADE_ENCODES
  };
  int mMade, eMark, rc = SQLITE_OK;
  if( mCould==0 || kvFailed(pError) ) return;
  mMade = kvProgramMade(p, aUse[pFor->eUse], pError);
  mCould &= mMade>>iShift;
  if( mCould==0 || kvFailed(pError) ) return;
  eMark = markWhich(p, pVal, mCould, &rc);
  kvErrorCode(pError, rc);
  if( eMark ) markDoubt(eMark, pFor, pError);
}

void kvMarkCheck(KvConn *p, sqlite3_value *pVal, const KvFor *pFor, KvError *pError){
  markCheck(p, pVal, markCould(pVal, pError), pFor, 0, pError);
}

void kvMarkCheckShown(KvConn *p, sqlite3_value *pVal, int bJson, KvError *pError){
  int mCould = markCould(pVal, pError);
  markCheck(p, pVal, bJson ? mCould & ~KVMADE_JSON : mCould, &kvForValue, KVMADE_OTHERS,
      pError);
}
