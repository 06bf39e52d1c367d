/*
** json_merge.h -- new JSON over a stored value: which parts of that stay.
*/
#ifndef KV_JSON_MERGE_H
#define KV_JSON_MERGE_H

#include "codec/value.h"

/*
** Read a JSON text into pNew (reset) as what is to be
** stored in the place of pOld: by the rules at the head of json_merge.c parts of
** pOld stay in it.  Slices of pNew point into the text, into what pOld's slices
** point into and into the memory of pOld, all of which must outlive it.  pOld
** isn't changed (but for marks while it is printed).
**
** *pbSame is true if pOld holds more than JSON and the new JSON is the one that
** it has: nothing has changed, and its stored bytes may stay.
**
** KV_OK, KV_NOMEM, KV_TOOBIG; KV_SYNTAX for what isn't JSON; KV_REFUSED if the
** type of a part would be lost: then *piPart is this node of pOld, its path is
** appended to pPath ($.a."b c"[0]), and pErr->zMsg goes on after "the part
** <path> is a <type>".
*/
int kvJsonMerge(
  KvTree *pOld, KvBytes json, KvTree *pNew,
  int *pbSame, u32 *piPart, KvBuf *pPath, KvErr *pErr
);

#endif /* KV_JSON_MERGE_H */
