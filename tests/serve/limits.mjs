// limits.mjs -- what is refused, by its status and text: one line each.
import { check, connect, enqueue, field, key, mutation, range, watchKey } from "./raw.mjs";

const call = await connect(process.env.DENO_KV_ACCESS_TOKEN);
const many = (n, f) => Array.from({ length: n }, (_, i) => f(i)).flat();
const long = (n) => [2, ...new Array(n - 2).fill(97), 0];
const k = key("k");
const cases = {
  "eleven ranges": ["snapshot_read", many(11, () => range(k, key("l"), 1))],
  "a limit of 0": ["snapshot_read", range(k, key("l"), 0)],
  "a negative limit": ["snapshot_read", range(k, key("l"), -1)],
  "1001 entries": ["snapshot_read", [...range(k, key("l"), 1000), ...range(k, key("l"), 1)]],
  "a long start": ["snapshot_read", range(long(2050), key("l"))],
  "the longest start": ["snapshot_read", range(long(2049), key("l"))],
  "101 checks": ["atomic_write", many(101, () => check(k))],
  "1001 mutations": ["atomic_write", many(1001, () => mutation(1, k))],
  "a versionstamp of 9 bytes": ["atomic_write", check(k, new Array(9).fill(0))],
  "a long key": ["atomic_write", mutation(1, long(2049))],
  "the longest key": ["atomic_write", mutation(1, long(2048))],
  "no key": ["atomic_write", mutation(1, [])],
  "a malformed key": ["atomic_write", mutation(1, [1])],
  "a large value": ["atomic_write", mutation(1, k, [255, 15, 34, 252, 255, 3, ...new Array(65532).fill(97)])],
  "too much in all": ["atomic_write", many(14, (i) => mutation(1, key(`${i}`), [255, 15, 34, 224, 212, 3, ...new Array(60000).fill(97)]))],
  "an unknown mutation": ["atomic_write", mutation(6, k)],
  "a set without value": ["atomic_write", field(2, [...field(1, k), ...field(3, 1)])],
  "an unknown encoding": ["atomic_write", field(2, [...field(1, k), ...field(2, [...field(1, [1]), ...field(2, 4)]), ...field(3, 1)])],
  "an undecodable value": ["atomic_write", mutation(1, k, [255, 15, 1])],
  "a KvU64 of 7 bytes": ["atomic_write", field(2, [...field(1, k), ...field(2, [...field(1, new Array(7).fill(0)), ...field(2, 2)]), ...field(3, 1)])],
  "a negative expiry": ["atomic_write", mutation(1, k, undefined, field(4, -2))],
  "eleven dead letters": ["atomic_write", enqueue([255, 15, 48], many(11, () => field(3, k)))],
  "six steps of backoff": ["atomic_write", enqueue([255, 15, 48], many(6, () => field(4, 1)))],
  "a step above an hour": ["atomic_write", enqueue([255, 15, 48], field(4, 3600001))],
  "a delay above 30 days": ["atomic_write", field(3, [...field(1, [255, 15, 48]), ...field(2, Date.now() + 2592100000)])],
  "a watch of nothing": ["watch", []],
  "a watch of eleven keys": ["watch", many(11, () => watchKey(k))],
  "an empty read": ["snapshot_read", []],
  "an empty operation": ["atomic_write", []],
  "a message in many small pieces": ["atomic_write", many(400000, () => [10, 0])],
};
for (const [what, [path, body]] of Object.entries(cases)) {
  const { status, text } = await call(path, body);
  console.log(`${what}: ${status}${text === undefined ? "" : " " + text}`);
}
