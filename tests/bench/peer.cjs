// peer.cjs FILE DIR N -- better-sqlite3 in Node as a peer of bench.c: users as
// JSON text in a plain table.  See peer.ts for what it is asked.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const v8 = require("node:v8");
const root = path.join(__dirname, "..", "..", "build", "npm", "node_modules");
const Database = require(path.join(root, "better-sqlite3"));

const [, , , dir, users] = process.argv;
const n = Number(users);
let db = null, at = "", round = 0;

const value = (i, r) => ({
  id: i, name: `User Number ${i}.${r}`, email: `user${i}@example.com`, age: 18 + i % 60,
  tags: ["admin", "author", `round${r}`], created: new Date(1704067200000 + i),
});
const random = () => Math.floor(Math.random() * n);

function fresh(name, sync, fill) {
  const file = sync === "memory" ? ":memory:" : path.join(dir, "node.db");
  db?.close();
  for (const end of ["", "-wal", "-shm"]) fs.rmSync(path.join(dir, "node.db") + end, { force: true });
  db = new Database(file);
  if (sync !== "memory") db.pragma("journal_mode = wal");
  db.exec("CREATE TABLE users(id INTEGER PRIMARY KEY, v TEXT, version INTEGER);"
    + "CREATE TABLE mail(mail TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID;"
    + "CREATE TABLE counters(id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO counters VALUES (3, 0)");
  if (fill) {
    const put = db.prepare("INSERT INTO users VALUES (?, ?, 0)");
    const mail = db.prepare("INSERT INTO mail VALUES (?, ?)");
    db.transaction(() => {
      for (let i = 0; i < n; i++) {
        put.run(i, JSON.stringify(value(i, 0)));
        mail.run(`user${i}@example.com`, i);
      }
    })();
  }
  if (sync !== "memory") db.pragma(`synchronous = ${sync}`);
  at = name;
}

function now() {
  if (!process.env.BENCH_CPU) return Number(process.hrtime.bigint());
  const t = process.cpuUsage();
  return (t.user + t.system) * 1000;
}

function many(count, f) {
  const start = now();
  for (let i = 0; i < count; i++) f(i);
  return (now() - start) / count;
}

function read(work, count) {
  if (at !== "read") fresh("read", "full", true);
  // As the other peers: id, value and version.
  const entry = (row) => ({ id: row.id, value: JSON.parse(row.v), version: row.version });
  const get = db.prepare("SELECT id, v, version FROM users WHERE id = ?");
  switch (work) {
    case "get": return many(count, () => entry(get.get(random())));
    case "gettxn": return db.transaction(() => many(count, () => entry(get.get(random()))))();
    case "ten": {
      const ten = db.prepare("SELECT id, v, version FROM users WHERE id IN (?,?,?,?,?,?,?,?,?,?)");
      return many(count, () => {
        const f = random();
        ten.all(Array.from({ length: 10 }, (_, k) => (f + k * 7919) % n)).map(entry);
      });
    }
    case "join": {
      const join = db.prepare("SELECT id, v, version FROM mail JOIN users USING (id) WHERE mail = ?");
      return many(count, () => entry(join.get(`user${random()}@example.com`)));
    }
    case "range": {
      const range = db.prepare("SELECT id, v, version FROM users WHERE id >= ? LIMIT 100");
      return many(count, () => range.all(random()).map(entry));
    }
    case "scan": {
      const all = db.prepare("SELECT id, v, version FROM users");
      return many(1, () => { for (const row of all.iterate()) entry(row); }) / n;
    }
    case "search": {
      db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(name)");
      if (db.prepare("SELECT count(*) FROM words").pluck().get() === 0) {
        db.exec("INSERT INTO words(rowid, name) SELECT id, v ->> 'name' FROM users");
      }
      const search = db.prepare("SELECT id, v, version FROM words JOIN users ON id = words.rowid "
        + "WHERE words MATCH ? ORDER BY rank LIMIT 10");
      return many(count, () => search.all(`${1000 + Math.floor(Math.random() * 1000)}*`).map(entry));
    }
    case "age": {
      const age = db.prepare("SELECT count(*) FROM users WHERE json_extract(v, '$.age') = 42").pluck();
      return many(1, () => age.get()) / n;
    }
    default: return -1;
  }
}

function write(work, sync, count) {
  if (at !== work) fresh(work, sync, true);
  round++;
  if (work.startsWith("set")) {
    const set = db.prepare("UPDATE users SET v = ?, version = version + 1 WHERE id = ?");
    return many(count, (i) => set.run(JSON.stringify(value(i, round)), random()));
  }
  if (work.startsWith("sum")) {
    const sum = db.prepare("UPDATE counters SET n = n + 1 WHERE id = 3");
    return many(count, () => sum.run());
  }
  const version = db.prepare("SELECT version FROM users WHERE id = ?").pluck();
  const set = db.prepare("UPDATE users SET v = ?, version = version + 1 WHERE id = ?");
  const txn = db.transaction((a, b, i) => {
    version.get(a);
    version.get(b);
    set.run(JSON.stringify(value(i, round)), a);
    set.run(JSON.stringify(value(i + 1, round)), b);
  });
  return many(count, (i) => txn.immediate(random(), random(), i));
}

function load() {
  fresh("load", "full", false);
  const put = db.prepare("INSERT INTO users VALUES (?, ?, 0)");
  return many(1, () => {
    for (let i = 0; i < n; i += 1000) {
      db.transaction(() => {
        for (let k = i; k < i + 1000 && k < n; k++) put.run(k, JSON.stringify(value(k, 0)));
      })();
    }
  }) / n;
}

function run(work, count) {
  if (count === 0) {
    if (at !== "read") at = "";
    return 0;
  }
  const kind = /^(set|check|sum)(.*)$/.exec(work);
  if (kind) return write(work, { full: "full", normal: "normal", off: "off", mem: "memory" }[kind[2]], count);
  if (work === "loadjson") return load();
  if (work === "tojson" || work === "tov8") {
    const bytes = v8.serialize(value(1, 1)), json = JSON.stringify(value(1, 1));
    return many(count, work === "tojson"
      ? () => JSON.stringify(v8.deserialize(bytes)) : () => v8.serialize(JSON.parse(json)));
  }
  return read(work, count);
}

let rest = "";
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) {
    const [work, count] = line.split(" ");
    process.stdout.write(`${run(work, Number(count))}\n`);
  }
});
