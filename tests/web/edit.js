// edit.js -- changes made on the page: shown, undone, saved, and read by Deno.

import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { click, dropFiles, request, settled } from "./browser.js";
import { assert, deno, native, rows, sample, sleep } from "./check.js";

async function downloaded(path) {
  for (let i = 0; i < 300 && !existsSync(path); i++) await sleep(100);
  await sleep(200);
  return path;
}

/** What Deno finds otherwise than a list of {key, js}. */
function denoProblems(file, wanted) {
  const side = `${file}.side`;
  const db = new DatabaseSync(side);
  db.exec("CREATE TABLE want(n INTEGER PRIMARY KEY, key TEXT, js TEXT)");
  const insert = db.prepare("INSERT INTO want VALUES (NULL, ?, ?)");
  for (const { key, js } of wanted) insert.run(key, js);
  db.close();
  deno("read_back.ts", file, side);
  const judged = new DatabaseSync(side);
  const problems = judged.prepare("SELECT what, detail FROM problem").all();
  judged.close();
  return problems;
}

function entries(file) {
  const db = native(file);
  const all = db.prepare("SELECT key, js FROM kv_entries").all();
  db.close();
  return all;
}

async function openEntry(tab, key) {
  await tab.evaluate(
    (key) => page.go("entries").then(() => page.views.entries.detail.show(key)),
    key,
  );
  await settled(tab);
}

async function editTo(tab, text) {
  await click(tab, ".detail button", "Edit");
  await tab.keyboard.down("Control");
  await tab.keyboard.press("a");
  await tab.keyboard.up("Control");
  await tab.keyboard.press("Delete");
  // Firefox takes a text one character at a time, and the editor closes its brackets.
  if (tab.browser().name === "chromium") await tab.keyboard.sendCharacter(text);
  else await tab.evaluate((text) => page.views.entries.detail.code.text = text, text);
  await click(tab, ".detail button", "Apply");
  await settled(tab);
}

