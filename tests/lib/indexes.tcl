# indexes.tcl -- declared indexes over a few users, and programs that write
# without knowing of them.

# A program that knows nothing of indexes writes as Deno does: through handle
# "plain", without the extension.  The bytes are made by handle db.
proc foreign_open {} {
  catch {plain close}
  sqlite3 plain test.db
  plain timeout 5000
}
proc foreign_set {key js {expires -1}} {
  db eval {SELECT kv_key_encode($key) AS k, kv_value_encode(kv_value($js)) AS v, kv_value_encoding(kv_value($js)) AS e} {}
  plain eval {BEGIN IMMEDIATE}
  set n [plain onecolumn {UPDATE data_version SET version=version+3 WHERE k=0 RETURNING version}]
  plain eval {
    INSERT INTO kv(k, v, v_encoding, version, expiration_ms)
    VALUES(@k, @v, CAST($e AS INTEGER), CAST($n AS INTEGER), CAST($expires AS INTEGER))
    ON CONFLICT(k) DO UPDATE SET v=excluded.v, v_encoding=excluded.v_encoding,
      version=excluded.version, expiration_ms=excluded.expiration_ms;
    COMMIT
  }
}
proc foreign_delete {key} {
  db eval {SELECT kv_key_encode($key) AS k} {}
  plain eval {
    BEGIN IMMEDIATE;
    UPDATE data_version SET version=version+3 WHERE k=0;
    DELETE FROM kv WHERE k=@k;
    COMMIT
  }
}
# As plain SQL may write: without a new version, with that of the entry that is
# there or any other.  By handle $h, maybe inside of a transaction.
proc bare_set {h key js {version {(SELECT version FROM data_version)}}} {
  db eval {SELECT kv_key_encode($key) AS k, kv_value_encode(kv_value($js)) AS v, kv_value_encoding(kv_value($js)) AS e} {}
  $h eval "INSERT INTO kv(k, v, v_encoding, version) VALUES(@k, @v, CAST(\$e AS INTEGER), $version)
    ON CONFLICT(k) DO UPDATE SET v=excluded.v, v_encoding=excluded.v_encoding, expiration_ms=-1"
}
proc bare_delete {h key} {
  db eval {SELECT kv_key_encode($key) AS k} {}
  $h eval {DELETE FROM kv WHERE k=@k}
}
# As Deno removes what has expired: first the rows, then 1 more.
proc foreign_sweep {} {
  plain eval {BEGIN IMMEDIATE}
  set now [expr {[clock milliseconds]}]
  plain eval {DELETE FROM kv WHERE expiration_ms>=0 AND expiration_ms<=CAST($now AS INTEGER)}
  if {[plain changes]} { plain eval {UPDATE data_version SET version=version+1 WHERE k=0} }
  plain eval {COMMIT}
}
# What kv_index_held tells, decoded: the keys in hex of a primary entry and an index entry
# each time (ext/store/index/held.h).
proc held {} {
  set pairs {}
  foreach {pk iks} [db eval {SELECT hex(pk), hex(iks) FROM kv_index_held}] {
    set b [binary decode hex $iks]
    set i 0
    while {$i<[string length $b]} {
      foreach name {tail head} {
        set $name 0
        for {set shift 0} 1 {incr shift 7} {
          binary scan [string index $b $i] cu c
          incr i
          incr $name [expr {($c & 0x7f)<<$shift}]
          if {$c<0x80} break
        }
      }
      set ik [string range $iks [expr {2*$i}] [expr {2*($i+$head)-1}]]
      if {$tail} { append ik [string range $pk end-[expr {2*$tail-1}] end] }
      lappend pairs [list $pk $ik]
      incr i $head
    }
  }
  return $pairs
}
proc held_count {} {
  set n [db onecolumn {SELECT count(*) FROM kv_index_value}]
  expr {$n<=[llength [held]] ? [llength [held]] : "$n values"}
}
# What is wrong with it: what it has and kv hasn't, the other way around, and what is in
# kv_index_value alone.
proc held_stray {} {
  set bad {}
  foreach pair [held] {
    lassign $pair pk ik
    set has($ik,$pk) 1
    set has($ik) 1
    if {[regexp {^(?:[0-9A-F]{2})*?00F0} $ik]} continue   ;# what an index leaves out
    if {![db onecolumn "SELECT count(*) FROM kv WHERE k = x'$ik'"]} { lappend bad "no entry $ik" }
  }
  foreach {ik pk} [db eval {SELECT hex(ik), hex(pk) FROM kv_index_value}] {
    if {![info exists has($ik,$pk)]} { lappend bad "value $ik" }
  }
  foreach ik [db eval {SELECT hex(k) FROM kv, kv_index_def WHERE substr(k, 1, length(own)) = own AND k <> own}] {
    if {![info exists has($ik)]} { lappend bad "entry $ik" }
  }
  return $bad
}
proc lookup {name args} {
  if {[llength $args]==0} { return [db eval {SELECT key, index_value FROM kv_lookup($name) ORDER BY key, index_value}] }
  # What looks like a number is one: Tcl would bind it as text.
  set v [lindex $args 0]
  if {[string is integer -strict $v]} { set v "CAST('$v' AS INTEGER)" } else { set v '$v' }
  db eval "SELECT key FROM kv_lookup(\$name, $v) ORDER BY key"
}
proc entries {prefix} { db eval {SELECT key, js FROM kv_entries($prefix)} }
proc users {} {
  reset_db
  foreign_open
  db eval {
    SELECT kv_set('["users",1]', kv_value('{name:"Ada",email:"Ada@x",age:36,tags:["a","b"]}'));
    SELECT kv_set('["users",2]', kv_value('{name:"Bob",email:"bob@x",age:25,tags:["b"]}'));
    SELECT kv_set('["users",3]', kv_value('{name:"Cy",age:25,tags:[]}'));
    SELECT kv_set('["other",1]', kv_value('{email:"other@x"}'));
  }
}

