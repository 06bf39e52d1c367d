/*
** named.c -- who writes o.kv_entries means the database o.
**
** SQLite finds an eponymous table under any schema name, that of no database too: with
** a database attached as o, "DELETE FROM o.kv_entries" would empty main, and so would
** "DELETE FROM p.kv_entries".  The table doesn't learn the name that was used; but while
** it is read or written the statement is under way, and its text can be had.  It is
** searched for
**
**     name '.' table
**
** where name is neither main nor temp nor an attached database with a table or view of
** that name.  A view or trigger that says so is not seen, and neither is a difference
** between the table and an alias of that name in a statement that reads both.
*/
#include "sql/named.h"
#include "sql/sql_word.h"
#include "store/error.h"
#include "store/schema.h"

/* A token: a name, a dot or something else. */
typedef struct NamedToken NamedToken;
struct NamedToken {
  const char *z;
  int n;
  char eKind;             /* 'n', '.', 'x'; 0 at the end */
};

static NamedToken namedToken(const char *z){
  NamedToken t;
  const char *zEnd;
  z = zEnd = kvSqlSkip(z);
  t.eKind = 'n';
  if( *z=='"' || *z=='`' || *z=='[' || *z=='\'' ){
    zEnd = kvSqlQuoted(z);
    if( zEnd==0 ) zEnd = z + strlen(z);
  }else if( kvSqlIsWord(*z) ){
    while( kvSqlIsWord(*zEnd) ) zEnd++;
  }else{
    t.eKind = (char)(*z=='.' ? '.' : *z ? 'x' : 0);
    zEnd += *z!=0;
  }
  t.z = z;
  t.n = (int)(zEnd - z);
  return t;
}

/* Is it the name zName?  (No name of ours has a quote in it.) */
static int namedIs(const NamedToken *p, const char *zName){
  int bQuoted = p->eKind=='n' && !kvSqlIsWord(p->z[0]);
  int n = p->n - 2*bQuoted;
  return p->eKind=='n' && n==(int)strlen(zName) && sqlite3_strnicmp(p->z + bQuoted, zName, n)==0;
}

/* May "zSchema.zTable" not mean main's?  *pbWrong: it doesn't; *pbThere: there is such a
** database. */
static int namedWrong(
  sqlite3 *db, const char *zSchema, const char *zTable, int *pbWrong, int *pbThere
){
  sqlite3_stmt *pStmt = 0;
  int rc;
  *pbThere = 1;
  *pbWrong = 0;
  if( sqlite3_stricmp(zSchema, "main")==0 || sqlite3_stricmp(zSchema, "temp")==0 ) return SQLITE_OK;
  *pbThere = kvHasSchema(db, zSchema);
  *pbWrong = 1;
  if( !*pbThere ) return SQLITE_OK;
  rc = kvPrepare(db, &pStmt, "SELECT 1 FROM \"%w\".sqlite_schema WHERE type IN ('table', 'view') "
                 "AND name = %Q COLLATE nocase", zSchema, zTable);
  if( rc==SQLITE_OK ) rc = sqlite3_step(pStmt);
  sqlite3_finalize(pStmt);
  *pbWrong = rc==SQLITE_DONE;
  return rc==SQLITE_DONE || rc==SQLITE_ROW ? SQLITE_OK : rc;
}

/* Is the table's name anywhere behind a dot, in the first nMost bytes?  That is seldom so.
** -1: no, but there are further dots. */
static int namedMaybe(const char *zSql, i64 nMost, const char *zTable){
  size_t n = strlen(zTable);
  const char *z;
  for(z=strchr(zSql, '.'); z && z-zSql<nMost; z=strchr(z+1, '.')){
    const char *zAfter = kvSqlSkip(z + 1);
    if( *zAfter && !kvSqlIsWord(*zAfter) ) zAfter++;         /* its quote */
    if( sqlite3_strnicmp(zAfter, zTable, (int)n)==0 ) return 1;
  }
  return z ? -1 : 0;
}

