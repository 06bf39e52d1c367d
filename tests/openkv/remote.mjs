// remote.mjs -- openKv("http://…"): everything that a file does, over KV Connect, and messages.
//
//   remote.mjs DRIVER DIR URL
import { inspect } from "node:util";
import process from "node:process";
import { args, collect, fails, finish, KvU64, openKv, same, sleep, until } from "./lib.mjs";

const [url] = args;
const kv = await openKv(url), other = await openKv(url);

// ------------------------------------------------------------------ values
const buffer = new Uint8Array([1, 2, 3, 4]).buffer, circle = { list: [1, "\u20ac"] };
circle.list.push(circle);
const values = [null, undefined, true, 1.5, -0, NaN, 5n, -(2n ** 70n), "", "a\0\ud83d\ude00", new Uint8Array([1, 2]), new KvU64(7n), new Date(5), /a/gi, [1, , 2],
  new Map([[1, new Set([2n])]]), { a: new Uint16Array(buffer, 2, 1), b: buffer }, new Uint8Array(), [new Uint8Array([3])], circle];
for (const [i, v] of values.entries()) await kv.set(["v", i], v);
for (const [i, v] of values.entries()) same(`the value ${inspect(v)}`, (await other.get(["v", i])).value, v);
same("all", (await collect(kv.list({ prefix: ["v"] }))).map((e) => e.value), values);
same("of many", (await kv.getMany([["v", 3], ["none"], ["v", 8]])).map((e) => [e.value, e.versionstamp === null]), [[1.5, false], [null, true], ["", false]]);
const keys = [[new Uint8Array([0, 255])], ["\0a"], [-1n], [1n << 70n], [-0], [1.5], [false], [true, "x"]];
for (const key of keys) await kv.set(["k", ...key], key[0]);
same("keys", (await collect(kv.list({ prefix: ["k"] }))).map((e) => e.key.slice(1)), keys);

// ------------------------------------------------------------------- lists
for (let i = 0; i < 25; i++) await kv.set(["l", i], i);
const numbers = async (selector, options) => (await collect(kv.list(selector, options))).map((e) => e.value);
const all = Array.from({ length: 25 }, (_, i) => i);
for (const batchSize of [1, 3, 10, 100]) {
  same("in batches", await numbers({ prefix: ["l"] }, { batchSize }), all);
  same("backwards", await numbers({ prefix: ["l"] }, { batchSize, reverse: true }), all.toReversed());
  same("a part", await numbers({ prefix: ["l"], start: ["l", 5] }, { batchSize, limit: 4 }), [5, 6, 7, 8]);
  same("to an end", await numbers({ start: ["l", 20], end: ["l", 23] }, { batchSize, reverse: true }), [22, 21, 20]);
}
for (const reverse of [false, true]) {
  const seen = [];
  for (let cursor = undefined, i = 0; i < 9; i++) {
    const it = kv.list({ prefix: ["l"] }, { limit: 4, cursor, reverse });
    seen.push(...(await collect(it)).map((e) => e.value));
    if (seen.length === 25) break;
    cursor = it.cursor;
  }
  same("pages", seen, reverse ? all.toReversed() : all);
}
const it = kv.list({ prefix: ["l"] }, { batchSize: 1, limit: 3 });
same("calls that don't wait", (await Promise.all([it.next(), it.next(), it.next()])).map((r) => r.value?.value).toSorted(), [0, 1, 2]);
same("nothing", await numbers({ prefix: ["none"] }), []);

