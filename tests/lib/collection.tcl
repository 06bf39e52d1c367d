# collection.tcl -- random queries on a collection and on an ordinary table.
#
# T is the collection c or the table o; U, with other keys, is d or p.

set columns {id name email age score joined admin big v tag}

# One of the arguments.
proc one {args} { pick $args }

# Bound values, of each type.
foreach {name value} {five 5 half 5.5 thirty 30 name Ada year 2024 day 2024-05-01 spaced { 5} none {}} {
  set bound_$name $value
  append bound_$name ""
}
set bound_int [expr {2+3}]
set bound_real [expr {2.5*2}]
set bound_bytes [binary format H* 61]
set bound {$::bound_five $::bound_half $::bound_thirty $::bound_name $::bound_year $::bound_day $::bound_spaced \
  $::bound_none $::bound_int $::bound_real $::bound_bytes}

# A value for a column, as SQL text: as it is stored.
proc value {col} {
  if {$col ne "id" && [chance 10]} { return NULL }
  switch $col {
    id     { expr {1+[rnd 60]} }
    name   { one 'Ada' 'ada' 'Bob' 'bob' '' 'Zoë' '5' '-1' 'Inf' {'a b'} '\[x' '~' '2024-05-01' }
    email  { return "'[one a b c d e f g h][rnd 40]@x'" }
    age    { one 0 1 5 30 30 31 42 -7 900719925474099 }
    score  { one 0.0 1.5 -2.25 5.0 1e10 30.0 0.1 -0.5 }
    joined { return "'202[rnd 6]-0[expr {1+[rnd 9]}]-1[rnd 9] 1[rnd 9]:00:00.000000'" }
    admin  { rnd 2 }
    big    { one 0 1 5 9007199254740993 -9223372036854775808 30 }
    v      { one 1 0 5 30 1.5 'x' '5' 'abc' x'00ff' x'' 'Ada' -3 '5.0' {' 5'} '2024' '2024-05-01' }
    tag    { one 'x' 'X' 'Xy' 'ä' 'Ä' '5' '5e0' 'Inf' '' '_' '\[' }
  }
}

# A value to compare a column with: also of other types, unless it is to fit.
set fitting 0
proc operand {col} {
  if {$::fitting || [chance 60]} { return [value $col] }
  if {[chance 20]} { return [one {*}$::bound] }
  one '5.0' '5e0' 1e999 -1e999 '1e999' 'Inf' ':' '!' x'' -0.0 '5' 5 5.0 5.5 '30' 30 'abc' '' x'61' NULL '2024' '2024-05-01' '2022-03' 1 0 '1' 1e3 -1 '0x10' {' 5'} {'5 '} \
      9007199254740993 '2021-01-11T10:00:00.000Z'
}

proc term {t} {
  set col [one {*}$::columns]
  set a $t.$col
  switch [rnd 14] {
    0 - 1 - 2 { return "$a = [operand $col]" }
    3 { return "$a > [operand $col]" }
    4 { return "$a >= [operand $col]" }
    5 { return "$a < [operand $col]" }
    6 { return "$a <= [operand $col]" }
    7 { return "$a BETWEEN [operand $col] AND [operand $col]" }
    8 { return "$a IN ([operand $col], [operand $col], [operand $col])" }
    9 { return "$a IS [operand $col]" }
    10 { return "$a IS NOT NULL" }
    11 { return "$a LIKE '[one a A b 5 2 - {}]%'" }
    12 { return "$a GLOB '[one a A b 5 2 - {}]*'" }
    13 { return "$a <> [operand $col]" }
  }
}

# Columns of indexes of several columns, as declared in collection_several, or any.
proc several {} {
  if {$::fitting} { return [one {name age score} {name age score} {name score age} {age score name}] }
  if {[chance 15]} { return [list [one {*}$::columns] [one {*}$::columns] [one {*}$::columns]] }
  one {name age score} {name age score} {admin score age} {v name age} {age v name} {tag name age} {big joined age} {name score email}
}
proc equal {t col} {
  if {$col eq "name" && [chance 40]} { return "$t.name = 'Ada'" }
  set value [operand $col]
  while {$::fitting && $value eq "NULL"} { set value [operand $col] }
  return "$t.$col [one = = = = IS] $value"
}
proc narrow {t col} { return "$t.$col [one > >= < <=] [operand $col]" }

