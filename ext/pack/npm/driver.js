// driver.js -- one face for the drivers: node:sqlite (Node and Deno),
// better-sqlite3 and bun:sqlite.  Integers come as bigints.
"use strict";

const NAMES = ["bun:sqlite", "node:sqlite", "better-sqlite3"];

/** The class of a driver: a given one, the named one, or the first that can load extensions. */
function driverClass(driver) {
  if (typeof driver === "function") return driver;
  let cause;
  for (const name of driver === undefined ? NAMES : [driver]) {
    try {
      const m = require(name), Database = m.DatabaseSync ?? m.Database ?? m;
      if (typeof Database.prototype.loadExtension === "function") return Database;
    } catch (e) {
      cause = e;
    }
  }
  const isOldNode = driver === undefined && /^(?:1\d|20|21)\.|^22\.(?:[0-9]|1[0-2])\./.test(process.versions.node) && !globalThis.Bun;
  const hint = isOldNode ? `Node ${process.versions.node} has no SQLite that loads extensions: npm install better-sqlite3, or use Node 22.13 or later`
    : `openKv() needs ${NAMES.join(", ")}, one that loads extensions`;
  throw new TypeError(`kv: no driver: ${hint}`, { cause });
}

// Each of these is for one of the drivers, and the others ignore it.
const OPTIONS = { allowExtension: true, create: true, readwrite: true, safeIntegers: true, timeout: 0 };

/** A connection: load(extension), rows(sql, ...args) as arrays, objects(sql, ...args), waiting(ms, f), close(). */
function connect(path, driver, debug) {
  const Database = driverClass(driver), db = new Database(path, OPTIONS);
  const load = (extension) => {
    db.loadExtension(extension);
    db.enableLoadExtension?.(false);
    db.exec("PRAGMA busy_timeout = 0");
  };
  /** What runs a statement; those that were run before are known. */
  const statements = (runner) => {
    const known = new Map();
    return (sql, ...args) => {
      if (debug) console.log("kv:", sql);
      let run = known.get(sql);
      if (run === undefined) {
        const st = db.prepare(sql);
        st.setReadBigInts?.(true);
        st.safeIntegers?.(true);
        run = runner(st);
        if (known.size >= 200) known.clear();
        if (sql.length < 2000) known.set(sql, run);
      }
      return run(...args);
    };
  };
  /** f(connection), which waits for locks inside of SQLite. */
  const waiting = (ms, f) => {
    db.exec(`PRAGMA busy_timeout = ${ms}`);
    try {
      return f(connection);
    } finally {
      db.exec("PRAGMA busy_timeout = 0");
    }
  };
  const connection = { load, waiting, rows: statements(arrayRunner), objects: statements(objectRunner), close: () => db.close() };
  return connection;
}

function arrayRunner(st) {
  if (st.values) return (...args) => st.values(...args);                        // bun:sqlite
  if (st.setReturnArrays) st.setReturnArrays(true);                             // node:sqlite
  else if (st.raw) st.raw(true);                                                // better-sqlite3
  else return (...args) => st.all(...args).map(Object.values);                  // an older node:sqlite
  return (...args) => st.all(...args);
}

function objectRunner(st) {
  if (st.reader !== false) return (...args) => st.all(...args);
  return (...args) => (st.run(...args), []);                                    // better-sqlite3, without rows
}

/** Whether an error says that another connection has the lock, so that trying again may help. */
function isBusy(e) {
  return (e?.errcode & 255) === 5 || /^SQLITE_BUSY/.test(e?.code) || /is locked/.test(e?.message);
}

module.exports = { connect, isBusy };
