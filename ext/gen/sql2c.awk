# sql2c.awk -- turn the store's SQL files into build/store_sql.h.
#
# Input: files of statements.  Each begins with a line "-- name: some_name";
# "--" lines after it are documentation and are dropped; the text up to the
# next name, without space around it and without its last semicolon, is the
# statement.  Output: an enum of KVSQL_SOME_NAME, closed by KVSQL_COUNT, and
# (only where KV_SQL_TEXTS is defined) the texts in the same order.
#
# Plain awk: works with mawk, gawk and busybox.

function trim(s){
  gsub(/^[ \t\r\n]+/, "", s)
  gsub(/[ \t\r\n]+$/, "", s)
  return s
}

function fail(what){
  printf "%s:%d: %s\n", FILENAME, FNR, what > "/dev/stderr"
  bad = 1
  exit 1
}

# One line as the inside of a C string literal.
function escaped(s,    i, c, out){
  out = ""
  for(i=1; i<=length(s); i++){
    c = substr(s, i, 1)
    if( c=="\\" || c=="\"" || (c=="?" && substr(s, i-1, 1)=="?") ) c = "\\" c
    else if( c=="\t" ) c = "\\t"
    out = out c
  }
  return out
}

# The lines of a statement as adjacent C string literals.
function literal(s,    i, n, line, out){
  n = split(s, line, "\n")
  out = ""
  for(i=1; i<=n; i++){
    out = out "\n    \"" escaped(line[i]) (i<n ? "\\n" : "") "\""
  }
  return out
}

{ sub(/\r$/, "") }

/^-- name:/ {
  name = trim(substr($0, 9))
  if( name !~ /^[a-z][a-z0-9_]*$/ ) fail("not a name: " name)
  if( name in known ) fail("name used twice: " name)
  known[name] = 1
  names[++count] = name
  text[count] = ""
  next
}

/^[ \t]*--/ { next }

{
  if( count==0 ){
    if( trim($0)!="" ) fail("text before the first \"-- name:\" line")
    next
  }
  text[count] = text[count] $0 "\n"
}

END {
  if( bad ) exit 1
  print "/* Made from sql/store by ext/gen/sql2c.awk: change it there. */"
  print "#ifndef KV_STORE_SQL_H"
  print "#define KV_STORE_SQL_H"
  print ""
  print "enum {"
  for(i=1; i<=count; i++) printf "  KVSQL_%s,\n", toupper(names[i])
  print "  KVSQL_COUNT"
  print "};"
  print ""
  print "#ifdef KV_SQL_TEXTS"
  print "static const char *const kvSqlText[] = {"
  for(i=1; i<=count; i++){
    s = trim(text[i])
    sub(/;$/, "", s)
    s = trim(s)
    if( s=="" ){
      printf "sql2c.awk: no statement under %s\n", names[i] > "/dev/stderr"
      exit 1
    }
    printf "  /* %s */%s%s\n", names[i], literal(s), (i<count ? "," : "")
  }
  if( count==0 ) print "  0"
  print "};"
  print "#endif /* KV_SQL_TEXTS */"
  print ""
  print "#endif /* KV_STORE_SQL_H */"
}
