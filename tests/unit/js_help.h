/*
** js_help.h -- what the tests of JS text share: two trees, two buffers, and
** checks that name their input.
*/
#ifndef KV_JS_HELP_H
#define KV_JS_HELP_H

#include "unit/unit.h"
#include "codec/js/js_parse.h"
#include "codec/path.h"
#include "codec/js/js_print.h"
#include "codec/json/json_print.h"
#include "codec/v8/v8_read.h"
#include "codec/v8/v8_write.h"

static KvTree tree, tree2;
static KvBuf out, out2;

/* A copy of a text, to be freed. */
static inline char *copied(const char *z){
  size_t n = strlen(z)+1;
  return memcpy(malloc(n), z, n);
}

/* CHECK() that also says of which input; gives the result. */
static inline int checkOf(int b, int iLine, const char *zWhat, const char *zOf){
  unitCheck(b, __FILE__, iLine, zWhat);
  if( !b && unitFailed<=50 ) printf("  with: %.1000s\n", zOf);
  return b;
}
#define OF(B,Z) checkOf((B)!=0, __LINE__, #B, (Z))

/* Parse a copy of exactly n bytes, so that an overrun is noticed. */
static inline int parseN(KvTree *p, int bJson, const char *z, size_t n, KvErr *pErr){
  static char *aHeld[2];
  char **pz = &aHeld[p==&tree2];
  free(*pz);
  *pz = malloc(n ? n : 1);
  memcpy(*pz, z, n);
  kvTreeReset(p);
  pErr->eCode = KV_OK;
  return bJson ? kvJsonParse(p, kvBytes(*pz, (u32)n), pErr) : kvJsParse(p, kvBytes(*pz, (u32)n), pErr);
}

static inline int parse(const char *z, KvErr *pErr){
  return parseN(&tree, 0, z, strlen(z), pErr);
}

static inline const char *printed(KvTree *p, int nIndent, KvBuf *pBuf){
  KvErr err;
  kvBufReset(pBuf);
  if( kvJsPrint(p, nIndent, pBuf, &err) || kvBufTerminate(pBuf) ) return "(print failed)";
  return (const char*)pBuf->a;
}

static inline const char *jsonOf(KvTree *p, u32 iNode){
  KvErr err;
  kvBufReset(&out2);
  if( kvJsonPrint(p, iNode, &out2, &err) || kvBufTerminate(&out2) ) return "(print failed)";
  return (const char*)out2.a;
}

/* Links, counts and flags of a tree are as value.h says. */
static inline void checkTree(const KvTree *p, const char *zText){
  u32 i, nRef = 0;
  for(i=0; i<p->nNode; i++){
    const KvNode *pNode = &p->aNode[i];
    OF( (pNode->mFlags & KVN_MARK)==0, zText );
    OF( pNode->iNext<p->nNode && pNode->iChild<p->nNode, zText );
    if( pNode->eKind==KV_REF && p->nRef ) nRef++;
  }
  OF( p->aNode[0].iNext==0, zText );
  OF( p->nRef<=nRef, zText );
}

static inline void helpInit(int argc, char **argv){
  setvbuf(stdout, 0, _IOLBF, 0);
  unitSeed(argc, argv);
  kvTreeInit(&tree);
  kvTreeInit(&tree2);
  kvBufInit(&out, 0, 0);
  kvBufInit(&out2, 0, 0);
}

static inline int helpDone(void){
  KvErr err;
  parseN(&tree, 0, "1", 1, &err);      /* what is held becomes small */
  parseN(&tree2, 0, "1", 1, &err);
  kvTreeClear(&tree);
  kvTreeClear(&tree2);
  kvBufClear(&out);
  kvBufClear(&out2);
  return unitDone();
}

#endif /* KV_JS_HELP_H */
