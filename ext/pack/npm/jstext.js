// jstext.js -- JavaScript values as the extension's JS text, and back.
//
// JS text is what kv_value() reads and what the column js shows: a literal,
// never run as a program.  Written are the values of the structured clone
// algorithm; what it refuses is a TypeError with V8's words.  Read is the
// canonical form.
"use strict";

const { Buffer } = require("node:buffer");
const { types } = require("node:util");
const { isMarkedAsUntransferable } = require("node:worker_threads");
const { HOST_OBJECTS, KvHostObject, check, describe, hostObject, refuse } = require("./host.js");

/** Deno's own where this runs in Deno, else the same. */
const KvU64 = globalThis.Deno?.KvU64 ?? class KvU64 {
  constructor(value) {
    if (typeof value !== "bigint") throw new TypeError(`Value must be a bigint: received ${typeof value}`);
    if (value < 0n) throw new RangeError(`Value must be a positive bigint: received ${value}`);
    if (value >= 2n ** 64n) throw new RangeError("Value must fit in a 64-bit unsigned integer");
    this.value = value;
    Object.freeze(this);
  }
  valueOf() { return this.value; }
  toString() { return this.value.toString(); }
  // As in @deno/kv.
  sum(other) { return new KvU64(BigInt.asUintN(64, this.value + holding(other))); }
  min(other) { return holding(other) < this.value ? new KvU64(other.value) : this; }
  max(other) { return holding(other) > this.value ? new KvU64(other.value) : this; }
  get [Symbol.toStringTag]() { return "Deno.KvU64"; }
};

/** The bigint of a KvU64, or of what looks like one. */
function holding(v) {
  if (typeof v?.value === "bigint") return v.value;
  throw new Error(`Expected bigint holder, found: ${String(v)}`);
}

/** Whether a value is a KvU64: also one of another copy of this package, or of @deno/kv. */
function isKvU64(v) {
  if (v instanceof KvU64) return true;
  return v?.[Symbol.toStringTag] === "Deno.KvU64" && typeof v.value === "bigint" && BigInt.asUintN(64, v.value) === v.value;
}

/** Have a class shown by a console of Deno or Node as show(object, inspect) says. */
function shownBy(Class, show) {
  const by = (inspect, options) => (v) => inspect(v, options), { prototype } = Class;
  prototype[Symbol.for("Deno.privateCustomInspect")] = function (inspect, o) { return show(this, by(inspect, o)); };
  prototype[Symbol.for("nodejs.util.inspect.custom")] = function (_, o, inspect) { return show(this, by(inspect, o)); };
}
if (!globalThis.Deno?.KvU64) shownBy(KvU64, (v, inspect) => inspect(Object(v.value)).replace("BigInt", "Deno.KvU64"));

// The classes by their names.
const ERROR = /^(?:Eval|Range|Reference|Syntax|Type|URI)?Error$/;
const VIEW = /^(?:DataView|(?:Big)?(?:Int|Uint|Float)\d+(?:Clamped)?Array)$/;

