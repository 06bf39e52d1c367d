/*
** collection_value.c -- the columns of a collection.  See collection_value.h.
*/
#include "sql/collection/collection_value.h"
#include "codec/js/js_parse.h"
#include "codec/json/json_order.h"
#include "codec/json/json_print.h"
#include "codec/num/date.h"
#include "codec/num/date_sql.h"
#include "codec/num/bigint.h"
#include "codec/num/num.h"
#include "codec/path.h"
#include "codec/view.h"
#include "codec/stored.h"
#include "codec/v8/v8_find.h"
#include "codec/v8/v8_read.h"
#include "sql/args.h"
#include "sql/result.h"
#include "sql/subtype.h"
#include "store/clock.h"

/* ---- dates --------------------------------------------------------------- */

/* The time of a typed value that is a Date. */
static int cvalMarkedTime(sqlite3_value *pVal, double *prMs){
  KvTree tree;
  int bDate;
  kvTreeInit(&tree);
  bDate = kvArgValue(pVal, &tree, 0)==KV_OK && tree.aNode[0].eKind==KV_DATE;
  if( bDate ) *prMs = tree.aNode[0].u.r;
  kvTreeClear(&tree);
  return bDate && *prMs==*prMs;
}

int kvCollectionTime(sqlite3_value *pVal, KvBytes text, double *prMs){
  switch( sqlite3_value_type(pVal) ){
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
      *prMs = kvTimeClip(sqlite3_value_double(pVal));
      return *prMs>=KV_DATE_MS_LEAST || *prMs<=-KV_DATE_MS_LEAST;
    case SQLITE_TEXT:
      if( kvArgIsTyped(pVal) ) return cvalMarkedTime(pVal, prMs);
      return kvDateSqlRead(text, prMs);
    case SQLITE_BLOB:
      return kvArgIsTyped(pVal) && cvalMarkedTime(pVal, prMs);
    default:
      return 0;
  }
}

/* ---- key parts --------------------------------------------------------------- */

int kvCollectionPartFits(const KvCollectionColumn *pCol, const KvPart *pPart){
  switch( pCol->eType ){
    case KV_COLTYPE_INTEGER:
      return pPart->eType==KVP_NUMBER && kvIsSafeInteger(pPart->r)
          && (pPart->r!=0.0 || kvDoubleToBits(pPart->r)==0);
    case KV_COLTYPE_REAL:    return pPart->eType==KVP_NUMBER && pPart->r==pPart->r;
    case KV_COLTYPE_TEXT:    return pPart->eType==KVP_STRING;
    case KV_COLTYPE_BLOB:    return pPart->eType==KVP_BYTES;
    case KV_COLTYPE_BOOLEAN: return pPart->eType==KVP_BOOL;
    case KV_COLTYPE_BIGINT:  return pPart->eType==KVP_BIGINT;
    default:                 return 1;
  }
}

int kvCollectionIsRow(const KvCollectionDef *pDef, KvBytes key, KvPart *aPart, u32 *pnSame){
  u32 i = pDef->prefix.n, n;
  *pnSame = 0;
  if( !kvBytesBegins(key, kvBufBytes(&pDef->prefix)) || key.n==i ) return 0;
  for(n=0; n<pDef->nKey; n++){
    if( i>=key.n || kvPartRead(key, &i, &aPart[n], 0)!=KV_OK ) return 0;
    if( !kvCollectionPartFits(kvCollectionKey(pDef, n), &aPart[n]) ) return 0;
  }
  if( n>0 && i<key.n ) *pnSame = i;
  return n==0 || i==key.n;
}

void kvCollectionPartResult(
  sqlite3_context *ctx, const KvCollectionColumn *pCol, const KvPart *pPart
){
  if( pCol->eType==KV_COLTYPE_REAL && pPart->eType==KVP_NUMBER ){
    sqlite3_result_double(ctx, pPart->r);
  }
  else kvResultPart(ctx, pPart);
}

void kvCollectionOwnResult(
  sqlite3_context *ctx, const KvCollectionColumn *pCol, const KvPart *pPart
){
  char zDate[KV_DATE_SQL];
  if( pCol->eType==KV_COLTYPE_DATETIME && pPart->eType==KVP_NUMBER ){
    u32 n = kvDateSqlText(pPart->r, zDate);
    sqlite3_result_text(ctx, zDate, (int)n, SQLITE_TRANSIENT);
    return;
  }
  kvCollectionPartResult(ctx, pCol, pPart);
  sqlite3_result_subtype(ctx, 0);
}

