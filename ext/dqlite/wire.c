/*
** wire.c -- the little of dqlite's client protocol that a node and kv-serve need.
** See wire.h.
*/
#include "dqlite/wire.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define WIRE_VERSION  1
#define WIRE_HEAD     8

static int wireFail(Wire *p, const char *zWhat){
  p->iCode = 0;
  snprintf(p->zErr, sizeof(p->zErr), "%s: %s", zWhat,
           errno==EAGAIN || errno==EINPROGRESS ? "no reply in time" : strerror(errno));
  return -1;
}

static void wireStore(unsigned char *a, uint64_t v, int n){
  int i;
  for(i=0; i<n; i++) a[i] = (unsigned char)(v>>(8*i));
}

static uint64_t wireLoad(const unsigned char *a, int n){
  uint64_t v = 0;
  int i;
  for(i=n-1; i>=0; i--) v = v<<8 | a[i];
  return v;
}

/* With bMore the packet waits for what is sent next. */
static int wireSendAll(Wire *p, const unsigned char *a, size_t n, int bMore){
  while( n>0 ){
    ssize_t k = send(p->fd, a, n, MSG_NOSIGNAL | (bMore ? MSG_MORE : 0));
    if( k<0 && errno==EINTR ) continue;
    if( k<0 ) return wireFail(p, "send");
    a += k;
    n -= (size_t)k;
  }
  return 0;
}

static int wireReceiveAll(Wire *p, unsigned char *a, size_t n){
  while( n>0 ){
    ssize_t k = recv(p->fd, a, n, 0);
    if( k<0 && errno==EINTR ) continue;
    if( k==0 ) errno = ECONNRESET;
    if( k<=0 ) return wireFail(p, "receive");
    a += k;
    n -= (size_t)k;
  }
  return 0;
}

/* "127.0.0.1:9001" -> socket address. */
static int wireAddress(const char *zAddress, struct sockaddr_in *pOut){
  char zHost[WIRE_ADDRESS];
  const char *zColon = strrchr(zAddress, ':');
  char *zEnd;
  long iPort;
  if( zColon==0 || (size_t)(zColon-zAddress)>=sizeof(zHost) ) return -1;
  memcpy(zHost, zAddress, (size_t)(zColon-zAddress));
  zHost[zColon-zAddress] = 0;
  iPort = strtol(zColon+1, &zEnd, 10);
  if( zEnd==zColon+1 || *zEnd || iPort<1 || iPort>65535 ) return -1;
  memset(pOut, 0, sizeof(*pOut));
  pOut->sin_family = AF_INET;
  pOut->sin_port = htons((uint16_t)iPort);
  return inet_pton(AF_INET, zHost, &pOut->sin_addr)==1 ? 0 : -1;
}

int wireIsAddress(const char *z){
  struct sockaddr_in addr;
  return strlen(z)<WIRE_ADDRESS && wireAddress(z, &addr)==0;
}

int wireOpen(Wire *p, const char *zAddress, int nMs){
  struct sockaddr_in addr;
  struct timeval tv;
  unsigned char aVersion[8];
  int bOn = 1;
  p->fd = -1;
  p->iCode = 0;
  p->zErr[0] = 0;
  if( wireAddress(zAddress, &addr) ){
    snprintf(p->zErr, sizeof(p->zErr), "not an address");
    return -1;
  }
  p->fd = socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, 0);
  if( p->fd<0 ) return wireFail(p, "socket");
  tv.tv_sec = nMs/1000;
  tv.tv_usec = (nMs%1000)*1000;
  setsockopt(p->fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
  setsockopt(p->fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));   /* connect() too */
  if( connect(p->fd, (const struct sockaddr*)&addr, sizeof(addr)) ) return wireFail(p, "connect");
  wireStore(aVersion, WIRE_VERSION, 8);
  setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &bOn, sizeof(bOn));
  return wireSendAll(p, aVersion, 8, 1);
}

