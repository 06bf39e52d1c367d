/*
** declare.h -- declaring an index: what kv_index() and INSERT INTO kv_indexes say.
*/
#ifndef KV_DECLARE_H
#define KV_DECLARE_H

#include "sqlite3ext.h"
#include "store/index_declare.h"

typedef struct KvDeclare KvDeclare;
struct KvDeclare {
  KvStore *pStore;
  KvIndexDef def;
  u8 bOverwrite;          /* Whatever is there may be overwritten */
  u8 bSearch;             /* It is a full-text index */
  u32 nHead;              /* Bytes of the options in front of the condition; 0: it has none */
  KvBuf options;          /* Of def, as they are kept */
  KvBuf prefix;           /* ... and its prefix */
};

/* Read name, prefix, path and, if n is 4, options.  An error is left in the store.  The
** values must stay until the end, kvDeclareClear(). */
void kvDeclareRead(KvDeclare *p, KvStore *pStore, sqlite3_value **apVal, int n);
/* True if nothing is to be done: the index is declared just so, or there is an error. */
int kvDeclared(const KvDeclare *p);
/* Do it, inside of a nested statement; returns how many index entries were made. */
i64 kvDeclare(const KvDeclare *p);
void kvDeclareClear(KvDeclare *p);

#endif /* KV_DECLARE_H */
