/*
** op_args.c -- from SQL arguments to the ops of an atomic operation.
*/
#include "sql/op_args.h"
#include "sql/args.h"
#include "sql/mark.h"
#include "sql/subtype.h"
#include "bytes/hex.h"
#include "codec/num/num.h"
#include "codec/queue_text.h"
#include "codec/stored.h"
#include "store/clock.h"
#include "store/limit.h"

/* What is put together for one op. */
typedef struct OpArgs OpArgs;
struct OpArgs {
  KvConn *pConn;
  const KvOpArgs *pArgs;
  KvError *pError;
  KvOp op;
  KvBuf key, value, min, max;
  u8 aStamp[10], aExpire[8];
};

static void opArgsError(KvError *pError, const char *zText){
  kvError(pError, SQLITE_ERROR, "kv: %s", zText);
}

/* What a buffer holds into a field, of which an absent one has p 0. */
static void opArgsField(KvBytes *pField, const KvBuf *p, KvError *pError){
  *pField = kvBytes(p->n ? p->a : (const u8*)"", p->n);
  kvErrorBuf(pError, p);
}

/* True if an argument is there and not NULL. */
static int opArgsGiven(sqlite3_value *pVal){
  return pVal && sqlite3_value_type(pVal)!=SQLITE_NULL;
}

static void opArgsKey(OpArgs *p){
  int bStamp = 0;
  if( p->pArgs->pKey==0 ){
    opArgsError(p->pError, "key: this op needs a key");
    return;
  }
  kvArgWriteKey(p->pConn, p->pArgs->pKey, &p->key, p->op.eOp==KV_OP_SET ? &bStamp : 0, p->pError);
  if( bStamp ) p->op.mFlags |= KV_OP_STAMP;
  opArgsField(&p->op.key, &p->key, p->pError);
}

/* The ten bytes that the digits of a versionstamp say. */
static int opArgsStamp(KvBytes text, u8 *aStamp){
  u32 i;
  for(i=0; text.n==20 && i<10; i++){
    int d1 = kvHexValue(text.p[2*i]), d2 = kvHexValue(text.p[2*i+1]);
    if( d1<0 || d2<0 ) return 0;
    aStamp[i] = (u8)(d1*16 + d2);
  }
  return text.n==20;
}

static void opArgsCheck(OpArgs *p){
  sqlite3_value *pVal = p->pArgs->pValue;
  KvBytes text = { 0, 0 };
  if( !opArgsGiven(pVal) ) return;
  if( sqlite3_value_type(pVal)==SQLITE_TEXT ){
    text = kvArgText(pVal);
    if( text.p==0 ) kvErrorCode(p->pError, SQLITE_NOMEM);
  }
  if( !opArgsStamp(text, p->aStamp) ){
    opArgsError(p->pError, "versionstamp: must be 20 hexadecimal digits, "
        "or NULL when there must be no entry");
  }
  p->op.stamp = kvBytes(p->aStamp, 10);
}

/* A value that is meant as eAs into a field: encoding, stored bytes. */
static void opArgsValue(OpArgs *p, sqlite3_value *pVal, int eAs, KvBuf *pBuf, KvBytes *pField){
  KvBuf bytes;
  u8 aSpace[512];
  int eEncoding = 1;
  kvBufInit(&bytes, aSpace, sizeof(aSpace));
  kvArgWriteValue(p->pConn, pVal, eAs, &bytes, &eEncoding, p->pError);
  kvBufPut(pBuf, (u8)eEncoding);
  kvBufAdd(pBuf, kvBufBytes(&bytes));
  kvBufClear(&bytes);
  opArgsField(pField, pBuf, p->pError);
}

static void opArgsSet(OpArgs *p){
  i64 iNow = kvNow();
  if( p->pArgs->pValue==0 ){
    opArgsError(p->pError, "value: 'set' needs a value");
    return;
  }
  opArgsValue(p, p->pArgs->pValue, p->pArgs->eAs, &p->value, &p->op.value);
  if( opArgsGiven(p->pArgs->pExpireIn) ){
    kvPut64be(p->aExpire, (u64)(kvArgExpireIn(p->pArgs->pExpireIn, iNow, p->pError) - iNow));
    p->op.expire = kvBytes(p->aExpire, 8);
  }
}

