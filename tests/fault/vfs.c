/*
** vfs.c -- the VFS of the fault harness.
**
** It stands in front of the default one, tells the time that the harness has
** set, lets calls fail, and can keep a record of what a loss of power would
** leave: for each file what has been synced, and the list of what has been
** done to it since.
*/
#include "fault.h"
#include <unistd.h>

long long g_time = TIME_BEGIN;
void (*g_xCrashPoint)(void);

static sqlite3_vfs *vfsReal;
static sqlite3_vfs vfsShim;

/* ----------------------------------------------------------- the record */

/* What has been done to a file and not been synced. */
enum { PEND_WRITE, PEND_TRUNCATE, PEND_DELETE, PEND_CREATE };
typedef struct Pend Pend;
struct Pend {
  int e;
  sqlite3_int64 iOfst;    /* WRITE; TRUNCATE: the size */
  int n;
  unsigned char *a;
};
typedef struct Disk Disk;
struct Disk {
  char *zName;            /* Full path */
  int bThere;             /* It is on the disk */
  Text synced;            /* ... with these bytes */
  Pend *aPend;
  int nPend;
  Disk *pNext;
};
static Disk *diskList;
static int diskOn, diskDeleteLasts;

static void bytesWrite(Text *p, sqlite3_int64 iOfst, const void *a, size_t n){
  static const char aZero[512];
  while( p->n<(size_t)iOfst ){
    size_t nGap = (size_t)iOfst-p->n;
    textAdd(p, aZero, nGap<sizeof(aZero) ? nGap : sizeof(aZero));
  }
  if( p->n<(size_t)iOfst+n ){
    size_t nIn = p->n-(size_t)iOfst;
    memcpy(p->z+iOfst, a, nIn);
    textAdd(p, (const char*)a+nIn, n-nIn);
  }else{
    memcpy(p->z+iOfst, a, n);
  }
}

static Disk *diskFind(const char *zName){
  Disk *p;
  size_t n = zName ? strlen(zName) : 0;
  if( !diskOn || n==0 || strncmp(zName, g_setup.zDir, strlen(g_setup.zDir))!=0 ) return 0;
  if( n>4 && strcmp(zName+n-4, "-shm")==0 ) return 0;
  for(p=diskList; p; p=p->pNext) if( strcmp(p->zName, zName)==0 ) return p;
  p = need(sizeof(*p));
  p->zName = need(n+1);
  memcpy(p->zName, zName, n);
  p->pNext = diskList;
  diskList = p;
  return p;
}

static void diskPend(Disk *p, int e, sqlite3_int64 iOfst, const void *a, int n){
  Pend *pNew;
  p->aPend = realloc(p->aPend, (size_t)(p->nPend+1)*sizeof(Pend));
  if( p->aPend==0 ) die("out of memory");
  pNew = &p->aPend[p->nPend++];
  pNew->e = e;
  pNew->iOfst = iOfst;
  pNew->n = n;
  pNew->a = 0;
  if( n ){
    pNew->a = need((size_t)n);
    memcpy(pNew->a, a, (size_t)n);
  }
}

static void diskForget(Disk *p){
  int i;
  for(i=0; i<p->nPend; i++) free(p->aPend[i].a);
  free(p->aPend);
  p->aPend = 0;
  p->nPend = 0;
}

/* Carry one step out on the bytes of a file. */
static void pendApply(const Pend *p, int *pbThere, Text *pBytes){
  switch( p->e ){
    case PEND_WRITE:    bytesWrite(pBytes, p->iOfst, p->a, (size_t)p->n); break;
    case PEND_TRUNCATE: if( (size_t)p->iOfst<pBytes->n ) pBytes->n = (size_t)p->iOfst; break;
    case PEND_DELETE:   *pbThere = 0; textReset(pBytes); break;
    default:            *pbThere = 1; break;
  }
}

static void diskSync(Disk *p){
  int i;
  for(i=0; i<p->nPend; i++) pendApply(&p->aPend[i], &p->bThere, &p->synced);
  diskForget(p);
}

