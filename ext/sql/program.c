/*
** program.c -- what the programs of running statements say.  See program.h.
**
** EXPLAIN costs as much as preparing the statement.  So what it has shown (KvProgram)
** is kept for the statements that were looked at last, and valid while
**
**    - it is the same statement: its address and its text are the same,
**    - it has not been prepared again since, and
**    - no schema that it depends on has changed (another statement with the same text may
**      have got its address).  A statement that runs has a transaction on each file
**      whose schema it depends on, so the others need not be asked.
**
** The program that runs is not quite the one that EXPLAIN lists: bound values may give
** it another plan.  What differs then is whether it sorts, which SQLite counts, and
** which indexes it reads.
**
** The program of a DELETE from a virtual table:
**
**     VOpen      0 . . vtab:ADDRESS
**     VFilter    0                       the first row, or to the end
**       VColumn, Rowid, MakeRecord ...   nothing here but what collects
**       RowSetAdd or IdxInsert           the row is collected
**     VNext      0                       the next one
**       ...
**       VUpdate  . 1 . vtab:ADDRESS      each is deleted
**
** That of an INSERT with RETURNING, into a table of n columns:
**
**     Integer   -1 r                     the rowid that is returned
**     Copy      c+2 r+1 n-1              the columns
**       SCopy    r+i ...                 column i-1 is returned
**       MakeRecord, NewRowid, Insert     the row that is returned
**     VUpdate   . n+2 c vtab:ADDRESS
*/
#include "sql/program.h"
#include "sql/sql_word.h"
#include "sql/vtab.h"
#include "store/schema.h"
#include "store/statement.h"
#include "store_sql.h"
#include <stdlib.h>

/* "vtab:ADDRESS", as a program names a virtual table */
#define PROG_ADDRESS 32

/* A virtual table that a program deletes from or inserts into. */
typedef struct ProgTable ProgTable;
struct ProgTable {
  char zAddress[PROG_ADDRESS];
  u8 bDeletes;            /* It deletes from the table, */
  u8 bPart;               /* ... maybe not all that it is shown, */
  u8 bNull;               /* ... but rows that have no NULL in a column that is compared, */
  u8 bPast;               /* ... or rows as they were */
  int nCompare;           /* Comparisons between collected rows */
  u64 mReturned;          /* What RETURNING has: KVRETURN_BIT() */
};

/* A b-tree that a program opens for writing, or the first one. */
typedef struct ProgRoot ProgRoot;
struct ProgRoot {
  int iRoot, iDb;
};

/* What is known of a statement. */
#define PROG_TABLES  8
#define PROG_ROOTS   8
typedef struct KvProgram KvProgram;
struct KvProgram {
  sqlite3_stmt *pStmt;
  char *zSql;             /* Its text; 0: an unused slot */
  int nReprepare;         /* How often it had been prepared again */
  u32 iSchema;            /* progSchema() */
  u8 bKnown;              /* It could be read; else it may do anything */
  u8 bKeep;               /* ... and that holds as long as iSchema */
  u8 bSchema;             /* It depends on a schema */
  u8 bOpens;              /* It opens a table that isn't virtual */
  u8 bGets;               /* It reads by one kv_get() and nothing else */
  int mMade;              /* KVMADE_xxx */
  int nTable;
  ProgTable aTable[PROG_TABLES];
  ProgRoot read;          /* The first b-tree that it reads */
  int nRoot;              /* Those that it writes, PROG_ROOTS+1: too many */
  ProgRoot aRoot[PROG_ROOTS];
};

#define PROG_KNOWN 4
struct KvPrograms {
  u8 bLooking;            /* A statement is being looked at */
  u8 bForget;             /* What is known is of no use any more */
  int iNext;              /* The slot to be used next */
  KvProgram a[PROG_KNOWN];
};

/* ---- opcodes --------------------------------------------------------------- */

/* Those that are looked at: PROG_xxx */
enum {
  PROG_OTHER, PROG_COLUMN, PROG_COPY, PROG_FUNCTION, PROG_INSERT, PROG_INTEGER, PROG_ISNULL,
  PROG_MUSTBEINT, PROG_OPENREAD, PROG_OPENWRITE, PROG_REOPEN, PROG_TRANSACTION, PROG_VCOLUMN,
  PROG_VFILTER, PROG_VNEXT, PROG_VOPEN, PROG_VUPDATE, PROG_AGGREGATE
};

/* What is to be said of an opcode (a bit mask). */
#define OPF_HARMLESS  0x01    /* Can't leave a row out between two rows */
#define OPF_COLLECTS  0x02    /* Collects a row */
#define OPF_COMPARES  0x04    /* A comparison */
#define OPF_ALONE     0x08    /* May be in a program whose one read is a kv_get() */
#define OPF_NOREG     0x10    /* Reads no register (or one that is nobody's column) */
#define OPF_DROPS     0x20    /* Drops marks */
#define OPF_JUMPS     0x40    /* Jumps to P2 */

