/*
** versionstamp.h -- versionstamps as text.
**
** A versionstamp is 20 hexadecimal digits: 16 of the version, then four zeros.
*/
#ifndef KV_VERSIONSTAMP_H
#define KV_VERSIONSTAMP_H

#include "bytes/bytes.h"

#define KV_VERSIONSTAMP_TEXT 20
#define KV_VERSIONSTAMP_BYTES 10

/* Print the digits to z (no terminating zero). */
void kvVersionstampPrint(i64 iVersion, char *z);

/* Decode 20 digits to KV_VERSIONSTAMP_BYTES.  False if the text is something else. */
int kvVersionstampBytes(KvBytes text, u8 *a);

/* The version of 20 digits in lower case, as they are printed and compared as text, whether
** the last four are zeros or not.  Past the largest version it is that one.  False if the
** text is something else. */
int kvVersionstampParse(KvBytes text, i64 *piVersion);

#endif /* KV_VERSIONSTAMP_H */
