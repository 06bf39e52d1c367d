/*
** vtab_collection_write.c -- INSERT, UPDATE and DELETE on a collection.
**
** The columns of a row are checked and put together as one stored value before
** anything is written.  A column with a type decides what is stored; members that
** no column names stay as they are.
*/
#include "sql/collection/vtab_collection_write.h"
#include "store/clock.h"
#include "store/limit.h"
#include "store/schema.h"
#include "codec/edit/edit.h"
#include "codec/edit/retype.h"
#include "codec/json/json_merge.h"
#include "codec/json/json_order.h"
#include "codec/key/key_parse.h"
#include "codec/key/key_print.h"
#include "codec/num/num.h"
#include "codec/stored.h"
#include "codec/ulid.h"
#include "codec/v8/v8_write.h"
#include "sql/args.h"
#include "sql/collection/collection_rowid.h"
#include "sql/collection/collection_value.h"
#include "sql/entries/entry_write.h"
#include "sql/mark.h"
#include "sql/program.h"
#include "sql/entries/update_value.h"
#include "store/atomic.h"
#include "store/row.h"

/* A row that is written. */
typedef struct CollWrite CollWrite;
struct CollWrite {
  KvCollection *pTab;
  const KvVtabRow *pRow;
  KvError *pErr;          /* The store's */
  KvEntryWrite entry;
  KvBuf old, key;
  KvBuf value, next;      /* The value so far; the next one */
  int eEncoding;
  u8 bBase;               /* kv_js, kv_json or kv_raw is given */
  u8 bOverlap;            /* Some columns are parts of others */
  u8 bReturned;           /* INSERT: mReturned is known */
  u64 mReturned;          /* ... which columns RETURNING has */
  KvCollectionSpace space;  /* UPDATE: the entry as it is; trees to work with */
};

/* ---- errors ----------------------------------------------------------------- */

/* The error of a codec for a column. */
static void collFail(CollWrite *p, const KvCollectionColumn *pCol, const KvErr *pErr){
  if( pErr->eCode==KV_NOMEM ){
    kvErrorCode(p->pErr, SQLITE_NOMEM);
  }else{
    kvError(p->pErr, SQLITE_CONSTRAINT_DATATYPE, "kv: %s.%s: %s%s", p->pTab->zName, pCol->zName,
            pErr->zMsg, pErr->zNumber);
  }
}

static void collNotNull(CollWrite *p, const KvCollectionColumn *pCol){
  kvError(p->pErr, SQLITE_CONSTRAINT_NOTNULL, "NOT NULL constraint failed: %s.%s",
          p->pTab->zName, pCol->zName);
  kvWriteConflict(p->pTab->t.pStore, 1);
}

/* Another entry has the key: the KEY columns are not unique. */
static void collTaken(KvVtab *pVtab, const KvEntryWrite *pEntry, KvError *pErr){
  const KvCollection *pTab = (const KvCollection*)pVtab;
  sqlite3_str *pOut = sqlite3_str_new(0);
  const char *zSep = "";
  char *z;
  u32 i;
  (void)pEntry;
  sqlite3_str_appendall(pOut, "UNIQUE constraint failed: ");
  for(i=0; i<pTab->def.nKey; i++){
    sqlite3_str_appendf(pOut, "%s%s.%s", zSep, pTab->zName, kvCollectionKey(&pTab->def, i)->zName);
    zSep = ", ";
  }
  if( pTab->def.nKey==0 ) sqlite3_str_appendf(pOut, "%s.kv_key", pTab->zName);
  z = sqlite3_str_finish(pOut);
  kvErrorGive(pErr, z ? SQLITE_CONSTRAINT_PRIMARYKEY : SQLITE_NOMEM, z);
}

/* A column at a path, or 0. */
static const KvCollectionColumn *collAtPath(const KvCollectionDef *pDef, KvBytes path){
  u32 i;
  for(i=0; i<pDef->nColumn; i++){
    const KvCollectionColumn *pCol = &pDef->aColumn[i];
    if( !pCol->bKey && kvBytesEqual(kvBytesText(pCol->zPath), path) ) return pCol;
  }
  return 0;
}

/* A unique index has one of the values already: its columns are named. */
static void collRival(KvVtab *pVtab, KvBytes paths, KvError *pErr){
  const KvCollection *pTab = (const KvCollection*)pVtab;
  sqlite3_str *pOut = sqlite3_str_new(0);
  KvIndexSpec spec;
  int bWhere;
  char *z;
  u32 i, n = 0;
  sqlite3_str_appendall(pOut, "UNIQUE constraint failed: ");
  if( kvIndexSpec(&spec, paths, kvBytes(0, 0), 0, 0, &bWhere, 0)!=KV_OK ) spec.nPath = 0;
  for(i=0; i<spec.nPath; i++){
    const KvCollectionColumn *pCol = collAtPath(&pTab->def, spec.aPath[i]);
    if( pCol ) sqlite3_str_appendf(pOut, "%s%s.%s", n++ ? ", " : "", pTab->zName, pCol->zName);
  }
  z = sqlite3_str_finish(pOut);
  if( n==0 || n<spec.nPath ){
    sqlite3_free(z);
    return;
  }
  kvErrorClear(pErr);
  kvErrorGive(pErr, z ? SQLITE_CONSTRAINT_UNIQUE : SQLITE_NOMEM, z);
}

/* ---- keys ---------------------------------------------------------------------- */

static sqlite3_value *collHidden(const CollWrite *p, int iHidden){
  return p->pRow->apCol[p->pTab->def.nColumn + (u32)iHidden];
}

/* Is a column given?  In an UPDATE: SET. */
static int collGiven(const CollWrite *p, sqlite3_value *pVal){
  return p->pRow->pOld ? !sqlite3_value_nochange(pVal) : sqlite3_value_type(pVal)!=SQLITE_NULL;
}

