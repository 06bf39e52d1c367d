// gen.ts -- random keys and random values of every type.

import { Random } from "./lib.ts";

const strings = [
  "", "a", "users", "posts", "comments", "é", "ÿ", "€", "日本語", "😀", "\0",
  "a\0b", "\uffff", "\u{10000}", "\"", "'", "\\", "\n", "\u2028", "\x7f",
  "</script>", "$&", "<ref *1>", "[Circular *1]", "__proto__", "constructor",
  "toString", "0", "1", "-0", "01", "4294967294", "4294967295", "length",
  "new Map()", "NaN", "ab".repeat(70), "ü".repeat(130), "中".repeat(129),
];

export function string(r: Random): string {
  if (r.chance(60)) return r.pick(strings);
  const n = r.int(r.chance(10) ? 300 : 12);
  let s = "";
  for (let i = 0; i < n; i++) {
    switch (r.int(7)) {
      case 0:
        s += String.fromCharCode(r.int(256));
        break;
      case 1:
        s += String.fromCharCode(r.int(65536));
        break;
      case 2:
        s += String.fromCodePoint(0x10000 + r.int(0x100000));
        break;
      default:
        s += String.fromCharCode(97 + r.int(26));
    }
  }
  return s;
}

export function number(r: Random): number {
  switch (r.int(8)) {
    case 0:
      return r.pick([
        0, -0, 1, -1, NaN, Infinity, -Infinity, 2 ** 31, 2 ** 31 - 1,
        -(2 ** 31), -(2 ** 31) - 1, 2 ** 32, 2 ** 53, -(2 ** 53), 2 ** 53 - 1,
        1e21, 1e-7, 5e-324, 1.7976931348623157e308, 0.1, 1.5, 1e300, 123e-20,
      ]);
    case 1:
      return r.double();
    case 2:
      return r.int(100) / 8;
    case 3:
      return (r.u32() - 2 ** 31) * r.pick([1, 2, 1024, 2 ** 20]);
    case 4:
      return (r.u32() | 0) / 10 ** r.int(12);
    default:
      return r.int(1000) - 500;
  }
}

export function bigint(r: Random): bigint {
  if (r.chance(30)) {
    const b = 1n << BigInt(r.pick([0, 7, 8, 31, 32, 63, 64, 127, 128]));
    return (r.chance(50) ? b : b - 1n) * (r.chance(50) ? 1n : -1n);
  }
  return r.bigint(r.int(r.chance(10) ? 80 : 12));
}

function keyPart(r: Random): Deno.KvKeyPart {
  switch (r.int(10)) {
    case 0:
      return r.bytes(r.int(6)).map((b) => r.chance(30) ? 0 : b);
    case 1:
      return r.chance(50);
    case 2:
      return bigint(r);
    case 3:
    case 4:
      return number(r);
    default:
      return string(r);
  }
}

/** A random key.  Some share prefixes, so that there are folders. */
export function key(r: Random): Deno.KvKey {
  const k: Deno.KvKeyPart[] = [];
  if (r.chance(60)) {
    k.push(r.pick(["users", "posts", "logs", 1, 2n, true]));
  }
  const n = 1 + r.int(3);
  for (let i = 0; i < n; i++) k.push(keyPart(r));
  return k;
}

/** The classes of values that V8 may store in more than one way. */
export type Quirks = { holes: boolean; slices: boolean };

/** Makes one random value: nested, shared, circular. */
export class ValueMaker {
  #made: object[] = [];
  #left: number;
  constructor(
    readonly r: Random,
    size: number,
    readonly quirks: Quirks = { holes: false, slices: false },
  ) {
    this.#left = size;
  }

