/*
** js_call.h -- calls in JS text: the evaluation of `new Map(...)`,
** `Object.assign(...)` and the other constructors.
*/
#ifndef KV_JS_CALL_H
#define KV_JS_CALL_H

#include "codec/js/js_frame.h"

/*
** What is called: the low four bits; eSub of the VIEW or ERROR above them.
*/
enum {
  KV_CALL_MAP = 1, KV_CALL_SET, KV_CALL_DATE, KV_CALL_REGEXP, KV_CALL_U64,
  KV_CALL_BUFFER, KV_CALL_NUMBER, KV_CALL_STRING, KV_CALL_BOOLEAN,
  KV_CALL_ARRAY, KV_CALL_OBJECT, KV_CALL_ASSIGN, KV_CALL_ERROR, KV_CALL_VIEW
};
#define KV_CALL(E,SUB)    ((E) | (SUB)<<4)
#define KV_CALL_KIND(E)   ((E) & 15)
#define KV_CALL_SUB(E)    ((E) >> 4)

/* KV_CALL() of a name that may be called or constructed, or 0. */
int kvJsCallName(KvBytes name);

/*
** Evaluate a call: nArg arguments, linked from iArg on.  zAt is where errors
** are reported.  Leaves the result in p->iVal.  JSP_DONE or JSP_FAIL.
*/
int kvJsCall(KvJsp *p, int eCall, const char *zAt, u32 iArg, u32 nArg);

/*
** Give ARRAY iArr, the value that is complete, nPair more pairs, linked from
** iPair on and in the order of the text: indices of existing elements replace
** them.  JSP_DONE or JSP_FAIL, with errors at p->zCall.
*/
int kvJsArrayPairs(KvJsp *p, u32 iArr, u32 iPair, u32 nPair);

#endif /* KV_JS_CALL_H */
