/*
** collection_def.c -- what CREATE VIRTUAL TABLE ... USING kv_collection() says.
*/
#include "sql/collection/collection_def.h"
#include "sql/sql_word.h"
#include "codec/key/key_parse.h"
#include "codec/index_spec.h"
#include "codec/path.h"

static const char *const azType[] = {
  "", "INTEGER", "REAL", "TEXT", "BLOB", "BOOLEAN", "BIGINT", "DATETIME", "JSON"
};

const char *kvCollectionTypeName(int eType){
  return azType[eType];
}

/* ---- tokens --------------------------------------------------------------- */

enum { DEF_END, DEF_WORD, DEF_QUOTED, DEF_STRING, DEF_BLOB, DEF_NUMBER, DEF_SIGN };

/* One argument that is being read, and its current token. */
typedef struct DefText DefText;
struct DefText {
  const char *z;          /* After the token */
  int eToken;             /* DEF_xxx; DEF_SIGN for any other single byte */
  const char *zAt;        /* The token as it is written, n bytes */
  u32 n;
  KvError *pErr;
};

static void defNext(DefText *p){
  const char *z = p->zAt = kvSqlSkip(p->z), *zEnd = z + 1;
  if( *z==0 ){
    p->eToken = DEF_END;
    zEnd = z;
  }else if( (*z=='x' || *z=='X') && z[1]=='\'' ){
    p->eToken = DEF_BLOB;
    zEnd = kvSqlQuoted(z + 1);
  }else if( *z=='\'' ){
    p->eToken = DEF_STRING;
    zEnd = kvSqlQuoted(z);
  }else if( *z=='"' || *z=='[' || *z=='`' ){
    p->eToken = DEF_QUOTED;
    zEnd = kvSqlQuoted(z);
  }else if( (*z>='0' && *z<='9') || (*z=='.' && z[1]>='0' && z[1]<='9') ){
    p->eToken = DEF_NUMBER;
    while( kvSqlIsWord(*zEnd) || *zEnd=='.'
        || ((*zEnd=='+' || *zEnd=='-') && (zEnd[-1]|32)=='e')
    ) zEnd++;
  }else if( kvSqlIsWord(*z) ){
    p->eToken = DEF_WORD;
    while( kvSqlIsWord(*zEnd) ) zEnd++;
  }else{
    p->eToken = DEF_SIGN;
  }
  if( zEnd==0 ){
    kvError(p->pErr, SQLITE_ERROR, "kv: kv_collection(): unclosed quote in %s", z);
    p->eToken = DEF_END;
    zEnd = z + strlen(z);
  }
  p->n = (u32)(zEnd - z);
  p->z = zEnd;
}

/* Is the current token this word?  Then it is passed. */
static int defAccept(DefText *p, const char *zWord){
  u32 n = (u32)strlen(zWord);
  if( p->eToken!=DEF_WORD || p->n!=n || sqlite3_strnicmp(p->zAt, zWord, (int)n)!=0 ) return 0;
  defNext(p);
  return 1;
}

/* The content of the current token, which is a name or a string, as a copy of
** sqlite3_malloc(), without its quotes.  It is passed. */
static char *defContent(DefText *p){
  char *z = kvSqlWord(p->zAt, (int)p->n);
  if( z ) defNext(p);
  else kvErrorCode(p->pErr, SQLITE_NOMEM);
  return z;
}

/* Is the current token this sign?  Then it is passed. */
static int defSign(DefText *p, char c){
  if( p->eToken!=DEF_SIGN || *p->zAt!=c ) return 0;
  defNext(p);
  return 1;
}

/* ---- columns --------------------------------------------------------------- */

static int defIsName(const DefText *p){
  return p->eToken==DEF_WORD || p->eToken==DEF_QUOTED;
}

/* "kv: kv_collection(): column x: ..." */
static void defWrong(DefText *p, const KvCollectionColumn *pCol, const char *zWhat){
  kvError(p->pErr, SQLITE_ERROR, "kv: kv_collection(): column %s: %s", pCol->zName, zWhat);
}

/* The path of a column that names none: $.name, quoted where it has to be. */
static char *defPath(const char *zName){
  const char *z = zName;
  int bPlain = *z!=0 && !(*z>='0' && *z<='9');
  for(; *z; z++){
    if( *z=='"' || *z=='\\' ) break;
    if( !kvSqlIsWord(*z) ) bPlain = 0;
  }
  if( *z==0 ) return sqlite3_mprintf(bPlain ? "$.%s" : "$.\"%s\"", zName);
  return sqlite3_mprintf("");
}

/* What DEFAULT may be besides a literal. */
static const struct { const char *zWord; u8 eDefault; } aDefDefault[] = {
  { "ulid", KV_DEFAULT_ULID }, { "uuid", KV_DEFAULT_UUID },
  { "current_timestamp", KV_DEFAULT_TIMESTAMP }, { "current_date", KV_DEFAULT_DATE },
  { "current_time", KV_DEFAULT_TIME }
};

