// collections.js -- collections on the page: every shape of a prefix, in SQL too.

import { click, settled } from "./browser.js";
import { assert, rows } from "./check.js";

const chips = (tab) =>
  tab.$$eval(".query .chip", (all) => all.map((chip) => chip.textContent.trim()));

async function openSample(open) {
  const tab = await open();
  await click(tab, "button", "Open the sample");
  await settled(tab);
  return tab;
}

export default {
  async "every shape of a prefix is a collection, the shallowest first, and SQL has them at once"(
    { open },
  ) {
    const tab = await openSample(open);
    await rows(
      tab,
      `CREATE VIRTUAL TABLE users USING kv_collection('["users"]', id INTEGER KEY, name TEXT);
       CREATE VIRTUAL TABLE temp.mine USING kv_collection('["posts"]', n INTEGER KEY, title TEXT);
       INSERT INTO kv_entries(key, js) VALUES ('["select","a"]', '{ x: 1 }'),
        ('["select","a",1]', '2'), ('["we\\"ird",1n]', '{ y: 1 }')`,
    );
    const before = await rows(tab, "SELECT group_concat(name) FROM sqlite_schema");
    await tab.evaluate(() => page.go("collections"));
    await settled(tab);
    assert.deepEqual(await chips(tab), [
      "users",
      "mine",
      "posts",
      "posts_comments",
      "select",
      "select_2",
      "sessions",
      'we"ird',
    ]);
    await click(tab, ".query .chip", "posts");
    await settled(tab);
    assert.match(await tab.$eval(".query .statement", (pre) => pre.textContent), /title TEXT/);
    assert.match(await tab.$eval(".query .status", (p) => p.textContent), /with 1 part after/);
    assert.deepEqual(
      await rows(
        tab,
        `SELECT (SELECT count(*) FROM posts), (SELECT count(*) FROM posts_comments),
          (SELECT name FROM users WHERE id=5), (SELECT x FROM "select"),
          (SELECT value FROM select_2), (SELECT y FROM "we""ird")`,
      ),
      [[30, 43, "Barbara Liskov", 1, 2, 1]],
    );
    assert.deepEqual(await rows(tab, "SELECT group_concat(name) FROM sqlite_schema"), before);
    assert.deepEqual(tab.problems, []);
  },

  async "a collection that wasn't opened is offered where SQL names it, and outlives a restart"(
    { open },
  ) {
    const tab = await openSample(open);
    const run = (sql) =>
      tab.evaluate((sql) => {
        page.views.ask.code.text = sql;
        return page.go("ask").then(() => page.views.ask.run());
      }, sql);
    await run("SELECT * FROM nothing");
    assert.equal(await tab.$(".offer"), null);
    await run("SELECT name FROM Users WHERE key=5");
    assert.match(await tab.$eval(".problem", (p) => p.textContent), /no such table: Users/);
    await click(tab, ".offer button", "Make users and run again");
    await tab.waitForFunction(() =>
      document.querySelector(".result .grid-rows [role=gridcell]")?.textContent === "Barbara Liskov"
    );
    assert.equal(await tab.$(".offer"), null);
    await rows(tab, "UPDATE users SET name='x' WHERE key=5");
    await tab.evaluate(() => page.client.restart());
    assert.deepEqual(await rows(tab, "SELECT name FROM users WHERE key=5"), [["x"]]);
  },
};
