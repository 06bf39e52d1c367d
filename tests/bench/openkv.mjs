// openkv.mjs -- openKv() of the npm package beside @deno/kv (npm) in Node, and beside
// the real Deno, which has one core (taskset).
//
//   node openkv.mjs KV.SO DIR          for BENCH_ROUNDS (9) rounds: a table of the
//                                      best microseconds for one operation
//   ... openkv.mjs PEER KV.SO DIR      one peer's figures, as JSON
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
const PEERS = {
  openKv: [path.join(npm, "bin", "node"), "--no-warnings"],
  "@deno/kv": [path.join(npm, "bin", "node"), "--no-warnings"],
  Deno: ["taskset", "-c", "0", path.join(npm, "deno"), "run", "--quiet", "--allow-all", "--unstable-kv", "--no-lock", "--no-config"],
  "openKv, one core": ["taskset", "-c", "0", path.join(npm, "bin", "node"), "--no-warnings"],
};
const N = 2000;

const user = (i) => ({
  id: i, name: `User Number ${i}`, email: `user${i}@example.com`, age: 18 + i % 60,
  tags: ["admin", "author", `round${i}`], created: new Date(1704067200000 + i),
});

async function measure(peer, so, dir) {
  const file = path.join(dir, `openkv-${peer.replace(/\W+/g, "")}.db`);
  for (const end of ["", "-wal", "-shm"]) fs.rmSync(file + end, { force: true });
  const kv = peer === "Deno" ? await Deno.openKv(file) : peer === "@deno/kv"
    ? await require(path.join(npm, "node_modules", "@deno", "kv")).openKv(file)
    : await require(path.join(root, "ext", "pack", "npm", "openkv.js")).openKv(file, { extension: so });
  const res = {};
  const time = async (name, count, per, f) => {
    for (let round = 0; round < 4; round++) {
      const start = performance.now();
      for (let i = 0; i < count; i++) await f(i);
      res[name] = Math.min(res[name] ?? Infinity, (performance.now() - start) * 1000 / count / per);
    }
  };
  await time("set", N, 1, (i) => kv.set(["users", i], user(i)));
  await time("get", N, 1, (i) => kv.get(["users", i * 7 % N]));
  await time("getMany of 10, an entry", N / 10, 10, (i) => kv.getMany(Array.from({ length: 10 }, (_, k) => ["users", (i * 7 + k) % N])));
  await time("list, an entry", 3, N, async () => {
    for await (const _ of kv.list({ prefix: ["users"] }, { batchSize: 500 })) ;
  });
  const entries = [];
  for await (const e of kv.list({ prefix: ["users"] })) entries.push(e);
  await time("atomic: a check and a set", N, 1, async (i) => {
    const r = await kv.atomic().check(entries[i]).set(entries[i].key, user(i)).commit();
    entries[i] = { ...entries[i], versionstamp: r.versionstamp };
  });
  await time("atomic: two sets and a sum", N / 2, 1, (i) =>
    kv.atomic().set(["users", i], user(i)).set(["users", i + N / 2], user(i)).sum(["count"], 1n).commit());
  kv.close();
  return res;
}

const args = process.argv.slice(2);
if (args.length === 3) {
  console.log(JSON.stringify(await measure(...args)));
  process.exit(0);
}
const best = {};
for (let round = Number(process.env.BENCH_ROUNDS ?? 9); round > 0; round--) {
  for (const [peer, [program, ...before]] of Object.entries(PEERS)) {
    if (peer === "@deno/kv" && !fs.existsSync(path.join(npm, "node_modules", "@deno", "kv"))) continue;
    const out = execFileSync(program, [...before, fileURLToPath(import.meta.url), peer, ...args], { encoding: "utf8" });
    for (const [name, us] of Object.entries(JSON.parse(out))) {
      best[name] ??= {};
      best[name][peer] = Math.min(best[name][peer] ?? Infinity, us);
    }
  }
}
console.log("| microseconds |", Object.keys(PEERS).join(" | "), "|");
console.log("| --- |", Object.keys(PEERS).map(() => "---").join(" | "), "|");
for (const [name, us] of Object.entries(best)) {
  console.log(`| ${name} |`, Object.keys(PEERS).map((peer) => peer in us
    ? `${us[peer].toFixed(1)}${peer === "openKv" ? "" : ` (${(us[peer] / us.openKv).toFixed(1)})`}` : "").join(" | "), "|");
}
