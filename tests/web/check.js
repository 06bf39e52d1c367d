// check.js -- what the checks of the page share.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { root } from "./browser.js";

export { assert };
export const sample = join(root, "tests/sample/sample.sqlite3");

/** A database of this machine, with the extension that was built for it. */
export function native(path) {
  const db = new DatabaseSync(path, { allowExtension: true });
  db.loadExtension(join(root, "build/kv.so"));
  return db;
}

/** A program of tests/deno in the real Deno. */
export function deno(script, ...args) {
  return execFileSync(join(root, "build/npm/deno"), [
    "run",
    "-A",
    "--unstable-kv",
    "--quiet",
    "--no-lock",
    "--no-config",
    join(root, "tests/deno", script),
    ...args,
  ], { encoding: "utf8", env: { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" } });
}

/** A hash function for numbers that only the seed decides. */
export function random(seed) {
  return (n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor(seed / 4294967296 * n);
  };
}

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The result of a script on the page: its last statement's rows, or an error thrown. */
export async function rows(tab, sql) {
  const { results } = await tab.evaluate(
    (sql) => page.client.change("exec", { sql, limit: 1e6 }),
    sql,
  );
  const last = results.at(-1);
  if (last.error) throw new Error(last.error);
  return last.rows;
}
