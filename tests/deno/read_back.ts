// read_back.ts FILE SIDE -- does Deno read what was written to FILE?
//
// SIDE is a plain SQLite file: want(n INTEGER PRIMARY KEY, key TEXT, js TEXT),
// the entries in key order, both as JavaScript.  The table problem(n, what,
// detail) receives what is wrong.
//
// read_back.ts FILE SIDE OTHER -- the same, but the entries that are wanted
// are those of the KV file OTHER.

import { DatabaseSync, difference, evalJs, keyText } from "./lib.ts";

const [file, side, other] = Deno.args;
const db = new DatabaseSync(side);
db.exec(`
  PRAGMA synchronous=OFF;
  DROP TABLE IF EXISTS problem;
  CREATE TABLE problem(n INTEGER, what TEXT, detail TEXT);
  BEGIN`);
const addProblem = db.prepare("INSERT INTO problem VALUES(?,?,?)");
const problem = (n: number, what: string, detail: string) =>
  addProblem.run(n, what, detail.toWellFormed());

type Want = { n: number; key: string; value: () => unknown };

const wanted: Want[] = [];
if (other) {
  const kv = await Deno.openKv(other);
  let n = 0;
  for await (const e of kv.list({ prefix: [] }, { batchSize: 500 })) {
    wanted.push({ n: ++n, key: keyText(e.key), value: () => e.value });
  }
  kv.close();
} else {
  // What Deno makes of the values itself when it stores them.
  const kv = await Deno.openKv(":memory:");
  for (const w of db.prepare("SELECT * FROM want ORDER BY n").all()) {
    const { n, key, js } = w as { n: number; key: string; js: string };
    await kv.set(["v"], evalJs(js));
    const { value } = await kv.get(["v"]);
    wanted.push({ n, key: keyText((0, eval)(key)), value: () => value });
  }
  kv.close();
}

const kv = await Deno.openKv(file);
let i = 0;
for await (const e of kv.list({ prefix: [] }, { batchSize: 500 })) {
  const w = wanted[i++];
  if (!w) {
    problem(0, "extra", keyText(e.key));
    continue;
  }
  if (w.key !== keyText(e.key)) {
    problem(w.n, "key", `${w.key} / ${keyText(e.key)}`);
  }
  const d = difference(w.value(), e.value);
  if (d) problem(w.n, "value", d);
}
if (i < wanted.length) problem(wanted[i].n, "missing", wanted[i].key);
db.exec("COMMIT");
db.close();
kv.close();
