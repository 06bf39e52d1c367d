// history.ts FILE LOG SEED KEYS -- what tests/history/history.c does, in Deno:
// operations that check what they have read, logged in the same way, until
// killed.  Prints "ready" when it has begun, and "locked" when Deno says that
// the database is locked: nothing is written then.

import { Random } from "./lib.ts";

const [file, log, seed, keys] = Deno.args;
const r = new Random(Number(seed));
const kv = await Deno.openKv(file);
const out = Deno.openSync(log, { create: true, append: true });
const text = new TextEncoder();
let ready = false;
for (;;) {
  const i = r.int(Number(keys));
  const j = r.int(Number(keys));
  const both = i === j ? [i] : [i, j];
  const entries = await kv.getMany(both.map((n) => ["k", n]));
  const op = kv.atomic();
  for (const e of entries) op.check(e).set(e.key, r.int(1000));
  try {
    const res = await op.commit();
    if (!res.ok) continue;
    const reads = entries.map((e, n) => `${both[n]}=${e.versionstamp ?? "-"}`);
    out.writeSync(text.encode(`W ${res.versionstamp} ${reads} ${both}\n`));
    if (!ready) console.log("ready");
    ready = true;
  } catch (e) {
    if (!(e instanceof TypeError && /database is locked/.test(e.message))) {
      throw e;
    }
    console.log("locked");
  }
}
