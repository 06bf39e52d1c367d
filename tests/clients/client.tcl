# client.tcl EXTENSION FILE

package require sqlite3
fconfigure stdout -encoding utf-8
lassign $argv extension file
sqlite3 db $file
db enable_load_extension 1
db eval {SELECT load_extension($extension)}
db enable_load_extension 0

# A variable is bound as what Tcl took it for last: CAST() makes sure.
set i 1
puts "users [db onecolumn {SELECT count(*) FROM kv_entries('["users"]')}]"
puts "name [db onecolumn {SELECT value ->> 'name' FROM kv_entries WHERE key = kv_key('users', CAST($i AS INTEGER))}]"
puts "city [db onecolumn {SELECT kv_get('["users",3]', '$.address.city')}]"

set atomic {
  INSERT INTO kv_atomic(op, key, value) VALUES
    ('check', kv_key('client', $k), NULL), ('set', kv_key('client', $k), $v), ('sum', kv_key('count'), CAST($n AS INTEGER))
}
set k "it's"
set v first
set n 5
db eval $atomic
puts "committed [db onecolumn {SELECT kv_get(kv_key('client', $k)) = 'first'}]"
set v second
if {[catch {db eval $atomic} message]} {
  set key {["client","it's"]}
  set ok [expr {[string first "kv: check failed: key $key" $message]==0}]
  puts "conflict [expr {$ok && [db onecolumn {SELECT kv_conflict()}] eq $key}]"
}
puts "sum [db onecolumn {SELECT kv_get(kv_key('count'))}]"

# A variable that isn't there is NULL, @value binds the bytes of a variable.
# Tcl 8.6 can't spell characters beyond U+FFFF, but hands them on.
set smile [db onecolumn {SELECT char(0x1F600)}]
foreach {name value sql} [list \
  null - {$none} \
  integer 42 {CAST($value AS INTEGER)} \
  largest 9223372036854775807 {kv_bigint(CAST($value AS INTEGER))} \
  least -9223372036854775808 {kv_bigint(CAST($value AS INTEGER))} \
  real -2.25 {CAST($value AS REAL)} \
  text "it's \"quoted\" \\ \u00fc \u6f22 " {$value || $smile} \
  empty "" {$value} \
  blob [binary decode hex 00ff27] {@value} \
  noblob "" {@value} \
] {
  db eval "INSERT INTO kv_entries(key, value) VALUES (kv_key('bound', \$name), $sql)"
  db eval {
    SELECT js, value AS back, typeof(value) AS type FROM kv_entries WHERE key = kv_key('bound', $name)
  } {
    if {$type eq "blob"} { set back [binary encode hex $back] }
    puts "$name $js [expr {$type eq "null" ? "NULL" : "\[$back\]"}]"
  }
}
db close