static int defIsLiteral(const DefText *p){
  static const char *const azWord[] = { "null", "true", "false" };
  u32 i;
  if( p->eToken==DEF_NUMBER || p->eToken==DEF_STRING || p->eToken==DEF_BLOB ) return 1;
  for(i=0; p->eToken==DEF_WORD && i<KV_COUNT(azWord); i++){
    if( p->n==strlen(azWord[i]) && sqlite3_strnicmp(p->zAt, azWord[i], (int)p->n)==0 ) return 1;
  }
  return 0;
}

static void defDefault(DefText *p, KvCollectionColumn *pCol){
  int bParen = defSign(p, '(');
  const char *zFrom = p->zAt;
  u32 i;
  for(i=0; i<KV_COUNT(aDefDefault) && !defAccept(p, aDefDefault[i].zWord); i++){}
  if( i<KV_COUNT(aDefDefault) ){
    pCol->eDefault = aDefDefault[i].eDefault;
  }else{
    int bSigned = defSign(p, '-') || defSign(p, '+');
    pCol->eDefault = KV_DEFAULT_LITERAL;
    if( bSigned ? p->eToken==DEF_NUMBER : defIsLiteral(p) ){
      sqlite3_free(pCol->zDefault);
      pCol->zDefault = sqlite3_mprintf("%.*s", (int)(p->zAt + p->n - zFrom), zFrom);
      if( pCol->zDefault==0 ) kvErrorCode(p->pErr, SQLITE_NOMEM);
      defNext(p);
    }else{
      bParen = 2;
    }
  }
  if( bParen==2 || (bParen && !defSign(p, ')')) ){
    defWrong(p, pCol, "DEFAULT takes a literal, CURRENT_TIMESTAMP, CURRENT_DATE, CURRENT_TIME, "
        "ulid or uuid");
  }
}

/* UNIQUE or INDEX has been passed: the name of the index may follow. */
static void defIndex(DefText *p, KvCollectionColumn *pCol, int eIndex){
  if( pCol->eIndex!=KV_COLINDEX_NONE ) defWrong(p, pCol, "more than one UNIQUE or INDEX");
  pCol->eIndex = (u8)eIndex;
  if( p->eToken==DEF_STRING || p->eToken==DEF_QUOTED ) pCol->zIndex = defContent(p);
}

/* What SQLite's tables have and a collection hasn't. */
static const char *defForeign(DefText *p){
  static const struct { const char *zWord; const char *zWhy; } aWord[] = {
    { "CHECK", "CHECK isn't possible: types, NOT NULL and UNIQUE are all that is checked" },
    { "REFERENCES", "REFERENCES isn't possible: virtual tables have no foreign keys" },
    { "FOREIGN", "FOREIGN KEY isn't possible: virtual tables have no foreign keys" },
    { "GENERATED", "GENERATED isn't possible: a view can compute the column" },
    { "AS", "AS isn't possible: a view can compute the column" },
    { "ON", "ON CONFLICT isn't possible here: write INSERT OR REPLACE, OR IGNORE" }
  };
  u32 i;
  for(i=0; i<KV_COUNT(aWord); i++){
    if( defAccept(p, aWord[i].zWord) ) return aWord[i].zWhy;
  }
  return 0;
}

/* One word of a column and what belongs to it.  0: it is none. */
static int defWord(DefText *p, KvCollectionColumn *pCol){
  const char *zForeign;
  if( defAccept(p, "PRIMARY") ){
    if( p->eToken!=DEF_WORD || p->n!=3 || sqlite3_strnicmp(p->zAt, "KEY", 3)!=0 ){
      defWrong(p, pCol, "PRIMARY must be followed by KEY");
    }
  }else if( defAccept(p, "KEY") ){
    pCol->bKey = 1;
    defAccept(p, "ASC");
    pCol->bAuto = (u8)defAccept(p, "AUTOINCREMENT");
  }else if( defAccept(p, "NULL") ){
    /* as it is without the word */
  }else if( defAccept(p, "CONSTRAINT") ){
    if( defIsName(p) ) defNext(p);
  }else if( (zForeign = defForeign(p))!=0 ){
    defWrong(p, pCol, zForeign);
  }else if( defAccept(p, "UNIQUE") ){
    defIndex(p, pCol, KV_COLINDEX_UNIQUE);
  }else if( defAccept(p, "INDEX") ){
    defIndex(p, pCol, KV_COLINDEX_PLAIN);
  }else if( defAccept(p, "FULLTEXT") ){
    pCol->bText = 1;
  }else if( defAccept(p, "NOT") ){
    if( !defAccept(p, "NULL") ) defWrong(p, pCol, "NOT must be followed by NULL");
    pCol->bNotNull = 1;
  }else if( defAccept(p, "COLLATE") ){
    if( defAccept(p, "NOCASE") ) pCol->bNoCase = 1;
    else if( !defAccept(p, "BINARY") ) defWrong(p, pCol, "COLLATE takes NOCASE or BINARY");
  }else if( defAccept(p, "AT") ){
    if( p->eToken!=DEF_STRING || pCol->zPath ){
      defWrong(p, pCol, "AT takes one path such as '$.a.b'");
    }
    else pCol->zPath = defContent(p);
  }else if( defAccept(p, "DEFAULT") ){
    defDefault(p, pCol);
  }else{
    return 0;
  }
  return 1;
}

