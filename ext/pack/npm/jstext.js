// jstext.js -- JavaScript values as the extension's JS text, and back.
//
// JS text is what kv_value() reads and what the column js shows: a literal,
// never run as a program.  Written are the values of the structured clone
// algorithm; what it refuses is a TypeError with V8's words.  Read is the
// canonical form.
"use strict";

const { types } = require("node:util");
const { KvU64 } = require("./u64.js");

const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const VIEWS = {};
for (const name of ["DataView", "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array",
  "Int32Array", "Uint32Array", "Float16Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"]) {
  if (globalThis[name]) VIEWS[name] = globalThis[name];
}
const viewTag = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;
const isUint8Array = (v) => viewTag.call(v) === "Uint8Array";
const quote = JSON.stringify;

// ------------------------------------------------------------- writing

const REFUSED = new RegExp("^\\[object (Weak(Map|Set|Ref)|FinalizationRegistry|Promise|(Async)?Generator|.* Iterator"
  + "|Intl\\..*|WebAssembly\\..*|Blob|File|CryptoKey|DOMException|(Readable|Writable|Transform)Stream|MessagePort"
  + "|SharedArrayBuffer|Symbol|Arguments|Window|global)\\]$");

function refuse(v) {
  const text = typeof v === "object" ? `#<${v.constructor?.name || "Object"}>` : String(v);
  throw new TypeError(`${text} could not be cloned.`);
}

const numberText = (n) => n === 0 && 1 / n < 0 ? "-0" : String(n);
const memberText = (k) => k === "__proto__" ? '["__proto__"]:' : quote(k) + ":";
const bytesText = (v) => `new Uint8Array([${v.join()}])`;

// What is being written: the objects met, and those met again with their numbers.
let met, again;

function write(v) {
  switch (typeof v) {
    case "string":
      return quote(v);
    case "number":
      return numberText(v);
    case "bigint":
      return v + "n";
    case "object":
      return v === null ? "null" : writeOnce(v, writeObject);
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
  if (types.isProxy(v)) refuse(v);
  if (Array.isArray(v)) return writeArray(v);
  const proto = Object.getPrototypeOf(v);
  if (proto === Object.prototype) return writeMembers(v, Object.keys(v));
  if (ArrayBuffer.isView(v)) return writeView(v);
  if (types.isArrayBuffer(v)) return writeBuffer(v);
  if (types.isMap(v)) {
    const pairs = [...Map.prototype.entries.call(v)];
    return pairs.length ? `new Map([${pairs.map(([k, x]) => `[${write(k)},${write(x)}]`).join()}])` : "new Map()";
  }
  if (types.isSet(v)) return `new Set([${[...Set.prototype.values.call(v)].map(write).join()}])`;
  if (types.isDate(v)) {
    const ms = Date.prototype.getTime.call(v);
    return ms === ms ? `new Date("${new Date(ms).toISOString()}")` : "new Date(NaN)";
  }
  if (types.isRegExp(v)) return `new RegExp(${quote(v.source)},"${v.flags}")`;
  if (types.isNativeError(v)) return writeError(v);
  if (types.isBigIntObject(v)) return `Object(${BigInt.prototype.valueOf.call(v)}n)`;
  for (const Type of [Number, String, Boolean]) {
    if (types[`is${Type.name}Object`](v)) return `new ${Type.name}(${write(Type.prototype.valueOf.call(v))})`;
  }
  if (REFUSED.test(Object.prototype.toString.call(v))) refuse(v);
  return writeMembers(v, Object.keys(v));
}

function writeMembers(v, keys) {
  let out = "";
  for (const k of keys) out += (out && ",") + memberText(k) + write(v[k]);
  return `{${out}}`;
}

function writeArray(a) {
  const keys = Object.keys(a), n = a.length;
  let out = "";
  if (keys.length === n && (n === 0 || keys[n - 1] === String(n - 1))) {
    for (let i = 0; i < n; i++) out += (i ? "," : "") + write(a[i]);
    return `[${out}]`;
  }
  const others = keys.filter((k) => !(k >>> 0 < n && String(k >>> 0) === k)), present = keys.length - others.length;
  if (n - present > 16 + 4 * present) return `Object.assign(new Array(${n}),${writeMembers(a, keys)})`;
  for (let i = 0; i < n; i++) {
    const own = Object.hasOwn(a, i);
    out += (own ? write(a[i]) : "") + (own && i === n - 1 ? "" : ",");
  }
  return others.length ? `Object.assign([${out}],${writeMembers(a, others)})` : `[${out}]`;
}

function writeError(v) {
  const own = (k) => {
    const d = Object.getOwnPropertyDescriptor(v, k);
    return d && "value" in d ? d : undefined;
  };
  const message = own("message"), cause = own("cause"), stack = v.stack;
  let out = `new ${Object.hasOwn(ERRORS, v.name) ? v.name : "Error"}(${message ? quote(String(message.value)) : ""}`;
  if (cause) out += `${message ? "" : "undefined"},{"cause":${write(cause.value)}}`;
  return typeof stack === "string" ? `Object.assign(${out}),{"stack":${quote(stack)}})` : out + ")";
}

function writeBuffer(b) {
  if (types.isSharedArrayBuffer(b)) refuse(b);
  if (b.detached) throw new TypeError("An ArrayBuffer is detached and could not be cloned.");
  const bytes = new Uint8Array(b);
  if (!b.resizable) return bytesText(bytes) + ".buffer";
  return `Object.assign(new Uint8Array(new ArrayBuffer(${b.byteLength},{maxByteLength:${b.maxByteLength}})),[${bytes}]).buffer`;
}

function writeView(v) {
  const window = isTracking(v) ? [v.byteOffset || []].flat() : [v.byteOffset, v.length ?? v.byteLength];
  return `new ${viewTag.call(v) ?? "DataView"}(${[writeOnce(v.buffer, writeBuffer), ...window]})`;
}

/** Whether a view follows the length of its resizable buffer: seen on a copy of it. */
function isTracking(view) {
  if (!view.buffer.resizable) return false;
  const copy = structuredClone(view), { buffer, byteLength, byteOffset } = copy, n = buffer.byteLength;
  const grows = n < buffer.maxByteLength;
  buffer.resize(grows ? buffer.maxByteLength : byteOffset);
  try {
    return grows ? copy.byteLength > byteLength : byteLength > 0 && copy.byteOffset === byteOffset;
  } catch {
    return false;                               // a DataView out of bounds
  }
}

/** Any value as JS text. */
function toText(v) {
  met = new Set();
  again = new Map();
  again.labels = 0;
  const text = write(v);
  if (again.size === 0) return text;
  met.clear();
  return write(v);
}

/** What is bound for the parameter of kv_value(): JS text, or the bytes of a Uint8Array. */
function toBound(v) {
  if (typeof v !== "object" || v === null) return write(v);
  if (v instanceof KvU64) return `new Deno.KvU64(${v.value}n)`;
  if (!isUint8Array(v)) return toText(v);
  if (types.isSharedArrayBuffer(v.buffer)) refuse(v.buffer);
  return Uint8Array.prototype.slice.call(v);
}

// ------------------------------------------------------------- reading

const NEGATIVE_NAN = new Float64Array(new BigUint64Array([0xfff8000000000000n]).buffer)[0];
const NUMBER = /-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Infinity|NaN)/y;
const NAME = /[A-Za-z0-9.]+/y;
const LITERAL = /\/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+)\/([a-z]*)/y;
const LABEL = /<ref \*(\d+)> |\[Circular \*(\d+)\]/y;
const WORDS = { true: true, false: false, null: null, undefined: undefined };

