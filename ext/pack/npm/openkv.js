// openkv.js -- openKv(): Deno.Kv over the extension.
//
// Keys and values cross as JS text (jstext.js).  What operations mean, their
// limits and their order come from the extension; here are Deno's methods, its
// errors, and the waiting: for locks, for changes, for messages.  Drivers are
// synchronous, so nothing here waits inside of SQLite: a lock that another
// connection holds is tried again by a timer, and what was asked for later
// waits in line.
"use strict";

const { Buffer } = require("node:buffer");
const { Connection, isBusy } = require("./driver.js");
const { fromText, toText, toBound, bytesText, numberText, isUint8Array } = require("./jstext.js");
const { getLoadablePath } = require("./load.js");
const { KvU64 } = require("./u64.js");

const LOCK_TIMEOUT = 30000;     // ms that an operation waits for a lock
const POLL = 20;                // ms between two looks for changes
const LEASE = 5000;             // ms that a message is claimed for; extended while its handler runs
const HANDLERS = 100;           // messages handled at a time

const BadResource = globalThis.Deno?.errors?.BadResource ?? class BadResource extends Error {
  name = "BadResource";
};

const commitVersionstamp = Symbol("KvCommitVersionstamp");
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// ----------------------------------------------------------------- keys

const PART = "expected string, number, bigint, ArrayBufferView, boolean";
const BIGGEST_PART = 2n ** 2040n;

/** The type of a value as Deno's errors call it. */
function got(v) {
  if (v === null || Array.isArray(v)) return v === null ? "null" : "array";
  if (typeof v === "object") return /^(Set|Map|.*Array)$/.test(v.constructor?.name) ? v.constructor.name : "unknown";
  return { number: "Number", boolean: "Boolean" }[typeof v] ?? typeof v;
}

function invalidType(expected, v) {
  return new TypeError(`serde_v8 error: invalid type; expected: ${expected}, got: ${got(v)}`);
}

/** The sign of a NaN, which a key keeps. */
function isNegative(nan) {
  return new Uint8Array(new Float64Array([nan]).buffer)[7] > 0x7f;
}

function partText(p) {
  switch (typeof p) {
    case "string":
      return JSON.stringify(p);
    case "number":
      return p !== p && isNegative(p) ? "-NaN" : numberText(p);
    case "bigint":
      if (p >= BIGGEST_PART || -p >= BIGGEST_PART) {
        throw new TypeError("BigUint requires more than 255 bytes to be represented");
      }
      return `${p}n`;
    case "boolean":
      return String(p);
  }
  if (!ArrayBuffer.isView(p)) throw new TypeError(PART);
  return bytesText(new Uint8Array(p.buffer, p.byteOffset, p.byteLength));
}

/** Key text.  The key of a set may end with commitVersionstamp(). */
function keyText(key, isSet = false) {
  if (!Array.isArray(key)) throw invalidType("array", key);
  const stamped = isSet && key.at(-1) === commitVersionstamp;
  if (stamped && key.length === 1) throw new TypeError("key cannot be empty");
  let text = "[";
  for (let i = 0; i < key.length; i++) {
    if (i) text += ",";
    text += stamped && i === key.length - 1 ? "kv.commitVersionstamp()" : partText(key[i]);
  }
  return text + "]";
}

/** The text of a key that is written or checked. */
function writeKey(key, isSet) {
  if (Array.isArray(key) && key.length === 0) throw new TypeError("key cannot be empty");
  try {
    return keyText(key, isSet);
  } catch (e) {
    if (/^BigUint/.test(e.message)) e.message = "Invalid mutation: " + e.message;
    throw e;
  }
}

// --------------------------------------------------------------- errors

