// collection.ts FILE SEED N SECONDS -- work on users in the pattern of users.ts,
// beside SQL that reads and writes them as a collection: N operations, and more
// until the seconds are over.  Prints "ready", waits for a line, and prints what
// it has done: a line of JSON.
//
// The users s0 ... s4 are there from the beginning to the end; u0 ... u9 come and go.

import { Random } from "./lib.ts";
import * as users from "./users.ts";

const [file, seed, n, seconds] = Deno.args;
const kv = await Deno.openKv(file);
const r = new Random(Number(seed));

interface Account extends users.User {
  visits: bigint;
  joined: Date;
  level: number;
  more: Map<string, unknown>;
}

function account(id: string, email: string): Account {
  return {
    id,
    name: "Name " + id,
    email,
    favoriteColor: r.pick(["red", "green", "blue"]),
    visits: 0n,
    joined: new Date(1e12),
    level: r.int(5),
    more: new Map<string, unknown>([["id", id], ["set", new Set([1, 2n])]]),
  };
}

const visit = (id: string) =>
  users.changeUser<Account>(kv, id, (u) => ({ visits: u.visits + 1n }));
const email = () => `${r.pick(["A", "a", "B"])}${r.int(12)}@example.com`;
const count: Record<string, number> = { inserted: 0, deleted: 0, visits: 0, moved: 0, wrong: 0 };

async function step(): Promise<void> {
  const id = "u" + r.int(10), stable = "s" + r.int(5);
  switch (r.int(6)) {
    case 0:
    case 1:
      if (await users.insertUser(kv, account(id, email())) === "ok") count.inserted++;
      break;
    case 2:
      if (await users.deleteUser(kv, id) === "ok") count.deleted++;
      break;
    case 3:
      if (await users.updateUser(kv, r.pick([id, stable]), { email: email() }) === "ok") count.moved++;
      break;
    case 4:
      await users.updateUser(kv, stable, { favoriteColor: r.pick(["red", "green", "blue"]) });
      break;
    default:
      if (await visit(stable) === "ok") count.visits++;
  }
  // What Deno reads is what a Deno program has written, whoever wrote it last.
  const u = await users.getUser(kv, stable) as Account;
  if (
    typeof u?.visits !== "bigint" || !(u.joined instanceof Date) || u.more?.get("id") !== stable ||
    !(u.more.get("set") as Set<unknown>).has(2n) || typeof u.level !== "number"
  ) count.wrong++;
}

if (n === "0") {
  for (let i = 0; i < 5; i++) await users.insertUser(kv, account("s" + i, `stable${i}@example.com`));
} else {
  console.log("ready");
  await Deno.stdin.read(new Uint8Array(10));
  const end = Date.now() + Number(seconds) * 1000;
  for (let i = 0; i < Number(n) || Date.now() < end; i++) await step();
}
for await (const e of kv.list<Account>({ prefix: ["users"] })) {
  const u = await users.getUserByEmail(kv, e.value.email);
  if (n === "0" && u?.id !== e.key[1]) count.wrong++;
}
console.log(JSON.stringify(count));
kv.close();
