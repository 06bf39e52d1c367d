/*
** regexp_read.h -- the source of a regular expression, character by character.
*/
#ifndef KV_REGEXP_READ_H
#define KV_REGEXP_READ_H

#include "bytes/bytes.h"

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
  KvBytes source;         /* WTF-8 */
  u32 i;                  /* Offset of the current character */
  u8 bLow;                /* At the low half of the character at i */
  u8 bPoint;              /* Read code points, not code units */
  u8 bUnicode;            /* Flag u or v */
  u8 bSets;               /* Flag v */
  u8 bScanned;            /* nGroup and bNamed are those of the whole source */
  u8 bNamed;              /* There is a named group */
  u8 bNoMem;              /* Memory ran out: nothing is said about the pattern */
  u32 nStarted;           /* Capturing groups that began up to here */
  u32 nGroup;             /* Capturing groups in the whole source */
  const char *zErr;       /* The first error, or 0 */
  u32 iErr;               /* Where it was noticed */
};

/* The current character, the one after it, and moving on. */
u32 kvReCurrent(const KvRe *p);
u32 kvReNext(const KvRe *p);
void kvReAdvance(KvRe *p, int n);

/* Skip the current character if it is c. */
int kvReSkip(KvRe *p, u32 c);

/* True if c is one of the ASCII characters of z. */
static inline int kvReIsOneOf(u32 c, const char *z){
  return c>0 && c<0x80 && strchr(z, (int)c)!=0;
}
/* True if c is an ASCII digit. */
static inline int kvReIsDigit(u32 c){ return c>='0' && c<='9'; }

/* Read decimal digits.  What is over 2^31-1 counts as that. */
u32 kvReNumber(KvRe *p);

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

#endif /* KV_REGEXP_READ_H */
