// fresh_copy.ts FILE -- a new KV file with 30 entries, copied before Deno closes
// it: FILE-copy is the database, FILE-log its write-ahead log.

const [file] = Deno.args;
const kv = await Deno.openKv(file);
for (let i = 0; i < 30; i++) await kv.set(["a", i], i);
await Deno.copyFile(file, `${file}-copy`);
await Deno.copyFile(`${file}-wal`, `${file}-log`);
kv.close();
