/*
** wire.h -- the little of dqlite's client protocol that a node and kv-serve need.
**
** The library has no call by which a node joins a cluster or hands the lead
** over, and is no client; that is asked of the leader, as any client would, over
** TCP:
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
**   OPEN      3  name, 0, ""                -> DATABASE 4  number
**   EXEC      8  number, SQL, parameters    -> RESULT   6  last rowid, changes
**   QUERY     9  number, SQL, parameters    -> ROWS     7  n, n names, rows, end
**                                              FAILURE  0  code, text
**
**   parameters   nothing, or their number (1), the type of each (1), zero bytes up
**                to a multiple of 8, the values
**   row          the types, 4 bits each, up to a multiple of 8 bytes, the values
**   value        a number of 8 bytes (also NULL, which is 0), a text, or the length
**                of a BLOB (8), its bytes and zero bytes up to a multiple of 8
**   end          8 bytes FF, or EE if another ROWS message follows
*/
#ifndef KV_DQLITE_WIRE_H
#define KV_DQLITE_WIRE_H

#include <stddef.h>
#include <stdint.h>

enum {
  WIRE_LEADER = 0, WIRE_OPEN = 3, WIRE_EXEC = 8, WIRE_QUERY = 9, WIRE_ADD = 12, WIRE_ASSIGN = 13,
  WIRE_CLUSTER = 16, WIRE_TRANSFER = 17
};
enum {
  WIRE_FAILURE = 0, WIRE_SERVER = 1, WIRE_SERVERS = 3, WIRE_DATABASE = 4, WIRE_RESULT = 6,
  WIRE_ROWS = 7, WIRE_EMPTY = 8
};
enum { WIRE_INTEGER = 1, WIRE_TEXT = 3, WIRE_BLOB = 4, WIRE_NULL = 5 };

#define WIRE_VOTER    0

/* Bytes of an address with its end; dqlite reads no more. */
#define WIRE_ADDRESS  256
/* Bytes of a body: more than any statement or reply of a store has. */
#define WIRE_BODY     (256*1024*1024)
/* Parameters of a statement. */
#define WIRE_PARAMS   255

typedef struct Wire Wire;
struct Wire {
  int fd;                 /* -1: not connected */
  int eType;              /* Of the answer */
  int iCode;              /* Of a FAILURE: SQLite's code; 0: the connection is broken */
  size_t n;               /* Bytes in aBody */
  size_t iRead;           /* How far the answer has been read */
  size_t iType, nParam;   /* Parameters: where their types stand, how many there are yet */
  int bBad;               /* It ended too early, or there is no memory */
  char zErr[512];         /* What went wrong */
  unsigned char *aBody;   /* Of nAlloc bytes */
  size_t nAlloc;
};

/* Whether z is an IPv4 address and a port: "127.0.0.1:9001". */
int wireIsAddress(const char *z);

/*
** Connect to "host:port" (an IPv4 address) and greet.  Every step waits for at
** most nMs milliseconds.  0, or -1 and zErr.  Ended by wireClose(), either way.
*/
int wireOpen(Wire *p, const char *zAddress, int nMs);
void wireClose(Wire *p);
/* Free its memory, too.  All zero but fd -1 is a Wire without connection. */
void wireFree(Wire *p);

/* Put a request together: begin, then its fields. */
void wireBegin(Wire *p);
void wirePutNumber(Wire *p, uint64_t v);
void wirePutText(Wire *p, const char *z);

/* A statement: begin, then exactly nParam parameters. */
void wireStatement(Wire *p, uint64_t iDb, const char *zSql, unsigned nParam);
void wireParamNumber(Wire *p, int64_t v);
void wireParamBlob(Wire *p, const void *a, size_t n);
void wireParamText(Wire *p, const char *z);

/* Send it as type eAsk and wait for the answer, which must be of type eWant.
** 0, or -1 and zErr: what the other side says, if it says something. */
int wireCall(Wire *p, int eAsk, int eWant);
/* The same in two steps. */
int wireSend(Wire *p, int eAsk);
int wireReceive(Wire *p, int eWant);

/* The next field of the answer; 0 and "" after its end, where bBad is set.  The
** text is valid until the next request. */
uint64_t wireNumber(Wire *p);
const char *wireText(Wire *p);

/* A value of a row.  The bytes are valid until the next request or part. */
typedef struct WireValue WireValue;
struct WireValue {
  int eType;              /* WIRE_INTEGER ... */
  int64_t i;
  const unsigned char *a; /* Of a text or BLOB */
  size_t n;
};
/* The next row of a ROWS answer, which has nColumn columns, of which the names are to
** be read by wireColumns() first: 1, 0 at the end, -1 after an error. */
int wireColumns(Wire *p, unsigned nColumn);
int wireRow(Wire *p, unsigned nColumn, WireValue *aValue);

#endif /* KV_DQLITE_WIRE_H */
