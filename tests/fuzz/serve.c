/*
** serve.c -- fuzz target: what a client sends to kv-serve.
**
** The first byte of an input says what the rest is:
**
**   0           all that is sent on a connection; HTTP/1.1 as a rule
**   1           all that is sent on a connection of HTTP/2, behind its preface
**   2 .. 7      the body of a snapshot_read, atomic_write, watch, queue/claim,
**               queue/renew, queue/finish
**
** The token permits the keys below ["a"] (5 to 7: all keys, as the queue needs it).
** Whatever is sent: nothing outside of them is changed, no value outside of them is
** sent back, and once the client has gone nothing is left of it.
*/
#include "fuzz/fuzz.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "serve/base.h"
#include "serve/change.h"
#include "serve/http1.h"
#include "serve/http2.h"
#include "serve/listen.h"
#include "serve/loop.h"
#include "serve/metrics.h"
#include "serve/queue.h"
#include "serve/request.h"
#include "serve/token.h"
#include "serve/watch.h"
#include "serve/write.h"

#define TOKEN_SOME  "token-of-the-fuzzer"
#define TOKEN_ALL   "another-one-for-all"
#define SECRET      "SeCrEt"

static const char *const azPath[] = {
  "snapshot_read", "atomic_write", "watch", "queue/claim", "queue/renew", "queue/finish"
};

static void sql(const char *z){
  char *zErr = 0;
  if( sqlite3_exec(baseDb(), z, 0, 0, &zErr)!=SQLITE_OK ){
    fprintf(stderr, "%s: %s\n", z, zErr);
    abort();
  }
}

/* What is outside of the token's prefix, as text. */
static char *outside(void){
  sqlite3_stmt *p = 0;
  char *z;
  MUST( sqlite3_prepare_v2(baseDb(), "SELECT ifnull(group_concat(hex(k) || hex(v) || version), '') "
      "FROM kv WHERE k < x'026100' OR k >= x'026101'", -1, &p, 0)==SQLITE_OK );
  MUST( sqlite3_step(p)==SQLITE_ROW );
  z = sqlite3_mprintf("%s", (const char*)sqlite3_column_text(p, 0));
  sqlite3_finalize(p);
  return z;
}

static void tokens(void){
  char zName[] = "/tmp/kv-fuzz-XXXXXX";
  int fd = mkstemp(zName);
  static const char z[] = TOKEN_SOME " rw [\"a\"]\n" TOKEN_ALL " rw\n";
  MUST( fd>=0 && write(fd, z, sizeof(z)-1)==(ssize_t)sizeof(z)-1 );
  close(fd);
  MUST( tokenLoad(zName)==0 );
  unlink(zName);
}

static void start(void){
  static int bStarted;
  char zUrl[LISTEN_URL];
  if( bStarted ) return;
  bStarted = 1;
  MUST( baseInit()==0 );
  tokens();
  MUST( loopInit()==0 && baseOpen(":memory:", 0)==0 && writeInit()==0 );
  MUST( listenOpen("127.0.0.1:0", zUrl)==0 );
  watchInit();
  queueInit();
  changeInit();
  metricsInit();
  sql("INSERT INTO kv_entries(key, value) VALUES ('[\"Z\"]', '" SECRET "'), "
      "('[\"b\"]', '" SECRET "')");
}

/* Each input finds the same: two entries, two messages. */
static void reset(void){
  sql("DELETE FROM kv WHERE k >= x'026100' AND k < x'026101'; "
      "INSERT INTO kv_entries(key, value) VALUES ('[\"a\"]', 'A'), ('[\"a\",1]', 1); "
      "DELETE FROM queue; DELETE FROM queue_running; "
      "INSERT INTO queue(ts, id, data, backoff_schedule, keys_if_undelivered) "
      "VALUES (1, 'q', x'ff0f30', '[1]', '[]'); "
      "INSERT INTO queue_running(deadline, id, data, backoff_schedule, keys_if_undelivered) "
      "VALUES (8000000000000, 'm', x'ff0f30', '[]', '[]')");
}

/* What comes back. */
static void receive(int fd, KvBuf *pOut){
  char a[4096];
  ssize_t n;
  while( (n = recv(fd, a, sizeof(a), MSG_DONTWAIT))>0 ) kvBufAppend(pOut, a, (u64)n);
}

/* Send bytes, in two pieces, and look at what comes back for some rounds. */
static void exchange(int fd, const char *z, size_t n, size_t nCut, KvBuf *pOut){
  size_t iAt = 0;
  int i;
  for(i=0; i<200 && iAt<n; i++){
    ssize_t nSent = send(fd, &z[iAt], (iAt<nCut ? nCut : n)-iAt, MSG_DONTWAIT|MSG_NOSIGNAL);
    if( nSent>0 ) iAt += (size_t)nSent;
    loopRound(0);
    receive(fd, pOut);
  }
  for(i=0; i<8; i++) loopRound(0);
  receive(fd, pOut);
}

static void serve(const char *z, size_t n, size_t nCut){
  char *zBefore = outside(), *zAfter;
  KvBuf out = { 0 };
  int aFd[2], i;
  MUST( socketpair(AF_UNIX, SOCK_STREAM|SOCK_NONBLOCK, 0, aFd)==0 );
  listenAdd(aFd[0]);
  exchange(aFd[1], z, n, nCut, &out);
  MUST( !fuzzHas(out.a, out.n, SECRET) );
  kvBufClear(&out);
  close(aFd[1]);
  for(i=0; i<8 && (listenCount() || requestCount()); i++){
    loopRound(0);
    http1Sweep();
  }
  MUST( listenCount()==0 );
  MUST( requestCount()==0 );
  MUST( requestHeldBytes()==0 );
  MUST( watchCount()==0 && queueWaiting()==0 && writeCount()==0 );
  zAfter = outside();
  MUST( strcmp(zBefore, zAfter)==0 );
  sqlite3_free(zBefore);
  sqlite3_free(zAfter);
}

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n){
  static const char zPreface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  char zHead[400] = "";
  char *z;
  size_t nHead;
  u8 eWhat = n ? a[0] : 0;
  start();
  reset();
  if( n ){ a++; n--; }
  if( eWhat==1 ){
    strcpy(zHead, zPreface);
  }else if( eWhat>1 && eWhat<8 ){
    snprintf(zHead, sizeof(zHead), "POST /v2/%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"
        "x-denokv-version: 3\r\nx-denokv-database-id: %s\r\nContent-Length: %u\r\n\r\n", azPath[eWhat-2],
        eWhat<5 ? TOKEN_SOME : TOKEN_ALL, baseId(), (unsigned)n);
  }
  nHead = strlen(zHead);
  z = malloc(nHead+n+1);
  if( z==0 ) abort();
  memcpy(z, zHead, nHead);
  if( n ) memcpy(&z[nHead], a, n);
  serve(z, nHead+n, n ? nHead + a[0]%n : nHead);
  free(z);
  return 0;
}
