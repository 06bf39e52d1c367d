/*
** func_config.c -- kv_config(name [, value]): settings of the connection.
*/
#include "sql/modules.h"
#include "store/limit.h"
#include "sql/args.h"
#include "sql/run.h"

/* The settings besides the limits. */
enum {
  FUNC_CONFIG_LIMIT, FUNC_CONFIG_V8_VERSION, FUNC_CONFIG_SELECT_WRITES, FUNC_CONFIG_CACHE,
  FUNC_CONFIG_DROP_REPLACED
};

/* A setting: its value and the values that it may be given. */
typedef struct FuncConfig FuncConfig;
struct FuncConfig {
  int eKind;              /* FUNC_CONFIG_xxx */
  int eLimit;             /* FUNC_CONFIG_LIMIT: which one */
  i64 v, iLeast, iMost;
};

/* Find a setting by its name.  0 if there is none. */
static int funcConfigFind(const KvConn *p, const char *zName, FuncConfig *pOut){
  pOut->eLimit = kvLimitFind(zName);
  if( pOut->eLimit>=0 ){
    pOut->eKind = FUNC_CONFIG_LIMIT;
    pOut->v = p->aLimit[pOut->eLimit];
    pOut->iLeast = 1;
    pOut->iMost = kvLimits[pOut->eLimit].iMost;
  }else if( strcmp(zName, "v8_version")==0 ){
    pOut->eKind = FUNC_CONFIG_V8_VERSION;
    pOut->v = p->iV8Version;
    pOut->iLeast = 15;
    pOut->iMost = 16;
  }else if( strcmp(zName, "select_writes")==0 ){
    pOut->eKind = FUNC_CONFIG_SELECT_WRITES;
    pOut->v = !p->bNoSelectWrites;
    pOut->iLeast = 0;
    pOut->iMost = pOut->v;             /* whoever set it to 0 relies on it */
  }else if( strcmp(zName, "drop_replaced")==0 ){
    pOut->eKind = FUNC_CONFIG_DROP_REPLACED;
    pOut->v = p->bDropReplaced;
    pOut->iLeast = 0;
    pOut->iMost = 1;
  }else if( strcmp(zName, "cache_bytes")==0 ){
    pOut->eKind = FUNC_CONFIG_CACHE;
    pOut->v = p->hot.nMost;
    pOut->iLeast = 0;
    pOut->iMost = 1000000000;
  }else{
    return 0;
  }
  return 1;
}

/* There is no such setting: the error lists those that there are. */
static void funcConfigUnknown(KvCall *p, const char *zName){
  sqlite3_str *pOut = sqlite3_str_new(0);
  char *zList;
  int i;
  for(i=0; i<KV_LIMIT_COUNT; i++) sqlite3_str_appendf(pOut, "%s, ", kvLimits[i].zName);
  sqlite3_str_appendall(pOut, "v8_version, select_writes, drop_replaced and cache_bytes");
  zList = sqlite3_str_finish(pOut);
  if( zList==0 ) kvErrorCode(&p->error, SQLITE_NOMEM);
  kvError(&p->error, SQLITE_ERROR,
      "kv: kv_config(): no such setting: '%!.100s'; the settings are %s",
      zName ? zName : "NULL", zList);
  sqlite3_free(zList);
}

/* Is it yes or no? */
static int funcConfigIsBool(int eKind){
  return eKind==FUNC_CONFIG_SELECT_WRITES || eKind==FUNC_CONFIG_DROP_REPLACED;
}

/* The value to set, or an error. */
static i64 funcConfigValue(const FuncConfig *pSet, const char *zName, sqlite3_value *pVal,
                           KvError *pError){
  i64 v = 0;
  int b = 0, bBool = funcConfigIsBool(pSet->eKind);
  int bOk = bBool ? kvArgBool(pVal, &b) : kvArgNumber(pVal, &v);
  if( bBool ) v = b;
  if( pSet->iMost==0 && !(bOk && v==0) ){
    kvError(pError, SQLITE_ERROR, "kv: kv_config('%s'): it is 0 and can't be changed until the "
        "connection is closed", zName);
  }else if( bBool && !bOk ){
    kvError(pError, SQLITE_ERROR, "kv: kv_config('%s'): the value must be 0, 1, 'true' or 'false'",
        zName);
  }else if( !bOk || v<pSet->iLeast || v>pSet->iMost ){
    kvError(pError, SQLITE_ERROR, "kv: kv_config('%s'): the value must be an integer from %lld to "
        "%lld", zName, pSet->iLeast, pSet->iMost);
  }
  return v;
}

static void funcConfigSet(KvConn *p, const FuncConfig *pSet, i64 v){
  switch( pSet->eKind ){
    case FUNC_CONFIG_LIMIT:         p->aLimit[pSet->eLimit] = v; break;
    case FUNC_CONFIG_V8_VERSION:    p->iV8Version = (int)v;      break;
    case FUNC_CONFIG_SELECT_WRITES: p->bNoSelectWrites = v==0;   break;
    case FUNC_CONFIG_DROP_REPLACED: p->bDropReplaced = v!=0;     break;
    case FUNC_CONFIG_CACHE:         kvHotLimit(&p->hot, v);      break;
  }
}

static void funcConfig(KvCall *p){
  const char *zName = (const char*)kvArgName(p->apArg[0], &p->error).p;
  FuncConfig set;
  if( zName==0 || !funcConfigFind(p->pConn, zName, &set) ){
    funcConfigUnknown(p, zName);
    return;
  }
  if( p->nArg>1 ) kvRunRefused(p->pConn->db, &p->error);
  if( kvFailed(&p->error) ) return;
  if( p->nArg>1 ){
    i64 v = funcConfigValue(&set, zName, p->apArg[1], &p->error);
    if( kvFailed(&p->error) ) return;
    funcConfigSet(p->pConn, &set, v);
    set.v = v;
  }
  sqlite3_result_int64(p->ctx, set.v);
}

const KvFunc kvFuncsConfig[] = {
  { "kv_config", 1, 2, SQLITE_DIRECTONLY, 0, funcConfig, 0 },
  { 0 }
};
