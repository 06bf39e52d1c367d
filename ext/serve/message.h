/*
** message.h -- the messages of KV Connect: from bodies, to replies.
*/
#ifndef KV_SERVE_MESSAGE_H
#define KV_SERVE_MESSAGE_H

#include "kv_connect.pb-c.h"
#include "serve/arena.h"
#include "serve/base.h"
#include "serve/request.h"

#define MESSAGE_KEY  2048        /* Bytes of a key that is written or watched */

/* Texts that several requests reply with. */
extern const char messageKeyLong[], messageForbidden[];

static inline KvBytes messageBytes(ProtobufCBinaryData data){
  return kvBytes(data.data, (u32)data.len);
}

/* Unpack the body into an arena.  0 after a reply; the arena is then empty. */
void *messageUnpack(Request *p, Arena *pArena, const ProtobufCMessageDescriptor *pType);

/* Reply with a message. */
void messageReply(Request *p, const ProtobufCMessage *pMessage);
/* Append a message to a stream, after its length.  False if out of memory. */
int messageFrame(Request *p, const ProtobufCMessage *pMessage);

/* A copy of an entry; 0 if the arena is full. */
KvEntry *messageEntry(Arena *p, const BaseEntry *pEntry);
/* The 10 bytes of a versionstamp. */
void messageStamp(u8 *a, i64 iVersion);

#endif /* KV_SERVE_MESSAGE_H */
