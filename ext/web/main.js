// main.js -- the page: opening a file, its views, and what stands around them.

import { Ask } from "./ask.js";
import { Changes } from "./changes.js";
import { Client } from "./client.js";
import { button, dialog, download, h, icon, toast } from "./dom.js";
import { canWrite, chooseFiles, chooseTarget, Disk, droppedFiles } from "./disk.js";
import { Entries } from "./entries.js";
import { chooseDatabase, headProblem, walWarning } from "./files.js";
import { Overview } from "./overview.js";
import { Collections, Indexes, Queue } from "./tables.js";
import { bytes, duration } from "./words.js";

const VIEWS = [
  ["overview", "Overview", "home", Overview],
  ["entries", "Entries", "keys", Entries],
  ["collections", "Collections", "tables", Collections],
  ["queue", "Queue", "queue", Queue],
  ["indexes", "Indexes", "indexes", Indexes],
  ["ask", "SQL", "ask", Ask],
  ["changes", "Changes", "changes", Changes],
];
const THEMES = ["auto", "light", "dark"];
const BUSY_MS = 400;

class Page {
  constructor(root, client) {
    this.client = client;
    this.root = root;
    this.toast = toast;
    this.input = h("input", {
      type: "file",
      multiple: true,
      class: "hidden",
      tabindex: -1,
      "aria-hidden": "true",
      onchange: () => {
        this.openFiles([...this.input.files].map((file) => ({ file, handle: null })));
        this.input.value = "";
      },
    });
    client.on("busy", ({ busy }) => this.#busy(busy));
    client.on("progress", ({ ms }) => this.#progress(ms));
    client.on("changed", (event) => this.#changed(event));
    client.on("restarted", () => toast("Stopped. The file was opened again, with your changes."));
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("dragenter", () => root.classList.add("dropping"));
    addEventListener(
      "dragleave",
      (event) => event.relatedTarget ?? root.classList.remove("dropping"),
    );
    addEventListener("drop", (event) => {
      event.preventDefault();
      root.classList.remove("dropping");
      if (event.dataTransfer.files.length === 0) return;
      droppedFiles(event.dataTransfer).then((files) => this.openFiles(files));
    });
    addEventListener("beforeunload", (event) => this.unsaved && event.preventDefault());
    addEventListener("keydown", (event) => this.#key(event));
    this.#welcome();
  }

  // ------------------------------------------------------------------ files

  async chooseFiles() {
    if (!canWrite()) return this.input.click();
    try {
      await this.openFiles(await chooseFiles());
    } catch (error) {
      if (error.name !== "AbortError") toast(error.message, "bad");
    }
  }

  /** files: [{file, handle}], handle for those that the page may write to. */
  async openFiles(files) {
    try {
      const { main, beside } = chooseDatabase(files.map(({ file }) => file.name));
      const find = (name) => files.find(({ file }) => file.name === name);
      const chosen = [main, ...beside].map((name) => find(name).file);
      const { handle } = find(main);
      const head = new Uint8Array(await chosen[0].slice(0, 100).arrayBuffer());
      const problem = headProblem(head, chosen[0].size, beside);
      if (problem) throw new Error(problem);
      const read = () =>
        Promise.all(chosen.map(async (file) => (
          { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }
        )));
      const disk = handle && new Disk(handle, chosen[0], beside);
      await this.open(main, read, walWarning(head, beside), disk);
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  async openSample() {
    await this.open(
      "sample.sqlite3",
      async () => [{ name: "sample.sqlite3", bytes: await unpack("sample") }],
    );
  }
  async openEmpty() {
    await this.open(
      "new.sqlite3",
      async () => [{ name: "new.sqlite3", bytes: new Uint8Array() }],
    );
  }

  /**
   * `read` gives the files' bytes, again if the worker must start again; `disk` is the file that
   * Save writes to, if the browser has let the page have it.
   */
  async open(name, read, warning = null, disk = null) {
    if (this.unsaved && !await this.#discard()) return;
    const reading = this.root.appendChild(
      h(
        "p",
        { class: "reading", role: "status" },
        h("span", { class: "spinner" }),
        `Reading ${name} …`,
      ),
    );
    try {
      this.info = await this.client.open(read);
    } catch (error) {
      toast(error.message, "bad");
      return;
    } finally {
      reading.remove();
    }
    this.name = name;
    this.disk = disk;
    this.unsaved = false;
    this.#frame(warning);
    this.view = undefined;
    this.#changed({ changed: 0 });
    this.views.ask.learn();
    await this.go("overview");
  }

  #discard() {
    return dialog(
      "Changes are not saved",
      (close) =>
        h(
          "div",
          {},
          h("p", {}, "Opening another file discards your changes to this one."),
          h(
            "footer",
            {},
            button("Stay", () => close(false)),
            button("Discard them", () => close(true), { kind: "danger" }),
          ),
        ),
    );
  }

  /** Into the file that was opened, where the browser and its state allow that; else a copy. */
  async save() {
    if (!canWrite()) return this.saveCopy();
    try {
      const disk = this.disk;
      if (disk && !await this.#mayOverwrite(disk)) return;
      const blob = await this.client.request("save");
      const target = disk ?? await chooseTarget(this.name);
      await target.write(blob);
      await this.client.saved(() => target.read());
      this.disk = target;
      this.name = target.name;
      this.root.querySelector(".file h1").textContent = this.name;
      this.unsaved = false;
      toast(`Saved to ${target.name}.`);
    } catch (error) {
      if (error.name !== "AbortError") toast(error.message, "bad");
    }
  }

  async #mayOverwrite(disk) {
    const problem = await disk.problem();
    if (problem === null && disk.agreed) return true;
    const answer = await dialog(`Save to ${disk.name}`, (close) =>
      h(
        "div",
        { class: "prose" },
        problem !== null
          ? h("p", {}, `${disk.name} can't be overwritten. ${problem} Save a copy instead.`)
          : h(
            "p",
            {},
            `This overwrites ${disk.name}. Close every program that has it open first, ` +
              `Deno too; when they are closed, no file ${disk.name}-wal lies beside it.`,
          ),
        h(
          "footer",
          {},
          button("Cancel", () => close()),
          button("Save a copy", () => close("copy"), { kind: problem === null ? "" : "primary" }),
          problem === null && button("Overwrite", () => close("save"), { kind: "primary" }),
        ),
      ));
    if (answer === "copy") await this.saveCopy();
    if (answer !== "save") return false;
    if (!await disk.allowed()) {
      throw new Error(`The browser doesn't let the page write ${disk.name}.`);
    }
    return disk.agreed = true;
  }

  async saveCopy() {
    try {
      download(await this.client.request("save"), this.name);
      this.unsaved = false;
      toast("Saved as a download.");
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  saveButton() {
    const label = canWrite() ? "Save" : "Save a copy";
    return button(label, () => this.save(), { kind: "primary", iconName: "save" });
  }

  async exportLines(prefix) {
    try {
      download(
        await this.client.request("ndjson", { prefix }),
        `${this.name.replace(/\.\w+$/, "")}.ndjson`,
      );
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  // ------------------------------------------------------------------ views

  #welcome() {
    this.root.replaceChildren(
      this.input,
      h(
        "main",
        { class: "welcome" },
        h(
          "div",
          { class: "hero" },
          h("p", { class: "brand" }, icon("keys"), "sqlite-kv"),
          h("h1", {}, "Look into a Deno KV file"),
          h(
            "p",
            { class: "lead" },
            "Browse its keys, read every value as Deno stored it, query it in SQL, " +
              "change it and save it. Nothing to install, nothing uploaded.",
          ),
          h(
            "div",
            { class: "dropzone" },
            h(
              "p",
              {},
              h("strong", {}, "Drop a database here"),
              ", with its ",
              h("code", {}, "-wal"),
              " file if there is one",
            ),
            h(
              "div",
              { class: "actions" },
              button("Choose files…", () => this.chooseFiles(), {
                kind: "primary",
                iconName: "open",
              }),
              button("Open the sample", () => this.openSample()),
              button("Start empty", () => this.openEmpty()),
            ),
          ),
          this.#trust(),
        ),
      ),
    );
  }

  #trust() {
    return h(
      "button",
      { type: "button", class: "trust", onclick: () => this.#explainTrust() },
      icon("lock"),
      "Nothing leaves this page",
    );
  }

  #explainTrust() {
    return dialog(
      "Nothing leaves this page",
      (close) =>
        h(
          "div",
          { class: "prose" },
          h(
            "p",
            {},
            "The page is one file. SQLite and the extension run in it as WebAssembly, " +
              "in a worker of this browser; your database is a copy in its memory.",
          ),
          h(
            "p",
            {},
            "Its Content-Security-Policy forbids every connection, to its own server too: " +
              "the browser would refuse one, whatever the page tried. Disconnect from the " +
              "network, and it works all the same; save it, and it works from your disk.",
          ),
          h("p", {}, "What is stored is shown as text, never as markup, and is never run."),
          h(
            "pre",
            { class: "statement" },
            document.querySelector("meta[http-equiv]").content.replaceAll("; ", ";\n"),
          ),
          h("footer", {}, button("Close", () => close(), { kind: "primary" })),
        ),
    );
  }

  #frame(warning) {
    for (const view of Object.values(this.views ?? {})) view.hide?.();
    this.views = Object.fromEntries(VIEWS.map(([id, , , View]) => [id, new View(this)]));
    this.badge = h("span", { class: "badge", hidden: true });
    this.tabs = VIEWS.map(([id, label, iconName]) =>
      h(
        "button",
        {
          type: "button",
          class: "tab",
          title: label,
          "data-view": id,
          onclick: () => this.go(id),
        },
        icon(iconName),
        h("span", {}, label),
        id === "changes" ? this.badge : null,
      )
    );
    this.time = h("span", {});
    this.work = h(
      "div",
      { class: "work", role: "status", hidden: true },
      h("span", { class: "spinner" }),
      this.time,
      button("Stop", () => this.client.stop(), { iconName: "stop", kind: "small" }),
    );
    this.outlet = h("main", { class: "outlet" });
    this.root.replaceChildren(
      this.input,
      h(
        "header",
        { class: "top" },
        h("span", { class: "brand" }, icon("keys"), h("span", { class: "wide-only" }, "sqlite-kv")),
        h(
          "span",
          { class: "file", title: this.name },
          h("h1", {}, this.name),
          h("span", { class: "quiet" }, bytes(this.info.size)),
        ),
        h("span", { class: "space" }),
        this.work,
        this.#trust(),
        h("button", {
          type: "button",
          class: "bare",
          "aria-label": "Light or dark",
          title: "Light or dark",
          onclick: nextTheme,
        }, icon("theme")),
        button("Open", () => this.chooseFiles(), { iconName: "open" }),
        this.saveButton(),
      ),
      warning ? this.#warning(warning) : "",
      h("nav", { class: "rail", "aria-label": "Views" }, this.tabs),
      this.outlet,
    );
  }

  /** It is said once: closing it or going to another view ends it. */
  #warning(text) {
    const close = h("button", {
      type: "button",
      class: "bare",
      "aria-label": "Close",
      onclick: () => this.root.querySelector(".warning")?.remove(),
    }, icon("close"));
    return h("div", { class: "warning", role: "alert" }, icon("warn"), h("p", {}, text), close);
  }

  async go(id) {
    if (this.view && this.view !== id) this.root.querySelector(".warning")?.remove();
    for (const tab of this.tabs) {
      tab.setAttribute("aria-current", tab.dataset.view === id ? "page" : "false");
    }
    if (this.view !== id) this.views[this.view]?.hide?.();
    this.view = id;
    this.outlet.replaceChildren(this.views[id].element);
    try {
      await this.views[id].show();
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  async openEntries(prefix) {
    await this.go("entries");
    await this.views.entries.open(prefix);
  }

  #changed({ changed, wrote }) {
    this.badge.textContent = changed;
    this.badge.hidden = changed === 0;
    this.unsaved = changed > 0;
    if (wrote) this.#refresh();
  }
  /** What to say of a file whose table kv isn't Deno's, or null. */
  get foreign() {
    const { foreign } = this.info;
    return foreign &&
      `The table kv of this file is another program's, not Deno KV's: ${foreign}. ` +
        "It is left alone; SQL shows it.";
  }

  async #refresh() {
    this.info = await this.client.request("info");
    for (const view of Object.values(this.views)) view.changed?.();
  }

  // ------------------------------------------------------------------- work

  #busy(busy) {
    if (!this.work || busy === this.working) return;
    this.working = busy;
    clearTimeout(this.timer);
    if (busy) this.timer = setTimeout(() => this.#progress(BUSY_MS), BUSY_MS);
    else this.work.hidden = true;
  }
  #progress(ms) {
    if (!this.working) return;
    this.work.hidden = false;
    this.time.textContent = `working, ${duration(ms)}`;
  }

  #key(event) {
    if (!(event.ctrlKey || event.metaKey) || !this.views) return;
    const at = Number(event.key);
    if (event.key === "s") this.save();
    else if (event.altKey && at >= 1 && at <= VIEWS.length) this.go(VIEWS[at - 1][0]);
    else return;
    event.preventDefault();
  }
}

function nextTheme() {
  const { dataset } = document.documentElement;
  dataset.theme = THEMES[(THEMES.indexOf(dataset.theme ?? "auto") + 1) % THEMES.length];
  toast(dataset.theme === "auto" ? "As your system" : dataset.theme === "dark" ? "Dark" : "Light");
}

/** What is packed into the page: gzip in base64. */
async function unpack(id) {
  const text = atob(document.getElementById(id).textContent);
  const packed = Uint8Array.from(text, (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function start() {
  const root = document.getElementById("app");
  try {
    const policy = globalThis.trustedTypes?.createPolicy("page", { createScriptURL: (url) => url });
    const module = await WebAssembly.compile(await unpack("wasm"));
    const client = new Client(document.getElementById("worker").textContent, module, policy);
    globalThis.page = new Page(root, client);
  } catch (error) {
    root.replaceChildren(
      h(
        "main",
        { class: "welcome" },
        h("p", { class: "problem" }, `This browser can't run the page: ${error.message}`),
      ),
    );
  }
}
start();
