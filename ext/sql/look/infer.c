/*
** infer.c -- the CREATE statement of a collection.  See infer.h.
*/
#include "sql/look/infer.h"
#include "bytes/utf.h"
#include "codec/key/key_bytes.h"
#include "codec/key/key_print.h"
#include "sql/collection/collection_def.h"
#include "store/index/dirty.h"
#include "store/index/def.h"

/* An Object with more members than this is one column, and so is what is deeper. */
#define INFER_MEMBERS  40
#define INFER_DEPTH     2

typedef struct Infer Infer;
struct Infer {
  KvStore *pStore;
  KvBytes prefix;
  KvSurvey survey;
  u32 nPart;              /* Parts of a key after the prefix */
  u8 bOthers;             /* ... of the shortest: comments list the others */
  int bAll;               /* Every entry was looked at */
  u32 nIndex;
  sqlite3_str *pOut;
  KvMap names;            /* Names of columns, in lower case */
  char *zTable;           /* The name of the table */
  const KvIndexDef *pText;    /* A full-text index, or 0 */
  u32 nText;              /* Columns that it has */
};

/* What is known of all fields of one path. */
typedef struct InferColumn InferColumn;
struct InferColumn {
  int eType;              /* KV_COLTYPE_xxx */
  i64 nValue;             /* Entries with a value other than null and undefined */
  u32 iObject;            /* 1 + field of the Object, if all are Objects; else 0 */
};

/* ---- names ------------------------------------------------------------------ */

/* Add a name in lower case to the map.  False if it already exists. */
static int inferTake(Infer *p, const char *zName){
  char *z = sqlite3_mprintf("%s", zName);
  KvMapItem *pItem;
  int bNew;
  if( z ) kvLower((u8*)z, (u32)strlen(z));
  pItem = z ? kvMapAdd(&p->names, kvBytesText(z)) : 0;
  sqlite3_free(z);
  if( pItem==0 ){
    kvErrorCode(kvStoreError(p->pStore), SQLITE_NOMEM);
    return 1;
  }
  bNew = !pItem->bFound;
  pItem->bFound = 1;
  return bNew;
}

/* A name that no column has: zName, zName_2, zName_3 ...  Of sqlite3_malloc(). */
static char *inferName(Infer *p, const char *zName){
  const char *zFix = sqlite3_strnicmp(zName, "kv_", 3)==0 ? "_" : "";
  char *z = sqlite3_mprintf("%s%s", zFix, *zName ? zName : "_");
  int n = 2;
  while( z && !inferTake(p, z) ){
    sqlite3_free(z);
    z = sqlite3_mprintf("%s%s_%d", zFix, zName, n++);
  }
  if( z==0 ) kvErrorCode(kvStoreError(p->pStore), SQLITE_NOMEM);
  return z;
}

/* A name as it is written: in quotes where it isn't plain. */
static void inferPutName(sqlite3_str *pOut, const char *zName){
  const char *z;
  for(z=zName; *z=='_' || (*z>='0' && *z<='9' && z>zName) || ((*z|32)>='a' && (*z|32)<='z'); z++){}
  sqlite3_str_appendf(pOut, *z ? "\"%w\"" : "%s", zName);
}

/* Is there a member of this name at the top? */
static int inferIsMember(const Infer *p, const char *zName){
  u32 i;
  for(i=0; i<p->survey.nField; i++){
    const KvSurveyField *pField = &p->survey.aField[i];
    if( pField->zName && strchr(pField->zPath + 2, '.')==0
     && sqlite3_stricmp(pField->zName, zName)==0
    ){
      return 1;
    }
  }
  return 0;
}

/* ---- KEY columns --------------------------------------------------------------- */

static int inferPartType(const KvSurveyKeys *pKeys, u32 i){
  switch( pKeys->mType[i] ){
    case 1<<KVP_BYTES:  return KV_COLTYPE_BLOB;
    case 1<<KVP_STRING: return KV_COLTYPE_TEXT;
    case 1<<KVP_BIGINT: return KV_COLTYPE_BIGINT;
    case 1<<KVP_NUMBER: return pKeys->bWhole[i] ? KV_COLTYPE_INTEGER : KV_COLTYPE_REAL;
    case 1<<KVP_BOOL:   return KV_COLTYPE_BOOLEAN;
    default:            return KV_COLTYPE_ANY;
  }
}

