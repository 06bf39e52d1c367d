// browser.js -- the page in headless Chromium and Firefox, as the tests drive it.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const require = createRequire(join(root, "build/npm/web/package.json"));
const puppeteer = await import(pathToFileURL(require.resolve("puppeteer-core")));

const BROWSERS = {
  chromium: () => ({
    browser: "chrome",
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--force-color-profile=srgb",
    ],
  }),
  firefox: (downloads) => ({
    browser: "firefox",
    executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
    extraPrefsFirefox: {
      "browser.download.folderList": 2,
      "browser.download.dir": downloads,
      "browser.download.alwaysOpenPanel": false,
    },
  }),
};
export const names = Object.keys(BROWSERS);

/** A headless browser; downloads go to a folder. */
export async function launch(name = "chromium", downloads = "") {
  const browser = await puppeteer.default.launch({
    ...BROWSERS[name](downloads),
    protocolTimeout: 60000,
  });
  return Object.assign(browser, { name, downloads });
}

/** The page, from its file; what it complains of is in `problems`. */
export async function openPage(
  browser,
  { width = 1280, height = 800, scheme = "light" } = {},
) {
  const tab = await browser.newPage();
  tab.problems = [];
  tab.on("pageerror", (error) => tab.problems.push(error.message));
  tab.on("console", (message) => message.type() === "error" && tab.problems.push(message.text()));
  await tab.setViewport({ width, height });
  // What Firefox can't be told, the page can.
  const chromium = browser.name === "chromium";
  if (chromium) await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  if (chromium && browser.downloads) {
    const session = await tab.createCDPSession();
    await session.send("Browser.setDownloadBehavior", {
      behavior: "allow",
      downloadPath: browser.downloads,
    });
  }
  // Its pickers are dialogs of the system: without them the page downloads.
  await tab.evaluateOnNewDocument(() => delete globalThis.showSaveFilePicker);
  await tab.goto(pathToFileURL(join(root, "build/web/index.html")).href);
  await tab.bringToFront();
  await tab.waitForFunction(() => globalThis.page !== undefined, { polling: 50 });
  if (!chromium) await tab.evaluate((s) => document.documentElement.dataset.theme = s, scheme);
  return tab;
}

/** Drops files on the page by its file chooser. */
export async function dropFiles(tab, paths) {
  const input = await tab.$("input[type=file]");
  await input.uploadFile(...paths);
  await tab.waitForFunction(() => globalThis.page.views || document.querySelector(".toast"));
}

/** A request to the worker. */
export function request(tab, name, args) {
  return tab.evaluate((name, args) => globalThis.page.client.request(name, args), name, args);
}

/** Entries of the opened file that had expired before. */
export async function expireSome(tab) {
  await tab.evaluate(async () => {
    await page.client.change("exec", {
      sql: `INSERT INTO kv(k, v, v_encoding, version, expiration_ms)
             SELECT kv_key_encode(kv_key('gone', value)), x'ff0f4902', 1, 1, value
               FROM json_each('[1,2,3]')`,
    });
    await page.client.request("saved", {});
  });
}

/** Clicks the first element of a selector whose text is, or begins with, this. */
export async function click(tab, selector, text) {
  await tab.waitForFunction(
    (selector, text) =>
      [...document.querySelectorAll(selector)].some((e) =>
        e.checkVisibility() && e.textContent.trim().startsWith(text)
      ),
    {},
    selector,
    text,
  );
  await tab.evaluate(
    (selector, text) => {
      [...document.querySelectorAll(selector)].find((e) =>
        e.checkVisibility() && e.textContent.trim().startsWith(text)
      ).click();
    },
    selector,
    text,
  );
}

/** Until the worker has nothing left to do. */
export async function settled(tab) {
  await tab.waitForFunction(() => page.client.pending.size === 0);
  await new Promise((resolve) => setTimeout(resolve, 150));
  await tab.waitForFunction(() => page.client.pending.size === 0);
}
