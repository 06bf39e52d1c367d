// docs.js -- the SQL of the README and the manual prints on the page what it
// prints in the shell.

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./browser.js";
import { assert } from "./check.js";

/** The statements of a script; a trigger ends with its END. */
export function statements(script) {
  const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--.*|\/\*[^]*?\*\/|;/g;
  const all = [];
  let from = 0;
  for (const { 0: text, index } of script.matchAll(token)) {
    if (text !== ";") continue;
    const piece = script.slice(from, index + 1);
    const bare = piece.replace(/--.*/g, "").trim();
    if (/^CREATE\s+(TEMP\s+|TEMPORARY\s+)?TRIGGER/i.test(bare) && !/\bEND\s*;$/i.test(bare)) {
      continue;
    }
    all.push(piece);
    from = index + 1;
  }
  return all;
}

/** A result as the shell prints it in its list mode. */
function printed(result) {
  if (result.error) return [`Error: ${result.error}`];
  if (result.plan) return ["QUERY PLAN", `\`--${result.rows[0][3]}`];
  return result.rows.map((row) => row.join("|"));
}

/** Runs statements on the page, and hands back their results with all values as text. */
function run(tab, pieces) {
  return tab.evaluate(async (pieces) => {
    const decoder = new TextDecoder();
    const text = (x) =>
      x === null ? "" : x instanceof Uint8Array ? decoder.decode(x) : String(x.real ?? x);
    const all = [];
    for (const sql of pieces) {
      const { results } = await page.client.change("exec", { sql, limit: 100000 });
      for (const { rows, ...result } of results) {
        all.push({
          ...result,
          rows: rows?.map((row) => row.map(text)),
        });
      }
    }
    return all;
  }, pieces);
}

export default {
  async "every block of the texts prints on the page what it prints in the shell"({ dir, open }) {
    const out = join(dir, "docs");
    mkdirSync(out);
    const texts = execFileSync("sh", [
      "-c",
      `awk -v dir=${out} -f tests/readme_sql.awk README.md sql/manual/*.md`,
    ], {
      cwd: root,
      encoding: "utf8",
    });
    const list = texts.trim().split("\n").map((line) => line.split(" "));
    assert.ok(list.length > 15);
    const tab = await open();
    for (const [n, kind, name] of list) {
      await tab.evaluate((kind) => {
        page.unsaved = false;
        return kind === "sample" ? page.openSample() : page.openEmpty();
      }, kind);
      // The shell trusts the schema of its files.
      await run(tab, ["PRAGMA trusted_schema=on"]);
      const got = (await run(tab, statements(readFileSync(join(out, `${n}.sql`), "utf8")))).flatMap(
        printed,
      );
      // Files in memory aren't mapped.
      const want = readFileSync(join(out, `${n}.txt`), "utf8").replace(/\n$/, "").replace(
        /^268435456$/m,
        "0",
      );
      assert.equal(got.join("\n"), want, `${name}, database ${n}`);
    }
    assert.deepEqual(tab.problems, []);
  },
};
