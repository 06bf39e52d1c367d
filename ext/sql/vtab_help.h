/*
** vtab_help.h -- the table kv_help.
*/
#ifndef KV_VTAB_HELP_H
#define KV_VTAB_HELP_H

#include "sqlite3ext.h"

extern const sqlite3_module kvHelpModule;

#endif /* KV_VTAB_HELP_H */
