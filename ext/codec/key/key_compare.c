/*
** key_compare.c -- the order of key texts.  See key_compare.h.
*/
#include "codec/key/key_compare.h"
#include "codec/key/key_parse.h"

static int compareIsDigit(u8 c){
  return c>='0' && c<='9';
}

/* A byte of a plain string, greater than the quote at its end. */
static int compareIsPlain(u8 c){
  return c>'"' && c<0x7f && c!='\\' && c!='\'' && c!='`';
}

/* Is a text, from byte i on, the rest of a plain string (or of an integer) that is its last
** part? */
static int compareIsLast(KvBytes text, u32 i, int bString){
  u32 iEnd, n = bString ? 2 : 1;
  if( text.n<n+1 || i>text.n-n || text.p[text.n-1]!=']' ) return 0;
  iEnd = text.n - n;
  if( bString && text.p[iEnd]!='"' ) return 0;
  while( i<iEnd && (bString ? compareIsPlain(text.p[i]) : compareIsDigit(text.p[i])) ) i++;
  return i==iEnd;
}

/*
** The short way for texts that only differ in their last part, if that is a plain string
** or an integer of as many digits: the order of the bytes is that of the keys.  (And of
** the texts: what is before is the same, so both are keys or neither is.)  0: not such.
*/
static int compareShort(KvBytes a, KvBytes b){
  u32 i = 0, iFirst, nMost = a.n<b.n ? a.n : b.n;
  int bString;
  while( i<nMost && a.p[i]==b.p[i] ) i++;
  iFirst = i;
  while( iFirst>0 && compareIsDigit(a.p[iFirst-1]) ) iFirst--;
  bString = iFirst==0 || (a.p[iFirst-1]!=',' && a.p[iFirst-1]!='[') || a.n!=b.n
         || !compareIsLast(a, i, 0) || !compareIsLast(b, i, 0);
  if( bString ){
    for(iFirst=i; iFirst>0 && compareIsPlain(a.p[iFirst-1]); iFirst--){}
    if( iFirst<2 || a.p[iFirst-1]!='"' || (a.p[iFirst-2]!=',' && a.p[iFirst-2]!='[') ) return 0;
    if( !compareIsLast(a, i, 1) || !compareIsLast(b, i, 1) ) return 0;
  }else if( a.n-iFirst>16 || (a.n-iFirst>2 && (a.p[iFirst]=='0' || b.p[iFirst]=='0')) ){
    return 0;
  }
  return a.p[i]<b.p[i] ? -1 : 1;
}

int kvKeyCompare(KvBytes textA, KvBytes textB){
  u8 aSpaceA[KV_COMPARE_STACK], aSpaceB[KV_COMPARE_STACK];
  KvBuf a, b;
  int rcA, rcB, c;
  if( kvBytesEqual(textA, textB) ) return 0;
  c = compareShort(textA, textB);
  if( c!=0 ) return c;
  kvBufInit(&a, aSpaceA, sizeof(aSpaceA));
  kvBufInit(&b, aSpaceB, sizeof(aSpaceB));
  rcA = kvKeyParse(textA, KVKEY_MALFORMED, &a, 0, 0);
  rcB = kvKeyParse(textB, KVKEY_MALFORMED, &b, 0, 0);
  if( rcA==KV_OK && rcB==KV_OK ){
    c = kvBytesCompare(kvBufBytes(&a), kvBufBytes(&b));
  }else if( rcA!=KV_OK && rcB!=KV_OK ){
    c = kvBytesCompare(textA, textB);
  }else{
    c = rcA==KV_OK ? -1 : 1;
  }
  kvBufClear(&a);
  kvBufClear(&b);
  return c;
}