  value(depth: number): unknown {
    const r = this.r;
    if (--this.#left <= 0 || depth <= 0) return this.leaf();
    if (this.#made.length && r.chance(8)) return r.pick(this.#made);
    switch (r.int(22)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return this.object(depth);
      case 4:
      case 5:
      case 6:
        return this.array(depth);
      case 7:
      case 8: {
        const m = this.keep(new Map());
        const n = r.int(5);
        const texts = r.chance(50);
        for (let i = 0; i < n; i++) {
          m.set(texts ? string(r) : this.value(depth - 1), this.value(depth - 1));
        }
        return m;
      }
      case 9:
      case 10: {
        const s = this.keep(new Set());
        const n = r.int(5);
        for (let i = 0; i < n; i++) s.add(this.value(depth - 1));
        return s;
      }
      case 11:
        return this.error(depth);
      case 12:
        return this.view();
      case 13:
        return this.buffer();
      case 14:
        return this.keep(this.boxed());
      case 15:
        return this.keep(new Date(r.chance(10) ? NaN : r.chance(80)
          ? 1.6e12 + r.u32()
          : (r.u32() - 2 ** 31) * 4e6));
      case 16:
        return this.keep(regexp(r));
      default:
        return this.leaf();
    }
  }

  keep<T extends object>(o: T): T {
    this.#made.push(o);
    return o;
  }

  leaf(): unknown {
    const r = this.r;
    switch (r.int(10)) {
      case 0:
        return undefined;
      case 1:
        return null;
      case 2:
        return r.chance(50);
      case 3:
        return bigint(r);
      case 4:
      case 5:
      case 6:
        return number(r);
      case 7:
        if (this.quirks.slices) {
          return ("€" + "abcdefghijklmnopqrstuvwxyz").slice(1 + r.int(5));
        }
        return string(r);
      default:
        return string(r);
    }
  }

  object(depth: number): object {
    const r = this.r;
    const o = this.keep({} as Record<string, unknown>);
    // Deleting a property makes it a dictionary: V8's hidden classes would
    // let one object's doubles change how another's integers are stored.
    o.$a = o.$b = 0;
    delete o.$a;
    delete o.$b;
    const n = r.int(6);
    for (let i = 0; i < n; i++) {
      const k = r.chance(15)
        ? String(r.pick([0, 1, 2, 7, 100, 2 ** 31, 4294967294]))
        : string(r);
      Object.defineProperty(o, k, {
        value: this.value(depth - 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return o;
  }

  array(depth: number): unknown[] {
    const r = this.r;
    const n = r.int(7);
    let a: unknown[];
    if (r.chance(20)) {
      a = this.keep(Array.from({ length: n }, () => number(r)));
    } else if (r.chance(12)) {
      a = this.keep(new Array(n + 1 + r.int(5)));
      for (let i = 0; i < n; i++) {
        if (r.chance(70)) a[r.int(a.length)] = this.value(depth - 1);
      }
      // A full array that once had holes is stored as none can tell.
      if (!this.quirks.holes && !has_hole(a)) a.length++;
    } else {
      // All elements are there before the array is: no holes on the way.
      const e = [];
      for (let i = 0; i < n; i++) e.push(this.value(depth - 1));
      a = this.keep(Array.from(e));
      // Some cycles.
      if (n > 0 && r.chance(15)) a[r.int(n)] = r.pick(this.#made);
    }
    if (r.chance(6)) {
      for (let i = 0; i < 2; i++) {
        const k = string(r);
        if (k !== "length" && !/^\d+$/.test(k)) {
          Object.defineProperty(a, k, {
            value: this.value(depth - 1),
            enumerable: true,
            configurable: true,
            writable: true,
          });
        }
      }
    }
    return a;
  }

  error(depth: number): Error {
    const r = this.r;
    const c = r.pick([
      Error, Error, EvalError, RangeError, ReferenceError, SyntaxError,
      TypeError, URIError,
    ]);
    const e = r.chance(30)
      ? new c(string(r), { cause: this.value(depth - 1) })
      : r.chance(20)
      ? new c()
      : new c(string(r));
    if (r.chance(70)) e.stack = r.pick(["STK", "", "Error: x\n    at y:1:2"]);
    return this.keep(e);
  }

  boxed(): object {
    const r = this.r;
    switch (r.int(4)) {
      case 0:
        return Object(r.chance(50));
      case 1:
        return Object(number(r));
      case 2:
        return Object(bigint(r));
      default:
        return Object(string(r));
    }
  }

  buffer(): ArrayBuffer {
    const r = this.r;
    const old = this.#made.find((o) => o instanceof ArrayBuffer);
    if (old && r.chance(30)) return old as ArrayBuffer;
    const n = 8 * r.int(6);
    // In one that can't grow no program can tell whether an empty view follows the length.
    const b = r.chance(25)
      ? new ArrayBuffer(n, { maxByteLength: n + 8 * (r.int(5) || 1) })
      : new ArrayBuffer(n);
    new Uint8Array(b).set(r.bytes(n));
    return this.keep(b);
  }

  view(): ArrayBufferView {
    const r = this.r;
    const b = this.buffer();
    const c = r.pick([
      Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array,
      Int32Array, Uint32Array, Float16Array, Float32Array, Float64Array,
      BigInt64Array, BigUint64Array, DataView,
    ]);
    const size = (c as unknown as { BYTES_PER_ELEMENT?: number })
      .BYTES_PER_ELEMENT ?? 1;
    // deno-lint-ignore no-explicit-any
    const make = c as any;
    if (r.chance(40)) return this.keep(new make(b));
    const from = size * r.int(b.byteLength / size + 1);
    if (b.resizable && r.chance(30)) return this.keep(new make(b, from));
    const n = r.int((b.byteLength - from) / size + 1);
    return this.keep(new make(b, from, n));
  }
}

function has_hole(a: unknown[]): boolean {
  for (let i = 0; i < a.length; i++) if (!(i in a)) return true;
  return false;
}

function regexp(r: Random): RegExp {
  const source = r.pick([
    "abc", "", "a/b", "[/]", "\\/", "(?<y>\\d{4})-(?<m>\\d\\d)", "^\\s*$",
    "é+", "€", "😀", "\\u{1F600}", "\n", "[\\]/]x", "(?:)", "a|b|", "\\\\",
  ]);
  const flags = r.pick(["", "g", "i", "gim", "s", "u", "v", "y", "dgimsuy"]);
  try {
    return new RegExp(source, flags);
  } catch {
    return new RegExp(source);
  }
}

/** A random value as a Deno program might store it. */
export function value(r: Random, quirks?: Quirks): unknown {
  const top = r.int(12);
  if (top === 0) return r.bytes(r.int(40));
  if (top === 1) return new Deno.KvU64(BigInt.asUintN(64, bigint(r)));
  const m = new ValueMaker(r, 1 + r.int(r.chance(10) ? 120 : 20), quirks);
  const v = m.value(1 + r.int(6));
  // Deno refuses bytes that it cannot slice.
  return v instanceof Uint8Array && (v.buffer as ArrayBuffer).resizable ? [v] : v;
}
