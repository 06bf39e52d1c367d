// layout.js -- what stands where: the overview, panes and columns; and what axe-core
// finds in every view.

import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { click, dropFiles, expireSome, root, settled } from "./browser.js";
import { assert } from "./check.js";
import { largeFile } from "./large.js";

const VIEWS = ["overview", "entries", "collections", "queue", "indexes", "ask", "changes"];
const AXE = readFileSync(join(root, "build/npm/web/node_modules/axe-core/axe.min.js"), "utf8");

async function openSample(open, options) {
  const tab = await open(options);
  await click(tab, "button", "Open the sample");
  await settled(tab);
  return tab;
}

async function openEntry(tab) {
  await tab.evaluate(() => page.openEntries('["users"]'));
  await tab.evaluate(() => page.views.entries.detail.show('["users",5]'));
  await settled(tab);
}

const width = (tab, selector) => tab.$eval(selector, (one) => one.getBoundingClientRect().width);
const valueWidth = (tab) => width(tab, ".list-pane .grid-head .grid-cell:nth-child(3)");

async function dragBy(tab, selector, dx) {
  const { x, y } = await tab.$eval(selector, (one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return { x: (left + right) / 2, y: (top + bottom) / 2 };
  });
  await tab.mouse.move(x, y);
  await tab.mouse.down();
  await tab.mouse.move(x + dx / 2, y, { steps: 3 });
  await tab.mouse.move(x + dx, y, { steps: 3 });
  await tab.mouse.up();
}

