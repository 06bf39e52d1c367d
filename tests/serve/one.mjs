// one.mjs -- one write, within a time that a retry after an error would exceed.
import { end, openKv, same } from "./lib.mjs";

const kv = await openKv();
const begin = performance.now();
const done = await kv.set(["one"], 1);
same("done", done.ok, true);
same("time", performance.now() - begin < 2500, true);
kv.close();
end();
