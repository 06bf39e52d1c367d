// lib.mjs -- what the programs of serve*.test share: the real Deno, or @deno/kv
// under Node, as a client of kv-serve.
//
//   program.mjs URL ...
import { isDeepStrictEqual, inspect } from "node:util";
import process from "node:process";

export const isDeno = globalThis.Deno !== undefined;
const client = isDeno ? globalThis.Deno : await import(process.env.KV_CLIENT);
const argv = isDeno ? globalThis.Deno.args : process.argv.slice(2);
export const [url, ...args] = argv;
export const { KvU64 } = isDeno ? globalThis.Deno : client;
export const openKv = (at = url, token = process.env.DENO_KV_ACCESS_TOKEN) => {
  if (!isDeno) return client.openKv(at, at.startsWith("http") ? { accessToken: token } : {});
  globalThis.Deno.env.set("DENO_KV_ACCESS_TOKEN", token);
  return globalThis.Deno.openKv(at);
};
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let wrong = 0;
export function same(what, got, expected) {
  if (isDeepStrictEqual(got, expected)) return;
  wrong++;
  console.log(`${what}: ${inspect(got, { depth: 8 })} instead of ${inspect(expected, { depth: 8 })}`);
}
export async function fails(what, promise, re) {
  try {
    await promise();
  } catch (e) {
    if (re.test(String(e?.message ?? e))) return;
    same(what, String(e?.message ?? e), re);
    return;
  }
  same(what, "no error", re);
}
export function end() {
  if (wrong === 0) console.log("ok");
  (isDeno ? globalThis.Deno : process).exit(0);
}
