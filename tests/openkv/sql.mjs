// sql.mjs -- kv.sql: what each kind of value is in each place of a statement.
import { Buffer } from "node:buffer";
import { fails, finish, KvU64, openKv, same } from "./lib.mjs";

const kv = await openKv();
const date = new Date("2020-01-02T03:04:05.678Z"), iso = date.toISOString();
const shown = async (v) => (await kv.sql`SELECT ${v} AS x`)[0].x;

// What SQL shows.
const SHOWN = [
  ["text", "text"], ["", ""], [5, 5], [-1.5, -1.5], [2 ** 53 - 1, 2 ** 53 - 1], [null, null], [undefined, null], [true, 1], [false, 0],
  [5n, 5], [2n ** 62n, 2n ** 62n], [2n ** 70n, String(2n ** 70n)], [date, iso], [new Date(NaN), null], [{ a: [1, "x"] }, '{"a":[1,"x"]}'],
  [new Map([["a", 1n]]), '{"a":1}'], [new Set([1]), "[1]"], [/a/g, "/a/g"], [["users", 1n], '["users",1n]'], [new KvU64(7n), 7],
];
for (const [v, expected] of SHOWN) same("a value in SQL", await shown(v), expected);
same("bytes", [...await shown(new Uint8Array([1, 2]))], [1, 2]);
same("a Buffer", [...await shown(Buffer.from("ab"))], [97, 98]);
await fails("a function", () => shown(() => 1), "TypeError", "() => 1 could not be cloned.");

// What is stored keeps its type, however it is written.
const typed = [date, true, false, 5n, 2n ** 70n, [1, [date]], { a: new Set([1n]) }, new Map([[1, 2]]), new KvU64(7n), /a/g, "text", 5, -1.5, null, new Uint8Array([1])];
const ways = {
  "VALUES": (v) => kv.sql`INSERT INTO kv_entries(key, value) VALUES (${["a"]}, ${v})`,
  "REPLACE": (v) => kv.sql`REPLACE INTO main.kv_entries(key, value) VALUES (${["other"]}, 1), (${["a"]}, ${v})`,
  "WITH and SELECT": (v) => kv.sql`WITH k(x) AS (SELECT ${["a"]}) INSERT INTO kv_entries(key, value) SELECT x, ${v} FROM k`,
  "SELECT": (v) => kv.sql`insert into "kv_entries"(key, value) /* ( */ select ${["a"]}, -- )
    ${v}`,
  "ON CONFLICT": (v) => kv.sql`INSERT INTO kv_atomic(op, key, value) VALUES ('set', ${["a"]}, ${v});`,
  "UPDATE": async (v) => {
    await kv.set(["a"], "old");
    await kv.sql`UPDATE OR ABORT kv_entries SET expires_at = ${null}, value = ${v} WHERE key = ${["a"]}`;
  },
  "kv_set()": (v) => kv.sql`SELECT kv_set(${["a"]}, ${v})`,
  "kv_atomic()": (v) => kv.sql`SELECT kv_atomic(kv_op('set', ${["a"]}, ${v})) ; -- one operation`,
};
for (const [way, write] of Object.entries(ways)) {
  for (const v of typed) {
    await kv.delete(["a"]);
    await write(v);
    same(`by ${way}`, (await kv.get(["a"])).value, v);
  }
}
await kv.sql`SELECT kv_enqueue(${date}, ${1000000})`;
await kv.sql`INSERT INTO kv_queue(value, delay) VALUES (${true}, 1000000)`;
same("messages", (await kv.sql`SELECT js FROM kv_queue ORDER BY js`).map((m) => m.js), [`new Date("${iso}")`, "true"]);
await kv.set(["v"], { at: date, list: [1] });
await kv.sql`UPDATE kv_entries SET raw = kv_value_set(raw, '$.at', ${new Date(0)}, '$.b', ${true}) WHERE key = ${["v"]}`;
same("a part of a value", (await kv.get(["v"])).value, { at: new Date(0), list: [1], b: true });
same("kv_value()", (await kv.sql`SELECT kv_value(${{ a: new Set([1n]) }}) AS x`)[0].x, '{"a":new Set([1n])}');

