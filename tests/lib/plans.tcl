# plans.tcl -- the same rows as collections and as ordinary tables with the same indexes, in
# two connections; the shapes of queries on them; and what a query costs.

# Users and orders.  Of the handles c has collections, t has tables.
set plan_columns {
  u {id {INTEGER KEY} name {TEXT INDEX} mail {TEXT COLLATE NOCASE UNIQUE} age {INTEGER INDEX}
     city {TEXT INDEX} score REAL day {DATETIME INDEX} ok {BOOLEAN INDEX} org {INTEGER NOT NULL INDEX}}
  o {id {INTEGER KEY} u {INTEGER INDEX} state {TEXT INDEX} total REAL}
}

proc plan_rows {n} {
  return [list u "
    WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s WHERE i<$n)
    INSERT INTO u SELECT i, printf('n%05d', i*7919%$n), 'e'||i||'@x', iif(i%91=90, NULL, i*17%91),
      iif(i%200=0, 'Rare', substr('AixBonCanDax', 1+i%4*3, 3)), i*37%1000/8.0,
      strftime('%Y-%m-%d %H:%M:%S.000000', 1262304000+i*7877%473385600, 'unixepoch'), i*7%3>0, i*11%20 FROM s" o "
    WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s WHERE i<$n)
    INSERT INTO o SELECT i, 1+i*13%$n, iif(i%500=0, 'lost', iif(i%3, 'paid', 'open')), i*29%10000/100.0 FROM s"]
}

# A connection to the collections.
proc plan_open {h} {
  open_kv $h c.db
  foreach {name columns} $::plan_columns {
    set declared {}
    foreach {column type} $columns { lappend declared "$column $type" }
    $h eval "CREATE VIRTUAL TABLE temp.${name} USING kv_collection('\[\"$name\"\]', [join $declared ,])"
  }
}

# What is read for a query, in which order.
proc plan_words {h sql} {
  set words {}
  $h eval "EXPLAIN QUERY PLAN $sql" { lappend words $detail }
  return $words
}

# Make both, with n rows each, in files.
proc plan_fill {n} {
  plan_open c
  open_kv t t.db
  foreach {name columns} $::plan_columns {
    set indexed {}
    foreach {column type} $columns {
      if {[regexp {^(.*) INDEX$} $type -> type]} { lappend indexed $column }
      lappend plain "$column [string map {{ KEY} { PRIMARY KEY}} $type]"
    }
    t eval "CREATE TABLE ${name}([join $plain ,])"
    foreach column $indexed { t eval "CREATE INDEX ${name}_$column ON ${name}($column)" }
    unset plain
  }
  foreach h {c t} {
    $h eval BEGIN
    foreach {name sql} [plan_rows $n] { $h eval $sql }
    $h eval COMMIT
  }
  t eval ANALYZE
}