const LIMITS = {
  key_bytes: (n) => `Key too large for write (max ${n} bytes)`,
  value_bytes: (n) => `Value too large (max ${n} bytes)`,
  checks: (n) => `Too many checks (max ${n})`,
  mutations: (n) => `Too many mutations (max ${n})`,
  operation_bytes: (n) => `Total mutation size too large (max ${n} bytes)`,
  operation_key_bytes: (n) => `Total key size too large (max ${n} bytes)`,
  enqueue_bytes: (n) => `enqueue payload too large (max ${n} bytes)`,
};

/** An error of the driver as Deno would have it. */
function denoError(e) {
  const text = String(e?.message);
  const fail = (Type, message) => Object.assign(new Type(message), { cause: e });
  if (e instanceof BadResource) return e;
  if (isBusy(e)) return fail(TypeError, "database is locked");
  if (!text.startsWith("kv: ")) return e instanceof TypeError || e instanceof RangeError ? e : fail(TypeError, text);
  const limit = /is over the limit (\w+) = (\d+)/.exec(text);
  if (limit && Object.hasOwn(LIMITS, limit[1])) return fail(TypeError, LIMITS[limit[1]](limit[2]));
  const tooFar = /^kv: expire_in: (\d+) is too large/.exec(text);
  if (tooFar) return fail(TypeError, `Invalid mutation: expireIn is too large: ${tooFar[1]}`);
  const sum = /^kv: (sum|min|max) of the key .*(is not a KvU64, number or bigint|are not of one kind)/s.exec(text);
  if (sum) return fail(TypeError, `Failed to perform '${sum[1]}' mutation on a non-U64 value in the database`);
  if (/^kv: versionstamp: /.test(text)) return fail(TypeError, "Invalid check");
  if (/^kv: cursor: not a cursor/.test(text)) return fail(TypeError, "invalid cursor");
  if (/^kv: cursor: /.test(text)) return fail(TypeError, "cursor out of bounds");
  if (/^kv: \w+ of the key /.test(text)) return fail(RangeError, "could not deserialize value");
  return fail(TypeError, text);
}

// ------------------------------------------------------------- entries

const VALUE = "CASE type WHEN 'Uint8Array' THEN value ELSE js END AS v";
const GET = `SELECT ${VALUE}, versionstamp AS s FROM kv_entries WHERE key = ?`;
// One entry or none for each key of a JSON array, in its order.
const GET_MANY = `SELECT ${VALUE.replace(/type|value|js/g, "e.$&")}, e.versionstamp AS s, e.expires_at AS x
  FROM json_each(?) AS k LEFT JOIN kv_entries AS e ON e.key = k.value ORDER BY k.key`;

/** What a column v shows. */
const valueOf = (v) => typeof v === "string" ? fromText(v) : new Uint8Array(v);

/** The key of an entry that was asked for, as it is stored. */
const storedKey = (key) =>
  key.map((p) => {
    if (typeof p === "string") return p.toWellFormed?.() ?? p;
    return typeof p === "object" ? new Uint8Array(p.buffer, p.byteOffset, p.byteLength).slice() : p;
  });

function entryOf(key, row) {
  if (!row || row.s === null) return { key, value: null, versionstamp: null };
  return { key: storedKey(key), value: valueOf(row.v), versionstamp: row.s };
}

function checkConsistency(c) {
  if (c === undefined || c === null || c === "strong" || c === "eventual") return;
  if (typeof c !== "string") throw invalidType("enum", c);
  throw new TypeError(`unknown variant \`${c}\`, expected \`strong\` or \`eventual\``);
}

function checkExpireIn(ms) {
  if (ms !== undefined && !(Number.isInteger(ms) && ms >= 0)) {
    throw new TypeError(`expireIn must be a non-negative integer: received ${ms}`);
  }
}

// --------------------------------------------------- atomic operations

