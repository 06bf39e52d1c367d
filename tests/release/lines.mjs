// lines.mjs DATABASE SQL -- run the lines by the npm package's load(), as an ES
// module and as CommonJS, and then openKv() on the same database.
import fs from "node:fs";
import { createRequire } from "node:module";
import * as kv from "sqlite-kv";

const [file, sql] = process.argv.slice(2);
if (createRequire(import.meta.url)("sqlite-kv").load !== kv.load) throw new Error("two of them");
const db = process.versions.bun
  ? new (await import("bun:sqlite")).Database(file)
  : new (await import("node:sqlite")).DatabaseSync(file, { allowExtension: true });
kv.load(db);
for (const line of fs.readFileSync(sql, "utf8").trim().split("\n")) {
  for (const row of db.prepare(line).all()) console.log(Object.values(row).join("|"));
}
db.close();
const store = await kv.openKv(file);
const { value } = await store.get(["users", 2]);
if (value.name !== "Bert" || value.n !== 10n) throw new Error("openKv() got another value");
store.close();
