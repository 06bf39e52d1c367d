/*
** limits.h -- every limit on what is written, with its source.
**
** The defaults are Deno's own (denoland/denokv, limits of the SQLite backend, as
** observed with Deno 2.9.6): Deno can write back whatever is written here.
** kv_config() changes them for a connection.  Reading has no limits but SQLite's.
*/
#ifndef KV_LIMITS_H
#define KV_LIMITS_H

/* X(name, default, largest value): one line a limit. */
#define KV_LIMITS(X) \
  /* stored bytes of a key, without a commit versionstamp at its end */ \
  X(key_bytes,            2048,         1000000000) \
  /* stored bytes of a value, V8's header included */ \
  X(value_bytes,          65536,        1000000000) \
  /* checks of an atomic operation */ \
  X(checks,               100,          1000000000) \
  /* mutations and messages of an atomic operation */ \
  X(mutations,            1000,         1000000000) \
  /* all keys, and again the keys and values of mutations with a value */ \
  X(operation_bytes,      819200,       1000000000) \
  /* keys of the mutations with a value */ \
  X(operation_key_bytes,  81920,        1000000000) \
  /* stored bytes of a message */ \
  X(enqueue_bytes,        65536,        1000000000) \
  /* keys under which a dead letter is stored */ \
  X(undelivered_keys,     10,           1000000) \
  /* steps of a backoff schedule */ \
  X(backoff_steps,        5,            1000000) \
  /* one step of a backoff schedule, in ms: an hour */ \
  X(backoff_ms,           3600000,      2592000000) \
  /* delay of a message, in ms: 30 days */ \
  X(delay_ms,             2592000000,   2592000000)

enum {
#define KV_LIMIT_ENUM(NAME, DEFAULT, MAX) KV_LIMIT_##NAME,
  KV_LIMITS(KV_LIMIT_ENUM)
#undef KV_LIMIT_ENUM
  KV_LIMIT_COUNT
};

/* The latest expiry or due time that Deno can represent, in ms since 1970: it
** refuses to open a file with a later one. */
#define KV_MAX_TIME 8210266876799999LL
/* 1973-01-01 in ms: as seconds, smaller values are times before the year 4970. */
#define KV_MIN_TIME 94694400000LL

#endif /* KV_LIMITS_H */