static void inferKey(Infer *p){
  const KvSurveyKeys *pKeys = &p->survey.aKeys[p->nPart];
  u32 i;
  for(i=0; i<p->nPart; i++){
    char zWant[24], *zName;
    int eType = inferPartType(pKeys, i);
    if( i+1<p->nPart ) sqlite3_snprintf(sizeof(zWant), zWant, "key%d", (int)i+1);
    else sqlite3_snprintf(sizeof(zWant), zWant, "%s", inferIsMember(p, "id") ? "key" : "id");
    while( inferIsMember(p, zWant) && strlen(zWant)+2<sizeof(zWant) ) strcat(zWant, "_");
    zName = inferName(p, zWant);
    if( zName==0 ) return;
    sqlite3_str_appendall(p->pOut, ",\n  ");
    inferPutName(p->pOut, zName);
    sqlite3_str_appendf(p->pOut, "%s%s KEY", eType ? " " : "", kvCollectionTypeName(eType));
    sqlite3_free(zName);
  }
}

/* ---- the other columns ----------------------------------------------------------- */

/* The type of one field. */
static int inferFieldType(const KvSurveyField *p){
  static const struct { const char *zType; int eType; } aType[] = {
    { "string", KV_COLTYPE_TEXT },     { "boolean", KV_COLTYPE_BOOLEAN },
    { "bigint", KV_COLTYPE_BIGINT },   { "Date", KV_COLTYPE_DATETIME },
    { "Uint8Array", KV_COLTYPE_BLOB }
  };
  u32 i;
  if( strcmp(p->zType, "number")==0 ) return p->bWhole ? KV_COLTYPE_INTEGER : KV_COLTYPE_REAL;
  if( (strcmp(p->zType, "Array")==0 || strcmp(p->zType, "Object")==0) && p->bJson ){
    return KV_COLTYPE_JSON;
  }
  for(i=0; i<KV_COUNT(aType); i++){
    if( strcmp(p->zType, aType[i].zType)==0 ) return aType[i].eType;
  }
  return KV_COLTYPE_ANY;
}

/* What the fields of a path have in common; the first of them is field iFirst. */
static InferColumn inferColumn(const Infer *p, u32 iFirst){
  InferColumn col;
  u32 i, nType = 0;
  memset(&col, 0, sizeof(col));
  for(i=iFirst; i<p->survey.nField; i++){
    const KvSurveyField *pField = &p->survey.aField[i];
    if( strcmp(pField->zPath, p->survey.aField[iFirst].zPath)!=0 ) continue;
    if( strcmp(pField->zType, "null")==0 || strcmp(pField->zType, "undefined")==0 ) continue;
    col.nValue += pField->nEntry - pField->nNull;
    col.eType = inferFieldType(pField);
    col.iObject = strcmp(pField->zType, "Object")==0 ? i+1 : 0;
    nType++;
  }
  if( nType!=1 ){
    col.eType = KV_COLTYPE_ANY;
    col.iObject = 0;
  }
  return col;
}

/* Is field i the first one of its path? */
static int inferIsFirst(const Infer *p, u32 i){
  u32 k;
  for(k=0; k<i; k++){
    if( strcmp(p->survey.aField[k].zPath, p->survey.aField[i].zPath)==0 ) return 0;
  }
  return 1;
}

/* UNIQUE or INDEX, if there is an index on the path. */
static void inferIndex(Infer *p, const char *zPath, int eType){
  u32 i;
  for(i=0; i<p->nIndex && eType!=KV_COLTYPE_JSON; i++){
    const KvIndexDef *pDef = kvIndexAt(p->pStore, i);
    if( !kvIndexDefIsOf(pDef, p->prefix, zPath) ) continue;
    if( pDef->mOptions & KVINDEX_LOWER ){
      if( eType!=KV_COLTYPE_TEXT ) continue;     /* NOCASE is of TEXT */
      sqlite3_str_appendall(p->pOut, " COLLATE NOCASE");
    }
    sqlite3_str_appendf(p->pOut, " %s %Q", pDef->mOptions & KVINDEX_UNIQUE ? "UNIQUE" : "INDEX",
        pDef->zName);
    return;
  }
}

/* FULLTEXT, if the full-text index has the path. */
static void inferText(Infer *p, const char *zPath){
  u32 i;
  for(i=0; p->pText && i<p->pText->spec.nPath; i++){
    if( !kvBytesEqual(p->pText->spec.aPath[i], kvBytesText(zPath)) ) continue;
    sqlite3_str_appendall(p->pOut, " FULLTEXT");
    p->nText++;
  }
}

static void inferMembers(Infer *p, u32 iObject, const char *zHead, int nDepth);