/* The words that a type doesn't have. */
static int defEndsType(const DefText *p){
  static const char *const azWord[] = {
    "PRIMARY", "KEY", "UNIQUE", "INDEX", "FULLTEXT", "NOT", "NULL", "COLLATE", "AT", "DEFAULT",
    "CONSTRAINT", "CHECK", "REFERENCES", "FOREIGN", "GENERATED", "AS", "ON"
  };
  u32 i;
  if( p->eToken!=DEF_WORD ) return 1;
  for(i=0; i<KV_COUNT(azWord); i++){
    if( p->n==strlen(azWord[i]) && sqlite3_strnicmp(p->zAt, azWord[i], (int)p->n)==0 ) return 1;
  }
  return 0;
}

/*
** The type of a column by its usual name: the first of these that is part of it, or DATE, TIME
** or UUID as its first word.  Strings of these SQLite takes for numbers: *pbNumeric is set.
*/
static int defTypeOf(const char *z, u8 *pbNumeric){
  static const struct { const char *zPart; u8 eType; } aPart[] = {
    { "bigint", KV_COLTYPE_BIGINT }, { "int", KV_COLTYPE_INTEGER }, { "char", KV_COLTYPE_TEXT },
    { "clob", KV_COLTYPE_TEXT }, { "text", KV_COLTYPE_TEXT }, { "blob", KV_COLTYPE_BLOB },
    { "real", KV_COLTYPE_REAL }, { "floa", KV_COLTYPE_REAL }, { "doub", KV_COLTYPE_REAL },
    { "numeric", KV_COLTYPE_REAL }, { "decimal", KV_COLTYPE_REAL }, { "bool", KV_COLTYPE_BOOLEAN },
    { "datetime", KV_COLTYPE_DATETIME }, { "timestamp", KV_COLTYPE_DATETIME },
    { "json", KV_COLTYPE_JSON }
  };
  static const char *const azText[] = { "date", "time", "uuid" };
  char zPattern[16];
  u32 i;
  for(i=0; i<KV_COUNT(aPart); i++){
    sqlite3_snprintf(sizeof(zPattern), zPattern, "%%%s%%", aPart[i].zPart);
    if( sqlite3_strlike(zPattern, z, 0)==0 ) return aPart[i].eType;
  }
  for(i=0; i<KV_COUNT(azText); i++){
    if( strcspn(z, " (")!=4 || sqlite3_strnicmp(azText[i], z, 4)!=0 ) continue;
    *pbNumeric = 1;
    return KV_COLTYPE_TEXT;
  }
  return KV_COLTYPE_ANY;
}

/* The type of a column, if it has one: words, and maybe numbers in parentheses. */
static void defType(DefText *p, KvCollectionColumn *pCol){
  DefText ahead = *p;
  const char *zEnd = 0;
  while( !defEndsType(&ahead) ){
    zEnd = ahead.zAt + ahead.n;
    defNext(&ahead);
  }
  if( zEnd && ahead.eToken==DEF_SIGN && *ahead.zAt=='(' ){
    while( ahead.eToken==DEF_NUMBER || (ahead.eToken==DEF_SIGN && strchr("(+-,", *ahead.zAt)) ){
      defNext(&ahead);
    }
    if( ahead.eToken==DEF_SIGN && *ahead.zAt==')' ){
      zEnd = ahead.zAt + 1;
      defNext(&ahead);
    }
  }
  if( zEnd==0 ) return;
  pCol->zType = sqlite3_mprintf("%.*s", (int)(zEnd - p->zAt), p->zAt);
  if( pCol->zType==0 ){
    kvErrorCode(p->pErr, SQLITE_NOMEM);
    return;
  }
  pCol->eType = (u8)defTypeOf(pCol->zType, &pCol->bNumeric);
  if( pCol->eType!=KV_COLTYPE_ANY ) *p = ahead;    /* else it is an unexpected word */
}

