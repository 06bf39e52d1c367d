/*
** key_compare.h -- the order of key texts.
*/
#ifndef KV_KEY_COMPARE_H
#define KV_KEY_COMPARE_H

#include "bytes/bytes.h"

/*
** The collation kv_compare: order two texts as keys.  Text that is no key
** sorts after every key, bytewise.  Negative, zero or positive.  No memory
** is allocated for keys of up to KV_COMPARE_STACK bytes.
*/
#define KV_COMPARE_STACK 3072
int kvKeyCompare(KvBytes textA, KvBytes textB);

#endif /* KV_KEY_COMPARE_H */