/* The stored key that a text is, which must be below the prefix. */
static void collKeyText(CollWrite *p, sqlite3_value *pVal, KvBuf *pOut){
  const KvCollectionDef *pDef = &p->pTab->def;
  KvErr err;
  if( kvArgKey(pVal, 0, pOut, 0, &err)!=KV_OK ){
    kvErrorCodec(p->pErr, "kv_key", &err);
  }else if( pOut->n<=pDef->prefix.n
         || !kvBytesBegins(kvBufBytes(pOut), kvBufBytes(&pDef->prefix))
  ){
    kvError(p->pErr, SQLITE_ERROR, "kv: %s.kv_key: the key must be below the prefix %s",
            p->pTab->zName, pDef->zPrefix);
  }
}

/* The part after the largest of a single INTEGER KEY. */
static double collNextKey(CollWrite *p, const KvCollectionColumn *pCol){
  KvStore *pStore = p->pTab->t.pStore;
  const KvBuf *pPrefix = &p->pTab->def.prefix;
  KvStmt *pStmt;
  KvBuf lo, hi;
  double r = 0.0;
  if( kvSchemaReady(pStore)==KV_STORE_NONE ) return 1.0;
  kvBufInit(&lo, 0, 0);
  kvBufInit(&hi, 0, 0);
  kvBufAdd(&lo, kvBufBytes(pPrefix));
  kvBufPut(&lo, KV_TAG_NUMBER);
  kvBufAdd(&hi, kvBufBytes(pPrefix));
  kvBufPut(&hi, KV_TAG_NUMBER+1);
  kvErrorBuf(p->pErr, &lo);
  kvErrorBuf(p->pErr, &hi);
  pStmt = kvStmtReader(pStore, KVREAD_UPPER|KVREAD_DESC|KVREAD_ALL);
  kvBindBytes(pStmt, 1, kvBufBytes(&lo));
  kvBindBytes(pStmt, 2, kvBufBytes(&hi));
  while( kvStmtRow(pStmt) ){
    KvBytes key = kvStmtBytes(pStmt, KVREAD_COL_KEY);
    u32 i = pPrefix->n;
    KvPart part;
    if( kvPartRead(key, &i, &part, 0)!=KV_OK || i<key.n ) continue;
    if( !kvCollectionPartFits(pCol, &part) ) continue;
    r = part.r;
    break;
  }
  kvStmtGive(pStmt);
  kvBufClear(&lo);
  kvBufClear(&hi);
  if( r>=(double)KV_MAX_SAFE ){
    kvError(p->pErr, SQLITE_FULL, "kv: %s.%s: no INTEGER is left after %lld",
            p->pTab->zName, pCol->zName, (i64)r);
  }
  return r<0.0 ? 1.0 : r + 1.0;
}

/* Column iCol, or (-1) the rowid, is to be generated: RETURNING would show what was given, and
** that is NULL. */
static void collGenerated(CollWrite *p, int iCol){
  const KvCollectionDef *pDef = &p->pTab->def;
  const char *zName = iCol<0 ? "rowid" : pDef->aColumn[iCol].zName;
  const KvCollectionColumn *pKey = &pDef->aColumn[pDef->iKey];
  int bLast = pDef->nKey==1 && pKey->eType==KV_COLTYPE_INTEGER && pKey->eDefault==KV_DEFAULT_NONE
      && (iCol<0 || pDef->aColumn[iCol].bKey);
  if( p->pRow->bInner ) return;
  if( !p->bReturned ) p->mReturned = kvProgramReturned(p->pTab->t.pConn, &p->pTab->t.base, p->pErr);
  p->bReturned = 1;
  if( (p->mReturned & KVRETURN_BIT(iCol))==0 ) return;
  kvError(p->pErr, SQLITE_ERROR, "kv: %s.%s: RETURNING can't show a value that is generated; %s%s",
      p->pTab->zName, zName, iCol<0 ? "return the KEY columns" : "give the value",
      bLast ? ", or leave it out of RETURNING and call last_insert_rowid()" : "");
}

/* The literal that is a column's default, or 0. */
static sqlite3_value *collDefault(const CollWrite *p, u32 iCol){
  sqlite3_value *pVal = p->pTab->apDefault[iCol];
  return pVal && sqlite3_value_type(pVal)!=SQLITE_NULL ? pVal : 0;
}

/* The part of a KEY column that is NULL in an INSERT. */
static void collMissingKey(CollWrite *p, u32 iCol, KvBuf *pOut){
  const KvCollectionColumn *pCol = &p->pTab->def.aColumn[iCol];
  sqlite3_value *pDefault = collDefault(p, iCol);
  KvErr err;
  collGenerated(p, (int)iCol);
  if( kvFailed(p->pErr) ) return;
  if( pCol->eDefault>KV_DEFAULT_LITERAL ){
    char z[KV_UUID_TEXT];
    kvCollectionGenerate(p->pTab->t.pConn, pCol, z);
    kvKeyPutString(pOut, kvBytesText(z));
  }else if( pDefault ){
    if( kvCollectionPart(pCol, pDefault, pOut, &err)!=KV_OK ) collFail(p, pCol, &err);
  }else if( p->pTab->def.nKey==1 && pCol->eType==KV_COLTYPE_INTEGER ){
    double r = collNextKey(p, pCol);
    kvKeyPutNumber(pOut, r);
    *p->pRow->piRowid = (i64)r;
  }else{
    collNotNull(p, pCol);
  }
}