static void defColumn(KvCollectionDef *pDef, DefText *p){
  KvCollectionColumn *pCol, *aNew;
  aNew = sqlite3_realloc64(pDef->aColumn, (u64)(pDef->nColumn + 1)*sizeof(*aNew));
  if( aNew==0 ){
    kvErrorCode(p->pErr, SQLITE_NOMEM);
    return;
  }
  pDef->aColumn = aNew;
  pCol = &aNew[pDef->nColumn++];
  memset(pCol, 0, sizeof(*pCol));
  pCol->zName = defContent(p);
  if( pCol->zName==0 ) return;
  defType(p, pCol);
  while( !kvFailed(p->pErr) && p->eToken!=DEF_END ){
    if( !defWord(p, pCol) && !kvFailed(p->pErr) ){
      kvError(p->pErr, SQLITE_ERROR, "kv: kv_collection(): column %s: unexpected %.*s; "
          "a column is a name, followed by any of: a type, KEY, AT 'path', NOT NULL, COLLATE "
          "NOCASE, UNIQUE, INDEX, FULLTEXT, DEFAULT x; the types are INTEGER, REAL, TEXT, BLOB, "
          "BOOLEAN, BIGINT, DATETIME, JSON and their usual names",
          pCol->zName, (int)p->n, p->zAt);
    }
  }
}

/* ---- lists of columns -------------------------------------------------------- */

/* A list of columns in parentheses: at most nMost numbers to aiCol.  Returns how many. */
static u32 defList(const KvCollectionDef *pDef, DefText *p, u32 *aiCol, u32 nMost){
  u32 n = 0, i;
  if( !defSign(p, '(') ) return 0;
  do{
    char *zName = defIsName(p) ? defContent(p) : 0;
    for(i=0; zName && i<pDef->nColumn; i++){
      if( sqlite3_stricmp(zName, pDef->aColumn[i].zName)==0 ) break;
    }
    if( zName==0 || i==pDef->nColumn || n==nMost ){
      kvError(p->pErr, SQLITE_ERROR, zName==0 ? "kv: kv_collection(): expected a column, not %s"
          : n==nMost ? "kv: kv_collection(): too many columns at %s" 
          : "kv: kv_collection(): no such column: %s; columns come before lists of them",
          zName ? zName : p->zAt);
    }else{
      aiCol[n++] = i;
    }
    sqlite3_free(zName);
    defAccept(p, "AUTOINCREMENT");
  }while( !kvFailed(p->pErr) && defSign(p, ',') );
  if( !defSign(p, ')') ) kvError(p->pErr, SQLITE_ERROR,
      "kv: kv_collection(): unexpected %s in a list of columns", p->zAt);
  return n;
}

/* PRIMARY KEY(a, b): the columns are KEY, and their parts in this order. */
static void defKeyList(KvCollectionDef *pDef, DefText *p){
  u32 i;
  if( pDef->aiKey ){
    kvError(p->pErr, SQLITE_ERROR, "kv: kv_collection(): more than one PRIMARY KEY");
  }
  if( kvFailed(p->pErr) ) return;
  pDef->aiKey = sqlite3_malloc64((pDef->nColumn + 1)*sizeof(u32));
  if( pDef->aiKey==0 ){
    kvErrorCode(p->pErr, SQLITE_NOMEM);
    return;
  }
  pDef->nKey = defList(pDef, p, pDef->aiKey, pDef->nColumn);
  for(i=0; i<pDef->nKey && !kvFailed(p->pErr); i++){
    KvCollectionColumn *pCol = &pDef->aColumn[pDef->aiKey[i]];
    if( pCol->bKey ) defWrong(p, pCol, "it is KEY twice");
    pCol->bKey = 1;
  }
}

/* UNIQUE(a, b) or INDEX(a, b) */
static void defSetList(KvCollectionDef *pDef, DefText *p, int eIndex){
  KvCollectionSet *aNew;
  KvCollectionSet set = { .eIndex = (u8)eIndex };
  set.nColumn = defList(pDef, p, set.aiColumn, KV_INDEX_PATHS);
  if( kvFailed(p->pErr) ) return;
  if( set.nColumn==1 ){
    defIndex(p, &pDef->aColumn[set.aiColumn[0]], eIndex);
    return;
  }
  aNew = sqlite3_realloc64(pDef->aSet, (u64)(pDef->nSet + 1)*sizeof(*aNew));
  if( aNew==0 ){
    kvErrorCode(p->pErr, SQLITE_NOMEM);
    return;
  }
  pDef->aSet = aNew;
  if( p->eToken==DEF_STRING || p->eToken==DEF_QUOTED ) set.zIndex = defContent(p);
  pDef->aSet[pDef->nSet++] = set;
}