// How each step is written in SQL; in the other form its arguments are in a JSON array.
const STEPS = {
  check: ["kv_op('check', ?, ?)", "kv_op('check', value->>1, value->>2)"],
  set: ["kv_op('set', ?, kv_value(?), ?)", "kv_op('set', value->>1, kv_value(value->>2), value->>3)"],
  delete: ["kv_op('delete', ?)", "kv_op('delete', value->>1)"],
  enqueue: ["kv_op('enqueue', kv_value(?), ?, ?, ?)",
    "kv_op('enqueue', kv_value(value->>1), value->>2, value->>3, value->>4)"],
};
for (const op of ["sum", "min", "max"]) {
  STEPS[op] = [`kv_op('${op}', ?, kv_value(?))`, `kv_op('${op}', value->>1, kv_value(value->>2))`];
}
const MANY_STEPS = `WITH steps AS MATERIALIZED (SELECT CASE value->>0 ${
  Object.entries(STEPS).map(([op, [, sql]]) => `WHEN '${op}' THEN ${sql}`).join(" ")
} END AS op FROM json_each(?)) SELECT kv_atomic(op) AS s FROM steps`;
const FEW = 8;
const ONE_STEP = {};
for (const op in STEPS) ONE_STEP[op] = `SELECT kv_atomic(${STEPS[op][0]}) AS s`;

const MAX_DELAY = 30 * 24 * 60 * 60 * 1000;
const MAX_BACKOFF = 60 * 60 * 1000;

/** The step of a message. */
function enqueueStep(message, options) {
  const delay = options?.delay, backoff = options?.backoffSchedule, keys = options?.keysIfUndelivered;
  if (delay < 0) throw new TypeError(`Delay must be >= 0: received ${delay}`);
  if (delay > MAX_DELAY) throw new TypeError(`Delay cannot be greater than 30 days: received ${delay}`);
  if (Number.isNaN(delay)) throw new TypeError("Delay cannot be NaN");
  if (typeof (delay ?? 0) !== "number") throw invalidType("integer", delay);
  if (backoff !== undefined) {
    if (backoff.length > 5) throw new TypeError("Invalid backoffSchedule, max 5 intervals allowed");
    if (!Array.isArray(backoff)) throw invalidType("array", backoff);
    backoff.forEach((ms, i) => {
      if (ms < 0 || ms > MAX_BACKOFF || Number.isNaN(ms)) {
        throw new TypeError(`Invalid backoffSchedule, interval at index ${i} is invalid`);
      }
      if (typeof ms !== "number") throw invalidType("integer", ms);
    });
  }
  if (!Array.isArray(keys ?? [])) throw invalidType("array", keys);
  const value = message instanceof KvU64 ? toText(message) : toBound(message);
  const later = keys?.length ? `[${keys.map((k) => keyText(k)).join()}]` : null;
  return ["enqueue", value, Math.trunc(delay ?? 0), later, backoff ? JSON.stringify(backoff.map(Math.trunc)) : null];
}

const hidden = Symbol("only openKv()");

class AtomicOperation {
  #kv;
  #checks = [];
  #mutations = [];
  #messages = [];

  constructor(kv, token) {
    if (token !== hidden) throw new TypeError("Deno.AtomicOperation can not be constructed: use Deno.Kv.atomic() instead");
    this.#kv = kv;
  }

  check(...checks) {
    for (const c of checks) this.#checks.push(["check", c.key, c.versionstamp ?? null]);
    return this;
  }

  mutate(...mutations) {
    for (const m of mutations) {
      switch (m.type) {
        case "delete":
          if (m.value) throw new TypeError("Invalid mutation 'delete' with value");
          this.delete(m.key);
          break;
        case "set":
        case "sum":
        case "min":
        case "max":
          if (!Object.hasOwn(m, "value")) throw new TypeError(`Invalid mutation '${m.type}' without value`);
          if (m.type === "set") this.set(m.key, m.value, typeof m.expireIn === "number" ? m : undefined);
          else this.#mutations.push([m.type, m.key, toBound(m.value), m.value]);
          break;
        default:
          throw new TypeError("Invalid mutation type");
      }
    }
    return this;
  }

