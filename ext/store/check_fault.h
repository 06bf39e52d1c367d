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
  KVCHECK_VERSION,        /* data_version is no version, or less than that of the newest entry */
  KVCHECK_EXPIRY,         /* Times that no entry can have */
  KVCHECK_QUEUE,          /* Malformed messages */
  KVCHECK_INDEX,          /* Index entries that are wrong, missing or left over */
  KVCHECK_KINDS
};
/* The most faults of a kind that are listed; further ones are counted. */
#define KVCHECK_MOST 1000

/* The faults of a store.  All zero at first, but for the store. */
typedef struct KvFaults KvFaults;
struct KvFaults {
  KvStore *pStore;
  KvList list;            /* Of each its kind (a byte), key and message */
  i64 an[KVCHECK_KINDS];  /* How many there are of each kind */
};

/* A fault.  key.p is 0 if it belongs to no entry. */
typedef struct KvFault KvFault;
struct KvFault {
  int eKind;
  KvBytes key, message;
};

/* Add a fault.  A very long message is truncated. */
void kvFaultAdd(KvFaults *p, int eKind, KvBytes key, const char *zFormat, ...);
/* If the store's error is about the content of the file, turn it into a fault and
** return true. */
int kvFaultTake(KvFaults *p, int eKind);
/* Call this after all faults are found: adds the number of unlisted faults of each
** kind. */
void kvFaultsEnd(KvFaults *p);
/* Return the fault at *pi (0: the first) and advance *pi.  0 at the end. */
int kvFaultNext(const KvFaults *p, u32 *pi, KvFault *pFault);
/* Forget all; free the memory. */
void kvFaultsReset(KvFaults *p);
void kvFaultsClear(KvFaults *p);

#endif /* KV_CHECK_FAULT_H */