/* A file is synced.  What was done to the folder before, deleting and making
** of other files, lasts with it, as on file systems that keep a journal. */
static void diskSyncFolder(void){
  Disk *p;
  for(p=diskList; p; p=p->pNext){
    int i, n = 0;
    for(i=0; i<p->nPend; i++){
      if( p->aPend[i].e==PEND_DELETE || p->aPend[i].e==PEND_CREATE ) n = i+1;
    }
    for(i=0; i<n; i++){
      if( p->aPend[i].e==PEND_DELETE || p->aPend[i].e==PEND_CREATE ){
        pendApply(&p->aPend[i], &p->bThere, &p->synced);
      }
      free(p->aPend[i].a);
    }
    if( n==0 ) continue;
    p->nPend -= n;
    memmove(p->aPend, p->aPend+n, (size_t)p->nPend*sizeof(Pend));
  }
}

void vfsRecord(int bOn, int bDeleteLasts){
  while( diskList ){
    Disk *p = diskList;
    diskList = p->pNext;
    diskForget(p);
    textFree(&p->synced);
    free(p->zName);
    free(p);
  }
  diskOn = bOn;
  diskDeleteLasts = bDeleteLasts;
}

static unsigned diskRandom;
static unsigned draw(unsigned n){
  diskRandom ^= diskRandom<<13;
  diskRandom ^= diskRandom>>17;
  diskRandom ^= diskRandom<<5;
  return diskRandom%n;
}

/* A write that was under way: each sector of it has arrived, or not, or holds
** anything at all. */
static void tear(const Pend *p, Text *pBytes, unsigned nKeep){
  int i, n;
  for(i=0; i<p->n; i+=n){
    unsigned char aTrash[512];
    unsigned x = draw(100);
    n = 512 - (int)((p->iOfst+i)%512);
    if( n>p->n-i ) n = p->n-i;
    if( x<nKeep ){
      bytesWrite(pBytes, p->iOfst+i, p->a+i, (size_t)n);
    }else if( x>=97 ){
      int j;
      for(j=0; j<n; j++) aTrash[j] = (unsigned char)draw(256);
      bytesWrite(pBytes, p->iOfst+i, aTrash, (size_t)n);
    }
  }
}

/* The kinds of loss: everything since the sync, nothing of it, or parts. */
static void diskImage(Disk *p, const char *zTo, unsigned iKind){
  Text bytes = {0, 0, 0};
  char z[1200];
  int i, bThere = p->bThere;
  unsigned nKeep = iKind==0 ? 0 : iKind==1 ? 100 : 20+draw(70);
  textAdd(&bytes, p->synced.z ? p->synced.z : "", p->synced.n);
  for(i=0; i<p->nPend; i++){
    const Pend *pPend = &p->aPend[i];
    if( pPend->e==PEND_WRITE ){
      if( nKeep==100 ) pendApply(pPend, &bThere, &bytes);
      else if( nKeep>0 ) tear(pPend, &bytes, nKeep);
    }else if( pPend->e==PEND_DELETE || pPend->e==PEND_CREATE ){
      /* What is behind it is done to another file. */
      if( draw(100)>=nKeep ) break;
      pendApply(pPend, &bThere, &bytes);
    }else if( draw(100)<nKeep ){
      pendApply(pPend, &bThere, &bytes);
    }
  }
  snprintf(z, sizeof(z), "%s/%s", zTo, strrchr(p->zName, '/')+1);
  unlink(z);
  if( bThere ){
    FILE *f = fopen(z, "wb");
    if( f==0 || (bytes.n && fwrite(bytes.z, 1, bytes.n, f)!=bytes.n) || fclose(f)!=0 ) die("cannot write %s", z);
  }
  textFree(&bytes);
}

void vfsCrashImage(const char *zTo, unsigned iSeed){
  Disk *p;
  diskRandom = iSeed*2654435761u + 1;
  for(p=diskList; p; p=p->pNext) diskImage(p, zTo, iSeed%4);
}

/* ---------------------------------------------------------------- files */

typedef struct ShimFile ShimFile;
struct ShimFile {
  sqlite3_file base;
  Disk *pDisk;
  int bDeleteOnClose;
};
#define REAL(P) ((sqlite3_file*)&((ShimFile*)(P))[1])

static int failIo(int rc){
  return faultHit(KIND_IO) ? rc : SQLITE_OK;
}

