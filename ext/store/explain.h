/*
** explain.h -- the program of a statement, as EXPLAIN lists it: its own
** instructions, then those of the triggers that it fires.
**
**   kvExplainOpen(&walk, db, "EXPLAIN %s", zSql);
**   while( kvExplainNext(&walk) ){ ... }
**   rc = kvExplainClose(&walk);
**
** It takes no lock on the file, as reading the schema would.  Opcodes are no stable
** interface: what isn't known has to be taken for the worst.
*/
#ifndef KV_EXPLAIN_H
#define KV_EXPLAIN_H

#include "store/error.h"

typedef struct KvExplain KvExplain;
struct KvExplain {
  sqlite3_stmt *pStmt;
  int rc;                 /* SQLITE_OK, or the error */
  int iProgram;           /* 1: the statement's own; then those of triggers */
  const char *zOp;        /* The instruction: its opcode, ... */
  const char *zP4;        /* ... and P4, or 0 */
};

/* Begin with the EXPLAIN statement that zFormat makes. */
void kvExplainOpen(KvExplain *p, sqlite3 *db, const char *zFormat, ...);
/* Go to the next instruction.  False at the end, or after an error; then it may be
** gone through once more. */
int kvExplainNext(KvExplain *p);
/* P1, P2, P3 or P5 of the instruction. */
int kvExplainP(const KvExplain *p, int i);
/* SQLITE_OK, or an error: the program isn't known, or not all of it. */
int kvExplainClose(KvExplain *p);

#endif /* KV_EXPLAIN_H */
