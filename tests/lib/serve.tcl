# serve.tcl -- for the test files that start kv-serve.
#
# Environment: KV_SERVE, the program, build/kv-serve unless given.

use processes

set serve_program [file join $T::root build kv-serve]
if {[info exists env(KV_SERVE)]} { set serve_program [file join $T::root $env(KV_SERVE)] }
set serve_token a-token-of-the-tests
set env(DENO_KV_ACCESS_TOKEN) $serve_token
foreach v {LD_PRELOAD http_proxy HTTP_PROXY} { unset -nocomplain env($v) }

# Start it with arguments, at a free port unless they say where.  The result is its name for the others;
# $serve_url(name) is its URL, $serve_said(name) what it has printed.
proc serve_start {args} {
  if {"--listen" ni $args} { lappend args --listen 127.0.0.1:0 }
  set ch [start_process [list $::serve_program {*}$args] r]
  fconfigure $ch -blocking 0
  set ::serve_said($ch) ""
  fileevent $ch readable [list serve_read $ch]
  wait_for {[regexp -line {^listening on (http://.*)$} $::serve_said($ch) - ::serve_url($ch)]
            || [string match *<end>* $::serve_said($ch)]} "kv-serve listens" 20000
  if {![info exists ::serve_url($ch)]} { error "kv-serve: $::serve_said($ch)" }
  return $ch
}
proc serve_read {ch} {
  incr ::tick
  append ::serve_said($ch) [read $ch]
  if {[eof $ch]} { fileevent $ch readable {}; append ::serve_said($ch) <end> }
}

# Send it a signal, and wait for its end: its exit status, or {CHILDKILLED ...}.
proc serve_end {ch {signal TERM}} {
  kill_process $signal [pid $ch]
  wait_for {[string match *<end>* $::serve_said($ch)]} "kv-serve ends" 20000
  fconfigure $ch -blocking 1
  set rc [catch {close $ch} - opt]
  unset ::serve_url($ch)
  if {!$rc} { return 0 }
  set code [dict get $opt -errorcode]
  if {[lindex $code 0] eq "CHILDSTATUS"} { return [lindex $code 2] }
  lrange $code 0 0
}

# Those that still run end with the test file.
proc serve_end_all {args} {
  foreach ch [array names ::serve_url] { catch {kill_process KILL [pid $ch]} }
}
trace add execution exit enter serve_end_all

# Run a program of tests/serve under the real Deno, or under Node with @deno/kv.
proc serve_deno {script args} {
  serve_run [list $::T::deno run -A --unstable-kv --quiet --no-lock --no-config] $script {*}$args
}
proc serve_node {script args} {
  serve_run [list [file join $::T::root build npm bin node] --no-warnings] $script {*}$args
}
proc serve_run {command script args} {
  set ::env(DENO_NO_UPDATE_CHECK) 1
  set ::env(NO_COLOR) 1
  set ::env(KV_CLIENT) [file join $::T::root build npm node_modules @deno kv esm npm.js]
  set rc [catch {exec {*}$command [file join $::T::root tests serve $script] {*}$args 2>@1} out]
  if {$rc} { error "$script: $out" }
  return $out
}

# One request by curl: the status, then the body.
proc serve_curl {url args} {
  set out [exec curl --silent --max-time 20 --write-out "\n%{http_code}" {*}$args $url]
  regexp {^(.*)\n(\d+)$} $out - body status
  list $status $body
}
