/*
** collection_declare.h -- the indexes that the columns of a collection ask for.
*/
#ifndef KV_COLLECTION_DECLARE_H
#define KV_COLLECTION_DECLARE_H

#include "sql/collection_int.h"

/*
** Declare the indexes that UNIQUE, INDEX and FULLTEXT ask for: all of them or none.  One that
** is there with the same prefix, path and uniqueness is taken, whatever its name.
** A file that can't be written gets none.  An error is the store's.
*/
void kvCollectionDeclare(KvCollection *p);

#endif /* KV_COLLECTION_DECLARE_H */
