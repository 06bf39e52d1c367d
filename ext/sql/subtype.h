/*
** subtype.h -- the subtypes that tell functions what a text or BLOB is.
*/
#ifndef KV_SUBTYPE_H
#define KV_SUBTYPE_H

/* SQLite's JSON text, JS text that is a typed value, a BLOB that is a raw value. */
#define KV_SUBTYPE_JSON  74
#define KV_SUBTYPE_JS    75
#define KV_SUBTYPE_RAW   82
/* Read by kv_key() only.  A key part whose SQL value doesn't show its type: INTEGER
** or TEXT of digits for a bigint, INTEGER for a boolean, NULL for a NaN (of either
** sign).  And key text, which can't be a key part. */
#define KV_SUBTYPE_PART_BIGINT   66
#define KV_SUBTYPE_PART_BOOL     67
#define KV_SUBTYPE_PART_NAN      68
#define KV_SUBTYPE_PART_NEG_NAN  69
#define KV_SUBTYPE_KEY           70

#endif /* KV_SUBTYPE_H */