/* The column of the path whose first field is field i, or those of its members. */
static void inferPath(Infer *p, u32 i, const char *zHead, int nDepth){
  const KvSurveyField *pField = &p->survey.aField[i];
  InferColumn col = inferColumn(p, i);
  char *zWant = sqlite3_mprintf("%s%s", zHead, pField->zName), *zName, *zPlain;
  u32 k, nMember = 0;
  if( zWant==0 ){
    kvErrorCode(kvStoreError(p->pStore), SQLITE_NOMEM);
    return;
  }
  for(k=0; col.iObject && k<p->survey.nField; k++){
    nMember += p->survey.aField[k].iParent==col.iObject-1 && p->survey.aField[k].zName
        && inferIsFirst(p, k);
  }
  if( nMember>0 && nMember<=INFER_MEMBERS && nDepth<INFER_DEPTH ){
    zName = sqlite3_mprintf("%s_", zWant);
    if( zName ) inferMembers(p, col.iObject-1, zName, nDepth+1);
    else kvErrorCode(kvStoreError(p->pStore), SQLITE_NOMEM);
  }else if( (zName = inferName(p, zWant))!=0 ){
    sqlite3_str_appendall(p->pOut, ",\n  ");
    inferPutName(p->pOut, zName);
    if( col.eType ) sqlite3_str_appendf(p->pOut, " %s", kvCollectionTypeName(col.eType));
    zPlain = sqlite3_mprintf("$.%s", zName);
    if( zPlain && strcmp(zPlain, pField->zPath)!=0 ){
      sqlite3_str_appendf(p->pOut, " AT %Q", pField->zPath);
    }
    sqlite3_free(zPlain);
    if( p->bAll && col.nValue==p->survey.nEntry ) sqlite3_str_appendall(p->pOut, " NOT NULL");
    inferIndex(p, pField->zPath, col.eType);
    inferText(p, pField->zPath);
  }
  sqlite3_free(zName);
  sqlite3_free(zWant);
}

static void inferMembers(Infer *p, u32 iObject, const char *zHead, int nDepth){
  u32 i;
  for(i=0; i<p->survey.nField && !kvFailed(kvStoreError(p->pStore)); i++){
    const KvSurveyField *pField = &p->survey.aField[i];
    if( pField->zName && pField->iParent==iObject && inferIsFirst(p, i) ){
      inferPath(p, i, zHead, nDepth);
    }
  }
}

/* ---- the statement ------------------------------------------------------------------ */

/* The last string of the prefix, if it can be the name of a table. */
static void inferTable(Infer *p){
  static const char *const azTaken[] = {
    "kv", "data_version", "queue", "queue_running", "migration_state"
  };
  KvBuf name;
  KvPart part;
  const char *zName = "entries";
  u32 i = 0;
  kvBufInit(&name, 0, 0);
  while( i<p->prefix.n && kvPartRead(p->prefix, &i, &part, 0)==KV_OK ){
    if( part.eType!=KVP_STRING || part.content.n==0 || memchr(part.content.p, 0, part.content.n) ){
      continue;
    }
    kvBufReset(&name);
    kvPartContent(&name, &part);
  }
  if( name.n>0 && kvBufTerminate(&name)==KV_OK ) zName = (const char*)name.a;
  sqlite3_free(p->zTable);
  p->zTable = sqlite3_mprintf("%s", zName);
  if( p->zTable==0 ) kvErrorCode(kvStoreError(p->pStore), SQLITE_NOMEM);
  sqlite3_str_appendall(p->pOut, "CREATE VIRTUAL TABLE temp.");
  for(i=0; i<KV_COUNT(azTaken) && sqlite3_stricmp(zName, azTaken[i])!=0; i++){}
  if( i<KV_COUNT(azTaken) || sqlite3_strnicmp(zName, "kv_", 3)==0
   || sqlite3_strnicmp(zName, "sqlite_", 7)==0
  ){
    sqlite3_str_appendf(p->pOut, "\"_%w\"", zName);
  }else if( sqlite3_keyword_check(zName, (int)strlen(zName)) ){
    sqlite3_str_appendf(p->pOut, "\"%w\"", zName);
  }else{
    inferPutName(p->pOut, zName);
  }
  kvErrorBuf(kvStoreError(p->pStore), &name);
  kvBufClear(&name);
  kvBufInit(&name, 0, 0);
  if( p->prefix.n ) kvKeyShow(&name, p->prefix);
  else kvBufText(&name, "[]");
  if( kvBufTerminate(&name)!=KV_OK ) kvErrorBuf(kvStoreError(p->pStore), &name);
  else sqlite3_str_appendf(p->pOut, " USING kv_collection(%Q", (const char*)name.a);
  kvBufClear(&name);
}

