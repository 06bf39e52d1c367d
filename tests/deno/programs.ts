// programs.ts -- random programs of KV operations, and what Deno says to them.
//
//   programs.ts apart DIR SEED FIRST COUNT OPS
//     Run programs number FIRST ... FIRST+COUNT-1 of SEED, each on a KV file
//     of its own below DIR, and print "ready N" behind each: its steps and
//     their results are then in DIR/side.db, to be run in SQL by others.
//
//   programs.ts together DIR SEED FIRST COUNT OPS
//     The same, but all programs run on DIR/shared.db, in turns: a turn's
//     steps are run here ("here N"), or by the other side ("there N"), which
//     then answers with one line: the versionstamps it has got.  What should
//     come of it Deno does to a store in memory.  After each turn the whole
//     store is read and compared.
//
// Versionstamps differ from run to run, so a result names them by rank: the
// first commit's is 0, the next one's 1 and so on.  In keys "@3" stands for
// the versionstamp of rank 3.
//
// Tables of side.db:
//   step   what to do, and the result: a row of text for each entry read, or
//          ok, conflict, error
//   part   the checks and mutations of an atomic operation; keys of a getMany
//   final  what is in the file when a program or turn has ended
//   problem  what went wrong here

import {
  DatabaseSync,
  jsonText,
  keyText,
  numberText,
  Random,
  typeName,
} from "./lib.ts";
import { value as anyValue } from "./gen.ts";

// ---------------------------------------------------- known differences

/** A sum, min or max drops the entry's expiry in Deno, and keeps it in SQL. */
const SQL_SUM_KEEPS_EXPIRY = true;
/** Deno shows an entry until it collects it; it does so when it opens a file. */
const DENO_COLLECTS_AT_OPEN = true;
/**
 * When a mutation fails inside the database, Deno keeps the ones before it.  So
 * a mutation that must fail is always the first of its operation.
 */
const DENO_KEEPS_HALF_OPERATIONS = true;
/**
 * Deno shows the empty cursor after an entry whose key is all that start and end
 * have in common, and takes it for none.  In SQL it resumes after that entry.
 */
const SQL_RESUMES_FROM_EMPTY_CURSOR = true;
/**
 * A reverse list of a prefix with a cursor behind all of it shows keys that aren't
 * below it in Deno: those whose last part goes on with a NUL, stored as 00 FF.
 */
const DENO_LEAVES_THE_PREFIX = true;

// Expiry and delay in steps that are far longer than a program takes.
const EXPIRY_UNIT = 1e10;
const DELAY_UNIT = 1e5;
const DELAY_BASE = 1e7;

const [mode, dir, seedText, firstText, countText, opsText] = Deno.args;
const together = mode === "together";

type Key = Deno.KvKeyPart[];
type Part = {
  op: string;
  key?: Key;
  /** log keys: the commit's versionstamp is appended */
  stamped?: boolean;
  js?: string;
  raw?: Uint8Array;
  value?: unknown;
  /** check: rank, null, or a text as it is */
  rank?: number | null;
  expire?: number | null;
  delay?: number;
  undelivered?: Key[];
  backoff?: number[] | null;
  /** sum, min, max: what is stored is of this kind */
  kind?: Kind;
};
type Step = Part & {
  parts?: Part[];
  prefix?: Key;
  start?: Key;
  end?: Key;
  reverse?: boolean;
  limit?: number;
  batch?: number;
  resume?: boolean;
  /** a cursor as it is */
  given?: string;
  result?: string;
  conflict?: string;
  cursor?: string;
};

const side = new DatabaseSync(dir + "/side.db");
side.exec(`
  PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; PRAGMA busy_timeout=60000;
  CREATE TABLE IF NOT EXISTS step(
    id INTEGER PRIMARY KEY, turn INTEGER, op TEXT, key TEXT, js TEXT, raw BLOB,
    expire INTEGER, prefix TEXT, start TEXT, "end" TEXT, reverse INTEGER,
    "limit" INTEGER, resume INTEGER, given TEXT, result TEXT, conflict TEXT, cursor TEXT);
  CREATE INDEX IF NOT EXISTS step_turn ON step(turn);
  CREATE TABLE IF NOT EXISTS part(
    step INTEGER, n INTEGER, op TEXT, key TEXT, js TEXT, raw BLOB,
    rank INTEGER, expire INTEGER, delay INTEGER, undelivered TEXT,
    backoff TEXT, kind TEXT, PRIMARY KEY(step, n)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS final(turn INTEGER PRIMARY KEY, rows TEXT, queue TEXT);
  CREATE TABLE IF NOT EXISTS problem(turn INTEGER, detail TEXT);
`);
const addStep = side.prepare(
  `INSERT INTO step VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) RETURNING id`,
);
const addPart = side.prepare(`INSERT INTO part VALUES(?,?,?,?,?,?,?,?,?,?,?,?)`);
const addFinal = side.prepare(`INSERT INTO final VALUES(?,?,?)`);
const addProblem = side.prepare(`INSERT INTO problem VALUES(?,?)`);
let turn = 0;
const problem = (s: string) => addProblem.run(turn, s.toWellFormed());

