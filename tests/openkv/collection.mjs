// collection.mjs -- kv.collection(): rows as objects.
import { dir, fails, finish, openKv, same } from "./lib.mjs";

const kv = await openKv(`${dir}/collection.db`);
const columns = {
  id: "INTEGER KEY", name: "TEXT NOT NULL", email: "TEXT UNIQUE", born: "DATETIME", admin: "BOOLEAN DEFAULT FALSE", size: "BIGINT", photo: "BLOB",
  tags: "JSON", any: "", city: "TEXT AT '$.address.city'", first: `AT '$."a list"[0]'`, last: `AT '$."a list"[#-1]'`, mapped: "AT '$.map.key'",
};
const users = await kv.collection(["users"], columns);
const missing = { email: null, born: null, admin: false, size: null, photo: null, tags: null, any: null, city: null, first: null, last: null, mapped: null };

// What is inserted is stored with its types, and selected as it was.
const born = new Date("1815-12-10"), any = new Map([[new Date(1), 1n]]);
const ada = { name: "Ada", email: "a@x", born, admin: true, size: 2n ** 70n, photo: new Uint8Array([1]), tags: ["a", { b: null }], any, city: "London" };
same("a generated key", await users.insert(ada), { id: 1 });
same("the entry", (await kv.get(["users", 1])).value,
  { name: "Ada", email: "a@x", born, admin: true, size: 2n ** 70n, photo: new Uint8Array([1]), tags: ["a", { b: null }], any, address: { city: "London" } });
same("the row", await users.get(1), { ...missing, ...ada, id: 1 });
await kv.set(["users", 7], { name: "Bob", size: 5n, "a list": [new Set([1]), 2], map: new Map([["key", /a/]]), more: 1 });
const bob = { ...missing, id: 7, name: "Bob", admin: null, size: 5n, first: new Set([1]), last: 2, mapped: /a/ };
same("what others have stored", await users.get(7), bob);
same("a given key", await users.insert({ id: 3, name: "Carl", any: null, city: undefined }), { id: 3 });
same("the largest and one", await users.insert({ name: "Dora" }), { id: 8 });

const at = new Date(1e12), names = (rows) => rows.map(({ name }) => name);
same("all", names(await users.select()), ["Ada", "Carl", "Bob", "Dora"]);
same("conditions", await users.select`WHERE size < ${100n} AND name IN (${"Bob"}, ${"Ada"})`, [bob]);
same("a Date", names(await users.select`WHERE born < ${at} ORDER BY id`), ["Ada"]);
same("an order", names(await users.select`ORDER BY name DESC LIMIT ${2}`), ["Dora", "Carl"]);
same("the table in SQL", await kv.sql`SELECT max(id) AS n FROM users WHERE admin = ${false}`, [{ n: 8 }]);

same("an update", await users.update({ id: 7, name: "Rob", tags: "text", any: new Date(5), city: "Rome", born: at, admin: true }), true);
const rob = { ...bob, name: "Rob", tags: "text", any: new Date(5), city: "Rome", born: at, admin: true };
same("is seen", await users.get(7), rob);
same("what has no column stays", (await kv.get(["users", 7])).value.more, 1);
same("of null", [await users.update({ id: 7, tags: null, any: null, last: 3 }), await users.get(7)], [true, { ...rob, tags: null, any: null, last: 3 }]);
same("of nothing", [await users.update({ id: 99, name: "x" }), await users.get(99), await users.delete(99)], [false, null, false]);
same("a deletion", [await users.delete(8), await users.get(8)], [true, null]);

