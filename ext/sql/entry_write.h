/*
** entry_write.h -- writing one entry by INSERT, UPDATE or DELETE on a table.
*/
#ifndef KV_ENTRY_WRITE_H
#define KV_ENTRY_WRITE_H

#include "sql/vtab.h"
#include "store/bulk.h"

enum { KVENTRY_INSERT, KVENTRY_UPDATE, KVENTRY_DELETE };

/* An entry that is written; keys and values are stored bytes. */
typedef struct KvEntryWrite KvEntryWrite;
struct KvEntryWrite {
  u8 eOp;                 /* KVENTRY_xxx */
  KvBytes old;            /* UPDATE, DELETE: the key of the entry */
  const KvBulk *pBulk;    /* DELETE: unless 0, the entries that go with it */
  KvBytes key;            /* INSERT, UPDATE: its new key, which may be the old one */
  KvBuf *pStamp;          /* Not 0: the new key is in it and yet to get the versionstamp */
  KvBytes value;
  int eEncoding;
  u32 mSet;               /* UPDATE: KVSET_VALUE, KVSET_EXPIRY */
  i64 iExpires;
  i64 iNow;               /* 0: not asked for yet */
  u8 bReplace;            /* An entry that has the new key is replaced */
  u8 bReplaceRivals;      /* So are those that have its values in unique indexes */
  /* The error that there is one; and, unless it is 0, what is said of the value at a
  ** path that must be unique and isn't, in the place of the error that there is */
  void (*xTaken)(KvVtab*, const KvEntryWrite*, KvError*);
  void (*xRival)(KvVtab*, KvBytes path, KvError*);
};

/*
** Write it with the transaction's version, in tables that are made if need be.  All
** that can be wrong with it has been looked at before.  An error is the store's.
*/
void kvEntryWrite(KvVtab *pTab, KvEntryWrite *p);

#endif /* KV_ENTRY_WRITE_H */
