/*
** splice.h -- setting or removing a part of a stored value by copying the other
** bytes.
*/
#ifndef KV_SPLICE_H
#define KV_SPLICE_H

#include "codec/edit/edit_arg.h"

/*
** kvEdit() for a plain value (v8_plain.h): other parts are copied, not decoded.
** True: done, with the result of kvEdit() (except that other parts keep their
** bytes, where V8 has several encodings of a value).  False: use the general way,
** which also finds the errors; then pOut is empty, and p->pNew may already have its
** type (p->bTyped).
*/
int kvSplice(KvEdit *p);

#endif /* KV_SPLICE_H */