/* A whole number into a field, as it came: see codec/op.h. */
static void opArgsPlain(OpArgs *p, int ePlain, u64 uBits, KvBuf *pBuf, KvBytes *pField){
  u8 a[8];
  kvPut64be(a, uBits);
  kvBufPut(pBuf, (u8)ePlain);
  kvBufAppend(pBuf, a, 8);
  opArgsField(pField, pBuf, p->pError);
}

/*
** The operand of sum, min and max, or a bound.  A whole number takes the kind of
** what is stored when the op is carried out; a fraction is a number, and a typed
** value is what it says.
*/
static void opArgsOperand(
  OpArgs *p, sqlite3_value *pVal, const char *zWhat, KvBuf *pBuf, KvBytes *pField
){
  int eType = pVal ? sqlite3_value_type(pVal) : SQLITE_NULL;
  if( eType==SQLITE_INTEGER ){
    opArgsPlain(p, KV_PLAIN_INTEGER, (u64)sqlite3_value_int64(pVal), pBuf, pField);
  }else if( eType==SQLITE_FLOAT && kvIsSafeInteger(sqlite3_value_double(pVal)) ){
    opArgsPlain(p, KV_PLAIN_REAL, kvDoubleToBits(sqlite3_value_double(pVal)), pBuf, pField);
  }else if( eType==SQLITE_FLOAT || (eType==SQLITE_BLOB && kvArgIsRaw(pVal))
   || (eType==SQLITE_TEXT && sqlite3_value_subtype(pVal)==KV_SUBTYPE_JS)
  ){
    opArgsValue(p, pVal, KV_AS_VALUE, pBuf, pField);
  }else{
    kvError(p->pError, SQLITE_ERROR,
        "kv: %s: must be an INTEGER, a REAL, a kv_bigint() or another typed "
        "value that is a number", zWhat);
  }
}

static void opArgsNumber(OpArgs *p){
  const KvOpArgs *pArgs = p->pArgs;
  opArgsOperand(p, pArgs->pValue, "n", &p->value, &p->op.value);
  if( opArgsGiven(pArgs->pMin) ) opArgsOperand(p, pArgs->pMin, "min", &p->min, &p->op.min);
  if( opArgsGiven(pArgs->pMax) ) opArgsOperand(p, pArgs->pMax, "max", &p->max, &p->op.max);
  if( opArgsGiven(pArgs->pClamp) ){
    const char *z = (const char*)sqlite3_value_text(pArgs->pClamp);
    int bClamp = z && (sqlite3_value_int(pArgs->pClamp) || sqlite3_stricmp(z, "true")==0);
    if( z==0 ) kvErrorCode(p->pError, SQLITE_NOMEM);
    if( bClamp ) p->op.mFlags |= KV_OP_CLAMP;
  }
}

/* ---- messages --------------------------------------------------------- */

static void opArgsDelay(KvConn *pConn, sqlite3_value *pVal, KvMessage *p, KvError *pError){
  i64 v = 0;
  if( opArgsGiven(pVal) ){
    double r = sqlite3_value_double(pVal);
    if( (sqlite3_value_type(pVal)!=SQLITE_INTEGER && sqlite3_value_type(pVal)!=SQLITE_FLOAT)
     || !(r>=0.0 && r<=9007199254740991.0)
    ){
      opArgsError(pError, "delay: must be a number of milliseconds, 0 or more");
      return;
    }
    v = (i64)r;
  }
  kvPut64be(p->aDelay, (u64)v);
  p->op.delay = kvBytes(p->aDelay, 8);
  kvLimitCheck(pError, pConn->aLimit, KV_LIMIT_delay_ms, "delay of a message in ms", v);
}

static void opArgsKeys(KvConn *pConn, sqlite3_value *pVal, KvMessage *p, KvError *pError){
  KvBytes text = opArgsGiven(pVal) ? kvArgText(pVal) : kvBytesText("[]");
  KvErr err;
  u32 n = 0;
  i64 iMost = 0;
  if( text.p==0 ){
    kvErrorCode(pError, SQLITE_NOMEM);
  }else if( !opArgsGiven(pVal) ){
    kvBufAdd(&p->keys, text);
  }else if( kvQueueKeys(text, &p->keys, &n, &iMost, &err)!=KV_OK ){
    kvErrorCodec(pError, "keys_if_undelivered", &err);
  }
  opArgsField(&p->op.keys, &p->keys, pError);
  kvLimitCheck(pError, pConn->aLimit, KV_LIMIT_undelivered_keys, "keys_if_undelivered", n);
  kvLimitCheck(pError, pConn->aLimit, KV_LIMIT_key_bytes, "bytes of the key", iMost);
}

