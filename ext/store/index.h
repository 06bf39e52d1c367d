/*
** index.h -- the change feed and the declared indexes of a store.
*/
#ifndef KV_INDEX_H
#define KV_INDEX_H

#include "store/store.h"

#endif /* KV_INDEX_H */