// Keys of several parts, of each type, and generated ones.
const parts = await kv.collection(["parts", 1], { a: "TEXT KEY", b: "BIGINT KEY", c: "BOOLEAN KEY", d: "BLOB KEY", e: "REAL KEY", v: "AT '$'" }, { name: "parts" });
const key = { a: "x", b: 5n, c: true, d: new Uint8Array([9]), e: 0.5 };
same("a key of parts", await parts.insert({ ...key, v: new Set([1]) }), key);
same("its entry", (await kv.get(["parts", 1, ...Object.values(key)])).value, new Set([1]));
same("its row", await parts.get(...Object.values(key)), { ...key, v: new Set([1]) });
same("updated", [await parts.update({ ...key, v: [2n] }), await parts.select()], [true, [{ ...key, v: [2n] }]]);
const notes = await kv.collection(["notes"], { id: "TEXT KEY DEFAULT ulid", kind: "TEXT KEY DEFAULT 'plain one'", note: "TEXT NOT NULL DEFAULT 'none'" });
const note = await notes.insert({});
same("generated parts", [/^[0-9A-Z]{26}$/.test(note.id), note.kind, await notes.get(note.id, note.kind)], [true, "plain one", { ...note, note: "none" }]);
const all = await kv.collection(["notes"], { note: "TEXT" }, { name: "all notes" });
same("without KEY columns", await all.select(), [{ note: "none" }]);
const ids = await kv.collection(["ids"], { id: "INTEGER PRIMARY KEY" });
same("nothing but a generated key", [await ids.insert({}), await ids.insert({}), await ids.select()], [{ id: 1 }, { id: 2 }, [{ id: 1 }, { id: 2 }]]);

// In a transaction the same declaration is the same table.
await fails("as it should", () => kv.transaction(async (tx) => {
  await (await tx.collection(["users"], columns)).update({ id: 1, name: "Eve" });
  throw new RangeError("undone");
}), "RangeError", "undone");
same("undone", (await users.get(1)).name, "Ada");
await kv.transaction(async (tx) => void await (await tx.collection(["new"], { id: "INTEGER KEY", v: "INTEGER" })).insert({ v: 1 }));
same("done", (await kv.get(["new", 1])).value, { v: 1 });

const declared = (name, sql) => `kv: there is a table temp.${name} with another declaration: ${sql}; name this one with the option name`;
for (const [what, f, message] of [
  ["another declaration", () => kv.collection(["ids"], { id: "TEXT KEY" }), declared("ids", `CREATE VIRTUAL TABLE "ids" USING kv_collection('["ids"]', "id" INTEGER PRIMARY KEY)`)],
  ["another table", async () => (await kv.sql`CREATE TABLE own(a)`, await kv.collection(["x", "own"], { a: "KEY" })), "kv: the database has a table own of its own; name this one with the option name"],
  ["no name", () => kv.collection(["x", 1], { a: "KEY" }), "kv: a prefix that doesn't end with a string needs the option name"],
  ["a declaration that isn't right", () => kv.collection(["y"], { a: "KEY AT 'x'" }), "kv: kv_collection(): column a: a KEY column is a key part and has no path"],
  ["no column", () => users.insert({ name: "x", nick: "y" }), 'kv: temp."users" has no column nick'],
  ["a value twice", () => users.insert({ name: "x", email: "a@x" }), "UNIQUE constraint failed: users.email"],
  ["a missing value", () => users.insert({ email: "b@x" }), "NOT NULL constraint failed: users.name"],
  ["another type", () => users.insert({ name: "x", born: "soon" }), "kv: users.born: the TEXT value is not a date; write '2024-05-01 10:00:00', ISO-8601 or ms since 1970"],
  ["no JSON", () => users.insert({ name: "x", tags: new Map() }), "kv: users.tags: the TEXT value is not JSON; json_quote() makes a JSON string of it"],
  ["no key", () => users.get(), 'kv: the key of a row of temp."users" is id'],
  ["too little of a key", () => parts.delete("x"), 'kv: the key of a row of temp."parts" is a, b, c, d, e'],
  ["a part that is null", () => users.update({ id: null, name: "x" }), 'kv: the key of a row of temp."users" is id'],
  ["nothing to update", () => users.update({ id: 1 }), "kv: update() needs a column that isn't a KEY"],
  ["rows without KEY columns", () => all.get("x"), "kv: a collection without KEY columns is read by select(), and written by kv.set() and kv.delete()"],
]) await fails(what, f, "TypeError", message);
same("nothing is written", (await users.select()).length, 3);
kv.close();
finish();