/* Is an SQL value what the part of an untyped KEY column is shown as?  Then the part
** keeps its type. */
static int collSamePart(const KvCollectionColumn *pCol, const KvPart *pPart, sqlite3_value *pVal){
  int eType = sqlite3_value_type(pVal);
  i64 v;
  if( pCol->eType!=KV_COLTYPE_ANY || kvArgIsTyped(pVal) ) return 0;
  switch( pPart->eType ){
    case KVP_NUMBER:
      return (eType==SQLITE_INTEGER || eType==SQLITE_FLOAT) && sqlite3_value_double(pVal)==pPart->r;
    case KVP_BOOL:
      return eType==SQLITE_INTEGER && sqlite3_value_int64(pVal)==(pPart->r!=0.0);
    case KVP_BIGINT: {
      KvBuf text;
      int bSame;
      if( kvPartInt64(pPart, &v) ) return eType==SQLITE_INTEGER && sqlite3_value_int64(pVal)==v;
      kvBufInit(&text, 0, 0);
      kvPartPrint(&text, pPart);         /* with an n at the end */
      bSame = text.eErr==KV_OK && eType==SQLITE_TEXT && kvBytesEqual(kvBytes(text.a, text.n-1),
          kvArgText(pVal));
      kvBufClear(&text);
      return bSame;
    }
    default:
      return 0;
  }
}

/* Is the rowid given, or SET? */
static int collRowidGiven(const CollWrite *p){
  const KvVtabRow *pRow = p->pRow;
  if( !kvCollectionHasRowid(&p->pTab->def) ) return 0;
  if( pRow->pOld==0 ) return sqlite3_value_type(pRow->pNew)!=SQLITE_NULL;
  return sqlite3_value_type(pRow->pNew)!=SQLITE_INTEGER
      || sqlite3_value_int64(pRow->pNew)!=sqlite3_value_int64(pRow->pOld);
}

/* What is given for a KEY column: where that is the rowid, maybe as such. */
static sqlite3_value *collKeyValue(CollWrite *p, u32 iCol){
  sqlite3_value *pVal = p->pRow->apCol[iCol];
  KvBuf a = { 0 }, b = { 0 };
  if( !collRowidGiven(p) ) return pVal;
  if( !kvCollectionIdIsRowid(&p->pTab->def) ){
    kvError(p->pErr, SQLITE_ERROR, "kv: %s.rowid: can't be set; set the KEY columns",
        p->pTab->zName);
  }else if( collGiven(p, pVal) ){
    const KvCollectionColumn *pCol = &p->pTab->def.aColumn[iCol];
    KvErr err;
    if( kvCollectionPart(pCol, pVal, &a, &err)!=KV_OK
     || kvCollectionPart(pCol, p->pRow->pNew, &b, &err)!=KV_OK
    ){
      collFail(p, pCol, &err);
    }else if( !kvBytesEqual(kvBufBytes(&a), kvBufBytes(&b)) ){
      kvError(p->pErr, SQLITE_ERROR, "kv: %s: rowid and %s are one, and can't be set to two values",
          p->pTab->zName, pCol->zName);
    }
    kvBufClear(&a);
    kvBufClear(&b);
  }
  return p->pRow->pNew;
}

/* The new key: of an UPDATE with the parts of the old one that are not SET. */
static void collKey(CollWrite *p){
  const KvCollectionDef *pDef = &p->pTab->def;
  u32 i, iOld = pDef->prefix.n, iFrom;
  KvPart part;
  KvErr err;
  if( pDef->nKey==0 ){
    sqlite3_value *pKey = collHidden(p, KV_COLHIDE_KEY);
    if( collGiven(p, pKey) ) collKeyText(p, pKey, &p->key);
    else if( p->pRow->pOld ) kvBufAdd(&p->key, kvBufBytes(&p->old));
    else kvError(p->pErr, SQLITE_CONSTRAINT_NOTNULL, "NOT NULL constraint failed: %s.kv_key",
                 p->pTab->zName);
    return;
  }
  kvBufAdd(&p->key, kvBufBytes(&pDef->prefix));
  for(i=0; i<pDef->nKey && !kvFailed(p->pErr); i++){
    const KvCollectionColumn *pCol = kvCollectionKey(pDef, i);
    sqlite3_value *pVal = collKeyValue(p, pDef->aiKey[i]);
    iFrom = iOld;
    if( p->pRow->pOld && kvPartRead(kvBufBytes(&p->old), &iOld, &part, 0)!=KV_OK ) iOld = iFrom;
    if( p->pRow->pOld
     && (sqlite3_value_nochange(pVal) || (iOld>iFrom && collSamePart(pCol, &part, pVal)))
    ){
      kvBufAppend(&p->key, &p->old.a[iFrom], iOld - iFrom);
    }else if( sqlite3_value_type(pVal)!=SQLITE_NULL ){
      if( kvCollectionPart(pCol, pVal, &p->key, &err)!=KV_OK ) collFail(p, pCol, &err);
      if( p->pRow->pOld==0 && pDef->nKey==1 && pCol->eType==KV_COLTYPE_INTEGER ){
        *p->pRow->piRowid = sqlite3_value_int64(pVal);
      }
    }else if( p->pRow->pOld ){
      collNotNull(p, pCol);
    }else{
      collMissingKey(p, pDef->aiKey[i], &p->key);
    }
  }
}

