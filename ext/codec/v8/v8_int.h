/*
** v8_int.h -- what the files of the V8 codec share.
*/
#ifndef KV_V8_INT_H
#define KV_V8_INT_H

#include "codec/v8/v8.h"

/* V8 has no longer strings, in code units, and no longer bigints, in bytes. */
#define V8_MAX_STRING  0x1fffffe8u
#define V8_MAX_BIGINT  (1u<<27)
/* 40 TiB.  Whether V8 finds addresses for a larger resizable buffer is chance:
** Deno 2 could make and read one of 41.3 TiB at times, none of 42.7 TiB. */
#define V8_MAX_BUFFER  ((u64)40<<40)

/* The double at a; every NaN is the same one. */
static inline double v8LoadDouble(const u8 *a){
  u64 u = kvGet64le(a);
  double r;
  if( (u<<1)>(u64)0x7ff<<53 ) u = KV_NAN_BITS;
  memcpy(&r, &u, 8);
  return r;
}

/* True if V8 holds the number as an integer; *pi is then its value. */
static inline int v8IsInt(double r, i32 *pi){
  if( !(r>=-2147483648.0 && r<=2147483647.0) ) return 0;
  *pi = (i32)r;
  return (double)*pi==r && (*pi!=0 || kvDoubleToBits(r)==0);
}

/* Write a string of n bytes of WTF-8, with its tag. */
void kvV8PutText(KvBuf *pOut, const u8 *z, u32 n);

/* KvNode.eSpare while reading */
#define V8R_PENDING     1   /* HOST: has an id that is not valid yet */
#define V8R_NO_ID       2   /* BUFFER: its id comes with its view, or none */
#define V8R_NODE_VIEW   3   /* VIEW: its buffer has no id */

/* An open container. */
typedef struct V8rFrame V8rFrame;
struct V8rFrame {
  u32 iNode;              /* The container */
  u32 iLast;              /* Its last child so far, or 0 */
  u32 nLeft;              /* Dense ARRAY: elements to come */
  u32 nItem;              /* Pairs, values, or state of an ERROR or HOST */
  u32 iElem;              /* ARRAY: last element, or 0 */
};
#define V8R_FRAMES 24

typedef struct V8Reader V8Reader;
struct V8Reader {
  KvTree *p;
  const u8 *a;            /* Start of the input */
  const u8 *z;            /* What is still unread */
  const u8 *zEnd;
  KvErr *pErr;
  u8 bFlags;              /* Views have flags */
  u8 bDropped;            /* Duplicates were dropped */
  u32 nFrame, nFrameAlloc;
  V8rFrame *aFrame;
  u32 *aId;               /* Node of each id below nId */
  u32 nId, nIdAlloc;
  u32 iScan;              /* Nodes before this one are in aId */
  V8rFrame aSpace[V8R_FRAMES];
};

/* Set the error, at zAt in the input, and return its code. */
int kvV8rFail(V8Reader *r, const u8 *zAt, const char *zMsg);
int kvV8rNoMem(V8Reader *r);
extern const char kvV8rEnd[];     /* "value ends too early" */
extern const char kvV8rLong[];    /* A length beyond the end */

/* A varint of at most nMax bytes, of which the low nBit bits count. */
int kvV8rVarint(V8Reader *r, int nMax, int nBit, u64 *pv);

/* A value that must be a string: add its node. */
int kvV8rString(V8Reader *r, u32 *pi);

/* The key of a property: add its node, linked to the open container. */
int kvV8rKey(V8Reader *r);

/* A value that opens no container, the cursor being after its tag eTag. */
int kvV8rLeaf(V8Reader *r, u8 eTag, u32 *pi);

/* A view as Node writes it, the cursor being after its type eIndex<=12. */
int kvV8rNodeView(V8Reader *r, const u8 *zAt, u32 eIndex, u32 *pi);

/* Numbers of 32 and of 8 bits. */
static inline int v8rU32(V8Reader *r, u32 *pv){
  u64 v = 0;
  int rc;
  if( r->z<r->zEnd && *r->z<0x80 ){
    *pv = *r->z++;
    return KV_OK;
  }
  rc = kvV8rVarint(r, 5, 32, &v);
  if( rc==KV_OK ) *pv = (u32)v;
  return rc;
}

static inline int v8rU8(V8Reader *r, u8 *pv){
  u64 v = 0;
  int rc = kvV8rVarint(r, 2, 8, &v);
  if( rc==KV_OK ) *pv = (u8)v;
  return rc;
}

/* Skip padding; the cursor is then at a byte. */
static inline int v8rPad(V8Reader *r){
  while( r->z<r->zEnd && *r->z==0 ) r->z++;
  return r->z<r->zEnd ? KV_OK : kvV8rFail(r, r->zEnd, kvV8rEnd);
}

/* Skip padding and '?'; the cursor is then at the tag of a value. */
static inline int v8rSkip(V8Reader *r){
  u32 nIgnored = 0;
  int rc;
  while( (rc = v8rPad(r))==KV_OK && *r->z=='?' ){
    r->z++;
    rc = v8rU32(r, &nIgnored);
    if( rc!=KV_OK ) break;
  }
  return rc;
}

/* Add a node, not linked yet. */
static inline int v8rAdd(V8Reader *r, u8 eKind, u32 *pi){
  *pi = kvTreeAdd(r->p, eKind);
  return *pi==KV_NO_NODE ? kvV8rNoMem(r) : KV_OK;
}

/* Make node i the next child of the innermost open container. */
static inline void v8rLink(V8Reader *r, u32 i){
  if( r->nFrame ){
    V8rFrame *pFrame = &r->aFrame[r->nFrame-1];
    if( pFrame->iLast ) r->p->aNode[pFrame->iLast].iNext = i;
    else r->p->aNode[pFrame->iNode].iChild = i;
    pFrame->iLast = i;
  }
}

#endif /* KV_V8_INT_H */
