/*
** json_merge_test.c -- new JSON for stored values: literal cases, and that the
** JSON of any value gives that value back.
**
** usage: json_merge_test [seed [vectors]]
**        vectors: tests/vectors/v8-vectors.jsonl
*/
#include "unit/js_random.h"
#include "codec/json/json_merge.h"
#include "codec/names.h"
#include "codec/stored.h"
#include "codec/value_string.h"

/* What becomes of the stored value zOld with the new JSON: JS text, or "path:
** what was wrong". */
static char zResult[20000];
static const char *merged(KvTree *pOld, const char *zJson, size_t n){
  KvTree new;
  KvBuf path, text;
  KvErr err;
  u32 iPart;
  int bSame;
  int rc;
  kvTreeInit(&new);
  kvBufInit(&path, 0, 0);
  kvBufInit(&text, 0, 0);
  err.zMsg = "";
  rc = kvJsonMerge(pOld, kvBytes(zJson, (u32)n), &new, &bSame, &iPart, &path, &err);
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
#define UNCLEAR " and the new JSON doesn't determine what becomes of it ..."
#define TWICE " and the new JSON has a key or an element of it twice"
#define SHARED " and occurs more than once in the stored value"
#define SEVERAL " and one of several parts ..."


/*
** The JSON of a value gives that value back.
*/

/* Stored bytes of a tree; false if it may not be stored. */
static int bytesOf(KvTree *p, KvBuf *pOut){
  KvErr err;
  kvBufReset(pOut);
  return kvV8Write(p, 16, pOut, &err)==KV_OK;
}

/* A copy of a buffer's content, to be freed. */
static char *textOf(const KvBuf *p){
  char *z = malloc(p->n+1);
  if( p->n ) memcpy(z, p->a, p->n);
  z[p->n] = 0;
  return z;
}

static void checkSame(const char *zOf){
  KvTree new;
  KvBuf json, path, a, b;
  KvErr err;
  u32 iPart;
  int bSame;
  int rc;
  kvTreeInit(&new);
  kvBufInit(&json, 0, 0);
  kvBufInit(&path, 0, 0);
  kvBufInit(&a, 0, 0);
  kvBufInit(&b, 0, 0);
  kvJsonPrint(&tree, 0, &json, &err);
  if( json.n ){
    err.zMsg = "";
    rc = kvJsonMerge(&tree, kvBufBytes(&json), &new, &bSame, &iPart, &path, &err);
    kvBufTerminate(&path);
    if( !OF( rc==KV_OK, zOf ) ) printf("  %s %s\n", (char*)path.a, err.zMsg);
    if( rc==KV_OK && bytesOf(&tree, &a) ){
      checkTree(&new, zOf);
      OF( bSame!=kvJsonHolds(&tree), zOf );
      OF( bytesOf(&new, &b) && a.n==b.n && memcmp(a.a, b.a, a.n)==0, zOf );
    }
  }
  kvTreeClear(&new);
  kvBufClear(&json);
  kvBufClear(&path);
  kvBufClear(&a);
  kvBufClear(&b);
}

static void sameVector(const char *zLine, u32 nLine){
  KvErr err;
  u32 n = 0, nHex = 0, nJs = 0, iNode;
  i64 iElem;
  char *zHex, *zJs;
  u8 *a;
  OF( parseN(&tree2, 1, zLine, nLine, &err)==KV_OK, zLine );
  zHex = member("$.hex", &nHex);
  zJs = member("$.js", &nJs);
  kvPathFind(&tree2, kvBytesText("$.encoding"), &iNode, &iElem, &err);
  a = malloc(nHex+1);
  n = hexBytes(zHex, nHex, a);
  kvTreeReset(&tree);
  OF( kvValueRead(&tree, (int)tree2.aNode[iNode].u.r, kvBytes(a, n), &err)==KV_OK, zJs );
  checkSame(zJs);
  free(a);
  free(zHex);
  free(zJs);
}

static void testSame(int nRun){
  for(; nRun>0; nRun--){
    kvTreeReset(&tree);
    nSharedObj = 0;
    addValue(1+(int)unitBelow(5), 1);
    checkSame(printed(&tree, 0, &out));
  }
}

/*
** Random changes.  tree is the stored value, tree2 its JSON, which is changed.
*/

/* A random value without parts. */
static void randomLeaf(KvNode *pNode){
  static const char *const az[] = {
    "x", "", "2020-01-01", "2020-01-01T00:00:00.000Z", "12", "[Circular]", "/a/g"
  };
  u32 iNext = pNode->iNext;
  memset(pNode, 0, sizeof(*pNode));
  pNode->iNext = iNext;
  switch( unitBelow(5) ){
    case 0: pNode->eKind = KV_NULL; break;
    case 1: pNode->eKind = KV_BOOL; pNode->n = unitBelow(2); break;
    case 2: pNode->eKind = KV_NUMBER; pNode->u.r = unitBelow(5); break;
    case 3: pNode->eKind = KV_NUMBER; pNode->u.r = (double)unitRandom()*unitBelow(3); break;
    default: {
      const char *z = az[unitBelow(7)];
      pNode->eKind = KV_STRING;
      pNode->eSub = KV_WTF8;
      pNode->u.p = (const u8*)z;
      pNode->n = (u32)strlen(z);
    }
  }
}

/* The k-th child of a container: nStep nodes apart. */
static u32 *childLink(u32 iOwner, u32 k, u32 nStep){
  u32 *pi = &tree2.aNode[iOwner].iChild;
  for(k*=nStep; k>0; k--) pi = &tree2.aNode[*pi].iNext;
  return pi;
}

static void addCount(u32 iOwner, int n){
  tree2.aNode[iOwner].n += (u32)n;
  if( tree2.aNode[iOwner].eKind==KV_ARRAY ) tree2.aNode[iOwner].u.c.nElem += (u32)n;
}

/* Insert a new element or member. */
static void randomInsert(u32 iOwner, u32 k, u32 nStep){
  u32 iKey = kvTreeAdd(&tree2, KV_NULL);
  u32 iVal = kvTreeAdd(&tree2, KV_NULL);
  u32 *pi = childLink(iOwner, k, nStep);
  KvNode *pKey = &tree2.aNode[iKey];
  randomLeaf(&tree2.aNode[iVal]);
  if( nStep==2 ){
    char z[20];
    pKey->eKind = KV_STRING;
    pKey->eSub = KV_WTF8;
    pKey->n = (u32)sprintf(z, "new %u", iKey);
    pKey->u.p = memcpy(kvTreeSpace(&tree2, 20), z, 20);
    pKey->iNext = iVal;
    tree2.aNode[iVal].iNext = *pi;
    *pi = iKey;
  }else{
    tree2.aNode[iVal].iNext = *pi;
    *pi = iVal;
  }
  addCount(iOwner, 1);
}

/* Change something in tree2. */
static void randomChange(void){
  u32 i = unitBelow(tree2.nNode), n, k, nStep, *pi;
  KvNode *pOwner = &tree2.aNode[i];
  for(k=0; k<40 && pOwner->eKind!=KV_OBJECT && pOwner->eKind!=KV_ARRAY; k++){
    i = unitBelow(tree2.nNode);
    pOwner = &tree2.aNode[i];
  }
  if( pOwner->eKind!=KV_OBJECT && pOwner->eKind!=KV_ARRAY ){
    randomLeaf(&tree2.aNode[0]);
    return;
  }
  nStep = pOwner->eKind==KV_OBJECT ? 2 : 1;
  n = pOwner->n;
  if( n==0 ){
    randomInsert(i, 0, nStep);
    return;
  }
  k = unitBelow(n);
  pi = childLink(i, k, nStep);
  switch( unitBelow(8) ){
    case 0: case 1:
      *pi = tree2.aNode[nStep==2 ? tree2.aNode[*pi].iNext : *pi].iNext;
      addCount(i, -1);
      break;
    case 2: randomInsert(i, unitBelow(n+1), nStep); break;
    case 3:
      if( nStep==1 && k+1<n ){           /* swap two */
        u32 iA = *pi, iB = tree2.aNode[iA].iNext;
        tree2.aNode[iA].iNext = tree2.aNode[iB].iNext;
        tree2.aNode[iB].iNext = iA;
        *pi = iB;
      }
      break;
    default:
      randomLeaf(&tree2.aNode[nStep==2 ? tree2.aNode[*pi].iNext : *pi]);
      break;
  }
}

/* Parts of the same name have kept their types. */
static void checkTypes(const KvTree *pOld, u32 iOld, const KvTree *pNew, u32 iNew, int nDepth, const char *zOf){
  u32 i, k;
  const KvNode *aOld = pOld->aNode, *aNew = pNew->aNode;
  iOld = kvDeref(pOld, iOld);
  iNew = kvDeref(pNew, iNew);
  switch( aOld[iOld].eKind ){
    case KV_UNDEFINED: case KV_NULL: case KV_BOOL: case KV_NUMBER: case KV_STRING: case KV_HOLE:
    case KV_ARRAY:
      return;
    case KV_OBJECT:
      break;
    default:
      OF( aNew[iNew].eKind==aOld[iOld].eKind && aNew[iNew].eSub*0==0, zOf );
  }
  if( nDepth==0 || aNew[iNew].eKind!=aOld[iOld].eKind ) return;
  if( aOld[iOld].eKind!=KV_OBJECT && aOld[iOld].eKind!=KV_MAP ) return;
  for(i=aOld[iOld].iChild; i; i=aOld[aOld[i].iNext].iNext){
    for(k=aNew[iNew].iChild; k; k=aNew[aNew[k].iNext].iNext){
      if( aOld[i].eKind==KV_STRING && aNew[k].eKind==KV_STRING && kvStringEqual(&aOld[i], &aNew[k]) ){
        checkTypes(pOld, aOld[i].iNext, pNew, aNew[k].iNext, nDepth-1, zOf);
      }
    }
  }
}

/* A Map, given as pairs, that is now shown as an object. */
static int mapChangesShape(const char *zA, const char *zB){
  int n = 0;
  for(; *zA; zA++) n += *zA=='{';
  for(; *zB; zB++) n -= *zB=='{';
  return n!=0;
}

/* How often merging took a change, and how often it refused one. */
static int nTaken, nRefused;

/* zJson is the changed JSON of tree: merge it, and look at the result. */
static void checkChanged(const char *zJson, u32 nJson, const char *zOf){
  KvTree new, again;
  KvBuf path, a, b;
  KvErr err;
  u32 iPart;
  int bSame;
  int rc, rc2;
  kvTreeInit(&new);
  kvTreeInit(&again);
  kvBufInit(&path, 0, 0);
  kvBufInit(&a, 0, 0);
  kvBufInit(&b, 0, 0);
  rc = kvJsonMerge(&tree, kvBytes(zJson, nJson), &new, &bSame, &iPart, &path, &err);
  if( rc==KV_OK ){
    nTaken++;
    checkTree(&new, zOf);
    checkTypes(&tree, 0, &new, 0, 6, zOf);
    if( bytesOf(&new, &a) ){             /* it stays what it is now */
      rc2 = kvJsonMerge(&new, kvBytes(zJson, nJson), &again, &bSame, &iPart, &path, &err);
      if( rc2!=KV_OK && !OF( mapChangesShape(jsonOf(&new, 0), zJson), zOf ) ){
        printf("  json: %s\n  first: %s\n", zJson, printed(&new, 0, &out2));
      }
      if( !OF( rc2!=KV_OK || (bytesOf(&again, &b) && a.n==b.n && memcmp(a.a, b.a, a.n)==0), zOf ) ){
        printf("  json: %s\n  first: %s\n", zJson, printed(&new, 0, &out2));
        printf("  then: %s\n", printed(&again, 0, &out2));
      }
    }
  }else{
    OF( rc==KV_REFUSED && path.n>0 && path.a[0]=='$', zOf );
    OF( iPart<tree.nNode, zOf );
    nRefused++;
  }
  kvTreeClear(&new);
  kvTreeClear(&again);
  kvBufClear(&path);
  kvBufClear(&a);
  kvBufClear(&b);
}

static void testChanges(int nRun){
  for(; nRun>0; nRun--){
    KvErr err;
    KvBuf json;
    char *z, *zJson;
    u32 k;
    kvTreeReset(&tree);
    nSharedObj = 0;
    addValue(1+(int)unitBelow(5), 1);
    z = copied(printed(&tree, 0, &out));
    kvBufInit(&json, 0, 0);
    kvJsonPrint(&tree, 0, &json, &err);
    if( json.n && parseN(&tree2, 1, (char*)json.a, json.n, &err)==KV_OK ){
      for(k=1+unitBelow(3); k>0; k--) randomChange();
      kvBufReset(&json);
      kvJsonPrint(&tree2, 0, &json, &err);
      zJson = textOf(&json);
      checkChanged(zJson, json.n, z);
      free(zJson);
    }
    kvBufClear(&json);
    free(z);
  }
  printf("%d changes taken, %d refused\n", nTaken, nRefused);
  CHECK( nTaken>nRefused/10 && nRefused>0 );
}


static void testCases(void){
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
  /* JSON's own types change into each other */
  T("[1,'a',true,null,{a:1},[1]]", "[\"a\",{},[],1,null,false]", "[\"a\",{},[],1,null,false]");
  T("{a:1,d:new Date(0)}", "[1]", "[1]");
  T("{a:{d:new Date(0)}}", "{\"a\":5}", "{\"a\":5}");
  T("new Date(0)", "5", "$: Date" NOT_ONE);
  T("undefined", "{\"a\":1}", "$: undefined and JSON doesn't show it");
  T("'x'", "12345678901234567890", "12345678901234567000");
  T("{a:1n,b:1}", "{\"a\":1,\"b\":12345678901234567890}", "{\"a\":1n,\"b\":12345678901234567000}");
  T("1n", "[", "error 3: unexpected end ...");
  T("1", "{\"a\":}", "error 3: ...");
  /* numbers that JSON shows as others */
  T("[NaN,-0,Infinity]", "[null,0,null]", "[NaN,-0,Infinity]");
  T("[NaN,-0,1]", "[null,0,2]", "[NaN,-0,2]");
  T("{a:-0,b:NaN}", "{\"a\":0,\"b\":\"x\"}", "{\"a\":-0,\"b\":\"x\"}");
  T("[-0,0]", "[0]", "$[0]: number" SEVERAL);
  T("[undefined,null]", "[null]", "$[0]: undefined" SEVERAL);
  T("[undefined,1]", "[5,1]", "$[0]: undefined and JSON doesn't show it");
  T("[,1,,2]", "[null,1,null,3]", "[,1,,3]");
  T("[,1]", "[0,1]", "[0,1]");
  T("[,,1]", "[null,1]", "[,1]");
  /* integers */
  T("1n", "1.0", "1n");
  T("1n", "1e3", "1000n");
  T("1n", "1.5", "$: bigint" NOT_ONE);
  T("1n", "-0", "0n");
  T("1n", "-9007199254740993", "-9007199254740993n");
  T("1n", "123456789012345678901234567890123456789", "123456789012345678901234567890123456789n");
  T("1n", "1e30", "$: bigint" NOT_ONE);
  T("1n", "\"1\"", "$: bigint" NOT_ONE);
  T("1n", "null", "$: bigint" NOT_ONE);
  T("12345678901234567890123n", "12345678901234567890123", "12345678901234567890123n");
  T("new Deno.KvU64(5n)", "6", "new Deno.KvU64(6n)");
  T("new Deno.KvU64(5n)", "18446744073709551615", "new Deno.KvU64(18446744073709551615n)");
  T("new Deno.KvU64(5n)", "18446744073709551616", "$: KvU64" NOT_ONE);
  T("new Deno.KvU64(5n)", "-1", "$: KvU64" NOT_ONE);
  T("new Deno.KvU64(5n)", "-0", "new Deno.KvU64(0n)");
  /* Dates */
  T("{d:new Date(0)}", "{\"d\":\"2020-01-01\"}", "{\"d\":new Date(\"2020-01-01T00:00:00.000Z\")}");
  T("{d:new Date(0)}", "{\"d\":\"tomorrow\"}", "$.d: Date" NOT_ONE);
  T("{d:new Date(NaN)}", "{\"d\":\"2020-01-01\"}", "{\"d\":new Date(\"2020-01-01T00:00:00.000Z\")}");
  T("{d:new Date(NaN),e:1}", "{\"d\":null,\"e\":2}", "{\"d\":new Date(NaN),\"e\":2}");
  T("{d:new Date(0),e:1}", "{\"e\":1}", "{\"e\":1}");
  /* boxed */
  T("[Object(1),Object('a'),Object(true),Object(1n)]", "[2,\"b\",false,3]",
    "[new Number(2),new String(\"b\"),new Boolean(false),Object(3n)]");
  T("Object('a')", "1", "$: String" NOT_ONE);
  T("Object(1)", "12345678901234567890", "new Number(12345678901234567000)");
  T("Object(1n)", "12345678901234567890", "Object(12345678901234567890n)");
  /* what takes nothing */
  T("{r:/a/g,x:1}", "{\"r\":\"/a/g\",\"x\":2}", "{\"r\":/a/g,\"x\":2}");
  T("{r:/a/g}", "{\"r\":\"/b/g\"}", "$.r: RegExp" NOT_ONE);
  T("{r:new Uint8Array([1,2])}", "{\"r\":\"AQI=\",\"x\":1}", "{\"r\":new Uint8Array([1,2]),\"x\":1}");
  T("{r:new Uint8Array([1,2])}", "{\"r\":\"AQE=\"}", "$.r: Uint8Array" NOT_ONE);
  T("{r:new Uint16Array([1,2])}", "{\"r\":[1,3]}", "$.r: Uint16Array" NOT_ONE);
  T("{r:Object.assign(new TypeError('m'),{stack:'s'}),x:1}", "{\"r\":\"TypeError: m\",\"x\":2}",
    "{\"r\":Object.assign(new TypeError(\"m\"),{\"stack\":\"s\"}),\"x\":2}");
  T("{r:new TypeError('m')}", "{\"r\":\"TypeError: n\"}", "$.r: TypeError" NOT_ONE);
  /* members */
  T("{a:1n,'1':2n,b:{c:[3n]}}", "{\"b\":{\"c\":[4],\"d\":5},\"1\":7}", "{\"1\":7n,\"b\":{\"c\":[4n],\"d\":5}}");
  T("{a:1,u:undefined,b:2,v:undefined}", "{\"b\":3,\"a\":1}", "{\"b\":3,\"v\":undefined,\"a\":1,\"u\":undefined}");
  T("{u:undefined,a:1}", "{\"a\":2}", "{\"u\":undefined,\"a\":2}");
  T("{a:1,u:undefined,v:undefined}", "{\"b\":2}", "{\"u\":undefined,\"v\":undefined,\"b\":2}");
  T("{a:1,u:undefined}", "{\"u\":1,\"a\":2}", "$.u: undefined and JSON doesn't show it");
  T("{a:1,'5':undefined}", "{\"7\":1,\"a\":2,\"3\":1}", "{\"3\":1,\"5\":undefined,\"7\":1,\"a\":2}");
  T("{'\\u00e9':undefined,a:1}", "{\"\\u00e9\":1,\"a\":2}", "$.\xc3\xa9: undefined and JSON doesn't show it");
  T("{a:1n,b:2n}", "{\"a\":1,\"a\":5,\"b\":2}", "{\"a\":5n,\"b\":2n}");
  T("{['__proto__']:1n}", "{\"__proto__\":2}", "{[\"__proto__\"]:2n}");
  T("{'\\ud800':1n}", "{\"\\ud800\":2}", "{\"\\ud800\":2n}");
  T("{a:{'b c':{'':[{'x-y':1n}]}}}", "{\"a\":{\"b c\":{\"\":[{\"x-y\":null}]}}}",
    "$.a.\"b c\".\"\"[0].\"x-y\": bigint" NOT_ONE);
  /* elements */
  T("[1n,2n,3n]", "[2,3]", "[2n,3n]");
  T("[1n,2n,3n]", "[1,2]", "[1n,2n]");
  T("[1n,2n,3n]", "[]", "[]");
  T("[1n,2n,3n]", "[0,1,2,3]", "[0,1n,2n,3n]");
  T("[1n,2n,3n]", "[3,2,1]", "$[0]: bigint" UNCLEAR);
  T("[1n,2n,3n]", "[3,2,9]", "$[0]: bigint" UNCLEAR);
  T("[1n,2n,3n]", "[9,2,8]", "[9n,2n,8n]");
  T("[1n,2n,3n]", "[9,2,8,7]", "$[0]: bigint" UNCLEAR);
  T("[1n,2n,3n]", "[9,2]", "$[0]: bigint" UNCLEAR);
  T("[1n,2n,3n]", "[3,8,1]", "$[0]: bigint" UNCLEAR);
  T("[1n,2n,3n,4n]", "[4,3,8]", "$[0]: bigint" UNCLEAR);
  T("[1n,1n,1n]", "[1]", "[1n]");
  T("[1n,2n]", "[7,1]", "$[0]: bigint" UNCLEAR);
  T("[1n,2n,3n]", "[0,1,2]", "$[0]: bigint" UNCLEAR);
  /* the one that stays is the one in its place */
  T("[1n,1n,{a:1}]", "[7,1,{\"a\":2}]", "[7n,1n,{\"a\":2}]");
  T("[1n,1n,1]", "[7,1]", "$[0]: bigint" UNCLEAR);
  T("[1n,1]", "[1,1,1]", "$[0]: bigint" SEVERAL);
  T("[1n,1]", "[2,3]", "[2n,3]");
  T("[1n,1]", "[1,1,2]", "[1n,1,2]");
  T("[{a:1n,b:1},{a:2n,b:1}]", "[{\"a\":1,\"b\":2},{\"a\":2,\"b\":1},{\"a\":3}]",
    "$[0]: Object" UNCLEAR);
  T("[{a:1n,u:undefined}]", "[{\"a\":1,\"b\":2}]", "[{\"a\":1n,\"u\":undefined,\"b\":2}]");
  T("[1,2,3,new Date(0)]", "[4,\"1970-01-01T00:00:00.000Z\"]", "[4,new Date(\"1970-01-01T00:00:00.000Z\")]");
  T("Object.assign([1n],{x:2n})", "[1,6]", "$: Array and JSON doesn't show it");
  T("Object.assign([1n],{x:2n})", "[]", "$: Array and JSON doesn't show it");
  T("[[[1n]]]", "[[[\"x\"]]]", "$[0][0][0]: bigint" NOT_ONE);
  /* Maps */
  T("new Map([['b',1n],['10',2n],['a',{d:3n}]])", "{\"b\":1,\"10\":3,\"a\":{\"d\":4},\"5\":6}",
    "new Map([[\"b\",1n],[\"10\",3n],[\"a\",{\"d\":4n}],[\"5\",6]])");
  T("new Map([['b',1n],['u',undefined]])", "[[\"b\",2],[\"u\",null]]", "$: Map" NOT_ONE);
  T("new Map([['b',1n],['u',undefined]])", "{\"b\":2}", "new Map([[\"b\",2n],[\"u\",undefined]])");
  T("new Map([[1,1n],['a',2n]])", "[[\"a\",2],[1,5]]", "$[0]: number" UNCLEAR);
  T("new Map([[1,1n],['a',2n]])", "[[\"a\",2]]", "new Map([[\"a\",2n]])");
  T("new Map([[1,1n],['a',2n]])", "{\"a\":3,\"b\":1}", "$: Map" NOT_ONE);
  T("new Map([['a',2n]])", "[[1,2],[\"a\",3]]", "$: Map" NOT_ONE);
  T("new Map([[1,1n],['u',undefined],['a',2n]])", "{\"a\":3}", "$: Map" NOT_ONE);
  T("new Map([[1n,1],[1,2]])", "[[1,5],[1,6]]", "new Map([[1n,5],[1,6]])");
  T("new Map([[1n,1],[1,2]])", "[[1,5]]", "$[0]: bigint" SEVERAL);
  T("new Map([[1n,1],[2n,2]])", "[[1,1],[7,2]]", "$[1]: bigint" UNCLEAR);
  T("new Map([[1n,1],[2n,2]])", "[[1,1],[\"x\",2]]", "$[1]: bigint" UNCLEAR);
  T("new Map([[1n,1],[2n,2]])", "[[7,1],[8,1],[9,1]]", "$[0]: bigint" UNCLEAR);
  T("new Map([[1n,1]])", "[[1,1],[12345678901234567890,1],[12345678901234567891,1]]", "$: Map" TWICE);
  T("new Map([[1,new Date(0)]])", "[[2,\"2020-01-01\"]]", "$[0]: number" UNCLEAR);
  T("new Map([[1,2]])", "[[1]]", "$: Map" NOT_ONE);
  T("new Map([[1,2]])", "[1]", "$: Map" NOT_ONE);
  T("new Map([[1,2]])", "5", "$: Map" NOT_ONE);
  T("new Map([[1,2]])", "{}", "$: Map" NOT_ONE);
  T("new Map()", "{\"a\":1}", "new Map([[\"a\",1]])");
  T("new Map()", "[[1,2]]", "$: Map" NOT_ONE);
  T("new Map([[{a:1n},{b:2n}]])", "[[{\"a\":1},{\"b\":3}]]", "new Map([[{\"a\":1n},{\"b\":3n}]])");
  T("new Map([[{a:1},new Date(0)]])", "[[{\"a\":2},\"2020-01-01\"]]", "$[0]: Object" UNCLEAR);
  T("new Map([[{a:1},new Date(0)]])", "[[{\"a\":2},1],[5,6]]", "$[0]: Object" UNCLEAR);
  T("new Map([[{a:1},/x/],[{b:1},/x/]])", "[[{\"b\":1},\"/x/\"],[{\"a\":1},\"/x/\"],[1,2]]",
    "$[0]: Object" UNCLEAR);
  T("new Map([[{a:1},/x/],[{b:1},/x/],[{c:1},/x/]])", "[[{\"b\":1},\"/x/\"],[{\"a\":1},\"/x/\"],[1,2]]",
    "$[0]: Object" UNCLEAR);
  T("{m:new Map([['a',1n]])}", "{\"m\":{\"a\":\"x\"}}", "$.m.a: bigint" NOT_ONE);
  T("{m:new Map([[0,1n]])}", "{\"m\":[[0,\"x\"]]}", "$.m[0]: bigint" NOT_ONE);
  /* Sets */
  T("new Set([1n,'a',new Date(0)])", "[\"a\",\"1970-01-01T00:00:00.000Z\",\"b\"]",
    "$[0]: bigint" UNCLEAR);
  T("new Set([1n,'a',new Date(0)])", "[\"a\",\"1970-01-01T00:00:00.000Z\"]", "new Set([\"a\",new Date(\"1970-01-01T00:00:00.000Z\")])");
  T("new Set([1n,'a',new Date(0)])", "[1,\"b\",\"1970-01-01T00:00:00.000Z\",\"c\"]",
    "$[2]: Date" UNCLEAR);
  T("new Set([1,2])", "[2,2]", "$: Set" TWICE);
  T("new Set([{a:1},{a:1}])", "[{\"a\":1},{\"a\":1},5]", "new Set([{\"a\":1},{\"a\":1},5])");
  T("new Set([1])", "[{\"a\":1},{\"a\":1}]", "$: Set" TWICE);
  T("new Set([1])", "{\"a\":1}", "$: Set" NOT_ONE);
  T("new Set([1])", "[]", "new Set()");
  T("new Set([1n])", "[9007199254740993]", "new Set([9007199254740993n])");
  T("new Set(['a'])", "[\"a\",9007199254740993]", "new Set([\"a\",9007199254740992])");
  /* objects with several places */
  T("[<ref *1> {a:1},[Circular *1],2]", "[{\"a\":1},{\"a\":1},3]", "[<ref *1> {\"a\":1},[Circular *1],3]");
  T("[<ref *1> {a:1},[Circular *1]]", "[{\"a\":2},{\"a\":2}]", "$[0]: Object" SHARED);
  T("[<ref *1> {a:1n},[Circular *1]]", "[{\"a\":2},{\"a\":1}]", "$[0]: Object" SHARED);
  T("[<ref *1> {a:1n},[Circular *1]]", "[{\"a\":1},{\"a\":2}]", "$[1]: Object" SHARED);
  T("[<ref *1> {a:1n},[Circular *1]]", "[{\"a\":\"x\"},{\"a\":1}]", "$[0]: Object" SHARED);
  T("[<ref *1> new Date(0),[Circular *1]]", "[\"2020-01-01\",\"2020-01-01\"]", "$[0]: Date" SHARED);
  T("{a:<ref *1> {x:1n},b:[Circular *1],c:[Circular *1]}", "{\"b\":{\"x\":1},\"c\":{\"x\":1}}",
    "{\"b\":<ref *1> {\"x\":1n},\"c\":[Circular *1]}");
  T("<ref *1> {a:1,self:[Circular *1]}", "{\"a\":2,\"self\":\"[Circular]\"}", "$: Object" SHARED);
  T("<ref *1> {a:1,self:[Circular *1]}", "{\"a\":2,\"self\":5}", "$: Object" SHARED);
  T("<ref *1> {a:1,m:{x:[Circular *1],y:1n}}", "{\"a\":2,\"m\":{\"x\":\"[Circular]\",\"y\":1}}",
    "$: Object" SHARED);
  T("<ref *1> {a:<ref *2> {t:[Circular *1]},b:[Circular *2],n:1}",
    "{\"a\":{\"t\":\"[Circular]\"},\"b\":{\"t\":\"[Circular]\"},\"n\":2}",
    "$: Object" SHARED);
  T("{a:<ref *1> {n:1,c:<ref *2> {t:[Circular *1]}},b:[Circular *2]}",
    "{\"a\":{\"n\":2,\"c\":{\"t\":\"[Circular]\"}},\"b\":{\"t\":{\"n\":1,\"c\":\"[Circular]\"}}}",
    "$.a: Object" SHARED);
  T("{a:<ref *1> {n:1,c:<ref *2> {t:[Circular *1]}},b:[Circular *2],k:1}",
    "{\"a\":{\"n\":1,\"c\":{\"t\":\"[Circular]\"}},\"b\":{\"t\":{\"n\":1,\"c\":\"[Circular]\"}},\"k\":2}",
    "{\"a\":<ref *1> {\"n\":1,\"c\":<ref *2> {\"t\":[Circular *1]}},\"b\":[Circular *2],\"k\":2}");
  T("[new Uint8Array(<ref *1> new ArrayBuffer(2)),new Uint8Array([Circular *1],1),1]", "[\"AAA=\",\"AA==\",2]",
    "[new Uint8Array(<ref *1> new Uint8Array([0,0]).buffer),new Uint8Array([Circular *1],1,1),2]");
}

int main(int argc, char **argv){
  helpInit(argc, argv);
  testCases();
  testSame(5000);
  testChanges(10000);
  eachVector(vectorFile(argc, argv), sameVector);
  return helpDone();
}
