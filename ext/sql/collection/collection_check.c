/*
** collection_check.c -- conditions that the cursor decides.  See collection_check.h.
*/
#include "sql/collection/collection_check.h"
#include "bytes/memory.h"
#include "codec/json/json_print.h"
#include "codec/num/bigint.h"
#include "codec/num/date_sql.h"
#include "codec/num/num.h"
#include "codec/view.h"
#include "sql/args.h"
#include "sql/result.h"

/* ---- the plan ------------------------------------------------------------------- */

/* Is a constraint one that can be checked? */
static int ccheckUsable(const KvCollection *pTab, sqlite3_index_info *pInfo, int i){
  const struct sqlite3_index_constraint *pCons = &pInfo->aConstraint[i];
  const KvCollectionColumn *pCol;
  const char *zColl, *zOwn;
  if( !pCons->usable || pCons->iColumn<0 || pCons->iColumn>=(int)pTab->def.nColumn ) return 0;
  pCol = &pTab->def.aColumn[pCons->iColumn];
  if( pCol->eType!=KV_COLTYPE_DATETIME && pCol->eType!=KV_COLTYPE_BOOLEAN ) return 0;
  switch( pCons->op ){
    case SQLITE_INDEX_CONSTRAINT_NE:    /* SQLite doesn't report the collation of these */
    case SQLITE_INDEX_CONSTRAINT_ISNOT: return 1;
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_IS:
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:    break;
    default:                            return 0;
  }
  zColl = sqlite3_vtab_collation(pInfo, i);
  zOwn = kvCollectionCollation(pCol);
  return sqlite3_stricmp(zColl ? zColl : "BINARY", zOwn ? zOwn : "BINARY")==0;
}

int kvCollectionPlanChecks(
  KvCollectionDraft *p, const KvCollection *pTab, sqlite3_index_info *pInfo
){
  KvCollectionPlan *pPlan = &p->plan;
  int i;
  u32 k;
  pPlan->nAll = pPlan->nArg;
  for(i=0; i<pInfo->nConstraint; i++){
    u8 op = pInfo->aConstraint[i].op;
    if( !ccheckUsable(pTab, pInfo, i) ) continue;
    for(k=0; k<pPlan->nArg && p->aiCons[k]!=i; k++){}
    if( k==pPlan->nArg ){
      if( pPlan->nAll==KVCOLL_ARGS ) return 0;
      k = pPlan->nAll++;
      kvCollectionTakeAs(p, k, pInfo, i, (u32)pInfo->aConstraint[i].iColumn);
    }
    pPlan->aArg[k].eCheck = op;
    kvCollectionAtOnce(p, pInfo, k);
  }
  return 1;
}

/* ---- operands ------------------------------------------------------------------- */

/* A text that SQLite takes for a number. */
static int ccheckNumber(KvBytes text, KvIndexNumber *pNumber){
  const char *zSpace = " \t\n\v\f\r";
  u32 n, nSign;
  double r;
  while( text.n>0 && text.p[0] && strchr(zSpace, text.p[0]) ) text = kvBytesFrom(text, 1);
  while( text.n>0 && text.p[text.n-1] && strchr(zSpace, text.p[text.n-1]) ) text.n--;
  nSign = text.n>0 && (text.p[0]=='-' || text.p[0]=='+');
  n = text.n - nSign;
  if( n==0 || kvNumParse(kvBytesFrom(text, nSign), &r)!=n ) return 0;
  pNumber->bInt = 0;
  pNumber->i = 0;
  pNumber->r = text.p[0]=='-' ? -r : r;
  return 1;
}

static void ccheckReal(KvCollectionOperand *p, double r){
  p->eClass = SQLITE_FLOAT;
  p->number.bInt = 0;
  p->number.r = r;
}

static void ccheckInteger(KvCollectionOperand *p, i64 i){
  p->eClass = SQLITE_FLOAT;
  p->number = kvIndexNumberInt(i);
}

/* It means a time.  A number keeps its class. */
static void ccheckTime(KvCollectionOperand *p, double rMs){
  p->bTime = 1;
  p->rMs = rMs;
}

/* The value that the column would store: a time, or a boolean as a number.  False: it would
** refuse. */
static int ccheckStored(
  KvCollectionOperand *p, const KvCollectionColumn *pCol, sqlite3_value *pVal, KvError *pError
){
  KvBytes text = { 0, 0 };
  KvTree tree;
  double rMs;
  int rc;
  if( sqlite3_value_type(pVal)==SQLITE_TEXT ){
    text = kvArgName(pVal, pError);
    if( text.p==0 ) return 1;
  }
  if( pCol->eType==KV_COLTYPE_DATETIME ){
    rc = kvCollectionTime(pVal, text, &rMs);
    if( rc ) ccheckTime(p, rMs);
    return rc;
  }
  if( sqlite3_value_type(pVal)!=SQLITE_TEXT ) return 1;
  if( ccheckNumber(text, &p->number) ) return 1;
  kvTreeInit(&tree);
  rc = kvCollectionNode(pCol, pVal, &tree, 0);
  if( rc==KV_OK ) ccheckInteger(p, tree.aNode[0].n!=0);
  kvTreeClear(&tree);
  if( rc==KV_NOMEM ) kvErrorCode(pError, SQLITE_NOMEM);
  return rc==KV_OK;
}

