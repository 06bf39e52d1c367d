/*
** kv_dqlite.c -- a node of dqlite with the extension built in.
**
**     kv-dqlite [--latency MS] DIR ADDRESS [MEMBER ...]
**
** dqlite is SQLite on several machines: one of them, the leader, runs the
** statements, and the pages that they change are replicated by Raft before a
** statement is acknowledged.  This program is such a machine.  Clients are
** those of dqlite.
**
** DIR holds what the node keeps: info.yaml (its address and number, in the
** form of dqlite's Go library), Raft's log and snapshots.  A node that starts
** in an empty DIR without MEMBERs begins a cluster; with addresses of members
** it joins theirs, as a voter.  Later it is started with the same DIR and
** ADDRESS; then MEMBERs do no harm.  SIGTERM or SIGINT ends it: a leader hands
** the lead over first.
**
** What a SELECT writes is not replicated: dqlite goes by how the client runs a
** statement, or by whether it is one that writes.  So for every connection
** kv_config('select_writes', 0) is called.  And a node is one thread, which does
** Raft's work too: there is no kv_wait().  What kv-serve needs of a node is in
** serve_op.h.
*/
#include <dqlite.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "dqlite/serve_op.h"
#include "dqlite/wire.h"

int sqlite3_kv_init(sqlite3 *db, char **pzErrMsg, const void *pApi);

/* dqlite takes it from its first node that its number is 1. */
#define NODE_FIRST_ID   1
#define NODE_WAIT_MS    5000   /* For one step of the protocol */
#define NODE_RETRY_MS   200    /* Between two attempts to join */

typedef struct Node Node;
struct Node {
  const char *zDir;
  const char *zAddress;
  char *const *azMember;       /* Ends with a 0 */
  unsigned nLatency;           /* ms, 0: as dqlite has it */
  char zInfo[4096];            /* DIR/info.yaml */
  int bNew;                    /* It was not there */
  dqlite_node_id id;
  dqlite_node *pNode;
  sigset_t signals;            /* SIGTERM, SIGINT */
};

static void nodeSay(const Node *p, const char *zFormat, ...){
  va_list ap;
  printf("kv-dqlite %s: ", p->zAddress);
  va_start(ap, zFormat);
  vprintf(zFormat, ap);
  va_end(ap);
  printf("\n");
  fflush(stdout);
}

static int nodeFail(const char *zWhat, const char *zWhy){
  fprintf(stderr, "kv-dqlite: %s: %s\n", zWhat, zWhy);
  return -1;
}

/* In place of kv_wait(). */
static void nodeNoWait(sqlite3_context *ctx, int nArg, sqlite3_value **apArg){
  (void)nArg; (void)apArg;
  sqlite3_result_error(ctx, "kv: kv_wait(): a dqlite node runs one statement at a "
      "time, so none may wait; poll kv_versionstamp() instead", -1);
}

static const char *nodeDir;      /* Node.zDir */

/* For every connection that dqlite opens. */
static int nodeExtension(sqlite3 *db, char **pzErr, const void *pApi){
  int i;
  int rc = sqlite3_kv_init(db, pzErr, pApi);
  if( rc==SQLITE_OK ) rc = sqlite3_exec(db, "SELECT kv_config('select_writes', 0)", 0, 0, 0);
  if( rc==SQLITE_OK ) rc = serveOpInit(db, nodeDir);
  for(i=1; rc==SQLITE_OK && i<=2; i++){
    rc = sqlite3_create_function(db, "kv_wait", i, SQLITE_UTF8|SQLITE_DIRECTONLY, 0, nodeNoWait, 0, 0);
  }
  return rc;
}

/* ---- who this node is -------------------------------------------------- */

/* Read info.yaml.  1 and p->id, 0 if there is none, -1 after an error. */
static int nodeReadInfo(Node *p){
  char zLine[WIRE_ADDRESS+16], zAddress[WIRE_ADDRESS] = "";
  FILE *f = fopen(p->zInfo, "r");
  if( f==0 ) return errno==ENOENT ? 0 : nodeFail(p->zInfo, strerror(errno));
  while( fgets(zLine, sizeof(zLine), f) ){
    sscanf(zLine, "Address: %255s", zAddress);
    if( strncmp(zLine, "ID: ", 4)==0 ) p->id = strtoull(&zLine[4], 0, 10);
  }
  fclose(f);
  if( p->id==0 ) return nodeFail(p->zInfo, "there is no line \"ID: number\"");
  if( strcmp(zAddress, p->zAddress)!=0 ){
    fprintf(stderr, "kv-dqlite: %s belongs to the node %s, not to %s\n",
        p->zDir, zAddress, p->zAddress);
    return -1;
  }
  return 1;
}

