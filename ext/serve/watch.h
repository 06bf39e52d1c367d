/*
** watch.h -- streams that tell of changes of entries.
**
** A watch of up to ten keys is a stream of frames: the length of a WatchOutput in
** four bytes, little-endian, then the message, which has the entries of all keys.
** It is sent at first, and when one of them has changed; of changes that follow each
** other fast some are left out, never the last one.  A frame of
** length 0 says every few seconds that the server is there.
*/
#ifndef KV_SERVE_WATCH_H
#define KV_SERVE_WATCH_H

#include "serve/request.h"
#include "serve/token.h"

void watchInit(void);

/* The request of KV Connect. */
void watchRequest(Request *p, const Token *pToken);

/* This server has written: that key, and maybe others. */
void watchTouch(KvBytes key);
void watchWritten(void);

/* End all streams, and those that are still to come. */
void watchFinish(void);

u32 watchCount(void);

#endif /* KV_SERVE_WATCH_H */
