/*
** clock.h -- the time and random names, from SQLite's VFS.
*/
#ifndef KV_CLOCK_H
#define KV_CLOCK_H

#include "bytes/buf.h"

/* Milliseconds since 1970. */
i64 kvNow(void);

/* A random UUID, version 4, in lower case, into z (37 bytes). */
#define KV_UUID_TEXT 37
void kvUuid(char *z);

#endif /* KV_CLOCK_H */