proc condition {t} {
  switch [rnd 5] {
    0 { return [term $t] }
    1 { return "[term $t] AND [term $t]" }
    2 { return "([term $t] OR [term $t])" }
    3 { return "[term $t] AND ([term $t] OR [term $t])" }
    4 { return "NOT ([term $t])" }
  }
}

# A condition on the keys of U.
proc keys {t} {
  set col [one k k m r w]
  set value [operand [one name age v]]
  switch [rnd 6] {
    0 - 1 - 2 { return "$t.$col = $value" }
    3 { return "$t.$col [one > >= < <=] $value" }
    4 { return "$t.$col IN ($value, [operand v])" }
    5 { return "$t.$col BETWEEN $value AND [operand v]" }
  }
}

# A query with T and U for the tables.
proc query {{shape {}}} {
  switch [expr {$shape eq "" ? [rnd 15] : $shape}] {
    0 { return "SELECT * FROM T AS t WHERE [condition t] ORDER BY t.id" }
    1 {
      set col [one {*}$::columns]
      return "SELECT * FROM T AS t WHERE [condition t] ORDER BY t.$col [one {} DESC], t.id [one {} DESC]"
    }
    2 {
      set col [one {*}$::columns]
      return "SELECT * FROM T AS t WHERE [condition t] ORDER BY t.$col [one {} DESC], t.id LIMIT [rnd 8] OFFSET [rnd 4]"
    }
    3 { return "SELECT count(*), sum(age), min(score), max(joined), count(big) FROM T AS t WHERE [condition t]" }
    4 {
      set col [one name age admin v]
      return "SELECT $col, count(*), max(id) FROM T AS t WHERE [condition t] GROUP BY $col ORDER BY 1, 3"
    }
    5 {
      # Columns of the same type and of others.
      set on [one age name v id admin]
      set left [one JOIN {LEFT JOIN}]
      set term [term b]
      # (An ordinary table loses all rows where its rowid, or the first column of an index, is
      # LIKE a text of digits on the right of a LEFT JOIN, up to SQLite 3.53.)
      while {$left ne "JOIN" && [regexp {^b.(id|tag) (LIKE|GLOB)} $term]} { set term [term b] }
      return "SELECT a.id, b.id AS bid FROM T AS a $left T AS b ON a.$on = b.[one $on age v] AND $term
        WHERE [term a] ORDER BY 1, 2"
    }
    9 {
      set col [one {*}$::columns]
      set on [one {*}$::columns]
      return "SELECT a.id, b.id AS bid FROM T AS a [one JOIN {LEFT JOIN}] T AS b ON a.$on [one = = = > >= < <=] b.$col
        WHERE a.id < 20 ORDER BY 1, 2"
    }
    10 { return "SELECT * FROM U AS u WHERE [keys u] AND [keys u] ORDER BY [one "k, m, r" "m, r, k" "k DESC, m, r" "r, k, m"]" }
    11 {
      return "SELECT a.id, b.k, quote(b.m) AS m, b.r FROM T AS a [one JOIN {LEFT JOIN}] U AS b ON b.k = a.[one {*}$::columns] [
        one {} "AND b.m = a.[one age name v id]" "AND b.r < a.score" "AND [keys b]"] WHERE a.id < 20 ORDER BY 1, 2, 3, 4"
    }
    12 {
      set col [one {*}$::columns]
      return "SELECT t.k, quote(t.m) AS m, t.r, t.w, (SELECT group_concat(id) FROM (SELECT id FROM T AS b WHERE b.$col
        [one = < > >=] t.[one k m r w] ORDER BY id)) AS ids FROM U AS t WHERE [keys t] ORDER BY 1, 2, 3"
    }
    6 { return "SELECT id, (SELECT count(*) FROM T AS b WHERE b.age = t.age AND [term b]) FROM T AS t WHERE [condition t] ORDER BY id" }
    7 { return "SELECT id, rank() OVER (ORDER BY score, id), lag(name) OVER (ORDER BY id) FROM T AS t WHERE [condition t] ORDER BY id" }
    13 {
      # What an index of several columns, or a partial one, may answer.
      lassign [several] a b c
      return "SELECT * FROM T AS t WHERE [equal t $a] AND [one [equal t $b] [narrow t $b] "t.$b IS NOT NULL"] AND
        [one [narrow t $c] [narrow t $c] "t.$c IS NOT NULL" [term t]] ORDER BY t.id"
    }
    14 {
      lassign [several] a b c
      set order [one "t.$b" "t.$b" "t.$a, t.$b" "t.$b DESC" "t.$b DESC, t.$a" "t.$a DESC, t.$b DESC"]
      return "SELECT t.$b FROM T AS t WHERE [equal t $a] AND [one [narrow t $b] "t.$b IS NOT NULL"] AND
        t.$c IS NOT NULL ORDER BY $order [one {} {} "LIMIT [rnd 5]"]"
    }
    8 {
      # An order that an index may deliver.
      set col [one name age score admin]
      return "SELECT $col FROM T AS t WHERE t.$col [one > >= < <=] [operand $col] AND [term t] ORDER BY $col [one {} DESC]"
    }
  }
}

