// registry.mjs FOLDER FILE -- npm's registry with the packages of a folder and
// nothing else, on a port of this machine that is written into the file.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";

const [folder, portFile] = process.argv.slice(2);
const packages = new Map();
for (const name of fs.readdirSync(folder).filter((n) => n.endsWith(".tgz"))) {
  const file = path.join(folder, name);
  const info = JSON.parse(execFileSync("tar", ["-xzOf", file, "package/package.json"], { encoding: "utf8" }));
  const integrity = "sha512-" + createHash("sha512").update(fs.readFileSync(file)).digest("base64");
  packages.set(info.name, { info, file, integrity });
}
const server = http.createServer((request, response) => {
  const [, name, tarball] = /^\/((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(decodeURIComponent(request.url)) ?? [];
  const found = packages.get(name);
  if (!found) return response.writeHead(404).end("{}");
  if (tarball) return response.end(fs.readFileSync(found.file));
  const { info, integrity } = found;
  const dist = { integrity, tarball: `http://127.0.0.1:${server.address().port}/${name}/tarball` };
  response.end(JSON.stringify({
    name, "dist-tags": { latest: info.version }, versions: { [info.version]: { ...info, dist } },
  }));
});
server.listen(0, "127.0.0.1", () => {
  fs.writeFileSync(portFile + ".new", String(server.address().port));
  fs.renameSync(portFile + ".new", portFile);
});
