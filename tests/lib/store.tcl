# store.tcl -- what the tests ask of a store: all of it, and whether a
# statement that fails has left it as it was.  tester.tcl reads this file.

# All that a store holds, by plain SQL: what a statement that fails may not
# change by a byte.
proc snap {{h db} {schema main} {prefix ""}} {
  set res [$h eval "SELECT type, name, sql FROM $schema.sqlite_schema ORDER BY 1, 2"]
  if {[lsearch $res ${prefix}kv]<0} { return $res }
  foreach {t cols order} {
    kv            {quote(k), quote(v), v_encoding, version, seq, expiration_ms} 1
    data_version  {k, version, seq} 1
    queue         {ts, id, quote(data), backoff_schedule, keys_if_undelivered} 1,2
    queue_running {deadline, id, quote(data), backoff_schedule, keys_if_undelivered} 1,2
    migration_state {k, version} 1
  } {
    lappend res $t [$h eval "SELECT $cols FROM $schema.$prefix$t ORDER BY $order"]
  }
  return $res
}

# "ok" if the statement fails with a message that matches $re and leaves no
# trace; otherwise what was wrong.
proc refused {sql re {h db} {schema main} {prefix ""}} {
  set before [snap $h $schema $prefix]
  if {![catch {uplevel #0 [list $h eval $sql]} msg]} { return "no error: $msg" }
  if {![regexp -- $re $msg]} { return "message: $msg" }
  if {[snap $h $schema $prefix] ne $before} { return "changed, with: $msg" }
  return ok
}
proc do_refused_test {name sql re {h db} {schema main} {prefix ""}} {
  uplevel 1 [list do_test $name [list refused $sql $re $h $schema $prefix] ok]
}

# The same alone, in a transaction, after writes of it, in savepoints, and
# inside of a statement that writes.  (bKeeps: inside of a transaction it
# leaves what it had written.)
proc do_traceless_test {name sql re {bKeeps 0}} {
  uplevel 1 [list do_test "$name, alone" [list refused $sql $re] ok]
  set want [expr {$bKeeps ? "changed" : "ok"}]
  foreach {where before} {
    "after BEGIN"             {}
    "after a write"           {REPLACE INTO kv_entries(key, value) VALUES('["before"]', 1)}
    "after kv_set()"          {SELECT kv_set('["before"]', 1)}
    "in a nested savepoint"   {SAVEPOINT one; SELECT kv_set('["before"]', 1); SAVEPOINT two}
  } {
    uplevel 1 [list do_test "$name, $where" "
      db eval {BEGIN; $before}
      set r \[refused [list $sql] [list $re]\]
      db eval ROLLBACK
      regsub {^changed, with: .*} \$r changed" $want]
  }
}

# The store's version, and what an entry is.
proc version {{h db} {t main.data_version}} { $h onecolumn "SELECT version FROM $t WHERE k=0" }
proc stamp {key} { db onecolumn {SELECT versionstamp FROM kv_entries WHERE key=$key} }
proc js {key} { db onecolumn {SELECT js FROM kv_entries WHERE key=$key} }
# Key text and js of everything, a flat list.
proc all {{h db} {table kv_entries}} { $h eval "SELECT key, js FROM $table ORDER BY key" }
# The versionstamps that are there.
proc stamps {{h db} {table kv_entries}} { $h eval "SELECT DISTINCT versionstamp FROM $table ORDER BY 1" }

# Forget all entries but keep the store; some to begin with.
proc fresh {{h db}} {
  $h eval {DELETE FROM kv_entries;
    INSERT INTO kv_entries(key, value)
      VALUES('["a"]', 1), ('["b"]', 2), ('["c"]', 3), ('["c","x"]', 4), ('["c","y"]', 5), ('["d"]', 6)}
}
