// graphs.ts SEED N -- random graphs, as the console prints them and as V8
// writes them: a JSON list of [text, hexadecimal bytes].  Each object leads back
// to itself, so that it has a label wherever it is printed.  (Maps and Sets as the console
// prints them aren't read.)
import v8 from "node:v8";

let state = Number(Deno.args[0]) >>> 0;
const below = (n: number) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
};

type Any = any;
const make: (() => Any)[] = [
  () => ({}),
  () => ({ n: below(3) }),
  () => [below(3)],
];
const link = (from: Any, to: Any, k: number) => {
  if (Array.isArray(from)) from.push(to);
  else from["p" + k] = to;
};

const rows: [string, string][] = [];
for (let t = Number(Deno.args[1]); t > 0; t--) {
  const all = Array.from({ length: 1 + below(4) }, () => make[below(make.length)]());
  all.forEach((o, i) => {
    link(o, all[(i + 1) % all.length], 0);
    link(o, o, 1);
  });
  for (let k = below(6); k > 0; k--) link(all[below(all.length)], all[below(all.length)], 1 + k);
  const root = below(2) ? all[0] : Array.from({ length: 1 + below(4) }, () => all[below(all.length)]);
  const text = Deno.inspect(root, {
    depth: Infinity,
    iterableLimit: 1e6,
    breakLength: below(2) ? 80 : Infinity,
    compact: below(2) === 1,
    trailingComma: below(2) === 1,
  });
  rows.push([text, v8.serialize(root).toString("hex")]);
}
console.log(JSON.stringify(rows));
