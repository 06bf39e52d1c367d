/*
** ulid.h -- ULIDs: 26 characters that sort by time.
**
** 10 characters of time (48 bits of ms since 1970) and 16 of randomness (80
** bits), both big-endian in Crockford's base 32, as @std/ulid makes them.
*/
#ifndef KV_ULID_H
#define KV_ULID_H

#include "bytes/bytes.h"

#define KV_ULID_TEXT    26
#define KV_ULID_RANDOM  10                       /* bytes */
#define KV_ULID_MOST    281474976710655LL        /* the latest time, in ms */

/* A ULID, if bSet. */
typedef struct KvUlid KvUlid;
struct KvUlid {
  i64 iMs;                /* 0 to KV_ULID_MOST */
  u8 aRandom[KV_ULID_RANDOM];
  u8 bSet;
};

/* Print a time of 0 to KV_ULID_MOST and ten random bytes to z (26 bytes). */
void kvUlidPrint(i64 iMs, const u8 *aRandom, char *z);

/* Add one to the ten random bytes.  0 if they were all ones. */
int kvUlidIncrement(u8 *aRandom);

/* The time of a ULID, or -1 if the text isn't one. */
i64 kvUlidTime(KvBytes text);

#endif /* KV_ULID_H */
