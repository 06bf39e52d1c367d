/*
** cluster.c -- the store of a cluster of dqlite.  See cluster.h.
*/
#include "serve/cluster.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "serve/clock.h"
#include "serve/job.h"

#define CLUSTER_BATCH    100             /* Operations of one statement; each has two parameters */
#define CLUSTER_BYTES    (4*1024*1024)   /* ... of so many bytes, unless one alone has more */
#define CLUSTER_OLD_MS   600000          /* Until an outcome is removed */
#define CLUSTER_TIDY_MS  5000            /* How often that is done */

static int clusterIsOn;

int clusterOn(void){ return clusterIsOn; }

int clusterInit(const char *zMembers, const char *zDatabase){
  if( !linkSetup(zMembers, zDatabase) ){
    fprintf(stderr, "kv-serve: --cluster: members are such as 10.0.0.1:9001,10.0.0.2:9001\n");
    return -1;
  }
  if( jobInit() ){
    perror("kv-serve");
    return -1;
  }
  clusterIsOn = 1;
  return 0;
}

int clusterPause(i64 iUntil){
  struct timespec ts = { 0, 0 };
  u8 iRandom;
  if( clockMs()>=iUntil ) return 0;
  /* Servers that wait for the same lock don't do it in step */
  sqlite3_randomness(1, &iRandom);
  ts.tv_nsec = 1000000 + iRandom*20000;
  nanosleep(&ts, 0);
  return 1;
}

/* ---- reading -------------------------------------------------------------- */

static void clusterBlob(Wire *p, KvBytes b){ wireParamBlob(p, b.p, b.n); }

/* Columns from aValue[0] on: k, v, v_encoding, version. */
static void clusterEntry(BaseEntry *p, const WireValue *aValue){
  p->key = kvBytes(aValue[0].a, (u32)aValue[0].n);
  p->value = kvBytes(aValue[1].a, (u32)aValue[1].n);
  p->eEncoding = (int)aValue[2].i;
  p->iVersion = aValue[3].i;
}

/* The statement that reads the ranges. */
static void clusterRangesSql(KvBuf *pSql, const ClusterRange *a, u32 n){
  u32 i;
  for(i=0; i<n; i++){
    char z[40];
    snprintf(z, sizeof(z), "%sSELECT %u, * FROM (", i ? " UNION ALL " : "", i);
    kvBufText(pSql, z);
    kvBufText(pSql, "SELECT k, v, v_encoding, version FROM kv WHERE k >= ? AND k < ? "
        "AND expiration_ms NOT BETWEEN 0 AND ? ORDER BY k");
    kvBufText(pSql, a[i].bReverse ? " DESC LIMIT ?)" : " LIMIT ?)");
  }
  kvBufTerminate(pSql);
}

int clusterRanges(
  Link *p, const ClusterRange *a, u32 n,
  int (*xRow)(void*, u32 iRange, const BaseEntry*), void *pArg
){
  KvBuf sql = { 0 };
  WireValue aValue[5];
  Wire *pWire;
  u32 i;
  int rc = linkOpen(p);
  if( rc!=LINK_OK ) return rc;
  clusterRangesSql(&sql, a, n);
  if( sql.eErr ){
    kvBufClear(&sql);
    return LINK_LOST;
  }
  pWire = linkStatement(p, (const char*)sql.a, 4*n);
  kvBufClear(&sql);
  for(i=0; i<n; i++){
    clusterBlob(pWire, a[i].start);
    clusterBlob(pWire, a[i].end);
    wireParamNumber(pWire, clockNow());
    wireParamNumber(pWire, a[i].nLimit);
  }
  rc = linkQuery(p, 5, 1);
  if( rc!=LINK_OK ) return rc;
  while( (rc = linkRow(p, aValue))==1 ){
    BaseEntry entry;
    clusterEntry(&entry, &aValue[1]);
    if( aValue[0].i<0 || aValue[0].i>=n ) break;
    /* What isn't wanted any more is read all the same, up to the end */
    xRow(pArg, (u32)aValue[0].i, &entry);
  }
  if( rc!=0 ){
    linkClose(p);
    return LINK_LOST;
  }
  return linkConfirm(p);
}

