/*
** watch.h -- sleeping until a database file may have changed.
**
** On Linux inotify reports writes to the file and to its -wal, and a waiter sleeps
** until there is one.  A write is reported before it is committed, so the waiter
** then looks at growing intervals.  Now and then it looks without a report.
**
** Without inotify, on a file system that other machines write to, and under a VFS
** other than SQLite's own, it looks every few ms.
*/
#ifndef KV_WATCH_H
#define KV_WATCH_H

#include "sqlite3ext.h"
#include "bytes/types.h"

#define KVWATCH_IDLE   200   /* The longest sleep in ms */
#define KVWATCH_LOOKS    5   /* A look after that many of them */

/* What a connection keeps from one wait to the next, since closing it takes Linux
** milliseconds. */
typedef struct KvWatch KvWatch;
struct KvWatch {
  int fd;                 /* Of inotify, or -1 */
  int iWal;               /* Watch of the -wal file, or -1 */
  const char *zFile;      /* SQLite's name of the file, or 0: not watched */
  i64 nDelay;             /* The next sleep in us; 0: before the first */
  int nIdle;              /* Longest sleeps since the last look */
};

void kvWatchInit(KvWatch *p);
void kvWatchClear(KvWatch *p);

/* Begin to wait: the first sleeps are short. */
void kvWatchBegin(KvWatch *p);
/* Sleep until the main file may have changed, for at most nMost and at most
** KVWATCH_IDLE ms.  True if it is time to look at the file. */
int kvWatchSleep(KvWatch *p, sqlite3 *db, i64 nMost);

#endif /* KV_WATCH_H */
