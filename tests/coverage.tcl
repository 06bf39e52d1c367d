# coverage.tcl -- what "make coverage" runs: the tests over a build of the
# extension that counts (gcc's --coverage), with the fault scripts, and the unit
# tests and fuzz targets over such a build of the codecs; then for each file of
# ext/ how many lines and branches were reached, and the lines that were not.
#
# Lines that no test can reach say so: /* not reached ... */ stands in them.
# They are told apart.  Left out are the tests that run a build of their own,
# and those about time and many processes.  KV_COVERAGE names tests that are run
# to be added to what was counted before; KV_BRANCHES=1 lists branches, too.

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
  foreach f [split [exec find build/cov build/covcodec build/covunit -name *.gcda] \n] {
    if {$f ne ""} { file delete $f }
  }
  foreach f [lsort [glob tests/*.test]] {
    set name [file rootname [file tail $f]]
    if {$name in {contention readme tour wait deno_programs packages speed fuzz clients dqlite fault}} continue
    lappend names $name
  }
}
set ::env(KV_SO) build/cov/kv.so
set ::env(KV_SLOW) 4
set ::env(KV_BIG) 1
set ::env(KV_UNIT) 0
# In memory, if there is such a place: not the disk is looked at.
source tests/lib/processes.tcl
set dir [fast_dir]
set ::env(KV_TESTDIR) $dir/test
puts "tests: $names"
if {[catch {exec [info nameofexecutable] tests/all.tcl {*}$names >@stdout 2>@1}]} {
  puts "some tests have failed"
}
# The fault scripts, for what only an error reaches.
foreach {how scripts} {
  {memory -step 7} *  {api -step 3} *  {api -step 1} {{pure,queue,read,transfer}}
  limit *  {full -step 5} *  {busy -step 3} *  {io -journal wal -step 9} *
} {
  catch {exec build/kvfault {*}$how -kv build/cov/kv.so -dir $dir \
    {*}[lsort [glob tests/fault/scripts/$scripts.sql]] 2>@1} out
  regexp -line {^\d+ passed, \d+ failed$} $out out
  puts "fault $how, $scripts: [lindex [split $out \n] end]"
}
file delete -force $dir
# The unit tests, linked with the counting codecs.
foreach bin [lsort [glob build/covunit/*_test]] {
  catch {exec $bin 2>@1} out
  puts "unit [file tail $bin]: [lindex [split $out \n] end]"
}
# The fuzz targets: their seeds, the corpus, the finds of old, and mutations of
# them, the same ones each time.
exec [info nameofexecutable] tests/fuzz/seeds.tcl
foreach {target n} {
  key_bytes 30000 key_text 30000 value_bytes 60000 js_text 60000 json 40000 cursor 20000 op 30000 words 60000 database 400
} {
  set files {}
  foreach f [list build/fuzz/seeds/$target.hex tests/fuzz/corpus/$target.hex tests/fuzz/regressions/$target.hex] {
    if {[file exists $f]} { lappend files $f }
  }
  set dict [expr {[file exists tests/fuzz/$target.dict] ? [list -dict tests/fuzz/$target.dict] : {}}]
  catch {exec build/covfuzz/$target -n $n -seed 1 {*}$dict {*}$files 2>@1} out
  puts "fuzz $target: [lindex [split $out \n] end]"
}

# ------------------------------------------------------------- the counts

# gcov's text for an object: what was reached goes to ::line, ::branch and
# ::code.  A codec is built twice and a header is in many objects: a line is
# reached if it is in one of them, a branch too, as far as a line has the same
# branches in both; otherwise the better of the two counts.
proc take {dir file} {
  set obj $dir/[file rootname $file].o
  if {![file exists [file rootname $obj].gcda]} return
  set text [exec $::gcov --branch-probabilities --branch-counts --stdout --object-file $obj $file 2>/dev/null]
  set cur ""
  set n 0
  set arcs {}
  foreach l [split $text \n] {
    if {[regexp {^ *[^:]+: *0:Source:(.*)$} $l -> src]} {
      set cur [string map [list $::root/ ""] $src]
      set n 0
    } elseif {[regexp {^ *([-#=0-9*]+): *(\d+):(.*)$} $l -> count n code]} {
      if {$n==0 || $count eq "-" || ![string match ext/* $cur]
          || [string match "*/\* not reached*" $code]} {
        if {$n!=0 && $count ne "-" && [string match ext/* $cur]} { set ::unreachable($cur,$n) $code }
        set n 0
        continue
      }
      set reached [expr {![string match {[#=]*} $count]}]
      if {![info exists ::line($cur,$n)] || $reached} { set ::line($cur,$n) $reached }
      set ::code($cur,$n) $code
    } elseif {$n>0 && [regexp {^branch +\d+ (?:never executed|taken (\d+))} $l -> taken]} {
      dict lappend arcs $cur,$n [expr {$taken ne "" && $taken>0}]
    }
  }
  dict for {k list} $arcs {
    if {![info exists ::branch($k)]} {
      set ::branch($k) $list
    } elseif {[llength $list]==[llength $::branch($k)]} {
      set ::branch($k) [lmap x $list y $::branch($k) {expr {$x || $y}}]
    } elseif {[share $list]>[share $::branch($k)]} {
      set ::branch($k) $list
    }
  }
}
proc sum {list} { tcl::mathop::+ {*}$list }
proc share {list} { expr {double([sum $list])/[llength $list]} }

array set line {}
array set branch {}
array set unreachable {}
foreach f [lsort [glob ext/*/*.c ext/{codec,store,sql}/*/*.c]] {
  take build/cov $f
  take build/covcodec $f
}

# Lines by file.
foreach k [lsort -dictionary [array names line]] {
  lassign [split $k ,] file n
  dict incr lines $file
  if {$line($k)} { dict incr reached $file } else { dict lappend missed $file $n }
}
foreach k [lsort -dictionary [array names branch]] {
  lassign [split $k ,] file n
  dict incr bAll $file [llength $branch($k)]
  dict incr bHit $file [sum $branch($k)]
  if {[share $branch($k)]<1} { dict lappend partly $file $n }
}
proc get {d k} { if {[dict exists $d $k]} { return [dict get $d $k] }; return 0 }
proc percent {h n} { expr {$n ? [format %.1f [expr {100.0*$h/$n}]] : "-"} }
foreach v {lines reached missed partly bAll bHit} { if {![info exists $v]} { set $v {} } }

# With KV_BRANCHES=1 also the lines that were reached, but not each way.
if {[info exists ::env(KV_BRANCHES)]} {
  puts "\nbranches that were not taken (of those that a line has):"
  dict for {file list} $partly {
    foreach n $list {
      if {!$line($file,$n)} continue
      set b $branch($file,$n)
      puts [format "  %-28s %s %s" $file:$n [join $b ""] [string trim $code($file,$n)]]
    }
  }
}
puts "\nlines that were not reached:"
dict for {file list} $missed {
  foreach n $list { puts [format "  %-28s %s" $file:$n [string trim $code($file,$n)]] }
}
puts "\nlines that can't be reached, and are not counted:"
foreach k [lsort -dictionary [array names unreachable]] {
  puts [format "  %-28s %s" [string map {, :} $k] [string trim $unreachable($k)]]
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
