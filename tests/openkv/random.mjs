// random.mjs -- random programs of 100 calls each, on a store of their own: a line for
// each program, with a digest of all results, which is to be that of the real Deno.
// Values hold windows, resizable and shared buffers, keys are too long, operands wrong.
//
//   random.mjs DRIVER DIR SEED FIRST COUNT     with KV_TRACE in the environment a line for each call
import { createHash } from "node:crypto";
import process from "node:process";
import { args, KvU64, openKv } from "./lib.mjs";

const [seed, first, count] = args.map(Number);
const trace = process.env.KV_TRACE !== undefined;
let state = 0;

/** A whole number below n. */
function int(n) {
  state = state + 0x6d2b79f5 | 0;
  let t = Math.imul(state ^ state >>> 15, state | 1);
  t ^= t + Math.imul(t ^ t >>> 7, t | 61);
  return ((t ^ t >>> 14) >>> 0) % n;
}
const pick = (list) => list[int(list.length)];
const some = (n, f) => Array.from({ length: int(n) }, f);

// ------------------------------------------------------------------ values
const strings = ["", "a", "b", "users", "\u00e9", "\u20ac\u{1f600}", "a\0b", "\ud800", '"\\', "x".repeat(300)];
const numbers = [0, -0, 1, -1, 42, 1.5, NaN, Infinity, -Infinity, 2 ** 53, 1e21, 5e-324, -1e-7];
const bigints = [0n, 1n, -1n, 255n, 2n ** 63n, -(2n ** 64n), 10n ** 40n];

/** A buffer: of fixed length, resizable, shared or transferred. */
function buffer() {
  const n = int(9), kind = int(20);
  if (kind === 0) return new SharedArrayBuffer(n);
  const b = kind < 5 ? new ArrayBuffer(n, { maxByteLength: n + int(9) }) : new ArrayBuffer(n);
  for (let i = 0, bytes = new Uint8Array(b); i < n; i++) bytes[i] = int(256);
  if (kind === 5) structuredClone(b, { transfer: [b] });
  return b;
}

/** A view of all or of a part of a buffer. */
function view(b = buffer()) {
  const Class = pick([Uint8Array, Uint8Array, Uint8Array, Int8Array, Uint16Array, Float64Array, DataView, Uint8ClampedArray, BigInt64Array]);
  const size = Class.BYTES_PER_ELEMENT ?? 1, items = Math.floor(b.byteLength / size);
  if (b.byteLength === 0 || items === 0) return b.byteLength ? new Uint8Array(b) : new Uint8Array(int(3));
  const from = int(items), length = int(items - from + 1);
  return pick([() => new Class(b, from * size, length), () => new Class(b, 0, items), () => new Uint8Array(b)])();
}

function value(depth = 3) {
  const below = () => value(depth - 1);
  switch (int(depth > 0 ? 24 : 12)) {
    case 0: return pick([null, undefined, true, false]);
    case 1: return pick(bigints);
    case 2: case 3: return pick(numbers);
    case 4: case 5: return pick(strings);
    case 6: case 7: case 8: return view();
    case 9: return buffer();
    case 10: return pick([new Date(int(1e9)), new Date(NaN), /a\/b/gi, Object(1n), new Number(-0), new String("s"), new KvU64(BigInt(int(99)))]);
    case 11: return int(30) ? int(2000) - 1000 : pick([() => 1, Symbol("s"), new WeakMap(), [].values(), Promise.resolve(1), new Proxy({}, {})]);
    case 12: return new Map(some(4, () => [below(), below()]));
    case 13: return new Set(some(4, below));
    case 14: return Object.assign(new RangeError("m", int(2) ? { cause: below() } : undefined), { stack: "at" });
    case 15: {
      const part = below(), b = buffer();
      return pick([[part, part], [view(b), view(b)], { part, again: [part] }]);
    }
    case 16: {
      const o = { list: [below()] };
      o.list.push(o);
      return o;
    }
    case 17: return Object.assign(some(5, below), int(3) ? {} : { length: int(40), name: 1 });
    case 18: case 19: case 20: return some(6, below);
    default: return Object.fromEntries(some(5, () => [pick(["a", "b", "__proto__", "1", "x y", ""]), below()]));
  }
}

/** A value as text, whatever the engine: types, windows, what is shared. */
function show(v, seen = new Map()) {
  if (typeof v === "symbol" || typeof v === "function") return typeof v;
  if (typeof v === "string") return JSON.stringify(v);
  if (typeof v === "bigint") return `${v}n`;
  if (Object.is(v, -0)) return "-0";
  if (v === null || typeof v !== "object") return String(v);
  if (seen.has(v)) return `#${seen.get(v)}`;
  seen.set(v, seen.size);
  const inner = (x) => show(x, seen), list = (o, keys = Object.keys(o)) => keys.map((k) => `${JSON.stringify(k)}:${inner(o[k])}`).join();
  if (v instanceof KvU64) return `U64 ${v.value}`;
  if (v instanceof Date) return `Date ${+v}`;
  if (v instanceof RegExp) return `RegExp ${v}`;
  if (v instanceof Map) return `Map[${[...v].map(([k, x]) => `${inner(k)}=${inner(x)}`)}]`;
  if (v instanceof Set) return `Set[${[...v].map(inner)}]`;
  if (v instanceof ArrayBuffer) return `Buffer(${v.resizable ? v.maxByteLength : ""} ${new Uint8Array(v)})`;
  if (ArrayBuffer.isView(v)) return `${v.constructor.name}(${v.byteOffset} ${v.byteLength} ${inner(v.buffer)})`;
  if (v instanceof Error) return `${v.name}(${v.message} ${v.stack} ${"cause" in v ? inner(v.cause) : ""})`;
  if (v instanceof Number || v instanceof String || typeof v.valueOf() === "bigint") return `Object(${show(v.valueOf())})`;
  if (Array.isArray(v)) return `${v.length}[${list(v)}]`;
  return `{${list(v)}}`;
}

