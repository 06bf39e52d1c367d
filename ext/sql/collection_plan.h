/*
** collection_plan.h -- how a query on a collection is run.
*/
#ifndef KV_COLLECTION_PLAN_H
#define KV_COLLECTION_PLAN_H

#include "sql/collection_int.h"

/* xBestIndex: idxNum becomes the number of a plan in the table's list. */
int kvCollectionPlan(KvVtab *pTab, sqlite3_index_info *pInfo);

#endif /* KV_COLLECTION_PLAN_H */