  #count(type, key, n) {
    const value = new KvU64(n);
    this.#mutations.push([type, key, toBound(value), value]);
    return this;
  }

  sum(key, n) {
    return this.#count("sum", key, n);
  }

  min(key, n) {
    return this.#count("min", key, n);
  }

  max(key, n) {
    return this.#count("max", key, n);
  }

  set(key, value, options) {
    checkExpireIn(options?.expireIn);
    this.#mutations.push(["set", key, toBound(value), options?.expireIn ?? null]);
    return this;
  }

  delete(key) {
    this.#mutations.push(["delete", key]);
    return this;
  }

  enqueue(message, options) {
    this.#messages.push(enqueueStep(message, options));
    return this;
  }

  async commit() {
    const steps = [];
    for (const [op, key, stamp] of this.#checks) {
      if (stamp !== null && typeof stamp !== "string") throw invalidType("string", stamp);
      steps.push([op, writeKey(key), stamp]);
    }
    for (const [op, key, value, more] of this.#mutations) {
      const text = writeKey(key, op === "set");
      if (op === "set") steps.push([op, text, value, more]);
      else if (op === "delete") steps.push([op, text]);
      else steps.push([op, text, checkOperand(op, value, more)]);
    }
    const s = await this.#kv[hidden].commit(steps.concat(this.#messages));
    return s === null ? { ok: false } : { ok: true, versionstamp: s };
  }

  then() {
    throw new TypeError("'Deno.AtomicOperation' is not a promise: did you forget to call 'commit()'");
  }

  #inspect(inspect, options) {
    const show = (v) => inspect(v, options);
    const lines = [];
    for (const [, key, stamp] of this.#checks) {
      lines.push(`check({ key: ${show(key)}, versionstamp: ${stamp === null ? "null" : `"${stamp}"`} })`);
    }
    for (const [op, key, value, more] of this.#mutations) {
      if (op === "delete") lines.push(`delete(${show(key)})`);
      else if (op !== "set") lines.push(`${op}(${show(key)}, ${show(more)})`);
      else lines.push(`set(${show(key)}, ${show(valueOf(value))}${more === null ? "" : `, { expireIn: ${more} }`})`);
    }
    for (const [, value, delay, keys, backoff] of this.#messages) {
      const given = [];
      if (delay) given.push(`delay: ${delay}`);
      if (keys) given.push(`keysIfUndelivered: ${show(fromText(keys))}`);
      if (backoff) given.push(`backoffSchedule: ${show(fromText(backoff))}`);
      lines.push(`enqueue(${show(valueOf(value))}${given.length ? `, { ${given.join(", ")} }` : ""})`);
    }
    return lines.length ? "AtomicOperation\n  " + lines.join("\n  ") : "AtomicOperation (empty)";
  }

  [Symbol.for("Deno.privateCustomInspect")](inspect, options) {
    return this.#inspect(inspect, options);
  }

  [Symbol.for("nodejs.util.inspect.custom")](_depth, options, inspect) {
    return this.#inspect(inspect, options);
  }
}

/** The operand of a sum, min or max: numbers and bigints can be summed, too. */
function checkOperand(op, text, value) {
  if (value instanceof KvU64) return text;
  if (op !== "sum") throw new TypeError(`Failed to perform '${op}' mutation on a non-U64 operand`);
  if (typeof value === "number" || typeof value === "bigint") return text;
  throw new TypeError("Some of the parameters are not valid V8 values");
}

// ----------------------------------------------------------------- list

const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);

function checkPositive(name, n) {
  if (!(Number.isInteger(n) && n > 0)) throw new Error(`${name} must be a positive integer: received ${n}`);
}

/** The bytes that all cursors of a selector leave out. */
function commonBytes({ prefix, start, end }) {
  if (prefix) return prefix.length;
  let n = 0;
  while (n < start.length && start[n] === end[n]) n++;
  return n;
}

const beginsWith = (bytes, prefix) => bytes.length > prefix.length && prefix.every((b, i) => b === bytes[i]);

