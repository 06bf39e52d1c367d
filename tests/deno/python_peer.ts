// python_peer.ts FILE -- a Deno program beside one in Python: a line of input is a task, the
// answer to it a line of output.

const kv = await Deno.openKv(Deno.args[0]);
const say = (x: unknown) => console.log(JSON.stringify(x));
const received: unknown[] = [];

async function task(name: string) {
  switch (name) {
    case "sums":
      for (let i = 0; i < 100; i++) {
        await kv.atomic().sum(["sum"], 1n).min(["min"], BigInt(1000 - i))
          .max(["max"], BigInt(i)).commit();
      }
      return "done";
    case "checks": {
      let n = 0;
      while (n < 100) {
        try {
          const e = await kv.get<number>(["checked"]);
          const op = kv.atomic().check(e).set(["checked"], (e.value ?? 0) + 1);
          if ((await op.commit()).ok) n++;
        } catch (e) {
          if (!String(e).includes("locked")) throw e;
        }
      }
      return "done";
    }
    case "enqueue":
      for (const m of [1, "two", { three: new Set([3]) }, 4n, undefined]) {
        await kv.enqueue(m);
      }
      await kv.enqueue("later", { delay: 200 });
      return "done";
    case "listen":
      kv.listenQueue((m) => {
        received.push(m);
        if (m === "bad") throw new Error("bad");
      }).catch(() => {});
      while (received.length < 6) await new Promise((f) => setTimeout(f, 10));
      await new Promise((f) => setTimeout(f, 300));
      return received.map((m) => Deno.inspect(m)).sort();
    case "writes":
      for (let i = 0; i < 5; i++) {
        await kv.set(["watched"], i);
        await new Promise((f) => setTimeout(f, 60));
      }
      await kv.delete(["watched"]);
      return "done";
    case "values": {
      const got = [];
      for await (const e of kv.list({ prefix: ["values"] })) got.push(Deno.inspect(e.value));
      return got;
    }
  }
}

const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream());
let rest = "";
for await (const text of lines) {
  rest += text;
  for (let i; (i = rest.indexOf("\n")) >= 0; rest = rest.slice(i + 1)) {
    say(await task(rest.slice(0, i)) ?? null);
  }
}
kv.close();
