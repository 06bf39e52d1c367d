// entries.mjs -- get, set, delete, list, cursors, atomic operations, errors.
import { AtomicOperation, collect, fails, finish, isDeno, Kv, KvU64, openKv, same } from "./lib.mjs";

const kv = await openKv();
const stamp = /^[0-9a-f]{20}$/;

// ------------------------------------------------------- one entry, many
same("nothing there", await kv.get(["a"]), { key: ["a"], value: null, versionstamp: null });
const first = await kv.set(["a"], { n: 1 });
same("set gives", [first.ok, Object.keys(first), stamp.test(first.versionstamp)], [true, ["ok", "versionstamp"], true]);
const read = await kv.get(["a"]);
same("an entry", read, { key: ["a"], value: { n: 1 }, versionstamp: first.versionstamp });
same("its members in order", Object.keys(read), ["key", "value", "versionstamp"]);
const second = await kv.set(["a"], 2);
same("a later versionstamp", second.versionstamp > first.versionstamp, true);
same("delete gives nothing", await kv.delete(["a"]), undefined);
same("deleted", (await kv.get(["a"])).versionstamp, null);
await kv.set(["b"], "b");
same("many", (await kv.getMany([["b"], ["x"], ["b"]])).map((e) => [e.key, e.value]), [[["b"], "b"], [["x"], null], [["b"], "b"]]);
same("many of none", await kv.getMany([]), []);
same("ten of them", (await kv.getMany(Array.from({ length: 10 }, (_, i) => [i]))).length, 10);
await fails("eleven", () => kv.getMany(Array.from({ length: 11 }, (_, i) => [i])), "TypeError", "Too many ranges (max 10)");
await fails("consistency", () => kv.get(["a"], { consistency: "x" }), "TypeError", "unknown variant `x`, expected `strong` or `eventual`");
same("eventually", (await kv.get(["b"], { consistency: "eventual" })).value, "b");
await kv.delete(["b"]);

// ----------------------------------------------------------------- lists
const op = kv.atomic();
for (const [i, key] of [["a"], ["a", "a"], ["a", "b"], ["a", "c"], ["a", "d"], ["a", "e"], ["b"], ["b", "a"]].entries()) op.set(key, i);
await op.commit();
const list = async (selector, options) => (await collect(kv.list(selector, options))).map((e) => e.value);
for (const batchSize of [undefined, 1, 2, 1000]) {
  const all = [
    [{ prefix: [] }, [0, 1, 2, 3, 4, 5, 6, 7]], [{ prefix: ["a"] }, [1, 2, 3, 4, 5]], [{ prefix: ["c"] }, []],
    [{ prefix: ["a"], start: ["a", "c"] }, [3, 4, 5]], [{ prefix: ["a"], end: ["a", "c"] }, [1, 2]],
    [{ start: ["a"], end: ["a", "c"] }, [0, 1, 2]], [{ start: ["a", "d"], end: ["b", "a"] }, [4, 5, 6]], [{ start: ["a"], end: ["a"] }, []],
    [{ start: [], end: ["a", "b"] }, [0, 1]],
  ];
  for (const [selector, values] of all) {
    same("a list", await list(selector, { batchSize }), values);
    same("a list from its end", await list(selector, { batchSize, reverse: true }), values.toReversed());
    same("a limited list", await list(selector, { batchSize, limit: 2 }), values.slice(0, 2));
    same("a limited list from its end", await list(selector, { batchSize, limit: 2, reverse: true }), values.toReversed().slice(0, 2));
    for (const reverse of [false, true]) {
      const pages = [];
      let cursor;
      do {
        const it = kv.list(selector, { batchSize, limit: 3, reverse, cursor });
        pages.push(...(await collect(it)).map((e) => e.value));
        cursor = it.cursor;
      } while (cursor && pages.length < 20);
      same("pages by cursor", pages, reverse ? values.toReversed() : values);
    }
  }
}
const it = kv.list({ prefix: ["a"] });
await fails("no cursor yet", () => it.cursor, "Error", "Cannot get cursor before first iteration");
same("an iterator is one", it[Symbol.asyncIterator]() === it, true);
await it.next();
same("a cursor", it.cursor, "AmEA");
same("another iterator goes on there", await list({ prefix: ["a"] }, { cursor: it.cursor, limit: 1 }), [2]);
same("a cursor of the other side", await list({ prefix: ["a"] }, { cursor: "AmMA", reverse: true }), [2, 1]);
same("the cursor that was given", kv.list({ prefix: ["a"] }, { cursor: "AmMA" }).cursor, "AmMA");
const range = kv.list({ start: ["q", 1], end: ["q", 3] });
await kv.set(["q", 1], 1);
await range.next();
same("the cursor of a range", range.cursor, "v_AAAAAAAAA=");
await range.next();
same("the cursor of the end", [range.cursor, await range.next()], ["", { done: true, value: undefined }]);
await kv.delete(["q", 1]);

