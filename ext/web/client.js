// client.js -- the page's end of the worker: requests, stopping, and starting
// again with all changes if the worker doesn't listen any more.

const GRACE_MS = 600;

export class Client {
  /** `workerText` is the worker's script, `module` the compiled WebAssembly. */
  constructor(workerText, module, policy) {
    const url = URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));
    this.url = policy ? policy.createScriptURL(url) : url;
    this.module = module;
    this.listeners = new Map();
    this.pending = new Map();
    this.serial = 0;
    this.journal = [];
    this.files = null;
    this.#start();
  }

  #start() {
    this.worker = new Worker(this.url);
    this.worker.onmessage = ({ data }) => this.#receive(data);
    this.worker.onerror = (event) => this.#failed(event.message);
    return this.#send("start", {}, { module: this.module });
  }

  #send(request, args, more = {}, transfer = []) {
    const id = ++this.serial;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject, request });
      this.worker.postMessage({ id, request, args, ...more }, transfer);
      this.#busy();
    });
  }

  #receive(data) {
    if (data.event) return this.#tell(data.event, data);
    const waiting = this.pending.get(data.id);
    this.pending.delete(data.id);
    this.#busy();
    if (data.error) waiting?.reject(Object.assign(new Error(data.error.message), data.error));
    else waiting?.resolve(data.result);
  }

  #failed(message) {
    for (const { reject } of this.pending.values()) reject(new Error(message));
    this.pending.clear();
    this.#busy();
  }

  #busy() {
    this.#tell("busy", { busy: this.pending.size > 0 });
  }

  on(event, listener) {
    const list = this.listeners.get(event) ?? [];
    this.listeners.set(event, [...list, listener]);
  }
  #tell(event, data) {
    for (const listener of this.listeners.get(event) ?? []) listener(data);
  }

  /** Opens files; `read()` gives their bytes, now and if the worker must start again. */
  async open(read) {
    const files = await read();
    const info = await this.#send("open", { files }, {}, files.map((file) => file.bytes.buffer));
    this.files = read;
    this.journal = [];
    return info;
  }

  /** While the worker starts again, requests wait for the file. */
  async request(request, args) {
    await this.restarting;
    return await this.#send(request, args);
  }

  /** A request that may change the file: it is done again if the worker must start again. */
  async change(request, args) {
    const result = await this.request(request, args);
    const wrote = request === "exec" ? result.wrote : true;
    if (wrote) this.journal.push({ request, args });
    if (result.changed !== undefined) this.#tell("changed", { changed: result.changed, wrote });
    return result;
  }

  /** A request that changes what the worker holds beside the file: it is done again, too. */
  async remember(request, args) {
    const result = await this.request(request, args);
    if (this.journal.at(-1)?.request !== request) this.journal.push({ request, args });
    return result;
  }

  /** The file that `read` gives now holds all changes so far. */
  async saved(read) {
    await this.request("saved", {});
    this.files = read;
    this.journal = this.journal.filter(({ request }) => request === "collections");
    this.#tell("changed", { changed: 0, wrote: true });
  }

  /** Stops what runs. A worker that is deep in one step is ended and started again. */
  async stop() {
    this.worker.postMessage({ request: "stop" });
    const waiting = [...this.pending.keys()];
    await new Promise((resolve) => setTimeout(resolve, GRACE_MS));
    if (!waiting.some((id) => this.pending.has(id))) return;
    this.worker.terminate();
    this.#failed("stopped");
    await this.restart();
  }

  async restart() {
    this.restarting = this.#restart();
    try {
      await this.restarting;
    } finally {
      this.restarting = undefined;
    }
    this.#tell("restarted", {});
  }
  async #restart() {
    await this.#start();
    const files = await this.files();
    await this.#send("open", { files }, {}, files.map((file) => file.bytes.buffer));
    for (const { request, args } of this.journal) await this.#send(request, args);
  }
}
