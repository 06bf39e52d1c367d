# short.awk -- the six rows of README.md, from what "make bench" prints.
#
#   BENCH_CPU=1 make -s bench | awk -f tests/bench/short.awk
#
# Microseconds of processor time: raw's nanoseconds, and the others' ratios to it.

function add(work, what){ order[++rows] = work; name[work] = what }

BEGIN {
  FS = " *\\| *"
  n = split("raw, ns|table|openKv|@deno/kv|better-sqlite3", column, "|")
  n = split("SQLite alone|sqlite-kv|Deno|@deno/kv|better-sqlite3, JSON", title, "|")
  add("get by id, each its own transaction", "a point get")
  add("ten keys by IN", "ten keys")
  add("all users as JSON, a row", "a scan, an entry")
  add("set, own commit, FULL", "a commit of one entry")
  add("e-mail -> id -> user in one statement", "a lookup by an index")
  add("search: the ten best of a word", "a search, the ten best")
}
/^[A-Z].* cores, SQLite / { machine = $0 }
/^\| work \|/ {
  for(i=2; i<NF; i++) at[$i] = i
  line = "| µs of processor time |"
  rule = "| --- |"
  for(k=1; k<=n; k++){ line = line " " title[k] " |"; rule = rule " --- |" }
  print machine "\n\n" line "\n" rule
}
$2 in name {
  line = "| " name[$2] " |"
  for(k=1; k<=n; k++){
    x = $(at[column[k]])
    sub(/ .*/, "", x)
    if( x=="" ){ line = line " – |"; continue }
    us = k==1 ? x/1000 : x*$(at["raw, ns"])/1000
    line = line sprintf(us<10 ? " %.1f |" : " %.0f |", us)
  }
  row[$2] = line
}
END { for(k=1; k<=rows; k++) if( order[k] in row ) print row[order[k]] }
