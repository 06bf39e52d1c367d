/*
** vtab_args.c -- arguments of CREATE VIRTUAL TABLE t USING module(...).
**
**   args   := [ arg { ',' arg } ]
**   arg    := schema | 'tables' '=' prefix
**
** Both may be quoted as SQLite quotes.  Without a schema the table stands for
** the store of the file it is created in (of main, for a temporary table).
*/
#include "sql/vtab_args.h"
#include "store/store.h"
#include "store/error.h"
#include "store/schema.h"

static int vtabArgsIsSpace(char c){
  return c==' ' || (c>=9 && c<=13);
}

char *kvModuleWord(const char *z, int n){
  char *zOut, cClose;
  int i, k = 0;
  while( n>0 && vtabArgsIsSpace(*z) ){ z++; n--; }
  while( n>0 && vtabArgsIsSpace(z[n-1]) ) n--;
  zOut = sqlite3_malloc64((u64)n + 1);
  if( zOut==0 ) return 0;
  cClose = (char)(n>1 ? z[0] : 0);
  if( cClose=='[' ) cClose = ']';
  if( (cClose=='"' || cClose=='\'' || cClose=='`' || cClose==']') && z[n-1]==cClose ){
    for(i=1; i<n-1; i++){
      zOut[k++] = z[i];
      if( z[i]==cClose && z[i+1]==cClose ) i++;
    }
  }else{
    memcpy(zOut, z, (size_t)n);
    k = n;
  }
  zOut[k] = 0;
  return zOut;
}

/* An error with a text, which is taken over. */
static int vtabArgsError(char *zErr, char **pzErr){
  *pzErr = zErr;
  return zErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* The error for an argument that is key text, which is meant to select entries; for
** others zErr, which is taken over. */
static int vtabArgsKey(const char *zArg, char *zErr, char **pzErr){
  char *z;
  while( vtabArgsIsSpace(*zArg) ) zArg++;
  z = zArg[0]=='[' && zArg[1]=='"' ? sqlite3_mprintf("%s", zArg)
                                   : kvModuleWord(zArg, (int)strlen(zArg));
  if( z && z[0]=='[' ){
    sqlite3_free(zErr);
    zErr = kvMsg("kv: %!.100s is a prefix, which belongs in the query: "
        "SELECT ... FROM kv_entries(%Q); the arguments of CREATE VIRTUAL TABLE "
        "are the name of a database and tables='prefix'", z, z);
  }
  sqlite3_free(z);
  return vtabArgsError(zErr, pzErr);
}

/* The value of "tables = value", or 0 if the argument is something else. */
static const char *vtabArgsTables(const char *z){
  while( vtabArgsIsSpace(*z) ) z++;
  if( sqlite3_strnicmp(z, "tables", 6)!=0 ) return 0;
  z += 6;
  while( vtabArgsIsSpace(*z) ) z++;
  return *z=='=' ? z+1 : 0;
}

/* With the prefix kv_ a store's table queue would hide the table kv_queue.  All
** names of that kind are refused, for those that are yet to come. */
static int vtabArgsPrefix(const char *zPrefix, char **pzErr){
  if( sqlite3_strnicmp(zPrefix, "kv_", 3)!=0 ) return SQLITE_OK;
  return vtabArgsError(kvMsg("kv: tables='%!.100s': names that begin with kv_ are those of the "
      "extension's own tables; choose another prefix", zPrefix), pzErr);
}

int kvModuleArgs(
  sqlite3 *db, int argc, const char *const *argv,
  char **pzSchema, char **pzPrefix, char **pzErr
){
  int i, rc;
  for(i=3; i<argc; i++){
    const char *zTables = vtabArgsTables(argv[i]);
    const char *zArg = zTables ? zTables : argv[i];
    char **pz = zTables ? pzPrefix : pzSchema;
    if( *pz || (!zTables && strchr(zArg, '=')) ){
      return vtabArgsKey(argv[i], kvMsg("kv: unknown argument: %!.100s; "
          "the arguments are the name of a database and tables='prefix'", argv[i]), pzErr);
    }
    *pz = kvModuleWord(zArg, (int)strlen(zArg));
    if( *pz==0 ) return SQLITE_NOMEM;
  }
  if( *pzSchema==0 ){
    *pzSchema = sqlite3_mprintf("%s", sqlite3_stricmp(argv[1], "temp")==0 ? "main" : argv[1]);
  }
  if( *pzPrefix==0 ) *pzPrefix = sqlite3_mprintf("%s", "");
  if( *pzSchema==0 || *pzPrefix==0 ) return SQLITE_NOMEM;
  rc = vtabArgsPrefix(*pzPrefix, pzErr);
  if( rc!=SQLITE_OK || kvHasSchema(db, *pzSchema) ) return rc;
  return vtabArgsKey(argc>3 ? argv[3] : "",
      kvMsg("kv: no such database: %!.100s; ATTACH it first", *pzSchema), pzErr);
}
