// bank.ts FILE ID SEED COUNT ACCOUNTS -- COUNT transfers between accounts by
// check and set.  Each leaves an entry ["ledger", ID, n] and counts in
// ["done", ID], in the same operation.
//
// Prints a line for each transfer that is done, "ok ID n STAMP".  Deno itself
// may say "database is locked" when somebody else has written between the
// reading and the writing of a commit: nothing is written then, and the
// transfer is tried again; it prints "locked 1".  "conflict": a check failed.

import { Random } from "./lib.ts";

const [file, idText, seed, count, accounts] = Deno.args;
const id = Number(idText);
const r = new Random(Number(seed));
const kv = await Deno.openKv(file);
for (let n = 1; n <= Number(count); n++) {
  const a = r.int(Number(accounts));
  const b = (a + 1 + r.int(Number(accounts) - 1)) % Number(accounts);
  const x = 1 + r.int(50);
  for (;;) {
    try {
      const [from, to] = await kv.getMany<[number, number]>([
        ["account", a],
        ["account", b],
      ]);
      const res = await kv.atomic()
        .check(from, to)
        .set(["account", a], from.value! - x)
        .set(["account", b], to.value! + x)
        .set(["ledger", id, n], [a, b, x])
        .sum(["done", id], 1n)
        .commit();
      if (res.ok) {
        console.log(`ok ${id} ${n} ${res.versionstamp}`);
        break;
      }
      console.log("conflict");
    } catch (e) {
      if (!(e instanceof TypeError && /database is locked/.test(e.message))) {
        throw e;
      }
      console.log("locked 1");
    }
  }
}
console.log("end");
kv.close();