// -------------------------------------------------------------------- keys
const parts = ["a", "b", "users", 1, 2, -1.5, 1n, -(2n ** 70n), true, false, "\u00e9", "", "a\0"];

function key() {
  if (int(60) === 0) return pick([[], ["x".repeat(2100)], [null], ["a", {}], "a", [new Uint8Array(new ArrayBuffer(2, { maxByteLength: 3 }))]]);
  const k = Array.from({ length: 1 + int(3) }, () => int(12) ? pick(parts) : view(new Uint8Array([1, 2, 3, 4]).buffer));
  return k;
}

// ---------------------------------------------------------------- programs
const stamps = [null];          // of the commits, which results name by their number
const rank = (stamp) => stamps.indexOf(stamp);
const line = (e) => `${show(e.key)} ${show(e.value)} ${rank(e.versionstamp)}`;
let cursor;

function committed(r) {
  if (!r.ok) return "conflict";
  return r.versionstamp > (stamps.at(-1) ?? "") ? stamps.push(r.versionstamp) : `${r.versionstamp} after ${stamps.at(-1)}`;
}

function atomic(kv) {
  const op = kv.atomic();
  for (let n = int(3); n > 0; n--) op.check({ key: key(), versionstamp: int(3) ? null : pick(stamps) });
  // (Deno keeps the mutations before one that fails.)
  if (int(3) === 0) {
    const type = pick(["sum", "sum", "min", "max"]), k = ["n", int(3)];
    const operand = pick([new KvU64(BigInt(int(9))), new KvU64(BigInt(int(9))), int(9), 1.5, BigInt(int(9)), "x", view()]);
    op.mutate({ type, key: k, value: type === "sum" || operand instanceof KvU64 ? operand : new KvU64(1n) });
  }
  for (let n = int(4); n > 0; n--) {
    if (int(3)) op.set(key(), value(), pick([undefined, {}, { expireIn: 1e9 }]));
    else if (int(2)) op.delete(key());
    else op.enqueue(value(), { delay: 1e8 + int(1e6) });
  }
  return op.commit();
}

function selector() {
  const k = () => some(3, () => pick(parts)), prefix = k();
  return pick([{ prefix: [] }, { prefix }, { prefix, start: [...prefix, pick(parts), pick(parts)] }, { prefix, end: [...prefix, pick(parts), pick(parts)] },
    { start: k(), end: k() }, { start: [], end: [true] }, { prefix: ["a"], start: ["b"] }]);
}

async function list(kv) {
  const s = selector(), reverse = int(3) === 0, limit = pick([undefined, 1, 2, 5, 100]), batchSize = pick([undefined, 1, 3, 500]);
  // (Backwards Deno leaves a prefix by a cursor of elsewhere, and an empty one is none to it.)
  const given = int(4) === 0 && cursor && !reverse ? cursor : undefined;
  const it = kv.list(s, { reverse, limit, batchSize, cursor: given });
  const lines = [];
  for await (const e of it) lines.push(line(e));
  if (lines.length) cursor = it.cursor;
  return `${show(s)} ${reverse} ${limit} ${given}: ${lines.join("; ")} ${lines.length ? it.cursor : ""}`;
}

async function call(kv) {
  switch (int(10)) {
    case 0: case 1: case 2: return `set ${committed(await kv.set(key(), value()))}`;
    case 3: return line(await kv.get(key()));
    case 4: return (await kv.getMany(some(12, key))).map(line).join("; ");
    case 5: return `delete ${await kv.delete(key())}`;
    case 6: case 7: return `atomic ${committed(await atomic(kv))}`;
    default: return await list(kv);
  }
}

for (let n = first; n < first + count; n++) {
  state = seed * 1e6 + n | 0;
  stamps.length = 1;
  cursor = undefined;
  const kv = await openKv(), hash = createHash("sha256");
  for (let i = 0; i < 100; i++) {
    let text;
    try {
      text = await call(kv);
    } catch (e) {
      text = `${e.name}: ${e.message}`;
    }
    // What is refused is named by its source, or by what engines call it.
    text = text.replace(/^(\w+Error: )[^]* could not be cloned\.$/, "$1could not be cloned");
    if (trace) console.log(`${n} ${i} ${text}`);
    hash.update(text.toWellFormed?.() ?? text);
  }
  kv.close();
  console.log(`program ${n}: ${hash.digest("hex").slice(0, 16)}`);
}
process.exit(0);
