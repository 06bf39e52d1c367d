// watcher.mjs -- prints the values of the key ["k"], as long as it is left alive.
import { openKv } from "./lib.mjs";

const kv = await openKv();
for await (const [entry] of kv.watch([["k"]])) console.log(String(entry.value));
