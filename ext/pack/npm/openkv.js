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
const { Collection, declare } = require("./collection.js");
const { connect } = require("./driver.js");
const { earliest } = require("./queue.js");
const { RemoteStore } = require("./remote.js");
const { Store, invalidType } = require("./store.js");
const { readTemplate } = require("./sqltext.js");
const { plain, valuesBy } = require("./values.js");
const { KvU64, HostText, isKvU64, shownBy, fromText, toText, toBound, bytesOf, bytesText, numberText, isUint8Array } = require("./jstext.js");

const hidden = Symbol("only here");
const commitVersionstamp = Symbol("KvCommitVersionstamp");

function own(token, message) { if (token !== hidden) throw new TypeError(message); }

// ----------------------------------------------------------------- keys

const BIGGEST_PART = 2n ** 2040n;

function partText(p, what) {
  switch (typeof p) {
    case "string": return JSON.stringify(p.toWellFormed());
    // A key keeps the sign of a NaN.
    case "number": return p !== p && new Uint8Array(new Float64Array([p]).buffer)[7] > 0x7f ? "-NaN" : numberText(p);
    case "bigint":
      if (p < BIGGEST_PART && -p < BIGGEST_PART) return `${p}n`;
      throw new TypeError(`${what}BigUint requires more than 255 bytes to be represented`);
    case "boolean": return String(p);
  }
  if (!ArrayBuffer.isView(p)) throw new TypeError("expected string, number, bigint, ArrayBufferView, boolean");
  return bytesText(bytesOf(p));
}

/** A key as key text.  In errors what comes first. */
function keyText(key, what = "") {
  if (!Array.isArray(key)) throw invalidType("array", key);
  let text = "";
  for (const p of key) text += (text && ",") + partText(p, what);
  return `[${text}]`;
}

const STAMPED = ",kv.commitVersionstamp()]";

/** The text of a key that is read. */
function readKey(key) {
  if (key === null || key === undefined) throw new TypeError("Invalid range");
  return keyText(key);
}

/** The text of a key that is written or checked; that of a set may end with commitVersionstamp(). */
function writeKey(key, isSet) {
  const stamped = isSet && Array.isArray(key) && key.at(-1) === commitVersionstamp;
  const text = keyText(stamped ? key.slice(0, -1) : key, "Invalid mutation: ");
  return stamped ? text.slice(0, -1) + STAMPED : text;
}

// -------------------------------------------------------------- entries

/** The entry of a key, which is also given as key text. */
function entryOf({ values }, key, text, [v, versionstamp = null] = []) {
  if (versionstamp === null) return { key, value: null, versionstamp };
  return { key: fromText(text), value: values.shown(v), versionstamp };
}

function checkConsistency(c) {
  if ((c ?? "strong") === "strong" || c === "eventual") return;
  if (typeof c !== "string") throw invalidType("enum", c);
  throw new TypeError(`unknown variant \`${c}\`, expected \`strong\` or \`eventual\``);
}

// ---------------------------------------------------- atomic operations

// Each step in SQL, and what is the same as a single set that doesn't expire.
const SET = "SELECT kv_set(?, kv_value(?))";
const STEPS = {
  check: "kv_op('check', ?, ?)",
  set: "kv_op('set', ?, kv_value(?), ?)",
  delete: "kv_op('delete', ?)",
  sum: "kv_op('sum', ?, kv_value(?))",
  min: "kv_op('min', ?, kv_value(?))",
  max: "kv_op('max', ?, kv_value(?))",
  enqueue: "kv_op('enqueue', kv_value(?), ?, ?, ?)",
};