/** What axe-core complains of. */
async function violations(tab) {
  await tab.evaluate(AXE);
  return await tab.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 120)}`);
  });
}

export default {
  async "axe-core finds nothing in any view, wide and narrow, light and dark"({ open }) {
    const found = [];
    for (
      const options of [
        { width: 1280, scheme: "light" },
        { width: 1280, scheme: "dark" },
        { width: 320, scheme: "light" },
        { width: 320, scheme: "dark" },
      ]
    ) {
      const tab = await open(options);
      const name = `${options.scheme}, ${options.width}`;
      const judge = async (view) =>
        found.push(...(await violations(tab)).map((problem) => `${name}, ${view}: ${problem}`));
      await judge("welcome");
      await click(tab, "button", "Open the sample");
      await settled(tab);
      await expireSome(tab);
      await tab.evaluate(() =>
        page.client.change("exec", {
          sql: `SELECT kv_history('["users"]', 1000000);
            UPDATE kv_entries SET js='1' WHERE key='["users",1]'; SELECT kv_sweep()`,
        })
      );
      for (const id of VIEWS) {
        await tab.evaluate((id) => page.go(id), id);
        if (id === "entries") {
          await openEntry(tab);
          await tab.evaluate(() => page.views.entries.detail.show('["users",1]'));
          await click(tab, ".detail summary", "2 versions");
        }
        if (id === "ask") await click(tab, ".chip", "Entries by type");
        await settled(tab);
        if (id === "changes") await click(tab, ".collected summary", "3 expired");
        await judge(id);
        // Views scroll, the page doesn't.
        const [high, wide] = await tab.evaluate(() => {
          const { scrollHeight, scrollWidth } = document.documentElement;
          return [scrollHeight - innerHeight, scrollWidth - innerWidth];
        });
        if (high > 0 || wide > 0) found.push(`${name}, ${id}: the page scrolls`);
      }
      await tab.close();
    }
    assert.deepEqual(found, []);
  },

  async "the overview shows its cards while a large file is read, and counts as it goes"(
    { dir, open },
  ) {
    const file = largeFile(join(dir, "large.db"));
    assert.ok(statSync(file).size > 100e6);
    const tab = await open();
    await tab.evaluate(() => {
      globalThis.seen = new Set();
      const look = () => {
        if (document.querySelector(".reading")) globalThis.seen.add("reading");
        const figure = document.querySelector(".overview .figure");
        if (document.querySelector(".outlet > .overview") && !figure) globalThis.seen.add("empty");
        if (figure) globalThis.seen.add(figure.textContent);
        if (figure?.textContent !== "200,000") requestAnimationFrame(look);
      };
      look();
    });
    await dropFiles(tab, [file]);
    await tab.waitForFunction(() =>
      document.querySelector(".overview .figure")?.textContent === "200,000" &&
      document.querySelector(".overview .panel > .quiet").textContent === ""
    );
    const seen = await tab.evaluate(() => [...globalThis.seen]);
    assert.ok(seen.includes("reading"));
    assert.ok(!seen.includes("empty"));
    assert.ok(seen.filter((text) => /^[1-9]/.test(text)).length > 3, seen.join(" "));
  },

  async "types are in groups, and no card is alone in its row"({ open }) {
    for (const [size, columns] of [[1280, 3], [1440, 6], [400, 2], [320, 2]]) {
      const tab = await openSample(open, { width: size });
      const tops = await tab.$$eval(
        ".card",
        (all) => all.map((card) => card.getBoundingClientRect().top),
      );
      assert.equal(new Set(tops).size, 6 / columns, `${size}`);
      const groups = await tab.$$eval(".legend-group", (all) => all.map((one) => one.textContent));
      assert.equal(groups.length, 6);
      assert.equal(groups[0], "Objects and maps126Object 123, Map 3");
      await tab.close();
    }
  },

  async "beside an open entry a value has 300 pixels, and panes and columns can be resized"(
    { open },
  ) {
    for (const size of [1070, 1230, 1280, 1440, 1920]) {
      const tab = await openSample(open, { width: size });
      await openEntry(tab);
      assert.ok(await valueWidth(tab) >= 300, `${size}: ${await valueWidth(tab)}`);
      assert.ok(await width(tab, ".detail") >= 280);
      if (size !== 1440) {
        await tab.close();
        continue;
      }
      const before = {
        tree: await width(tab, ".tree-pane"),
        key: await width(tab, ".list-pane .grid-head .grid-cell"),
      };
      await dragBy(tab, ".splitter.left", 60);
      const detail = await width(tab, ".detail");
      await dragBy(tab, ".splitter.right", -50);
      assert.equal(await width(tab, ".tree-pane"), before.tree + 60);
      assert.equal(await width(tab, ".detail"), detail + 50);
      await tab.focus(".splitter.left");
      await tab.keyboard.press("ArrowLeft");
      assert.equal(await width(tab, ".tree-pane"), before.tree + 44);
      await dragBy(tab, ".list-pane .grid-head .grid-cell .grid-edge", 40);
      const key = await width(tab, ".list-pane .grid-head .grid-cell");
      await tab.focus(".list-pane .grid-name");
      await tab.keyboard.down("Alt");
      await tab.keyboard.press("ArrowRight");
      await tab.keyboard.up("Alt");
      assert.equal(await width(tab, ".list-pane .grid-head .grid-cell"), key + 16);
      assert.equal(
        await width(tab, ".list-pane .grid-rows .grid-cell"),
        key + 16,
      );
      await tab.keyboard.press("ArrowRight");
      assert.equal(await tab.evaluate(() => document.activeElement.textContent), "Type");
      assert.deepEqual(tab.problems, []);
      await tab.close();
    }
  },

  async "the search box shows its own words at every width"({ open }) {
    for (const size of [1600, 1280, 900, 400, 320]) {
      const tab = await openSample(open, { width: size });
      await openEntry(tab);
      const { words, room } = await tab.$eval(".field.search input", (input) => {
        const style = getComputedStyle(input);
        const canvas = new OffscreenCanvas(1, 1).getContext("2d");
        canvas.font = `${style.fontSize} ${style.fontFamily}`;
        return {
          words: canvas.measureText(input.placeholder).width,
          room: input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight),
        };
      });
      assert.ok(words > 50 && words <= room, `${size}: ${words} in ${room}`);
      await tab.close();
    }
  },
};
