/*
** vtab_help.h -- the table kv_help.
*/
#ifndef KV_VTAB_HELP_H
#define KV_VTAB_HELP_H

#include "sql/vtab.h"

extern const KvVtabDef kvHelpTable;

#endif /* KV_VTAB_HELP_H */
