/*
** sql_word.h -- words in the text of SQL: space, names, quotes.
*/
#ifndef KV_SQL_WORD_H
#define KV_SQL_WORD_H

/* May the byte be part of a name that isn't quoted, or of a number? */
int kvSqlIsWord(char c);
/* Behind white space and comments. */
const char *kvSqlSkip(const char *z);
/* What of a statement's text EXPLAIN can stand in front of: behind semicolons that end
** no statement, and comments between them. */
const char *kvSqlStart(const char *z);
/* Behind the quoted name or string that begins at z; 0 if its quote isn't closed. */
const char *kvSqlQuoted(const char *z);
/* A copy, of sqlite3_malloc(), of the word z[0..n-1] without its quotes and the space
** around it; 0 without memory. */
char *kvSqlWord(const char *z, int n);

#endif /* KV_SQL_WORD_H */
