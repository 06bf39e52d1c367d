/*
** err.h -- result codes, and the error of a codec.
*/
#ifndef KV_ERR_H
#define KV_ERR_H

#include "bytes/types.h"

/*
** Result codes of every fallible function below the SQL interface.
*/
#define KV_OK       0
#define KV_NOMEM    1   /* an allocation failed */
#define KV_TOOBIG   2   /* a result would pass KV_MAX_BUF bytes */
#define KV_SYNTAX   3   /* a text does not match the grammar */
#define KV_CORRUPT  4   /* stored bytes break their format */
#define KV_REFUSED  5   /* well formed, but may not be stored or shown */

/*
** An error of a codec: its code, position and text.
**
** zMsg is a constant text (never freed) that says what is wrong and, unless that is
** evident, what to do.  It has no initial capital and no full stop.  iPos is the
** byte offset into the input at which the error was noticed, or -1 if an offset is
** meaningless.  zNumber, unless it is empty, is a number that zMsg ends with.
*/
typedef struct KvErr KvErr;
struct KvErr {
  int eCode;              /* KV_OK or one of the codes above */
  i64 iPos;               /* Byte offset into the input, or -1 */
  const char *zMsg;       /* Constant text, or 0 when eCode is KV_OK */
  char zNumber[32];       /* Zero-terminated: KV_NUM_TEXT bytes, see num.h */
};

/* Set *pErr and return the code.  pErr may be 0. */
int kvErrSet(KvErr *pErr, int eCode, i64 iPos, const char *zMsg);
/* The same for the eErr of a buffer.  KV_OK leaves *pErr unchanged. */
int kvErrMemory(KvErr *pErr, int eCode);

#endif /* KV_ERR_H */
