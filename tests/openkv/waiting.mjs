// waiting.mjs -- messages, changes, locks: what takes time, also between connections.
import { dir, fails, finish, isDeno, openKv, same, sleep, until } from "./lib.mjs";

const quiet = console.error;
console.error = (...text) => /^Exception in queue handler/.test(text[0]) || quiet(...text);
const file = `${dir}/waiting.db`;

/** What a watch says next, but not after half a minute. */
const read = (reader) => Promise.race([reader.read(), sleep(30000).then(() => ({ value: [{ value: "nothing in 30 s" }] }))]);

// --------------------------------------------------------------- messages
{
  const kv = await openKv();
  const got = [];
  const listener = kv.listenQueue((m) => void got.push(m));
  const values = [1, "text", { a: new Date(5) }, new Map([[1, 2n]]), undefined, null, new Uint8Array([1, 2])];
  for (const v of values) {
    await kv.enqueue(v);
    await until("a message", () => got.length > 0);
    same("its value", got.pop(), v);
  }
  const sent = Date.now();
  await kv.enqueue("late", { delay: 1000 });
  await kv.atomic().enqueue("soon").set(["with"], 1).commit();
  await until("two messages", () => got.length === 2);
  same("the delayed one last", [got, Date.now() - sent >= 1000, (await kv.get(["with"])).value], [["soon", "late"], true, 1]);
  same("a failed check sends nothing", await kv.atomic().check({ key: ["with"], versionstamp: null }).enqueue("no").commit(), { ok: false });
  kv.close();
  await listener;
  same("and nothing came", got.length, 2);
}
{
  const kv = await openKv();
  let calls = 0;
  const listener = kv.listenQueue(async (m) => {
    calls++;
    await sleep(1);
    if (m === "fails") throw new Error("as it should");
    if (m === "sync") return;
  });
  await kv.enqueue("fails", { backoffSchedule: [10, 20], keysIfUndelivered: [["dead", 1], ["dead", 2n]] });
  await until("a dead letter", async () => (await kv.get(["dead", 2n])).value === "fails");
  same("attempts", [calls, (await kv.get(["dead", 1])).value], [3, "fails"]);
  kv.close();
  await listener;
}
{
  const kv = await openKv();
  const listeners = [], got = [];
  for (let i = 0; i < 3; i++) listeners.push(kv.listenQueue((m) => void got.push(m)));
  for (let i = 0; i < 20; i++) await kv.enqueue(i);
  await until("each message", () => got.length === 20);
  same("once", new Set(got).size, 20);
  kv.close();
  await Promise.all(listeners);
}
const delays = [
  [{ delay: -1 }, "Delay must be >= 0: received -1"], [{ delay: NaN }, "Delay cannot be NaN"],
  [{ delay: 2592000001 }, "Delay cannot be greater than 30 days: received 2592000001"],
  [{ backoffSchedule: [1, 2, 3, 4, 5, 6] }, "Invalid backoffSchedule, max 5 intervals allowed"],
  [{ backoffSchedule: [1, 3600001] }, "Invalid backoffSchedule, interval at index 1 is invalid"],
];
{
  const kv = await openKv();
  for (const [o, message] of delays) await fails("an option", () => kv.enqueue(1, o), "TypeError", message);
  await fails("a long message", () => kv.enqueue("x".repeat(66000)), "TypeError", "enqueue payload too large (max 65536 bytes)");
  same("twenty keys", (await kv.enqueue(1, { keysIfUndelivered: Array.from({ length: 20 }, (_, i) => [i]) })).ok, true);
  kv.close();
}

// ---------------------------------------------------------------- changes
{
  const kv = await openKv();
  const reader = kv.watch([["a"], ["b"]]).getReader();
  const next = async () => (await read(reader)).value?.map((e) => e.value);
  same("the state first", await next(), [null, null]);
  await kv.set(["a"], { n: 1 });
  same("a change", await next(), [{ n: 1 }, null]);
  await kv.set(["other"], 1);
  await kv.atomic().set(["a"], 2).set(["b"], 3).commit();
  same("changes of one operation at once", await next(), [2, 3]);
  await kv.delete(["a"]);
  same("a deletion", await next(), [null, 3]);
  const last = read(reader);
  kv.close();
  same("the end", (await last).done, true);
}
{
  const kv = await openKv();
  await fails("many keys", async () => await kv.watch(Array.from({ length: 11 }, (_, i) => [i])).getReader().read(),
    "TypeError", "Too many keys (max 10)");
  same("no keys", (await read(kv.watch([]).getReader())).done, true);
  const reader = kv.watch([["a"]]).getReader();
  await read(reader);
  await reader.cancel();
  same("after a cancel", (await read(reader)).done, true);
  kv.close();
}