/* ---- from SQL ------------------------------------------------------------------ */

static int cvalNoMem(KvErr *pErr){
  return kvErrSet(pErr, KV_NOMEM, -1, "out of memory");
}

const char kvCollectionUnsafe[] = "a number in the JSON is an integer beyond 2^53-1 or larger than "
    "any REAL; write it in quotes, or as a bigint with kv_js or kv_value_set()";
/* The words of a STRICT table; the caller adds the column. */
#define CVAL_CANNOT(zFrom, zTo) "cannot store " zFrom " value in " zTo " column"
#define CVAL_NO_TIME(z) "the " z " value is not a time in ms since 1970; if it counts seconds, " \
    "multiply it by 1000, or write '2024-05-01 10:00:00'"
static int cvalRefused(KvErr *pErr, int eType, sqlite3_value *pVal){
  static const char *const azWhat[][6] = {
    /* By SQLITE_xxx: INTEGER, FLOAT, TEXT, BLOB */
    { 0, 0, 0, 0, 0, 0 },
    { 0, "an INTEGER beyond 2^53-1 needs a BIGINT column",
      "cannot store REAL value in INTEGER column: it has a fraction or exceeds 2^53-1",
      CVAL_CANNOT("TEXT", "INTEGER"), CVAL_CANNOT("BLOB", "INTEGER"), 0 },
    { 0, CVAL_CANNOT("INTEGER", "REAL"), CVAL_CANNOT("REAL", "REAL"),
      CVAL_CANNOT("TEXT", "REAL"), CVAL_CANNOT("BLOB", "REAL"), 0 },
    { 0, CVAL_CANNOT("INTEGER", "TEXT"), CVAL_CANNOT("REAL", "TEXT"),
      CVAL_CANNOT("TEXT", "TEXT"), CVAL_CANNOT("BLOB", "TEXT"), 0 },
    { 0, CVAL_CANNOT("INTEGER", "BLOB"), CVAL_CANNOT("REAL", "BLOB"),
      CVAL_CANNOT("TEXT", "BLOB"), CVAL_CANNOT("BLOB", "BLOB"), 0 },
    { 0, "the INTEGER value of a BOOLEAN column must be 0 or 1",
      CVAL_CANNOT("REAL", "BOOLEAN"),
      "the TEXT value of a BOOLEAN column must be 'true' or 'false'",
      CVAL_CANNOT("BLOB", "BOOLEAN"), 0 },
    { 0, CVAL_CANNOT("INTEGER", "BIGINT"),
      "cannot store REAL value in BIGINT column: it has a fraction or exceeds 2^53-1",
      "the TEXT value of a BIGINT column must be a decimal integer",
      CVAL_CANNOT("BLOB", "BIGINT"), 0 },
    { 0, CVAL_NO_TIME("INTEGER"), CVAL_NO_TIME("REAL"),
      "the TEXT value is not a date; write '2024-05-01 10:00:00', ISO-8601 or ms since 1970",
      CVAL_CANNOT("BLOB", "DATETIME"), 0 },
    { 0, CVAL_CANNOT("INTEGER", "JSON"), CVAL_CANNOT("REAL", "JSON"),
      "the TEXT value is not JSON; json_quote() makes a JSON string of it",
      CVAL_CANNOT("BLOB", "JSON"), 0 }
  };
  return kvErrSet(pErr, KV_REFUSED, -1, azWhat[eType][sqlite3_value_type(pVal)]);
}

static int cvalNumberNode(KvTree *pTree, int eKind, double r, KvErr *pErr){
  u32 i = kvTreeAdd(pTree, (u8)eKind);
  if( i==KV_NO_NODE ) return cvalNoMem(pErr);
  pTree->aNode[i].u.r = r;
  return KV_OK;
}

static int cvalDigits(KvBytes text){
  u32 i;
  for(i=0; i<text.n && text.p[i]>='0' && text.p[i]<='9'; i++){}
  return text.n>0 && i==text.n;
}

