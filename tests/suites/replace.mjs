// replace.mjs -- Deno's openKv() is the package's from here on: a module that is loaded before a suite.
import { createRequire } from "node:module";
import process from "node:process";

const { openKv, Kv, AtomicOperation, KvListIterator } = createRequire(import.meta.url)(process.env.KV_PACKAGE);
for (const [name, value] of Object.entries({ openKv: (path) => openKv(path), Kv, AtomicOperation, KvListIterator })) {
  Object.defineProperty(Deno, name, { value, configurable: true, writable: true });
}
