// keyspace.ts -- the examples of the documentation page "Key Space", as the
// real Deno takes them.
//
//   keyspace.ts write FILE    store all of them
//   keyspace.ts check FILE    compare the entries of FILE with them; print
//                             what is wrong, then "ok" and how many
//
// Keys are stored under themselves, with their number as the value; values
// under ["value", number].

import { difference, keyText } from "./lib.ts";

const KEYS: Deno.KvKey[] = [
  ["abc", "def"],
  ["ab", "cdef"],
  ["abc", "", "def"],
  ["users", "alice/settings/hacked", "settings"],
  ["users", 42, "profile"],
  ["posts", "2023-04-23", "comments"],
  ["products", "electronics", "smartphones", "apple"],
  ["orders", 1001, "shipping", "tracking"],
  ["files", new Uint8Array([1, 2, 3]), "metadata"],
  ["projects", "openai", "tasks", 5],
  ["events", "2023-03-31", "location", "san_francisco"],
  ["invoices", 2023, "Q1", "summary"],
  ["teams", "engineering", "members", 1n],
  ["users", 1691377037923, "8c72fa25-40ad-42ce-80b0-44f79bc7a09e"],
  ["users", 1691377037924, "8063f20c-8c2e-425e-a5ab-d61e7a717765"],
  ["users", 1691377037925, "35310cea-58ba-4101-b09a-86232bf230b2"],
  ["users", "01H76YTWK3YBV020S6MP69TBEQ"],
  ["users", "01H76YTWK4V82VFET9YTYDQ0NY"],
  ["users", "01H76YTWK5DM1G9TFR0Y5SCZQV"],
  ["users", "01H76YTWK3YBV020S6MP69TBER"],
  ["users", "01H76YTWK3YBV020S6MP69TBES"],
  // The order of parts: types, then values.
  ["order", new Uint8Array([])],
  ["order", new Uint8Array([0])],
  ["order", new Uint8Array([0, 255])],
  ["order", new Uint8Array([1])],
  ["order", ""],
  ["order", "A"],
  ["order", "a"],
  ["order", "a\u0000"],
  ["order", "\u00e9"],
  ["order", "\uffff"],
  ["order", "\u{1f600}"],
  ["order", -(2n ** 64n)],
  ["order", -1n],
  ["order", 0n],
  ["order", 1n],
  ["order", 2n ** 64n],
  ["order", -Infinity],
  ["order", -1.0],
  ["order", -0.5],
  ["order", -0.0],
  ["order", 0.0],
  ["order", 0.5],
  ["order", 1.0],
  ["order", 2.0],
  ["order", Infinity],
  ["order", NaN],
  ["order", false],
  ["order", true],
];

const a: Record<string, unknown> = {};
const b: Record<string, unknown> = { a };
a.b = b;

const VALUES: unknown[] = [
  undefined,
  null,
  true,
  false,
  42,
  -42.5,
  42n,
  "hello",
  new Uint8Array([1, 2, 3]),
  [1, 2, 3],
  { a: 1, b: 2, c: 3 },
  new Map([["a", 1], ["b", 2], ["c", 3]]),
  new Set([1, 2, 3]),
  new Date("2023-04-23"),
  /abc/,
  a,
  new Deno.KvU64(42n),
  // Each type inside of the others.
  [undefined, null, true, 1, "s", 1n, new Uint8Array([1]), [], {}, new Map(), new Set(), new Date(0), /x/g],
  { map: new Map<unknown, unknown>([[{ k: 1 }, new Map([["n", new Set([1n])]])]]), set: new Set([new Map([[1, 2]])]) },
];

const [what, file] = Deno.args;
const kv = await Deno.openKv(file);
if (what === "write") {
  for (let i = 0; i < KEYS.length; i++) await kv.set(KEYS[i], i);
  for (let i = 0; i < VALUES.length; i++) await kv.set(["value", i], VALUES[i]);
} else {
  let n = 0;
  const check = async (key: Deno.KvKey, value: unknown) => {
    const e = await kv.get(key);
    if (e.versionstamp === null) console.log("missing: " + keyText(key));
    const d = difference(value, e.value);
    if (d) console.log(`${keyText(key)}: ${d}`);
    n++;
  };
  for (let i = 0; i < KEYS.length; i++) await check(KEYS[i], i);
  for (let i = 0; i < VALUES.length; i++) await check(["value", i], VALUES[i]);
  // Deno's own order is the one that is written above.
  let last = 20;
  for await (const e of kv.list<number>({ prefix: ["order"] })) {
    if (e.value !== ++last) console.log("order: " + keyText(e.key));
  }
  console.log("ok " + n);
}
kv.close();
