/*
** collection_plan.h -- query plans of a collection.
*/
#ifndef KV_COLLECTION_PLAN_H
#define KV_COLLECTION_PLAN_H

#include "sql/collection/collection_int.h"

/* xBestIndex: idxStr becomes the plan (collection_code.h). */
int kvCollectionPlan(KvVtab *pTab, sqlite3_index_info *pInfo);

#endif /* KV_COLLECTION_PLAN_H */