/** The step of a message. */
function enqueueStep({ values }, message, options) {
  const { delay, backoffSchedule: backoff, keysIfUndelivered } = options ?? {}, keys = keysIfUndelivered ?? [];
  if (delay < 0) throw new TypeError(`Delay must be >= 0: received ${delay}`);
  if (delay > 2592000000) throw new TypeError(`Delay cannot be greater than 30 days: received ${delay}`);
  if (Number.isNaN(delay)) throw new TypeError("Delay cannot be NaN");
  for (const v of [backoff === undefined ? [] : backoff, keys]) if (!Array.isArray(v)) throw invalidType("array", v);
  if (backoff?.length > 5) throw new TypeError("Invalid backoffSchedule, max 5 intervals allowed");
  const intervals = backoff && Array.from(backoff, (ms, i) => {
    if (!(ms < 0 || ms > 3600000 || Number.isNaN(ms))) return wholeNumber(ms);
    throw new TypeError(`Invalid backoffSchedule, interval at index ${i} is invalid`);
  });
  return ["enqueue", values.bound(message, true), wholeNumber(delay ?? 0), keys.length ? `[${Array.from(keys, (key) => keyText(key))}]` : null,
    intervals ? JSON.stringify(intervals) : null];
}

function wholeNumber(n) {
  if (typeof n !== "number" && typeof n !== "bigint") throw invalidType("integer", n);
  return Math.trunc(Number(n));
}

/** The value of a step.  Of bytes that can't be taken the error, which Deno throws when they are committed. */
function valueBound(values, v) {
  try {
    return values.bound(v);
  } catch (e) {
    if (isUint8Array(v)) return e;
    throw e;
  }
}

class AtomicOperation {
  #store; #steps = [];

  constructor(store, token) {
    own(token, "Deno.AtomicOperation can not be constructed: use Deno.Kv.atomic() instead");
    this.#store = store;
  }

