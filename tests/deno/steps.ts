// steps.ts FILE STEP ... -- small things for the real Deno to do with a file;
// each step prints its result as lines.
//
//   list            every entry: key, versionstamp, type, JSON
//   set|KEY|VALUE   both as JavaScript
//   get|KEY         type and JSON, or none
//   sum|KEY|N       kv.atomic().sum()
//   check|KEY|STAMP atomic check, and a set of the key to "checked"
//   expire|KEY|MS   set with expireIn
//   half            three mutations, of which the second must fail
//   reopen          close the file and open it again

import { jsonText, keyText, typeName } from "./lib.ts";

const [file, ...steps] = Deno.args;
let kv = await Deno.openKv(file);
// deno-lint-ignore no-explicit-any
const value = (js: string): any => (0, eval)(`(${js})`);

async function list() {
  for await (const e of kv.list({ prefix: [] })) {
    const json = jsonText(e.value) ?? "-";
    console.log(keyText(e.key), e.versionstamp, typeName(e.value), json);
  }
}

for (const step of steps) {
  const [what, key, ...rest] = step.split("|");
  const x = rest.join("|");
  switch (what) {
    case "list":
      await list();
      break;
    case "set":
      console.log((await kv.set(value(key), value(x))).versionstamp);
      break;
    case "expire": {
      const o = { expireIn: Number(x) };
      console.log((await kv.set(value(key), "v", o)).versionstamp);
      break;
    }
    case "get": {
      const e = await kv.get(value(key));
      if (e.versionstamp === null) console.log("none");
      else console.log(typeName(e.value), jsonText(e.value));
      break;
    }
    case "sum":
      console.log((await kv.atomic().sum(value(key), BigInt(x)).commit()).ok);
      break;
    case "check": {
      const r = await kv.atomic()
        .check({ key: value(key), versionstamp: x === "null" ? null : x })
        .set(value(key), "checked").commit();
      console.log(r.ok);
      break;
    }
    case "half":
      await kv.set(["text"], "text");
      try {
        await kv.atomic().set(["before"], 1).sum(["text"], 1n)
          .set(["after"], 2).commit();
        console.log("committed");
      } catch (e) {
        console.log(String(e));
      }
      await list();
      break;
    case "reopen":
      kv.close();
      kv = await Deno.openKv(file);
      break;
    default:
      throw new Error("unknown step " + step);
  }
}
kv.close();
