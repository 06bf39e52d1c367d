# mappers.tcl -- the programs of sql/manual/mappers.md run as they stand, and print what
# follows them.  "make clients" installs the mappers.

source [file join [file dirname [file dirname [file normalize [info script]]]] tester.tcl]
use docs

foreach v {LD_PRELOAD MAKEFLAGS MFLAGS MAKELEVEL} { unset -nocomplain ::env($v) }
file copy [file join $T::root build kv.so] kv.so

# Node with the mappers, and better-sqlite3 with the addon that tests/deps.sh has compiled.
set npm [file join $T::root build npm]
file mkdir node_modules/better-sqlite3/build/Release
foreach m [glob -directory [file join $npm mappers node_modules] *] {
  if {[file tail $m] ne "better-sqlite3"} { file link -symbolic [file join node_modules [file tail $m]] $m }
}
foreach m {bindings file-uri-to-path} {
  if {![file exists node_modules/$m]} { file link -symbolic node_modules/$m [file join $npm node_modules $m] }
}
foreach f {lib package.json} { file copy [file join $npm node_modules better-sqlite3 $f] node_modules/better-sqlite3/ }
file copy [lindex [glob -directory [file join $npm bin] better_sqlite3-*.node] 0] node_modules/better-sqlite3/build/Release/better_sqlite3.node
set commands [dict create python {/usr/bin/python3 app.py} ruby {ruby app.rb} js [list [file join $npm bin node] --preserve-symlinks app.mjs]]

set n 0
foreach {- heading} [regexp -all -inline -line {^## (.*)$} [doc_text sql/manual/mappers.md]] {
  set section [lindex [regexp -inline "\n## $heading\n(.*?)(?:\n## |\$)" [doc_text sql/manual/mappers.md]] 1]
  if {![regexp "```(python|ruby|js)\n(.*?)```\n```\n(.*?)```" $section - language program printed]} { error "no program for $heading" }
  incr n
  do_test "$heading reads and writes collections as the manual says" {
    file delete -force {*}[glob -nocomplain app.db*]
    set command [dict get $commands $language]
    set f [open [lindex $command end] w]
    fconfigure $f -encoding utf-8
    puts $f $program
    close $f
    if {[catch {exec {*}$command </dev/null 2>errors} out]} {
      set f [open errors]
      append out "\n" [read $f]
      close $f
    }
    split $out \n
  } [split [string trimright $printed] \n]
}
do_test {each mapper of the chapter was run} { set n } 8
finish_test
