/*
** edit_test.c -- parts of a value set and removed (codec/edit/edit.h): the way by
** copied bytes against the way by the tree.
**
** Usage:  edit_test [SEED]
*/
#include "unit/unit.h"
#include "codec/edit/edit.h"
#include "codec/edit/splice.h"
#include "codec/js/js_parse.h"
#include "codec/js/js_print.h"
#include "codec/stored.h"

static const char *const azKey[] = {
  "a", "b", "cc", "name", "a key", "", "7", "0", "12", "4294967295",
  "\303\251", "\342\202\254", "a key of more than sixteen bytes", "x.y"
};
#define KEYS (sizeof(azKey)/sizeof(azKey[0]))

static const char *const azLeaf[] = {
  "1", "-1", "0", "300", "70000", "2147483647", "2147483648", "1.5", "-0", "NaN", "Infinity",
  "'x'", "''", "'ab'", "'\303\251'", "'\342\202\254'", "'a\342\202\254b'",
  "'abcdefghijklmnopqrstuvwxyz'",
  "null", "undefined", "true", "false", "5n", "-12345678901234567890n",
  "new Date(0)", "new Date(NaN)", "{}", "[]",
};
static const char *const azRich[] = {
  "new Map([['a',1],['b',[1]]])", "new Set([1,'a'])", "new Uint8Array([1,2])", "/a/g",
  "new Error('e')", "[1,,3]", "new Number(1)", "new Int16Array([1,2])"
};
#define PICK(A) (A)[unitBelow((u32)(sizeof(A)/sizeof((A)[0])))]

static void putKey(KvBuf *p){
  kvBufPut(p, '"');
  kvBufText(p, unitBelow(4) ? azKey[unitBelow(3)] : PICK(azKey));
  kvBufPut(p, '"');
}

/* The JS text of a random value. */
static void putValue(KvBuf *p, int nDepth, int bRich){
  u32 i, n = unitBelow(6), bOf = unitBelow(3);
  int bArray = unitBelow(2)==0;
  if( nDepth<=0 || unitBelow(5)==0 ){
    kvBufText(p, bRich && unitBelow(4)==0 ? PICK(azRich) : PICK(azLeaf));
    return;
  }
  kvBufPut(p, bArray ? '[' : '{');
  for(i=0; i<n; i++){
    if( i ) kvBufPut(p, ',');
    if( !bArray ){
      putKey(p);
      kvBufPut(p, ':');
    }
    /* arrays of numbers have forms of their own */
    if( bArray && bOf==0 ) kvBufText(p, azLeaf[unitBelow(11)]);
    else if( bArray && bOf==1 ) kvBufText(p, azLeaf[unitBelow(6)]);
    else putValue(p, nDepth-1, bRich);
  }
  kvBufPut(p, bArray ? ']' : '}');
}

static void putPath(KvBuf *p){
  u32 n = 1 + unitBelow(2) + unitBelow(2);
  kvBufPut(p, '$');
  for(; n>0; n--){
    static const char *const azIndex[] = {
      "[0]", "[1]", "[2]", "[3]", "[5]", "[#]", "[#-1]", "[#-2]", "[#-9]"
    };
    if( unitBelow(2) ){
      kvBufText(p, PICK(azIndex));
    }else{
      kvBufPut(p, '.');
      putKey(p);
    }
  }
  if( unitBelow(50)==0 ) kvBufText(p, "[x");
}

/* JS text to a value's bytes. */
static int encode(const KvBuf *pText, int iVersion, KvBuf *pOut, int *peEncoding){
  KvTree tree;
  KvErr err;
  int rc;
  kvTreeInit(&tree);
  rc = kvJsParse(&tree, kvBytes(pText->a, pText->n), &err);
  if( rc==KV_OK ) rc = kvValueWrite(&tree, iVersion, 0, pOut, peEncoding, &err);
  kvTreeClear(&tree);
  return rc;
}

static void show(const char *zWhat, int eEncoding, const KvBuf *p){
  KvTree tree;
  KvErr err;
  KvBuf text;
  kvTreeInit(&tree);
  kvBufInit(&text, 0, 0);
  if( kvValueRead(&tree, eEncoding, kvBufBytes(p), &err)==KV_OK
   && kvJsPrint(&tree, 0, &text, &err)==KV_OK && kvBufTerminate(&text)==KV_OK
  ){
    printf("  %s: %s\n", zWhat, (const char*)text.a);
  }
  kvBufClear(&text);
  kvTreeClear(&tree);
}