static void opArgsBackoff(KvConn *pConn, sqlite3_value *pVal, KvMessage *p, KvError *pError){
  KvBytes text = opArgsGiven(pVal) ? kvArgText(pVal) : kvBytesText(KV_BACKOFF_DEFAULT);
  KvErr err;
  u32 n = 0;
  i64 iMost = 0;
  if( text.p==0 ){
    kvErrorCode(pError, SQLITE_NOMEM);
  }else if( !opArgsGiven(pVal) ){
    kvBufAdd(&p->backoff, text);
  }else{
    KvScratch *pScratch = kvScratchTake(pConn);
    int rc = kvQueueBackoff(&pScratch->tree, text, &p->backoff, &n, &iMost, &err);
    kvScratchGive(pScratch);
    if( rc!=KV_OK ) kvErrorCodec(pError, "backoff_schedule", &err);
  }
  opArgsField(&p->op.backoff, &p->backoff, pError);
  kvLimitCheck(pError, pConn->aLimit, KV_LIMIT_backoff_steps, "steps of backoff_schedule", n);
  kvLimitCheck(pError, pConn->aLimit, KV_LIMIT_backoff_ms, "ms in backoff_schedule", iMost);
}

/* The stored bytes of a message, a value that is meant as eAs: always in V8's format,
** whatever its type. */
static int opArgsData(KvConn *pConn, sqlite3_value *pVal, int eAs, KvBuf *pOut, KvErr *pErr){
  KvScratch *pScratch = kvScratchTake(pConn);
  KvBuf *pBytes = &pScratch->out;
  int eEncoding, rc;
  if( kvArgIsRaw(pVal) ) eAs = KV_AS_RAW;
  if( eAs!=KV_AS_RAW ){
    rc = kvArgEncode(pConn, pVal, eAs|KV_AS_V8, &pScratch->tree, pBytes, &eEncoding, pErr);
  }else{
    rc = kvArgTree(pVal, KV_AS_RAW, &pScratch->tree, pErr);
    if( rc==KV_OK && kvArgBlob(pVal).p[0]==1 ){
      kvBufAdd(pBytes, kvBytesFrom(kvArgBlob(pVal), 1));
    }else if( rc==KV_OK ){
      rc = kvValueWrite(&pScratch->tree, pConn->iV8Version, 1, pBytes, &eEncoding, pErr);
    }
  }
  kvBufPut(pOut, 1);
  kvBufAdd(pOut, kvBufBytes(pBytes));
  if( pBytes->eErr!=KV_OK ) pOut->eErr = pBytes->eErr;
  kvScratchGive(pScratch);
  return rc;
}

static void opArgsMessage(KvConn *pConn, const KvOpArgs *pArgs, KvMessage *p, KvError *pError){
  KvErr err;
  if( pArgs->pValue==0 ){
    opArgsError(pError, "value: 'enqueue' needs a value");
    return;
  }
  if( pArgs->eAs==KV_AS_VALUE ) kvMarkCheck(pConn, pArgs->pValue, "value", pError);
  if( kvFailed(pError) ) return;
  if( opArgsData(pConn, pArgs->pValue, pArgs->eAs, &p->value, &err)!=KV_OK ){
    kvErrorCodec(pError, "value", &err);
  }
  opArgsField(&p->op.value, &p->value, pError);
  kvLimitCheck(pError, pConn->aLimit, KV_LIMIT_enqueue_bytes, "bytes of the message",
      (i64)p->value.n-1);
}

void kvMessageBuild(KvConn *pConn, const KvOpArgs *pArgs, KvMessage *p, KvError *pError){
  memset(p, 0, sizeof(*p));
  kvBufInit(&p->value, 0, 0);
  kvBufInit(&p->keys, 0, 0);
  kvBufInit(&p->backoff, 0, 0);
  p->op.eOp = KV_OP_ENQUEUE;
  opArgsMessage(pConn, pArgs, p, pError);
  opArgsDelay(pConn, pArgs->pDelay, p, pError);
  opArgsKeys(pConn, pArgs->pKeys, p, pError);
  opArgsBackoff(pConn, pArgs->pBackoff, p, pError);
}

void kvMessageClear(KvMessage *p){
  kvBufClear(&p->value);
  kvBufClear(&p->keys);
  kvBufClear(&p->backoff);
}

