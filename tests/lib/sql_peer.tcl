# sql_peer.tcl -- another process with a connection, at the service of a test.
#
#   tclsh sql_peer.tcl SO FILE
#     Open FILE with the extension as "db"; then run each line of standard
#     input as Tcl and answer with one line: its result, or "error: ...".

package require sqlite3
lassign $argv so file
fconfigure stdout -buffering line -encoding utf-8
fconfigure stdin -encoding utf-8
sqlite3 db $file
db timeout 60000
db enable_load_extension 1
set name [file rootname $so]
db eval {SELECT load_extension($name)}

while {[gets stdin line]>=0} {
  if {[catch $line res]} { set res "error: $res" }
  puts [string map {\n { }} $res]
}
db close
