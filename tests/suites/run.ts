// run.ts -- the test suites of programs over Deno KV, in the real Deno and again with Deno.openKv()
// replaced by the package's: what fails with one and passes with the other is named.
//
//   deno run -A run.ts FOLDER PACKAGE [NAME ...]
//
// Suites are cloned into the folder, from $SUITES_GIT, in which %s is owner/name and %m is owner+name;
// https://github.com/%s unless given.  Their modules of Deno's standard library, under whatever
// name, are those of a clone of it; others come from npm.  Prints a table, which
// sql/manual/openkv.md has (make suites).
import { createRequire } from "node:module";

// packages: other repositories that it imports.  imports: what is to be found elsewhere.  slow: it
// runs for many minutes, and only if it is named.
type Suite = { repo: string; tests: string[]; slow?: boolean; packages?: string[]; imports?: Record<string, string> };

const SUITES: Record<string, Suite> = {
  "kv-utils": { repo: "denoland/kv-utils", tests: ["."] },
  "kv-toolbox": { repo: "kitsonk/kv-toolbox", tests: ["."], packages: ["denoland/kv-utils"] },
  "deno_kv_oauth": { repo: "denoland/deno_kv_oauth", tests: ["lib"], packages: ["cmd-johnson/deno-oauth2-client"] },
  "deno-kv-entity": { repo: "hugojosefson/deno-kv-entity", tests: ["."] },
  "deno-kv-topics": { repo: "Kycermann/deno-kv-topics", tests: ["."] },
  "deno-kv-plus": { repo: "Kycermann/deno-kv-plus", tests: ["."] },
  "denokv-graphql": { repo: "vwkd/denokv-graphql", tests: ["."], slow: true },
  "pentagon": { repo: "skoshx/pentagon", tests: ["test"], imports: Object.fromEntries(["mod", "types"].map((m) => [`https://deno.land/x/zod@v3.21.4/${m}.ts`, "npm:zod@3.21.4"])) },
  "automerge-repo-storage-denokv": { repo: "nkaradzhov/automerge-repo-storage-denokv", tests: ["all-tests.ts", "test-kv.ts"] },
  "lucia-denokv": { repo: "ts-rex/lucia-denokv", tests: ["."] },
  "deno_storage_modules": { repo: "jollytoad/deno_storage_modules", tests: ["."] },
  "tough-cookie-deno-kv": { repo: "bluescorpian/tough-cookie-deno-kv", tests: ["."] },
  "kvdex": { repo: "oliver-oloughlin/kvdex", tests: ["tests"], slow: true },
};

const [folder, pkg, ...names] = Deno.args;
const from = Deno.env.get("SUITES_GIT") ?? "https://github.com/%s";
const preload = new URL("replace.mjs", import.meta.url).pathname;
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

async function run(cwd: string, env: Record<string, string>, ...command: string[]) {
  const { code, stdout, stderr } = await new Deno.Command(command[0], { args: command.slice(1), cwd, env, stdin: "null" }).output();
  return { code, out: decode(stdout), err: decode(stderr) };
}

/** The folder of a repository, cloned unless it is there. */
async function clone(repo: string) {
  const dir = `${folder}/${repo}`;
  try {
    Deno.statSync(`${dir}/.git`);
  } catch {
    Deno.mkdirSync(dir.replace(/\/[^/]*$/, ""), { recursive: true });
    const url = from.replace("%s", repo).replace("%m", repo.replace("/", "+"));
    const { code, err } = await run(folder, {}, "git", "clone", "-q", url, dir);
    if (code) throw new Error(`it can't be cloned: ${err.trim().split("\n").at(-1)}`);
  }
  return dir;
}

const readJson = (file: string) => JSON.parse(Deno.readTextFileSync(file).replace(/^\s*\/\/.*$/gm, "").replace(/,(\s*[}\]])/g, "$1"));

/** The modules of the packages in a folder: their names, and where they are. */
function modulesOf(dir: string) {
  const modules: Record<string, string> = {}, folders = [...Deno.readDirSync(dir)].filter((e) => e.isDirectory).map((e) => `${dir}/${e.name}`);
  for (const folder of [dir, ...folders]) {
    for (const name of ["deno.json", "deno.jsonc", "jsr.json"]) {
      try {
        const { name: pkg, exports } = readJson(`${folder}/${name}`);
        const all = typeof exports === "string" ? { ".": exports } : exports;
        for (const [as, file] of Object.entries(all as Record<string, string>)) modules[pkg + as.slice(1)] = `file://${folder}/${file.slice(2)}`;
      } catch { /* no package */ }
    }
  }
  return modules;
}

