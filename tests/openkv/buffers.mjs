// buffers.mjs -- Buffers of every kind: off Deno the file holds their bytes and nothing of
// what they share memory with; in Deno a clone keeps the whole buffer, and so does openKv().
import fs from "node:fs";
import zlib from "node:zlib";
import { Buffer } from "node:buffer";
import { dir, finish, isDeno, openKv, same } from "./lib.mjs";

const file = `${dir}/buffers.db`;
const inDeno = globalThis.Deno !== undefined;
const SECRET = "somebody else's bytes";
const kv = await openKv(file);

/** A Buffer whose neighbours in memory, if it has some, hold other bytes. */
function among(make) {
  Buffer.from(SECRET);
  const b = make();
  for (let i = 0; i < 20; i++) Buffer.from(SECRET);
  return b;
}
fs.writeFileSync(`${dir}/three`, "abc");
const large = Buffer.from(`abc${SECRET}`.padEnd(30000, "!"));
const kinds = {
  "of text": () => Buffer.from("abc"), "of a Buffer": () => Buffer.from(Buffer.from("abc")), "of numbers": () => Buffer.from([97, 98, 99]),
  "of base64": () => Buffer.from("YWJj", "base64"), "of hex": () => Buffer.from("616263", "hex"), "of zeros": () => Buffer.alloc(3, "abc"),
  "of two": () => Buffer.concat([Buffer.from("a"), Buffer.from("bc")]), "of a file": () => fs.readFileSync(`${dir}/three`),
  "of a pool": () => Buffer.allocUnsafe(3).fill("abc"), "of no pool": () => Buffer.allocUnsafeSlow(3).fill("abc"),
  "of a stream": () => zlib.gunzipSync(zlib.gzipSync("abc")), "a slice": () => Buffer.from(`${SECRET}abc${SECRET}`).subarray(21, 24),
  "of an ArrayBuffer": () => Buffer.from(new TextEncoder().encode(`${SECRET}abc${SECRET}`).buffer, 21, 3),
  "a part of a large one": () => large.subarray(0, 3), "an old slice": () => large.slice(0, 3),
};
// Views of what Buffers share.
const views = {
  "a Uint8Array": (b) => new Uint8Array(b.buffer, b.byteOffset, b.length), "a DataView": (b) => new DataView(b.buffer, b.byteOffset, b.length),
  "an Int8Array": (b) => new Int8Array(b.buffer, b.byteOffset, b.length),
};
const bytes = new Uint8Array([97, 98, 99]);

/** What is stored below a key, in the file as it is. */
async function stored(key) {
  if (isDeno) return null;
  return Buffer.from((await kv.sql`SELECT raw FROM kv_entries WHERE key = ${key}`)[0].raw);
}

async function check(what, value, expected, part = (v) => v) {
  await kv.set(["b"], value);
  same(what, part((await kv.get(["b"])).value), expected);
  const raw = await stored(["b"]);
  if (raw && !inDeno) same(`${what}: no byte of others`, [raw.includes(SECRET), raw.length < 60], [false, true]);
}

for (const [kind, make] of Object.entries(kinds)) {
  if (inDeno && /^(of a file|of a stream)/.test(kind)) continue;
  await check(`a Buffer ${kind}`, among(make), bytes);
  await check(`a Buffer ${kind} in an object`, { id: among(make) }, bytes, (v) => v.id);
  await check(`a Buffer ${kind} in a Map`, new Map([[1, [among(make)]]]), bytes, (v) => v.get(1)[0]);
  const b = among(make);
  await check(`a Buffer ${kind}, twice`, [b, b], [bytes, true], ([x, y]) => [x, x === y]);
  const { buffer } = (await kv.set(["c"], { b }), (await kv.get(["c"])).value.b);
  same(`the buffer of a Buffer ${kind}`, buffer.byteLength, inDeno ? b.buffer.byteLength : 3);
  await kv.set(["key", b], 1);
  same(`a Buffer ${kind} in a key`, (await kv.get(["key", bytes])).value, 1);
  await kv.delete(["key", b]);
}
for (const [kind, view] of Object.entries(views)) {
  const v = view(among(kinds["of text"]));
  const got = (x) => [x.constructor.name, [...new Uint8Array(x.buffer, x.byteOffset, x.byteLength)]];
  await check(`${kind} of a Buffer's memory`, { v }, [v.constructor.name, [97, 98, 99]], (x) => got(x.v));
}
// What is no Buffer keeps its buffer, as everywhere.
const buffer = new TextEncoder().encode("abcdef").buffer;
await kv.set(["b"], { a: new Uint8Array(buffer, 1, 2), b: new Uint16Array(buffer, 2, 1) });
const { a, b } = (await kv.get(["b"])).value;
same("a view of a buffer of its own", [a.buffer === b.buffer, a.buffer.byteLength, a.byteOffset, b.byteOffset], [true, 6, 1, 2]);

kv.close();
if (!inDeno) {
  for (const end of ["", "-wal"]) {
    if (fs.existsSync(file + end)) same("the file", fs.readFileSync(file + end).includes(SECRET), false);
  }
}
finish();
