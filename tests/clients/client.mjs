// client.mjs DRIVER EXTENSION FILE -- DRIVER is better-sqlite3, node:sqlite
// (of Node or Deno) or bun:sqlite.

const [driver, extension, file] = process.argv.slice(2);

// open() gives a function that runs a statement and returns its rows.
// An integer is bound and read as a bigint: a number is a REAL to drivers.
const open = {
  async "better-sqlite3"() {
    const { createRequire } = await import("node:module");
    const Database = createRequire(process.env.BETTER_SQLITE3)("better-sqlite3");
    const db = new Database(file, { nativeBinding: process.env.BETTER_SQLITE3_NODE });
    db.loadExtension(extension);
    db.defaultSafeIntegers();
    return (sql, args) => {
      const s = db.prepare(sql);
      return s.reader ? s.all(...args) : s.run(...args);
    };
  },
  async "node:sqlite"() {
    const { DatabaseSync } = await import("node:sqlite");
    const db = new DatabaseSync(file, { allowExtension: true });
    db.loadExtension(extension);
    return (sql, args) => {
      const s = db.prepare(sql);
      s.setReadBigInts(true);
      return s.all(...args);
    };
  },
  async "bun:sqlite"() {
    const { Database } = await import("bun:sqlite");
    const db = new Database(file, { safeIntegers: true });
    db.loadExtension(extension);
    return (sql, args) => db.query(sql).all(...args);
  },
};
const query = await open[driver]();
const one = (sql, ...args) => Object.values(query(sql, args)[0])[0];

const print = (...words) => console.log(words.join(" "));
print("users", one(`SELECT count(*) FROM kv_entries('["users"]')`));
print("name", one(`SELECT value ->> 'name' FROM kv_entries WHERE key = kv_key('users', ?)`, 1));
print("city", one(`SELECT kv_get(kv_key('users', ?), '$.address.city')`, 3));

const atomic = `INSERT INTO kv_atomic(op, key, value) VALUES
  ('check', kv_key('client', ?), NULL), ('set', kv_key('client', ?), ?), ('sum', kv_key('count'), ?)`;
query(atomic, ["it's", "it's", "first", 5n]);
print("committed", one(`SELECT kv_get(kv_key('client', ?)) = 'first'`, "it's"));
try {
  query(atomic, ["it's", "it's", "second", 5n]);
} catch (e) {
  const seen = e.message.includes(`kv: check failed: key ["client","it's"]`);
  print("conflict", Number(seen && one("SELECT kv_conflict()") === `["client","it's"]`));
}
print("sum", one("SELECT kv_get(kv_key('count'))"));

const hex = (a) => [...a].map((b) => b.toString(16).padStart(2, "0")).join("");
for (
  const [name, value, sql] of [
    ["null", null, "?"],
    ["integer", 42n, "?"],
    ["largest", 2n ** 63n - 1n, "kv_bigint(?)"],
    ["least", -(2n ** 63n), "kv_bigint(?)"],
    ["real", -2.25, "?"],
    ["text", "it's \"quoted\" \\ ü 漢 😀", "?"],
    ["empty", "", "?"],
    ["blob", new Uint8Array([0, 255, 39]), "?"],
    ["noblob", new Uint8Array([]), "?"],
  ]
) {
  query(`INSERT INTO kv_entries(key, value) VALUES (kv_key('bound', ?), ${sql})`, [name, value]);
  const [{ js, value: back }] = query(
    "SELECT js, value FROM kv_entries WHERE key = kv_key('bound', ?)",
    [name],
  );
  if (typeof back !== typeof value) throw new TypeError(name);
  print(name, js, back === null ? "NULL" : `[${typeof back === "object" ? hex(back) : back}]`);
}
