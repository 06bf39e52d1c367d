# readme_sql.awk -- the blocks of SQL in the texts as scripts for a shell.
#
#   awk -v dir=DIR -f tests/readme_sql.awk README.md sql/manual/*.md
#
# For each "<!-- database: ... -->" of them: DIR/N.sql with all its
# statements, DIR/N.txt with what they must print, and a line "N empty FILE" or
# "N sample FILE" on standard output.

function shut(){ if( n ){ close(sql); close(txt) } }

FNR==1 { into = "" }
/^<!-- database: (empty|sample) -->$/ {
  shut()
  n++
  sql = dir "/" n ".sql"
  txt = dir "/" n ".txt"
  printf "" > sql
  printf "" > txt
  print n, $3, FILENAME
  next
}
/^```sql$/  { into = sql; next }
/^```text$/ { into = txt; next }
/^```/      { into = ""; next }
into!=""    { print > into }
