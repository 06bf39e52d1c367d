// pictures.js DIR -- the page in its states, light and dark, at three widths, as
// PNG files to look at. sql/manual/browser.png is light-wide-entry.png.

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { walWarning } from "../../ext/web/files.js";
import { click, expireSome, launch, openPage, settled } from "./browser.js";

const dir = resolve(process.argv[2] ?? "build/web/pictures");
mkdirSync(dir, { recursive: true });
const browser = await launch();

const STATES = {
  welcome: () => {},
  overview: (tab) => click(tab, "button", "Open the sample"),
  entry: async (tab) => {
    await tab.evaluate(() => page.openEntries('["users"]'));
    await tab.evaluate(() => page.views.entries.detail.show('["users",5]'));
  },
  wrong: async (tab) => {
    await click(tab, ".detail button", "Edit");
    await tab.evaluate(() =>
      page.views.entries.detail.code.text = '{\n  name: "Ada",\n  admin: nul,\n}'
    );
    await tab.waitForFunction(() => document.querySelector(".detail .problem").textContent);
  },
  add: async (tab) => {
    await click(tab, ".detail button", "Cancel");
    await click(tab, ".toolbar button", "Add");
    await tab.evaluate(() => document.querySelector("dialog input").value = '["users",');
    await tab.evaluate(() =>
      document.querySelector("dialog input").dispatchEvent(new Event("input", { bubbles: true }))
    );
    await tab.waitForFunction(() => document.querySelector("dialog .problem").textContent);
  },
  list: async (tab) => {
    await tab.keyboard.press("Escape");
    await tab.evaluate(() => page.views.entries.detail.hide());
    await click(tab, ".list-pane .grid-name", "Key");
    await click(tab, ".list-pane .grid-name", "Key");
  },
  past: async (tab) => {
    await tab.evaluate(async () => {
      await page.client.change("exec", { sql: `SELECT kv_history('["users"]', 1000000)` });
      await page.openEntries('["users"]');
      page.views.entries.asOf = "2999-01-01 12:00Z";
    });
    await settled(tab);
    await tab.evaluate(() => page.views.entries.grid.choose(2));
    await settled(tab);
  },
  early: async (tab) => {
    await tab.evaluate(() => {
      page.views.entries.detail.hide();
      page.views.entries.asOf = "2001-01-01";
    });
  },
  collections: (tab) => tab.evaluate(() => page.go("collections")),
  queue: (tab) => tab.evaluate(() => page.go("queue")),
  sql: async (tab) => {
    await tab.evaluate(() => page.go("ask"));
    await click(tab, ".chip", "Entries by type");
  },
  offer: async (tab) => {
    await tab.evaluate(() => {
      page.client.request("exec", { sql: "DROP TABLE temp.users" });
      page.views.ask.code.text = "SELECT * FROM users";
    });
    await click(tab, ".ask button", "Run");
  },
  plan: async (tab) => {
    await tab.evaluate(() =>
      page.views.ask.code.text = `SELECT type, count(*) AS users FROM kv_entries('["users"]')
 WHERE key > '["users",5]' GROUP BY type ORDER BY users;`
    );
    await click(tab, ".ask button", "Explain");
  },
  error: async (tab) => {
    await tab.evaluate(() =>
      page.views.ask.code.text = "SELECT key, js\n  FRM kv_entries('[\"users\"]');"
    );
    await click(tab, ".ask button", "Run");
  },
  chart: async (tab) => {
    await click(tab, ".chip", "Entries by type");
    await settled(tab);
    await click(tab, ".result button", "Chart");
  },
  changes: async (tab) => {
    await expireSome(tab);
    await tab.evaluate(() =>
      page.client.change("exec", {
        sql: `
      UPDATE kv_entries SET js='{ name: "Ada", tags: new Set([1n]) }' WHERE key='["users",1]';
      DELETE FROM kv_entries WHERE key='["users",2]';
      SELECT kv_sweep();
      INSERT INTO kv_entries(key, js, expire_in)
       VALUES ('["new",1n]', 'new Map([["a",1]])', 90000);`,
      })
    );
    await tab.evaluate(() => page.go("changes"));
  },
  collected: (tab) =>
    tab.evaluate(() => {
      document.querySelector(".collected").open = true;
      document.querySelector(".collected").scrollIntoView();
    }),
  save: async (tab) => {
    await tab.evaluate(() => {
      globalThis.showSaveFilePicker = () => {};
      page.disk = { name: "app.db", agreed: false, problem: () => null };
      void page.save();
    });
    await tab.waitForSelector("dialog");
  },
  warning: async (tab) => {
    await tab.keyboard.press("Escape");
    const head = new Uint8Array(100);
    head.set([2], 18);
    await tab.evaluate((warning) => {
      page.unsaved = false;
      return page.open("new.db", () => [{ name: "new.db", bytes: new Uint8Array() }], warning);
    }, walWarning(head, []));
  },
  foreign: (tab) => tab.evaluate(() => page.client.change("exec", { sql: "CREATE TABLE kv(a)" })),
};

for (const scheme of ["light", "dark"]) {
  for (
    const [name, size] of Object.entries({
      wide: { width: 1280, height: 760 },
      narrow: { width: 400, height: 780 },
      slim: { width: 320, height: 640 },
    })
  ) {
    const tab = await openPage(browser, { scheme, ...size });
    for (const [state, reach] of Object.entries(STATES)) {
      await reach(tab);
      await settled(tab);
      await tab.screenshot({ path: join(dir, `${scheme}-${name}-${state}.png`) });
    }
    await tab.close();
  }
}
await browser.close();