static void ccheckRefuse(
  const KvCollection *pTab, const KvCollectionColumn *pCol, sqlite3_value *pVal, KvError *pError
){
  KvTree tree;
  KvErr err;
  int rc;
  kvTreeInit(&tree);
  rc = kvCollectionNode(pCol, pVal, &tree, &err);
  if( rc==KV_NOMEM ) kvErrorCode(pError, SQLITE_NOMEM);
  else if( rc!=KV_OK ) kvError(pError, SQLITE_ERROR, "kv: %s.%s: %s", pTab->zName, pCol->zName,
      err.zMsg);
  kvTreeClear(&tree);
}

/* A text is converted to a number where SQLite does so. */
static void ccheckPlain(KvCollectionOperand *p, sqlite3_value *pVal, KvError *pError){
  switch( sqlite3_value_numeric_type(pVal) ){
    case SQLITE_INTEGER: ccheckInteger(p, sqlite3_value_int64(pVal));  break;
    case SQLITE_FLOAT:   ccheckReal(p, sqlite3_value_double(pVal));    break;
    case SQLITE_TEXT:
      p->eClass = SQLITE_TEXT;
      kvBufAdd(&p->bytes, kvArgName(pVal, pError));
      break;
    case SQLITE_BLOB:
      p->eClass = SQLITE_BLOB;
      kvBufAdd(&p->bytes, kvArgBlob(pVal));
      break;
    default:
      p->eClass = SQLITE_NULL;
  }
  kvErrorBuf(pError, &p->bytes);
}

void kvCollectionOperand(
  KvCollectionOperand *p, const KvCollection *pTab, const KvCollectionArg *pArg,
  sqlite3_value *pVal, KvError *pError
){
  const KvCollectionColumn *pCol = &pTab->def.aColumn[pArg->iCol];
  int eType = sqlite3_value_type(pVal), bKnown, bUnderstood, bNumber, bStored;
  kvBufReset(&p->bytes);
  p->bTime = 0;
  bKnown = pArg->eCheck && !pArg->bIn && (pArg->bKnown || sqlite3_value_frombind(pVal));
  bUnderstood = bKnown || pArg->bIn;
  bNumber = eType==SQLITE_INTEGER || eType==SQLITE_FLOAT;
  p->eClass = SQLITE_NULL;
  bStored = (eType==SQLITE_TEXT || bNumber || kvArgIsTyped(pVal))
         && (bUnderstood || (pCol->eType==KV_COLTYPE_DATETIME && !bNumber));
  if( bStored && !ccheckStored(p, pCol, pVal, pError) && bKnown
   && !(eType==SQLITE_TEXT && sqlite3_value_bytes(pVal)==0)
  ){
    ccheckRefuse(pTab, pCol, pVal, pError);
  }
  if( bStored && pCol->eType==KV_COLTYPE_BOOLEAN && eType==SQLITE_TEXT && p->eClass==SQLITE_FLOAT ){
    return;
  }
  ccheckPlain(p, pVal, pError);
}

static KvCollectionCheck *ccheckAdd(KvCollectionChecks *p, const KvCollectionArg *pArg){
  KvCollectionCheck *aNew;
  u32 nOld = p->nAlloc;
  aNew = kvReserve(p->a, &p->nAlloc, (u64)p->n + 1, sizeof(*aNew));
  if( aNew==0 ) return 0;
  p->a = aNew;
  if( p->nAlloc>nOld ) memset(&p->a[nOld], 0, (p->nAlloc - nOld)*sizeof(*aNew));
  aNew = &p->a[p->n++];
  aNew->iCol = pArg->iCol;
  aNew->op = pArg->eCheck;
  aNew->bMore = 0;
  return aNew;
}

