// careless.mjs -- programs that leave a loop, close what is in use, don't await, have
// two handles on one file, or write while they list.
import { collect, dir, fails, finish, isDeno, KvU64, openKv, same, sleep, until } from "./lib.mjs";

const file = `${dir}/careless.db`;
const values = async (list) => (await collect(list)).map((e) => e.value);
const ended = { value: undefined, done: true };

/** What a promise gives, but not after half a minute. */
const soon = (p) => Promise.race([p, sleep(30000).then(() => "nothing in 30 s")]);

// ----------------------------------------------------------------- lists
{
  const kv = await openKv(file);
  for (let i = 0; i < 10; i++) await kv.set(["a", i], i);
  const it = kv.list({ prefix: ["a"] }, { batchSize: 3 });
  for await (const e of it) if (e.value === 4) break;
  same("the cursor of a loop that was left", it.cursor, "IcAQAAAAAAAA");
  for await (const e of it) if (e.value === 6) break;
  same("a loop that was left twice", [await values(it), it.cursor, await it.next()], [[7, 8, 9], "", ended]);
  if (!isDeno) {                                // Deno gives entries twice
    for (const batchSize of [1, 3, 500]) {
      const list = kv.list({ prefix: ["a"] }, { batchSize });
      const calls = await Promise.all(Array.from({ length: 12 }, () => list.next()));
      same("calls that don't wait for each other", calls.map((r) => r.value?.value), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, undefined, undefined]);
    }
  }
  for await (const e of kv.list({ prefix: ["a"] }, { batchSize: 2 })) await kv.delete(e.key);
  same("deleted while it is listed", await values(kv.list({ prefix: [] })), []);
  await kv.set(["b", 0], 0);
  for await (const e of kv.list({ prefix: ["b"] }, { batchSize: 1 })) if (e.value < 5) await kv.set(["b", e.value + 1], e.value + 1);
  same("written while it is listed", await values(kv.list({ prefix: ["b"] })), [0, 1, 2, 3, 4, 5]);
  const seen = [];
  await fails("closed while it is listed", async () => {
    for await (const e of kv.list({ prefix: ["b"] }, { batchSize: 2 })) if (seen.push(e.value) === 1) kv.close();
  }, "BadResource", "Bad resource ID");
  same("the batch that was read is whole", seen, [0, 1]);
}

// ------------------------------------------------------- nobody waits
{
  const kv = await openKv(file);
  const writes = Array.from({ length: 200 }, (_, i) => kv.set(["c", i], i));
  same("each write is done", (await Promise.all(writes)).every((r) => r.ok), true);
  same("and its value is there", (await values(kv.list({ prefix: ["c"] }))).length, 200);
  const pending = [kv.get(["c", 1]), kv.set(["c", 200], 1), kv.list({ prefix: ["c"] }).next()];
  await sleep(isDeno ? 1000 : 0);
  kv.close();
  same("what was asked for before the end", (await Promise.allSettled(pending)).map((r) => r.status), ["fulfilled", "fulfilled", "fulfilled"]);
}

// --------------------------------------------------------------- watches
{
  const kv = await openKv(file);
  const key = ["w"], renamed = kv.watch([key]).getReader();
  key[0] = "other";
  const [first] = (await soon(renamed.read())).value;
  if (!isDeno) same("a key is that of the call", first.key, ["w"]);
  const waiting = renamed.read();
  await soon(renamed.cancel());
  same("cancelled while it waits", await soon(waiting), ended);
  const write = sleep(50).then(() => kv.set(["w"], 2));
  const seen = [];
  for await (const [e] of kv.watch([["w"]])) if (seen.push(e.value) && e.value === 2) break;
  await write;
  same("a loop over changes that is left", seen.at(-1), 2);
  const abort = new AbortController(), piped = [];
  const pipe = kv.watch([["w"]]).pipeTo(new WritableStream({ write: ([e]) => void piped.push(e.value) }), { signal: abort.signal });
  await until("the state first", () => piped.length === 1);
  await kv.set(["w"], 3);
  await until("a change", () => piped.length === 2);
  abort.abort();
  same("aborted by a signal", [await soon(pipe.catch((e) => e.name)), piped], ["AbortError", [2, 3]]);
  const reader = kv.watch([["w"]]).getReader();
  await soon(reader.read());
  const last = reader.read();
  await sleep(50);
  kv.close();
  same("closed while it is watched", [await soon(last), await soon(reader.read()), await soon(reader.closed)], [ended, ended, undefined]);
}

// -------------------------------------------------------------- messages
{
  const kv = await openKv(`${dir}/messages.db`), got = [];
  const quiet = console.error;
  console.error = () => {};
  const listener = kv.listenQueue((m) => {
    got.push(m);
    if (m === "throws") throw new Error("as it should");
    if (m === "rejects") return Promise.reject(new Error("as it should"));
    if (m === "closes") kv.close();
  });
  await kv.enqueue("throws", { backoffSchedule: [] });
  await kv.enqueue("rejects", { backoffSchedule: [] });
  await until("both", () => got.length >= 2);
  await kv.enqueue("closes");
  same("closed by its handler", await soon(listener), undefined);
  same("messages", got.sort(), ["closes", "rejects", "throws"]);
  console.error = quiet;
  await fails("a message after the end", () => kv.enqueue(1), "BadResource", "Bad resource ID");
}

// ------------------------------------------------ two handles on one file
{
  const one = await openKv(file), two = await openKv(file);
  const before = await one.get(["k"]);
  await two.set(["k"], 1);
  same("one sees what two has written", (await one.get(["k"])).value, 1);
  same("a check that two has outrun", await one.atomic().check(before).set(["k"], 2).commit(), { ok: false });
  await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 ? one : two).atomic().sum(["n"], 1n).commit()));
  one.close();
  same("no sum is lost", (await two.get(["n"])).value, new KvU64(50n));
  two.close();
}
finish();
