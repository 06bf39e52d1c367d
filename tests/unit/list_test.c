/*
** list_test.c -- the list and the map of byte strings (bytes/list.h, bytes/map.h),
** beside a plain array.
**
** Usage:  list_test [SEED]
*/
#include "unit/unit.h"
#include "bytes/list.h"
#include "bytes/map.h"

#define MODEL_MOST 300
static u8 aModel[MODEL_MOST][8];
static u32 anModel[MODEL_MOST];

/* A short string, so that some occur twice. */
static KvBytes randomItem(u32 i){
  u32 k, n = unitBelow(4);
  for(k=0; k<n; k++) aModel[i][k] = (u8)unitBelow(3)*0x7f;
  anModel[i] = n;
  return kvBytes(aModel[i], n);
}

static KvBytes modelItem(u32 i){
  return kvBytes(aModel[i], anModel[i]);
}

/* The list holds the first n items of the model, in that order. */
static void checkList(const KvList *p, u32 n){
  KvBytes item;
  u32 i = 0, k;
  for(k=0; kvListNext(p, &i, &item); k++) CHECK( k<n && kvBytesEqual(item, modelItem(k)) );
  CHECK( k==n && i==p->bytes.n );
}

/* Sort the model and drop what occurs twice.  Returns how many are left. */
static u32 modelSort(u32 n){
  u32 i, k, nLeft = 0;
  for(i=0; i<n; i++){
    for(k=0; k<nLeft && kvBytesCompare(modelItem(k), modelItem(i))<0; k++){}
    if( k<nLeft && kvBytesEqual(modelItem(k), modelItem(i)) ) continue;
    {
      u8 a[8];
      u32 m = anModel[i];
      memcpy(a, aModel[i], 8);
      memmove(aModel[k+1], aModel[k], (nLeft-k)*8);
      memmove(&anModel[k+1], &anModel[k], (nLeft-k)*sizeof(u32));
      memcpy(aModel[k], a, 8);
      anModel[k] = m;
      nLeft++;
    }
  }
  return nLeft;
}

static void testList(void){
  KvList list = { { 0 } };
  int iTurn;
  for(iTurn=0; iTurn<300; iTurn++){
    u32 i, n = unitBelow(iTurn%10==0 ? MODEL_MOST : 8);
    kvListReset(&list);
    for(i=0; i<n; i++) kvListAdd(&list, randomItem(i));
    checkList(&list, n);
    kvListSort(&list);
    checkList(&list, modelSort(n));
  }
  kvListClear(&list);
}

/* A string that is made in the list; an empty one is left out. */
static void testMade(void){
  KvList list = { { 0 } };
  KvBytes item;
  u32 i = 0, iBegin = kvListBegin(&list);
  kvBufText(&list.bytes, "abc");
  kvListEnd(&list, iBegin);
  iBegin = kvListBegin(&list);
  kvListEnd(&list, iBegin);
  kvListAdd(&list, kvBytes(0, 0));
  CHECK( kvListNext(&list, &i, &item) && kvBytesEqual(item, kvBytesText("abc")) );
  CHECK( kvListNext(&list, &i, &item) && item.n==0 );
  CHECK( !kvListNext(&list, &i, &item) );
  kvListClear(&list);
}

static void testMap(void){
  KvMap map = { 0 };
  int iTurn;
  for(iTurn=0; iTurn<50; iTurn++){
    u32 i, n = unitBelow(MODEL_MOST);
    for(i=0; i<n; i++){
      KvMapItem *pItem = kvMapAdd(&map, randomItem(i));
      CHECK( pItem!=0 );
      if( pItem ) pItem->iValue = i + 1;
    }
    for(i=0; i<n; i++){
      KvMapItem *pItem = kvMapFind(&map, modelItem(i));
      CHECK( pItem && kvBytesEqual(modelItem((u32)pItem->iValue-1), modelItem(i)) && pItem->iValue>i );
    }
    CHECK( map.nItem==modelSort(n) );
    CHECK( kvMapFind(&map, kvBytesText("none"))==0 );
    kvMapClear(&map);
  }
}

/* Every allocation fails in turn: a list says so and shows nothing. */
static void testNoMemory(void){
  u64 iFail;
  for(iFail=1; iFail<20; iFail++){
    KvList list = { { 0 } };
    KvBytes item;
    u32 i, iAt = 0;
    unitAllocs = 0;
    unitAllocFails = iFail;
    for(i=0; i<100; i++) kvListAdd(&list, randomItem(i));
    kvListSort(&list);
    unitAllocFails = 0;
    if( unitAllocs<iFail ){
      checkList(&list, modelSort(100));
      kvListClear(&list);
      return;
    }
    CHECK( list.bytes.eErr==KV_NOMEM && !kvListNext(&list, &iAt, &item) );
    kvListClear(&list);
  }
  CHECK( 0 );
}

int main(int argc, char **argv){
  unitSeed(argc, argv);
  testList();
  testMade();
  testMap();
  testNoMemory();
  return unitDone();
}
