# processes.tcl -- for the test files that run other programs beside theirs.

# A directory of our own, in memory where there is such a place, with room (a
# file and its -wal grow to 30 MB): Deno waits for the disk at each commit.
proc fast_dir {} {
  set dir [pwd]/fast
  if {[file isdirectory /dev/shm] && [file writable /dev/shm]
      && ![catch {exec df -Pk /dev/shm} text] && [lindex $text end-2]>=300000} {
    set dir /dev/shm/sqlite-kv.[pid]
  }
  file delete -force $dir
  file mkdir $dir
  return $dir
}

# Start a command with the given environment changes; a channel to it.  What
# it writes to standard error comes with its output.
proc start_process {cmd {access r+}} {
  set save {}
  foreach v {LD_PRELOAD ASAN_OPTIONS UBSAN_OPTIONS} {
    if {[info exists ::env($v)] && [string match *deno* [lindex $cmd 0]]} {
      lappend save $v $::env($v)
      unset ::env($v)
    }
  }
  set ::env(DENO_NO_UPDATE_CHECK) 1
  set ::env(NO_COLOR) 1
  set rc [catch {open |[list {*}$cmd 2>@1] $access} ch]
  foreach {v x} $save { set ::env($v) $x }
  if {$rc} { error "cannot start $cmd: $ch" }
  fconfigure $ch -buffering line -encoding utf-8
  return $ch
}

proc deno_command {script args} {
  list $T::deno run -A --unstable-kv --quiet --no-lock --no-config \
    [file join $T::root tests deno $script] {*}$args
}

# Let events happen until the condition holds.  Whatever is read is an event.
proc wait_for {condition what {ms 90000}} {
  set end [expr {[clock milliseconds]+$ms}]
  while {![uplevel 1 [list expr $condition]]} {
    if {[clock milliseconds]>$end} { error "in vain: $what" }
    set id [after 20 {incr ::tick}]
    vwait ::tick
    after cancel $id
  }
}
proc pause {ms} {
  set ::paused 0
  after $ms {set ::paused 1}
  wait_for {$::paused} "a pause"
}
