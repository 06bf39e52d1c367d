# queue_worker.tcl -- a consumer of the queue, in a process of its own.
#
#   tclsh queue_worker.tcl SO FILE hold COUNT LEASE
#     Take COUNT messages for LEASE ms, print "holds ID" for each, then
#     "ready", and do nothing until killed.
#
#   tclsh queue_worker.tcl SO FILE drain LOG LEASE
#     Wait for a line on standard input.  Then take messages for LEASE ms each
#     until there are no more, and log to LOG, as the handler of a message
#     would see it: "ID begin end", times in us.  Print how many.

package require sqlite3
lassign $argv so file what arg lease
sqlite3 db $file
db timeout 60000
db enable_load_extension 1
set name [file rootname $so]
db eval {SELECT load_extension($name)}
db eval {PRAGMA synchronous=OFF}
fconfigure stdout -buffering line

if {$what eq "hold"} {
  for {set i 0} {$i<$arg} {incr i} {
    puts "holds [db onecolumn {SELECT id FROM kv_dequeue(CAST($lease AS INTEGER))}]"
  }
  puts ready
  while 1 { after 1000 }
}

gets stdin
set log [open $arg w]
fconfigure $log -buffering full -buffersize 100000
set n 0
while 1 {
  set id [db onecolumn {SELECT id FROM kv_dequeue(CAST($lease AS INTEGER))}]
  if {$id eq ""} break
  set begin [clock microseconds]
  db onecolumn {SELECT value FROM kv_queue WHERE id=$id}
  set end [clock microseconds]
  puts $log "$id $begin $end"
  if {[db onecolumn {SELECT kv_finish($id, 1)}] ne 1} { puts $log "$id lost lost" }
  incr n
}
close $log
db close
puts $n
