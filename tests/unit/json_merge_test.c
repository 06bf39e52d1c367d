/*
** json_merge_test.c -- new JSON for stored values: literal cases, and that the
** JSON of any value gives that value back.
**
** usage: json_merge_test [seed [vectors]]
**        vectors: tests/vectors/v8-vectors.jsonl
*/
#include "unit/js_help.h"
#include "codec/json_merge.h"

/* What becomes of the stored value zOld with the new JSON: JS text, or "path:
** what was wrong". */
static char zResult[20000];
static const char *merged(KvTree *pOld, const char *zJson, size_t n){
  KvTree new;
  KvBuf path, text;
  KvErr err;
  u32 iPart;
  int rc;
  kvTreeInit(&new);
  kvBufInit(&path, 0, 0);
  kvBufInit(&text, 0, 0);
  err.zMsg = "";
  rc = kvJsonMerge(pOld, zJson, (u32)n, &new, &iPart, &path, &err);
  kvBufTerminate(&path);
  if( rc==KV_OK ){
    checkTree(&new, zJson);
    kvJsPrint(&new, 0, &text, &err);
    kvBufTerminate(&text);
    snprintf(zResult, sizeof(zResult), "%s", (char*)text.a);
  }else{
    char zType[64];
    if( rc==KV_REFUSED ) snprintf(zResult, sizeof(zResult), "%s: %s %s", (char*)path.a,
                                  kvTypeName(pOld, iPart, zType), err.zMsg);
    else snprintf(zResult, sizeof(zResult), "error %d: %s", rc, err.zMsg);
  }
  kvTreeClear(&new);
  kvBufClear(&path);
  kvBufClear(&text);
  return zResult;
}

/* zWant ends with "..." where the rest doesn't matter. */
static void check(int iLine, const char *zOld, const char *zJson, const char *zWant){
  KvErr err;
  const char *z, *zDots = strstr(zWant, " ...");
  size_t n = zDots ? (size_t)(zDots - zWant) : strlen(zWant)+1;
  if( parse(zOld, &err)!=KV_OK ){
    checkOf(0, iLine, err.zMsg, zOld);
    return;
  }
  z = merged(&tree, zJson, strlen(zJson));
  if( !checkOf(strncmp(z, zWant, n)==0, iLine, zWant, zOld) ) printf("  json: %s\n  gives: %s\n", zJson, z);
}
#define T(OLD,JSON,WANT) check(__LINE__, OLD, JSON, WANT)
#define NOT_ONE " and the new JSON is not one"
#define UNCLEAR " and the new JSON doesn't tell what became of it ..."
#define TWICE " and the new JSON has a key or an element of it twice"
#define SEVERAL " and is one of several parts ..."

int main(int argc, char **argv){
  helpInit(argc, argv);
  /* the table at the head of json_merge.c */
  T("{a:1n, b:2}", "{\"b\":\"x\",\"a\":5}", "{\"b\":\"x\",\"a\":5n}");
  T("{a:1n}", "{\"a\":\"x\"}", "$.a: bigint" NOT_ONE);
  T("{a:undefined, b:1}", "{\"b\":2}", "{\"a\":undefined,\"b\":2}");
  T("[1n,2n,3n]", "[1,3]", "[1n,3n]");
  T("[1n,2n]", "[1,2,3]", "[1n,2n,3]");
  T("[1n,2n]", "[1,7]", "[1n,7n]");
  T("[1n,2n]", "[7]", "$[0]: bigint" UNCLEAR);
  T("[1n,1]", "[1]", "$[0]: bigint" SEVERAL);
  T("[{d:new Date(0)},{n:1}]", "[{\"d\":null},{\"n\":1}]", "$[0].d: Date" NOT_ONE);
  T("new Map([['a',1n]])", "{\"a\":2,\"b\":3}", "new Map([[\"a\",2n],[\"b\",3]])");
  T("new Set([1n])", "[1,1]", "$: Set" TWICE);
  return helpDone();
}
