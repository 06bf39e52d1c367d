# seeds.tcl -- makes the seeds of the fuzz targets: build/fuzz/seeds/NAME.hex,
# a line of hexadecimal each.
#
#   tclsh tests/fuzz/seeds.tcl
#
# They come from bytes that the real Deno wrote: the vectors and the sample
# database.  The extension itself makes the ops.

package require Tcl 8.6
package require sqlite3

set root [file dirname [file dirname [file dirname [file normalize [info script]]]]]
set dir [file join $root build fuzz seeds]
file mkdir $dir

proc hex {bytes} { binary encode hex $bytes }
proc utf8 {text} { encoding convertto utf-8 $text }

# Write the inputs (hexadecimal) of a target, each once.
proc seeds {name list} {
  set f [open [file join $::dir $name.hex] w]
  foreach h [lsort -unique $list] { puts $f $h }
  close $f
}

# Inputs that hold up to three texts: see fuzzCut() in fuzz.h.
proc one {h} { return ffff$h }
proc three {a b c} {
  set n [expr {[string length $a$b$c]/2}]
  if {$n==0} { return 0000 }
  set i1 [expr {([string length $a]/2*255+$n-1)/$n}]
  set rest [expr {[string length $b$c]/2}]
  set i2 [expr {$rest ? ([string length $b]/2*255+$rest-1)/$rest : 0}]
  if {$i1==255 && $rest} { set i1 254 }
  if {$i2==255 && $c ne ""} { set i2 254 }
  return [format %02x%02x $i1 $i2]$a$b$c
}

# Column $column of a vector file, as hexadecimal of its text.
proc vectors {file column} {
  set res {}
  set f [open [file join $::root tests vectors $file]]
  fconfigure $f -translation binary
  while {[gets $f line]>=0} {
    lappend res {*}[db eval {
      SELECT hex(CAST(value AS BLOB)) FROM json_each(CAST(@line AS TEXT))
       WHERE key = $column AND type <> 'null'}]
  }
  close $f
  string tolower $res
}
proc unhex {list} {
  set res {}
  foreach h $list { lappend res [binary decode hex $h] }
  return $res
}
# Long ones tell a fuzzer little.
proc short {list {most 300}} {
  set res {}
  foreach h $list { if {[string length $h]<=2*$most} { lappend res $h } }
  return $res
}

sqlite3 db :memory:
db enable_load_extension 1
set so [file join $root build kv]
db eval {SELECT load_extension($so)}
# A copy: SQLite would put files beside the sample.
set sample [file join $root build fuzz sample.sqlite3]
file delete -force $sample $sample-wal $sample-shm
file copy [file join $root tests sample sample.sqlite3] $sample
db eval {ATTACH $sample AS s}

# Keys
set keys [unhex [vectors key-vectors.jsonl hex]]
lappend keys {*}[db eval {SELECT lower(hex(k)) FROM s.kv WHERE length(k) > 12 LIMIT 60}]
set keys [short $keys 100]
set texts [vectors key-vectors.jsonl js]
lappend texts {*}[db eval {SELECT lower(hex(kv_key_decode(k))) FROM s.kv LIMIT 40}]
set bytes {}
set text {}
set i 0
foreach k $keys {
  set other [lindex $keys [expr {($i*7+3)%[llength $keys]}]]
  set third [lindex $keys [expr {($i*13+5)%[llength $keys]}]]
  lappend bytes [one $k] [three $k $other $third]
  incr i
}
set texts [short $texts 120]
set i 0
foreach k $texts {
  set other [lindex $texts [expr {($i*7+3)%[llength $texts]}]]
  set third [lindex $texts [expr {($i*13+5)%[llength $texts]}]]
  lappend text [one $k] [three $k $other $third]
  incr i
}
seeds key_bytes $bytes
seeds key_text $text

# Values
set values {}
foreach e [unhex [vectors v8-vectors.jsonl encoding]] h [unhex [vectors v8-vectors.jsonl hex]] {
  lappend values [format %02x $e]$h
}
foreach h [short [unhex [vectors v8-decode.jsonl hex]] 40] { lappend values 01$h }
lappend values {*}[db eval {SELECT printf('%02x', v_encoding) || lower(hex(v)) FROM s.kv LIMIT 100}]
seeds value_bytes [short $values]

set js {}
foreach h [short [concat [vectors v8-vectors.jsonl js] [vectors v8-vectors.jsonl inspect]]] { lappend js $h }
foreach v [short $values] {
  set raw [binary decode hex $v]
  foreach f {kv_js(@raw) {kv_js(@raw, 2)}} {
    if {![catch {db onecolumn "SELECT lower(hex($f))"} h]} { lappend js $h }
  }
}
seeds js_text [short $js]

