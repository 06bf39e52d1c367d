/*
** vtab_args.c -- arguments of CREATE VIRTUAL TABLE t USING module(...).
**
**   args   := [ arg { ',' arg } ]
**   arg    := schema | 'tables' '=' prefix
**
** Both may be quoted as SQLite quotes.  Without a schema the table belongs to
** the store of the file it is created in (of main, for a temporary table).
*/
#include "sql/vtab_args.h"
#include "sql/sql_word.h"
#include "store/error.h"
#include "store/schema.h"

/* An error with a text, which is taken over. */
static int vtabArgsError(char *zErr, char **pzErr){
  *pzErr = zErr;
  return zErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* The error for an argument that is key text, which is meant to select entries; for
** others zErr, which is taken over. */
static int vtabArgsKey(const char *zArg, char *zErr, char **pzErr){
  char *z;
  zArg = kvSqlSkip(zArg);
  z = zArg[0]=='[' && zArg[1]=='"' ? sqlite3_mprintf("%s", zArg)
                                   : kvSqlWord(zArg, (int)strlen(zArg));
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
  z = kvSqlSkip(z);
  if( sqlite3_strnicmp(z, "tables", 6)!=0 ) return 0;
  z = kvSqlSkip(z + 6);
  return *z=='=' ? z+1 : 0;
}

/* With the prefix kv_ a store's table queue would hide the table kv_queue.  All
** names of that kind are refused, for those that are yet to come. */
static int vtabArgsPrefix(const char *zPrefix, char **pzErr){
  if( sqlite3_strnicmp(zPrefix, "kv_", 3)!=0 ) return SQLITE_OK;
  return vtabArgsError(kvMsg("kv: tables='%!.100s': names that begin with kv_ are "
      "reserved for the extension's own tables; choose another prefix", zPrefix), pzErr);
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
    *pz = kvSqlWord(zArg, (int)strlen(zArg));
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
