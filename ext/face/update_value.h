/*
** update_value.h -- what an UPDATE stores in the place of a value.
*/
#ifndef KV_UPDATE_VALUE_H
#define KV_UPDATE_VALUE_H

#include "face/face.h"

/*
** The column value, js, json or raw (eAs, KV_AS_xxx) of the entry pOld, whose
** stored key is aKey, is SET to pVal: append the bytes to be stored to pOut,
** *peEncoding.
**
**   - What the column shows already keeps the stored bytes.
**   - A typed value (JS text, a raw value, one that carries their mark) replaces
**     anything.
**   - JSON is compared with what is stored, part by part: face/merge.h.
**   - Any other SQL value takes the stored type if it reads as it, or changes one
**     of the types that SQL knows into another, or is refused: codec/retype.h.
**
** SQLITE_OK or an error with a message in *pzErr.
*/
int kvUpdateValue(
  KvConn *p, const u8 *aKey, u32 nKey, const KvFound *pOld, sqlite3_value *pVal, int eAs,
  KvBuf *pOut, int *peEncoding, char **pzErr
);

#endif /* KV_UPDATE_VALUE_H */
