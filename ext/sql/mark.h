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

/* What a value is for, and how messages name it. */
enum {
  KVFOR_VALUE,            /* A column or argument that takes a value and stores it */
  KVFOR_COLUMN,           /* An untyped column of a collection */
  KVFOR_KEY,              /* A part of a key: kv_key() */
  KVFOR_PART,             /* A part of another value: kv_value_set() */
  KVFOR_BYTES             /* Its bytes or JS text: kv_value_encode(), kv_value() */
};
typedef struct KvFor KvFor;
struct KvFor {
  int eUse;               /* KVFOR_xxx */
  const char *zTable;     /* 0: the name alone */
  const char *zName;
};
extern const KvFor kvForValue;   /* "value" */

/*
** May pVal, an argument that takes a value, be a value that has lost its mark?  Only an
** unmarked TEXT or BLOB may be, in a statement that makes marks and uses values in this
** way, and if its functions could have made that text or those bytes.  Then it is an
** error, which says what to write.  The check itself may fail with another error, which
** may have rolled the transaction back.
*/
void kvMarkCheck(KvConn *p, sqlite3_value *pVal, const KvFor *pFor, KvError *pError);

/*
** The same for a value that an UPDATE assigns over one that is shown the same: no
** error unless something other than the row's own columns could have made it.
** bJson: the stored value is shown as JSON, so JSON is not another value.
*/
void kvMarkCheckShown(KvConn *p, sqlite3_value *pVal, int bJson, KvError *pError);

#endif /* KV_MARK_H */
