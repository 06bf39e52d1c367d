#!/usr/bin/env tclsh
#
# map.tcl -- the lists of files in ext/README.md, from the heads of the headers.
#
#   tclsh ext/gen/map.tcl       writes the page
#
# A list stands between "<!-- files: FOLDER -->" and "<!-- end -->".  A line is a
# header, or a source without one, and the first sentence of its head comment.
# tests/texts.test reads this file and demands that the page is as written.

namespace eval map {
  variable root [file dirname [file dirname [file dirname [file normalize [info script]]]]]
  variable file [file join $root ext README.md]
}

proc map::read {name} {
  set f [open $name]
  fconfigure $f -encoding utf-8
  set text [::read $f]
  close $f
  return $text
}

# The first sentence of a file's head comment, without the file's name.
proc map::about {name} {
  set head [string range [read $name] 0 4000]
  if {![regexp {^/\*\n\*\* \S+ -- (.*?)\n(?:\*\*\n|\*/)} $head -> text]} { error "$name has no head" }
  regsub -all {\n\*\* ?} $text { } text
  regexp {^(.*?[^.])(?:\.(?:\s|$)|:$|$)} $text -> text
  return [string trim $text]
}

# The lines of a folder.
proc map::files {folder} {
  variable root
  set names {}
  foreach path [lsort [glob -directory [file join $root $folder] *.h *.c]] {
    set name [file rootname [file tail $path]]
    if {$name ni $names} { lappend names $name }
  }
  set res {}
  foreach name $names {
    set path [file join $root $folder $name]
    set path [expr {[file exists $path.h] ? "$path.h" : "$path.c"}]
    lappend res "| `$name` | [string map {| \\|} [about $path]] |"
  }
  return [join $res \n]
}

# The page with its lists filled in.
proc map::filled {page} {
  set res ""
  while {[regexp -indices {<!-- files: (\S+) -->\n} $page all folder]} {
    append res [string range $page 0 [lindex $all 1]]
    append res "| file | |\n| --- | --- |\n[files [string range $page {*}$folder]]\n"
    set page [string range $page [lindex $all 1]+1 end]
    set page [string range $page [string first "<!-- end -->" $page] end]
  }
  return $res$page
}

if {[info exists argv0] && [file normalize $argv0] eq [file normalize [info script]]} {
  set page [map::filled [map::read $map::file]]
  set f [open $map::file w]
  fconfigure $f -encoding utf-8
  puts -nonewline $f $page
  close $f
}
