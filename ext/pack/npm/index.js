// sqlite-kv: the extension, loading it, and openKv() over it.
"use strict";

const { getLoadablePath, load } = require("./load.js");
const { openKv, Kv, KvListIterator, AtomicOperation } = require("./openkv.js");
const { KvU64 } = require("./jstext.js");

module.exports = { getLoadablePath, load, openKv, Kv, KvU64, KvListIterator, AtomicOperation };
