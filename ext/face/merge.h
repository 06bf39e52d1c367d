/*
** merge.h -- JSON that an UPDATE puts in the place of a stored value.
*/
#ifndef KV_MERGE_H
#define KV_MERGE_H

#include "face/face.h"

/*
** Append the stored bytes of the JSON text z[0..n-1], which is to replace the
** value pOld of the key aKey, to pOut; *peEncoding is their encoding.
** SQLITE_OK or an error with a message in *pzErr.
*/
int kvFaceMerge(
  KvConn *p, const u8 *aKey, u32 nKey, KvTree *pOld, const char *z, u32 n,
  KvBuf *pOut, int *peEncoding, char **pzErr
);

#endif /* KV_MERGE_H */
