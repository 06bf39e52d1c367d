/*
** edit_arg.h -- the arguments of setting or removing a part of a stored value; see
** edit.h.
*/
#ifndef KV_EDIT_ARG_H
#define KV_EDIT_ARG_H

#include "codec/value.h"

typedef struct KvEdit KvEdit;
struct KvEdit {
  int eEncoding;          /* The stored value: encoding and bytes */
  KvBytes value;
  KvBytes path;
  KvTree *pNew;           /* The value to set, or 0: remove the part */
  u8 bTyped;              /* It has a type of its own: see kvRetype() */
  int iVersion;           /* V8's header version of the result */
  KvBuf *pOut;            /* Receives the result's bytes; empty before */
  int eOut;               /* Receives its encoding */
};

#endif /* KV_EDIT_ARG_H */
