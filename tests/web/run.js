// run.js [WORD...] -- the page in headless Chromium (make web-test). Each check
// has a sentence; with words only those whose sentence has one of them. The
// last line is "N passed, N failed".

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { launch, openPage, root } from "./browser.js";

const words = process.argv.slice(2);
const dir = join(root, "build/web/test");
rmSync(dir, { recursive: true, force: true });
mkdirSync(dir, { recursive: true });

const checks = [];
for (
  const part of [
    "docs",
    "deno",
    "edit",
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

const browser = await launch();
let passed = 0;
let failed = 0;
for (const [sentence, check] of checks) {
  if (words.length > 0 && !words.some((word) => sentence.includes(word))) continue;
  const start = performance.now();
  let problem = null;
  try {
    await check({
      browser,
      dir,
      open: (options) => openPage(browser, { downloads: dir, ...options }),
    });
  } catch (error) {
    problem = error.stack ?? String(error);
  }
  for (const tab of await browser.pages()) {
    if (tab.url().startsWith("file:")) await tab.close({ runBeforeUnload: false });
  }
  if (problem === null) passed++;
  else failed++;
  console.log(
    `${problem === null ? "  ok" : "  FAILED"}: ${sentence} (${
      ((performance.now() - start) / 1000).toFixed(1)
    } s)`,
  );
  if (problem !== null) console.log(problem.replace(/^/gm, "    "));
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
