/*
** adapt.c -- the calls as they were.  See adapt.h.
*/
#include "store/adapt.h"
SQLITE_EXTENSION_INIT3

int kvStep(KvStmt *p){
  KvError *pErr = &p->pStore->err;
  int rc = pErr->rc;
  kvErrorClear(pErr);
  return rc==SQLITE_OK ? sqlite3_step(p->pStmt) : rc;
}

int kvStoreFailed(KvStore *p, int rc, char **pzErr){
  KvError err = { SQLITE_OK, 0 };
  kvErrorDb(&err, p->db, rc);
  if( *pzErr==0 ) kvErrorTake(&err, pzErr);
  kvErrorClear(&err);
  p->bConflict = 0;
  return rc;
}