const selectors = [
  [{}, "Selector must specify either 'prefix' or both 'start' and 'end' key"],
  [{ start: ["a"] }, "Selector must specify either 'prefix' or both 'start' and 'end' key"],
  [{ prefix: ["a"], start: ["a", "a"], end: ["a", "b"] }, "Selector can not specify both 'start' and 'end' key when specifying 'prefix'"],
  [{ prefix: ["a"], start: ["b"] }, "Start key is not in the keyspace defined by prefix"],
  [{ prefix: ["a"], start: ["a"] }, "Start key is not in the keyspace defined by prefix"],
  [{ prefix: ["a"], end: ["b"] }, "End key is not in the keyspace defined by prefix"],
  [{ start: ["b"], end: ["a"] }, "Start key is greater than end key"],
  [{ prefix: ["x".repeat(2100)] }, "Key too large for read (max 2049 bytes)"],
];
for (const [selector, message] of selectors) await fails("a selector", () => list(selector), "TypeError", message);
const wrong = kv.list({ prefix: ["a"], start: ["b"] });
for (const turn of ["once", "twice"]) await fails(`an iterator, ${turn}`, () => wrong.next(), "TypeError", selectors[3][1]);
const options = [
  [{ limit: 0 }, "Error", "Limit must be a positive integer: received 0"], [{ limit: "5" }, "Error", "Limit must be a positive integer: received 5"],
  [{ batchSize: 2.3 }, "Error", "batchSize must be a positive integer: received 2.3"], [{ batchSize: 1001 }, "TypeError", "Too many entries (max 1000)"],
  [{ cursor: "." }, "TypeError", "invalid cursor"], [{ cursor: 5 }, "TypeError", "serde_v8 error: invalid type; expected: string, got: Number"],
  [{ consistency: "" }, "TypeError", "unknown variant ``, expected `strong` or `eventual`"],
];
for (const [o, name, message] of options) await fails("an option", () => list({ prefix: [] }, o), name, message);
same("only true goes backwards", await list({ prefix: [] }, { reverse: 1, limit: 1 }), [0]);

