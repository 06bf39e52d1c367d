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

class Connection {
  #db;
  #statements = new Map();

  constructor(path, driver, extension) {
    const Database = driverClass(driver);
    this.#db = new Database(path, OPTIONS);
    try {
      this.#db.loadExtension(extension);
      this.#db.enableLoadExtension?.(false);
      this.exec("PRAGMA busy_timeout = 0");
    } catch (e) {
      this.#db.close();
      throw e;
    }
  }

  exec(sql) {
    this.#db.exec(sql);
  }

  /** The statement of a text, prepared once. */
  #statement(sql) {
    let st = this.#statements.get(sql);
    if (st === undefined) {
      if (this.#statements.size >= 200) this.#statements.clear();
      st = this.#db.prepare(sql);
      st.setReadBigInts?.(true);
      st.safeIntegers?.(true);
      this.#statements.set(sql, st);
    }
    return st;
  }

  get(sql, ...args) {
    return this.#statement(sql).get(...args);
  }

  all(sql, ...args) {
    const st = this.#statement(sql);
    if (st.reader !== false) return st.all(...args);
    st.run(...args);                            // better-sqlite3, a statement without rows
    return [];
  }

  close() {
    this.#statements.clear();
    this.#db.close();
  }
}

/** Whether an error says that another connection has the lock, so that trying again may help. */
function isBusy(e) {
  return (e?.errcode & 255) === 5 || /^SQLITE_BUSY/.test(e?.code) || /is locked/.test(e?.message);
}

module.exports = { Connection, isBusy };
