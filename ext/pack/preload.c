/*
** preload.c -- the extension for programs that load no extensions.
**
** With the static library after it this is build/kv-preload.so.  A program that
** is started with LD_PRELOAD=kv-preload.so and uses the shared libsqlite3 has
** the extension in each connection that it opens.
*/
#include <sqlite3.h>
#include "sql/kv.h"

/* Runs before main(). */
__attribute__((constructor)) static void preloadKv(void){
  sqlite3_auto_extension((void(*)(void))sqlite3_kv_init);
}
