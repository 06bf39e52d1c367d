# users.tcl -- the statements of sql/examples/secondary_indexes.sql by name, and what a
# program makes of them: users and members kept through the handle "db".
#
# The answers are words: ok, taken (the id or e-mail is another's), none (there
# is no such user).  ::retries counts the second and further tries.
#
# This is for secondary_indexes.test, secondary_indexes_deno.test and, by way of
# sql_peer.tcl, for the processes beside them.

set retries 0

# Read the file: array STMT, the statement below each "-- [name]".
proc load_statements {file} {
  set f [open $file]
  fconfigure $f -encoding utf-8
  set name ""
  foreach line [split [read $f] \n] {
    if {[regexp {^-- \[(\w+)\]$} $line -> name]} {
      set ::STMT($name) ""
    } elseif {$name ne ""} {
      append ::STMT($name) $line \n
      if {[string match *\; $line]} { set name "" }
    }
  }
  close $f
}

# A statement, and note that it was asked for.
proc stmt {name} {
  set ::asked($name) 1
  return $::STMT($name)
}

# Run a script that may stop at a check.  The key of that check, or nothing.
proc stopped_by {script} {
  if {![catch {uplevel 1 $script} msg opt]} { return "" }
  if {[regexp {^kv: check failed: key (\[.*\]) does not} $msg -> key]} { return $key }
  return -options $opt $msg
}

# ------------------------------------------------------------------ users

proc insert_user {id name email color} {
  if {[incr ::turn] % 2} {
    return [expr {[stopped_by {db eval [stmt insert]}] eq "" ? "ok" : "taken"}]
  }
  expr {[db onecolumn [stmt try_insert]] ? "ok" : "taken"}
}

# Read a user into variables of the caller; 0 if there is none.
proc read_user {id} {
  upvar 1 versionstamp versionstamp email email color color
  set n 0
  db eval [stmt read] { incr n }
  return $n
}

# With check and retry.  $between runs between the reading and the writing.
proc delete_user {id {between {}}} {
  while {[read_user $id]} {
    uplevel #0 $between
    if {[stopped_by {db eval [stmt delete]}] eq ""} { return ok }
    incr ::retries
  }
  return none
}

proc delete_user_at_once {id} {
  db eval [stmt delete_at_once]
  expr {[db changes] ? "ok" : "none"}
}