static int shimClose(sqlite3_file *p){
  sqlite3_file *pReal = REAL(p);
  return pReal->pMethods ? pReal->pMethods->xClose(pReal) : SQLITE_OK;
}
static int shimRead(sqlite3_file *p, void *a, int n, sqlite3_int64 i){
  if( failIo(1) ) return SQLITE_IOERR_READ;
  return REAL(p)->pMethods->xRead(REAL(p), a, n, i);
}
static int shimWrite(sqlite3_file *p, const void *a, int n, sqlite3_int64 i){
  Disk *pDisk = ((ShimFile*)p)->pDisk;
  if( failIo(1) ){
    /* Half of it has been written. */
    REAL(p)->pMethods->xWrite(REAL(p), a, n/2, i);
    return SQLITE_IOERR_WRITE;
  }
  if( faultHit(KIND_FULL) ) return SQLITE_FULL;
  if( pDisk && diskOn ) diskPend(pDisk, PEND_WRITE, i, a, n);
  return REAL(p)->pMethods->xWrite(REAL(p), a, n, i);
}
static int shimTruncate(sqlite3_file *p, sqlite3_int64 n){
  Disk *pDisk = ((ShimFile*)p)->pDisk;
  if( failIo(1) ) return SQLITE_IOERR_TRUNCATE;
  if( pDisk && diskOn ) diskPend(pDisk, PEND_TRUNCATE, n, 0, 0);
  return REAL(p)->pMethods->xTruncate(REAL(p), n);
}
static int shimSync(sqlite3_file *p, int f){
  Disk *pDisk = ((ShimFile*)p)->pDisk;
  if( failIo(1) ) return SQLITE_IOERR_FSYNC;
  if( pDisk && diskOn ){
    if( g_xCrashPoint ) g_xCrashPoint();
    diskSync(pDisk);
    diskSyncFolder();
    return SQLITE_OK;                  /* the real disk has no part in it */
  }
  return REAL(p)->pMethods->xSync(REAL(p), f);
}
static int shimSize(sqlite3_file *p, sqlite3_int64 *pn){
  if( failIo(1) ) return SQLITE_IOERR_FSTAT;
  return REAL(p)->pMethods->xFileSize(REAL(p), pn);
}
static int shimLock(sqlite3_file *p, int e){
  if( failIo(1) ) return SQLITE_IOERR_LOCK;
  if( faultHit(KIND_BUSY) ) return SQLITE_BUSY;
  return REAL(p)->pMethods->xLock(REAL(p), e);
}
static int shimUnlock(sqlite3_file *p, int e){
  return REAL(p)->pMethods->xUnlock(REAL(p), e);
}
static int shimReserved(sqlite3_file *p, int *pb){
  if( failIo(1) ) return SQLITE_IOERR_CHECKRESERVEDLOCK;
  return REAL(p)->pMethods->xCheckReservedLock(REAL(p), pb);
}
static int shimControl(sqlite3_file *p, int op, void *pArg){
  return REAL(p)->pMethods->xFileControl(REAL(p), op, pArg);
}
static int shimSector(sqlite3_file *p){
  return REAL(p)->pMethods->xSectorSize(REAL(p));
}
static int shimDevice(sqlite3_file *p){
  return REAL(p)->pMethods->xDeviceCharacteristics(REAL(p));
}
static int shimShmMap(sqlite3_file *p, int i, int n, int b, void volatile **pp){
  if( failIo(1) ) return SQLITE_IOERR_SHMMAP;
  return REAL(p)->pMethods->xShmMap(REAL(p), i, n, b, pp);
}
static int shimShmLock(sqlite3_file *p, int i, int n, int f){
  if( f & SQLITE_SHM_LOCK ){
    if( failIo(1) ) return SQLITE_IOERR_SHMLOCK;
    if( faultHit(KIND_BUSY) ) return SQLITE_BUSY;
  }
  return REAL(p)->pMethods->xShmLock(REAL(p), i, n, f);
}
static void shimBarrier(sqlite3_file *p){
  REAL(p)->pMethods->xShmBarrier(REAL(p));
}
static int shimShmUnmap(sqlite3_file *p, int b){
  return REAL(p)->pMethods->xShmUnmap(REAL(p), b);
}

