// dropin.ts -- a program over every call of @deno/kv.  The test runs it as it is, and with
// another import: what is printed is the same.  (Cursors of @deno/kv are its own, its bytes
// are Buffers, its stores in memory have no limits, and a watch of one doesn't end.)
import { isNapiInterface, type Kv, type KvEntryMaybe, type KvMutation, KvU64, makeInMemoryService, makeLimitedV8Serializer, makeNapiBasedService,
  makeRemoteService, NAPI_FUNCTIONS, openKv, UnknownV8 } from "@deno/kv";
import process from "node:process";
import { inspect } from "node:util";

// @deno/kv 0.14 may end a watch twice, and rejects a promise that nobody has when it does.
process.on("unhandledRejection", (e) => {
  if (!String(e).startsWith("Error: watch not found")) throw e;
});

const dir = process.argv[2];
const show = (v: unknown): string => v instanceof Uint8Array ? `bytes ${[...v]}` : v instanceof KvU64 ? `KvU64 ${v.value}` : Array.isArray(v) ? `[${v.map(show)}]`
  : v instanceof Map ? `Map ${show([...v])}` : inspect(v, { depth: 9, breakLength: Infinity, compact: 9 });
const print = (what: string, ...values: unknown[]) => console.log(what, ...values.map(show));
const all = async <T>(list: AsyncIterable<{ key: unknown; value: T }>) => {
  const entries = [];
  for await (const { key, value } of list) entries.push([key, value]);
  return entries;
};

async function program(kv: Kv, isFile: boolean) {
  const { ok, versionstamp } = await kv.set(["users", 1], { name: "Ada", at: new Date(5), tags: ["x"] });
  print("set", ok, typeof versionstamp, versionstamp.length);
  const entry: KvEntryMaybe<{ name: string }> = await kv.get<{ name: string }>(["users", 1]);
  print("get", entry.key, entry.value, entry.value?.name, entry.versionstamp === versionstamp, (await kv.get(["none"])).value);
  print("check", (await kv.atomic().check(entry).set(["users", 2], "Bob").commit()).ok, await kv.atomic().check({ key: ["users", 1], versionstamp: null }).set(["x"], 1).commit());
  await kv.atomic().sum(["n"], 5n).min(["min"], 7n).max(["max"], 9n).commit();
  const mutations: KvMutation[] = [{ type: "sum", key: ["n"], value: new KvU64(2n) }, { type: "set", key: ["s"], value: 1 }, { type: "delete", key: ["none"] }];
  await kv.atomic().mutate(...mutations).commit();
  const [n, s, none] = await kv.getMany<[KvU64, number, Date]>([["n"], ["s"], ["none"]]);
  print("getMany", n.value, s.value?.toFixed(1), none.value?.getTime(), (await kv.getMany([["min"], ["max"]])).map((e) => e.value));
  for (const [i, v] of [null, undefined, true, 1.5, 5n, "\u20ac", new Uint8Array([1, 2]), new Map([[1, 2]]), new Set(["a"]), /a/g, [1, [2]]].entries()) await kv.set(["v", i], v);
  print("list", await all(kv.list({ prefix: ["v"] })));
  print("reverse", await all(kv.list<unknown>({ prefix: ["v"] }, { reverse: true, limit: 2, batchSize: 1 })));
  print("start", await all(kv.list({ prefix: ["v"], start: ["v", 3] }, { limit: 2, consistency: "eventual" })), await all(kv.list({ start: ["users"], end: ["users", 2] })));
  const list = kv.list({ prefix: ["v"] }, { limit: 3 });
  await all(list);
  print("cursor", typeof list.cursor, await all(kv.list({ prefix: ["v"] }, { cursor: list.cursor, limit: 1 })));
  await kv.set(["e"], 1, { expireIn: 50000 });
  print("delete", await kv.delete(["e"]), (await kv.get(["e"])).versionstamp);
  const wrong = [() => kv.set([], 1), ...!isFile ? [] : [() => kv.get(["x".repeat(3000)]), () => kv.set(["x"], "x".repeat(70000)), () => kv.getMany(Array(11).fill(["a"]))]];
  for (const f of wrong) print("wrong", await f().then(() => "no error", (e) => e instanceof Error));
  const messages: unknown[] = [], listener = kv.listenQueue((m) => void messages.push(m));
  print("enqueue", (await kv.enqueue({ hello: "world" })).ok, (await kv.atomic().enqueue("later", { delay: 100, keysIfUndelivered: [["dead"]] }).commit()).ok);
  for (let i = 0; i < 500 && messages.length < 2; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  print("messages", messages);
  if (isFile) {
    const reader = kv.watch<[string, number]>([["w"], ["s"]]).getReader();
    print("watch", (await reader.read()).value?.map((e) => e.value));
    await kv.set(["w"], "changed");
    print("watch", (await reader.read()).value?.map((e) => e.value));
    await reader.cancel();
  }
  kv.close();
  print("closed", await kv.get(["a"]).catch((e) => e instanceof Error));
  await listener.catch(() => {});
}

await program(await openKv(`${dir}/dropin.db`), true);
await program(await openKv(""), false);
await program(await makeInMemoryService({ debug: false, maxQueueAttempts: 3 }).openKv("a"), false);
const { encodeV8, decodeV8 } = makeLimitedV8Serializer();
for (const limited of [await openKv(`${dir}/one.db`, { encodeV8, decodeV8, debug: false, implementation: "sqlite" }), await makeNapiBasedService({ encodeV8, decodeV8 }).openKv(`${dir}/two.db`)]) {
  await limited.set(["a"], "text");
  await limited.set(["b"], new Uint8Array([1]));
  print("limited", (await limited.getMany([["a"], ["b"]])).map((e) => e.value), await limited.set(["c"], {}).catch((e) => e.message));
  limited.close();
}
print("unknown", decodeV8(new Uint8Array([255, 15, 111]), { wrapUnknownValues: true }) instanceof UnknownV8, decodeV8(encodeV8("\u20ac")), [...encodeV8(true)]);
const u = new KvU64(2n ** 64n - 1n);
print("KvU64", "Deno" in globalThis ? [new KvU64(1n), new KvU64(5n), u] : [u.sum({ value: 2n }), u.min(new KvU64(5n)), u.max({ value: 3n })]);
print("others", typeof makeRemoteService({ accessToken: "token", maxRetries: 1 }).openKv, isNapiInterface({}), NAPI_FUNCTIONS.length);
for (const bad of [{ debug: 1 }, { implementation: "none" }, { encodeV8 }]) print("bad", await openKv(`${dir}/bad.db`, bad as never).catch((e) => e instanceof Error));
process.exit(0);