void wireClose(Wire *p){
  if( p->fd>=0 ) close(p->fd);
  p->fd = -1;
}

void wireFree(Wire *p){
  wireClose(p);
  free(p->aBody);
  p->aBody = 0;
  p->nAlloc = 0;
}

/* ---- requests ----------------------------------------------------------- */

/* Room for n bytes in all; 0, or -1. */
static int wireGrow(Wire *p, size_t n){
  unsigned char *a;
  size_t nAlloc = p->nAlloc ? p->nAlloc : 4096;
  if( n<=p->nAlloc ) return 0;
  if( n>WIRE_BODY ) return -1;
  while( nAlloc<n ) nAlloc *= 2;
  a = realloc(p->aBody, nAlloc);
  if( a==0 ) return -1;
  p->aBody = a;
  p->nAlloc = nAlloc;
  return 0;
}

/* Append n bytes and zero bytes up to a multiple of 8 of the whole. */
static void wirePut(Wire *p, const void *a, size_t n){
  size_t nPad = (8 - (p->n+n)%8)%8;
  if( p->bBad || wireGrow(p, p->n+n+nPad) ){
    p->bBad = 1;
    return;
  }
  if( n ) memcpy(&p->aBody[p->n], a, n);
  if( nPad ) memset(&p->aBody[p->n+n], 0, nPad);
  p->n += n+nPad;
}

void wireBegin(Wire *p){
  p->n = 0;
  p->bBad = 0;
}

void wirePutNumber(Wire *p, uint64_t v){
  unsigned char a[8];
  wireStore(a, v, 8);
  wirePut(p, a, 8);
}

void wirePutText(Wire *p, const char *z){
  wirePut(p, z, strlen(z)+1);
}

void wireStatement(Wire *p, uint64_t iDb, const char *zSql, unsigned nParam){
  unsigned char aHead[WIRE_PARAMS+1];
  wireBegin(p);
  wirePutNumber(p, iDb);
  wirePutText(p, zSql);
  p->iType = p->n+1;
  p->nParam = 0;
  if( nParam==0 || nParam>WIRE_PARAMS ) return;
  memset(aHead, 0, sizeof(aHead));
  aHead[0] = (unsigned char)nParam;
  wirePut(p, aHead, nParam+1);
}

static void wireParam(Wire *p, int eType){
  if( !p->bBad ) p->aBody[p->iType + p->nParam++] = (unsigned char)eType;
}

void wireParamNumber(Wire *p, int64_t v){
  wireParam(p, WIRE_INTEGER);
  wirePutNumber(p, (uint64_t)v);
}

void wireParamBlob(Wire *p, const void *a, size_t n){
  wireParam(p, WIRE_BLOB);
  wirePutNumber(p, n);
  wirePut(p, a, n);
}

void wireParamText(Wire *p, const char *z){
  wireParam(p, WIRE_TEXT);
  wirePutText(p, z);
}

int wireSend(Wire *p, int eAsk){
  unsigned char aHead[WIRE_HEAD];
  if( p->bBad ){
    snprintf(p->zErr, sizeof(p->zErr), "too large, or out of memory");
    p->iCode = 0;
    return -1;
  }
  memset(aHead, 0, sizeof(aHead));
  wireStore(aHead, p->n/8, 4);
  aHead[4] = (unsigned char)eAsk;
  return wireSendAll(p, aHead, WIRE_HEAD, p->n>0) || wireSendAll(p, p->aBody, p->n, 0) ? -1 : 0;
}

int wireCall(Wire *p, int eAsk, int eWant){
  return wireSend(p, eAsk) ? -1 : wireReceive(p, eWant);
}

/* ---- replies ------------------------------------------------------------ */

