/*
** js_random.h -- random values, and values that the real Deno wrote.
*/
#ifndef KV_JS_RANDOM_H
#define KV_JS_RANDOM_H

#include "unit/js_help.h"
#include "codec/view.h"

/*
** Random trees
*/

static u32 aShared[64], nSharedObj;     /* Objects that a REF may name */

static u32 addKind(u8 eKind){ return kvTreeAdd(&tree, eKind); }

static u8 *space(const void *p, u32 n){
  u8 *a = kvTreeSpace(&tree, n);
  memcpy(a, p, n);
  return a;
}

static u32 addString(int bKey){
  static const char *const az[] = {
    "a", "", "key", "two words", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "q\"\\\n\x01", "__proto__x",
    "\xed\xa0\x80", "\xe2\x80\xa8", "01", "-1", "1.5", "length?", "\x7f"
  };
  u32 i = addKind(KV_STRING), n;
  const char *z = az[unitBelow(sizeof(az)/sizeof(az[0]))];
  char zText[64];
  n = (u32)sprintf(zText, "%s%s", z, "");
  if( bKey ) n += (u32)sprintf(&zText[n], "#%u", i);    /* unique */
  tree.aNode[i].eSub = KV_WTF8;
  tree.aNode[i].n = n;
  tree.aNode[i].u.p = space(zText, n);
  if( unitBelow(4)==0 ){                 /* the same as UTF-16 */
    u32 k, j = 0, c;
    u8 a16[128];
    for(k=0; k<n; ){
      k += (u32)kvUtf8Get(kvBytes(zText+k, n-k), &c, 1);
      if( c>0xffff ){
        u32 hi = 0xd800 + ((c-0x10000)>>10);
        a16[j++] = (u8)hi; a16[j++] = (u8)(hi>>8);
        c = 0xdc00 + (c & 0x3ff);
      }
      a16[j++] = (u8)c; a16[j++] = (u8)(c>>8);
    }
    tree.aNode[i].eSub = KV_UTF16;
    tree.aNode[i].n = j;
    tree.aNode[i].u.p = space(a16, j);
  }
  return i;
}

static u32 addNumber(void){
  static const double aSpecial[] = {0, -0.0, 1, -1, 1.5, 1e21, 1e-7, 4294967295.0, 9007199254740993.0, 5e-324};
  u32 i = addKind(KV_NUMBER);
  double r = aSpecial[unitBelow(10)];
  if( unitBelow(2) ){
    r = kvBitsToDouble(unitRandom());
    if( r!=r ) r = kvBitsToDouble(0x7ff8000000000000u);
  }
  tree.aNode[i].u.r = r;
  return i;
}

static u32 addBigint(void){
  u32 i = addKind(KV_BIGINT), n = unitBelow(20), k;
  u8 a[20];
  for(k=0; k<n; k++) a[k] = (u8)unitRandom();
  while( n>0 && a[n-1]==0 ) n--;
  tree.aNode[i].eSub = n>0 && unitBelow(2);
  tree.aNode[i].n = n;
  tree.aNode[i].u.p = space(a, n);
  return i;
}

static u32 addBuffer(void){
  u32 i = addKind(KV_BUFFER), n = unitBelow(5)*8, k, iMax;
  u8 a[32];
  memset(a, 0, sizeof(a));
  if( unitBelow(3) ) for(k=0; k<n; k++) a[k] = (u8)unitRandom();
  tree.aNode[i].n = n;
  tree.aNode[i].u.p = space(a, n);
  tree.aNode[i].eSub = (u8)unitBelow(3);
  if( tree.aNode[i].eSub==KV_BUF_RESIZABLE ){
    iMax = addKind(KV_NUMBER);
    tree.aNode[iMax].u.r = n + unitBelow(100);
    tree.aNode[i].iChild = iMax;
  }
  return i;
}

static u32 addRefTo(u32 iTarget){
  u32 i = addKind(KV_REF);
  tree.aNode[i].n = iTarget;
  tree.aNode[iTarget].mFlags |= KVN_SHARED;
  tree.nRef++;
  return i;
}

static void remember(u32 i){
  if( nSharedObj<64 && unitBelow(3)==0 ) aShared[nSharedObj++] = i;
}

