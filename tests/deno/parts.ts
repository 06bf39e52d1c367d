// parts.ts make FILE SIDE SEED COUNT -- random values in the KV file FILE, as
// ["base", n], each with a change of one part: what JavaScript makes of it is
// ["want", n].  The change is a row of the table part(n, op, path, kind, sql,
// fails) of the plain SQLite file SIDE: op is set or remove, kind says whether the
// new value is a typed one, ["new", n], or the plain one in sql, and fails
// whether it must be an error.
//
// parts.ts check FILE SIDE -- compare ["got", n] with ["want", n]; the table
// problem(n, what, detail) receives the differences.

import { DatabaseSync, difference, Random } from "./lib.ts";
import { bigint, number, string, value, ValueMaker } from "./gen.ts";

type Step = { key: string } | { index: number; end: boolean };
type Plain = null | number | bigint | string | Uint8Array;
class Fails extends Error {}

const isView = (v: unknown): v is Int8Array =>
  ArrayBuffer.isView(v) && !(v instanceof DataView);
const isObject = (v: unknown): v is Record<string, unknown> =>
  Object.prototype.toString.call(v) === "[object Object]" &&
  !(v instanceof Deno.KvU64);
const isIndex = (k: string) => /^(0|[1-9]\d{0,9})$/.test(k) && Number(k) < 2 ** 32 - 1;
const own = (o: object, k: string) => Object.prototype.hasOwnProperty.call(o, k);
const define = (o: object, k: string, v: unknown, enumerable = true) =>
  Object.defineProperty(o, k, { value: v, enumerable, writable: true, configurable: true });

/** The key or index of a step into a container. */
function at(o: unknown, s: Step): string | number {
  if ("key" in s) {
    if (isObject(o) || o instanceof Map) return s.key;
    if (o instanceof Error && ["message", "stack", "cause"].includes(s.key)) return s.key;
    if (Array.isArray(o) && own(o, s.key) && s.key !== "length" && !isIndex(s.key)) return s.key;
    throw new Fails("no member");
  }
  const n = Array.isArray(o) || isView(o)
    ? o.length
    : o instanceof Map || o instanceof Set
    ? o.size
    : -1;
  if (n < 0) throw new Fails("no elements");
  return s.end ? n - s.index : s.index;
}

function has(o: unknown, k: string | number): boolean {
  if (o instanceof Map && typeof k === "string") return o.has(k);
  if (o instanceof Map || o instanceof Set) return k as number >= 0 && k as number < o.size;
  return own(o as object, String(k));
}

function get(o: unknown, k: string | number): unknown {
  if (o instanceof Map) return typeof k === "string" ? o.get(k) : [...o.values()][k];
  if (o instanceof Set) return [...o][k as number];
  return (o as Record<string, unknown>)[k];
}

function put(o: unknown, k: string | number, v: unknown) {
  if (o instanceof Map) {
    if (typeof k === "number" && k >= o.size) throw new Fails("past the end");
    o.set(typeof k === "string" ? k : [...o.keys()][k], v);
  } else if (o instanceof Set) {
    const a = [...o];
    if (k as number > a.length) throw new Fails("past the end");
    a[k as number] = v;
    o.clear();
    for (const x of a) o.add(x);
  } else if (o instanceof Error) {
    if (k !== "cause" && typeof v !== "string") throw new Fails("a string");
    define(o, k as string, v, false);
  } else {
    if (Array.isArray(o) && typeof k === "number" && k > o.length) throw new Fails("past the end");
    if (typeof k === "number") (o as unknown[])[k] = v;
    else define(o as object, k, v);
  }
}

function cut(o: unknown, k: string | number) {
  if (isView(o)) throw new Fails("fixed length");
  if (o instanceof Map) o.delete(typeof k === "string" ? k : [...o.keys()][k]);
  else if (o instanceof Set) o.delete([...o][k as number]);
  else if (Array.isArray(o) && typeof k === "number") {
    for (let i = k; i + 1 < o.length; i++) {   // splice() would ask for o.constructor
      if (i + 1 in o) o[i] = o[i + 1];
      else delete o[i];
    }
    o.length--;
  }
  else delete (o as Record<string, unknown>)[k];
}

