/*
** search_names.c -- the names of a full-text index's tables and columns.  See
** search_names.h.
*/
#include "store/search_names.h"
#include "bytes/utf.h"
#include "codec/index_spec.h"
#include "codec/path.h"

void kvSearchTokenize(const KvIndexDef *p, KvBuf *pOut){
  const char *z = p->zOptions;
  while( z<p->zWhere && kvIndexTokenize(kvBytesText(z), pOut)==0 ){
    z += strcspn(z, " ");
    z += strspn(z, " ");
  }
}

/* The name of a path: its last key, or value. */
static void searchNamePath(KvBytes path, KvBuf *pOut){
  KvPath walk;
  int rc = kvPathStart(&walk, path);
  kvBufReset(pOut);
  while( rc==KV_OK && !kvPathAtEnd(&walk) && (rc = kvPathNext(&walk))==KV_OK ){
    if( !walk.bKey || walk.key.n==0 ) continue;
    kvBufReset(pOut);
    kvUtfAppend(pOut, walk.key.eSub, kvNodeBytes(&walk.key), 0);
  }
  kvPathClear(&walk);
  if( pOut->eErr==KV_OK && (pOut->n==0 || memchr(pOut->a, 0, pOut->n)) ){
    kvBufReset(pOut);
    kvBufLit(pOut, "value");
  }
  if( rc==KV_NOMEM ) pOut->eErr = KV_NOMEM;
  kvBufTerminate(pOut);
}

/* Is a name taken: another table's or FTS5's, or in the list? */
static int searchNameTaken(KvSearchNames *p, const KvList *pBefore, const char *z){
  static const char *const azTaken[] = { "rank", "rowid", "kv_docid", "kv_key" };
  KvBytes name;
  u32 i;
  char *zTable;
  int bTaken = 0;
  for(i=0; i<KV_COUNT(azTaken); i++) bTaken |= sqlite3_stricmp(z, azTaken[i])==0;
  for(i=0; kvListNext(pBefore, &i, &name); ){
    bTaken |= sqlite3_stricmp(z, (const char*)name.p)==0;
  }
  zTable = sqlite3_mprintf("%skv_search_%s", p->zPrefix, p->pDef->zName);
  if( zTable==0 ) p->bNoMemory = 1;
  else bTaken |= sqlite3_stricmp(z, zTable)==0;
  sqlite3_free(zTable);
  return bTaken;
}

/* The names of all columns, each with its zero, into a list. */
static void searchNameColumns(KvSearchNames *p, KvList *pOut){
  const KvIndexSpec *pSpec = &p->pDef->spec;
  KvBuf name = { 0 };
  u32 i, k;
  for(i=0; i<pSpec->nPath; i++){
    u32 n;
    searchNamePath(pSpec->aPath[i], &name);
    n = name.n;
    for(k=2; name.eErr==KV_OK && searchNameTaken(p, pOut, (const char*)name.a); k++){
      char zNumber[16];
      sqlite3_snprintf(sizeof(zNumber), zNumber, "%u", k);
      name.n = n;
      kvBufText(&name, zNumber);
      kvBufTerminate(&name);
    }
    if( name.eErr!=KV_OK ) pOut->bytes.eErr = name.eErr;
    else kvListAdd(pOut, kvBytes(name.a, name.n + 1));
  }
  kvBufClear(&name);
}

void kvSearchColumn(const KvIndexDef *p, const char *zPrefix, u32 iPath, KvBuf *pOut){
  KvSearchNames names = { p, "", zPrefix, 0, 0 };
  KvList list = { { 0 } };
  KvBytes name;
  u32 i = 0;
  searchNameColumns(&names, &list);
  while( kvListNext(&list, &i, &name) ){
    if( iPath--==0 ) kvBufText(pOut, (const char*)name.p);
  }
  if( list.bytes.eErr!=KV_OK || names.bNoMemory ) pOut->eErr = KV_NOMEM;
  kvListClear(&list);
}

/* Append a list of something for each column. */
static void searchNameList(
  KvSearchNames *p, void (*xEach)(KvSearchNames*, sqlite3_str*, u32, const char*),
  sqlite3_str *pOut
){
  KvList names = { { 0 } };
  KvBytes name;
  u32 i = 0, iCol = 0;
  searchNameColumns(p, &names);
  while( kvListNext(&names, &i, &name) ){
    if( iCol ) sqlite3_str_appendall(pOut, ", ");
    xEach(p, pOut, iCol++, (const char*)name.p);
  }
  if( names.bytes.eErr!=KV_OK ) p->bNoMemory = 1;
  kvListClear(&names);
}

