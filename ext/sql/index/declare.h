/*
** declare.h -- declaring an index by kv_index() or INSERT INTO kv_indexes.
*/
#ifndef KV_DECLARE_H
#define KV_DECLARE_H

#include "sqlite3ext.h"
#include "store/index/declare.h"

typedef struct KvDeclare KvDeclare;
struct KvDeclare {
  KvStore *pStore;
  KvIndexDef def;
  u8 bOverwrite;          /* Existing entries may be overwritten */
  u8 bSearch;             /* It is a full-text index */
  u32 nHead;              /* Bytes of the options before the condition; 0: no condition */
  KvBuf options;          /* Of def, as they are kept */
  KvBuf prefix;           /* ... and its prefix */
};

/* Read name, prefix, path and, if n is 4, options.  Errors are the store's.  The
** values must stay valid until kvDeclareClear(). */
void kvDeclareRead(KvDeclare *p, KvStore *pStore, sqlite3_value **apVal, int n);
/* True if there is nothing to do: the same index is declared, or there is an error. */
int kvDeclared(const KvDeclare *p);
/* Declare it, inside a nested statement; returns how many index entries were
** created. */
i64 kvDeclare(const KvDeclare *p);
void kvDeclareClear(KvDeclare *p);

#endif /* KV_DECLARE_H */
