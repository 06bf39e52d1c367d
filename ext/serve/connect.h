/*
** connect.h -- the requests of KV Connect.
*/
#ifndef KV_SERVE_CONNECT_H
#define KV_SERVE_CONNECT_H

#include "serve/request.h"
#include "serve/token.h"

/* Each of them replies, now or later, to a request that the token permits so far. */
void connectMetadata(Request *p, const Token *pToken);
void connectRead(Request *p, const Token *pToken);
void connectWrite(Request *p, const Token *pToken);

#endif /* KV_SERVE_CONNECT_H */
