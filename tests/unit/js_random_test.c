/*
** js_random_test.c -- JS text of random values, and of values that the real
** Deno wrote: print, parse and print again, and compare the stored bytes.
**
** usage: js_random_test [seed [vectors]]
**        vectors: tests/vectors/v8-vectors.jsonl
*/
#include "unit/js_random.h"
#include "codec/stored.h"

static void testRandom(int nRun){
  int i;
  for(i=0; i<nRun; i++){
    KvErr err;
    char *z, *zPretty;
    u32 n, nPretty;
    KvBuf v8a, v8b;
    kvTreeReset(&tree);
    nSharedObj = 0;
    addValue(1+(int)unitBelow(5), 1);
    printed(&tree, 0, &out);
    n = out.n;
    z = malloc(n+1);
    memcpy(z, out.a, n+1);
    printed(&tree, 1+(int)unitBelow(4), &out);
    nPretty = out.n;
    zPretty = malloc(nPretty+1);
    memcpy(zPretty, out.a, nPretty+1);
    if( !OF( parseN(&tree2, 0, z, n, &err)==KV_OK, z ) ) printf("  %s at %d\n", err.zMsg, (int)err.iPos);
    checkTree(&tree2, z);
    printed(&tree2, 0, &out);
    OF( out.n==n && memcmp(out.a, z, n)==0, z );
    OF( tree.nRef>0 || tree2.nRef==0, z );
    kvBufInit(&v8a, 0, 0);
    kvBufInit(&v8b, 0, 0);
    if( kvV8Write(&tree, 15, &v8a, &err)==KV_OK ){
      OF( kvV8Write(&tree2, 15, &v8b, &err)==KV_OK, z );
      if( !OF( v8a.n==v8b.n && memcmp(v8a.a, v8b.a, v8a.n)==0, z ) ){
        u32 k;
        for(k=0; k<v8a.n; k++) printf("%02x", v8a.a[k]);
        printf("\n");
        for(k=0; k<v8b.n; k++) printf("%02x", v8b.a[k]);
        printf("\n");
      }
    }else{
      CHECK( !"written" );
    }
    kvBufClear(&v8b);
    kvBufReset(&v8a);
    if( !OF( parseN(&tree2, 0, zPretty, nPretty, &err)==KV_OK, zPretty ) ) printf("  %s\n", err.zMsg);
    printed(&tree2, 0, &out);
    OF( out.n==n && memcmp(out.a, z, n)==0, zPretty );
    OF( kvJsonPrint(&tree2, 0, &v8a, &err)==KV_OK, z );
    OF( v8a.n==0 || parseN(&tree2, 1, (char*)v8a.a, v8a.n, &err)==KV_OK, z );
    /* damaged texts: any result but a crash */
    if( n ){
      z[unitBelow(n)] = (char)unitRandom();
      parseN(&tree2, 0, z, n, &err);
      parseN(&tree2, 0, z, unitBelow(n), &err);
    }
    kvBufClear(&v8a);
    free(zPretty);
    free(z);
  }
}

/*
** Vectors of the real Deno
*/

/*
** The bytes depend on more than the value, so that others may be written for
** it: an array that once had holes, a number or NaN held as a boxed double,
** an ASCII slice of a two-byte string.
*/
static int onlyEqual(const char *zJs){
  static const char *const az[] = {
    "new Float64Array([1])[0]", "new Float64Array(new BigUint64Array", ").slice(1)", "Object.freeze([1,2])",
    "[...Array(2)]", ".match(", "a.length=1", "i*1.1", "new RegExp('\\u2028')"
  };
  size_t i;
  for(i=0; i<sizeof(az)/sizeof(az[0]); i++) if( strstr(zJs, az[i]) ) return 1;
  return 0;
}

static int nVector, nExact, nEqual;

static void testVector(const char *zLine, u32 nLine){
  KvErr err;
  u32 n = 0, nHex = 0, nJs = 0;
  char *zHex, *zJs;
  u8 *a;
  int eEnc, eEnc2;
  u32 iNode;
  i64 iElem;
  KvBuf v8;
  OF( parseN(&tree2, 1, zLine, nLine, &err)==KV_OK, zLine );
  zHex = member("$.hex", &nHex);
  zJs = member("$.js", &nJs);
  kvPathFind(&tree2, kvBytesText("$.encoding"), &iNode, &iElem, &err);
  eEnc = (int)tree2.aNode[iNode].u.r;
  a = malloc(nHex+1);
  n = hexBytes(zHex, nHex, a);
  nVector++;
  kvTreeReset(&tree);
  if( OF( kvValueRead(&tree, eEnc, kvBytes(a, n), &err)==KV_OK, zJs ) ){
    char *zText = copied(printed(&tree, 0, &out));
    int bHost = strstr(zText, "[HostObject")!=0;
    OF( kvJsonPrint(&tree, 0, &out2, &err)==KV_OK, zJs );
    kvBufInit(&v8, 0, 0);
    if( !OF( parseN(&tree2, 0, zText, out.n, &err)==(bHost ? KV_REFUSED : KV_OK), zText ) ) printf("%s\n", err.zMsg);
    if( !bHost && OF( kvValueWrite(&tree2, 16, 0, &v8, &eEnc2, &err)==KV_OK, zJs ) ){
      OF( eEnc==eEnc2, zJs );
      if( v8.n==n && (n==0 || memcmp(v8.a, a, n)==0) ){
        nExact++;
      }else{
        nEqual++;
        OF( onlyEqual(zJs), zJs );
      }
      printed(&tree2, 0, &out);
      OF( strcmp((char*)out.a, zText)==0, zJs );
    }
    kvBufClear(&v8);
    free(zText);
  }
  free(a);
  free(zHex);
  free(zJs);
}

int main(int argc, char **argv){
  helpInit(argc, argv);
  testRandom(3000);
  eachVector(vectorFile(argc, argv), testVector);
  printf("%d vectors: %d written byte for byte, %d as an equal value\n", nVector, nExact, nEqual);
  return helpDone();
}
