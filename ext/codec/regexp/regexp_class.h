/*
** regexp_class.h -- regular expressions: character classes.
*/
#ifndef KV_REGEXP_CLASS_H
#define KV_REGEXP_CLASS_H

#include "codec/regexp/regexp_read.h"

/* Read a whole character class; the cursor is at its '['. */
int kvReClass(KvRe *p);

#endif /* KV_REGEXP_CLASS_H */
