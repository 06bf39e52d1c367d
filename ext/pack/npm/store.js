// store.js -- the connection of an openKv(), and what waits for it: for locks, for changes,
// for the end; and what the extension says as Deno's errors.
"use strict";

const { setInterval } = require("node:timers");
const { AsyncLocalStorage } = require("node:async_hooks");
const { isBusy } = require("./driver.js");
const { Queue } = require("./queue.js");
const { plain } = require("./values.js");

const LOCK_TIMEOUT = 30000;     // ms that an operation waits for a lock
const POLL = 20;                // ms between two looks for changes

const BadResource = globalThis.Deno?.errors?.BadResource ?? class BadResource extends Error { name = "BadResource"; };
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// --------------------------------------------------------------- errors

function invalidType(expected, v) {
  let got = { number: "Number", boolean: "Boolean", object: "unknown" }[typeof v] ?? typeof v;
  if (v === null || Array.isArray(v)) got = v === null ? "null" : "array";
  return new TypeError(`serde_v8 error: invalid type; expected: ${expected}, got: ${got}`);
}

// What the extension says, and what Deno does.
const SAID = [
  [/limit key_bytes = (\d+)/, "Key too large for write (max $1 bytes)"],
  [/limit value_bytes = (\d+)/, "Value too large (max $1 bytes)"],
  [/limit (checks|mutations) = (\d+)/, "Too many $1 (max $2)"],
  [/limit operation_bytes = (\d+)/, "Total mutation size too large (max $1 bytes)"],
  [/limit operation_key_bytes = (\d+)/, "Total key size too large (max $1 bytes)"],
  [/limit enqueue_bytes = (\d+)/, "enqueue payload too large (max $1 bytes)"],
  [/expire_in: (\d+) is too large/, "Invalid mutation: expireIn is too large: $1"],
  [/(sum|min|max) of the key .* (?:is not a KvU64, number or bigint|have different types)/s,
    "Failed to perform '$1' mutation on a non-U64 value in the database"],
  [/versionstamp: /, "Invalid check"],
  [/cursor: not a cursor/, "invalid cursor"],
  [/cursor: /, "cursor out of bounds"],
  [/\w+ of the key /, "could not deserialize value", RangeError],
].map(([re, ...rest]) => [new RegExp(`^kv: (?:.* is over the )?${re.source}`, re.flags), ...rest]);

/** An error of the driver as Deno would have it. */
function denoError(e) {
  const message = String(e?.message), said = SAID.find(([re]) => re.test(message));
  if (said) return new (said[2] ?? TypeError)(said[0].exec(message)[0].replace(said[0], said[1]), { cause: e });
  if (isBusy(e)) return new TypeError("database is locked", { cause: e });
  const isDenos = e instanceof TypeError || e instanceof RangeError || e instanceof BadResource;
  return isDenos ? e : new TypeError(message, { cause: e });
}

// ---------------------------------------------------------------- store

/** The connection, and what waits for it: for locks, for changes, for the end. */
class Store {
  #db;
  #tail = null;                 // the last of the operations that wait in line
  #waiting = new Set();
  #poll = null;
  queue = new Queue(this);
  looks = new Set();            // what looks at each state that a write leaves

  constructor(db, values = plain) {
    this.#db = db;
    this.values = values;
  }

  get isRemote() { return false; }

  get closed() { return this.#db === null; }

  get db() {
    if (this.#db === null) throw new BadResource("Bad resource ID");
    return this.#db;
  }

  /** f(db), at once or after those that wait for a lock: then as a promise. */
  run(f) {
    if (this.#tail !== null && within.getStore() === this) {
      throw new TypeError("kv: in a transaction use the store that it passes: this one waits for its end");
    }
    if (this.#tail === null) {
      try {
        return f(this.db);
      } catch (e) {
        if (!isBusy(e)) throw denoError(e);
      }
    }
    const mine = this.#retry(f, this.#tail), done = () => { if (this.#tail === tail) this.#tail = null; };
    const tail = this.#tail = mine.then(done, done);
    return mine;
  }

  /** f(db) where the entries of these keys, or of a range, can be read: in a file they are there. */
  read(texts, f) { return this.run(f); }
  range(bounds, options, f) { return this.run(f); }

  async #retry(f, before) {
    await before;
    const end = Date.now() + LOCK_TIMEOUT;
    for (let ms = 1;; ms = Math.min(ms * 2, 20)) {
      try {
        return f(this.db);
      } catch (e) {
        if (!isBusy(e) || Date.now() > end) throw denoError(e);
      }
      await sleep(ms + Math.random());
    }
  }

  /** f(store) in a transaction; what else is asked for waits for its end. */
  async transaction(f) {
    let end;
    const before = this.#tail, whole = new Promise((resolve) => end = resolve);
    const tail = this.#tail = whole.then(() => { if (this.#tail === tail) this.#tail = null; });
    try {
      await this.#retry((db) => db.objects("BEGIN IMMEDIATE"), before);
      return await this.#inTransaction(f);
    } finally {
      end();
      this.wake();
    }
  }

  async #inTransaction(f) {
    const inner = new Transaction(this.db, this.values);
    try {
      const result = await within.run(this, () => f(inner));
      inner.run((db) => db.objects("COMMIT"));
      return result;
    } catch (e) {
      try {
        inner.run((db) => db.objects("ROLLBACK"));
      } catch { /* SQLite has ended it, or the store is closed */ }
      throw e;
    } finally {
      inner.hasEnded = true;
    }
  }

  /** Where a transaction permits no such call. */
  outside() {}

  /** The stored bytes of a key, which are to be no more than max. */
  encode(text, max = Infinity, limit = "read (max 2049 bytes)") {
    const bytes = new Uint8Array(this.db.rows("SELECT kv_key_encode(?)", text)[0][0] ?? []);
    if (bytes.length > max) throw new TypeError(`Key too large for ${limit}`);
    return bytes;
  }

  version() { return this.db.rows("SELECT kv_versionstamp()")[0][0]; }

  /** Until the store's version isn't this one, or the time has come. */
  change(version, time) {
    if (this.closed) return;
    this.#poll ??= setInterval(() => this.#look(), POLL);
    return new Promise((resolve) => this.#waiting.add({ version, time, resolve }));
  }

  #look() {
    try {
      const version = this.version(), now = Date.now();
      this.wake((w) => w.version !== version || now >= w.time);
    } catch { /* locked: the next look will tell */ }
  }

  /** Go on with those who wait: all, or those who have a reason. */
  wake(reason = () => true) {
    if (!this.closed) {
      try {
        for (const look of this.looks) look(this.db);
      } catch { /* locked: the next look will tell */ }
    }
    for (const w of this.#waiting) {
      if (!reason(w)) continue;
      this.#waiting.delete(w);
      w.resolve();
    }
    if (this.#waiting.size || this.#poll === null) return;
    clearInterval(this.#poll);
    this.#poll = null;
  }

  close() {
    this.db.close();
    this.#db = null;
    this.wake();
  }
}

// The store in whose transaction something is called.
const within = new AsyncLocalStorage();

/** The store that a transaction passes: nothing waits. */
class Transaction extends Store {
  hasEnded = false;

  run(f) {
    if (this.hasEnded) throw new TypeError("kv: the transaction has ended");
    try {
      return f(this.db);
    } catch (e) {
      throw denoError(e);
    }
  }

  outside(what) { throw new TypeError(`kv: no ${what} in a transaction`); }

  wake() {}
}

module.exports = { Store, denoError, invalidType, sleep };
