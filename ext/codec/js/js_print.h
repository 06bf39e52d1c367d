/*
** js_print.h -- the canonical JS text of a tree.
*/
#ifndef KV_JS_PRINT_H
#define KV_JS_PRINT_H

#include "codec/value.h"

/*
** Append the canonical, lossless JS text of the tree's root to pOut: what
** kvJsParse() reads back as the same value.  nIndent>0: with line breaks and
** that many spaces a level.
*/
int kvJsPrint(KvTree *p, int nIndent, KvBuf *pOut, KvErr *pErr);

#endif /* KV_JS_PRINT_H */
