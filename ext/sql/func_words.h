/*
** func_words.h -- kv_words().
*/
#ifndef KV_FUNC_WORDS_H
#define KV_FUNC_WORDS_H

#include "sql/call.h"

extern const KvFunc kvFuncsWords[];

#endif /* KV_FUNC_WORDS_H */
