// values.mjs -- every kind of value and of key, in and out again.
import { collect, fails, finish, isDeno, KvU64, openKv, same } from "./lib.mjs";

const kv = await openKv();
const cycle = { name: "c" };
cycle.self = cycle;
cycle.list = [cycle, { cycle }];
const shared = { a: 1 }, inMap = new Map([[1, shared]]);
inMap.set("me", inMap);
const buffer = new ArrayBuffer(8), resizable = new ArrayBuffer(4, { maxByteLength: 8 });
new Uint8Array(buffer).set([1, 2, 3]);
new Uint8Array(resizable).set([9, 8]);
const sparse = [];
sparse[1000] = "far";
const error = new RangeError("out", { cause: { code: 7n } });
error.stack = "RangeError: out\n    at nowhere";
const circular = new Error("round");
Object.defineProperty(circular, "cause", { value: circular });

const values = {
  undefined: undefined, null: null, true: true, zero: 0, "minus zero": -0, NaN: NaN, infinity: -Infinity,
  large: 1e300, small: 5e-324, e21: 1e21, bigint: 42n, "a long bigint": -(3n ** 200n), empty: "",
  text: "é€😀\u0000\n\"\\\u2028 <ref *1> [Circular *1] new Map()", "a lone surrogate": "a\ud800b",
  "text that looks like more than JSON": '{"a":new Date("2020-01-01T00:00:00.000Z"),"b":1n,"c":undefined}',
  date: new Date(-1), "a far date": new Date(8.64e15), "an invalid date": new Date(NaN),
  regexp: /a\/[/\]]"\n/gimsuy, "an empty regexp": new RegExp("(?:)"), array: [1, "a", [2, [3]]], "a hole": [1, , 3],
  holes: [, , ], "a long array of holes": sparse, "an array with members": Object.assign([1, , 2], { x: [1], "-1": 2 }),
  "an empty array with members": Object.assign([], { x: 1, "-1": 2 }),
  object: { b: 1, a: { 2: "x", 1: undefined, "": null, "a b": [] } }, "a member __proto__": { ["__proto__"]: 1, a: { ["__proto__"]: [] } },
  "members of JSON's kind": { stack: "s", toJSON: 1, constructor: 2, hasOwnProperty: 3 },
  map: new Map([["a", 1n], [{ k: 1 }, new Map()], [NaN, -0]]), set: new Set([1, "1", new Set([[]])]), cycle,
  "a shared object": [shared, shared, { shared }], error, "an error without message": new TypeError(),
  boxed: [Object(1), Object("s"), Object(false), Object(10n)],
  "views of one buffer": [buffer, new Uint8Array(buffer, 1, 3), new Float64Array(buffer), new DataView(buffer, 2, 4)],
  floats: new Float32Array([0.1, NaN, -0, Infinity]), bigints: new BigUint64Array([2n ** 64n - 1n]), buffer,
  "an empty view": [new Int16Array(), new ArrayBuffer()], dataview: new DataView(buffer, 1, 2), clamped: new Uint8ClampedArray([255]),
  "bytes in an object": { a: new Uint8Array([0, 255]) }, deep: JSON.parse("[".repeat(300) + "]".repeat(300)),
};
for (const [what, value] of Object.entries(values)) {
  await kv.set(["v"], value);
  const got = (await kv.get(["v"])).value;
  same(what, got, value);
  // The same in a list, in a getMany and in a message.
  same(`${what} in a list`, (await collect(kv.list({ prefix: [] })))[0].value, value);
  same(`${what} of many`, (await kv.getMany([["v"]]))[0].value, value);
}
await kv.set(["v"], cycle);
const back = (await kv.get(["v"])).value;
same("a cycle is one", back.self === back && back.list[0] === back && back.list[1].cycle === back, true);
await kv.set(["v"], inMap);
same("a Map in itself", await kv.get(["v"]).then(({ value: m }) => [m.get("me") === m, m.get(1)]), [true, { a: 1 }]);
await kv.set(["v"], circular);
same("a circular error", await kv.get(["v"]).then(({ value: e }) => [e.cause === e, e.message, e.stack]), [true, "round", circular.stack]);
await kv.set(["v"], [shared, shared]);
same("what is shared stays shared", (([a, b]) => a === b)((await kv.get(["v"])).value), true);
await kv.set(["v"], [resizable, new Uint8Array(resizable), new Uint8Array(resizable, 1), new Uint8Array(resizable, 1, 2)]);
const [b, whole, tail, fixed] = (await kv.get(["v"])).value;
same("a resizable buffer", [b.byteLength, b.maxByteLength, [...whole]], [4, 8, [9, 8, 0, 0]]);
b.resize(6);
same("views that follow it", [whole.length, tail.length, fixed.length], [6, 5, 2]);
for (const max of [8, 16]) {
  const four = new ArrayBuffer(8, { maxByteLength: max });
  const views = [new Int16Array(four, 0, 1), new Int16Array(four, 6, 1), new Int16Array(four, 0, 4), new Int16Array(four),
    new DataView(four, 0, 8), new DataView(four), new DataView(four, 2)];
  await kv.set(["v"], views);
  const got = (await kv.get(["v"])).value, lengths = () => got.map((v) => v.length ?? v.byteLength);
  same("windows of a resizable buffer", lengths(), [1, 1, 4, 4, 8, 8, 6]);
  got[0].buffer.resize(4);
  const shrunk = got.map((v) => {
    try {
      return v.byteLength;
    } catch {
      return 0;
    }
  });
  same("of which some follow it", shrunk, [2, 0, 0, 4, 0, 4, 2]);
}
class Point {
  #hidden = 1;
  constructor() {
    this.x = 1;
  }
  get y() {
    return this.#hidden;
  }
}
await kv.set(["v"], new Point());
same("an instance is an object", (await kv.get(["v"])).value, { x: 1 });
const late = [1, 2];
const op = kv.atomic().set(["late"], late);
late.push(3);
await op.commit();
same("a value is that of the call", (await kv.get(["late"])).value, [1, 2]);
await kv.set(["bytes"], new Uint8Array(0));
same("no bytes", (await kv.get(["bytes"])).value, new Uint8Array(0));
await kv.set(["bytes"], new Uint8Array([1, 2, 3, 4]).subarray(1, 3));
same("a part of a buffer", (await kv.get(["bytes"])).value, new Uint8Array([2, 3]));
await kv.set(["n"], new KvU64(2n ** 64n - 1n));
same("KvU64", (await kv.get(["n"])).value, new KvU64(2n ** 64n - 1n));
same("KvU64 shows", [String((await kv.get(["n"])).value), (await kv.get(["n"])).value + 0n], ["18446744073709551615", 2n ** 64n - 1n]);
// Of another copy of the package, and what only looks like one.
class OtherU64 {
  constructor(value) {
    this.value = value;
  }
  get [Symbol.toStringTag]() {
    return "Deno.KvU64";
  }
}
if (!isDeno) {
  await kv.set(["n"], new OtherU64(5n));
  await kv.atomic().mutate({ type: "sum", key: ["n"], value: new OtherU64(2n) }).commit();
  same("a KvU64 of another copy", (await kv.get(["n"])).value, new KvU64(7n));
}
for (const value of [-1n, 2n ** 64n, 5, "5"]) {
  await kv.set(["n"], new OtherU64(value));
  same("what is none", (await kv.get(["n"])).value, { value });
}