/* In the order of their names. */
static const struct {
  const char *zName;
  u8 eOp;
  u8 mFlags;
} progOps[] = {
  { "Add",           PROG_OTHER,       OPF_HARMLESS|OPF_ALONE },
  { "Affinity",      PROG_OTHER,       OPF_HARMLESS|OPF_NOREG },
  { "AggFinal",      PROG_AGGREGATE,   OPF_NOREG },
  { "AggInverse",    PROG_AGGREGATE,   0 },
  { "AggStep",       PROG_AGGREGATE,   0 },
  { "AggStep1",      PROG_AGGREGATE,   0 },
  { "AggValue",      PROG_AGGREGATE,   0 },
  { "BeginSubrtn",   PROG_OTHER,       OPF_NOREG },
  { "Blob",          PROG_OTHER,       OPF_ALONE|OPF_NOREG },
  { "Cast",          PROG_OTHER,       OPF_HARMLESS|OPF_ALONE },
  { "ClrSubtype",    PROG_OTHER,       OPF_ALONE|OPF_DROPS },
  { "Column",        PROG_COLUMN,      OPF_NOREG },
  { "Concat",        PROG_OTHER,       OPF_HARMLESS|OPF_ALONE },
  { "Copy",          PROG_COPY,        OPF_HARMLESS|OPF_ALONE },
  { "Divide",        PROG_OTHER,       OPF_HARMLESS|OPF_ALONE },
  { "ElseEq",        PROG_OTHER,       OPF_NOREG },
  { "Eq",            PROG_OTHER,       OPF_JUMPS },
  { "Explain",       PROG_OTHER,       OPF_HARMLESS|OPF_ALONE|OPF_NOREG },
  { "Function",      PROG_FUNCTION,    OPF_HARMLESS|OPF_ALONE },
  { "Ge",            PROG_OTHER,       OPF_COMPARES|OPF_JUMPS },
  { "Gosub",         PROG_OTHER,       OPF_HARMLESS|OPF_NOREG },
  { "Goto",          PROG_OTHER,       OPF_ALONE|OPF_NOREG },
  { "Gt",            PROG_OTHER,       OPF_COMPARES|OPF_JUMPS },
  { "Halt",          PROG_OTHER,       OPF_ALONE|OPF_NOREG },
  { "IdxInsert",     PROG_OTHER,       OPF_COLLECTS },
  { "If",            PROG_OTHER,       OPF_JUMPS },
  { "IfNot",         PROG_OTHER,       OPF_JUMPS },
  { "IfNullRow",     PROG_OTHER,       OPF_NOREG },
  { "Init",          PROG_OTHER,       OPF_ALONE|OPF_NOREG },
  { "Insert",        PROG_INSERT,      OPF_COLLECTS|OPF_NOREG },
  { "Int64",         PROG_OTHER,       OPF_HARMLESS|OPF_ALONE|OPF_NOREG },
  { "Integer",       PROG_INTEGER,     OPF_HARMLESS|OPF_ALONE|OPF_NOREG },
  { "IsNull",        PROG_ISNULL,      OPF_JUMPS },
  { "Le",            PROG_OTHER,       OPF_COMPARES|OPF_JUMPS },
  { "Lt",            PROG_OTHER,       OPF_COMPARES|OPF_JUMPS },
  { "MakeRecord",    PROG_OTHER,       OPF_HARMLESS|OPF_DROPS|OPF_NOREG },
  { "Multiply",      PROG_OTHER,       OPF_HARMLESS|OPF_ALONE },
  { "MustBeInt",     PROG_MUSTBEINT,   0 },
  { "Ne",            PROG_OTHER,       OPF_JUMPS },
  { "NewRowid",      PROG_OTHER,       OPF_HARMLESS|OPF_NOREG },
  { "Next",          PROG_OTHER,       OPF_NOREG },
  { "Noop",          PROG_OTHER,       OPF_HARMLESS|OPF_ALONE|OPF_NOREG },
  { "NotNull",       PROG_OTHER,       OPF_JUMPS },
  { "Null",          PROG_OTHER,       OPF_HARMLESS|OPF_ALONE|OPF_NOREG },
  { "Once",          PROG_OTHER,       OPF_ALONE|OPF_NOREG },
  { "OpenRead",      PROG_OPENREAD,    OPF_NOREG },
  { "OpenWrite",     PROG_OPENWRITE,   OPF_NOREG },
  { "Param",         PROG_OTHER,       OPF_HARMLESS|OPF_NOREG },
  { "PureFunc",      PROG_FUNCTION,    OPF_HARMLESS|OPF_ALONE },
  { "Real",          PROG_OTHER,       OPF_HARMLESS|OPF_ALONE|OPF_NOREG },
  { "RealAffinity",  PROG_OTHER,       OPF_NOREG },
  { "ReleaseReg",    PROG_OTHER,       OPF_HARMLESS|OPF_ALONE|OPF_NOREG },
  { "Remainder",     PROG_OTHER,       OPF_HARMLESS|OPF_ALONE },
  { "ReopenIdx",     PROG_REOPEN,      OPF_NOREG },
  { "ResultRow",     PROG_OTHER,       OPF_ALONE|OPF_NOREG },
  { "Return",        PROG_OTHER,       OPF_NOREG },
  { "Rewind",        PROG_OTHER,       OPF_NOREG },
  { "RowSetAdd",     PROG_OTHER,       OPF_COLLECTS },
  { "Rowid",         PROG_OTHER,       OPF_HARMLESS|OPF_NOREG },
  { "SCopy",         PROG_OTHER,       OPF_HARMLESS|OPF_ALONE },
  { "String8",       PROG_OTHER,       OPF_HARMLESS|OPF_ALONE|OPF_NOREG },
  { "Subtract",      PROG_OTHER,       OPF_HARMLESS|OPF_ALONE },
  { "Transaction",   PROG_TRANSACTION, OPF_NOREG },
  { "VColumn",       PROG_VCOLUMN,     OPF_NOREG },
  { "VFilter",       PROG_VFILTER,     OPF_NOREG },
  { "VNext",         PROG_VNEXT,       OPF_NOREG },
  { "VOpen",         PROG_VOPEN,       OPF_NOREG },
  { "VUpdate",       PROG_VUPDATE,     0 },
  { "Variable",      PROG_OTHER,       OPF_HARMLESS|OPF_ALONE|OPF_NOREG },
};

/* An instruction. */
typedef struct ProgInstr ProgInstr;
struct ProgInstr {
  int eOp, mFlags;
  int iP1, iP2, iP3, mP5;
  const char *zP4;        /* or "" */
};

static void progInstr(const KvExplain *pWalk, ProgInstr *p){
  int iLow = 0, iHigh = KV_COUNT(progOps) - 1;
  p->eOp = PROG_OTHER;
  p->mFlags = 0;
  while( iLow<=iHigh ){
    int i = (iLow + iHigh)/2, c = strcmp(pWalk->zOp, progOps[i].zName);
    if( c==0 ){
      p->eOp = progOps[i].eOp;
      p->mFlags = progOps[i].mFlags;
      break;
    }
    if( c<0 ) iHigh = i - 1;
    else iLow = i + 1;
  }
  p->iP1 = kvExplainP(pWalk, 1);
  p->iP2 = kvExplainP(pWalk, 2);
  p->iP3 = kvExplainP(pWalk, 3);
  p->mP5 = kvExplainP(pWalk, 5);
  p->zP4 = pWalk->zP4 ? pWalk->zP4 : "";
}

