# docs.tcl -- the texts of the project, for the tests that hold them.
#
# Sourced after tester.tcl.  A text is named by its path from the root of the
# project, such as sql/manual/keys.md.

# A file of the project.
proc doc_text {name} {
  set f [open [file join $::T::root $name]]
  fconfigure $f -encoding utf-8
  set text [read $f]
  close $f
  return $text
}

# The names of all texts, below these folders and at the root.
proc doc_names {{folders {ext sql tests}}} {
  set res [glob -nocomplain -directory $::T::root -tails *.md]
  while {$folders ne ""} {
    set folders [lassign $folders folder]
    foreach name [lsort [glob -nocomplain -directory $::T::root -tails $folder/*.md]] { lappend res $name }
    foreach name [lsort [glob -nocomplain -directory $::T::root -tails -types d $folder/*]] { lappend folders $name }
  }
  return $res
}

# The blocks of a text: {kind first-line last-line text database name}.  A line
# number is an index into the lines of the text, those of the fences are not
# part of the block.  The database is {empty|sample line-of-the-comment}, or ""
# before the first comment.  A block that is not closed is an error.
proc doc_blocks {name} {
  set res {}
  set database ""
  set inside 0
  set lines [split [doc_text $name] \n]
  for {set i 0} {$i<[llength $lines]} {incr i} {
    set line [lindex $lines $i]
    if {$inside} {
      if {$line eq "```"} {
        lappend res [list $kind $first $i [join [lrange $lines $first $i-1] \n] $database $name]
        set inside 0
      }
    } elseif {[regexp {^```(\w*)$} $line -> kind]} {
      set inside 1
      set first [expr {$i+1}]
    } elseif {[regexp {^<!-- database: (empty|sample) -->$} $line -> what]} {
      set database [list $what $i]
    }
  }
  if {$inside} { error "$name: the last block is not closed" }
  return $res
}

# The text of the blocks of one kind, of those that have $word in them.
proc doc_block_texts {name kind {word ""}} {
  set res {}
  foreach b [doc_blocks $name] {
    lassign $b k - - text
    if {$k eq $kind && ($word eq "" || [string first $word $text]>=0)} { lappend res $text }
  }
  return $res
}

# Whether SQL stores values: by a function, or in a table kv or kv_xxx, or one
# of those that the texts make over other stores.
proc doc_stores {sql} {
  regexp {\mkv_(set|sum|min|max|enqueue|atomic)\(|\m(INTO|UPDATE) (\w+\.)?(kv|kv_\w+|\w+_entries|app)\M} $sql
}

# Whether SQL shows the type of what is stored.
proc doc_shows_type {sql} { regexp {\m(kv_)?type\M} [regsub -all -line -- {--.*$} $sql {}] }

# A text without its blocks and comments.
proc doc_prose {name} {
  set res {}
  set inside 0
  foreach line [split [doc_text $name] \n] {
    if {[string match ```* $line]} {
      set inside [expr {!$inside}]
    } elseif {!$inside && ![string match <!--* $line]} {
      lappend res $line
    }
  }
  join $res \n
}

# What links to the headings of a text are called.
proc doc_anchors {name} {
  lmap {- title} [regexp -all -inline -line {^#+ (.*)$} [doc_prose $name]] {
    string map {{ } -} [regsub -all {[^\w\- ]} [string tolower $title] {}]
  }
}

# The links of a text to files: {file anchor} pairs, by the path from the root;
# the file is the text itself in a link inside of it.
proc doc_links {name} {
  set res {}
  foreach {- link} [regexp -all -inline {\]\(([^)]*)\)} [doc_prose $name]] {
    if {[regexp {^https?://} $link]} continue
    lassign [split $link #] path anchor
    set parts {}
    if {$path eq ""} {
      set parts [file split $name]
    } else {
      foreach part [file split [file join [file dirname $name] $path]] {
        if {$part eq ".."} { set parts [lrange $parts 0 end-1] } elseif {$part ne "."} { lappend parts $part }
      }
    }
    lappend res [expr {$parts eq "" ? "" : [file join {*}$parts]}] $anchor
  }
  return $res
}
