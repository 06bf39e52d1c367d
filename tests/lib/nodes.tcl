# nodes.tcl -- for the test files that start nodes of dqlite.
#
# Addresses: 127.x.y.1 to 127.x.y.4, where x and y follow from our process
# number, so that no other test has them.

use processes

# The programs are built without sanitizers.
unset -nocomplain env(LD_PRELOAD)

set program [file join $T::root build kv-dqlite]
set net 127.[expr {1+[pid]%250}].[expr {1+[pid]/250%250}]
set dir [file join [pwd] nodes]      ;# not in /dev/shm: 24 MB for each
file mkdir $dir

# However this ends, the nodes end too.
proc end_all {args} {
  foreach n [array names ::node] { catch {kill_process KILL [pid $::node($n)]} }
  file delete -force $::dir
}
trace add execution exit enter end_all

# node($i): its channel, until it is stopped; said($i): what it has printed.
proc address {i} { return $::net.$i:9001 }
proc addresses {} { join [lmap i {1 2 3} { address $i }] , }

# Start node $i; args: the members it joins.
proc node_start {i args} {
  set ch [start_process [list $::program --latency 20 $::dir/n$i [address $i] {*}$args] r]
  fconfigure $ch -blocking 0
  set ::node($i) $ch
  set ::said($i) ""
  fileevent $ch readable [list node_read $i $ch]
}
proc node_read {i ch} {
  incr ::tick
  append ::said($i) [read $ch]
  if {[eof $ch]} { fileevent $ch readable {}; append ::said($i) <end> }
}
proc node_said {i text} { wait_for {[string match "*$text*" $::said($i)]} "node $i: $text" }

# Send a signal.  The result: how it has ended.
proc node_end {i signal} {
  kill_process $signal [pid $::node($i)]
  node_said $i <end>
  fconfigure $::node($i) -blocking 1
  set rc [catch {close $::node($i)} - opt]
  unset ::node($i)
  if {!$rc} { return 0 }
  lrange [dict get $opt -errorcode] 0 0
}

# The leader's number, by a client of its own each time.
proc leader {} {
  set end [expr {[clock milliseconds]+60000}]
  while {[clock milliseconds]<$end} {
    if {![catch {exec timeout 10 dqlite -s [addresses] kv.db .leader} a]
     && [regexp {\.(\d):9001$} $a -> i] && [info exists ::node($i)]} { return $i }
    after 50
  }
  error "no leader"
}

# The file of node $i as dump$i/kv.db.
proc dump {i} {
  file delete -force dump$i
  file mkdir dump$i
  set here [pwd]
  cd dump$i
  set rc [catch {exec timeout 30 dqlite -s [addresses] kv.db ".dump [address $i] kv.db"} msg]
  cd $here
  if {$rc} { error $msg }
}
