// load.js -- where the extension is, and loading it.
"use strict";

const path = require("node:path");
const fs = require("node:fs");

/** The path of the extension, for sqlite3_load_extension(). */
function getLoadablePath() {
  const built = require("./package.json").sqliteKv;
  const here = `${process.platform}-${process.arch}`;
  if (here !== built.platform) {
    throw new Error(
      `kv: this package of sqlite-kv was built for ${built.platform}, not for ${here}; ` +
        "build one there with make npm",
    );
  }
  const file = path.join(__dirname, built.file);
  if (!fs.existsSync(file)) throw new Error(`kv: ${file} is missing`);
  return file;
}

/**
 * Load the extension into a connection of better-sqlite3, node:sqlite
 * (opened with allowExtension: true) or bun:sqlite.
 */
function load(db) {
  db.loadExtension(getLoadablePath());
}

module.exports = { getLoadablePath, load };
