/*
** listen.h -- the port: connections come in, and their first bytes tell which
** version of HTTP they speak.
*/
#ifndef KV_SERVE_LISTEN_H
#define KV_SERVE_LISTEN_H

/* Listen at "host:port", "[::1]:port"; the host * is every address.  The URL that
** reaches it is in zUrl (LISTEN_URL bytes).  0, or -1 after an error, which is
** printed. */
#define LISTEN_URL 320
int listenOpen(const char *zAddress, char *zUrl);
/* Take no more connections. */
void listenClose(void);

/* Connections open; one of them is gone. */
unsigned listenCount(void);
void listenGone(void);

#endif /* KV_SERVE_LISTEN_H */
