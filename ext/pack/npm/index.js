// sqlite-kv: where the extension is, loading it, and openKv() over it.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { openKv, Kv, KvListIterator, AtomicOperation } = require("./openkv.js");
const { KvU64 } = require("./jstext.js");

/** The path of the extension, for sqlite3_load_extension(). */
function getLoadablePath() {
  const built = require("./package.json").sqliteKv;
  const here = `${process.platform}-${process.arch}`;
  if (here !== built.platform) {
    throw new Error(`kv: this package of sqlite-kv was built for ${built.platform}, not for ${here}; `
      + "build one there with make npm");
  }
  const file = path.join(__dirname, built.file);
  if (!fs.existsSync(file)) throw new Error(`kv: ${file} is missing`);
  return file;
}

module.exports = {
  getLoadablePath, Kv, KvU64, KvListIterator, AtomicOperation,
  /**
   * Load the extension into a connection of better-sqlite3, node:sqlite
   * (opened with allowExtension: true) or bun:sqlite.
   */
  load: (db) => db.loadExtension(getLoadablePath()),
  openKv: async (file, options) => openKv(file, { ...options, extension: options?.extension ?? getLoadablePath() }),
};
