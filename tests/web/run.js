// run.js [WORD...] -- the page in headless Chromium and Firefox (make web-test).
// Each check has a sentence; with words only those whose sentence has one of
// them, in the browser whose name is one of them. What begins with "in Chromium"
// asks for what Firefox doesn't tell. The last line is "N passed, N failed".

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { launch, names, openPage, root } from "./browser.js";

const words = process.argv.slice(2).filter((word) => !names.includes(word));
const chosen = names.filter((name) => process.argv.includes(name));
const dir = join(root, "build/web/test");

const checks = [];
for (
  const part of [
    "docs",
    "deno",
    "edit",
    "history",
    "collections",
    "trust",
    "hostile",
    "large",
    "keyboard",
    "layout",
    "grid",
  ]
) {
  checks.push(...Object.entries((await import(`./${part}.js`)).default));
}

let passed = 0;
let failed = 0;

async function one(browser, sentence, check) {
  const start = performance.now();
  let problem = null;
  try {
    await check({ browser, dir, open: (options) => openPage(browser, options) });
  } catch (error) {
    problem = error.stack ?? String(error);
  }
  for (const tab of await browser.pages()) {
    if (tab.url().startsWith("file:")) await tab.close({ runBeforeUnload: false });
  }
  if (problem === null) passed++;
  else failed++;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${problem === null ? "  ok" : "  FAILED"}: ${sentence} (${seconds} s)`);
  if (problem !== null) console.log(problem.replace(/^/gm, "    "));
}

for (const name of chosen.length > 0 ? chosen : names) {
  // Each browser finds an empty folder.
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const browser = await launch(name, dir);
  console.log(`${name}, ${await browser.version()}`);
  for (const [sentence, check] of checks) {
    if (words.length > 0 && !words.some((word) => sentence.includes(word))) continue;
    if (name !== "chromium" && sentence.startsWith("in Chromium")) continue;
    await one(browser, sentence, check);
  }
  await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
