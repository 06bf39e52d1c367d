// blocking.mjs -- a worker whose handlers compute, 300 ms each, with nothing awaited or
// after something was: prints the messages it got until none are left.
//
//   blocking.mjs DRIVER DIR     the store is DIR/blocking.db
import process from "node:process";
import { dir, openKv, sleep } from "./lib.mjs";

const kv = await openKv(`${dir}/blocking.db`);
const got = [], cell = new Int32Array(new SharedArrayBuffer(4));
kv.listenQueue(async (m) => {
  got.push(m);
  if (m % 2) await sleep(1);
  Atomics.wait(cell, 0, 0, 300);
});
for (const end = Date.now() + 60000; Date.now() < end; await sleep(100)) {
  if ((await kv.sql`SELECT id FROM kv_queue`).length === 0) break;
}
process.stdout.write(`${got.join(" ")}\n`, () => process.exit(0));
