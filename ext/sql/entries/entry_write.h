/*
** entry_write.h -- writing one entry by INSERT, UPDATE or DELETE on a table.
*/
#ifndef KV_ENTRY_WRITE_H
#define KV_ENTRY_WRITE_H

#include "sql/vtab.h"
#include "store/bulk.h"

enum { KVENTRY_INSERT, KVENTRY_UPDATE, KVENTRY_DELETE };

/* An entry to write; keys and values are stored bytes. */
typedef struct KvEntryWrite KvEntryWrite;
struct KvEntryWrite {
  u8 eOp;                 /* KVENTRY_xxx */
  KvBytes old;            /* UPDATE, DELETE: the key of the entry */
  const KvBulk *pBulk;    /* DELETE: unless 0, the entries that go with it */
  KvBytes key;            /* INSERT, UPDATE: its new key, which may be the old one */
  KvBuf *pStamp;          /* Not 0: it holds the new key, to which the versionstamp is still to
                          ** be added */
  const KvFound *pFound;  /* UPDATE: unless 0, the entry as it is, just read with its value */
  KvBytes value;
  int eEncoding;
  u32 mSet;               /* UPDATE: KVSET_VALUE, KVSET_EXPIRY */
  i64 iExpires;
  i64 iNow;               /* 0: not read yet */
  u8 bNone;               /* INSERT: there is no entry with the key, not even an expired one */
  u8 bReplace;            /* An entry that has the new key is replaced */
  u8 bReplaceRivals;      /* Entries with its values in unique indexes are replaced, too */
  /* Sets the error that the key exists; and, unless 0, one for a value that must be
  ** unique, in the place of the store's error */
  void (*xTaken)(KvVtab*, const KvEntryWrite*, KvError*);
  void (*xRival)(KvVtab*, KvBytes path, KvError*);
};

/*
** Write it with the transaction's version; creates the tables if necessary.  The
** caller has checked it completely.  Errors are the store's.
*/
void kvEntryWrite(KvVtab *pTab, KvEntryWrite *p);

#endif /* KV_ENTRY_WRITE_H */
