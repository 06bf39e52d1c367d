# seeds_db.tcl -- seeds of the target "database" (see database.c); sourced by
# seeds.tcl.

proc blob {bytes} { return [format %02x [string length $bytes]][hex $bytes] }

set dbs {}
foreach mode {01 03 05 0b 13} {
  lappend dbs $mode
  for {set i 0} {$i<72} {incr i} { lappend dbs $mode[hex s][format %02x $i] }
}
# Each body of a trigger, in turn behind each event of each table.  s 2f and
# s 31 are an index and the feed; s 32 gives the index something to hold.
for {set i 0} {$i<132} {incr i} {
  set trigger [hex t][format %02x%02x%02x [expr {$i%3 ? $i%9 : 0}] [expr {$i%6}] [expr {$i%44}]]
  lappend dbs 01[hex s]2f[hex s]31[hex s]32$trigger
}
# Collections over what other steps have left.
foreach c {3f 40 41 42 43 44 45 46 47} {
  foreach before {2a 2b 2c 2f32 30 313233 2f3234} {
    set steps {}
    foreach s [regexp -all -inline .. $before] { append steps [hex s]$s }
    lappend dbs 01$steps[hex s]$c 03[hex s]$c$steps[hex s]44[hex s]47
  }
}
# Rows with the values and keys of the vectors.
set i 0
foreach v [short $values 60] {
  if {[incr i]%40} continue
  set k [binary decode hex [lindex $keys [expr {$i%[llength $keys]}]]]
  lappend dbs 01[hex k][blob $k][blob [binary decode hex [string range $v 2 end]]][string range $v 0 1]0500
}
foreach {k v e} {
  0261 ff0f30 1  02ff00 ff0f41 1  610000 00 3  026100 ff0f30 9  0262 {} 1  14 ff0f3b3a00 1
} {
  lappend dbs 01[hex k][blob [binary decode hex $k]][blob [binary decode hex $v]][format %02x $e]0500
}
foreach o [short $ops 120] {
  if {[incr i]%8} continue
  lappend dbs 01[hex k][blob "\2o\0"][blob [binary decode hex [string range $o 4 end]]]010500
}
foreach t {q r} {
  foreach {data backoff keys ts} {
    ff0f220161 {[100,1000]} {[]} 1  ff0f41 {[1e9]} {[[2,97,0]]} 200  {} x y 0  ff0f30 {} {[[2,97,0],[5]]} 255
  } {
    lappend dbs 01[hex $t][blob "id-$ts"][blob [binary decode hex $data]][blob $backoff][blob $keys][format %02x $ts]
  }
}
foreach sql {
  {UPDATE kv SET v = NULL} {PRAGMA journal_mode = wal} {INSERT INTO kv SELECT x'02'||v||x'00', k, 1, 1, 1, 1 FROM kv}
  {CREATE TEMP TABLE kv(k, v, v_encoding, version)} {UPDATE kv SET expiration_ms = 'never', version = -1}
  {CREATE TRIGGER z AFTER INSERT ON kv BEGIN INSERT OR REPLACE INTO kv_entries(key, value) VALUES (kv_key(random()>>12), 1); END}
  {INSERT INTO kv(k, v, v_encoding, version) VALUES (zeroblob(200), zeroblob(400), 1, 1)}
} { lappend dbs 01[hex x][blob $sql] 07[hex x][blob $sql] }
foreach p {0012 0064 0100 0200 0201 0400 0600 0605 0800 0a10} { lappend dbs 01[hex p]${p}ff00 01[hex p]${p}0500${p}0000 }

# Images: the sample's layout with a few rows of each kind.
proc image {pages sql} {
  set f [file join $::root build fuzz seed.db]
  foreach x {{} -journal -wal -shm} { file delete -force $f$x }
  sqlite3 im $f
  im eval "PRAGMA page_size = $pages"
  im eval {ATTACH $::sample AS s}
  im eval {SELECT sql FROM s.sqlite_schema WHERE sql IS NOT NULL} r { im eval $r(sql) }
  im eval {INSERT INTO main.data_version SELECT * FROM s.data_version; INSERT INTO main.migration_state SELECT * FROM s.migration_state}
  im eval $sql
  im eval {DETACH s}
  im close
  set ch [open $f rb]
  set bytes [read $ch]
  close $ch
  foreach mode {00 02 04} { lappend ::dbs $mode[hex $bytes] }
}
image 512 {}
image 512 {INSERT INTO main.kv SELECT * FROM s.kv LIMIT 12}
image 512 {INSERT INTO main.kv SELECT * FROM s.kv WHERE length(v)>150 LIMIT 4; INSERT INTO main.queue SELECT * FROM s.queue LIMIT 2}
image 1024 {INSERT INTO main.kv SELECT * FROM s.kv ORDER BY length(v) LIMIT 20}
lappend dbs 0053514c697465 0000
seeds database $dbs
