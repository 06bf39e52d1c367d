// users_peer.ts FILE -- another process that keeps users in FILE, at the service
// of a test.  Each line of standard input is a JSON array, the name of a
// function below and its arguments; the answer is one line of JSON, the result
// or { "error": message }.
//
// ["pause"] makes the next operation that retries stop between its reading and
// its commit: it prints "paused" and goes on after another line.

import process from "node:process";
import { createInterface } from "node:readline";
import { Random } from "./lib.ts";
import * as users from "./users.ts";
import type { Member, Outcome, User, Writes } from "./users.ts";

const kv = await Deno.openKv(Deno.args[0]);
const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** Random work on a few users, until there were n operations. */
async function work(seed: number, n: number): Promise<unknown> {
  const r = new Random(seed);
  const count: Record<Outcome, number> = { ok: 0, taken: 0, none: 0 };
  for (let i = 0; i < n; i++) {
    const id = "u" + r.int(6), favoriteColor = r.pick(["red", "green"]);
    const email = r.pick(["A", "a", "b", "C", "c"]) + "@example.com";
    const what = r.int(5);
    let res: Outcome = "ok";
    if (what < 2) {
      const user = { id, name: "n" + i, email, favoriteColor };
      res = await users.insertUser(kv, user);
    } else if (what === 2) res = await users.deleteUser(kv, id);
    else if (what === 3) res = await users.updateUser(kv, id, { email });
    else res = await users.updateUser(kv, id, { favoriteColor });
    count[res]++;
  }
  return { ...count, ...users.probe, between: undefined };
}

/** Rewrite the members s0 .. and move the e-mails of the members c0 .. */
async function writeMembers(
  writes: Writes,
  seed: number,
  n: number,
  stable: number,
): Promise<number> {
  const r = new Random(seed);
  let done = 0;
  for (let i = 0; i < n; i++) {
    const moving = r.chance(50);
    const id = moving ? "c" + r.int(10) : "s" + r.int(stable);
    const change: Partial<Member> = { visits: i };
    if (moving) change.email = `C${r.int(15)}@example.com`;
    if (await users.updateMember(kv, id, change, writes) === "ok") done++;
  }
  return done;
}

/** Look every stable member up; how many look-ups, and which failed. */
async function readMembers(
  index: "old" | "new",
  rounds: number,
  stable: number,
): Promise<[number, string[]]> {
  const lost: string[] = [];
  for (let i = 0; i < rounds * stable; i++) {
    const id = "s" + i % stable;
    const m = await users.readMember(kv, `S${i % stable}@Example.com`, index);
    if (m?.id !== id) lost.push(id);
  }
  return [rounds * stable, lost];
}

function pause(): string {
  users.probe.between = async () => {
    users.probe.between = () => Promise.resolve();
    users.probe.retries = 0;
    console.log("paused");
    await input.next();
  };
  return "";
}

async function getMany(n: number): Promise<string> {
  const keys = Array.from({ length: n }, (_, i) => ["users", i]);
  return String((await kv.getMany(keys)).length);
}

// deno-lint-ignore no-explicit-any
const commands: Record<string, (...a: any[]) => unknown> = {
  insertUser: (u: User) => users.insertUser(kv, u),
  getUser: (id) => users.getUser(kv, id),
  getUserByEmail: (email) => users.getUserByEmail(kv, email),
  deleteUser: (id) => users.deleteUser(kv, id),
  updateUser: (id, change) => users.updateUser(kv, id, change),
  getUsersByFavoriteColor: (c) => users.getUsersByFavoriteColor(kv, c),
  insertMember: (m, writes) => users.insertMember(kv, m, writes),
  updateMember: (id, change, w) => users.updateMember(kv, id, change, w),
  readMember: (email, index) => users.readMember(kv, email, index),
  backfill: () => users.backfill(kv),
  cleanUp: () => users.cleanUp(kv),
  retries: () => users.probe.retries,
  eval: (js: string) => (0, eval)(`(async (kv, users) => (${js}))`)(kv, users),
  work,
  writeMembers,
  readMembers,
  pause,
  getMany,
};

const digits = (_: string, v: unknown) => typeof v === "bigint" ? `${v}n` : v;
for (;;) {
  const line = await input.next();
  if (line.done) break;
  let res: unknown;
  try {
    const [name, ...args] = JSON.parse(line.value);
    res = await commands[name](...args) ?? null;
  } catch (e) {
    res = { error: String(e) };
  }
  console.log(JSON.stringify(res, digits));
}
kv.close();
