// set_one.mjs -- program.mjs URL VALUE: sets ["cut"].
import { openKv, args, end } from "./lib.mjs";
const kv = await openKv();
await kv.set(["cut"], args[0]);
end();
