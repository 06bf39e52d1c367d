/*
** subtype.h -- the subtypes of SQL values by which functions tell each other
** what a text or BLOB is.
*/
#ifndef KV_SUBTYPE_H
#define KV_SUBTYPE_H

/* SQLite's JSON text, JS text that is a typed value, a BLOB that is a raw value. */
#define KV_SUBTYPE_JSON  74
#define KV_SUBTYPE_JS    75
#define KV_SUBTYPE_RAW   82
/* Only kv_key() reads these.  A key part whose type its SQL value doesn't show:
** INTEGER or TEXT of digits that is a bigint, INTEGER that is a boolean, NULL
** that is a NaN (of either sign).  And key text, which is no key part. */
#define KV_SUBTYPE_PART_BIGINT   66
#define KV_SUBTYPE_PART_BOOL     67
#define KV_SUBTYPE_PART_NAN      68
#define KV_SUBTYPE_PART_NEG_NAN  69
#define KV_SUBTYPE_KEY           70

#endif /* KV_SUBTYPE_H */
