// dropin.mjs -- a program over every call of @deno/kv, of which only the import is another:
// what it prints is the same with both.  (Cursors of @deno/kv are its own, its bytes are Buffers,
// and its stores in memory know no limits, and a watch of one doesn't end.)
//
//   dropin.mjs PACKAGE DIR [NAME=VALUE]     the options of openKv()
import { createRequire } from "node:module";
import { inspect } from "node:util";
import process from "node:process";

const [name, dir, ...given] = process.argv.slice(2);
const { openKv, KvU64, makeInMemoryService, makeNapiBasedService, makeRemoteService, makeLimitedV8Serializer, UnknownV8, isNapiInterface, NAPI_FUNCTIONS } = name.endsWith(".js") ? await import(name) : createRequire(import.meta.url)(name);
const options = Object.fromEntries(given.map((text) => text.split("=")));
const show = (v) => v instanceof Uint8Array ? `bytes ${[...v]}` : v instanceof KvU64 ? `KvU64 ${v.value}` : Array.isArray(v) ? `[${v.map(show)}]` : inspect(v, { depth: 9, breakLength: Infinity, compact: 9 });
const print = (what, ...values) => console.log(what, ...values.map(show));
const all = async (list) => {
  const entries = [];
  for await (const { key, value } of list) entries.push([key, value]);
  return entries;
};

async function program(kv, isFile) {
  const { ok, versionstamp } = await kv.set(["users", 1], { name: "Ada", at: new Date(5), tags: ["x"] });
  print("set", ok, typeof versionstamp, versionstamp.length);
  const entry = await kv.get(["users", 1]);
  print("get", entry.key, entry.value, entry.versionstamp === versionstamp, (await kv.get(["none"])).value);
  print("check", (await kv.atomic().check(entry).set(["users", 2], "Bob").commit()).ok, await kv.atomic().check({ key: ["users", 1], versionstamp: null }).set(["x"], 1).commit());
  await kv.atomic().sum(["n"], 5n).min(["min"], 7n).max(["max"], 9n).commit();
  await kv.atomic().mutate({ type: "sum", key: ["n"], value: new KvU64(2n) }, { type: "set", key: ["s"], value: 1 }, { type: "delete", key: ["none"] }).commit();
  print("getMany", (await kv.getMany([["n"], ["min"], ["max"], ["s"], ["none"]])).map((e) => e.value));
  for (const [i, v] of [null, undefined, true, 1.5, 5n, "\u20ac", new Uint8Array([1, 2]), new Map([[1, 2]]), new Set(["a"]), /a/g, [1, [2]]].entries()) await kv.set(["v", i], v);
  print("list", await all(kv.list({ prefix: ["v"] })));
  print("reverse", await all(kv.list({ prefix: ["v"] }, { reverse: true, limit: 2, batchSize: 1 })));
  print("start", await all(kv.list({ prefix: ["v"], start: ["v", 3] }, { limit: 2, consistency: "eventual" })), await all(kv.list({ start: ["users"], end: ["users", 2] })));
  const list = kv.list({ prefix: ["v"] }, { limit: 3 });
  await all(list);
  print("cursor", typeof list.cursor, await all(kv.list({ prefix: ["v"] }, { cursor: list.cursor, limit: 1 })));
  await kv.set(["e"], 1, { expireIn: 50000 });
  print("delete", await kv.delete(["e"]), (await kv.get(["e"])).versionstamp);
  for (const wrong of [() => kv.set([], 1), ...!isFile ? [] : [() => kv.get(["x".repeat(3000)]), () => kv.set(["x"], "x".repeat(70000)), () => kv.getMany(Array(11).fill(["a"]))]]) {
    print("wrong", await wrong().then(() => "no error", (e) => e instanceof Error));
  }
  const messages = [], listener = kv.listenQueue((m) => void messages.push(m));
  print("enqueue", (await kv.enqueue({ hello: "world" })).ok, (await kv.atomic().enqueue("later", { delay: 100, keysIfUndelivered: [["dead"]] }).commit()).ok);
  for (let i = 0; i < 500 && messages.length < 2; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  print("messages", messages);
  if (isFile) {
    const reader = kv.watch([["w"], ["s"]]).getReader();
    print("watch", (await reader.read()).value.map((e) => e.value));
    await kv.set(["w"], "changed");
    print("watch", (await reader.read()).value.map((e) => e.value));
    await reader.cancel();
  }
  kv.close();
  print("closed", await kv.get(["a"]).catch((e) => e instanceof Error));
  await listener.catch(() => {});
}

await program(await openKv(`${dir}/dropin.db`, options), true);
await program(await openKv("", options));
await program(await makeInMemoryService().openKv("a"));
const { encodeV8, decodeV8 } = makeLimitedV8Serializer();
const limited = await openKv(`${dir}/limited.db`, { ...options, encodeV8, decodeV8, debug: false, implementation: "sqlite" });
await limited.set(["a"], "text");
await limited.set(["b"], new Uint8Array([1]));
print("limited", (await limited.getMany([["a"], ["b"]])).map((e) => e.value), await limited.set(["c"], {}).catch((e) => e.message));
print("unknown", decodeV8(new Uint8Array([255, 15, 111]), { wrapUnknownValues: true }) instanceof UnknownV8, decodeV8(encodeV8("\u20ac")), [...encodeV8(true)]);
print("others", typeof makeNapiBasedService, typeof makeRemoteService, isNapiInterface({}), NAPI_FUNCTIONS.length);
for (const bad of [{ debug: 1 }, { implementation: "none" }, { encodeV8 }]) print("bad", await openKv(`${dir}/bad.db`, bad).catch((e) => e instanceof Error));
process.exit(0);
