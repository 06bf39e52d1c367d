/*
** as_of.h -- the argument as_of: a store as it was.
*/
#ifndef KV_AS_OF_H
#define KV_AS_OF_H

#include "store/history.h"
#include "sql/vtab.h"

/* Read what a value means: a versionstamp, a date, or ms since 1970.  zWhat is for errors,
** which are the store's.  False for NULL, and after an error. */
int kvAsOfRead(KvStore *pStore, sqlite3_value *pVal, const char *zWhat, KvPast *pPast);
/* The same where a table looks for rows; one that a running DELETE looks for is an error. */
int kvAsOf(KvVtab *pTab, sqlite3_value *pVal, const char *zWhat, KvPast *pPast);
/* kvHistoryCheck() of one key. */
void kvAsOfKey(KvStore *pStore, const KvPast *pPast, KvBytes key, const char *zWhat);
/* The error for a row that is about to be changed, as the result. */
void kvAsOfRefuse(sqlite3_context *ctx, const char *zWhat);

#endif /* KV_AS_OF_H */
