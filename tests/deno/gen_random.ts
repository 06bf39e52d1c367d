// gen_random.ts FILE SIDE SEED COUNT -- fill the KV file FILE with COUNT
// random keys and values, and list what Deno itself reads there, in Deno's
// order, in the table "expect" of the plain SQLite file SIDE.

import {
  DatabaseSync,
  jsonText,
  keyText,
  Random,
  sqlValue,
  typeName,
} from "./lib.ts";
import { key, value } from "./gen.ts";

const [file, side, seed, count] = Deno.args;
const r = new Random(Number(seed));
const kv = await Deno.openKv(file);
const quirky = new Map<string, string>();
for (let done = 0; done < Number(count);) {
  const op = kv.atomic();
  let bytes = 0;
  for (let i = 0; i < 50 && done < Number(count) && bytes < 200000; i++) {
    const k = key(r);
    const text = keyText(k);
    const kind = r.chance(3) ? "holes" : r.chance(3) ? "slices" : "";
    const v = value(r, {
      holes: kind === "holes",
      slices: kind === "slices",
    });
    quirky.set(text, kind);
    const far = 4e12 + r.u32();
    op.set(k, v, r.chance(10) ? { expireIn: far - Date.now() } : {});
    bytes += 4000;
    done++;
  }
  await op.commit();
}

const db = new DatabaseSync(side);
db.exec(`
  PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;
  CREATE TABLE expect(
    n INTEGER PRIMARY KEY, key TEXT, versionstamp TEXT, type TEXT,
    json TEXT, sqltype TEXT, sqlvalue, quirk TEXT);
  BEGIN`);
const insert = db.prepare(
  "INSERT INTO expect VALUES(NULL,?,?,?,?,?,?,?)",
);
for await (const e of kv.list({ prefix: [] }, { batchSize: 500 })) {
  const [type, sql] = sqlValue(e.value);
  insert.run(
    keyText(e.key),
    e.versionstamp,
    typeName(e.value),
    jsonText(e.value)?.toWellFormed() ?? null,
    type,
    // deno-lint-ignore no-explicit-any
    (typeof sql === "string" ? sql.toWellFormed() : sql) as any,
    quirky.get(keyText(e.key)) ?? "",
  );
}
db.exec("COMMIT");
db.close();
kv.close();