// The text that is being read, how far, and its objects with numbers.
let text, at, refs;

function fail() {
  const host = /^\[HostObject (\S+)/.exec(text.slice(at));
  throw new TypeError(host ? `kv: a ${host[1]} can be read in Deno only`
    : `kv: unexpected JS text at ${at}: ${text.slice(at, at + 20)}`);
}

function match(re) {
  re.lastIndex = at;
  const m = re.exec(text);
  if (m === null) fail();
  at = re.lastIndex;
  return m;
}

/** Pass over these characters if they come next. */
function skip(s) {
  if (s.length === 1 ? text[at] !== s : !text.startsWith(s, at)) return false;
  at += s.length;
  return true;
}

function expect(s) {
  if (!skip(s)) fail();
}

function keep(label, v) {
  if (label) refs.set(label, v);
  return v;
}

function read(label) {
  switch (text.charCodeAt(at)) {
    case 0x22:                                  // "
      return readString();
    case 0x7b:                                  // {
      return readMembers(keep(label, {}));
    case 0x5b:                                  // [
      if (text[at + 1] === "C") return refs.get(match(LABEL)[2]);
      return text[at + 1] === "H" ? fail() : readArray(keep(label, []));
    case 0x3c:                                  // <
      return read(match(LABEL)[1]);
    case 0x2f: {                                // /
      const [, source, flags] = match(LITERAL);
      return keep(label, new RegExp(source, flags));
    }
    case 0x66: case 0x6e: case 0x74: case 0x75: case 0x4f:
      return readWord(label);                   // f n t u O
  }
  return readNumber();
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
  const s = text.slice(from + 1, end);
  if (!s.includes("\\")) {
    at = end + 1;
    return s;
  }
  for (end = from + 1; text[end] !== '"'; end++) if (text[end] === "\\") end++;
  at = end + 1;
  return JSON.parse(text.slice(from, at));
}

function readMembers(o) {
  expect("{");
  while (text.charCodeAt(at) !== 0x7d) {        // }
    const computed = skip("["), k = readString();
    if (computed) expect("]");
    expect(":");
    const v = read();
    if (computed || o instanceof Error) define(o, k, v);
    else o[k] = v;
    if (text.charCodeAt(at) === 0x2c) at++;     // ,
  }
  at++;
  return o;
}

function define(o, k, value) {
  Object.defineProperty(o, k, { value, writable: true, enumerable: !(o instanceof Error), configurable: true });
}

function readArray(a) {
  expect("[");
  let n = 0;
  for (; !skip("]"); n++) {
    if (skip(",")) continue;                    // a hole
    a[n] = read();
    skip(",");
  }
  a.length = n;
  return a;
}

function readWord(label) {
  if (skip("new")) return readNew(label);
  const [name] = match(NAME);
  if (name === "Object") return keep(label, Object(readOne()));
  if (name !== "Object.assign") return Object.hasOwn(WORDS, name) ? WORDS[name] : fail();
  expect("(");
  const v = read(label);
  expect(",");
  if (ArrayBuffer.isView(v)) {                  // the content of a resizable buffer
    v.set(readArray([]));
    expect(").buffer");
    return keep(label, v.buffer);
  }
  readMembers(v);
  expect(")");
  return v;
}

/** The only argument of a call. */
function readOne() {
  expect("(");
  const v = read();
  expect(")");
  return v;
}

function readNew(label) {
  if (text.startsWith(' Date("', at) && text[at + 31] === '"') {
    at += 33;
    return keep(label, new Date(text.slice(at - 26, at - 2)));
  }
  expect(" ");
  const [name] = match(NAME);
  if (Object.hasOwn(VIEWS, name)) return readView(VIEWS[name], label);
  if (Object.hasOwn(ERRORS, name)) return readError(ERRORS[name], label);
  switch (name) {
    case "Date":
      return keep(label, new Date(readOne()));
    case "Map":
      return readItems(keep(label, new Map()), (map) => {
        expect("[");
        const k = read();
        expect(",");
        map.set(k, read());
        expect("]");
      });
    case "Set":
      return readItems(keep(label, new Set()), (set) => set.add(read()));
    case "RegExp": {
      expect("(");
      const source = readString();
      expect(",");
      const v = new RegExp(source, readString());
      expect(")");
      return keep(label, v);
    }
    case "Array":
      return keep(label, new Array(readOne()));
    case "ArrayBuffer":
      return readArrayBuffer(label);
    case "Deno.KvU64":
      return new KvU64(readOne());
    case "Number": case "String": case "Boolean":
      return keep(label, Object(readOne()));
  }
  fail();
}

function readItems(v, readItem) {
  if (skip("()")) return v;
  expect("([");
  while (!skip("])")) {
    readItem(v);
    skip(",");
  }
  return v;
}

function readError(Type, label) {
  expect("(");
  const v = keep(label, text[at] === '"' ? new Type(readString()) : new Type());
  define(v, "stack", undefined);
  skip("undefined");
  if (skip(',{"cause":')) {
    define(v, "cause", read());
    expect("}");
  }
  expect(")");
  return v;
}

function readArrayBuffer(label) {
  expect("(");
  const n = readNumber(), resizable = skip(",{maxByteLength:");
  const b = resizable ? new ArrayBuffer(n, { maxByteLength: readNumber() }) : new ArrayBuffer(n);
  expect(resizable ? "})" : ")");
  return keepBuffer(b, label);
}

/** A buffer, immutable if the text says so and this engine can. */
function keepBuffer(b, label) {
  return keep(label, skip(".transferToImmutable()") ? b.transferToImmutable?.() ?? b : b);
}

function readView(View, label) {
  expect("(");
  if (text[at] === "[" && text[at + 1] !== "C") {
    const view = new View(readElements());
    expect(")");
    return skip(".buffer") ? keepBuffer(view.buffer, label) : keep(label, view);
  }
  const args = [read()];
  while (skip(",")) args.push(readNumber());
  expect(")");
  return keep(label, new View(...args));
}

function readElements() {
  const elements = text.slice(at, text.indexOf("]", at) + 1);
  if (/[nNI]/.test(elements)) return readArray([]);
  at += elements.length;
  return JSON.parse(elements);
}

/** The value of a text that the extension made: by JSON.parse() if it looks like JSON. */
function fromText(s) {
  if (!/new |\dn|undefined/.test(s)) {
    try {
      return JSON.parse(s);
    } catch {
      // more than JSON
    }
  }
  text = s;
  at = 0;
  refs = new Map();
  const v = read();
  if (at !== s.length) fail();
  return v;
}

module.exports = { fromText, toText, toBound, bytesText, numberText, isUint8Array };
