/*
** search_names.h -- the names of a full-text index's tables and columns, and what else
** goes into its statements.
**
** A column has the name of the path's last key; value, if it has none.  rank and rowid
** are FTS5's, kv_docid and kv_key those of the table of documents: such a name, and one
** that was given to a column before, gets a number at its end.
**
**   $.title -> title    $.post.title -> title2    $ -> value    $.rank -> rank2
*/
#ifndef KV_SEARCH_NAMES_H
#define KV_SEARCH_NAMES_H

#include "store/index_def.h"

/* What goes into a statement that searches (a bit mask). */
#define KVSEARCH_RANK       0x01   /* The rank is asked for */
#define KVSEARCH_SNIPPET    0x02
#define KVSEARCH_HIGHLIGHT  0x04
#define KVSEARCH_WEIGHTS    0x08   /* The rank has weights */
#define KVSEARCH_ORDER      0x10   /* In the order of ranks */
#define KVSEARCH_DESC       0x20   /* ... the other way round */

/* The index that a piece of a statement is of. */
typedef struct KvSearchNames KvSearchNames;
struct KvSearchNames {
  const KvIndexDef *pDef;
  const char *zSchema, *zPrefix;       /* Of the store */
  u32 mMask;                           /* KVSEARCH_xxx */
  u8 bNoMemory;                        /* There was none for a piece */
};

/* What the option tokenize of an index says, as FTS5 takes it; nothing if it has none. */
void kvSearchTokenize(const KvIndexDef *p, KvBuf *pOut);
/* Append what stands for {search} or {search xxx}, the n bytes at z.  False if it is none
** of these. */
int kvSearchPiece(KvSearchNames *p, const char *z, int n, sqlite3_str *pOut);

#endif /* KV_SEARCH_NAMES_H */
