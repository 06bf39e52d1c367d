// types.ts -- the package's types and Deno's are assignable to each other.  Checked
// by "deno check", never run; "sqlite-kv" is the package's index.d.ts.
import * as pkg from "sqlite-kv";
import whole from "sqlite-kv";

const value = <T>() => undefined as unknown as T;

// What openKv() gives is a Deno.Kv, and a function that takes the package's takes Deno's.
export const openKv: typeof Deno.openKv = pkg.openKv;
export const byDefault: typeof pkg.openKv = whole.openKv;
export const ours: Deno.Kv = value<pkg.Kv>();
export const theirs: Omit<pkg.Kv, "sql" | "collection" | "transaction"> = value<Deno.Kv>();
export const oursAtomic: Deno.AtomicOperation = value<pkg.AtomicOperation>();
export const theirsAtomic: pkg.AtomicOperation = value<Deno.AtomicOperation>();
export const oursList: Deno.KvListIterator<Date> = value<pkg.KvListIterator<Date>>();
export const theirsList: pkg.KvListIterator<Date> = value<Deno.KvListIterator<Date>>();
export const oursNumber: Deno.KvU64 = value<pkg.KvU64>();
export const theirsNumber: pkg.BigintHolder = value<Deno.KvU64>();

// Neither is more than the other, and neither is any.
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
type Each = [
  Same<pkg.KvKey, Deno.KvKey>, Same<pkg.KvKeyPart, Deno.KvKeyPart>, Same<pkg.KvConsistencyLevel, Deno.KvConsistencyLevel>,
  Same<pkg.KvListSelector, Deno.KvListSelector>, Same<pkg.KvMutation, Deno.KvMutation>,
  Same<Parameters<pkg.Kv["listenQueue"]>[0], Parameters<Deno.Kv["listenQueue"]>[0]>,
];
export const each: Each = [true, true, true, true, true, true];
export const entry: [pkg.KvEntry<1>, Deno.KvEntry<1>] = [value<Deno.KvEntry<1>>(), value<pkg.KvEntry<1>>()];
export const maybe: [pkg.KvEntryMaybe<1>, Deno.KvEntryMaybe<1>] = [value<Deno.KvEntryMaybe<1>>(), value<pkg.KvEntryMaybe<1>>()];
export const check: [pkg.AtomicCheck, Deno.AtomicCheck] = [value<Deno.AtomicCheck>(), value<pkg.AtomicCheck>()];
export const list: [pkg.KvListOptions, Deno.KvListOptions] = [value<Deno.KvListOptions>(), value<pkg.KvListOptions>()];
export const result: [pkg.KvCommitResult | pkg.KvCommitError, Deno.KvCommitResult | Deno.KvCommitError] =
  [value<Deno.KvCommitResult | Deno.KvCommitError>(), value<pkg.KvCommitResult | pkg.KvCommitError>()];

// A program for Deno, with each of them.
export async function program(kv: Deno.Kv | pkg.Kv) {
  const user = await kv.get<{ name: string }>(["users", 1]);
  const res = await kv.atomic().check(user).set(["users", 1], { name: user.value?.name ?? "" }).sum(["n"], 1n).commit();
  if (res.ok) console.log(res.versionstamp);
  const [name, age] = await kv.getMany<[string, number]>([["name"], ["age"]]);
  console.log(name.value?.toUpperCase(), age.value?.toFixed(1));
  for await (const e of kv.list<number>({ prefix: ["n"] }, { limit: 1, reverse: true })) console.log(e.value.toFixed(1));
  for await (const [e] of kv.watch<[bigint]>([["n"]])) console.log(e.versionstamp, e.value);
}