static const sqlite3_io_methods shimMethods = {
  2, shimClose, shimRead, shimWrite, shimTruncate, shimSync, shimSize,
  shimLock, shimUnlock, shimReserved, shimControl, shimSector, shimDevice,
  shimShmMap, shimShmLock, shimBarrier, shimShmUnmap, 0, 0
};

static int shimOpen(sqlite3_vfs *pVfs, const char *zName, sqlite3_file *p, int f, int *pf){
  ShimFile *pFile = (ShimFile*)p;
  int rc, bThere = 0;
  (void)pVfs;
  memset(pFile, 0, sizeof(*pFile));
  if( failIo(1) ) return SQLITE_CANTOPEN;
  if( zName && !(f & SQLITE_OPEN_DELETEONCLOSE) ) pFile->pDisk = diskFind(zName);
  if( pFile->pDisk ) bThere = access(zName, F_OK)==0;
  rc = vfsReal->xOpen(vfsReal, zName, REAL(p), f, pf);
  if( REAL(p)->pMethods ) p->pMethods = &shimMethods;
  if( rc==SQLITE_OK && pFile->pDisk && !bThere ) diskPend(pFile->pDisk, PEND_CREATE, 0, 0, 0);
  return rc;
}
static int shimDelete(sqlite3_vfs *pVfs, const char *zName, int bSync){
  Disk *pDisk = diskFind(zName);
  int rc;
  (void)pVfs;
  if( failIo(1) ) return SQLITE_IOERR_DELETE;
  if( pDisk && g_xCrashPoint ) g_xCrashPoint();
  rc = vfsReal->xDelete(vfsReal, zName, bSync);
  if( rc==SQLITE_OK && pDisk ){
    diskPend(pDisk, PEND_DELETE, 0, 0, 0);
    if( bSync || diskDeleteLasts ) diskSync(pDisk);
  }
  return rc;
}
static int shimAccess(sqlite3_vfs *pVfs, const char *zName, int f, int *pb){
  (void)pVfs;
  if( failIo(1) ) return SQLITE_IOERR_ACCESS;
  return vfsReal->xAccess(vfsReal, zName, f, pb);
}
static int shimFullPath(sqlite3_vfs *pVfs, const char *zName, int n, char *z){
  (void)pVfs;
  return vfsReal->xFullPathname(vfsReal, zName, n, z);
}
static int shimSleep(sqlite3_vfs *pVfs, int n){
  (void)pVfs;
  return vfsReal->xSleep(vfsReal, n);
}
static int shimRandomness(sqlite3_vfs *pVfs, int n, char *z){
  (void)pVfs;
  return vfsReal->xRandomness(vfsReal, n, z);
}
static int shimTime(sqlite3_vfs *pVfs, double *pr){
  (void)pVfs;
  *pr = (double)(g_time + 210866760000000LL)/86400000.0;
  return SQLITE_OK;
}
static int shimTime64(sqlite3_vfs *pVfs, sqlite3_int64 *pi){
  (void)pVfs;
  *pi = g_time + 210866760000000LL;
  return SQLITE_OK;
}
static int shimLastError(sqlite3_vfs *pVfs, int n, char *z){
  (void)pVfs; (void)n; (void)z;
  return 0;
}

void vfsInit(void){
  vfsReal = sqlite3_vfs_find(0);
  memset(&vfsShim, 0, sizeof(vfsShim));
  vfsShim.iVersion = 2;
  vfsShim.szOsFile = vfsReal->szOsFile + (int)sizeof(ShimFile);
  vfsShim.mxPathname = vfsReal->mxPathname;
  vfsShim.zName = "fault";
  vfsShim.xOpen = shimOpen;
  vfsShim.xDelete = shimDelete;
  vfsShim.xAccess = shimAccess;
  vfsShim.xFullPathname = shimFullPath;
  vfsShim.xRandomness = shimRandomness;
  vfsShim.xSleep = shimSleep;
  vfsShim.xCurrentTime = shimTime;
  vfsShim.xCurrentTimeInt64 = shimTime64;
  vfsShim.xGetLastError = shimLastError;
  sqlite3_vfs_register(&vfsShim, 1);
}
