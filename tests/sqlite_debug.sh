#!/bin/sh
# sqlite_debug.sh SQLITE3.C LIBSQLITE3.SO.0 -- build SQLite with its assertions,
# checks of how its API is used, and checks of functions' subtypes, as a library
# that takes the place of the installed one (LD_LIBRARY_PATH).
#
# The sqlite3 shell knows its library by the source id and refuses another: the
# new one says the id of the installed header.
set -eu
id=$(echo 'SQLITE_SOURCE_ID' | cat - /dev/null | { echo '#include <sqlite3.h>'; cat; } |
  ${CC:-gcc} -E -P -x c - | tail -n 1)
dir=$(dirname "$2")
sed "s|^#define SQLITE_SOURCE_ID .*|#define SQLITE_SOURCE_ID $id|" "$1" >"$dir/sqlite3.c"
${CC:-gcc} -O1 -g -fPIC -shared -Wl,-soname,libsqlite3.so.0 \
  -DSQLITE_DEBUG -DSQLITE_ENABLE_API_ARMOR -DSQLITE_STRICT_SUBTYPE=1 \
  -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS5 -DSQLITE_ENABLE_RTREE \
  -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_STAT4 -DSQLITE_ENABLE_DBSTAT_VTAB \
  -DSQLITE_ENABLE_SESSION -DSQLITE_ENABLE_PREUPDATE_HOOK -DSQLITE_ENABLE_UNLOCK_NOTIFY \
  -DSQLITE_ENABLE_DBPAGE_VTAB -DSQLITE_ENABLE_STMTVTAB -DSQLITE_ENABLE_EXPLAIN_COMMENTS \
  -o "$2" "$dir/sqlite3.c" -lm -ldl -lpthread
