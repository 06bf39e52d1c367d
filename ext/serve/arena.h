/*
** arena.h -- the memory of one message: taken piece by piece, given back at once.
**
** Messages of KV Connect are unpacked into an arena and packed from it (by
** libprotobuf-c).  Its size is bounded, so a small body can't ask for much.
*/
#ifndef KV_SERVE_ARENA_H
#define KV_SERVE_ARENA_H

#include <protobuf-c/protobuf-c.h>
#include "bytes/bytes.h"

/* Bytes of what is read for one request, and of what a body may become. */
#define ARENA_READ_MAX  (64*1024*1024)
#define ARENA_BODY_MAX  (16*1024*1024)

typedef struct ArenaBlock ArenaBlock;
struct ArenaBlock {
  ArenaBlock *pNext;
  u32 n, nAlloc;
  u8 a[];                        /* Aligned to 16 bytes by its place */
};

typedef struct Arena Arena;
struct Arena {
  ProtobufCAllocator allocator;
  ArenaBlock *pBlock;
  u64 nMost;
  u64 nUsed;
  u8 bFull;                      /* Something did not fit */
};

void arenaInit(Arena *p, u64 nMost);
/* What pFrom has is pTo's; pFrom is empty. */
void arenaMove(Arena *pTo, Arena *pFrom);
/* All that was taken is gone. */
void arenaClear(Arena *p);
/* n bytes, or 0. */
void *arenaTake(Arena *p, u64 n);
/* A copy of bytes, as a message has them. */
ProtobufCBinaryData arenaBytes(Arena *p, const void *pData, u64 n);

#endif /* KV_SERVE_ARENA_H */