/* ---- functions ------------------------------------------------------------- */

/* What a function makes and uses, by its name. */
static int progOfFunction(const char *z, int n){
  static const struct {
    const char *zName;
    int m;
  } aFunc[] = {
    { "->", KVMADE_JSON },
    { "kv_json", KVMADE_JSON },
    { "kv_get", KVMADE_JSON },
    { "kv_extract", KVMADE_JSON },
    { "json_valid", 0 },
    { "json_type", 0 },
    { "json_array_length", 0 },
    { "json_error_position", 0 },
    { "kv_value", KVMADE_JS|KVMADE_ENCODES },
    { "kv_value_encode", KVMADE_ENCODES },
    { "kv_js", KVMADE_JS },
    { "kv_bigint", KVMADE_JS },
    { "kv_bool", KVMADE_JS },
    { "kv_commit_versionstamp", KVMADE_JS },
    { "kv_raw", KVMADE_RAW },
    { "kv_value_set", KVMADE_RAW|KVMADE_PARTS },
    { "kv_value_remove", KVMADE_RAW },
    { "kv_set", KVMADE_STORES },
    { "kv_op", KVMADE_STORES },
    { "kv_enqueue", KVMADE_STORES },
    { "kv_key", KVMADE_KEYS }
  };
  u32 i;
  for(i=0; i<KV_COUNT(aFunc); i++){
    const char *zName = aFunc[i].zName;
    if( (int)strlen(zName)==n && sqlite3_strnicmp(zName, z, n)==0 ) return aFunc[i].m;
  }
  if( n>=5 && sqlite3_strnicmp(z, "jsonb", 5)==0 ) return KVMADE_JSONB|KVMADE_DROPS;
  return n>=4 && sqlite3_strnicmp(z, "json", 4)==0 ? KVMADE_JSON : 0;
}

/* Is the function that P4 names, as name(n), one of these? */
static int progCalls(const ProgInstr *p, const char *const *azName, int nName){
  const char *zEnd = strchr(p->zP4, '(');
  int i, n = zEnd ? (int)(zEnd - p->zP4) : 0;
  for(i=0; i<nName; i++){
    if( (int)strlen(azName[i])==n && sqlite3_strnicmp(azName[i], p->zP4, n)==0 ) return 1;
  }
  return 0;
}

/* What the function that an instruction calls makes and uses. */
static int progCalled(const char *zP4){
  const char *zEnd = zP4 ? strchr(zP4, '(') : 0;
  return zEnd ? progOfFunction(zP4, (int)(zEnd-zP4)) : 0;
}

/* ---- a walk ---------------------------------------------------------------- */

/* A cursor on a virtual table; the subprograms of triggers have cursors of their own. */
typedef struct ProgCursor ProgCursor;
struct ProgCursor {
  int iProgram, iCursor;
  char zAddress[PROG_ADDRESS];
  u8 bRow;                /* It reads the row that an UPDATE changes: VColumn has P5 = 1
                          ** where it asks for a column that stays as it is */
  u64 mRead;              /* Columns that it reads otherwise */
};

/* A walk over a program. */
#define PROG_CURSORS 16
typedef struct ProgWalk ProgWalk;
struct ProgWalk {
  KvConn *pConn;
  KvProgram *pOut;
  int rc;                 /* SQLITE_OK, or an error: nothing more is asked */
  u8 bReturns;            /* The statement has rows */
  u8 bBinds;              /* ... parameters */
  int mIndexed;           /* What is made for the indexes of its tables */
  u8 bTooMany;            /* ... more cursors or tables than fit */
  u8 bOdd;                /* There is an opcode that isn't OPF_ALONE, or another read */
  int nGet;               /* Calls of kv_get() */
  int nCursor;
  ProgCursor aCursor[PROG_CURSORS];
  int iProgram;           /* The program that the rest is about */
  /* The loop over the rows of a virtual table: */
  ProgCursor *pLoop;      /* Its cursor, or 0 */
  int nCompare;           /* Comparisons in it */
  int iColumn;            /* The register that the instruction before has read a column
                          ** into, or -1 */
  u8 bCollects;           /* It collects rows */
  u8 bElse;               /* There is something else in it */
  u8 bNull;               /* It leaves out NULLs */
  u8 bPast;               /* The first cursor shows rows as they were */
  /* The row of RETURNING: */
  ProgInstr before;       /* The instruction before */
  int iReg, nReg;         /* Registers of its rowid and columns; nReg is 0: none so far */
  u8 bDone;               /* It has been put together */
  u64 mReturned;
};

static ProgCursor *progCursor(ProgWalk *p, int iCursor, int bNew){
  ProgCursor *pCursor;
  int i;
  for(i=0; i<p->nCursor; i++){
    pCursor = &p->aCursor[i];
    if( pCursor->iProgram==p->iProgram && pCursor->iCursor==iCursor ) return pCursor;
  }
  if( !bNew ) return 0;
  if( p->nCursor>=PROG_CURSORS ){
    p->bTooMany = 1;
    return 0;
  }
  pCursor = &p->aCursor[p->nCursor++];
  memset(pCursor, 0, sizeof(*pCursor));
  pCursor->iProgram = p->iProgram;
  pCursor->iCursor = iCursor;
  return pCursor;
}

static ProgTable *progTable(const KvProgram *p, const char *zAddress){
  int i;
  for(i=0; i<p->nTable; i++){
    if( strcmp(p->aTable[i].zAddress, zAddress)==0 ) return (ProgTable*)&p->aTable[i];
  }
  return 0;
}

/* The same for one that may be new.  0: there are too many. */
static ProgTable *progTableOf(ProgWalk *p, const char *zAddress){
  KvProgram *pOut = p->pOut;
  ProgTable *pTable = progTable(pOut, zAddress);
  if( pTable ) return pTable;
  if( pOut->nTable>=PROG_TABLES ){
    p->bTooMany = 1;
    return 0;
  }
  pTable = &pOut->aTable[pOut->nTable++];
  sqlite3_snprintf(PROG_ADDRESS, pTable->zAddress, "%s", zAddress);
  return pTable;
}

