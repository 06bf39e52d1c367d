/*
** link.c -- a thread's connection to the leader of a cluster.  See link.h.
*/
#include "serve/link.h"
#include <pthread.h>
#include <stdio.h>
#include <sqlite3.h>
#include "serve/clock.h"

#define LINK_MEMBERS    32
#define LINK_ASK_MS     500              /* To ask a member who leads */
#define LINK_STEP_MS    3000             /* For the leader to answer */
#define LINK_FRESH_MS   2000             /* Until the list of members is read again */

typedef struct LinkList LinkList;
struct LinkList {
  char az[LINK_MEMBERS][WIRE_ADDRESS];
  u32 n;
};

/* Shared by all threads. */
static pthread_mutex_t linkMutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
  char zDatabase[WIRE_ADDRESS];
  LinkList given, members;               /* Where to ask: as given, then as they are */
  LinkState state;
} links;

struct Link {
  Wire wire;                             /* To the leader */
  char zLeader[WIRE_ADDRESS];
  u64 iDb;
  LinkList voters;                       /* The other ones that may vote */
  Wire aVoter[LINK_MEMBERS];
  i64 iFresh;                            /* When the list was read, in ms */
  u32 nAsked, iAsk;                      /* Voters that have been asked, from iAsk on */
  unsigned nColumn;
};

/* ---- what is shared ------------------------------------------------------- */

static int linkListAdd(LinkList *p, const char *z, size_t n){
  u32 i;
  if( n==0 || n>=WIRE_ADDRESS || p->n==LINK_MEMBERS ) return 0;
  memcpy(p->az[p->n], z, n);
  p->az[p->n][n] = 0;
  if( !wireIsAddress(p->az[p->n]) ) return 0;
  for(i=0; i<p->n; i++){
    if( strcmp(p->az[i], p->az[p->n])==0 ) return 1;
  }
  p->n++;
  return 1;
}

int linkSetup(const char *zMembers, const char *zDatabase){
  const char *z = zMembers;
  if( zDatabase[0]==0 || strlen(zDatabase)>=WIRE_ADDRESS ) return 0;
  strcpy(links.zDatabase, zDatabase);
  for(;;){
    size_t n = strcspn(z, ",");
    if( !linkListAdd(&links.given, z, n) ) return 0;
    if( z[n]==0 ) return 1;
    z += n+1;
  }
}

void linkState(LinkState *pState){
  pthread_mutex_lock(&linkMutex);
  *pState = links.state;
  pState->nMember = links.members.n;
  pthread_mutex_unlock(&linkMutex);
}

/* It leads, as far as is known. */
static void linkLeads(const char *zLeader){
  pthread_mutex_lock(&linkMutex);
  if( strcmp(links.state.zLeader, zLeader)!=0 ){
    if( links.state.zLeader[0] ) links.state.nElection++;
    strcpy(links.state.zLeader, zLeader);
  }
  pthread_mutex_unlock(&linkMutex);
}

static void linkLed(void){
  pthread_mutex_lock(&linkMutex);
  links.state.iConfirmed = clockMs();
  pthread_mutex_unlock(&linkMutex);
}

/* Where to ask, a copy: the members as last seen, then the addresses as given. */
static void linkPlaces(LinkList *pList){
  u32 i;
  pthread_mutex_lock(&linkMutex);
  *pList = links.members;
  pthread_mutex_unlock(&linkMutex);
  for(i=0; i<links.given.n; i++) linkListAdd(pList, links.given.az[i], strlen(links.given.az[i]));
}

/* ---- members -------------------------------------------------------------- */

Link *linkNew(void){
  Link *p = kvZeroed(sizeof(*p));
  int i;
  if( p==0 ) return 0;
  p->wire.fd = -1;
  for(i=0; i<LINK_MEMBERS; i++) p->aVoter[i].fd = -1;
  return p;
}

void linkClose(Link *p){
  u32 i;
  wireClose(&p->wire);
  for(i=0; i<LINK_MEMBERS; i++) wireClose(&p->aVoter[i]);
  p->voters.n = 0;
}

static int linkAsk(Wire *p){
  wireBegin(p);
  wirePutNumber(p, 0);
  return wireSend(p, WIRE_LEADER);
}

/* The answer: the address of the leader, "" if the member knows none; 0 if it is lost. */
static const char *linkAnswer(Wire *p){
  if( wireReceive(p, WIRE_SERVER) ) return 0;
  wireNumber(p);
  return wireText(p);
}

/* Read who may vote, from the leader. */
static int linkMembers(Link *p){
  LinkList all;
  u64 i, n;
  all.n = p->voters.n = 0;
  wireBegin(&p->wire);
  wirePutNumber(&p->wire, 1);
  if( wireCall(&p->wire, WIRE_CLUSTER, WIRE_SERVERS) ) return -1;
  n = wireNumber(&p->wire);
  for(i=0; i<n && !p->wire.bBad; i++){
    const char *z;
    wireNumber(&p->wire);
    z = wireText(&p->wire);
    linkListAdd(&all, z, strlen(z));
    if( wireNumber(&p->wire)!=WIRE_VOTER || strcmp(z, p->zLeader)==0 ) continue;
    linkListAdd(&p->voters, z, strlen(z));
  }
  if( p->wire.bBad ) return -1;
  for(i=0; i<LINK_MEMBERS; i++) wireClose(&p->aVoter[i]);
  p->iFresh = clockMs();
  pthread_mutex_lock(&linkMutex);
  links.members = all;
  pthread_mutex_unlock(&linkMutex);
  return 0;
}

