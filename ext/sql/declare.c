/*
** declare.c -- declaring an index.  See declare.h.
*/
#include "sql/declare.h"
#include "sql/args.h"
#include "bytes/utf.h"
#include "codec/path.h"
#include "store/schema.h"

/* The options as they are kept: each word once, in a fixed order. */
static void declareOptions(KvDeclare *p, const char *z){
  static const char *const azWord[] = { "unique", "lower", "copy", "overwrite" };
  enum { KEPT = 3, WORDS = 4 };        /* The first three are kept */
  int abSet[WORDS] = { 0 };
  size_t nOut = 0;
  int i;
  for(z+=strspn(z, " ,\t\r\n"); *z; z+=strspn(z, " ,\t\r\n")){
    int n = (int)strcspn(z, " ,\t\r\n");
    for(i=0; i<WORDS; i++){
      if( n==(int)strlen(azWord[i]) && sqlite3_strnicmp(z, azWord[i], n)==0 ) break;
    }
    if( i==WORDS ){
      kvError(kvStoreError(p->pStore), SQLITE_ERROR,
          "kv: kv_index(): unknown option '%!.*s'; the options are "
          "unique, lower, copy and overwrite", n<100 ? n : 100, z);
      return;
    }
    abSet[i] = 1;
    z += n;
  }
  for(i=0; i<KEPT; i++){
    if( !abSet[i] ) continue;
    sqlite3_snprintf(10, &p->zOptions[nOut], "%s%s", nOut ? " " : "", azWord[i]);
    nOut += strlen(&p->zOptions[nOut]);
  }
  p->bOverwrite = abSet[WORDS-1]!=0;
}

/* A value, text of SQL as it should be.  What is behind a NUL would be lost, and a
** name that is no UTF-8 would make keys that Deno can't read. */
static const char *declareText(KvDeclare *p, sqlite3_value *pVal, const char *zWhat){
  KvError *pError = kvStoreError(p->pStore);
  const char *z = (const char*)kvArgName(pVal, pError).p;
  u32 n = (u32)sqlite3_value_bytes(pVal);
  if( z==0 || n==0 ){
    kvError(pError, SQLITE_ERROR,
        "kv: kv_index(): takes a name, the prefix of the entries as a key, "
        "a path such as $.email, and options");
  }else if( strlen(z)!=n || !kvUtf8Valid(kvBytes(z, n)) ){
    kvError(pError, SQLITE_ERROR, "kv: kv_index(): the %s is no UTF-8 text, or has a NUL in it",
        zWhat);
  }
  return z;
}

/* A path that is none is found here, before anything is written. */
static void declarePath(KvDeclare *p){
  KvTree tree;
  KvErr err;
  u32 iNode;
  i64 iElem;
  if( kvFailed(kvStoreError(p->pStore)) ) return;
  kvTreeInit(&tree);
  if( kvPathFind(&tree, kvBytesText(p->def.zPath), &iNode, &iElem, &err)!=KV_OK ){
    kvErrorCodec(kvStoreError(p->pStore), "kv_index(): path", &err);
  }
  kvTreeClear(&tree);
}

void kvDeclareRead(KvDeclare *p, KvStore *pStore, sqlite3_value **apVal, int n){
  KvErr err;
  const char *zOptions = 0;
  memset(p, 0, sizeof(*p));
  kvBufInit(&p->prefix, 0, 0);
  p->pStore = pStore;
  p->def.zName = declareText(p, apVal[0], "name");
  p->def.zPath = declareText(p, apVal[2], "path");
  p->def.zOptions = p->zOptions;
  if( n>3 ) zOptions = (const char*)kvArgName(apVal[3], kvStoreError(pStore)).p;
  if( zOptions ) declareOptions(p, zOptions);
  declarePath(p);
  if( kvArgKey(apVal[1], 0, &p->prefix, 0, &err)!=KV_OK ){
    kvErrorCodec(kvStoreError(pStore), "kv_index(): prefix", &err);
  }
  p->def.prefix = kvBufBytes(&p->prefix);
}

void kvDeclareClear(KvDeclare *p){
  kvBufClear(&p->prefix);
}

int kvDeclared(const KvDeclare *p){
  const KvIndexDef *pOld = 0;
  if( kvFailed(kvStoreError(p->pStore)) ) return 1;
  if( kvSchemaOpen(p->pStore)==KV_STORE_READY && kvIndexList(p->pStore)>0 ){
    pOld = kvIndexNamed(p->pStore, p->def.zName);
  }
  return pOld && kvIndexDefFits(pOld, &p->def);
}

i64 kvDeclare(const KvDeclare *p){
  return kvIndexCreate(p->pStore, &p->def, p->bOverwrite);
}
