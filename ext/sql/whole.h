/*
** whole.h -- does a DELETE remove all rows that a virtual table shows it?
**
** SQLite doesn't tell a virtual table of conditions such as random() > 0, but they
** are in the program of the statement, between the rows of the table.
*/
#ifndef KV_WHOLE_H
#define KV_WHOLE_H

#include "sqlite3ext.h"

/*
** True if each running statement that deletes from the table first collects all of
** its rows.  nCompare is how many comparisons SQLite may make for each row: those
** of constraints passed to xBestIndex, on columns that are never NULL.  False if
** unknown; -1 if there is no memory to look.
*/
int kvWholeDelete(sqlite3 *db, const sqlite3_vtab *pVtab, int nCompare);

#endif /* KV_WHOLE_H */
