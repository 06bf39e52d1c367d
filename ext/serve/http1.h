/*
** http1.h -- connections that speak HTTP/1.1, by libmicrohttpd.
*/
#ifndef KV_SERVE_HTTP1_H
#define KV_SERVE_HTTP1_H

/* Take over a connection, whose first bytes are still to be read. */
void http1Accept(int fd);
/* End all connections. */
void http1Close(void);

/* Close connections whose clients are silent or slow for too long, or have gone.  Done
** every second. */
void http1Sweep(void);

#endif /* KV_SERVE_HTTP1_H */
