/*
** path.h -- SQLite's JSON paths, step by step.  The head of path.c has the grammar
** and the meaning of each step.
*/
#ifndef KV_PATH_H
#define KV_PATH_H

#include "codec/value.h"
#include "codec/js/js_lex.h"

/* A path that is being read, and its last step. */
typedef struct KvPath KvPath;
struct KvPath {
  KvLex lex;              /* What is still unread; the first error */
  u32 iStep;              /* Offset of the step that was read last */
  u8 bKey;                /* It is .key, else [iIndex] or [#-iIndex] */
  u8 bEnd;                /* It counts from the end: [#-iIndex], and [#] is 0 */
  KvNode key;             /* A STRING, valid until the next step is read */
  i64 iIndex;
  u64 nPassed;            /* Parts passed by kvPathEnter() */
  KvBuf space;            /* Of a key with escapes */
  u8 aSpace[100];
};

/* Begin reading a path.  End with kvPathClear(), after an error too. */
int kvPathStart(KvPath *p, KvBytes path);
void kvPathClear(KvPath *p);

/* True if there are no more steps. */
static inline int kvPathAtEnd(const KvPath *p){
  return p->lex.z>=p->lex.zEnd;
}

/* Read the next step.  KV_OK, KV_SYNTAX or KV_NOMEM, and the error in p->lex. */
int kvPathNext(KvPath *p);

/*
** Take the step from node iNode, which must not be a REF.  *piNode is the part that
** it leads to (REFs not followed), or KV_NO_NODE.  An element of a view is not a
** node: then *piNode is iNode and *piElem the index of the element, else *piElem is
** -1.  KV_SYNTAX: the path goes around cycles too often.
*/
int kvPathEnter(KvPath *p, const KvTree *pTree, u32 iNode, u32 *piNode, i64 *piElem);

/* How many elements the step [index] counts in a node; -1: it doesn't apply. */
i64 kvPathLength(const KvTree *pTree, u32 iNode);

/*
** Find the node at an SQLite JSON path such as $.a."b c"[0][#-1].  *piNode is the
** node (REFs followed), or KV_NO_NODE if there is nothing.  An element of a view is
** not a node: then *piNode is the VIEW and *piElem the index of the element, else
** *piElem is -1.  In a Map .key selects a string key and [i] the value of the i-th
** entry; in a Set [i] the i-th element.
*/
int kvPathFind(const KvTree *p, KvBytes path, u32 *piNode, i64 *piElem, KvErr *pErr);

#endif /* KV_PATH_H */
