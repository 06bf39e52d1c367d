/*
** func_value.h -- functions on values.
*/
#ifndef KV_FUNC_VALUE_H
#define KV_FUNC_VALUE_H

#include "sql/call.h"

extern const KvFunc kvFuncsValue[];

#endif /* KV_FUNC_VALUE_H */
