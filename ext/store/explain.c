/*
** explain.c -- the program of a statement.  See explain.h.
*/
#include "store/explain.h"
#include <stdarg.h>
#include <string.h>

/* Columns of EXPLAIN. */
enum { EXPLAIN_ADDR, EXPLAIN_OPCODE, EXPLAIN_P1, EXPLAIN_P4 = 5 };

void kvExplainOpen(KvExplain *p, sqlite3 *db, const char *zFormat, ...){
  char *zSql;
  va_list ap;
  memset(p, 0, sizeof(*p));
  va_start(ap, zFormat);
  zSql = sqlite3_vmprintf(zFormat, ap);
  va_end(ap);
  p->rc = zSql ? sqlite3_prepare_v2(db, zSql, -1, &p->pStmt, 0) : SQLITE_NOMEM;
  if( p->rc==SQLITE_OK && p->pStmt==0 ) p->rc = SQLITE_ERROR;
  sqlite3_free(zSql);
}

int kvExplainNext(KvExplain *p){
  if( p->rc!=SQLITE_OK ) return 0;
  p->rc = sqlite3_step(p->pStmt);
  if( p->rc!=SQLITE_ROW ){
    if( p->rc==SQLITE_DONE ) p->rc = sqlite3_reset(p->pStmt);
    p->iProgram = 0;
    return 0;
  }
  p->iProgram += sqlite3_column_int(p->pStmt, EXPLAIN_ADDR)==0;
  p->zOp = (const char*)sqlite3_column_text(p->pStmt, EXPLAIN_OPCODE);
  p->zP4 = (const char*)sqlite3_column_text(p->pStmt, EXPLAIN_P4);
  p->rc = p->zOp && (p->zP4 || sqlite3_column_type(p->pStmt, EXPLAIN_P4)==SQLITE_NULL)
        ? SQLITE_OK : SQLITE_NOMEM;
  return p->rc==SQLITE_OK;
}

int kvExplainP(const KvExplain *p, int i){
  return sqlite3_column_int(p->pStmt, EXPLAIN_P1 - 1 + i);
}

int kvExplainClose(KvExplain *p){
  sqlite3_finalize(p->pStmt);
  return p->rc;
}
