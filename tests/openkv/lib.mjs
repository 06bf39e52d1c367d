// lib.mjs -- what the programs of openkv.test share: openKv() of the package, with
// the driver that argument 1 names, or of the real Deno ("Deno"); and checks.
//
//   program.mjs DRIVER DIR ...     DIR is a directory for files
//
// better-sqlite3 is given as "better-sqlite3=LIBRARY=ADDON".
import { createRequire } from "node:module";
import { isDeepStrictEqual, inspect } from "node:util";
import process from "node:process";

export const [driver, dir, ...args] = process.argv.slice(2);
export const isDeno = driver === "Deno";
const require = createRequire(import.meta.url);
const pkg = isDeno ? globalThis.Deno : require(process.env.KV_PACKAGE);

const kept = [];
function driverOf() {
  const [name, library, addon] = driver.split("=");
  if (library === undefined) return name;
  const Database = require(library);
  // (The addon as it is compiled here must not see its objects collected.)
  return class extends Database {
    constructor(path, options) {
      super(path, addon ? { ...options, nativeBinding: addon } : options);
      kept.push(this);
    }
    prepare(sql) {
      const st = super.prepare(sql);
      kept.push(st);
      return st;
    }
  };
}
const options = isDeno ? undefined : { driver: driverOf() };

export const openKv = (path = ":memory:", more = {}) => pkg.openKv(path, options && { ...options, ...more });
export const { KvU64, Kv, AtomicOperation } = pkg;

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export async function collect(list) {
  const res = [];
  for await (const e of list) res.push(e);
  return res;
}

let failed = 0, passed = 0;

export function same(what, got, expected) {
  const equal = got instanceof KvU64 && expected instanceof KvU64
    ? got.value === expected.value : isDeepStrictEqual(got, expected);
  if (equal) return void passed++;
  failed++;
  const show = (v) => inspect(v, { depth: 9, breakLength: Infinity });
  console.log(`${what}: ${show(got)}, expected ${show(expected)}`);
}

/** What f() does must fail with an error of this class and message. */
export async function fails(what, f, name, message) {
  let got = "no error";
  try {
    await f();
  } catch (e) {
    got = `${e.name}: ${e.message}`;
  }
  same(what, got, `${name}: ${message}`);
}

/** Until f() is true, but not for ever. */
export async function until(what, f) {
  for (let i = 0; i < 3000; i++) {
    if (await f()) return void passed++;
    await sleep(10);
  }
  same(what, "nothing in 30 s", "done");
}

export function finish() {
  console.log(failed ? `${failed} failed` : passed ? "ok" : "no checks");
  process.exit(0);
}
