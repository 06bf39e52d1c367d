/*
** wire.h -- the little of dqlite's client protocol that a node needs.
**
** The library has no call by which a node joins a cluster or hands the lead
** over; that is asked of the leader, as any client would, over TCP:
**
**   once         version of the protocol: 1 (8 bytes)
**   message      words of the body (4), type (1), zero (3), body
**   body         numbers of 8 bytes, and texts: their bytes, a zero byte, and
**                zero bytes up to a multiple of 8
**
** All numbers are little-endian.  Types and bodies used here:
**
**   LEADER    0  0                          -> SERVER   1  id, address
**   ADD      12  id, address                -> EMPTY    8
**   ASSIGN   13  id, role (0: voter)        -> EMPTY    8
**   CLUSTER  16  1                          -> SERVERS  3  n, then n times
**                                              id, address, role
**   TRANSFER 17  id (0: to anybody)         -> EMPTY    8
**                                              FAILURE  0  code, text
*/
#ifndef KV_DQLITE_WIRE_H
#define KV_DQLITE_WIRE_H

#include <stddef.h>
#include <stdint.h>

enum {
  WIRE_LEADER = 0, WIRE_ADD = 12, WIRE_ASSIGN = 13, WIRE_CLUSTER = 16, WIRE_TRANSFER = 17
};
enum { WIRE_FAILURE = 0, WIRE_SERVER = 1, WIRE_SERVERS = 3, WIRE_EMPTY = 8 };

#define WIRE_VOTER    0

/* Bytes of an address with its end; dqlite reads no more. */
#define WIRE_ADDRESS  256
/* Bytes of a body; the list of some thousand members has less. */
#define WIRE_BODY     65536

typedef struct Wire Wire;
struct Wire {
  int fd;                 /* -1: not connected */
  int eType;              /* Of the answer */
  size_t n;               /* Bytes in aBody */
  size_t iRead;           /* How far the answer has been read */
  int bBad;               /* It ended too early */
  char zErr[512];         /* What went wrong */
  unsigned char aBody[WIRE_BODY];
};

/* Whether z is an IPv4 address and a port: "127.0.0.1:9001". */
int wireIsAddress(const char *z);

/*
** Connect to "host:port" (an IPv4 address) and greet.  Every step waits for at
** most nMs milliseconds.  0, or -1 and zErr.  Ended by wireClose(), either way.
*/
int wireOpen(Wire *p, const char *zAddress, int nMs);
void wireClose(Wire *p);

/* Put a request together: begin, then its fields. */
void wireBegin(Wire *p);
void wirePutNumber(Wire *p, uint64_t v);
void wirePutText(Wire *p, const char *z);

/* Send it as type eAsk and wait for the answer, which must be of type eWant.
** 0, or -1 and zErr: what the other side says, if it says something. */
int wireCall(Wire *p, int eAsk, int eWant);

/* The next field of the answer; 0 and "" after its end, where bBad is set.  The
** text is valid until the next request. */
uint64_t wireNumber(Wire *p);
const char *wireText(Wire *p);

#endif /* KV_DQLITE_WIRE_H */
