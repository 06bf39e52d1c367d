// grid.js -- rows copied and sorted.

import { click, settled } from "./browser.js";
import { assert, rows } from "./check.js";

/** The clipboard of a tab is a variable. */
async function openSample(open) {
  const tab = await open();
  await tab.evaluate(() => {
    navigator.clipboard.writeText = (text) => {
      globalThis.copied = text;
      return Promise.resolve();
    };
  });
  await click(tab, "button", "Open the sample");
  await settled(tab);
  return tab;
}

async function copied(tab, within, format) {
  await tab.evaluate(() => delete globalThis.copied);
  await click(tab, `${within} .copy button`, format);
  await tab.waitForFunction(() => globalThis.copied !== undefined);
  return await tab.evaluate(() => globalThis.copied);
}

async function run(tab, sql) {
  await tab.evaluate((sql) => {
    page.views.ask.code.text = sql;
    return page.go("ask").then(() => page.views.ask.run());
  }, sql);
  await settled(tab);
}

const first = (tab, within) =>
  tab.$$eval(
    `${within} .grid-rows .grid-row`,
    (all) => all.slice(0, 3).map((row) => row.querySelector(".grid-cell").textContent),
  );

const ENTRIES = "SELECT key, hex(raw), expires_at FROM kv_entries WHERE type<>'malformed'";

export default {
  async "entries copied as INSERT are the same entries in another store"({ open }) {
    const tab = await openSample(open);
    await tab.evaluate(() => page.go("entries"));
    await settled(tab);
    const sql = await copied(tab, ".entries", "INSERT");
    const wanted = await rows(tab, ENTRIES);
    assert.ok(wanted.length > 300);
    assert.match(await copied(tab, ".entries", "CSV"), /^key,type,js,versionstamp,expires_at\r\n/);
    assert.equal(JSON.parse(await copied(tab, ".entries", "JSON")).length, 391);
    await tab.evaluate(() => page.openEmpty());
    await rows(tab, sql);
    assert.deepEqual(await rows(tab, ENTRIES), wanted);
    // What is listed is copied: a prefix, a text.
    await rows(tab, `INSERT INTO kv_entries(key, value) VALUES ('["x",1]', 'a'), ('["x",2]', 'b')`);
    await tab.evaluate(async () => {
      await page.openEntries('["x"]');
      page.views.entries.textInput.value = "b";
      await page.views.entries.load();
    });
    await settled(tab);
    assert.deepEqual(JSON.parse(await copied(tab, ".entries", "JSON")).map(({ key }) => key), [
      '["x",2]',
    ]);
    assert.deepEqual(tab.problems, []);
  },

  async "a result is copied whole, with the rows that aren't shown yet"({ open }) {
    const tab = await openSample(open);
    const many = (n) =>
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<${n}) SELECT i FROM n`;
    await run(tab, many(3000));
    const csv = await copied(tab, ".result", "CSV");
    assert.equal(csv.split("\r\n").length, 3002);
    // Another statement has ended it: nothing is copied, and that is said.
    await run(tab, many(4000));
    await tab.evaluate(() => delete globalThis.copied);
    await rows(tab, "SELECT 1");
    await click(tab, ".result .copy button", "JSON");
    await tab.waitForSelector(".toast.bad");
    assert.equal(await tab.evaluate(() => globalThis.copied), undefined);
  },

  async "a result is sorted by a column, up, down and back, whether it is here or not"(
    { open },
  ) {
    const tab = await openSample(open);
    const sort = async (name, within = ".result") => {
      await click(tab, `${within} .grid-name`, name);
      await settled(tab);
      return await first(tab, within);
    };
    await run(tab, "SELECT column1 AS x FROM (VALUES (10), (9), (NULL))");
    assert.deepEqual(await first(tab, ".result"), ["10", "9", "NULL"]);
    assert.deepEqual(await sort("x"), ["NULL", "9", "10"]);
    assert.equal(
      await tab.$eval(".result [role=columnheader]", (head) => head.getAttribute("aria-sort")),
      "ascending",
    );
    assert.deepEqual(await sort("x"), ["10", "9", "NULL"]);
    assert.deepEqual(await sort("x"), ["10", "9", "NULL"]);
    await run(
      tab,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<2000)
       SELECT i*7%2001 AS x FROM n; -- to the end`,
    );
    assert.deepEqual(await first(tab, ".result"), ["7", "14", "21"]);
    assert.deepEqual(await sort("x"), ["1", "2", "3"]);
    assert.deepEqual(await sort("x"), ["2000", "1999", "1998"]);
    assert.deepEqual(await sort("x"), ["7", "14", "21"]);
    await tab.evaluate(() => page.openEntries('["users"]'));
    await settled(tab);
    const names = (list) => list.map((key) => JSON.parse(key)[1]);
    assert.deepEqual(names(await sort("Key", ".list-pane")), [1, 2, 3]);
    assert.deepEqual(names(await sort("Key", ".list-pane")), [24, 23, 22]);
    const bySize = await rows(
      tab,
      `SELECT key FROM kv_entries('["users"]') ORDER BY length(raw), key LIMIT 3`,
    );
    await sort("Size", ".list-pane");
    assert.deepEqual(await first(tab, ".list-pane"), bySize.flat());
    assert.deepEqual(tab.problems, []);
  },
};