/* An argument that is a list of columns, or a constraint that there isn't.  0: it is
** neither, but a column that may have such a name. */
static int defConstraint(KvCollectionDef *pDef, const DefText *pText){
  DefText text = *pText, *p = &text;
  const char *zForeign;
  int eIndex = 0, bKey;
  if( defAccept(p, "CONSTRAINT") && defIsName(p) ) defNext(p);
  bKey = defAccept(p, "PRIMARY");
  if( bKey ){
    if( !defAccept(p, "KEY") ) return 0;
  }else if( defAccept(p, "UNIQUE") ){
    eIndex = KV_COLINDEX_UNIQUE;
  }else if( defAccept(p, "INDEX") ){
    eIndex = KV_COLINDEX_PLAIN;
  }else{
    zForeign = defForeign(p);
    if( zForeign && *zForeign=='F' && !defAccept(p, "KEY") ) return 0;
    if( zForeign==0 || p->eToken!=DEF_SIGN || *p->zAt!='(' ) return 0;
    kvError(p->pErr, SQLITE_ERROR, "kv: kv_collection(): %s", zForeign);
    return 1;
  }
  if( p->eToken!=DEF_SIGN || *p->zAt!='(' ) return 0;
  if( bKey ) defKeyList(pDef, p);
  else defSetList(pDef, p, eIndex);
  if( p->eToken!=DEF_END ) kvError(p->pErr, SQLITE_ERROR,
      "kv: kv_collection(): unexpected %s after a list of columns", p->zAt);
  return 1;
}

/* ---- the whole --------------------------------------------------------------- */

static void defOption(KvCollectionDef *pDef, DefText *p, const char *zName){
  char **pz = sqlite3_stricmp(zName, "schema")==0 ? &pDef->zSchema
            : sqlite3_stricmp(zName, "tables")==0 ? &pDef->zTables
            : sqlite3_stricmp(zName, "tokenize")==0 ? &pDef->zTokenize
            : sqlite3_stricmp(zName, "empty")==0 ? &pDef->zEmpty : 0;
  defNext(p);
  if( pz==0 || *pz ){
    kvError(p->pErr, SQLITE_ERROR,
        "kv: kv_collection(): %s option: %s; the options are schema=, tables=, "
        "tokenize= and empty=",
        pz ? "duplicate" : "no such", zName);
  }else if( !defIsName(p) && p->eToken!=DEF_STRING ){
    kvError(p->pErr, SQLITE_ERROR, "kv: kv_collection(): %s= needs a name", zName);
  }else{
    *pz = defContent(p);
    if( p->eToken!=DEF_END ) kvError(p->pErr, SQLITE_ERROR,
        "kv: kv_collection(): unexpected %.*s after %s=", (int)p->n, p->zAt, zName);
    if( pz==&pDef->zEmpty && *pz && sqlite3_stricmp(*pz, "null")!=0 ){
      kvError(p->pErr, SQLITE_ERROR, "kv: kv_collection(): empty= takes null and nothing else");
    }
  }
}

static void defArgument(KvCollectionDef *pDef, const char *z, KvError *pErr){
  DefText text, ahead;
  memset(&text, 0, sizeof(text));
  text.z = z;
  text.pErr = pErr;
  defNext(&text);
  if( !defIsName(&text) ){
    kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): expected a column name, not %s", z);
    return;
  }
  ahead = text;
  defNext(&ahead);
  if( ahead.eToken==DEF_SIGN && *ahead.zAt=='=' ){
    char *zName = defContent(&text);
    if( zName ) defOption(pDef, &text, zName);
    sqlite3_free(zName);
  }else if( !defConstraint(pDef, &text) ){
    defColumn(pDef, &text);
  }
}

static void defPrefix(KvCollectionDef *pDef, const char *z, KvError *pErr){
  DefText text;
  KvErr err;
  memset(&text, 0, sizeof(text));
  text.z = z;
  text.pErr = pErr;
  defNext(&text);
  if( text.eToken!=DEF_STRING ){
    kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): the first argument must be the "
        "prefix, a key in single quotes");
    return;
  }
  pDef->zPrefix = defContent(&text);
  if( text.eToken!=DEF_END ) kvError(pErr, SQLITE_ERROR,
      "kv: kv_collection(): unexpected %s after the prefix; columns are separated by commas",
      text.zAt);
  if( kvFailed(pErr) ) return;
  if( kvKeyParse(kvBytesText(pDef->zPrefix), 0, &pDef->prefix, 0, &err)!=KV_OK ){
    kvError(pErr, err.eCode==KV_NOMEM ? SQLITE_NOMEM : SQLITE_ERROR,
        "kv: kv_collection(): prefix: %s%s (at offset %lld)", err.zMsg, err.zNumber, err.iPos);
  }else{
    kvErrorBuf(pErr, &pDef->prefix);
  }
}

