/*
** kv_codec.c -- the codecs for C programs: kv_codec.h.
**
** A thin face: it checks lengths, calls the codecs and hands the buffers over.
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

/* Results are made here first, so that most need one allocation. */
#define CODEC_ROOM 512

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

/* Hand an error over. */
static int codecError(kv_error *pOut, int eCode, i64 iPos, const char *zMsg){
  if( pOut ){
    pOut->code = eCode;
    pOut->offset = iPos;
    pOut->message = zMsg ? zMsg : "";
  }
  return eCode;
}

static int codecFail(kv_error *pOut, const KvErr *pErr){
  return codecError(pOut, pErr->eCode, pErr->iPos, pErr->zMsg);
}

/* Check the length of an input. */
static int codecInput(size_t n, kv_error *pOut){
  if( n<=KV_MAX_BUF ) return KV_OK;
  return codecError(pOut, KV_TOOBIG, -1, "the input is too big");
}

/* The buffer's bytes are the result: *pp and *pn receive them, with a zero
** behind them.  The buffer is empty afterwards. */
static int codecGive(KvBuf *pBuf, u8 **pp, size_t *pn, kv_error *pOut){
  u32 n = pBuf->n;
  u8 *a = kvBufDetach(pBuf);
  if( a==0 ){
    int rc = pBuf->eErr;
    kvBufClear(pBuf);
    return codecError(pOut, rc, -1, rc==KV_NOMEM ? "out of memory" : "the result is too big");
  }
  *pp = a;
  *pn = n;
  return codecError(pOut, KV_OK, -1, 0);
}

/* The same if rc is KV_OK, else the error of *pErr. */
static int codecFinish(int rc, KvBuf *pBuf, u8 **pp, size_t *pn, const KvErr *pErr, kv_error *pOut){
  if( rc==KV_OK ) return codecGive(pBuf, pp, pn, pOut);
  kvBufClear(pBuf);
  return codecFail(pOut, pErr);
}

/* ----------------------------------------------------------------- keys */

int kv_key_from_text(
  const char *text, size_t n, unsigned char **key, size_t *nkey, kv_error *err
){
  KvErr e = { KV_OK, -1, 0, "" };
  u8 aRoom[CODEC_ROOM];
  KvBuf buf;
  int rc;
  *key = 0;
  *nkey = 0;
  if( codecInput(n, err)!=KV_OK ) return KV_TOOBIG;
  kvBufInit(&buf, aRoom, sizeof(aRoom));
  rc = kvKeyParse(kvBytes(text, (u32)n), 0, &buf, 0, &e);
  return codecFinish(rc, &buf, key, nkey, &e, err);
}

int kv_key_to_text(
  const unsigned char *key, size_t n, char **text, size_t *ntext, kv_error *err
){
  KvErr e = { KV_OK, -1, 0, "" };
  u8 aRoom[CODEC_ROOM];
  KvBuf buf;
  int rc;
  u8 *a = 0;
  *text = 0;
  *ntext = 0;
  if( codecInput(n, err)!=KV_OK ) return KV_TOOBIG;
  kvBufInit(&buf, aRoom, sizeof(aRoom));
  rc = kvKeyPrint(&buf, kvBytes(key, (u32)n), &e);
  rc = codecFinish(rc, &buf, &a, ntext, &e, err);
  *text = (char*)a;
  return rc;
}

struct kv_key {
  KvBuf buf;
};

kv_key *kv_key_new(void){
  kv_key *p = kvRealloc(0, sizeof(*p));
  if( p ) kvBufInit(&p->buf, 0, 0);
  return p;
}

/* True if n more bytes may be given to the key. */
static int codecKeyOpen(kv_key *p, size_t n){
  if( p==0 ) return 0;
  if( n>KV_MAX_BUF && p->buf.eErr==KV_OK ) p->buf.eErr = KV_TOOBIG;
  return p->buf.eErr==KV_OK;
}

void kv_key_add_string(kv_key *p, const char *text, size_t n){
  KvBuf clean;
  if( !codecKeyOpen(p, n) ) return;
  kvBufInit(&clean, 0, 0);
  kvUtfAppendClean(&clean, kvBytes(text, (u32)n));
  if( clean.eErr!=KV_OK ) p->buf.eErr = clean.eErr;
  kvKeyPutString(&p->buf, kvBufBytes(&clean));
  kvBufClear(&clean);
}

void kv_key_add_bytes(kv_key *p, const void *data, size_t n){
  if( codecKeyOpen(p, n) ) kvKeyPutBytes(&p->buf, kvBytes(data, (u32)n));
}

void kv_key_add_number(kv_key *p, double number){
  if( codecKeyOpen(p, 0) ) kvKeyPutNumber(&p->buf, number);
}

void kv_key_add_bigint(kv_key *p, long long integer){
  if( !codecKeyOpen(p, 0) ) return;
  kvKeyPutBigint64(&p->buf, integer<0, integer<0 ? 0 - (u64)integer : (u64)integer);
}

