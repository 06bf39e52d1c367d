// forms.js -- the dialogs that change entries. Each says what it will do before
// it does it, and resolves to a sentence when it is done.

import { button, debounce, dialog, h } from "./dom.js";
import { editor } from "./editor.js";
import { many, placed, problemIn } from "./words.js";

function form(title, { fields, action, kind = "primary", submit, watch }) {
  return dialog(title, (close) => {
    const problem = h("p", { class: "problem", role: "alert" });
    const note = h("p", { class: "quiet", role: "status" });
    const check = watch && debounce(async () => {
      try {
        note.textContent = await watch();
        problem.textContent = "";
      } catch (error) {
        note.textContent = "";
        problem.textContent = error.message;
      }
      run.disabled = problem.textContent !== "";
    }, 200);
    const go = async () => {
      try {
        close(await submit());
      } catch (error) {
        problem.textContent = error.message;
      }
    };
    const run = button(action, go, { kind });
    check?.();
    return h(
      "form",
      {
        method: "dialog",
        oninput: check,
        onsubmit: (event) => {
          event.preventDefault();
          go();
        },
      },
      fields,
      note,
      problem,
      h("footer", {}, button("Cancel", () => close()), run),
    );
  });
}

function field(label, value, more = {}) {
  const input = h("input", { class: "mono", value, spellcheck: "false", ...more });
  return [input, h("label", { class: "stacked" }, h("span", {}, label), input)];
}

/** A key below the prefix, ready for the last part. */
function below(prefix) {
  return prefix === "[]" ? '[""]' : prefix.replace(/\]\s*$/, ',""]');
}

export function addEntry(app, prefix) {
  const [key, keyField] = field("Key", below(prefix));
  const [expiry, expiryField] = field("Expires in, seconds (empty for never)", "", {
    type: "number",
    min: 0,
  });
  const value = editor({
    language: "js",
    label: "Value",
    doc: "{\n  \n}",
    change: () => value.element.dispatchEvent(new Event("input", { bubbles: true })),
  });
  return form("Add an entry", {
    fields: [
      keyField,
      h(
        "div",
        { class: "stacked" },
        h("span", {}, "Value, as JavaScript"),
        h("div", { class: "value" }, value.element),
      ),
      expiryField,
    ],
    action: "Add",
    async watch() {
      const { text } = value;
      const problem = await app.client.request("checkValue", { js: text });
      value.mark(problem?.at ?? null);
      if (problem) throw new Error(placed(text, problem));
      await app.client.request("checkKey", { key: key.value }).catch((error) => {
        throw new Error(`The key: ${problemIn(key.value, error.message).message}`);
      });
      return "";
    },
    async submit() {
      const full = await app.client.request("checkKey", { key: key.value });
      await app.client.change("write", {
        steps: [{
          sql: "INSERT INTO kv_entries(key, js, expire_in) VALUES (?, ?, ?)",
          params: [full, value.text, expiry.value === "" ? null : Number(expiry.value) * 1000],
        }],
      });
      return `${full} is added, and not saved yet.`;
    },
  });
}

export function deleteBelow(app, prefix) {
  const [key, keyField] = field("Delete all entries below", prefix);
  return form("Delete below a prefix", {
    fields: [keyField],
    action: "Delete",
    kind: "danger",
    watch: async () =>
      `${
        many(await app.client.request("count", { prefix: key.value }), "entry", "entries")
      } will be deleted.`,
    async submit() {
      const { changes } = await app.client.change("write", {
        steps: [{ sql: "DELETE FROM kv_entries WHERE prefix=?", params: [key.value] }],
      });
      return `${many(changes, "entry is", "entries are")} deleted, and not saved yet.`;
    },
  });
}

/** Makes the entries below a prefix what they were at a time or versionstamp. */
export function restoreBelow(app, prefix, asOf) {
  const [key, keyField] = field("Restore all entries below", prefix);
  const differing = () => app.client.request("restorable", { prefix: key.value, asOf });
  return form(`As of ${asOf}`, {
    fields: [keyField],
    action: "Restore",
    watch: async () =>
      `${many(await differing(), "entry", "entries")} will become what they were.`,
    async submit() {
      const n = await differing();
      await app.client.change("write", {
        steps: [{ sql: "SELECT kv_restore(?, ?)", params: [key.value, asOf] }],
      });
      return `${many(n, "entry is", "entries are")} restored, and not saved yet.`;
    },
  });
}

export function renameBelow(app, prefix) {
  const [from, fromField] = field("From the prefix", prefix);
  const [to, toField] = field("to the prefix", prefix);
  return form("Rename below a prefix", {
    fields: [fromField, toField],
    action: "Rename",
    watch: async () =>
      `${
        many(await app.client.request("count", { prefix: from.value }), "entry", "entries")
      } will be renamed; an existing key stops it.`,
    async submit() {
      const { changes } = await app.client.change("write", {
        steps: [{
          sql: "UPDATE kv_entries SET key=kv_rebase(key, ?1, ?2) WHERE prefix=?1",
          params: [from.value, to.value],
        }],
      });
      return `${many(changes, "entry is", "entries are")} renamed, and not saved yet.`;
    },
  });
}
