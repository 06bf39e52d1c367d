/*
** func_merge.h -- new JSON for a stored value.
*/
#ifndef KV_MERGE_H
#define KV_MERGE_H

#include "sql/conn.h"
#include "store/row.h"

/*
** Append what is to be stored when the JSON text zJson[0..nJson-1] is assigned to
** the value pFound of the key aKey, whose tree is pOld: parts whose JSON is
** unchanged keep their types (codec/json_merge.c).  *peEncoding is its encoding;
** pOut must be empty.  SQLITE_OK, or an error with a message in *pzErr.
*/
int kvMergeJson(
  KvConn *p, const u8 *aKey, u32 nKey, const KvFound *pFound, KvTree *pOld,
  const char *zJson, u32 nJson, KvBuf *pOut, int *peEncoding, char **pzErr
);

#endif /* KV_MERGE_H */
