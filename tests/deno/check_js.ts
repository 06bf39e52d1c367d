// check_js.ts FILE SIDE -- judge what the extension said of the KV file FILE.
//
// SIDE is a plain SQLite file with the extension's rows, in its order:
//
//   got(n INTEGER PRIMARY KEY, key TEXT, js TEXT, raw BLOB,
//       again BLOB,             -- v_encoding and bytes of the encoded js
//       versionstamp TEXT, cursor TEXT)
//
// They are compared with kv.list(); the table problem(n, what, detail)
// receives what is wrong, exception(n, what) where "again" is not the stored
// bytes though it is the same value.

import { DatabaseSync, difference, evalJs, keyText } from "./lib.ts";
import { explain } from "./v8tokens.ts";

const [file, side] = Deno.args;
const kv = await Deno.openKv(file);
const db = new DatabaseSync(side);
db.exec(`
  PRAGMA synchronous=OFF;
  DROP TABLE IF EXISTS problem; DROP TABLE IF EXISTS exception;
  CREATE TABLE problem(n INTEGER, what TEXT, detail TEXT);
  CREATE TABLE exception(n INTEGER, what TEXT);
  BEGIN`);
const addProblem = db.prepare("INSERT INTO problem VALUES(?,?,?)");
const addException = db.prepare("INSERT INTO exception VALUES(?,?)");
const rows = db.prepare("SELECT * FROM got ORDER BY n").all() as {
  n: number;
  key: string;
  js: string;
  raw: Uint8Array;
  again: Uint8Array | null;
  versionstamp: string;
  cursor: string | null;
}[];

const hex = (a: Uint8Array) => a.toHex();
let i = 0;
const list = kv.list({ prefix: [] }, { batchSize: 500 });
for await (const e of list) {
  const g = rows[i++];
  if (!g) {
    addProblem.run(0, "missing", keyText(e.key));
    continue;
  }
  const problem = (what: string, detail: string) =>
    addProblem.run(g.n, what, detail.toWellFormed());
  if (g.key !== keyText(e.key)) problem("key", `${g.key} / ${keyText(e.key)}`);
  if (g.versionstamp !== e.versionstamp) {
    problem("versionstamp", `${g.versionstamp} / ${e.versionstamp}`);
  }
  if (g.cursor !== null && g.cursor !== list.cursor) {
    problem("cursor", `${g.cursor} / ${list.cursor}`);
  }
  try {
    const d = difference(e.value, evalJs(g.js));
    if (d) problem("js", `${d} in ${g.js}`);
  } catch (x) {
    problem("js throws", `${x} in ${g.js}`);
  }
  if (g.again === null) problem("encode", g.js);
  else if (hex(g.raw) !== hex(g.again)) {
    const why = g.raw[0] === 1 && g.again[0] === 1
      ? explain(g.raw.subarray(1), g.again.subarray(1))
      : null;
    if (why === null || why === "alignment") {
      problem("bytes", `${hex(g.raw)} / ${hex(g.again)} of ${g.js}`);
    } else addException.run(g.n, why);
  }
}
if (i < rows.length) addProblem.run(rows[i].n, "extra", rows[i].key);
db.exec("COMMIT");
db.close();
kv.close();