int clusterEntries(
  Link *p, const KvBytes *aKey, u32 n, int bValue, void (*xRow)(void*, const BaseEntry*), void *pArg
){
  char zSql[200+2*CLUSTER_KEYS];
  WireValue aValue[4];
  Wire *pWire;
  size_t nSql;
  u32 i;
  int rc = linkOpen(p);
  if( rc!=LINK_OK ) return rc;
  KV_ASSERT( n>0 && n<=CLUSTER_KEYS );
  nSql = (size_t)snprintf(zSql, sizeof(zSql), "SELECT k, %s, version FROM kv "
      "WHERE expiration_ms NOT BETWEEN 0 AND ? AND k IN (?", bValue ? "v, v_encoding" : "NULL, 0");
  for(i=1; i<n; i++){
    zSql[nSql++] = ',';
    zSql[nSql++] = '?';
  }
  strcpy(&zSql[nSql], ")");
  pWire = linkStatement(p, zSql, n+1);
  wireParamNumber(pWire, clockNow());
  for(i=0; i<n; i++) clusterBlob(pWire, aKey[i]);
  rc = linkQuery(p, 4, 1);
  if( rc!=LINK_OK ) return rc;
  while( (rc = linkRow(p, aValue))==1 ){
    BaseEntry entry;
    clusterEntry(&entry, aValue);
    xRow(pArg, &entry);
  }
  return rc==0 ? linkConfirm(p) : LINK_LOST;
}

int clusterNumbers(
  Link *p, int bStrong, const char *zSql, unsigned nParam, i64 iFirst, i64 iSecond,
  i64 *a, unsigned n
){
  WireValue aValue[8];
  Wire *pWire;
  unsigned i;
  int rc = linkOpen(p);
  if( rc!=LINK_OK ) return rc;
  KV_ASSERT( n<=8 && nParam<=2 );
  pWire = linkStatement(p, zSql, nParam);
  if( nParam>0 ) wireParamNumber(pWire, iFirst);
  if( nParam>1 ) wireParamNumber(pWire, iSecond);
  rc = linkQuery(p, n, bStrong);
  if( rc!=LINK_OK ) return rc;
  memset(a, 0, n*sizeof(*a));
  while( (rc = linkRow(p, aValue))==1 ){
    for(i=0; i<n; i++) a[i] = aValue[i].i;
  }
  if( rc!=0 ) return LINK_LOST;
  return bStrong ? linkConfirm(p) : LINK_OK;
}

/* ---- writing -------------------------------------------------------------- */

/* Is the error that the tables are not there? */
static int clusterNoTable(const Link *p){
  return (linkCode(p) & 0xff)==SQLITE_ERROR && strstr(linkError(p), "no such table")!=0;
}

/* Make them. */
static void clusterPrepare(Link *p){
  static const char *const azSql[] = {
    /* The words of sql/store/serve.sql, by which kv_uninstall() knows the table */
    "CREATE TABLE IF NOT EXISTS kv_serve_done(id TEXT NOT NULL PRIMARY KEY, versionstamp TEXT, "
    "at INTEGER NOT NULL) WITHOUT ROWID",
    "INSERT INTO kv_serve_done SELECT 'none', NULL, 0 WHERE kv_init() IS NULL"
  };
  int i, rc = linkOpen(p);
  for(i=0; i<2 && rc==LINK_OK; i++){
    linkStatement(p, azSql[i], 0);
    rc = linkExec(p, 0);
  }
}

int clusterPrepared(Link *p, int rc){
  if( rc!=LINK_NO || !clusterNoTable(p) ) return 0;
  clusterPrepare(p);
  return 1;
}

/* An error of the statement itself is that of the write. */
static void clusterFailed(Link *p, Write *pWrite){
  pWrite->rc = linkCode(p) & 0xff;
  sqlite3_free(pWrite->zError);
  pWrite->zError = sqlite3_mprintf("%s", linkError(p));
}

/* The outcome of a write, as the row of kv_serve_done says. */
static void clusterOutcome(Write *p, const WireValue *pStamp){
  p->rc = SQLITE_OK;
  p->bDone = 1;
  p->aFailed = 0;
  p->nFailed = pStamp->eType==WIRE_NULL;
  p->iVersion = 0;
  if( pStamp->eType==WIRE_TEXT && pStamp->n==20 ){
    char z[17];
    memcpy(z, pStamp->a, 16);
    z[16] = 0;
    p->iVersion = (i64)strtoull(z, 0, 16);
  }
}

/* Read what has become of writes.  Those that are done are so marked. */
static int clusterLook(Link *p, Write **ap, u32 n){
  char zSql[200+2*CLUSTER_BATCH];
  WireValue aValue[2];
  Wire *pWire;
  size_t nSql = (size_t)sprintf(zSql, "SELECT id, versionstamp FROM kv_serve_done WHERE id IN (?");
  u32 i;
  int rc;
  for(i=1; i<n; i++) nSql += (size_t)sprintf(&zSql[nSql], ",?");
  sprintf(&zSql[nSql], ")");
  pWire = linkStatement(p, zSql, n);
  for(i=0; i<n; i++) wireParamText(pWire, ap[i]->zId);
  rc = linkQuery(p, 2, 0);
  if( rc!=LINK_OK ) return rc;
  while( (rc = linkRow(p, aValue))==1 ){
    for(i=0; i<n; i++){
      if( strcmp(ap[i]->zId, (const char*)aValue[0].a)==0 ) clusterOutcome(ap[i], &aValue[1]);
    }
  }
  return rc==0 ? LINK_OK : LINK_LOST;
}

