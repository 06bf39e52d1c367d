/*
** message.c -- the messages of KV Connect.  See message.h.
*/
#include "serve/message.h"
#include "bytes/endian.h"

const char messageKeyLong[] = "A key exceeds the key size limit.";
const char messageForbidden[] = "The access token does not permit these keys.";

void *messageUnpack(Request *p, Arena *pArena, const ProtobufCMessageDescriptor *pType){
  void *pMessage = protobuf_c_message_unpack(pType, &pArena->allocator, p->body.n,
      p->body.n ? p->body.a : (const u8*)"");
  if( pMessage==0 ){
    int bFull = pArena->bFull;
    arenaClear(pArena);
    requestText(p, 400, bFull ? "The request is too large." : "Request protobuf is invalid.");
  }
  return pMessage;
}

static int messagePack(KvBuf *pOut, const ProtobufCMessage *pMessage, size_t n){
  if( !kvBufRoom(pOut, (u32)n) ) return 0;
  pOut->n += (u32)protobuf_c_message_pack(pMessage, &pOut->a[pOut->n]);
  return 1;
}

void messageReply(Request *p, const ProtobufCMessage *pMessage){
  messagePack(&p->out, pMessage, protobuf_c_message_get_packed_size(pMessage));
  requestReply(p, 200, "application/x-protobuf");
}

int messageFrame(Request *p, const ProtobufCMessage *pMessage){
  size_t n = protobuf_c_message_get_packed_size(pMessage);
  int i;
  if( !kvBufRoom(&p->out, (u32)n+4) ){
    kvBufReset(&p->out);
    return 0;
  }
  for(i=0; i<4; i++) kvBufPut(&p->out, (u8)(n>>(8*i)));
  return messagePack(&p->out, pMessage, n);
}

void messageStamp(u8 *a, i64 iVersion){
  kvPut64be(a, (u64)iVersion);
  a[8] = a[9] = 0;
}

KvEntry *messageEntry(Arena *p, const BaseEntry *pEntry){
  KvEntry *pNew = arenaTake(p, sizeof(*pNew));
  u8 aStamp[10];
  if( pNew==0 ) return 0;
  kv_entry__init(pNew);
  messageStamp(aStamp, pEntry->iVersion);
  pNew->key = arenaBytes(p, pEntry->key.p, pEntry->key.n);
  pNew->value = arenaBytes(p, pEntry->value.p, pEntry->value.n);
  pNew->encoding = pEntry->eEncoding;
  pNew->versionstamp = arenaBytes(p, aStamp, sizeof(aStamp));
  return p->bFull ? 0 : pNew;
}
