/*
** mark.c -- marks that SQLite's temporary tables have dropped.  See mark.h.
*/
#include "face/mark.h"
SQLITE_EXTENSION_INIT3

int kvMarkCheck(KvConn *p, sqlite3_value *pVal, const char *zWhat, char **pzErr){
  (void)p; (void)pVal; (void)zWhat; (void)pzErr;
  return SQLITE_OK;
}