// ----------------------------------------------------- atomic operations
const [a] = await kv.getMany([["a"]]);
same("a check that holds", (await kv.atomic().check(a).set(["a"], "new").commit()).ok, true);
same("a check that fails", await kv.atomic().check(a).set(["a"], "newer").commit(), { ok: false });
same("checks come first", (await kv.atomic().set(["t"], 1).check({ key: ["t"], versionstamp: null }).commit()).ok, true);
same("what was there", [(await kv.get(["a"])).value, (await kv.get(["t"])).value], ["new", 1]);
same("without checks and mutations", (await kv.atomic().commit()).ok, true);
same("in their order", [(await kv.atomic().set(["o"], 1).delete(["o"]).commit()).ok, (await kv.get(["o"])).versionstamp], [true, null]);
const r = await kv.atomic().set(["one"], 1).set(["two"], 2).commit();
same("one versionstamp", (await kv.getMany([["one"], ["two"]])).map((e) => e.versionstamp), [r.versionstamp, r.versionstamp]);
for (const n of [1, 7, 49, 50, 99, 200]) {
  const many = kv.atomic();
  for (let i = 0; i < n; i++) many.check({ key: ["many", "none"], versionstamp: null });
  if (n > 100) {
    await fails("checks", () => many.commit(), "TypeError", "Too many checks (max 100)");
    continue;
  }
  for (let i = 0; i < n; i++) many.set(["many", i], i % 2 ? new Date(i) : new Uint8Array([i]));
  many.sum(["many", "n"], BigInt(n)).delete(["many", 0]);
  same("steps", (await many.commit()).ok, true);
  same("all of them", (await list({ prefix: ["many"] })).length, n);
  for (const e of await collect(kv.list({ prefix: ["many"] }))) await kv.delete(e.key);
}
const counter = async () => (await kv.get(["n"])).value;
await kv.atomic().sum(["n"], 5n).sum(["n"], 2n ** 64n - 1n).commit();
same("a sum wraps", await counter(), new KvU64(4n));
await kv.atomic().max(["n"], 9n).min(["n"], 7n).commit();
same("min and max", await counter(), new KvU64(7n));
await kv.set(["d"], 1);
await kv.set(["i"], 2n);
await kv.set(["s"], "x");
const sum = (key, value, type = "sum") => kv.atomic().mutate({ type, key, value }).commit();
await sum(["d"], 1.5);
await sum(["i"], -(2n ** 70n));
await sum(["n"], 1n);
same("sums of numbers and bigints", [(await kv.get(["d"])).value, (await kv.get(["i"])).value, await counter()], [2.5, 2n - 2n ** 70n, new KvU64(8n)]);
const sums = [
  [["s"], new KvU64(1n), "Failed to perform 'sum' mutation on a non-U64 value in the database"],
  [["d"], new KvU64(1n), "Failed to perform 'sum' mutation on a non-U64 value in the database"],
  [["d"], 1n, "Cannot sum Number with BigInt"], [["i"], 1, "Cannot sum BigInt with Number"], [["n"], 1, "Cannot sum KvU64 with Number"],
  [["s"], 1, "unsupported value type"], [["n"], "x", "Some of the parameters are not valid V8 values"],
];
for (const [key, value, message] of sums) await fails("a sum", () => sum(key, value), "TypeError", message);
await fails("a min", () => sum(["n"], 1, "min"), "TypeError", "Failed to perform 'min' mutation on a non-U64 operand");
await fails("a max", () => sum(["s"], new KvU64(1n), "max"), "TypeError", "Failed to perform 'max' mutation on a non-U64 value in the database");
await fails("a sum of a number", () => kv.atomic().sum(["n"], 5), "TypeError", "Value must be a bigint: received number");
await fails("a negative sum", () => kv.atomic().sum(["n"], -5n), "RangeError", "Value must be a positive bigint: received -5");
await fails("a large sum", () => kv.atomic().sum(["n"], 2n ** 64n), "RangeError", "Value must fit in a 64-bit unsigned integer");
if (!isDeno) {                                  // Deno leaves what came before the sum
  await fails("an error after a set", () => kv.atomic().set(["half"], 1).sum(["s"], 1n).commit(), "TypeError",
    "Failed to perform 'sum' mutation on a non-U64 value in the database");
  same("leaves nothing", (await kv.get(["half"])).versionstamp, null);
}
const mutations = [
  [{ type: "delete", key: ["a"], value: 1 }, "Invalid mutation 'delete' with value"], [{ type: "set", key: ["a"] }, "Invalid mutation 'set' without value"],
  [{ type: "other", key: ["a"] }, "Invalid mutation type"],
];
for (const [m, message] of mutations) await fails("a mutation", () => kv.atomic().mutate(m), "TypeError", message);
await kv.atomic().mutate({ type: "set", key: ["m"], value: 1, expireIn: 100000 }, { type: "delete", key: ["d"] }).commit();
same("mutations", (await kv.getMany([["m"], ["d"]])).map((e) => e.value), [1, null]);
for (const versionstamp of ["", "x".repeat(20), "a".repeat(22)]) {
  await fails("a versionstamp", () => kv.atomic().check({ key: ["a"], versionstamp }).commit(), "TypeError", "Invalid check");
}
const large = kv.atomic(), keys = kv.atomic(), many = kv.atomic();
for (let i = 0; i < 20; i++) large.set([i], "x".repeat(60000));
for (let i = 0; i < 80; i++) keys.set(["x".repeat(1100), i], 1);
for (let i = 0; i < 1001; i++) many.set([i], 1);
await fails("bytes", () => large.commit(), "TypeError", "Total mutation size too large (max 819200 bytes)");
await fails("bytes of keys", () => keys.commit(), "TypeError", "Total key size too large (max 81920 bytes)");
await fails("mutations", () => many.commit(), "TypeError", "Too many mutations (max 1000)");
await fails("await", async () => await kv.atomic(), "TypeError", "'Deno.AtomicOperation' is not a promise: did you forget to call 'commit()'");