/* What something makes that isn't the row of an UPDATE itself. */
static void progMade(ProgWalk *p, int m){
  p->pOut->mMade |= m | (m & KVMADE_ALL)<<KVMADE_OTHERS;
}

/* ---- rows that are deleted --------------------------------------------------- */

/* The loop over the rows ends. */
static void progLoopEnd(ProgWalk *p){
  ProgTable *pTable = p->bCollects ? progTableOf(p, p->pLoop->zAddress) : 0;
  p->pLoop = 0;
  if( pTable==0 ) return;
  pTable->bPart |= p->bElse;
  pTable->bNull |= p->bNull;
  if( p->nCompare>pTable->nCompare ) pTable->nCompare = p->nCompare;
}

/* An instruction between the first row and the next one.  What can't jump leaves no row
** out; that a column is NULL goes with its comparison. */
static void progInLoop(ProgWalk *p, const ProgInstr *pInstr){
  int iColumn = p->iColumn;
  p->iColumn = -1;
  if( pInstr->eOp==PROG_VNEXT && pInstr->iP1==p->pLoop->iCursor ) progLoopEnd(p);
  else if( pInstr->eOp==PROG_VCOLUMN ) p->iColumn = pInstr->iP3;
  else if( pInstr->eOp==PROG_ISNULL && pInstr->iP1==iColumn ) p->bNull = 1;
  else if( pInstr->mFlags & OPF_COLLECTS ) p->bCollects = 1;
  else if( pInstr->mFlags & OPF_COMPARES ) p->nCompare++;
  else if( (pInstr->mFlags & OPF_HARMLESS)==0 ) p->bElse = 1;
}

static void progFilter(ProgWalk *p, const ProgInstr *pInstr){
  ProgCursor *pCursor = progCursor(p, pInstr->iP1, 0);
  if( pInstr->iP1==0 && strstr(pInstr->zP4, "as_of=?") ) p->bPast = 1;
  if( p->pLoop ){                      /* how this one ends isn't followed */
    ProgTable *pTable = pCursor ? progTableOf(p, pCursor->zAddress) : 0;
    if( pTable ) pTable->bPart = 1;
    return;
  }
  p->pLoop = pCursor;
  p->nCompare = 0;
  p->iColumn = -1;
  p->bCollects = p->bElse = p->bNull = 0;
}

/* ---- rows that are returned ---------------------------------------------------- */

/* Some registers are read. */
static void progUsed(ProgWalk *p, int iReg, int n){
  for(; n>0; n--, iReg++){
    if( iReg>=p->iReg && iReg<p->iReg+p->nReg ) p->mReturned |= KVRETURN_BIT(iReg-p->iReg-1);
  }
}

/* An instruction before the VUpdate of the main program. */
static void progReturning(ProgWalk *p, const ProgInstr *pInstr){
  const ProgInstr *pBefore = &p->before;
  int iRowid = pInstr->iP2 - 1;
  int bInside = p->nReg && pInstr->iP1>=p->iReg && pInstr->iP1<p->iReg+p->nReg;
  if( pInstr->eOp==PROG_COPY && !bInside
   && ((pBefore->eOp==PROG_INTEGER && pBefore->iP1==-1 && pBefore->iP2==iRowid)
      || (pBefore->eOp==PROG_MUSTBEINT && pBefore->iP1==iRowid))
  ){
    p->iReg = iRowid;
    p->nReg = pInstr->iP3 + 2;
    p->bDone = 0;
    p->mReturned = 0;
  }else if( p->nReg && !p->bDone ){
    if( pInstr->eOp==PROG_INSERT ){
      p->bDone = 1;
    }else if( pInstr->eOp==PROG_COPY ){
      progUsed(p, pInstr->iP1, pInstr->iP3 + 1);
    }else if( (pInstr->mFlags & OPF_NOREG)==0 ){
      progUsed(p, pInstr->iP1, 1);
      if( (pInstr->mFlags & OPF_JUMPS)==0 ) progUsed(p, pInstr->iP2, 1);
      progUsed(p, pInstr->iP3, 1);
    }
  }
}

static void progUpdate(ProgWalk *p, const ProgInstr *pInstr){
  ProgTable *pTable = progTableOf(p, pInstr->zP4);
  p->pOut->mMade |= KVMADE_STORES;
  if( pTable==0 ) return;
  pTable->bDeletes = 1;
  if( p->pLoop || pInstr->iP2!=1 ) pTable->bPart = 1;
  if( pInstr->iP2==1 ) pTable->bPast |= p->bPast;
  if( p->iProgram==1 && p->bReturns && pInstr->iP2>1 ){
    int bTold = p->bDone && p->nReg==pInstr->iP2-1;
    pTable->mReturned |= bTold ? p->mReturned : ~(u64)0;
  }
  p->nReg = 0;
}

/* ---- marks ------------------------------------------------------------------- */

/* An error that may have rolled the transaction back.  Others just mean that a
** statement can't be recognized. */
static int progFatal(int rc){
  return rc!=SQLITE_OK && rc!=SQLITE_ERROR && rc!=SQLITE_AUTH;
}

/*
** A virtual table is called vtab:ADDRESS in a program.  Which one is json_each, or one
** of its like, identifies a statement that reads nothing else.  True if it is the
** one at zAddress, or is unknown.
*/
static int progIsAt(ProgWalk *p, const char *zTable, const char *zAddress){
  KvExplain walk;
  int b = 0, rc;
  kvExplainOpen(&walk, p->pConn->db, "EXPLAIN SELECT 1 FROM \"%w\"", zTable);
  if( walk.rc==SQLITE_ERROR ) return 0;          /* no such table */
  while( !b && kvExplainNext(&walk) ){
    b = walk.zP4 && strcmp(walk.zOp, "VOpen")==0 && strcmp(walk.zP4, zAddress)==0;
  }
  rc = kvExplainClose(&walk);
  if( rc==SQLITE_AUTH ) return 1;                /* it may be this one */
  if( rc!=SQLITE_OK ) p->rc = rc;
  return b;
}

