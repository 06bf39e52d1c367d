# reference.tcl -- sql/manual/reference.md, every function and table, as kv_help
# has them.
#
#   tclsh ext/gen/reference.tcl       writes the page, with build/kv.so
#
# Usage, summary, columns and links are generated.  The examples of a name, from
# the first block or "<!-- database" on, are written by hand in the page itself
# and stay.  tests/cookbook.test reads this file and demands that the page is as
# written, and that every name has an example.

namespace eval reference {
  variable root [file dirname [file dirname [file dirname [file normalize [info script]]]]]
  variable file [file join $root sql manual reference.md]
  # The chapter of a topic that has no chapter of its own name.
  variable chapter {ids queue.md#ids-time help ../../README.md}
  variable head {# Every function and table

What each one returns, with an example. Inside SQL the same list is the table [`kv_help`](#kv_help).
In a usage, brackets enclose what can be left out. Examples of one topic run in order on one
database.
}
}

proc reference::read {} {
  variable file
  set f [open $file]
  fconfigure $f -encoding utf-8
  set page [::read $f]
  close $f
  return $page
}
proc reference::write {page} {
  variable file
  set f [open $file w]
  fconfigure $f -encoding utf-8
  puts -nonewline $f $page
  close $f
}

# The examples of a page: name, text, name, text ...
proc reference::examples {page} {
  set res {}
  set name ""
  foreach line [split $page \n] {
    if {[regexp {^### (\w+)$} $line -> name]} {
      dict set res $name ""
    } elseif {[regexp {^## } $line]} {
      set name ""
    } elseif {$name ne "" && ([dict get $res $name] ne "" || [regexp {^(```|<!-- database)} $line])} {
      dict append res $name $line \n
    }
  }
  dict map {name text} $res { string trimright $text \n }
}

# What the page says about a name before its examples.
proc reference::section {db name} {
  set res "### $name\n\n"
  foreach {kind usage summary} [$db eval {SELECT kind, usage, summary FROM kv_help WHERE name = $name}] {
    append res "- `$usage`, $kind: $summary.\n"
  }
  set shown [$db eval {SELECT name FROM pragma_table_xinfo($name) WHERE hidden = 0}]
  set hidden [$db eval {SELECT name FROM pragma_table_xinfo($name) WHERE hidden <> 0 AND name NOT IN ($name, 'kv_extra')}]
  foreach {what columns} [list Columns $shown {Hidden columns and arguments} $hidden] {
    if {$columns eq ""} continue
    append res "- $what: [join [lmap column $columns { string cat ` $column ` }] {, }]" .\n
  }
  return $res
}

# The page with all names that database handle $db has, and the examples of $page.
proc reference::filled {db page} {
  variable chapter
  variable head
  variable root
  set examples [examples $page]
  set topics [$db eval {SELECT topic FROM kv_help GROUP BY topic ORDER BY min(rowid)}]
  set index "| topic | |\n| --- | --- |\n"
  set body ""
  foreach topic $topics {
    set names [$db eval {SELECT name FROM kv_help WHERE topic = $topic GROUP BY name ORDER BY min(rowid)}]
    set file $topic.md
    if {[dict exists $chapter $topic]} { set file [dict get $chapter $topic] }
    set anchor [string map {{ } -} $topic]
    append index "| \[$topic\](#$anchor) | [join [lmap name $names { string cat "\[`" $name "`\](#" $name ")" }] {, }] |\n"
    append body "## [string totitle $topic]\n\n"
    if {$topic eq "for tools"} { append body "What programs, conversions and repairs need; the chapters name them where they are of use.\n\n" \
    } else { append body "The chapter is \[[file rootname [file tail [lindex [split $file #] 0]]]\]($file).\n\n" }
    foreach name $names {
      append body [section $db $name]
      if {[dict exists $examples $name] && [dict get $examples $name] ne ""} {
        append body \n [dict get $examples $name] \n
      }
      append body \n
    }
  }
  return "$head\n$index\n[string trimright $body]\n"
}

if {[info exists argv0] && [file normalize $argv0] eq [file normalize [info script]]} {
  package require sqlite3
  sqlite3 help :memory:
  help enable_load_extension 1
  set so [file join $reference::root build kv]
  help eval {SELECT load_extension($so)}
  reference::write [reference::filled help [reference::read]]
}
