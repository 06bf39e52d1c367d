// count.ts FILE PART ... -- the number of entries whose keys begin with the
// strings PART.

const [file, ...prefix] = Deno.args;
const kv = await Deno.openKv(file);
let n = 0;
for await (const _ of kv.list({ prefix })) n++;
kv.close();
console.log(n);
