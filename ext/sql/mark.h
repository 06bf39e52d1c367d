/*
** mark.h -- marks that SQLite's temporary tables have dropped.
**
** What json(), kv_value() and their like return, and the columns value, js,
** json and raw, carry a mark (a subtype, see KV_SUBTYPE_xxx in subtype.h) that
** makes a typed value of it.  SQLite keeps it from function to function, but
** not through a sorter or a temporary table.
*/
#ifndef KV_MARK_H
#define KV_MARK_H

#include "sql/conn.h"
#include "store/error.h"

/*
** Is pVal, which goes where a value goes, maybe what is left of a marked value?
** zWhat is "kv_key()", "kv_value_set()", "kv_value()" or "kv_value_encode()", or
** else what the message is to name; "" for a column of a collection: the message is
** without "kv: " then, and the caller names the column.
** Only an unmarked TEXT or BLOB can be: of a statement that makes marks and
** stores values, and if it is text or bytes that one of these could have made.
** If so it is an error, whose message begins with "kv: ", then zWhat, and says what to
** write.  Looking may run into another error, which may have rolled the transaction back.
*/
void kvMarkCheck(KvConn *p, sqlite3_value *pVal, const char *zWhat, KvError *pError);

/*
** The same for a value that an UPDATE puts in the place of one that is shown as it:
** it stays unless something else than the row's own columns could have made it.
** bJson: what is stored is shown as JSON, so that JSON is no other value.
*/
void kvMarkCheckShown(KvConn *p, sqlite3_value *pVal, int bJson, KvError *pError);

/* A store is gone, whose schema what is known of statements may go by. */
void kvMarkForget(KvConn *p);
/* Free what a connection knows of its statements. */
void kvMarkFree(KvConn *p);

#endif /* KV_MARK_H */
