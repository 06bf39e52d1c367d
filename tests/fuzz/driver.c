/*
** driver.c -- runs a fuzz target without libFuzzer: the inputs of some files,
** then mutations of them.
**
**   usage: fuzz_NAME [-n N] [-seed S] [-dict FILE] [-export DIR] FILE ...
**
** A line of a FILE is an input in hexadecimal, perhaps with a name before it:
**
**   name: 01ff0f30        # the part after a # is a comment
**
** After all inputs N mutations are run (of inputs that the seed S picks).  The
** last line says how many of both passed.  When an input fails it is printed
** in that form, and the exit status is not 0.  With -export the inputs are
** written to a file each instead, for libFuzzer.
*/
#include <signal.h>
#include <unistd.h>
#include "fuzz/fuzz.h"
#include <sanitizer/common_interface_defs.h>

#define MOST 65536        /* Bytes of an input */

typedef struct Input Input;
struct Input {
  char *zName;            /* Or 0 */
  uint8_t *a;
  size_t n;
};

static Input *aInput;
static size_t nInput;
static char **azWord;     /* The dictionary: length in an int, bytes */
static size_t *anWord;
static size_t nWord;
static u64 iState;

/* What is running. */
static const uint8_t *aNow;
static size_t nNow;
static const char *zNow;

#pragma weak LLVMFuzzerCustomMutator
/* Not there in a build that counts and has no sanitizers. */
#pragma weak __sanitizer_set_death_callback

static void *take(void *p){
  if( p==0 ) abort();
  return p;
}

/* Below n, which is not 0 (splitmix64). */
static size_t below(size_t n){
  u64 x = iState += 0x9e3779b97f4a7c15u;
  x = (x ^ x>>30)*0xbf58476d1ce4e5b9u;
  x = (x ^ x>>27)*0x94d049bb133111ebu;
  return (size_t)((x ^ x>>31) % n);
}

static void died(void){
  size_t i;
  fprintf(stderr, "\n%s: ", zNow);
  for(i=0; i<nNow; i++) fprintf(stderr, "%02x", aNow[i]);
  fprintf(stderr, "\n");
  fflush(stderr);
}
static void onSignal(int eSignal){
  if( eSignal==SIGALRM ) fprintf(stderr, "takes too long\n");
  died();
  _exit(1);
}

static void run(const char *zName, const uint8_t *a, size_t n){
  char *aCopy = fuzzCopy(a, n);
  zNow = zName;
  aNow = (uint8_t*)aCopy;
  nNow = n;
  alarm(120);
  LLVMFuzzerTestOneInput((uint8_t*)aCopy, n);
  alarm(0);
  free(aCopy);
}

/************************************************************************
** Files
*/
static int digit(int c){
  if( c>='0' && c<='9' ) return c - '0';
  return c>='a' && c<='f' ? c - 'a' + 10 : -1;
}

static void addLine(char *z){
  Input in = {0, 0, 0};
  char *zColon;
  z[strcspn(z, "#\r\n")] = 0;
  zColon = strchr(z, ':');
  if( zColon ){
    *zColon = 0;
    in.zName = take(strdup(z));
    z = zColon + 1;
  }
  z += strspn(z, " \t");
  if( *z==0 && zColon==0 ) return;
  in.a = take(malloc(strlen(z)/2 + 1));
  while( digit(z[0])>=0 && digit(z[1])>=0 ){
    in.a[in.n++] = (uint8_t)(digit(z[0])*16 + digit(z[1]));
    z += 2;
  }
  if( z[strspn(z, " \t")]!=0 ){
    fprintf(stderr, "not hexadecimal: %s\n", z);
    exit(2);
  }
  if( (nInput & (nInput+1))==0 ) aInput = take(realloc(aInput, (2*nInput+2)*sizeof(Input)));
  aInput[nInput++] = in;
}

static void readFile(const char *zFile){
  static char zLine[4*MOST];
  FILE *f = fopen(zFile, "r");
  if( f==0 ){
    perror(zFile);
    exit(2);
  }
  while( fgets(zLine, sizeof(zLine), f) ) addLine(zLine);
  fclose(f);
}

/* A dictionary in libFuzzer's form: "words" with \\, \" and \xHH. */
static void readDict(const char *zFile){
  static char zLine[4096];
  FILE *f = fopen(zFile, "r");
  if( f==0 ){
    perror(zFile);
    exit(2);
  }
  while( fgets(zLine, sizeof(zLine), f) ){
    char *z = strchr(zLine, '"'), *zOut;
    if( zLine[0]=='#' || z==0 ) continue;
    azWord = take(realloc(azWord, (nWord+1)*sizeof(char*)));
    anWord = take(realloc(anWord, (nWord+1)*sizeof(size_t)));
    zOut = azWord[nWord] = take(malloc(strlen(z)));
    for(z++; *z && *z!='"'; z++){
      if( *z=='\\' && z[1]=='x' && digit(z[2])>=0 && digit(z[3])>=0 ){
        *zOut++ = (char)(digit(z[2])*16 + digit(z[3]));
        z += 3;
      }else{
        if( *z=='\\' ) z++;
        *zOut++ = *z;
      }
    }
    anWord[nWord] = (size_t)(zOut - azWord[nWord]);
    nWord++;
  }
  fclose(f);
}

