/*
** collection_code.c -- a plan as text.  See collection_code.h.
*/
#include "sql/collection/collection_code.h"

/* ---- words ------------------------------------------------------------------------ */

static const char *codeOperator(int op){
  switch( op ){
    case SQLITE_INDEX_CONSTRAINT_EQ:    return "=";
    case SQLITE_INDEX_CONSTRAINT_GT:    return ">";
    case SQLITE_INDEX_CONSTRAINT_GE:    return ">=";
    case SQLITE_INDEX_CONSTRAINT_LT:    return "<";
    case SQLITE_INDEX_CONSTRAINT_LE:    return "<=";
    case SQLITE_INDEX_CONSTRAINT_GLOB:  return " GLOB ";
    case SQLITE_INDEX_CONSTRAINT_MATCH: return " MATCH ";
    default:                            return " LIKE ";
  }
}

/* Is an argument one by which rows are looked for? */
static int codeSeeks(const KvCollectionPlan *p, const KvCollectionArg *pArg){
  u32 k;
  if( p->eHow!=KVCOLL_INDEX && p->eHow!=KVCOLL_RANGE ) return 1;
  for(k=0; k<p->nQuery && p->aiColumn[k]!=pArg->iCol; k++){}
  return k<p->nQuery;
}

static void codeWords(sqlite3_str *pOut, const KvCollection *pTab, const KvCollectionDraft *p){
  const KvCollectionDef *pDef = &pTab->def;
  const KvCollectionPlan *pPlan = &p->plan;
  const char *zAnd = " ";
  u32 i;
  if( pPlan->zIndex ) sqlite3_str_appendf(pOut, "%s %s",
      pPlan->eHow==KVCOLL_SEARCH ? "SEARCH" : "INDEX", pPlan->zIndex);
  else sqlite3_str_appendall(pOut, pPlan->nArg ? "KEY" : "SCAN");
  for(i=0; i<pPlan->nArg; i++){
    const KvCollectionArg *pArg = &pPlan->aArg[i];
    if( !codeSeeks(pPlan, pArg) ) continue;
    sqlite3_str_appendf(pOut, "%s%s%s?", zAnd,
        pArg->iCol<pDef->nColumn ? pDef->aColumn[pArg->iCol].zName
        : pArg->iCol==pDef->nColumn+KV_COLHIDE_KEY ? "kv_key" : pTab->zName,
        codeOperator(pArg->op));
    zAnd = " AND ";
  }
  if( pPlan->bOrdered ){
    sqlite3_str_appendall(pOut, pPlan->bDesc ? " IN ORDER DESC" : " IN ORDER");
  }
  if( pPlan->bKeys ) sqlite3_str_appendall(pOut, " KEYS ONLY");
  if( pPlan->bPast ) sqlite3_str_appendall(pOut, " kv_as_of=?");
  if( p->zMissing ) sqlite3_str_appendf(pOut, " (no index on %s)", p->zMissing);
}

/* ---- numbers ------------------------------------------------------------------------ */

/* The numbers of a plan, written or read in one order. */
typedef struct Code Code;
struct Code {
  sqlite3_str *pOut;      /* Written, or ... */
  const u8 *z;            /* ... read from here */
};

static u64 codeNumber(Code *p, u64 v){
  int nShift = 0;
  if( p->pOut==0 ){
    do{
      v = v<<7 | (u64)(*p->z & 0x7f);
    }while( *p->z++ & 0x80 );
    return v;
  }
  while( nShift<63 && v>>nShift>0x7f ) nShift += 7;
  for(; nShift>=0; nShift-=7){
    sqlite3_str_appendchar(p->pOut, 1, (char)((v>>nShift & 0x7f) | (nShift ? 0x80 : 0)));
  }
  return v;
}

#define CODE(p, X, type) (X) = (type)codeNumber((p), (u64)(X))

static void codeArg(Code *p, KvCollectionArg *pArg){
  u32 m = pArg->bKnown | (u32)pArg->bLiteral<<1 | (u32)pArg->bIs<<2 | (u32)pArg->bIn<<3;
  CODE(p, pArg->iCol, u16);
  CODE(p, pArg->op, u8);
  CODE(p, pArg->eCheck, u8);
  CODE(p, m, u32);
  pArg->bKnown = m & 1;
  pArg->bLiteral = m>>1 & 1;
  pArg->bIs = m>>2 & 1;
  pArg->bIn = m>>3 & 1;
}

static void codePlan(Code *p, KvCollectionPlan *pPlan){
  u32 m = pPlan->bDesc | (u32)pPlan->bOrdered<<1 | (u32)pPlan->bValue<<2 | (u32)pPlan->bMeta<<3
        | (u32)pPlan->bPast<<4 | (u32)pPlan->bKeys<<5 | (u32)pPlan->bOnce<<6
        | (u32)pPlan->eNull<<7 | (u32)pPlan->bPoint<<9;
  u32 i;
  CODE(p, pPlan->eHow, u8);
  CODE(p, m, u32);
  pPlan->bDesc = m & 1;
  pPlan->bOrdered = m>>1 & 1;
  pPlan->bValue = m>>2 & 1;
  pPlan->bMeta = m>>3 & 1;
  pPlan->bPast = m>>4 & 1;
  pPlan->bKeys = m>>5 & 1;
  pPlan->bOnce = m>>6 & 1;
  pPlan->eNull = m>>7 & 3;
  pPlan->bPoint = m>>9 & 1;
  CODE(p, pPlan->nPath, u8);
  CODE(p, pPlan->nOwn, u8);
  CODE(p, pPlan->nQuery, u8);
  CODE(p, pPlan->iOrder, u8);
  CODE(p, pPlan->nOrder, u8);
  CODE(p, pPlan->nArg, u8);
  CODE(p, pPlan->nAll, u8);
  CODE(p, pPlan->mSearch, u8);
  CODE(p, pPlan->mNot, u32);
  CODE(p, pPlan->iIndex, u32);
  for(i=0; i<pPlan->nPath && i<KVCOLL_PATH; i++) CODE(p, pPlan->aiColumn[i], u16);
  for(i=0; i<pPlan->nAll && i<KVCOLL_ARGS; i++) codeArg(p, &pPlan->aArg[i]);
}

char *kvCollectionCode(const KvCollection *pTab, const KvCollectionDraft *p){
  KvCollectionPlan plan = p->plan;
  Code code = { sqlite3_str_new(0), 0 };
  codeWords(code.pOut, pTab, p);
  sqlite3_str_appendchar(code.pOut, 1, 0);
  codeNumber(&code, plan.zIndex ? strlen(plan.zIndex) : 0);
  codePlan(&code, &plan);
  return sqlite3_str_finish(code.pOut);
}

int kvCollectionDecode(const char *z, KvCollectionPlan *p, KvBuf *pName){
  static const char zIndex[] = "SEARCH ";
  Code code = { 0, (const u8*)z + strlen(z) + 1 };
  u32 n = (u32)codeNumber(&code, 0);
  memset(p, 0, sizeof(*p));
  codePlan(&code, p);
  kvBufReset(pName);
  if( n>0 ) kvBufAppend(pName, z + strlen(zIndex) - (p->eHow==KVCOLL_INDEX), n);
  kvBufTerminate(pName);
  p->zIndex = (const char*)pName->a;
  return pName->eErr==KV_OK;
}
