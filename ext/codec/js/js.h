/*
** js.h -- the elements of typed arrays.
*/
#ifndef KV_JS_H
#define KV_JS_H

#include "codec/value.h"

/*
** Element iElem of typed array iView: *pOut is a NUMBER, or a BIGINT whose
** magnitude is in aDigit (8 bytes).  False if there is no such element; a
** DataView has none.
*/
int kvViewElem(
  const KvTree *p, u32 iView, i64 iElem, KvNode *pOut, u8 *aDigit
);
/* Store a node as an element of type eView at a, as JavaScript's assignment
** does: rounded, wrapped.  False if it can't be one. */
int kvViewPut(u8 *a, int eView, const KvNode *pNode);
/* The BUFFER behind VIEW iView (its REF followed). */
u32 kvViewBuffer(const KvTree *p, u32 iView);

#endif /* KV_JS_H */
