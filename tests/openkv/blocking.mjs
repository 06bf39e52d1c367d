// blocking.mjs -- a worker whose handlers compute, 300 ms each, with nothing awaited or
// after something was: prints the messages it got until none are left.  With a lease all
// have awaited something, and each computes for less than the lease, by turns a little
// less than half of it and most of it.
//
//   blocking.mjs DRIVER DIR [LEASE]     the store is DIR/blocking.db
import process from "node:process";
import { args, dir, openKv, sleep } from "./lib.mjs";

const kv = await openKv(`${dir}/blocking.db`);
const got = [], cell = new Int32Array(new SharedArrayBuffer(4));
const lease = Number(args[0]) || undefined;
kv.listenQueue(async (m) => {
  got.push(m);
  if (lease || m % 2) await sleep(1);
  Atomics.wait(cell, 0, 0, lease ? lease * (m % 2 ? 0.45 : 0.75) : 300);
}, { lease });
for (const end = Date.now() + 60000; Date.now() < end; await sleep(100)) {
  if ((await kv.sql`SELECT id FROM kv_queue`).length === 0) break;
}
process.stdout.write(`${got.join(" ")}\n`, () => process.exit(0));
