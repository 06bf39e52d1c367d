/*
** merge.h -- new JSON for a stored value.
*/
#ifndef KV_MERGE_H
#define KV_MERGE_H

#include "face/face.h"

/*
** Append what is to be stored when the JSON text zJson[0..nJson-1] is assigned to
** the stored value aOld[0..nOld-1]: parts whose JSON is unchanged keep their
** types (codec/json_merge.c).  *peEncoding is its encoding; pOut must be empty.
** SQLITE_OK, or an error with a message in *pzErr.
*/
int kvFaceMerge(
  KvConn *p, int eEncoding, const u8 *aOld, u32 nOld,
  const char *zJson, u32 nJson, KvBuf *pOut, int *peEncoding, char **pzErr
);

#endif /* KV_MERGE_H */
