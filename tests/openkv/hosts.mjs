// hosts.mjs -- objects that aren't JavaScript's own: those that Deno stores, from a store
// that it made, and those that no runtime stores.
//
//   hosts.mjs Deno DIR make      the real Deno makes DIR/hosts.db
//   hosts.mjs DRIVER DIR use     reads, checks, copies, sends and deletes what is in it
//   hosts.mjs Deno DIR read      the real Deno prints the copies
import crypto from "node:crypto";
import perf from "node:perf_hooks";
import { Buffer } from "node:buffer";
import vm from "node:vm";
import { inspect } from "node:util";
import process from "node:process";
import { StringDecoder } from "node:string_decoder";
import { args, collect, dir, fails, finish, openKv, same, until } from "./lib.mjs";

const inDeno = globalThis.Deno !== undefined;
const file = `${dir}/hosts.db`;
const subtle = globalThis.crypto.subtle;

/** One of each. */
async function make() {
  const aes = await subtle.importKey("raw", new Uint8Array(16).fill(7), "AES-GCM", true, ["encrypt"]);
  const blob = new Blob(["hello"], { type: "text/plain" });
  return {
    aes, blob, file: new File(["x"], "n\u20ac.txt", { type: "text/plain" }), error: new DOMException("gone", "AbortError"),
    key: crypto.createSecretKey(Buffer.from("abcd")), ec: (await subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"])).privateKey,
    object: { aes, list: [aes, new DOMException("q")], text: "\u20ac" }, map: new Map([["blob", blob], ["n", 1n]]),
  };
}

const SHOWN = {
  aes: ["CryptoKey", "secret", 16], blob: ["Blob", "text/plain", 5], file: ["File", "text/plain", 1], error: ["DOMException", "AbortError", undefined],
  key: ["NodeCryptoKeyObject", "secret", 4], ec: ["CryptoKey", "private", 138],
};
const isKind = {
  aes: (v) => v instanceof CryptoKey && v.algorithm.length === 128, blob: (v) => v instanceof Blob && v.type === "text/plain" && v.size === 5,
  file: (v) => v instanceof File && v.name === "n\u20ac.txt", error: (v) => v instanceof DOMException && v.message === "gone" && v.code === 20,
  key: (v) => v.type === "secret" && v.export().toString() === "abcd", ec: (v) => v.algorithm.namedCurve === "P-256",
  object: (v) => v.aes === v.list[0] && isKind.aes(v.aes) && v.list[1].message === "q" && v.text === "\u20ac",
  map: (v) => isKind.blob(v.get("blob")) && v.get("n") === 1n,
};

async function makeStore() {
  const kv = await openKv(file);
  for (const [name, v] of Object.entries(await make())) await kv.set([name], v);
  await kv.set(["~"], "the last one");
  kv.close();
}

async function read() {
  const kv = await openKv(file), lines = [];
  for await (const { key, value } of kv.list({ prefix: ["copy"] })) {
    lines.push(`${key[1]} ${isKind[key[1]](value)}`);
    if (key[1] === "aes") await subtle.encrypt({ name: "AES-GCM", iv: new Uint8Array(12) }, value, new Uint8Array(1));
  }
  lines.push(...(await kv.getMany([["made", "aes"], ["made", "error"]])).filter((e) => e.versionstamp).map((e) => `made ${isKind[e.key[1]](e.value)}`));
  return lines.join("\n");
}

if (args[0] === "make") {
  await makeStore();
  process.exit(0);
} else if (args[0] === "read") {
  console.log(await read());
  process.exit(0);
}

// ------------------------------------------------------------ those of Deno
const kv = await openKv(file);
const rawOf = async (...key) => (await kv.sql`SELECT hex(raw) AS raw FROM kv_entries WHERE key = ${key}`)[0]?.raw;
const malformed = async () => {
  await kv.sql`INSERT INTO kv(k, v, v_encoding, version) VALUES (kv_key_encode('["m"]'), x'ff0f41', 1, 1), (kv_key_encode('["n"]'), x'ff0f5c05', 1, 1),
    (kv_key_encode('["o"]'), x'ff0f5cffffffff0f6f2204747970652203612062220161497b02', 1, 1), (x'00ff12', x'ff0f30', 1, 1)`;
};
await malformed();
const entries = [];
for (const batchSize of [1, 2, 100]) {
  const list = await collect(kv.list({ start: [], end: [true] }, { batchSize }));
  same("every entry is listed", [list.length, list.at(-1).value], [13, "the last one"]);
  entries.splice(0, 13, ...list);
}
same("what is malformed is opaque", entries.filter((e) => /^[mno]$/.test(e.key[0])).map((e) => [e.value.kind, e.value.size]).slice(0, 2),
  [["malformed", 3], ["malformed", 4]]);
await fails("but not when it is asked for", () => kv.get(["m"]), "RangeError", "could not deserialize value");
await fails("a malformed value", () => kv.set(["m2"], entries.find((e) => e.key[0] === "m").value), "TypeError",
  "kv: raw: value ends too early (at offset 4)");
await fails("one in an object", () => kv.set(["m2"], { m: entries.find((e) => e.key[0] === "m").value }), "TypeError",
  "kv: a value of the kind malformed can't be stored in another");
same("of many", (await kv.getMany([["m"], ["~"]]))[1].value, "the last one");
for (const key of ["m", "n", "o"]) await kv.delete([key]);

const known = entries.filter((e) => e.key[0] in isKind);
same("each of Deno's is there", known.length, 8);
for (const e of known) {
  const [name] = e.key, { value } = e;
  if (inDeno) {
    same(`${name} is one`, isKind[name](value), true);
  } else if (SHOWN[name]) {
    same(`${name} is opaque`, [value.kind, value.type, value.size], SHOWN[name]);
    same(`${name} can't be changed`, Object.isFrozen(value), true);
  }
  // In Deno a Blob of a process that has ended can't be stored again.
  if (inDeno && /blob|file|map/.test(name)) continue;
  const before = await rawOf(name);
  same(`${name} is copied beside a check`, (await kv.atomic().check(e).set(["copy", name], value).commit()).ok, true);
  const after = await rawOf("copy", name);
  // Those in an object are written anew.
  if (SHOWN[name] && !inDeno) same(`${name} is copied byte for byte`, after, before);
  const copy = (await kv.get(["copy", name])).value;
  if (inDeno) same(`the copy of ${name}`, isKind[name](copy), true);
  else same(`the copy of ${name}`, copy, value);
  same(`a check of ${name} that is out of date`, await kv.atomic().check({ key: e.key, versionstamp: null }).delete(e.key).commit(), { ok: false });
  await kv.delete(e.key);
  same(`${name} is deleted`, (await kv.get(e.key)).versionstamp, null);
}
if (!inDeno) {
  const { value } = await kv.get(["copy", "aes"]);
  const shared = [value, { value }, value];
  await kv.set(["shared"], shared);
  same("one of them twice", (([a, { value: b }, c]) => a === b && a === c)((await kv.get(["shared"])).value), true);
  await kv.set(["shared"], { ...(await kv.get(["copy", "object"])).value, text: "new" });
  same("in an object that is changed", (await kv.get(["shared"])).value.text, "new");
  await fails("in kv.sql", () => kv.sql`SELECT ${shared} AS x`, "TypeError", "kv: a host object has no JS text");
  same("in the console", /^AtomicOperation\n  set\(.*CryptoKey/s.test(inspect(kv.atomic().set(["a"], shared), { depth: 9 })), true);
}
// A view that an engine may not have.
delete globalThis.Float16Array;
const HALVES = [["f", "new Float16Array([1.5,2])"], ["g", '{"a":new Float16Array(<ref *1> new Uint8Array([1,2,3,4]).buffer,2,1),"b":new Uint8Array([Circular *1],1,1)}']];
for (const [k, js] of HALVES) {
  await kv.sql`INSERT INTO kv_entries(key, js) VALUES (${[k]}, ${js})`;
  const { value } = await kv.get([k]), half = value.a ?? value;
  same("a Float16Array", [half.kind, half.size], ["Float16Array", k === "f" ? 4 : 2]);
  await kv.set(["copy of", k], value);
  same("and its copy", await rawOf("copy of", k), await rawOf(k));
  await kv.delete([k]);
  await kv.delete(["copy of", k]);
}
const { value: sent } = await kv.get(["copy", "aes"]), got = [];
await kv.enqueue({ sent });
const listener = kv.listenQueue((m) => void got.push(m.sent));
await until("a message", () => got.length === 1);
if (inDeno) same("with a CryptoKey", isKind.aes(got[0]), true);
else same("with a CryptoKey", got[0], sent);

// ------------------------------------------------------------ what is made here
const own = await make();
for (const [name, v] of Object.entries(own)) {
  if (inDeno) {
    await kv.set(["made", name], v);
    same(`${name} is stored`, isKind[name]((await kv.get(["made", name])).value), true);
  } else {
    const part = { object: v.aes, map: own.blob }[name] ?? v, words = name === "error" ? "[object DOMException]" : `#<${part.constructor.name}>`;
    for (const value of [v, { v }, [v], new Map([[1, v]])]) {
      let message = "no error";
      await kv.set(["made"], value).catch((e) => message = `${e.name}: ${e.message}`);
      same(`${name} is refused`, message === `TypeError: ${words} could not be cloned.` || / could not be cloned\.$/.test(message) && globalThis.Bun !== undefined, true);
    }
  }
}
const G = globalThis;
const refused = {
  "#<Promise>": () => Promise.resolve(), "#<Sub>": () => new (class Sub extends Promise {})(() => {}), "#<WeakMap>": () => new WeakMap(), "#<WeakSet>": () => new WeakSet(),
  "#<WeakRef>": () => new WeakRef({}), "#<FinalizationRegistry>": () => new FinalizationRegistry(() => {}), "#<NumberFormat>": () => new Intl.NumberFormat(),
  "#<Segmenter>": () => new Intl.Segmenter(), "#<Memory>": () => new WebAssembly.Memory({ initial: 1 }), "#<SharedArrayBuffer>": () => new SharedArrayBuffer(1),
  "[object Generator]": () => (function* () {})(), "[object AsyncGenerator]": () => (async function* () {})(), "[object Symbol]": () => Object(Symbol("s")),
  "[object Array Iterator]": () => [].values(), "[object Map Iterator]": () => new Map().values(), "[object Set Iterator]": () => new Set().values(),
  "[object String Iterator]": () => ""[Symbol.iterator](), "[object RegExp String Iterator]": () => "".matchAll(/a/g), "[object Module]": () => import("node:path"),
  "[object Iterator Helper]": G.Iterator && (() => [].values().map((v) => v)), "#<Object>": () => new Proxy({}, {}),
  "#<DisposableStack>": G.DisposableStack && (() => new DisposableStack()), "#<AsyncDisposableStack>": G.AsyncDisposableStack && (() => new AsyncDisposableStack()),
  "[object Temporal.Instant]": G.Temporal && (() => Temporal.Now.instant()), "[object Temporal.Duration]": G.Temporal && (() => new Temporal.Duration(1)),
  "#<MessagePort>": () => new MessageChannel().port1, "#<ReadableStream>": () => new ReadableStream(), "#<TransformStream>": () => new TransformStream(),
  ...!inDeno && { "#<RecordableHistogram>": () => perf.createHistogram() },
};
for (const [name, f] of Object.entries(refused)) {
  if (!f) continue;
  const v = name === "[object Module]" ? await f() : f();
  for (const value of [{ v }, [[v]], new Set([v])]) {
    let message = "no error";
    await kv.set(["r"], value).catch((e) => message = e.message);
    const expected = inDeno && /MessagePort|Stream/.test(name) ? "Unsupported object type" : `${name} could not be cloned.`;
    same(`${name} is refused`, G.Bun ? / could not be cloned\.$/.test(message) : message, G.Bun ? true : expected);
  }
}
// In other contexts there are other classes.
for (const js of ["Promise.resolve()", "new WeakMap()", "new WeakRef({})", "[].values()", "new Map().keys()", "''.matchAll(/a/g)", "new Intl.NumberFormat()",
  "Object(Symbol())", "(function*(){})()", "(async function*(){})()", "new WebAssembly.Memory({ initial: 1 })", "new (class Sub extends WeakSet {})"]) {
  let message = "no error";
  await kv.set(["r"], { v: vm.runInNewContext(js) }).catch((e) => message = e.message);
  same(`of another context ${js}`, / could not be cloned\.$/.test(message), true);
}
if (!inDeno) {
  for (const v of [new MessageChannel(), G.performance, crypto.createHmac("sha256", "k"), new StringDecoder()]) {
    let message = "no error";
    await kv.set(["r"], v).catch((e) => message = e.message);
    same(`a ${v.constructor.name}`, / could not be cloned\.$/.test(message), true);
  }
}
same("nothing of these is stored", (await kv.get(["r"])).versionstamp, null);
const elsewhere = vm.runInNewContext(`({ a: [1, new Date(5)], m: new Map([[1, new Set([2])]]), r: /x/g, n: Object.create(null), c: new (class A { x = 1 }), b: new Uint8Array([1]),
  t: new (class { get [Symbol.toStringTag]() { return "Promise" } }), s: new (class Sub extends Map {})([[1, 2]]) })`);
await kv.set(["elsewhere"], elsewhere);
same("objects of another context", (await kv.get(["elsewhere"])).value,
  { a: [1, new Date(5)], m: new Map([[1, new Set([2])]]), r: /x/g, n: {}, c: { x: 1 }, b: new Uint8Array([1]), t: {}, s: new Map([[1, 2]]) });
// What only has the name is an object.
for (const name of ["Promise", "Blob", "Array Iterator", "Temporal.Instant", "CryptoKey"]) {
  await kv.set(["named"], { [Symbol.toStringTag]: name, a: 1 });
  same(`an object with the tag ${name}`, (await kv.get(["named"])).value, { a: 1 });
}
kv.close();
await listener;
finish();
