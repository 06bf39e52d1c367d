/*
** update_value.h -- what an UPDATE stores in the place of a value.
*/
#ifndef KV_UPDATE_VALUE_H
#define KV_UPDATE_VALUE_H

#include "sql/conn.h"
#include "store/row.h"

/*
** True if pVal, which the column value, js, json or raw (eAs, KV_AS_xxx) is SET
** to, is a typed value: JS text, a raw value, or one that carries their mark.
** It replaces anything: kvArgWriteValue().
*/
int kvUpdateIsTyped(sqlite3_value *pVal, int eAs);

/*
** Any other pVal in the place of the value that pOld has found under the stored
** key aKey: append the bytes to be stored to pOut, *peEncoding.
**
**   - What the column shows already keeps the stored bytes.
**   - JSON is compared with what is stored, part by part: sql/func_merge.h.
**   - Any other SQL value takes the stored type if it reads as it, or changes one
**     of the types that SQL knows into another, or is refused: codec/edit/retype.h.
**
** SQLITE_OK or an error with a message in *pzErr.
*/
int kvUpdateValue(
  KvConn *p, const u8 *aKey, u32 nKey, const KvFound *pOld, sqlite3_value *pVal, int eAs,
  KvBuf *pOut, int *peEncoding, char **pzErr
);

#endif /* KV_UPDATE_VALUE_H */
