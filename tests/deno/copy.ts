// copy.ts FROM TO -- set in the KV file TO all that Deno reads in FROM.

const [from, to] = Deno.args;
const source = await Deno.openKv(from), target = await Deno.openKv(to);
let op = target.atomic(), n = 0;
for await (const e of source.list({ prefix: [] }, { batchSize: 500 })) {
  op.set(e.key, e.value);
  if (++n % 10 === 0) {
    await op.commit();
    op = target.atomic();
  }
}
await op.commit();
console.log(n);
source.close();
target.close();
