/*
** op_args.c -- from SQL arguments to the ops of an atomic operation.
*/
#include "sql/entries/op_args.h"
#include "sql/args.h"
#include "sql/mark.h"
#include "sql/subtype.h"
#include "codec/num/num.h"
#include "codec/queue_text.h"
#include "codec/stored.h"
#include "store/clock.h"
#include "store/limit.h"

static void opArgsError(KvError *pError, const char *zText){
  kvError(pError, SQLITE_ERROR, "kv: %s", zText);
}

/* What a buffer holds into a field, of which an absent one has p 0. */
static void opArgsField(KvBytes *pField, const KvBuf *p, KvError *pError){
  *pField = kvBytes(p->n ? p->a : (const u8*)"", p->n);
  kvErrorBuf(pError, p);
}

/* An argument, 0 if it is not there or NULL. */
static sqlite3_value *opArgsGiven(const KvOpArgs *p, int iArg){
  sqlite3_value *pVal = p->ap[iArg];
  return pVal && sqlite3_value_type(pVal)!=SQLITE_NULL ? pVal : 0;
}

static void opArgsKey(KvOpBuild *p){
  int bStamp = 0;
  if( p->pArgs->ap[KV_ARG_KEY]==0 ){
    opArgsError(p->pError, "key: this op needs a key");
    return;
  }
  kvArgWriteKey(p->pConn, p->pArgs->ap[KV_ARG_KEY], &p->key,
      p->op.eOp==KV_OP_SET ? &bStamp : 0, p->pError);
  if( bStamp ) p->op.mFlags |= KV_OP_STAMP;
  opArgsField(&p->op.key, &p->key, p->pError);
}

static void opArgsCheck(KvOpBuild *p){
  sqlite3_value *pVal = opArgsGiven(p->pArgs, KV_ARG_VALUE);
  KvBytes text = { 0, 0 };
  if( pVal==0 ) return;
  if( sqlite3_value_type(pVal)==SQLITE_TEXT ) text = kvArgName(pVal, p->pError);
  if( !kvVersionstampBytes(text, p->aStamp) ){
    opArgsError(p->pError, "versionstamp: must be 20 hexadecimal digits, or NULL if "
        "there must be no entry");
  }
  p->op.stamp = kvBytes(p->aStamp, sizeof(p->aStamp));
}