class KvListIterator {
  #kv;
  #texts = {};                  // prefix, start, end: key text
  #bytes = null;                // the same as stored bytes
  #options;
  #entries = [];
  #at = 0;
  #last = null;                 // the last key read, as key text
  #cursor;                      // what is shown while #key is null
  #key = null;                  // the key of the entry before, as key text
  #count = 0;
  #done = false;

  constructor(kv, selector, options, token) {
    if (token !== hidden) throw new TypeError("Illegal constructor");
    const { limit, batchSize } = options;
    if (limit !== undefined) checkPositive("Limit", limit);
    if (batchSize !== undefined && batchSize !== null) checkPositive("batchSize", batchSize);
    this.#kv = kv;
    this.#options = { ...options, limit: limit ?? Infinity, batchSize: batchSize ?? Math.min(limit ?? 100, 500) };
    const keys = {};
    for (const name of ["prefix", "start", "end"]) {
      if (Object.hasOwn(selector, name) && selector[name] !== undefined) {
        keys[name] = Array.prototype.slice.call(selector[name]);
      }
    }
    const { prefix, start, end } = keys;
    if (prefix && start && end) {
      throw new TypeError("Selector can not specify both 'start' and 'end' key when specifying 'prefix'");
    }
    if (!prefix && !(start && end)) {
      throw new TypeError("Selector must specify either 'prefix' or both 'start' and 'end' key");
    }
    this.#texts = keys;
    this.#cursor = options.cursor || null;
  }

