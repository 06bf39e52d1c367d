/*
** kv_codec.c -- the codecs for C programs: kv_codec.h.
**
** A thin layer: it checks lengths, calls the codecs and hands the buffers over.
*/
#include "codec/kv_codec.h"
#include "codec/js/js_parse.h"
#include "codec/js/js_print.h"
#include "codec/json/json_print.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "codec/key/key_parse.h"
#include "codec/names.h"
#include "codec/stored.h"
#include "codec/v8/text_to_v8.h"
#include "codec/v8/v8_to_text.h"

/* They aren't part of a library that is loaded, which has no use for them. */
#if defined(KV_STANDALONE) || defined(SQLITE_CORE)

/* The header version of the values written: every Deno reads it. */
#define CODEC_V8_VERSION 15

#if KV_CODEC_OK!=KV_OK || KV_CODEC_NOMEM!=KV_NOMEM || KV_CODEC_TOOBIG!=KV_TOOBIG \
 || KV_CODEC_SYNTAX!=KV_SYNTAX || KV_CODEC_CORRUPT!=KV_CORRUPT \
 || KV_CODEC_REFUSED!=KV_REFUSED
# error "the public error codes are not the internal ones"
#endif

void kv_free(void *p){
  kvFree(p);
}

/* A call: what it needs, and its result. */
typedef struct Codec Codec;
struct Codec {
  KvErr err;
  KvTree tree;            /* A value */
  int eEncoding;          /* ... and its encoding */
  KvBuf buf;              /* The result is made here: most need one allocation */
  u8 aSpace[512];
};

/* Begin a call with an input of n bytes. */
static int codecBegin(Codec *p, size_t n){
  memset(p, 0, offsetof(Codec, aSpace));
  kvErrSet(&p->err, KV_OK, -1, 0);
  kvTreeInit(&p->tree);
  kvBufInit(&p->buf, p->aSpace, sizeof(p->aSpace));
  return n<=KV_MAX_BUF ? KV_OK : kvErrSet(&p->err, KV_TOOBIG, -1, "the input is too big");
}

/* Hand the outcome of a call over. */
static int codecError(kv_error *pOut, int rc, const KvErr *pErr){
  if( pOut ){
    pOut->code = rc;
    pOut->offset = rc==KV_OK ? -1 : pErr->iPos;
    pOut->message = rc==KV_OK || pErr->zMsg==0 ? "" : pErr->zMsg;
  }
  return rc;
}

/*
** The call is done: if rc is KV_OK, what the buffer holds is its result, which
** goes with a zero after it to the char* or unsigned char* at ppOut (0 after an
** error).
*/
static int codecEnd(Codec *p, int rc, void *ppOut, size_t *pn, kv_error *pOut){
  u32 n = p->buf.n;
  u8 *a = rc==KV_OK ? kvBufDetach(&p->buf) : 0;
  if( rc==KV_OK ) rc = kvErrMemory(&p->err, p->buf.eErr);
  kvTreeClear(&p->tree);
  kvBufClear(&p->buf);
  memcpy(ppOut, &a, sizeof(a));
  *pn = a ? n : 0;
  return codecError(pOut, rc, &p->err);
}

/* ----------------------------------------------------------------- keys */

int kv_key_from_text(
  const char *text, size_t n, unsigned char **key, size_t *nkey, kv_error *err
){
  Codec c;
  int rc = codecBegin(&c, n);
  if( rc==KV_OK ) rc = kvKeyParse(kvBytes(text, (u32)n), 0, &c.buf, 0, &c.err);
  return codecEnd(&c, rc, key, nkey, err);
}

int kv_key_to_text(
  const unsigned char *key, size_t n, char **text, size_t *ntext, kv_error *err
){
  Codec c;
  int rc = codecBegin(&c, n);
  if( rc==KV_OK ) rc = kvKeyPrint(&c.buf, kvBytes(key, (u32)n), &c.err);
  return codecEnd(&c, rc, text, ntext, err);
}

struct kv_key {
  Codec call;
};

kv_key *kv_key_new(void){
  kv_key *p = kvRealloc(0, sizeof(*p));
  if( p ) codecBegin(&p->call, 0);
  return p;
}

/* The buffer to which a part made of n bytes may be added, or 0. */
static KvBuf *codecKeyBuf(kv_key *p, size_t n){
  if( p==0 ) return 0;
  if( n>KV_MAX_BUF && p->call.buf.eErr==KV_OK ) p->call.buf.eErr = KV_TOOBIG;
  return p->call.buf.eErr==KV_OK ? &p->call.buf : 0;
}

