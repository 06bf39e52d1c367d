/*
** vtab_lookup.h -- the virtual table kv_lookup: what its files share.
*/
#ifndef KV_LOOKUP_H
#define KV_LOOKUP_H

#include "sql/entry_columns.h"
#include "sql/vtab.h"
#include "store/index_scan.h"
#include "bytes/list.h"

/* idxNum: which constraints xFilter gets, in the order of the bits. */
#define LKP_PLAN_NAME    0x001  /* name = ? */
#define LKP_PLAN_EQUALS  0x002  /* equals = ? */
#define LKP_PLAN_EQ      0x004  /* index_value = ? */
#define LKP_PLAN_GT      0x008
#define LKP_PLAN_GE      0x010
#define LKP_PLAN_LT      0x020
#define LKP_PLAN_LE      0x040
#define LKP_PLAN_GLOB    0x080  /* index_value GLOB ? */
#define LKP_PLAN_LIKE    0x100
#define LKP_PLAN_NARG    9
#define LKP_PLAN_DESC    0x200  /* In descending order */

/* A range of the index; scans of one step are merged. */
typedef struct KvLookupRange KvLookupRange;
struct KvLookupRange {
  int iStep;
  KvIndexScan scan;
  u8 bRow;                /* It is at a row */
};
/* One for each type, two for NaN and three for bigints. */
#define LKP_RANGES 9

/* A number as SQL compares it. */
typedef struct KvLookupNumber KvLookupNumber;
struct KvLookupNumber {
  u8 bInt;
  i64 i;
  double r;
};

/* What is asked for: bounds within each class of SQL values. */
typedef struct KvLookupQuery KvLookupQuery;
struct KvLookupQuery {
  u8 bNone;               /* Nothing */
  u8 bAny;                /* There is no condition: NULL too */
  u8 bNumeric, bText, bBlob;       /* What classes there may be */
  u8 bEqual;              /* lo and hi are a value to be equal */
  u8 bStrings;            /* Of text, strings alone */
  u8 bLo, bHi, bLoStrict, bHiStrict;   /* Numeric bounds */
  KvLookupNumber lo, hi;
  u8 bTextLo, bTextHi;    /* Bounds of text, as stored parts */
  KvBuf textLo, textHi;   /* ... lo inclusive, hi exclusive */
  u8 bBlobLo, bBlobHi;
  KvBuf blobLo, blobHi;
  KvList exact;           /* Parts, as kvIndexValues() gives them: a typed
                          ** value that is to be equal */
  u8 bExact;
};

typedef struct KvLookup KvLookup;
struct KvLookup {
  KvVtabCursor c;         /* Must be first */
  KvIndexView view;
  u8 bOpen;               /* view is open */
  u8 bDesc;
  int nRange, iRange;     /* iRange: the one with the current row */
  KvLookupRange aRange[LKP_RANGES];
  KvLookupQuery query;
  KvBuf name;             /* The argument name */
  KvEntryColumns show;    /* The current row's columns */
};

/*
** lookup_range.c.  The arguments behind the name become p->query: SQLITE_OK,
** SQLITE_NOMEM, or an error with a message in *pzErr.
*/
int kvLookupArgs(KvLookup *p, int mPlan, sqlite3_value **apArg, char **pzErr);
void kvLookupQueryClear(KvLookupQuery *p);
/* The query becomes p->aRange, in the order of the steps. */
void kvLookupRanges(KvLookup *p);
/* Compare the indexed values of the rows on which two ranges of numbers stand. */
int kvLookupCompare(const KvLookup *p, int iA, int iB);

extern const KvVtabDef kvLookupTable;

#endif /* KV_LOOKUP_H */
