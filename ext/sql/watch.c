/*
** watch.c -- sleeping until a database file may have changed.  See watch.h.
*/
#include "sql/watch.h"
SQLITE_EXTENSION_INIT3

/* Intervals between looks, in us.  After a write: WATCH_FIRST, growing fourfold up to
** WATCH_SHORT and then twofold.  WATCH_BUSY where there are writes all the time, or
** nothing reports them. */
#define WATCH_FIRST     50
#define WATCH_SHORT   1000
#define WATCH_BUSY    5000
#define WATCH_IDLE    (KVWATCH_IDLE*1000)

void kvWatchInit(KvWatch *p){
  p->fd = p->iWal = -1;
  p->zFile = 0;
  kvWatchBegin(p);
}

void kvWatchBegin(KvWatch *p){
  p->nDelay = 0;
  p->nIdle = 0;
}

#ifdef __linux__
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/select.h>
#include <sys/vfs.h>
#include <unistd.h>

/* A rename or removal makes the watch of a name that of another file. */
#define WATCH_EVENTS  (IN_MODIFY|IN_ATTRIB|IN_MOVE_SELF|IN_DELETE_SELF)

void kvWatchClear(KvWatch *p){
  if( p->fd>=0 ) close(p->fd);
  kvWatchInit(p);
}

/* Is the file on a file system that only this machine writes to? */
static int watchLocal(const char *zFile){
  static const u32 aLocal[] = {
    0xef53,               /* ext2, 3, 4 */
    0x58465342,           /* XFS */
    0x9123683e,           /* Btrfs */
    0x01021994,           /* tmpfs */
    0xf2f52010,           /* F2FS */
    0x2fc12fc1,           /* ZFS */
    0xca451a4e,           /* bcachefs */
    0x794c7630            /* overlayfs */
  };
  struct statfs fs;
  size_t i;
  if( statfs(zFile, &fs)!=0 ) return 0;
  for(i=0; i<sizeof(aLocal)/sizeof(aLocal[0]); i++){
    if( (u32)fs.f_type==aLocal[i] ) return 1;
  }
  return 0;
}

/* The name of the main file, if it is SQLite's own VFS that writes it. */
static const char *watchName(sqlite3 *db){
  const char *zFile = sqlite3_db_filename(db, "main");
  char *zVfs = 0;
  int bOwn;
  if( zFile==0 || zFile[0]==0 ) return 0;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_VFSNAME, &zVfs);
  bOwn = zVfs!=0 && strncmp(zVfs, "unix", 4)==0;
  sqlite3_free(zVfs);
  return bOwn && watchLocal(zFile) ? zFile : 0;
}

static int watchAdd(KvWatch *p, const char *zFile){
  return inotify_add_watch(p->fd, zFile, WATCH_EVENTS);
}

/* Watch the files that there are now by these names.  There need be no -wal. */
static void watchFiles(KvWatch *p){
  if( watchAdd(p, p->zFile)<0 ){
    p->zFile = 0;
    return;
  }
  p->iWal = watchAdd(p, sqlite3_filename_wal(p->zFile));
  if( p->iWal<0 && errno!=ENOENT ) p->zFile = 0;
}

static void watchOpen(KvWatch *p, sqlite3 *db){
  p->zFile = watchName(db);
  if( p->zFile==0 ) return;
  if( p->fd<0 ) p->fd = inotify_init1(IN_CLOEXEC|IN_NONBLOCK);
  if( p->fd<0 ) p->zFile = 0;
  else watchFiles(p);
}

/* Forget the events that there are.  0: there are none. */
static int watchDrain(KvWatch *p){
  union {
    struct inotify_event event;        /* Aligns a */
    char a[1024];
  } u;
  u32 mAll = 0;
  ssize_t n, i;
  while( (n = read(p->fd, u.a, sizeof(u.a)))>0 ){
    for(i=0; i<n; ){
      struct inotify_event event;
      memcpy(&event, &u.a[i], sizeof(event));
      mAll |= event.mask;
      i += (ssize_t)sizeof(event) + (ssize_t)event.len;
    }
  }
  if( mAll & ~(u32)IN_MODIFY ) watchFiles(p);
  return mAll!=0;
}

static void watchNap(i64 nMicro){
  struct timeval t;
  t.tv_sec = 0;
  t.tv_usec = (suseconds_t)nMicro;
  select(0, 0, 0, 0, &t);
}

/* Sleep until a file is written, at most nMost us.  False: none was. */
static int watchPoll(KvWatch *p, i64 nMost){
  struct pollfd fd;
  fd.fd = p->fd;
  fd.events = POLLIN;
  fd.revents = 0;
  if( watchDrain(p) ){
    p->nDelay = WATCH_BUSY;            /* there were writes after the first one */
    watchNap(nMost<WATCH_BUSY ? nMost : WATCH_BUSY);
    return 1;
  }
  if( poll(&fd, 1, (int)((nMost+999)/1000))<=0 || !watchDrain(p) ) return 0;
  p->nDelay = WATCH_FIRST;
  return 1;
}

/* The same at a growing interval, up to WATCH_IDLE. */
static int watchQuiet(KvWatch *p, i64 nMost){
  if( p->nDelay>WATCH_IDLE ) p->nDelay = WATCH_IDLE;
  if( !watchPoll(p, nMost) && nMost==WATCH_IDLE && ++p->nIdle<KVWATCH_LOOKS ) return 0;
  p->nIdle = 0;
  if( p->iWal<0 ) watchFiles(p);
  return 1;
}

int kvWatchSleep(KvWatch *p, sqlite3 *db, i64 nMost){
  i64 nMicro = nMost<KVWATCH_IDLE ? nMost*1000 : WATCH_IDLE;
  if( p->nDelay==0 ){
    p->nDelay = WATCH_FIRST;
    watchOpen(p, db);
  }
  if( nMicro>p->nDelay ) nMicro = p->nDelay;
  p->nDelay *= p->nDelay<WATCH_SHORT ? 4 : 2;
  if( p->zFile && nMicro>=WATCH_BUSY ) return watchQuiet(p, nMicro);
  if( p->zFile ){
    watchNap(nMicro);
  }else{
    if( p->nDelay>WATCH_BUSY ) p->nDelay = WATCH_BUSY;
    sqlite3_sleep((int)((nMicro+999)/1000));
  }
  return 1;
}
#else
void kvWatchClear(KvWatch *p){
  (void)p;
}

int kvWatchSleep(KvWatch *p, sqlite3 *db, i64 nMost){
  i64 nMicro = p->nDelay==0 ? WATCH_SHORT : p->nDelay;
  (void)db;
  p->nDelay = nMicro*2<WATCH_BUSY ? nMicro*2 : WATCH_BUSY;
  sqlite3_sleep((int)(nMicro/1000<nMost ? nMicro/1000 : nMost));
  return 1;
}
#endif