const viewTag = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
const isUint8Array = (v) => viewTag.call(v) === "Uint8Array";
const quote = (s) => /["\\\0-\x1f\ud800-\udfff]/.test(s) ? JSON.stringify(s) : `"${s}"`;

// ------------------------------------------------------------- writing

const numberText = (n) => n === 0 && 1 / n < 0 ? "-0" : String(n);

// Members: each with its name and colon as text, and the one that came after it the last time.
const members = new Map([["__proto__", { name: "__proto__", text: '["__proto__"]:', next: null }]]);

function memberOf(k) {
  const known = members.get(k);
  if (known !== undefined) return known;
  if (members.size >= 1000 || k.length > 50) return { name: k, text: quote(k) + ":", next: null };
  const [name] = Object.keys({ [k]: 0 });       // a copy, which keeps no longer text alive
  const member = { name, text: quote(name) + ":", next: null };
  members.set(name, member);
  return member;
}

const join = Uint8Array.prototype.join;         // (a value may have one of its own)
const bytesText = (v) => `new Uint8Array([${join.call(v)}])`;

const getter = (name) => Object.getOwnPropertyDescriptor(RegExp.prototype, name)?.get;
const regexpSource = getter("source");
const regexpFlags = Object.entries({ d: "hasIndices", g: "global", i: "ignoreCase", m: "multiline", s: "dotAll", u: "unicode",
  v: "unicodeSets", y: "sticky" }).map(([flag, name]) => [flag, getter(name)]);
const flagsOf = (re) => regexpFlags.map(([flag, has]) => has?.call(re) ? flag : "").join("");

// What is being written: the objects met, those met again with their numbers, and whether
// host objects are among them.
let met, again, holdsHost;

function write(v) {
  switch (typeof v) {
    case "string": return quote(v);
    case "number": return numberText(v);
    case "bigint": return v + "n";
    case "object":
      if (v === null) return "null";
      if (!met.has(v) && !again.has(v)) {       // with two calls for a level, since stacks are short
        if (Array.isArray(v) && !types.isProxy(v)) return met.add(v), writeArray(v);
        if (Object.getPrototypeOf(v) === Object.prototype && !types.isProxy(v) && !types.isArgumentsObject(v)) {
          return met.add(v), writeMembers(v, Object.keys(v));
        }
      }
      return writeOnce(v, writeObject);
    case "symbol":
    case "function":
      refuse(v);
  }
  return String(v);
}

/** An object: its text, or its number if it has been written already. */
function writeOnce(v, how) {
  if (met.has(v)) {
    const n = again.get(v);
    if (n === undefined) again.set(v, 0);       // in the next round it has a number
    return `[Circular *${n}]`;
  }
  met.add(v);
  if (!again.has(v)) return how(v);
  again.set(v, ++again.labels);
  return `<ref *${again.labels}> ${how(v)}`;
}

function writeObject(v) {
  if (types.isProxy(v) || types.isArgumentsObject(v)) refuse(v);
  if (Array.isArray(v)) return writeArray(v);
  if (Object.getPrototypeOf(v) === Object.prototype) return writeMembers(v, Object.keys(v));
  if (types.isDate(v)) return `new Date(${Date.prototype.getTime.call(v)})`;
  if (ArrayBuffer.isView(v)) return writeView(v);
  if (types.isAnyArrayBuffer(v)) return writeBuffer(v);
  if (types.isMap(v)) {
    const pairs = [...Map.prototype.entries.call(v)];
    return pairs.length ? `new Map([${pairs.map(([k, x]) => `[${write(k)},${write(x)}]`).join()}])` : "new Map()";
  }
  if (types.isSet(v)) return `new Set([${[...Set.prototype.values.call(v)].map(write).join()}])`;
  if (types.isRegExp(v)) return `new RegExp(${quote(regexpSource.call(v))},"${flagsOf(v)}")`;
  const description = describe(v);
  if (description) return writeHost(description);
  check(v);
  if (types.isNativeError(v)) return writeError(v);
  if (types.isBigIntObject(v)) return `Object(${BigInt.prototype.valueOf.call(v)}n)`;
  for (const Type of [Number, String, Boolean]) {
    if (types[`is${Type.name}Object`](v)) return `new ${Type.name}(${write(Type.prototype.valueOf.call(v))})`;
  }
  return writeMembers(v, Object.keys(v));
}

function writeMembers(v, keys) {
  let out = "";
  for (const k of keys) out += (out && ",") + memberOf(k).text + write(v[k]);
  return `{${out}}`;
}

function writeArray(a) {
  const keys = Object.keys(a), n = a.length;
  if (keys.length !== n || (n > 0 && keys[n - 1] !== String(n - 1))) return writeSparse(a, keys, n);
  let out = "";
  for (let i = 0; i < n; i++) out += (i ? "," : "") + write(a[i]);
  return `[${out}]`;
}

/** An array with holes or with members. */
function writeSparse(a, keys, n) {
  const others = keys.filter((k) => !(k >>> 0 < n && String(k >>> 0) === k)), present = keys.length - others.length;
  if (n - present > 16 + 4 * present) return `Object.assign(new Array(${n}),${writeMembers(a, keys)})`;
  let out = "";
  for (let i = 0; i < n; i++) out += (i ? "," : "") + (Object.hasOwn(a, i) ? write(a[i]) : "");
  out += (n === 0 || Object.hasOwn(a, n - 1) ? "" : ",");
  return others.length ? `Object.assign([${out}],${writeMembers(a, others)})` : `[${out}]`;
}

function writeError(v) {
  const own = Object.getOwnPropertyDescriptors(v), stack = v.stack;
  const [message, cause] = [own.message, own.cause].map((d) => d && "value" in d ? d : undefined);
  let out = `new ${ERROR.test(v.name) ? v.name : "Error"}(${message ? quote(String(message.value)) : ""}`;
  if (cause) out += `${message ? "" : "undefined"},{"cause":${write(cause.value)}}`;
  return typeof stack === "string" ? `Object.assign(${out}),{"stack":${quote(stack)}})` : out + ")";
}

/** Whether a buffer has been transferred. */
function isDetached(b) {
  if (b.byteLength > 0) return false;
  try {
    return !new Uint8Array(b);
  } catch {
    return true;
  }
}

function writeBuffer(b) {
  if (types.isSharedArrayBuffer(b)) refuse(b, Error);
  if (isDetached(b)) throw new TypeError("An ArrayBuffer is detached and could not be cloned.");
  const bytes = new Uint8Array(b);
  if (!b.resizable) return bytesText(bytes) + ".buffer";
  const buffer = `new ArrayBuffer(${b.byteLength},{maxByteLength:${b.maxByteLength}})`;
  return `Object.assign(new Uint8Array(${buffer}),[${bytes}]).buffer`;
}

/**
 * Whether the bytes of a view are stored without the rest of its buffer: off Deno those
 * of a Buffer and of other views of the pool that Buffers share.
 */
function isCut(v) {
  if (globalThis.Deno) return false;
  if (Buffer.isBuffer(v)) return true;
  return isMarkedAsUntransferable ? isMarkedAsUntransferable(v.buffer) : v.buffer.byteLength === Buffer.poolSize;
}

function writeView(v) {
  const b = v.buffer;
  if (isDetached(b)) return writeBuffer(b);
  if (types.isArrayBuffer(b) && isCut(v)) {
    const bytes = bytesText(new Uint8Array(b, v.byteOffset, v.byteLength));
    return isUint8Array(v) ? bytes : `new ${viewTag.call(v) ?? "DataView"}(${bytes}.buffer)`;
  }
  if (isUint8Array(v) && types.isArrayBuffer(b) && !b.resizable && v.length === b.byteLength
    && !met.has(b) && !again.has(b)) {
    met.add(b);
    return bytesText(v);
  }
  const window = isTracking(v) ? [v.byteOffset || []].flat() : [v.byteOffset, v.length ?? v.byteLength];
  return `new ${viewTag.call(v) ?? "DataView"}(${[writeOnce(v.buffer, writeBuffer), ...window]})`;
}

/** A clone of a view, which one that is out of bounds has none of. */
function copyOf(view) {
  try {
    return structuredClone(view);
  } catch {
    throw new TypeError("[object Object] could not be cloned.");
  }
}

/** Whether a view follows the length of its resizable buffer: seen on a copy of it. */
function isTracking(view) {
  if (!view.buffer.resizable) return false;
  const copy = copyOf(view), { buffer, byteLength } = copy, n = buffer.byteLength;
  try {
    buffer.resize(buffer.maxByteLength);
    if (copy.byteLength !== byteLength) return true;
    buffer.resize(Math.max(0, n - (view.BYTES_PER_ELEMENT ?? 1)));
    return copy.byteLength > 0 && copy.byteLength < byteLength;
  } catch {
    return false;                               // a DataView out of bounds
  }
}

/** A host object, which JS text has no form for: its description between what no text holds. */
function writeHost(description) {
  if (description.args) return `new ${description.type}(${description.args.map(write)})`;
  // (Deno ends when it reads one that it doesn't know.)
  if (!HOST_OBJECTS.includes(description.type)) throw new TypeError(`kv: a value of the kind ${description.type} can't be stored in another`);
  holdsHost = true;
  return `\x02${write(description)}\x03`;
}

/** A value with host objects: in text as above, or itself and as it was stored. */
class HostText {
  #text; #raw;

  constructor(text, raw) { [this.#text, this.#raw] = [text, raw]; }

  /** The value that a console shows. */
  get value() { return this.#raw ? this.#text : fromText(this.#text.replaceAll("\x02", "[HostObject HostObject ").replaceAll("\x03", "]")); }

  /**
   * The bytes that Deno stores.  A host object is encoded as a Set with its description
   * between two strings that occur nowhere else; what isn't the description's is then
   * replaced by the tag of a host object.
   */
  bytes(encode) {
    if (this.#raw) return this.#raw.subarray(1);
    const id = globalThis.crypto.randomUUID();
    const text = this.#text.replaceAll("\x02", `new Set(["-${id}",`).replaceAll("\x03", `,"${id}"])`);
    const bytes = Buffer.from(encode(text)).toString("latin1");
    return Buffer.from(bytes.replaceAll(`'"%-${id}`, "\\\xff\xff\xff\xff\x0f").replaceAll(`"$${id},\x03`, ""), "latin1");
  }
}

/** Any value as JS text, which holds no host objects. */
function toText(v) {
  const [text, isHost] = textOf(v);
  if (isHost) throw new TypeError("kv: a host object has no JS text");
  return text;
}

/** The text, and whether it holds host objects.  A getter in the value may write others meanwhile. */
function textOf(v) {
  const outer = [met, again, holdsHost];
  try {
    holdsHost = false;
    met = new Set();
    again = new Map();
    again.labels = 0;
    let text = write(v);
    if (again.size > 0) {
      met.clear();
      text = write(v);
    }
    return [text, holdsHost];
  } finally {
    [met, again, holdsHost] = outer;
  }
}

/** The bytes of a view, unless Deno takes none of its buffer. */
function bytesOf(view) {
  const b = view.buffer;
  if (b.resizable || b.growable) throw new TypeError("serde_v8 error: can't create slice from resizable ArrayBuffer");
  if (types.isSharedArrayBuffer(b)) throw new TypeError(`serde_v8 error: invalid type; expected: buffer, got: ${viewTag.call(view) ?? "DataView"}`);
  return isDetached(b) ? new Uint8Array() : new Uint8Array(b, view.byteOffset, view.byteLength);
}

/**
 * What is bound for the parameter of kv_value(): JS text, or the bytes of a Uint8Array; or a
 * HostText.  A message is a clone, whatever it is.
 */
function toBound(v, isMessage = false) {
  if (typeof v !== "object" || v === null) return write(v);
  if (isKvU64(v)) return `new Deno.KvU64(${v.value}n)`;
  if (isMessage || !isUint8Array(v)) {
    const raw = KvHostObject.raw(v);
    if (raw) return new HostText(v, raw);
    const [text, isHost] = textOf(v);
    return isHost ? new HostText(text) : text;
  }
  return bytesOf(v).slice();
}

// ------------------------------------------------------------- reading

const NEGATIVE_NAN = new Float64Array(new BigUint64Array([0xfff8000000000000n]).buffer)[0];
const NUMBER = /-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Infinity|NaN)/y;
const NAME = /[A-Za-z0-9.]+/y;
const LITERAL = /\/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+)\/([a-z]*)/y;
const HOST = /\[HostObject \w+ /y;
const LABEL = /<ref \*(\d+)> |\[Circular \*(\d+)\]/y;
const [QUOTE, COMMA, BRACE, END_BRACE, BRACKET, END_BRACKET, LESS, SLASH] = Buffer.from('",{}[]</');
const WORDS = { true: true, false: false, null: null, undefined, NaN, Infinity };

// The text that is being read, how far, its objects with numbers, its next backslash; and
// the stored bytes, of a host object alone.
let text, at, refs, backslash, raw;

// The member that was read last, and what stands for none.
const first = { name: "", text: "", next: null };
let latest;

function fail() { throw new TypeError(`kv: unexpected JS text at ${at}: ${text.slice(at, at + 20)}`); }

function match(re) {
  re.lastIndex = at;
  const m = re.exec(text);
  if (m === null) fail();
  at = re.lastIndex;
  return m;
}

/** Pass over these characters if they come next. */
function skip(s) {
  if (text[at] !== s[0] || !text.startsWith(s, at)) return false;
  at += s.length;
  return true;
}

function expect(s) { if (!skip(s)) fail(); }

function comma() { if (text.charCodeAt(at) === COMMA) at++; }

function keep(label, v) {
  if (label) refs.set(label, v);
  return v;
}

function read(label) {
  switch (text.charCodeAt(at)) {
    case QUOTE: return readString();
    case BRACE: return readMembers(keep(label, {}));
    case BRACKET:
      if (text[at + 1] === "C") return refs.get(match(LABEL)[2]);
      return text[at + 1] === "H" ? readHost(label) : readArray(keep(label, []));
    case LESS: return read(match(LABEL)[1]);
    case SLASH: return keep(label, new RegExp(...match(LITERAL).slice(1)));
  }
  return text[at] < "A" ? readNumber() : readWord(label);
}

function readNumber() {
  let i = at, n = 0, c;
  while ((c = text.charCodeAt(i) - 48) >= 0 && c < 10 && i - at < 15) n = n * 10 + c, i++;
  if (i > at && c !== -2 && c !== 53 && c !== 62 && !(c >= 0 && c < 10)) {      // no . e n
    at = i;
    return n;
  }
  const [digits] = match(NUMBER);
  if (skip("n")) return BigInt(digits);
  return digits === "-NaN" ? NEGATIVE_NAN : Number(digits);
}

function readString() {
  const from = at;
  let end = text.indexOf('"', from + 1);
  if (backslash < from) backslash = (text.indexOf("\\", from) + 1 || Infinity) - 1;
  if (end < backslash) {
    at = end + 1;
    return text.slice(from + 1, end);
  }
  for (end = from + 1; text[end] !== '"'; end++) if (text[end] === "\\") end++;
  at = end + 1;
  return JSON.parse(text.slice(from, at));
}

/** A name and its colon: mostly those that came after the last ones before, too. */
function readName() {
  const guess = latest.next;
  if (guess !== null && text.startsWith(guess.text, at)) {
    at += guess.text.length;
    latest = guess;
  } else {
    latest = latest.next = memberOf(text[at] === '"' ? readString() : match(NAME)[0]);
    expect(":");
  }
  return latest.name;
}

function readMembers(o, defined = false) {
  for (at++; text.charCodeAt(at) !== END_BRACE; comma()) {
    if (defined || text.charCodeAt(at) === BRACKET) {
      const computed = skip("["), k = readString();
      expect(computed ? "]:" : ":");
      define(o, k, read());
    } else {
      const k = readName();
      o[k] = read();
    }
  }
  at++;
  return o;
}

function define(o, k, value) {
  Object.defineProperty(o, k, { value, writable: true, enumerable: !(o instanceof Error), configurable: true });
}

function readArray(a) {
  let n = 0;
  for (at++; text.charCodeAt(at) !== END_BRACKET; comma(), n++) {
    if (text.charCodeAt(at) !== COMMA) a[n] = read();           // else a hole
  }
  at++;
  if (n !== a.length) a.length = n;
  return a;
}

function readHost(label) {
  const bytes = at === 0 ? raw : undefined;
  match(HOST);
  const description = read();
  expect("]");
  return keep(label, hostObject(description, bytes));
}

function readArguments() {
  const args = [];
  expect("(");
  while (!skip(")")) {
    args.push(read());
    comma();
  }
  return args;
}

function readWord(label) {
  if (skip("new ")) return readNew(label);
  const [name] = match(NAME);
  if (name === "Object") return keep(label, Object(...readArguments()));
  if (name === "kv.malformedKey") return hostObject({ type: "malformed key", size: readArguments()[0].length / 2 });
  if (name !== "Object.assign") return Object.hasOwn(WORDS, name) ? WORDS[name] : fail();
  expect("(");
  const v = read(label);
  expect(",");
  if (!ArrayBuffer.isView(v)) readMembers(v, v instanceof Error);
  else v.set(readArray([]));                    // the content of a resizable buffer
  expect(")");
  return skip(".buffer") ? keep(label, v.buffer) : v;
}

/** An Error without a place: Bun would print this one. */
function newError(Class) {
  if (!globalThis.Bun) return new Class();
  const limit = Error.stackTraceLimit;
  try {
    Error.stackTraceLimit = 0;
    return new Class();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** A view that this engine doesn't have, as a Float16Array on an older Node: copied as it was read. */
function opaqueView(type, args) {
  const [content, offset = 0, length = content.length] = args;
  return hostObject({ type, args, size: length === undefined ? content.byteLength - offset : length * 2 });
}

function readNew(label) {
  if (text.startsWith('Date("', at) && text[at + 30] === '"') {
    at += 32;
    return keep(label, new Date(text.slice(at - 26, at - 2)));
  }
  const [name] = match(NAME);
  let v;
  if (VIEW.test(name)) {
    const Class = globalThis[name], args = readArguments();
    v = Class ? new Class(...args) : opaqueView(name, args);
    if (skip(".buffer")) v = v.buffer;
  } else if (ERROR.test(name)) {
    const e = keep(label, newError(globalThis[name])), [message, options] = readArguments();
    define(e, "stack", undefined);
    if (message !== undefined) define(e, "message", message);
    if (options) define(e, "cause", options.cause);
    return e;
  } else if (name === "Map" || name === "Set") {
    v = keep(label, name === "Map" ? new Map() : new Set());
    const [items = []] = readArguments();
    for (const x of items) name === "Map" ? v.set(...x) : v.add(x);
    return v;
  } else {
    const Type = { Date, RegExp, Array, ArrayBuffer, "Deno.KvU64": KvU64, Number, String, Boolean }[name] ?? fail();
    v = new Type(...readArguments());
  }
  if (skip(".transferToImmutable()")) v = v.transferToImmutable?.() ?? v;
  return keep(label, v);
}

/**
 * The value of a text that the extension made: a long one by JSON.parse() if it looks like
 * JSON.  A host object may be followed by a line with its stored bytes in hex.
 */
function fromText(s) {
  raw = undefined;
  if (s.startsWith("[HostObject ") && s.includes("\n")) {
    const [js, hex] = s.split("\n");
    [s, raw] = [js, Buffer.from(hex, "hex")];
  }
  if (s.length > 1000 && !/new |\dn|undefined/.test(s)) {
    try {
      return JSON.parse(s);
    } catch { /* more than JSON */ }
  }
  text = s;
  at = 0;
  refs = new Map();
  backslash = -1;
  latest = first;
  const v = read();
  if (at !== s.length) fail();
  return v;
}

module.exports = { KvU64, HostText, isKvU64, shownBy, fromText, toText, toBound, bytesOf, bytesText, numberText, isUint8Array };
