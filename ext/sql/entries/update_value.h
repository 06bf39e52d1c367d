/*
** update_value.h -- what an UPDATE stores over a value.
*/
#ifndef KV_UPDATE_VALUE_H
#define KV_UPDATE_VALUE_H

#include "sql/conn.h"
#include "store/error.h"
#include "store/row.h"

/*
** True if pVal, which the column value, js, json or raw (eAs, KV_AS_xxx) is SET
** to, is a typed value: JS text, a raw value, or one that carries their mark.
** It replaces anything: kvArgWriteValue().
*/
int kvUpdateIsTyped(sqlite3_value *pVal, int eAs);

/* Any other value, over the one stored under a key. */
typedef struct KvUpdate KvUpdate;
struct KvUpdate {
  KvConn *pConn;
  KvBytes key;            /* Stored bytes */
  const KvFound *pOld;    /* What was found there, with its value */
  sqlite3_value *pVal;
  int eAs;                /* Column: KV_AS_xxx */
};

/*
** Append the bytes to be stored to pOut, which is empty, and *peEncoding.
**
**   - What the column shows already keeps the stored bytes.
**   - JSON is compared with what is stored, part by part: codec/json/json_merge.h.
**   - Any other SQL value takes the stored type if it reads as it, or changes one
**     of the types that SQL knows into another, or is refused: codec/edit/retype.h.
*/
void kvUpdateValue(const KvUpdate *p, KvBuf *pOut, int *peEncoding, KvError *pError);

#endif /* KV_UPDATE_VALUE_H */