// Rows have the types of the declaration.
export async function collections(kv: pkg.Kv) {
  const users = await kv.collection(["users"], {
    id: "INTEGER KEY", name: "TEXT NOT NULL", email: "varchar(40) UNIQUE", born: "DATETIME", admin: "BOOLEAN NOT NULL DEFAULT FALSE", size: "BIGINT",
    photo: "BLOB", tags: "JSON", any: "", city: "TEXT AT '$.address.city'", score: "DOUBLE PRECISION NOT NULL DEFAULT 1",
  });
  type User = { id: number; name: string; email: string | null; born: Date | null; admin: boolean; size: bigint | null; photo: Uint8Array | null;
    tags: unknown; any: unknown; city: string | null; score: number };
  const [row] = await users.select`WHERE name = ${"Ada"} AND born < ${new Date()}`, all = await users.select();
  const isUser: Same<typeof row, User> = true, areUsers: Same<typeof all, User[]> = true;
  const key: { id: number } = await users.insert({ name: "Ada", born: new Date(), email: null, tags: ["a"], any: new Set([1]) });
  await users.update({ id: 1, name: "Eve", born: null });
  console.log(isUser, areUsers, key.id, (await users.get(1))?.name, await users.delete(1));
  const notes = await kv.collection(["notes"], { list: "TEXT KEY", id: "UUID KEY DEFAULT uuid", text: "TEXT NOT NULL" });
  const { list, id }: { list: string; id: string } = await notes.insert({ list: "a", text: "x" });
  console.log((await notes.get(list, id))?.text.length);
  const columns: Record<string, string> = { id: "INTEGER KEY" };
  const any = (await (await kv.collection(["any"], columns)).select())[0].id;
  const isUnknown: Same<typeof any, unknown> = true;
  console.log(isUnknown);
  // @ts-expect-error: a column that must be given
  await users.insert({ email: "a@x" });
  // @ts-expect-error: of two KEY columns none is generated
  await notes.insert({ text: "x" });
  // @ts-expect-error: another type
  await users.insert({ name: 5 });
  // @ts-expect-error: no such column
  await users.insert({ name: "Ada", nick: "a" });
  // @ts-expect-error: no key
  await users.update({ name: "Ada" });
  // @ts-expect-error: it can't be null
  await users.update({ id: 1, name: null });
  // @ts-expect-error: it may be null
  console.log(row.born.getTime());
  // @ts-expect-error: another type of key
  await users.get("1");
}

export async function refused(kv: pkg.Kv) {
  using other = await pkg.openKv(":memory:", { driver: "node:sqlite" });
  const rows = await other.sql<{ n: number }>`SELECT count(*) AS n FROM kv_entries(${["users"]})`;
  console.log(rows[0].n + 1);
  const [entry] = await other.sql.js<{ key: pkg.KvKey; js: Date }>`SELECT key, js FROM kv_entries`;
  console.log(entry.js.getTime(), (await other.transaction(async (tx) => (await tx.get<number>(["n"])).value))?.toFixed());
  other.listenQueue(() => {}, { lease: 10000 });
  const services: pkg.KvService[] = [pkg.makeInMemoryService({ debug: true, maxQueueAttempts: 3 }), pkg.makeRemoteService({ accessToken: "t", maxRetries: 1, supportedVersions: [3] }),
    pkg.makeNapiBasedService({ encodeV8: () => new Uint8Array(), decodeV8: () => null })];
  const implementation: pkg.KvImplementation = "in-memory";
  await pkg.openKv("", { implementation, ...pkg.makeLimitedV8Serializer() });
  console.log(services.length, new pkg.UnknownV8(new Uint8Array()).bytes.length, pkg.isNapiInterface({}));
  // @ts-expect-error: there is no such implementation
  await pkg.openKv("", { implementation: "file" });
  // @ts-expect-error: no key is a text
  await kv.get("users");
  // @ts-expect-error: the value of an entry that may be missing
  console.log((await kv.get<string>(["a"])).value.length);
  // @ts-expect-error: counters are counted in bigints
  kv.atomic().sum(["n"], 1);
  // @ts-expect-error: only openKv() makes one
  new pkg.Kv();
  // @ts-expect-error: there is no such mutation
  kv.atomic().mutate({ type: "add", key: ["n"], value: new pkg.KvU64(1n) });
}
