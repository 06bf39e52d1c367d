/*
** types.h -- integer types and assertions.
**
** This is the lowest header: it includes nothing of the project, and every
** other file may include it.
*/
#ifndef KV_TYPES_H
#define KV_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef KV_DEBUG
# include <assert.h>
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

/* Elements of an array. */
#define KV_COUNT(A) ((u32)(sizeof(A)/sizeof((A)[0])))

/* For the few functions that must be inlined to be fast, and for rare paths, which
** must not be inlined into their callers. */
#ifdef __GNUC__
# define KV_INLINE static inline __attribute__((always_inline))
# define KV_NOINLINE __attribute__((noinline))
#else
# define KV_INLINE static inline
# define KV_NOINLINE
#endif

/*
** A promise of a header, as code: compiled in with -DKV_DEBUG (tests, fuzzers,
** sanitizers), otherwise never evaluated.  Never use it for stored bytes or
** anything else that a hostile file can cause.
*/
#ifdef KV_DEBUG
# define KV_ASSERT(x) assert(x)
#else
# define KV_ASSERT(x) ((void)(0 && (x)))
#endif

#endif /* KV_TYPES_H */
