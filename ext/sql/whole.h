/*
** whole.h -- does a DELETE remove all rows that a virtual table shows it?
**
** A table doesn't learn of conditions that it can't help with, such as random() > 0, but
** they are in the program of the statement: between the rows of the table.
*/
#ifndef KV_WHOLE_H
#define KV_WHOLE_H

#include "sqlite3ext.h"

/*
** True if each statement under way that deletes from the table collects the rows first,
** and collects all of them.  nCompare is how many comparisons SQLite may make for a row,
** of constraints that xBestIndex has been told of, on columns that are never NULL.  False if
** that can't be told.
*/
int kvWholeDelete(sqlite3 *db, const sqlite3_vtab *pVtab, int nCompare);

#endif /* KV_WHOLE_H */
