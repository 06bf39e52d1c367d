/*
** sql_word.h -- words in the text of SQL: space, names, quotes.
*/
#ifndef KV_SQL_WORD_H
#define KV_SQL_WORD_H

/* Can the byte be part of an unquoted name, or of a number? */
int kvSqlIsWord(char c);
/* After white space and comments. */
const char *kvSqlSkip(const char *z);
/* The text of a statement without leading semicolons and comments, so that EXPLAIN
** can precede it. */
const char *kvSqlStart(const char *z);
/* The end of the quoted name or string that begins at z; 0 if its quote isn't
** closed. */
const char *kvSqlQuoted(const char *z);
/* A copy, from sqlite3_malloc(), of the word z[0..n-1] without its quotes and the
** space around it; 0 if out of memory. */
char *kvSqlWord(const char *z, int n);

#endif /* KV_SQL_WORD_H */
