/*
** sqlite.c -- the table of SQLite's functions, through which a loadable
** extension calls them.  sqlite3_kv_init() stores it; the codecs built alone
** (-DKV_STANDALONE) have none.
*/
#include "bytes/buf.h"
#ifndef KV_STANDALONE
# include "sqlite3ext.h"
SQLITE_EXTENSION_INIT1
#endif
