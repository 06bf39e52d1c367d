// users.ts -- users with secondary indexes, as a Deno program keeps them: the
// pattern of sql/examples/secondary_indexes.sql with kv.atomic().
//
//     ["users", id]                            the user
//     ["users_by_email", email]                id; the e-mail in lower case
//     ["users_by_favorite_color", color, id]   id
//
// and members, whose index holds copies and moves to pointers:
//
//     ["members", id]                          the member
//     ["members_by_email", email]              the member again (old)
//     ["member_ids_by_email", email]           id (new)

export type Id = string | number | bigint;
export interface User {
  id: Id;
  name: string;
  email: string;
  favoriteColor: string;
}
export type Outcome = "ok" | "taken" | "none";

/** What a test wants to know of, and do in, the retry loops. */
export const probe = {
  retries: 0,
  locked: 0,
  between: (): Promise<void> => Promise.resolve(),
};

const userKey = (id: Id) => ["users", id];
const emailKey = (email: string) => ["users_by_email", email.toLowerCase()];
const colorKey = (u: User) => [
  "users_by_favorite_color",
  u.favoriteColor,
  u.id,
];
const absent = (key: Deno.KvKey) => ({ key, versionstamp: null });

/**
 * Commit; undefined if Deno says "database is locked", which it does when
 * another process writes between its checks and its writes.  Nothing is
 * written then.
 */
async function commit(op: Deno.AtomicOperation): Promise<boolean | undefined> {
  try {
    return (await op.commit()).ok;
  } catch (e) {
    if (!(e instanceof TypeError && /database is locked/.test(e.message))) {
      throw e;
    }
    probe.locked++;
  }
}

/** The same, again and again while the database is locked. */
async function commitSurely(make: () => Deno.AtomicOperation): Promise<boolean> {
  for (;;) {
    const ok = await commit(make());
    if (ok !== undefined) return ok;
  }
}

/**
 * Read an entry, let "fill" put mutations into an operation that checks it, and
 * commit that, until it succeeds or there is no such entry or "fill" answers
 * "taken".  (It can't answer with the operation: that is no result for await.)
 */
async function retry<T>(
  kv: Deno.Kv,
  key: Deno.KvKey,
  fill: (
    op: Deno.AtomicOperation,
    value: T,
  ) => Promise<"taken" | void> | void,
): Promise<Outcome> {
  for (;;) {
    const entry = await kv.get<T>(key);
    if (entry.versionstamp === null) return "none";
    const op = kv.atomic().check(entry);
    if (await fill(op, entry.value) === "taken") return "taken";
    await probe.between();
    if (await commit(op)) return "ok";
    probe.retries++;
  }
}

// --------------------------------------------------------------- users

export async function insertUser(kv: Deno.Kv, user: User): Promise<Outcome> {
  const ok = await commitSurely(() =>
    kv.atomic()
      .check(absent(userKey(user.id)), absent(emailKey(user.email)))
      .set(userKey(user.id), user)
      .set(emailKey(user.email), user.id)
      .set(colorKey(user), user.id)
  );
  return ok ? "ok" : "taken";
}

export async function getUser(kv: Deno.Kv, id: Id): Promise<User | null> {
  return (await kv.get<User>(userKey(id))).value;
}

export async function getUserByEmail(
  kv: Deno.Kv,
  email: string,
): Promise<User | null> {
  const id = (await kv.get<Id>(emailKey(email))).value;
  return id === null ? null : await getUser(kv, id);
}

export function deleteUser(kv: Deno.Kv, id: Id): Promise<Outcome> {
  return retry<User>(kv, userKey(id), (op, user) => {
    op.delete(userKey(id))
      .delete(emailKey(user.email))
      .delete(colorKey(user));
  });
}

/** Change some properties of a user, and move its entries in the indexes. */
export function updateUser(
  kv: Deno.Kv,
  id: Id,
  change: Partial<User>,
): Promise<Outcome> {
  return changeUser<User>(kv, id, () => change);
}

/** The same; what changes depends on what there is. */
export function changeUser<U extends User>(
  kv: Deno.Kv,
  id: Id,
  change: (user: U) => Partial<U>,
): Promise<Outcome> {
  return retry<U>(kv, userKey(id), async (op, old) => {
    const user = { ...old, ...change(old) };
    const from = emailKey(old.email), to = emailKey(user.email);
    if (from[1] !== to[1]) {
      if ((await kv.get(to)).versionstamp !== null) return "taken";
      op.check(absent(to)).delete(from).set(to, id);
    }
    if (old.favoriteColor !== user.favoriteColor) {
      op.delete(colorKey(old)).set(colorKey(user), id);
    }
    op.set(userKey(id), user);
  });
}

