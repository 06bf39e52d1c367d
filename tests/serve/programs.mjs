// programs.mjs -- random programs, run on a file that Deno has opened and on the
// server: all results are the same.  program.mjs URL FILE SEED N
import { args, end, openKv, same } from "./lib.mjs";

const [file, seed, count] = args;
const kvs = [await openKv(file), await openKv()];
let state = Number(seed) | 1;
const rnd = (n) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0, Math.floor(state / 65536) % n);
const pick = (list) => list[rnd(list.length)];

const part = () => pick(["a", "b", "", "a\0", 0, -1, 1.5, 2n, -3n, true, false, new Uint8Array([0]), new Uint8Array([0, 255])]);
const key = () => ["p", ...Array.from({ length: 1 + rnd(2) }, part)];
const value = () => pick([null, undefined, 1, -0, "é\u{1F600}", 10n ** 30n, [1, [2]], { a: { b: 1 } }, new Map([[1, 2]]),
  new Set(["x"]), new Date(0), new Uint8Array([1, 2, 3]), /x/g, "x".repeat(rnd(3000)), true]);
const number = () => ["n", rnd(4)];
const u64 = () => new Deno.KvU64(pick([0n, 1n, 7n, 2n ** 63n, 2n ** 64n - 1n, BigInt(rnd(1000))]));

// Versionstamps differ between the two: each is shown by its place in the order of
// those that this side has shown.
const stamps = [new Map(), new Map()];
const stamp = (i, v) => {
  if (v === null) return null;
  if (!stamps[i].has(v)) stamps[i].set(v, stamps[i].size);
  return stamps[i].get(v);
};
const shown = (i, e) => ({ key: e.key, value: e.value, versionstamp: stamp(i, e.versionstamp) });

// What a check may name: entries as each side has seen them.
let seen = [];
async function both(what, f) {
  const results = [];
  for (let i = 0; i < 2; i++) {
    try {
      results.push(await f(kvs[i], i));
    } catch (e) {
      results.push(e.name);
    }
  }
  same(what, results[1], results[0]);
}
const selector = () => pick([() => ({ prefix: ["p"] }), () => ({ prefix: key() }), () => ({ prefix: [] }),
  () => ({ start: key(), end: key() }), () => ({ prefix: ["p"], start: key() }), () => ({ prefix: ["p"], end: key() })])();

for (let n = 0; n < Number(count); n++) {
  const what = rnd(10);
  if (what < 2) {
    const k = key(), v = value(), options = rnd(5) ? {} : { expireIn: 1000000 };
    await both("set", async (kv, i) => stamp(i, (await kv.set(k, v, options)).versionstamp));
  } else if (what === 2) {
    const k = key();
    await both("delete", (kv) => kv.delete(k));
  } else if (what < 5) {
    const keys = Array.from({ length: 1 + rnd(10) }, () => rnd(4) ? key() : number());
    const entries = [];
    await both("getMany", async (kv, i) => {
      entries[i] = await kv.getMany(keys);
      return entries[i].map((e) => shown(i, e));
    });
    const j = rnd(keys.length);
    seen.push(entries.map((list) => list[j]));
    seen = seen.slice(-6);
  } else if (what < 8) {
    const steps = Array.from({ length: rnd(6) }, () => {
      const k = key(), v = value(), at = number(), x = u64();
      return pick([(op) => op.set(k, v), (op) => op.delete(k), (op) => op.mutate({ type: "sum", key: at, value: x }),
        (op) => op.mutate({ type: "min", key: at, value: x }), (op) => op.mutate({ type: "max", key: at, value: x })]);
    });
    const checks = Array.from({ length: rnd(3) }, () => seen.length && rnd(3) ? pick(seen) : null).filter((c) => c);
    await both("atomic", async (kv, i) => {
      const op = kv.atomic();
      for (const c of checks) op.check(c[i]);
      for (const step of steps) step(op);
      const done = await op.commit();
      return done.ok ? stamp(i, done.versionstamp) : false;
    });
  } else {
    const s = selector(), options = { limit: 1 + rnd(30), batchSize: 1 + rnd(20), reverse: rnd(2) === 1 };
    const more = rnd(2);
    await both("list", async (kv, i) => {
      const out = [];
      let list = kv.list(s, options);
      for await (const e of list) out.push(shown(i, e));
      if (!more || !list.cursor) return out;
      list = kv.list(s, { ...options, cursor: list.cursor });
      for await (const e of list) out.push(shown(i, e));
      return [out, list.cursor];
    });
  }
}
for (const kv of kvs) kv.close();
end();
