// corners.mjs -- what few programs do: buffers that can be resized, wrong operands beside
// checks, cursors beside keys that are too long, getters that write, deep values.
import { inspect } from "node:util";
import { collect, fails, finish, isDeno, KvU64, openKv, same, until } from "./lib.mjs";

const kv = await openKv();

// ---------------------------------------------------------------- buffers
const resizable = () => new Uint8Array(new ArrayBuffer(2, { maxByteLength: 4 }));
const words = "serde_v8 error: can't create slice from resizable ArrayBuffer";
await fails("a resizable buffer", () => kv.set(["a"], resizable()), "TypeError", words);
await fails("a window of one", () => kv.set(["a"], resizable().subarray(1)), "TypeError", words);
await fails("a resizable buffer in a key", () => kv.set([resizable()], 1), "TypeError", words);
same("another view of one", (await kv.set(["a"], new Int8Array(resizable().buffer))).ok, true);
const transferred = (v) => (structuredClone(v.buffer ?? v, { transfer: [v.buffer ?? v] }), v), detached = "An ArrayBuffer is detached and could not be cloned.";
await kv.set(["a"], transferred(new Uint8Array(2)));
same("a Uint8Array whose buffer was transferred is empty", (await kv.get(["a"])).value, new Uint8Array());
await kv.set(["key", transferred(new DataView(new ArrayBuffer(2)))], 1);
same("in a key, too", (await kv.get(["key", new Uint8Array()])).value, 1);
for (const make of [() => new ArrayBuffer(2), () => new Int8Array(2), () => new DataView(new ArrayBuffer(2)), () => [new Uint8Array(2)]]) {
  const v = make();
  transferred(v[0]?.buffer ? v[0] : v);
  await fails("what else was transferred", () => kv.set(["a"], v), "TypeError", detached);
  await fails("as a message", () => kv.enqueue(v), "TypeError", detached);
}
const shared = new SharedArrayBuffer(2), bounds = new ArrayBuffer(8, { maxByteLength: 8 }), outside = new Int8Array(bounds, 4);
for (const v of [shared, [shared], new Int8Array(shared), { v: new Uint8Array(shared) }]) {
  await fails("shared memory", () => kv.set(["a"], v), "Error", "#<SharedArrayBuffer> could not be cloned.");
}
const noBuffer = "serde_v8 error: invalid type; expected: buffer, got: Uint8Array";
await fails("bytes of it", () => kv.set(["a"], new Uint8Array(shared)), "TypeError", noBuffer);
await fails("in a key", () => kv.set([new Uint8Array(shared)], 1), "TypeError", noBuffer);
bounds.resize(2);
await fails("a view out of bounds", () => kv.set(["a"], { outside }), "TypeError", "[object Object] could not be cloned.");
const got = [];
const listener = kv.listenQueue((m) => void got.push(m));
await kv.enqueue(new Uint8Array([1, 2, 3, 4, 5]).subarray(1, 3));
await until("a window as a message", () => got.length === 1);
same("keeps its buffer", [got[0].length, got[0].byteOffset, got[0].buffer.byteLength], [2, 1, 5]);
await kv.enqueue(resizable());
await until("a resizable one", () => got.length === 2);
same("stays one", got[1].buffer.maxByteLength, 4);

// --------------------------------------------------------------- operands
await kv.set(["c"], 1);
for (const type of ["sum", "min", "max"]) {
  for (const value of ["x", {}, new Date(0), new Uint8Array(1)]) {
    const op = () => kv.atomic().mutate({ type, key: ["m"], value });
    same(`a wrong ${type} and a failed check`, await op().check({ key: ["c"], versionstamp: null }).commit(), { ok: false });
    const message = type === "sum" ? "Some of the parameters are not valid V8 values" : `Failed to perform '${type}' mutation on a non-U64 operand`;
    await fails(`a wrong ${type}`, () => op().commit(), "TypeError", message);
    await fails(`a wrong ${type} and a check`, () => op().check({ key: ["none"], versionstamp: null }).commit(), "TypeError", message);
  }
}
same("nothing is stored", (await kv.get(["m"])).versionstamp, null);
await kv.atomic().mutate({ type: "sum", key: ["m"], value: new KvU64(1n) }).commit();