export async function getUsersByFavoriteColor(
  kv: Deno.Kv,
  color: string,
): Promise<User[]> {
  const keys: Deno.KvKey[] = [];
  const prefix = ["users_by_favorite_color", color];
  for await (const { value } of kv.list<Id>({ prefix })) {
    keys.push(userKey(value));
  }
  const users: User[] = [];
  for (let i = 0; i < keys.length; i += 10) { // getMany takes ten keys
    for (const e of await kv.getMany<User[]>(keys.slice(i, i + 10))) {
      if (e.value !== null) users.push(e.value);
    }
  }
  return users;
}

// ------------------------------------------------------------- members

export interface Member {
  id: string;
  email: string;
  visits: number;
}
/** Which of the indexes a writer keeps. */
export type Writes = "old" | "both" | "new";

const memberKey = (id: string) => ["members", id];
const copyKey = (email: string) => ["members_by_email", email.toLowerCase()];
const pointerKey = (
  email: string,
) => ["member_ids_by_email", email.toLowerCase()];
const indexKeys = (email: string, writes: Writes) => [
  ...(writes !== "new" ? [copyKey(email)] : []),
  ...(writes !== "old" ? [pointerKey(email)] : []),
];

function setMember(
  op: Deno.AtomicOperation,
  m: Member,
  writes: Writes,
): Deno.AtomicOperation {
  op.set(memberKey(m.id), m);
  if (writes !== "new") op.set(copyKey(m.email), m);
  if (writes !== "old") op.set(pointerKey(m.email), m.id);
  return op;
}

export async function insertMember(
  kv: Deno.Kv,
  m: Member,
  writes: Writes,
): Promise<Outcome> {
  const keys = [memberKey(m.id), ...indexKeys(m.email, writes)];
  const ok = await commitSurely(() =>
    setMember(kv.atomic().check(...keys.map(absent)), m, writes)
  );
  return ok ? "ok" : "taken";
}

export function updateMember(
  kv: Deno.Kv,
  id: string,
  change: Partial<Member>,
  writes: Writes,
): Promise<Outcome> {
  return retry<Member>(kv, memberKey(id), async (op, old) => {
    const m = { ...old, ...change };
    if (m.email.toLowerCase() !== old.email.toLowerCase()) {
      for (const key of indexKeys(m.email, writes)) {
        if ((await kv.get(key)).versionstamp !== null) return "taken";
        op.check(absent(key));
      }
      for (const key of indexKeys(old.email, writes)) op.delete(key);
    }
    setMember(op, m, writes);
  });
}

export async function readMember(
  kv: Deno.Kv,
  email: string,
  index: "old" | "new",
): Promise<Member | null> {
  if (index === "old") return (await kv.get<Member>(copyKey(email))).value;
  const id = (await kv.get<string>(pointerKey(email))).value;
  return id === null ? null : (await kv.get<Member>(memberKey(id))).value;
}

const has = (m: Deno.KvEntryMaybe<Member>, email: Deno.KvKeyPart) =>
  m.value?.email.toLowerCase() === email;

/**
 * The pointers that are wrong go, those that are missing come; each is one
 * small operation, which checks all that was read for it, since others write
 * meanwhile.
 */
export async function backfill(kv: Deno.Kv): Promise<void> {
  for await (const { key } of kv.list({ prefix: ["member_ids_by_email"] })) {
    for (;;) {
      const i = await kv.get<string>(key);
      if (i.value === null) break;
      const m = await kv.get<Member>(memberKey(i.value));
      if (has(m, key[1])) break;
      if (await commit(kv.atomic().check(i, m).delete(key))) break;
    }
  }
  for await (const { key } of kv.list<Member>({ prefix: ["members"] })) {
    for (;;) {
      const m = await kv.get<Member>(key);
      if (m.value === null) break;
      const i = await kv.get<string>(pointerKey(m.value.email));
      if (i.value === m.value.id) break;
      const op = kv.atomic().check(m, i);
      let taken = false;
      if (i.value !== null) { // has become wrong just now, or is another's
        const other = await kv.get<Member>(memberKey(i.value));
        taken = has(other, i.key[1] as string);
        op.check(other);
      }
      if (!taken) op.set(i.key, m.value.id);
      if (!await commit(op)) continue;
      if (taken) throw new Error(`two members have ${m.value.email}`);
      break;
    }
  }
}

export async function cleanUp(kv: Deno.Kv): Promise<void> {
  for await (const { key } of kv.list({ prefix: ["members_by_email"] })) {
    await commitSurely(() => kv.atomic().delete(key));
  }
}
