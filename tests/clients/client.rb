# client.rb EXTENSION FILE

require "sqlite3"

extension, file = ARGV
db = SQLite3::Database.new(file)
db.enable_load_extension(true)
db.load_extension(extension)
db.enable_load_extension(false)

one = ->(sql, *args) { db.get_first_value(sql, args) }

puts "users #{one.("SELECT count(*) FROM kv_entries('[\"users\"]')")}"
puts "name #{one.("SELECT value ->> 'name' FROM kv_entries WHERE key = kv_key('users', ?)", 1)}"
puts "city #{one.("SELECT kv_get(kv_key('users', ?), '$.address.city')", 3)}"

ATOMIC = "INSERT INTO kv_atomic(op, key, value) VALUES
  ('check', kv_key('client', ?1), NULL), ('set', kv_key('client', ?1), ?2), ('sum', kv_key('count'), ?3)"
db.execute(ATOMIC, ["it's", "first", 5])
puts "committed #{one.("SELECT kv_get(kv_key('client', ?)) = 'first'", "it's")}"
begin
  db.execute(ATOMIC, ["it's", "second", 5])
rescue SQLite3::ConstraintException => e
  seen = e.message.include?("kv: check failed: key [\"client\",\"it's\"]")
  puts "conflict #{seen && one.("SELECT kv_conflict()") == "[\"client\",\"it's\"]" ? 1 : 0}"
end
puts "sum #{one.("SELECT kv_get(kv_key('count'))")}"

[
  ["null", nil, "?"],
  ["integer", 42, "?"],
  ["largest", 2**63 - 1, "kv_bigint(?)"],
  ["least", -2**63, "kv_bigint(?)"],
  ["real", -2.25, "?"],
  ["text", "it's \"quoted\" \\ ü 漢 😀", "?"],
  ["empty", "", "?"],
  ["blob", SQLite3::Blob.new("\x00\xff'".b), "?"],
  ["noblob", SQLite3::Blob.new("".b), "?"],
].each do |name, value, sql|
  db.execute("INSERT INTO kv_entries(key, value) VALUES (kv_key('bound', ?), #{sql})", [name, value])
  js, back = db.get_first_row("SELECT js, value FROM kv_entries WHERE key = kv_key('bound', ?)", [name])
  abort "#{name}: not the same" unless back == value
  back = back.unpack1("H*") if value.is_a?(SQLite3::Blob)
  puts "#{name} #{js} #{back.nil? ? "NULL" : "[#{back}]"}"
end
