/*
** check_fault.h -- the faults that a check of a store has found.
*/
#ifndef KV_CHECK_FAULT_H
#define KV_CHECK_FAULT_H

#include "bytes/list.h"
#include "store/statement.h"

/* Kinds of faults. */
enum {
  KVCHECK_SCHEMA,         /* Other programs' objects in the way; missing ones */
  KVCHECK_KEY,            /* Malformed keys */
  KVCHECK_VALUE,          /* Undecodable values */
  KVCHECK_VERSION,        /* data_version is no version, or behind the newest entry */
  KVCHECK_EXPIRY,         /* Times that no entry can have */
  KVCHECK_QUEUE,          /* Malformed messages */
  KVCHECK_INDEX,          /* Index entries that are wrong, missing or left over */
  KVCHECK_KINDS
};
/* Faults of a kind that are listed; further ones are counted. */
#define KVCHECK_MOST 1000

/* The faults of a store.  All zero at first, but for the store. */
typedef struct KvFaults KvFaults;
struct KvFaults {
  KvStore *pStore;
  KvList list;            /* Of each its kind (a byte), key and message */
  i64 an[KVCHECK_KINDS];  /* How many there are of each kind */
};

/* One of them.  key.p is 0 if it is of no entry. */
typedef struct KvFault KvFault;
struct KvFault {
  int eKind;
  KvBytes key, message;
};

/* Add a fault.  The message that zFormat makes is cut if it is very long. */
void kvFaultAdd(KvFaults *p, int eKind, KvBytes key, const char *zFormat, ...);
/* If the store has the error that something in the file isn't as it must be, it is a
** fault and no error: true. */
int kvFaultTake(KvFaults *p, int eKind);
/* All are found: for each kind of which some are not listed, how many. */
void kvFaultsEnd(KvFaults *p);
/* The fault at *pi (0: the first), which moves to the next one.  0 at the end. */
int kvFaultNext(const KvFaults *p, u32 *pi, KvFault *pFault);
/* Forget all; free the memory. */
void kvFaultsReset(KvFaults *p);
void kvFaultsClear(KvFaults *p);

#endif /* KV_CHECK_FAULT_H */
