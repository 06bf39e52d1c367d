// changes.js -- what differs from the file that was opened, before it is saved.

import { canWrite } from "./disk.js";
import { button, h, typeBadge } from "./dom.js";
import { count, many, time } from "./words.js";

export class Changes {
  constructor(app) {
    this.app = app;
    this.list = h("div", { class: "changes-list" });
    this.title = h("h2", {}, "Changes");
    const copy = canWrite() && button("Save a copy", () => app.saveCopy());
    this.element = h(
      "section",
      { class: "changes scroll", "aria-label": "Changes" },
      h(
        "header",
        { class: "head" },
        this.title,
        h("div", { class: "actions" }, copy, app.saveButton()),
      ),
      h(
        "p",
        { class: "quiet" },
        canWrite()
          ? "Changes live on this page until you save them."
          : "Your file on disk stays as it is. Changes live on this page until you save a copy; " +
            "replace the file with it while no Deno has it open.",
      ),
      this.list,
    );
  }

  changed() {
    if (this.shown) this.show();
  }
  hide() {
    this.shown = false;
  }

  async show() {
    this.shown = true;
    const { total, rows, collected } = await this.app.client.request("changes", {});
    const statements = this.app.client.journal.filter(({ request }) => request === "exec");
    this.title.textContent = total === 0
      ? "No entry has changed"
      : `${many(total, "entry", "entries")} changed`;
    this.list.replaceChildren(
      ...rows.map((change) => this.#card(change)),
      total > rows.length
        ? h("p", { class: "quiet" }, `and ${count(total - rows.length)} more`)
        : "",
      collected.total > 0 ? this.#collected(collected) : "",
      statements.length > 0 ? h("h3", {}, "Statements that wrote") : "",
      ...statements.map(({ args }) => h("pre", { class: "statement" }, args.sql.trim())),
    );
  }

  /** What a write removes of expired entries, as Deno's own do. */
  #collected({ total, rows }) {
    return h(
      "details",
      { class: "collected" },
      h("summary", {}, `${many(total, "expired entry", "expired entries")} removed`),
      h(
        "p",
        { class: "quiet" },
        "Nobody could read them any more. A write removes such entries, as Deno does itself.",
      ),
      rows.map(({ key, ...value }) =>
        h("article", { class: "change" }, h("header", {}, h("code", { class: "key" }, key)), [
          side("−", "expired", value),
        ])
      ),
      total > rows.length
        ? h("p", { class: "quiet" }, `and ${count(total - rows.length)} more`)
        : "",
    );
  }

  #card({ key, before, after }) {
    const what = !before ? "added" : !after ? "deleted" : "changed";
    const undo = button("Undo", async () => {
      try {
        await this.app.client.change("undo", { key });
      } catch (error) {
        this.app.toast(error.message, "bad");
      }
    }, { "aria-label": `Undo the change of ${key}` });
    return h(
      "article",
      { class: `change ${what}` },
      h("header", {}, h("span", { class: "what" }, what), h("code", { class: "key" }, key), undo),
      before && side("−", "before", before),
      after && side("+", "after", after),
    );
  }
}

function side(sign, name, { type, js, expiresAt }) {
  return h(
    "div",
    { class: `side ${name}` },
    h("span", { "aria-hidden": "true" }, sign),
    h("span", { class: "hidden" }, `${name}: `),
    typeBadge(type),
    // What may scroll can be reached by keyboard.
    h("code", { tabindex: js.length > 200 ? 0 : null }, js),
    expiresAt === null ? null : h(
      "span",
      { class: "quiet" },
      `${name === "expired" ? "expired" : "expires"} ${time(expiresAt)}`,
    ),
  );
}
