/*
** fuzz.h -- what the fuzz targets share.
**
** A target is a file that defines LLVMFuzzerTestOneInput(), and perhaps
** LLVMFuzzerCustomMutator().  Linked with libFuzzer it is what "make fuzz"
** runs; linked with driver.c it replays seeds, regressions and mutations of
** them, which tests/fuzz.test does.
**
** MUST() states a property; where it does not hold the process is aborted,
** and the input is the find.  Every byte that a codec asks for is counted:
** fuzzBudget() states how many an input may cost.
*/
#ifndef KV_FUZZ_H
#define KV_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bytes/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *a, size_t n);
size_t LLVMFuzzerMutate(uint8_t *a, size_t n, size_t nMost);
size_t LLVMFuzzerCustomMutator(uint8_t *a, size_t n, size_t nMost, unsigned iSeed);

/* Abort with a message unless b. */
static inline void fuzzMust(int b, const char *zFile, int iLine, const char *zWhat){
  if( b ) return;
  fprintf(stderr, "%s:%d: does not hold: %s\n", zFile, iLine, zWhat);
  fflush(stderr);
  abort();
}
#define MUST(B) fuzzMust((B)!=0, __FILE__, __LINE__, #B)

#ifdef KV_STANDALONE
/* Bytes asked for since fuzzBegin(). */
static u64 fuzzBytes;
int kvTestAlloc(u64 n);
int kvTestAlloc(u64 n){
  fuzzBytes += n;
  return 0;
}
static inline void fuzzBegin(void){ fuzzBytes = 0; }
/* What was asked for is at most nPer bytes for each of n bytes of input. */
#define fuzzBudget(n,nPer) MUST( fuzzBytes<=(u64)(n)*(nPer) + 65536 )
#endif

/* A copy of exactly n bytes, so that the sanitizer sees a read beyond them.
** To be freed. */
static inline char *fuzzCopy(const void *a, size_t n){
  char *z = malloc(n ? n : 1);
  if( z==0 ) abort();
  if( n ) memcpy(z, a, n);
  return z;
}

/* Does the input hold this text? */
static inline int fuzzHas(const uint8_t *a, size_t n, const char *z){
  size_t i, k = strlen(z);
  for(i=0; i+k<=n; i++) if( memcmp(&a[i], z, k)==0 ) return 1;
  return 0;
}

/*
** Several texts in one input: its first two bytes say where the rest is cut
** in three.  Where 255 is, nothing is cut off.
*/
typedef struct FuzzCut FuzzCut;
struct FuzzCut {
  char *az[3];            /* Exact copies */
  u32 an[3];
};
static inline void fuzzCut(FuzzCut *p, const uint8_t *a, size_t n){
  size_t i1, i2;
  u32 i;
  if( n<2 ){
    i1 = i2 = 0;
    n = 0;
  }else{
    n -= 2;
    i1 = a[0]==255 ? n : n*a[0]/255;
    i2 = i1 + (a[1]==255 ? n-i1 : (n-i1)*a[1]/255);
    a += 2;
  }
  p->an[0] = (u32)i1;
  p->an[1] = (u32)(i2 - i1);
  p->an[2] = (u32)(n - i2);
  for(i=0; i<3; i++){
    p->az[i] = fuzzCopy(a, p->an[i]);
    if( p->an[i] ) a += p->an[i];
  }
}
static inline void fuzzUncut(FuzzCut *p){
  u32 i;
  for(i=0; i<3; i++) free(p->az[i]);
}

/* Are the two buffers equal? */
static inline int fuzzEqual(const KvBuf *pA, const KvBuf *pB){
  return pA->n==pB->n && (pA->n==0 || memcmp(pA->a, pB->a, pA->n)==0);
}
static inline int fuzzSign(int c){ return (c>0) - (c<0); }

#endif /* KV_FUZZ_H */
