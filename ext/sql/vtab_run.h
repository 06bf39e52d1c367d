/*
** vtab_run.h -- the hidden table and function kv_run, through which run.c runs a
** statement of its own.
*/
#ifndef KV_VTAB_RUN_H
#define KV_VTAB_RUN_H

#include "sql/call.h"
#include "sql/vtab.h"

extern const KvVtabDef kvRunTable;
extern const KvFunc kvFuncsRun[];

/* The transaction drops the collection zName of a schema.  SQLITE_OK, or it can't. */
int kvRunDropped(KvConn *pConn, const char *zSchema, const char *zName);

#endif /* KV_VTAB_RUN_H */