  #add(...step) {
    this.#steps.push(step);
    return this;
  }

  check(...checks) {
    for (const { key, versionstamp } of checks) this.#add("check", key, versionstamp ?? null);
    return this;
  }

  mutate(...mutations) {
    for (const m of mutations) {
      if (m.type === "delete" && m.value) throw new TypeError("Invalid mutation 'delete' with value");
      if (!["set", "delete", "sum", "min", "max"].includes(m.type)) throw new TypeError("Invalid mutation type");
      if (m.type === "delete") this.delete(m.key);
      else if (!Object.hasOwn(m, "value")) throw new TypeError(`Invalid mutation '${m.type}' without value`);
      else if (m.type !== "set") this.#add(m.type, m.key, valueBound(plain, m.value), m.value);
      else this.set(m.key, m.value, typeof m.expireIn === "number" ? m : undefined);
    }
    return this;
  }

  sum(key, n) { return this.mutate({ type: "sum", key, value: new KvU64(n) }); }
  min(key, n) { return this.mutate({ type: "min", key, value: new KvU64(n) }); }
  max(key, n) { return this.mutate({ type: "max", key, value: new KvU64(n) }); }

  set(key, value, options) {
    const ms = options?.expireIn;
    if (ms !== undefined && !(Number.isInteger(ms) && ms >= 0)) {
      throw new TypeError(`expireIn must be a non-negative integer: received ${ms}`);
    }
    return this.#add("set", key, valueBound(this.#store.values, value), ms ?? null);
  }

  delete(key) { return this.#add("delete", key); }

  enqueue(message, options) { return this.#add(...enqueueStep(this.#store, message, options)); }

  async commit() {
    const s = await commit(this.#store, finishSteps(this.#store, this.#steps));
    return s === null ? { ok: false } : { ok: true, versionstamp: s };
  }

  then() { throw new TypeError("'Deno.AtomicOperation' is not a promise: did you forget to call 'commit()'"); }

  static {
    const given = (o) => {
      const entries = Object.entries(o).filter(([, v]) => v);
      return entries.length ? [Object.fromEntries(entries)] : [];
    };
    const SHOWN = {
      check: (key, versionstamp) => [{ key, versionstamp }],
      delete: (key) => [key],
      sum: (key, text, n) => [key, n],
      set: (key, value, expireIn) => [key, plain.shown(value), ...given({ expireIn })],
      enqueue: (message, delay, keys, backoff) => [plain.shown(message), ...given({ delay,
        keysIfUndelivered: keys && fromText(keys), backoffSchedule: backoff && fromText(backoff) })],
    };
    shownBy(this, (operation, inspect) => {
      const steps = inOrder(operation.#steps);
      const show = (op, args) => `\n  ${op}(${(SHOWN[op] ?? SHOWN.sum)(...args).map(inspect).join(", ")})`;
      return "AtomicOperation" + (steps.map(([op, ...args]) => show(op, args)).join("") || " (empty)");
    });
  }
}

/** Steps in the order in which they are carried out. */
function inOrder(steps) {
  const rank = ([op]) => op === "check" ? 0 : op === "enqueue" ? 2 : 1;
  const isSorted = steps.every((step, i) => i === 0 || rank(steps[i - 1]) <= rank(step));
  return isSorted ? steps : steps.toSorted((a, b) => rank(a) - rank(b));
}

/** The steps as they are carried out, if their keys can be written. */
function finishSteps(store, steps) {
  const finished = inOrder(steps).map(finishStep);
  for (const [op, text] of finished) {
    if (op === "enqueue") continue;
    const key = text.endsWith(STAMPED) ? text.slice(0, -STAMPED.length) + "]" : text;
    if (key === "[]") throw new TypeError("key cannot be empty");
    if (key.length > 400) store.encode(key, 2048, "write (max 2048 bytes)");
  }
  return finished;
}

/** A step as it is carried out, with its key as text. */
function finishStep(step) {
  const [op, key, value, operand] = step;
  if (op === "enqueue") return step;
  if (op === "check" && value !== null && typeof value !== "string") throw invalidType("string", value);
  const text = writeKey(key, op === "set");
  if (value instanceof Error) throw value;
  if (op === "set" || op === "check" || op === "delete") return [op, text, ...step.slice(2)];
  // Numbers and bigints can be summed, too.
  if (isKvU64(operand) || op === "sum" && /^(number|bigint)$/.test(typeof operand)) return [op, text, value];
  const message = op === "sum" ? "Some of the parameters are not valid V8 values" : `Failed to perform '${op}' mutation on a non-U64 operand`;
  return ["wrong", text, new TypeError(message)];
}

/** Fail by a wrong operand, as Deno only does when all checks have passed and nothing is over a limit; else null. */
function failedCheck(db, steps, error) {
  db.objects("SAVEPOINT kv_checks");
  try {
    if (carryOut(db, steps.map((step) => step[0] === "wrong" ? ["delete", step[1]] : step)) !== null) throw error;
  } finally {
    db.objects("ROLLBACK TO kv_checks");
    db.objects("RELEASE kv_checks");
  }
  return null;
}

const isHost = (v) => v instanceof HostText;

/** A step in SQL: host objects go in as stored bytes. */
const stepSql = ([op, ...args]) => args.some(isHost) ? STEPS[op].replace("kv_value(?)", "kv_raw(?, 1)") : STEPS[op];

/** An argument as the driver takes it. */
const bound = (db, v) => isHost(v) ? v.bytes((text) => db.rows("SELECT kv_value_encode(kv_value(?))", text)[0][0]) : v;

/** The versionstamp of steps that have been carried out, or null if a check failed. */
function carryOut(db, steps) {
  const ops = steps.map(stepSql), args = steps.flatMap(([, ...args]) => args.map((v) => bound(db, v)));
  if (ops.length === 1 && ops[0] === STEPS.set && args[2] === null) return db.rows(SET, args[0], args[1])[0][0];
  if (ops.length <= 100) return db.rows(`SELECT kv_atomic(${ops})`, ...args)[0][0];
  return db.rows(`SELECT kv_atomic(column1) FROM (VALUES (${ops.join("), (")}))`, ...args)[0][0];
}

/** Carry out an operation: its versionstamp, or null if a check failed. */
function commit(store, steps) {
  const wrong = steps.find(([op]) => op === "wrong");
  if (store.isRemote) {
    if (wrong) throw wrong[2];
    return store.commit(steps);
  }
  return store.run((db) => {
    let s;
    if (wrong) return failedCheck(db, steps, wrong[2]);
    try {
      s = carryOut(db, steps);
    } catch (e) {
      // Deno says which kinds can't be summed.
      const key = /^kv: sum of the key (.*): the stored value/s.exec(e.message)?.[1];
      const value = key && steps.find(([op, k]) => op === "sum" && k === key)?.[2];
      if (!value || value.startsWith("new ")) throw e;
      const [[stored] = []] = db.rows("SELECT type FROM kv_entries WHERE key = ?", key);
      const kind = { number: "Number", bigint: "BigInt", KvU64: "KvU64" }[stored];
      const message = `Cannot sum ${kind} with ${value.endsWith("n") ? "BigInt" : "Number"}`;
      throw new TypeError(kind ? message : "unsupported value type");
    }
    if (s !== null) store.wake();
    return s;
  });
}

// ----------------------------------------------------------------- list

const AsyncIteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype);
const beginsWith = (bytes, prefix) => bytes.length > prefix.length && prefix.every((b, i) => b === bytes[i]);

class KvListIterator {
  #store; #options;
  #selector = {};               // prefix, start, end
  #texts = null; #bytes = {};   // the same as key text, and as stored bytes
  #rows = []; #at = 0;          // the last batch, and how much of it has been given out
  #ended = false; #count = 0;
  #key = null; #cursor;         // the key that was given out last, as key text; else the cursor

  constructor(store, selector, options, token) {
    own(token, "Illegal constructor");
    const { limit, batchSize } = options;
    for (const [name, n] of [["Limit", limit], ["batchSize", batchSize ?? undefined]]) {
      if (n === undefined || Number.isInteger(n) && n > 0) continue;
      throw new Error(`${name} must be a positive integer: received ${n}`);
    }
    for (const name of ["prefix", "start", "end"]) {
      const key = Object.hasOwn(selector, name) ? selector[name] : undefined;
      if (key !== undefined) this.#selector[name] = Array.prototype.slice.call(key);
    }
    const { prefix, start, end } = this.#selector;
    if (prefix && start && end) {
      throw new TypeError("Selector can not specify both 'start' and 'end' key when specifying 'prefix'");
    }
    if (!prefix && !(start && end)) {
      throw new TypeError("Selector must specify either 'prefix' or both 'start' and 'end' key");
    }
    this.#store = store;
    this.#options = { ...options, limit: limit ?? Infinity, batchSize: batchSize ?? Math.min(limit ?? 100, 500) };
    this.#cursor = options.cursor || null;
  }

  get cursor() {
    if (this.#key === null) {
      if (this.#cursor === null) throw new Error("Cannot get cursor before first iteration");
      return this.#cursor;
    }
    // What all keys of the selector begin with is left out.
    const { prefix, start, end } = this.#bytes;
    let n = prefix?.length ?? start.findIndex((b, i) => b !== end[i]);
    if (n < 0) n = start.length;
    const text = Buffer.from(this.#store.encode(this.#key).subarray(n)).toString("base64url");
    return text.padEnd(text.length + 3 & ~3, "=");
  }

  async next() {
    const done = { done: true, value: undefined };
    if (this.#count >= this.#options.limit) return done;
    while (this.#at === this.#rows.length && !this.#ended) {
      const locked = this.#pull();
      if (locked) await locked;
    }
    if (this.#at === this.#rows.length) {
      [this.#key, this.#cursor] = [null, ""];
      return done;
    }
    const [key, v, versionstamp] = this.#rows[this.#at++];
    this.#count++;
    this.#key = key;
    return { done: false, value: { key: fromText(key), value: this.#store.values.shown(v), versionstamp } };
  }

  /** Check the options, when the first batch is read. */
  #begin() {
    const { batchSize, cursor, reverse, consistency } = this.#options, texts = {}, bytes = this.#bytes;
    checkConsistency(consistency);
    if (batchSize > 1000) throw new TypeError("Too many entries (max 1000)");
    for (const name in this.#selector) {
      texts[name] = keyText(this.#selector[name]);
      const isReplaced = cursor && name === (reverse === true ? "end" : "start");
      bytes[name] = this.#store.encode(texts[name], isReplaced ? Infinity : name === "prefix" ? 2048 : 2049);
    }
    const { prefix, start, end } = bytes;
    for (const [name, key] of [["Start", start], ["End", end]]) {
      if (!prefix || !key || beginsWith(key, prefix)) continue;
      throw new TypeError(`${name} key is not in the keyspace defined by prefix`);
    }
    if (!prefix && Buffer.compare(start, end) > 0) throw new TypeError("Start key is greater than end key");
    if (typeof (cursor || "") !== "string") throw invalidType("string", cursor);
    this.#texts = texts;
  }

  #pull() {
    const store = this.#store;
    void store.db;              // must be open
    if (this.#texts === null) this.#begin();
    const { batchSize, cursor, reverse, consistency } = this.#options, last = this.#rows.at(-1)?.[0], down = reverse === true;
    const { prefix, start, end } = this.#texts;
    const where = [["prefix = ?", prefix], ["key >= ?", start], ["key < ?", end], ["cursor = ?", !last && cursor]];
    if (last) where[down ? 2 : 1] = [down ? "key < ?" : "key > ?", last];
    const used = where.filter(([, arg]) => arg), order = down ? "ORDER BY key DESC" : "ORDER BY key";
    const sql = `${store.values.list} ${used.map(([term]) => term).join(" AND ")} ${order} LIMIT ?`;
    return store.range(this.#bytes, { reverse: down, limit: batchSize, last, cursor }, (db) => {
      if (this.#rows.at(-1)?.[0] !== last) return;          // another call has waited, too
      this.#rows = db.rows(sql, ...used.map(([, arg]) => arg), batchSize);
      this.#at = 0;
      this.#ended = this.#rows.length < batchSize;
    }, consistency);
  }

  [Symbol.asyncIterator]() { return this; }

  static { Object.setPrototypeOf(this.prototype, AsyncIteratorPrototype); }
}

// ------------------------------------------------------------------- Kv

/** A value of kv.sql: { value } that SQL has, or { text } with a type. */
function sqlArgument(v) {
  if (Number.isSafeInteger(v) && !Object.is(v, -0)) return { value: BigInt(v) };
  if (v === null || v === undefined || typeof v === "string" || typeof v === "number" || isUint8Array(v)) return { value: v ?? null };
  return { text: isKvU64(v) ? toBound(v) : toText(v), isArray: Array.isArray(v) };
}

const sqlValue = (v) => typeof v === "bigint" && Number.isSafeInteger(Number(v)) ? Number(v) : v;

/** A column of kv.sql.js. */
function jsValue(name, v) {
  if (typeof v === "string" && (/^(?:kv_)?js$/.test(name) || /^(?:kv_)?key$/.test(name) && v.startsWith("["))) return fromText(v);
  return sqlValue(v);
}

const SHOWN = "SELECT kv_extract(kv_raw(kv_value_encode(kv_value(?)), kv_value_encoding(kv_value(?))), '$')";

const ORDINARY = `SELECT 1 FROM pragma_table_list WHERE name = ? COLLATE NOCASE
  AND schema = coalesce(?, schema) COLLATE NOCASE AND type = 'table'`;
// By its name, or its index.  Columns for whole values take those with a type, too.
const TYPED = `SELECT 1 FROM pragma_table_xinfo(?, ?) WHERE ? IN (lower(name), iif(hidden, NULL, cid)) AND type <> ''
  AND name NOT IN ('js', 'json', 'raw', 'kv_js', 'kv_json', 'kv_raw')`;

/** Whether a value that a statement stores is to have its type: a table or column with SQL's types makes its own of it. */
function keepsType(db, table, column) {
  if (!table || db.rows(ORDINARY, table.name, table.schema).length) return false;
  return !db.rows(TYPED, table.name, table.schema, typeof column === "string" ? column.toLowerCase() : BigInt(column)).length;
}

/** The statement and its arguments as the driver takes them. */
function sqlCall(db, parts, { places, columns, table }, args) {
  let sql = parts[0];
  const bound = args.map(({ value, text, isArray }, i) => {
    const isTyped = text !== undefined && (places[i] === "argument" || places[i] === "stored" && keepsType(db, table, columns[i]));
    sql += (isTyped ? "kv_value(?)" : "?") + parts[i + 1];
    if (text === undefined) return value;
    return isTyped || isArray ? text : db.rows(SHOWN, text, text)[0][0];
  });
  return [sql, ...bound];
}

/** What needs a file can't be had from a server. */
function checkFile(store, what) {
  if (store.isRemote) throw new TypeError(`kv: ${what} needs a file, and this is a remote database`);
}

/** f(rows, db) of a statement, which has these values between its parts. */
async function runSql(store, parts, values, f) {
  checkFile(store, "kv.sql");
  const statement = readTemplate(parts), args = values.map(sqlArgument);
  const result = await store.run((db) => f(db.objects(...sqlCall(db, parts, statement, args)), db));
  store.wake();
  return result;
}

/** Rows with each column as show(name, value). */
const shownRows = (rows, show) => rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, v]) => [name, show(name, v)])));

/** The states that a server tells of keys. */
function watchRemote(store, list, texts) {
  const ended = new AbortController(), signal = AbortSignal.any([store.signal, ended.signal]);
  const states = store.watch(texts, (db) => db.rows(store.values.getMany, JSON.stringify(texts)), signal);
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = list.length ? await states.next() : { done: true };
        if (done) controller.close();
        else controller.enqueue(value.map((row, i) => entryOf(store, list[i], texts[i], row)));
      } catch (e) {
        controller.error(e);
      }
    },
    cancel: () => ended.abort(),
  }, { highWaterMark: 0 });
}

