// queue.ts -- the real Deno's side of the queue tests.
//
//   queue.ts values SIDE           the table js(n, js): values to send, as text
//   queue.ts enqueue FILE SIDE     enqueue them all, and some with options
//   queue.ts listen FILE SIDE N    take N messages; say what was wrong with
//                                  them, compared with the table js
//   queue.ts watch FILE N MS       listen until N messages have come and are
//                                  done, then for MS; print what has come
//   queue.ts fail FILE N           fail at N messages, until none is left
//   queue.ts get FILE              print the entries
//   queue.ts work FILE             everyday work: set, get, enqueue, listen
//
// Everything is printed as lines of text.

import { DatabaseSync, difference, evalJs, keyText, typeName } from "./lib.ts";

const [what, file, ...rest] = Deno.args;

const VALUES: string[] = [
  "undefined",
  "null",
  "true",
  "42",
  "-0",
  "1.5",
  "NaN",
  '"hello"',
  '"\\u00e9\\u{1f600}\\u0000"',
  '""',
  "42n",
  "-123456789012345678901234567890n",
  "new Uint8Array([1,2,3])",
  "new Uint8Array([])",
  "new Uint8Array([1,2,3]).buffer",
  "new Float64Array([1.5,NaN])",
  "[1,2,3]",
  "[1,,3]",
  "[]",
  '{"a":1,"b":{"c":[true,null,undefined]}}',
  "{}",
  'new Map([["a",1],[{"k":1},new Set([1n])]])',
  'new Set([1,"x"])',
  'new Date("2023-04-23")',
  "/a+/gi",
  'Object.assign(new TypeError("m",{"cause":1}),{"stack":"s"})',
  'Object("boxed")',
  '<ref *1> {"self":[Circular *1]}',
  "new Deno.KvU64(42n)",
];

/** What a listener receives for a value: the wrapper of KvU64 is lost. */
const received = (js: string): unknown => {
  const v = evalJs(js);
  return v instanceof Deno.KvU64 ? { value: v.value } : v;
};

const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));

async function values(): Promise<void> {
  const db = new DatabaseSync(file);
  db.exec("DROP TABLE IF EXISTS js; CREATE TABLE js(n INTEGER PRIMARY KEY, js TEXT); BEGIN");
  const add = db.prepare("INSERT INTO js VALUES(?,?)");
  VALUES.forEach((js, i) => add.run(i, js));
  db.exec("COMMIT");
  db.close();
  await 0;
}

async function enqueue(): Promise<void> {
  const kv = await Deno.openKv(file);
  const begun = Date.now();
  // Each half a minute later than the one before, so that their order is known
  // however long this takes.
  for (let i = 0; i < VALUES.length; i++) {
    await kv.enqueue(evalJs(VALUES[i]), { delay: 30_000 * i });
  }
  await kv.enqueue("options", {
    delay: 1_000_000,
    backoffSchedule: [1, 200, 3600000],
    keysIfUndelivered: [["dead", 1n, -0, true, new Uint8Array([0, 255])], ["b"]],
  });
  await kv.enqueue("none", { delay: 1_001_000, backoffSchedule: [] });
  await kv.atomic().set(["with"], 1).enqueue("atomic", { delay: 1_002_000.9 })
    .commit();
  console.log(begun);
  kv.close();
}

/** How many messages there are, ready and running. */
function messages(): number {
  const db = new DatabaseSync(file, { readOnly: true });
  const { n } = db.prepare(
    "SELECT (SELECT count(*) FROM queue) + (SELECT count(*) FROM queue_running) AS n",
  ).get() as { n: number };
  db.close();
  return n;
}

/** Wait until there are no more than that, for a minute at the most. */
async function until(left: number): Promise<void> {
  for (let i = 0; i < 6000 && messages() > left; i++) await sleep(10);
}

/** Receive n messages, or what comes within the time. */
async function receive(kv: Deno.Kv, n: number, ms: number, handler?: () => void) {
  const got: unknown[] = [];
  let last: () => void;
  const all = new Promise<void>((r) => last = r);
  kv.listenQueue((v: unknown) => {
    got.push(v);
    if (got.length >= n) last();
    handler?.();
  }).catch((e) => console.log("listenQueue: " + e));
  let timer = 0;
  const late = new Promise<void>((r) => timer = setTimeout(r, ms));
  await Promise.race([all, late]);
  clearTimeout(timer);
  return got;
}

async function listen(): Promise<void> {
  const side = new DatabaseSync(rest[0]);
  const want = side.prepare("SELECT js FROM js ORDER BY n").all()
    .map((r) => (r as { js: string }).js);
  side.close();
  const kv = await Deno.openKv(file);
  const got = await receive(kv, Number(rest[1]), 60000);
  await until(0);
  await sleep(300);
  kv.close();
  console.log("received " + got.length);
  const left = want.map((js) => ({ js, value: received(js) }));
  for (const v of got) {
    const i = left.findIndex((w) => difference(w.value, v) === "");
    if (i < 0) console.log("not expected: " + typeName(v) + " " + Deno.inspect(v));
    else left.splice(i, 1);
  }
  for (const w of left) console.log("missing: " + w.js);
}

async function watch(): Promise<void> {
  const n = Number(rest[0]);
  const left = messages() - n;
  const kv = await Deno.openKv(file);
  const got = await receive(kv, n, n > 0 ? 60000 : 0);
  await until(left);
  await sleep(Number(rest[1]));
  kv.close();
  for (const v of got) console.log(String(v));
}

async function fail(): Promise<void> {
  const kv = await Deno.openKv(file);
  const got = await receive(kv, Number(rest[0]), 60000, () => {
    throw new Error("no");
  });
  await until(0);
  await sleep(100);
  kv.close();
  console.log(got.length);
}

async function get(): Promise<void> {
  const kv = await Deno.openKv(file);
  for await (const e of kv.list({ prefix: [] })) {
    console.log(`${keyText(e.key)} ${typeName(e.value)} ${Deno.inspect(e.value)}`);
  }
  kv.close();
}

async function work(): Promise<void> {
  const kv = await Deno.openKv(file);
  await kv.set(["n"], 1);
  for (let i = 0; i < 20; i++) await kv.enqueue("m" + i);
  const got = await receive(kv, 20, 60000);
  await until(0);
  console.log(new Set(got).size, (await kv.get(["n"])).value);
  kv.close();
}

await ({ values, enqueue, listen, watch, fail, get, work } as Record<
  string,
  () => Promise<void>
>)[what]();
