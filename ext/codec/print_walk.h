/*
** print_walk.h -- the walk through a tree for the printers of JS text, JSON text
** and entries: the text between the values of its containers.
**
** The walk uses its own stack; a container on it has KVN_MARK.
*/
#ifndef KV_PRINT_WALK_H
#define KV_PRINT_WALK_H

#include "codec/value.h"

/* How a frame prints its children */
enum {
  KV_PRINT_OBJECT = 1,    /* "key":value of an OBJECT or a MAP of strings */
  KV_PRINT_LIST,          /* Elements of an ARRAY or SET, then perhaps properties */
  KV_PRINT_PROPS,         /* Elements of an ARRAY by their indices, and properties */
  KV_PRINT_MAP,           /* [key,value] of a MAP */
  KV_PRINT_ONE            /* One child */
};

typedef struct KvPrintFrame KvPrintFrame;
struct KvPrintFrame {
  u8 eForm;               /* KV_PRINT_xxx */
  u8 bFlat;               /* No line breaks */
  u8 bTail;               /* LIST: the properties follow */
  u8 bHalf;               /* MAP: the value of an entry is next */
  u8 bRef;                /* JSON: reached through a REF */
  u32 iNode;
  u32 iNext;              /* The child to print next, 0: none */
  u32 k;                  /* Children printed, holes too */
  u32 iElem;              /* LIST, PROPS: for kvNextElement(), kvNextPresent() */
  const char *zClose;
};

typedef struct KvPrint KvPrint;
struct KvPrint {
  KvTree *pTree;
  KvBuf *pOut;
  KvPrintFrame *aFrame;
  u32 nFrame, nFrameAlloc;
  int bJson;              /* JSON or an entry: else JS */
  int bHide;              /* JSON: members that are undefined aren't printed */
  int nIndent;            /* Spaces a level; 0: no line breaks */
  u32 nLevel;             /* Constructs with line breaks that are open */
  u32 *aLabel;            /* JS: label of each node, 0: none yet */
  u32 nLabel;
  u32 nRefOpen;           /* Open frames with bRef */
  i64 nShared, nHole;     /* JSON: of the limits left */
  int rc;
};

/* Print zOpen and open a container (JSON: with bRef it was reached through a
** REF).  The new frame, or 0 if out of memory. */
KvPrintFrame *kvPrintPush(
  KvPrint *p, u8 eForm, u32 iNode, int bRef, const char *zOpen, const char *zClose
);
/* Print the text before the next child of the innermost container and return the
** child; 0: no more, and the container is closed. */
u32 kvPrintNext(KvPrint *p);

/* True while there is something to print. */
static inline int kvPrintMore(const KvPrint *p){
  return p->nFrame && (p->rc | p->pOut->eErr)==KV_OK;
}

/* The text in the buffer, which is cleared, as a JSON string; a REGEXP as one. */
void kvPrintQuoted(KvPrint *p, KvBuf *pText);
void kvPrintQuotedRegexp(KvPrint *p, const KvNode *pNode);

/* [1,2,3], the elements of a view. */
void kvPrintElements(KvPrint *p, u32 iView);

/* Free everything, and set the error. */
int kvPrintEnd(KvPrint *p, KvErr *pErr);

#endif /* KV_PRINT_WALK_H */