/* The stored key of the row that argument 0 of xUpdate names. */
static void collOldKey(CollWrite *p){
  const KvCollectionDef *pDef = &p->pTab->def;
  sqlite3_value *pVal = p->pRow->pOld;
  KvErr err;
  if( kvCollectionHasRowid(pDef) && !kvCollectionIdIsRowid(pDef) ){
    KvBytes key = kvCollectionRowidKey(p->pTab, sqlite3_value_int64(pVal));
    if( key.n==0 ) kvErrorCode(p->pErr, SQLITE_NOMEM);
    kvBufAdd(&p->old, key);
  }else if( pDef->nKey==0 ){
    if( kvArgKey(pVal, KVKEY_MALFORMED, &p->old, 0, &err)!=KV_OK ){
      kvErrorCode(p->pErr, SQLITE_NOMEM);
    }
  }else{
    kvBufAdd(&p->old, kvBufBytes(&pDef->prefix));
    if( kvCollectionPart(&pDef->aColumn[pDef->iKey], pVal, &p->old, &err)!=KV_OK ){
      collFail(p, &pDef->aColumn[pDef->iKey], &err);
    }
  }
}

/* ---- values ---------------------------------------------------------------------- */

/* What stands at a column's path in the value so far: a node of p->space.tree. */
static int collFind(CollWrite *p, const KvCollectionColumn *pCol, u32 *piNode, KvErr *pErr){
  KvBytes value = kvBufBytes(&p->value);
  return kvCollectionFind(pCol, p->eEncoding, value, &p->space.tree, piNode, pErr);
}

/* Set what stands at a column's path to the root of p->space.part (or remove it). */
static void collEdit(CollWrite *p, const KvCollectionColumn *pCol, int bSet, int bTyped){
  KvEdit edit;
  KvErr err;
  KvBuf swap;
  memset(&edit, 0, sizeof(edit));
  kvBufReset(&p->next);
  edit.eEncoding = p->eEncoding;
  edit.value = kvBufBytes(&p->value);
  edit.path = kvBytesText(pCol->zPath);
  edit.pNew = bSet ? &p->space.part : 0;
  edit.bTyped = (u8)bTyped;
  edit.iVersion = p->pTab->t.pConn->iV8Version;
  edit.pOut = &p->next;
  if( kvEdit(&edit, &err)!=KV_OK ){
    collFail(p, pCol, &err);
    return;
  }
  swap = p->value;
  p->value = p->next;
  p->next = swap;
  p->eEncoding = edit.eOut;
}

/* A column AT '$': its value is the whole. */
static void collWhole(CollWrite *p, const KvCollectionColumn *pCol){
  int iVersion = p->pTab->t.pConn->iV8Version;
  KvErr err;
  kvBufReset(&p->value);
  if( kvValueWrite(&p->space.part, iVersion, 0, &p->value, &p->eEncoding, &err)!=KV_OK ){
    collFail(p, pCol, &err);
  }
}

/* JSON in the place of a part that holds other types, too: these stay. */
static void collJson(
  CollWrite *p, const KvCollectionColumn *pCol, sqlite3_value *pVal, u32 iNode, int *pbSame
){
  KvBytes json;
  KvBuf path;
  KvErr err;
  u32 iPart = 0;
  int rc;
  if( iNode!=0 && p->space.tree.nRef>0 ){
    kvErrSet(&err, KV_REFUSED, -1, "the stored value has shared or cyclic objects; set "
        "its parts with kv_value_set(), or all of it with kv_js");
    collFail(p, pCol, &err);
    return;
  }
  if( iNode!=0 ){
    p->space.tree.aNode[0] = p->space.tree.aNode[iNode];       /* the tree is of nothing else */
    p->space.tree.aNode[0].iNext = 0;
  }
  json = kvArgText(pVal);
  if( json.p==0 ){
    kvErrorCode(p->pErr, SQLITE_NOMEM);
    return;
  }
  kvBufInit(&path, 0, 0);
  kvTreeReset(&p->space.part);
  rc = kvJsonMerge(&p->space.tree, json, &p->space.part,
                   pbSame, &iPart, &path, &err);
  kvBufClear(&path);
  if( rc==KV_REFUSED ){
    kvErrSet(&err, KV_REFUSED, -1, "a part of the stored value has a type that JSON "
        "can't express and would lose it; set the parts with kv_value_set()");
  }
  if( rc==KV_OK && !*pbSame && !kvJsonKeepsIntegers(json, &p->space.part) ){
    rc = kvErrSet(&err, KV_REFUSED, -1, kvCollectionUnsafe);
  }
  if( rc!=KV_OK ) collFail(p, pCol, &err);
}

/* The whole value, which is meant as eAs: in an UPDATE by the type that is stored. */
static void collUpdateWhole(CollWrite *p, sqlite3_value *pVal, int eAs){
  KvConn *pConn = p->pTab->t.pConn;
  kvBufReset(&p->value);
  if( p->pRow->pOld && !kvUpdateIsTyped(pVal, eAs) ){
    KvUpdate update = { pConn, kvBufBytes(&p->old), &p->space.found, pVal, eAs };
    kvUpdateValue(&update, &p->value, &p->eEncoding, p->pErr);
  }else{
    kvArgWriteValue(pConn, pVal, eAs, &p->value, &p->eEncoding, p->pErr);
  }
}

/* A value for a column without a type must not have lost its type on the way here. */
static void collMark(CollWrite *p, const KvCollectionColumn *pCol, sqlite3_value *pVal){
  KvFor column = { KVFOR_COLUMN, p->pTab->zName, pCol->zName };
  kvMarkCheck(p->pTab->t.pConn, pVal, &column, p->pErr);
}

