/*
** view.h -- typed arrays and DataViews: the views of a tree, and their
** elements.
*/
#ifndef KV_VIEW_H
#define KV_VIEW_H

#include "codec/value.h"

/* The greatest maxByteLength: 40 TiB.  For more, V8 may not find addresses: Deno 2
** could sometimes create and read a resizable buffer of 41.3 TiB, but none of 42.7
** TiB. */
#define KV_MAX_RESIZABLE  ((u64)40<<40)

/* KvNode.eSub of a VIEW */
enum {
  KV_VIEW_I8, KV_VIEW_U8, KV_VIEW_U8C, KV_VIEW_I16, KV_VIEW_U16, KV_VIEW_I32,
  KV_VIEW_U32, KV_VIEW_F16, KV_VIEW_F32, KV_VIEW_F64, KV_VIEW_I64, KV_VIEW_U64,
  KV_VIEW_DATA, KV_VIEW_COUNT
};

/* Name ("Uint8Array", "DataView") and bytes per element of a view's type. */
const char *kvViewName(int eView);
int kvViewSize(int eView);

/* Add a VIEW of all of a new BUFFER with these bytes: its node, or KV_NO_NODE when
** memory ran out.  And the same for a Uint8Array, with the error. */
u32 kvTreeView(KvTree *p, int eView, KvBytes content);
int kvViewBuild(KvTree *p, KvBytes bytes, KvErr *pErr);

/* The BUFFER of VIEW iView (with its REF followed). */
static inline u32 kvViewBuffer(const KvTree *p, u32 iView){
  return kvDeref(p, p->aNode[iView].iChild);
}

/* The bytes that VIEW iView shows. */
static inline KvBytes kvViewBytes(const KvTree *p, u32 iView){
  const KvNode *pView = &p->aNode[iView];
  const u8 *a = p->aNode[kvViewBuffer(p, iView)].u.p;
  return kvBytes(pView->n ? a + pView->u.iOffset : a, pView->n);
}

/*
** Element iElem of typed array iView: *pOut is a NUMBER, or a BIGINT whose
** magnitude is in aDigit (8 bytes).  False if there is no such element; a
** DataView has none.
*/
int kvViewElem(const KvTree *p, u32 iView, i64 iElem, KvNode *pOut, u8 *aDigit);

/*
** Store a NUMBER, or in an array of bigints a BIGINT or a BOOL, as an element
** of type eView at a, as JavaScript's assignment does: rounded, wrapped.
** False if the node is of another kind.
*/
int kvViewPut(u8 *a, int eView, const KvNode *pNode);

#endif /* KV_VIEW_H */
