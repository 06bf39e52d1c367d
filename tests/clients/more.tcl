# more.tcl -- clients that are much to install: Go, Rust, Java, R, Lua, C#, Elixir,
# SQLAlchemy, sqlite-utils, litecli, and Pythons that load no extensions.
#
#   make clients        installs what they need and runs this
#
# The programs of sql/manual/languages.md run as they stand, and all print the same.
# Each block of sql/manual/clients.md runs as it stands, in the least of a program
# around it, which then shows what the chapter says of values, transactions and row
# counts.

source [file join [file dirname [file dirname [file normalize [info script]]]] tester.tcl]
use docs

foreach v {LD_PRELOAD MAKEFLAGS MFLAGS MAKELEVEL} { unset -nocomplain ::env($v) }
set chapter sql/manual/clients.md
set sample [file join $T::root tests sample sample.sqlite3]
file mkdir build
file copy [file join $T::root build kv.so] build/kv.so

proc output {args} {
  if {[catch {exec {*}$args </dev/null 2>errors} out]} {
    set f [open errors]
    append out "\n" [read $f]
    close $f
  }
  return $out
}
proc block {language word} {
  set texts [doc_block_texts $::chapter $language $word]
  if {[llength $texts]!=1} { error "[llength $texts] blocks of $language with $word" }
  return [string trimright [lindex $texts 0]]
}
proc program {name text} {
  set f [open $name w]
  fconfigure $f -encoding utf-8
  puts $f $text
  close $f
}
# A line of a program for each of: the user's name; a key of every type that is bound;
# rows that are reported for an UPDATE of one entry and of none, and changes() after the
# first; whether a second connection finds the write lock taken.
proc client_test {name rows command} {
  file copy -force $::sample app.db
  do_test "$name: the manual's lines run, and do what it says" { split [output {*}$command] \n } \
    [list {Ada Lovelace} {[1,true,new Uint8Array([1,2]),1.5,"x"]} "$rows 1 0" locked]
}
set KEY {SELECT kv_key(?, kv_bool(?), ?, ?, ?)}
set ONE {UPDATE kv_entries SET value = 'x' WHERE key = kv_key('settings', 'theme')}
set NONE {UPDATE kv_entries SET value = 'x' WHERE key = kv_key('nobody')}
set WRITE {INSERT INTO kv_entries(key, value) VALUES (kv_key('new'), 1)}
proc fill {text} { string map [list @KEY $::KEY @ONE $::ONE @NONE $::NONE @WRITE $::WRITE] $text }

# ------------------------------------------------------------------------- Go