/* Set one column of the value. */
static void collColumn(CollWrite *p, const KvCollectionColumn *pCol, sqlite3_value *pVal){
  int bWhole = strcmp(pCol->zPath, "$")==0, bSame = 0, bJson = 0;
  u32 iNode = KV_NO_NODE;
  KvErr err;
  if( pCol->eType==KV_COLTYPE_ANY ){
    collMark(p, pCol, pVal);
    if( kvFailed(p->pErr) ) return;
  }
  if( p->value.n>0 || p->eEncoding==3 ){
    if( collFind(p, pCol, &iNode, &err)!=KV_OK ){
      if( err.eCode==KV_NOMEM || !bWhole ){
        collFail(p, pCol, &err);
        return;
      }
      iNode = KV_NO_NODE;
    }
    if( iNode!=KV_NO_NODE && kvCollectionSame(pCol, &p->space.tree, iNode, pVal) ) return;
  }
  if( iNode!=KV_NO_NODE && pCol->eType==KV_COLTYPE_JSON && sqlite3_value_type(pVal)!=SQLITE_BLOB
   && !kvCollectionIsNull(&p->space.tree, iNode)
   && !kvCollectionIsJson(&p->space.tree, iNode, KVCOLLECTION_DEPTH)
  ){
    collJson(p, pCol, pVal, iNode, &bSame);
    if( bSame ) return;
    bJson = 1;
  }
  if( kvFailed(p->pErr) ) return;
  if( !bJson ){
    kvTreeReset(&p->space.part);
    if( kvCollectionNode(pCol, pVal, &p->space.part, &err)!=KV_OK ){
      collFail(p, pCol, &err);
      return;
    }
  }
  if( bWhole && (pCol->eType!=KV_COLTYPE_ANY || iNode==KV_NO_NODE) ) collWhole(p, pCol);
  else if( bWhole ) collUpdateWhole(p, pVal, KV_AS_VALUE);
  else collEdit(p, pCol, 1, pCol->eType!=KV_COLTYPE_ANY || kvArgIsTyped(pVal));
}

/* ---- rows ---------------------------------------------------------------------------- */

/* The value that the columns are set in: what kv_json, kv_js or kv_raw gives. */
static void collBase(CollWrite *p){
  static const struct { int iHidden; int eAs; } aBase[] = {
    { KV_COLHIDE_JS, KV_AS_JS }, { KV_COLHIDE_JSON, KV_AS_JSON }, { KV_COLHIDE_RAW, KV_AS_RAW }
  };
  u32 i, nGiven = 0;
  for(i=0; i<KV_COUNT(aBase) && !kvFailed(p->pErr); i++){
    sqlite3_value *pVal = collHidden(p, aBase[i].iHidden);
    if( !collGiven(p, pVal) ) continue;
    if( nGiven++ ){
      kvError(p->pErr, SQLITE_ERROR, "kv: %s: give only one of kv_js, kv_json and kv_raw",
              p->pTab->zName);
      return;
    }
    collUpdateWhole(p, pVal, aBase[i].eAs);
    p->bBase = 1;
    p->entry.mSet |= KVSET_VALUE;
  }
}

/* An INSERT begins with an Object without members, unless a column is the whole. */
static void collEmpty(CollWrite *p){
  const KvCollectionDef *pDef = &p->pTab->def;
  KvErr err;
  u32 i;
  int iV8Version = p->pTab->t.pConn->iV8Version, eKind = KV_OBJECT;
  for(i=0; i<pDef->nColumn; i++){
    if( !pDef->aColumn[i].bKey && strcmp(pDef->aColumn[i].zPath, "$")==0 ) eKind = KV_NULL;
  }
  kvTreeReset(&p->space.part);
  if( kvTreeAdd(&p->space.part, (u8)eKind)==KV_NO_NODE
   || kvValueWrite(&p->space.part, iV8Version, 0, &p->value, &p->eEncoding, &err)!=KV_OK
  ){
    kvErrorCode(p->pErr, SQLITE_NOMEM);
  }
}

/* Is a column, other than i, given that is a part of column i, or of which i is one?
** Of those before i, unless bAll. */
static const KvCollectionColumn *collOther(const CollWrite *p, u32 i, int bAll){
  const KvCollectionDef *pDef = &p->pTab->def;
  int bNull = sqlite3_value_type(p->pRow->apCol[i])==SQLITE_NULL;
  u32 k, n = bAll ? pDef->nColumn : i;
  for(k=0; k<n && p->bOverlap; k++){
    const KvCollectionColumn *pCol = &pDef->aColumn[k];
    if( k==i || pCol->bKey || !collGiven(p, p->pRow->apCol[k]) ) continue;
    if( !bAll && bNull && sqlite3_value_type(p->pRow->apCol[k])==SQLITE_NULL ) continue;
    if( kvCollectionOverlap(pCol, &pDef->aColumn[i]) ) return pCol;
  }
  return 0;
}

/* Column i is set: none of those before it may say something of the same part. */
static void collAlone(CollWrite *p, u32 i){
  const KvCollectionColumn *pOther = collOther(p, i, 0);
  if( pOther==0 ) return;
  kvError(p->pErr, SQLITE_ERROR, "kv: %s: %s and %s can't be set in one statement, "
          "because one is part of the other", p->pTab->zName,
          pOther->zName, p->pTab->def.aColumn[i].zName);
}

/* Does a column read as NULL in the value so far? */
static int collIsNull(CollWrite *p, const KvCollectionColumn *pCol){
  u32 iNode = KV_NO_NODE;
  KvErr err;
  if( collFind(p, pCol, &iNode, &err)!=KV_OK ) collFail(p, pCol, &err);
  return iNode==KV_NO_NODE || kvCollectionIsNull(&p->space.tree, iNode);
}

/* UPDATE: a column becomes NULL. */
static void collRemove(CollWrite *p, const KvCollectionColumn *pCol){
  if( pCol->bNotNull ){
    collNotNull(p, pCol);
  }else if( collIsNull(p, pCol) || kvFailed(p->pErr) ){
    return;
  }else if( strcmp(pCol->zPath, "$")!=0 ){
    collEdit(p, pCol, 0, 0);
  }else{
    kvTreeReset(&p->space.part);
    if( kvTreeAdd(&p->space.part, KV_NULL)==KV_NO_NODE ) kvErrorCode(p->pErr, SQLITE_NOMEM);
    else collWhole(p, pCol);
  }
}

