# tester.tcl -- the test commands, in the manner of SQLite's own harness.
#
# A test file does
#
#     source [file join [file dirname [info script]] tester.tcl]
#     ... tests ...
#     finish_test
#
# It runs in a directory of its own (deleted first) below build/test, with a
# database handle "db" on test.db that has the extension loaded.  The name of
# a test is a sentence that says what is promised, and unique in its file; of a
# failing one the name, what was expected and what came are printed, and the
# file goes on.
#
# Environment: KV_SO (the extension), DENO (the deno), KV_SEED (start of the
# random numbers), KV_SLOW (divides the number of cases), KV_ONLY (a
# glob: only tests with such names run), KV_FULL (all random cases, not a
# fifth), KV_BIG (runs what needs gigabytes).

package require Tcl 8.6
package require sqlite3

# Files and what programs print are UTF-8, whatever the locale says; Tcl has read the
# test file in the locale's encoding.
if {[encoding system] ne "utf-8"} {
  encoding system utf-8
  source -encoding utf-8 $argv0
  exit
}

namespace eval T {
  variable root [file dirname [file dirname [file normalize [info script]]]]
  variable file [file rootname [file tail $::argv0]]
  variable passed 0 failed 0 finished 0
  variable names
  array set names {}
  variable so [file join $root build kv.so]
  if {[info exists ::env(KV_SO)]} { set so [file join $root $::env(KV_SO)] }
  variable deno [file join $root build npm deno]
  if {[info exists ::env(DENO)] && $::env(DENO) ne ""} { set deno $::env(DENO) }
  variable slow 1
  if {[info exists ::env(KV_SLOW)]} { set slow $::env(KV_SLOW) }
  # The same cases each time, but with KV_SEED: a number, or "new" for others each time.
  variable seed 1
  if {[info exists ::env(KV_SEED)]} { set seed $::env(KV_SEED) }
  if {$seed eq {new}} { set seed [expr {([clock microseconds] ^ ([pid]<<8)) & 0x3fffffff}] }
  variable dir [file join $root build test $file]
  if {[info exists ::env(KV_TESTDIR)]} {
    set dir [file join $::env(KV_TESTDIR) $file]
  }
}

fconfigure stdout -encoding utf-8
fconfigure stderr -encoding utf-8