// ---------------------------------------------------------- versionstamps
const log = await kv.set(["log", kv.commitVersionstamp()], "x");
const [entry] = await collect(kv.list({ prefix: ["log"] }));
same("commitVersionstamp()", [entry.key, entry.versionstamp], [["log", log.versionstamp], log.versionstamp]);
await fails("commitVersionstamp() alone", () => kv.set([kv.commitVersionstamp()], 1), "TypeError", "key cannot be empty");

// ----------------------------------------------------------------- expiry
for (const expireIn of [-1, 1.5, NaN, Infinity, null, "5"]) {
  await fails("expireIn", () => kv.set(["e"], 1, { expireIn }), "TypeError", `expireIn must be a non-negative integer: received ${expireIn}`);
}
await fails("expireIn, far", () => kv.set(["e"], 1, { expireIn: 2 ** 53 - 1 }), "TypeError", "Invalid mutation: expireIn is too large: 9007199254740991");
await kv.set(["e"], 1, { expireIn: 3600000 });
same("before it expires", (await kv.get(["e"])).value, 1);
if (!isDeno) {                                  // Deno shows it until it is collected
  await kv.set(["e"], 1, { expireIn: 0 });
  same("once it has expired", [(await kv.get(["e"])).versionstamp, (await collect(kv.list({ prefix: ["e"] }))).length], [null, 0]);
}

// ------------------------------------------------- opening, classes, the end
if (isDeno) await fails("no name", () => openKv(""), "TypeError", "Filename cannot be empty");
await fails("a name with a colon", () => openKv(":x"), "TypeError", "Filename cannot start with ':' unless prefixed with './'");
await fails("no such directory", () => openKv("/nonexistent/x.db"), "Error", "unable to open database file: /nonexistent/x.db");
await fails("new Kv()", () => new Kv(), "TypeError", "Deno.Kv can not be constructed: use Deno.openKv instead");
same("classes", [kv instanceof Kv, kv.atomic() instanceof AtomicOperation], [true, true]);
kv.close();
const closed = {
  get: () => kv.get(["a"]), getMany: () => kv.getMany([]), set: () => kv.set(["a"], 1), delete: () => kv.delete(["a"]), close: () => kv.close(),
  list: () => list({ prefix: [] }), commit: () => kv.atomic().set(["a"], 1).commit(), enqueue: () => kv.enqueue(1), watch: () => kv.watch([["a"]]),
};
for (const name in closed) await fails(`${name} when closed`, closed[name], "BadResource", "Bad resource ID");
await fails("listenQueue when closed", () => kv.listenQueue(() => {}), "Error", "Queue already closed");
if (Symbol.dispose) kv[Symbol.dispose]();
finish();