// ---------------------------------------------------------------- cursors
for (let i = 0; i < 5; i++) await kv.set(["l", i], i);
const from = kv.list({ prefix: ["l"] });
await from.next();
await from.next();
const { cursor } = from, long = ["l", "x".repeat(2100)];
const list = async (selector, options) => (await collect(kv.list(selector, options))).map((e) => e.value);
const tooLong = "Key too large for read (max 2049 bytes)";
same("a cursor stands for a long start", await list({ prefix: ["l"], start: long }, { cursor }), [2, 3, 4]);
await fails("but not backwards", () => list({ prefix: ["l"], start: long }, { cursor, reverse: true }), "TypeError", tooLong);
await fails("for a long end backwards", () => list({ prefix: ["l"], end: long }, { cursor, reverse: true }), "TypeError", "cursor out of bounds");
await fails("but not forwards", () => list({ prefix: ["l"], end: long }, { cursor }), "TypeError", tooLong);
await fails("an empty cursor", () => list({ start: long, end: ["m"] }, { cursor: "" }), "TypeError", tooLong);

// ----------------------------------------------------------------- values
const part = { c: 1 };
const writing = {
  get a() {
    kv.set(["inner"], { z: [part, part] });
    return [1];
  },
  part, again: part,
};
await kv.set(["outer"], writing);
same("a getter that writes", (await kv.get(["outer"])).value, { a: [1], part, again: part });
same("and what it writes", (await kv.get(["inner"])).value, { z: [part, part] });
const array = Object.assign(new Uint8Array([1, 2]), { join: () => "9" });
await kv.set(["own"], { array });
same("an own join", (await kv.get(["own"])).value, { array: new Uint8Array([1, 2]) });
const re = /a\/b/giu;
for (const [name, value] of Object.entries({ source: "x", flags: "y", global: false, toString: () => "x" })) Object.defineProperty(re, name, { value });
await kv.set(["own"], [re]);
same("an own source", String((await kv.get(["own"])).value[0]), "/a\\/b/giu");
for (const [what, nest, limit] of [["arrays", (v) => [v], 3300], ["objects", (v) => ({ v }), 2400]]) {
  let v = nest(null), depth = 1;
  while (depth < limit) [v, depth] = [nest(v), depth + 1];
  await kv.set(["deep"], v);
  depth = 0;
  for (v = (await kv.get(["deep"])).value; v !== null; v = Array.isArray(v) ? v[0] : v.v) depth++;
  same(`nested ${what}`, depth, limit);
}
const error = new RangeError("out");
error.stack = "RangeError: out\n    at there (/somewhere.js:1:2)";
await kv.set(["e"], error);
const { value: read } = await kv.get(["e"]);
same("an Error shows its own place", [inspect(read).includes("somewhere.js"), /jstext/.test(inspect(read))], [true, false]);
same("and has no other", [read.sourceURL, read.line], [undefined, undefined]);

// ---------------------------------------------------------------- watches
{
  const reader = kv.watch([["w"], ["x"]], { raw: true }).getReader();
  await reader.read();
  for (let i = 0; i < 5; i++) await kv.set(["w"], i);
  await kv.delete(["w"]);
  if (!isDeno) {                                // Deno leaves states out when they follow fast
    const states = [];
    for (let i = 0; i < 6; i++) states.push((await reader.read()).value[0].value);
    same("raw: every state", states, [0, 1, 2, 3, 4, null]);
    const next = reader.read();
    await kv.set(["x"], 1);
    same("and the next", (await next).value.map((e) => e.value), [null, 1]);
    await reader.cancel();
    await kv.set(["x"], 2);
    const last = kv.watch([["w"]]).getReader();
    await last.read();
    for (let i = 0; i < 3; i++) await kv.set(["w"], i);
    same("not raw: the last one", (await last.read()).value[0].value, 2);
  }
}
kv.close();
await listener;
finish();
