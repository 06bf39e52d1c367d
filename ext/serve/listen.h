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
/* Take a connection. */
void listenAdd(int fd);
/* Take no more connections. */
void listenClose(void);

/* Set listenIdleMs from the text of a number of seconds; -1 if it is none.  After so
** many ms a connection that is silent is closed, and what makes no progress ended. */
int listenIdle(const char *zSeconds);
extern long long listenIdleMs;

/* Connections open; one of them is gone. */
unsigned listenCount(void);
void listenGone(void);

#endif /* KV_SERVE_LISTEN_H */