void kv_key_add_bool(kv_key *p, int boolean){
  if( codecKeyOpen(p, 0) ) kvKeyPutBool(&p->buf, boolean!=0);
}

int kv_key_finish(kv_key *p, unsigned char **key, size_t *nkey, kv_error *err){
  int rc;
  *key = 0;
  *nkey = 0;
  if( p==0 ) return codecError(err, KV_NOMEM, -1, "out of memory");
  rc = codecGive(&p->buf, key, nkey, err);
  kvFree(p);
  return rc;
}

/* The digits of a bigint part. */
static void codecPartDigits(KvBuf *pBuf, const KvPart *pPart){
  kvPartPrint(pBuf, pPart);
  if( pBuf->n>0 ) pBuf->n--;           /* the "n" behind them */
}

int kv_key_part(
  const unsigned char *key, size_t n, size_t *pos, kv_part *part, kv_error *err
){
  KvErr e = { KV_OK, -1, 0, "" };
  KvPart p;
  KvBuf buf;
  u8 *a = 0;
  u32 i;
  int rc = KV_OK;
  memset(part, 0, sizeof(*part));
  if( codecInput(n, err)!=KV_OK ) return KV_TOOBIG;
  if( *pos>=n ) return codecError(err, KV_CORRUPT, (i64)n, "there is no part at the end");
  i = (u32)*pos;
  if( kvPartRead(kvBytes(key, (u32)n), &i, &p, &e)!=KV_OK ) return codecFail(err, &e);
  kvBufInit(&buf, 0, 0);
  switch( p.eType ){
    case KVP_BYTES:
    case KVP_STRING:
      kvPartContent(&buf, &p);
      rc = codecGive(&buf, &a, &part->n, err);
      break;
    case KVP_BIGINT: {
      i64 v = 0;
      codecPartDigits(&buf, &p);
      rc = codecGive(&buf, &a, &part->n, err);
      part->fits = kvPartInt64(&p, &v);
      part->integer = part->fits ? v : 0;
      break;
    }
    default:
      part->number = p.r;
      codecError(err, KV_OK, -1, 0);
      break;
  }
  part->data = (char*)a;
  if( rc!=KV_OK ) return rc;
  part->type = p.eType;
  *pos = i;
  return KV_OK;
}

/* --------------------------------------------------------------- values */

/* Write the tree's root as the result of a call, and clear the tree. */
static int codecWrite(
  int rc, KvTree *pTree, int *encoding, u8 **v, size_t *nv, KvErr *pErr, kv_error *err
){
  u8 aRoom[CODEC_ROOM];
  KvBuf buf;
  int eEncoding = 0;
  kvBufInit(&buf, aRoom, sizeof(aRoom));
  if( rc==KV_OK ) rc = kvValueWrite(pTree, CODEC_V8_VERSION, 0, &buf, &eEncoding, pErr);
  kvTreeClear(pTree);
  rc = codecFinish(rc, &buf, v, nv, pErr, err);
  *encoding = rc==KV_OK ? eEncoding : 0;
  return rc;
}

/* The value of JSON text, or of JS text. */
static int codecFromText(
  int bJson, const char *text, size_t n,
  int *encoding, u8 **v, size_t *nv, kv_error *err
){
  KvErr e = { KV_OK, -1, 0, "" };
  u8 aRoom[CODEC_ROOM];
  KvBuf buf;
  KvTree tree;
  int rc;
  *encoding = 0;
  *v = 0;
  *nv = 0;
  if( codecInput(n, err)!=KV_OK ) return KV_TOOBIG;
  kvBufInit(&buf, aRoom, sizeof(aRoom));
  if( kvTextToV8(kvBytes(text, (u32)n), bJson, CODEC_V8_VERSION, &buf) ){
    rc = codecGive(&buf, v, nv, err);
    if( rc==KV_OK ) *encoding = 1;
    return rc;
  }
  kvBufClear(&buf);
  kvTreeInit(&tree);
  rc = bJson ? kvJsonParse(&tree, kvBytes(text, (u32)n), &e) : kvJsParse(&tree, kvBytes(text, (u32)n), &e);
  return codecWrite(rc, &tree, encoding, v, nv, &e, err);
}

int kv_value_from_js(
  const char *text, size_t n,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
){
  return codecFromText(0, text, n, encoding, v, nv, err);
}

int kv_value_from_json(
  const char *text, size_t n,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
){
  return codecFromText(1, text, n, encoding, v, nv, err);
}

/* The value of a tree of one node. */
static int codecFromNode(
  const KvNode *pNode, int *encoding, u8 **v, size_t *nv, kv_error *err
){
  KvErr e = { KV_NOMEM, -1, "out of memory", "" };
  KvTree tree;
  u32 i;
  *encoding = 0;
  *v = 0;
  *nv = 0;
  kvTreeInit(&tree);
  i = kvTreeAdd(&tree, pNode->eKind);
  if( i!=KV_NO_NODE ) tree.aNode[i] = *pNode;
  return codecWrite(i==KV_NO_NODE ? KV_NOMEM : KV_OK, &tree, encoding, v, nv, &e, err);
}