// ----------------------------------------------------------- one store

const STAMP = /"([0-9a-f]{20})"/g;

/** A store, and the versionstamps that were seen on it. */
class Store {
  kv!: Deno.Kv;
  stamps: string[] = [];
  ranks = new Map<string, number>();
  cursor = "";
  begun = Date.now();
  constructor(readonly file: string) {}
  async open() {
    this.kv = await Deno.openKv(this.file);
  }
  add(stamp: string) {
    const last = this.stamps.at(-1);
    if (last !== undefined && stamp <= last) {
      problem(`versionstamp ${stamp} after ${last}`);
    }
    this.ranks.set(stamp, this.stamps.length);
    this.stamps.push(stamp);
  }
  key(k: Key): Key {
    return k.map((p) =>
      typeof p === "string" && /^@\d+$/.test(p)
        ? this.stamps[Number(p.slice(1))]
        : p
    );
  }
  /** The text of a key with ranks instead of versionstamps. */
  keyText(k: Deno.KvKey): string {
    const t = keyText(k);
    return t.startsWith('["log"')
      ? t.replace(STAMP, (_, s) => `"@${this.ranks.get(s) ?? s}"`)
      : t;
  }
  line(e: Deno.KvEntryMaybe<unknown>): string {
    const k = this.keyText(e.key);
    if (e.versionstamp === null) return k + " none";
    const rank = this.ranks.get(e.versionstamp) ?? e.versionstamp;
    const json = jsonText(e.value)?.toWellFormed() ?? "-";
    return `${k} ${rank} ${typeName(e.value)} ${json}`;
  }
  async commit(op: Deno.AtomicOperation): Promise<string> {
    const r = await op.commit();
    if (!r.ok) return "conflict";
    this.add(r.versionstamp);
    return "ok";
  }
  async all(): Promise<string> {
    const lines = [];
    for await (const e of this.kv.list({ prefix: [] }, { batchSize: 500 })) {
      lines.push(this.line(e));
    }
    return lines.join("\n");
  }

  async run(s: Step): Promise<string> {
    const kv = this.kv;
    try {
      switch (s.op) {
        case "set":
        case "vanish": {
          const k = this.key(s.key!);
          if (s.stamped) k.push(kv.commitVersionstamp() as unknown as string);
          const o = s.expire == null ? {} : { expireIn: s.expire };
          const r = await kv.set(k, valueOf(s), o);
          this.add(r.versionstamp);
          if (s.op === "vanish" && DENO_COLLECTS_AT_OPEN) {
            kv.close();
            await this.open();
            if ((await this.kv.get(k)).versionstamp !== null) {
              problem("an expired entry is still there after opening");
            }
          }
          return "ok";
        }
        case "delete":
          await kv.delete(this.key(s.key!));
          return "ok";
        case "atomic": {
          const op = kv.atomic();
          for (const p of s.parts!) this.part(op, p);
          return await this.commit(op);
        }
        case "get":
          return this.line(await kv.get(this.key(s.key!)));
        case "getMany": {
          const keys = s.parts!.map((p) => this.key(p.key!));
          return (await kv.getMany(keys)).map((e) => this.line(e)).join("\n");
        }
        case "list":
          return await this.list(s);
      }
      throw new Error("unknown step " + s.op);
    } catch (e) {
      if (e instanceof TypeError && !/locked/.test(e.message)) return "error";
      throw e;
    }
  }

  part(op: Deno.AtomicOperation, p: Part) {
    const key = p.key && this.key(p.key);
    switch (p.op) {
      case "check": {
        const versionstamp = p.rank == null ? null : this.stamps[p.rank];
        return op.check({ key: key!, versionstamp });
      }
      case "set":
        if (p.stamped) {
          key!.push(this.kv.commitVersionstamp() as unknown as string);
        }
        return op.set(
          key!,
          valueOf(p),
          p.expire == null ? {} : { expireIn: p.expire },
        );
      case "delete":
        return op.delete(key!);
      case "enqueue":
        return op.enqueue(valueOf(p), {
          delay: p.delay,
          ...(p.undelivered && {
            keysIfUndelivered: p.undelivered.map((k) => this.key(k)),
          }),
          ...(p.backoff && { backoffSchedule: p.backoff }),
        });
    }
    const n = valueOf(p);
    if (n instanceof Deno.KvU64) {
      if (p.op === "sum") return op.sum(key!, n.value);
      if (p.op === "min") return op.min(key!, n.value);
      return op.max(key!, n.value);
    }
    // deno-lint-ignore no-explicit-any
    return op.mutate({ type: "sum", key: key!, value: n as any });
  }