set plan_shapes {
  {SELECT name FROM u WHERE id=777}
  {SELECT id FROM u WHERE mail='e500@X'}
  {SELECT id FROM u WHERE mail LIKE 'e50%'}
  {SELECT id FROM u WHERE name GLOB 'n0001*'}
  {SELECT id FROM u WHERE age=5 OR city='Rare'}
  {SELECT id FROM u WHERE age=5 OR id=9}
  {SELECT id FROM u WHERE id IN (SELECT u FROM o WHERE state='lost')}
  {SELECT count(*) FROM u}
  {SELECT count(*) FROM u WHERE age=5}
  {SELECT count(*) FROM u WHERE age>80}
  {SELECT min(id), max(id) FROM u}
  {SELECT max(id) FROM u}
  {SELECT min(age) FROM u}
  {SELECT age FROM u WHERE age IS NOT NULL ORDER BY age LIMIT 1}
  {SELECT min(org) FROM u}
  {SELECT max(org) FROM u}
  {SELECT max(age) FROM u}
  {SELECT max(day) FROM u}
  {SELECT DISTINCT city FROM u}
  {SELECT DISTINCT age FROM u}
  {SELECT age, count(*) FROM u GROUP BY age}
  {SELECT id FROM u WHERE age IS NULL}
  {SELECT id FROM u WHERE age IS NOT NULL AND age<3}
  {SELECT id FROM u WHERE id BETWEEN 100 AND 200}
  {SELECT id FROM u WHERE age BETWEEN 88 AND 200 AND ok=1}
  {SELECT id FROM u WHERE lower(mail)='e500@x'}
  {SELECT id FROM u WHERE day>='2024-12-01'}
  {SELECT id FROM u WHERE date(day)='2024-12-01'}
  {SELECT id FROM u ORDER BY age LIMIT 10}
  {SELECT age FROM u ORDER BY age DESC LIMIT 10}
  {SELECT id FROM u WHERE age IS NOT NULL ORDER BY age LIMIT 10}
  {SELECT id FROM u ORDER BY id DESC LIMIT 10}
  {SELECT id FROM u ORDER BY day DESC LIMIT 10}
  {SELECT id FROM u ORDER BY age DESC, id DESC LIMIT 10}
  {SELECT id FROM u WHERE city='Rare' ORDER BY id LIMIT 5}
  {SELECT id FROM u WHERE age=5 ORDER BY id DESC LIMIT 5}
  {SELECT id FROM u WHERE (age,id)>(50,100) ORDER BY age,id LIMIT 10}
  {SELECT id FROM u WHERE id>19000 ORDER BY id LIMIT 10 OFFSET 20}
  {SELECT id,name FROM u ORDER BY id LIMIT 10 OFFSET 15000}
  {SELECT count(*) FROM u WHERE id NOT IN (SELECT u FROM o WHERE u IS NOT NULL)}
  {SELECT count(*) FROM u JOIN o ON o.u=u.id WHERE o.state='lost'}
  {SELECT count(*) FROM o JOIN u ON o.u=u.id WHERE u.city='Rare'}
  {SELECT count(*) FROM u a JOIN u b ON a.org=b.org JOIN o ON o.u=b.id WHERE a.id=5}
  {SELECT u.id FROM u LEFT JOIN o ON o.u=u.id WHERE u.id<50 AND o.id IS NULL}
  {SELECT count(*) FROM u WHERE EXISTS(SELECT 1 FROM o WHERE o.u=u.id AND o.state='lost')}
  {SELECT count(*) FROM u WHERE NOT EXISTS(SELECT 1 FROM o WHERE o.u=u.id) AND u.id<500}
  {SELECT sum(total) FROM o WHERE u IN (SELECT id FROM u WHERE city='Rare')}
  {SELECT city, avg(score) FROM u WHERE ok=1 GROUP BY city}
  {SELECT id FROM u WHERE ok=1 AND age=5 AND city='Rare'}
  {SELECT id FROM o WHERE state='open' AND u=5}
  {SELECT id FROM o WHERE state='lost'}
  {SELECT (SELECT count(*) FROM o WHERE o.u=u.id) FROM u WHERE age=5}
  {SELECT * FROM u WHERE id=5}
  {SELECT * FROM u WHERE age=5}
  {SELECT id FROM u WHERE id IN (5, 50, 500, 5000)}
  {SELECT id FROM u WHERE age IN (5, 50) ORDER BY age}
  {SELECT avg(score) FROM u}
  {SELECT count(*) FROM u WHERE score>60}
}

# Steps of the virtual machine that a query takes, in the statements that run inside it, too;
# it was planned before.  Ten at a time, since a call of a script takes longer than a step.
proc plan_steps {h sql} {
  $h eval $sql
  set ::steps 0
  $h progress 10 {incr ::steps 10; expr 0}
  $h eval $sql
  $h progress 0 {}
  return $::steps
}

# The processor time of this process, in microseconds.
proc plan_clock {} {
  set f [open /proc/self/schedstat]
  set ns [lindex [read $f] 0]
  close $f
  expr {$ns/1000.0}
}

# The processor time of a query: the best of some runs.
proc plan_time {h sql {rounds 3}} {
  set best 1e30
  $h eval $sql
  for {set i 0} {$i<$rounds} {incr i} {
    set n 0
    set start [plan_clock]
    while {[set time [expr {[plan_clock]-$start}]]<20000 && $n<1000} { $h eval $sql; incr n }
    set best [expr {min($best, $time/$n)}]
  }
  return $best
}

# The rows: in their order, if the query asks for one.
proc plan_result {h sql} {
  set rows {}
  $h eval $sql row {
    lappend rows [lmap column $row(*) { set row($column) }]
  }
  if {![regexp {ORDER BY} $sql]} { set rows [lsort $rows] }
  return $rows
}