int kv_value_from_string(
  const char *text, size_t n,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
){
  KvNode node;
  KvBuf clean;
  int rc;
  *encoding = 0;
  *v = 0;
  *nv = 0;
  if( codecInput(n, err)!=KV_OK ) return KV_TOOBIG;
  kvBufInit(&clean, 0, 0);
  kvUtfAppendClean(&clean, kvBytes(text, (u32)n));
  if( clean.eErr!=KV_OK ){
    rc = clean.eErr;
    kvBufClear(&clean);
    return codecError(err, rc, -1, rc==KV_NOMEM ? "out of memory" : "the value is too big");
  }
  memset(&node, 0, sizeof(node));
  node.eKind = KV_STRING;
  node.eSub = KV_WTF8;
  node.n = clean.n;
  node.u.p = clean.a;
  rc = codecFromNode(&node, encoding, v, nv, err);
  kvBufClear(&clean);
  return rc;
}

int kv_value_from_number(
  double number, int *encoding, unsigned char **v, size_t *nv, kv_error *err
){
  KvNode node;
  memset(&node, 0, sizeof(node));
  node.eKind = KV_NUMBER;
  node.u.r = number;
  return codecFromNode(&node, encoding, v, nv, err);
}

int kv_value_from_u64(
  unsigned long long integer,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
){
  KvNode node;
  memset(&node, 0, sizeof(node));
  node.eKind = KV_U64;
  node.u.u = integer;
  return codecFromNode(&node, encoding, v, nv, err);
}

/* The stored form of a Uint8Array is its bytes. */
int kv_value_from_bytes(
  const void *data, size_t n,
  int *encoding, unsigned char **v, size_t *nv, kv_error *err
){
  KvBuf buf;
  int rc;
  *encoding = 0;
  *v = 0;
  *nv = 0;
  if( codecInput(n, err)!=KV_OK ) return KV_TOOBIG;
  kvBufInit(&buf, 0, 0);
  kvBufAppend(&buf, data, n);
  rc = codecGive(&buf, v, nv, err);
  if( rc==KV_OK ) *encoding = 3;
  return rc;
}

/* Read a stored value into a new tree, which the caller clears. */
static int codecRead(
  KvTree *pTree, int encoding, const u8 *v, size_t nv, KvErr *pErr
){
  kvTreeInit(pTree);
  if( nv>KV_MAX_BUF ) return kvErrSet(pErr, KV_TOOBIG, -1, "the input is too big");
  return kvValueRead(pTree, encoding, kvBytes(v, (u32)nv), pErr);
}

/* The text of a stored value, JS or JSON. */
static int codecToText(
  int bJs, int encoding, const u8 *v, size_t nv, int nIndent,
  char **text, size_t *ntext, kv_error *err
){
  KvErr e = { KV_OK, -1, 0, "" };
  u8 aRoom[CODEC_ROOM];
  KvTree tree;
  KvBuf buf;
  u8 *a = 0;
  int rc;
  *ntext = 0;
  kvBufInit(&buf, aRoom, sizeof(aRoom));
  if( encoding==1 && nIndent==0 && nv<=KV_MAX_BUF && kvV8ToText(kvBytes(v, (u32)nv), bJs, &buf) ){
    rc = codecGive(&buf, &a, ntext, err);
  }else{
    rc = codecRead(&tree, encoding, v, nv, &e);
    if( rc==KV_OK ) rc = bJs ? kvJsPrint(&tree, nIndent, &buf, &e) : kvJsonPrint(&tree, 0, &buf, &e);
    kvTreeClear(&tree);
    rc = codecFinish(rc, &buf, &a, ntext, &e, err);
  }
  *text = (char*)a;
  return rc;
}

int kv_value_to_js(
  int encoding, const unsigned char *v, size_t nv, int indent,
  char **text, size_t *ntext, kv_error *err
){
  int nIndent = indent<0 ? 0 : indent>16 ? 16 : indent;
  return codecToText(1, encoding, v, nv, nIndent, text, ntext, err);
}

int kv_value_to_json(
  int encoding, const unsigned char *v, size_t nv,
  char **text, size_t *ntext, kv_error *err
){
  return codecToText(0, encoding, v, nv, 0, text, ntext, err);
}

int kv_value_type(
  int encoding, const unsigned char *v, size_t nv, char name[KV_TYPE_BYTES],
  kv_error *err
){
  KvErr e = { KV_OK, -1, 0, "" };
  KvTree tree;
  char zBuf[64];
  int rc = codecRead(&tree, encoding, v, nv, &e);
  name[0] = 0;
  if( rc==KV_OK ){
    const char *z = kvTypeName(&tree, 0, zBuf);
    size_t n = strlen(z);
    if( n>=KV_TYPE_BYTES ) n = KV_TYPE_BYTES-1;
    memcpy(name, z, n);
    name[n] = 0;
    codecError(err, KV_OK, -1, 0);
  }else{
    codecFail(err, &e);
  }
  kvTreeClear(&tree);
  return rc;
}
