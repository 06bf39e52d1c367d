// acks.mjs -- writes until the server is gone; prints the number of each write that
// has been acknowledged.  Each is an atomic operation of three entries.
import { isDeno, openKv } from "./lib.mjs";

const kv = await openKv();
let n = 0;
const writer = async (w) => {
  for (;;) {
    const i = ++n;
    const done = await kv.atomic().set(["ack", i], i).sum(["acks"], 1n).set(["pair", i], [w, i]).commit();
    if (done.ok) console.log(i);
  }
};
try {
  await Promise.race([0, 1, 2, 3].map(writer));
} catch { /* the server is gone */ }
(isDeno ? globalThis.Deno : process).exit(0);
