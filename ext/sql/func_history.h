/*
** func_history.h -- functions that go back to what entries were.
*/
#ifndef KV_FUNC_HISTORY_H
#define KV_FUNC_HISTORY_H

#include "sql/call.h"

extern const KvFunc kvFuncsHistory[];

#endif /* KV_FUNC_HISTORY_H */
