// peer.ts FILE DIR N FLIGHT -- Deno.openKv as a peer of bench.c: reads
// "work count" lines, answers with nanoseconds an operation, -1 for what it
// has no way to do.  FLIGHT operations are under way at a time.

import { TextLineStream } from "./lines.ts";
import v8 from "node:v8";
import process from "node:process";

/** Milliseconds of time, or of the processor. */
function now(): number {
  if (!Deno.env.get("BENCH_CPU")) return performance.now();
  const t = process.cpuUsage();
  return (t.user + t.system) / 1000;
}

const [file, dir, users, width] = Deno.args;
const n = Number(users);
const flight = Number(width);
let kv: Deno.Kv | null = null;
let copy = "";

const value = (i: number, round: number) => ({
  id: i,
  name: `User Number ${i}.${round}`,
  email: `user${i}@example.com`,
  age: 18 + i % 60,
  tags: ["admin", "author", `round${round}`],
  created: new Date(1704067200000 + i),
});
const random = () => Math.floor(Math.random() * n);

/** Run f count times, FLIGHT at a time; nanoseconds for one. */
async function many(count: number, f: (i: number) => Promise<unknown>) {
  let i = 0;
  const start = now();
  const lane = async () => {
    while (i < count) await f(i++);
  };
  await Promise.all(Array.from({ length: flight }, lane));
  return (now() - start) * 1e6 / count;
}

/** All entries of a list; nanoseconds for one. */
async function list(limit?: number) {
  const start = now();
  let rows = 0;
  const selector = limit ? { start: ["users", random()], end: ["users", n] } : { prefix: ["users"] };
  for await (const _ of kv!.list(selector as Deno.KvListSelector, { limit, batchSize: limit ?? 500 })) rows++;
  return (now() - start) * 1e6 / (limit ? 1 : rows);
}

async function open(path: string) {
  kv?.close();
  kv = await Deno.openKv(path);
}

async function openCopy(name: string, memory: boolean) {
  if (copy === name) return;
  copy = name;
  if (memory) {
    await open(":memory:");
    for (let i = 0; i < n; i += 250) {
      const op = kv!.atomic();
      for (let k = i; k < i + 250 && k < n; k++) op.set(["users", k], value(k, -1));
      await op.commit();
    }
    await kv!.set(["counters", 3], new Deno.KvU64(0n));
  } else {
    const path = `${dir}/deno${flight}.db`;
    for (const end of ["", "-wal", "-shm"]) await Deno.remove(path + end).catch(() => {});
    await Deno.copyFile(file, path);
    await open(path);
  }
}

let round = 0;
async function write(work: string, count: number): Promise<number> {
  const memory = work.endsWith("mem");
  if (!memory && !work.endsWith("full")) return -1;
  await openCopy(work, memory);
  round++;
  if (work.startsWith("set")) return await many(count, (i) => kv!.set(["users", random()], value(i, round)));
  if (work.startsWith("sum")) {
    return await many(count, () => kv!.atomic().sum(["counters", 3], 1n).commit());
  }
  // Versions are read before the clock starts; each pair is used once.
  const half = n >> 1;
  const pairs = new Set<number>();
  while (pairs.size < count) pairs.add(Math.floor(Math.random() * half));
  const at: Deno.KvEntryMaybe<unknown>[][] = [];
  for (const p of pairs) at.push(await kv!.getMany([["users", p], ["users", p + half]]));
  return await many(count, async (i) => {
    const [a, b] = at[i];
    const r = await kv!.atomic().check(a, b).set(a.key, value(i, round)).set(b.key, value(i + 1, round)).commit();
    if (!r.ok) throw new Error("check failed");
  });
}

async function load(): Promise<number> {
  copy = "load";
  const path = `${dir}/deno${flight}.db`;
  for (const end of ["", "-wal", "-shm"]) await Deno.remove(path + end).catch(() => {});
  await open(path);
  const start = now();
  for (let i = 0; i < n; i += 1000) {
    const op = kv!.atomic();
    for (let k = i; k < i + 1000 && k < n; k++) op.set(["users", k], value(k, 0));
    await op.commit();
  }
  return (now() - start) * 1e6 / n;
}

