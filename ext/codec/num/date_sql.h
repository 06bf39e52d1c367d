/*
** date_sql.h -- time values as the date texts of SQL.
*/
#ifndef KV_DATE_SQL_H
#define KV_DATE_SQL_H

#include "bytes/bytes.h"

/* Write YYYY-MM-DD HH:MM:SS.ffffff in UTC and a zero to z, KV_DATE_SQL bytes; returns
** the length, or 0 for a year with more than four digits. */
#define KV_DATE_SQL 27
u32 kvDateSqlText(double rMs, char *z);

/*
** Read a date text: those of kvDateParse(), and SQLite's
**
**   YYYY-MM-DD [ (T | space) HH:MM [ :SS [ .digits ] ] [ Z | +HH:MM | -HH:MM ] ]
**
** which are UTC unless there is a zone, cut to milliseconds.  No date is what depends on
** more than the text ('now', a time alone) and what SQLite takes for a number ('2024').
** False: it is none.
*/
int kvDateSqlRead(KvBytes text, double *prMs);

/* The order of the collation kv_datetime: dates as instants, then all other texts as
** bytes. */
int kvDateSqlCompare(KvBytes a, KvBytes b);

/* A number of less than this size is rather one of seconds or days than of milliseconds. */
#define KV_DATE_MS_LEAST 1e11

#endif /* KV_DATE_SQL_H */
