/*
** func.h -- a table of SQL functions, such as each func_x.c has; kv.c registers them.
*/
#ifndef KV_FUNC_H
#define KV_FUNC_H

#include "sqlite3ext.h"

/* Flags that an older sqlite3.h lacks; libraries that do not know them
** ignore them. */
#ifndef SQLITE_SUBTYPE
# define SQLITE_SUBTYPE 0x000100000
#endif
#ifndef SQLITE_RESULT_SUBTYPE
# define SQLITE_RESULT_SUBTYPE 0x001000000
#endif
/* Flags of pure functions. */
#define KV_PURE (SQLITE_DETERMINISTIC|SQLITE_INNOCUOUS)

/* An SQL function, whose user data is the KvConn. */
typedef struct KvFunc KvFunc;
struct KvFunc {
  const char *zName;      /* 0: the end of the list */
  int nArg;               /* -1: any number */
  int mFlags;             /* Added to SQLITE_UTF8 */
  void (*xFunc)(sqlite3_context*, int, sqlite3_value**);
};

#endif /* KV_FUNC_H */
