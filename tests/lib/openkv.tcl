# openkv.tcl -- the npm package as it is installed, in js/node_modules below the current
# folder, but for the extension, which is build/kv.so; and where its programs run.
#
# $runtimes: names, how programs are run there, and their first argument.  Programs run
# without sanitizers.

foreach v {LD_PRELOAD ASAN_OPTIONS UBSAN_OPTIONS} { unset -nocomplain ::env($v) }
set env(DENO_NO_UPDATE_CHECK) 1

set package [file join [pwd] js node_modules sqlite-kv]
file mkdir $package
set f [open js/package.json w]
puts $f "{ \"private\": true }"
close $f
foreach f [glob [file join $T::root ext pack npm *]] { file copy $f $package }
set f [open [file join $package package.json] w]
puts $f {{ "name": "sqlite-kv", "main": "index.js", "exports": {
  "import": { "types": "./index.d.mts", "default": "./index.mjs" },
  "require": { "types": "./index.d.ts", "default": "./index.js" } } }}
close $f
set library [file join [pwd] js node_modules @sqlite-kv [exec sh [file join $T::root ext pack here.sh] gcc]]
file mkdir $library
file link -symbolic [file join $library index.so] [file join $T::root build kv.so]
set f [open [file join $library package.json] w]
puts $f {{ "main": "index.so" }}
close $f
set env(KV_PACKAGE) $package

set bin [file join $T::root build npm bin]
set node [file join $bin node]
set addon [lindex [glob -nocomplain $bin/better_sqlite3-*.node] 0]
set deno [list $T::deno run --quiet --no-lock --no-config --allow-all]
set better better-sqlite3=[file join $T::root build npm node_modules better-sqlite3]=$addon

# Where it runs, how programs are run there, and their first argument.
set runtimes [list \
  Node           [list $node --no-warnings] node:sqlite \
  better-sqlite3 [list $node --no-warnings] $better \
  Bun            [list [file join $bin bun]] bun:sqlite \
  Deno           $deno node:sqlite \
  {the real one} [concat $deno --unstable-kv] Deno]

# What a program printed.
proc outcome {pipe} {
  set out [read $pipe]
  catch {close $pipe}
  # Deno itself tells of handlers that fail.
  regsub -all {(?:^|\n)(?:Exception in queue handler|    at )[^\n]*} $out {} out
  string trim $out
}