/* A bigint's magnitude, of an SQL value, in memory of the tree.  False: it is none, or
** no memory (*pbNoMem). */
static int cvalMagnitude(
  KvTree *pTree, sqlite3_value *pVal, KvBytes text, int *pbNeg, KvBytes *pOut, int *pbNoMem
){
  const u8 *z = text.p;
  u8 *a;
  u32 n, nDigit;
  i64 v;
  *pbNoMem = 0;
  if( sqlite3_value_type(pVal)!=SQLITE_TEXT ){
    if( !kvArgWholeNumber(pVal, &v) ) return 0;
    if( (a = kvTreeSpace(pTree, 8))==0 ) return (*pbNoMem = 1), 0;
    kvPut64le(a, v<0 ? 0-(u64)v : (u64)v);
    for(n=8; n>0 && a[n-1]==0; n--){}
    *pbNeg = v<0;
    *pOut = kvBytes(a, n);
    return 1;
  }
  n = text.n;
  *pbNeg = n>0 && *z=='-';
  nDigit = n - (n>0 && (*z=='-' || *z=='+'));
  z += n - nDigit;
  if( !cvalDigits(kvBytes(z, nDigit)) || !kvBigReads(kvBytes(z, nDigit), 10) ) return 0;
  a = kvTreeSpace(pTree, kvBigBound(nDigit));
  if( a==0 ) return (*pbNoMem = 1), 0;
  n = kvBigParse(kvBytes(z, nDigit), 10, a);
  if( n==0 ) *pbNeg = 0;
  *pOut = kvBytes(a, n);
  return 1;
}

static int cvalBigintNode(KvTree *pTree, sqlite3_value *pVal, KvBytes text, KvErr *pErr){
  u32 i = kvTreeAdd(pTree, KV_BIGINT);
  KvBytes magnitude;
  int bNeg, bNoMem;
  if( i==KV_NO_NODE ) return cvalNoMem(pErr);
  if( !cvalMagnitude(pTree, pVal, text, &bNeg, &magnitude, &bNoMem) ){
    return bNoMem ? cvalNoMem(pErr) : cvalRefused(pErr, KV_COLTYPE_BIGINT, pVal);
  }
  pTree->aNode[i].eSub = (u8)bNeg;
  pTree->aNode[i].u.p = magnitude.p;
  pTree->aNode[i].n = magnitude.n;
  return KV_OK;
}

/* 0, 1, or -1: no boolean. */
static int cvalBool(sqlite3_value *pVal, KvBytes text){
  i64 v;
  if( text.p ){
    if( sqlite3_stricmp((const char*)text.p, "true")==0 ) return 1;
    if( sqlite3_stricmp((const char*)text.p, "false")==0 ) return 0;
  }
  return kvArgNumber(pVal, &v) && (v==0 || v==1) ? (int)v : -1;
}

/* The number of a column of numbers, as a STRICT table converts it. */
static int cvalNumber(int eType, sqlite3_value *pVal, double *pr){
  i64 v;
  if( sqlite3_value_type(pVal)==SQLITE_BLOB ) return 0;
  if( sqlite3_value_numeric_type(pVal)==SQLITE_TEXT ) return 0;
  if( eType==KV_COLTYPE_REAL ){
    *pr = sqlite3_value_double(pVal);
    return 1;
  }
  if( !kvArgWholeNumber(pVal, &v) || v>KV_MAX_SAFE || v<-KV_MAX_SAFE ) return 0;
  *pr = (double)v;
  return 1;
}

/* The value of JSON text, or of an INTEGER or REAL. */
static int cvalJson(sqlite3_value *pVal, KvBytes text, KvTree *pTree, KvErr *pErr){
  int rc;
  if( text.p==0 ){
    double r = sqlite3_value_double(pVal);
    if( r-r!=0.0 ) return kvErrSet(pErr, KV_REFUSED, -1, "JSON has no infinite numbers");
    return kvArgValue(pVal, pTree, pErr);
  }
  rc = kvJsonParseDigits(pTree, text, pErr);
  if( rc==KV_SYNTAX ) return cvalRefused(pErr, KV_COLTYPE_JSON, pVal);
  if( rc==KV_OK && kvJsonIsUnsafe(pTree) ){
    return kvErrSet(pErr, KV_REFUSED, -1, kvCollectionUnsafe);
  }
  return rc;
}