// ------------------------------------------------------- two connections
if (!isDeno) {
  const kv = await openKv(file), other = await openKv(file);
  const reader = kv.watch([["a"]]).getReader(), got = [];
  const listener = kv.listenQueue((m) => void got.push(m));
  await read(reader);
  await other.set(["a"], "from there");
  same("a change by another connection", (await read(reader)).value[0].value, "from there");
  await other.enqueue("from there");
  await until("a message of another connection", () => got.length === 1);
  await other.set(["a"], "short", { expireIn: 2000 });
  same("a value that expires", (await read(reader)).value[0].value, "short");
  same("is seen to be gone", (await read(reader)).value[0].versionstamp, null);

  // A lock: what waits for it keeps its turn, and the event loop runs.
  await other.sql`BEGIN IMMEDIATE`;
  let ticks = 0;
  const clock = setInterval(() => ticks++, 5);
  const order = [];
  const first = kv.set(["lock"], 1).then(() => order.push("set"));
  const second = kv.get(["lock"]).then((e) => order.push(e.value));
  const third = kv.set(["lock"], 2).then(() => order.push("set"));
  await until("the event loop runs", () => ticks > 20);
  same("waiting for the lock", order, []);
  await other.sql`COMMIT`;
  await Promise.all([first, second, third]);
  clearInterval(clock);
  same("each in its turn", [order, (await other.get(["lock"])).value], [["set", 1, "set"], 2]);

  // Checks and sums from two sides: none is lost.
  const add = async (db) => {
    for (let i = 0; i < 50;) {
      const e = await db.get(["n"]);
      if ((await db.atomic().check(e).set(["n"], (e.value ?? 0) + 1).commit()).ok) i++;
      await sleep(0);
    }
  };
  await Promise.all([add(kv), add(other)]);
  same("no update is lost", (await kv.get(["n"])).value, 100);
  other.close();
  kv.close();
  await listener;
  same("the watch ends", (await read(reader)).done, true);
}

// A claim that nobody finishes, and one whose handler takes longer than the lease.
if (!isDeno) {
  const kv = await openKv(file), got = [];
  await kv.enqueue("left");
  await kv.sql`SELECT id FROM kv_dequeue(50)`;
  const listener = kv.listenQueue((m) => void got.push(m));
  await until("a message comes again when its lease has ended", () => got.length === 1);
  kv.close();
  await listener;
  // One that can't be read: those after it are.
  const damaged = await openKv(file), after = [];
  await damaged.sql`INSERT INTO queue VALUES (0, '6d3bbf8c-0d5b-4f0c-9c0a-000000000000', x'ff0f41', '[]', '[]')`;
  await damaged.enqueue("readable");
  const patient = damaged.listenQueue((m) => void after.push(m));
  await until("a message after a malformed one", () => after.length === 1);
  damaged.close();
  await patient;
  const slow = await openKv(file);
  let calls = 0, done = false;
  const slowly = slow.listenQueue(async () => {
    calls++;
    const deadlines = new Set();
    await until("its lease is extended", async () => {
      for (const m of await slow.sql`SELECT deadline FROM kv_queue WHERE state = 'running'`) deadlines.add(m.deadline);
      return deadlines.size >= 3;
    });
    done = true;
  });
  await slow.enqueue("slow");
  await until("a slow handler", () => done);
  await until("its message is gone", async () => (await slow.sql`SELECT id FROM kv_queue WHERE state = 'running'`).length === 0);
  same("and it ran once", calls, 1);
  slow.close();
  await slowly;
}

// Only what has started is claimed, for as long as listenQueue() is told; and a handler that
// has blocked for longer, so that another worker has its message, can't let it fail.
if (!isDeno) {
  const kv = await openKv(`${dir}/leases.db`), other = await openKv(`${dir}/leases.db`);
  for (const lease of [0, -1, 1.5, NaN, Infinity, "5", null]) {
    await fails("a lease", () => kv.listenQueue(() => {}, { lease }), "TypeError", `lease must be a positive integer: received ${lease}`);
  }
  for (let i = 0; i < 5; i++) await kv.enqueue(i, { backoffSchedule: [] });
  const running = [];
  let left = 5;
  const listener = kv.listenQueue(() => {
    running.push(other.sql`SELECT kv_now() AS now, deadline FROM kv_queue WHERE state = 'running'`);
    left--;
  }, { lease: 60000 });
  await until("each message", () => left === 0);
  for (const rows of await Promise.all(running)) {
    same("one is claimed at a time", rows.length, 1);
    same("for its lease", [rows[0].deadline - rows[0].now > 50000, rows[0].deadline - rows[0].now <= 60000], [true, true]);
  }
  await until("all are done", async () => (await other.sql`SELECT id FROM kv_queue`).length === 0);
  kv.close();
  await listener;

  const late = await openKv(`${dir}/leases.db`);
  let calls = 0, ended;
  const failing = new Promise((resolve) => ended = resolve);
  const blocked = late.listenQueue(async () => {
    if (calls++) return;
    const end = Date.now() + 200;
    while (Date.now() < end);
    await other.sql`UPDATE queue_running SET deadline = ${Date.now() + 60000}`;
    ended();
    throw new Error("as it should");
  }, { lease: 100 });
  await other.enqueue("once", { backoffSchedule: [] });
  await failing;
  await sleep(200);
  same("who has lost its lease can't let the message fail", [calls, (await other.sql`SELECT state FROM kv_queue`).map((m) => m.state)], [1, ["running"]]);
  late.close();
  await blocked;
  other.close();
}
finish();
