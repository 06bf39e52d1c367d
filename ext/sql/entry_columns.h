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
  KVSHOW_OTHER            /* Something that is the table's own */
};

/* The value of a row, read when it is first asked for.  All zero at first. */
typedef struct KvValueColumns KvValueColumns;
struct KvValueColumns {
  KvTree tree;
  KvBuf text;             /* Work space, of the table too */
  u8 bTree;               /* tree is the row's value */
};

/* Result: the stored value pVal as eAs (KV_AS_xxx).  What can't be read is an error in
** *pErr, and has the type "malformed". */
int kvValueColumn(
  sqlite3_context *ctx, KvValueColumns *p, sqlite3_value *pVal, int eEncoding, int eAs, KvErr *pErr
);
/* The next row. */
void kvValueColumnsNext(KvValueColumns *p);
void kvValueColumnsClear(KvValueColumns *p);

/* A row that is an entry. */
typedef struct KvEntryColumns KvEntryColumns;
struct KvEntryColumns {
  KvValueColumns value;
  KvBuf head;             /* All parts but the last of the last key shown */
  KvBuf keyText;          /* ... and the text of that key */
  u32 nHeadText;          /* ... which the head's text begins, 0: none */
  i64 iNow;               /* The time at which it is looked at */
};

/* Where it is: columns iFirst ... of pStmt are key, version, expiration_ms, v and
** v_encoding.  The key may be elsewhere. */
typedef struct KvEntryRow KvEntryRow;
struct KvEntryRow {
  sqlite3_stmt *pStmt;
  int iFirst;
  KvBytes key;            /* n 0: in pStmt */
};

/* The stored key of a row. */
KvBytes kvEntryKey(const KvEntryRow *pRow);
/* Result: eShow of the row. */
void kvEntryColumn(sqlite3_context *ctx, KvEntryColumns *p, const KvEntryRow *pRow, int eShow);
void kvEntryColumnsClear(KvEntryColumns *p);
/* Bytes that it holds on to, beside the tree. */
u64 kvEntryColumnsMemory(const KvEntryColumns *p);

#endif /* KV_ENTRY_COLUMNS_H */