/* The first column of a query's first row, 0 if there is none or it is NULL.  The
** query is freed. */
static char *progAsk(ProgWalk *p, char *zSql){
  sqlite3_stmt *pStmt = 0;
  const char *zText;
  char *z = 0;
  int rc = zSql ? sqlite3_prepare_v2(p->pConn->db, zSql, -1, &pStmt, 0) : SQLITE_NOMEM;
  sqlite3_free(zSql);
  if( rc==SQLITE_OK ) rc = sqlite3_step(pStmt);
  if( rc==SQLITE_ROW && sqlite3_column_type(pStmt, 0)!=SQLITE_NULL ){
    zText = (const char*)sqlite3_column_text(pStmt, 0);
    if( zText ) z = sqlite3_mprintf("%s", zText);
    if( z==0 ) rc = SQLITE_NOMEM;
  }
  sqlite3_finalize(pStmt);
  if( rc!=SQLITE_ROW && rc!=SQLITE_DONE ) p->rc = rc;
  return z;
}

/* What some columns of the table at an address make: of one of ours, or of json_each and
** its like, whose column "value" is the second one.  In some versions of SQLite the
** arrays and objects among those have no mark: json_array() takes them for strings. */
static int progOfColumns(ProgWalk *p, const char *zAddress, u64 mRead){
  static const char *const azEach[] = { "json_each", "json_tree", "jsonb_each", "jsonb_tree" };
  char zBuf[PROG_ADDRESS];
  const KvVtab *pTab;
  u32 i;
  for(pTab=p->pConn->pTables; pTab; pTab=pTab->pNext){
    sqlite3_snprintf(PROG_ADDRESS, zBuf, "vtab:%p", (const void*)&pTab->base);
    if( strcmp(zBuf, zAddress)!=0 ) continue;
    return (pTab->mJson & mRead ? KVMADE_JSON : 0) | (pTab->mJs & mRead ? KVMADE_JS : 0)
         | (pTab->mRaw & mRead ? KVMADE_RAW : 0);
  }
  for(i=0; p->rc==SQLITE_OK && (mRead & 2) && i<KV_COUNT(azEach); i++){
    char *zMarked;
    if( !progIsAt(p, azEach[i], zAddress) ) continue;
    zMarked = progAsk(p, sqlite3_mprintf(
        "SELECT 1 FROM json_each('[[1]]') WHERE json_array(value) = '[[1]]'"));
    if( !progFatal(p->rc) ) p->rc = SQLITE_OK;
    sqlite3_free(zMarked);
    return KVMADE_JSON | (azEach[i][4]=='b' ? KVMADE_JSONB|KVMADE_DROPS : 0)
         | (zMarked ? 0 : KVMADE_DROPS);
  }
  return 0;
}

/* What the cursors read. */
static void progRead(ProgWalk *p){
  int i, m;
  for(i=0; i<p->nCursor && p->rc==SQLITE_OK; i++){
    const ProgCursor *pCursor = &p->aCursor[i];
    if( pCursor->mRead==0 ) continue;
    m = progOfColumns(p, pCursor->zAddress, pCursor->mRead);
    if( pCursor->bRow ) p->pOut->mMade |= m;
    else progMade(p, m);
  }
}

/* The name of schema iDb of a program, 0 after an error. */
static char *progDb(ProgWalk *p, int iDb){
  char *z;
  if( iDb>1 ){
    return progAsk(p, sqlite3_mprintf("SELECT name FROM pragma_database_list WHERE seq = %d", iDb));
  }
  z = sqlite3_mprintf("%s", iDb ? "temp" : "main");
  if( z==0 ) p->rc = SQLITE_NOMEM;
  return z;
}

/* The program depends on the schema iDb.  Whether that is another one is what a store in
** it knows (any store for temp). */
static void progSchemaUsed(ProgWalk *p, int iDb){
  const KvStore *pStore = p->pConn->pStores;
  char *zDb;
  p->pOut->bSchema = 1;
  if( iDb==1 ) return;
  zDb = progDb(p, iDb);
  while( zDb && pStore && !kvStoreIs(pStore, zDb, 0) ) pStore = kvStoreNext(pStore);
  if( zDb==0 || pStore==0 ) p->pOut->bKeep = 0;
  sqlite3_free(zDb);
}

/* What the expressions of an index make, or of all indexes of a table. */
static int progOfIndex(ProgWalk *p, const char *zDb, const char *zName){
  KvExplain walk;
  int m = 0;
  kvExplainOpen(&walk, p->pConn->db, "EXPLAIN REINDEX \"%w\".\"%w\"", zDb, zName);
  while( kvExplainNext(&walk) ) m |= progCalled(walk.zP4) & KVMADE_ALL;
  p->rc = kvExplainClose(&walk);
  return m;
}

/*
** An index may hold what an expression makes, and SQLite reads that from the index where
** the statement has the expression or a generated column: without a mark, and without a
** call of its function.  So what the expressions of an index make that is opened counts as
** made and dropped, whether or not it is read.  Bound values may make the statement open
** an index that its text alone doesn't: of a table that is opened, see progReadAll().
*/
static void progIndexed(ProgWalk *p, int iRoot, int iDb){
  char *zDb = progDb(p, iDb);
  char *z = zDb==0 ? 0 : progAsk(p, sqlite3_mprintf(
      "SELECT iif(type = 'index', 'i', 't') || name FROM \"%w\".sqlite_schema AS t WHERE "
      "rootpage = %d AND EXISTS (SELECT 1 FROM \"%w\".sqlite_schema AS i WHERE "
      "i.type = 'index' AND i.tbl_name = t.tbl_name AND i.sql IS NOT NULL)", zDb, iRoot, zDb));
  if( z && z[0]=='t' && p->bBinds ){
    p->mIndexed |= progOfIndex(p, zDb, z+1);
  }else if( z && z[0]=='i' ){
    int m = progOfIndex(p, zDb, z+1);
    if( m ) progMade(p, m|KVMADE_DROPS);
  }
  sqlite3_free(z);
  sqlite3_free(zDb);
}

/* ---- programs ------------------------------------------------------------------ */