int kvCollectionNode(
  const KvCollectionColumn *pCol, sqlite3_value *pVal, KvTree *pTree, KvErr *pErr
){
  int eType = sqlite3_value_type(pVal), b;
  KvBytes text = eType==SQLITE_TEXT ? kvArgText(pVal) : kvBytes(0, 0);
  double r;
  if( eType==SQLITE_TEXT && text.p==0 ) return cvalNoMem(pErr);
  switch( pCol->eType ){
    case KV_COLTYPE_INTEGER:
    case KV_COLTYPE_REAL:
      if( !cvalNumber(pCol->eType, pVal, &r) ) break;
      return cvalNumberNode(pTree, KV_NUMBER, r, pErr);
    case KV_COLTYPE_TEXT:
      if( eType==SQLITE_BLOB ) break;
      return kvArgString(pVal, pTree, pErr);
    case KV_COLTYPE_BLOB:
      if( eType!=SQLITE_BLOB ) break;
      return kvArgValue(pVal, pTree, pErr);
    case KV_COLTYPE_BOOLEAN:
      if( (b = cvalBool(pVal, text))<0 ) break;
      if( kvTreeAdd(pTree, KV_BOOL)==KV_NO_NODE ) return cvalNoMem(pErr);
      pTree->aNode[0].n = (u32)b;
      return KV_OK;
    case KV_COLTYPE_BIGINT:
      if( eType==SQLITE_BLOB ) break;
      return cvalBigintNode(pTree, pVal, text, pErr);
    case KV_COLTYPE_DATETIME:
      if( !kvCollectionTime(pVal, text, &r) ) break;
      return cvalNumberNode(pTree, KV_DATE, r, pErr);
    case KV_COLTYPE_JSON:
      if( eType==SQLITE_BLOB ) break;
      return cvalJson(pVal, text, pTree, pErr);
    default:
      return kvArgNewValue(pVal, pTree, pErr);
  }
  return cvalRefused(pErr, pCol->eType, pVal);
}

int kvCollectionPart(const KvCollectionColumn *pCol, sqlite3_value *pVal, KvBuf *pOut, KvErr *pErr){
  KvTree tree;
  KvNode *pNode;
  int rc;
  if( sqlite3_value_type(pVal)==SQLITE_NULL ){
    return kvErrSet(pErr, KV_REFUSED, -1, "a key part can't be NULL");
  }
  kvTreeInit(&tree);
  rc = kvCollectionNode(pCol, pVal, &tree, pErr);
  pNode = tree.aNode;
  if( rc==KV_OK ){
    switch( pNode->eKind ){
      case KV_NUMBER: kvKeyPutNumber(pOut, pNode->u.r);                                   break;
      case KV_BOOL:   kvKeyPutBool(pOut, pNode->n!=0);                                    break;
      case KV_STRING: kvKeyPutString(pOut, kvBytes(pNode->u.p, pNode->n));                break;
      case KV_VIEW:   kvKeyPutBytes(pOut, kvBytes(sqlite3_value_blob(pVal), pNode->n));   break;
      case KV_BIGINT:
        if( pNode->n<=KV_BIGINT_KEY_BYTES ){
          kvKeyPutBigint(pOut, pNode->eSub, kvBytes(pNode->u.p, pNode->n));
          break;
        }
        rc = kvErrSet(pErr, KV_REFUSED, -1, "a bigint in a key has at most 255 bytes");
        break;
      default:
        rc = kvErrSet(pErr, KV_REFUSED, -1, "this value can't be a key part");
    }
  }
  kvTreeClear(&tree);
  if( rc==KV_OK && pOut->eErr!=KV_OK ) rc = cvalNoMem(pErr);
  return rc;
}

/* ---- to SQL ---------------------------------------------------------------------- */

