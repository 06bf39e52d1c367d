# coverage.tcl -- what "make coverage" runs: the tests over a build of the
# extension that counts (gcc's --coverage), and the unit tests over such a build
# of the codecs; then for each file of ext/ how many lines and branches were
# reached, and the lines that were not.
#
# Lines that no test can reach are marked in the source: /* not reached */.
# They are not counted.  The tests that are about time and about many processes
# are left out.  KV_COVERAGE names tests that are run to be added to what was
# counted before.

package require Tcl 8.6
set root [file dirname [file dirname [file normalize [info script]]]]
cd $root
set cc gcc
if {[info exists ::env(CC)]} { set cc $::env(CC) }
set gcov [regsub {gcc(-\d+)?$} $cc {gcov\1}]

set names {}
if {[info exists ::env(KV_COVERAGE)]} {
  set names $::env(KV_COVERAGE)
} else {
  foreach f [split [exec find build/cov build/covcodec -name *.gcda] \n] {
    if {$f ne ""} { file delete $f }
  }
  foreach f [lsort [glob tests/*.test]] {
    set name [file rootname [file tail $f]]
    if {$name in {contention readme tour wait deno_programs}} continue
    lappend names $name
  }
}
set ::env(KV_SO) build/cov/kv.so
set ::env(KV_SLOW) 4
set ::env(KV_UNIT) 0
puts "tests: $names"
if {[catch {exec [info nameofexecutable] tests/all.tcl {*}$names >@stdout 2>@1}]} {
  puts "some tests have failed"
}
source tests/processes.tcl
set dir [fast_dir]
# The fault scripts, once through, for what only an error reaches.
foreach how {{memory -step 9} {api -step 2} {io -step 9}} {
  catch {exec build/kvfault {*}$how -kv build/cov/kv.so -dir $dir \
    {*}[lsort [glob tests/fault/scripts/*.sql]] 2>@1} out
  puts "fault $how: [lindex [split $out \n] end]"
}
file delete -force $dir
# The unit tests, linked with the counting codecs.
foreach f [lsort [glob tests/unit/*_test.c]] {
  set bin build/covcodec/[file rootname [file tail $f]]
  exec $cc -std=c11 -Iext -Itests -DKV_STANDALONE -DKV_TEST --coverage -O0 -o $bin $f \
    {*}[lsort [concat [glob build/covcodec/ext/bytes/*.o] [glob build/covcodec/ext/codec/*.o]]] -lm 2>@1
  if {[catch {exec $bin 2>@1} out]} { puts "$bin: [string range $out end-200 end]" }
}

# ------------------------------------------------------------- the counts

# gcov's text for an object: {line count branches} into ::line and ::branch.
# The two builds of a codec are added up; a branch is told by its number in
# its line, and only of the build where it was reached more is counted.
proc take {dir file} {
  set obj $dir/[file rootname $file].o
  if {![file exists [file rootname $obj].gcda]} return
  set text [exec $::gcov --branch-probabilities --stdout --object-file $obj $file 2>/dev/null]
  set cur ""
  set n 0
  set b 0
  array set hit {}
  array set all {}
  foreach l [split $text \n] {
    if {[regexp {^ *([^:]+): *(\d+):Source:(.*)$} $l -> - - src]} {
      set cur [string map [list $::root/ ""] $src]
      continue
    }
    if {[regexp {^ *([-#=0-9*]+): *(\d+):(.*)$} $l -> count n code]} {
      set b 0
      if {$n==0 || $count eq "-" || ![string match ext/* $cur]} continue
      if {[string match "*not reached*" $code]} { set n 0; continue }
      set reached [expr {![string match {[#=]*} $count]}]
      if {![info exists ::line($cur,$n)] || $reached} { set ::line($cur,$n) $reached }
      set ::code($cur,$n) $code
    } elseif {[regexp {^branch +(\d+) (never executed|taken (\d+)%.*)} $l -> k what pct] && $n>0
        && [string match ext/* $cur]} {
      incr all($cur,$n)
      if {$pct ne "" && ([string trim $pct]>0)} { incr hit($cur,$n) }
    }
  }
  foreach k [array names all] {
    set h 0
    if {[info exists hit($k)]} { set h $hit($k) }
    if {![info exists ::branch($k)] || double($h)/$all($k)>double([lindex $::branch($k) 0])/[lindex $::branch($k) 1]} {
      set ::branch($k) [list $h $all($k)]
    }
  }
}

array set line {}
array set branch {}
foreach f [lsort [glob ext/*/*.c]] {
  take build/cov $f
  take build/covcodec $f
}

# Lines by file.
foreach k [lsort -dictionary [array names line]] {
  lassign [split $k ,] file n
  dict incr lines $file
  if {$line($k)} { dict incr reached $file } else { dict lappend missed $file $n }
}
foreach k [array names branch] {
  lassign [split $k ,] file n
  lassign $branch($k) h all
  dict incr bAll $file $all
  dict incr bHit $file $h
}
proc get {d k} { if {[dict exists $d $k]} { return [dict get $d $k] }; return 0 }
proc percent {h n} { expr {$n ? [format %.1f [expr {100.0*$h/$n}]] : "-"} }
foreach v {lines reached missed bAll bHit} { if {![info exists $v]} { set $v {} } }

puts "\nlines that were not reached:"
dict for {file list} $missed {
  foreach n $list { puts [format "  %-28s %s" $file:$n [string trim $code($file,$n)]] }
}
puts "\n[format {%-28s %6s %7s   %8s %7s} file lines {} branches {}]"
set t {0 0 0 0}
foreach file [lsort [dict keys $lines]] {
  set v [list [get $reached $file] [get $lines $file] [get $bHit $file] [get $bAll $file]]
  set t [lmap a $t b $v {expr {$a+$b}}]
  lassign $v a b c d
  puts [format "%-28s %6d %6s%%   %8d %6s%%" $file $b [percent $a $b] $d [percent $c $d]]
}
lassign $t a b c d
puts [format "%-28s %6d %6s%%   %8d %6s%%" all $b [percent $a $b] $d [percent $c $d]]