int wireReceive(Wire *p, int eWant){
  unsigned char aHead[WIRE_HEAD];
  uint64_t nBody;
  p->iCode = 0;
  if( wireReceiveAll(p, aHead, WIRE_HEAD) ) return -1;
  nBody = wireLoad(aHead, 4)*8;
  p->eType = aHead[4];
  if( wireGrow(p, (size_t)nBody) ){
    snprintf(p->zErr, sizeof(p->zErr), "a reply of %llu bytes", (unsigned long long)nBody);
    return -1;
  }
  p->n = (size_t)nBody;
  p->iRead = 0;
  p->bBad = 0;
  if( wireReceiveAll(p, p->aBody, p->n) ) return -1;
  if( p->eType==eWant ) return 0;
  if( p->eType==WIRE_FAILURE ){
    p->iCode = (int)wireNumber(p);
    snprintf(p->zErr, sizeof(p->zErr), "%s", wireText(p));
  }else{
    snprintf(p->zErr, sizeof(p->zErr), "a reply of type %d", p->eType);
  }
  return -1;
}

uint64_t wireNumber(Wire *p){
  if( p->n-p->iRead<8 ){
    p->bBad = 1;
    return 0;
  }
  p->iRead += 8;
  return wireLoad(&p->aBody[p->iRead-8], 8);
}

const char *wireText(Wire *p){
  const unsigned char *a = &p->aBody[p->iRead];
  const unsigned char *aEnd = p->n>p->iRead ? memchr(a, 0, p->n-p->iRead) : 0;
  size_t n;
  if( aEnd==0 ){
    p->bBad = 1;
    return "";
  }
  n = ((size_t)(aEnd-a) + 8) & ~(size_t)7;
  p->iRead = n>p->n-p->iRead ? p->n : p->iRead+n;
  return (const char*)a;
}

/* Without an end a reply of rows is bad, so that none is taken for complete. */
int wireColumns(Wire *p, unsigned nColumn){
  uint64_t i, n = wireNumber(p);
  for(i=0; i<n && !p->bBad; i++) wireText(p);
  if( p->bBad || n!=nColumn ){
    snprintf(p->zErr, sizeof(p->zErr), "a reply of other columns");
    return -1;
  }
  return 0;
}

/* n bytes of the reply, and what follows up to a multiple of 8. */
static const unsigned char *wireTake(Wire *p, size_t n){
  const unsigned char *a = &p->aBody[p->iRead];
  if( n>p->n-p->iRead ){
    p->bBad = 1;
    return 0;
  }
  n = (n+7) & ~(size_t)7;
  p->iRead = n>p->n-p->iRead ? p->n : p->iRead+n;
  return a;
}

static void wireValue(Wire *p, WireValue *pValue){
  pValue->i = 0;
  pValue->a = 0;
  pValue->n = 0;
  if( pValue->eType==WIRE_BLOB ){
    uint64_t n = wireNumber(p);
    pValue->n = n>p->n ? p->n+1 : (size_t)n;
    pValue->a = wireTake(p, pValue->n);
  }else if( pValue->eType==WIRE_TEXT ){
    pValue->a = (const unsigned char*)wireText(p);
    pValue->n = strlen((const char*)pValue->a);
  }else{
    pValue->i = (int64_t)wireNumber(p);
  }
}

int wireRow(Wire *p, unsigned nColumn, WireValue *aValue){
  const unsigned char *aType;
  unsigned i;
  for(;;){
    uint64_t iEnd = p->n-p->iRead<8 ? 0 : wireLoad(&p->aBody[p->iRead], 8);
    if( iEnd==UINT64_MAX ) return 0;
    if( iEnd!=UINT64_MAX/255*0xee ) break;
    if( wireReceive(p, WIRE_ROWS) || wireColumns(p, nColumn) ) return -1;
  }
  aType = wireTake(p, (nColumn+1)/2);
  for(i=0; i<nColumn && !p->bBad; i++){
    aValue[i].eType = aType[i/2]>>(4*(i%2)) & 15;
    wireValue(p, &aValue[i]);
  }
  if( p->bBad ){
    snprintf(p->zErr, sizeof(p->zErr), "a reply that ends too early");
    return -1;
  }
  return 1;
}
