// watch.mjs -- what a watch sees: program.mjs URL [FILE].  With FILE (Deno) other
// writes are made by a Deno that has opened the file itself.
import { args, end, fails, isDeno, openKv, same, sleep } from "./lib.mjs";

const kv = await openKv();
const other = args[0] ? await openKv(args[0]) : await openKv();
const here = isDeno ? "deno" : "node";
const keys = [[here, "w", 1], [here, "w", 2]];
await kv.atomic().set(keys[0], "z").delete(keys[1]).commit();
const reader = kv.watch(keys).getReader();
const next = async () => (await reader.read()).value.map((e) => e.value);

same("first", await next(), ["z", null]);
await kv.set(keys[0], "a");
same("own write", await next(), ["a", null]);
await other.set(keys[1], "b");
same("another's write", await next(), ["a", "b"]);
await other.atomic().set(keys[0], "c").delete(keys[1]).commit();
same("both at once", await next(), ["c", null]);
await kv.set([here, "w", 3], 1);
await other.set(keys[1], "d", { expireIn: 700 });
same("only these keys", await next(), ["c", "d"]);
if (args[0]) same("an expired entry", await next(), ["c", null]);

// How long it takes until a change is seen.
const times = [];
for (let i = 0; i < 40; i++) {
  await sleep(5);
  const begin = performance.now();
  await other.set(keys[1], i);
  same("change", await next(), ["c", i]);
  times.push(performance.now() - begin);
}
times.sort((a, b) => a - b);
if (args[1]) console.log(`median ${times[20].toFixed(1)} ms`);
same("median", times[20] < 50, true);
await reader.cancel();

// A stream that nobody reads from doesn't keep others from being served.
const slow = kv.watch([[here, "slow"]]);
for (let i = 0; i < 50; i++) await kv.set([here, "slow"], "x".repeat(60000) + i);
const late = slow.getReader();
let last;
do last = (await late.read()).value[0].value; while (last === null || !last.endsWith("x49"));
await late.cancel();

const eleven = Array.from({ length: 11 }, (_, i) => [here, i]);
if (isDeno) await fails("eleven keys", async () => (await kv.watch(eleven).getReader().read()), /keys/i);
other.close();
kv.close();
end();
