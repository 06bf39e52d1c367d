/*
** declare.c -- declaring an index.  See declare.h.
*/
#include "sql/index/declare.h"
#include "sql/args.h"
#include "bytes/utf.h"
#include "codec/index_spec.h"
#include "store/index/dirty.h"
#include "store/schema.h"

/* Append an option, and what goes with it. */
static void declareOption(KvBuf *pOut, const char *zWord){
  if( pOut->n ) kvBufPut(pOut, ' ');
  kvBufText(pOut, zWord);
}

/* The words of options, in the order in which they are kept: the first KEPT of them. */
static const char *const azDeclareWord[] = {
  "unique", "lower", "copy", "fulltext", "overwrite", "where"
};
enum { DECLARE_FULLTEXT = 3, DECLARE_KEPT = 4, DECLARE_OVERWRITE = 4, DECLARE_WHERE = 5,
       DECLARE_WORDS = 6 };

/* Read the words up to the condition, as a mask of those present.  *pz: what is after them.
** The value of tokenize is appended to pTokenize. */
static int declareWords(KvDeclare *p, const char **pz, KvBuf *pTokenize, int *pbTokenize){
  const char *z = *pz;
  int i, m = 0;
  for(z+=strspn(z, " ,\t\r\n"); *z && !(m & 1<<DECLARE_WHERE); z+=strspn(z, " ,\t\r\n")){
    int n = (int)strcspn(z, " ,\t\r\n");
    int nTokenize = (int)kvIndexTokenize(kvBytesText(z), 0);
    if( nTokenize ){
      kvBufReset(pTokenize);
      kvIndexTokenize(kvBytesText(z), pTokenize);
      *pbTokenize = 1;
      z += nTokenize;
      continue;
    }
    for(i=0; i<DECLARE_WORDS; i++){
      const char *zWord = azDeclareWord[i];
      if( n==(int)strlen(zWord) && sqlite3_strnicmp(z, zWord, n)==0 ) break;
    }
    if( i==DECLARE_WORDS ){
      kvError(kvStoreError(p->pStore), SQLITE_ERROR,
          "kv: kv_index(): unknown option '%!.*s'; the options are unique, lower, copy, "
          "overwrite, fulltext, tokenize and, at the end, where", n<100 ? n : 100, z);
      return 0;
    }
    m |= 1<<i;
    z += n;
  }
  *pz = z;
  return m;
}

/* What does not go together. */
static void declareTogether(KvDeclare *p, int mWords, int bTokenize){
  int bSearch = mWords>>DECLARE_FULLTEXT & 1;
  int mMore = mWords & ~(1<<DECLARE_FULLTEXT | 1<<DECLARE_WHERE);
  if( bSearch && mMore ){
    int i = 0;
    while( !(mMore>>i & 1) ) i++;
    kvError(kvStoreError(p->pStore), SQLITE_ERROR,
        "kv: kv_index(): %s is not an option of a full-text index; fulltext allows "
        "only tokenize and where", azDeclareWord[i]);
  }else if( bTokenize && !bSearch ){
    kvError(kvStoreError(p->pStore), SQLITE_ERROR,
        "kv: kv_index(): tokenize is an option of a full-text index; add fulltext");
  }
}

/* The options as they are kept: each word once, in a fixed order, and the condition. */
static void declareOptions(KvDeclare *p, const char *z){
  KvBuf tokenize = { 0 };
  int i, bTokenize = 0, mWords = declareWords(p, &z, &tokenize, &bTokenize);
  u32 k;
  declareTogether(p, mWords, bTokenize);
  for(i=0; i<DECLARE_KEPT; i++){
    if( mWords>>i & 1 ) declareOption(&p->options, azDeclareWord[i]);
  }
  if( bTokenize ){
    declareOption(&p->options, "tokenize=\"");
    for(k=0; k<tokenize.n; k++){
      kvBufPut(&p->options, tokenize.a[k]);
      if( tokenize.a[k]=='"' ) kvBufPut(&p->options, '"');
    }
    kvBufPut(&p->options, '"');
  }
  if( mWords>>DECLARE_WHERE & 1 ){
    size_t n = strlen(z += strspn(z, " \t\r\n"));
    while( n>0 && strchr(" \t\r\n", z[n-1]) ) n--;
    declareOption(&p->options, "where ");
    p->nHead = p->options.n;
    kvBufAppend(&p->options, z, n);
  }
  if( tokenize.eErr!=KV_OK ) p->options.eErr = tokenize.eErr;
  kvBufClear(&tokenize);
  p->bOverwrite = mWords>>DECLARE_OVERWRITE & 1;
  p->bSearch = mWords>>DECLARE_FULLTEXT & 1;
}

