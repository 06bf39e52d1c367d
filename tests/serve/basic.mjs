// basic.mjs -- every operation of the clients once.
import { end, fails, isDeno, KvU64, openKv, same } from "./lib.mjs";

const kv = await openKv();
const u64 = (e) => e.value.value;
const here = isDeno ? "deno" : "node";
const all = async (selector, options) => {
  const list = [];
  for await (const e of kv.list(selector, options)) list.push(e);
  return list;
};

// Values of every kind come back, and versionstamps rise.
const value = { s: "é", n: -0, b: 12345678901234567890n, d: new Date(5), a: [1, , 3],
  m: new Map([["k", new Set([1])]]), u: undefined, bytes: new Uint8Array([1, 2]) };
const first = await kv.set([here, "v"], value);
const entry = await kv.get([here, "v"]);
same("value", entry.value, value);
same("versionstamp", entry.versionstamp, first.versionstamp);
same("key", entry.key, [here, "v"]);
const second = await kv.set([here, "bytes"], new Uint8Array([255, 0]));
same("rises", second.versionstamp > first.versionstamp, true);
same("bytes", (await kv.get([here, "bytes"])).value, new Uint8Array([255, 0]));
same("none", await kv.get([here, "none"]), { key: [here, "none"], value: null, versionstamp: null });
same("eventual", (await kv.get([here, "v"], { consistency: "eventual" })).versionstamp, first.versionstamp);

// Keys with every kind of part.
const key = [here, "key", -1.5, 10n ** 20n, -7n, true, new Uint8Array([0, 255]), ""];
await kv.set(key, "k");
same("parts", (await all({ prefix: [here, "key"] })).map((e) => e.key), [key]);

// Many keys in one snapshot.
const many = await kv.getMany([[here, "v"], [here, "none"], [here, "bytes"]]);
same("many", many.map((e) => e.versionstamp), [first.versionstamp, null, second.versionstamp]);

// Atomic operations.
const taken = await kv.atomic().check({ key: [here, "v"], versionstamp: null }).set([here, "no"], 1).commit();
same("check fails", [taken.ok, (await kv.get([here, "no"])).versionstamp], [false, null]);
const done = await kv.atomic().check(entry).check({ key: [here, "no"], versionstamp: null })
  .set([here, "x"], "x").delete([here, "bytes"]).commit();
same("check succeeds", done.ok, true);
same("one versionstamp", (await kv.get([here, "x"])).versionstamp, done.versionstamp);
same("deleted", (await kv.get([here, "bytes"])).versionstamp, null);
await kv.atomic().sum([here, "n"], 5n).sum([here, "n"], 2n ** 64n - 1n).min([here, "least"], 7n).max([here, "most"], 7n).commit();
await kv.atomic().min([here, "least"], 9n).max([here, "most"], 9n).commit();
same("sum wraps", u64(await kv.get([here, "n"])), 4n);
same("min", u64(await kv.get([here, "least"])), 7n);
same("max", u64(await kv.get([here, "most"])), 9n);
same("KvU64", (await kv.get([here, "n"])).value instanceof KvU64, true);
await fails("sum of a string", () => kv.atomic().sum([here, "x"], 1n).commit(), /Failed to perform 'sum' mutation on a non-U64 value in the database/);
await kv.set([here, "u"], new KvU64(1n));
if (isDeno) await fails("sum by a number", () => kv.atomic().mutate({ type: "sum", key: [here, "u"], value: 1 }).commit(), /Cannot sum KvU64 with Number/);

// An expired entry is gone.
await kv.set([here, "soon"], 1, { expireIn: 1 });
await new Promise((resolve) => setTimeout(resolve, 20));
same("expired", (await kv.get([here, "soon"])).value, null);
await kv.set([here, "late"], 1, { expireIn: 100000 });
same("not expired", (await kv.get([here, "late"])).value, 1);

// Lists: in batches, from both ends, by ranges, with cursors.
const batch = kv.atomic();
for (let i = 0; i < 250; i++) batch.set([here, "l", i], i);
await batch.commit();
const numbers = Array.from({ length: 250 }, (_, i) => i);
same("list", (await all({ prefix: [here, "l"] })).map((e) => e.value), numbers);
same("reverse", (await all({ prefix: [here, "l"] }, { reverse: true, batchSize: 7 })).map((e) => e.value), numbers.toReversed());
same("range", (await all({ start: [here, "l", 10], end: [here, "l", 13] })).map((e) => e.value), [10, 11, 12]);
const some = kv.list({ prefix: [here, "l"] }, { limit: 100, batchSize: 500 });
for await (const _ of some);
same("cursor", (await all({ prefix: [here, "l"] }, { cursor: some.cursor, limit: 2 })).map((e) => e.value), [100, 101]);

// Limits.
await fails("long key", () => kv.set([here, "x".repeat(2050)], 1), /key|limit|large/i);
await fails("large value", () => kv.set([here, "big"], new Uint8Array(70000)), /value|limit|large/i);

same("empty operation", (await kv.atomic().commit()).ok, true);
if (!isDeno) same("enqueue", (await kv.enqueue({ to: 1 }, { delay: 1000000, keysIfUndelivered: [[here, "dead"]] })).ok, true);
kv.close();
end();
