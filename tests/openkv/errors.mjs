// errors.mjs -- what programs do wrong, or nearly: each outcome is a line, and the
// lines are those of the real Deno.
import { inspect } from "node:util";
import process from "node:process";
import { collect, dir, KvU64, Kv, openKv } from "./lib.mjs";

process.chdir(dir);
const kv = await openKv();
await kv.set(["text"], "x");
await kv.set(["number"], 1);
await kv.set(["bigint"], 1n);
await kv.set(["u64"], new KvU64(1n));
await kv.set(["date"], new Date(0));
await kv.set(["list", 1], 1);
await kv.set(["list", 2], 2);

const odd = [undefined, null, true, 0, -1, 1.5, NaN, Infinity, 1n, "", "a", [], ["a"], [[]], {}, { a: 1 }, () => 1, Symbol("s"), new Date(0),
  new Uint8Array([1]), new ArrayBuffer(1), new Map(), new KvU64(1n), new Array(2), [undefined], [null], [{}], [Symbol("s")]];
const show = (v) => inspect(v, { depth: 3, breakLength: Infinity }).replace(/\[?Deno\.KvU64: (\d+n)\]?/g, "KvU64 $1")
  .replace("[byteLength]", "byteLength").replace(/<Buffer (\d+)>/, "$1");

// Each case: a name and what is done.
const cases = {};
const each = (name, f) => odd.forEach((v, i) => cases[`${name} ${i}: ${typeof v === "function" ? "function" : show(v)}`] = () => f(v));
const mutate = (m) => kv.atomic().mutate(m).commit();
each("get", (v) => kv.get(v));
each("getMany", (v) => Array.isArray(v) && v.length && !(0 in v) ? "-" : kv.getMany(v));
each("getMany of", (v) => kv.getMany([v]));
each("set", (v) => kv.set(v, 1));
each("delete", (v) => kv.delete(v));
each("a consistency", (v) => v === Object(v) ? "-" : kv.get(["text"], { consistency: v }));
each("options of get", (v) => kv.get(["text"], v));
each("expireIn", (v) => kv.set(["e"], 1, { expireIn: v }));
each("options of set", (v) => kv.set(["e"], 1, v));
each("a value", async (v) => [(await kv.set(["v"], v)).ok, (await kv.get(["v"])).value]);
each("list", (v) => collect(kv.list(v)));
each("a prefix", (v) => collect(kv.list({ prefix: v })));
each("a start", (v) => collect(kv.list({ prefix: ["list"], start: v })));
each("an end", (v) => collect(kv.list({ start: ["list"], end: v })));
each("options of list", (v) => collect(kv.list({ prefix: ["list"] }, v)));
for (const name of ["limit", "batchSize", "cursor", "reverse"]) {
  each(`the option ${name}`, (v) => collect(kv.list({ prefix: ["list"] }, { [name]: v })));
}
each("a check", (v) => kv.atomic().check(v).commit());
each("a key that is checked", (v) => kv.atomic().check({ key: v, versionstamp: null }).commit());
each("a versionstamp", (v) => kv.atomic().check({ key: ["none"], versionstamp: v }).commit());
each("a mutation", (v) => mutate(v));
each("a type of mutation", (v) => mutate({ type: v, key: ["m"], value: 1 }));
for (const type of ["set", "delete", "sum", "min", "max"]) {
  each(`${type}, its key`, (v) => mutate({ type, key: v, ...type !== "delete" && { value: new KvU64(1n) } }));
  each(`${type}, its value`, (v) => mutate({ type, key: ["m", type], value: v }));
  cases[`${type} without a value`] = () => mutate({ type, key: ["m"] });
  for (const key of ["text", "number", "bigint", "u64", "date"]) {
    for (const value of [1, 1n, new KvU64(1n)]) {
      if (type === "set" || type === "delete") continue;
      cases[`${type} of ${show(value)} and the ${key}`] = async () => [await mutate({ type, key: [key], value }), (await kv.get([key])).value];
    }
  }
}
for (const name of ["sum", "min", "max"]) each(`${name}()`, (v) => kv.atomic()[name](["n"], v).commit());
each("a message", (v) => kv.enqueue(v));
each("options of enqueue", (v) => kv.enqueue(1, v));
for (const name of ["delay", "backoffSchedule", "keysIfUndelivered"]) {
  each(`the option ${name}`, (v) => Array.isArray(v?.[0]) ? "-" : kv.enqueue(1, { [name]: v }));
}
each("an interval", (v) => kv.enqueue(1, { backoffSchedule: [v] }));
// (Deno takes an empty key, which no entry can have.)
each("a key for what is undelivered", (v) => Array.isArray(v) && v.length === 0 ? "-" : kv.enqueue(1, { keysIfUndelivered: [v] }));
each("watch", (v) => kv.watch(v));
each("watch of", (v) => kv.watch([v]));
each("a path", (v) => v === undefined || v === null || v === "" ? "-" : openKv(v).then((other) => other.close()));
each("new KvU64()", (v) => new KvU64(v));
each("new Kv()", (v) => new Kv(v));
Object.assign(cases, {
  "a long key": () => kv.get(["x".repeat(2100)]), "a long key that is watched": () => kv.watch([["x".repeat(2100)]]),
  "a long key, watched": async () => (await kv.watch([["x".repeat(2100)]]).getReader().read()).value,
  "a long key of many": () => kv.getMany([["x".repeat(2100)]]), "no key": () => kv.get(), "nothing set": () => kv.set(), "no value": () => kv.set(["v"]), "nothing deleted": () => kv.delete(),
  "nothing listed": () => kv.list(), "nothing watched": () => kv.watch(), "no keys": () => kv.getMany(), "no message": () => kv.enqueue(),
  "an operation that is awaited": async () => await kv.atomic(), "an empty operation": () => kv.atomic().commit(),
  "no checks": () => kv.atomic().check().commit(), "no mutations": () => kv.atomic().mutate().commit(),
  "an operation, twice": async () => {
    const op = kv.atomic().sum(["twice"], 1n);
    return [(await op.commit()).ok, (await op.commit()).ok, (await kv.get(["twice"])).value];
  },
  "methods on something else": () => Kv.prototype.get.call({}, ["a"]),
  "a frozen key": () => kv.get(Object.freeze(["text"])),
  "the same key object": async () => {
    const key = ["none"];
    return (await kv.get(key)).key === key;
  },
  "an entry that is changed": async () => {
    const e = await kv.get(["date"]);
    e.value.setTime(5);
    return (await kv.get(["date"])).value;
  },
});

// What V8, JavaScriptCore and Deno's serde say of arguments of other kinds.
const KIND = /^serde_v8 error|^Cannot (read|destructure|convert)|iterable|called on null|not (a function|an object)|Receiver must|Array\.from|private/;

/** What came of it, without what is another at each run. */
async function outcome(f) {
  try {
    const res = show(await f()).replace(/[0-9a-f]{16}0000/g, "VERSIONSTAMP");
    return res.replace(/ReadableStream \{.*/s, "a stream");
  } catch (e) {
    const message = String(e?.message).split("\n")[0];
    return `${e?.constructor?.name}, ${e?.name}: ${KIND.test(message) ? "another kind of argument" : message}`;
  }
}

const lines = [];
for (const [name, f] of Object.entries(cases)) lines.push(`${name} => ${await outcome(f)}\n`);
process.stdout.write(lines.join(""), () => process.exit(0));
