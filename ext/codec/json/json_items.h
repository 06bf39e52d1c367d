/*
** json_items.h -- merging containers: matching items of the new JSON with stored
** ones.
*/
#ifndef KV_JSON_ITEMS_H
#define KV_JSON_ITEMS_H

#include "codec/json/json_place.h"

/*
** Match the items of the OBJECT, MAP, or ARRAY or SET iOld with those of the new
** JSON at place iPlace, make the node of the result what it is to be, and push a
** place for each item that has a stored one.
*/
void kvMergeObject(KvMerge *p, u32 iPlace, u32 iOld);
void kvMergeMap(KvMerge *p, u32 iPlace, u32 iOld);
void kvMergeElements(KvMerge *p, u32 iPlace, u32 iOld);

#define KV_MERGE_TWICE "and the new JSON has a key or an element of it twice"

#endif /* KV_JSON_ITEMS_H */
