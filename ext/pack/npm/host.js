// host.js -- objects that aren't JavaScript's own: which of them no clone can hold, and
// Deno's host objects (Blob, CryptoKey ...).  Deno stores one as a description, from
// which it is made again when it is read; elsewhere it is opaque.
"use strict";

const { types } = require("node:util");

const HOST_OBJECTS = ["Blob", "File", "CryptoKey", "DOMException", "NodeCryptoKeyObject", "X509Certificate",
  "EventLoopDelayHistogram", "RecordableHistogram"];

// What Deno's host objects describe themselves with.
const BRAND = Symbol.for("Deno.core.hostObject");

/** A host object where it can't be made: shown, and set again as it was read. */
class KvHostObject {
  #description; #raw;

  constructor(description, raw) {
    const { type, mimeType, keyType, name, size, keyData, data } = description;
    this.kind = type;
    this.type = mimeType ?? keyType ?? (type === "DOMException" ? name : undefined);
    this.size = size ?? (keyData?.data ?? keyData ?? data)?.length;
    this.#description = description;
    this.#raw = raw;
    Object.freeze(this);
  }

  static description(v) { return #description in v ? v.#description : undefined; }

  /** The stored bytes that it was read from, if it was all of them. */
  static raw(v) { return v !== null && typeof v === "object" && #description in v ? v.#raw : undefined; }
}

/** The description of a host object, or undefined. */
function describe(v) {
  const brand = globalThis.Deno && v[BRAND];
  if (!brand) return KvHostObject.description(v);
  if (typeof brand !== "function") throw new TypeError("Unsupported object type");
  return v[BRAND]();
}

/** The host object of a description: in Deno its own, which a clone makes. */
function hostObject(description, raw) {
  if (globalThis.Deno && HOST_OBJECTS.includes(description.type)) {
    try {
      void globalThis.crypto.subtle;            // a CryptoKey made before this is none
      return structuredClone({ [BRAND]: () => description });
    } catch { /* it describes none */ }
  }
  return new KvHostObject(description, raw);
}

// ------------------------------------------------------------- refused

function refuse(v, Class = TypeError) {
  let text = typeof v === "object" ? "#<Object>" : String(v);
  if (typeof v === "object" && !types.isProxy(v) && !types.isArgumentsObject(v)) {
    const { constructor: Made, toString } = v;
    const tag = Object.prototype.toString.call(v), isPlain = tag === "[object Object]";
    const isNamed = isPlain || toString === Object.prototype.toString && Made !== Object && Made !== globalThis.Iterator;
    text = isNamed && typeof Made === "function" && Made.name ? `#<${Made.name}>` : tag;
  }
  throw new Class(`${text} could not be cloned.`);
}

// Classes of Node's modules whose objects look empty.
const OPAQUE = {
  X509Certificate: "node:crypto", Hmac: "node:crypto", Cipheriv: "node:crypto", Decipheriv: "node:crypto", StringDecoder: "node:string_decoder",
};

/** The prototypes whose objects aren't cloned. */
function refusedPrototypes() {
  const { Intl, WebAssembly, Temporal, Iterator } = globalThis;
  const names = ["WeakMap", "WeakSet", "WeakRef", "FinalizationRegistry", "Promise", "Symbol", "DisposableStack",
    "AsyncDisposableStack", "DOMException", "Blob", "CryptoKey", "ReadableStream", "WritableStream", "TransformStream", "MessagePort",
    "MessageChannel", "Performance"];
  const classes = names.map((name) => globalThis[name]);
  for (const space of [Intl, WebAssembly, Temporal]) {
    if (space) classes.push(...Object.getOwnPropertyNames(space).map((name) => space[name]));
  }
  const segments = Intl && new Intl.Segmenter().segment("");
  const made = [[].values(), new Map().values(), new Set().values(), ""[Symbol.iterator](), "".matchAll(/a/g), segments,
    segments?.[Symbol.iterator](), [].values().map?.((v) => v), Iterator?.from?.({ next() {} })];
  const found = [...classes.map((Class) => Class?.prototype), ...made.map((v) => v && Object.getPrototypeOf(v))];
  return new Set(found.filter((p) => p && !(p instanceof Error && p !== globalThis.DOMException?.prototype)));
}

let refused, refusedTags;

const tagOf = (p) => Object.getOwnPropertyDescriptor(p, Symbol.toStringTag)?.value;

/** Whether a prototype of another context (node:vm, Jest) is a built-in one of objects that aren't cloned. */
function isRefusedElsewhere(p) {
  if (!refusedTags.has(tagOf(p))) return false;
  const isNative = (f) => typeof f === "function" && /\{\s*\[native code\]\s*\}$/.test(Function.prototype.toString.call(f));
  return ["constructor", "next"].some((name) => isNative(Object.getOwnPropertyDescriptor(p, name)?.value));
}

/** Refuse an object that isn't cloned, although it looks like an empty one. */
function check(v) {
  refused ??= refusedPrototypes();
  refusedTags ??= new Set([...refused].map(tagOf).filter((tag) => typeof tag === "string"));
  const chain = [];
  for (let p = Object.getPrototypeOf(v); p !== null; p = Object.getPrototypeOf(p)) chain.push(p);
  if (chain.some(chain.at(-1) === Object.prototype ? (p) => refused.has(p) : isRefusedElsewhere)) refuse(v);
  const isRefused = v === globalThis || types.isGeneratorObject(v) || types.isModuleNamespaceObject(v)
    || types.isKeyObject?.(v) || JSON.isRawJSON?.(v);
  if (isRefused) refuse(v);
  // Classes of Node's modules, of which only what has been loaded can have objects.
  const { name } = v.constructor ?? {};
  const module = OPAQUE[name];
  if (module && v instanceof require(module)[name]) refuse(v);
  if (/Histogram$/.test(name) && "percentiles" in v && "exceeds" in v) refuse(v);
}

module.exports = { HOST_OBJECTS, KvHostObject, describe, hostObject, refuse, check };