/* Is a path one that can be read? */
static void defCheckPath(const KvCollectionColumn *pCol, KvError *pErr){
  KvPath path;
  int rc = kvPathStart(&path, kvBytesText(pCol->zPath));
  while( rc==KV_OK && !kvPathAtEnd(&path) ) rc = kvPathNext(&path);
  if( rc==KV_NOMEM ) kvErrorCode(pErr, SQLITE_NOMEM);
  else if( rc!=KV_OK ) kvError(pErr, SQLITE_ERROR,
      "kv: kv_collection(): column %s: AT: %s (at offset %lld)",
                               pCol->zName, path.lex.err.zMsg, path.lex.err.iPos);
  kvPathClear(&path);
}

/* To kv_index() a comma may begin another path. */
static void defCheckIndex(const KvCollectionColumn *pCol, KvError *pErr){
  KvIndexSpec spec;
  int bWhere;
  if( kvIndexSpec(&spec, kvBytesText(pCol->zPath), kvBytes(0, 0), 0, 0, &bWhere, 0)==KV_NOMEM ){
    kvErrorCode(pErr, SQLITE_NOMEM);
  }else if( spec.nPath!=1 ){
    kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): column %s: an index on a column "
        "has one path; put a key with a comma in quotes", pCol->zName);
  }
}

/* Are the next steps of two paths the same? */
static int defSameStep(KvPath *pA, KvPath *pB){
  if( kvPathNext(pA)!=KV_OK || kvPathNext(pB)!=KV_OK || pA->bKey!=pB->bKey ) return 0;
  if( !pA->bKey ) return pA->iIndex==pB->iIndex && pA->bEnd==pB->bEnd;
  return pA->key.eSub==pB->key.eSub && kvBytesEqual(kvNodeBytes(&pA->key), kvNodeBytes(&pB->key));
}

int kvCollectionOverlap(const KvCollectionColumn *pA, const KvCollectionColumn *pB){
  KvPath a, b;
  int bSame = 1;
  kvPathStart(&a, kvBytesText(pA->zPath));
  kvPathStart(&b, kvBytesText(pB->zPath));
  while( bSame && !kvPathAtEnd(&a) && !kvPathAtEnd(&b) ) bSame = defSameStep(&a, &b);
  kvPathClear(&a);
  kvPathClear(&b);
  return bSame;
}

/* A path that is one name leads to a member of the value. */
static void defMember(KvCollectionColumn *p){
  V8FindPath path;
  if( !kvV8FindPath(&path, kvBytesText(p->zPath)) || path.n!=2 ) return;
  p->member = path.a[1];
  p->bMember = path.a[1].eStep==V8_FIND_KEY && path.a[1].iIndex<0;
}

/* Number the KEY columns, which a list has already put in order, and give the others paths. */
static void defKeys(KvCollectionDef *pDef, KvError *pErr){
  u32 i, n = 0;
  int bList = pDef->aiKey!=0;
  if( !bList ) pDef->aiKey = sqlite3_malloc64((pDef->nColumn + 1)*sizeof(u32));
  for(i=0; pDef->aiKey && i<pDef->nColumn; i++){
    KvCollectionColumn *p = &pDef->aColumn[i];
    if( p->bKey && !bList ) pDef->aiKey[n] = i;
    n += p->bKey;
    if( !p->bKey && p->zPath==0 && (p->zPath = defPath(p->zName))==0 ){
      kvErrorCode(pErr, SQLITE_NOMEM);
    }
  }
  if( pDef->aiKey==0 ) kvErrorCode(pErr, SQLITE_NOMEM);
  if( bList && n>pDef->nKey ) kvError(pErr, SQLITE_ERROR,
      "kv: kv_collection(): more than one PRIMARY KEY");
  pDef->nKey = n;
  for(i=0; i<n && !kvFailed(pErr); i++) pDef->aColumn[pDef->aiKey[i]].iPart = i;
  if( n>0 && !kvFailed(pErr) ) pDef->iKey = pDef->aiKey[0];
}

/* What is wrong with a generated default; 0: nothing. */
static const char *defCheckDefault(const KvCollectionColumn *p){
  if( p->eDefault==KV_DEFAULT_NONE || p->eDefault==KV_DEFAULT_LITERAL ) return 0;
  if( p->eType==KV_COLTYPE_TEXT || p->eType==KV_COLTYPE_ANY ) return 0;
  if( p->eDefault==KV_DEFAULT_ULID || p->eDefault==KV_DEFAULT_UUID ){
    return "DEFAULT ulid and uuid are for TEXT";
  }
  if( p->eType==KV_COLTYPE_DATETIME && p->eDefault!=KV_DEFAULT_TIME ) return 0;
  return "DEFAULT CURRENT_TIMESTAMP and CURRENT_DATE are for DATETIME and TEXT, "
         "CURRENT_TIME for TEXT";
}

