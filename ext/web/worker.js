// worker.js -- the worker: SQLite and the extension. The page sends
// {id, request, args} and gets {id, result} or {id, error}; {event: ...} comes
// unasked. {request: "stop"} has no answer of its own.

/* global kvWasm: what emscripten made, which stands before this script */
import { Store } from "./store.js";

let store;

async function start(module) {
  const wasm = await kvWasm({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
      return {};
    },
    print() {},
    printErr() {},
  });
  store = new Store(wasm, (event) => postMessage(event));
}

/** What went wrong, with what SQLite knows of it. */
function problem(error) {
  const { message, code, offset } = error;
  return {
    message: error instanceof WebAssembly.RuntimeError
      ? `the worker has failed: ${message}`
      : message,
    code,
    offset,
  };
}

// Requests are answered in their order, but for those that only count.
const BACKGROUND = new Set(["count", "measure"]);
let queue = Promise.resolve();

async function answer({ id, request, args }) {
  const background = BACKGROUND.has(request);
  if (!background) store.slices.begin();
  try {
    const result = request === "start" ? true : await store[request](args ?? {});
    postMessage({ id, result });
  } catch (error) {
    postMessage({ id, error: problem(error) });
  } finally {
    if (!background) store.slices.end();
  }
}

addEventListener("message", ({ data }) => {
  if (data.request === "stop") return store.slices.stop();
  if (data.request === "start") queue = start(data.module);
  const answered = queue.then(() => answer(data));
  if (!BACKGROUND.has(data.request)) queue = answered;
});
