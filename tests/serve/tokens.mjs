// tokens.mjs -- what tokens with a prefix permit: program.mjs URL PREFIXED OTHER SEED N.
// PREFIXED is for ["a","b"], OTHER for everything.
import { all, check, connect, enqueue, field, key, keysOf, mutation, range, watchKey } from "./raw.mjs";
import { args, end, same } from "./lib.mjs";

const [prefixed, other, seed, count] = args;
const mine = await connect(prefixed);
const whole = await connect(other);
const prefix = key("a", "b");
const within = (k) => prefix.every((c, i) => k[i] === c);
let state = Number(seed);
const rnd = (n) => (state = (state * 1103515245 + 12345) & 0x7fffffff, (state >> 8) % n);

// Entries in and around the prefix.
const near = [key("a"), key("a", "a"), key("a", "b"), key("a", "b", "c"), key("a", "b", "z"), key("a", "b", "\0"),
  key("a", "c"), key("a", "bb"), key("a", "b\0"), key("b"), [...prefix, 39], [...prefix, 33, 128, 0, 0, 0, 0, 0, 0, 0],
  [...prefix, 1, 255, 0], key("A")];
for (const k of near) await whole("atomic_write", mutation(1, k));

// Bytes near the prefix: cut off, extended, changed.
function bytes() {
  let a = [...near[rnd(near.length)]];
  for (let n = rnd(3); n > 0; n--) {
    const at = rnd(a.length + 1);
    const c = [0, 1, 2, 39, 97, 98, 99, 254, 255][rnd(9)];
    if (rnd(3) === 0) a.splice(at);
    else if (rnd(2)) a.splice(at, 0, c);
    else a[at] = c;
  }
  return a;
}
const less = (a, b) => {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] < b[i];
  return a.length < b.length;
};
let read = 0, refused = 0;
for (let i = 0; i < Number(count); i++) {
  const start = bytes(), stop = rnd(2) ? [...prefix, 255] : bytes();
  const got = await mine("snapshot_read", range(start, stop, 50, rnd(2)));
  const full = keysOf((await whole("snapshot_read", range(start, stop, 50))).bytes)[0];
  if (got.status === 200) {
    read++;
    const keys = keysOf(got.bytes)[0];
    same("only keys below the prefix", keys.filter((k) => !within(k)), []);
    same("all of them", keys.length, full.length);
  } else {
    refused++;
    same("refused with 403", got.status, 403);
    // What lies within the prefix is never refused.
    same("a range within", within(start) && (within(stop) && !(stop[prefix.length] === 255 && stop.length > prefix.length + 1)
      || less(stop, prefix)), false);
  }
  const k = bytes();
  const allowed = within(k) ? 200 : 403;
  for (const body of [check(k), [...check([...prefix, 39]), ...check(k)]]) {
    same(`check of ${k}`, (await mine("atomic_write", body)).status, allowed);
  }
  const wrote = await mine("atomic_write", [...mutation(1, [...prefix, 38]), ...mutation(2, k)]);
  same(`delete of ${k}`, within(k) ? wrote.status !== 403 : wrote.status >= 400, true);
}
same("some read, some refused", read > count / 10 && refused > count / 10, true);

const outside = key("a", "bb"), inside = key("a", "b", "c");
const status = async (path, body) => (await mine(path, body)).status;
same("two ranges", await status("snapshot_read", [...range(prefix, [...prefix, 255]), ...range(outside, [...outside, 255])]), 403);
same("a dead letter", await status("atomic_write", enqueue([255, 15, 48], field(3, outside))), 403);
same("a dead letter within", await status("atomic_write", enqueue([255, 15, 48], field(3, inside))), 200);
same("a watch", await status("watch", [...watchKey(inside), ...watchKey(outside)]), 403);
same("nothing was written", keysOf((await whole("snapshot_read", range(outside, [...outside, 1]))).bytes)[0].length, 1);
const stamped = await mine("atomic_write", mutation(9, prefix));
same("a key with a versionstamp", [stamped.status, all(stamped.bytes, 1)], [200, [1]]);
end();
