/*
** splice.h -- a part of a stored value, set or removed among bytes that are
** copied.
*/
#ifndef KV_SPLICE_H
#define KV_SPLICE_H

#include "codec/edit/edit_arg.h"

/*
** kvEdit() for a plain value (v8_plain.h): what is passed over is copied, not
** decoded.  True: done, as kvEdit() would have done it (but what isn't touched
** keeps its bytes, where V8 has more than one way to write a value).  False:
** the long way is to be taken, which also finds the errors; then pOut is empty,
** and p->pNew may have got its type already (p->bTyped).
*/
int kvSplice(KvEdit *p);

#endif /* KV_SPLICE_H */