/** What a plain SQL value becomes in the place of another value. */
function take(v: Plain, there: boolean, old: unknown): unknown {
  if (v === null) return null;
  const wide = typeof v === "bigint" && (v > 2n ** 53n - 1n || v < -(2n ** 53n) + 1n);
  const whole = typeof v === "bigint" ||
    (typeof v === "number" && Number.isSafeInteger(v)) ||
    (typeof v === "string" && /^-?\d+$/.test(v));
  if (there && typeof old === "bigint") {
    if (whole) return BigInt(v as number);
    throw new Fails("bigint");
  }
  if (there && old instanceof Deno.KvU64) {
    if (whole && BigInt(v as number) >= 0n && BigInt(v as number) < 2n ** 64n) {
      return new Deno.KvU64(BigInt(v as number));
    }
    throw new Fails("KvU64");
  }
  if (there && old instanceof Date) {
    if (typeof v === "string" && /^\d{4}-\d\d-\d\d(T.*Z)?$/.test(v)) return new Date(v);
    throw new Fails("Date");
  }
  if (there && old instanceof ArrayBuffer) {
    if (!(v instanceof Uint8Array)) throw new Fails("ArrayBuffer");
    if (!old.resizable) return v.slice().buffer;
    if (v.length > old.maxByteLength) throw new Fails("too long");
    const b = new ArrayBuffer(v.length, { maxByteLength: old.maxByteLength });
    new Uint8Array(b).set(v);
    return b;
  }
  if (there && old !== null && typeof old === "object" && !(old instanceof Uint8Array)) {
    throw new Fails("an object");
  }
  if (wide) throw new Fails("wide");
  const x = typeof v === "bigint" ? Number(v) : v;
  if (there && typeof old === "boolean") {
    if (x === 0 || x === "false") return false;
    if (x === 1 || x === "true") return true;
  }
  return x;
}

/** Set an element of a typed array. */
function putElement(o: Int8Array, k: number, v: unknown, typed: boolean) {
  if (typeof v !== typeof o[k]) throw new Fails("type");
  const a = o.slice(k, k + 1);
  a[0] = v as number;
  const float = a instanceof Float32Array || a instanceof Float16Array;
  if (a[0] !== v && !Object.is(a[0], v) && !(typed && float && Number.isFinite(a[0]))) {
    throw new Fails("can't hold it");
  }
  o[k] = v as number;
}

/** What the rest of a path makes around a value. */
function make(steps: Step[], v: unknown): unknown {
  if (steps.length === 0) return v;
  const [s, ...rest] = steps;
  if ("key" in s) return define({}, s.key, make(rest, v));
  if (s.index !== 0) throw new Fails("past the end");
  return [make(rest, v)];
}

function set(root: unknown, steps: Step[], to: unknown, typed: boolean): unknown {
  const become = (there: boolean, old: unknown) => {
    if (!typed) return take(to as Plain, there, old);
    if (to instanceof Deno.KvU64 && steps.length) throw new Fails("KvU64 as a part");
    return to;
  };
  if (steps.length === 0) return become(true, root);
  let o = root;
  for (let i = 0;; i++) {
    const k = at(o, steps[i]);
    const there = has(o, k);
    const last = i === steps.length - 1;
    if (isView(o)) {
      if (!there || !last) throw new Fails("past the end");
      putElement(o, k as number, typed ? to : take(to as Plain, true, o[k as number]), typed);
      return root;
    }
    if (last || !there) {
      if (typeof k === "number" && k < 0) throw new Fails("before the start");
      if (!last && o instanceof Error && k !== "cause") throw new Fails("a string");
      put(o, k, make(steps.slice(i + 1), become(there, there ? get(o, k) : undefined)));
      return root;
    }
    o = get(o, k);
  }
}

function remove(root: unknown, steps: Step[]): unknown {
  if (steps.length === 0) throw new Fails("DELETE");
  let o = root;
  for (let i = 0;; i++) {
    const k = at(o, steps[i]);
    const n = Array.isArray(o) || isView(o) ? o.length : (o as Set<unknown>).size;
    if (typeof k === "number" && (k < 0 || k >= n)) throw new Fails("past the end");
    if (i === steps.length - 1) {
      if (typeof k === "number" || has(o, k)) cut(o, k);
      return root;
    }
    if (isView(o)) throw new Fails("a number");
    if (!has(o, k)) return root;
    o = get(o, k);
  }
}

