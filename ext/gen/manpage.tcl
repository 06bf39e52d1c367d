# manpage.tcl -- the tables and functions in ext/sqlite-kv.7, as kv_help has
# them: between ".\" begin" and ".\" end" of each.
#
#   tclsh ext/gen/manpage.tcl       writes the page, with build/kv.so
#
# tests/cookbook.test reads this file and demands that the page is as written.

namespace eval manpage {
  variable root [file dirname [file dirname [file dirname [file normalize [info script]]]]]
  variable file [file join $root ext sqlite-kv.7]
}

proc manpage::read {} {
  variable file
  set f [open $file]
  set page [::read $f]
  close $f
  return $page
}
proc manpage::write {page} {
  variable file
  set f [open $file w]
  puts -nonewline $f $page
  close $f
}

# A text for troff.
proc manpage::troff {z} { string map {\\ \\e - \\- \" \\(dq ' \\(aq} $z }

# The part of the page about what $where selects from kv_help.
proc manpage::part {db where} {
  set res {}
  foreach {usage summary} [$db eval "SELECT usage, summary FROM kv_help WHERE $where"] {
    lappend res .TP ".B [troff $usage]" "[string toupper [troff $summary] 0 0]."
  }
  join $res \n
}

# The page with both parts as database handle $db has them.
proc manpage::filled {db page} {
  foreach {mark where} {tables "kind = 'table'" functions "kind <> 'table'"} {
    set begin ".\\\" begin $mark\n"
    set end ".\\\" end $mark\n"
    set i [expr {[string first $begin $page]+[string length $begin]}]
    set page [string range $page 0 $i-1][part $db $where]\n[string range $page [string first $end $page] end]
  }
  return $page
}

if {[info exists argv0] && [file normalize $argv0] eq [file normalize [info script]]} {
  package require sqlite3
  sqlite3 help :memory:
  help enable_load_extension 1
  set so [file join $manpage::root build kv]
  help eval {SELECT load_extension($so)}
  manpage::write [manpage::filled help [manpage::read]]
}