/* Connect to a node, which should be the leader. */
static int linkTo(Link *p, const char *zLeader){
  Wire *pWire = &p->wire;
  snprintf(p->zLeader, sizeof(p->zLeader), "%s", zLeader);
  if( wireOpen(pWire, p->zLeader, LINK_STEP_MS) ) return -1;
  wireBegin(pWire);
  wirePutText(pWire, links.zDatabase);
  wirePutNumber(pWire, 0);
  wirePutText(pWire, "");
  if( wireCall(pWire, WIRE_OPEN, WIRE_DATABASE) ) return -1;
  p->iDb = wireNumber(pWire) & 0xffffffffu;
  if( linkMembers(p) ) return -1;
  linkLeads(p->zLeader);
  return 0;
}

int linkOpen(Link *p){
  LinkList places;
  u32 i;
  if( p->wire.fd>=0 ){
    if( clockMs()-p->iFresh<LINK_FRESH_MS || linkMembers(p)==0 ) return LINK_OK;
    linkClose(p);
  }
  linkPlaces(&places);
  for(i=0; i<places.n; i++){
    char zLeader[WIRE_ADDRESS] = "";
    Wire *pAsk = &p->aVoter[0];
    const char *z = 0;
    if( wireOpen(pAsk, places.az[i], LINK_ASK_MS)==0 && linkAsk(pAsk)==0 ) z = linkAnswer(pAsk);
    if( z ) snprintf(zLeader, sizeof(zLeader), "%s", z);
    linkClose(p);
    if( zLeader[0] && linkTo(p, zLeader)==0 ) return LINK_OK;
    linkClose(p);
  }
  return LINK_LOST;
}

/* ---- statements ----------------------------------------------------------- */

int linkCode(const Link *p){ return p->wire.iCode; }
const char *linkError(const Link *p){ return p->wire.zErr; }

Wire *linkStatement(Link *p, const char *zSql, unsigned n){
  wireStatement(&p->wire, p->iDb, zSql, n);
  return &p->wire;
}

/* What an error means; whatever isn't known breaks the connection. */
static int linkFailed(Link *p){
  int rc = p->wire.iCode & 0xff;
  if( rc==SQLITE_BUSY || rc==SQLITE_LOCKED ) return LINK_BUSY;
  if( rc==SQLITE_ERROR || rc==SQLITE_CONSTRAINT || rc==SQLITE_TOOBIG || rc==SQLITE_MISMATCH ){
    return LINK_NO;
  }
  linkClose(p);                          /* "not leader" is one of these */
  return LINK_LOST;
}

int linkExec(Link *p, i64 *pnChange){
  if( wireCall(&p->wire, WIRE_EXEC, WIRE_RESULT) ) return linkFailed(p);
  wireNumber(&p->wire);
  if( pnChange ) *pnChange = (i64)wireNumber(&p->wire);
  return LINK_OK;
}

/* The voters, beside the leader, that make a majority with it. */
static u32 linkNeeds(const Link *p){ return (p->voters.n+1)/2; }

/* Ask voter i; 0, or -1. */
static int linkAskVoter(Link *p, u32 i){
  Wire *pWire = &p->aVoter[i];
  if( pWire->fd<0 && wireOpen(pWire, p->voters.az[i], LINK_ASK_MS) ) return -1;
  if( linkAsk(pWire)==0 ) return 0;
  wireClose(pWire);
  return -1;
}

/* Does voter i, who has been asked, say that this leader leads? */
static int linkVotes(Link *p, u32 i){
  const char *z = p->aVoter[i].fd<0 ? 0 : linkAnswer(&p->aVoter[i]);
  if( z==0 ) wireClose(&p->aVoter[i]);
  return z && strcmp(z, p->zLeader)==0;
}

int linkQuery(Link *p, unsigned n, int bStrong){
  u32 nNeed = bStrong ? linkNeeds(p) : 0, i;
  p->nColumn = n;
  p->nAsked = 0;
  if( wireSend(&p->wire, WIRE_QUERY) ){
    linkClose(p);
    return LINK_LOST;
  }
  for(i=0; i<nNeed; i++) linkAskVoter(p, (p->iAsk+i)%p->voters.n);
  p->nAsked = nNeed;
  if( wireReceive(&p->wire, WIRE_ROWS) || wireColumns(&p->wire, n) ){
    int rc = linkFailed(p);
    return rc!=LINK_LOST && p->nAsked && linkConfirm(p)==LINK_LOST ? LINK_LOST : rc;
  }
  return LINK_OK;
}

int linkRow(Link *p, WireValue *aValue){
  int rc = wireRow(&p->wire, p->nColumn, aValue);
  if( rc<0 ) linkClose(p);
  return rc;
}

/* Those that were asked answer; if one doesn't, or not as it should, the others are
** asked. */
int linkConfirm(Link *p){
  u32 nNeed = linkNeeds(p), nFor = 0, iFirst = p->iAsk, i;
  for(i=0; i<p->nAsked; i++) nFor += (u32)linkVotes(p, (iFirst+i)%p->voters.n);
  for(; i<p->voters.n && nFor<nNeed; i++){
    u32 iVoter = (iFirst+i)%p->voters.n;
    if( linkAskVoter(p, iVoter)==0 ) nFor += (u32)linkVotes(p, iVoter);
    p->iAsk = iVoter;
  }
  p->nAsked = 0;
  if( nFor<nNeed ){
    linkClose(p);
    return LINK_LOST;
  }
  linkLed();
  return LINK_OK;
}
