/*
** kv.h -- the extension in a C program that links it.
**
** Register it for every connection that the program opens,
**
**     sqlite3_auto_extension((void(*)(void))sqlite3_kv_init);
**
** or call sqlite3_kv_init(db, &zErr, 0) for one.  That is for libsqlite_kv.a, or kv.c
** compiled with -DSQLITE_CORE.  A program that loads sqlite_kv.so with
** sqlite3_load_extension() doesn't need this header.
*/
#ifndef SQLITE_KV_H
#define SQLITE_KV_H

#define SQLITE_KV_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

struct sqlite3;
struct sqlite3_api_routines;

#ifdef _WIN32
__declspec(dllexport)
#elif defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int sqlite3_kv_init(
  struct sqlite3 *db, char **pzErrMsg, const struct sqlite3_api_routines *pApi
);

#ifdef __cplusplus
}
#endif

#endif /* SQLITE_KV_H */
