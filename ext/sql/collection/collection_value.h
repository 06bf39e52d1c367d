/*
** collection_value.h -- the columns of a collection: from what is stored to SQL
** values, and back.
**
**   type       stored as             shown as
**   --------   -------------------   ------------------------------------------
**   INTEGER    number                INTEGER (REAL, if it is no safe integer)
**   REAL       number                REAL
**   TEXT       string                TEXT
**   BLOB       Uint8Array            BLOB
**   BOOLEAN    boolean               0, 1
**   BIGINT     bigint                INTEGER, or TEXT beyond 64 bits
**   DATETIME   Date                  TEXT: YYYY-MM-DD HH:MM:SS.ffffff, in UTC
**   JSON       any JSON value        TEXT: JSON
**   (none)     what the value tells  as the column value of kv_entries
**
** A missing member, null and undefined are NULL.  Values of other types are shown
** as in the column value of kv_entries.
*/
#ifndef KV_COLLECTION_VALUE_H
#define KV_COLLECTION_VALUE_H

#include "codec/key/key_bytes.h"
#include "codec/value.h"
#include "sql/collection/collection_def.h"
#include "sql/conn.h"

/* Is a key that of a row?  Then its parts are in aPart, which has room for the KEY columns.
** *pnSame is the length of the key up to where it is one part too long. */
int kvCollectionIsRow(const KvCollectionDef *pDef, KvBytes key, KvPart *aPart, u32 *pnSame);
/* Is a key part of the type of a KEY column? */
int kvCollectionPartFits(const KvCollectionColumn *pCol, const KvPart *pPart);
/* Result: the part as the column shows it. */
void kvCollectionPartResult(
  sqlite3_context *ctx, const KvCollectionColumn *pCol, const KvPart *pPart
);
/* Result: the value whose part in an index tells what the column shows. */
void kvCollectionOwnResult(
  sqlite3_context *ctx, const KvCollectionColumn *pCol, const KvPart *pPart
);
/* Append the key part for an SQL value in a KEY column.  KV_OK, KV_NOMEM or
** KV_REFUSED. */
int kvCollectionPart(const KvCollectionColumn *pCol, sqlite3_value *pVal, KvBuf *pOut, KvErr *pErr);

/* The value of a row, so that what is read for one column is reused for the next.
** All zero at first. */
typedef struct KvCollectionRow KvCollectionRow;
struct KvCollectionRow {
  KvBytes value;          /* As it is stored */
  int eEncoding;
  u8 eRead;               /* What is known: see collection_value.c */
  V8Members members;
  KvTree tree;
};
/* Move to another row, which has this value. */
static inline void kvCollectionRowSet(KvCollectionRow *p, KvBytes value, int eEncoding){
  p->value = value;
  p->eEncoding = eEncoding;
  p->eRead = 0;
}

/* Find the part at the column's path in the row's value: node iNode of *pTree, or its
** element iElem if that isn't -1; pTree 0: there is none.  KV_OK, or the error of the
** stored bytes. */
typedef struct KvCollectionShown KvCollectionShown;
struct KvCollectionShown {
  KvTree *pTree;
  u32 iNode;
  i64 iElem;
  KvNode leaf;            /* The node itself, if it is none of the row's tree: ... */
  KvTree one;             /* ... one of this */
};
int kvCollectionShow(
  const KvCollectionColumn *pCol, KvCollectionRow *pRow, KvCollectionShown *pOut, KvErr *pErr
);
/* Result: the part at the column's path in the row's value.  KV_OK, or the error of
** the stored bytes. */
int kvCollectionResult(
  sqlite3_context *ctx, const KvCollectionColumn *pCol, KvCollectionRow *pRow, KvErr *pErr
);

/* Find the part at the column's path in a stored value: node *piNode of the reset
** tree, with REFs followed, or KV_NO_NODE.  (An element of a typed array is not a
** node.) If *piNode is 0, the tree is that part alone.  KV_OK, or an error. */
int kvCollectionFind(
  const KvCollectionColumn *pCol, int eEncoding, KvBytes value, KvTree *pTree, u32 *piNode,
  KvErr *pErr
);
#define KVCOLLECTION_DEPTH 100
/* Is a node shown as NULL?  Is it shown in the column as an SQL value?  Can JSON
** express it, with at most nDepth levels of its content? */
int kvCollectionIsNull(const KvTree *pTree, u32 iNode);
int kvCollectionSame(const KvCollectionColumn *pCol, KvTree *pTree, u32 iNode, sqlite3_value *pVal);
int kvCollectionIsJson(const KvTree *p, u32 iNode, int nDepth);

/* Is there an Array at the column's path? */
int kvCollectionIsArray(const KvCollectionColumn *pCol, KvCollectionRow *pRow);

/* Write what the column's DEFAULT generates to z (KV_UUID_TEXT bytes), a new ULID or UUID or
** the time as SQLite prints it; or make it the root of a reset tree, in a DATETIME column a
** Date.  KV_OK or KV_NOMEM. */
void kvCollectionGenerate(KvConn *pConn, const KvCollectionColumn *pCol, char *z);
int kvCollectionGenerateNode(KvConn *pConn, const KvCollectionColumn *pCol, KvTree *pTree);

/* Build the value, in a reset tree, that an SQL value other than NULL is stored
** as in a column with a type.  KV_OK, KV_NOMEM or KV_REFUSED. */
int kvCollectionNode(
  const KvCollectionColumn *pCol, sqlite3_value *pVal, KvTree *pTree, KvErr *pErr
);

/* The words for JSON with a number that JavaScript has not. */
extern const char kvCollectionUnsafe[];
/* The time of an SQL value in a DATETIME column: a number is ms since 1970, text a
** date as kvDateSqlRead() reads it, a typed value a Date.  False: it is no time, or a
** number that is rather one of seconds or days.  text: that of a TEXT. */
int kvCollectionTime(sqlite3_value *pVal, KvBytes text, double *prMs);

#endif /* KV_COLLECTION_VALUE_H */