  get cursor() {
    if (this.#key === null) {
      if (this.#cursor === null) throw new Error("Cannot get cursor before first iteration");
      return this.#cursor;
    }
    const bytes = this.#kv[hidden].encode(this.#key);
    const text = Buffer.from(bytes.subarray(commonBytes(this.#bytes))).toString("base64url");
    return text.padEnd(text.length + 3 & ~3, "=");
  }

  async next() {
    if (this.#done || this.#count >= this.#options.limit) return { done: true, value: undefined };
    if (this.#at >= this.#entries.length && !this.#entries.last) await this.#pull();
    const entry = this.#entries[this.#at++];
    if (entry === undefined) {
      this.#done = true;
      this.#key = null;
      this.#cursor = "";
      return { done: true, value: undefined };
    }
    this.#key = entry.key;
    this.#count++;
    return { done: false, value: { key: fromText(entry.key), value: valueOf(entry.v), versionstamp: entry.s } };
  }

  /** The key texts of the selector, when the first batch is read: its errors are those of next(). */
  #begin() {
    const bytes = {};
    for (const name in this.#texts) {
      this.#texts[name] = keyText(this.#texts[name]);
      bytes[name] = this.#kv[hidden].encode(this.#texts[name]);
      if (bytes[name].length > (name === "prefix" ? 2048 : 2049)) {
        throw new TypeError("Key too large for read (max 2049 bytes)");
      }
    }
    const { prefix, start, end } = this.#bytes = bytes;
    const { cursor } = this.#options;
    if (prefix && start && !beginsWith(start, prefix)) {
      throw new TypeError("Start key is not in the keyspace defined by prefix");
    }
    if (prefix && end && !beginsWith(end, prefix)) {
      throw new TypeError("End key is not in the keyspace defined by prefix");
    }
    if (!prefix && Buffer.compare(start, end) > 0) throw new TypeError("Start key is greater than end key");
    if (typeof (cursor ?? "") !== "string") throw invalidType("string", cursor);
  }

  async #pull() {
    const { batchSize, cursor, reverse, consistency } = this.#options;
    checkConsistency(consistency);
    if (batchSize > 1000) throw new TypeError("Too many entries (max 1000)");
    const down = reverse === true;
    const rows = await this.#kv[hidden].run((db) => {
      if (this.#bytes === null) this.#begin();
      const { prefix, start, end } = this.#texts, where = [], args = [];
      const add = (condition, arg) => (where.push(condition), args.push(arg));
      if (prefix) add("prefix = ?", prefix);
      if (this.#last && !down) add("key > ?", this.#last);
      else if (start) add("key >= ?", start);
      if (this.#last && down) add("key < ?", this.#last);
      else if (end) add("key < ?", end);
      if (cursor && !this.#last) add("cursor = ?", cursor);
      return db.all(`SELECT key, ${VALUE}, versionstamp AS s FROM kv_entries WHERE ${where.join(" AND ")}
        ORDER BY key ${down ? "DESC" : ""} LIMIT ?`, ...args, batchSize);
    });
    this.#entries = rows;
    this.#at = 0;
    if (rows.length < batchSize) rows.last = true;
    else this.#last = rows.at(-1).key;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  static {
    Object.setPrototypeOf(this.prototype, AsyncIteratorPrototype);
  }
}

// ------------------------------------------------------------------- Kv

/** The connection, and what waits for it: locks, changes, an end. */
class Store {
  #db;
  #tail = null;                 // the last of the operations that wait in line
  #waiting = new Set();         // who waits for a change
  #poll = null;
  leases = new Set();
  running = 0;

  constructor(db) {
    this.#db = db;
  }

  get closed() {
    return this.#db === null;
  }

  /** The connection for what fails at once, instead of in its turn. */
  get db() {
    if (this.#db === null) throw new BadResource("Bad resource ID");
    return this.#db;
  }

  /** Run f(db) at once, or behind those that wait for a lock. */
  async run(f) {
    const before = this.#tail;
    if (before === null) {
      try {
        return f(this.db);
      } catch (e) {
        if (!isBusy(e)) throw denoError(e);
      }
    }
    const mine = this.#retry(f, before);
    const tail = this.#tail = mine.catch(() => {}).then(() => {
      if (this.#tail === tail) this.#tail = null;
    });
    return mine;
  }

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

  encode(text) {
    return new Uint8Array(this.db.get("SELECT kv_key_encode(?) AS b", text).b ?? []);
  }

  version() {
    return this.db.get("SELECT kv_versionstamp() AS s").s;
  }

  async commit(steps) {
    const sumOf = (e) => /^kv: sum of the key (.*): the stored value/s.exec(e.message)?.[1];
    const s = await this.run((db) => {
      try {
        if (steps.length === 1) {
          const [op, ...args] = steps[0];
          return db.get(ONE_STEP[op], ...args).s;
        }
        if (steps.length <= FEW) {
          const sql = `SELECT kv_atomic(${steps.map(([op]) => STEPS[op][0]).join(", ")}) AS s`;
          return db.get(sql, ...steps.flatMap(([, ...args]) => args)).s;
        }
        const texts = steps.map((step) => step.map((x) => typeof x === "object" && x ? toText(x) : x));
        return db.get(MANY_STEPS, JSON.stringify(texts)).s;
      } catch (e) {
        // Which kinds can't be summed is what Deno says.
        const key = sumOf(e), step = key && steps.find(([op, k]) => op === "sum" && k === key);
        if (!step || step[2].startsWith("new Deno.KvU64")) throw e;
        const kind = { number: "Number", bigint: "BigInt", KvU64: "KvU64" }[
          db.get("SELECT type AS t FROM kv_entries WHERE key = ?", key)?.t];
        throw new TypeError(
          kind ? `Cannot sum ${kind} with ${step[2].endsWith("n") ? "BigInt" : "Number"}` : "unsupported value type",
        );
      }
    });
    if (s !== null) this.wake();
    return s;
  }

  // ------------------------------------------------------------ waiting

  /** Until the store's version isn't this one, or the time has come. */
  change(version, time) {
    if (this.closed) return;
    this.#poll ??= setInterval(() => this.#look(), POLL);
    return new Promise((resolve) => this.#waiting.add({ version, time, resolve }));
  }

  #look() {
    const now = Date.now();
    let version;
    try {
      version = this.version();
    } catch {
      return;                   // locked: the next look will tell
    }
    for (const w of this.#waiting) if (w.version !== version || now >= w.time) this.#resume(w);
  }

  #resume(w) {
    this.#waiting.delete(w);
    w.resolve();
    if (this.#waiting.size === 0) {
      clearInterval(this.#poll);
      this.#poll = null;
    }
  }

  wake() {
    for (const w of this.#waiting) this.#resume(w);
  }

  close() {
    this.db.close();
    this.#db = null;
    for (const lease of this.leases) clearInterval(lease);
    this.wake();
  }
}

class Kv {
  #store;

  constructor(store, token) {
    if (token !== hidden) throw new TypeError("Deno.Kv can not be constructed: use Deno.openKv instead");
    this.#store = store;
  }

  get [hidden]() {
    return this.#store;
  }

  atomic() {
    return new AtomicOperation(this, hidden);
  }

  commitVersionstamp() {
    return commitVersionstamp;
  }

  /** The text of a key that is read. */
  #readKey(key) {
    if (key === null || key === undefined) throw new TypeError("Invalid range");
    const text = keyText(key);
    if (text.length > 400 && this.#store.encode(text).length > 2048) {
      throw new TypeError("Key too large for read (max 2049 bytes)");
    }
    return text;
  }

  async get(key, options) {
    const text = this.#readKey(key);
    checkConsistency(options?.consistency);
    return entryOf(key, await this.#store.run((db) => db.get(GET, text)));
  }

  async getMany(keys, options) {
    const list = Array.from(keys, (key) => this.#readKey(key));
    if (list.length > 10) throw new TypeError("Too many ranges (max 10)");
    checkConsistency(options?.consistency);
    const rows = await this.#store.run((db) => db.all(GET_MANY, JSON.stringify(list)));
    return rows.map((row, i) => entryOf(keys[i], row));
  }

  async set(key, value, options) {
    return await this.atomic().set(key, value, options).commit();
  }

  async delete(key) {
    await this.atomic().delete(key).commit();
  }

  list(selector, options = {}) {
    return new KvListIterator(this, selector, options, hidden);
  }

  async enqueue(message, options) {
    return await this.atomic().enqueue(message, options).commit();
  }

  // ---------------------------------------------------------------- queue

  async listenQueue(handler) {
    const store = this.#store;
    if (store.closed) throw new Error("Queue already closed");
    try {
      while (!store.closed) {
        const version = store.version();
        const messages = await store.run((db) => claim(db, HANDLERS - store.running));
        for (const m of messages) this.#handle(m, handler);
        if (messages.length === 0) {
          const { t, d } = store.db.get("SELECT (SELECT min(ts) FROM queue) AS t, (SELECT min(deadline) FROM queue_running) AS d");
          const due = Math.min(...[t, d].map((ms) => ms === null ? Infinity : Number(ms)));
          await store.change(version, store.running < HANDLERS ? due : Infinity);
        }
      }
    } catch (e) {
      if (!store.closed) throw e;
    }
  }

  async #handle({ id, v }, handler) {
    const store = this.#store;
    const lease = setInterval(() => {
      store.run((db) => db.all("UPDATE kv_queue SET deadline = kv_now() + ? WHERE id = ?", LEASE, id)).catch(() => {});
    }, LEASE / 2);
    store.leases.add(lease);
    store.running++;
    let ok = 0;
    try {
      const result = handler(valueOf(v));
      if (typeof result?.then === "function") await result;
      ok = 1;
    } catch (e) {
      console.error("Exception in queue handler", e);
    }
    clearInterval(lease);
    store.leases.delete(lease);
    store.running--;
    if (store.closed) return;   // the message comes again when its lease has ended
    try {
      await store.run((db) => db.get("SELECT kv_finish(?, ?)", id, ok));
    } catch (e) {
      if (!store.closed) console.error("kv: a message can't be finished", e);
    }
    store.wake();
  }

  // ---------------------------------------------------------------- watch

  watch(keys, options) {
    const store = this.#store;
    store.db;
    const list = Array.from(keys, (key) => [...key]), texts = list.map((key) => this.#readKey(key));
    if (list.length > 10) throw new TypeError("Too many keys (max 10)");
    const json = JSON.stringify(texts);
    let seen = null, cancelled = list.length === 0;
    return new ReadableStream({
      async pull(controller) {
        while (!cancelled && !store.closed) {
          try {
            const version = store.version();
            const rows = await store.run((db) => db.all(GET_MANY, json));
            const now = rows.map((row) => row.s).join();
            if (now !== seen) {
              seen = now;
              return controller.enqueue(rows.map((row, i) => entryOf(list[i], row)));
            }
            await store.change(version, Math.min(...rows.map((row) => row.x === null ? Infinity : Number(row.x))));
          } catch (e) {
            if (!store.closed) return controller.error(e);
          }
        }
        controller.close();
      },
      cancel() {
        cancelled = true;
        store.wake();
      },
    }, { highWaterMark: options?.raw ? 1 : 0 });
  }

  // ------------------------------------------------------------------ SQL

  /** A statement with its parameters between its parts: rows as objects. */
  async sql(parts, ...values) {
    const args = values.map((v) => {
      if (typeof v === "boolean") return Number(v);
      if (Number.isSafeInteger(v) && !Object.is(v, -0)) return BigInt(v);
      if (typeof v !== "object" || v === null || isUint8Array(v)) return v ?? null;
      return Array.isArray(v) ? keyOrValue(v) : toText(v);
    });
    const rows = await this.#store.run((db) => db.all(parts.join("?"), ...args));
    this.#store.wake();
    return rows.map((row) => {
      const res = {};
      for (const [name, v] of Object.entries(row)) {
        res[name] = typeof v === "bigint" && Number.isSafeInteger(Number(v)) ? Number(v) : v;
      }
      return res;
    });
  }

  close() {
    this.#store.close();
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() {
    if (!this.#store.closed) this.#store.close();
  }
}

/** An array as text: of a key if its elements are parts of one. */
function keyOrValue(v) {
  try {
    return keyText(v);
  } catch {
    return toText(v);
  }
}

/** Messages that are ready, claimed. */
function claim(db, count) {
  if (count <= 0) return [];
  db.exec("BEGIN IMMEDIATE");
  try {
    const rows = db.all("SELECT id, js AS v FROM kv_dequeue(?, ?)", LEASE, count);
    db.exec("COMMIT");
    return rows;
  } catch (e) {
    db.exec("ROLLBACK");
    throw e;
  }
}

/** Open the store of a SQLite file; options: driver, extension. */
async function openKv(path, options = {}) {
  path = path === undefined || path === null ? path : String(path);
  if (!path) throw new TypeError("Filename cannot be empty");
  if (path !== ":memory:" && path.startsWith(":")) {
    throw new TypeError("Filename cannot start with ':' unless prefixed with './'");
  }
  if (/^https?:\/\//.test(path)) throw new TypeError("kv: openKv() opens files, and no remote database");
  let db;
  try {
    db = new Connection(path, options.driver, options.extension ?? getLoadablePath());
  } catch (e) {
    throw /unable to open|directory does not exist/.test(e.message) ? new Error(`unable to open database file: ${path}`, { cause: e }) : e;
  }
  const store = new Store(db);
  try {
    await store.run(() => db.all("PRAGMA journal_mode = wal"));
    await store.run(() => db.all("SELECT kv_init(), kv_config('undelivered_keys', 1000)"));
  } catch (e) {
    db.close();
    throw new Error(e.message, { cause: e });
  }
  return new Kv(store, hidden);
}

module.exports = { openKv, Kv, KvListIterator, AtomicOperation };