class Kv {
  #store;

  constructor(store, token) {
    own(token, "Deno.Kv can not be constructed: use Deno.openKv instead");
    this.#store = store;
  }

  atomic() { return new AtomicOperation(this.#store, hidden); }

  commitVersionstamp() { return commitVersionstamp; }

  /** The texts of keys that are read, of which there are to be no more than ten. */
  #readKeys(keys, tooMany) {
    const texts = Array.from(keys, readKey);
    if (texts.length > 10) throw new TypeError(tooMany);
    for (const text of texts) this.#measure(text);
    return texts;
  }

  #measure(text) { if (text.length > 400) this.#store.encode(text, 2048); }

  async get(key, options) {
    const store = this.#store, text = readKey(key);
    this.#measure(text);
    checkConsistency(options?.consistency);
    const rows = store.read([text], (db) => db.rows(store.values.get, text), options?.consistency);
    return entryOf(store, key, text, (await rows)[0]);
  }

  async getMany(keys, options) {
    const texts = this.#readKeys(keys, "Too many ranges (max 10)");
    checkConsistency(options?.consistency);
    const store = this.#store, rows = await store.read(texts, (db) => db.rows(store.values.getMany, JSON.stringify(texts)), options?.consistency);
    return rows.map((row, i) => entryOf(store, keys[i], texts[i], row));
  }

  async set(key, value, options) { return await this.atomic().set(key, value, options).commit(); }

  async delete(key) { await this.atomic().delete(key).commit(); }

  list(selector, options = {}) { return new KvListIterator(this.#store, selector, options, hidden); }

  async enqueue(message, options) { return await this.atomic().enqueue(message, options).commit(); }

  listenQueue(handler, options) {
    this.#store.outside("listenQueue()");
    return this.#store.queue.listen(handler, options?.lease);
  }

  watch(keys, options) {
    const store = this.#store;
    store.outside("watch()");
    store.db;                   // must be open
    if (!Array.isArray(keys)) throw invalidType("array", keys);
    const texts = this.#readKeys(Array.from(keys, (key) => key ?? {}), "Too many keys (max 10)"), list = Array.from(keys, (key) => [...key]);
    if (store.isRemote) return watchRemote(store, list, texts);
    let seen = null, cancelled = false;
    const states = [];          // that haven't been read
    const look = (db) => {
      const rows = db.rows(store.values.getMany, JSON.stringify(texts)), now = rows.map(([, s]) => s).join();
      if (now !== seen) states.push(rows.map((row, i) => entryOf(store, list[i], texts[i], row)));
      seen = now;
      return rows;
    };
    const end = () => {
      cancelled = true;
      store.looks.delete(look);
    };
    return new ReadableStream({
      async pull(controller) {
        while (!cancelled && !store.closed && list.length) {
          try {
            if (states.length) return controller.enqueue(states.shift());
            const version = await store.run(() => store.version()), rows = await store.run(look);
            if (options?.raw === true) store.looks.add(look);
            if (states.length === 0) await store.change(version, earliest(rows.map(([, , expires]) => expires)));
          } catch (e) {
            end();
            if (!store.closed) return controller.error(e);
          }
        }
        end();
        controller.close();
      },
      cancel() {
        end();
        store.wake();
      },
    }, { highWaterMark: 0 });
  }

  /** A statement, with its parameters between its parts: rows as objects.  Of sql.js keys and the column js are JavaScript. */
  get sql() {
    const sql = (parts, ...values) => runSql(this.#store, parts, values, (rows) => shownRows(rows, (name, v) => sqlValue(v)));
    return Object.assign(sql, { js: (parts, ...values) => runSql(this.#store, parts, values, (rows) => shownRows(rows, jsValue)) });
  }

  /** The entries below a prefix as the table temp.NAME, by default the prefix's last part. */
  async collection(prefix, columns, options) {
    const store = this.#store, text = readKey(prefix), name = options?.name ?? prefix.at(-1);
    checkFile(store, "kv.collection()");
    if (typeof name !== "string" || name === "") throw new TypeError("kv: a prefix that doesn't end with a string needs the option name");
    await store.run((db) => declare(db, name, text, columns));
    const run = (parts, values, f) => runSql(store, parts, values, (rows, db) => f(shownRows(rows, jsValue), db));
    return new Collection(run, name, [...prefix], columns);
  }

  /** f(kv) in a transaction: all that it does through the kv it is given is done, or nothing. */
  async transaction(f) {
    this.#store.outside("transaction()");
    checkFile(this.#store, "kv.transaction()");
    return await this.#store.transaction((store) => f(new Kv(store, hidden)));
  }

  close() {
    this.#store.outside("close()");
    this.#store.close();
  }

  [Symbol.dispose ?? Symbol.for("Symbol.dispose")]() { if (!this.#store.closed) this.close(); }
}

// In Deno these are of Deno's classes, too.
for (const [name, { prototype }] of Object.entries({ Kv, AtomicOperation })) {
  if (globalThis.Deno?.[name]) Object.setPrototypeOf(prototype, globalThis.Deno[name].prototype);
}

/** Open the store of a SQLite file, or of a server.  Options: extension, its path, and driver. */
async function openStore(path, options) {
  let db;
  try {
    const isRemote = options.implementation === "remote";
    db = connect(isRemote ? ":memory:" : path, options.driver, options.debug);
    db.load(options.extension);
    const init = () => db.rows("SELECT kv_init(), kv_config('undelivered_keys', 1000)");
    if (isRemote) return init(), new Kv(await RemoteStore.open(db, path, options), hidden);
    const store = new Store(db, valuesBy(options));
    await store.run(() => db.rows("PRAGMA journal_mode = wal"));
    await store.run(init);
    return new Kv(store, hidden);
  } catch (cause) {
    db?.close();
    const [said] = /unable to open|directory does not exist|not a database/.exec(cause.message) ?? [];
    if (!said) throw cause;
    throw new Error(said[0] === "n" ? "file is not a database" : `unable to open database file: ${path}`, { cause });
  }
}

module.exports = { openStore, Kv, KvListIterator, AtomicOperation };
