/*
** json_print.h -- the JSON text of a value.
*/
#ifndef KV_JSON_PRINT_H
#define KV_JSON_PRINT_H

#include "codec/value.h"

/*
** Append the JSON text of node iNode, as the head of json_print.c says.
** Nothing is appended when the value is undefined (JSON.stringify() gives
** undefined too).
*/
int kvJsonPrint(KvTree *p, u32 iNode, KvBuf *pOut, KvErr *pErr);
/* The beginning of that text: no element or member is begun once pOut has nEnough bytes. */
int kvJsonPrintSome(KvTree *p, u32 iNode, u32 nEnough, KvBuf *pOut, KvErr *pErr);

/* True if JSON can express the value completely. */
int kvJsonHolds(const KvTree *p);
/* Of each node, whether JSON can't express all of it, its parts included; to be freed.  0:
** no memory. */
u8 *kvJsonMisses(const KvTree *p);

#endif /* KV_JSON_PRINT_H */
