#!/usr/bin/env tclsh
#
# ladder.tcl -- the layers of ext/, held against the objects' symbols.
#
# Usage:  tclsh tests/ladder.tcl OBJECTS
#
# OBJECTS is a folder with an object for each ext/.../x.c.  Looked at are
#
#   calls      a file uses symbols of its own layer or of one below, and no
#              two files use each other, directly or around corners; an inline
#              function of a header is one of the header's source
#   folders    no two folders of a layer use each other, directly or around corners
#   includes   the same for #include; a header x_int.h belongs to its folder, and to
#              those in it; no headers include each other in a circle
#   headers    what crosses files is declared in the header of the file that
#              defines it, and a header declares nothing of another file; but
#              modules.h declares what the files func_x.c and vtab_x.c register
#   parts      a part of KvStore is changed by the sources alone that its comment in
#              store_int.h names
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

# Inline functions leave no symbol in an object.  inlines(name): the source of its header.
foreach header $headers {
  set source [file rootname $header].c
  if {$source ni $sources} continue
  foreach {- name} [regexp -all -inline {\nstatic inline [^\n]*?\m(kv\w+)\(} [read_file $header]] {
    set inlines($name) $source
  }
}
foreach file $sources {
  regsub -all {/\*.*?\*/} [read_file $file] {} text
  foreach name [lsort -unique [regexp -all -inline {\mkv[A-Z]\w+} $text]] {
    if {![info exists inlines($name)] || $inlines($name) eq $file} continue
    incr n
    if {![dict exists $from($file) $inlines($name)]} { dict set from($file) $inlines($name) $name }
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

# ---------------------------------------------------------------------- folders

# A folder of a layer, which the layer's own files may use and are used by.
proc folder {file} { return [expr {[file dirname $file] in $::layers ? "" : [file dirname $file]}] }
foreach file $sources {
  foreach other [dict keys $from($file)] {
    lassign [list [folder $file] [folder $other]] a b
    if {$a ne "" && $b ne "" && $a ne $b} { dict set folders $a $b "$file needs [dict get $from($file) $other] of $other" }
  }
}
proc around {folder path} {
  if {$folder in $path} {
    set text "a circle of folders:"
    set path [list {*}[lrange $path [lsearch -exact $path $folder] end] $folder]
    foreach a [lrange $path 0 end-1] b [lrange $path 1 end] { append text "\n  [dict get $::folders $a $b]" }
    violation folders $text
    return
  }
  if {$folder in $::straight || ![dict exists $::folders $folder]} return
  foreach other [dict keys [dict get $::folders $folder]] { around $other [list {*}$path $folder] }
  lappend ::straight $folder
}
set straight {}
foreach folder [dict keys $folders] { around $folder {} }

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

# Headers without an include that is left are put aside, until none is or there is a circle.
foreach header $headers {
  set of($header) {}
  foreach {- name} [regexp -all -inline -line {^#include "([^"]+)"} [read_file $header]] {
    if {[file exists ext/$name]} { lappend of($header) ext/$name }
  }
}
set left $headers
while {$left ne ""} {
  set next {}
  foreach header $left {
    foreach other $of($header) { if {$other in $left} { lappend next $header; break } }
  }
  if {$next eq $left} {
    set header [lindex $left 0]
    set path {}
    while {$header ni $path} {
      lappend path $header
      foreach other $of($header) { if {$other in $left} { set header $other; break } }
    }
    violation circles "headers include each other: [lrange $path [lsearch -exact $path $header] end]"
    break
  }
  set left $next
}

# ------------------------------------------------------------------------ parts

# In store_int.h a part is a struct behind a comment "a.c, b.c: ...", and a field of KvStore.
set text [read_file ext/store/store_int.h]
foreach {- files type} [regexp -all -inline {/\* ((?:[a-z_/]+\.c(?:, )?)+)[:.][^/]*\*/\ntypedef struct (\w+)} $text] {
  set owners($type) $files
}
regexp {\nstruct KvStore \x7b\n(.*?)\n\x7d;} $text - fields
set nPart 0
foreach {- type name} [regexp -all -inline -line {^  (\w+) (\w+);} $fields] {
  if {![info exists owners($type)]} continue
  incr nPart
  foreach file $sources {
    if {![string match ext/store/* $file]} continue
    if {[string range $file [string length ext/store/] end] in [split [string map {, {}} $owners($type)]]} continue
    regsub -all {/\*.*?\*/} [read_file $file] {} text
    if {[regexp "\\m$name\\.\\w+(?:\\.\\w+|\\\[\[^\\n\]*?\\\])*(?: \[-+|&^\]?= \[^=\]|\\+\\+|--)\[^\\n\]*" $text what]
     || [regexp "(?:\\+\\+|--)\\w+->$name\\.\[^\\n\]*" $text what]} {
      violation parts$name$file "$file changes the part $name, which is that of $owners($type): $what"
    }
  }
}
if {$nPart<5} { violation parts "store_int.h has no parts" }

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
    if {$header eq "ext/sql/modules.h"} continue
    if {[file rootname $header] ne [file rootname $defines($symbol)]} {
      violation headers "$header declares $symbol of $defines($symbol)"
    }
  }
}
foreach file $sources {
  foreach other [dict keys $from($file)] {
    set symbol [dict get $from($file) $other]
    if {[string match kv* $symbol] && ![file exists [file rootname $other].h] && $file ne "ext/sql/kv.c"} {
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
