/*
** search.h -- full-text indexes.
**
** A declared index with the option fulltext has no index entries.  It has an FTS5
** table, and a table of the texts that FTS5 reads (sql/store/search.sql).  A
** document holds the texts of a primary entry at the paths of the index
** (codec/search_text.h), one column for each; an entry without any such text has no
** document.
**
**   kv_search_posts_text      FTS5: title, body; content = kv_search_posts_text_doc
**   kv_search_posts_text_doc  kv_docid, kv_key = ["posts",1], title = 'a', body = 'b'
**
** A write through this library updates both at once.  What other programs have
** written is in the list of dirty keys, as for any declared index; no trigger uses these
** tables.  If a connection lacks FTS5 or the tokenizer, what it writes is put there, too.
** So is what a statement writes that writes many entries: their documents follow a batch
** at a time, and the last batch with the next write.
*/
#ifndef KV_SEARCH_H
#define KV_SEARCH_H

#include "codec/value.h"
#include "store/index/def.h"

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

/* Maintain the index for a primary entry with this value, or with 0 for none (or an
** undecodable one).  *pnAdded grows by the documents that were added.  False if this
** connection can't write to the index. */
int kvSearchFollow(
  KvStore *p, const KvIndexDef *pDef, KvBytes pk, const KvTree *pTree, u32 *pnAdded
);

/* Is the document of a primary entry what this value, as above, asks for? */
int kvSearchIsRight(KvStore *p, const KvIndexDef *pDef, KvBytes pk, const KvTree *pTree);

/* Create the tables of an index that is being declared; empty them.  Inside a
** statement that writes. */
void kvSearchCreate(KvStore *p, const KvIndexDef *pDef);
void kvSearchEmpty(KvStore *p, const KvIndexDef *pDef);
/* Drop the tables of full-text indexes that are no longer declared.  Not inside a
** statement. */
void kvSearchDropUnused(KvStore *p);
/* Are there any? */
int kvSearchUnused(KvStore *p);

/* Are both tables of an index there? */
int kvSearchThere(KvStore *p, const KvIndexDef *pDef);

/* Replace SQLite's error for a missing FTS5 by one of our own. */
void kvSearchModule(KvStore *p, const char *zWhat);

/* Documents that a full-text index has. */
i64 kvSearchCount(KvStore *p, const KvIndexDef *pDef);

/* Free work space. */
void kvSearchClear(KvStore *p);

#endif /* KV_SEARCH_H */
