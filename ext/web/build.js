// build.js OUT NPM -- the page in one file: OUT/index.html from the sources
// beside this script, the WebAssembly in OUT and the libraries in NPM.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const [out, npm] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(join(npm, "package.json"))("esbuild");

function bundle(entry) {
  const { outputFiles } = esbuild.buildSync({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    legalComments: "none",
    charset: "utf8",
    nodePaths: [join(npm, "node_modules")],
  });
  return outputFiles[0].text.trim();
}

/** What may stand inside of a script element. */
function inScript(text) {
  if (/<\/script|<!--/i.test(text)) throw new Error("build.js: a script holds what would end it");
  return text;
}

const packed = (path) => gzipSync(readFileSync(path), { level: 9 }).toString("base64");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const main = inScript(bundle("main.js"));
const worker = inScript(`${readFileSync(join(out, "kv.js"), "utf8")}\n${bundle("worker.js")}`);
const style = esbuild.transformSync(readFileSync(join(here, "style.css"), "utf8"), {
  loader: "css",
  minify: true,
}).code.trim();

// No connection of any kind: neither the page nor its worker can send anything.
const policy = [
  "default-src 'none'",
  "connect-src 'none'",
  `script-src ${hash(main)} 'wasm-unsafe-eval'`,
  `style-src ${hash(style)}`,
  "worker-src blob:",
  "img-src data:",
  "form-action 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types page",
].join("; ");

const parts = {
  policy,
  style,
  main,
  worker,
  wasm: packed(join(out, "kv.wasm")),
  sample: packed(join(here, "../../tests/sample/sample.sqlite3")),
};
const page = readFileSync(join(here, "index.html"), "utf8").replace(
  /\{\{(\w+)\}\}/g,
  (_, name) => parts[name],
);
writeFileSync(join(out, "index.html"), page);
const size = gzipSync(page, { level: 9 }).length;
if (size > 1200000) {
  throw new Error(`build.js: the page has ${size} bytes, gzipped; at most 1.2 MB`);
}