/* The columns of UNIQUE(a, b) and INDEX(a, b).  An index compares all texts alike. */
static void defCheckSets(const KvCollectionDef *pDef, KvError *pErr){
  u32 i, k;
  for(i=0; i<pDef->nSet; i++){
    u32 nLower = 0, nText = 0;
    for(k=0; k<pDef->aSet[i].nColumn && !kvFailed(pErr); k++){
      const KvCollectionColumn *p = &pDef->aColumn[pDef->aSet[i].aiColumn[k]];
      int bText = p->eType==KV_COLTYPE_TEXT || p->eType==KV_COLTYPE_ANY;
      nText += (u32)bText;
      nLower += bText && p->bNoCase;
      if( p->bKey ) kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): column %s: a KEY column "
          "can't be in UNIQUE(...) or INDEX(...)", p->zName);
      else defCheckIndex(p, pErr);
      if( nLower>0 && nLower<nText ) kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): column %s: "
          "either all texts of UNIQUE(...) or INDEX(...) are COLLATE NOCASE, or none", p->zName);
    }
  }
}

/* What holds of the columns together. */
static void defCheck(KvCollectionDef *pDef, KvError *pErr){
  u32 i, k, nOther;
  defKeys(pDef, pErr);
  nOther = pDef->nColumn - pDef->nKey;
  if( pDef->nColumn==0 ) kvError(pErr, SQLITE_ERROR,
      "kv: kv_collection(): a collection needs columns; SELECT kv_infer('%s') suggests some",
      pDef->zPrefix);
  for(i=0; i<pDef->nColumn && !kvFailed(pErr); i++){
    KvCollectionColumn *p = &pDef->aColumn[i];
    const char *zWhat = 0;
    if( sqlite3_strnicmp(p->zName, "kv_", 3)==0 ) zWhat = "names that begin with kv_ are reserved";
    if( p->zName[0]==0 ) zWhat = "a name can't be empty";
    if( p->bKey && p->zPath ) zWhat = "a KEY column is a key part and has no path";
    if( p->bKey && p->bText ) zWhat = "a KEY column can't be FULLTEXT";
    if( p->bKey && p->eIndex ) zWhat = "a KEY column needs no index";
    if( p->bAuto && p->eType!=KV_COLTYPE_INTEGER ){
      zWhat = "AUTOINCREMENT is only allowed on an INTEGER PRIMARY KEY";
    }
    if( !zWhat ) zWhat = defCheckDefault(p);
    if( p->bKey && (p->eType==KV_COLTYPE_DATETIME || p->eType==KV_COLTYPE_JSON) ){
      zWhat = "a key part is INTEGER, REAL, TEXT, BLOB, BOOLEAN or BIGINT";
    }
    if( !p->bKey && p->zPath[0]==0 ) zWhat = "give the path with AT";
    if( !p->bKey && strcmp(p->zPath, "$")==0 && nOther>1 ){
      zWhat = "AT '$' is the whole value, so every other column must be KEY";
    }
    for(k=0; k<i && !zWhat; k++){
      if( sqlite3_stricmp(p->zName, pDef->aColumn[k].zName)==0 ) zWhat = "duplicate column name";
    }
    if( zWhat ) kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): column %s: %s", p->zName, zWhat);
    else if( !p->bKey ) defCheckPath(p, pErr);
    if( (p->eIndex || p->bText) && !kvFailed(pErr) ) defCheckIndex(p, pErr);
    pDef->nText += p->bText;
    if( !p->bKey && !kvFailed(pErr) ) defMember(p);
    for(k=0; k<i && !kvFailed(pErr) && !p->bKey; k++){
      p->bOverlap |= !pDef->aColumn[k].bKey && kvCollectionOverlap(&pDef->aColumn[k], p);
    }
  }
  if( !kvFailed(pErr) ) defCheckSets(pDef, pErr);
}

/* MATCH on the table is one on a hidden column of its name. */
static void defCheckText(const KvCollectionDef *pDef, const char *zTable, KvError *pErr){
  u32 i;
  if( pDef->nText==0 && pDef->zTokenize ){
    kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): tokenize= needs a FULLTEXT column");
  }
  if( pDef->nText>KV_SEARCH_PATHS ){
    kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): %u columns are FULLTEXT, at most %d can be",
        pDef->nText, KV_SEARCH_PATHS);
  }
  for(i=0; pDef->nText && i<pDef->nColumn && !kvFailed(pErr); i++){
    if( sqlite3_stricmp(pDef->aColumn[i].zName, zTable)!=0 ) continue;
    kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): column %s: with FULLTEXT no column can have "
        "the name of the table, which MATCH uses", pDef->aColumn[i].zName);
  }
}

