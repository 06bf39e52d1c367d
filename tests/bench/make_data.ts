// make_data.ts FILE N -- the data of the benchmark, written by Deno itself:
// N users, an index of them by e-mail, and N/20 counters.

const [file, count] = Deno.args;
const n = Number(count);
const tags = ["admin", "author", "beta", "editor", "guest", "member", "owner", "staff"];
const started = Date.UTC(2023, 3, 23);

/** User i; its stored value has about 150 bytes. */
function user(i: number) {
  return {
    id: i,
    name: `User Number ${i}`,
    email: `user${i}@example.com`,
    age: 18 + (i * 7) % 60,
    tags: [tags[i % 8], tags[(i >> 3) % 8], tags[(i >> 6) % 8]],
    created: new Date(started + i * 61000),
  };
}

const kv = await Deno.openKv(file);
for (let i = 0; i < n;) {
  const op = kv.atomic();
  for (let k = 0; k < 250 && i < n; k++, i++) {
    const u = user(i);
    op.set(["users", i], u).set(["users_by_email", u.email], i);
    if (i % 20 === 0) op.set(["counters", i / 20], new Deno.KvU64(0n));
  }
  await op.commit();
}
kv.close();
