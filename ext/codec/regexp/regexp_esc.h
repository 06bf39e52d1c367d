/*
** regexp_esc.h -- regular expressions: escape sequences.
*/
#ifndef KV_REGEXP_ESC_H
#define KV_REGEXP_ESC_H

#include "codec/regexp/regexp_read.h"

/*
** Read what follows "\u" (the cursor is behind the u): four digits or, where
** code points are read, a pair of surrogates or {digits}.  If there is no such
** thing return 0 without an error and leave the cursor where it was.
*/
int kvReUnicodeEscape(KvRe *p, u32 *pc);

/*
** Read an escape sequence that stands for one character; the cursor is at the
** backslash.  bInClass: in a character class.
*/
int kvReCharEscape(KvRe *p, int bInClass, u32 *pc);

/*
** If the backslash at the cursor begins one of \d \D \s \S \w \W \p{} \P{} read
** it and return 1.  If not return 0, without an error.  *pbStrings is set when
** it stands for strings of several characters.
*/
int kvReClassEscape(KvRe *p, int *pbStrings);

#endif /* KV_REGEXP_ESC_H */
