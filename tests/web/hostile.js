// hostile.js -- files that somebody has made to break the page don't.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { root } from "./browser.js";
import { assert, random, rows, sample } from "./check.js";

const VIEWS = ["overview", "entries", "collections", "queue", "indexes", "changes"];

function corpus(name) {
  return readFileSync(join(root, "tests/fuzz/corpus", `${name}.hex`), "utf8").split("\n")
    .filter((line) => /^[0-9a-f]+$/.test(line)).map((line) => Buffer.from(line, "hex"));
}

/** A store whose keys and values are what the fuzzers have found. */
function corpusFile(path) {
  writeFileSync(path, readFileSync(sample));
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode=DELETE; BEGIN");
  const insert = db.prepare(
    "INSERT OR REPLACE INTO kv(k, v, v_encoding, version) VALUES (?, ?, ?, ?)",
  );
  const user = Buffer.from("02757365727300", "hex");
  corpus("value_bytes").forEach((bytes, i) =>
    insert.run(
      Buffer.concat([user, Buffer.from([0x02, 0x61 + i % 26, 0x61 + (i / 26 | 0) % 26, 0])]),
      bytes,
      1 + i % 4,
      i,
    )
  );
  corpus("key_bytes").forEach((bytes, i) =>
    insert.run(bytes, Buffer.from("ff0f4902", "hex"), 1, i)
  );
  const message = db.prepare("INSERT OR REPLACE INTO queue VALUES (?, ?, ?, ?, ?)");
  corpus("value_bytes").slice(0, 200).forEach((bytes, i) =>
    message.run(i, `m${i}`, bytes, "[1,", bytes)
  );
  db.exec("COMMIT");
  db.close();
}

/** Opens bytes as the page does, and looks at all of it; what the page said is handed back. */
async function lookAround(tab, bytes) {
  return await tab.evaluate(
    async (text, views) => {
      const data = () => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      const before = page.info;
      page.unsaved = false;
      await page.open("hostile.db", async () => [{ name: "hostile.db", bytes: data() }], null);
      if (page.info === before) {
        const toast = document.querySelector(".toast.bad");
        const text = toast?.textContent ?? "no message";
        toast?.remove();
        return { opened: false, said: [text] };
      }
      const said = [];
      for (const id of views) {
        await page.go(id);
        document.querySelectorAll(".toast").forEach((toast) => {
          said.push(`${id}: ${toast.textContent}`);
          toast.remove();
        });
      }
      const first = await page.client.request("view", { prefix: "[]", text: "a" }).catch(() =>
        null
      );
      if (first) await page.client.request("page", { id: first.id, page: 0 }).catch(() => null);
      // The worker lives.
      const { results } = await page.client.request("exec", { sql: "SELECT 6*7" });
      return { opened: results[0].rows[0][0] === 42, said };
    },
    bytes.toString("base64"),
    VIEWS,
  );
}

export default {
  async "a store of the fuzzers' keys and values is shown, entry by entry"({ dir, open }) {
    const file = join(dir, "corpus.db");
    corpusFile(file);
    const tab = await open();
    assert.deepEqual(await lookAround(tab, readFileSync(file)), { opened: true, said: [] });
    const { shown, problems } = await tab.evaluate(async () => {
      const { results: [{ rows }] } = await page.client.request("exec", {
        sql: "SELECT key FROM kv_entries('[\"users\"]')",
        limit: 1e6,
      });
      const problems = new Set();
      let shown = 0;
      for (const [key] of rows) {
        try {
          await page.views.entries.detail.show(key);
          shown++;
        } catch (error) {
          problems.add(error.message.slice(0, 80));
        }
      }
      return { shown, problems: [...problems] };
    });
    assert.ok(shown > 100, `${shown} shown`);
    assert.deepEqual(problems.filter((problem) => !problem.startsWith("kv: ")), []);
    assert.deepEqual(tab.problems, []);
  },

  async "damaged files don't break the page"({ open }) {
    const tab = await open();
    const image = readFileSync(sample);
    const pick = random(21);
    const refused = new Set();
    let opened = 0;
    for (let i = 0; i < 60; i++) {
      const bytes = Buffer.from(
        image.subarray(0, i % 5 === 0 ? 512 + pick(image.length) : image.length),
      );
      for (let n = 1 + pick(40); n > 0; n--) {
        bytes[(i % 3 === 0 ? 100 : 0) + pick(i % 2 === 0 ? 4000 : bytes.length - 100)] = pick(256);
      }
      bytes.write("SQLite format 3\0", 0, "latin1");
      const result = await lookAround(tab, bytes);
      if (result.opened) opened++;
      for (const text of result.said) refused.add(text);
    }
    assert.ok(opened > 20, `${opened} opened`);
    assert.deepEqual(
      [...refused].filter((text) =>
        !/malformed|not a database|disk I\/O|unsupported file format/.test(text)
      ),
      [],
    );
    assert.deepEqual(tab.problems, []);
  },

  async "a file that can't be opened leaves the one before, with its changes"({ open }) {
    const tab = await open();
    const drop = (name, bytes) =>
      tab.evaluate(
        (name, text) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(
            new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name),
          );
          document.body.dispatchEvent(
            new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }),
          );
        },
        name,
        bytes.toString("base64"),
      );
    await drop("good.db", readFileSync(sample));
    await tab.waitForFunction(() => page.name === "good.db" && page.view === "overview");
    await rows(tab, `SELECT kv_set('["kept"]', 1)`);
    const bad = Buffer.from(readFileSync(sample).subarray(0, 8192));
    bad.fill(0xff, 100);
    await tab.evaluate(() => page.unsaved = false);
    await drop("bad.db", bad);
    await tab.waitForSelector(".toast.bad");
    assert.equal(await tab.evaluate(() => page.name), "good.db");
    assert.deepEqual(await rows(tab, `SELECT value FROM kv_entries WHERE key='["kept"]'`), [[1]]);
  },

  async "a file whose kv is another program's is said to be one, in every view"({ dir, open }) {
    const file = join(dir, "foreign.db");
    const db = new DatabaseSync(file);
    db.exec("CREATE TABLE kv(key TEXT PRIMARY KEY, value TEXT); INSERT INTO kv VALUES ('a', 'b')");
    db.close();
    const tab = await open();
    await (await tab.$("input[type=file]")).uploadFile(file);
    await tab.waitForFunction(() => page.view === "overview");
    for (const id of VIEWS.filter((id) => id !== "changes")) {
      await tab.evaluate((id) => page.go(id), id);
      assert.match(
        await tab.$eval(".outlet", (outlet) => outlet.textContent),
        /kv of this file is another program's, not Deno KV's: it has other columns\./,
        id,
      );
    }
    assert.ok(await tab.$$eval(".toolbar button", (all) => all.every(({ disabled }) => disabled)));
    assert.equal(await tab.$(".toast"), null);
    assert.deepEqual(await rows(tab, "SELECT value FROM kv"), [["b"]]);
  },

  async "what is no database is refused in words"({ dir, open }) {
    const file = join(dir, "picture.png");
    writeFileSync(file, Buffer.alloc(5000, 0x89));
    const tab = await open();
    await (await tab.$("input[type=file]")).uploadFile(file);
    await tab.waitForSelector(".toast.bad");
    assert.match(
      await tab.$eval(".toast.bad", (toast) => toast.textContent),
      /not a SQLite database/,
    );
  },
};
