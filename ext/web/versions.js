// versions.js -- what entries were: the states of one, and those that were deleted, each with
// a button that brings it back.

import { button, dialog, h, typeBadge } from "./dom.js";
import { many, time } from "./words.js";

/** The step of a write that makes an entry what it was. */
function restoring({ versionstamp, until }, key) {
  return {
    sql: `INSERT OR REPLACE INTO kv_entries(key, raw, expires_at)
 SELECT key, raw, expires_at FROM kv_versions(?1)
  WHERE versionstamp=?2 AND until=?3 AND NOT deleted`,
    params: [key, versionstamp, until],
    exactly: 1,
  };
}

function expired({ expiresAt }) {
  return expiresAt !== null && expiresAt <= Date.now();
}

/** A state of an entry as a card: `head` is what stands before its button. */
function card(app, entry, key, head, label, done) {
  const bring = async () => {
    try {
      await app.client.change("write", { steps: [restoring(entry, key)] });
      app.toast(`${key} is what it was, and not saved yet.`);
      done?.();
    } catch (error) {
      app.toast(error.message, "bad");
    }
  };
  const past = entry.until !== null && !entry.deleted;
  return h(
    "article",
    { class: `change ${entry.deleted ? "deleted" : ""}` },
    h(
      "header",
      {},
      head,
      past && (expired(entry)
        ? h("span", { class: "quiet" }, "has expired")
        : button(label, bring, { kind: "small", "aria-label": `${label} ${key}, ${entry.js}` })),
    ),
    !entry.deleted && h(
      "div",
      { class: "side" },
      typeBadge(entry.type),
      h("code", { tabindex: entry.js.length > 200 ? 0 : null }, entry.js),
    ),
  );
}

/** The states of one entry, in the pane that shows it. */
export class Versions {
  constructor(app) {
    this.app = app;
    this.summary = h("summary", {});
    this.list = h("div", { class: "changes-list" });
    this.element = h(
      "details",
      { class: "collected", hidden: true },
      this.summary,
      this.list,
    );
  }

  async show(key) {
    const found = await this.app.client.request("versions", { key });
    this.element.hidden = !found || found.rows.length === 0;
    if (this.element.hidden) return;
    this.summary.textContent = `${found.more ? "The newest " : ""}${
      many(found.rows.length, "version")
    }`;
    this.list.replaceChildren(...found.rows.map((entry) =>
      card(
        this.app,
        entry,
        key,
        [
          h("span", { class: "what" }, entry.until === null ? "now" : entry.deleted ? "gone" : "was"),
          h("span", { class: "key" }, entry.at === null ? "" : time(entry.at)),
        ],
        "Restore",
      )
    ));
  }
}

/** The entries below a prefix that were deleted. */
export async function deletedBelow(app, prefix) {
  const found = await app.client.request("deleted", { prefix });
  await dialog("Deleted entries", (close) => {
    const list = h("div", { class: "changes-list" });
    const none = h("p", { class: "quiet" });
    const tell = () => {
      none.textContent = !found
        ? `No history of ${prefix} is kept.`
        : list.childElementCount === 0
        ? "None that the history knows of."
        : found.more
        ? "There are more; choose a longer prefix."
        : "";
    };
    for (const entry of found?.rows ?? []) {
      const one = card(
        app,
        entry,
        entry.key,
        [
          h("code", { class: "key" }, entry.key),
          h("span", { class: "quiet" }, entry.gone === null ? "" : time(entry.gone)),
        ],
        "Undo",
        () => {
          one.remove();
          tell();
        },
      );
      list.append(one);
    }
    tell();
    return h("div", { class: "deleted-list" }, list, none, h("footer", {}, button("Close", close)));
  });
}