/* A value that is meant as eAs into a field: encoding, stored bytes. */
static void opArgsValue(KvOpBuild *p, sqlite3_value *pVal, int eAs, KvBuf *pBuf, KvBytes *pField){
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

/* The expiry of what a set or a sum makes. */
static void opArgsExpireIn(KvOpBuild *p){
  sqlite3_value *pExpireIn = opArgsGiven(p->pArgs, KV_ARG_EXPIRE_IN);
  i64 iNow = kvNow();
  if( pExpireIn==0 ) return;
  kvPut64be(p->aTime, (u64)(kvArgExpireIn(pExpireIn, iNow, p->pError) - iNow));
  p->op.expire = kvBytes(p->aTime, 8);
}

static void opArgsSet(KvOpBuild *p){
  sqlite3_value *pVal = p->pArgs->ap[KV_ARG_VALUE];
  if( pVal==0 ){
    opArgsError(p->pError, "value: 'set' needs a value");
    return;
  }
  opArgsValue(p, pVal, p->pArgs->eAs, &p->value, &p->op.value);
  opArgsExpireIn(p);
}

/* A whole number into a field, as it came: see codec/op.h. */
static void opArgsPlain(KvOpBuild *p, int ePlain, u64 uBits, KvBuf *pBuf, KvBytes *pField){
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
  KvOpBuild *p, sqlite3_value *pVal, const char *zWhat, KvBuf *pBuf, KvBytes *pField
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

static void opArgsNumber(KvOpBuild *p){
  const KvOpArgs *pArgs = p->pArgs;
  sqlite3_value *pMin = opArgsGiven(pArgs, KV_ARG_MIN), *pMax = opArgsGiven(pArgs, KV_ARG_MAX);
  sqlite3_value *pClamp = opArgsGiven(pArgs, KV_ARG_CLAMP);
  opArgsOperand(p, pArgs->ap[KV_ARG_VALUE], "n", &p->value, &p->op.value);
  if( pMin ) opArgsOperand(p, pMin, "min", &p->min, &p->op.min);
  if( pMax ) opArgsOperand(p, pMax, "max", &p->max, &p->op.max);
  if( pClamp ){
    int bClamp;
    if( !kvArgBool(pClamp, &bClamp) ){
      opArgsError(p->pError, "clamp: must be 0, 1, 'true' or 'false'");
    }
    else if( bClamp ) p->op.mFlags |= KV_OP_CLAMP;
  }
  opArgsExpireIn(p);
}

/* ---- messages --------------------------------------------------------- */

static void opArgsDelay(KvOpBuild *p){
  sqlite3_value *pVal = opArgsGiven(p->pArgs, KV_ARG_DELAY);
  double r = pVal ? sqlite3_value_double(pVal) : 0.0;
  if( pVal && ((sqlite3_value_type(pVal)!=SQLITE_INTEGER && sqlite3_value_type(pVal)!=SQLITE_FLOAT)
   || !(r>=0.0 && r<=9007199254740991.0))
  ){
    opArgsError(p->pError, "delay: must be a number of milliseconds, 0 or more");
    return;
  }
  kvPut64be(p->aTime, (u64)r);
  p->op.delay = kvBytes(p->aTime, 8);
  kvLimitCheck(p->pError, p->pConn->aLimit, KV_LIMIT_delay_ms, "delay of a message in ms", (i64)r);
}

/* One of the lists that go with a message into a field. */
static void opArgsList(KvOpBuild *p, int iArg, KvBuf *pBuf, KvBytes *pField){
  static const struct {
    const char *zName, *zDefault, *zCount, *zMost;
    int eCount, eMost;
  } aList[] = {
    { "keys_if_undelivered", "[]", "keys_if_undelivered", "bytes of the key",
      KV_LIMIT_undelivered_keys, KV_LIMIT_key_bytes },
    { "backoff_schedule", KV_BACKOFF_DEFAULT, "steps of backoff_schedule",
      "ms in backoff_schedule", KV_LIMIT_backoff_steps, KV_LIMIT_backoff_ms }
  };
  int i = iArg - KV_ARG_KEYS;
  sqlite3_value *pVal = opArgsGiven(p->pArgs, iArg);
  KvBytes text = pVal ? kvArgName(pVal, p->pError) : kvBytesText(aList[i].zDefault);
  KvErr err;
  u32 n = 0;
  i64 iMost = 0;
  if( pVal==0 ){
    kvBufAdd(pBuf, text);
  }else if( text.p ){
    KvScratch *pScratch = kvScratchTake(p->pConn);
    int rc = i ? kvQueueBackoff(&pScratch->tree, text, pBuf, &n, &iMost, &err)
               : kvQueueKeys(text, pBuf, &n, &iMost, &err);
    kvScratchGive(pScratch);
    if( rc!=KV_OK ) kvErrorCodec(p->pError, aList[i].zName, &err);
  }
  opArgsField(pField, pBuf, p->pError);
  kvLimitCheck(p->pError, p->pConn->aLimit, aList[i].eCount, aList[i].zCount, n);
  kvLimitCheck(p->pError, p->pConn->aLimit, aList[i].eMost, aList[i].zMost, iMost);
}

/* The stored bytes of a message, a value that is meant as eAs: always in V8's format,
** whatever its type. */
static int opArgsData(KvConn *pConn, sqlite3_value *pVal, int eAs, KvBuf *pOut, KvErr *pErr){
  KvScratch *pScratch = kvScratchTake(pConn);
  KvBuf *pBytes = &pScratch->out;
  int eEncoding, rc;
  if( kvArgIsRaw(pVal) ) eAs = KV_AS_RAW;
  rc = kvArgEncode(pConn, pVal, eAs|KV_AS_V8, &pScratch->tree, pBytes, &eEncoding, pErr);
  kvBufPut(pOut, 1);
  kvBufAdd(pOut, kvBufBytes(pBytes));
  if( pBytes->eErr!=KV_OK ) pOut->eErr = pBytes->eErr;
  kvScratchGive(pScratch);
  return rc;
}

static void opArgsMessage(KvOpBuild *p){
  sqlite3_value *pVal = p->pArgs->ap[KV_ARG_VALUE];
  KvErr err;
  if( pVal==0 ){
    opArgsError(p->pError, "value: 'enqueue' needs a value");
    return;
  }
  if( p->pArgs->eAs==KV_AS_VALUE ) kvMarkCheck(p->pConn, pVal, &kvForValue, p->pError);
  if( kvFailed(p->pError) ) return;
  if( opArgsData(p->pConn, pVal, p->pArgs->eAs, &p->value, &err)!=KV_OK ){
    kvErrorCodec(p->pError, "value", &err);
  }
  opArgsField(&p->op.value, &p->value, p->pError);
  kvLimitCheck(p->pError, p->pConn->aLimit, KV_LIMIT_enqueue_bytes, "bytes of the message",
      (i64)p->value.n-1);
  opArgsDelay(p);
  opArgsList(p, KV_ARG_KEYS, &p->keys, &p->op.keys);
  opArgsList(p, KV_ARG_BACKOFF, &p->backoff, &p->op.backoff);
}

/* ---- ops of every kind -------------------------------------------------- */

int kvOpNamed(sqlite3_value *pName, KvError *pError){
  KvBytes name = kvArgName(pName, pError);
  int eOp = name.p ? kvOpKind(name) : 0;
  if( eOp==0 ){
    kvError(pError, SQLITE_ERROR,
        "kv: unknown op '%!.100s'; the ops are check, set, delete, sum, min, max "
        "and enqueue", name.p ? (const char*)name.p : "NULL");
  }
  return eOp;
}

/* Nothing is given that goes with other kinds of ops only. */
static void opArgsFit(const KvOpArgs *p, KvError *pError){
  static const struct {
    int mArgs, mOps;      /* These go with these kinds */
    const char *zText;
  } aFit[] = {
    { 1<<KV_ARG_EXPIRE_IN, 1<<KV_OP_SET|1<<KV_OP_SUM, "expire_in: is for 'set' and 'sum' only" },
    { 1<<KV_ARG_MIN|1<<KV_ARG_MAX|1<<KV_ARG_CLAMP, 1<<KV_OP_SUM,
      "min, max and clamp are for 'sum' only" },
    { 1<<KV_ARG_DELAY|1<<KV_ARG_KEYS|1<<KV_ARG_BACKOFF, 1<<KV_OP_ENQUEUE,
      "delay, keys_if_undelivered and backoff_schedule are for 'enqueue' only; for an "
      "entry use expire_in" },
    { 1<<KV_ARG_KEY, ~(1<<KV_OP_ENQUEUE), "key: 'enqueue' takes none" }
  };
  int i, mGiven = 0;
  for(i=0; i<KV_ARG_COUNT; i++){
    if( p->ap[i] && sqlite3_value_type(p->ap[i])!=SQLITE_NULL ) mGiven |= 1<<i;
  }
  mGiven &= ~(1<<KV_ARG_VALUE);
  if( mGiven==1<<KV_ARG_KEY && p->eOp!=KV_OP_ENQUEUE ) mGiven = 0;         /* as usual */
  for(i=0; mGiven && i<(int)KV_COUNT(aFit); i++){
    if( (mGiven & aFit[i].mArgs)==0 || (aFit[i].mOps & 1<<p->eOp) ) continue;
    opArgsError(pError, aFit[i].zText);
  }
  if( p->eOp!=KV_OP_SET && p->eOp!=KV_OP_ENQUEUE && p->eAs==KV_AS_RAW ){
    opArgsError(pError, "raw: is for 'set' and 'enqueue' only");
  }
}

void kvOpBuild(KvOpBuild *p, KvConn *pConn, const KvOpArgs *pArgs, KvError *pError){
  memset(p, 0, offsetof(KvOpBuild, aKey));
  p->pConn = pConn;
  p->pArgs = pArgs;
  p->pError = pError;
  p->op.eOp = (u8)pArgs->eOp;
  kvBufInit(&p->key, p->aKey, sizeof(p->aKey));
  kvBufInit(&p->value, p->aValue, sizeof(p->aValue));
  opArgsFit(pArgs, pError);
  if( !kvFailed(pError) && p->op.eOp!=KV_OP_ENQUEUE ) opArgsKey(p);
  if( kvFailed(pError) ) return;
  switch( p->op.eOp ){
    case KV_OP_CHECK:   opArgsCheck(p);   break;
    case KV_OP_SET:     opArgsSet(p);     break;
    case KV_OP_ENQUEUE: opArgsMessage(p); break;
    case KV_OP_DELETE:
      if( opArgsGiven(pArgs, KV_ARG_VALUE) ) opArgsError(pError, "value: 'delete' takes none");
      break;
    default:            opArgsNumber(p);
  }
}

void kvOpBuildClear(KvOpBuild *p){
  kvBufClear(&p->key);
  kvBufClear(&p->value);
  kvBufClear(&p->min);
  kvBufClear(&p->max);
  kvBufClear(&p->keys);
  kvBufClear(&p->backoff);
}

void kvOpBytes(KvConn *pConn, const KvOpArgs *pArgs, KvBuf *pOut, KvError *pError){
  KvOpBuild b;
  kvOpBuild(&b, pConn, pArgs, pError);
  if( !kvFailed(pError) ) kvOpWrite(pOut, &b.op);
  kvOpBuildClear(&b);
  kvErrorBuf(pError, pOut);
}

void kvOpArgs(KvOpArgs *p, int eOp, int nArg, sqlite3_value **apArg){
  static const u8 aSet[5] = { KV_ARG_KEY, KV_ARG_VALUE, KV_ARG_EXPIRE_IN };
  static const u8 aMessage[5] = { KV_ARG_VALUE, KV_ARG_DELAY, KV_ARG_KEYS, KV_ARG_BACKOFF };
  static const u8 aOther[5] = { KV_ARG_KEY, KV_ARG_VALUE, KV_ARG_MIN, KV_ARG_MAX, KV_ARG_CLAMP };
  const u8 *aOrder = eOp==KV_OP_SET ? aSet : eOp==KV_OP_ENQUEUE ? aMessage : aOther;
  int i;
  memset(p, 0, sizeof(*p));
  p->eOp = eOp;
  for(i=0; i<nArg && i<5; i++) p->ap[aOrder[i]] = apArg[i];
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
