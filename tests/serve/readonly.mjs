// readonly.mjs -- reads work, writes are refused as such.
import { end, fails, openKv, same } from "./lib.mjs";

const kv = await openKv();
same("a read", (await kv.get(["a"])).versionstamp !== null, true);
await fails("a write", () => kv.set(["x"], 1), /write.?disabled|writes? (is|are) disabled|disabled|read-?only/i);
await fails("a sum", () => kv.atomic().sum(["n"], 1n).commit(), /disabled|read-?only/i);
same("nothing is there", (await kv.get(["x"])).value, null);
kv.close();
end();
