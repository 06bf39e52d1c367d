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

#endif /* KV_VTAB_RUN_H */
