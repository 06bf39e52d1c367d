/*
** v8_find.h -- plain values (v8_plain.h) in V8's format: finding a path.
*/
#ifndef KV_V8_FIND_H
#define KV_V8_FIND_H

#include "codec/value.h"

/*
** Check the V8-encoded value and find what is at a path in it (see
** kvPathFind()).  Returns
**
**   KV_PLAIN_NOT    not plain, or a path that this function can't follow
**   KV_PLAIN_NONE   there is nothing
**   KV_PLAIN_FOUND  *piAt is the offset of the value found
*/
#define KV_PLAIN_NOT    0
#define KV_PLAIN_NONE   1
#define KV_PLAIN_FOUND  2
int kvV8Find(KvBytes value, KvBytes path, u32 *piAt);

/*
** Read the value at iAt, which kvV8Find() found, into a node of its own, if it is a
** Latin-1 string, a number, a Date, a boolean, null or undefined.  False: use
** kvV8ReadAt().
*/
int kvV8FindLeaf(KvBytes value, u32 iAt, KvNode *pNode);

/* Name of the type (see kvTypeName()) of the V8-encoded value, a constant; or 0:
** not plain. */
const char *kvV8Type(KvBytes value);
/* True if it may be an array or an object, which SQL sees as JSON: by its first byte
** that isn't the header's. */
int kvV8IsJson(KvBytes value);

/* A step of a path. */
enum { V8_FIND_ROOT, V8_FIND_KEY, V8_FIND_INDEX, V8_FIND_FROM_END };
typedef struct V8FindStep V8FindStep;
struct V8FindStep {
  int eStep;
  const u8 *z;            /* KEY: ASCII, n bytes */
  u32 n;
  u64 x;                  /* KEY: its first 8 bytes, zeros after */
  i64 iIndex;             /* Index; of a KEY what it spells, or -1 */
};

#define V8_FIND_STEPS  8
typedef struct V8FindPath V8FindPath;
struct V8FindPath {
  V8FindStep a[V8_FIND_STEPS];   /* a[0] is '$' */
  u32 n;
};

/* Read a path.  False: it is wrong, or too much for what is done with it here. */
int kvV8FindPath(V8FindPath *p, KvBytes path);

/* What is at a path in a plain value. */
typedef struct V8FindSite V8FindSite;
struct V8FindSite {
  const u8 *zAt;          /* The value, at its tag, or 0: there is none */
  const u8 *zEnd;         /* The end of the whole value */
  int bTwoByte;           /* There are two-byte strings, which are aligned */
};

/* Check the V8-encoded value and go the first nStep steps of a path.
** KV_PLAIN_xxx. */
int kvV8FindAt(KvBytes value, const V8FindPath *pPath, u32 nStep, V8FindSite *pSite);

/* The members of a plain value that is an object. */
#define V8_MEMBERS 64
typedef struct V8Member V8Member;
struct V8Member {
  const u8 *z;            /* The key: Latin-1, n bytes */
  u32 n;
  u32 iAt;                /* The offset of its value */
  u64 x;                  /* The key's first 8 bytes, zeros after */
};
typedef struct V8Members V8Members;
struct V8Members {
  u32 n;
  V8Member a[V8_MEMBERS];
};

/* Check the V8-encoded value and read where its members are.  False: it isn't a plain
** object, has more members, or keys that are long or not Latin-1 names. */
int kvV8Members(KvBytes value, V8Members *p);
/* The member that a step to a name leads to, 0 if there is none. */
const V8Member *kvV8Member(const V8Members *p, const V8FindStep *pStep);

/* Are two values plain objects that have the same at each of n paths, by their bytes?  False
** may be wrong, true is not: what a path leads to is compared by its first member. */
int kvV8Same(KvBytes a, KvBytes b, const KvBytes *aPath, u32 n);

/* The end of the value, or key, at its tag z, which has been checked. */
const u8 *kvV8FindEnd(const u8 *z, const u8 *zEnd);

#endif /* KV_V8_FIND_H */
