/*
** mark.h -- marks that SQLite's temporary tables have dropped.
**
** Results of json(), kv_value() and similar functions, and the columns value, js,
** json and raw, have a mark (a subtype, see KV_SUBTYPE_xxx in subtype.h) that makes
** them typed values.  SQLite keeps it from function to function, but not through a
** sorter or a temporary table.
*/
#ifndef KV_MARK_H
#define KV_MARK_H

#include "sql/conn.h"
#include "store/error.h"

/*
** May pVal, an argument that takes a value, be a value that has lost its mark?
** zWhat is "kv_key()", "kv_value_set()", "kv_value()" or "kv_value_encode()", or
** another name for the message; "" for a column of a collection: then the message
** has no "kv: ", and the caller names the column.  Only an unmarked TEXT or BLOB
** may be, in a statement that makes marks and stores values, and if its functions
** could have made that text or those bytes.  Then it is an error; the message is
** "kv: ", zWhat, and what to write.  The check itself may fail with another error,
** which may have rolled the transaction back.
*/
void kvMarkCheck(KvConn *p, sqlite3_value *pVal, const char *zWhat, KvError *pError);

/*
** The same for a value that an UPDATE assigns over one that is shown the same: no
** error unless something other than the row's own columns could have made it.
** bJson: the stored value is shown as JSON, so JSON is not another value.
*/
void kvMarkCheckShown(KvConn *p, sqlite3_value *pVal, int bJson, KvError *pError);

/* A store is being freed; drop the knowledge of statements that depends on its
** schema. */
void kvMarkForget(KvConn *p);
/* Free what a connection knows of its statements. */
void kvMarkFree(KvConn *p);

#endif /* KV_MARK_H */
