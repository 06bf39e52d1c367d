/*
** migrate.c -- making a store's tables.  See migrate.h.
*/
#include "store/store_int.h"
#include "store/migrate.h"
#include "store/store_names.h"
#include "store/schema.h"
#include "store_sql.h"

/*
** What is to be done goes by the tables that are there and not by the number of
** the last migration, which may be that of tables that are gone.
*/
void kvMigrate(KvStore *p){
  static const int aSql[] = {
    KVSQL_MIGRATE_STATE,
    KVSQL_MIGRATE_1_VERSION, KVSQL_MIGRATE_1_ROW, KVSQL_MIGRATE_1_KV,
    KVSQL_MIGRATE_2_QUEUE, KVSQL_MIGRATE_2_RUNNING,
    KVSQL_MIGRATE_3_VERSION_SEQ, KVSQL_MIGRATE_3_KV_SEQ, KVSQL_MIGRATE_3_KV_EXPIRATION,
    KVSQL_MIGRATE_3_INDEX,
    KVSQL_MIGRATE_SET,
  };
  int eState = kvSchemaReady(p);
  u32 i;
  if( eState==KV_STORE_READY ) return;
  kvNamesCheck(p);
  if( !p->work.bSavepoint ) kvErrorCode(&p->err, KV_AGAIN);
  if( kvFailed(&p->err) ) return;
  KV_ASSERT( p->work.nDepth>0 && !p->work.bMaking );
  p->work.bMaking = 1;
  for(i=0; i<sizeof(aSql)/sizeof(aSql[0]); i++){
    if( i>=1 && i<=3 && eState==KV_STORE_OLD ) continue;
    kvStmtSimple(p, aSql[i]);
  }
  kvSchemaOpen(p);
  p->work.bMaking = (u8)kvFailed(&p->err);
}

/*
** What makes the tables in another file begins with the first of them.  If the
** rest fails that one is undone with the statement around it; but inside of a
** transaction a statement of one row has no savepoint.  So there it is done under
** that of a statement on main, if main can be written to.
*/
int kvMigrateRunner(KvStore *p){
  if( sqlite3_stricmp(p->zSchema, "main")==0 ) return KVSQL_RUN;
  if( kvSchemaReady(p)==KV_STORE_READY ) return KVSQL_RUN_THERE;
  if( !sqlite3_get_autocommit(p->db) && sqlite3_db_readonly(p->db, "main")==0 ) return KVSQL_RUN;
  kvNamesCheck(p);
  kvStmtSimple(p, KVSQL_MIGRATE_STATE);
  return KVSQL_RUN_MAKING;
}
