// keyboard.js -- the page by keyboard and for screen readers, wide and narrow.

import { click, settled } from "./browser.js";
import { assert } from "./check.js";

const VIEWS = ["overview", "entries", "collections", "queue", "indexes", "ask", "changes"];

async function openSample(open, options) {
  const tab = await open(options);
  await click(tab, "button", "Open the sample");
  await settled(tab);
  return tab;
}

/** Contrast of two colours, by WCAG. */
function contrasts() {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return canvas.getImageData(0, 0, 1, 1).data;
  };
  const light = (colour) => {
    const [r, g, b] = Array.from(
      rgb(colour),
      (x) => (x /= 255) <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const colour = getComputedStyle(element).backgroundColor;
      if (rgb(colour)[3] === 255) return colour;
    }
    return "white";
  };
  const poor = [];
  for (const element of document.querySelectorAll("#app *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility() || element.closest(".hidden, [disabled]")) continue;
    const [a, b] = [light(getComputedStyle(element).color), light(ground(element))].sort((x, y) =>
      y - x
    );
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) poor.push(`${element.className || element.tagName}: ${ratio.toFixed(2)}`);
  }
  return [...new Set(poor)];
}

/** What scrolls sideways, but for tables and bytes, or is cut off. */
function sideways() {
  return [...document.querySelectorAll("#app *")].filter((element) => {
    const { left, right } = element.getBoundingClientRect();
    const outside = right > innerWidth + 1 || left < -1;
    const scrolls = element.scrollWidth > element.clientWidth + 1 &&
      /auto|scroll/.test(getComputedStyle(element).overflowX);
    return (outside || scrolls) && element.checkVisibility() &&
      !element.closest(".grid, .dump, .hidden");
  }).map((element) => element.className || element.tagName);
}

export default {
  async "the tree and the list are used by keyboard alone"({ open }) {
    const tab = await openSample(open);
    await tab.evaluate(() => page.go("entries"));
    await settled(tab);
    await tab.focus(".tree [role=treeitem]");
    for (const key of ["End", "ArrowUp", "ArrowUp", "ArrowRight"]) await tab.keyboard.press(key);
    await settled(tab);
    assert.equal(await tab.evaluate(() => document.activeElement.dataset.key), '["users"]');
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("Enter");
    await settled(tab);
    assert.equal(await tab.$eval(".detail h2", (title) => title.textContent), '["users",1]');
    await tab.focus(".list-pane .grid");
    for (const key of ["End", "Home", "PageDown", "ArrowDown", "Enter"]) {
      await tab.keyboard.press(key);
      await settled(tab);
    }
    const { current, label } = await tab.evaluate(() => ({
      current: document.getElementById(
        document.querySelector(".list-pane .grid").getAttribute("aria-activedescendant"),
      ).querySelector(".key").textContent,
      label: document.querySelector(".detail h2").textContent,
    }));
    assert.equal(current, label);
    for (const key of ["Control", "Alt", "7"]) await tab.keyboard.down(key);
    for (const key of ["7", "Alt", "Control"]) await tab.keyboard.up(key);
    await tab.waitForFunction(() => page.view === "changes");
  },

  async "changes in quick succession leave the tree opened, in focus, and with each key once"(
    { open },
  ) {
    const tab = await openSample(open);
    await tab.evaluate(() => page.go("entries"));
    await settled(tab);
    await tab.focus(`.tree [data-key='["users"]']`);
    await tab.keyboard.press("ArrowRight");
    await settled(tab);
    for (let i = 0; i < 3; i++) await tab.keyboard.press("ArrowDown");
    await tab.evaluate(() =>
      Promise.all(
        ["a", "b", "c"].map((name) =>
          page.client.change("exec", { sql: `SELECT kv_set('["${name}"]', 1)` })
        ),
      )
    );
    await settled(tab);
    const keys = await tab.$$eval(".tree [role=treeitem]", (all) => all.map((one) => one.dataset.key));
    assert.deepEqual(keys.slice(0, 3), ['["a"]', '["b"]', '["c"]']);
    assert.deepEqual(keys, [...new Set(keys)]);
    assert.equal(keys.filter((key) => key.startsWith('["users",')).length, 24);
    assert.equal(await tab.evaluate(() => document.activeElement.dataset.key), '["users",3]');
    assert.equal(
      await tab.$eval(`.tree [data-key='["users"]'] .tree-count`, (one) => one.textContent),
      "24",
    );
  },

  async "the box for SQL completes functions, tables and columns, runs by keyboard and remembers"(
    { open },
  ) {
    const tab = await openSample(open);
    await tab.evaluate(() => page.go("ask"));
    await settled(tab);
    const offered = async (text, wanted) => {
      await tab.evaluate(() => {
        page.views.ask.code.text = "";
        page.views.ask.code.focus();
      });
      await tab.keyboard.type(text);
      await tab.waitForFunction(
        (wanted) =>
          [
            ...document.querySelector(".ask .editor").shadowRoot
              .querySelectorAll(".cm-completionLabel"),
          ].some((label) => label.textContent === wanted),
        {},
        wanted,
      );
      await tab.keyboard.press("Escape");
    };
    await offered("SELECT kv_extr", "kv_extract");
    await offered("SELECT * FROM kv_ent", "kv_entries");
    await offered("SELECT kv_entries.versi", "versionstamp");
    await tab.evaluate(() =>
      page.views.ask.code.text = "SELECT 1.0 AS one, NULL AS none, x'00ff' AS bytes"
    );
    await tab.keyboard.down("Control");
    await tab.keyboard.press("Enter");
    await tab.keyboard.up("Control");
    await tab.waitForSelector(".result .grid-rows [role=row]");
    const cells = await tab.$$eval(
      ".result .grid-rows [role=gridcell]",
      (all) => all.map((cell) => cell.textContent),
    );
    assert.deepEqual(cells, ["1.0", "NULL", "x'00ff'"]);
    assert.equal(await tab.$$eval(".ask option", (all) => all.length), 2);
  },

  async "in Chromium every control has a name for screen readers, in every view"({ open }) {
    const tab = await openSample(open);
    for (const id of VIEWS) {
      await tab.evaluate((id) => page.go(id), id);
      await settled(tab);
      const snapshot = await tab.accessibility.snapshot();
      const nameless = [];
      (function walk(node) {
        if (
          ["button", "textbox", "searchbox", "combobox", "grid", "tree", "treeitem", "tab"]
            .includes(node.role) && !node.name
        ) nameless.push(node.role);
        node.children?.forEach(walk);
      })(snapshot);
      assert.deepEqual(nameless, [], id);
    }
  },

  async "text has enough contrast, light and dark"({ open }) {
    for (const scheme of ["light", "dark"]) {
      const tab = await openSample(open, { scheme });
      for (const id of VIEWS) {
        await tab.evaluate((id) => page.go(id), id);
        await settled(tab);
        assert.deepEqual(await tab.evaluate(contrasts), [], `${scheme}, ${id}`);
      }
    }
  },

  async "no view is wider than the window, wide or narrow"({ open }) {
    for (const width of [320, 360, 760, 1024, 1600]) {
      const tab = await openSample(open, { width });
      for (const id of VIEWS) {
        await tab.evaluate((id) => page.go(id), id);
        await settled(tab);
        const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${id}: ${wide} of ${width}`);
        assert.deepEqual(await tab.evaluate(sideways), [], `${id}, ${width}`);
      }
      const tabs = await tab.$$eval(
        ".tab",
        (all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth + 1).length,
      );
      assert.equal(tabs, 0, `${width}: a tab is out of reach`);
    }
  },
};
