// services.js -- openKv() and what @deno/kv exports beside it: services, which open
// databases of one kind, and what its options name.
"use strict";

const { openStore } = require("./openkv.js");

const IMPLEMENTATIONS = ["in-memory", "sqlite", "remote"];
const isUrl = (path) => /^https?:\/\//i.test(path);

// Of @deno/kv, whose part in native code can be another.
const NAPI_FUNCTIONS = ["open", "close", "snapshotRead", "atomicWrite", "dequeueNextMessage", "finishMessage", "startWatch",
  "dequeueNextWatchMessage", "endWatch"];
const isNapiInterface = (v) => typeof v === "object" && v !== null && NAPI_FUNCTIONS.every((name) => typeof v[name] === "function");

function checkOption(name, v, isRight) {
  if (v !== undefined && !isRight) throw new Error(`Bad '${name}': ${String(v)}`);
}

/** The options, if they are right. */
function checkOptions(options = {}) {
  if (typeof options !== "object" || options === null) throw new Error(`Bad 'opts': ${String(options)}`);
  const { debug, implementation, encodeV8, decodeV8, napi } = options;
  checkOption("opts.debug", debug, typeof debug === "boolean");
  checkOption("opts.implementation", implementation, IMPLEMENTATIONS.includes(implementation));
  if ((encodeV8 === undefined) !== (decodeV8 === undefined)) throw new Error("Provide both 'encodeV8' or 'decodeV8', or neither");
  for (const f of [encodeV8, decodeV8]) checkOption("encodeV8' and 'decodeV8", f, typeof f === "function");
  if (napi !== undefined) throw new Error("kv: the option napi is for @deno/kv alone: openKv() is an extension of SQLite");
  return options;
}

/** Open a file, or a store in memory, as Deno.openKv() does; a URL by KV Connect. */
async function openKv(path, given) {
  const options = checkOptions(given), { implementation } = options;
  path ??= implementation ? undefined : process.env.DENO_KV_DEFAULT_PATH || undefined;
  if (path !== undefined && typeof path !== "string") throw new TypeError("Filename cannot be empty");
  if (implementation === "remote" || !implementation && path && isUrl(path)) return await openRemote(path, options);
  if (!path || implementation === "in-memory" || options.inMemory === true) return await openStore(":memory:", options);
  if (/^:(?!memory:$)/.test(path)) throw new TypeError("Filename cannot start with ':' unless prefixed with './'");
  if (isUrl(path)) throw new Error(`Invalid path: ${path}`);
  return await openStore(path, { ...options, implementation: "sqlite" });
}

async function openRemote(path, options) {
  if (!path || !isUrl(path)) throw new Error(`Bad 'path': must be an http(s) url, found ${path}`);
  const accessToken = options.accessToken || process.env.DENO_KV_ACCESS_TOKEN;
  if (typeof accessToken !== "string" || accessToken === "") throw new Error("Set the DENO_KV_ACCESS_TOKEN to your access token");
  return await openStore(path, { ...options, accessToken, implementation: "remote" });
}

/** The services, with openKv(path, options) as it is for this package. */
function services(open) {
  const service = (implementation) => (options) => ({ openKv: (path) => open(path, { ...options, implementation }) });
  return {
    makeNapiBasedService: service("sqlite"),
    makeRemoteService: service("remote"),
    /** Those of one service that have a name are one. */
    makeInMemoryService: (options) => {
      const opened = new Map();
      return {
        openKv: (path = "") => {
          if (!opened.has(path)) opened.set(path, open(path, { ...options, implementation: "in-memory" }));
          return opened.get(path);
        },
      };
    },
    makeNativeService: () => {
      const native = globalThis.Deno?.openKv;
      if (typeof native !== "function") throw new Error("Global 'Deno.openKv' not found: makeNativeService() is for Deno with --unstable-kv");
      return { openKv: native };
    },
  };
}

module.exports = { openKv, services, NAPI_FUNCTIONS, isNapiInterface };
