<?php
// client.php EXTENSION FILE -- run with -d sqlite3.extension_dir=(its folder)

[, $extension, $file] = $argv;
$db = new SQLite3($file);
$db->enableExceptions(true);
$db->loadExtension(basename($extension));

// execute() has run a statement that writes; fetchArray() would run it again.
function run(string $sql, array $args = []): SQLite3Result {
  global $db;
  $s = $db->prepare($sql);
  foreach ($args as $i => [$value, $type]) $s->bindValue($i + 1, $value, $type);
  return $s->execute();
}
function query(string $sql, array $args = []): array { return run($sql, $args)->fetchArray(SQLITE3_NUM); }
function one(string $sql, array $args = []) { return query($sql, $args)[0]; }
function integer($i) { return [$i, SQLITE3_INTEGER]; }
function text($s) { return [$s, SQLITE3_TEXT]; }

echo "users ", one("SELECT count(*) FROM kv_entries('[\"users\"]')"), "\n";
echo "name ", one("SELECT value ->> 'name' FROM kv_entries WHERE key = kv_key('users', ?)", [integer(1)]), "\n";
echo "city ", one("SELECT kv_get(kv_key('users', ?), '$.address.city')", [integer(3)]), "\n";

$atomic = "INSERT INTO kv_atomic(op, key, value) VALUES
  ('check', kv_key('client', ?1), NULL), ('set', kv_key('client', ?1), ?2), ('sum', kv_key('count'), ?3)";
run($atomic, [text("it's"), text("first"), integer(5)]);
echo "committed ", one("SELECT kv_get(kv_key('client', ?)) = 'first'", [text("it's")]), "\n";
try {
  run($atomic, [text("it's"), text("second"), integer(5)]);
} catch (Exception $e) {
  echo "conflict ", (int)(str_contains($e->getMessage(), "kv: check failed: key [\"client\",\"it's\"]")
    && one("SELECT kv_conflict()") === "[\"client\",\"it's\"]"), "\n";
}
echo "sum ", one("SELECT kv_get(kv_key('count'))"), "\n";

foreach ([
  ["null", null, SQLITE3_NULL, "?"],
  ["integer", 42, SQLITE3_INTEGER, "?"],
  ["largest", PHP_INT_MAX, SQLITE3_INTEGER, "kv_bigint(?)"],
  ["least", PHP_INT_MIN, SQLITE3_INTEGER, "kv_bigint(?)"],
  ["real", -2.25, SQLITE3_FLOAT, "?"],
  ["text", "it's \"quoted\" \\ ü 漢 😀", SQLITE3_TEXT, "?"],
  ["empty", "", SQLITE3_TEXT, "?"],
  ["blob", "\x00\xff'", SQLITE3_BLOB, "?"],
  ["noblob", "", SQLITE3_BLOB, "?"],
] as [$name, $value, $type, $sql]) {
  run("INSERT INTO kv_entries(key, value) VALUES (kv_key('bound', ?), $sql)", [text($name), [$value, $type]]);
  [$js, $back] = query("SELECT js, value FROM kv_entries WHERE key = kv_key('bound', ?)", [text($name)]);
  if ($back !== $value) echo "not the same: ";
  if ($type === SQLITE3_BLOB) $back = bin2hex($back);
  echo "$name $js ", $back === null ? "NULL" : "[$back]", "\n";
}