proc change_email {id new_email {between {}}} {
  while {[read_user $id]} {
    set user [db onecolumn {SELECT json_set(kv_get(kv_key('users', $id)), '$.email', $new_email)}]
    uplevel #0 $between
    set key [stopped_by {db eval [stmt change_email]}]
    if {$key eq ""} { return ok }
    if {[string match {\["users_by_email",*} $key]} { return taken }
    incr ::retries
  }
  return none
}

proc change_email_at_once {id new_email} {
  if {[stopped_by {db eval [stmt change_email_at_once]}] ne ""} { return taken }
  expr {[db changes] ? "ok" : "none"}
}

proc change_color {id color} {
  db eval [stmt change_color_at_once]
  expr {[db changes] ? "ok" : "none"}
}

proc rename_user {id name} {
  db eval [stmt rename]
  expr {[db changes] ? "ok" : "none"}
}

# A random number below n.  Only the seed decides.
proc roll {n} {
  set ::rolled [expr {($::rolled*1103515245 + 12345) & 0x7fffffff}]
  expr {($::rolled>>8) % $n}
}

# Random work on a few users; how often each answer came.
proc work {seed n} {
  set ::rolled $seed
  array set count {ok 0 taken 0 none 0}
  for {set i 0} {$i<$n} {incr i} {
    set id u[roll 6]
    set email [lindex {A a b C c} [roll 5]]@example.com
    set color [lindex {red green} [roll 2]]
    switch [roll 9] {
      0 - 1 - 2 { set res [insert_user $id n$i $email $color] }
      3 { set res [delete_user $id] }
      4 { set res [delete_user_at_once $id] }
      5 { set res [change_email $id $email] }
      6 { set res [change_email_at_once $id $email] }
      7 { set res [change_color $id $color] }
      8 { set res [rename_user $id m$i] }
    }
    incr count($res)
  }
  return "[array get count] retries $::retries"
}

# ---------------------------------------------------------------- members

# Look every stable member up, n times; how many look-ups, and what was lost.
proc read_members {index n stable} {
  set lost {}
  for {set i 0} {$i<$n*$stable} {incr i} {
    set email S[expr {$i%$stable}]@Example.com
    if {[db eval [stmt read_$index]] ne "s[expr {$i%$stable}]"} { lappend lost $email }
  }
  list [expr {$n*$stable}] $lost
}

# Change a member with all indexes that "writes" (old, both, new) names, in
# one statement.  An e-mail that another one has changes nothing.
proc change_member {id email visits writes} {
  set old [expr {$writes ne "new"}]
  set new [expr {$writes ne "old"}]
  stopped_by {db eval {
    WITH m(key, value, was, copy, pointer) AS (
      SELECT key, json_set(value, '$.email', $email, '$.visits', CAST($visits AS INTEGER)),
             lower(value ->> 'email'),
             kv_key('members_by_email', lower($email)),
             kv_key('member_ids_by_email', lower($email))
        FROM kv_entries WHERE key = kv_key('members', $id)
    )
    INSERT INTO kv_atomic(op, key, value)
      SELECT 'check', copy, NULL FROM m WHERE $old AND was <> lower($email)
      UNION ALL SELECT 'check', pointer, NULL FROM m WHERE $new AND was <> lower($email)
      UNION ALL SELECT 'delete', kv_key('members_by_email', was), NULL FROM m WHERE $old
      UNION ALL SELECT 'delete', kv_key('member_ids_by_email', was), NULL FROM m WHERE $new
      UNION ALL SELECT 'set', key, json(value) FROM m
      UNION ALL SELECT 'set', copy, json(value) FROM m WHERE $old
      UNION ALL SELECT 'set', pointer, $id FROM m WHERE $new
  }}
}

# Rewrite the members s0 .. and move the e-mails of the members c0 ..
proc write_members {writes seed n stable} {
  set ::rolled $seed
  set done 0
  for {set i 0} {$i<$n} {incr i} {
    if {[roll 2]} {
      set key [change_member c[roll 10] C[roll 15]@example.com $i $writes]
    } else {
      set s [roll $stable]
      set key [change_member s$s s$s@example.com $i $writes]
    }
    if {$key eq ""} { incr done }
  }
  return $done
}

proc backfill {} {
  db eval {BEGIN IMMEDIATE}
  set rc [catch {
    db eval [stmt remove_wrong]
    set n [db changes]
    db eval [stmt add_missing]
    incr n [db changes]
  } msg opt]
  db eval [lindex {COMMIT ROLLBACK} [expr {$rc!=0}]]
  if {$rc} { return -options $opt $msg }
  return $n
}

# ------------------------------------------------- users and members in test.db

# All entries, with their versionstamps.
proc everything {} { db eval {SELECT key, js, versionstamp FROM kv_entries} }
proc keys {} { db eval {SELECT key FROM kv_entries} }
# A statement with parts of it replaced, each of which must be there.
proc altered {name args} {
  set sql [stmt $name]
  foreach {from to} $args {
    if {[string first $from $sql]<0} { error "no $from in \[$name\]" }
    set sql [string map [list $from $to] $sql]
  }
  return $sql
}
proc users {args} {
  reset_db
  foreach {id email color} $args { insert_user $id Name $email $color }
  set ::retries 0
}

proc members {n} {
  reset_db
  db eval {
    PRAGMA journal_mode=WAL;
    WITH RECURSIVE c(i) AS (VALUES(0) UNION ALL SELECT i+1 FROM c WHERE i+1<CAST($n AS INTEGER))
    INSERT INTO kv_entries(key, value)
      SELECT kv_key('members', 's'||i), json_object('id', 's'||i, 'email', 'S'||i||'@Example.com', 'visits', 0) FROM c;
    INSERT INTO kv_entries(key, raw) SELECT kv_key('members_by_email', lower(value ->> 'email')), raw FROM kv_entries('["members"]')
  }
}
# What is wrong with an index of the members.
proc wrong_members {index} {
  if {$index eq "new"} {
    return [db eval {
      SELECT i.key FROM kv_entries('["member_ids_by_email"]') i LEFT JOIN kv_entries m ON m.key=kv_key('members', i.value)
       WHERE lower(m.value ->> 'email') IS NOT kv_part(i.key, 1)
      UNION ALL
      SELECT m.key FROM kv_entries('["members"]') m
        LEFT JOIN kv_entries i ON i.key=kv_key('member_ids_by_email', lower(m.value ->> 'email'))
       WHERE i.value IS NOT kv_part(m.key, 1)}]
  }
  db eval {
    SELECT c.key FROM kv_entries('["members_by_email"]') c LEFT JOIN kv_entries m ON m.key=kv_key('members', c.value ->> 'id')
     WHERE m.js IS NOT c.js OR lower(c.value ->> 'email') IS NOT kv_part(c.key, 1)
    UNION ALL
    SELECT m.key FROM kv_entries('["members"]') m
      LEFT JOIN kv_entries c ON c.key=kv_key('members_by_email', lower(m.value ->> 'email'))
     WHERE c.js IS NOT m.js}
}
