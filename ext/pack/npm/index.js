// sqlite-kv: the extension, loading it, and openKv() over it.
"use strict";

const { getLoadablePath, load } = require("./load.js");
const { openKv, Kv, KvListIterator, AtomicOperation } = require("./openkv.js");
const { KvU64 } = require("./u64.js");

exports.getLoadablePath = getLoadablePath;
exports.load = load;
exports.openKv = openKv;
exports.Kv = Kv;
exports.KvU64 = KvU64;
exports.KvListIterator = KvListIterator;
exports.AtomicOperation = AtomicOperation;