static char *namedMessage(const char *zSchema, const char *zTable, int bThere){
  if( !bThere ){
    return kvMsg("kv: no such database: %!.100s, in %!.100s.%s; ATTACH it under this name, or "
        "leave the name out: %s is main's", zSchema, zSchema, zTable, zTable);
  }
  return kvMsg("kv: %!.100s.%s is not the store of %!.100s: SQLite has only one "
      "%s, that of main; CREATE VIRTUAL TABLE temp.t USING %s(%!.100s) creates one for it",
      zSchema, zTable, zSchema, zTable, zTable, zSchema);
}

/* Look through the first nMost bytes of a statement's text.  What is after CREATE
** TABLE is yet to be made. */
static int namedSearch(sqlite3 *db, const char *zSql, i64 nMost, const char *zTable, char **pzErr){
  NamedToken a[4] = { { "", 0, 'x' }, { "", 0, 'x' }, { "", 0, 'x' }, { "", 0, 'x' } };
  int bWrong = 0, bThere, rc = SQLITE_OK;
  while( rc==SQLITE_OK && !bWrong ){
    char *zSchema;
    memmove(a, a+1, 3*sizeof(a[0]));
    a[3] = namedToken(a[2].n ? a[2].z + a[2].n : zSql);
    if( a[3].eKind==0 || a[3].z-zSql>nMost ) break;
    if( a[1].eKind!='n' || a[2].eKind!='.' || !namedIs(&a[3], zTable) ) continue;
    if( namedIs(&a[0], "table") || namedIs(&a[0], "exists") ) continue;
    zSchema = kvSqlWord(a[1].z, a[1].n);
    rc = zSchema ? namedWrong(db, zSchema, zTable, &bWrong, &bThere) : SQLITE_NOMEM;
    if( bWrong ) *pzErr = namedMessage(zSchema, zTable, bThere);
    sqlite3_free(zSchema);
  }
  if( rc!=SQLITE_OK || !bWrong ) return rc;
  return *pzErr ? SQLITE_ERROR : SQLITE_NOMEM;
}

/* The statements that run. */
static int namedRunning(sqlite3 *db, const char *zTable, i64 nMost, char **pzErr){
  sqlite3_stmt *pStmt;
  int rc = SQLITE_OK;
  for(pStmt=sqlite3_next_stmt(db, 0); rc==SQLITE_OK && pStmt; pStmt=sqlite3_next_stmt(db, pStmt)){
    const char *zSql = sqlite3_stmt_busy(pStmt) ? sqlite3_sql(pStmt) : 0;
    if( zSql && !kvStmtOurs(pStmt) ) rc = namedSearch(db, zSql, nMost, zTable, pzErr);
  }
  return rc;
}

/* SQLite puts a new statement before all others: with the same newest one there are no
** others than before.  Its text is compared, since another one may have its address. */
int kvNamedCheck(KvNamed *p, sqlite3 *db, const char *zTable, i64 nMost, char **pzErr){
  sqlite3_stmt *pNewest = sqlite3_next_stmt(db, 0), *pStmt;
  const char *zNewest = pNewest ? sqlite3_sql(pNewest) : 0;
  int bMaybe = 0, bMore = 0;
  if( zNewest && pNewest==p->pNewest && strcmp(zNewest, p->zSql)==0 ) return SQLITE_OK;
  for(pStmt=pNewest; pStmt && bMaybe!=1; pStmt=sqlite3_next_stmt(db, pStmt)){
    const char *zSql = sqlite3_sql(pStmt);
    if( zSql==0 || kvStmtOurs(pStmt) ) continue;
    bMaybe = namedMaybe(zSql, nMost, zTable);
    bMore |= bMaybe<0;
  }
  p->pNewest = 0;
  if( bMaybe==1 ) return namedRunning(db, zTable, nMost, pzErr);
  if( zNewest && !bMore && strlen(zNewest)<sizeof(p->zSql) ){
    p->pNewest = pNewest;
    memcpy(p->zSql, zNewest, strlen(zNewest) + 1);
  }
  return SQLITE_OK;
}