void kv_key_add_string(kv_key *p, const char *text, size_t n){
  KvBuf *pBuf = codecKeyBuf(p, n);
  if( pBuf ) kvKeyPutText(pBuf, kvBytes(text, (u32)n));
}

void kv_key_add_bytes(kv_key *p, const void *data, size_t n){
  KvBuf *pBuf = codecKeyBuf(p, n);
  if( pBuf ) kvKeyPutBytes(pBuf, kvBytes(data, (u32)n));
}

void kv_key_add_number(kv_key *p, double number){
  KvBuf *pBuf = codecKeyBuf(p, 0);
  if( pBuf ) kvKeyPutNumber(pBuf, number);
}

void kv_key_add_bigint(kv_key *p, long long integer){
  KvBuf *pBuf = codecKeyBuf(p, 0);
  u64 v = integer<0 ? 0 - (u64)integer : (u64)integer;
  if( pBuf ) kvKeyPutBigint64(pBuf, integer<0, v);
}

void kv_key_add_bool(kv_key *p, int boolean){
  KvBuf *pBuf = codecKeyBuf(p, 0);
  if( pBuf ) kvKeyPutBool(pBuf, boolean!=0);
}

int kv_key_finish(kv_key *p, unsigned char **key, size_t *nkey, kv_error *err){
  KvErr e;
  int rc;
  *key = 0;
  *nkey = 0;
  if( p==0 ) return codecError(err, kvErrMemory(&e, KV_NOMEM), &e);
  rc = codecEnd(&p->call, KV_OK, key, nkey, err);
  kvFree(p);
  return rc;
}

int kv_key_part(
  const unsigned char *key, size_t n, size_t *pos, kv_part *part, kv_error *err
){
  Codec c;
  KvPart p = { 0 };
  i64 v = 0;
  u32 i = 0;
  int rc = codecBegin(&c, n);
  memset(part, 0, sizeof(*part));
  if( rc==KV_OK && *pos>=n ){
    rc = kvErrSet(&c.err, KV_CORRUPT, (i64)n, "no part at the end");
  }
  if( rc==KV_OK ){
    i = (u32)*pos;
    rc = kvPartRead(kvBytes(key, (u32)n), &i, &p, &c.err);
  }
  if( rc!=KV_OK ) return codecError(err, rc, &c.err);
  if( p.eType==KVP_BYTES || p.eType==KVP_STRING ){
    kvPartContent(&c.buf, &p);
  }else if( p.eType==KVP_BIGINT ){
    kvPartPrint(&c.buf, &p);
    if( c.buf.n>0 ) c.buf.n--;         /* the "n" after the digits */
    part->fits = kvPartInt64(&p, &v);
    part->integer = part->fits ? v : 0;
  }else{
    part->number = p.r;
  }
  if( p.eType<KVP_NUMBER ) rc = codecEnd(&c, rc, &part->data, &part->n, err);
  else rc = codecError(err, rc, &c.err);
  if( rc!=KV_OK ) return rc;
  part->type = p.eType;
  *pos = i;
  return KV_OK;
}

/* --------------------------------------------------------------- values */

/* The call is done: its result is a stored value. */
static int codecEndValue(Codec *p, int rc, int *encoding, u8 **v, size_t *nv, kv_error *err){
  rc = codecEnd(p, rc, v, nv, err);
  *encoding = rc==KV_OK ? p->eEncoding : 0;
  return rc;
}

/* Write the tree's root. */
static int codecWrite(Codec *p){
  return kvValueWrite(&p->tree, CODEC_V8_VERSION, 0, &p->buf, &p->eEncoding, &p->err);
}

/* Write a value that is one node. */
static int codecWriteNode(Codec *p, KvNode node){
  u32 i = kvTreeAdd(&p->tree, node.eKind);
  if( i==KV_NO_NODE ) return kvErrMemory(&p->err, KV_NOMEM);
  p->tree.aNode[i] = node;
  return codecWrite(p);
}

/* The value of JSON text, or of JS text. */
static int codecFromText(
  KvBytes text, size_t n, int bJson, int *encoding, u8 **v, size_t *nv, kv_error *err
){
  Codec c;
  int rc = codecBegin(&c, n);
  c.eEncoding = 1;
  if( rc==KV_OK && !kvTextToV8(text, bJson, CODEC_V8_VERSION, &c.buf) ){
    kvBufReset(&c.buf);
    rc = bJson ? kvJsonParse(&c.tree, text, &c.err) : kvJsParse(&c.tree, text, &c.err);
    if( rc==KV_OK ) rc = codecWrite(&c);
  }
  return codecEndValue(&c, rc, encoding, v, nv, err);
}