/* A column that is not given.  What the base or other columns say of it stays; else an
** INSERT sets its default. */
static void collMissing(CollWrite *p, u32 iCol){
  const KvCollectionColumn *pCol = &p->pTab->def.aColumn[iCol];
  int bInsert = p->pRow->pOld==0;
  if( !pCol->bNotNull && (!bInsert || pCol->eDefault==KV_DEFAULT_NONE) ) return;
  if( p->bBase || p->bOverlap ){
    if( !collIsNull(p, pCol) || kvFailed(p->pErr) ) return;
  }
  if( bInsert && pCol->eDefault!=KV_DEFAULT_NONE ) collGenerated(p, (int)iCol);
  if( kvFailed(p->pErr) ) return;
  if( bInsert && pCol->eDefault>KV_DEFAULT_LITERAL ){
    kvTreeReset(&p->space.part);
    if( kvCollectionGenerateNode(p->pTab->t.pConn, pCol, &p->space.part)!=KV_OK ){
      kvErrorCode(p->pErr, SQLITE_NOMEM);
    }
    else if( strcmp(pCol->zPath, "$")==0 ) collWhole(p, pCol);
    else collEdit(p, pCol, 1, 1);
  }else if( bInsert && collDefault(p, iCol) ){
    collColumn(p, pCol, collDefault(p, iCol));
  }else if( pCol->bNotNull ){
    collNotNull(p, pCol);
  }
}

/* The columns, in their order; those that are not given last where others may say what
** they are, or take away what they were. */
static void collColumns(CollWrite *p){
  const KvCollectionDef *pDef = &p->pTab->def;
  u32 i;
  for(i=0; i<pDef->nColumn; i++) p->bOverlap |= pDef->aColumn[i].bOverlap;
  for(i=0; i<pDef->nColumn && !kvFailed(p->pErr); i++){
    const KvCollectionColumn *pCol = &pDef->aColumn[i];
    sqlite3_value *pVal = p->pRow->apCol[i];
    if( pCol->bKey ) continue;
    if( !collGiven(p, pVal) ){
      if( p->pRow->pOld==0 && !p->bOverlap ) collMissing(p, i);
      continue;
    }
    collAlone(p, i);
    if( kvFailed(p->pErr) ) return;
    if( sqlite3_value_type(pVal)==SQLITE_NULL ) collRemove(p, pCol);
    else collColumn(p, pCol, pVal);
    p->entry.mSet |= KVSET_VALUE;
  }
  for(i=0; i<pDef->nColumn && !kvFailed(p->pErr); i++){
    if( pDef->aColumn[i].bKey || collGiven(p, p->pRow->apCol[i]) ) continue;
    if( p->pRow->pOld ? p->bBase || collOther(p, i, 1) : p->bOverlap ) collMissing(p, i);
  }
}

/*
** ---- a new row, member by member --------------------------------------------
**
** Where all columns are members of one object (which most tables are), an INSERT writes the
** object at once: what setting one column after the other comes to.
*/

/* Is a path $.name, with a name that is no index? */
static int collIsMember(const char *zPath){
  u32 i;
  if( zPath[0]!='$' || zPath[1]!='.' || (zPath[2]>='0' && zPath[2]<='9') ) return 0;
  for(i=2; zPath[i]=='_' || (zPath[i]>='0' && zPath[i]<='9') || (zPath[i]>='a' && zPath[i]<='z')
      || (zPath[i]>='A' && zPath[i]<='Z'); i++){}
  return zPath[i]==0 && i>2 && i<100;
}

static int collIsFlat(KvCollection *pTab){
  u32 i;
  if( pTab->eFlat==0 ){
    pTab->eFlat = 1;
    for(i=0; i<pTab->def.nColumn; i++){
      const KvCollectionColumn *pCol = &pTab->def.aColumn[i];
      if( !pCol->bKey && (pCol->bOverlap || !collIsMember(pCol->zPath)) ) pTab->eFlat = 2;
    }
  }
  return pTab->eFlat==1;
}

/* Is the whole value given? */
static int collHasBase(const CollWrite *p){
  return collGiven(p, collHidden(p, KV_COLHIDE_JS)) || collGiven(p, collHidden(p, KV_COLHIDE_JSON))
      || collGiven(p, collHidden(p, KV_COLHIDE_RAW));
}

/* Append p->space.part as a member. */
static int collMember(CollWrite *p, const KvCollectionColumn *pCol){
  const char *zName = &pCol->zPath[2];
  u32 n = (u32)strlen(zName);
  kvBufPut(&p->value, '"');
  kvBufPut(&p->value, (u8)n);
  kvBufAppend(&p->value, zName, n);
  return kvV8Append(&p->space.part, kvDepthCost(KV_OBJECT, 0), &p->value, 0)==KV_OK;
}

