# client.pl EXTENSION FILE

use strict;
use warnings;
use utf8;
use DBI qw(:sql_types);

my ($extension, $file) = @ARGV;
my $db = DBI->connect("dbi:SQLite:dbname=$file", "", "",
  { RaiseError => 1, PrintError => 0, sqlite_unicode => 1 });
$db->sqlite_enable_load_extension(1);
$db->sqlite_load_extension($extension);
$db->sqlite_enable_load_extension(0);
binmode STDOUT, ":utf8";

sub one { my ($sql, @args) = @_; return ($db->selectrow_array($sql, undef, @args))[0] }

print "users ", one(q{SELECT count(*) FROM kv_entries('["users"]')}), "\n";
# A number has to be bound as one: a bare argument is TEXT to DBD::SQLite.
my $q = $db->prepare(q{SELECT value ->> 'name' FROM kv_entries WHERE key = kv_key('users', ?)});
$q->bind_param(1, 1, SQL_INTEGER);
$q->execute;
print "name ", $q->fetchrow_array, "\n";
$q->finish;
$q = $db->prepare(q{SELECT kv_get(kv_key('users', ?), '$.address.city')});
$q->bind_param(1, 3, SQL_INTEGER);
$q->execute;
print "city ", $q->fetchrow_array, "\n";
$q->finish;

sub atomic {
  my ($key, $value, $n) = @_;
  my $s = $db->prepare(q{INSERT INTO kv_atomic(op, key, value) VALUES
    ('check', kv_key('client', ?1), NULL), ('set', kv_key('client', ?1), ?2), ('sum', kv_key('count'), ?3)});
  $s->bind_param(1, $key);
  $s->bind_param(2, $value);
  $s->bind_param(3, $n, SQL_INTEGER);
  $s->execute;
}
atomic("it's", "first", 5);
print "committed ", one("SELECT kv_get(kv_key('client', ?)) = 'first'", "it's"), "\n";
eval { atomic("it's", "second", 5); };
print "conflict ", (index($@, q{kv: check failed: key ["client","it's"]}) >= 0
  && one("SELECT kv_conflict()") eq q{["client","it's"]}) + 0, "\n" if $@;
print "sum ", one("SELECT kv_get(kv_key('count'))"), "\n";

for (
  ["null", undef, SQL_VARCHAR, "?"],
  ["integer", 42, SQL_INTEGER, "?"],
  ["largest", 9223372036854775807, SQL_INTEGER, "kv_bigint(?)"],
  ["least", "-9223372036854775808", SQL_INTEGER, "kv_bigint(?)"],
  ["real", -2.25, SQL_REAL, "?"],
  ["text", "it's \"quoted\" \\ ü 漢 😀", SQL_VARCHAR, "?"],
  ["empty", "", SQL_VARCHAR, "?"],
  ["blob", "\x00\xff'", SQL_BLOB, "?"],
  ["noblob", "", SQL_BLOB, "?"],
) {
  my ($name, $value, $type, $sql) = @$_;
  my $s = $db->prepare("INSERT INTO kv_entries(key, value) VALUES (kv_key('bound', ?), $sql)");
  $s->bind_param(1, $name);
  $s->bind_param(2, $value, $type);
  $s->execute;
  my ($js, $back) = $db->selectrow_array(
    "SELECT js, value FROM kv_entries WHERE key = kv_key('bound', ?)", undef, $name);
  $back = unpack("H*", $back) if $type == SQL_BLOB;
  print "$name $js ", defined $back ? "[$back]" : "NULL", "\n";
}
$db->disconnect;