int kv_value_from_js(
  const char *text, size_t n,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
){
  return codecFromText(kvBytes(text, (u32)n), n, 0, encoding, v, nv, err);
}

int kv_value_from_json(
  const char *text, size_t n,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
){
  return codecFromText(kvBytes(text, (u32)n), n, 1, encoding, v, nv, err);
}

int kv_value_from_string(
  const char *text, size_t n,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
){
  Codec c;
  KvBuf clean;
  int rc = codecBegin(&c, n);
  kvBufInit(&clean, 0, 0);
  if( rc==KV_OK ) kvUtfAppendClean(&clean, kvBytes(text, (u32)n));
  if( rc==KV_OK ) rc = kvErrMemory(&c.err, clean.eErr);
  if( rc==KV_OK ){
    const KvNode node = { .eKind = KV_STRING, .eSub = KV_WTF8, .n = clean.n, .u.p = clean.a };
    rc = codecWriteNode(&c, node);
  }
  kvBufClear(&clean);
  return codecEndValue(&c, rc, encoding, v, nv, err);
}

int kv_value_from_number(
  double number, int *encoding, unsigned char **v, size_t *nv, kv_error *err
){
  Codec c;
  const KvNode node = { .eKind = KV_NUMBER, .u.r = number };
  codecBegin(&c, 0);
  return codecEndValue(&c, codecWriteNode(&c, node), encoding, v, nv, err);
}

int kv_value_from_u64(
  unsigned long long integer,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
){
  Codec c;
  const KvNode node = { .eKind = KV_U64, .u.u = integer };
  codecBegin(&c, 0);
  return codecEndValue(&c, codecWriteNode(&c, node), encoding, v, nv, err);
}

/* The stored form of a Uint8Array is its bytes. */
int kv_value_from_bytes(
  const void *data, size_t n,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
){
  Codec c;
  int rc = codecBegin(&c, n);
  c.eEncoding = 3;
  if( rc==KV_OK ) kvBufAppend(&c.buf, data, n);
  return codecEndValue(&c, rc, encoding, v, nv, err);
}

/* The text of a stored value, JS or JSON. */
static int codecToText(
  int bJs, int nIndent, int encoding, KvBytes value, Codec *p
){
  int rc;
  if( encoding==1 && nIndent==0 && kvV8ToText(value, bJs, &p->buf) ) return KV_OK;
  kvBufReset(&p->buf);
  rc = kvValueRead(&p->tree, encoding, value, &p->err);
  if( rc!=KV_OK ) return rc;
  return bJs ? kvJsPrint(&p->tree, nIndent, &p->buf, &p->err)
             : kvJsonPrint(&p->tree, 0, &p->buf, &p->err);
}

int kv_value_to_js(
  int encoding, const unsigned char *v, size_t nv, int indent,
  char **text, size_t *ntext, kv_error *err
){
  int nIndent = indent<0 ? 0 : indent>16 ? 16 : indent;
  Codec c;
  int rc = codecBegin(&c, nv);
  if( rc==KV_OK ) rc = codecToText(1, nIndent, encoding, kvBytes(v, (u32)nv), &c);
  return codecEnd(&c, rc, text, ntext, err);
}

int kv_value_to_json(
  int encoding, const unsigned char *v, size_t nv,
  char **text, size_t *ntext, kv_error *err
){
  Codec c;
  int rc = codecBegin(&c, nv);
  if( rc==KV_OK ) rc = codecToText(0, 0, encoding, kvBytes(v, (u32)nv), &c);
  return codecEnd(&c, rc, text, ntext, err);
}

int kv_value_type(
  int encoding, const unsigned char *v, size_t nv, char name[KV_TYPE_BYTES],
  kv_error *err
){
  Codec c;
  char zBuf[KV_TYPE_BYTES];
  int rc = codecBegin(&c, nv);
  name[0] = 0;
  if( rc==KV_OK ) rc = kvValueRead(&c.tree, encoding, kvBytes(v, (u32)nv), &c.err);
  if( rc==KV_OK ){
    const char *z = kvTypeName(&c.tree, 0, zBuf);
    size_t n = strlen(z);
    if( n>=KV_TYPE_BYTES ) n = KV_TYPE_BYTES-1;
    memcpy(name, z, n);
    name[n] = 0;
  }
  kvTreeClear(&c.tree);
  return codecError(err, rc, &c.err);
}

#endif /* KV_STANDALONE or SQLITE_CORE */