void kvCollectionChecksStart(
  KvCollectionChecks *p, const KvCollection *pTab, const KvCollectionPlan *pPlan,
  sqlite3_value **apArg, KvError *pError
){
  u32 i;
  p->n = 0;
  for(i=0; i<pPlan->nAll && !kvFailed(pError); i++){
    const KvCollectionArg *pArg = &pPlan->aArg[i];
    sqlite3_value *pVal = apArg[i];
    KvCollectionCheck *pCheck = 0;
    int rc = SQLITE_OK;
    if( pArg->eCheck==0 ) continue;
    if( pArg->bIn ) rc = sqlite3_vtab_in_first(apArg[i], &pVal);
    while( rc==SQLITE_OK && pVal && !kvFailed(pError) ){
      pCheck = ccheckAdd(p, pArg);
      if( pCheck==0 ){
        kvErrorCode(pError, SQLITE_NOMEM);
        return;
      }
      kvCollectionOperand(&pCheck->operand, pTab, pArg, pVal, pError);
      if( !pArg->bIn ) break;
      pCheck->bMore = 1;
      rc = sqlite3_vtab_in_next(apArg[i], &pVal);
    }
    if( rc!=SQLITE_OK && rc!=SQLITE_DONE ) kvErrorCode(pError, rc);
    if( pArg->bIn && pCheck==0 && (pCheck = ccheckAdd(p, pArg))!=0 ){
      pCheck->operand.eClass = SQLITE_NULL;      /* IN (): equal to nothing */
    }
    if( pCheck ) p->a[p->n-1].bMore = 0;
  }
}

void kvCollectionChecksClear(KvCollectionChecks *p){
  u32 i;
  for(i=0; i<p->nAlloc; i++) kvBufClear(&p->a[i].operand.bytes);
  kvFree(p->a);
  kvBufClear(&p->row.bytes);
  memset(p, 0, sizeof(*p));
}

/* ---- rows ----------------------------------------------------------------------- */

/* A text that is shown. */
static void ccheckText(KvCollectionOperand *p, int bDatetime){
  double rMs;
  if( ccheckNumber(kvBufBytes(&p->bytes), &p->number) ){
    p->eClass = SQLITE_FLOAT;
    return;
  }
  p->eClass = SQLITE_TEXT;
  if( bDatetime && kvDateSqlRead(kvBufBytes(&p->bytes), &rMs) ) ccheckTime(p, rMs);
}

static void ccheckBytes(KvCollectionOperand *p, KvBytes bytes){
  p->eClass = SQLITE_BLOB;
  kvBufAdd(&p->bytes, bytes);
}

/* A part of the value as it is shown. */
static void ccheckNode(KvCollectionOperand *p, const KvCollectionShown *pShown, int bDatetime){
  const KvNode *pNode = &pShown->pTree->aNode[pShown->iNode];
  KvNode elem;
  u8 aDigit[8];
  i64 v;
  if( pShown->iElem>=0 ){
    if( !kvViewElem(pShown->pTree, pShown->iNode, pShown->iElem, &elem, aDigit) ) return;
    pNode = &elem;
  }
  v = (i64)pNode->u.u;
  switch( pNode->eKind ){
    case KV_UNDEFINED: case KV_NULL: case KV_HOLE: return;
    case KV_BOOL:   ccheckInteger(p, pNode->n!=0);  return;
    case KV_NUMBER: if( pNode->u.r==pNode->u.r ) ccheckReal(p, pNode->u.r);  return;
    case KV_DATE:
      if( pNode->u.r!=pNode->u.r ) return;
      if( bDatetime ){
        p->eClass = SQLITE_TEXT;
        ccheckTime(p, pNode->u.r);
        return;
      }
      break;
    case KV_BIGINT: case KV_U64:
      if( pNode->eKind==KV_U64 ? v>=0 : kvBigInt64(pNode->eSub, kvNodeBytes(pNode), &v) ){
        ccheckInteger(p, v);
        return;
      }
      break;
    case KV_BUFFER: ccheckBytes(p, kvNodeBytes(pNode));  return;
    case KV_VIEW:
      if( pNode->eSub==KV_VIEW_U8 ){
        ccheckBytes(p, kvViewBytes(pShown->pTree, pShown->iNode));
        return;
      }
      break;
    default: break;
  }
  switch( pNode->eKind ){
    case KV_STRING: case KV_REGEXP: case KV_DATE: case KV_BIGINT: case KV_U64:
      kvResultNodeText(&p->bytes, pShown->pTree, pShown->iNode);
      break;
    default:
      if( kvJsonPrint(pShown->pTree, pShown->iNode, &p->bytes, 0)!=KV_OK || p->bytes.n==0 ) return;
  }
  p->eClass = SQLITE_TEXT;
}

static void ccheckReset(KvCollectionOperand *p){
  kvBufReset(&p->bytes);
  p->eClass = SQLITE_NULL;
  p->bTime = 0;
}

void kvCollectionOperandShown(
  KvCollectionOperand *p, const KvCollectionColumn *pCol, KvCollectionRow *pRow
){
  KvCollectionShown shown;
  ccheckReset(p);
  if( kvCollectionShow(pCol, pRow, &shown, 0)==KV_OK && shown.pTree ){
    ccheckNode(p, &shown, pCol->eType==KV_COLTYPE_DATETIME);
  }
}

