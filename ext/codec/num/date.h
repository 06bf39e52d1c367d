/*
** date.h -- time values (ms since 1970, as JavaScript has them) as text.
*/
#ifndef KV_DATE_H
#define KV_DATE_H

#include "bytes/bytes.h"

/* A time value as a Date holds it: ECMAScript's TimeClip(). */
static inline double kvTimeClip(double r){
  if( r>=-8.64e15 && r<=8.64e15 ) return (double)(i64)r;
  return kvNaN();
}

/*
** The ISO-8601 form of a time value (not NaN), as toISOString(), to z, which
** has room for 32 bytes.  Returns the number of bytes.
*/
#define KV_DATE_TEXT 32
u32 kvDateText(double rMs, char *z);
/* Append it. */
void kvDatePrint(double rMs, KvBuf *pOut);

/*
** Read a date text as Deno's Date constructor does: ISO-8601 forms (date
** only is UTC, date and time without zone is refused as it would depend on
** the machine) and RFC 2822 "Sun, 23 Apr 2023 10:00:00 GMT".  KV_OK, or
** KV_SYNTAX when the text is none of them.
*/
int kvDateParse(KvBytes text, double *prMs);

#endif /* KV_DATE_H */
