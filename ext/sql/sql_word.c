/*
** sql_word.c -- words in the text of SQL.  See sql_word.h.
*/
#include "sql/sql_word.h"
#include "sqlite3ext.h"
SQLITE_EXTENSION_INIT3
#include "bytes/bytes.h"

int kvSqlIsWord(char c){
  return (c>='a' && c<='z') || (c>='A' && c<='Z') || (c>='0' && c<='9')
      || c=='_' || c=='$' || (u8)c>=0x80;
}

static int sqlWordIsSpace(char c){
  return c==' ' || (c>=9 && c<=13);
}

const char *kvSqlSkip(const char *z){
  for(;;){
    while( sqlWordIsSpace(*z) ) z++;
    if( z[0]=='-' && z[1]=='-' ){
      z += strcspn(z, "\n");
    }else if( z[0]=='/' && z[1]=='*' ){
      const char *zEnd = strstr(z+2, "*/");
      z = zEnd ? zEnd+2 : z+strlen(z);
    }else{
      return z;
    }
  }
}

const char *kvSqlStart(const char *z){
  for(z=kvSqlSkip(z); *z==';'; z=kvSqlSkip(z+1)){}
  return z;
}

const char *kvSqlQuoted(const char *z){
  char cEnd = *z;
  if( cEnd=='[' ) cEnd = ']';
  for(z++; *z; z++){
    if( *z!=cEnd ) continue;
    if( z[1]!=cEnd || cEnd==']' ) return z+1;
    z++;
  }
  return 0;
}

char *kvSqlWord(const char *z, int n){
  char *zOut, cClose;
  int i, k = 0;
  while( n>0 && sqlWordIsSpace(*z) ){ z++; n--; }
  while( n>0 && sqlWordIsSpace(z[n-1]) ) n--;
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