function codec(work: string, count: number): number {
  const bytes = v8.serialize(value(1, 1));
  const json = JSON.stringify(value(1, 1));
  const start = now();
  for (let i = 0; i < count; i++) {
    if (work === "tojson") JSON.stringify(v8.deserialize(bytes));
    else v8.serialize(JSON.parse(json));
  }
  return (now() - start) * 1e6 / count;
}

/** What a Deno programmer writes in the place of a query on the collection. */
async function collection(work: string, count: number): Promise<number> {
  if (work.startsWith("cput")) await openCopy("cputfull", false);
  else if (kv === null) await open(file);
  const age = (u: Deno.KvEntryMaybe<unknown>) => (u.value as { age: number }).age;
  const older = (op: Deno.AtomicOperation, u: Deno.KvEntryMaybe<unknown>) =>
    op.check(u).set(u.key, { ...u.value as object, age: age(u) + 1 });
  switch (work) {
    case "cget":
      return await many(count, () => kv!.get(["users", random()]));
    case "cmail":
      return await many(count, async () => {
        const id = await kv!.get<number>(["users_by_email", `user${random()}@example.com`]);
        await kv!.get(["users", id.value!]);
      });
    case "crange":
      return await many(count, () => list(100));
    case "cput":
      return await many(count, async () => {
        await older(kv!.atomic(), await kv!.get(["users", random()])).commit();
      });
  }
  if (flight !== 1) return -1;
  const start = now();
  let rows = 0;
  if (work === "cgroup") {
    const groups = new Map<number, { count: number; sum: number }>();
    for await (const u of kv!.list<{ id: number; age: number }>({ prefix: ["users"] }, { batchSize: 500 })) {
      const g = groups.get(u.value.age) ?? { count: 0, sum: 0 };
      g.count++;
      g.sum += u.value.id;
      groups.set(u.value.age, g);
      rows++;
    }
  } else {
    let op = kv!.atomic();
    for await (const u of kv!.list({ prefix: ["users"] }, { batchSize: 500, limit: 10000 })) {
      older(op, u);
      if (++rows % 100) continue;
      await op.commit();
      op = kv!.atomic();
    }
    await op.commit();
  }
  return (now() - start) * 1e6 / rows;
}

async function run(work: string, count: number): Promise<number> {
  if (count === 0) {
    copy = "";
    kv?.close();
    kv = null;
    return 0;
  }
  if (work === "tojson" || work === "tov8") return flight === 1 ? codec(work, count) : -1;
  if (work.startsWith("to")) return -1;
  if (work.startsWith("load")) return flight === 1 && work === "loadjson" ? await load() : -1;
  if (/^c(get|mail|range|group|put)/.test(work)) return await collection(work, Math.ceil(count / 4));
  if (/^(set|check|sum)/.test(work)) return await write(work, Math.min(count, n >> 2));
  if (kv === null) await open(file);
  count = Math.ceil(count / 4);
  switch (work) {
    case "get":
      return await many(count, () => kv!.get(["users", random()]));
    case "ten":
      return await many(count, () => {
        const first = random();
        return kv!.getMany(Array.from({ length: 10 }, (_, k) => ["users", (first + k * 7919) % n]));
      });
    case "join":
      return await many(count, async () => {
        const id = await kv!.get<number>(["users_by_email", `user${random()}@example.com`]);
        await kv!.get(["users", id.value!]);
      });
    case "range":
      return await many(count, () => list(100));
    case "scan":
    case "keys":
    case "count":
    case "age":
      return flight === 1 ? await list() : -1;
    default:
      return -1;
  }
}

for await (const line of Deno.stdin.readable.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream())) {
  const [work, count] = line.split(" ");
  console.log(await run(work, Number(count)));
}
kv?.close();
