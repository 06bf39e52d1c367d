// make_sample.ts FILE -- write the sample database: what a small web
// application keeps in Deno KV, and one entry of every type under "types".
//
// The content is the same each time; versionstamps, queue ids and the
// moments of expiry are Deno's own and differ.

import { Random } from "./lib.ts";

const [file] = Deno.args;
for (const f of ["", "-wal", "-shm"]) {
  try {
    Deno.removeSync(file + f);
  } catch { /* it was not there */ }
}
const r = new Random(20230423);
const kv = await Deno.openKv(file);

// ------------------------------------------------------------- helpers

const base32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
function ulid(ms: number): string {
  let s = "";
  for (let i = 0; i < 10; i++) {
    s = base32[ms % 32] + s;
    ms = Math.floor(ms / 32);
  }
  for (let i = 0; i < 16; i++) s += base32[r.int(32)];
  return s;
}

const start = Date.UTC(2023, 3, 23, 9, 0, 0);
let clock = start;
const tick = () => new Date(clock += 1000 * (60 + r.int(40000)));

// ---------------------------------------------------------------- users

const names = [
  "Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger Dijkstra",
  "Barbara Liskov", "Donald Knuth", "Frances Allen", "Ken Thompson",
  "Margaret Hamilton", "Dennis Ritchie", "Radia Perlman", "Niklaus Wirth",
  "Katherine Johnson", "John McCarthy", "Adele Goldberg", "Tony Hoare",
  "Sophie Wilson", "Guido van Rossum", "Lynn Conway", "Bjarne Stroustrup",
  "Zoë Müller", "José Núñez", "山田 太郎", "Σοφία Παπά",
];
const colors = ["red", "green", "blue", "yellow", "violet"];
const cities = ["London", "Zürich", "Kyoto", "Athens", "Boston", "Madrid"];

type User = {
  id: number;
  name: string;
  email: string;
  favoriteColor: string;
  address: { city: string; zip: string };
  tags: Set<string>;
  joined: Date;
  credit: bigint;
  score: number;
  admin: boolean;
};
const users: User[] = [];
for (let i = 0; i < names.length; i++) {
  const id = i + 1;
  const ascii = names[i].normalize("NFD").replace(/[^A-Za-z ]/g, "").trim();
  const user: User = {
    id,
    name: names[i],
    email: (ascii.toLowerCase().replace(/ +/g, ".") || "user" + id) +
      "@example.com",
    favoriteColor: r.pick(colors),
    address: { city: r.pick(cities), zip: String(10000 + r.int(90000)) },
    tags: new Set(["member", ...(r.chance(40) ? ["beta"] : [])]),
    joined: tick(),
    credit: BigInt(r.int(1000)) * 10n ** BigInt(r.int(20)),
    score: r.int(1000) / 8,
    admin: i === 2,
  };
  users.push(user);
  await kv.atomic()
    .check({ key: ["users_by_email", user.email], versionstamp: null })
    .set(["users", id], user)
    .set(["users_by_email", user.email], id)
    .set(["users_by_favorite_color", user.favoriteColor, id], null)
    .sum(["counters", "users"], 1n)
    .commit();
}

// ------------------------------------------------- posts and comments

const words = ("key value store order atomic commit check version prefix range " +
  "queue expire index sorted bytes stream cursor batch write read").split(" ");
const sentence = (n: number) => {
  const w = Array.from({ length: n }, () => r.pick(words)).join(" ");
  return w[0].toUpperCase() + w.slice(1) + ".";
};
for (let id = 1; id <= 30; id++) {
  const author = r.pick(users);
  const posted = tick();
  const op = kv.atomic()
    .set(["posts", id], {
      title: sentence(3),
      author: author.id,
      posted,
      body: Array.from({ length: 2 }, () => sentence(8)).join(" "),
      labels: [r.pick(words), r.pick(words)],
      meta: new Map<string, unknown>([["views", r.int(10000)], ["lang", "en"]]),
    })
    .set(["posts_by_author", author.id, id], null)
    .sum(["counters", "posts"], 1n)
    .sum(["counters", "views", id], BigInt(r.int(100000)));
  for (let n = r.int(5); n > 0; n--) {
    const when = tick();
    op.set(["posts", id, "comments", ulid(when.getTime())], {
      by: r.pick(users).id,
      text: sentence(5),
      when,
      ...(r.chance(30) ? { stars: 1 + r.int(5) } : {}),
    });
    op.sum(["counters", "comments"], 1n);
  }
  await op.commit();
}

// ------------------------------------- sessions that expire far ahead

const year2096 = Date.UTC(2096, 0, 1);
for (let i = 0; i < 20; i++) {
  const token = r.bytes(16);
  await kv.set(["sessions", token], {
    user: r.pick(users).id,
    agent: "sample/1.0",
    csrf: r.bytes(8),
  }, { expireIn: year2096 - Date.now() + i * 1000 });
}

// ------------------------------------------------------------- logs

for (let i = 0; i < 60; i++) {
  const when = tick();
  const day = when.toISOString().slice(0, 10).split("-").map(Number);
  await kv.set(
    ["logs", ...day, ulid(when.getTime())],
    `${r.pick(["GET", "POST"])} /posts/${1 + r.int(30)} ${
      r.pick([200, 200, 201, 304, 404])
    }`,
  );
}

// --------------------------------------------------- every key part type