# Read tests/lib/NAME.tcl: procedures that several files share.
proc use {name} { uplevel #0 [list source [file join $T::root tests lib $name.tcl]] }
use store

# ------------------------------------------------------------- databases

# Load the extension into the connection of handle $h.  Without its suffix,
# which SQLite appends: so the message of a failure is about the file itself.
proc load_kv {h} {
  set name [file rootname $::T::so]
  $h enable_load_extension 1
  $h eval {SELECT load_extension($name)}
  $h enable_load_extension 0
}

# Open handle $h on $file (below the test's directory) with the extension.
proc open_kv {h file args} {
  catch {$h close}
  sqlite3 $h $file {*}$args
  $h timeout 5000
  load_kv $h
}

# Start again with an empty test.db.
proc reset_db {} {
  catch {db close}
  forcedelete test.db test.db-wal test.db-shm test.db-journal
  open_kv db test.db
  # Nothing here is about power failures, and waiting for a disk takes half of the time.
  db eval {PRAGMA synchronous=OFF}
}

# True if the library is older than, say, 3.40.
proc sqlite_before {version} {
  expr {[package vcompare [db onecolumn {SELECT sqlite_version()}] $version]<0}
}

proc forcedelete {args} { foreach f $args { file delete -force $f } }

proc execsql {sql {h db}} { uplevel 1 [list $h eval $sql] }

# {0 rows} or {1 message}
proc catchsql {sql {h db}} {
  set rc [catch {uplevel 1 [list $h eval $sql]} msg]
  list $rc $msg
}

# The texts of EXPLAIN QUERY PLAN, in order.
proc eqp {sql {h db}} {
  set res {}
  $h eval "EXPLAIN QUERY PLAN $sql" r { lappend res $r(detail) }
  return $res
}

# Send a signal.  By the shell, which has kill even where there is no program
# of that name.
proc kill_process {signal pids} { exec sh -c "kill -$signal $pids" }

# ----------------------------------------------------------------- tests

proc T::shown {s} {
  if {[string length $s]>2000} {
    set s "[string range $s 0 1990]... ([string length $s] characters)"
  }
  return $s
}

# What is wrong with a name: it is a sentence, of this test alone.
proc T::misnamed {name} {
  variable names
  if {[info exists names($name)]} { return "used twice" }
  set names($name) 1
  if {![regexp {\S\s+\S+\s+\S} $name]} { return "not a sentence" }
  if {[regexp {(^|\s)[-\w.]*\d$} $name]} { return "ends in a number" }
}

proc T::result {name ok expected got} {
  variable passed; variable failed
  set wrong [misnamed $name]
  if {$wrong ne ""} {
    set ok 0
    set expected "a name that is a sentence, and used once"
    set got $wrong
  }
  if {$ok} {
    incr passed
  } else {
    incr failed
    variable file
    puts "! $file: [one_line $name]"
    puts "    expected: [shown $expected]"
    puts "    got:      [shown $got]"
  }
}

proc T::one_line {name} { regsub -all {\s+} $name { } name; shown $name }

proc T::skip {name} {
  expr {[info exists ::env(KV_ONLY)] && ![string match $::env(KV_ONLY) $name]}
}

# Run $script in the caller's frame; its result must be the string $expected.
proc do_test {name script expected} {
  if {[T::skip $name]} return
  if {[catch {uplevel 1 $script} got]} {
    T::result $name 0 $expected "error: $got"
  } else {
    T::result $name [string equal $got $expected] $expected $got
  }
}

# The same; the result must match the regular expression.
proc do_match_test {name script re} {
  if {[T::skip $name]} return
  if {[catch {uplevel 1 $script} got]} {
    T::result $name 0 "match of $re" "error: $got"
  } else {
    T::result $name [regexp -- $re $got] "match of $re" $got
  }
}

# do_execsql_test ?-db HANDLE? NAME SQL ?LIST?
proc do_execsql_test {args} {
  set h db
  if {[lindex $args 0] eq "-db"} {
    set h [lindex $args 1]
    set args [lrange $args 2 end]
  }
  lassign $args name sql expected
  if {[T::skip $name]} return
  set expected [list {*}$expected]
  if {[catch {uplevel 1 [list $h eval $sql]} got]} {
    T::result $name 0 $expected "error: $got"
  } else {
    T::result $name [string equal $got $expected] $expected $got
  }
}

# The pair {code message-or-rows} must equal $expected.
proc do_catchsql_test {name sql expected} {
  if {[T::skip $name]} return
  set got [uplevel 1 [list catchsql $sql]]
  set expected [list {*}$expected]
  T::result $name [string equal $got $expected] $expected $got
}

# The statement must fail with a message that begins with "kv: " and matches
# every one of the regular expressions (case counts).
proc do_error_test {name sql args} {
  if {[T::skip $name]} return
  lassign [uplevel 1 [list catchsql $sql]] rc msg
  set ok [expr {$rc==1 && [string match "kv: ?*" $msg]}]
  foreach re $args { if {![regexp -- $re $msg]} { set ok 0 } }
  T::result $name $ok "error \"kv: ...\" that matches $args" "$rc: $msg"
}

# The plan must match each regular expression; "!" before one: must not.
proc do_eqp_test {name sql args} {
  if {[T::skip $name]} return
  if {[catch {join [uplevel 1 [list eqp $sql]] " | "} plan]} {
    T::result $name 0 "a plan" "error: $plan"
    return
  }
  set ok 1
  foreach re $args {
    if {[string match !* $re]} {
      if {[regexp -- [string range $re 1 end] $plan]} { set ok 0 }
    } elseif {![regexp -- $re $plan]} {
      set ok 0
    }
  }
  T::result $name $ok "plan with $args" $plan
}

# ---------------------------------------------------------------- random

# Random numbers that only the seed decides (xorshift, 32 bits).
proc set_seed {s} {
  variable T::rnd
  set T::rnd [expr {($s*2654435761 + 1) & 0xffffffff}]
  if {$T::rnd==0} { set T::rnd 1 }
}
proc rnd {n} {
  set x $T::rnd
  set x [expr {$x ^ (($x<<13) & 0xffffffff)}]
  set x [expr {$x ^ ($x>>17)}]
  set x [expr {$x ^ (($x<<5) & 0xffffffff)}]
  set T::rnd $x
  expr {$x % $n}
}
proc pick {list} { lindex $list [rnd [llength $list]] }
proc chance {percent} { expr {[rnd 100]<$percent} }

# Tell the seed; to run a failing case again: KV_SEED=that make test
proc start_seed {} {
  puts "seed $T::seed"
  set_seed $T::seed
  return $T::seed
}

# $n random cases, fewer where each is slow.
proc cases {n} { expr {max(1, $n/$T::slow)} }

# The same where $n takes long: a fifth of it, but for KV_FULL ("make soak").
proc sample {n} { cases [expr {[info exists ::env(KV_FULL)] ? $n : $n/5}] }

# Whether it is the turn of this cell of a matrix: always, or one time in KV_SLOW, scattered, so
# that no row or column is left out whole.
proc in_turn {} { expr {(([incr ::T::turn]*2654435761 & 0xffffffff)>>16) % $::T::slow==0} }

# ------------------------------------------------------------------ deno

# Run tests/deno/$script with the real Deno.  Its standard output.
proc deno_run {script args} {
  set cmd [list $T::deno run -A --unstable-kv --quiet --no-lock --no-config \
    [file join $T::root tests deno $script] {*}$args]
  # The extension's preloaded libraries are nothing for Deno.
  set save {}
  foreach v {LD_PRELOAD ASAN_OPTIONS} {
    if {[info exists ::env($v)]} { lappend save $v $::env($v); unset ::env($v) }
  }
  set ::env(DENO_NO_UPDATE_CHECK) 1
  set ::env(NO_COLOR) 1
  set rc [catch {exec {*}$cmd 2>@1} out]
  foreach {v x} $save { set ::env($v) $x }
  if {$rc} { error "deno $script: $out" }
  return $out
}

# Lines of a vector file: a dict each.  Just what those files need of JSON:
# one flat object a line.
proc read_vectors {name} {
  sqlite3 vectors_db :memory:
  set f [open [file join $T::root tests vectors $name]]
  # As bytes: Tcl 8.6 can't read characters above U+FFFF, but hands on those
  # that it gets from SQLite unchanged.
  fconfigure $f -translation binary
  set res {}
  while {[gets $f line]>=0} {
    if {$line eq ""} continue
    set d {}
    vectors_db eval {SELECT key, value, type FROM json_each(CAST(@line AS TEXT))} r {
      if {$r(type) eq "null"} { dict set d $r(key) null: } \
      else { dict set d $r(key) $r(value) }
    }
    lappend res $d
  }
  close $f
  vectors_db close
  return $res
}

# ---------------------------------------------------------------- finish

proc finish_test {} {
  catch {db close}
  set T::finished 1
  puts "$T::passed passed, $T::failed failed"
  flush stdout
  exit [expr {$T::failed>0}]
}

file delete -force $T::dir
file mkdir $T::dir
cd $T::dir
reset_db