const refused = { "() => 1": () => 1, "Symbol(s)": Symbol("s"), "#<WeakMap>": new WeakMap(), "#<Promise>": Promise.resolve() };
for (const [name, value] of Object.entries(refused)) {
  await fails(name, () => kv.set(["r"], value), "TypeError", `${name} could not be cloned.`);
  await fails(`${name} below`, () => kv.set(["r"], [{ value }]), "TypeError", `${name} could not be cloned.`);
}
same("nothing of these is stored", (await kv.get(["r"])).versionstamp, null);
await fails("the limit of a value", () => kv.set(["r"], "x".repeat(66000)), "TypeError", "Value too large (max 65536 bytes)");
await fails("the limit of bytes", () => kv.set(["r"], new Uint8Array(65537)), "TypeError", "Value too large (max 65536 bytes)");

const keys = [
  [new Uint8Array([])], [new Uint8Array([0, 255])], [""], ["a"], ["a", 1, "b"], ["a\0"], ["é", "\uffff"], ["😀"], [-(2n ** 100n)], [-1n], [0n],
  [2n ** 64n], [-Infinity], [-1.5], [-0], [0], [1e21], [Infinity], [NaN], [false], [true], [true, 1n, 1, "x", new Uint8Array([1])],
];
const old = await collect(kv.list({ prefix: [] }));
for (const { key } of old) await kv.delete(key);
for (const [i, key] of keys.entries()) await kv.set(key, i);
same("keys in their order", (await collect(kv.list({ prefix: [] }))).map((e) => e.value), keys.map((_, i) => i));
same("keys as they were", (await collect(kv.list({ prefix: [] }))).map((e) => e.key), keys);
for (const [i, key] of keys.entries()) same(`the key ${i}`, (await kv.get(key)).value, i);
await kv.set(["\ud800", new Uint16Array([1])], 1);
same("a key as it is stored", (await kv.get(["\ud800", new DataView(new ArrayBuffer(2))])).key, ["\ud800", new DataView(new ArrayBuffer(2))]);
same("a stored key", (await kv.get(["\ud800", new Uint16Array([1])])).key, ["\ufffd", new Uint8Array([1, 0])]);
const part = "expected string, number, bigint, ArrayBufferView, boolean";
for (const key of [[null], [undefined], [{}], [["a"]], [new Date()], [new ArrayBuffer(1)], [kv.commitVersionstamp(), "a"]]) {
  await fails("a part of a key", () => kv.get(key), "TypeError", part);
  await fails("a part of a key that is set", () => kv.set(key, 1), "TypeError", part);
  await fails("a part of a key that is checked", () => kv.atomic().check({ key, versionstamp: null }).commit(), "TypeError", part);
}
await fails("a key that is text", () => kv.get("a"), "TypeError", "serde_v8 error: invalid type; expected: array, got: string");
await fails("a key that is a number", () => kv.set(5, 1), "TypeError", "serde_v8 error: invalid type; expected: array, got: Number");
await fails("an empty key", () => kv.set([], 1), "TypeError", "key cannot be empty");
await fails("an empty key to check", () => kv.atomic().check({ key: [], versionstamp: null }).commit(), "TypeError", "key cannot be empty");
same("an empty key that is read", (await kv.get([])).versionstamp, null);
const long = ["x".repeat(2100)];
await fails("a long key", () => kv.get(long), "TypeError", "Key too large for read (max 2049 bytes)");
await fails("a long key that is set", () => kv.set(long, 1), "TypeError", "Key too large for write (max 2048 bytes)");
await fails("a long bigint", () => kv.set([2n ** 2040n], 1), "TypeError", "Invalid mutation: BigUint requires more than 255 bytes to be represented");
kv.close();
finish();
