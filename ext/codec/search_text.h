/*
** search_text.h -- the texts of a value that a full-text index holds.
**
** At a path: a string, or the strings in an Array, Map or Set, also nested ones.
** At the path $: every string in the value, without the keys of Objects and Maps.
** They are in the order of the value, one line each.
**
**   {title: "a", tags: ["b", 1, ["c"]]}     $.title -> a    $.tags -> b\nc    $ -> a\nb\nc
*/
#ifndef KV_SEARCH_TEXT_H
#define KV_SEARCH_TEXT_H

#include "codec/value.h"

/* Append the text at a path, as UTF-8 without NUL.  *pbAny: there is one, though it may
** be empty.  KV_OK, KV_NOMEM, or KV_SYNTAX for a path that is none or goes around in
** cycles. */
int kvSearchText(const KvTree *p, KvBytes path, KvBuf *pOut, int *pbAny);

#endif /* KV_SEARCH_TEXT_H */
