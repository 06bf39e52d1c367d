/*
** vtab_stats.h -- the table kv_stats.
*/
#ifndef KV_VTAB_STATS_H
#define KV_VTAB_STATS_H

#include "sql/vtab.h"

extern const KvVtabDef kvStatsTable;

#endif /* KV_VTAB_STATS_H */