  async list(s: Step): Promise<string> {
    const selector = {
      ...(s.prefix && { prefix: this.key(s.prefix) }),
      ...(s.start && { start: this.key(s.start) }),
      ...(s.end && { end: this.key(s.end) }),
    } as Deno.KvListSelector;
    const cursor = s.given ?? (s.resume ? this.cursor : undefined);
    const common = commonOf(s, (k) => this.key(k));
    if (
      SQL_RESUMES_FROM_EMPTY_CURSOR && cursor === "" && !s.prefix &&
      common.length === encode(this.key(s.start!)).length
    ) {
      return await this.rest(s, selector);
    }
    const it = this.kv.list(selector, {
      reverse: s.reverse,
      ...(s.limit && { limit: s.limit }),
      ...(s.batch && { batchSize: s.batch }),
      ...(cursor !== undefined && { cursor }),
    });
    const lines = [];
    for await (const e of it) lines.push(this.line(e));
    this.cursor = it.cursor;
    return lines.join("\n");
  }

  /** What is behind the entry at start. */
  async rest(s: Step, selector: Deno.KvListSelector): Promise<string> {
    const lines: string[] = [];
    this.cursor = "";
    if (s.reverse) return "";
    const start = keyText(this.key(s.start!));
    const it = this.kv.list(selector);
    for await (const e of it) {
      if (keyText(e.key) === start) continue;
      lines.push(this.line(e));
      this.cursor = it.cursor;
      if (lines.length === s.limit) return lines.join("\n");
    }
    this.cursor = "";
    return lines.join("\n");
  }
}

/** The texts here have no references, so that nothing is built twice. */
const evaluate = (js: string): unknown => (0, eval)(`(${js}\n)`);

function valueOf(p: Part): unknown {
  return p.js === undefined ? p.value : evaluate(p.js);
}

// ------------------------------------------------------------- values

const small = ["", "a", "users", "é", "ÿ", "€", "😀", "\uffff", "a\0b", "\n",
  '"', "'", "\\", "<ref *1>", "ab".repeat(80), "ü".repeat(130)];
const numbers = [0, -0, 1, -1, 42, 1.5, -2.25, NaN, Infinity, -Infinity,
  2 ** 31, -(2 ** 31), 2 ** 31 - 1, 2 ** 32, 2 ** 53 - 1, 1e21, 1e-7, 5e-324];

function numberJs(r: Random): string {
  if (r.chance(40)) return numberText(r.pick(numbers));
  return numberText(r.chance(70) ? r.int(2000) - 1000 : (r.int(99999) - 5e4) / 8);
}

const bigints = [0n, 1n, -1n, 255n, 256n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n,
  -(2n ** 63n), 10n ** 40n, -(10n ** 40n)];

function bigintJs(r: Random): string {
  return (r.chance(50) ? r.pick(bigints) : r.bigint(r.int(12))) + "n";
}

function u64Js(r: Random): string {
  const n = r.chance(20)
    ? r.pick([2n ** 64n - 1n, 2n ** 63n, 2n ** 63n - 1n, 2n ** 53n, 0n])
    : BigInt(r.int(1000));
  return `new Deno.KvU64(${n}n)`;
}

/**
 * JavaScript of a value.  There is no double and no undefined within objects and
 * such: how V8 stores their neighbours may depend on what was there before.
 */
