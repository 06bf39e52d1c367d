/*
** route.h -- from a request's path to what replies to it.
*/
#ifndef KV_SERVE_ROUTE_H
#define KV_SERVE_ROUTE_H

#include "serve/request.h"

void routeRun(Request *p);

#endif /* KV_SERVE_ROUTE_H */
