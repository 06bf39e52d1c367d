/*
** named.h -- an eponymous table addressed by the name of another database.
*/
#ifndef KV_NAMED_H
#define KV_NAMED_H

#include "sqlite3ext.h"
#include "bytes/buf.h"

/* May any statement that is prepared need this check? */
int kvNamedMaybe(sqlite3 *db, const char *zTable);
/* An error if the statement that reads or writes the table zTable does that.  Only
** the first nMost bytes of its text are searched. */
int kvNamedCheck(sqlite3 *db, const char *zTable, i64 nMost, char **pzErr);

#endif /* KV_NAMED_H */
