/*
** vtab_args.h -- arguments of CREATE VIRTUAL TABLE t USING module(schema,
** tables='prefix').
*/
#ifndef KV_VTAB_ARGS_H
#define KV_VTAB_ARGS_H

#include "sqlite3ext.h"

/* *pzSchema and *pzPrefix must be 0; they become copies that the caller frees,
** after an error too.  SQLITE_OK, or an error with a message in *pzErr. */
int kvModuleArgs(
  sqlite3 *db, int argc, const char *const *argv,
  char **pzSchema, char **pzPrefix, char **pzErr
);

#endif /* KV_VTAB_ARGS_H */
