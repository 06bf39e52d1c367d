// describe.ts VECTORS SIDE -- the value vectors, each with what Deno says of
// the stored bytes: table described(n, js, bytes, encoding, type, json, host,
// inspect) in the plain SQLite file SIDE.

import { DatabaseSync, jsonText, typeName } from "./lib.ts";

const [vectors, side] = Deno.args;
const db = new DatabaseSync(side);
db.exec(`
  PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
  CREATE TABLE described(
    n INTEGER PRIMARY KEY, js TEXT, bytes BLOB, encoding INTEGER, type TEXT,
    json TEXT, host INTEGER, inspect TEXT);
  BEGIN`);
const insert = db.prepare("INSERT INTO described VALUES(NULL,?,?,?,?,?,?,?)");

function huge(v: unknown): boolean {
  const seen = new Set<unknown>();
  const go = (x: unknown): boolean => {
    if (typeof x !== "object" || x === null || seen.has(x)) return false;
    seen.add(x);
    if (Array.isArray(x) && x.length > 1e6) return true;
    if (x instanceof Map || x instanceof Set) {
      return Array.from(x as Set<unknown>).some(go);
    }
    return !ArrayBuffer.isView(x) && Object.values(x).some(go);
  };
  return go(v);
}

// The stored bytes go through a real KV file.
const file = side + ".kv";
const kv = await Deno.openKv(file);
await kv.set(["start"], 0);
const raw = new DatabaseSync(file);
const store = raw.prepare(
  "INSERT OR REPLACE INTO kv(k,v,v_encoding,version) VALUES(x'027600',?,?,1)",
);
for (const line of Deno.readTextFileSync(vectors).split("\n")) {
  if (!line) continue;
  const { js, hex, encoding, inspect } = JSON.parse(line);
  const bytes = Uint8Array.fromHex(hex);
  const host = encoding === 1 && /5cffffffff0f/.test(hex);
  let type = "HostObject", json: string | null = null;
  if (!host) {
    store.run(bytes, encoding);
    const { value } = await kv.get(["v"]);
    type = typeName(value);
    // A sparse array of billions has no JSON text worth asking for.
    json = huge(value) ? "-" : jsonText(value)?.toWellFormed() ?? null;
  }
  insert.run(
    js.toWellFormed(),
    bytes,
    encoding,
    type,
    json,
    host ? 1 : 0,
    inspect,
  );
}
db.exec("COMMIT");
db.close();
raw.close();
kv.close();