/* What else there is below the prefix, and what is in the entries twice. */
static void inferComments(Infer *p){
  KvBuf prefix;
  u32 i;
  kvBufInit(&prefix, 0, 0);
  if( p->prefix.n ) kvKeyShow(&prefix, p->prefix);
  else kvBufLit(&prefix, "[]");
  kvErrorBuf(kvStoreError(p->pStore), &prefix);
  if( p->survey.nIdIsKey==p->survey.nEntry ){
    sqlite3_str_appendall(p->pOut, "\n-- id equals key in every entry");
  }
  for(i=p->nPart+1; i<=KVSURVEY_PARTS && kvBufTerminate(&prefix)==KV_OK; i++){
    i64 n = p->survey.aKeys[i].nEntry;
    if( n==0 ) continue;
    sqlite3_str_appendf(p->pOut, "\n-- %lld entr%s %u parts after the prefix: kv_infer(%Q, NULL, "
        "%u)", n, n==1 ? "y has" : "ies have", i, (const char*)prefix.a, i);
  }
  kvBufClear(&prefix);
}

static void inferStatement(Infer *p){
  const KvSurveyField *aField = p->survey.aField;
  i64 nObject = 0, nOther = 0;
  u32 i, iObject = 0;
  inferTable(p);
  for(i=0; i<p->survey.nField; i++){
    if( strcmp(aField[i].zPath, "$")!=0 ) continue;
    if( strcmp(aField[i].zType, "Object")==0 ){
      nObject = aField[i].nEntry;
      iObject = i;
    }else{
      nOther += aField[i].nEntry;
    }
  }
  inferKey(p);
  if( nObject>nOther ){
    inferMembers(p, iObject, "", 0);
  }else{
    InferColumn col = inferColumn(p, 0);
    sqlite3_str_appendf(p->pOut, ",\n  value%s%s AT '$'", col.eType ? " " : "",
        kvCollectionTypeName(col.eType));
    if( p->bAll && col.nValue==p->survey.nEntry ) sqlite3_str_appendall(p->pOut, " NOT NULL");
    inferIndex(p, "$", col.eType);
    inferText(p, "$");
  }
  sqlite3_str_appendall(p->pOut, ")");
  if( p->bOthers ) inferComments(p);
}

/* The statement with FULLTEXT where a full-text index has just these columns. */
static char *inferFull(Infer *p){
  KvError *pErr = kvStoreError(p->pStore);
  char *z = 0;
  u32 i;
  for(i=0; z==0 && i<=p->nIndex && !kvFailed(pErr); i++){
    p->pText = i<p->nIndex ? kvIndexAt(p->pStore, i) : 0;
    if( p->pText && (!(p->pText->mOptions & KVINDEX_SEARCH) || p->pText->spec.where.n>0
        || !kvBytesEqual(p->pText->prefix, p->prefix)) ){
      continue;
    }
    p->nText = 0;
    kvMapClear(&p->names);
    p->pOut = sqlite3_str_new(0);
    inferStatement(p);
    z = sqlite3_str_finish(p->pOut);
    if( z==0 ) kvErrorCode(pErr, SQLITE_NOMEM);
    /* (MATCH on the table is one on a column of its name.) */
    if( p->pText && (p->nText!=p->pText->spec.nPath || !inferTake(p, p->zTable)) ){
      sqlite3_free(z);
      z = 0;
    }
  }
  return z;
}

char *kvInfer(KvStore *pStore, KvBytes prefix, i64 nMost, u32 nPart){
  Infer infer;
  char *z = 0;
  i64 nSeen;
  u32 i;
  memset(&infer, 0, sizeof(infer));
  infer.pStore = pStore;
  infer.prefix = prefix;
  kvSurveyKeys(&infer.survey, pStore, prefix, nMost);
  nSeen = infer.survey.nEntry;
  infer.bAll = nSeen<nMost;
  infer.bOthers = nPart==0;
  for(i=1; i<=KVSURVEY_PARTS && infer.nPart==0; i++){
    if( (nPart==0 || i==nPart) && infer.survey.aKeys[i].nEntry>0 ) infer.nPart = i;
  }
  if( infer.nPart ) kvSurveyValues(&infer.survey, pStore, prefix, infer.nPart, nMost);
  if( infer.nPart && !kvFailed(kvStoreError(pStore)) && infer.survey.nField>0 ){
    infer.nIndex = kvIndexList(pStore);
    z = inferFull(&infer);
  }
  kvSurveyClear(&infer.survey);
  kvMapClear(&infer.names);
  sqlite3_free(infer.zTable);
  return z;
}
