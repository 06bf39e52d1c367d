// indexed.mjs -- writes of a client that declared indexes follow: program.mjs URL.
import { openKv, same, fails, end } from "./lib.mjs";

const kv = await openKv();
for (let i = 0; i < 10; i++) await kv.set(["users", i], { mail: `u${i}@x`, age: i % 5 });
const texts = ["pears", "plums", "green apples", "cherries"];
for (let i = 0; i < 4; i++) await kv.set(["posts", i + 1], { title: `post ${i}`, body: texts[i] });
await fails("unique", () => kv.set(["users", 99], { mail: "u3@x" }), /UNIQUE constraint failed/);
same("not stored", (await kv.get(["users", 99])).value, null);
await kv.delete(["users", 0]);
await kv.set(["users", 0], { mail: "other@x", age: 0 });
end();