// Compared, it is what is shown.
await kv.set(["d"], date);
same("a Date", (await kv.sql`SELECT key FROM kv_entries WHERE value = ${date} AND key = ${["d"]}`).length, 1);
same("a Date in a list", (await kv.sql`SELECT key FROM kv_entries WHERE value IN (${-1}, ${date})`).length, 1);
await kv.sql`CREATE VIRTUAL TABLE t USING kv_collection('["t"]', id KEY, at DATETIME, ok BOOLEAN, list JSON)`;
await kv.sql`INSERT INTO t(id, at, ok) VALUES (${1}, ${date}, ${true}), (${2}, ${new Date(0)}, ${false})`;
same("in a collection", await kv.sql`SELECT id, at, ok FROM t WHERE at >= ${date} AND ok = ${true}`, 
  [{ id: 1, at: "2020-01-02 03:04:05.678000", ok: 1 }]);
same("whose values have their types", (await kv.get(["t", 1])).value, { at: date, ok: true });
await kv.sql`UPDATE t SET at = ${new Date(1)}, ok = ${false}, list = ${[1, [true]]} WHERE at = ${date}`;
same("updated, too", (await kv.get(["t", 1])).value, { at: new Date(1), ok: false, list: [1, [true]] });

await kv.sql`CREATE VIRTUAL TABLE u USING kv_collection('["u"]', id KEY, big BIGINT, at TEXT, ok INTEGER, list JSON, any, kv)`;
const row = [5n, date, true, { a: [1] }, date];
await kv.sql`INSERT INTO temp.u(kv) VALUES (1)`.catch(() => {});
await kv.sql`INSERT INTO u(any, "id", [list], ok, at, big) VALUES (${row[4]}, ${1}, ${row[3]}, ${row[2]}, ${row[1]}, ${row[0]})`;
await kv.sql`INSERT INTO main.u AS x SELECT ${2}, ${row[0]}, ${row[1]}, ${row[2]}, ${row[3]}, ${row[4]}, NULL`;
await kv.sql`WITH w(a) AS (SELECT 1) INSERT INTO u VALUES (${3}, ${row[0]}, ${row[1]}, ${row[2]}, ${row[3]}, ${row[4]}, ${null})`;
for (const id of [1, 2, 3]) {
  same("inserted, a column makes its type of it", (await kv.get(["u", id])).value, { big: 5n, at: iso, ok: 1, list: { a: [1] }, any: date });
}
await kv.sql`INSERT INTO u(id, kv_js) VALUES (${4}, ${{ big: 1n, s: new Set([1]) }})`;
same("of a whole value", (await kv.get(["u", 4])).value, { big: 1n, s: new Set([1]) });
await kv.sql`UPDATE kv_entries SET js = ${new Set([2])} WHERE key = ${["u", 4]}`;
same("and another", (await kv.get(["u", 4])).value, new Set([2]));

// An ordinary table has no other types than SQL's.
await kv.sql`CREATE TABLE plain(a, b, c)`;
await kv.sql`INSERT INTO plain VALUES (${date}, ${{ a: 1 }}, ${true})`;
await kv.sql`UPDATE temp.nowhere SET a = 1`.catch(() => {});
same("an ordinary table", await kv.sql`SELECT * FROM plain`, [{ a: iso, b: '{"a":1}', c: 1 }]);

// One statement.
const second = (token) => `kv: kv.sql runs one statement: there is another after the first ";": ${token}`;
await fails("two", () => kv.sql`SELECT 1; SELECT 2`, "TypeError", second("SELECT"));
await fails("and a write", () => kv.sql`INSERT INTO plain VALUES (${1}, 2, 3); DELETE FROM plain`, "TypeError", second("DELETE"));
same("nothing is done", (await kv.sql`SELECT count(*) AS n FROM plain`)[0].n, 1);
same("semicolons in strings, and at the end", (await kv.sql`SELECT ';' AS ";", 1 AS [x;] /* ; */ ;; -- ; SELECT 2`)[0][";"], ";");
await kv.sql`CREATE TEMP TRIGGER r AFTER INSERT ON plain BEGIN SELECT CASE WHEN 1 THEN 2 END; DELETE FROM plain; END;`;
await fails("after a trigger", () => kv.sql`CREATE TRIGGER s AFTER INSERT ON plain BEGIN SELECT 1; END; SELECT 3`, "TypeError", second("SELECT"));
await fails("a value in a string", () => kv.sql`SELECT '${1}'`, "TypeError", "kv: a value of kv.sql is inside a string, a name or a comment");
same("a string that is longer than it seems", (await kv.sql`SELECT 'it''s; "' || ${"x"} AS x`)[0].x, "it's; \"x");

const big = await kv.sql`SELECT key, 9007199254740993 AS big, x'0102' AS bytes FROM kv_entries WHERE key = ${["d"]}`;
same("rows", [big[0].key, big[0].big, [...big[0].bytes]], ['["d"]', 9007199254740993n, [1, 2]]);
kv.close();
finish();
