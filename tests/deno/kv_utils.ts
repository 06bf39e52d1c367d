// kv_utils.ts -- makes tests/vectors/kv-utils.jsonl: what @deno/kv-utils
// writes for entries, and what it makes of the lines of kv_export().
//
//   deno run -A --unstable-kv --import-map=MAP tests/deno/kv_utils.ts \
//     build/kv.so >tests/vectors/kv-utils.jsonl
//
// where MAP finds "@deno/kv-utils/import-export".  Each line of the result is
//
//   key, raw   the entry: hex of its stored key, and of v_encoding and value
//   line       what exportEntries() writes, null if it fails
//   ours       what kv_export() writes, where that is something else
//   back       hex of v_encoding and value that importEntries() stores for
//              kv_export()'s line, null if it refuses the line

import { exportEntries, importEntries } from "@deno/kv-utils/import-export";
import { DatabaseSync } from "./lib.ts";

// An error without a stack gets one by importEntries(): without places.
Error.stackTraceLimit = 0;

const hex = (a: Uint8Array) => a.toHex();
const here = new URL("../vectors/", import.meta.url);
const vectors = (name: string) =>
  Deno.readTextFileSync(new URL(name, here)).trim().split("\n").map((l) => JSON.parse(l));

const dir = Deno.makeTempDirSync();
const from = `${dir}/from.db`, to = `${dir}/to.db`;
for (const f of [from, to]) {
  const kv = await Deno.openKv(f);
  await kv.set(["made"], 1);
  kv.close();
}

// The entries: every value of the vectors that is not large, under keys of
// their own; then a value under each tenth of the keys.
const db = new DatabaseSync(from, { allowExtension: true });
db.loadExtension(Deno.args[0]);
db.exec("DELETE FROM kv");
const insert = db.prepare("INSERT INTO kv(k, v, v_encoding, version) VALUES (?, ?, ?, ?)");
let n = 0;
for (const v of vectors("v8-vectors.jsonl")) {
  const key = db.prepare("SELECT kv_key_encode(kv_key('v', ?)) AS k").get(++n)!.k as Uint8Array;
  if (v.hex.length <= 400) insert.run(key, Uint8Array.fromHex(v.hex), v.encoding, n);
}
vectors("key-vectors.jsonl").forEach((v, i) => {
  if (i % 10 || v.hex === "") return;
  insert.run(Uint8Array.fromHex(v.hex), Uint8Array.fromHex("ff0f30"), 1, ++n);
});

/** What a stream of lines gives, or null if it fails. */
async function text(stream: ReadableStream<string>): Promise<string | null> {
  let res = "";
  try {
    for await (const s of stream) res += s;
  } catch {
    return null;
  }
  return res.trimEnd();
}

const rows = db.prepare(
  `SELECT k, kv_raw(v, v_encoding) AS raw, kv_export(kv_key_decode(k), kv_raw(v, v_encoding),
          printf('%016x0000', version)) AS ours FROM kv ORDER BY k`,
).all();
const kv = await Deno.openKv(from);
const target = await Deno.openKv(to);
const result = new DatabaseSync(to);
for (const r of rows) {
  const k = r.k as Uint8Array, ours = r.ours as string;
  // The entry alone: the range from its key to the key with one more byte.
  const only = db.prepare("SELECT kv_key_decode(?) AS key").get(k)!.key as string;
  const key = Function("return " + only)() as Deno.KvKey;
  let line: string | null = null;
  const found = await kv.get(key).catch(() => null);
  if (found !== null) {
    line = await text(exportEntries(kv, { start: key, end: [...key, false] }, { type: "string" }));
    if (line !== null) line = line.split("\n")[0];
  }
  const done = await importEntries(target, ours + "\n", { overwrite: true });
  const back = done.errors
    ? undefined
    : result.prepare("SELECT v, v_encoding FROM kv WHERE k = ?").get(k);
  console.log(JSON.stringify({
    key: hex(k),
    raw: hex(r.raw as Uint8Array),
    line,
    ...(line === ours ? {} : { ours }),
    back: back ? "0" + back.v_encoding + hex(back.v as Uint8Array) : null,
  }));
}
kv.close();
target.close();
db.close();
result.close();
Deno.removeSync(dir, { recursive: true });
