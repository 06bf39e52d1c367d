/*
** regexp_int.h -- what the files of the regular expression checker share.
**
** regexp.c has the grammar, groups, quantifiers and group names,
** regexp_esc.c the cursor and the escape sequences, and regexp_class.c the
** character classes.  What others call is in regexp.h.
*/
#ifndef KV_REGEXP_INT_H
#define KV_REGEXP_INT_H

#include "bytes/bytes.h"
#include "bytes/utf.h"

/* What stands for "no character": the end of the source. */
#define KV_RE_END 0xffffffffu

/*
** The state of a check.  The source is read as code points if bPoint is set,
** else as UTF-16 code units: a character of four bytes is then two, and bLow
** says that the first of them has been read.
**
** A function that finds an error calls kvReError() and returns 0; its caller
** returns 0 at once.
*/
typedef struct KvRe KvRe;
struct KvRe {
  const u8 *z;            /* The source, WTF-8 */
  u32 n;                  /* Its length in bytes */
  u32 i;                  /* Offset of the current character */
  u8 bLow;                /* At the low half of the character at i */
  u8 bPoint;              /* Read code points, not code units */
  u8 bUnicode;            /* Flag u or v */
  u8 bSets;               /* Flag v */
  u8 bScanned;            /* nGroup and bNamed are those of the whole source */
  u8 bNamed;              /* There is a named group */
  u32 nStarted;           /* Capturing groups that began up to here */
  u32 nGroup;             /* Capturing groups in the whole source */
  const char *zErr;       /* The first error, or 0 */
  u8 bNoMem;              /* Memory ran out: nothing is said about the pattern */
  u32 iErr;               /* Where it was noticed */
};

/* The current character, the one after it, and moving on. */
u32 kvReCurrent(const KvRe *p);
u32 kvReNext(const KvRe *p);
void kvReAdvance(KvRe *p, int n);

/* Skip the current character if it is c. */
int kvReSkip(KvRe *p, u32 c);

/* Note an error at the current character, unless there is one.  Returns 0. */
int kvReError(KvRe *p, const char *zMsg);
/* The same, for want of memory. */
int kvReNoMem(KvRe *p);

/*
** True if the source has a named group.  bInClass: the cursor is within a
** character class.
*/
int kvReHasNames(KvRe *p, int bInClass);
/* Find out about groups in the rest of the source. */
void kvReScan(KvRe *p, int bInClass);

/* Value of a hexadecimal digit, or -1. */
int kvReHex(u32 c);

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

/* Read a whole character class; the cursor is at its '['. */
int kvReClass(KvRe *p);

/* True if c may stand in a group's name (bStart: at its start). */
int kvReIsName(u32 c, int bStart);

#endif /* KV_REGEXP_INT_H */