function js(r: Random, depth: number, inside = false): string {
  const list = (n: number, f: () => string) =>
    Array.from({ length: r.int(n) }, f).join(", ");
  const below = () => js(r, depth - 1, true);
  switch (r.int(depth > 0 ? 20 : 9)) {
    case 0:
      return r.pick(["null", inside ? "null" : "undefined", "true", "false"]);
    case 1:
      return bigintJs(r);
    case 2:
    case 3:
      return inside ? String(r.int(2000) - 1000) : numberJs(r);
    case 4:
      return `new Uint8Array([${list(9, () => String(r.int(256)))}])`;
    case 5:
      return `new Date(${r.int(4e9) * 1000 - 1e12})`;
    case 6:
    case 7:
    case 8:
      return JSON.stringify(r.pick(small));
    case 9:
      return `/${r.pick(["a+b", "\\d", "[/]", "é"])}/${r.pick(["", "g", "iu"])}`;
    case 10:
      return `new Map([${list(4, () => `[${below()}, ${below()}]`)}])`;
    case 11:
      return `new Set([${list(5, below)}])`;
    case 12:
      return r.pick([
        "new Float64Array([1.5, -0])",
        "new BigInt64Array([-1n])",
        "new Uint8Array([1, 2]).buffer",
        "[1, , 3]",
        "[1, 2.5]",
        "[undefined, 1]",
        "[, ]",
      ]);
    case 13:
      return `[${list(6, () => numberJs(r))}]`;
    case 14:
    case 15:
      return `[${list(6, below)}]`;
    default: {
      const names = new Set<string>();
      for (let n = r.int(5); n > 0; n--) {
        names.add(r.pick(["a", "b", "name", "é", "x y", "1", "10", "0", ""]));
      }
      const members = Array.from(
        names,
        (k) => JSON.stringify(k) + ": " + js(r, depth - 1, true),
      );
      return `{${members.join(", ")}}`;
    }
  }
}

const scratch = new Store(dir + "/scratch.db");
await scratch.open();
await scratch.kv.set(["v"], 0);
const scratchRaw = new DatabaseSync(dir + "/scratch.db");
const readScratch = scratchRaw.prepare("SELECT v_encoding AS e, v FROM kv");

/** Fill in a value: JavaScript, or any value with its stored bytes. */
async function giveValue(r: Random, p: Part) {
  if (r.chance(75)) {
    p.js = r.chance(25) ? r.pick([u64Js, numberJs, bigintJs])(r) : js(r, 3);
    return;
  }
  p.value = anyValue(r);
  try {
    await scratch.kv.set(["v"], p.value);
  } catch {
    p.js = "1";
    return;
  }
  const { e, v } = readScratch.get() as { e: number; v: Uint8Array };
  p.raw = new Uint8Array([e, ...v]);
}

type Kind = "none" | "u64" | "number" | "bigint" | "other";

function kindOf(v: unknown): Kind {
  if (v instanceof Deno.KvU64) return "u64";
  if (typeof v === "number" || typeof v === "bigint") return typeof v as Kind;
  return "other";
}

// -------------------------------------------------------------- programs

const keyParts: Key = ["a", "b", "", "é", "😀", "\uffff", "a\0", 1, 0, -0, -1,
  1.5, NaN, -Infinity, 1n, -1n, 0n, 2n ** 64n, -(2n ** 70n), true, false,
  new Uint8Array([]), new Uint8Array([0]), new Uint8Array([0, 255])];

class Program {
  r: Random;
  keys: Key[] = [];
  logs: Key[] = [];
  /** By key: the expiry that SQL, or Deno, should have stored, in units. */
  expiry = new Map<string, number>();
  delays = 0;
  lastList: Step | null = null;
  queue: string[] = [];
  constructor(seed: number, readonly store: Store) {
    this.r = new Random(seed);
    const r = this.r;
    const top = [r.pick(keyParts), r.pick(keyParts), "u"];
    const mid = [r.pick(keyParts), r.pick(keyParts), r.pick(keyParts), 7];
    for (let i = 6 + r.int(16); i > 0; i--) {
      const k = [r.pick(top)];
      if (r.chance(75)) k.push(r.pick(mid));
      if (r.chance(40)) k.push(r.pick(keyParts));
      if (r.chance(10)) k.push(r.pick(keyParts));
      this.keys.push(k);
    }
  }
  key(): Key {
    const r = this.r;
    if (this.logs.length && r.chance(8)) return r.pick(this.logs);
    return r.pick(this.keys);
  }
  get(k: Key) {
    return this.store.kv.get(this.store.key(k));
  }

  async next(): Promise<Step> {
    const r = this.r;
    const n = r.int(100);
    const key = this.key();
    if (n < 20) {
      const s: Step = { op: "set", key };
      await giveValue(r, s);
      if (r.chance(15)) s.expire = EXPIRY_UNIT * (1 + r.int(50));
      if (r.chance(12)) {
        s.key = r.chance(50) ? ["log"] : ["log", r.int(3)];
        s.stamped = true;
      }
      return s;
    }
    if (n < 28) return { op: "delete", key };
    if (n < 62) return await this.atomic(n < 40);
    if (n < 70) return { op: "get", key };
    if (n < 75) {
      const parts = Array.from(
        { length: 1 + r.int(10) },
        () => ({ op: "get", key: this.key() }),
      );
      return { op: "getMany", parts };
    }
    if (n === 75 && !together) {
      const s: Step = { op: "vanish", key, expire: 0 };
      await giveValue(r, s);
      return s;
    }
    return this.list();
  }

