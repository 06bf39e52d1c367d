# readme_sql.awk -- the README's blocks of SQL as scripts for a shell.
#
#   awk -v dir=DIR -f tests/readme_sql.awk README.md
#
# For each "<!-- database: ... -->" of the README: DIR/N.sql with all its
# statements, DIR/N.txt with what they must print, and a line "N empty" or
# "N sample" on standard output.

function shut(){ if( n ){ close(sql); close(txt) } }

/^<!-- database: (empty|sample) -->$/ {
  shut()
  n++
  sql = dir "/" n ".sql"
  txt = dir "/" n ".txt"
  printf "" > sql
  printf "" > txt
  print n, $3
  next
}
/^```sql$/  { into = sql; next }
/^```text$/ { into = txt; next }
/^```/      { into = ""; next }
into!=""    { print > into }
