/*
** search_names.h -- the names of a full-text index's tables and columns, and what else
** goes into its statements.
**
** A column has the name of the path's last key, or "value" if the path has none.
** FTS5 reserves rank and rowid, and the table of documents kv_docid and kv_key:
** such a name, and a duplicate, gets a number appended.
**
**   $.title -> title    $.post.title -> title2    $ -> value    $.rank -> rank2
*/
#ifndef KV_SEARCH_NAMES_H
#define KV_SEARCH_NAMES_H

#include "store/index/def.h"

/* What goes into a statement that searches (a bit mask). */
#define KVSEARCH_RANK       0x01   /* The rank is needed */
#define KVSEARCH_SNIPPET    0x02
#define KVSEARCH_HIGHLIGHT  0x04
#define KVSEARCH_WEIGHTS    0x08   /* The rank has weights */
#define KVSEARCH_ORDER      0x10   /* In the order of ranks */
#define KVSEARCH_KEYS       0x40   /* Only the key of an entry is asked for */
#define KVSEARCH_DESC       0x20   /* ... the other way round */

/* The index of a piece of a statement. */
typedef struct KvSearchNames KvSearchNames;
struct KvSearchNames {
  const KvIndexDef *pDef;
  const char *zSchema, *zPrefix;       /* Of the store */
  u32 mMask;                           /* KVSEARCH_xxx */
  u8 bNoMemory;                        /* There was none for a piece */
};

/* The option tokenize of an index in FTS5's syntax; empty if it has none. */
void kvSearchTokenize(const KvIndexDef *p, KvBuf *pOut);
/* Append the name of a column, by the number of its path. */
void kvSearchColumn(const KvIndexDef *p, const char *zPrefix, u32 iPath, KvBuf *pOut);
/* Append the replacement of {search} or {search xxx}, the n bytes at z.  False if
** it is neither. */
int kvSearchPiece(KvSearchNames *p, const char *z, int n, sqlite3_str *pOut);

#endif /* KV_SEARCH_NAMES_H */
