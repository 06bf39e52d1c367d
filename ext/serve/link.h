/*
** link.h -- a thread's connection to the leader of a cluster of dqlite.
**
** The leader is found by asking the members, and followed when it changes.
**
** A leader that has been replaced may not know it yet, and would answer a query by
** what it knew.  So a strong read also asks other members which node leads, after it
** has begun: if with them a majority says that it is this one, no other leader can
** have been elected before the read began, since a majority would have had to vote
** for it.
*/
#ifndef KV_SERVE_LINK_H
#define KV_SERVE_LINK_H

#include "bytes/bytes.h"
#include "dqlite/wire.h"

typedef struct Link Link;

/* Where the members are ("host:port,..."), and the database.  False if that is wrong. */
int linkSetup(const char *zMembers, const char *zDatabase);

Link *linkNew(void);

enum {
  LINK_OK,
  LINK_BUSY,            /* Somebody else holds the lock: nothing was done */
  LINK_NO,              /* An error of the statement: nothing was done */
  LINK_LOST             /* No leader, or no answer: if it was to write, who knows */
};

/* Connect to the leader unless that is so already.  LINK_OK or LINK_LOST. */
int linkOpen(Link *p);
void linkClose(Link *p);

/* A statement with n parameters, to which p's wire is ready: call wireParamXxx() for
** each, then one of the two that follow. */
Wire *linkStatement(Link *p, const char *zSql, unsigned n);
/* Run it as a write; *pnChange (or 0): the rows that it changed. */
int linkExec(Link *p, i64 *pnChange);
/* Run it as a query of n columns, then read the rows: 1, 0 at the end, or -1 if the
** link is lost.  With bStrong the result of linkConfirm() decides if they count. */
int linkQuery(Link *p, unsigned n, int bStrong);
int linkRow(Link *p, WireValue *aValue);
/* LINK_OK: it was the leader when the query began.  LINK_LOST: maybe not. */
int linkConfirm(Link *p);

/* The last error: SQLite's code and message. */
int linkCode(const Link *p);
const char *linkError(const Link *p);

/* What is known of the cluster, for whoever asks. */
typedef struct LinkState LinkState;
struct LinkState {
  char zLeader[WIRE_ADDRESS];    /* "" if there is none */
  i64 iConfirmed;                /* When it was last known to lead, in ms; 0: never */
  u32 nElection;                 /* How often the leader has changed */
  u32 nMember;
};
void linkState(LinkState *pState);

#endif /* KV_SERVE_LINK_H */
