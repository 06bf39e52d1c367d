/*
** peer_lmdb.c -- LMDB as a peer of bench.c: peer_lmdb FILE DIR N.
**
** The entries of the data, with their stored bytes, in one LMDB database; it
** gives and takes bytes, as raw SQLite does.
*/
#include <lmdb.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static MDB_env *env;
static MDB_dbi dbi;
static int nUser;
static const char *zDir, *zData;
static uint64_t iSum;                  /* so that what is read is used */

static void ok(int rc, const char *zWhat){
  if( rc==0 ) return;
  fprintf(stderr, "lmdb: %s: %s\n", zWhat, mdb_strerror(rc));
  exit(1);
}

static double now(void){
  struct timespec t;
  clock_gettime(getenv("BENCH_CPU") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec*1e9 + (double)t.tv_nsec;
}

static void userKey(unsigned char *a, int i){
  double r = i;
  uint64_t u;
  int k;
  memcpy(&u, &r, 8);
  u ^= 0x8000000000000000ull;
  memcpy(a, "\002users\000\041", 8);
  for(k=0; k<8; k++) a[8+k] = (unsigned char)(u>>(56-8*k));
}

static void openEnv(const char *zName, unsigned mFlags, int bFill){
  char z[1000];
  MDB_txn *txn;
  snprintf(z, sizeof(z), "%s/%s.lmdb", zDir, zName);
  remove(z);
  ok(mdb_env_create(&env), "create");
  ok(mdb_env_set_mapsize(env, (size_t)4<<30), "size");
  ok(mdb_env_open(env, z, MDB_NOSUBDIR|MDB_NOLOCK|mFlags|(bFill ? MDB_NOSYNC : 0), 0644), z);
  ok(mdb_txn_begin(env, 0, 0, &txn), "begin");
  ok(mdb_dbi_open(txn, 0, 0, &dbi), "open");
  if( bFill ){
    sqlite3 *db;
    sqlite3_stmt *p;
    sqlite3_open(zData, &db);
    sqlite3_prepare_v2(db, "SELECT k, v FROM kv ORDER BY k", -1, &p, 0);
    while( sqlite3_step(p)==SQLITE_ROW ){
      MDB_val k = { (size_t)sqlite3_column_bytes(p, 0), (void*)sqlite3_column_blob(p, 0) };
      MDB_val v = { (size_t)sqlite3_column_bytes(p, 1), (void*)sqlite3_column_blob(p, 1) };
      ok(mdb_put(txn, dbi, &k, &v, MDB_APPEND), "fill");
    }
    sqlite3_finalize(p);
    sqlite3_close(db);
  }
  ok(mdb_txn_commit(txn), "commit");
  if( bFill ){
    ok(mdb_env_sync(env, 1), "sync");
    if( (mFlags & MDB_NOSYNC)==0 ) ok(mdb_env_set_flags(env, MDB_NOSYNC, 0), "flags");
  }
}

static void get(MDB_txn *txn, int i){
  unsigned char a[16];
  MDB_val k = { 16, a }, v;
  userKey(a, i);
  ok(mdb_get(txn, dbi, &k, &v), "get");
  iSum += ((unsigned char*)v.mv_data)[v.mv_size-1];
}

static double runRead(const char *zWork, int n){
  MDB_txn *txn;
  MDB_cursor *cur;
  MDB_val k, v;
  unsigned char a[16];
  double t = now();
  int i, j, rc, nRow = 0;
  ok(mdb_txn_begin(env, 0, MDB_RDONLY, &txn), "begin");
  if( strcmp(zWork, "get")==0 || strcmp(zWork, "ten")==0 || strcmp(zWork, "gettxn")==0 || strcmp(zWork, "join")==0 ){
    int nEach = zWork[0]=='t' ? 10 : zWork[0]=='j' ? 2 : 1;
    mdb_txn_reset(txn);
    if( zWork[3] && zWork[0]=='g' ) ok(mdb_txn_renew(txn), "renew");
    for(i=0; i<n; i++){
      if( strcmp(zWork, "gettxn") ) ok(mdb_txn_renew(txn), "renew");
      for(j=0; j<nEach; j++){
        int iUser = rand()%nUser;
        if( zWork[0]=='j' && j==0 ){
          char z[80];
          memcpy(z, "\002users_by_email\000\002", 17);
          k.mv_size = (size_t)(17 + sprintf(&z[17], "user%d@example.com", iUser) + 1);
          k.mv_data = z;
          ok(mdb_get(txn, dbi, &k, &v), "mail");
        }else{
          get(txn, iUser);
        }
      }
      if( strcmp(zWork, "gettxn") ) mdb_txn_reset(txn);
    }
    mdb_txn_abort(txn);
    return (now()-t)/n;
  }
  ok(mdb_cursor_open(txn, dbi, &cur), "cursor");
  if( strcmp(zWork, "range")==0 ){
    for(i=0; i<n; i++){
      userKey(a, rand()%(nUser-100));
      k.mv_data = a;
      k.mv_size = 16;
      rc = mdb_cursor_get(cur, &k, &v, MDB_SET_RANGE);
      for(j=0; rc==0 && j<100; j++){
        iSum += ((unsigned char*)v.mv_data)[v.mv_size-1];
        rc = mdb_cursor_get(cur, &k, &v, MDB_NEXT);
      }
    }
    nRow = n;
  }else{
    memcpy(a, "\002users\000\000", 8);
    k.mv_data = a;
    k.mv_size = 8;
    for(rc=mdb_cursor_get(cur, &k, &v, MDB_SET_RANGE); rc==0; rc=mdb_cursor_get(cur, &k, &v, MDB_NEXT)){
      if( k.mv_size<7 || memcmp(k.mv_data, "\002users\000", 7)!=0 ) break;
      if( zWork[0]=='s' ) iSum += ((unsigned char*)v.mv_data)[v.mv_size-1];
      nRow++;
    }
  }
  mdb_cursor_close(cur);
  mdb_txn_abort(txn);
  return (now()-t)/nRow;
}

static double runWrite(const char *zWork, int n){
  static int nRound;
  char aVal[160];
  double t = now();
  int i, j;
  nRound++;
  for(i=0; i<n; i++){
    MDB_txn *txn;
    unsigned char a[19];
    MDB_val k = { 16, a }, v;
    ok(mdb_txn_begin(env, 0, 0, &txn), "begin");
    if( zWork[0]=='c' ){
      for(j=0; j<2; j++) get(txn, rand()%nUser);
    }
    if( strncmp(zWork, "sum", 3)==0 ){
      uint64_t u;
      k.mv_data = (void*)"\002counters\000\041\300\010\000\000\000\000\000\000";
      k.mv_size = 19;
      ok(mdb_get(txn, dbi, &k, &v), "counter");
      memcpy(&u, v.mv_data, 8);
      u++;
      v.mv_data = &u;
      v.mv_size = 8;
      ok(mdb_put(txn, dbi, &k, &v, 0), "put");
    }else{
      for(j=0; j<(zWork[0]=='c' ? 2 : 1); j++){
        userKey(a, rand()%nUser);
        memset(aVal, i+nRound, sizeof(aVal));
        v.mv_data = aVal;
        v.mv_size = 150;
        ok(mdb_put(txn, dbi, &k, &v, 0), "put");
      }
    }
    ok(mdb_txn_commit(txn), "commit");
  }
  return (now()-t)/n;
}

static double runLoad(void){
  MDB_txn *txn = 0;
  double t;
  int i;
  openEnv("load", 0, 0);
  t = now();
  for(i=0; i<nUser; i++){
    unsigned char a[16];
    char aVal[150];
    MDB_val k = { 16, a }, v = { 150, aVal };
    if( i%1000==0 ) ok(mdb_txn_begin(env, 0, 0, &txn), "begin");
    userKey(a, i);
    memset(aVal, i, sizeof(aVal));
    ok(mdb_put(txn, dbi, &k, &v, 0), "put");
    if( i%1000==999 || i+1==nUser ) ok(mdb_txn_commit(txn), "commit");
  }
  t = now() - t;
  mdb_env_close(env);
  env = 0;
  return t/nUser;
}

int main(int argc, char **argv){
  char zWork[64], zAt[64] = "";
  int n;
  if( argc<4 ) return 2;
  zData = argv[1];
  zDir = argv[2];
  nUser = atoi(argv[3]);
  while( scanf("%63s %d", zWork, &n)==2 ){
    double r = -1;
    int bWrite = strncmp(zWork, "set", 3)==0 || strncmp(zWork, "check", 5)==0 || strncmp(zWork, "sum", 3)==0;
    int bLoad = strcmp(zWork, "loadsql")==0;
    int bRead = strstr(" get gettxn ten join range scan keys count ", zWork)!=0;
    if( n==0 || strstr(zWork, "mem") || (!bWrite && !bLoad && !bRead) ){
      if( n==0 && env && bWrite ){
        mdb_env_close(env);
        env = 0;
        zAt[0] = 0;
      }
    }else if( bLoad ){
      if( env ) mdb_env_close(env);
      zAt[0] = 0;
      r = runLoad();
    }else{
      const char *zWant = bWrite ? zWork : "read";
      if( strcmp(zWant, zAt)!=0 ){
        if( env ) mdb_env_close(env);
        openEnv(bWrite ? "write" : "read", strstr(zWork, "off") ? MDB_NOSYNC : strstr(zWork, "normal") ? MDB_NOMETASYNC : 0, 1);
        strcpy(zAt, zWant);
      }
      r = bWrite ? runWrite(zWork, n) : runRead(zWork, n);
    }
    printf("%.3f\n", r);
    fflush(stdout);
  }
  return iSum==1;
}
