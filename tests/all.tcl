# all.tcl -- what "make test" runs: the C unit tests, then every
# tests/*.test in a tclsh of its own, some at a time, and the sum of it all.
#
#   tclsh tests/all.tcl ?NAME ...?    only these (without .test)
#   tclsh tests/all.tcl -quick        only those that start no other program, of
#                                     random cases and of matrices a third (KV_SLOW)
#
# KV_JOBS (two more than there are cores), KV_TIMEOUT (seconds for one file:
# 1800), KV_UNIT=0 (no unit tests), KV_PRELOAD (LD_PRELOAD for the test
# processes: sanitizers).

package require Tcl 8.6
fconfigure stdout -encoding utf-8 -buffering line

set root [file dirname [file dirname [file normalize [info script]]]]
proc env_or {name default} {
  if {[info exists ::env($name)]} { return $::env($name) }
  return $default
}
proc cores {} {
  if {[catch {exec getconf _NPROCESSORS_ONLN} n]} { return 2 }
  return $n
}
set jobs [env_or KV_JOBS [expr {[cores]+2}]]
set limit [env_or KV_TIMEOUT 1800]
set passed 0
set failed 0
set bad {}
set started [clock milliseconds]

# The longest are started first, so that none is left alone at the end.  An order
# that is out of date costs seconds, nothing else.
set longest {
  fault packages openkv deno_programs speed fuzz limits clients python_store python_versions python
  unit/num_test unit/v8_test bounds collection_visited marks plans entries_random wait contention
  serve_hostile unit/js_test dqlite history tpch
}

# True if the test file starts another program: the real Deno, a compiler, a shell.
proc starts_programs {file} {
  set f [open $file]
  fconfigure $f -encoding utf-8
  set text [read $f]
  close $f
  regexp {\m(deno_run|exec|KV_SO)\M|T::deno\M|open "?\||\muse (processes|serve|python)\M} $text
}

# What to run: {label command ...}
set queue {}
set quick [expr {$argv eq "-quick"}]
if {$quick} {
  set argv ""
  set env(KV_SLOW) [env_or KV_SLOW 3]
}
set commands {}
foreach f [lsort [glob -nocomplain -directory $root/tests *.test]] {
  set name [file rootname [file tail $f]]
  if {$argv eq "" ? !$quick || ![starts_programs $f] : $name in $argv} {
    dict set commands $name [list [info nameofexecutable] $f]
  }
}
if {[env_or KV_UNIT 1] && $argv eq "" && !$quick} {
  foreach f [lsort [glob -nocomplain -directory $root/tests/unit *_test.c]] {
    set name unit/[file rootname [file tail $f]]
    dict set commands $name [list $root/build/$name]
  }
}
foreach name $longest {
  if {[dict exists $commands $name]} { lappend queue [list $name [dict get $commands $name]] }
}
dict for {name command} $commands {
  if {$name ni $longest} { lappend queue [list $name $command] }
}
if {$queue eq ""} { puts "no such test: $argv" }

# Start the next of the queue, if there is one.
proc start {} {
  if {$::queue eq ""} return
  set ::queue [lassign $::queue job]
  lassign $job name cmd
  set pre [env_or KV_PRELOAD ""]
  if {$pre ne "" && ![string match unit/* $name]} {
    set cmd [list env LD_PRELOAD=$pre \
      ASAN_OPTIONS=detect_leaks=0:abort_on_error=0 \
      UBSAN_OPTIONS=print_stacktrace=1 {*}$cmd]
  }
  # "timeout" ends the whole group, children too.
  set cmd [list timeout -k 5 $::limit {*}$cmd]
  if {[catch {open |[list {*}$cmd </dev/null 2>@1] r} ch]} {
    finish $name "cannot start: $ch" 1 0
    return
  }
  fconfigure $ch -blocking 0 -encoding utf-8
  set ::out($ch) ""
  set ::begun($ch) [clock milliseconds]
  incr ::running
  fileevent $ch readable [list take $name $ch]
}

proc take {name ch} {
  append ::out($ch) [read $ch]
  if {![eof $ch]} return
  fconfigure $ch -blocking 1
  set rc 0
  set why ""
  if {[catch {close $ch} msg opt]} {
    set rc 1
    set ec [dict get $opt -errorcode]
    if {[lindex $ec 0] eq "CHILDSTATUS"} { set rc [lindex $ec 2] } else { set why $msg }
  }
  incr ::running -1
  set out $::out($ch)
  set ms [expr {[clock milliseconds]-$::begun($ch)}]
  unset ::out($ch) ::begun($ch)
  finish $name $out $rc $ms $why
  incr ::tick
}

# Judge one process by its exit code and its last line.
proc finish {name out rc ms {why ""}} {
  set last [lindex [split [string trimright $out] \n] end]
  set n 0
  set bad 0
  set crash ""
  if {[regexp {^(\d+) passed, (\d+) failed$} $last -> n bad]} {
    if {$rc>1 || ($rc!=0)!=($bad!=0)} { set crash "exit status $rc after its last test" }
  } elseif {$rc==124 || $rc==137} {
    set crash "timed out after $::limit seconds"
  } elseif {$rc!=0} {
    set crash "died: exit status $rc $why"
  } else {
    set crash "ended without a count"
  }
  if {$crash eq "" && $n+$bad==0} { set crash "ran no test" }
  incr ::passed $n
  incr ::failed $bad
  if {$crash ne ""} { incr ::failed }
  set line [format "%-28s %6d passed" $name $n]
  if {$bad} { append line ", $bad failed" }
  append line [format "  %.1f s" [expr {$ms/1000.0}]]
  if {$crash ne ""} { append line "  ** $crash" }
  puts $line
  if {$bad || $crash ne ""} {
    foreach l [lrange [split [string trimright $out] \n] end-400 end] { puts "  $l" }
    foreach {- t} [regexp -all -inline -line {^! (.*)$} $out] { lappend ::bad $t }
    if {$crash ne ""} { lappend ::bad "$name: $crash" }
  } else {
    # What a file has to tell: seeds, counts of exceptions.
    foreach l [lrange [split [string trimright $out] \n] 0 end-1] { puts "  $l" }
  }
}

set running 0
set tick 0
while {$queue ne "" || $running>0} {
  while {$running<$jobs && $queue ne ""} { start }
  if {$running>0} { vwait tick }
}

if {$bad ne ""} {
  puts "failed:"
  foreach t $bad { puts "  $t" }
}
if {$passed+$failed==0} { set failed 1 }
puts [format "%.1f s" [expr {([clock milliseconds]-$started)/1000.0}]]
puts "$passed passed, $failed failed"
exit [expr {$failed>0}]
