// openkv.mjs -- openKv() of the npm package beside @deno/kv (npm) in Node, both in one
// process by turns, and beside the real Deno, which has one core (taskset).
//
//   node openkv.mjs KV.SO DIR          for BENCH_ROUNDS (9) rounds: a table of the
//                                      best microseconds for one operation
//   ... openkv.mjs PEERS KV.SO DIR     the figures of one process, as JSON
//
// Each peer has its own file in DIR, has one operation under way at a time, and
// writes with Deno's settings (WAL, synchronous FULL).
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..");
const npm = path.join(root, "build", "npm");
const node = [path.join(npm, "bin", "node"), "--no-warnings"], alone = ["taskset", "-c", "0"];
const deno = [path.join(npm, "deno"), "run", "--quiet", "--allow-all", "--unstable-kv", "--no-lock", "--no-config"];
// The processes, and the columns of the table that come from each.
const hasNpm = fs.existsSync(path.join(npm, "node_modules", "@deno", "kv"));
const PROCESSES = {
  ...hasNpm ? { "openKv,@deno/kv": [node, "openKv()", "@deno/kv"] } : { openKv: [node, "openKv()"] },
  Deno: [[...alone, ...deno], "Deno, one core"],
  "openKv,": [[...alone, ...node], "openKv(), one core"],
};
const N = 2000;

const user = (i) => ({
  id: i, name: `User Number ${i}`, email: `user${i}@example.com`, age: 18 + i % 60,
  tags: ["admin", "author", `round${i}`], created: new Date(1704067200000 + i),
});

async function open(peer, so, dir) {
  const file = path.join(dir, `openkv-${peer.replace(/\W+/g, "")}-${process.pid}.db`);
  const remove = () => ["", "-wal", "-shm"].forEach((end) => fs.rmSync(file + end, { force: true }));
  remove();
  const kv = peer === "Deno" ? await Deno.openKv(file) : peer === "@deno/kv"
    ? await require(path.join(npm, "node_modules", "@deno", "kv")).openKv(file)
    : await require(path.join(root, "ext", "pack", "npm", "services.js")).openKv(file, { extension: so });
  return { kv, remove, best: {}, entries: [] };
}

// What is measured: how many calls, how many operations each of them is, and the call.
const WORK = {
  "set": [N, 1, ({ kv }, i) => kv.set(["users", i], user(i))],
  "get": [N, 1, ({ kv }, i) => kv.get(["users", i * 7 % N])],
  "getMany of 10, an entry": [N / 10, 10, ({ kv }, i) => kv.getMany(Array.from({ length: 10 }, (_, k) => ["users", (i * 7 + k) % N]))],
  "list, an entry": [3, N, async (peer) => {
    peer.entries = [];
    for await (const e of peer.kv.list({ prefix: ["users"] }, { batchSize: 500 })) peer.entries.push(e);
  }],
  "atomic: a check and a set": [N, 1, async ({ kv, entries }, i) => {
    const { versionstamp } = await kv.atomic().check(entries[i]).set(entries[i].key, user(i)).commit();
    entries[i] = { key: entries[i].key, versionstamp };
  }],
  "atomic: two sets and a sum": [N / 2, 1, ({ kv }, i) =>
    kv.atomic().set(["users", i], user(i)).set(["users", i + N / 2], user(i)).sum(["count"], 1n).commit()],
};

async function measure(names, so, dir) {
  const peers = [];
  for (const name of names.split(",").filter((name) => name)) peers.push(await open(name, so, dir));
  for (const [what, [count, per, f]] of Object.entries(WORK)) {
    for (let round = 0; round < 4; round++) {
      for (const peer of peers) {
        const start = performance.now();
        for (let i = 0; i < count; i++) await f(peer, i);
        peer.best[what] = Math.min(peer.best[what] ?? Infinity, (performance.now() - start) * 1000 / count / per);
      }
    }
  }
  for (const { kv, remove } of peers) {
    kv.close();
    remove();
  }
  return peers.map(({ best }) => best);
}

const args = process.argv.slice(2);
if (args.length === 3) {
  console.log(JSON.stringify(await measure(...args)));
  process.exit(0);
}
const best = {}, columns = Object.values(PROCESSES).flatMap(([, ...names]) => names);
for (let round = Number(process.env.BENCH_ROUNDS ?? 9); round > 0; round--) {
  for (const [peers, [[program, ...before], ...names]] of Object.entries(PROCESSES)) {
    const out = execFileSync(program, [...before, fileURLToPath(import.meta.url), peers, ...args], { encoding: "utf8" });
    JSON.parse(out).forEach((figures, i) => {
      for (const [what, us] of Object.entries(figures)) {
        best[what] ??= {};
        best[what][names[i]] = Math.min(best[what][names[i]] ?? Infinity, us);
      }
    });
  }
}
console.log("| microseconds |", columns.join(" | "), "|");
console.log("| --- |", columns.map(() => "---").join(" | "), "|");
for (const [what, us] of Object.entries(best)) {
  const ratio = (name) => name === columns[0] ? "" : ` (${(us[name] / us[columns[0]]).toFixed(1)})`;
  console.log(`| ${what} |`, columns.map((name) => us[name].toFixed(1) + ratio(name)).join(" | "), "|");
}
