// indexes.ts -- the functions of Deno's manual page on secondary indexes, and
// plain writes, for a program that keeps a file open all the while.
//
//   indexes.ts FILE
//
// Reads commands from standard input, a JSON array a line, and answers each
// with a line of JSON:
//
//   ["set", id, user]          kv.set(["users", id], user)
//   ["setExpire", id, user, ms]
//   ["delete", id]
//   ["batch", [id, user|null], ...]       one atomic operation
//   ["byEmail", email]         the user's id, read through the index
//   ["byColor", color]         ids, listed in the index and read by getMany
//   ["entries", name]          [key parts behind the name, value], ...
//   ["fill", from, to, color]  many users, 100 an operation

type User = { email?: string; color?: string; age?: number };

const kv = await Deno.openKv(Deno.args[0]);

async function byEmail(email: string): Promise<unknown> {
  const id = await kv.get<number>(["users_by_email", email]);
  if (id.value === null) return null;
  const user = await kv.get<User>(["users", id.value]);
  return user.value === null ? null : [id.value, user.value.email];
}

async function byColor(color: string): Promise<unknown> {
  const ids: number[] = [];
  for await (const e of kv.list<number>({ prefix: ["users_by_color", color] })) {
    ids.push(e.value);
  }
  const found: unknown[] = [];
  for (let i = 0; i < ids.length; i += 10) {
    const users = await kv.getMany<User[]>(
      ids.slice(i, i + 10).map((id) => ["users", id]),
    );
    for (const u of users) found.push([u.key[1], u.value?.color ?? null]);
  }
  return found;
}

async function entries(name: string): Promise<unknown> {
  const found: unknown[] = [];
  for await (const e of kv.list({ prefix: [name] })) {
    found.push([e.key.slice(1), e.value]);
  }
  return found;
}

async function fill(from: number, to: number, color: string): Promise<number> {
  for (let i = from; i < to; i += 100) {
    const op = kv.atomic();
    for (let id = i; id < Math.min(i + 100, to); id++) {
      op.set(["users", id], { email: `fill${id}`, color });
    }
    await op.commit();
  }
  return to - from;
}

// deno-lint-ignore no-explicit-any
async function run(c: any[]): Promise<unknown> {
  switch (c[0]) {
    case "set":
      return (await kv.set(["users", c[1]], c[2])).versionstamp;
    case "setExpire":
      return (await kv.set(["users", c[1]], c[2], { expireIn: c[3] })).versionstamp;
    case "delete":
      await kv.delete(["users", c[1]]);
      return "deleted";
    case "batch": {
      const op = kv.atomic();
      for (const [id, user] of c.slice(1)) {
        if (user === null) op.delete(["users", id]);
        else op.set(["users", id], user);
      }
      return (await op.commit()).ok;
    }
    case "byEmail":
      return await byEmail(c[1]);
    case "byColor":
      return await byColor(c[1]);
    case "entries":
      return await entries(c[1]);
    case "fill":
      return await fill(c[1], c[2], c[3]);
    default:
      throw new Error(`unknown command ${c[0]}`);
  }
}

// Another process may hold the lock for a moment: Deno does not wait.
async function patient(c: unknown[]): Promise<unknown> {
  for (let i = 0;; i++) {
    try {
      return await run(c);
    } catch (e) {
      if (i >= 100 || !/database is locked/.test(String(e))) throw e;
      await new Promise((r) => setTimeout(r, 10));
    }
  }
}

let rest = "";
for await (const c of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + c).split("\n");
  rest = lines.pop()!;
  for (const line of lines) {
    let answer: unknown;
    try {
      answer = await patient(JSON.parse(line));
    } catch (e) {
      answer = { error: String(e) };
    }
    console.log(JSON.stringify(answer));
  }
}
kv.close();