/** A random path, which mostly leads to something. */
function path(r: Random, v: unknown): Step[] {
  const steps: Step[] = [];
  let o = v;
  while (steps.length < 6 && !r.chance(steps.length ? 15 : 2)) {
    let s: Step;
    const n = Array.isArray(o) || isView(o) ? o.length : o instanceof Set || o instanceof Map ? o.size : -1;
    const keys = isObject(o)
      ? Object.keys(o)
      : o instanceof Map
      ? [...o.keys()].filter((k) => typeof k === "string")
      : o instanceof Error
      ? ["message", "cause", "stack"]
      : Array.isArray(o)
      ? Object.keys(o).filter((k) => !isIndex(k))
      : [];
    if (r.chance(8)) {
      s = r.chance(50) ? { key: r.pick(["a", "", "new key", "é€", "0", "12", "__proto__", "\0\ud800"]) } : { index: r.int(4), end: r.chance(50) };
    } else if (keys.length && (n < 0 || r.chance(30))) {
      s = { key: r.pick(keys) };
    } else if (n >= 0) {
      s = { index: r.int(Math.max(1, n + (r.chance(25) ? 1 : 0))), end: r.chance(30) };
      if (s.end && s.index === 0 && r.chance(70)) s.index = 1;
    } else if (isObject(o)) {
      s = { key: "made" };
    } else if (steps.length) {
      return steps;
    } else {
      s = { key: "x" };
    }
    steps.push(s);
    try {
      const k = at(o, s);
      o = has(o, k) ? get(o, k) : undefined;
    } catch {
      o = undefined;
    }
    if (o === undefined && r.chance(60)) break;
  }
  return steps;
}

const text = (steps: Step[]) =>
  "$" + steps.map((s) =>
    "key" in s
      ? "." + (/^[A-Za-z]+$/.test(s.key) ? s.key : JSON.stringify(s.key))
      : s.end
      ? s.index ? `[#-${s.index}]` : "[#]"
      : `[${s.index}]`
  ).join("");

function plain(r: Random): Plain {
  switch (r.int(12)) {
    case 0:
      return null;
    case 1:
      return r.bytes(r.int(12));
    case 2:
      return r.pick([0, 1, "true", "false"]);
    case 3:
      return r.pick(["2024-02-29", "2024-01-31T12:00:00Z", "2024-01-31 12:00", "x"]);
    case 4:
      return r.pick([2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n - 1n]);
    case 5:
      return String(bigint(r));
    case 6:
    case 7: {
      const x = number(r);
      return Number.isNaN(x) ? 1.5 : x;
    }
    case 8:
      return string(r).toWellFormed().replaceAll("\0", "0");
    default:
      return r.int(300) - 20;
  }
}

async function makeAll(file: string, side: string, seed: number, count: number) {
  const r = new Random(seed);
  const kv = await Deno.openKv(file);
  const db = new DatabaseSync(side);
  db.exec(`PRAGMA synchronous=OFF;
    CREATE TABLE part(n INTEGER PRIMARY KEY, op TEXT, path TEXT, kind TEXT, sql, fails INT);
    BEGIN`);
  const add = db.prepare("INSERT INTO part VALUES(?,?,?,?,?,?)");
  for (let n = 0; n < count; n++) {
    let v = value(r);
    for (let i = 0; i < 4 && (v === null || typeof v !== "object"); i++) v = value(r);
    await kv.set(["base", n], v);
    const base = (await kv.get(["base", n])).value;
    const steps = path(r, base);
    const op = r.chance(35) ? "remove" : "set";
    const typed = r.chance(50);
    let to: unknown = plain(r);
    if (typed && op === "set") {
      const v = r.chance(10) ? value(r) : new ValueMaker(r, 1 + r.int(8)).value(3);
      await kv.set(["new", n], v instanceof Uint8Array ? [v] : v);
      to = (await kv.get(["new", n])).value;
    }
    let fails = 0;
    try {
      const want = op === "set" ? set(base, steps, to, typed) : remove(base, steps);
      await kv.set(["want", n], want);
    } catch (e) {
      if (!(e instanceof Fails)) throw e;
      fails = 1;
    }
    // deno-lint-ignore no-explicit-any
    add.run(n, op, text(steps), typed ? "typed" : "plain", (typed ? null : to) as any, fails);
  }
  db.exec("COMMIT");
  db.close();
  kv.close();
}

async function checkAll(file: string, side: string) {
  const kv = await Deno.openKv(file);
  const db = new DatabaseSync(side);
  db.exec("CREATE TABLE problem(n INTEGER, what TEXT, detail TEXT); BEGIN");
  const add = db.prepare("INSERT INTO problem VALUES(?,?,?)");
  for (const row of db.prepare("SELECT n FROM part WHERE NOT fails").all()) {
    const n = (row as { n: number }).n;
    const [want, got] = await kv.getMany([["want", n], ["got", n]]);
    const d = difference(want.value, got.value);
    if (d || !got.versionstamp) add.run(n, "value", d.toWellFormed());
  }
  db.exec("COMMIT");
  db.close();
  kv.close();
}

const [mode, file, side, seed, count] = Deno.args;
if (mode === "make") await makeAll(file, side, Number(seed), Number(count));
else await checkAll(file, side);