  list(): Step {
    const r = this.r;
    const last = this.lastList;
    if (last && this.store.cursor !== "" && r.chance(60)) {
      const reverse = r.chance(25) ? !last.reverse : last.reverse;
      return { ...last, given: undefined, reverse, resume: true, limit: 1 + r.int(6) };
    }
    const s = this.newList();
    const isLog = [s.prefix, s.start, s.end].some((k) => k?.[0] === "log");
    if (!together && !isLog && r.chance(25)) s.given = this.cursor(s);
    return s;
  }

  /** Some cursor, for a list without versionstamps in its selector. */
  cursor(s: Step): string {
    const r = this.r;
    if (r.chance(20)) return "";
    if (r.chance(10)) return r.pick(["A", "AA", "AB==", "*", "AA==\n", "Ib/wAAAAAAAA", "_w"]);
    const common = commonOf(s, (k) => k);
    let bytes = r.chance(10)
      ? Array.from({ length: 1 + r.int(4) }, () => r.pick([0, 1, 2, 0x15, 0x21, 0x27, 254, 255]))
      : encode(r.pick(this.keys));
    if (common.every((b, i) => bytes[i] === b)) bytes = bytes.slice(common.length);
    if (r.chance(15)) bytes.push(r.pick([0, 255]));
    if (DENO_LEAVES_THE_PREFIX && s.prefix && s.reverse && bytes[0] === 255) bytes[0] = 254;
    return new Uint8Array(bytes).toBase64({ alphabet: "base64url" });
  }

  newList(): Step {
    const r = this.r;
    const s: Step = { op: "list", reverse: r.chance(40) };
    if (r.chance(60)) s.limit = 1 + r.int(8);
    if (r.chance(30)) s.batch = 1 + r.int(5);
    if (r.chance(25)) {
      const a = this.key();
      // Below the start: what the two have in common is a key.
      const b = r.chance(30) ? [...a, r.pick(keyParts)] : this.key();
      const below = compareKeys(this.store.key(a), this.store.key(b)) <= 0;
      s.start = below ? a : b;
      s.end = below ? b : a;
      return s;
    }
    const k = this.key();
    s.prefix = k.slice(0, r.int(k.length + (r.chance(50) ? 0 : 1)));
    const under = this.keys.filter((x) =>
      x.length > s.prefix!.length &&
      keyText(x.slice(0, s.prefix!.length)) === keyText(s.prefix!)
    );
    if (under.length && r.chance(50)) {
      if (r.chance(50)) s.start = r.pick(under);
      else s.end = r.pick(under);
    }
    return s;
  }

  /** An atomic operation; a single sum, min or max if bNumber. */
  async atomic(single: boolean): Promise<Step> {
    const r = this.r;
    const parts: Part[] = [];
    const s: Step = { op: "atomic", parts };
    const kinds = new Map<string, Kind>();
    const kind = async (k: Key) => {
      const t = this.store.keyText(this.store.key(k));
      if (!kinds.has(t)) {
        const e = await this.get(k);
        kinds.set(t, e.versionstamp === null ? "none" : kindOf(e.value));
      }
      return t;
    };
    const nMutations = single ? 1 : 1 + r.int(6);
    let failed = false;
    for (let i = 0; i < nMutations && !failed; i++) {
      const p: Part = { op: "", key: this.key() };
      const what = r.int(single ? 4 : 10);
      if (what < 4) {
        p.op = what < 2 ? "sum" : what === 2 ? "min" : "max";
        const t = await kind(p.key!);
        let kd = kinds.get(t)!;
        // Mostly what goes with the value.
        if (kd === "none" || kd === "other" || r.chance(15)) {
          kd = r.pick<Kind>(["u64", "u64", "number", "bigint"]);
        }
        if (p.op !== "sum") kd = "u64";
        p.kind = kinds.get(t)!;
        p.js = kd === "number" ? numberJs(r) : kd === "bigint" ? bigintJs(r) : u64Js(r);
        const operand = evaluate(p.js);
        const old = kinds.get(t)!;
        const wraps = old === "u64" && typeof operand === "bigint" &&
          operand >= 0n && operand < 2n ** 64n;
        if (old === "none") kinds.set(t, kd);
        else if (old !== kd && !wraps) {
          if (parts.length && DENO_KEEPS_HALF_OPERATIONS) continue;
          if (r.chance(50)) continue;
          failed = true;
        }
      } else if (what < 7) {
        p.op = "set";
        await giveValue(r, p);
        if (r.chance(15)) p.expire = EXPIRY_UNIT * (1 + r.int(50));
        if (r.chance(12)) {
          p.key = ["log", 3 + i];
          p.stamped = true;
        } else kinds.set(await kind(p.key!), kindOf(valueOf(p)));
      } else if (what < 9) {
        p.op = "delete";
        kinds.set(await kind(p.key!), "none");
      } else {
        p.op = "enqueue";
        delete p.key;
        if (r.chance(25)) await giveValue(r, p);
        // In a message a Uint8Array may be a part of a buffer, but not as a value.
        if (p.raw?.[0] === 3) delete p.raw;
        if (!p.raw) p.js = js(r, 2);
        p.delay = DELAY_BASE + DELAY_UNIT * ++this.delays;
        if (r.chance(40)) {
          p.undelivered = Array.from({ length: r.int(4) }, () => r.pick(this.keys));
        }
        if (r.chance(40)) {
          p.backoff = Array.from({ length: r.int(5) }, () => r.int(3600000));
        }
      }
      parts.push(p);
    }
    if (!single || r.chance(30)) {
      for (let i = r.int(4); i > 0; i--) {
        const key = r.chance(50) && parts[0]?.key && !parts[0].stamped
          ? parts[0].key
          : this.key();
        let rank: number | null = null;
        if (r.chance(75)) {
          const { versionstamp } = await this.get(key);
          if (versionstamp) rank = this.store.ranks.get(versionstamp)!;
        } else if (r.chance(70) && this.store.stamps.length) {
          rank = r.int(this.store.stamps.length);
        }
        parts.splice(r.int(parts.length + 1), 0, { op: "check", key, rank });
      }
    }
    for (const p of parts) {
      if (p.op !== "check") continue;
      const { versionstamp } = await this.get(p.key!);
      const rank = versionstamp ? this.store.ranks.get(versionstamp)! : null;
      if (rank !== p.rank) {
        s.conflict = this.store.keyText(this.store.key(p.key!));
        break;
      }
    }
    return s;
  }