static void progOpen(ProgWalk *p, const ProgInstr *pInstr){
  KvProgram *pOut = p->pOut;
  ProgRoot root = { pInstr->iP2, pInstr->iP3 };
  pOut->bOpens = 1;
  if( pOut->read.iRoot==0 ) pOut->read = root;
  if( pInstr->eOp==PROG_OPENWRITE && pOut->nRoot<=PROG_ROOTS ){
    if( pOut->nRoot<PROG_ROOTS ) pOut->aRoot[pOut->nRoot] = root;
    pOut->nRoot++;
  }
  if( (pInstr->mP5 & 0x10)==0 ) progIndexed(p, root.iRoot, root.iDb);   /* P2 is no register */
}

/* A function is called. */
static void progFunction(ProgWalk *p, const ProgInstr *pInstr){
  static const char *const azGet[] = { "kv_get" };
  static const char *const azPure[] = { "kv_key", "->", "->>", "json", "json_extract" };
  if( progCalls(pInstr, azGet, 1) ) p->nGet++;
  else if( !progCalls(pInstr, azPure, KV_COUNT(azPure)) ) p->bOdd = 1;
}

/* One instruction. */
static void progLine(ProgWalk *p, const ProgInstr *pInstr){
  ProgCursor *pCursor;
  if( (pInstr->mFlags & OPF_ALONE)==0 ) p->bOdd = 1;
  if( pInstr->mFlags & OPF_DROPS ) p->pOut->mMade |= KVMADE_DROPS;
  if( pInstr->eOp==PROG_VUPDATE ) progUpdate(p, pInstr);
  if( p->pLoop ) progInLoop(p, pInstr);
  if( p->bReturns && p->iProgram==1 ) progReturning(p, pInstr);
  p->before = *pInstr;
  progMade(p, progCalled(pInstr->zP4));
  switch( pInstr->eOp ){
    case PROG_AGGREGATE:               /* kv_atomic() gets its arguments as they are */
      if( strncmp(pInstr->zP4, "kv_atomic(", 10)!=0 ) p->pOut->mMade |= KVMADE_DROPS;
      break;
    case PROG_COPY:                    /* 2: of what a subquery shows */
      if( pInstr->mP5 & 2 ) p->pOut->mMade |= KVMADE_DROPS;
      break;
    case PROG_FUNCTION:
      progFunction(p, pInstr);
      break;
    case PROG_REOPEN:
    case PROG_OPENREAD:
    case PROG_OPENWRITE:
      progOpen(p, pInstr);
      break;
    case PROG_TRANSACTION:
      progSchemaUsed(p, pInstr->iP1);
      break;
    case PROG_VOPEN:
      pCursor = progCursor(p, pInstr->iP1, 1);
      if( pCursor ) sqlite3_snprintf(PROG_ADDRESS, pCursor->zAddress, "%s", pInstr->zP4);
      break;
    case PROG_VFILTER:
      progFilter(p, pInstr);
      break;
    case PROG_VCOLUMN:
      pCursor = progCursor(p, pInstr->iP1, 1);
      if( pCursor && (pInstr->mP5 & 1) ) pCursor->bRow = 1;
      else if( pCursor ) pCursor->mRead |= (u64)1<<(pInstr->iP2 & 63);
      break;
    default:
      break;
  }
}

/* Has the statement rows of its own?  PRAGMA count_changes gives writes one, too. */
static int progHasRows(sqlite3_stmt *pStmt){
  const char *z = sqlite3_column_name(pStmt, 0);
  return sqlite3_column_count(pStmt)>0 && (z==0 || strcmp(z, "rows inserted")!=0);
}

/* Read a statement's program.  False after an error that may have rolled the transaction
** back; what can't be read otherwise isn't known. */
static int progReadAll(KvConn *pConn, sqlite3_stmt *pStmt, KvProgram *p, KvError *pError){
  ProgWalk walk;
  ProgInstr instr;
  KvExplain program;
  int rc;
  memset(&walk, 0, sizeof(walk));
  walk.pConn = pConn;
  walk.pOut = p;
  walk.bReturns = (u8)progHasRows(pStmt);
  walk.bBinds = sqlite3_bind_parameter_count(pStmt)>0;
  p->bKeep = 1;
  kvExplainOpen(&program, pConn->db, "EXPLAIN %s", kvSqlStart(sqlite3_sql(pStmt)));
  while( kvExplainNext(&program) ){
    if( program.iProgram!=walk.iProgram ){
      walk.iProgram = program.iProgram;
      walk.pLoop = 0;
      walk.bPast = 0;
    }
    progInstr(&program, &instr);
    progLine(&walk, &instr);
    if( walk.rc!=SQLITE_OK ) program.rc = walk.rc;
  }
  rc = kvExplainClose(&program);
  if( rc==SQLITE_OK ){
    progRead(&walk);
    rc = walk.rc;
  }
  if( p->mMade & walk.mIndexed ) p->mMade |= KVMADE_DROPS;
  p->bKnown = rc==SQLITE_OK && !walk.bTooMany;
  p->bKeep = p->bKeep && (rc==SQLITE_OK || rc==SQLITE_AUTH);
  p->bGets = p->bKnown && walk.nGet==1 && !walk.bOdd && walk.iProgram==1;
  if( rc==SQLITE_NOMEM ) kvErrorCode(pError, rc);
  else if( progFatal(rc) ) kvError(pError, rc, "kv: %s", sqlite3_errstr(rc));
  return !progFatal(rc);
}

/* ---- what is known --------------------------------------------------------------- */

static void progClear(KvProgram *p){
  sqlite3_free(p->zSql);
  memset(p, 0, sizeof(*p));
}

static void progForgetAll(struct KvPrograms *p){
  int i;
  for(i=0; i<PROG_KNOWN; i++) progClear(&p->a[i]);
  p->bForget = 0;
}

void kvProgramsForget(KvConn *p){
  if( p->pPrograms ) p->pPrograms->bForget = 1;      /* it may be in use */
}

void kvProgramsFree(KvConn *p){
  if( p->pPrograms==0 ) return;
  progForgetAll(p->pPrograms);
  sqlite3_free(p->pPrograms);
  p->pPrograms = 0;
}

