/*
** js_view.h -- typed arrays, DataViews and ArrayBuffers from JS text.  All
** functions leave the result in p->iVal and give JSP_DONE or JSP_FAIL.
*/
#ifndef KV_JS_VIEW_H
#define KV_JS_VIEW_H

#include "codec/js/js_frame.h"

/* new X() for the views and for ArrayBuffer; see kvJsCall(). */
int kvJsCallView(KvJsp *p, int eView, u32 iArg, u32 nArg);
int kvJsCallBuffer(KvJsp *p, u32 iArg, u32 nArg);

/* Object.assign() to a view: the pairs or elements of iSource. */
int kvJsAssignView(KvJsp *p, u32 iView, u32 iSource);

/*
** When `[1,2,3]` at the cursor is nothing but integers up to 255: read it as a
** Uint8Array.  Otherwise JSP_VALUE, and nothing is consumed.
*/
int kvJsPlainBytes(KvJsp *p);

#endif /* KV_JS_VIEW_H */