/* Write info.yaml: under another name first, so that it is there as a whole or
** not at all. */
static int nodeWriteInfo(const Node *p){
  char zNew[sizeof(p->zInfo)+8];
  FILE *f;
  int bOk;
  snprintf(zNew, sizeof(zNew), "%s.new", p->zInfo);
  f = fopen(zNew, "w");
  if( f==0 ) return nodeFail(zNew, strerror(errno));
  bOk = fprintf(f, "Address: %s\nID: %llu\nRole: 0\n", p->zAddress, p->id)>0;
  if( fclose(f) || !bOk || rename(zNew, p->zInfo) ) return nodeFail(p->zInfo, strerror(errno));
  return 0;
}

/* Know or make up p->id. */
static int nodeIdentify(Node *p){
  int n = snprintf(p->zInfo, sizeof(p->zInfo), "%s/info.yaml", p->zDir);
  if( n<0 || (size_t)n>=sizeof(p->zInfo) ) return nodeFail(p->zDir, "the name is too long");
  if( mkdir(p->zDir, 0700) && errno!=EEXIST ) return nodeFail(p->zDir, strerror(errno));
  n = nodeReadInfo(p);
  if( n<0 ) return -1;
  p->bNew = n==0;
  if( p->bNew ) p->id = p->azMember[0] ? dqlite_generate_node_id(p->zAddress) : NODE_FIRST_ID;
  return 0;
}

/* ---- joining ----------------------------------------------------------- */

/* The address of the leader as zAsk knows it, "" if there is none.  On return
** pWire is connected to zAsk. */
static int nodeAskLeader(Wire *pWire, const char *zAsk, char *zLeader){
  if( wireOpen(pWire, zAsk, NODE_WAIT_MS) ) return -1;
  wireBegin(pWire);
  wirePutNumber(pWire, 0);
  if( wireCall(pWire, WIRE_LEADER, WIRE_SERVER) ) return -1;
  wireNumber(pWire);
  snprintf(zLeader, WIRE_ADDRESS, "%s", wireText(pWire));
  return 0;
}

/* What this node is in the cluster: -1 unknown, 0 no member, 1 a member
** without a vote, 2 a voter. */
static int nodeStanding(Node *p, Wire *pWire){
  uint64_t i, n;
  wireBegin(pWire);
  wirePutNumber(pWire, 1);
  if( wireCall(pWire, WIRE_CLUSTER, WIRE_SERVERS) ) return -1;
  n = wireNumber(pWire);
  for(i=0; i<n && !pWire->bBad; i++){
    uint64_t id = wireNumber(pWire);
    uint64_t eRole;
    wireText(pWire);
    eRole = wireNumber(pWire);
    if( id==p->id ) return eRole==WIRE_VOTER ? 2 : 1;
  }
  return 0;
}

/* Become a voter, by the leader that pWire is connected to. */
static int nodeEnter(Node *p, Wire *pWire){
  int eStanding = nodeStanding(p, pWire);
  if( eStanding==0 ){
    wireBegin(pWire);
    wirePutNumber(pWire, p->id);
    wirePutText(pWire, p->zAddress);
    if( wireCall(pWire, WIRE_ADD, WIRE_EMPTY) ) return -1;
    eStanding = 1;
  }
  if( eStanding==1 ){
    wireBegin(pWire);
    wirePutNumber(pWire, p->id);
    wirePutNumber(pWire, WIRE_VOTER);
    if( wireCall(pWire, WIRE_ASSIGN, WIRE_EMPTY) ) return -1;
  }
  return eStanding<0 ? -1 : 0;
}

/* Ask one member.  0, or -1 and pWire->zErr. */
static int nodeJoinBy(Node *p, Wire *pWire, const char *zMember){
  char zLeader[WIRE_ADDRESS];
  int rc = nodeAskLeader(pWire, zMember, zLeader);
  if( rc==0 && zLeader[0]==0 ){
    snprintf(pWire->zErr, sizeof(pWire->zErr), "it knows no leader");
    rc = -1;
  }
  if( rc==0 && strcmp(zLeader, zMember)!=0 ){
    wireClose(pWire);
    rc = wireOpen(pWire, zLeader, NODE_WAIT_MS);
  }
  if( rc==0 ) rc = nodeEnter(p, pWire);
  wireClose(pWire);
  return rc;
}