/* Text of SQL as it should be?  What is after a NUL would be lost, and a name that is no
** UTF-8 would make keys that Deno can't read. */
static void declareClean(KvDeclare *p, const char *z, u32 n, const char *zWhat){
  if( strlen(z)==n && kvUtf8Valid(kvBytes(z, n)) ) return;
  kvError(kvStoreError(p->pStore), SQLITE_ERROR,
      "kv: kv_index(): the %s must be UTF-8 text without NUL", zWhat);
}

/* A value that has to be there. */
static const char *declareText(KvDeclare *p, sqlite3_value *pVal, const char *zWhat){
  KvError *pError = kvStoreError(p->pStore);
  const char *z = (const char*)kvArgName(pVal, pError).p;
  u32 n = (u32)sqlite3_value_bytes(pVal);
  if( z==0 || n==0 ){
    kvError(pError, SQLITE_ERROR,
        "kv: kv_index(): the arguments are a name, a prefix as key text, a path such "
        "as $.email, and options");
  }else{
    declareClean(p, z, n, zWhat);
  }
  return z;
}

/* Is there white space in a key without quotes?  Such as the DESC of "$.age DESC". */
static int declareSpaced(const KvIndexSpec *p){
  u32 i, k;
  for(i=0; i<p->nPath; i++){
    int bQuoted = 0;
    for(k=0; k<p->aPath[i].n; k++){
      u8 c = p->aPath[i].p[k];
      if( c=='"' ) bQuoted = !bQuoted;
      else if( c=='\\' && bQuoted ) k++;
      else if( !bQuoted && (c==' ' || (c>=9 && c<=13)) ) return 1;
    }
  }
  return 0;
}

/* A path that is none is found here, before anything is written; so is a condition. */
static void declarePath(KvDeclare *p){
  KvError *pError = kvStoreError(p->pStore);
  const char *zWhere = p->nHead ? &p->def.zOptions[p->nHead - 1] : "";
  KvIndexSpec spec;
  KvBuf space;
  KvErr err;
  int bWhere;
  kvBufInit(&space, 0, 0);
  kvBufGrow(&space, p->options.n + 1);
  kvErrorBuf(pError, &space);
  if( !kvFailed(pError)
   && kvIndexSpec(&spec, kvBytesText(p->def.zPath), kvBytesText(zWhere),
                  p->bSearch, space.a, &bWhere, &err)!=KV_OK
  ){
    kvErrorCodec(pError, bWhere ? "kv_index(): where" : "kv_index(): path", &err);
  }
  if( !kvFailed(pError) && declareSpaced(&spec) ){
    kvError(pError, SQLITE_ERROR, "kv: kv_index(): path: a key with white space needs double "
        "quotes; an index has no ASC or DESC: it is read in both directions");
  }
  kvBufClear(&space);
}

void kvDeclareRead(KvDeclare *p, KvStore *pStore, sqlite3_value **apVal, int n){
  KvErr err;
  const char *zOptions = 0;
  memset(p, 0, sizeof(*p));
  kvBufInit(&p->prefix, 0, 0);
  kvBufInit(&p->options, 0, 0);
  p->pStore = pStore;
  p->def.zName = declareText(p, apVal[0], "name");
  p->def.zPath = declareText(p, apVal[2], "path");
  if( n>3 ) zOptions = (const char*)kvArgName(apVal[3], kvStoreError(pStore)).p;
  if( zOptions ){
    declareOptions(p, zOptions);
    declareClean(p, zOptions, (u32)sqlite3_value_bytes(apVal[3]), "text of the options");
  }
  kvBufTerminate(&p->options);
  kvErrorBuf(kvStoreError(pStore), &p->options);
  p->def.zOptions = p->options.a ? (const char*)p->options.a : "";
  declarePath(p);
  if( kvArgKey(apVal[1], 0, &p->prefix, 0, &err)!=KV_OK ){
    kvErrorCodec(kvStoreError(pStore), "kv_index(): prefix", &err);
  }
  p->def.prefix = kvBufBytes(&p->prefix);
}

void kvDeclareClear(KvDeclare *p){
  kvBufClear(&p->prefix);
  kvBufClear(&p->options);
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
