// driver.js -- one face for the drivers: node:sqlite (Node and Deno),
// better-sqlite3 and bun:sqlite.
//
// A statement has get(...args) and all(...args); integers come as bigints.
"use strict";

const NAMES = ["bun:sqlite", "node:sqlite", "better-sqlite3"];

// Where one driver's class has another's name, or none.
const classOf = (m) => m.DatabaseSync ?? m.Database ?? m.default ?? m;

/** The class of a driver: a given one, the named one, or the first that can load extensions. */
function driverClass(driver) {
  if (typeof driver === "function") return driver;
  const names = driver === undefined ? NAMES : [driver];
  let reason;
  for (const name of names) {
    try {
      const found = classOf(require(name));
      if (typeof found.prototype.loadExtension === "function") return found;
      reason ??= new Error(`${name} can't load extensions here`);
    } catch (e) {
      reason = driver === undefined ? reason : e;
    }
  }
  throw new TypeError(`kv: no driver: openKv() needs ${NAMES.join(", ")}, one that loads extensions`, { cause: reason });
}

// Each of the options is for one of the drivers, and the others ignore it.
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
      this.#db.exec("PRAGMA busy_timeout = 0");
    } catch (e) {
      this.#db.close();
      throw e;
    }
  }

  exec(sql) {
    this.#db.exec(sql);
  }

  /** The statement of a text: the same one each time. */
  statement(sql) {
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
    return this.statement(sql).get(...args);
  }

  all(sql, ...args) {
    const st = this.statement(sql);
    if (st.reader === false) {                  // better-sqlite3, a statement without rows
      st.run(...args);
      return [];
    }
    return st.all(...args);
  }

  close() {
    this.#statements.clear();
    this.#db.close();
  }
}

/** Whether an error says that another connection has the lock, so that trying again may help. */
function isBusy(e) {
  return ((e?.errcode ?? 0) & 255) === 5 || /^SQLITE_BUSY/.test(e?.code ?? "") || /is locked/.test(e?.message ?? "");
}

module.exports = { Connection, isBusy };
