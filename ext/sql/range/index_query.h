/*
** index_query.h -- conditions on the values of an index, as SQL compares them.
**
** A query begins without conditions, and each narrows it.  The result is bounds
** within each class of SQL values: numbers, then text, then bytes.  The columns of a
** primary key are queried in the same way.
*/
#ifndef KV_INDEX_QUERY_H
#define KV_INDEX_QUERY_H

#include "bytes/list.h"
#include "codec/key/key_bytes.h"
#include "sqlite3ext.h"
#include "store/error.h"

/* A number as SQL compares it. */
typedef struct KvIndexNumber KvIndexNumber;
struct KvIndexNumber {
  u8 bInt;
  i64 i;
  double r;
};
static inline KvIndexNumber kvIndexNumberInt(i64 i){
  KvIndexNumber v;
  v.bInt = 1;
  v.i = i;
  v.r = 0.0;
  return v;
}
/* Negative, zero or positive; kvIndexNumberMixed() compares an integer with a
** number other than NaN. */
int kvIndexNumberCompare(const KvIndexNumber *pA, const KvIndexNumber *pB);
int kvIndexNumberMixed(i64 i, double r);
/* The numeric value of a part that is a number, a boolean or a bigint of 64 bits. */
KvIndexNumber kvIndexNumberOf(const KvPart *pPart);

/* Which parts there may be (a bit mask). */
#define KVPARTS_BYTES   0x01
#define KVPARTS_STRING  0x02
#define KVPARTS_BIGINT  0x04   /* of 64 bits */
#define KVPARTS_LONG    0x08   /* the other bigints */
#define KVPARTS_NUMBER  0x10
#define KVPARTS_NAN     0x20
#define KVPARTS_BOOL    0x40
#define KVPARTS_ALL     0x7f
/* Those of the values of an index: KVKIND_xxx, by path. */
u32 kvIndexParts(u32 mKind, u32 iPath);

/* Bounds of one type, as stored parts. */
typedef struct KvIndexBounds KvIndexBounds;
struct KvIndexBounds {
  u8 bLo, bHi;            /* Is there one? */
  KvBuf lo, hi;           /* lo inclusive, hi exclusive */
};

/* All zero at first. */
typedef struct KvIndexQuery KvIndexQuery;
struct KvIndexQuery {
  KvError *pError;        /* Where errors are left */
  u32 mPart;              /* KVPARTS_xxx: what there may be at all */
  u8 bNone;               /* Nothing */
  u8 bAny;                /* There is no condition: NULL too */
  u8 bNumeric, bText, bBlob;       /* What classes there may be */
  u8 bEqual;              /* lo and hi are a value to be equal */
  u8 bLo, bHi, bLoStrict, bHiStrict;   /* Numeric bounds */
  KvIndexNumber lo, hi;
  KvIndexBounds text, blob;
  KvList exact;           /* The parts of one SQL value; or of several, sorted; or bounds, lo
                          ** and hi in turn */
  u8 bExact;
  u8 bSeveral;            /* They are those of several values */
  u8 bRanges;             /* They are bounds: kvRangesUnion() */
  u8 bFind;               /* For equality: only the parts that the index has */
};

/* Begin, without a condition, among the parts mPart. */
void kvIndexQueryAny(KvIndexQuery *p, u32 mPart, KvError *pError);
void kvIndexQueryClear(KvIndexQuery *p);

/*
** Narrow it by "value op pVal", SQLITE_INDEX_CONSTRAINT_EQ, GT, GE, LT, LE, GLOB or
** LIKE.  bLower: the index holds strings in lower case, and compares them so.  The
** result may include more than the condition.
*/
void kvIndexQueryCompare(KvIndexQuery *p, int op, sqlite3_value *pVal, int bLower);
/* The same with a text, and any op but GLOB and LIKE. */
void kvIndexQueryText(KvIndexQuery *p, int op, KvBytes text, int bLower);
/* Is the condition an equality with one value, or with one of several that are known?  Then
** add the key parts that equal it. */
int kvIndexQueryParts(const KvIndexQuery *p, KvList *pOut);
/* A bound on numbers only, a lower (bLow) or an upper one. */
void kvIndexQueryNumber(KvIndexQuery *p, KvIndexNumber v, int bLow, int bStrict);

#endif /* KV_INDEX_QUERY_H */