set json {}
foreach h [short [vectors v8-vectors.jsonl json]] { lappend json $h }
foreach t {
  {{"a":{"b":[1,2,{"__proto__":null}]},"a":1}} { [ 1e5 , -0.0 , "\u00e9\ud83d\ude00\ud800" ] }
  {[1.7976931348623157e308,5e-324,0.1,123456789012345678901234567890]} {[[[[[[]]]]]]} {"\/\b\f\n\r\t\\\""}
  {{"0":1,"10":2,"2":3,"":4}} {[01]} {[1,]} {{"a" 1}} {nul} {"\x"} {[}
} { lappend json [hex [utf8 $t]] }
seeds json $json

# Cursors, ULIDs, versionstamps
set cursor {}
foreach k $keys {
  lappend cursor [hex [string map {+ - / _} [binary encode base64 [binary decode hex $k]]]]
}
foreach t {01HF7YAT00ZZZZZZZZZZZZZZZZ 7ZZZZZZZZZZZZZZZZZZZZZZZZZ 00000000000000000000000000
  000000000000000a0000 ffffffffffffffffffff 0000000000000001FFFF ==== AA== AAA= AQ==} {
  lappend cursor [hex $t]
}
seeds cursor $cursor

# Ops: each with a stored value, and one of the two lists of a message.
set ops {}
set lists {{[[["failed",1]]} {[["failed",1],["b",new Uint8Array([1,2]),2n,true]]} {[100,1000]} {[]}
  {[[2,102,0],[33,191,240,0,0,0,0,0,0]]} {[0,3600000]} {[[""]]} {[1.5]} {[1e400]} {[[1n,-1n,NaN,-0]]}}
set olds {}
foreach v {{kv_value('new Deno.KvU64(5n)')} 1.5 {kv_bigint('-12345678901234567890')} 'text'} {
  db eval "SELECT lower(printf('%02x', kv_value_encoding($v)) || hex(kv_value_encode($v))) AS h" r { lappend olds $r(h) }
}
set i 0
foreach call {
  {'check', '["a"]', NULL} {'check', '["a"]', '00000000000000010000'} {'set', '["a",1]', 'x'}
  {'set', '["a",kv.commitVersionstamp()]', kv_value('{a:[1,2n]}'), 60000} {'set', '[1n]', x'0102'} {'delete', '[true]'}
  {'sum', '["c"]', 1} {'sum', '["c"]', 1.5} {'sum', '["c"]', kv_bigint('-99999999999999999999')}
  {'sum', '["c"]', 1, 0, 10, 1} {'sum', '["c"]', 1, 0, 10, 0} {'sum', '["c"]', -1.5, NULL, 10.5, 1}
  {'sum', '["c"]', kv_bigint(5), kv_bigint(-5), kv_bigint(7), 1} {'min', '["c"]', 3} {'max', '["c"]', 2.5} {'min', '["c"]', kv_bigint(-3)}
  {'enqueue', 'hello'} {'enqueue', json('{"to":"ada"}'), 5000} {'enqueue', 1, 0, '[["failed",1]]', '[1,2,3]'}
} {
  set h [db onecolumn "SELECT lower(hex(kv_op($call)))"]
  foreach old $olds {
    lappend ops [three $h $old [hex [lindex $lists [expr {$i%[llength $lists]}]]]]
    incr i
  }
}
foreach t $lists { lappend ops [three "" "" [hex $t]] }
seeds op $ops

# Numbers, bigints, dates, regular expressions, paths, UTF-8
set words {}
foreach t {0 1 1.5 123456789012345678 0.1 5e-324 1.7976931348623157e308 2.2250738585072014e-308 1e400 .5 5. 1E+2
  9007199254740993 0.500000000000000166533453693773481063544750213623046875 4.9406564584124654e-324} {
  lappend words 00[hex $t]
}
foreach n {0 1 8 9 32 200 400} {
  lappend words 01[string repeat ff $n] 01[string repeat 00 $n]01 01[string repeat 0123456789abcdef $n]
}
foreach t {2023-04-23 2023-04-23T12:00:23.000Z +012345-01-01T00:00:00Z -000001-12-31T23:59:59.999Z
  {Sun, 23 Apr 2023 10:00:00 GMT} 2023-04-23T10:00+02:00 2023 2023-04 {23 Apr 2023 10:00:00 -0500}} {
  lappend words 02[hex $t]
}
foreach t {a+ (?:) {[a-z&&[^aeiou]]} {(?<n>a)\k<n>} {\p{L}\u{1f600}} {[\q{ab|c}--x]} {(?i-m:a)|b{2,3}?} {(?<=a)b(?!c)} {\1(a)\cA\x41\u0041}
  {[\d\-\b^]} {(?<a>x)|(?<a>y)} {a{,5}} {[[a]--[b]]} {\P{Script=Greek}}} {
  foreach m {0000 1000 0001 4701 0200} { lappend words 03$m[hex $t] }
}
foreach t {$ $.a[2][1] {$.b.k} {$.b[1].a} {$.c[#-1][0]} {$."d e"[1]} {$.f.cause.x} {$[#]} {$."".""} {$.7} {$."\u0061"[0]} {$.c[#-99]}} {
  lappend words 04[hex $t]
}
foreach t {"\u20ac\u00e9a" "plain ascii text of some length 0123456789" "\u0000\u001f\"\\"} { lappend words 05[hex [utf8 $t]] }
lappend words 05eda080edb080 05f09f9880 05c0af 053dd800de 0500d800dc41
seeds words $words

source [file join [file dirname [info script]] seeds_db.tcl]
source [file join [file dirname [info script]] seeds_serve.tcl]
