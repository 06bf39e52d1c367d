/*
** codec.c -- the benchmark's work on the formats alone, without a store: an
** entry's key and value, as the data has them.
**
** The function of SQL is measured with the statement around it taken off, the
** C interface (ext/codec/kv_codec.h) as a program calls it: with the memory of
** the result, and freeing it.
*/
#include "bench.h"
#include "codec/kv_codec.h"

/* One user in its four forms. */
typedef struct User User;
struct User {
  sqlite3 *db;
  sqlite3_stmt *pText, *pBytes, *pJson, *pRaw;   /* Each on its row */
};
static User user;

static sqlite3_stmt *codecRow(const char *zSql){
  sqlite3_stmt *p = benchPrepare(user.db, zSql);
  if( sqlite3_step(p)!=SQLITE_ROW ) benchDie(user.db, "no user 4711");
  return p;
}

static void codecOpen(void){
  if( user.db ) return;
  user.db = benchOpen(bench.zData);
  user.pText = codecRow("SELECT '[\"users\",4711]'");
  user.pBytes = codecRow("SELECT kv_key_encode('[\"users\",4711]')");
  user.pJson = codecRow("SELECT json FROM kv_entries WHERE key = '[\"users\",4711]'");
  user.pRaw = codecRow("SELECT raw FROM kv_entries WHERE key = '[\"users\",4711]'");
}

static void codecClose(void){
  sqlite3_finalize(user.pText);
  sqlite3_finalize(user.pBytes);
  sqlite3_finalize(user.pJson);
  sqlite3_finalize(user.pRaw);
  sqlite3_close(user.db);
  memset(&user, 0, sizeof(user));
}

/* What a statement of parameter ?1 costs beyond another one. */
static double codecSql(const char *zBare, const char *zSql, sqlite3_stmt *pArg, int n){
  int64_t aTime[2];
  int i, k;
  for(k=0; k<2; k++){
    sqlite3_stmt *p = benchPrepare(user.db, k ? zSql : zBare);
    sqlite3_bind_value(p, 1, sqlite3_column_value(pArg, 0));
    aTime[k] = benchNow();
    for(i=0; i<n; i++) benchDrain(p);
    aTime[k] = benchNow() - aTime[k];
    sqlite3_finalize(p);
  }
  return (double)(aTime[1]-aTime[0])/n;
}

/* Text or bytes that are made n times by one of the functions for C. */
static double codecC(char eWork, sqlite3_stmt *pArg, int n){
  const void *a = sqlite3_column_blob(pArg, 0);
  size_t nArg = (size_t)sqlite3_column_bytes(pArg, 0), nOut;
  const unsigned char *aRaw = a;
  int64_t t = benchNow();
  int i, eEncoding, rc = 0;
  for(i=0; i<n && rc==KV_CODEC_OK; i++){
    unsigned char *aOut = 0;
    char *zOut = 0;
    switch( eWork ){
      case 'j': rc = kv_value_to_json(aRaw[0], aRaw+1, nArg-1, &zOut, &nOut, 0); break;
      case 'v': rc = kv_value_from_json(a, nArg, &eEncoding, &aOut, &nOut, 0); break;
      case 'b': rc = kv_key_from_text(a, nArg, &aOut, &nOut, 0); break;
      default:  rc = kv_key_to_text(a, nArg, &zOut, &nOut, 0); break;
    }
    kv_free(aOut);
    kv_free(zOut);
  }
  if( rc!=KV_CODEC_OK ) benchDie(0, "codec");
  return (double)(benchNow()-t)/n;
}

/* zArg: j V8 to JSON, v JSON to V8, b key text to bytes, t bytes to text; a
** second letter c is the C interface. */
static double runCodec(const Work *w, int e, int n){
  char eWork = w->zArg[0];
  sqlite3_stmt *pArg;
  if( n==0 ){ codecClose(); return 0; }
  if( e!=PEER_FUNC ) return -1;
  codecOpen();
  pArg = eWork=='j' ? user.pRaw : eWork=='v' ? user.pJson : eWork=='b' ? user.pText : user.pBytes;
  if( w->zArg[1]=='c' ) return codecC(eWork, pArg, n);
  switch( eWork ){
    case 'j': return codecSql("SELECT ?1", "SELECT kv_json(?1)", pArg, n);
    case 'v': return codecSql("SELECT json(?1)", "SELECT kv_value_encode(json(?1))", pArg, n);
    case 'b': return codecSql("SELECT ?1", "SELECT kv_key_encode(?1)", pArg, n);
    default:  return codecSql("SELECT ?1", "SELECT kv_key_decode(?1)", pArg, n);
  }
}

const Work benchCodec[] = {
  { "tojson",   "V8 bytes to JSON text, one user, ns",       0, 20000, runCodec, "j" },
  { "tojsonc",  "... from C, ns",                            0, 20000, runCodec, "jc" },
  { "tov8",     "JSON text to V8 bytes, one user, ns",       0, 20000, runCodec, "v" },
  { "tov8c",    "... from C, ns",                            0, 20000, runCodec, "vc" },
  { "tobytes",  "key text to key bytes, two parts, ns",      0, 20000, runCodec, "b" },
  { "tobytesc", "... from C, ns",                            0, 20000, runCodec, "bc" },
  { "totext",   "key bytes to key text, two parts, ns",      0, 20000, runCodec, "t" },
  { "totextc",  "... from C, ns",                            0, 20000, runCodec, "tc" },
  { 0, 0, 0, 0, 0, 0 }
};