/* Result: a node by the column's type. */
static int cvalResult(
  sqlite3_context *ctx, const KvCollectionColumn *pCol, KvTree *pTree, u32 iNode, i64 iElem,
  KvErr *pErr
){
  const KvNode *pNode;
  char zDate[KV_DATE_SQL];
  u32 n;
  pNode = &pTree->aNode[iNode];
  if( pCol->eType==KV_COLTYPE_REAL && pNode->eKind==KV_NUMBER ){
    sqlite3_result_double(ctx, pNode->u.r);
  }else if( pCol->eType==KV_COLTYPE_DATETIME && pNode->eKind==KV_DATE
         && (n = kvDateSqlText(pNode->u.r, zDate))>0 ){
    sqlite3_result_text(ctx, zDate, (int)n, SQLITE_TRANSIENT);
  }else if( pCol->eType==KV_COLTYPE_JSON && iElem<0 && pNode->eKind!=KV_NULL ){
    KvBuf text;
    int rc;
    kvBufInit(&text, 0, 0);
    rc = kvJsonPrint(pTree, iNode, &text, pErr);
    if( rc==KV_OK && text.n>0 ){
      kvResultText(ctx, &text);
      sqlite3_result_subtype(ctx, KV_SUBTYPE_JSON);
    }
    kvBufClear(&text);
    return rc;
  }else{
    kvResultNode(ctx, pTree, iNode, iElem);
  }
  return KV_OK;
}

/* KvCollectionRow.eRead: nothing was tried yet; members are those of the value; they
** can't be; and tree is the value. */
enum { CVAL_NONE, CVAL_MEMBERS, CVAL_OTHER, CVAL_TREE };

/* KV_PLAIN_xxx: where the column's path leads in the row's value. */
static int cvalFind(const KvCollectionColumn *pCol, KvCollectionRow *p, u32 *piAt){
  const V8Member *pMember;
  if( p->eEncoding!=1 ) return KV_PLAIN_NOT;
  if( p->eRead==CVAL_NONE ){
    p->eRead = kvV8Members(p->value, &p->members) ? CVAL_MEMBERS : CVAL_OTHER;
  }
  if( !pCol->bMember || p->eRead!=CVAL_MEMBERS ){
    return kvV8Find(p->value, kvBytesText(pCol->zPath), piAt);
  }
  pMember = kvV8Member(&p->members, &pCol->member);
  if( pMember==0 ) return KV_PLAIN_NONE;
  *piAt = pMember->iAt;
  return KV_PLAIN_FOUND;
}

/* The node of the whole value that the path leads to. */
static int cvalFindNode(
  const KvCollectionColumn *pCol, KvCollectionRow *p, u32 *piNode, i64 *piElem, KvErr *pErr
){
  int rc;
  if( p->eRead!=CVAL_TREE ){
    kvTreeReset(&p->tree);
    rc = kvValueRead(&p->tree, p->eEncoding, p->value, pErr);
    if( rc!=KV_OK ) return rc;
    p->eRead = CVAL_TREE;
  }
  return kvPathFind(&p->tree, kvBytesText(pCol->zPath), piNode, piElem, pErr);
}

int kvCollectionShow(
  const KvCollectionColumn *pCol, KvCollectionRow *p, KvCollectionShown *pOut, KvErr *pErr
){
  u32 iNode = 0, iAt = 0;
  int rc, e = p->eRead==CVAL_TREE ? KV_PLAIN_NOT : cvalFind(pCol, p, &iAt);
  pOut->pTree = 0;
  pOut->iElem = -1;
  if( e==KV_PLAIN_NONE ) return KV_OK;
  if( e==KV_PLAIN_FOUND && pCol->eType!=KV_COLTYPE_JSON
   && kvV8FindLeaf(p->value, iAt, &pOut->leaf)
  ){
    pOut->one.aNode = &pOut->leaf;
    pOut->pTree = &pOut->one;
    pOut->iNode = 0;
    return KV_OK;
  }
  if( e==KV_PLAIN_FOUND ){
    kvTreeReset(&p->tree);
    rc = kvV8ReadAt(&p->tree, p->value, iAt, pErr);
  }else{
    rc = cvalFindNode(pCol, p, &iNode, &pOut->iElem, pErr);
  }
  if( rc!=KV_OK || iNode==KV_NO_NODE ) return rc;
  pOut->pTree = &p->tree;
  pOut->iNode = kvDeref(&p->tree, iNode);
  return KV_OK;
}

int kvCollectionResult(
  sqlite3_context *ctx, const KvCollectionColumn *pCol, KvCollectionRow *p, KvErr *pErr
){
  KvCollectionShown shown;
  int rc = kvCollectionShow(pCol, p, &shown, pErr);
  if( rc!=KV_OK || shown.pTree==0 ) return rc;
  return cvalResult(ctx, pCol, shown.pTree, shown.iNode, shown.iElem, pErr);
}