/** An import map for a suite: bare names and those of registries that can't be asked.  Replaced, @deno/kv is the package. */
function importMap(dir: string, suite: Suite, std: Record<string, string>, replaced: boolean) {
  const imports: Record<string, string> = { ...std, ...modulesOf(dir) }, specifiers = new Set<string>();
  for (const name of suite.packages ?? []) Object.assign(imports, modulesOf(`${folder}/${name}`));
  for (const name of ["deno.json", "deno.jsonc", "import_map.json", "importmap.json"]) {
    try {
      const given = readJson(`${dir}/${name}`).imports ?? {};
      for (const [as, to] of Object.entries(given as Record<string, string>)) {
        specifiers.add(to);
        imports[as] ??= to.startsWith(".") ? new URL(to, `file://${dir}/`).href : to;
        if (to.startsWith("npm:")) imports[`${as}/`] ??= `npm:/${to.slice(4).replace(/^\//, "")}/`;
      }
    } catch { /* there is none */ }
  }
  const walk = (path: string) => {
    for (const e of Deno.readDirSync(path)) {
      if (e.isDirectory && !/^(?:\.git|node_modules)$/.test(e.name)) walk(`${path}/${e.name}`);
      else if (/\.[mc]?tsx?$/.test(e.name)) {
        for (const [, s] of Deno.readTextFileSync(`${path}/${e.name}`).matchAll(/(?:from|import)\s*\(?\s*["']((?:jsr|https):[^"']+)["']/g)) specifiers.add(s);
      }
    }
  };
  walk(dir);
  Object.assign(imports, suite.imports);
  for (const s of specifiers) {
    const jsr = /^jsr:\/?(@[^/]+\/[^@/]+)(?:@[^/]+)?(\/.*)?$/.exec(s), land = /^https:\/\/deno\.land\/std(?:@[^/]+)?\/([^/]+)\/(.*)$/.exec(s);
    if (jsr) {
      const target = imports[jsr[1] + (jsr[2] ?? "")];
      if (target && !target.startsWith("jsr:")) imports[s] = target;
    } else if (land) imports[s] = land[2] === "asserts.ts" ? std["@std/assert"] : std[`@std/${land[1]}/${land[2].replace(/\.ts$/, "").replaceAll("_", "-")}`] ?? std[`@std/${land[1]}`];
  }
  for (const [as, to] of Object.entries(imports)) {
    if (imports[to]) imports[as] = imports[to];
    if (/^npm:@deno\/kv@[^/]*$/.test(to)) imports[as] = replaced ? `file://${folder}/ours.mjs` : "npm:@deno/kv@0.14.0";
  }
  const file = `${folder}/${suite.repo.replace("/", "+")}.json`;
  Deno.writeTextFileSync(file, JSON.stringify({ imports }, null, 1));
  return file;
}

/** The results of a suite's tests by their names: whether each has passed. */
async function test(dir: string, suite: Suite, std: Record<string, string>, replaced: boolean) {
  const map = importMap(dir, suite, std, replaced), report = `${map}.xml`, env: Record<string, string> = { KV_PACKAGE: pkg, NO_COLOR: "1" };
  const { code, err } = await run(dir, env, "timeout", "1200", Deno.execPath(), "test", "-A", "--quiet", "--unstable-kv", "--no-check", "--no-lock", "--no-config",
    `--import-map=${map}`, `--junit-path=${report}`, ...replaced ? [`--preload=${preload}`] : [], ...suite.tests);
  const results = new Map<string, boolean>();
  let xml = "";
  try {
    xml = Deno.readTextFileSync(report);
    Deno.removeSync(report);
  } catch { /* it didn't come so far */ }
  for (const [, attributes, body] of xml.matchAll(/<testcase ([^>]*?)(?:\/>|>([^]*?)<\/testcase>)/g)) {
    const name = /name="([^"]*)"/.exec(attributes)?.[1] ?? "", file = /classname="([^"]*)"/.exec(attributes)?.[1];
    if (!/<skipped/.test(body ?? "")) results.set(`${file} ${name}`, !/<(?:failure|error)/.test(body ?? ""));
  }
  if (results.size === 0) throw new Error(`no test runs (${code}): ${/(?:error|Error).*/.exec(err)?.[0] ?? err.trim().split("\n").at(-1)}`);
  return results;
}

// For suites that import @deno/kv.
Deno.writeTextFileSync(`${folder}/ours.mjs`, `import { createRequire } from "node:module";
export const { ${Object.keys(createRequire(import.meta.url)(pkg))} } = createRequire(import.meta.url)("${pkg}");\n`);

const std = modulesOf(await clone("denoland/std"));
console.log("| suite | tests | the real Deno | `openKv()` in Deno | difference |\n| --- | --- | --- | --- | --- |");
let failed = 0;
for (const [name, suite] of Object.entries(SUITES)) {
  if (names.length ? !names.includes(name) : suite.slow) continue;
  try {
    const dir = await clone(suite.repo);
    for (const name of suite.packages ?? []) await clone(name);
    const theirs = await test(dir, suite, std, false), ours = await test(dir, suite, std, true);
    const passed = (results: Map<string, boolean>) => [...results.values()].filter(Boolean).length;
    let differ = [...new Set([...theirs.keys(), ...ours.keys()])].filter((t) => theirs.get(t) !== ours.get(t)), vary = 0;
    if (differ.length) {
      // Some depend on the time, or on versionstamps: those have other results in another run.
      const [theirs2, ours2] = [await test(dir, suite, std, false), await test(dir, suite, std, true)];
      vary = [...theirs.keys()].filter((t) => theirs.get(t) !== theirs2.get(t)).length;
      differ = differ.filter((t) => theirs.get(t) === theirs2.get(t) && ours.get(t) === ours2.get(t));
    }
    failed += differ.length;
    const difference = (differ.join("; ") || "none") + (vary ? `; ${vary} vary from run to run in the real Deno` : "");
    console.log(`| [${name}](https://github.com/${suite.repo}) | ${theirs.size} | ${passed(theirs)} pass | ${passed(ours)} pass | ${difference} |`);
  } catch (e) {
    console.log(`| [${name}](https://github.com/${suite.repo}) | – | – | – | not run: ${(e as Error).message} |`);
  }
}
Deno.exit(failed ? 1 : 0);
