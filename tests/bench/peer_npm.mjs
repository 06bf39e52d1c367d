// peer_npm.mjs FILE DIR N -- @deno/kv in Node as a peer of bench.c: peer.ts, with
// what it takes of Deno's globals made of Node's.
//
// Its data is its own, since Node can't read V8's format 16, which Deno writes.

import { existsSync } from "node:fs";
import fs from "node:fs/promises";
import process from "node:process";
import { createRequire } from "node:module";
import { Readable } from "node:stream";

const require = createRequire(import.meta.url);
const { openKv, KvU64 } = require("../../build/npm/node_modules/@deno/kv");

const [, , , dir, n] = process.argv;
const file = `${dir}/npm${n}.db`;
globalThis.Deno = {
  args: [`${file}.new`, n],
  env: { get: (name) => process.env[name] },
  stdin: { readable: Readable.toWeb(process.stdin) },
  remove: fs.unlink,
  copyFile: fs.copyFile,
  KvU64,
};
// @deno/kv would call Deno's own openKv() if there were one.
async function npmKv(path) {
  delete Deno.openKv;
  const kv = openKv(path);
  Deno.openKv = npmKv;
  return await kv;
}
Deno.openKv = npmKv;
if (!existsSync(file)) {
  await import("./make_data.ts");
  await fs.rename(`${file}.new`, file);
}
Deno.args = [file, dir, n, "1"];
await import("./peer.ts");
