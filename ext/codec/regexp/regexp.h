/*
** regexp.h -- whether regular expressions compile.
*/
#ifndef KV_REGEXP_H
#define KV_REGEXP_H

#include "codec/value.h"

/*
** Check that a regular expression compiles: its source in WTF-8.  Returns 0 if
** it does, else a constant text that says what is wrong, and *piPos, which is
** KV_RE_NOMEM if there was no memory to tell.
*/
#define KV_RE_NOMEM 0xffffffffu
const char *kvRegexpCheck(KvBytes source, u32 mFlags, u32 *piPos);

/*
** Append the text that .source gives for a pattern: line terminators, and
** slashes outside of classes, are escaped, and an empty one is (?:).
*/
void kvRegexpSource(KvBuf *pOut, KvBytes pattern);

/*
** Check that a regular expression compiles, and make *pSource, a pattern, what
** .source gives for it, in memory of the tree.  Returns 0 or what is wrong; when
** memory ran out 0, and pSource->p is 0.
*/
const char *kvRegexpKeep(KvTree *p, u32 mFlags, KvBytes *pSource);

/* Length of the literal /source/, without flags, that a text begins with; 0 if it
** isn't closed. */
u32 kvRegexpLiteral(KvBytes text);

#endif /* KV_REGEXP_H */
