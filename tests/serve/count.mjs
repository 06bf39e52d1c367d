// count.mjs -- counts by check and set and by sums until its input ends:
// program.mjs URL NAME.  Prints how often, and what a client should not see.
import process from "node:process";
import { openKv, args } from "./lib.mjs";

const kv = await openKv();
const [name] = args;
let ends = false;
process.stdin.on("data", () => {});
process.stdin.on("end", () => ends = true);
let cas = 0, sum = 0, missed = 0, errors = [];
console.log("counting");
while (!ends) {
  try {
    const entry = await kv.get(["cas"]);
    const result = await kv.atomic().check(entry).set(["cas"], (entry.value ?? 0) + 1).set(["of", name], cas + 1).commit();
    if (result.ok) cas++;
    else missed++;
    await kv.atomic().sum(["sum"], 1n).commit();
    sum++;
  } catch (e) {
    errors.push(String(e));
    if (errors.length > 5) break;
  }
}
console.log(JSON.stringify({ cas, sum, missed, errors }));
process.exit(0);
