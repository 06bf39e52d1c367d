/*
** main.c -- the fault harness: see fault.h.
**
**   kvfault MODE ?OPTIONS? SCRIPT ...
**
** Modes: memory (SQLite's allocator fails), api (a call of the API fails), io,
** full, busy (a call of the file system fails: with an I/O error, for want of
** space, or because a lock is held), limit (one of sqlite3_limit()'s limits is
** small), crash (the power fails).
**
**   -kv FILE        the extension (build/kv.so)
**   -dir DIR        where the files go
**   -persist        from the fault on everything of the kind fails
**   -step N         only every N-th place, from one that -seed tells
**   -seed N
**   -journal MODE   delete, wal, truncate, persist
**   -sync MODE      PRAGMA synchronous
**   -encoding E     of the database: UTF-8 or UTF-16
**   -block NAME     this block only
**   -at N           this place only
**   -v              tell every fault
**
** The last line is "N passed, M failed"; each failure is told.
*/
#include "fault.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/stat.h>

Fault g_fault;
Setup g_setup = { "build/kv.so", "/tmp", "delete", "full", "UTF-8", 1, 0, 0, 4 };
int (*g_xInit)(sqlite3*, char**, const sqlite3_api_routines*);
long g_passed, g_failed;
const char *g_zOnlyBlock;
long g_iOnly;

int faultHit(int eKind){
  if( eKind!=g_fault.eKind || g_fault.iAt==0 ) return 0;
  g_fault.n++;
  if( g_fault.n<g_fault.iAt || (g_fault.n>g_fault.iAt && !g_fault.bPersist) ) return 0;
  g_fault.nHit++;            /* a breakpoint here shows where it fails */
  return 1;
}

void die(const char *zFormat, ...){
  va_list ap;
  va_start(ap, zFormat);
  fprintf(stderr, "kvfault: ");
  vfprintf(stderr, zFormat, ap);
  fprintf(stderr, "\n");
  va_end(ap);
  exit(3);
}

void *need(size_t n){
  void *p = calloc(1, n ? n : 1);
  if( p==0 ) die("out of memory");
  return p;
}

void textAdd(Text *p, const char *z, size_t n){
  if( p->n+n+1>p->nAlloc ){
    p->nAlloc = p->nAlloc*2 + n + 64;
    p->z = realloc(p->z, p->nAlloc);
    if( p->z==0 ) die("out of memory");
  }
  if( n ) memcpy(p->z+p->n, z, n);
  p->n += n;
  p->z[p->n] = 0;
}
void textReset(Text *p){ p->n = 0; }
void textFree(Text *p){ free(p->z); memset(p, 0, sizeof(*p)); }

void report(const char *zWhere, const char *zFormat, ...){
  va_list ap;
  g_failed++;
  if( g_failed>40 && !g_setup.bVerbose ) return;
  printf("! %s: ", zWhere);
  va_start(ap, zFormat);
  vprintf(zFormat, ap);
  va_end(ap);
  printf("\n");
  fflush(stdout);
}

/* ------------------------------------------------------------- memory */

static sqlite3_mem_methods memReal;
static void *memMalloc(int n){ return faultHit(KIND_MEMORY) ? 0 : memReal.xMalloc(n); }
static void *memRealloc(void *p, int n){ return faultHit(KIND_MEMORY) ? 0 : memReal.xRealloc(p, n); }

static void memInit(void){
  sqlite3_mem_methods m;
  sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);   /* would hide allocations */
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memReal);
  m = memReal;
  m.xMalloc = memMalloc;
  m.xRealloc = memRealloc;
  sqlite3_config(SQLITE_CONFIG_MALLOC, &m);
}

/* -------------------------------------------------------------- options */

static const char *option(int argc, char **argv, int *pi){
  if( *pi+1>=argc ) die("%s needs an argument", argv[*pi]);
  return argv[++*pi];
}

int main(int argc, char **argv){
  static const struct { const char *z; int e; } aMode[] = {
    { "memory", KIND_MEMORY }, { "api", KIND_API }, { "io", KIND_IO },
    { "full", KIND_FULL }, { "busy", KIND_BUSY }, { "limit", KIND_LIMIT },
    { "crash", KIND_NONE },
  };
  void *pLib;
  int i, eMode = -1;
  if( argc<2 ) die("usage: kvfault MODE ?OPTIONS? SCRIPT ...");
  for(i=0; i<7; i++) if( strcmp(argv[1], aMode[i].z)==0 ) eMode = i;
  if( eMode<0 ) die("no such mode: %s", argv[1]);
  g_fault.eKind = aMode[eMode].e;
  memInit();
  sqlite3_initialize();
  vfsInit();
  apiInit();
  for(i=2; i<argc && argv[i][0]=='-'; i++){
    const char *z = argv[i];
    if( strcmp(z, "-kv")==0 ) g_setup.zKv = option(argc, argv, &i);
    else if( strcmp(z, "-dir")==0 ) g_setup.zDir = option(argc, argv, &i);
    else if( strcmp(z, "-persist")==0 ) g_fault.bPersist = 1;
    else if( strcmp(z, "-step")==0 ) g_setup.nStep = atol(option(argc, argv, &i));
    else if( strcmp(z, "-seed")==0 ) g_setup.iSeed = atol(option(argc, argv, &i));
    else if( strcmp(z, "-images")==0 ) g_setup.nImage = atoi(option(argc, argv, &i));
    else if( strcmp(z, "-journal")==0 ) g_setup.zJournal = option(argc, argv, &i);
    else if( strcmp(z, "-sync")==0 ) g_setup.zSync = option(argc, argv, &i);
    else if( strcmp(z, "-encoding")==0 ) g_setup.zEncoding = option(argc, argv, &i);
    else if( strcmp(z, "-block")==0 ) g_zOnlyBlock = option(argc, argv, &i);
    else if( strcmp(z, "-at")==0 ) g_iOnly = atol(option(argc, argv, &i));
    else if( strcmp(z, "-v")==0 ) g_setup.bVerbose = 1;
    else die("no such option: %s", z);
  }
  pLib = dlopen(g_setup.zKv, RTLD_NOW|RTLD_LOCAL);
  if( pLib==0 ) die("%s", dlerror());
  *(void**)&g_xInit = dlsym(pLib, "sqlite3_kv_init");
  if( g_xInit==0 ) die("%s has no sqlite3_kv_init", g_setup.zKv);
  mkdir(g_setup.zDir, 0777);
  g_setup.zDir = realpath(g_setup.zDir, 0);
  if( g_setup.zDir==0 ) die("no such directory");
  for(; i<argc; i++){
    Script script;
    scriptRead(&script, argv[i]);
    if( eMode==6 ) runCrashes(&script);
    else runFaults(&script);
    scriptFree(&script);
  }
  printf("%ld passed, %ld failed\n", g_passed, g_failed);
  return g_failed>0;
}
