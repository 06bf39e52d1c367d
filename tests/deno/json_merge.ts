// json_merge.ts FILE SIDE SEED COUNT -- random values, and what JavaScript makes
// of them when a part is changed.
//
// The KV file FILE gets COUNT values: ["v", n] as it was and ["e", n] with a few
// parts changed.  The table "job" of the plain SQLite file SIDE has the JSON of
// the latter.  That, assigned to the former, must give the latter:
//
//   want = 'same'    the changes keep all types: taken, or refused where the
//                    rules say that it can't be told what happened
//   want = 'refuse'  the last change has put text in the place of a Date, bigint,
//                    Map, Set, RegExp, typed array, Error ...

import { DatabaseSync, jsonText, Random } from "./lib.ts";
import { bigint, string, value } from "./gen.ts";

const [file, side, seed, count] = Deno.args;
const r = new Random(Number(seed));

/** An object or array of which JSON shows the parts. */
type Owner = Record<string, unknown> | unknown[] | Map<unknown, unknown> | Set<unknown>;

function isOwner(v: unknown): v is Owner {
  return v instanceof Map || v instanceof Set || Array.isArray(v) ||
    (typeof v === "object" && v !== null && Object.getPrototypeOf(v) === Object.prototype);
}

/** All of them in a value, but for those that JSON doesn't show. */
function owners(v: unknown, found = new Set<Owner>()): Owner[] {
  if (isOwner(v) && !found.has(v)) {
    found.add(v);
    const parts = v instanceof Map
      ? [...v].flat()
      : v instanceof Set || Array.isArray(v)
      ? [...v]
      : Object.values(v);
    for (const p of parts) owners(p, found);
  }
  return [...found];
}

/** All that is in a value, and what of it is in a place that JSON doesn't show. */
function walk(v: unknown, hidden: boolean, seen: Set<unknown>, found: Set<unknown>) {
  const done = hidden ? found : seen;
  if (typeof v !== "object" || v === null || done.has(v)) return;
  done.add(v);
  if (v instanceof Map) for (const p of [...v].flat()) walk(p, hidden, seen, found);
  if (v instanceof Set) for (const p of v) walk(p, hidden, seen, found);
  if (ArrayBuffer.isView(v)) return;
  for (const k of Object.getOwnPropertyNames(v)) {
    const part = (v as Record<string, unknown>)[k];
    const shown = Array.isArray(v) ? /^\d+$/.test(k) : !(v instanceof Error);
    walk(part, hidden || !shown, seen, found);
  }
}

/** A value of JSON's own types. */
function plain(): unknown {
  return r.pick([
    () => r.int(1000),
    () => string(r),
    () => r.chance(50),
    () => null,
    () => ({ x: r.int(9), y: ["a"] }),
    () => [1, "b", { c: null }],
    () => 2 ** 60 + 2 ** 20 * r.int(1000),
  ])();
}

/** Is it JSON's own type, itself? */
function own(v: unknown): boolean {
  return v === null || v === undefined || ["boolean", "number", "string"].includes(typeof v) ||
    Array.isArray(v) || (isOwner(v) && !(v instanceof Map) && !(v instanceof Set));
}

/** Another value of the same type, if JSON can say so; else the same. */
function other(v: unknown): unknown {
  if (typeof v === "bigint") return bigint(r);
  if (v instanceof Date) return new Date(1.5e12 + r.u32());
  // An object in the place of an object would be taken for the same, changed.
  const to = !own(v) ? v : isOwner(v) ? r.int(1000) : plain();
  return jsonText([v]) === jsonText([to]) ? v : to;
}

/** Does an element show this JSON already?  Which one is which can't be told then. */
function shows(o: Iterable<unknown>, v: unknown): boolean {
  return [...o].some((x) => jsonText([x]) === jsonText([v]));
}

function define(o: object, k: string, v: unknown) {
  Object.defineProperty(o, k, { value: v, enumerable: true, configurable: true, writable: true });
}

/** Replace a part, add one or remove one. */
function change(o: Owner, make: (v: unknown) => unknown) {
  const how = make === other ? r.int(6) : 5;
  if (o instanceof Map) {
    const keys = [...o.keys()];
    const texts = keys.every((k) => typeof k === "string");
    const s = texts ? string(r) : r.int(99);
    if (how === 0) return void (o.has(s) || o.set(s, plain()));
    if (keys.length === 0) return;
    const k = r.pick(keys);
    if (how !== 1) o.set(k, make(o.get(k)));
    else if (o.get(k) !== undefined) o.delete(k);
  } else if (o instanceof Set) {
    const s = string(r);
    if (how !== 1) return void (make === other && !shows(o, s) && o.add(s));
    if (o.size) o.delete(r.pick([...o]));
  } else if (Array.isArray(o)) {
    const p = plain();
    if (Object.hasOwn(o, "constructor")) return;     // splice() would call it
    if (how === 0) return void (shows(o, p) || o.splice(r.int(o.length + 1), 0, p));
    if (o.length === 0) return;
    const k = r.int(o.length);
    const to = make(o[k]);
    if (how === 1) o.splice(k, 1);
    else if (!shows(o, to)) o[k] = to;
  } else {
    const s = string(r);
    if (how === 0) return void (Object.hasOwn(o, s) || define(o, s, plain()));
    const keys = Object.keys(o);
    if (keys.length === 0) return;
    const k = r.pick(keys);
    if (how !== 1) define(o, k, make(o[k]));
    else if (o[k] !== undefined) delete o[k];
  }
}

/** A type that is lost: true if there was one to lose. */
function spoil(v: unknown): boolean {
  const hit = owners(v).filter((o) => !(o instanceof Set) && !(o instanceof Map)).flatMap((o) =>
    Object.keys(o).filter((k) => {
      const x = (o as Record<string, unknown>)[k];
      return !own(x) && !(x instanceof Object && x instanceof String);
    }).filter((k) => !Array.isArray(o) || /^\d+$/.test(k) && Number(k) < o.length)
      .map((k) => ({ o, k }))
  );
  if (hit.length === 0) return false;
  const { o, k } = r.pick(hit);
  define(o, k, "spoilt " + r.u32());
  return true;
}

const kv = await Deno.openKv(file);
const db = new DatabaseSync(side);
db.exec(`
  PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
  CREATE TABLE job(n INTEGER PRIMARY KEY, want TEXT, json TEXT);
  BEGIN`);
const insert = db.prepare("INSERT INTO job VALUES(?,?,?)");
for (let n = 0; n < Number(count);) {
  const v = value(r);
  if (!isOwner(v)) continue;
  const e = structuredClone(v);
  const changed = new Set<Owner>();
  for (let i = 1 + r.int(3); i > 0; i--) {
    const o = r.pick(owners(e));
    // A hidden place keeps what it has.
    const hidden = new Set();
    walk(e, false, new Set(), hidden);
    if (!changed.has(o) && !hidden.has(o)) change(o, other);
    changed.add(o);
  }
  const refuse = r.chance(15) && spoil(e);
  const json = jsonText(e);
  if (json === undefined) continue;
  const done = await kv.atomic().set(["v", n], v).set(["e", n], e).commit()
    .catch(() => null);                    // too large
  if (done) insert.run(n++, refuse ? "refuse" : "same", json.toWellFormed());
}
db.exec("COMMIT");
db.close();
kv.close();
