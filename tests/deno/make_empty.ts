// make_empty.ts FILE -- a KV file with nothing in it.

const kv = await Deno.openKv(Deno.args[0]);
kv.close();