const parts: Deno.KvKeyPart[] = [
  new Uint8Array(), new Uint8Array([0, 1, 255]), "", "a", "a\0b", "é", "日本",
  "😀", -(2n ** 64n), -256n, -1n, 0n, 1n, 255n, 256n, 2n ** 64n, 10n ** 40n,
  -Infinity, -1e300, -1.5, -1, -0, 0, 5e-324, 0.5, 1, 42, 1e21, Infinity, NaN,
  false, true,
];
for (let i = 0; i < parts.length; i++) {
  await kv.set(["parts", parts[i]], i);
  if (i % 8 === 0) await kv.set(["parts", parts[i], "below"], i);
}

// ------------------------------------------------------ every value type

const shared = { name: "shared" };
const circular: Record<string, unknown> = { name: "loop", list: [] };
circular.self = circular;
(circular.list as unknown[]).push(circular, 1);
const buffer = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]).buffer;
const error = (c: ErrorConstructor, message: string, options?: ErrorOptions) => {
  const e = new c(message, options);
  e.stack = `${e.name}: ${message}\n    at main (file:///app/main.ts:1:2)`;
  return e;
};
const ringMap = new Map<unknown, unknown>([["a", 1]]);
ringMap.set(ringMap, ringMap);

const values: Record<string, unknown> = {
  undefined: undefined,
  null: null,
  true: true,
  false: false,
  number: 42,
  "number negative": -42.5,
  "number -0": -0,
  "number NaN": NaN,
  "number Infinity": Infinity,
  "number large": 2 ** 53,
  "number small": 5e-324,
  bigint: 42n,
  "bigint negative": -(2n ** 63n),
  "bigint large": 2n ** 200n,
  string: "hello",
  "string empty": "",
  "string latin1": "café",
  "string utf16": "日本語 😀",
  "string zero": "a\0b",
  "string lone surrogate": "x\ud800y",
  Uint8Array: new Uint8Array([1, 2, 3]),
  "Uint8Array nested": { bytes: new Uint8Array([1, 2, 3]) },
  ArrayBuffer: buffer,
  "ArrayBuffer resizable": (() => {
    const b = new ArrayBuffer(4, { maxByteLength: 16 });
    new Uint8Array(b).set([9, 8, 7, 6]);
    return b;
  })(),
  DataView: new DataView(buffer, 2, 4),
  Int8Array: new Int8Array([-1, 0, 1]),
  Uint8ClampedArray: new Uint8ClampedArray([0, 128, 255]),
  Int16Array: new Int16Array([-32768, 32767]),
  Uint16Array: new Uint16Array([0, 65535]),
  Int32Array: new Int32Array([-(2 ** 31), 2 ** 31 - 1]),
  Uint32Array: new Uint32Array([0, 2 ** 32 - 1]),
  Float16Array: new Float16Array([0.5, -0, NaN]),
  Float32Array: new Float32Array([0.5, Infinity]),
  Float64Array: new Float64Array([0.1, -1e300]),
  BigInt64Array: new BigInt64Array([-1n, 2n ** 62n]),
  BigUint64Array: new BigUint64Array([2n ** 64n - 1n]),
  "views of one buffer": [new Uint8Array(buffer, 0, 4), new Uint16Array(buffer, 4, 2)],
  Array: [1, "two", [3, [4]]],
  "Array sparse": [1, , 3],
  "Array of doubles": [1.5, 2, 3],
  "Array with properties": Object.assign([1, 2], { name: "x" }),
  Object: { a: 1, b: { c: [true, null] } },
  "Object empty": {},
  "Object order": { b: 1, a: 2, 10: 3, 9: 4 },
  "Object keys": { "": 1, "a b": 2, "quote\"": 3, ["__proto__"]: 4, "é": 5 },
  Map: new Map<unknown, unknown>([["a", 1], ["b", 2n]]),
  "Map of any keys": new Map<unknown, unknown>([[1, "one"], [{ k: 1 }, [2]]]),
  Set: new Set([1, "two", 3n]),
  Date: new Date("2023-04-23T10:11:12.345Z"),
  "Date invalid": new Date(NaN),
  "Date far": new Date(-62198755200000),
  RegExp: /^(?<year>\d{4})-(\d\d)$/giu,
  "RegExp slash": /a\/b[/]/,
  Error: error(Error, "it failed"),
  TypeError: error(TypeError as ErrorConstructor, "not a number"),
  "Error with cause": error(RangeError as ErrorConstructor, "outer", {
    cause: error(SyntaxError as ErrorConstructor, "inner"),
  }),
  Boolean: Object(true),
  Number: Object(1.5),
  String: Object("boxed"),
  BigInt: Object(7n),
  "shared reference": [shared, shared],
  circular: circular,
  "circular Map": ringMap,
  "circular Set": (() => {
    const s = new Set<unknown>();
    s.add(s);
    return s;
  })(),
  KvU64: new Deno.KvU64(42n),
  "KvU64 max": new Deno.KvU64(2n ** 64n - 1n),
};
for (const [name, v] of Object.entries(values)) await kv.set(["types", name], v);

// --------------------------------------------------------- the queue

for (let i = 0; i < 5; i++) {
  await kv.enqueue({ mail: users[i].email, subject: sentence(4) }, {
    delay: i * 3600_000,
    keysIfUndelivered: [["failed_mail", users[i].id]],
    ...(i % 2 ? { backoffSchedule: [1000, 5000] } : {}),
  });
}
await kv.set(["settings", "theme"], "dark");
await kv.set(["settings", "motd"], "Welcome");
await kv.delete(["settings", "motd"]);

kv.close();

const { DatabaseSync } = await import("./lib.ts");
const db = new DatabaseSync(file);
db.exec("PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
db.close();
