// v8tokens.ts -- tell whether two V8 byte strings are the same value stored
// in two ways, and name the ways.  What V8 chooses by its inner state (and
// nobody can see in the value) are: an integer held as a boxed double, a
// two-byte string of one-byte characters, the sparse form of a full array,
// the bits of a NaN.

/** A token: what it says, and in which of its forms it is written. */
type Token = { norm: string; form: string };

class Reader {
  i = 0;
  readonly v: DataView;
  constructor(readonly a: Uint8Array) {
    this.v = new DataView(a.buffer, a.byteOffset, a.byteLength);
  }
  varint(): number {
    let n = 0, m = 1;
    for (;;) {
      const b = this.a[this.i++];
      if (b === undefined) throw new Error("short");
      n += (b & 0x7f) * m;
      if (b < 0x80) return n;
      m *= 128;
    }
  }
  bytes(n: number): Uint8Array {
    if (this.i + n > this.a.length) throw new Error("short");
    return this.a.subarray(this.i, this.i += n);
  }
  double(): number {
    this.i += 8;
    return this.v.getFloat64(this.i - 8, true);
  }
  peek(): string {
    while (this.a[this.i] === 0) this.i++;
    return String.fromCharCode(this.a[this.i]);
  }
}

const hex = (a: Uint8Array) => a.toHex();

function number(n: number, form: string): Token {
  return { norm: "n" + (Object.is(n, -0) ? "-0" : n), form };
}

/** Append the tokens of one value. */
function value(r: Reader, out: Token[]): void {
  const tag = r.peek();
  r.i++;
  const put = (norm: string, form = "") => out.push({ norm, form });
  const until = (end: string) => {
    let n = 0;
    while (r.peek() !== end) {
      value(r, out);
      n++;
    }
    r.i++;
    return n;
  };
  switch (tag) {
    case "_":
    case "0":
    case "T":
    case "F":
    case "-":
    case "x":
    case "y":
      return void put(tag);
    case "I": {
      const n = r.varint();
      return void out.push(number((n >>> 1) ^ -(n & 1), "I"));
    }
    case "N":
    case "n": {
      const bits = hex(r.a.subarray(r.i, r.i + 8));
      const t = number(r.double(), "N");
      if (t.norm === "nNaN") t.form = bits;
      if (tag === "n") t.norm = "boxed " + t.norm;
      return void out.push(t);
    }
    case "D":
      return void put("D" + r.double());
    case "Z":
    case "z": {
      const n = r.varint();
      return void put(`${tag}${n} ${hex(r.bytes(n >> 1))}`);
    }
    case '"':
    case "c": {
      const b = r.bytes(r.varint());
      let s = "";
      for (let i = 0; i < b.length; i += tag === "c" ? 2 : 1) {
        s += String.fromCharCode(b[i] + (tag === "c" ? b[i + 1] * 256 : 0));
      }
      return void put("s" + s, tag);
    }
    case "R":
      put("R");
      value(r, out);
      return void put("flags" + r.varint());
    case "s":
      put("boxed string");
      return value(r, out);
    case "o":
      put("{");
      until("{");
      return void put("}" + r.varint());
    case ";":
      put("map");
      until(":");
      return void put("end" + r.varint());
    case "'":
      put("set");
      until(",");
      return void put("end" + r.varint());
    case "A": {
      const len = r.varint();
      put("array " + len, "A");
      for (let i = 0; i < len; i++) value(r, out);
      until("$");
      return void put(`end ${r.varint()} ${r.varint()}`);
    }
    case "a":
      return sparse(r, out);
    case "B":
    case "~": {
      const n = r.varint();
      const max = tag === "~" ? r.varint() : -1;
      put(`${tag} ${n} ${max} ${hex(r.bytes(n))}`);
      if (r.i < r.a.length && r.peek() === "V") value(r, out);
      return;
    }
    case "V":
      return void put(
        `V ${r.varint()} ${r.varint()} ${r.varint()} ${r.varint()}`,
      );
    case "^": {
      put("^" + r.varint());
      if (r.i < r.a.length && r.peek() === "V") value(r, out);
      return;
    }
    case "r":
      put("error");
      for (;;) {
        const sub = String.fromCharCode(r.varint());
        put(sub);
        if (sub === ".") return;
        if ("msc".includes(sub)) value(r, out);
      }
  }
  throw new Error("tag " + tag);
}

/** A sparse array; one that is full gives the tokens of a dense one. */
function sparse(r: Reader, out: Token[]): void {
  const len = r.varint();
  const all: Token[] = [], dense: Token[] = [];
  let n = 0, filled = 0;
  while (r.peek() !== "@") {
    const k: Token[] = [], v: Token[] = [];
    value(r, k);
    value(r, v);
    all.push(...k, ...v);
    if (n === filled && n < len && k[0].norm === "n" + n) {
      filled++;
      dense.push(...v);
    } else dense.push(...k, ...v);
    n++;
  }
  r.i++;
  const count = r.varint(), end = r.varint();
  const full = filled === len;
  out.push(
    { norm: (full ? "array " : "sparse ") + len, form: full ? "a" : "" },
    ...(full ? dense : all),
    { norm: `end ${full ? count - len : count} ${end}`, form: "" },
  );
}

export function tokens(a: Uint8Array): Token[] {
  const r = new Reader(a);
  if (a[0] !== 0xff) throw new Error("no header");
  r.i = 1;
  const out: Token[] = [{ norm: "version " + r.varint(), form: "" }];
  value(r, out);
  if (r.i !== a.length) throw new Error("bytes after the value");
  return out;
}

/**
 * The names of what differs in form only, or null if a and b differ in what
 * they say.
 */
export function explain(a: Uint8Array, b: Uint8Array): string | null {
  let s: Token[], t: Token[];
  try {
    s = tokens(a);
    t = tokens(b);
  } catch {
    return null;
  }
  if (s.length !== t.length) return null;
  const why = new Set<string>();
  for (let i = 0; i < s.length; i++) {
    if (s[i].norm !== t[i].norm) return null;
    if (s[i].form === t[i].form) continue;
    if (s[i].norm.endsWith("nNaN")) why.add("bits of NaN");
    else if (s[i].norm[0] === "n") why.add("boxed double");
    else if (s[i].norm[0] === "s") why.add("two-byte string");
    else why.add("array that had holes");
  }
  return Array.from(why).sort().join(", ") || "alignment";
}