/* ---- ops of every kind -------------------------------------------------- */

int kvOpNamed(sqlite3_value *pName, KvError *pError){
  KvBytes name = kvArgText(pName);
  int eOp = name.p ? kvOpKind(name) : 0;
  if( name.p==0 && sqlite3_value_type(pName)!=SQLITE_NULL ) kvErrorCode(pError, SQLITE_NOMEM);
  if( eOp==0 ){
    kvError(pError, SQLITE_ERROR,
        "kv: unknown op '%!.100s'; the ops are check, set, delete, sum, min, max "
        "and enqueue", name.p ? (const char*)name.p : "NULL");
  }
  return eOp;
}

/* Nothing is given that goes with other kinds of ops only. */
static void opArgsFit(const KvOpArgs *p, KvError *pError){
  if( p->eOp!=KV_OP_SET && opArgsGiven(p->pExpireIn) ){
    opArgsError(pError, "expire_in: goes with 'set' only");
  }
  if( p->eOp!=KV_OP_SUM
   && (opArgsGiven(p->pMin) || opArgsGiven(p->pMax) || opArgsGiven(p->pClamp))
  ){
    opArgsError(pError, "min, max and clamp go with 'sum' only");
  }
  if( p->eOp!=KV_OP_ENQUEUE
   && (opArgsGiven(p->pDelay) || opArgsGiven(p->pKeys) || opArgsGiven(p->pBackoff))
  ){
    opArgsError(pError, "delay, keys_if_undelivered and backoff_schedule go with 'enqueue' only; "
        "what an entry takes is expire_in");
  }
  if( p->eOp!=KV_OP_SET && p->eOp!=KV_OP_ENQUEUE && p->eAs==KV_AS_RAW ){
    opArgsError(pError, "raw: goes with 'set' and 'enqueue' only");
  }
  if( p->eOp==KV_OP_ENQUEUE && opArgsGiven(p->pKey) ){
    opArgsError(pError, "key: 'enqueue' takes none");
  }
}

/* The parts of the op by its kind. */
static void opArgsFill(OpArgs *p){
  opArgsKey(p);
  if( kvFailed(p->pError) ) return;
  switch( p->op.eOp ){
    case KV_OP_CHECK:  opArgsCheck(p); break;
    case KV_OP_SET:    opArgsSet(p);   break;
    case KV_OP_DELETE:
      if( opArgsGiven(p->pArgs->pValue) ) opArgsError(p->pError, "value: 'delete' takes none");
      break;
    default:           opArgsNumber(p);
  }
}

void kvOpBuild(KvConn *pConn, const KvOpArgs *pArgs, KvBuf *pOut, KvError *pError){
  u8 aKey[256], aValue[512];
  OpArgs b;
  opArgsFit(pArgs, pError);
  if( kvFailed(pError) ) return;
  if( pArgs->eOp==KV_OP_ENQUEUE ){
    KvMessage msg;
    kvMessageBuild(pConn, pArgs, &msg, pError);
    if( !kvFailed(pError) ) kvOpWrite(pOut, &msg.op);
    kvMessageClear(&msg);
  }else{
    memset(&b, 0, sizeof(b));
    b.pConn = pConn;
    b.pArgs = pArgs;
    b.pError = pError;
    b.op.eOp = (u8)pArgs->eOp;
    kvBufInit(&b.key, aKey, sizeof(aKey));
    kvBufInit(&b.value, aValue, sizeof(aValue));
    opArgsFill(&b);
    if( !kvFailed(pError) ) kvOpWrite(pOut, &b.op);
    kvBufClear(&b.key);
    kvBufClear(&b.value);
    kvBufClear(&b.min);
    kvBufClear(&b.max);
  }
  kvErrorBuf(pError, pOut);
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

void kvOpArgCheck(KvConn *pConn, sqlite3_value *pVal, KvError *pError){
  KvOp op;
  KvScratch *pScratch = kvScratchTake(pConn);
  int rc = kvOpRead(&op, kvArgBlob(pVal), 0);
  if( rc==KV_OK ) rc = kvOpCheck(&op, &pScratch->tree, 0);
  kvScratchGive(pScratch);
  if( rc==KV_NOMEM ) kvErrorCode(pError, SQLITE_NOMEM);
  else if( rc!=KV_OK ) kvError(pError, SQLITE_ERROR, "kv: op: the BLOB is not a result of kv_op()");
}
