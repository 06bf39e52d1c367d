/*
** metrics.h -- what the server knows of itself: for Prometheus, the log, and whoever
** asks whether it works.
*/
#ifndef KV_SERVE_METRICS_H
#define KV_SERVE_METRICS_H

#include "serve/request.h"
#include "serve/token.h"

void metricsInit(void);

/* Print a line for each request from now on. */
void metricsLog(void);

/* A request is over: its reply has been made, or its stream has ended. */
void metricsRequest(const Request *p);

/* GET /metrics and GET /health. */
void metricsReply(Request *p, const Token *pToken);
void metricsHealth(Request *p, const Token *pToken);

#endif /* KV_SERVE_METRICS_H */
