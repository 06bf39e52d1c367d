/*
** mini_shell.c -- just enough of a shell to run the statements of README.md and
** the manual where there is no sqlite3 shell: another SQLite, another machine.
**
**     mini_shell [-load EXTENSION] [-file SCRIPT] DATABASE
**
** Reads statements from the file, else from standard input, and prints rows
** as the sqlite3 shell does in its list mode without headers.  An error is
** printed among the results as "Error: ..." and the next statement is run.
** Compiled with -DKV_BUILTIN the extension is a part of the program.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
# include <fcntl.h>
# include <io.h>
#endif
#include "sqlite3.h"
#ifdef KV_BUILTIN
# include "kv.h"
#endif

/* The content of a file, with a terminating zero; 0 on failure. */
static char *shellRead(FILE *f){
  size_t n = 0, nAlloc = 0;
  char *z = 0;
  for(;;){
    size_t nGot;
    if( nAlloc-n<4096 ){
      char *zNew = realloc(z, nAlloc*2 + 8192);
      if( zNew==0 ){
        free(z);
        return 0;
      }
      z = zNew;
      nAlloc = nAlloc*2 + 8192;
    }
    nGot = fread(&z[n], 1, nAlloc-n-1, f);
    if( nGot==0 ) break;
    n += nGot;
  }
  z[n] = 0;
  return z;
}

static void shellRow(sqlite3_stmt *pStmt){
  int i, n = sqlite3_column_count(pStmt);
  if( sqlite3_stmt_isexplain(pStmt)==2 ){
    /* Plans of one row only */
    printf("QUERY PLAN\n`--%s\n", (const char*)sqlite3_column_text(pStmt, 3));
    return;
  }
  for(i=0; i<n; i++){
    const unsigned char *z = sqlite3_column_text(pStmt, i);
    printf("%s%s", i ? "|" : "", z ? (const char*)z : "");
  }
  printf("\n");
}

static void shellStatement(sqlite3 *db, const char *zSql){
  sqlite3_stmt *pStmt = 0;
  int rc = sqlite3_prepare_v2(db, zSql, -1, &pStmt, 0);
  if( rc==SQLITE_OK && pStmt ){
    while( (rc = sqlite3_step(pStmt))==SQLITE_ROW ) shellRow(pStmt);
    rc = sqlite3_reset(pStmt);
  }
  if( rc!=SQLITE_OK ) printf("Error: %s\n", sqlite3_errmsg(db));
  sqlite3_finalize(pStmt);
}

/* Run all.  A statement ends at the first ";" that makes it complete. */
static void shellScript(sqlite3 *db, char *z){
  while( z[0] ){
    char *zEnd = z;
    char c;
    for(;;){
      zEnd += strcspn(zEnd, ";");
      if( zEnd[0] ) zEnd++;
      c = zEnd[0];
      zEnd[0] = 0;
      if( c==0 || sqlite3_complete(z) ) break;
      zEnd[0] = c;
    }
    shellStatement(db, z);
    zEnd[0] = c;
    z = zEnd;
  }
}

int main(int argc, char **argv){
  const char *zDb = ":memory:", *zLoad = 0, *zFile = 0;
  char *zSql;
  FILE *in = stdin;
  sqlite3 *db = 0;
  int i;
  for(i=1; i<argc; i++){
    if( strcmp(argv[i], "-load")==0 && i+1<argc ) zLoad = argv[++i];
    else if( strcmp(argv[i], "-file")==0 && i+1<argc ) zFile = argv[++i];
    else zDb = argv[i];
  }
#ifdef _WIN32
  _setmode(_fileno(stdout), _O_BINARY);
#endif
#ifdef KV_BUILTIN
  sqlite3_auto_extension((void(*)(void))sqlite3_kv_init);
#endif
  if( sqlite3_open(zDb, &db)!=SQLITE_OK ){
    printf("Error: %s\n", sqlite3_errmsg(db));
    return 1;
  }
  if( zLoad ){
#ifdef SQLITE_OMIT_LOAD_EXTENSION
    printf("Error: -load: this program loads nothing\n");
    return 1;
#else
    char *zErr = 0;
    sqlite3_enable_load_extension(db, 1);
    if( sqlite3_load_extension(db, zLoad, 0, &zErr)!=SQLITE_OK ){
      printf("Error: %s\n", zErr ? zErr : sqlite3_errmsg(db));
      sqlite3_free(zErr);
      sqlite3_close(db);
      return 1;
    }
#endif
  }
  if( zFile && (in = fopen(zFile, "rb"))==0 ){
    printf("Error: can't open %s\n", zFile);
    return 1;
  }
  zSql = shellRead(in);
  if( zSql==0 ) return 1;
  shellScript(db, zSql);
  free(zSql);
  if( zFile ) fclose(in);
  i = sqlite3_close(db);
  if( i!=SQLITE_OK ) printf("Error: sqlite3_close: %d\n", i);
  return i!=SQLITE_OK;
}
