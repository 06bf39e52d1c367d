/*
** whole.c -- does a DELETE remove all rows that a virtual table shows it?  See whole.h.
**
** The program of such a statement, as EXPLAIN lists it:
**
**     VOpen      0 . . vtab:ADDRESS
**     VFilter    0                       the first row, or to the end
**       VColumn, Rowid, MakeRecord ...   nothing here but what collects
**       RowSetAdd or IdxInsert           the row is collected
**     VNext      0                       the next one
**       ...
**       VUpdate  . 1 . vtab:ADDRESS      each is deleted
**
** Opcodes are no stable interface: what isn't known is taken for a condition.
*/
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT3
#include "sql/whole.h"
#include "sql/sql_word.h"
#include "store/statement.h"
#include <string.h>

#define WHOLE_ADDRESS 40
#define WHOLE_OPENS    8

/* A walk over the program of a statement. */
typedef struct Whole Whole;
struct Whole {
  char zAddress[WHOLE_ADDRESS];
  int iProgram;           /* The program that the rest is about */
  int nOpen;
  int aiOpen[WHOLE_OPENS];  /* Its cursors on the table */
  int iLoop;              /* The cursor whose loop this is in, or -1 */
  int nCompare;           /* Comparisons in it, and how many there may be */
  int nMost;
  int iColumn;            /* The register that the instruction before has read a column
                          ** into, or -1 */
  u8 bCollects;           /* It collects rows */
  u8 bOdd;                /* There is something else in it */
  u8 bDeletes;            /* The statement deletes from the table, */
  u8 bPart;               /* ... maybe not all that it is shown */
};

static int wholeIs(const char *zOp, const char *const *az, int n){
  int i = 0;
  while( i<n && strcmp(zOp, az[i])!=0 ) i++;
  return i<n;
}

/* True if the cursor is one on the table. */
static int wholeCursor(const Whole *p, int iCursor){
  int i = 0;
  while( i<p->nOpen && p->aiOpen[i]!=iCursor ) i++;
  return i<p->nOpen;
}

/* An instruction between the first row and the next one.  What can't jump leaves no row
** out; that a column is NULL goes with its comparison. */
static void wholeInLoop(Whole *p, const KvExplain *pWalk){
  static const char *const azCollect[] = { "RowSetAdd", "IdxInsert", "Insert" };
  static const char *const azCompare[] = { "Lt", "Le", "Gt", "Ge" };
  static const char *const azHarmless[] = {
    "Rowid", "MakeRecord", "NewRowid", "Affinity", "Copy", "SCopy", "Gosub", "Function",
    "PureFunc", "Cast", "Concat", "Null", "Integer", "Int64", "Real", "String8", "Variable",
    "Param", "Add", "Subtract", "Multiply", "Divide", "Remainder", "Explain", "Noop", "ReleaseReg"
  };
  const char *zOp = pWalk->zOp;
  int iColumn = p->iColumn;
  p->iColumn = -1;
  if( strcmp(zOp, "VNext")==0 && kvExplainP(pWalk, 1)==p->iLoop ){
    if( p->bCollects && (p->bOdd || p->nCompare>p->nMost) ) p->bPart = 1;
    p->iLoop = -1;
  }else if( strcmp(zOp, "VColumn")==0 ){
    p->iColumn = kvExplainP(pWalk, 3);
  }else if( strcmp(zOp, "IsNull")==0 ){
    if( p->nMost==0 || kvExplainP(pWalk, 1)!=iColumn ) p->bOdd = 1;
  }else if( wholeIs(zOp, azCollect, KV_COUNT(azCollect)) ){
    p->bCollects = 1;
  }else if( wholeIs(zOp, azCompare, KV_COUNT(azCompare)) ){
    p->nCompare++;
  }else if( !wholeIs(zOp, azHarmless, KV_COUNT(azHarmless)) ){
    p->bOdd = 1;
  }
}

static void wholeLine(Whole *p, const KvExplain *pWalk){
  const char *zOp = pWalk->zOp;
  int bOurs = pWalk->zP4 && strcmp(pWalk->zP4, p->zAddress)==0;
  int iP1 = kvExplainP(pWalk, 1);
  if( pWalk->iProgram!=p->iProgram ){
    p->iProgram = pWalk->iProgram;
    p->nOpen = 0;
    p->iLoop = -1;
  }
  if( strcmp(zOp, "VUpdate")==0 && bOurs ){
    p->bDeletes = 1;
    if( p->iLoop>=0 || kvExplainP(pWalk, 2)!=1 ) p->bPart = 1;
  }
  if( p->iLoop>=0 ){
    wholeInLoop(p, pWalk);
  }else if( strcmp(zOp, "VOpen")==0 && bOurs ){
    if( p->nOpen<WHOLE_OPENS ) p->aiOpen[p->nOpen++] = iP1;
    else p->bPart = 1;
  }else if( strcmp(zOp, "VFilter")==0 && wholeCursor(p, iP1) ){
    p->iLoop = iP1;
    p->nCompare = 0;
    p->iColumn = -1;
    p->bCollects = p->bOdd = 0;
  }
}

int kvWholeDelete(sqlite3 *db, const sqlite3_vtab *pVtab, int nCompare){
  sqlite3_stmt *pStmt = 0;
  int bWhole = 0;
  while( (pStmt = sqlite3_next_stmt(db, pStmt))!=0 ){
    KvExplain walk;
    Whole whole;
    if( !sqlite3_stmt_busy(pStmt) || sqlite3_stmt_readonly(pStmt) ) continue;
    memset(&whole, 0, sizeof(whole));
    sqlite3_snprintf(WHOLE_ADDRESS, whole.zAddress, "vtab:%p", (const void*)pVtab);
    whole.iLoop = -1;
    whole.nMost = nCompare;
    kvExplainOpen(&walk, db, "EXPLAIN %s", kvSqlStart(sqlite3_sql(pStmt)));
    while( kvExplainNext(&walk) ) wholeLine(&whole, &walk);
    if( kvExplainClose(&walk)!=SQLITE_OK ) return -1;
    if( whole.bPart ) return 0;
    if( whole.bDeletes ) bWhole = 1;
  }
  return bWhole;
}