void kvCollectionDefParse(
  KvCollectionDef *p, const char *zTable, int nArg, const char *const *azArg, KvError *pErr
){
  int i;
  memset(p, 0, sizeof(*p));
  if( nArg<1 ){
    kvError(pErr, SQLITE_ERROR, "kv: kv_collection(): needs a prefix and columns: "
        "CREATE VIRTUAL TABLE temp.t USING kv_collection(prefix, id KEY, name TEXT)");
    return;
  }
  defPrefix(p, azArg[0], pErr);
  for(i=1; i<nArg && !kvFailed(pErr); i++) defArgument(p, azArg[i], pErr);
  if( !kvFailed(pErr) ) defCheck(p, pErr);
  if( !kvFailed(pErr) ) defCheckText(p, zTable, pErr);
}

void kvCollectionDefClear(KvCollectionDef *p){
  u32 i;
  for(i=0; i<p->nColumn; i++){
    KvCollectionColumn *pCol = &p->aColumn[i];
    sqlite3_free(pCol->zName);
    sqlite3_free(pCol->zType);
    sqlite3_free(pCol->zPath);
    sqlite3_free(pCol->zIndex);
    sqlite3_free(pCol->zDefault);
  }
  for(i=0; i<p->nSet; i++) sqlite3_free(p->aSet[i].zIndex);
  sqlite3_free(p->aColumn);
  sqlite3_free(p->aSet);
  sqlite3_free(p->aiKey);
  sqlite3_free(p->zPrefix);
  sqlite3_free(p->zSchema);
  sqlite3_free(p->zTables);
  sqlite3_free(p->zTokenize);
  sqlite3_free(p->zEmpty);
  kvBufClear(&p->prefix);
  memset(p, 0, sizeof(*p));
}

/* SQLite keeps a primary key, between finding rows and changing them, in a table of
** its own with the affinity of the column.  There text of digits becomes a number, and
** -0.0 becomes 0: those of such types go by rowids.  An INTEGER is one. */
int kvCollectionHasRowid(const KvCollectionDef *p){
  const KvCollectionColumn *pKey = kvCollectionKey(p, 0);
  if( p->nKey!=1 ) return p->nKey>1;
  return pKey->eType==KV_COLTYPE_ANY || pKey->eType==KV_COLTYPE_REAL
      || pKey->eType==KV_COLTYPE_BIGINT || pKey->bNumeric || kvCollectionIdIsRowid(p);
}

const char *kvCollectionCollation(const KvCollectionColumn *p){
  return p->eType==KV_COLTYPE_DATETIME ? "kv_datetime" : p->eType==KV_COLTYPE_JSON ? "kv_json"
      : p->bNoCase ? "NOCASE" : 0;
}

char *kvCollectionDeclaration(const KvCollectionDef *p, const char *zTable){
  sqlite3_str *pOut = sqlite3_str_new(0);
  u32 i;
  int bRank = p->nText>0;
  sqlite3_str_appendall(pOut, "CREATE TABLE x(");
  for(i=0; i<p->nColumn; i++){
    const KvCollectionColumn *pCol = &p->aColumn[i];
    const char *zColl = kvCollectionCollation(pCol), *zType = pCol->zType ? pCol->zType : "";
    if( pCol->bKey && kvCollectionIdIsRowid(p) ) zType = azType[KV_COLTYPE_INTEGER];
    sqlite3_str_appendf(pOut, "\"%w\" %s%s%s%s, ", pCol->zName, zType,
        pCol->bNotNull ? " NOT NULL" : "", zColl ? " COLLATE " : "", zColl ? zColl : "");
    if( sqlite3_stricmp(pCol->zName, "rank")==0 ) bRank = 0;
  }
  sqlite3_str_appendf(pOut, "\"%w\" TEXT HIDDEN, kv_extra HIDDEN, ",
      p->nText ? zTable : "kv_query");
  sqlite3_str_appendf(pOut, "kv_key TEXT HIDDEN %sCOLLATE kv_compare, kv_js TEXT HIDDEN, "
      "kv_json TEXT HIDDEN, kv_raw BLOB HIDDEN, kv_type TEXT HIDDEN, kv_versionstamp TEXT HIDDEN, "
      "kv_expires_at INTEGER HIDDEN, kv_expire_in INTEGER HIDDEN, kv_as_of HIDDEN", p->nKey ? ""
      : "NOT NULL PRIMARY KEY ");
  if( p->nText ){
    sqlite3_str_appendf(pOut, ", kv_rank REAL HIDDEN, kv_snippet TEXT HIDDEN, "
        "kv_highlight TEXT HIDDEN%s", bRank ? ", rank REAL HIDDEN" : "");
  }
  for(i=0; i<p->nKey; i++){
    sqlite3_str_appendf(pOut, "%s\"%w\"", i ? ", " : ", PRIMARY KEY(",
        kvCollectionKey(p, i)->zName);
  }
  sqlite3_str_appendall(pOut, p->nKey ? "))" : ")");
  if( !kvCollectionHasRowid(p) ) sqlite3_str_appendall(pOut, " WITHOUT ROWID");
  return sqlite3_str_finish(pOut);
}