/* Carry out operations and write their outcomes, in one statement. */
static int clusterInsert(Link *p, Write **ap, u32 n){
  KvBuf sql = { 0 };
  Wire *pWire;
  u32 i;
  kvBufText(&sql, "INSERT INTO kv_serve_done(id, versionstamp, at) VALUES ");
  for(i=0; i<n; i++){
    kvBufText(&sql, &",(?,kv_serve_write(?),kv_now())"[i==0]);
    writeMakeOps(ap[i]);
    if( ap[i]->ops.bytes.eErr ) sql.eErr = KV_NOMEM;
  }
  if( kvBufTerminate(&sql)!=KV_OK ){     /* no memory now; maybe later */
    kvBufClear(&sql);
    return LINK_BUSY;
  }
  pWire = linkStatement(p, (const char*)sql.a, 2*n);
  kvBufClear(&sql);
  for(i=0; i<n; i++){
    wireParamText(pWire, ap[i]->zId);
    clusterBlob(pWire, kvBufBytes(&ap[i]->ops.bytes));
  }
  return linkExec(p, 0);
}

/* Those that aren't done, from ap[0] on. */
static u32 clusterLeft(Write **ap, u32 n){
  u32 i, nLeft = 0;
  for(i=0; i<n; i++){
    if( !ap[i]->bDone ) ap[nLeft++] = ap[i];
  }
  return nLeft;
}

/*
** Carry out operations: until all of them are known to be done, or one of them alone is
** known to fail.  Those that have been sent (bSent) are never given up: they might be done.
*/
static void clusterOps(Link *p, Write **ap, u32 n, int bSent){
  i64 iUntil = ap[0]->iSince + WRITE_WAIT_MS;
  int rc = LINK_OK;
  while( n>0 ){
    if( rc!=LINK_OK && !clusterPause(bSent ? INT64_MAX : iUntil) ) break;
    rc = linkOpen(p);
    if( rc==LINK_OK && bSent ){
      rc = clusterLook(p, ap, n);
      if( rc==LINK_OK ) n = clusterLeft(ap, n);
      else if( clusterPrepared(p, rc) ) rc = LINK_BUSY;
    }
    if( rc!=LINK_OK || n==0 ) continue;
    rc = clusterInsert(p, ap, n);
    if( rc==LINK_OK || rc==LINK_LOST ) bSent = 1;
    if( rc!=LINK_NO ) continue;
    if( clusterPrepared(p, rc) ){
      rc = LINK_BUSY;
    }else if( strstr(linkError(p), "kv_serve_done.id") ){
      bSent = 1;                         /* It has arrived late, and was first */
      rc = LINK_OK;
    }else if( n==1 ){
      clusterFailed(p, ap[0]);
      return;
    }else{
      u32 i;
      for(i=0; i<n; i++) clusterOps(p, &ap[i], 1, bSent);
      return;
    }
  }
  while( n>0 ) ap[--n]->rc = SQLITE_BUSY;
}

/* Remove old outcomes, at most as many as have been added since the last time and some. */
static void clusterTidy(Link *p, u32 nWritten){
  static i64 iTidied;
  static u32 nSince;
  Wire *pWire;
  nSince += nWritten;
  if( clockMs()-iTidied<CLUSTER_TIDY_MS || linkOpen(p)!=LINK_OK ) return;
  pWire = linkStatement(p, "DELETE FROM kv_serve_done WHERE at < kv_now()-?1 AND id IN "
      "(SELECT id FROM kv_serve_done ORDER BY id LIMIT ?2)", 2);
  wireParamNumber(pWire, CLUSTER_OLD_MS);
  wireParamNumber(pWire, 2*(i64)nSince+100);
  if( linkExec(p, 0)!=LINK_OK ) return;
  iTidied = clockMs();
  nSince = 0;
}

void clusterWrite(Link *p, Write *pList){
  Write *ap[CLUSTER_BATCH];
  u32 n, nWritten = 0;
  while( pList ){
    u64 nByte = 0;
    for(n=0; pList && pList->xOps && n<CLUSTER_BATCH; n++){
      nByte += pList->arena.nUsed;
      if( n && nByte>CLUSTER_BYTES ) break;
      ap[n] = pList;
      pList = pList->pNext;
    }
    if( n ) clusterOps(p, ap, n, 0);
    nWritten += n;
    if( pList && pList->xOps==0 ){
      pList->xRemote(pList, p);
      pList = pList->pNext;
      nWritten++;
    }
  }
  clusterTidy(p, nWritten);
}
