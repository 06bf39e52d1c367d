/*
** entry_columns.h -- an entry's columns, as every table shows them.
*/
#ifndef KV_ENTRY_COLUMNS_H
#define KV_ENTRY_COLUMNS_H

#include "bytes/bytes.h"
#include "codec/value.h"
#include "sqlite3ext.h"

/* What a column shows.  The first five are KV_AS_xxx (args.h). */
enum {
  KVSHOW_VALUE, KVSHOW_JS, KVSHOW_JSON, KVSHOW_RAW, KVSHOW_TYPE,
  KVSHOW_KEY, KVSHOW_VERSIONSTAMP, KVSHOW_EXPIRES_AT, KVSHOW_EXPIRE_IN,
  KVSHOW_OTHER            /* Something that is the table's own, or nothing */
};

/* The value of a row, read on first use.  All zero at first. */
typedef struct KvValueColumns KvValueColumns;
struct KvValueColumns {
  KvTree tree;
  KvBuf text;             /* Work space, of the table too */
  u8 bTree;               /* tree is the row's value */
};

/* Result: the stored value pVal as eAs (KV_AS_xxx).  An undecodable value is an
** error in *pErr, and has the type "malformed". */
int kvValueColumn(
  sqlite3_context *ctx, KvValueColumns *p, sqlite3_value *pVal, int eEncoding, int eAs, KvErr *pErr
);
/* The cursor moves to another row. */
static inline void kvValueColumnsNext(KvValueColumns *p){
  p->bTree = 0;
}
void kvValueColumnsClear(KvValueColumns *p);

/* A row that shows an entry: columns iFirst ... of pRow are key, version,
** expiration_ms, v and v_encoding.  The table sets them. */
typedef struct KvEntryColumns KvEntryColumns;
struct KvEntryColumns {
  sqlite3_stmt *pRow;
  int iFirst;
  KvBytes key;            /* If n>0: the key, which isn't in pRow */
  i64 iNow;               /* The time at which the entry is looked at */
  KvValueColumns value;
  KvBuf head;             /* All parts but the last of the last key shown */
  KvBuf keyText;          /* ... and the text of that key */
  u32 nHeadText;          /* ... which the head's text begins, 0: none */
};

/* The stored key of the row. */
KvBytes kvEntryKey(const KvEntryColumns *p);
/* Result: eShow (KVSHOW_xxx) of the row. */
void kvEntryColumn(sqlite3_context *ctx, KvEntryColumns *p, int eShow);
void kvEntryColumnsClear(KvEntryColumns *p);
/* Bytes that it holds on to, beside the tree. */
u64 kvEntryColumnsMemory(const KvEntryColumns *p);

#endif /* KV_ENTRY_COLUMNS_H */