/*
** Ask the members in turn until one has let us in.  Two nodes that join at the
** same time get in each other's way, and whoever gets a long log may time out:
** both are settled by asking again.  Returns the signal that ends it, or 0.
*/
static int nodeJoin(Node *p, Wire *pWire){
  struct timespec ts = { 0, NODE_RETRY_MS*1000000L };
  int i, iSignal, nTry;
  for(nTry=0; ; nTry++){
    for(i=0; p->azMember[i]; i++){
      if( strcmp(p->azMember[i], p->zAddress)==0 ) continue;
      if( nodeJoinBy(p, pWire, p->azMember[i])==0 ) return 0;
      if( nTry%25==0 ) nodeSay(p, "joining through %s: %s; retrying", p->azMember[i], pWire->zErr);
    }
    iSignal = sigtimedwait(&p->signals, 0, &ts);
    if( iSignal>0 ) return iSignal;
  }
}

/* A leader that leaves lets the others know, so that they need not notice. */
static void nodeHandOver(Node *p, Wire *pWire){
  char zLeader[WIRE_ADDRESS];
  if( nodeAskLeader(pWire, p->zAddress, zLeader)==0 && strcmp(zLeader, p->zAddress)==0 ){
    wireBegin(pWire);
    wirePutNumber(pWire, 0);
    wireCall(pWire, WIRE_TRANSFER, WIRE_EMPTY);   /* alone in the cluster it fails */
  }
  wireClose(pWire);
}

/* ---- from start to end -------------------------------------------------- */

static int nodeStart(Node *p){
  if( dqlite_node_create(p->id, p->zAddress, p->zDir, &p->pNode) ){
    return nodeFail(p->zDir, "can't create the node");
  }
  if( dqlite_node_set_bind_address(p->pNode, p->zAddress) ){
    return nodeFail(p->zAddress, "can't listen there");
  }
  if( p->nLatency && dqlite_node_set_network_latency_ms(p->pNode, p->nLatency) ){
    return nodeFail("--latency", "from 1 to 3600000 ms");
  }
  if( p->bNew && nodeWriteInfo(p) ) return -1;
  if( dqlite_node_start(p->pNode) ){
    return nodeFail(p->zDir, dqlite_node_errmsg(p->pNode));
  }
  return 0;
}

static int nodeRun(Node *p){
  static Wire wire;
  int iSignal = 0;
  if( nodeIdentify(p) || nodeStart(p) ) return 1;
  wire.fd = -1;
  if( p->azMember[0] ) iSignal = nodeJoin(p, &wire);
  if( iSignal==0 ){
    nodeSay(p, "ready");
    do{ iSignal = sigwaitinfo(&p->signals, 0); }while( iSignal<0 );
    nodeHandOver(p, &wire);
  }
  wireFree(&wire);
  if( dqlite_node_stop(p->pNode) ) return 1;
  dqlite_node_destroy(p->pNode);
  nodeSay(p, "stopped");
  return 0;
}

static int nodeUsage(void){
  fprintf(stderr,
    "usage: kv-dqlite [--latency MS] DIR ADDRESS [MEMBER ...]\n"
    "DIR: where the node keeps its data.  ADDRESS, MEMBER: such as 127.0.0.1:9001.\n"
    "An empty DIR: starts a cluster, or with MEMBERs joins theirs.\n"
    "--latency: of the network, in ms; a leader silent for 15 to 30 times that is replaced.\n");
  return 2;
}

int main(int argc, char **argv){
  Node node;
  int i = 1;
  memset(&node, 0, sizeof(node));
  if( argc>2 && strcmp(argv[1], "--latency")==0 ){
    char *zEnd;
    unsigned long n = strtoul(argv[2], &zEnd, 10);
    if( zEnd==argv[2] || *zEnd || n<1 || n>3600000 ) return nodeUsage();
    node.nLatency = (unsigned)n;
    i = 3;
  }
  if( argc-i<2 || argv[i][0]=='-' ) return nodeUsage();
  nodeDir = node.zDir = argv[i++];
  node.zAddress = argv[i];
  node.azMember = &argv[i+1];
  for(; i<argc; i++){
    if( !wireIsAddress(argv[i]) ){
      return -nodeFail(argv[i], "an address is an IPv4 address and a port such as 127.0.0.1:9001");
    }
  }
  /* Before there are threads: only sigwaitinfo() is to get them. */
  sigemptyset(&node.signals);
  sigaddset(&node.signals, SIGTERM);
  sigaddset(&node.signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &node.signals, 0);
  signal(SIGPIPE, SIG_IGN);
  sqlite3_auto_extension((void(*)(void))nodeExtension);
  return nodeRun(&node);
}