static void searchNameColumn(KvSearchNames *p, sqlite3_str *pOut, u32 i, const char *z){
  (void)p; (void)i;
  sqlite3_str_appendf(pOut, "\"%w\"", z);
}
static void searchNameValue(KvSearchNames *p, sqlite3_str *pOut, u32 i, const char *z){
  (void)p; (void)z;
  sqlite3_str_appendf(pOut, "?%u", i+3);
}
static void searchNameSet(KvSearchNames *p, sqlite3_str *pOut, u32 i, const char *z){
  (void)p;
  sqlite3_str_appendf(pOut, "\"%w\" = ?%u", z, i+3);
}
static void searchNameHighlight(KvSearchNames *p, sqlite3_str *pOut, u32 i, const char *z){
  (void)z;
  sqlite3_str_appendf(pOut, "highlight(f.\"%wkv_search_%w\", %u, ?4, ?5)",
                      p->zPrefix, p->pDef->zName, i);
}

/* What a search shows beside the entry. */
static void searchNameResults(KvSearchNames *p, sqlite3_str *pOut){
  sqlite3_str_appendall(pOut, p->mMask & KVSEARCH_RANK ? ", f.rank" : ", NULL");
  if( p->mMask & KVSEARCH_SNIPPET ){
    sqlite3_str_appendf(pOut, ", snippet(f.\"%wkv_search_%w\", -1, ?4, ?5, '...', ?6)",
                        p->zPrefix, p->pDef->zName);
  }else{
    sqlite3_str_appendall(pOut, ", NULL");
  }
  if( p->mMask & KVSEARCH_HIGHLIGHT ){
    sqlite3_str_appendall(pOut, ", ");
    searchNameList(p, searchNameHighlight, pOut);
  }
}

static void searchNameTokenize(KvSearchNames *p, sqlite3_str *pOut){
  KvBuf tokenize = { 0 };
  kvSearchTokenize(p->pDef, &tokenize);
  kvBufTerminate(&tokenize);
  if( tokenize.eErr!=KV_OK ) p->bNoMemory = 1;
  if( tokenize.n && tokenize.eErr==KV_OK ){
    sqlite3_str_appendf(pOut, ", tokenize=\"%w\"", (const char*)tokenize.a);
  }
  kvBufClear(&tokenize);
}

/* The meaning of a word, for those that are more than a name. */
static int searchNameWord(KvSearchNames *p, const char *z, int n, sqlite3_str *pOut){
  static const char *const azWord[] = {
    "columns", "values", "sets", "results", "weights", "order", "tokenize", "content"
  };
  int i;
  for(i=0; i<(int)KV_COUNT(azWord); i++){
    if( (int)strlen(azWord[i])==n && memcmp(azWord[i], z, (size_t)n)==0 ) break;
  }
  switch( i ){
    case 0: searchNameList(p, searchNameColumn, pOut);     return 1;
    case 1: searchNameList(p, searchNameValue, pOut);      return 1;
    case 2: searchNameList(p, searchNameSet, pOut);        return 1;
    case 3: searchNameResults(p, pOut);                    return 1;
    case 4:
      if( p->mMask & KVSEARCH_WEIGHTS ) sqlite3_str_appendall(pOut, " AND f.rank MATCH ?3");
      return 1;
    case 5:
      if( p->mMask & KVSEARCH_ORDER ) sqlite3_str_appendall(pOut, " ORDER BY f.rank");
      if( p->mMask & KVSEARCH_DESC ) sqlite3_str_appendall(pOut, " DESC");
      return 1;
    case 6: searchNameTokenize(p, pOut);                   return 1;
    case 7:
      sqlite3_str_appendf(pOut, "'%q", p->zPrefix);
      sqlite3_str_appendf(pOut, "kv_search_%q_doc'", p->pDef->zName);
      return 1;
  }
  return 0;
}

int kvSearchPiece(KvSearchNames *p, const char *z, int n, sqlite3_str *pOut){
  static const char zHead[] = "search";
  int bAlone = n>0 && z[n-1]=='-', bDoc;
  n -= bAlone;
  if( n<6 || memcmp(z, zHead, 6)!=0 || (n>6 && z[6]!=' ') ) return 0;
  if( n>7 && searchNameWord(p, z+7, n-7, pOut) ) return 1;
  bDoc = n==10 && memcmp(z, "search doc", 10)==0;
  if( n!=6 && !bDoc ) return 0;
  if( !bAlone ) sqlite3_str_appendf(pOut, "\"%w\".", p->zSchema);
  sqlite3_str_appendf(pOut, "\"%wkv_search_%w%s\"", p->zPrefix, p->pDef->zName, bDoc ? "_doc" : "");
  return 1;
}