/* Has the value with these bytes the same JS text? */
static int sameText(const KvBuf *pA, const KvBuf *pB){
  KvTree tree[2];
  KvBuf text[2];
  KvErr err;
  int i, b = 1;
  for(i=0; i<2; i++){
    const KvBuf *p = i ? pB : pA;
    kvTreeInit(&tree[i]);
    kvBufInit(&text[i], 0, 0);
    b = b && kvValueRead(&tree[i], 1, kvBufBytes(p), &err)==KV_OK
          && kvJsPrint(&tree[i], 0, &text[i], &err)==KV_OK;
  }
  b = b && text[0].n==text[1].n && memcmp(text[0].a, text[1].a, text[0].n)==0;
  for(i=0; i<2; i++){
    kvTreeClear(&tree[i]);
    kvBufClear(&text[i]);
  }
  return b;
}

/*
** One edit of the value's bytes, spliced and by the tree.  bExact: the bytes are
** those that the writer makes, and so must be the result's.  Returns true if it
** was spliced; *prc is what the tree gave, in pOut.
*/
static int compare(
  KvBuf *pValue, KvBuf *pPath, KvBuf *pNewText, int bTyped, int bExact, KvBuf *pOut, int *prc
){
  KvEdit edit;
  KvTree tree;
  KvBuf out;
  KvErr err = { KV_OK, -1, 0 };
  int bSpliced;
  memset(&edit, 0, sizeof(edit));
  kvTreeInit(&tree);
  kvBufInit(&out, 0, 0);
  edit.eEncoding = 1;
  edit.value = kvBufBytes(pValue);
  edit.path = kvBufBytes(pPath);
  edit.iVersion = 15;
  edit.bTyped = (u8)bTyped;
  edit.pOut = &out;
  edit.pNew = pNewText->n ? &tree : 0;
  if( edit.pNew ) CHECK(kvJsParse(&tree, kvBytes(pNewText->a, pNewText->n), &err)==KV_OK);
  bSpliced = kvSplice(&edit);
  CHECK(bSpliced || out.n==0);
  kvTreeReset(&tree);
  if( edit.pNew ) CHECK(kvJsParse(&tree, kvBytes(pNewText->a, pNewText->n), &err)==KV_OK);
  edit.bTyped = (u8)bTyped;
  edit.pOut = pOut;
  *prc = kvEditTree(&edit, &err);
  CHECK(*prc==KV_OK || (*prc==err.eCode && err.zMsg));
  if( bSpliced ){
    int b = *prc==KV_OK && (bExact
        ? out.n==pOut->n && memcmp(out.a, pOut->a, out.n)==0 : sameText(&out, pOut));
    if( !CHECK(b) && unitFailed<5 ){
      printf("  path %.*s new %.*s typed %d rc %d %s\n", (int)pPath->n, (const char*)pPath->a,
             (int)pNewText->n, (const char*)pNewText->a, bTyped, *prc, err.zMsg ? err.zMsg : "");
      show("value", 1, pValue);
      show("spliced", 1, &out);
      if( *prc==KV_OK ) show("tree", 1, pOut);
    }
  }
  kvBufClear(&out);
  kvTreeClear(&tree);
  return bSpliced;
}

/* A few bytes of a value's, changed. */
static void damage(KvBuf *p){
  u32 n = 1 + unitBelow(3);
  for(; n>0 && p->n>2; n--){
    static const u8 aTag[] = "oA{$\"cINDZTF0_a@^V\\\0\377";
    u8 *z = &p->a[2 + unitBelow(p->n - 2)];
    switch( unitBelow(3) ){
      case 0:  *z = PICK(aTag);             break;
      case 1:  *z = (u8)unitRandom();       break;
      default: p->n -= unitBelow(2);        break;
    }
  }
}

