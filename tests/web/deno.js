// deno.js -- keys and values on the page are what the real Deno says they are.

import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { dropFiles } from "./browser.js";
import { assert, deno, sample } from "./check.js";

export default {
  async "a walk through the tree meets every key, and Deno reads each value's text as that value"(
    { dir, open },
  ) {
    const file = join(dir, "walk.db");
    copyFileSync(sample, file);
    const tab = await open();
    await dropFiles(tab, [file]);
    const got = await tab.evaluate(async () => {
      const { client } = page;
      const found = [];
      async function walk(prefix) {
        for (let skip = 0, more = true; more;) {
          const level = await client.request("children", { prefix, skip });
          for (const node of level.rows) {
            if (node.hasValue) {
              const sql = `SELECT key, js, hex(raw),
                hex(kv_raw(kv_value_encode(kv_value(js)), kv_value_encoding(kv_value(js)))),
                versionstamp FROM kv_entries WHERE key=?`;
              const { results: [{ rows }] } = await client.request("exec", {
                sql,
                params: [node.key],
              });
              const shown = await client.request("entry", { key: node.key });
              found.push([...rows[0], shown.js]);
            }
            if (node.hasChildren) await walk(node.key);
          }
          skip += level.rows.length;
          more = level.more;
        }
      }
      await client.request("exec", { sql: "SELECT kv_config('v8_version', 16)" });
      await walk("[]");
      return found;
    });
    const side = join(dir, "walk_side.db");
    const db = new DatabaseSync(side);
    db.exec(
      `CREATE TABLE got(n INTEGER PRIMARY KEY, key TEXT, js TEXT, raw BLOB, again BLOB,
        versionstamp TEXT, cursor TEXT)`,
    );
    const insert = db.prepare("INSERT INTO got VALUES (NULL, ?, ?, ?, ?, ?, NULL)");
    for (const [key, , raw, again, versionstamp, shown] of got) {
      // The text as the page shows it, indented.
      insert.run(key, shown, Buffer.from(raw, "hex"), Buffer.from(again, "hex"), versionstamp);
    }
    db.close();
    deno("check_js.ts", file, side);
    const judged = new DatabaseSync(side);
    assert.deepEqual(judged.prepare("SELECT what, detail FROM problem LIMIT 5").all(), []);
    assert.ok(got.length > 300);
    judged.close();
  },
};
