// transaction.mjs -- kv.transaction() and kv.sql.js.
import { dir, fails, finish, openKv, same, sleep, until } from "./lib.mjs";

const kv = await openKv(`${dir}/transaction.db`), other = await openKv(`${dir}/transaction.db`);
const value = async (...key) => (await kv.get(key)).value;

const order = [];
const result = await kv.transaction(async (tx) => {
  await tx.set(["a"], 1);
  await sleep(20);
  same("what is done in it is seen in it", [(await tx.get(["a"])).value, (await other.get(["a"])).value], [1, null]);
  await tx.sql`INSERT INTO kv_entries(key, value) VALUES (${["b"]}, ${new Date(2)})`;
  same("a check", await tx.atomic().check({ key: ["a"], versionstamp: null }).set(["a"], 2).commit(), { ok: false });
  order.push("in");
  return "result";
});
same("its result", result, "result");
same("it is done", [await value("a"), await value("b")], [1, new Date(2)]);

await fails("an error", () => kv.transaction(async (tx) => {
  await tx.set(["a"], 3);
  throw new RangeError("as it should");
}), "RangeError", "as it should");
same("undoes it", await value("a"), 1);
await fails("a failed commit", () => kv.transaction(async (tx) => {
  await tx.set(["a"], 4);
  await tx.sql`PRAGMA defer_foreign_keys = ON`;
  await tx.sql`CREATE TABLE parent(id INTEGER PRIMARY KEY)`;
  await tx.sql`CREATE TABLE child(id REFERENCES parent)`;
  await tx.sql`PRAGMA foreign_keys`;
  await tx.sql`SELECT no_such_function()`;
}), "TypeError", "no such function: no_such_function");
same("undoes it, too", await value("a"), 1);

// What else is asked for waits, in this store and in others.
const begun = kv.transaction(async (tx) => {
  await tx.set(["n"], 1);
  await sleep(100);
  await tx.set(["n"], (await tx.get(["n"])).value + 1);
  order.push("first");
});
const waiting = [kv.set(["n"], 10).then(() => order.push("then")), other.set(["m"], 1).then(() => order.push("other"))];
const second = kv.transaction(async (tx) => void await tx.set(["n"], (await tx.get(["n"])).value + 5));
await Promise.all([begun, second, ...waiting]);
same("in the order of the calls", [order.indexOf("first") < order.indexOf("then"), await value("n")], [true, 15]);
const counted = Array.from({ length: 20 }, () => kv.transaction(async (tx) => {
  const n = (await tx.get(["count"])).value ?? 0;
  await sleep(1);
  await tx.set(["count"], n + 1);
}));
await Promise.all(counted);
same("no update is lost", await value("count"), 20);

// The outer store would wait for ever.
await fails("the store itself", () => kv.transaction(() => kv.get(["a"])), "TypeError",
  "kv: in a transaction use the store that it passes: this one waits for its end");
for (const [what, f] of [["watch()", (tx) => tx.watch([["a"]])], ["listenQueue()", (tx) => tx.listenQueue(() => {})], ["close()", (tx) => tx.close()],
  ["transaction()", (tx) => tx.transaction(() => {})]]) {
  await fails(what, () => kv.transaction(f), "TypeError", `kv: no ${what} in a transaction`);
}
let left;
await kv.transaction((tx) => void (left = tx));
await fails("behind its end", () => left.get(["a"]), "TypeError", "kv: the transaction has ended");

// Watches and messages learn of it when it is done.
const reader = kv.watch([["w"]]).getReader(), got = [];
await reader.read();
const listener = kv.listenQueue((m) => void got.push(m));
await kv.transaction(async (tx) => {
  await tx.set(["w"], 1);
  await tx.enqueue("message");
  await sleep(100);
  same("not before", got.length, 0);
});
same("a watch", (await reader.read()).value[0].value, 1);
await until("a message", () => got.length === 1);
await reader.cancel();

// Rows with JavaScript.
await kv.sql`DELETE FROM kv_entries`;
const v = { at: new Date(5), tags: new Set(["a"]), n: 2n ** 70n };
await kv.set(["users", 1, new Uint8Array([1])], v);
same("rows with JavaScript", await kv.sql.js`SELECT key, js, value ->> '$.at' AS at, 2 AS "two" FROM kv_entries WHERE prefix = ${["users"]}`,
  [{ key: ["users", 1, new Uint8Array([1])], js: v, at: new Date(5).toISOString(), two: 2 }]);
same("of a value alone", (await kv.sql.js`SELECT kv_js(raw) AS js, kv_part(key, 0) AS first FROM kv_entries`)[0], { js: v, first: "users" });

kv.close();
other.close();
await listener;
finish();
