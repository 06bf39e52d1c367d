/*
** named.h -- an eponymous table addressed by the name of another database.
*/
#ifndef KV_NAMED_H
#define KV_NAMED_H

#include "sqlite3ext.h"
#include "bytes/buf.h"

/* What a table remembers: when no statement had its name behind a dot, the newest one was
** this, with this text. */
typedef struct KvNamed KvNamed;
struct KvNamed {
  const void *pNewest;
  char zSql[500];
};

/* An error if the statement that reads or writes the table zTable calls it by the name of
** another database, or of none.  Only the first nMost bytes of its text are searched. */
int kvNamedCheck(KvNamed *p, sqlite3 *db, const char *zTable, i64 nMost, char **pzErr);

#endif /* KV_NAMED_H */
