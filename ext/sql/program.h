/*
** program.h -- what the programs of running statements say.
**
** SQLite gives functions and virtual tables little information on the calling statement.
** EXPLAIN lists its program: what it reads and writes, those of its views and
** triggers included.  All questions about it are here; each statement's program is
** read once, and what it says is remembered.
**
** Opcodes are no stable interface: what isn't known is taken for the worst.
*/
#ifndef KV_PROGRAM_H
#define KV_PROGRAM_H

#include "sql/conn.h"

/* What statements make: values of these kinds, which are marked (a bit mask) ... */
#define KVMADE_JSON     0x01  /* JSON text */
#define KVMADE_JS       0x02  /* JS text */
#define KVMADE_RAW      0x04  /* Raw values */
#define KVMADE_JSONB    0x08  /* SQLite's binary JSON, which never has a mark */
#define KVMADE_ALL      0x0f
/* ... and what they use values for: */
#define KVMADE_STORES   0x10  /* It stores them, */
#define KVMADE_PARTS    0x20  /* ... puts them into others: kv_value_set(), */
#define KVMADE_KEYS     0x40  /* ... into keys: kv_key(), */
#define KVMADE_ENCODES  0x80  /* ... or makes bytes or JS text of them: kv_value_encode() */
#define KVMADE_USES     0xf0
#define KVMADE_DROPS    0x100 /* It may drop marks */
#define KVMADE_OTHERS   9     /* KVMADE_ALL<<9: what it makes otherwise than by reading the
                              ** row that an UPDATE changes */
/* A mask of these for the running statements that use values in the way mUse and may
** have dropped marks.  An error may have rolled the transaction back. */
int kvProgramMade(KvConn *p, int mUse, KvError *pError);

/* Does a running statement write to the store's table kv by plain SQL, itself or
** through a trigger?  An error is the store's. */
int kvProgramWritesKv(KvConn *p, KvStore *pStore);

/* Does a running statement open a table that isn't virtual? */
int kvProgramOpens(KvConn *p, KvError *pError);

/*
** Do the running statements that delete from a virtual table first collect all of its
** rows?  SQLite doesn't pass on conditions such as random() > 0, but they are in
** the program, between its rows.  nCompare is how many comparisons SQLite may make for
** each row: those of constraints passed to xBestIndex, on columns that are never NULL.
*/
int kvProgramDeletesAll(KvConn *p, const sqlite3_vtab *pVtab, int nCompare, KvError *pError);

/* Does a running statement change the rows that the table's first cursor finds as they
** were (as_of)? */
int kvProgramDeletesPast(KvConn *p, const sqlite3_vtab *pVtab, KvError *pError);

/* The columns of the virtual table that the INSERT which runs returns by RETURNING, alone or
** in an expression: a mask of KVRETURN_BIT(), 0 if it has none.  For its xUpdate, of a row that
** isn't bInner. */
u64 kvProgramReturned(KvConn *p, const sqlite3_vtab *pVtab, KvError *pError);
#define KVRETURN_ROWID   1
#define KVRETURN_BIT(i)  ((u64)1 << ((i)<62 ? (i) + 1 : 63))   /* those beyond share a bit */

/* Is one call of kv_get() all that the statement which runs reads?  From its second run
** on; no error. */
int kvProgramGets(KvConn *p);

/* The application's running statement, 0 if it is unknown. */
sqlite3_stmt *kvProgramRuns(sqlite3 *db);

/* A store is being freed: what is known depends on its schema. */
void kvProgramsForget(KvConn *p);
void kvProgramsFree(KvConn *p);

#endif /* KV_PROGRAM_H */
