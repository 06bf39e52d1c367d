/*
** js_refs.h -- <ref *N> and [Circular *N] in JS text.
*/
#ifndef KV_JS_REFS_H
#define KV_JS_REFS_H

#include "codec/js/js_frame.h"

/* At a '<': read <ref *N>, and open a frame for its value. */
int kvJsLabel(KvJsp *p);
/* The value after <ref *N>, the top frame, is complete. */
int kvJsLabelled(KvJsp *p);
/* Read the rest of [Circular *N], which starts at zAt. */
int kvJsCircular(KvJsp *p, const char *zAt);
/* The tree is complete, and node 0 the root, which was made as node iRoot: tie
** the REFs to their objects.  JSP_DONE or JSP_FAIL. */
int kvJsResolve(KvJsp *p, u32 iRoot);

#endif /* KV_JS_REFS_H */