int kvCollectionIsArray(const KvCollectionColumn *pCol, KvCollectionRow *p){
  u32 iAt, iNode;
  i64 iElem = -1;
  int e = p->eRead==CVAL_TREE ? KV_PLAIN_NOT : cvalFind(pCol, p, &iAt);
  if( e!=KV_PLAIN_NOT ) return e==KV_PLAIN_FOUND && p->value.p[iAt]=='A';
  return cvalFindNode(pCol, p, &iNode, &iElem, 0)==KV_OK && iNode!=KV_NO_NODE && iElem<0
      && p->tree.aNode[kvDeref(&p->tree, iNode)].eKind==KV_ARRAY;
}

/* ---- what is stored -------------------------------------------------------------- */

int kvCollectionFind(
  const KvCollectionColumn *pCol, int eEncoding, KvBytes value, KvTree *pTree, u32 *piNode,
  KvErr *pErr
){
  KvBytes path = kvBytesText(pCol->zPath);
  u32 iAt = 0;
  i64 iElem = -1;
  KvNode leaf;
  int rc, e = KV_PLAIN_NOT;
  *piNode = KV_NO_NODE;
  kvTreeReset(pTree);
  if( eEncoding==1 ) e = kvV8Find(value, path, &iAt);
  if( e==KV_PLAIN_NONE ) return KV_OK;
  if( e==KV_PLAIN_FOUND ){
    *piNode = 0;
    if( !kvV8FindLeaf(value, iAt, &leaf) ) return kvV8ReadAt(pTree, value, iAt, pErr);
    if( kvTreeAdd(pTree, leaf.eKind)==KV_NO_NODE ) return cvalNoMem(pErr);
    pTree->aNode[0] = leaf;
    return KV_OK;
  }
  rc = kvValueRead(pTree, eEncoding, value, pErr);
  if( rc==KV_OK ) rc = kvPathFind(pTree, path, piNode, &iElem, pErr);
  if( rc==KV_OK && *piNode!=KV_NO_NODE ) *piNode = iElem<0 ? kvDeref(pTree, *piNode) : KV_NO_NODE;
  return rc;
}

int kvCollectionIsNull(const KvTree *pTree, u32 iNode){
  const KvNode *p = &pTree->aNode[iNode];
  return p->eKind==KV_NULL || p->eKind==KV_UNDEFINED
      || ((p->eKind==KV_NUMBER || p->eKind==KV_DATE) && p->u.r!=p->u.r);
}

/* Is an SQL value the text that a node is shown as? */
static int cvalSameText(
  const KvCollectionColumn *pCol, KvTree *pTree, u32 iNode, sqlite3_value *pVal
){
  char zDate[KV_DATE_SQL];
  KvBuf text;
  int bSame;
  const KvNode *p = &pTree->aNode[iNode];
  if( sqlite3_value_type(pVal)!=SQLITE_TEXT ) return 0;
  kvBufInit(&text, 0, 0);
  if( p->eKind==KV_DATE && pCol->eType==KV_COLTYPE_DATETIME
   && kvDateSqlText(p->u.r, zDate)
  ){
    kvBufText(&text, zDate);
  }else if( pCol->eType!=KV_COLTYPE_JSON && (p->eKind==KV_STRING || p->eKind==KV_DATE
   || p->eKind==KV_REGEXP)
  ){
    kvResultNodeText(&text, pTree, iNode);
  }else if( kvJsonPrint(pTree, iNode, &text, 0)!=KV_OK ){
    kvBufReset(&text);
  }
  bSame = text.eErr==KV_OK && text.n>0 && kvBytesEqual(kvBufBytes(&text),
      kvArgText(pVal));
  kvBufClear(&text);
  return bSame;
}