export default {
  async "a file that was edited and saved holds for Deno exactly the edit"({ dir, open }) {
    const file = join(dir, "edited.db");
    copyFileSync(sample, file);
    const before = readFileSync(file);
    const wanted = entries(file);
    const tab = await open();
    await dropFiles(tab, [file]);
    await openEntry(tab, '["users",5]');
    const value = 'new Map([["k", 7n], ["d", new Date(0)]])';
    await editTo(tab, value);
    assert.equal(await tab.$eval(".badge", (badge) => badge.textContent), "1");
    await openEntry(tab, '["users",6]');
    await click(tab, ".detail button", "Delete");
    await settled(tab);
    const saved = join(dir, "edited (1).db");
    await tab.evaluate(() => page.name = "saved.db");
    await click(tab, ".top button", "Save a copy");
    await downloaded(join(dir, "saved.db"));
    assert.ok(!existsSync(saved));
    assert.ok(readFileSync(file).equals(before), "the file on disk is untouched");
    const edited = wanted.filter(({ key }) => key !== '["users",6]')
      .map(({ key, js }) => ({ key, js: key === '["users",5]' ? value : js }));
    assert.deepEqual(denoProblems(join(dir, "saved.db"), edited), []);
    assert.deepEqual(tab.problems, []);
  },

  async "Save overwrites the file that was opened, if it may and nothing has changed it since"(
    { dir, open },
  ) {
    const tab = await open();
    await tab.evaluate((text) => {
      // What a browser hands out for a file, with its bytes here.
      globalThis.disk = {
        kind: "file",
        name: "app.db",
        bytes: Uint8Array.from(atob(text), (c) => c.charCodeAt(0)),
        lastModified: 1,
        getFile: async () => new File([disk.bytes], "app.db", { lastModified: disk.lastModified }),
        requestPermission: async () => disk.permission ?? "granted",
        createWritable: async () => ({
          write: async (blob) => disk.next = new Uint8Array(await blob.arrayBuffer()),
          close: async () => Object.assign(disk, { bytes: disk.next, lastModified: 2 }),
        }),
      };
      globalThis.showOpenFilePicker = async () => [disk, ...(globalThis.beside ?? [])];
      globalThis.showSaveFilePicker = async () => disk;
    }, readFileSync(sample).toString("base64"));
    const words = (selector) => tab.$eval(selector, (one) => one.textContent);
    await click(tab, "button", "Choose files");
    await tab.waitForSelector(".top");
    await settled(tab);
    await rows(tab, `SELECT kv_set('["kept"]', 1)`);
    await click(tab, ".top button", "Save");
    assert.match(await words("dialog"), /overwrites app\.db.*app\.db-wal/);
    await tab.evaluate(() => disk.permission = "denied");
    await click(tab, "dialog button", "Overwrite");
    await tab.waitForSelector(".toast.bad");
    assert.match(await words(".toast.bad"), /doesn't let the page write app\.db/);
    await tab.evaluate(() => delete disk.permission);
    await click(tab, ".top button", "Save");
    await click(tab, "dialog button", "Overwrite");
    await tab.waitForFunction(() => disk.lastModified === 2);
    await settled(tab);
    assert.equal((await request(tab, "changes", {})).total, 0);
    assert.ok(await tab.$eval(".badge", (badge) => badge.hidden));
    // Again, without a question; and the worker starts again from what was saved.
    await rows(tab, `SELECT kv_set('["kept"]', 2)`);
    await tab.evaluate(() => page.save());
    await tab.evaluate(() => page.client.restart());
    assert.deepEqual(await rows(tab, `SELECT value FROM kv_entries WHERE key='["kept"]'`), [[2]]);
    const file = join(dir, "back.db");
    writeFileSync(file, Buffer.from(await tab.evaluate(() => disk.bytes.toBase64()), "base64"));
    assert.deepEqual(denoProblems(file, entries(file)), []);
    assert.deepEqual(entries(file).filter(({ key }) => key === '["kept"]').map(({ js }) => js), [
      "2",
    ]);
    // Somebody else has written it since.
    await rows(tab, `SELECT kv_set('["kept"]', 3)`);
    await tab.evaluate(() => disk.lastModified = 9);
    await click(tab, ".top button", "Save");
    assert.match(await words("dialog"), /can't be overwritten\. It has changed on disk/);
    await click(tab, "dialog button", "Cancel");
    assert.equal((await request(tab, "changes", {})).total, 1);
    // It came with its log, which would be applied again.
    await tab.evaluate(() => {
      page.unsaved = false;
      globalThis.beside = [{
        kind: "file",
        name: "app.db-wal",
        getFile: async () => new File([], "app.db-wal"),
      }];
      return page.chooseFiles();
    });
    await settled(tab);
    await tab.evaluate(() => void page.save());
    await tab.waitForSelector("dialog");
    assert.match(await words("dialog"), /opened with app\.db-wal/);
    await click(tab, "dialog button", "Save a copy");
    await downloaded(join(dir, "app.db"));
    // What was made here is saved where the user says.
    await tab.evaluate(() => {
      page.unsaved = false;
      return page.openEmpty();
    });
    await rows(tab, `SELECT kv_set('["new"]', 1)`);
    await tab.evaluate(() => page.save());
    assert.equal(await words(".file h1"), "app.db");
    assert.equal((await request(tab, "changes", {})).total, 0);
    assert.deepEqual(tab.problems, []);
  },

  async "an edit that is no value is underlined where it is wrong, and can't be applied"(
    { open },
  ) {
    const tab = await open();
    await click(tab, "button", "Open the sample");
    await settled(tab);
    await openEntry(tab, '["users",5]');
    const state = () =>
      tab.evaluate(() => ({
        problem: document.querySelector(".detail .problem").textContent,
        underlined: wrongIn(".detail .editor"),
        off: [...document.querySelectorAll(".detail button")]
          .find((button) => button.textContent === "Apply").disabled,
      }));
    await tab.evaluate(() =>
      globalThis.wrongIn = (host) =>
        [...document.querySelector(host).shadowRoot.querySelectorAll(".cm-wrong")]
          .map((mark) => mark.textContent).join("|")
    );
    await editTo(tab, '{ "ä𝄞": 1,\n  a: nul }');
    const first = await state();
    assert.match(first.problem, /^Line 2, column 6: a literal is expected/);
    assert.doesNotMatch(first.problem, /kv:|kv_|offset/);
    assert.deepEqual([first.underlined, first.off], ["nul", true]);
    assert.equal((await request(tab, "changes", {})).total, 0);
    await tab.keyboard.down("Control");
    await tab.keyboard.press("Enter");
    await tab.keyboard.up("Control");
    await settled(tab);
    assert.equal((await request(tab, "changes", {})).total, 0);
    await tab.evaluate(() => page.views.entries.detail.code.text = "{ a: null }");
    await tab.waitForFunction(() => document.querySelector(".detail .problem").textContent === "");
    assert.deepEqual(await state(), { problem: "", underlined: "", off: false });
    await click(tab, ".detail button", "Apply");
    await settled(tab);
    assert.equal((await request(tab, "changes", {})).total, 1);
    await click(tab, ".toolbar button", "Add");
    const offered = (off) =>
      tab.waitForFunction(
        (off) => document.querySelector("dialog .button.primary").disabled === off,
        {},
        off,
      );
    await offered(false);
    await tab.focus("dialog .editor");
    await tab.evaluate(() =>
      document.querySelector("dialog .editor").shadowRoot.querySelector(".cm-content").focus()
    );
    await tab.keyboard.press("[");
    await offered(true);
    assert.match(
      await tab.$eval("dialog .problem", (p) => p.textContent),
      /^Line 3, column 2: exp/,
    );
    await tab.keyboard.press("Escape");
    await tab.evaluate(() => {
      page.go("ask");
      page.views.ask.code.text = "SELECT 'ä';\nSELECT type FRM kv_entries WHERE x;";
      return page.views.ask.run();
    });
    assert.equal(await tab.evaluate(() => wrongIn(".ask .editor")), "kv_entries");
    assert.match(
      await tab.$eval(".result .problem", (p) => p.textContent),
      /^Line 2, column 17: near "kv_entries": syntax error/,
    );
    assert.deepEqual(tab.problems, []);
  },

  async "changes of every kind are shown before and after, and undone one by one"({ open }) {
    const tab = await open();
    await click(tab, "button", "Open the sample");
    await settled(tab);
    await rows(
      tab,
      `
      INSERT INTO kv_entries(key, js) VALUES ('["new"]', '1n');
      UPDATE kv_entries SET js='"x"' WHERE key='["users",1]';
      DELETE FROM kv_entries WHERE key='["users",2]';
      UPDATE kv_entries SET key=kv_rebase(key, '["settings"]', '["moved"]')
       WHERE prefix='["settings"]';
      SELECT kv_sum('["counters","users"]', 2);
      UPDATE kv_entries SET expire_in=60000 WHERE key='["users",3]';
      UPDATE kv_entries SET value=value WHERE key='["users",4]';`,
    );
    const { total, rows: list } = await request(tab, "changes", {});
    const shown = list.map(({ key, before, after }) =>
      `${JSON.parse(key)[0]}${before ? " -" : ""}${after ? " +" : ""}`
    );
    assert.equal(total, 7);
    assert.deepEqual(shown, [
      "counters - +",
      "moved +",
      "new +",
      "settings -",
      "users - +",
      "users -",
      "users - +",
    ]);
    await tab.evaluate(() => page.go("changes"));
    await settled(tab);
    for (let left = 7; left > 0; left--) {
      await click(tab, ".change button", "Undo");
      await settled(tab);
      assert.equal((await request(tab, "changes", {})).total, left - 1);
    }
    assert.deepEqual(await rows(tab, "SELECT count(*) FROM kv_entries"), [[391]]);
  },

  async "a transaction that is rolled back leaves no change, and what is kept outlives a restart"(
    { open },
  ) {
    const tab = await open();
    await click(tab, "button", "Start empty");
    await settled(tab);
    await rows(tab, `BEGIN; SELECT kv_set('["a"]', 1)`);
    assert.equal((await request(tab, "changes", {})).total, 1);
    await rows(tab, `ROLLBACK; SELECT 1`);
    assert.equal((await request(tab, "changes", {})).total, 0);
    await rows(tab, `SELECT kv_set('["b"]', 1)`);
    await rows(tab, `SELECT kv_set('["b"]', 2)`);
    const { rows: [change] } = await request(tab, "changes", {});
    assert.deepEqual([change.key, change.before, change.after.js], ['["b"]', null, "2"]);
    await rows(tab, "CREATE TABLE t(x); SELECT 1");
    await tab.evaluate(() => page.client.restart());
    assert.deepEqual(await rows(tab, "SELECT key, value FROM kv_entries"), [['["b"]', 2]]);
    assert.deepEqual(await rows(tab, "SELECT name FROM sqlite_schema WHERE name='t'"), [["t"]]);
  },

  async "dialogs add, rename and delete, and say before how many entries"({ open }) {
    const tab = await open();
    await click(tab, "button", "Open the sample");
    await settled(tab);
    await tab.evaluate(() => page.openEntries('["users"]'));
    await settled(tab);
    const fill = (i, text) =>
      tab.evaluate(
        (i, text) => {
          const input = document.querySelectorAll("dialog input")[i];
          input.value = text;
          input.dispatchEvent(new Event("input", { bubbles: true }));
        },
        i,
        text,
      );
    await click(tab, ".toolbar button", "Add");
    await fill(0, "['added', 1]");
    await fill(1, "60");
    await click(tab, "dialog button", "Add");
    await settled(tab);
    assert.deepEqual(
      await rows(tab, `SELECT key, js, expire_in BETWEEN 1 AND 60000 FROM kv_entries('["added"]')`),
      [
        ['["added",1]', "{}", 1],
      ],
    );
    await click(tab, ".toolbar button", "Rename");
    await fill(0, '["users"]');
    await fill(1, '["people"]');
    await tab.waitForFunction(() =>
      document.querySelector("dialog").textContent.includes("24 entries will be renamed")
    );
    await click(tab, "dialog button", "Rename");
    await settled(tab);
    await click(tab, ".toolbar button", "Delete");
    await fill(0, '["people"]');
    await tab.waitForFunction(() =>
      document.querySelector("dialog").textContent.includes("24 entries will be deleted")
    );
    await click(tab, "dialog button", "Delete");
    await settled(tab);
    assert.deepEqual(await rows(tab, "SELECT count(*) FROM kv_entries"), [[391 + 1 - 24]]);
  },

  async "a write-ahead log beside a file is read"({ dir, open }) {
    const file = join(dir, "wal.db");
    copyFileSync(sample, file);
    const db = native(file);
    db.exec(
      `PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;
       SELECT kv_set('["late"]', 'in the log')`,
    );
    copyFileSync(file, join(dir, "open.db"));
    copyFileSync(`${file}-wal`, join(dir, "open.db-wal"));
    db.close();
    const tab = await open();
    await dropFiles(tab, [join(dir, "open.db"), join(dir, "open.db-wal")]);
    await settled(tab);
    assert.equal(await tab.$(".warning"), null);
    assert.deepEqual(await rows(tab, `SELECT value FROM kv_entries WHERE key='["late"]'`), [[
      "in the log",
    ]]);
    await tab.evaluate(() => page.name = "whole.db");
    await click(tab, ".top button", "Save a copy");
    const late = entries(await downloaded(join(dir, "whole.db")))
      .filter(({ key }) => key === '["late"]');
    assert.deepEqual(late.map(({ js }) => js), ['"in the log"']);
    // A file that Deno closed looks no different: nothing is missing as far as anybody can see.
    const alone = await open();
    await dropFiles(alone, [join(dir, "open.db")]);
    await settled(alone);
    assert.equal(await alone.$(".warning"), null);
  },

  async "a file that Deno has just made and not closed is said to be empty without its log, once"(
    { dir, open },
  ) {
    const file = join(dir, "fresh.db");
    deno("fresh_copy.ts", file);
    const tab = await open();
    const warned = () => tab.$eval(".warning", (p) => p.textContent).catch(() => null);
    for (
      const end of [
        () => click(tab, ".rail .tab", "Entries"),
        () => tab.click(".warning [aria-label=Close]"),
      ]
    ) {
      await tab.evaluate(() => page.views = undefined);
      await dropFiles(tab, [`${file}-copy`]);
      await settled(tab);
      assert.match(await warned(), /still empty.*-wal/);
      await end();
      assert.equal(await warned(), null);
    }
    copyFileSync(`${file}-log`, `${file}-copy-wal`);
    await tab.evaluate(() => page.views = undefined);
    await dropFiles(tab, [`${file}-copy`, `${file}-copy-wal`]);
    await settled(tab);
    assert.equal(await warned(), null);
    assert.deepEqual(await rows(tab, "SELECT count(*) FROM kv_entries"), [[30]]);
  },

  async "a file that was cut off is refused with what is missing"({ dir, open }) {
    const file = join(dir, "cut.db");
    writeFileSync(file, readFileSync(sample).subarray(0, 8192));
    const tab = await open();
    await (await tab.$("input[type=file]")).uploadFile(file);
    await tab.waitForSelector(".toast.bad");
    assert.match(
      await tab.$eval(".toast.bad", (toast) => toast.textContent),
      /incomplete: 2 of its \d+ pages are here/,
    );
  },

  async "expired entries that a write removes are no changes of the user's"({ dir, open }) {
    const file = join(dir, "expired.db");
    copyFileSync(sample, file);
    const db = native(file);
    db.exec(
      `INSERT INTO kv_entries(key, value) VALUES ('["kept"]', 1);
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<5)
       INSERT INTO kv(k, v, v_encoding, version, expiration_ms)
        SELECT kv_key_encode(kv_key('gone', i)), x'ff0f4902', 1, 1, i FROM n`,
    );
    db.close();
    const tab = await open();
    await dropFiles(tab, [file]);
    await settled(tab);
    await rows(
      tab,
      `INSERT INTO kv_entries(key, value) VALUES ('["gone",5]', 'again');
       UPDATE kv_entries SET value=2 WHERE key='["kept"]';
       SELECT kv_sweep()`,
    );
    await tab.evaluate(() => page.go("changes"));
    await settled(tab);
    assert.equal(await tab.$eval(".badge", (badge) => badge.textContent), "2");
    assert.equal(await tab.$eval(".changes h2", (title) => title.textContent), "2 entries changed");
    const cards = await tab.$$eval(
      ".changes-list > .change header",
      (all) => all.map((card) => card.textContent),
    );
    assert.deepEqual(cards, ['added["gone",5]Undo', 'changed["kept"]Undo']);
    const apart = await tab.$eval(".collected", ({ open, textContent }) => (
      { open, textContent }
    ));
    assert.ok(!apart.open);
    assert.match(apart.textContent, /^4 expired entries removed/);
    assert.equal(await tab.$(".collected button"), null);
    for (let left = 2; left > 0; left--) {
      await click(tab, ".changes-list > .change button", "Undo");
      await settled(tab);
    }
    assert.equal((await request(tab, "changes", {})).total, 0);
  },

  async "an export in NDJSON is what the extension exports"({ dir, open }) {
    const tab = await open();
    await click(tab, "button", "Open the sample");
    await settled(tab);
    await tab.evaluate(() => page.exportLines('["types"]'));
    const path = await downloaded(join(dir, "sample.ndjson"));
    const db = native(sample);
    const want = db.prepare(
      `SELECT kv_export(key, raw, versionstamp) AS line FROM kv_entries('["types"]')`,
    ).all().map(({ line }) => `${line}\n`);
    db.close();
    assert.equal(readFileSync(path, "utf8"), want.join(""));
  },
};