static u32 addView(void){
  u32 iBuf, iReal, i, nSize, nBuf;
  iBuf = iReal = 0;
  if( nSharedObj && unitBelow(2) ){
    iReal = aShared[unitBelow(nSharedObj)];
    if( tree.aNode[iReal].eKind==KV_BUFFER ) iBuf = addRefTo(iReal);
  }
  if( iBuf==0 ){
    iBuf = iReal = addBuffer();
    remember(iBuf);
  }
  i = addKind(KV_VIEW);
  tree.aNode[i].eSub = (u8)unitBelow(KV_VIEW_COUNT);
  tree.aNode[i].iChild = iBuf;
  nSize = (u32)kvViewSize(tree.aNode[i].eSub);
  nBuf = tree.aNode[iReal].n/nSize;
  if( unitBelow(2) ){
    u32 iOff = unitBelow(nBuf+1);
    tree.aNode[i].u.iOffset = iOff*nSize;
    tree.aNode[i].n = unitBelow(nBuf-iOff+1)*nSize;
  }else{
    tree.aNode[i].n = nBuf*nSize;
  }
  if( tree.aNode[iReal].eSub==KV_BUF_RESIZABLE && unitBelow(2) ){
    tree.aNode[i].mFlags |= KVN_TRACK;
    tree.aNode[i].n = tree.aNode[iReal].n - tree.aNode[i].u.iOffset;
  }
  return i;
}

static u32 addValue(int nDepth, int bRoot);

/* Append nodes to a list of children. */
typedef struct List { u32 iFirst, iLast, n; } List;
static void append(List *p, u32 i){
  if( p->iLast ) tree.aNode[p->iLast].iNext = i; else p->iFirst = i;
  p->iLast = i;
  p->n++;
}

/* Pairs: indices from iMin on, ascending, then strings. */
static u32 addPairs(List *p, int nDepth, u32 iMin, u32 *pnEnd){
  u32 n = unitBelow(4), nPair = 0, iKey, k = iMin;
  if( unitBelow(3) ) n = 0;
  for(; n>0; n--){
    k += unitBelow(unitBelow(10)==0 ? 100000 : 4);
    iKey = addKind(KV_NUMBER);
    tree.aNode[iKey].u.r = k++;
    append(p, iKey);
    append(p, addValue(nDepth-1, 0));
    nPair++;
  }
  if( pnEnd && nPair ) *pnEnd = k;
  for(n=unitBelow(4); n>0; n--){
    append(p, addString(1));
    append(p, addValue(nDepth-1, 0));
    nPair++;
  }
  return nPair;
}

static u32 addArray(int nDepth){
  u32 i = addKind(KV_ARRAY), n = unitBelow(6), k, nEnd, nPair = 0;
  List list = {0, 0, 0};
  remember(i);
  for(k=0; k<n; k++) append(&list, unitBelow(5) ? addValue(nDepth-1, 0) : addKind(KV_HOLE));
  nEnd = n;
  if( unitBelow(4)==0 ){
    nPair = addPairs(&list, nDepth, n+1, &nEnd);      /* a hole at n */
    if( unitBelow(3)==0 ) nEnd += unitBelow(300);
  }
  tree.aNode[i].n = nEnd;
  tree.aNode[i].u.c.nElem = n;
  tree.aNode[i].u.c.nPair = nPair;
  tree.aNode[i].iChild = list.iFirst;
  return i;
}

/* An OBJECT, MAP, SET or ERROR. */
static u32 addOther(u8 eKind, int nDepth){
  u32 i = addKind(eKind), n;
  List list = {0, 0, 0};
  remember(i);
  if( eKind==KV_OBJECT ){
    n = addPairs(&list, nDepth, 0, 0);
    tree.aNode[i].n = n;
  }else if( eKind==KV_ERROR ){
    tree.aNode[i].eSub = (u8)unitBelow(KV_ERR_COUNT);
    n = unitBelow(8);
    tree.aNode[i].n = n;
    if( n & KV_ERR_MESSAGE ) append(&list, addString(0));
    if( n & KV_ERR_STACK ) append(&list, addString(0));
    if( n & KV_ERR_CAUSE ) append(&list, addValue(nDepth-1, 0));
  }else{
    for(n=unitBelow(4); n>0; n--){
      append(&list, unitBelow(3) ? addString(1) : addOther(KV_SET, nDepth-1));
      if( eKind==KV_MAP ) append(&list, addValue(nDepth-1, 0));
    }
    tree.aNode[i].n = eKind==KV_MAP ? list.n/2 : list.n;
  }
  tree.aNode[i].iChild = list.iFirst;
  return i;
}