/* A part that shows its type: a number in a DATETIME column is a Date. */
static void ccheckPart(KvCollectionOperand *p, const KvPart *pPart, int bDatetime){
  i64 v;
  switch( pPart->eType ){
    case KVP_BOOL:   ccheckInteger(p, pPart->r!=0.0);  break;
    case KVP_BIGINT: if( kvPartInt64(pPart, &v) ) ccheckInteger(p, v);  break;
    case KVP_STRING:
      kvPartContent(&p->bytes, pPart);
      p->eClass = SQLITE_TEXT;
      break;
    case KVP_BYTES:
      p->eClass = SQLITE_BLOB;
      kvPartContent(&p->bytes, pPart);
      break;
    default:
      if( !bDatetime ){
        ccheckReal(p, pPart->r);
      }else{
        p->eClass = SQLITE_TEXT;
        ccheckTime(p, pPart->r);
      }
  }
}

/* What a column shows of the row. */
static void ccheckShown(
  KvCollectionOperand *p, const KvCollectionColumn *pCol, const KvPart *pPart, KvCollectionRow *pRow
){
  int bDatetime = pCol->eType==KV_COLTYPE_DATETIME;
  ccheckReset(p);
  if( pPart ) ccheckPart(p, pPart, bDatetime);
  else if( pRow ) kvCollectionOperandShown(p, pCol, pRow);
  if( p->eClass==SQLITE_TEXT && !p->bTime ) ccheckText(p, bDatetime);
}

/* SQLite's order of classes: numbers, texts, bytes. */
static int ccheckRank(const KvCollectionOperand *p){
  return p->eClass==SQLITE_FLOAT ? 1 : p->eClass==SQLITE_TEXT ? 2 : 3;
}

/* Compare what a row shows with an operand, neither of them NULL. */
static int ccheckCompare(const KvCollectionOperand *pRow, const KvCollectionOperand *pOther){
  if( pRow->bTime && pOther->bTime ) return (pRow->rMs>pOther->rMs) - (pRow->rMs<pOther->rMs);
  if( ccheckRank(pRow)!=ccheckRank(pOther) ) return ccheckRank(pRow) - ccheckRank(pOther);
  if( pRow->eClass==SQLITE_FLOAT ) return kvIndexNumberCompare(&pRow->number, &pOther->number);
  if( pRow->bTime!=pOther->bTime ) return pRow->bTime ? -1 : 1;
  return kvBytesCompare(kvBufBytes(&pRow->bytes), kvBufBytes(&pOther->bytes));
}

static int ccheckMet(const KvCollectionOperand *pRow, int op, const KvCollectionOperand *pOther){
  int bNull = pRow->eClass==SQLITE_NULL, bNullToo = pOther->eClass==SQLITE_NULL, c;
  if( bNull || bNullToo ){
    if( op==SQLITE_INDEX_CONSTRAINT_IS ) return bNull && bNullToo;
    return op==SQLITE_INDEX_CONSTRAINT_ISNOT && !(bNull && bNullToo);
  }
  c = ccheckCompare(pRow, pOther);
  switch( op ){
    case SQLITE_INDEX_CONSTRAINT_GT:    return c>0;
    case SQLITE_INDEX_CONSTRAINT_GE:    return c>=0;
    case SQLITE_INDEX_CONSTRAINT_LT:    return c<0;
    case SQLITE_INDEX_CONSTRAINT_LE:    return c<=0;
    case SQLITE_INDEX_CONSTRAINT_NE:
    case SQLITE_INDEX_CONSTRAINT_ISNOT: return c!=0;
    default:                            return c==0;
  }
}

int kvCollectionChecksMet(
  KvCollectionChecks *p, const KvCollectionDef *pDef, const KvPart *aPart,
  const KvCollectionOwn *pOwn, KvCollectionRow *pRow
){
  u32 i;
  int iCol = -1;
  for(i=0; i<p->n; i++){
    int bMet = 0;
    if( p->a[i].iCol!=iCol ){
      const KvCollectionColumn *pCol = &pDef->aColumn[p->a[i].iCol];
      iCol = p->a[i].iCol;
      ccheckShown(&p->row, pCol, pCol->bKey ? &aPart[pCol->iPart]
                                            : kvCollectionOwnPart(pOwn, (u32)iCol), pRow);
    }
    bMet = ccheckMet(&p->row, p->a[i].op, &p->a[i].operand);
    while( p->a[i].bMore ){
      i++;
      bMet = bMet || ccheckMet(&p->row, p->a[i].op, &p->a[i].operand);
    }
    if( !bMet ) return 0;
  }
  return 1;
}