  /** Note what a step that was carried out means for the program. */
  async done(s: Step, there: boolean) {
    if (s.op === "list") this.lastList = s.result === "error" ? null : s;
    if (s.result !== "ok") return;
    const parts = s.op === "atomic" ? s.parts! : [s];
    const rank = this.store.stamps.length - 1;
    for (const p of parts) {
      if (p.op === "enqueue") this.queue.push(queueLine(this.store, p));
      if (p.op === "check" || !p.key) continue;
      let key = p.key;
      if (p.stamped) {
        key = [...key, "@" + rank];
        this.logs = [...this.logs.slice(-3), key];
      }
      const t = this.store.keyText(this.store.key(key));
      if (p.op === "set" && p.expire != null) {
        this.expiry.set(t, p.expire / EXPIRY_UNIT);
      } else if (p.op === "set" || p.op === "delete" || p.op === "vanish") {
        this.expiry.delete(t);
      } else if (!(there && SQL_SUM_KEEPS_EXPIRY)) {
        this.expiry.delete(t);
      }
    }
  }
}

/** The bytes that the cursors of a list leave out. */
function commonOf(s: Step, key: (k: Key) => Key): number[] {
  if (s.prefix) return encode(key(s.prefix));
  const a = encode(key(s.start!)), b = encode(key(s.end!));
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return a.slice(0, n);
}

function compareKeys(a: Key, b: Key): number {
  const x = encode(a), y = encode(b);
  for (let i = 0; i < x.length && i < y.length; i++) {
    if (x[i] !== y[i]) return x[i] - y[i];
  }
  return x.length - y.length;
}

/** The stored bytes of a key. */
function encode(k: Key): number[] {
  const out: number[] = [];
  const bytes = (tag: number, a: Iterable<number>) => {
    out.push(tag);
    for (const b of a) b === 0 ? out.push(0, 255) : out.push(b);
    out.push(0);
  };
  for (const p of k) {
    if (typeof p === "string") bytes(2, new TextEncoder().encode(p));
    else if (typeof p === "boolean") out.push(p ? 0x27 : 0x26);
    else if (typeof p === "number") {
      const v = new DataView(new ArrayBuffer(8));
      v.setFloat64(0, p);
      const b = new Uint8Array(v.buffer);
      const neg = b[0] & 0x80;
      out.push(0x21, ...b.map((x, i) => neg ? ~x : i === 0 ? x ^ 0x80 : x));
    } else if (typeof p === "bigint") {
      const m: number[] = [];
      for (let x = p < 0n ? -p : p; x > 0n; x >>= 8n) m.unshift(Number(x & 255n));
      const n = m.length;
      const neg = p < 0n;
      if (n <= 8) out.push(neg ? 0x14 - n : 0x14 + n);
      else out.push(...(neg ? [0x0b, n ^ 255] : [0x1d, n]));
      out.push(...m.map((x) => neg ? x ^ 255 : x));
    } else bytes(1, p as Uint8Array);
  }
  return out;
}

