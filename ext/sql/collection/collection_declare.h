/*
** collection_declare.h -- the indexes that the columns of a collection declare.
*/
#ifndef KV_COLLECTION_DECLARE_H
#define KV_COLLECTION_DECLARE_H

#include "sql/collection/collection_int.h"

/*
** Declare the indexes for UNIQUE, INDEX and FULLTEXT: all of them or none.  An
** existing index with the same prefix, path and uniqueness is used, whatever its
** name.  A read-only file gets none.  Errors are the store's.
*/
void kvCollectionDeclare(KvCollection *p);

#endif /* KV_COLLECTION_DECLARE_H */