/* A number that is another one when the schema of a store's file, or the temporary one,
** has changed: each of theirs grows, and so does the list, until kvProgramsForget().
** *pbKeep is false if that is unknown.  Files without a transaction aren't asked, but
** one for the temporary schema. */
static u32 progSchema(KvConn *p, int *pbKeep, KvError *pError){
  KvStore *pStore;
  KvError fatal = { SQLITE_OK, 0 };
  u32 iSchema = 0;
  int nAsked = 0;
  *pbKeep = p->pStores!=0;
  for(pStore=p->pStores; pStore; pStore=kvStoreNext(pStore)){
    KvError error;
    KV_ASSERT( !kvFailed(kvStoreError(pStore)) );
    iSchema = iSchema*31 + 1;
    if( kvStoreTxnState(pStore)==SQLITE_TXN_NONE && (nAsked>0 || kvStoreNext(pStore)) ) continue;
    iSchema += kvSchemaCount(pStore);
    nAsked++;
    error = kvErrorAside(kvStoreError(pStore));
    if( kvFailed(&error) ) *pbKeep = 0;
    if( progFatal(error.rc) ) kvErrorMove(&fatal, &error);
    kvErrorClear(&error);
  }
  kvErrorMove(pError, &fatal);
  return iSchema;
}

/* The slot of a statement: the one that it has, or a free one. */
static KvProgram *progSlot(struct KvPrograms *p, sqlite3_stmt *pStmt, int nReprepare){
  int i;
  for(i=0; i<PROG_KNOWN; i++){
    KvProgram *pKnown = &p->a[i];
    if( pKnown->pStmt==pStmt && pKnown->nReprepare==nReprepare && pKnown->zSql
     && strcmp(pKnown->zSql, sqlite3_sql(pStmt))==0
    ){
      return pKnown;
    }
  }
  i = p->iNext;
  p->iNext = (i+1)%PROG_KNOWN;
  progClear(&p->a[i]);
  return &p->a[i];
}

/* What is known of a statement, read if need be; 0 after an error. */
static const KvProgram *progLook(KvConn *pConn, sqlite3_stmt *pStmt, KvError *pError){
  struct KvPrograms *p = pConn->pPrograms;
  int nReprepare = sqlite3_stmt_status(pStmt, SQLITE_STMTSTATUS_REPREPARE, 0);
  KvProgram *pKnown;
  u32 iSchema = 0;
  int bKeep = 1;
  if( p->bForget ) progForgetAll(p);
  pKnown = progSlot(p, pStmt, nReprepare);
  if( pKnown->zSql && !pKnown->bSchema ) return pKnown;
  iSchema = progSchema(pConn, &bKeep, pError);
  if( kvFailed(pError) ) return 0;
  if( bKeep && pKnown->zSql && pKnown->iSchema==iSchema ) return pKnown;
  progClear(pKnown);
  if( !progReadAll(pConn, pStmt, pKnown, pError) ) return 0;
  if( !pKnown->bSchema ) bKeep = 1;
  if( bKeep && pKnown->bKeep ){
    pKnown->zSql = sqlite3_mprintf("%s", sqlite3_sql(pStmt));
    pKnown->pStmt = pStmt;
    pKnown->nReprepare = nReprepare;
    pKnown->iSchema = iSchema;
    if( pKnown->zSql==0 ) kvErrorCode(pError, SQLITE_NOMEM);
  }else{
    p->iNext = (int)(pKnown - p->a);
  }
  return kvFailed(pError) ? 0 : pKnown;
}

static const KvProgram *progOf(KvConn *p, sqlite3_stmt *pStmt, KvError *pError){
  const KvProgram *pProgram;
  if( p->pPrograms==0 && (p->pPrograms = kvZeroed(sizeof(*p->pPrograms)))==0 ){
    kvErrorCode(pError, SQLITE_NOMEM);
    return 0;
  }
  p->pPrograms->bLooking = 1;
  pProgram = progLook(p, pStmt, pError);
  p->pPrograms->bLooking = 0;
  return pProgram;
}

/* ---- the statements that run ------------------------------------------------------- */

#define PROG_READS  1     /* Those that only read, too */
#define PROG_INNER  2     /* Those of this library, too */

/* The next one; 0: there is none, or after an error.  *pp is what is known of it.
** (Preparing a statement may call a function of ours: then none is looked at.) */
static sqlite3_stmt *progNext(
  KvConn *p, sqlite3_stmt *pStmt, int mWhich, const KvProgram **pp, KvError *pError
){
  *pp = 0;
  if( p->pPrograms && p->pPrograms->bLooking ) return 0;
  while( !kvFailed(pError) && (pStmt = sqlite3_next_stmt(p->db, pStmt))!=0 ){
    if( !sqlite3_stmt_busy(pStmt) ) continue;
    if( (mWhich & PROG_READS)==0 && sqlite3_stmt_readonly(pStmt) ) continue;
    if( sqlite3_sql(pStmt)==0 ) continue;        /* it is that of sqlite3_blob_open() */
    if( (mWhich & PROG_INNER)==0 && kvStmtOurs(pStmt) ) continue;
    *pp = progOf(p, pStmt, pError);
    return *pp ? pStmt : 0;
  }
  return 0;
}

/* What the program does to a virtual table; 0: nothing. */
static const ProgTable *progOn(const KvProgram *p, const sqlite3_vtab *pVtab){
  char zAddress[PROG_ADDRESS];
  sqlite3_snprintf(PROG_ADDRESS, zAddress, "vtab:%p", (const void*)pVtab);
  return progTable(p, zAddress);
}

/* kvProgramRuns() of the first nMost statements; 0 if there are more. */
static sqlite3_stmt *progRuns(sqlite3 *db, int nMost){
  sqlite3_stmt *pStmt, *pAny = 0, *pRuns = 0;
  int nAny = 0, nRuns = 0;
  /* Of those that are under way, one that has no row yet is not waiting for the
  ** application to fetch the next one; nor is there anything to tell if there is only one */
  for(pStmt=sqlite3_next_stmt(db, 0); pStmt; pStmt=sqlite3_next_stmt(db, pStmt)){
    if( nMost--==0 ) return 0;
    if( !sqlite3_stmt_busy(pStmt) || kvStmtOurs(pStmt) ) continue;
    pAny = pStmt;
    nAny++;
    if( sqlite3_data_count(pStmt)>0 ) continue;
    pRuns = pStmt;
    nRuns++;
  }
  return nRuns==1 ? pRuns : nAny==1 ? pAny : 0;
}

