/*
** kv_codec.h -- Deno KV's keys and values for C programs, without SQL.
**
** These functions convert what Deno stores in the columns k (a key) and v,
** v_encoding (a value) from and to text.  Link with libkvcodec.a, which needs
** nothing but libc, or with libsqlite_kv.a, which has the same functions and the
** extension.
**
**     unsigned char *k;
**     size_t n;
**     kv_error err;
**     if( kv_key_from_text("[\"users\",42]", 12, &k, &n, &err)==KV_CODEC_OK ){
**       ... n bytes at k ...
**       kv_free(k);
**     }else{
**       printf("%s at offset %lld\n", err.message, err.offset);
**     }
**
** Texts are UTF-8, given with their length; they need no terminating zero.  Every
** function that returns int returns KV_CODEC_OK, or an error code and fills *pErr,
** if that isn't a null pointer.  A result returned through a pointer to a pointer
** is new memory that the caller frees with kv_free(); after an error it is a null
** pointer.  A returned text has a terminating zero, which its length doesn't
** include.  No state is kept between calls: threads may call at the same time.
**
** Deno's limits are not checked: Deno writes keys of at most 2048 bytes and values
** of at most 65536.
*/
#ifndef KV_CODEC_H
#define KV_CODEC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Precedes every function: for building a shared library of them. */
#ifndef KV_API
# define KV_API
#endif

/* Error codes. */
#define KV_CODEC_OK       0
#define KV_CODEC_NOMEM    1   /* out of memory */
#define KV_CODEC_TOOBIG   2   /* input or result of more than 2 GB */
#define KV_CODEC_SYNTAX   3   /* the text isn't what it should be */
#define KV_CODEC_CORRUPT  4   /* the stored bytes break their format */
#define KV_CODEC_REFUSED  5   /* well formed, but can't be stored or shown */

typedef struct kv_error kv_error;
struct kv_error {
  int code;               /* KV_CODEC_xxx */
  long long offset;       /* Byte offset into the input, or -1 */
  const char *message;    /* What is wrong; a constant, not to be freed */
};

/* Free memory returned by these functions.  A null pointer is allowed. */
KV_API void kv_free(void *p);

/* ----------------------------------------------------------------- keys
**
** The stored bytes of a key.  memcmp(), with a prefix before what it begins, orders
** them as Deno does.
*/

/* From key text, a JavaScript array such as ["users",42,1n,true], in any
** spelling. */
KV_API int kv_key_from_text(
  const char *text, size_t n, unsigned char **key, size_t *nkey, kv_error *err
);

/* To key text, in its canonical form. */
KV_API int kv_key_to_text(
  const unsigned char *key, size_t n, char **text, size_t *ntext, kv_error *err
);

/*
** A key built from its parts.
**
**     kv_key *p = kv_key_new();
**     kv_key_add_string(p, "users", 5);
**     kv_key_add_number(p, 42);
**     if( kv_key_finish(p, &k, &n, &err)==KV_CODEC_OK ) ...
**
** kv_key_new() returns a null pointer if out of memory; the others accept it.
** Errors are sticky: kv_key_finish() reports the first.  It always frees the
** kv_key.
*/
typedef struct kv_key kv_key;
KV_API kv_key *kv_key_new(void);
KV_API void kv_key_add_string(kv_key *p, const char *text, size_t n);
KV_API void kv_key_add_bytes(kv_key *p, const void *data, size_t n);
KV_API void kv_key_add_number(kv_key *p, double number);
KV_API void kv_key_add_bigint(kv_key *p, long long integer);
KV_API void kv_key_add_bool(kv_key *p, int boolean);
KV_API int kv_key_finish(
  kv_key *p, unsigned char **key, size_t *nkey, kv_error *err
);

/* Types of a part, in the order of keys. */
#define KV_PART_BYTES   1
#define KV_PART_STRING  2
#define KV_PART_BIGINT  3
#define KV_PART_NUMBER  4
#define KV_PART_BOOL    5

typedef struct kv_part kv_part;
struct kv_part {
  int type;               /* KV_PART_xxx */
  char *data;             /* Bytes, string, digits of a bigint: kv_free() it */
  size_t n;               /* Bytes at data */
  double number;          /* A number; a boolean as 0 or 1 */
  long long integer;      /* A bigint, if it fits; else 0 */
  int fits;               /* True for a bigint that fits 64 bits */
};

/*
** Read the part at offset *pos of a key and move *pos past it.  Begin with 0 and
** continue while *pos<n.
*/
KV_API int kv_key_part(
  const unsigned char *key, size_t n, size_t *pos, kv_part *part, kv_error *err
);

/* --------------------------------------------------------------- values
**
** A stored value is bytes and an encoding, Deno's columns v and v_encoding:
** 1 V8's serialization, 2 KvU64, 3 bytes.  (The extension's column "raw" is a
** byte of encoding and then the bytes.)
*/

/* From JavaScript text, such as new Map([["a", 1n]]), or from JSON. */
KV_API int kv_value_from_js(
  const char *text, size_t n,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
);
KV_API int kv_value_from_json(
  const char *text, size_t n,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
);

/* From a C value: a string, a number, a Uint8Array, a Deno.KvU64. */
KV_API int kv_value_from_string(
  const char *text, size_t n,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
);
KV_API int kv_value_from_number(
  double number, int *encoding, unsigned char **v, size_t *nv, kv_error *err
);
KV_API int kv_value_from_bytes(
  const void *data, size_t n,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
);
KV_API int kv_value_from_u64(
  unsigned long long integer,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
);

/* To lossless JavaScript text; indent>0: with line breaks and that many
** spaces a level, at most 16. */
KV_API int kv_value_to_js(
  int encoding, const unsigned char *v, size_t nv, int indent,
  char **text, size_t *ntext, kv_error *err
);

/* To JSON text.  It is empty for undefined. */
KV_API int kv_value_to_json(
  int encoding, const unsigned char *v, size_t nv,
  char **text, size_t *ntext, kv_error *err
);

/* The name of its type, such as "Map", into name. */
#define KV_TYPE_BYTES 64
KV_API int kv_value_type(
  int encoding, const unsigned char *v, size_t nv, char name[KV_TYPE_BYTES],
  kv_error *err
);

#ifdef __cplusplus
}
#endif

#endif /* KV_CODEC_H */