/** What a message should look like in the table queue, but for its data. */
function queueLine(store: Store, p: Part): string {
  const at = Math.round((p.delay! - DELAY_BASE) / DELAY_UNIT);
  const keys = JSON.stringify(
    (p.undelivered ?? []).map((k) => encode(store.key(k))),
  );
  const backoff = JSON.stringify(p.backoff ?? [100, 1000, 5000, 30000, 60000]);
  return `${at} ${backoff} ${keys}`;
}

// ---------------------------------------------------------------- storing

const text = (k?: Key) => k === undefined ? null : keyText(k);

/** Key text of what is set, with the commit's versionstamp where it belongs. */
function setText(p: Part): string | null {
  const t = text(p.key);
  return p.stamped ? t!.slice(0, -1) + ",kv.commitVersionstamp()]" : t;
}

function save(s: Step) {
  const { id } = addStep.get(
    turn,
    s.op,
    setText(s),
    s.js ?? null,
    s.raw ?? null,
    s.expire ?? null,
    text(s.prefix),
    text(s.start),
    text(s.end),
    s.reverse ? 1 : 0,
    s.limit ?? null,
    s.resume ? 1 : 0,
    s.given ?? null,
    s.result ?? null,
    s.conflict ?? null,
    s.cursor ?? null,
  ) as { id: number };
  s.parts?.forEach((p, i) =>
    addPart.run(
      id,
      i,
      p.op,
      setText(p),
      p.js ?? null,
      p.raw ?? null,
      p.rank ?? null,
      p.expire ?? null,
      p.delay ?? null,
      p.undelivered ? `[${p.undelivered.map(keyText).join(",")}]` : null,
      p.backoff ? JSON.stringify(p.backoff) : null,
      p.kind ?? null,
    )
  );
}

/** The rows of a file as they are stored, versions as ranks. */
function dump(store: Store) {
  const db = new DatabaseSync(store.file, { readOnly: true });
  const rows = [];
  const log = "026c6f6700";
  for (
    const e of db.prepare(
      `SELECT lower(hex(k)) AS k, v, v_encoding AS e, expiration_ms AS x, seq,
         printf('%016x0000', version) AS s FROM kv ORDER BY kv.k`,
    ).iterate()
  ) {
    let { k, v, e: enc, x, seq, s } = e as {
      k: string;
      v: Uint8Array;
      e: number;
      x: number;
      seq: number;
      s: string;
    };
    if (k.startsWith(log)) {
      // The last part: 02, 20 digits, 00
      const stamp = new TextDecoder().decode(Uint8Array.fromHex(k).slice(-21, -1));
      k = k.slice(0, -44) + "@" + (store.ranks.get(stamp) ?? stamp);
    }
    const at = x < 0 ? -1 : Math.round((x - store.begun) / EXPIRY_UNIT);
    rows.push(`${k} ${v.toHex()} ${enc} ${store.ranks.get(s) ?? s} ${seq} ${at}`);
  }
  const queue = [];
  for (
    const m of db.prepare(
      "SELECT ts, id, data, backoff_schedule AS b, keys_if_undelivered AS u FROM queue ORDER BY ts",
    ).iterate()
  ) {
    const { ts, data, b, u } = m as {
      ts: number;
      data: Uint8Array;
      b: string;
      u: string;
    };
    const at = Math.round((ts - store.begun - DELAY_BASE) / DELAY_UNIT);
    queue.push(`${at} ${b} ${u} ${data.toHex()}`);
  }
  db.close();
  return { rows, queue };
}

// ---------------------------------------------------------------- apart

async function apart(seed: number, nOps: number) {
  const store = new Store(`${dir}/deno.db`);
  for (const x of ["", "-wal", "-shm"]) {
    try {
      Deno.removeSync(store.file + x);
    } catch { /* not there */ }
  }
  await store.open();
  const program = new Program(seed, store);
  // What SQL should have stored is followed apart from what Deno has.
  const sqlExpiry = new Program(seed, store);
  const steps: Step[] = [];
  for (let i = 0; i < nOps; i++) {
    const s = await program.next();
    s.result = await store.run(s);
    if (s.op === "atomic" && (s.result === "conflict") !== (s.conflict !== undefined)) {
      problem(`atomic: ${s.result}, conflict on ${s.conflict}`);
    }
    if (s.op === "list") s.cursor = store.cursor;
    await program.done(s, false);
    await sqlExpiry.done(s, true);
    steps.push(s);
  }
  store.kv.close();
  const { rows, queue } = dump(store);
  checkExpiry(rows, program.expiry);
  const want = withExpiry(rows, sqlExpiry.expiry);
  const lines = queue.map((l) => l.replace(/ [0-9a-f]*$/, ""));
  if (lines.join("\n") !== program.queue.join("\n")) {
    problem(`queue: ${lines.join(" | ")} / ${program.queue.join(" | ")}`);
  }
  // Short transactions: the other side writes to this file too.
  side.exec("BEGIN IMMEDIATE");
  steps.forEach(save);
  addFinal.run(turn, want.join("\n"), queue.join("\n"));
  side.exec("COMMIT");
}

