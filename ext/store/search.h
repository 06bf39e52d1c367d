/*
** search.h -- full-text indexes.
**
** A declared index with the option fulltext has no index entries.  It has a table of
** FTS5, and the texts that this reads (sql/store/search.sql).  A document is the texts of
** a primary entry at the paths of the index (codec/search_text.h), a column each; an
** entry without any text there is none.
**
**   kv_search_posts_text      FTS5: title, body; content = kv_search_posts_text_doc
**   kv_search_posts_text_doc  kv_docid, kv_key = ["posts",1], title = 'a', body = 'b'
**
** What is written through this library goes to both at once.  The feed tells what others
** have written, as for any declared index; no trigger knows these tables.  Where a
** connection has no FTS5, or not the tokenizer, what it writes waits in kv_search_pending.
*/
#ifndef KV_SEARCH_H
#define KV_SEARCH_H

#include "codec/value.h"
#include "store/index_def.h"

/* The texts of a document: those of column i are before aEnd[i]. */
typedef struct KvDocument KvDocument;
struct KvDocument {
  KvBuf text;
  u32 nColumn;
  u32 aEnd[KV_SEARCH_PATHS];
  u8 abAny[KV_SEARCH_PATHS];           /* Column i has a text, which may be empty */
  u8 bAny;                             /* Any has */
};

/* Read the document that a value is in an index. */
void kvDocumentRead(KvStore *p, const KvIndexDef *pDef, const KvTree *pTree, KvDocument *pDoc);
/* Bind its columns as parameters from i on; false after an error. */
int kvDocumentBind(sqlite3_stmt *pStmt, int i, const KvDocument *pDoc);
void kvDocumentClear(KvDocument *p);

/* The index follows a primary entry: it is the value, or with 0 not there (or none that
** can be read).  Returns how many documents were added. */
u32 kvSearchFollow(KvStore *p, const KvIndexDef *pDef, KvBytes pk, const KvTree *pTree);

/* Up to nMost keys that wait for a connection with FTS5, if this is one: they are taken off
** the table, and must be followed.  Returns how many. */
u32 kvSearchWaiting(KvStore *p, const KvIndexDef *pDef, KvList *pOut, u32 nMost);

/* Make the tables of an index that is being declared; make them empty.  Inside of a
** statement that writes. */
void kvSearchCreate(KvStore *p, const KvIndexDef *pDef);
void kvSearchEmpty(KvStore *p, const KvIndexDef *pDef);
/* Drop the tables of full-text indexes that are not declared.  Not inside of a
** statement. */
void kvSearchDropUnused(KvStore *p);
/* Are there any? */
int kvSearchUnused(KvStore *p);

/* The error that there is no FTS5, if it is that, in other words than SQLite's. */
void kvSearchModule(KvStore *p, const char *zWhat);

/* Documents that a full-text index has. */
i64 kvSearchCount(KvStore *p, const KvIndexDef *pDef);

/* Free work space. */
void kvSearchClear(KvStore *p);

#endif /* KV_SEARCH_H */
