/*
** collection_draft.c -- a plan that is being made.  See collection_draft.h.
*/
#include "sql/collection/collection_draft.h"

sqlite3_value *kvCollectionLiteral(sqlite3_index_info *pInfo, int i){
  sqlite3_value *pVal = 0;
  return sqlite3_vtab_rhs_value(pInfo, i, &pVal)==SQLITE_OK ? pVal : 0;
}

int kvCollectionLiteralType(sqlite3_index_info *pInfo, int i){
  sqlite3_value *pVal = kvCollectionLiteral(pInfo, i);
  return pVal ? sqlite3_value_type(pVal) : 0;
}

void kvCollectionTake(KvCollectionDraft *p, sqlite3_index_info *pInfo, int i, u32 iCol){
  kvCollectionTakeAs(p, p->plan.nArg++, pInfo, i, iCol);
}

void kvCollectionTakeAs(
  KvCollectionDraft *p, u32 iArg, sqlite3_index_info *pInfo, int i, u32 iCol
){
  KvCollectionArg *pArg = &p->plan.aArg[iArg];
  int eLiteral = kvCollectionLiteralType(pInfo, i), op = pInfo->aConstraint[i].op;
  p->aiCons[iArg] = i;
  pArg->iCol = (u16)iCol;
  pArg->op = (u8)(op==SQLITE_INDEX_CONSTRAINT_IS ? SQLITE_INDEX_CONSTRAINT_EQ : op);
  pArg->bKnown = eLiteral!=0;
  pArg->bLiteral = eLiteral==SQLITE_TEXT;
  pArg->bIs = op==SQLITE_INDEX_CONSTRAINT_IS && eLiteral==0;
}

void kvCollectionAtOnce(KvCollectionDraft *p, sqlite3_index_info *pInfo, u32 iArg){
  KvCollectionArg *pArg = &p->plan.aArg[iArg];
  int i = p->aiCons[iArg];
  if( !sqlite3_vtab_in(pInfo, i, -1) ) return;
  sqlite3_vtab_in(pInfo, i, 1);
  pArg->bIn = 1;
}