/* The value of a column, or its default, as a tree.  False: it has none, or an error. */
static int collPart(CollWrite *p, u32 iCol){
  const KvCollectionColumn *pCol = &p->pTab->def.aColumn[iCol];
  sqlite3_value *pVal = p->pRow->apCol[iCol];
  KvErr err;
  int rc;
  kvTreeReset(&p->space.part);
  if( !collGiven(p, pVal) && pCol->eDefault!=KV_DEFAULT_NONE ) collGenerated(p, (int)iCol);
  if( kvFailed(p->pErr) ) return 0;
  if( !collGiven(p, pVal) && pCol->eDefault>KV_DEFAULT_LITERAL ){
    rc = kvCollectionGenerateNode(p->pTab->t.pConn, pCol, &p->space.part);
    if( rc!=KV_OK ) kvErrorCode(p->pErr, SQLITE_NOMEM);
    return rc==KV_OK;
  }
  if( !collGiven(p, pVal) ) pVal = collDefault(p, iCol);
  if( pVal==0 ){
    if( pCol->bNotNull ) collNotNull(p, pCol);
    return 0;
  }
  if( pCol->eType==KV_COLTYPE_ANY ) collMark(p, pCol, pVal);
  if( kvFailed(p->pErr) ) return 0;
  rc = kvCollectionNode(pCol, pVal, &p->space.part, &err);
  if( rc==KV_OK && pCol->eType==KV_COLTYPE_ANY && !kvArgIsTyped(pVal) ){
    rc = kvRetypeNew(&p->space.part, 0, &err);
  }
  if( rc!=KV_OK ) collFail(p, pCol, &err);
  return rc==KV_OK;
}

/* Write the value of a new row.  False: it has to be put together column by column. */
static int collFlat(CollWrite *p){
  const KvCollectionDef *pDef = &p->pTab->def;
  u32 i, n = 0;
  if( !collIsFlat(p->pTab) || collHasBase(p) ) return 0;
  kvBufPut(&p->value, 0xff);
  kvBufPut(&p->value, (u8)p->pTab->t.pConn->iV8Version);
  kvBufPut(&p->value, 'o');
  for(i=0; i<pDef->nColumn && !kvFailed(p->pErr); i++){
    if( pDef->aColumn[i].bKey || !collPart(p, i) ) continue;
    if( !collMember(p, &pDef->aColumn[i]) ){
      kvBufReset(&p->value);           /* an error will say what is wrong */
      return 0;
    }
    n++;
  }
  kvBufPut(&p->value, '{');
  for(; n>=0x80; n>>=7) kvBufPut(&p->value, (u8)(n | 0x80));
  kvBufPut(&p->value, (u8)n);
  p->eEncoding = 1;
  p->entry.mSet |= KVSET_VALUE;
  return 1;
}

/* kv_expires_at or kv_expire_in */
static void collExpiry(CollWrite *p){
  sqlite3_value *pAt = collHidden(p, KV_COLHIDE_EXPIRES_AT);
  sqlite3_value *pIn = collHidden(p, KV_COLHIDE_EXPIRE_IN);
  int bAt = collGiven(p, pAt), bIn = collGiven(p, pIn);
  p->entry.iExpires = -1;
  if( bAt && bIn ){
    kvError(p->pErr, SQLITE_ERROR, "kv: %s: give kv_expires_at or kv_expire_in, not both",
            p->pTab->zName);
  }else if( bAt ){
    p->entry.iExpires = kvArgExpiresAt(pAt, p->pErr);
  }else if( bIn && sqlite3_value_type(pIn)!=SQLITE_NULL ){
    p->entry.iExpires = kvArgExpireIn(pIn, p->entry.iNow, p->pErr);
  }
  if( bAt || bIn ) p->entry.mSet |= KVSET_EXPIRY;
}

char *kvCollectionUpdateFrom(const KvCollection *pTab){
  return sqlite3_mprintf("kv: UPDATE ... FROM can't be used on %s with this version of SQLite, "
      "which assigns every column; use UPDATE ... SET column = (SELECT ...) WHERE ...",
      pTab->zName);
}

/* Columns that follow from others, or are the store's. */
static void collReadOnly(CollWrite *p){
  static const struct { int iHidden; const char *zName; } aCol[] = {
    { KV_COLHIDE_KEY, "kv_key" }, { KV_COLHIDE_TYPE, "kv_type" },
    { KV_COLHIDE_VERSIONSTAMP, "kv_versionstamp" }, { KV_COLHIDE_AS_OF, "kv_as_of" }
  };
  static const int aiSearch[] = {
    KV_COLHIDE_TABLE, KV_COLHIDE_RANK, KV_COLHIDE_SNIPPET, KV_COLHIDE_HIGHLIGHT
  };
  u32 i, nGiven = 0;
  for(i=0; i<KV_COUNT(aCol); i++) nGiven += collGiven(p, collHidden(p, aCol[i].iHidden))!=0;
  if( p->pRow->pOld && nGiven==KV_COUNT(aCol) ){
    char *z = kvCollectionUpdateFrom(p->pTab);
    kvErrorGive(p->pErr, z ? SQLITE_ERROR : SQLITE_NOMEM, z);
  }
  for(i=0; p->pTab->def.nText && i<KV_COUNT(aiSearch); i++){
    if( collGiven(p, collHidden(p, aiSearch[i])) ) kvError(p->pErr, SQLITE_ERROR,
        "kv: %s: the columns of a search can't be set; leave them out", p->pTab->zName);
  }
  for(i=p->pTab->def.nKey==0; i<KV_COUNT(aCol); i++){
    if( !collGiven(p, collHidden(p, aCol[i].iHidden)) ) continue;
    kvError(p->pErr, SQLITE_ERROR, "kv: %s.%s: can't be set; leave the column out",
            p->pTab->zName, aCol[i].zName);
  }
}

/* The limits on what is written. */
static void collLimits(CollWrite *p){
  KvConn *pConn = p->pTab->t.pConn;
  kvErrorBuf(p->pErr, &p->key);
  kvErrorBuf(p->pErr, &p->old);
  kvLimitCheck(p->pErr, pConn->aLimit, KV_LIMIT_key_bytes, "bytes of the key", p->key.n);
  if( p->entry.mSet & KVSET_VALUE ) kvArgValueLimit(pConn, &p->value, p->pErr);
}

