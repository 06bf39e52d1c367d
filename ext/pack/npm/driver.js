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
  throw new TypeError(`kv: no driver: openKv() needs ${NAMES.join(", ")}, one that loads extensions`, { cause });
}

// Each of these is for one of the drivers, and the others ignore it.
const OPTIONS = { allowExtension: true, create: true, readwrite: true, safeIntegers: true, timeout: 0 };

/** A connection with the extension: get(sql, ...args), all(sql, ...args), close(). */
function connect(path, driver, extension) {
  const Database = driverClass(driver), db = new Database(path, OPTIONS), statements = new Map();
  const prepared = (sql) => {
    let st = statements.get(sql);
    if (st !== undefined) return st;
    if (statements.size >= 200) statements.clear();
    st = db.prepare(sql);
    st.setReadBigInts?.(true);
    st.safeIntegers?.(true);
    statements.set(sql, st);
    return st;
  };
  try {
    db.loadExtension(extension);
    db.enableLoadExtension?.(false);
    db.exec("PRAGMA busy_timeout = 0");
  } catch (e) {
    db.close();
    throw e;
  }
  return {
    get: (sql, ...args) => prepared(sql).get(...args),
    all(sql, ...args) {
      const st = prepared(sql);
      return st.reader === false ? (st.run(...args), []) : st.all(...args);     // better-sqlite3, without rows
    },
    close: () => db.close(),
  };
}

/** Whether an error says that another connection has the lock, so that trying again may help. */
function isBusy(e) {
  return (e?.errcode & 255) === 5 || /^SQLITE_BUSY/.test(e?.code) || /is locked/.test(e?.message);
}

module.exports = { connect, isBusy };