program app.go [string map [list @BLOCK [block go sql.Register]] [fill {package main

import (
	"database/sql"
	"fmt"
	"log"

	"github.com/mattn/go-sqlite3"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
func main() {
	var name, key string
	var changes int
@BLOCK
	check(err)
	fmt.Println(name)
	check(db.QueryRow("@KEY", 1, true, []byte{1, 2}, 1.5, "x").Scan(&key))
	fmt.Println(key)
	db.SetMaxOpenConns(1)
	one, err := db.Exec("@ONE")
	check(err)
	check(db.QueryRow("SELECT changes()").Scan(&changes))
	none, err := db.Exec("@NONE")
	check(err)
	n, _ := one.RowsAffected()
	m, _ := none.RowsAffected()
	fmt.Println(n, changes, m)
	tx, err := db.Begin()
	check(err)
	other, err := sql.Open("sqlite3_kv", "file:app.db?_busy_timeout=1")
	check(err)
	if _, err = other.Exec("@WRITE"); err != nil {
		fmt.Println("locked")
	}
	check(tx.Commit())
}}]]
set env(GO111MODULE) off
set env(GOPATH) /usr/share/gocode
set env(GOCACHE) [file join [pwd] gocache]
client_test Go 1 {go run -tags libsqlite3 app.go}

# ----------------------------------------------------------------------- Rust

file mkdir src .cargo
program Cargo.toml {[package]
name = "app"
version = "0.1.0"
edition = "2021"
[dependencies]
rusqlite = { version = "0", features = ["load_extension"] }}
program .cargo/config.toml {[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "/usr/share/cargo/registry"}
program src/main.rs [string map [list @BLOCK [block rust load_extension]] [fill {use rusqlite::{params, Connection, LoadExtensionGuard, Result, TransactionBehavior};

fn main() -> Result<()> {
@BLOCK
    println!("{name}");
    let key: String = db.query_row("@KEY", params![1, true, vec![1u8, 2], 1.5, "x"], |row| row.get(0))?;
    println!("{key}");
    let one = db.execute("@ONE", [])?;
    let changes: i64 = db.query_row("SELECT changes()", [], |row| row.get(0))?;
    println!("{one} {changes} {}", db.execute("@NONE", [])?);
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let other = Connection::open("app.db")?;
    other.busy_timeout(std::time::Duration::from_millis(1))?;
    if other.execute("BEGIN IMMEDIATE", []).is_err() {
        println!("locked");
    }
    tx.commit()
}}]]
client_test Rust 1 {sh -c {cargo build -q --offline >built 2>&1 || cat built; target/debug/app}}

# ----------------------------------------------------------------------- Java

program App.java [string map [list @BLOCK [block java DriverManager]] [fill {import java.sql.*;

public class App {
  public static void main(String[] args) throws Exception {
@BLOCK
    System.out.println(name);
    q = db.prepareStatement("@KEY");
    q.setLong(1, 1);
    q.setBoolean(2, true);
    q.setBytes(3, new byte[] {1, 2});
    q.setDouble(4, 1.5);
    q.setString(5, "x");
    System.out.println(q.executeQuery().getString(1));
    Statement s = db.createStatement();
    int one = s.executeUpdate("@ONE");
    long changes = s.executeQuery("SELECT changes()").getLong(1);
    System.out.println(one + " " + changes + " " + s.executeUpdate("@NONE"));
    db.close();
    db = DriverManager.getConnection("jdbc:sqlite:app.db?transaction_mode=IMMEDIATE");
    db.setAutoCommit(false);
    db.createStatement().executeQuery("SELECT 1").close();
    try (Connection other = DriverManager.getConnection("jdbc:sqlite:app.db?busy_timeout=1")) {
      other.createStatement().execute("BEGIN IMMEDIATE");
    } catch (SQLException e) {
      System.out.println("locked");
    }
    db.commit();
  }
}}]]
client_test Java 3 {java -cp /usr/share/java/sqlite-jdbc.jar App.java}

# -------------------------------------------------------------------------- R

program app.R [string map [list @BLOCK [block r RSQLite]] [fill {@BLOCK
cat(name, "\n", sep = "")
cat(DBI::dbGetQuery(db, "@KEY AS key", list(1L, TRUE, list(as.raw(c(1, 2))), 1.5, "x"))$key, "\n", sep = "")
one <- DBI::dbExecute(db, "@ONE")
changes <- DBI::dbGetQuery(db, "SELECT changes() AS n")$n
cat(one, changes, DBI::dbExecute(db, "@NONE"), "\n", sep = c(" ", " ", ""))
invisible(DBI::dbExecute(db, "BEGIN IMMEDIATE"))
other <- DBI::dbConnect(RSQLite::SQLite(), "app.db")
RSQLite::sqliteSetBusyHandler(other, 1L)
tryCatch(DBI::dbExecute(other, "BEGIN IMMEDIATE"), error = function(e) cat("locked\n"))
invisible(DBI::dbExecute(db, "COMMIT"))
DBI::dbDisconnect(db)}]]
client_test R 3 {Rscript app.R}

# ------------------------------------------------------------------------ Lua

exec make -s -C $T::root NODEPS=1 BUILD=[pwd]/static CFLAGS=-O0 [pwd]/static/kv-preload.so 2>@1
file copy static/kv-preload.so build/kv-preload.so
program app.lua [string map [list @BLOCK [block lua luasql]] [fill {@BLOCK
print(name)
print((db:execute([[SELECT kv_key(1, kv_bool(1), x'0102', 1.5, 'x')]]):fetch()))
local one = db:execute("@ONE")
local changes = db:execute("SELECT changes()"):fetch()
print(string.format("%d %d %d", one, changes, db:execute("@NONE")))
db:execute("BEGIN IMMEDIATE")
local other = require("luasql.sqlite3").sqlite3():connect("app.db")
if not other:execute("BEGIN IMMEDIATE") then print("locked") end
db:execute("COMMIT")}]]
regexp {`(LD_PRELOAD=\S+ lua\S+ app\.lua)`} [doc_text $chapter] - lua
client_test Lua 1 [list sh -c $lua]
do_test {LuaSQL loads no extension without the preload} {
  program no.lua {print(require("luasql.sqlite3").sqlite3():connect("app.db"):execute("SELECT load_extension('./build/kv')"))}
  regexp {not authorized} [output lua5.4 no.lua]
} 1

# --------------------------------------------------------------------- Python

program app.py "[block python create_engine]
[fill {    print(db.execute(text("SELECT kv_key(:a, kv_bool(:b), :c, :d, :e)"), dict(a=1, b=True, c=b"\1\2", d=1.5, e="x")).scalar())
    one = db.execute(text("@ONE")).rowcount
    changes = db.execute(text("SELECT changes()")).scalar()
    print(one, changes, db.execute(text("@NONE")).rowcount)
import sqlite3
a = sqlite3.connect("app.db", isolation_level="IMMEDIATE")
a.enable_load_extension(True)
a.load_extension("./build/kv")
a.execute("@WRITE")
try:
    sqlite3.connect("app.db", timeout=0).execute("BEGIN IMMEDIATE")
except sqlite3.OperationalError:
    print("locked")
a.rollback()}]"
client_test SQLAlchemy 1 {/usr/bin/python3 -W ignore app.py}
do_test {SQLAlchemy begins IMMEDIATE by the manual's event} {
  set text [doc_text $chapter]
  regexp {`(connection\.isolation_level = None)` in .load\(\). above, and `(event\.listen\([^`]*\))`} $text - level listen
  program begin.py "[regsub {\n\nwith .*} [block python create_engine] "\n    $level"]
$listen
import sqlite3
with engine.begin() as db:
    db.execute(text('SELECT 1'))
    try:
        sqlite3.connect('app.db', timeout=0).execute('BEGIN IMMEDIATE')
        print('free')
    except sqlite3.OperationalError:
        print('locked')"
  output /usr/bin/python3 -W error::DeprecationWarning begin.py
} locked

# --------------------------------------------------------- programs with a line

set home $env(HOME)
set env(HOME) [pwd]
foreach {- line} [regexp -all -inline -line {^\$ ((?:sqlite-utils|litecli) .*)$} [doc_text $chapter]] {
  do_test "the manual's line runs: [lindex $line 0]" {
    file copy -force $sample app.db
    regexp -all -inline {Ada Lovelace} [output sh -c $line]
  } {{Ada Lovelace}}
}

# What others begin with.
foreach {name command} [list \
  perl [list perl -MDBI -e {
    my $a = DBI->connect("dbi:SQLite:app.db"); $a->begin_work; $a->selectrow_array("SELECT 1");
    my $b = DBI->connect("dbi:SQLite:app.db", "", "", {PrintError => 0}); $b->sqlite_busy_timeout(1);
    print $b->do("BEGIN IMMEDIATE") ? "free" : "locked"}] \
  ruby [list ruby -rsqlite3 -e {
    a = SQLite3::Database.new("app.db"); a.transaction(:immediate)
    begin; SQLite3::Database.new("app.db").execute("BEGIN IMMEDIATE"); puts "free"; rescue SQLite3::BusyException; puts "locked"; end}] \
] {
  do_test "$name begins IMMEDIATE as the manual says" { output {*}$command } locked
}

# ------------------------------------------------ the same program everywhere

set chapter sql/manual/languages.md
set env(HOME) $home
regexp {Each prints:\n\n```\n(.*?)\n```} [doc_text $chapter] - printed
set preload LD_PRELOAD=[pwd]/build/kv-preload.so
foreach {language file command} [list \
  go     app2.go            {go run -tags libsqlite3 app2.go} \
  rust   src/main.rs        {sh -c {cargo build -q --offline >built 2>&1 || cat built; target/debug/app}} \
  java   App.java           {java -cp /usr/share/java/sqlite-jdbc.jar App.java} \
  ruby   app.rb             {ruby app.rb} \
  php    app.php            [list php -d sqlite3.extension_dir=[pwd]/build app.php] \
  perl   app.pl             {perl app.pl} \
  r      app.R              {Rscript app.R} \
  lua    app.lua            [list env $preload lua5.4 app.lua] \
  tcl    app.tcl            {tclsh app.tcl} \
  cs     app.cs             [list sh -c "mcs -r:System.Data -r:Mono.Data.Sqlite app.cs && $preload mono app.exe"] \
  elixir app.exs            [list env $preload elixir app.exs] \
] {
  file delete -force {*}[glob -nocomplain app.db*]
  do_test "the manual's program in $language prints what all of them do" {
    program $file [block $language {}]
    output {*}$command
  } $printed
}

finish_test