static void collStart(CollWrite *p, KvCollection *pTab, const KvVtabRow *pRow){
  memset(p, 0, sizeof(*p));
  p->pTab = pTab;
  p->space = pTab->space;
  memset(&pTab->space, 0, sizeof(pTab->space));
  p->pRow = pRow;
  p->pErr = kvStoreError(pTab->t.pStore);
  p->entry.eOp = pRow->pOld==0 ? KVENTRY_INSERT : pRow->apCol ? KVENTRY_UPDATE : KVENTRY_DELETE;
  p->entry.iNow = kvNow();
  p->entry.bReplace = p->entry.bReplaceRivals = pRow->bReplace;
  p->entry.xTaken = collTaken;
  p->entry.xRival = collRival;
}

/* A row without large values leaves its memory to the next one. */
#define COLL_KEEP_NODES  64
#define COLL_KEEP_BYTES  4096

static void collEnd(CollWrite *p){
  KvCollectionSpace *pSpace = &p->space;
  kvBufClear(&p->old);
  kvBufClear(&p->key);
  kvBufClear(&p->value);
  kvBufClear(&p->next);
  kvTreeReset(&pSpace->tree);
  kvTreeReset(&pSpace->part);
  kvBufReset(&pSpace->found.v);
  pSpace->nTotal = -1;
  if( pSpace->tree.nAlloc>COLL_KEEP_NODES || pSpace->part.nAlloc>COLL_KEEP_NODES
   || pSpace->found.v.nAlloc>COLL_KEEP_BYTES || pSpace->key.nAlloc>COLL_KEEP_BYTES
  ){
    kvCollectionSpaceClear(pSpace);
  }
  kvCollectionSpaceClear(&p->pTab->space);       /* a row inside of this one has left it */
  p->pTab->space = *pSpace;
}

void kvCollectionSpaceClear(KvCollectionSpace *p){
  kvBufClear(&p->found.v);
  kvBufClear(&p->key);
  kvTreeClear(&p->tree);
  kvTreeClear(&p->part);
}

/* Read the entry that is to be changed, unless it is the one that was read last.  False:
** it is gone. */
static int collOld(CollWrite *p){
  KvCollectionSpace *pSpace = &p->space;
  KvStore *pStore = p->pTab->t.pStore;
  KvBytes old = kvBufBytes(&p->old);
  int bRead = pSpace->nTotal==sqlite3_total_changes64(kvStoreDb(pStore))
           && kvBytesEqual(kvBufBytes(&pSpace->key), old);
  pSpace->nTotal = -1;
  if( bRead ) return 1;
  if( !kvRowFind(pStore, old, p->entry.iNow, 1, &pSpace->found) ) return 0;
  p->entry.pFound = &pSpace->found;
  return 1;
}

/* INSERT and UPDATE.  False: the entry that is to be changed is gone. */
static int collRow(CollWrite *p){
  int bFlat = 0;
  if( p->pRow->pOld ){
    if( !collOld(p) ) return 0;
    kvBufAdd(&p->value, kvBufBytes(&p->space.found.v));
    p->eEncoding = p->space.found.eEncoding;
  }else if( kvCollectionHasRowid(&p->pTab->def) ){
    collGenerated(p, -1);
  }
  collReadOnly(p);
  if( p->pRow->pOld==0 && !kvFailed(p->pErr) ){
    bFlat = collFlat(p);
    if( !bFlat ) collEmpty(p);
  }
  if( !kvFailed(p->pErr) && !bFlat ) collBase(p);
  if( !kvFailed(p->pErr) && !bFlat ) collColumns(p);
  if( !kvFailed(p->pErr) ) collExpiry(p);
  if( !kvFailed(p->pErr) ) collKey(p);
  collLimits(p);
  return 1;
}

/* empty=null: the columns of an INSERT that are empty TEXT are NULL, like kv_extra, which
** nobody gives. */
static void collEmptyText(const KvCollectionDef *pDef, const KvVtabRow *pRow){
  sqlite3_value *pNull = pRow->apCol[pDef->nColumn + KV_COLHIDE_EXTRA];
  u32 i;
  for(i=0; i<pDef->nColumn && sqlite3_value_type(pNull)==SQLITE_NULL; i++){
    sqlite3_value *pVal = pRow->apCol[i];
    if( sqlite3_value_type(pVal)==SQLITE_TEXT && sqlite3_value_bytes(pVal)==0 ){
      pRow->apCol[i] = pNull;
    }
  }
}

void kvCollectionWrite(KvVtab *pVtab, const KvVtabRow *pRow){
  KvCollection *pTab = (KvCollection*)pVtab;
  u8 aOld[256], aKey[256], aValue[2048], aNext[2048];
  CollWrite row;
  int bThere = 1;
  if( pTab->zBroken ){
    kvError(kvStoreError(pVtab->pStore), SQLITE_ERROR, "%s", pTab->zBroken);
    return;
  }
  if( pTab->def.zEmpty && pRow->pOld==0 ) collEmptyText(&pTab->def, pRow);
  collStart(&row, pTab, pRow);
  kvBufInit(&row.old, aOld, sizeof(aOld));
  kvBufInit(&row.key, aKey, sizeof(aKey));
  kvBufInit(&row.value, aValue, sizeof(aValue));
  kvBufInit(&row.next, aNext, sizeof(aNext));
  if( pRow->pOld ) collOldKey(&row);
  if( pRow->apCol && !kvFailed(row.pErr) ) bThere = collRow(&row);
  row.entry.old = kvBufBytes(&row.old);
  row.entry.key = kvBufBytes(&row.key);
  row.entry.value = kvBufBytes(&row.value);
  row.entry.eEncoding = row.eEncoding;
  if( bThere ) kvEntryWrite(pVtab, &row.entry);
  collEnd(&row);
}
