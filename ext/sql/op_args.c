/*
** op_args.c -- from SQL arguments to the ops of an atomic operation.
*/
#include "sql/op_args.h"
SQLITE_EXTENSION_INIT3
#include "store/limit.h"
#include "sql/args.h"
#include "sql/result.h"
#include "sql/codec_error.h"
#include "sql/subtype.h"
#include "codec/num/num.h"
#include "codec/queue_text.h"
#include "codec/stored.h"
#include "bytes/hex.h"
#include "sql/mark.h"
#include "store/clock.h"
#include "store/message.h"

/* What is put together for one op. */
typedef struct OpsBuild OpsBuild;
struct OpsBuild {
  KvConn *pConn;
  const KvOpArgs *pArgs;
  KvOp op;
  KvBuf key, value, min, max;
  u8 aStamp[10], aExpire[8];
};

static int opsError(char **pzErr, const char *zText){
  *pzErr = sqlite3_mprintf("kv: %s", zText);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

static int opsCodec(const char *zWhat, const KvErr *pErr, char **pzErr){
  if( pErr->eCode==KV_NOMEM ) return SQLITE_NOMEM;
  if( pErr->eCode==KV_TOOBIG ) return SQLITE_TOOBIG;
  *pzErr = kvCodecErrorText(zWhat, pErr);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

static int opsLimit(KvConn *p, int eLimit, const char *zWhat, i64 n, char **pzErr){
  if( n<=p->aLimit[eLimit] ) return SQLITE_OK;
  *pzErr = kvLimitText(p->aLimit, eLimit, zWhat, n);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

static void opsField(KvBytes *pField, const KvBuf *p){
  *pField = kvBytes(p->n ? p->a : (const u8*)"", p->n);
}

/* True if an argument is there and not NULL. */
static int opsGiven(sqlite3_value *pVal){
  return pVal && sqlite3_value_type(pVal)!=SQLITE_NULL;
}

static int opsKey(OpsBuild *p, char **pzErr){
  int bStamp = 0;
  int rc;
  if( p->pArgs->pKey==0 ) return opsError(pzErr, "key: this op needs a key");
  rc = kvArgWriteKey(p->pConn, p->pArgs->pKey, &p->key,
                      p->op.eOp==KV_OP_SET ? &bStamp : 0, pzErr);
  if( bStamp ) p->op.mFlags |= KV_OP_STAMP;
  opsField(&p->op.key, &p->key);
  return rc;
}

static int opsCheck(OpsBuild *p, char **pzErr){
  static const char zMsg[] = "versionstamp: must be 20 hexadecimal digits, "
      "or NULL when there must be no entry";
  sqlite3_value *pVal = p->pArgs->pValue;
  const char *z;
  int i;
  if( !opsGiven(pVal) ) return SQLITE_OK;
  if( sqlite3_value_type(pVal)!=SQLITE_TEXT || sqlite3_value_bytes(pVal)!=20 ){
    return opsError(pzErr, zMsg);
  }
  z = (const char*)sqlite3_value_text(pVal);
  if( z==0 ) return SQLITE_NOMEM;
  for(i=0; i<10; i++){
    int d1 = kvHexValue((u8)z[2*i]), d2 = kvHexValue((u8)z[2*i+1]);
    if( d1<0 || d2<0 ) return opsError(pzErr, zMsg);
    p->aStamp[i] = (u8)(d1*16 + d2);
  }
  p->op.stamp = kvBytes(p->aStamp, 10);
  return SQLITE_OK;
}

/* A value that is meant as eAs into a field: encoding, stored bytes. */
static int opsValue(
  OpsBuild *p, sqlite3_value *pVal, int eAs, KvBuf *pBuf, KvBytes *pField, char **pzErr
){
  int rc, eEncoding = 1;
  kvBufPut(pBuf, 0);                   /* for the encoding */
  if( pBuf->eErr!=KV_OK ) return SQLITE_NOMEM;
  {
    KvBuf bytes;
    u8 aSpace[512];
    kvBufInit(&bytes, aSpace, sizeof(aSpace));
    rc = kvArgWriteValue(p->pConn, pVal, eAs, &bytes, &eEncoding, pzErr);
    if( rc==SQLITE_OK ) kvBufAppend(pBuf, bytes.a, bytes.n);
    kvBufClear(&bytes);
  }
  if( rc!=SQLITE_OK ) return rc;
  if( pBuf->eErr!=KV_OK ) return SQLITE_NOMEM;
  pBuf->a[0] = (u8)eEncoding;
  opsField(pField, pBuf);
  return SQLITE_OK;
}

static int opsSet(OpsBuild *p, char **pzErr){
  i64 iNow = kvNow();
  i64 iExpires;
  int rc;
  if( p->pArgs->pValue==0 ) return opsError(pzErr, "value: 'set' needs a value");
  rc = opsValue(p, p->pArgs->pValue, p->pArgs->eAs, &p->value, &p->op.value, pzErr);
  if( rc==SQLITE_OK && opsGiven(p->pArgs->pExpireIn) ){
    rc = kvArgExpireIn(p->pArgs->pExpireIn, iNow, &iExpires, pzErr);
    if( rc==SQLITE_OK ){
      kvPut64be(p->aExpire, (u64)(iExpires - iNow));
      p->op.expire = kvBytes(p->aExpire, 8);
    }
  }
  return rc;
}

/* A whole number into a field, as it came: see codec/op.h. */
static int opsPlain(int ePlain, u64 uBits, KvBuf *pBuf, KvBytes *pField){
  u8 a[8];
  kvPut64be(a, uBits);
  kvBufPut(pBuf, (u8)ePlain);
  kvBufAppend(pBuf, a, 8);
  opsField(pField, pBuf);
  return pBuf->eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
}

/*
** The operand of sum, min and max, or a bound.  A whole number takes the kind of
** what is stored when the op is carried out; a fraction is a number, and a typed
** value is what it says.
*/
static int opsOperand(
  OpsBuild *p, sqlite3_value *pVal, const char *zWhat, KvBuf *pBuf, KvBytes *pField, char **pzErr
){
  int eType = pVal ? sqlite3_value_type(pVal) : SQLITE_NULL;
  int bTyped = (eType==SQLITE_TEXT && sqlite3_value_subtype(pVal)==KV_SUBTYPE_JS)
            || (eType==SQLITE_BLOB && kvArgIsRaw(pVal));
  if( eType==SQLITE_INTEGER ){
    return opsPlain(KV_PLAIN_INTEGER, (u64)sqlite3_value_int64(pVal), pBuf, pField);
  }
  if( eType==SQLITE_FLOAT && kvIsSafeInteger(sqlite3_value_double(pVal)) ){
    return opsPlain(KV_PLAIN_REAL, kvDoubleToBits(sqlite3_value_double(pVal)), pBuf, pField);
  }
  if( bTyped || eType==SQLITE_FLOAT ){
    return opsValue(p, pVal, KV_AS_VALUE, pBuf, pField, pzErr);
  }
  *pzErr = sqlite3_mprintf("kv: %s: must be an INTEGER, a REAL, a kv_bigint() or another typed value "
      "that is a number", zWhat);
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* A bound of a sum, if there is one. */
static int opsBound(
  OpsBuild *p, sqlite3_value *pVal, const char *zWhat, KvBuf *pBuf, KvBytes *pField, char **pzErr
){
  return opsGiven(pVal) ? opsOperand(p, pVal, zWhat, pBuf, pField, pzErr) : SQLITE_OK;
}

static int opsNumber(OpsBuild *p, char **pzErr){
  const KvOpArgs *pArgs = p->pArgs;
  int rc = opsOperand(p, pArgs->pValue, "n", &p->value, &p->op.value, pzErr);
  if( rc==SQLITE_OK ) rc = opsBound(p, pArgs->pMin, "min", &p->min, &p->op.min, pzErr);
  if( rc==SQLITE_OK ) rc = opsBound(p, pArgs->pMax, "max", &p->max, &p->op.max, pzErr);
  if( rc==SQLITE_OK && opsGiven(pArgs->pClamp) ){
    const char *z = (const char*)sqlite3_value_text(pArgs->pClamp);
    if( z==0 ) return SQLITE_NOMEM;
    if( sqlite3_value_int(pArgs->pClamp) || sqlite3_stricmp(z, "true")==0 ){
      p->op.mFlags |= KV_OP_CLAMP;
    }
  }
  return rc;
}

/* ---- messages --------------------------------------------------------- */

static int msgDelay(KvConn *pConn, sqlite3_value *pVal, KvMessage *p, char **pzErr){
  i64 v = 0;
  if( opsGiven(pVal) ){
    double r = sqlite3_value_double(pVal);
    if( (sqlite3_value_type(pVal)!=SQLITE_INTEGER && sqlite3_value_type(pVal)!=SQLITE_FLOAT)
     || !(r>=0.0 && r<=9007199254740991.0)
    ){
      return opsError(pzErr, "delay: must be a number of milliseconds, 0 or more");
    }
    v = (i64)r;
  }
  kvPut64be(p->aDelay, (u64)v);
  p->op.delay = kvBytes(p->aDelay, 8);
  return opsLimit(pConn, KV_LIMIT_delay_ms, "delay of a message in ms", v, pzErr);
}

/* keys_if_undelivered (bKeys) or backoff_schedule */
static int msgList(KvConn *pConn, sqlite3_value *pVal, int bKeys, KvMessage *p, char **pzErr){
  KvBuf *pBuf = bKeys ? &p->keys : &p->backoff;
  KvErr err;
  const char *z;
  u32 n = 0;
  i64 iMost = 0;
  int rc;
  if( !opsGiven(pVal) ){
    kvBufText(pBuf, bKeys ? "[]" : KV_BACKOFF_DEFAULT);
    opsField(bKeys ? &p->op.keys : &p->op.backoff, pBuf);
    return pBuf->eErr==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  }
  z = (const char*)sqlite3_value_text(pVal);
  if( z==0 ) return SQLITE_NOMEM;
  if( bKeys ){
    rc = kvQueueKeys(kvBytes(z, (u32)sqlite3_value_bytes(pVal)), pBuf, &n, &iMost, &err);
  }else{
    KvScratch *pScratch = kvScratchTake(pConn);
    rc = kvQueueBackoff(&pScratch->tree, kvBytes(z, (u32)sqlite3_value_bytes(pVal)), pBuf, &n, &iMost, &err);
    kvScratchGive(pScratch);
  }
  if( rc!=KV_OK ) return opsCodec(bKeys ? "keys_if_undelivered" : "backoff_schedule", &err, pzErr);
  opsField(bKeys ? &p->op.keys : &p->op.backoff, pBuf);
  if( bKeys ){
    rc = opsLimit(pConn, KV_LIMIT_undelivered_keys, "keys_if_undelivered", n, pzErr);
    return rc==SQLITE_OK ? opsLimit(pConn, KV_LIMIT_key_bytes, "bytes of the key", iMost, pzErr) : rc;
  }
  rc = opsLimit(pConn, KV_LIMIT_backoff_steps, "steps of backoff_schedule", n, pzErr);
  return rc==SQLITE_OK ? opsLimit(pConn, KV_LIMIT_backoff_ms, "ms in backoff_schedule", iMost, pzErr) : rc;
}

/* The message itself: always in V8's format, whatever its type. */
static int msgValue(KvConn *pConn, const KvOpArgs *pArgs, KvMessage *p, char **pzErr){
  KvScratch *pScratch;
  KvErr err;
  int eAs, rc;
  if( pArgs->pValue==0 ) return opsError(pzErr, "value: 'enqueue' needs a value");
  rc = pArgs->eAs==KV_AS_VALUE ? kvMarkCheck(pConn, pArgs->pValue, "value", pzErr) : SQLITE_OK;
  if( rc!=SQLITE_OK ) return rc;
  pScratch = kvScratchTake(pConn);
  eAs = kvArgIsRaw(pArgs->pValue) ? KV_AS_RAW : pArgs->eAs;
  if( eAs==KV_AS_RAW ) rc = kvArgTree(pArgs->pValue, KV_AS_RAW, &pScratch->tree, &err);
  if( rc==KV_OK && eAs==KV_AS_RAW && *(const u8*)sqlite3_value_blob(pArgs->pValue)==1 ){
    kvBufAppend(&p->value, sqlite3_value_blob(pArgs->pValue), (u64)sqlite3_value_bytes(pArgs->pValue));
  }else if( rc==KV_OK ){
    int eEncoding;
    if( eAs==KV_AS_RAW ){
      rc = kvValueWrite(&pScratch->tree, pConn->iV8Version, 1, &pScratch->out, &eEncoding, &err);
    }else{
      rc = kvArgEncode(pConn, pArgs->pValue, eAs|KV_AS_V8, &pScratch->tree, &pScratch->out, &eEncoding, &err);
    }
    kvBufPut(&p->value, 1);
    kvBufAppend(&p->value, pScratch->out.a, pScratch->out.n);
  }
  kvScratchGive(pScratch);
  if( rc!=KV_OK ) return opsCodec("value", &err, pzErr);
  if( p->value.eErr!=KV_OK ) return SQLITE_NOMEM;
  opsField(&p->op.value, &p->value);
  return opsLimit(pConn, KV_LIMIT_enqueue_bytes, "bytes of the message", (i64)p->value.n-1, pzErr);
}

int kvMessageBuild(KvConn *pConn, const KvOpArgs *pArgs, KvMessage *p, char **pzErr){
  int rc;
  memset(p, 0, sizeof(*p));
  kvBufInit(&p->value, 0, 0);
  kvBufInit(&p->keys, 0, 0);
  kvBufInit(&p->backoff, 0, 0);
  p->op.eOp = KV_OP_ENQUEUE;
  rc = msgValue(pConn, pArgs, p, pzErr);
  if( rc==SQLITE_OK ) rc = msgDelay(pConn, pArgs->pDelay, p, pzErr);
  if( rc==SQLITE_OK ) rc = msgList(pConn, pArgs->pKeys, 1, p, pzErr);
  if( rc==SQLITE_OK ) rc = msgList(pConn, pArgs->pBackoff, 0, p, pzErr);
  return rc;
}

void kvMessageClear(KvMessage *p){
  kvBufClear(&p->value);
  kvBufClear(&p->keys);
  kvBufClear(&p->backoff);
}

/* ---- ops of every kind -------------------------------------------------- */

int kvOpNamed(sqlite3_value *pName, int *peOp, char **pzErr){
  const char *z = (const char*)sqlite3_value_text(pName);
  if( z==0 && sqlite3_value_type(pName)!=SQLITE_NULL ) return SQLITE_NOMEM;
  *peOp = z ? kvOpKind(kvBytes(z, (u32)sqlite3_value_bytes(pName))) : 0;
  if( *peOp ) return SQLITE_OK;
  *pzErr = kvMsg("kv: unknown op '%!.100s'; the ops are check, set, delete, sum, min, max "
      "and enqueue", z ? z : "NULL");
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* Nothing is given that goes with other kinds of ops only. */
static int opsFits(const KvOpArgs *p, char **pzErr){
  if( p->eOp!=KV_OP_SET && opsGiven(p->pExpireIn) ){
    return opsError(pzErr, "expire_in: goes with 'set' only");
  }
  if( p->eOp!=KV_OP_SUM && (opsGiven(p->pMin) || opsGiven(p->pMax) || opsGiven(p->pClamp)) ){
    return opsError(pzErr, "min, max and clamp go with 'sum' only");
  }
  if( p->eOp!=KV_OP_ENQUEUE && (opsGiven(p->pDelay) || opsGiven(p->pKeys) || opsGiven(p->pBackoff)) ){
    return opsError(pzErr, "delay, keys_if_undelivered and backoff_schedule go with 'enqueue' only; "
        "what an entry takes is expire_in");
  }
  if( p->eOp!=KV_OP_SET && p->eOp!=KV_OP_ENQUEUE && p->eAs==KV_AS_RAW ){
    return opsError(pzErr, "raw: goes with 'set' and 'enqueue' only");
  }
  return SQLITE_OK;
}

/* The parts of the op by its kind. */
static int opsFill(OpsBuild *p, char **pzErr){
  int rc = opsKey(p, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  switch( p->op.eOp ){
    case KV_OP_CHECK:  return opsCheck(p, pzErr);
    case KV_OP_SET:    return opsSet(p, pzErr);
    case KV_OP_DELETE:
      return opsGiven(p->pArgs->pValue) ? opsError(pzErr, "value: 'delete' takes none") : SQLITE_OK;
    default:           return opsNumber(p, pzErr);
  }
}

static int opsEnqueue(KvConn *pConn, const KvOpArgs *pArgs, KvBuf *pOut, char **pzErr){
  KvMessage msg;
  int rc;
  if( opsGiven(pArgs->pKey) ) return opsError(pzErr, "key: 'enqueue' takes none");
  rc = kvMessageBuild(pConn, pArgs, &msg, pzErr);
  if( rc==SQLITE_OK ){
    kvOpWrite(pOut, &msg.op);
    if( pOut->eErr!=KV_OK ) rc = SQLITE_NOMEM;
  }
  kvMessageClear(&msg);
  return rc;
}

int kvOpBuild(KvConn *pConn, const KvOpArgs *pArgs, KvBuf *pOut, char **pzErr){
  u8 aKey[256], aValue[512];
  OpsBuild b;
  int rc = opsFits(pArgs, pzErr);
  if( rc!=SQLITE_OK ) return rc;
  if( pArgs->eOp==KV_OP_ENQUEUE ) return opsEnqueue(pConn, pArgs, pOut, pzErr);
  memset(&b, 0, sizeof(b));
  b.pConn = pConn;
  b.pArgs = pArgs;
  b.op.eOp = (u8)pArgs->eOp;
  kvBufInit(&b.key, aKey, sizeof(aKey));
  kvBufInit(&b.value, aValue, sizeof(aValue));
  kvBufInit(&b.min, 0, 0);
  kvBufInit(&b.max, 0, 0);
  rc = opsFill(&b, pzErr);
  if( rc==SQLITE_OK ){
    kvOpWrite(pOut, &b.op);
    if( pOut->eErr!=KV_OK ) rc = SQLITE_NOMEM;
  }
  kvBufClear(&b.key);
  kvBufClear(&b.value);
  kvBufClear(&b.min);
  kvBufClear(&b.max);
  return rc;
}

void kvOpArgsKeyed(KvOpArgs *p, int eOp, int nArg, sqlite3_value **apArg){
  memset(p, 0, sizeof(*p));
  p->eOp = eOp;
  if( nArg>0 ) p->pKey = apArg[0];
  if( nArg>1 ) p->pValue = apArg[1];
  if( nArg>2 ) *(eOp==KV_OP_SET ? &p->pExpireIn : &p->pMin) = apArg[2];
  if( nArg>3 ) p->pMax = apArg[3];
  if( nArg>4 ) p->pClamp = apArg[4];
}

void kvOpArgsMessage(KvOpArgs *p, int nArg, sqlite3_value **apArg){
  memset(p, 0, sizeof(*p));
  p->eOp = KV_OP_ENQUEUE;
  p->pValue = apArg[0];
  if( nArg>1 ) p->pDelay = apArg[1];
  if( nArg>2 ) p->pKeys = apArg[2];
  if( nArg>3 ) p->pBackoff = apArg[3];
}

int kvOpArgCheck(KvConn *pConn, sqlite3_value *pVal, char **pzErr){
  KvOp op;
  KvScratch *pScratch = kvScratchTake(pConn);
  int rc = kvOpRead(&op, kvArgBlob(pVal), 0);
  if( rc==KV_OK ) rc = kvOpCheck(&op, &pScratch->tree, 0);
  kvScratchGive(pScratch);
  if( rc==KV_OK || rc==KV_NOMEM ) return rc==KV_OK ? SQLITE_OK : SQLITE_NOMEM;
  *pzErr = sqlite3_mprintf("kv: op: the BLOB is not a result of kv_op()");
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}