# The tables, U with its rows.
proc collection_pair {} {
  execsql {
    CREATE VIRTUAL TABLE temp.c USING kv_collection('["c"]', id INTEGER KEY, name TEXT INDEX, email TEXT UNIQUE,
      age INTEGER INDEX, score REAL INDEX, joined DATETIME INDEX, admin BOOLEAN INDEX, big BIGINT INDEX,
      v INDEX 'c_by_v', tag TEXT COLLATE NOCASE INDEX);
    CREATE TABLE o(id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE, age INTEGER, score REAL,
      joined DATETIME COLLATE kv_datetime, admin BOOLEAN, big BIGINT, v, tag TEXT COLLATE NOCASE);
    CREATE VIRTUAL TABLE temp.d USING kv_collection('["d"]', k TEXT KEY, m KEY, r REAL KEY, w INTEGER);
    CREATE TABLE p(k TEXT, m, r REAL, w INTEGER, PRIMARY KEY(k, m, r)) WITHOUT ROWID;
  }
  foreach k {a b 5 5.0 { 5} 05 30 x Inf {} 2024 2024-05-01} {
    foreach m {1 5 5.5 'x' '5' '5.0' x'00' '30'} {
      foreach r {0 -1.5 30} {
        set w [rnd 8]
        db eval "INSERT INTO d VALUES(\$k, $m, $r, \$w); INSERT INTO p VALUES(\$k, $m, $r, \$w)"
      }
    }
  }
}

# Indexes of several columns and partial ones, on both.
proc collection_several {} {
  execsql {
    SELECT kv_index('c_name_age_score', '["c"]', '$.name, $.age, $.score'), kv_index('c_admin_score', '["c"]', '$.admin, $.score'),
      kv_index('c_v_name', '["c"]', '$.v, $.name'), kv_index('c_age_v', '["c"]', '$.age, $.v', 'where $.v'),
      kv_index('c_tag_name', '["c"]', '$.tag, $.name', 'lower'), kv_index('c_big_joined', '["c"]', '$.big, $.joined'),
      kv_index('c_adas', '["c"]', '$.age', 'where $.name = "Ada"'), kv_index('c_mailed', '["c"]', '$.score', 'where $.email');
    CREATE INDEX o_name_age_score ON o(name, age, score);
    CREATE INDEX o_admin_score ON o(admin, score);
    CREATE INDEX o_v_name ON o(v, name);
    CREATE INDEX o_age_v ON o(age, v) WHERE v IS NOT NULL;
    CREATE INDEX o_tag_name ON o(tag, name);
    CREATE INDEX o_big_joined ON o(big, joined);
    CREATE INDEX o_adas ON o(age) WHERE name = 'Ada';
    CREATE INDEX o_mailed ON o(score) WHERE email IS NOT NULL;
  }
}

# Run a query, or a write, on one of both.
proc run {sql table} {
  regsub -all {\mT\M} $sql $table sql
  regsub -all {\mU\M} $sql [expr {$table eq "c" ? "d" : "p"}] sql
  set rc [catch {db eval $sql row { lappend res [lmap c $row(*) { list $row($c) }] }} msg]
  if {$rc} {
    regsub -all {\m[co]\.} $msg T. msg
    return "error: $msg"
  }
  return [expr {[info exists res] ? $res : ""}]
}