// -------------------------------------------------------------- operations
const { versionstamp } = await kv.set(["c"], 1);
same("the versionstamp is the entry's", (await kv.get(["c"])).versionstamp, versionstamp);
same("a check", (await kv.atomic().check({ key: ["c"], versionstamp }).set(["c"], 2).delete(["l", 0]).commit()).ok, true);
same("that fails", await kv.atomic().check({ key: ["c"], versionstamp }).set(["c"], 3).commit(), { ok: false });
same("and changes nothing", [(await kv.get(["c"])).value, (await kv.get(["l", 0])).value], [2, null]);
await kv.atomic().sum(["n"], 5n).commit();
await kv.atomic().sum(["n"], 5n).min(["m"], 3n).max(["x"], 9n).commit();
same("sums", (await kv.getMany([["n"], ["m"], ["x"]])).map((e) => e.value.value), [10n, 3n, 9n]);
await kv.set(["log", kv.commitVersionstamp()], "entry").catch(() => {});
const stamped = (await kv.atomic().set(["log", kv.commitVersionstamp()], "entry").commit()).versionstamp;
same("a versionstamp in a key", (await collect(kv.list({ prefix: ["log"] }))).at(-1).key, ["log", stamped]);
await kv.set(["e"], 1, { expireIn: 300 });
same("before it expires", (await kv.get(["e"])).value, 1);
await until("it expires", async () => (await kv.get(["e"])).value === null);
await fails("a large value", () => kv.set(["a"], "x".repeat(70000)), "TypeError", "A value exceeds the value size limit.");
await fails("an empty key", () => kv.set([], 1), "TypeError", "key cannot be empty");
await fails("kv.sql", () => kv.sql`SELECT 1`, "TypeError", "kv: kv.sql needs a file, and this is a remote database");

// ----------------------------------------------------------------- watches
const reader = kv.watch([["w"], ["w2"]]).getReader();
same("the state now", (await reader.read()).value.map((e) => e.value), [null, null]);
await other.set(["w"], new Date(1));
same("a change", (await reader.read()).value.map((e) => e.value), [new Date(1), null]);
await other.delete(["w"]);
same("and an end", (await reader.read()).value.map((e) => [e.value, e.versionstamp]), [[null, null], [null, null]]);
await reader.cancel();

// ---------------------------------------------------------------- messages
const got = [[], []];
let failures = 0;
const listeners = [kv, other].map((k, i) => k.listenQueue(async (m) => {
  if (m.fails && failures++ === 0) throw new Error("as it should");
  if (m.waits) await sleep(m.waits);
  got[i].push(m);
}, { lease: 1000 }));
const error = console.error;
console.error = () => {};
for (let i = 0; i < 10; i++) await kv.enqueue({ i, at: new Date(i) });
await until("each message", () => got.flat().length === 10);
same("once, with its types", got.flat().map((m) => +m.at).toSorted((a, b) => a - b), all.slice(0, 10));
await kv.atomic().set(["sent"], 1).enqueue({ fails: true }, { backoffSchedule: [10] }).commit();
await until("a message is retried", () => got.flat().length === 11);
same("after it failed", failures, 2);
await kv.enqueue({ waits: 3000 }, { delay: 50 });
await until("a handler that waits longer than its lease", () => got.flat().length >= 12);
await sleep(1500);
same("has its message once", got.flat().length, 12);
await kv.enqueue(new Uint8Array([1, 2, 3]));
await until("bytes", () => got.flat().length === 13);
same("are bytes", got.flat().find((m) => m instanceof Uint8Array), new Uint8Array([1, 2, 3]));
console.error = error;

// --------------------------------------------------------------------- end
const last = kv.watch([["w"]]).getReader();
await last.read();
kv.close();
same("a watch ends", (await last.read()).done, true);
await fails("what is closed", () => kv.get(["a"]), "BadResource", "Bad resource ID");
other.close();
await Promise.all(listeners);
await fails("another token", () => openKv(url, { accessToken: "another-token" }), "TypeError", await reason());
async function reason() {
  const r = await fetch(url, { method: "POST", headers: { authorization: "Bearer another-token", "content-type": "application/json" }, body: '{"supportedVersions":[1,2,3]}' });
  return await r.text();
}
process.env.DENO_KV_ACCESS_TOKEN = "";
await fails("no token", () => openKv(url), "Error", "Set the DENO_KV_ACCESS_TOKEN to your access token");
finish();
