/*
** js_convert.h -- JavaScript's conversions of primitive values.
*/
#ifndef KV_JS_CONVERT_H
#define KV_JS_CONVERT_H

#include "codec/js/js_frame.h"

/* ToNumber() of a primitive node.  False if it is none (or a bigint). */
int kvJsToNumber(const KvNode *pNode, double *pr);
/* ToString() of a primitive node as a STRING node; KV_NO_NODE if it is none. */
u32 kvJsToString(KvJsp *p, u32 iNode);
/* ToBoolean() of any node. */
u32 kvJsToBoolean(const KvNode *pNode);

#endif /* KV_JS_CONVERT_H */
