// detail.js -- one entry in full: its value as JavaScript, JSON and bytes, the
// editor that changes it, and what it was.

import { button, debounce, h, icon, typeBadge } from "./dom.js";
import { editor } from "./editor.js";
import { pretty } from "./pretty.js";
import { Versions } from "./versions.js";
import { bytes, hexDump, placed, remaining, time } from "./words.js";

const FORMS = [["js", "JavaScript"], ["json", "JSON"], ["bytes", "Bytes"]];
const ENCODINGS = { 1: "V8", 2: "KvU64", 3: "bytes" };

export class Detail {
  constructor(app) {
    this.app = app;
    this.form = "js";
    this.code = editor({
      language: "js",
      label: "Value",
      readOnly: true,
      change: debounce(() => this.editing && this.#check(), 200),
      run: () => this.#apply(),
    });
    this.dump = h("pre", { class: "dump scroll", tabindex: 0, "aria-label": "Bytes" });
    this.title = h("h2", { class: "mono" });
    this.facts = h("dl", { class: "facts" });
    this.tabs = h(
      "div",
      { class: "switch", role: "tablist", "aria-label": "Show as" },
      FORMS.map(([form, label]) =>
        h("button", {
          type: "button",
          role: "tab",
          "data-form": form,
          onclick: () => this.#as(form),
        }, label)
      ),
    );
    this.problem = h("p", { class: "problem", role: "alert" });
    this.editButton = button("Edit", () => this.#edit(), { iconName: "changes" });
    this.deleteButton = button("Delete", () => this.#delete(), { iconName: "trash" });
    this.applyButton = button("Apply", () => this.#apply(), { kind: "primary" });
    this.cancelButton = button("Cancel", () => this.show(this.entry.key));
    this.versions = new Versions(app);
    this.element = h(
      "aside",
      { class: "detail", "aria-label": "Entry", hidden: true },
      h(
        "header",
        {},
        this.title,
        h("button", {
          type: "button",
          class: "bare",
          "aria-label": "Close",
          onclick: () => this.hide(),
        }, icon("close")),
      ),
      this.facts,
      this.tabs,
      h("div", { class: "value" }, this.code.element, this.dump),
      this.problem,
      h("footer", {}, this.editButton, this.deleteButton, this.applyButton, this.cancelButton),
      this.versions.element,
    );
  }

  hide() {
    this.entry = null;
    this.element.hidden = true;
  }

  /** asOf: a time, date or versionstamp whose entry is shown; null for now. */
  async show(key, asOf = null) {
    const entry = await this.app.client.request("entry", { key, asOf });
    if (!entry) return this.hide();
    this.entry = { ...entry, asOf };
    this.versions.show(entry.key);
    this.title.textContent = entry.key;
    const expiry = entry.expiresAt === null
      ? "never"
      : `${time(entry.expiresAt)} (${remaining(entry.expiresAt - Date.now())})`;
    this.facts.replaceChildren(...[
      ["Type", typeBadge(entry.type)],
      [
        "Stored",
        `${bytes(entry.raw.length - 1)}, ${ENCODINGS[entry.raw[0]] ?? `encoding ${entry.raw[0]}`}`,
      ],
      ["Versionstamp", h("code", {}, entry.versionstamp)],
      ["Expires", expiry],
      ...(asOf === null ? [] : [["As of", h("code", {}, asOf)]]),
    ].map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
    this.element.hidden = false;
    this.#editing(false);
    this.#as(entry.js === null ? "bytes" : this.form);
  }

  /** Shows the entry again, unless it is being edited. */
  again() {
    if (this.entry && !this.editing) this.show(this.entry.key, this.entry.asOf);
  }

  #as(form) {
    if (this.editing && form !== "js") return;
    const { entry } = this;
    this.form = form;
    for (const tab of this.tabs.children) {
      tab.setAttribute("aria-selected", tab.dataset.form === form);
      tab.disabled = tab.dataset.form !== "bytes" && entry.js === null;
    }
    this.dump.hidden = form !== "bytes";
    this.code.element.hidden = form === "bytes";
    if (form === "bytes") this.dump.textContent = hexDump(entry.raw.subarray(1));
    else this.code.text = form === "js" ? entry.js : pretty(entry.json);
    this.problem.textContent = entry.js === null
      ? "These bytes are no value that V8 could read."
      : entry.whole
      ? ""
      : "Too long: this is the beginning.";
  }

  #editing(on) {
    this.editing = on;
    this.code.readOnly = !on;
    this.#wrong(null);
    this.element.classList.toggle("editing", on);
    for (const one of [this.applyButton, this.cancelButton]) one.hidden = !on;
    const past = (this.entry?.asOf ?? null) !== null;
    for (const one of [this.editButton, this.deleteButton]) one.hidden = on || past;
    this.editButton.disabled = this.entry?.js === null || !this.entry?.whole;
  }

  #edit() {
    this.#as("js");
    this.#editing(true);
    this.code.focus();
  }

  /** Whether the text is a value; if not, what is wrong is underlined and said. */
  async #check() {
    const { text } = this.code;
    const problem = await this.app.client.request("checkValue", { js: text });
    if (!this.editing || text !== this.code.text) return false;
    this.#wrong(problem && placed(text, problem), problem?.at);
    return problem === null;
  }
  #wrong(message, at = null) {
    this.code.mark(at);
    this.problem.textContent = message ?? "";
    this.applyButton.disabled = Boolean(message);
  }

  async #apply() {
    if (!this.editing || !await this.#check()) return;
    const { key, versionstamp } = this.entry;
    await this.#write(
      {
        sql: "UPDATE kv_entries SET js=? WHERE key=? AND versionstamp=?",
        params: [this.code.text, key, versionstamp],
        exactly: 1,
      },
      `${key} is changed, and not saved yet.`,
    );
  }

  async #delete() {
    const { key, versionstamp } = this.entry;
    await this.#write(
      {
        sql: "DELETE FROM kv_entries WHERE key=? AND versionstamp=?",
        params: [key, versionstamp],
        exactly: 1,
      },
      `${key} is deleted, and not saved yet.`,
    );
  }

  async #write(step, done) {
    try {
      this.#editing(false);
      await this.app.client.change("write", { steps: [step] });
      this.app.toast(done);
    } catch (error) {
      this.#editing(true);
      this.problem.textContent = error.message;
    }
  }
}
