# seeds_serve.tcl -- seeds of the fuzz target "serve": requests of clients of kv-serve.
# Sourced by seeds.tcl.

# The fields of messages, hexadecimal.
proc varint {n} {
  set h ""
  while {$n>127} { append h [format %02x [expr {$n & 127 | 128}]]; set n [expr {$n>>7}] }
  append h [format %02x $n]
}
proc number {i n} { return [varint [expr {$i<<3}]][varint $n] }
proc bytes {i h} { return [varint [expr {$i<<3 | 2}]][varint [expr {[string length $h]/2}]]$h }

set a 026100                      ;# ["a"]
set a1 02610021bff000000000000000 ;# ["a",…]
set b 026200                      ;# ["b"], which the token doesn't permit
set v8 ff0f30
proc range {start end limit {reverse 0}} { bytes 1 [bytes 1 $start][bytes 2 $end][number 3 $limit][number 4 $reverse] }
proc check {k {stamp ""}} { bytes 1 [bytes 1 $k][bytes 2 $stamp] }
proc mutation {type k {value ff0f4902} {encoding 1} {more ""}} {
  bytes 2 [bytes 1 $k][bytes 2 [bytes 1 $value][number 2 $encoding]][number 3 $type]$more
}
proc enqueue {more} { bytes 3 [bytes 1 $::v8][number 2 1700000000000]$more }
proc message {id {deadline 8000000000000} {failed 0}} {
  bytes 4 [bytes 1 [hex $id]][number 3 $deadline][number 4 $failed]
}

set reads [list [range $a ${a}ff 10] [range $a 026101 1000 1] [range $a 026101 10][range ${a}02 ${a}03 1] \
  [range $b 026201 10] [range 00 ff 10] [range 02 026100 5] [range $a ${a}ffff 1] [range $a $a 1] [range $a ff 10] ""]
set writes [list [mutation 1 $a] [mutation 2 $a] [mutation 3 ${a}6e00] [mutation 3 $a1 0500000000000000 2] [mutation 4 $a] [mutation 5 $a] \
  [mutation 9 $a] [mutation 9 ""] [mutation 1 $b] [mutation 7 $a] [check $a][mutation 1 $a] [check $b] [check $a 00000000000000010000][mutation 2 $a] \
  [mutation 1 $a $v8 1 [number 4 1900000000000]] [mutation 3 $a ff0f5a0105 1 [bytes 5 ff0f5a00][bytes 6 ff0f5a0109][number 7 1]] \
  [enqueue ""] [enqueue [bytes 3 $a][number 4 100][number 4 0]] [enqueue [bytes 3 $b]] [enqueue [bytes 4 6400]] [mutation 1 $a 6869 3] \
  [check $a][check $a1][mutation 1 $a][mutation 2 $a1][enqueue [bytes 3 ${a}6e00]]]
set watched [list [bytes 1 [bytes 1 $a]] [bytes 1 [bytes 1 $a]][bytes 1 [bytes 1 $a1]] [bytes 1 [bytes 1 $b]] [bytes 1 [bytes 1 ""]]]
set claims [list "" [number 1 3][number 2 1000] [number 3 30000] [number 1 100][number 2 86400000][number 3 0]]
set renewals [list [number 2 60000][message m] [message m 5][message q] [message none] ""]
set finished [list [message m] [message m 8000000000000 1] [message q] [message m][message m]]

set seeds {}
foreach {what list} [list 02 $reads 03 $writes 04 $watched 05 $claims 06 $renewals 07 $finished] {
  foreach body $list { lappend seeds $what$body }
}

# Whole requests; the database is the one in memory.
set id cbf29ce4-8422-8325-9ae1-6a3b2f90404f
proc request {path body args} {
  set n [expr {[string length $body]/2}]
  set head "POST $path HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer token-of-the-fuzzer\r\nx-denokv-version: 3\r\nx-denokv-database-id: $::id\r\n"
  if {$args eq ""} { set args [list "Content-Length: $n"] }
  foreach h $args { append head "$h\r\n" }
  return [hex "$head\r\n"]$body
}
set exchange [hex {{"supportedVersions":[1,2,3]}}]
foreach h [list [request / $exchange] [request /v2/snapshot_read [lindex $reads 0]] [request /v2/watch [lindex $watched 0]] \
    [request /v2/snapshot_read [lindex $reads 0]][request /v2/atomic_write [lindex $writes 0]] \
    [request /v2/atomic_write [hex "4\r\n"]0a020a00[hex "\r\n0\r\n\r\n"] "Transfer-Encoding: chunked"] \
    [request /v2/atomic_write [lindex $writes 0] "Content-Length: 99999999999"] [request /v2/watch "" "Expect: 100-continue" "Content-Length: 0"] \
    [hex "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"] [hex "GET /metrics HTTP/1.0\r\nAuthorization: Bearer token-of-the-fuzzer\r\n\r\n"]] {
  lappend seeds 00$h
}
proc frame {type flags stream body} {
  return [format %06x%02x%02x%08x [expr {[string length $body]/2}] $type $flags $stream]$body
}
proc literal {name value} { return 00[varint [string length $name]][hex $name][varint [string length $value]][hex $value] }
proc head {path} {
  set h ""
  foreach {name value} [list :method POST :scheme http :authority x :path $path authorization "Bearer token-of-the-fuzzer" \
      x-denokv-version 3 x-denokv-database-id $::id] { append h [literal $name $value] }
  return $h
}
set settings [frame 4 0 0 ""]
foreach {path body} [list / $exchange /v2/snapshot_read [lindex $reads 0] /v2/snapshot_read [lindex $reads 3] \
    /v2/atomic_write [lindex $writes 0] /v2/atomic_write [lindex $writes 8] /v2/watch [lindex $watched 0]] {
  set one [frame 1 4 1 [head $path]][frame 0 1 1 $body]
  lappend seeds 01$settings$one 01$settings$one[frame 6 0 0 0102030405060708][frame 3 0 1 00000008][frame 7 0 0 0000000000000000] \
    01[frame 4 0 0 000400000001]$one[frame 8 0 0 00010000][frame 1 5 3 [head /v2/watch]]
}
lappend seeds 01 01$settings 01[frame 1 5 1 [head /v2/watch]][frame 9 4 1 00] 01$settings[frame 1 4 1 [head /v2/atomic_write]][frame 0 0 1 [string repeat 00 50]]
seeds serve $seeds