static void testRandom(int nCase){
  KvBuf text, value, path, new, out;
  int i, nSpliced = 0, nDamaged = 0, nOk = 0;
  kvBufInit(&text, 0, 0);
  kvBufInit(&value, 0, 0);
  kvBufInit(&path, 0, 0);
  kvBufInit(&new, 0, 0);
  kvBufInit(&out, 0, 0);
  for(i=0; i<nCase; i++){
    int eEncoding = 0, rc = KV_OK;
    kvBufReset(&text);
    kvBufReset(&value);
    kvBufReset(&path);
    kvBufReset(&new);
    kvBufReset(&out);
    putValue(&text, 4, unitBelow(4)==0);
    putPath(&path);
    if( unitBelow(3) ) putValue(&new, 1, unitBelow(4)==0);
    CHECK(path.eErr==KV_OK);
    if( encode(&text, 13 + (int)unitBelow(4), &value, &eEncoding)!=KV_OK || eEncoding!=1 ) continue;
    if( new.n>0 && unitBelow(2) ){               /* what an unmarked value can be */
      kvBufReset(&new);
      kvBufText(&new, azLeaf[unitBelow(19)]);
      nSpliced += compare(&value, &path, &new, 0, 1, &out, &rc);
    }else{
      nSpliced += compare(&value, &path, &new, 1, 1, &out, &rc);
    }
    nOk += rc==KV_OK;
    kvBufReset(&out);
    damage(&value);
    nDamaged += compare(&value, &path, &new, 1, 0, &out, &rc);
  }
  printf("%d cases, %d changed, %d spliced, %d of damaged bytes\n", nCase, nOk, nSpliced, nDamaged);
  CHECK(nSpliced>nCase/20 && nOk>nSpliced && nDamaged>0);
  kvBufClear(&text);
  kvBufClear(&value);
  kvBufClear(&path);
  kvBufClear(&new);
  kvBufClear(&out);
}

/* Each allocation of an edit fails in turn. */
static void testNoMemory(void){
  static const struct { const char *zValue, *zPath, *zNew; } a[] = {
    { "{a:1,b:'x'}", "$.a", "'a longer one'" },
    { "{a:1,b:'x'}", "$.c.\"d e\".f", "[1,2]" },
    { "{a:1,b:'x'}", "$.b", 0 },
    { "{a:new Map([[1,2]]),b:[1,,2]}", "$.b[1]", "{}" },
    { "{a:new Map([[1,2]]),b:[,,,2]}", "$.b[1]", "<ref *1> [[Circular *1]]" },
    { "{a:new Map([[1,2]])}", "$.a.x[0].y[#]", "new Set([1])" },
    { "{a:new Set([1,2])}", "$.a[#]", "2" },
    { "{a:<ref *1> {},b:[Circular *1]}", "$.a", 0 },
    { "{e:new Error('x')}", "$.e.cause", "new Int8Array([1])" },
    { "{i:new Int8Array(3)}", "$.i[2]", "5" },
  };
  size_t i;
  for(i=0; i<sizeof(a)/sizeof(a[0]); i++){
    u64 iFail;
    int rc = KV_NOMEM;
    for(iFail=1; rc==KV_NOMEM && iFail<100; iFail++){
      KvBuf text, value, out;
      KvTree tree;
      KvEdit edit;
      KvErr err = { KV_OK, -1, 0 };
      int bPlace;
      memset(&edit, 0, sizeof(edit));
      for(bPlace=0; bPlace<2; bPlace++){
        kvBufInit(&text, 0, 0);
        kvBufInit(&value, 0, 0);
        kvBufInit(&out, 0, 0);
        kvTreeInit(&tree);
        kvBufText(&text, a[i].zValue);
        CHECK(encode(&text, 15, &value, &edit.eEncoding)==KV_OK);
        if( a[i].zNew ) CHECK(kvJsParse(&tree, kvBytesText(a[i].zNew), &err)==KV_OK);
        edit.value = kvBufBytes(&value);
        edit.path = kvBytesText(a[i].zPath);
        edit.pNew = a[i].zNew ? &tree : 0;
        edit.bTyped = 1;
        edit.iVersion = 15;
        edit.pOut = &out;
        if( bPlace ) unitPlaceFails = unitPlaces + iFail;
        else unitAllocFails = unitAllocs + iFail;
        rc = kvEdit(&edit, &err);
        unitPlaceFails = unitAllocFails = 0;
        CHECK_OF(rc==KV_OK || (rc==KV_NOMEM && err.eCode==KV_NOMEM), a[i].zPath);
        kvBufClear(&text);
        kvBufClear(&value);
        kvBufClear(&out);
        kvTreeClear(&tree);
      }
    }
    CHECK_OF(rc==KV_OK, a[i].zPath);
  }
}

int main(int argc, char **argv){
  unitSeed(argc, argv);
  testNoMemory();
  testRandom(argc>2 ? atoi(argv[2]) : 60000);
  return unitDone();
}
