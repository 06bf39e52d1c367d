/*
** http2.h -- connections that speak HTTP/2, by libnghttp2.
*/
#ifndef KV_SERVE_HTTP2_H
#define KV_SERVE_HTTP2_H

#include "serve/listen.h"

/* Take over a connection, whose first bytes are still to be read. */
void http2Accept(int fd);
/* Take no more requests; connections end when they have none. */
void http2Finish(void);
/* End all connections. */
void http2Close(void);

#endif /* KV_SERVE_HTTP2_H */