int kvCollectionSame(const KvCollectionColumn *pCol, KvTree *pTree, u32 iNode, sqlite3_value *pVal){
  const KvNode *p = &pTree->aNode[iNode];
  int eType = sqlite3_value_type(pVal);
  i64 v;
  switch( p->eKind ){
    case KV_NULL:
    case KV_UNDEFINED:
      return 0;
    case KV_NUMBER:
      if( pCol->eType==KV_COLTYPE_JSON ) break;
      return (eType==SQLITE_INTEGER || eType==SQLITE_FLOAT) && sqlite3_value_double(pVal)==p->u.r
          && (p->u.r!=0.0 || kvDoubleToBits(p->u.r)==0 || eType==SQLITE_FLOAT);
    case KV_BOOL:
      if( pCol->eType==KV_COLTYPE_JSON ) break;
      return eType==SQLITE_INTEGER && sqlite3_value_int64(pVal)==(i64)p->n;
    case KV_BIGINT:
      if( eType==SQLITE_INTEGER ){
        return kvBigInt64(p->eSub, kvNodeBytes(p), &v) && v==sqlite3_value_int64(pVal);
      }
      break;
    case KV_U64:
      if( eType==SQLITE_INTEGER ) return (i64)p->u.u>=0 && (i64)p->u.u==sqlite3_value_int64(pVal);
      break;
    case KV_VIEW:
      if( eType!=SQLITE_BLOB ) break;
      return p->eSub==KV_VIEW_U8 && kvBytesEqual(kvViewBytes(pTree, iNode),
          kvArgBlob(pVal));
    case KV_BUFFER:
      if( eType!=SQLITE_BLOB ) break;
      return kvBytesEqual(kvNodeBytes(p), kvArgBlob(pVal));
    default:
      break;
  }
  return cvalSameText(pCol, pTree, iNode, pVal);
}

int kvCollectionIsJson(const KvTree *p, u32 iNode, int nDepth){
  const KvNode *pNode = &p->aNode[iNode];
  u32 i;
  switch( pNode->eKind ){
    case KV_NULL:
    case KV_BOOL:
    case KV_STRING: return 1;
    case KV_NUMBER: return pNode->u.r - pNode->u.r==0.0;
    case KV_OBJECT: break;
    case KV_ARRAY:
      if( pNode->u.c.nPair==0 ) break;
      return 0;
    default:        return 0;
  }
  if( nDepth==0 || (pNode->mFlags & KVN_SHARED) ) return 0;
  for(i=pNode->iChild; i; i=p->aNode[i].iNext){
    if( !kvCollectionIsJson(p, i, nDepth-1) ) return 0;
  }
  return 1;
}

/* ---- defaults ------------------------------------------------------------------------ */

/* The time of CURRENT_DATE, or now. */
static double cvalNow(const KvCollectionColumn *pCol){
  i64 iNow = kvNow();
  return (double)(pCol->eDefault==KV_DEFAULT_DATE ? iNow - iNow%86400000 : iNow);
}

void kvCollectionGenerate(KvConn *pConn, const KvCollectionColumn *pCol, char *z){
  char zDate[KV_DATE_SQL];
  int bTime = pCol->eDefault==KV_DEFAULT_TIME, bDate = pCol->eDefault==KV_DEFAULT_DATE;
  if( pCol->eDefault==KV_DEFAULT_UUID ){
    kvUuid(z);
  }else if( pCol->eDefault==KV_DEFAULT_ULID ){
    kvConnUlid(pConn, 0, z);
    z[KV_ULID_TEXT] = 0;
  }else{
    kvDateSqlText(cvalNow(pCol), zDate);       /* YYYY-MM-DD HH:MM:SS.ffffff */
    sqlite3_snprintf(KV_UUID_TEXT, z, "%.*s", bTime ? 8 : bDate ? 10 : 19, &zDate[bTime ? 11 : 0]);
  }
}

int kvCollectionGenerateNode(KvConn *pConn, const KvCollectionColumn *pCol, KvTree *pTree){
  char z[KV_UUID_TEXT];
  u32 n, i;
  u8 *a;
  if( pCol->eType==KV_COLTYPE_DATETIME ) return cvalNumberNode(pTree, KV_DATE, cvalNow(pCol), 0);
  kvCollectionGenerate(pConn, pCol, z);
  n = (u32)strlen(z);
  i = kvTreeAdd(pTree, KV_STRING);
  a = i==KV_NO_NODE ? 0 : kvTreeSpace(pTree, n);
  if( a==0 ) return KV_NOMEM;
  memcpy(a, z, n);
  pTree->aNode[i].eSub = KV_WTF8;
  pTree->aNode[i].u.p = a;
  pTree->aNode[i].n = n;
  return KV_OK;
}
