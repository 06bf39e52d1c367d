// lib.ts -- what the test programs for Deno share: random numbers, the key
// text and the JSON that the extension should print, evaluation of JS text
// with references, and a strict comparison of values.

import { DatabaseSync } from "node:sqlite";
export { DatabaseSync };

// ------------------------------------------------------------ random

/** Random numbers that only the seed decides (mulberry32). */
export class Random {
  #s: number;
  constructor(seed: number) {
    this.#s = seed >>> 0;
  }
  u32(): number {
    this.#s = (this.#s + 0x6d2b79f5) >>> 0;
    let t = this.#s;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }
  /** An integer in 0 .. n-1. */
  int(n: number): number {
    return this.u32() % n;
  }
  chance(percent: number): boolean {
    return this.int(100) < percent;
  }
  pick<T>(a: readonly T[]): T {
    return a[this.int(a.length)];
  }
  bytes(n: number): Uint8Array<ArrayBuffer> {
    const a = new Uint8Array(n);
    for (let i = 0; i < n; i++) a[i] = this.u32() >>> 24;
    return a;
  }
  /** Any 64 bits as a double, NaN in its plain form. */
  double(): number {
    const v = new DataView(new ArrayBuffer(8));
    v.setUint32(0, this.u32());
    v.setUint32(4, this.u32());
    const r = v.getFloat64(0);
    return Number.isNaN(r) ? NaN : r;
  }
  bigint(bytes: number): bigint {
    let b = 0n;
    for (let i = 0; i < bytes; i++) b = (b << 8n) | BigInt(this.u32() >>> 24);
    return this.chance(50) ? -b : b;
  }
}

// ---------------------------------------------------------- key text

const wellFormed = (s: string) => s.toWellFormed();

export function isNegativeNaN(n: number): boolean {
  const v = new DataView(new ArrayBuffer(8));
  v.setFloat64(0, n);
  return Number.isNaN(n) && (v.getUint8(0) & 0x80) !== 0;
}

export function numberText(n: number): string {
  return Object.is(n, -0) ? "-0" : String(n);
}

/** The canonical text of a key, as the column "key" shows it. */
export function keyText(key: Deno.KvKey): string {
  return "[" + key.map((p) => {
    switch (typeof p) {
      case "string":
        return JSON.stringify(wellFormed(p));
      case "number":
        return isNegativeNaN(p) ? "-NaN" : numberText(p);
      case "bigint":
        return p + "n";
      case "boolean":
        return String(p);
      default:
        return `new Uint8Array([${Array.from(p as Uint8Array).join(",")}])`;
    }
  }).join(",") + "]";
}

// ----------------------------------------------- type, JSON, SQL value

const TypedArray = Object.getPrototypeOf(Uint8Array);

/** The name of a value's type, as the column "type" shows it. */
export function typeName(v: unknown): string {
  if (v === null) return "null";
  if (typeof v !== "object") return typeof v;
  if (v instanceof Deno.KvU64) return "KvU64";
  if (v instanceof Error) return errorName(v);
  return Object.prototype.toString.call(v).slice(8, -1);
}

const errorClasses = [
  EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError,
];

function errorName(e: Error): string {
  for (const c of errorClasses) {
    if (Object.getPrototypeOf(e) === c.prototype) return c.name;
  }
  return "Error";
}

export function base64(a: Uint8Array): string {
  let s = "";
  for (const b of a) s += String.fromCharCode(b);
  return btoa(s);
}

/**
 * The JSON text of a value, or undefined for undefined: JSON.stringify, but
 * what it throws at or loses is shown.
 */
export function jsonText(v: unknown): string | undefined {
  const above: unknown[] = [];
  const go = (x: unknown): string | undefined => {
    if (x === undefined) return undefined;
    if (x === null) return "null";
    switch (typeof x) {
      case "bigint":
        return String(x);
      case "number":
        return JSON.stringify(x);
      case "string":
      case "boolean":
        return JSON.stringify(x);
    }
    const o = x as object;
    if (o instanceof Deno.KvU64) return String(o.value);
    if (
      o instanceof Number || o instanceof String || o instanceof Boolean ||
      o instanceof BigInt
    ) return go(o.valueOf());
    if (o instanceof Date) return JSON.stringify(o);
    if (o instanceof RegExp) return JSON.stringify(String(o));
    if (o instanceof Error) return JSON.stringify(String(o));
    if (o instanceof ArrayBuffer) {
      return JSON.stringify(base64(new Uint8Array(o)));
    }
    if (o instanceof Uint8Array) return JSON.stringify(base64(o));
    if (o instanceof DataView) {
      return JSON.stringify(
        base64(new Uint8Array(o.buffer, o.byteOffset, o.byteLength)),
      );
    }
    if (above.includes(o)) return '"[Circular]"';
    above.push(o);
    let r: string;
    const list = (a: Iterable<unknown>) =>
      "[" + Array.from(a, (e) => go(e) ?? "null").join(",") + "]";
    if (o instanceof TypedArray) r = list(o as unknown as Iterable<unknown>);
    else if (Array.isArray(o)) r = list(o);
    else if (o instanceof Set) r = list(o);
    else if (o instanceof Map) {
      if (Array.from(o.keys()).every((k) => typeof k === "string")) {
        r = pairs(Array.from(o) as [string, unknown][], go);
      } else r = "[" + Array.from(o, (e) => list(e)).join(",") + "]";
    } else r = pairs(Object.entries(o), go);
    above.pop();
    return r;
  };
  return go(v);
}

function pairs(
  a: [string, unknown][],
  go: (x: unknown) => string | undefined,
): string {
  const out = [];
  for (const [k, x] of a) {
    const t = go(x);
    if (t !== undefined) out.push(JSON.stringify(k) + ":" + t);
  }
  return "{" + out.join(",") + "}";
}

/** What the column "value" gives: storage class and value (TEXT: as UTF-8). */
export function sqlValue(
  v: unknown,
): ["null" | "integer" | "real" | "text" | "blob", unknown] {
  const big = (b: bigint): ["integer" | "text", unknown] =>
    b >= -(2n ** 63n) && b < 2n ** 63n ? ["integer", b] : ["text", String(b)];
  if (v === null || v === undefined) return ["null", null];
  switch (typeof v) {
    case "string":
      return ["text", wellFormed(v)];
    case "boolean":
      return ["integer", v ? 1n : 0n];
    case "bigint":
      return big(v);
    case "number":
      if (Number.isNaN(v)) return ["null", null];
      if (Number.isSafeInteger(v) && !Object.is(v, -0)) {
        return ["integer", BigInt(v)];
      }
      return ["real", v];
  }
  if (v instanceof Deno.KvU64) return big(v.value);
  if (v instanceof Uint8Array) return ["blob", new Uint8Array(v)];
  if (v instanceof ArrayBuffer) return ["blob", new Uint8Array(v.slice(0))];
  if (v instanceof Date) {
    return isNaN(v.getTime()) ? ["null", null] : ["text", v.toISOString()];
  }
  if (v instanceof RegExp) return ["text", wellFormed(String(v))];
  return ["text", jsonText(v) ?? null];
}

// ------------------------------------------------ evaluating JS text

/**
 * Turn JS text with the console's marks of references into a program:
 * "<ref *1> X" becomes "__R[1]=X" and "[Circular *1]" "__C(1)".  The marks are
 * only seen outside of strings and regular expressions.  The text has no
 * division, so a slash always begins a regular expression or a comment.
 */
export function program(js: string): string {
  let out = "";
  let i = 0;
  while (i < js.length) {
    const c = js[i];
    let m;
    if (c === '"' || c === "'" || c === "`") {
      let j = i + 1;
      while (j < js.length && js[j] !== c) j += js[j] === "\\" ? 2 : 1;
      out += js.slice(i, j + 1);
      i = j + 1;
    } else if (c === "/") {
      let j = i + 1;
      let inClass = false;
      while (j < js.length && (inClass || js[j] !== "/")) {
        if (js[j] === "\\") j++;
        else if (js[j] === "[") inClass = true;
        else if (js[j] === "]") inClass = false;
        j++;
      }
      out += js.slice(i, j + 1);
      i = j + 1;
    } else if (
      c === "<" && (m = /^<ref \*(\d+)> ?/.exec(js.slice(i, i + 30)))
    ) {
      out += `__R[${m[1]}]=`;
      i += m[0].length;
    } else if (
      c === "[" && (m = /^\[Circular \*(\d+)\]/.exec(js.slice(i, i + 30)))
    ) {
      out += `__C(${m[1]})`;
      i += m[0].length;
    } else {
      out += c;
      i++;
    }
  }
  return out;
}

class Hole {
  constructor(readonly n: number) {}
}

/** The value of JS text. */
export function evalJs(js: string): unknown {
  const refs: unknown[] = [];
  const g = globalThis as Record<string, unknown>;
  g.__R = refs;
  g.__C = (n: number) => n in refs ? refs[n] : new Hole(n);
  const v = (0, eval)("(" + program(js) + "\n)");
  const seen = new Set<unknown>();
  const fix = (x: unknown): unknown => {
    if (x instanceof Hole) {
      if (!(x.n in refs)) throw new Error(`[Circular *${x.n}] without <ref>`);
      return refs[x.n];
    }
    return x;
  };
  const todo: unknown[] = [v];
  while (todo.length) {
    const o = todo.pop();
    if (typeof o !== "object" || o === null || seen.has(o)) continue;
    seen.add(o);
    if (o instanceof Map) {
      const e = Array.from(o, ([k, x]) => [fix(k), fix(x)]);
      o.clear();
      for (const [k, x] of e) {
        o.set(k, x);
        todo.push(k, x);
      }
    } else if (o instanceof Set) {
      const e = Array.from(o, fix);
      o.clear();
      for (const x of e) {
        o.add(x);
        todo.push(x);
      }
    }
    if (ArrayBuffer.isView(o) || o instanceof ArrayBuffer) continue;
    for (const k of Object.getOwnPropertyNames(o)) {
      const d = Object.getOwnPropertyDescriptor(o, k)!;
      if (!("value" in d)) continue;
      const x = fix(d.value);
      if (x !== d.value) Object.defineProperty(o, k, { ...d, value: x });
      todo.push(x);
    }
  }
  return fix(v);
}

// --------------------------------------------------------- comparison

/**
 * "" if the two values are the same value: same types, same bits of numbers
 * (every NaN is one), same holes, order of properties, windows of views, and
 * the same sharing and cycles.  Else where and how they differ.
 */
export function difference(a: unknown, b: unknown): string {
  const toB = new Map<unknown, unknown>();
  const toA = new Map<unknown, unknown>();
  const show = (x: unknown) => {
    try {
      return Deno.inspect(x, { depth: 2, strAbbreviateSize: 200 });
    } catch {
      return typeName(x);
    }
  };
  const todo: [unknown, unknown, string][] = [[a, b, "value"]];
  while (todo.length) {
    const [x, y, at] = todo.pop()!;
    const no = (why: string) => `${at}: ${why}: ${show(x)} / ${show(y)}`;
    if (typeof x !== typeof y) return no("types");
    if (typeof x !== "object" || x === null || y === null) {
      if (!Object.is(x, y)) return no("differ");
      continue;
    }
    if (toB.has(x) || toA.has(y)) {
      if (toB.get(x) !== y || toA.get(y) !== x) return no("sharing");
      continue;
    }
    toB.set(x, y);
    toA.set(y, x);
    if (Object.getPrototypeOf(x) !== Object.getPrototypeOf(y!)) {
      return no("prototypes");
    }
    const o = x as Record<string, unknown>, p = y as Record<string, unknown>;
    if (o instanceof Deno.KvU64) {
      if (o.value !== (y as Deno.KvU64).value) return no("KvU64");
      continue;
    }
    if (x instanceof ArrayBuffer) {
      const z = y as ArrayBuffer;
      if (
        x.byteLength !== z.byteLength || x.resizable !== z.resizable ||
        x.maxByteLength !== z.maxByteLength
      ) return no("buffer shape");
      const u = new Uint8Array(x), w = new Uint8Array(z);
      for (let i = 0; i < u.length; i++) if (u[i] !== w[i]) return no("bytes");
      continue;
    }
    if (ArrayBuffer.isView(x)) {
      const z = y as unknown as DataView;
      if (x.byteOffset !== z.byteOffset || x.byteLength !== z.byteLength) {
        return no("window");
      }
      if (tracks(x) !== tracks(z)) return no("length tracking");
      todo.push([x.buffer, z.buffer, at + ".buffer"]);
      continue;
    }
    if (
      x instanceof Number || x instanceof Boolean || x instanceof BigInt ||
      x instanceof String || x instanceof Date
    ) {
      const z = y as unknown as Date;
      if (!Object.is(x.valueOf(), z.valueOf())) return no("content");
      continue;
    }
    if (x instanceof RegExp) {
      const z = y as unknown as RegExp;
      if (x.source !== z.source || x.flags !== z.flags) return no("regexp");
      continue;
    }
    if (x instanceof Error) {
      const z = y as unknown as Error;
      for (const k of ["message", "cause"]) {
        if (Object.hasOwn(x, k) !== Object.hasOwn(z, k)) return no("has " + k);
      }
      if (x.message !== z.message) return no("message");
      if (x.stack !== z.stack) return no("stack");
      if (x.name !== z.name) return no("name");
      todo.push([x.cause, z.cause, at + ".cause"]);
      continue;
    }
    if (x instanceof Map || x instanceof Set) {
      const e = Array.from(x as Iterable<unknown>);
      const f = Array.from(y as unknown as Iterable<unknown>);
      if (e.length !== f.length) return no("size");
      for (let i = 0; i < e.length; i++) {
        if (x instanceof Set) todo.push([e[i], f[i], `${at}{${i}}`]);
        else {
          const [k, v] = e[i] as unknown[], [l, w] = f[i] as unknown[];
          todo.push([v, w, `${at}{${i}}.value`], [k, l, `${at}{${i}}.key`]);
        }
      }
      continue;
    }
    const tag = Object.prototype.toString.call(x);
    if (tag !== Object.prototype.toString.call(y)) return no("tags");
    if (Array.isArray(x) && x.length !== (y as unknown as []).length) {
      return no("length");
    }
    const k = Object.keys(o), l = Object.keys(p);
    if (k.length !== l.length) return no("number of properties");
    for (let i = 0; i < k.length; i++) {
      if (k[i] !== l[i]) return no(`property ${i}: ${k[i]} / ${l[i]}`);
      todo.push([o[k[i]], p[k[i]], `${at}.${k[i]}`]);
    }
  }
  return "";
}

/** Whether a view follows the length of its resizable buffer. */
function tracks(v: ArrayBufferView): boolean {
  const b = v.buffer as ArrayBuffer;
  if (!b.resizable) return false;
  const n = b.byteLength, len = v.byteLength;
  if (n + 8 <= b.maxByteLength) {
    b.resize(n + 8);
    const r = v.byteLength !== len;
    b.resize(n);
    return r;
  }
  if (len === 0) return false;
  // Cut the buffer at the view's start: a view of fixed length is then out
  // of bounds, and says so.
  const save = new Uint8Array(b).slice();
  b.resize(v.byteOffset);
  let r = true;
  try {
    if (v instanceof DataView) v.byteLength;
    else (v as Uint8Array).values();
  } catch {
    r = false;
  }
  b.resize(n);
  new Uint8Array(b).set(save);
  return r;
}
