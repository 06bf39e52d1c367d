/*
** unit.h -- the frame of a unit test: a program that counts its checks.
**
** A failed CHECK() says where and goes on.  main() ends with
** "return unitDone();", which prints the counts as the last line.
*/
#ifndef KV_UNIT_H
#define KV_UNIT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bytes/buf.h"

static long unitPassed, unitFailed;
static u64 unitState;

/* Count a check.  Returns true if it passed. */
static inline int unitCheck(int b, const char *zFile, int iLine, const char *zWhat){
  if( b ){
    unitPassed++;
  }else if( ++unitFailed<=50 ){
    printf("%s:%d: failed: %s\n", zFile, iLine, zWhat);
  }
  return b;
}
#define CHECK(B) unitCheck((B)!=0, __FILE__, __LINE__, #B)

/* The same, and say of which of many inputs. */
#define CHECK_OF(B,Z) do{ \
  if( !CHECK(B) && unitFailed<=50 ) printf("  with: %s\n", (Z)); \
}while( 0 )

/* Start the random numbers: with the program's argument, else as KV_SEED says,
** which is a number (1 without it) or "new". */
static inline void unitSeed(int argc, char **argv){
  const char *z = argc>1 ? argv[1] : getenv("KV_SEED");
  u64 iSeed = z==0 ? 1 : strcmp(z, "new")==0 ? (u64)time(0) : (u64)strtoull(z, 0, 10);
  printf("seed %llu\n", (unsigned long long)iSeed);
  unitState = iSeed*0x9e3779b97f4a7c15u + 0x1234567u;
}

/* 64 random bits (splitmix64). */
static inline u64 unitRandom(void){
  u64 x = unitState += 0x9e3779b97f4a7c15u;
  x = (x ^ x>>30)*0xbf58476d1ce4e5b9u;
  x = (x ^ x>>27)*0x94d049bb133111ebu;
  return x ^ x>>31;
}

/* A random number below n. */
static inline u32 unitBelow(u32 n){ return (u32)(unitRandom()%n); }

/* Allocations so far, and the number of the one that fails (0: none).  The same
** for the places that only need memory at times. */
static u64 unitAllocs, unitAllocFails, unitPlaces, unitPlaceFails;
int kvTestAlloc(u64 n);
int kvTestAlloc(u64 n){
  if( n==0 ) return ++unitPlaces==unitPlaceFails;
  return ++unitAllocs==unitAllocFails;
}

/* Print the counts.  Returns main()'s result. */
static inline int unitDone(void){
  printf("%ld passed, %ld failed\n", unitPassed, unitFailed);
  return unitFailed!=0;
}

#endif /* KV_UNIT_H */