sqlite3_stmt *kvProgramRuns(sqlite3 *db){
  return progRuns(db, -1);
}

/* True if the statement that runs has sorted, or made an index for itself.  Bound
** values may have given it another plan than its text alone has. */
static int progSorted(sqlite3_stmt *pStmt){
  return sqlite3_stmt_status(pStmt, SQLITE_STMTSTATUS_SORT, 0)>0
      || sqlite3_stmt_status(pStmt, SQLITE_STMTSTATUS_AUTOINDEX, 0)>0;
}

int kvProgramMade(KvConn *p, int mUse, KvError *pError){
  const KvProgram *pKnown;
  sqlite3_stmt *pStmt = 0;
  int mMade = 0;
  while( (pStmt = progNext(p, pStmt, PROG_READS|PROG_INNER, &pKnown, pError))!=0 ){
    int m = pKnown->bKnown ? pKnown->mMade : ~0;
    if( (m & mUse) && ((m & KVMADE_DROPS) || progSorted(pStmt)) ) mMade |= m;
  }
  return mMade;
}

int kvProgramWritesKv(KvConn *p, KvStore *pStore){
  KvError *pError = kvStoreError(pStore);
  const KvProgram *pKnown;
  sqlite3_stmt *pStmt = 0;
  ProgRoot aRoot[PROG_ROOTS];
  int i, nRoot = 0;
  if( kvStoreTxnState(pStore)!=SQLITE_TXN_WRITE ) return 0;
  while( (pStmt = progNext(p, pStmt, PROG_INNER, &pKnown, pError))!=0 ){
    KvStmt *pKv;
    if( !pKnown->bKnown || pKnown->nRoot>PROG_ROOTS ) return 1;
    nRoot = pKnown->nRoot;             /* most write to no table at all, but to kv_entries */
    if( nRoot==0 ) continue;
    memcpy(aRoot, pKnown->aRoot, sizeof(aRoot));
    pKv = kvStmtTake(pStore, KVSQL_WHERE_KV);
    pKnown = pKv ? progOf(p, pKv->pStmt, pError) : 0;
    for(i=0; pKnown && i<nRoot; i++){
      if( memcmp(&aRoot[i], &pKnown->read, sizeof(aRoot[i]))==0 ) break;
    }
    kvStmtGive(pKv);
    if( pKnown && (i<nRoot || !pKnown->bKnown) ) return 1;
  }
  return 0;
}

int kvProgramOpens(KvConn *p, KvError *pError){
  const KvProgram *pKnown;
  sqlite3_stmt *pStmt = 0;
  while( (pStmt = progNext(p, pStmt, PROG_READS|PROG_INNER, &pKnown, pError))!=0 ){
    if( pKnown->bOpens || !pKnown->bKnown ) return 1;
  }
  return 0;
}

int kvProgramDeletesAll(KvConn *p, const sqlite3_vtab *pVtab, int nCompare, KvError *pError){
  const KvProgram *pKnown;
  sqlite3_stmt *pStmt = 0;
  int bDeletes = 0;
  while( (pStmt = progNext(p, pStmt, 0, &pKnown, pError))!=0 ){
    const ProgTable *pTable = progOn(pKnown, pVtab);
    if( !pKnown->bKnown ) return 0;
    if( pTable==0 || !pTable->bDeletes ) continue;
    if( pTable->bPart || pTable->nCompare>nCompare || (pTable->bNull && nCompare==0) ) return 0;
    bDeletes = 1;
  }
  return bDeletes && !kvFailed(pError);
}

int kvProgramDeletesPast(KvConn *p, const sqlite3_vtab *pVtab, KvError *pError){
  const KvProgram *pKnown;
  sqlite3_stmt *pStmt = 0;
  while( (pStmt = progNext(p, pStmt, 0, &pKnown, pError))!=0 ){
    const ProgTable *pTable = progOn(pKnown, pVtab);
    if( !pKnown->bKnown || (pTable && pTable->bPast) ) return 1;
  }
  return 0;
}

u64 kvProgramReturned(KvConn *p, const sqlite3_vtab *pVtab, KvError *pError){
  sqlite3_stmt *pStmt = 0;
  u64 mReturned = 0;
  if( p->pPrograms && p->pPrograms->bLooking ) return 0;
  while( (pStmt = sqlite3_next_stmt(p->db, pStmt))!=0 ){
    const KvProgram *pKnown;
    const ProgTable *pTable;
    /* All rows are written before the first is returned */
    if( !sqlite3_stmt_busy(pStmt) || sqlite3_column_count(pStmt)==0 || sqlite3_data_count(pStmt)>0
     || sqlite3_stmt_readonly(pStmt) || sqlite3_sql(pStmt)==0
    ){
      continue;
    }
    pKnown = progOf(p, pStmt, pError);
    if( pKnown==0 ) break;
    pTable = progOn(pKnown, pVtab);
    if( pTable ) mReturned |= pTable->mReturned;
    if( !pKnown->bKnown && progHasRows(pStmt) ) mReturned = ~(u64)0;
  }
  return mReturned;
}

/* To look through more statements than these takes longer than to read, and so does looking at
** one that is run once. */
#define PROG_GETS 128
#ifdef KV_DEBUG
# define PROG_RUN 1
#else
# define PROG_RUN 2
#endif

int kvProgramGets(KvConn *p){
  const KvProgram *pKnown;
  sqlite3_stmt *pStmt;
  KvError error = { 0, 0 };
  int b;
  if( p->pPrograms && p->pPrograms->bLooking ) return 0;
  pStmt = progRuns(p->db, PROG_GETS);
  if( pStmt==0 || sqlite3_stmt_status(pStmt, SQLITE_STMTSTATUS_RUN, 0)<PROG_RUN ) return 0;
  pKnown = progOf(p, pStmt, &error);
  b = pKnown && pKnown->bGets;
  kvErrorClear(&error);
  return b;
}
