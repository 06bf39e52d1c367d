// large.js -- a file of 200,000 users, and work that takes long.

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { click, dropFiles, request, settled } from "./browser.js";
import { assert, native, rows } from "./check.js";

const USERS = 200000;

export function largeFile(path) {
  if (existsSync(path)) return path;
  const db = native(path);
  db.exec(`PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<${USERS})
    INSERT INTO kv_entries(key, value) SELECT kv_key('users', i),
      json_object('id', i, 'name', 'User ' || i, 'email', 'user' || i || '@example.com',
        'about', hex(randomblob(230))) FROM n;
    COMMIT; PRAGMA journal_mode=DELETE`);
  db.close();
  return path;
}

/** How long it takes from a file to the first rows of a list of its entries. */
async function firstRows(tab, file) {
  const start = performance.now();
  await dropFiles(tab, [file]);
  await tab.evaluate(() => page.openEntries('["users"]'));
  await tab.waitForFunction(() => document.querySelector(".grid-rows .type"));
  return performance.now() - start;
}

/** Bytes that the browser's process for the page, or its worker, holds. */
function memory(tab) {
  return tab.evaluate(() => page.client.request("memory"));
}

export default {
  async "a file of 200,000 users opens within 2 s, and any of its rows is shown at once"(
    { dir, open },
  ) {
    const file = largeFile(join(dir, "large.db"));
    const size = statSync(file).size;
    assert.ok(size > 100e6 && size < 150e6, `${size}`);
    const tab = await open();
    await tab.evaluate(() => {
      globalThis.stalls = [];
      let last = performance.now();
      const beat = () => {
        const now = performance.now();
        globalThis.stalls.push(now - last);
        last = now;
        requestAnimationFrame(beat);
      };
      requestAnimationFrame(beat);
    });
    let first = Infinity;
    // A busy machine gets three tries.
    for (let i = 0; i < 3 && first > 2000; i++) {
      await tab.evaluate(() => page.views = undefined);
      first = await firstRows(tab, file);
    }
    await settled(tab);
    await tab.waitForFunction((users) => page.views.entries.grid.source.count === users, {
      timeout: 60000,
    }, USERS);
    // Anywhere in the list.
    const places = [];
    for (const row of [199999, 0, 100000, 54321, 123456]) {
      const from = performance.now();
      await tab.evaluate((row) => page.views.entries.grid.choose(row, { open: false }), row);
      await tab.waitForFunction(
        (row) =>
          document.querySelector(`[data-row="${row}"] .key`)?.textContent ===
            `["users",${row + 1}]`,
        {},
        row,
      );
      places.push(performance.now() - from);
    }
    const stall = Math.max(...await tab.evaluate(() => globalThis.stalls));
    const held = await memory(tab);
    const ms = (time) => `${Math.round(time)} ms`;
    console.log(
      `    ${Math.round(size / 1e6)} MB: first rows ${ms(first)}, a far row`,
      [
        ms(Math.max(...places)),
        `longest stall of the page ${ms(stall)}`,
        `memory ${(held / size).toFixed(2)} times the file`,
      ].join(", "),
    );
    assert.ok(first < 2000, `first rows after ${first} ms`);
    assert.ok(held < 3 * size, `${held} bytes for ${size}`);
    // The page draws less than a hundred rows.
    assert.ok(await tab.$$eval(".grid-row", (all) => all.length) < 100);
  },

  async "a search through all values shows progress and can be stopped"({ dir, open }) {
    const file = largeFile(join(dir, "large.db"));
    const tab = await open();
    await dropFiles(tab, [file]);
    await tab.evaluate(() => page.openEntries('["users"]'));
    const search = (text) =>
      tab.evaluate((text) => {
        page.views.entries.textInput.value = text;
        page.views.entries.load();
      }, text);
    const status = (pattern) =>
      tab.waitForFunction(
        (pattern) => new RegExp(pattern).test(document.querySelector(".entries .status").innerText),
        {},
        pattern,
      );
    await search("user777@example");
    await status("^1 entry$");
    await tab.waitForFunction(() =>
      document.querySelector(".grid-rows .key")?.textContent === '["users",777]'
    );
    await search("user");
    await status("entries so far");
    await click(tab, ".entries .status button", "Stop");
    await status("entries, stopped$");
    assert.ok(await tab.evaluate(() => page.views.entries.grid.source.count) < 200000);
    assert.deepEqual(tab.problems, []);
  },

  async "a statement without end shows its time and is stopped, and the changes are still there"(
    { open },
  ) {
    const tab = await open();
    await click(tab, "button", "Open the sample");
    await settled(tab);
    await rows(tab, `SELECT kv_set('["kept"]', 1)`);
    for (
      const sql of [
        // Rows that come one by one, and a single row that never comes.
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n)
         SELECT i FROM n WHERE i%100000=0`,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n",
      ]
    ) {
      await tab.evaluate((sql) => {
        page.go("ask");
        page.views.ask.code.text = sql;
        page.views.ask.run();
      }, sql);
      await tab.waitForFunction(
        () => /working, [1-9]/.test(document.querySelector(".work").textContent),
        { timeout: 30000 },
      );
      await click(tab, ".work button", "Stop");
      await tab.waitForFunction(
        () => /interrupted|stopped/.test(document.querySelector(".results").textContent),
        { timeout: 30000 },
      );
      await settled(tab);
      assert.deepEqual(await rows(tab, `SELECT value FROM kv_entries WHERE key='["kept"]'`), [[1]]);
    }
    assert.equal((await request(tab, "changes", {})).total, 1);
  },
};
