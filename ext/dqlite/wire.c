/*
** wire.c -- the little of dqlite's client protocol that a node needs.  See
** wire.h.
*/
#include "dqlite/wire.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
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

static int wireSendAll(Wire *p, const unsigned char *a, size_t n){
  while( n>0 ){
    ssize_t k = send(p->fd, a, n, MSG_NOSIGNAL);
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
  p->fd = -1;
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
  return wireSendAll(p, aVersion, 8);
}

void wireClose(Wire *p){
  if( p->fd>=0 ) close(p->fd);
  p->fd = -1;
}

void wireBegin(Wire *p){
  p->n = 0;
}

void wirePutNumber(Wire *p, uint64_t v){
  if( p->n+8>WIRE_BODY ) return;
  wireStore(&p->aBody[p->n], v, 8);
  p->n += 8;
}

void wirePutText(Wire *p, const char *z){
  size_t n = (strlen(z) + 8) & ~(size_t)7;
  if( p->n+n>WIRE_BODY ) return;
  memset(&p->aBody[p->n], 0, n);
  memcpy(&p->aBody[p->n], z, strlen(z));
  p->n += n;
}

int wireCall(Wire *p, int eAsk, int eWant){
  unsigned char aHead[WIRE_HEAD];
  uint64_t nBody;
  memset(aHead, 0, sizeof(aHead));
  wireStore(aHead, p->n/8, 4);
  aHead[4] = (unsigned char)eAsk;
  if( wireSendAll(p, aHead, WIRE_HEAD) || wireSendAll(p, p->aBody, p->n) ) return -1;
  if( wireReceiveAll(p, aHead, WIRE_HEAD) ) return -1;
  nBody = wireLoad(aHead, 4)*8;
  p->eType = aHead[4];
  if( nBody>WIRE_BODY ){
    snprintf(p->zErr, sizeof(p->zErr), "a reply of %llu bytes", (unsigned long long)nBody);
    return -1;
  }
  p->n = (size_t)nBody;
  p->iRead = 0;
  p->bBad = 0;
  if( wireReceiveAll(p, p->aBody, p->n) ) return -1;
  if( p->eType==eWant ) return 0;
  if( p->eType==WIRE_FAILURE ){
    wireNumber(p);
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
  const unsigned char *aEnd = memchr(a, 0, p->n-p->iRead);
  size_t n;
  if( aEnd==0 ){
    p->bBad = 1;
    return "";
  }
  n = ((size_t)(aEnd-a) + 8) & ~(size_t)7;
  p->iRead = n>p->n-p->iRead ? p->n : p->iRead+n;
  return (const char*)a;
}
