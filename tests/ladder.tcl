#!/usr/bin/env tclsh
#
# ladder.tcl -- the layers of ext/, held against the objects' symbols.
#
# Usage:  tclsh tests/ladder.tcl OBJECTS
#
# OBJECTS is a folder with an object for each ext/.../x.c.  Looked at are
#
#   calls      a file uses symbols of its own layer or of one below, and no
#              two files use each other, directly or around corners
#   includes   the same for #include; a header x_int.h belongs to its folder, and to
#              those in it
#   headers    what crosses files is declared in the header of the file that
#              defines it, and a header declares nothing of another file
#
# Prints the first violation of each kind and exits 1, or prints how many files
# and uses there are.  With -v also the files in their order, lowest first.

set layers {ext/bytes ext/codec ext/store ext/sql}
set verbose [expr {[lindex $argv 0] eq "-v"}]
if {$verbose} { set argv [lrange $argv 1 end] }
set objects [lindex $argv 0]
set bad {}

# The place of a file in the layers.
proc layer {file} {
  set i 0
  foreach folder $::layers {
    if {[string match $folder/* $file]} { return $i }
    incr i
  }
  error "$file is in no layer"
}

proc read_file {name} {
  set f [open $name]
  set text [read $f]
  close $f
  return $text
}

# A complaint; of each kind only the first counts.
proc violation {kind text} {
  if {![info exists ::seen($kind)]} { lappend ::bad $text }
  set ::seen($kind) 1
}

# ---------------------------------------------------------------- what is there

set sources {}
set headers {}
foreach folder $layers {
  foreach ext {c h} to {sources headers} {
    lappend $to {*}[lsort [glob -nocomplain $folder/*.$ext $folder/*/*.$ext]]
  }
}

# defines(symbol): its file.  uses(file): the symbols that it needs.
foreach file $sources {
  set object $objects/[file rootname $file].o
  set uses($file) {}
  foreach line [split [exec nm -P $object] \n] {
    lassign $line symbol type
    switch -- $type {
      T - D - R - B - C { set defines($symbol) $file }
      U { lappend uses($file) $symbol }
    }
  }
}

# ------------------------------------------------------------------------ calls

# from(file): {other symbol other symbol ...}, a symbol for each file it uses.
set n 0
foreach file $sources {
  set from($file) {}
  foreach symbol $uses($file) {
    if {![info exists defines($symbol)]} continue
    incr n
    set other $defines($symbol)
    if {$other eq $file || [dict exists $from($file) $other]} continue
    dict set from($file) $other $symbol
    if {[layer $other]>[layer $file]} {
      violation calls "$file calls up: $symbol of $other"
    }
  }
}

# Files whose uses are all placed are placed next; what is left is in circles.
set order {}
set left $sources
while {$left ne ""} {
  set next {}
  foreach file $left {
    set free 1
    foreach other [dict keys $from($file)] {
      if {![info exists placed($other)]} { set free 0; break }
    }
    if {$free} { lappend order $file; lappend done $file } else { lappend next $file }
  }
  if {[llength $next]==[llength $left]} break
  foreach file $done { set placed($file) 1 }
  set left $next
}

# From a file that is left one always comes to another that is: around.
if {$left ne ""} {
  set file [lindex $left 0]
  set path {}
  while {$file ni $path} {
    lappend path $file
    foreach other [dict keys $from($file)] {
      if {![info exists placed($other)]} { set file $other; break }
    }
  }
  set path [lrange $path [lsearch -exact $path $file] end]
  set text "a circle:"
  foreach one $path other [list {*}[lrange $path 1 end] [lindex $path 0]] {
    append text "\n  $one needs [dict get $from($one) $other] of $other"
  }
  violation circle $text
}

# --------------------------------------------------------------------- includes

foreach file [list {*}$sources {*}$headers] {
  foreach {- name} [regexp -all -inline -line {^#include "([^"]+)"} [read_file $file]] {
    set other ext/$name
    if {![file exists $other]} continue
    if {[layer $other]>[layer $file]} { violation includes "$file includes up: $other" }
    if {[string match *_int.h $other] && ![string match [file dirname $other]/* $file]} {
      violation includes "$file includes what belongs to another folder: $other"
    }
  }
}

# ---------------------------------------------------------------------- headers

# What a header declares of functions, without those that it defines.
proc declared {header} {
  regsub -all {/\*.*?\*/} [read_file $header] {} text
  regsub -all -line {^#([^\n]*\\\n)*[^\n]*$} $text {} text
  set res {}
  foreach {- name} [regexp -all -inline {\n[a-z][\w \*]*?\m(kv\w+)\([^;\x7b]*\);} $text] {
    lappend res $name
  }
  return $res
}

foreach header $headers {
  foreach symbol [declared $header] {
    if {![info exists defines($symbol)]} continue
    set declaredBy($symbol) $header
    if {[file rootname $header] ne [file rootname $defines($symbol)]} {
      violation headers "$header declares $symbol of $defines($symbol)"
    }
  }
}
foreach file $sources {
  foreach other [dict keys $from($file)] {
    set symbol [dict get $from($file) $other]
    if {[string match kv* $symbol] && ![file exists [file rootname $other].h]} {
      violation headers "$other is used by $file and has no header"
    }
  }
}

# ---------------------------------------------------------------------------

if {$verbose} { foreach file $order { puts $file } }
if {$bad ne ""} {
  foreach text $bad { puts stderr "ladder: $text" }
  exit 1
}
puts "ladder: [llength $sources] files, $n uses, none of them upwards or in a circle"