static u32 addRegexp(void){
  static const char *const az[] = {"a+", "[/]\\/", "(?:)", "\\u{1F600}|\xc3\xa9", "^x$"};
  u32 i = addKind(KV_REGEXP), iSrc;
  const char *z = az[unitBelow(5)];
  tree.aNode[i].n = unitBelow(64);
  iSrc = addKind(KV_STRING);
  tree.aNode[iSrc].eSub = KV_WTF8;
  tree.aNode[iSrc].n = (u32)strlen(z);
  tree.aNode[iSrc].u.p = (const u8*)z;
  tree.aNode[i].iChild = iSrc;
  return i;
}

static u32 addBoxed(void){
  u32 i = addKind(KV_BOXED), iPrim;
  switch( unitBelow(4) ){
    case 0: iPrim = addKind(KV_BOOL); tree.aNode[iPrim].n = unitBelow(2); break;
    case 1: iPrim = addNumber(); break;
    case 2: iPrim = addBigint(); break;
    default: iPrim = addString(0); break;
  }
  tree.aNode[i].iChild = iPrim;
  return i;
}

static u32 addValue(int nDepth, int bRoot){
  u32 i, k = unitBelow(nDepth>0 ? 24 : 13);
  switch( bRoot ? 13 + unitBelow(11) : k ){
    case 0: return addKind(KV_UNDEFINED);
    case 1: return addKind(KV_NULL);
    case 2: i = addKind(KV_BOOL); tree.aNode[i].n = unitBelow(2); return i;
    case 3: case 4: return addNumber();
    case 5: return addBigint();
    case 6: return addString(0);
    case 7:
      i = addKind(KV_DATE);
      tree.aNode[i].u.r = unitBelow(4) ? (double)(i64)(unitRandom()>>12) : kvBitsToDouble(0x7ff8000000000000u);
      remember(i);
      return i;
    case 8: i = addRegexp(); remember(i); return i;
    case 9: i = addBoxed(); remember(i); return i;
    case 10: i = addBuffer(); remember(i); return i;
    case 11: i = addView(); remember(i); return i;
    case 12:
      if( nSharedObj==0 ) return addKind(KV_NULL);
      return addRefTo(aShared[unitBelow(nSharedObj)]);
    case 13: case 14: case 15: case 16: return addOther(KV_OBJECT, nDepth);
    case 17: case 18: return addOther(KV_MAP, nDepth);
    case 19: return addOther(KV_SET, nDepth);
    case 20: return addOther(KV_ERROR, nDepth);
    default: return addArray(nDepth);
  }
}

/*
** Vectors
*/

static u32 hexBytes(const char *z, u32 n, u8 *a){
  u32 i;
  for(i=0; i+1<n; i+=2){
    unsigned v = 0;
    sscanf(&z[i], "%2x", &v);
    a[i/2] = (u8)v;
  }
  return n/2;
}

/* A string member of the JSON object in tree2, decoded into a new text. */
static char *member(const char *zKey, u32 *pn){
  KvBuf b;
  u32 iNode;
  i64 iElem;
  KvErr err;
  kvBufInit(&b, 0, 0);
  if( kvPathFind(&tree2, kvBytesText(zKey), &iNode, &iElem, &err) || iNode==KV_NO_NODE
   || tree2.aNode[iNode].eKind!=KV_STRING
  ){
    return 0;
  }
  kvUtfAppend(&b, tree2.aNode[iNode].eSub, kvBytes(tree2.aNode[iNode].u.p, tree2.aNode[iNode].n), 1);
  *pn = b.n;
  return (char*)kvBufDetach(&b);
}

/* Call xVector with each line of a file. */
static void eachVector(const char *zFile, void (*xVector)(const char*, u32)){
  FILE *f = fopen(zFile, "rb");
  size_t nAlloc = 4000000, n;
  char *zAll, *z, *zEnd;
  if( f==0 ){
    printf("no %s\n", zFile);
    CHECK( !"vectors" );
    return;
  }
  zAll = malloc(nAlloc);
  n = fread(zAll, 1, nAlloc-1, f);
  zAll[n] = 0;
  fclose(f);
  for(z=zAll; *z; z=zEnd+1){
    zEnd = strchr(z, '\n');
    if( zEnd==0 ) break;
    *zEnd = 0;
    xVector(z, (u32)(zEnd-z));
  }
  free(zAll);
}

/* The file of vectors of values. */
static const char *vectorFile(int argc, char **argv){
  return argc>2 ? argv[2] : "tests/vectors/v8-vectors.jsonl";
}

#endif /* KV_JS_RANDOM_H */