/** Expiry by the stored bytes of the keys, as dumped. */
function byBytes(expiry: Map<string, number>): Map<string, number> {
  const res = new Map<string, number>();
  for (const [text, at] of expiry) {
    const key = evaluate(text) as Key;
    const last = key.at(-1);
    const isLog = key[0] === "log" && typeof last === "string" && last[0] === "@";
    const hex = (k: Key) => new Uint8Array(encode(k)).toHex();
    res.set(isLog ? hex(key.slice(0, -1)) + last : hex(key), at);
  }
  return res;
}

/** Dumped lines with this expiry. */
function withExpiry(rows: string[], expiry: Map<string, number>): string[] {
  const at = byBytes(expiry);
  return rows.map((l) =>
    l.slice(0, l.lastIndexOf(" ") + 1) +
    (at.get(l.slice(0, l.indexOf(" "))) ?? -1)
  );
}

function checkExpiry(rows: string[], expiry: Map<string, number>) {
  withExpiry(rows, expiry).forEach((want, i) => {
    if (want !== rows[i]) problem(`expiry: ${rows[i]} / ${want}`);
  });
}

// ------------------------------------------------------------- together

const input = (async function* () {
  let rest = "";
  for await (const c of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    rest += c;
    let i;
    while ((i = rest.indexOf("\n")) >= 0) {
      yield rest.slice(0, i);
      rest = rest.slice(i + 1);
    }
  }
})();

async function inTurns(seed: number, count: number, nOps: number) {
  const model = new Store(":memory:");
  await model.open();
  const shared = new Store(dir + "/shared.db");
  await shared.open();
  const program = new Program(seed, model);
  const r = new Random(seed ^ 0x5a5a5a5a);
  for (let i = 0; i < count; i++) {
    turn++;
    const there = r.chance(50);
    if (r.chance(15)) {
      shared.kv.close();
      await shared.open();
    }
    side.exec("BEGIN IMMEDIATE");
    const from = model.stamps.length;
    for (let n = 1 + r.int(nOps); n > 0; n--) {
      const s = await program.next();
      // The cursor of a list must be one that both stores know.
      if (s.resume) {
        s.resume = false;
        program.lastList = null;
      }
      s.result = await model.run(s);
      await program.done(s, there);
      if (there) save(s);
      else {
        const got = await shared.run(s);
        if (got !== s.result) {
          problem(`${s.op} ${text(s.key)}: ${got} / ${s.result}`);
        }
      }
    }
    const all = await model.all();
    addFinal.run(turn, all, program.queue.join("\n"));
    side.exec("COMMIT");
    console.log(`${there ? "there" : "here"} ${turn} ${shared.stamps.slice(from).join(" ")}`);
    const { value } = await input.next();
    if (there) for (const s of value ? value.split(" ") : []) shared.add(s);
    const got = await shared.all();
    if (got !== all) problem(`store: ${firstDifference(got, all)}`);
    if (shared.stamps.length !== model.stamps.length) {
      problem(`${shared.stamps.length} commits / ${model.stamps.length}`);
    }
    const { rows } = dump(shared);
    checkExpiry(rows, program.expiry);
  }
  shared.kv.close();
  model.kv.close();
}

function firstDifference(a: string, b: string): string {
  const x = a.split("\n"), y = b.split("\n");
  for (let i = 0; i < x.length || i < y.length; i++) {
    if (x[i] !== y[i]) return `line ${i}: ${x[i]} / ${y[i]}`;
  }
  return "";
}

const seed = Number(seedText), first = Number(firstText);
if (together) await inTurns(seed, Number(countText), Number(opsText));
else {
  for (let i = first; i < first + Number(countText); i++) {
    turn = i;
    await apart(seed * 1000003 + i, Number(opsText));
    console.log(`ready ${i}`);
  }
}
scratch.kv.close();
scratchRaw.close();
side.close();
Deno.exit(0); // whatever may still be read from standard input
