// history.js -- what entries were, on the page: the versions of one, and what was deleted.

import { click, request, settled } from "./browser.js";
import { assert, rows } from "./check.js";

const texts = (tab, selector) =>
  tab.$$eval(selector, (all) => all.map((one) => one.textContent.replace(/\d{4}-[\d :.-]*Z/, "")));

async function show(tab, key) {
  await tab.evaluate(
    (key) => page.go("entries").then(() => page.views.entries.detail.show(key)),
    key,
  );
  await settled(tab);
}

export default {
  async "an entry shows its versions, and Restore brings one back with its type and expiry"(
    { open },
  ) {
    const tab = await open();
    await click(tab, "button", "Start empty");
    await settled(tab);
    await rows(
      tab,
      `SELECT kv_history('["u"]', 1000000);
       INSERT INTO kv_entries(key, js, expire_in) VALUES ('["u",1]', '42n', 60000000);
       UPDATE kv_entries SET js = '"<b>two</b>"', expires_at = NULL WHERE key = '["u",1]';
       DELETE FROM kv_entries;
       INSERT INTO kv_entries(key, value) VALUES ('["u",1]', 'three'), ('["v",1]', 'x')`,
    );
    await show(tab, '["u",1]');
    assert.equal(await tab.$eval(".detail summary", (one) => one.textContent), "4 versions");
    await tab.click(".detail summary");
    assert.deepEqual(await texts(tab, ".detail .change"), [
      'nowstring"three"',
      "gone",
      'wasRestorestring"<b>two</b>"',
      "wasRestorebigint42n",
    ]);
    await tab.$$eval(".detail .change button", (all) => all.at(-1).click());
    await settled(tab);
    assert.deepEqual(
      await rows(
        tab,
        `SELECT js, expires_at > kv_now() + 50000000 FROM kv_entries WHERE key = '["u",1]'`,
      ),
      [["42n", 1]],
    );
    // The page shows it, and it can be undone in the same way.
    assert.equal((await texts(tab, ".detail .change"))[1], 'wasRestorestring"three"');
    await show(tab, '["v",1]');
    assert.ok(await tab.$eval(".detail .collected", (one) => one.hidden));
    assert.deepEqual(tab.problems, []);
  },

  async "the list and an entry are shown as of a versionstamp or a time, and Restore goes back"(
    { open },
  ) {
    const tab = await open();
    await click(tab, "button", "Start empty");
    await settled(tab);
    await rows(
      tab,
      `SELECT kv_history('["u"]', 1000000);
       INSERT INTO kv_entries(key, value) VALUES ('["u",1]', 'one'), ('["u",2]', 'two'), ('["v"]', 'x')`,
    );
    const [[then]] = await rows(tab, "SELECT kv_versionstamp()");
    await rows(
      tab,
      `UPDATE kv_entries SET value = 'all' WHERE prefix = '["u"]';
       DELETE FROM kv_entries WHERE key = '["u",2]';
       INSERT INTO kv_entries(key, value) VALUES ('["u",3]', 'three')`,
    );
    await tab.evaluate(() => page.openEntries('["u"]'));
    const asOf = async (text) => {
      await tab.evaluate((text) => {
        const { asOfInput } = page.views.entries;
        asOfInput.value = text;
        asOfInput.dispatchEvent(new Event("input"));
      }, text);
      await new Promise((resolve) => setTimeout(resolve, 350));
      await settled(tab);
    };
    const listed = () =>
      tab.$$eval(
        ".list-pane .grid-row:not(.grid-head)",
        (all) => all.map((row) => [row.children[0].textContent, row.children[2].textContent]),
      );
    const offered = () =>
      tab.$$eval(
        ".toolbar .actions button",
        (all) => all.filter((one) => one.checkVisibility()).map((one) => one.textContent),
      );
    const present = ["Add", "Rename", "Delete", "NDJSON", "Deleted"];
    const now = [['["u",1]', '"all"'], ['["u",3]', '"three"']];
    const before = [['["u",1]', '"one"'], ['["u",2]', '"two"']];
    assert.deepEqual(await listed(), now);
    assert.deepEqual(await offered(), present);
    await asOf(then);
    assert.deepEqual(await listed(), before);
    assert.equal(await tab.$eval(".entries .status", (one) => one.innerText), "2 entries, as they were");
    assert.deepEqual(await offered(), ["Deleted", "Restore"]);
    // One that is no more, and can't be edited.
    await tab.evaluate(() => page.views.entries.grid.choose(1));
    await settled(tab);
    assert.equal(await tab.$eval(".detail h2", (one) => one.textContent), '["u",2]');
    assert.ok(await tab.$$eval(".detail footer button", (all) => all.every((one) => one.hidden)));
    // A text in them, and an order.
    await tab.evaluate(() => {
      page.views.entries.textInput.value = "tw";
      return page.views.entries.load();
    });
    await settled(tab);
    assert.deepEqual(await listed(), before.slice(1));
    // Times that have no answer are said to have none; those that come are now.
    await tab.evaluate(() => page.views.entries.textInput.value = "");
    for (const text of ["2001-01-01", "yesterday"]) {
      await asOf(text);
      assert.equal(
        await tab.$eval(".as-of input", (one) => one.getAttribute("aria-invalid")),
        "true",
      );
      assert.match(
        await tab.$eval(".list-pane .grid", (one) => one.innerText),
        text === "yesterday" ? /Must be a versionstamp, a date/ : /The history begins/,
      );
      // All of it can be read, however narrow the window is.
      await tab.setViewport({ width: 320, height: 640 });
      const cut = await tab.$eval(".grid-empty", (one) => {
        const { right } = one.getBoundingClientRect();
        const space = one.closest(".grid").getBoundingClientRect();
        return one.closest(".grid-space").offsetHeight < one.offsetHeight || right > space.right;
      });
      assert.ok(!cut);
      await tab.setViewport({ width: 1280, height: 800 });
    }
    await asOf("2999-01-01 12:00Z");
    assert.deepEqual(await listed(), now);
    await asOf(then);
    await click(tab, ".toolbar button", "Restore");
    await tab.waitForFunction(() =>
      document.querySelector("dialog .quiet").textContent === "3 entries will become what they were."
    );
    await click(tab, "dialog button", "Restore");
    await tab.waitForFunction(() => !document.querySelector("dialog"));
    await settled(tab);
    assert.deepEqual(await listed(), before);
    assert.deepEqual(await offered(), present);
    assert.equal(await tab.$eval(".as-of input", (one) => one.value), "");
    assert.deepEqual(
      await rows(tab, "SELECT key, value FROM kv_entries"),
      [['["u",1]', "one"], ['["u",2]', "two"], ['["v"]', "x"]],
    );
    assert.deepEqual(tab.problems, []);
  },

  async "what was deleted below a prefix is listed and comes back by Undo"({ open }) {
    const tab = await open();
    await click(tab, "button", "Open the sample");
    await settled(tab);
    await tab.evaluate(() => page.go("entries"));
    await settled(tab);
    const offered = () =>
      tab.$$eval(".toolbar button", (all) =>
        all.some((one) => one.textContent === "Deleted" && one.checkVisibility())
      );
    assert.ok(!await offered());
    await rows(
      tab,
      `SELECT kv_history('["users"]', 1000000);
       DELETE FROM kv_entries WHERE prefix = '["users"]'`,
    );
    await settled(tab);
    assert.ok(await offered());
    await tab.evaluate(() => page.openEntries('["users"]'));
    await settled(tab);
    await click(tab, ".toolbar button", "Deleted");
    await tab.waitForSelector("dialog .change");
    const listed = await texts(tab, "dialog .change header .key");
    assert.equal(listed.length, 24);
    await click(tab, "dialog .change button", "Undo");
    await settled(tab);
    assert.equal((await texts(tab, "dialog .change")).length, 23);
    assert.deepEqual(await rows(tab, `SELECT key FROM kv_entries('["users"]')`), [[listed[0]]]);
    assert.equal((await request(tab, "deleted", { prefix: '["users"]' })).rows.length, 23);
    await click(tab, "dialog button", "Close");
    // Undone from the changes to the file, nothing is left of it.
    assert.equal((await request(tab, "changes", {})).total, 23);
    assert.equal(await request(tab, "deleted", { prefix: '["other"]' }), null);
    assert.deepEqual(tab.problems, []);
  },
};
