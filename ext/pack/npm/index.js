// sqlite-kv: where the extension is, loading it, and openKv() over it.
"use strict";

const fs = require("node:fs");
const { Kv, KvListIterator, AtomicOperation } = require("./openkv.js");
const { openKv, services, NAPI_FUNCTIONS, isNapiInterface } = require("./services.js");
const { UnknownV8, makeLimitedV8Serializer } = require("./limited.js");
const { KvHostObject } = require("./host.js");
const { KvU64 } = require("./jstext.js");

/** Is the C library of this process musl?  Its program names the loader. */
function isMusl() {
  try {
    const head = Buffer.alloc(4096);
    const fd = fs.openSync(process.execPath, "r");
    fs.readSync(fd, head, 0, head.length, 0);
    fs.closeSync(fd);
    return head.includes("/ld-musl-");
  } catch {
    return false;
  }
}

/** The path of the extension, for sqlite3_load_extension(). */
function getLoadablePath() {
  const { platform, arch } = process;
  const libc = platform !== "linux" ? "" : isMusl() ? "-musl" : "-gnu";
  const name = `@sqlite-kv/${platform}-${arch}${libc}`;
  try {
    return require.resolve(name);
  } catch {
    throw new Error(`kv: the package ${name} is missing: install it beside sqlite-kv, or build it there with make npm`);
  }
}

const open = async (path, options) => openKv(path, { ...options, extension: options?.extension ?? getLoadablePath() });

module.exports = {
  getLoadablePath, Kv, KvU64, KvHostObject, KvListIterator, AtomicOperation,
  NAPI_FUNCTIONS, isNapiInterface, UnknownV8, makeLimitedV8Serializer, ...services(open),
  /**
   * Load the extension into a connection of better-sqlite3, node:sqlite
   * (opened with allowExtension: true) or bun:sqlite.
   */
  load(db) {
    try {
      db.loadExtension(getLoadablePath());
    } catch (cause) {
      if (!/not allowed|not authorized/i.test(cause?.message)) throw cause;
      const how = "node:sqlite's DatabaseSync must be opened with { allowExtension: true }";
      throw new Error(`kv: this connection may not load extensions: ${how}`, { cause });
    }
  },
  openKv: open,
};
