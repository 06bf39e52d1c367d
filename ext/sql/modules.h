/*
** modules.h -- the functions and virtual tables that kv.c registers.
**
** Each source whose name begins with func_ or vtab_ defines what is named after it.
*/
#ifndef KV_MODULES_H
#define KV_MODULES_H

#include "sql/call.h"
#include "sql/vtab.h"

extern const KvFunc kvFuncsAtomic[], kvFuncsConfig[], kvFuncsExport[], kvFuncsGet[],
  kvFuncsHistory[],
  kvFuncsId[], kvFuncsIndex[], kvFuncsInfer[], kvFuncsKey[], kvFuncsOp[], kvFuncsPublish[],
  kvFuncsValue[], kvFuncsWait[], kvFuncsWords[], kvFuncsDequeue[];

extern const KvVtabDef kvAtomicTable, kvChangesTable, kvCheckTable, kvChildrenTable,
  kvCollectionTable,
  kvDequeueTable, kvEntriesTable, kvFieldsTable, kvHelpTable, kvImportTable,
  kvIndexesTable, kvLookupTable, kvPartsTable, kvPublishedTable, kvQueueTable, kvStatsTable,
  kvVersionsTable;

/* The aggregate kv_atomic(). */
void kvAtomicStep(sqlite3_context *ctx, int nArg, sqlite3_value **apArg);
void kvAtomicFinal(sqlite3_context *ctx);

/* The collations: an SQLite result code. */
int kvAddCollations(sqlite3 *db);

#endif /* KV_MODULES_H */