static void export(const char *zDir){
  size_t i;
  for(i=0; i<nInput; i++){
    char zPath[4096];
    FILE *f;
    snprintf(zPath, sizeof(zPath), "%s/%06u", zDir, (unsigned)i);
    f = fopen(zPath, "wb");
    if( f==0 || fwrite(aInput[i].a, 1, aInput[i].n, f)!=aInput[i].n || fclose(f) ){
      perror(zPath);
      exit(2);
    }
  }
}

/************************************************************************
** Mutation
*/

/* Replace nOld bytes at i by nNew others; returns the new length. */
static size_t splice(uint8_t *a, size_t n, size_t nMost, size_t i, size_t nOld, const void *p, size_t nNew){
  if( n - nOld + nNew>nMost ) return n;
  memmove(&a[i+nNew], &a[i+nOld], n - i - nOld);
  memcpy(&a[i], p, nNew);
  return n - nOld + nNew;
}

size_t LLVMFuzzerMutate(uint8_t *a, size_t n, size_t nMost){
  static const uint8_t aValue[] = {0, 1, 0x7f, 0x80, 0xff, '[', '"', '0'};
  uint8_t aPart[64];
  size_t i = below(n+1), k;
  const Input *p;
  switch( below(8) ){
    case 0:
      if( i<n ) a[i] ^= (uint8_t)(1u<<below(8));
      return n;
    case 1:
      if( i<n ) a[i] = below(2) ? aValue[below(sizeof(aValue))] : (uint8_t)below(256);
      return n;
    case 2:
      aPart[0] = below(2) ? aValue[below(sizeof(aValue))] : (uint8_t)below(256);
      return splice(a, n, nMost, i, 0, aPart, 1);
    case 3:
      return splice(a, n, nMost, i, below(n-i+1), aPart, 0);
    case 4:                            /* a part of itself once more */
      k = below(n-i+1);
      if( k>sizeof(aPart) ) k = sizeof(aPart);
      memcpy(aPart, &a[i], k);
      return splice(a, n, nMost, below(n+1), 0, aPart, k);
    case 5:                            /* a part of another input */
      if( nInput==0 ) return n;
      p = &aInput[below(nInput)];
      k = below(p->n+1);
      return splice(a, n, nMost, i, below(2) ? 0 : below(n-i+1), &p->a[k], below(p->n-k+1));
    default:
      if( nWord==0 ) return n;
      k = below(nWord);
      return splice(a, n, nMost, i, below(2) ? 0 : below(n-i+1), azWord[k], anWord[k]);
  }
}

static void mutations(unsigned long nRun, unsigned long iSeed){
  static uint8_t a[MOST];
  char zName[64];
  unsigned long k;
  iState = iSeed;
  for(k=0; k<nRun && nInput>0; k++){
    const Input *p = &aInput[below(nInput)];
    size_t n = p->n<MOST ? p->n : MOST;
    size_t nStep = 1 + below(5);
    memcpy(a, p->a, n);
    while( nStep-->0 ){
      if( LLVMFuzzerCustomMutator ){
        n = LLVMFuzzerCustomMutator(a, n, MOST, (unsigned)below(0xffffffffu));
      }else{
        n = LLVMFuzzerMutate(a, n, MOST);
      }
    }
    snprintf(zName, sizeof(zName), "seed %lu mutation %lu", iSeed, k);
    run(zName, a, n);
  }
}

int main(int argc, char **argv){
  unsigned long nRun = 0, iSeed = 1;
  const char *zExport = 0;
  size_t k;
  int i;
  for(i=1; i<argc; i++){
    const char *zArg = i+1<argc ? argv[i+1] : "";
    if( strcmp(argv[i], "-n")==0 ){ nRun = strtoul(zArg, 0, 10); i++; }
    else if( strcmp(argv[i], "-seed")==0 ){ iSeed = strtoul(zArg, 0, 10); i++; }
    else if( strcmp(argv[i], "-dict")==0 ){ readDict(zArg); i++; }
    else if( strcmp(argv[i], "-export")==0 ){ zExport = zArg; i++; }
    else readFile(argv[i]);
  }
  if( zExport ){
    export(zExport);
    return 0;
  }
  signal(SIGABRT, onSignal);
  signal(SIGALRM, onSignal);
  if( __sanitizer_set_death_callback ) __sanitizer_set_death_callback(died);
  for(k=0; k<nInput; k++) run(aInput[k].zName ? aInput[k].zName : "input", aInput[k].a, aInput[k].n);
  mutations(nRun, iSeed);
  printf("%lu inputs, %lu mutations\n", (unsigned long)nInput, nInput ? nRun : 0);
  return 0;
}
