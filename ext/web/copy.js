// copy.js -- rows as CSV, JSON and INSERT statements, and the buttons that put
// them on the clipboard.

import { h } from "./dom.js";
import { many } from "./words.js";

const ROWS_OF_INSERT = 200;

const hex = (data) => Array.from(data, (b) => b.toString(16).padStart(2, "0")).join("");
/** A number as SQLite prints it, in what has no word for infinity. */
const number = (x) => String(x.real ?? x).replace(/^(-?)Inf$/, "$19e999");

function csvCell(x) {
  if (x === null) return "";
  if (x instanceof Uint8Array) return `x'${hex(x)}'`;
  const text = String(x.real ?? x);
  // An empty text isn't NULL.
  return text === "" || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180, with a line of names. */
export function csv(columns, rows) {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}

function jsonValue(x) {
  if (x === null) return "null";
  if (x instanceof Uint8Array) return JSON.stringify(hex(x));
  return typeof x === "string" ? JSON.stringify(x) : number(x);
}

/** An array of objects; bytes are hexadecimal, integers of any size are numbers. */
export function json(columns, rows) {
  const names = columns.map((name, i) => {
    const again = columns.slice(0, i).filter((one) => one === name).length;
    return JSON.stringify(again ? `${name}:${again}` : name);
  });
  const lines = rows.map((row) =>
    `{${row.map((x, i) => `${names[i]}:${jsonValue(x)}`).join(",")}}`
  );
  return `[${lines.join(",\n ")}]\n`;
}

export function quote(name) {
  return /^[a-z_]\w*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

function literal(x) {
  if (x === null) return "NULL";
  if (x instanceof Uint8Array) return `x'${hex(x)}'`;
  if (typeof x !== "string") return number(x);
  return x.includes("\0")
    ? `CAST(x'${hex(new TextEncoder().encode(x))}' AS TEXT)`
    : `'${x.replaceAll("'", "''")}'`;
}

/** INSERT statements into `table`, which is SQL already. */
export function inserts(table, columns, rows) {
  const head = `INSERT INTO ${table}(${columns.map(quote).join(", ")}) VALUES\n`;
  const parts = [];
  for (let at = 0; at < rows.length; at += ROWS_OF_INSERT) {
    const values = rows.slice(at, at + ROWS_OF_INSERT).map((row) =>
      ` (${row.map(literal).join(", ")})`
    );
    parts.push(`${head}${values.join(",\n")};\n`);
  }
  return parts.join("");
}

/** The table that a query reads first, for an INSERT of its rows. */
export function tableOf(sql) {
  return sql.match(/\bFROM\s+((?:"(?:[^"]|"")*"|\w+)(?:\.(?:"(?:[^"]|"")*"|\w+))?)/i)?.[1] ??
    "result";
}

const FORMATS = {
  CSV: ({ columns, rows }) => csv(columns, rows),
  JSON: ({ columns, rows }) => json(columns, rows),
  INSERT: ({ table, columns, rows }) => inserts(table, columns, rows),
};

/** Where a page came without TLS the browser has only the old way. */
async function toClipboard(text) {
  if (navigator.clipboard) return await navigator.clipboard.writeText(text);
  const area = document.body.appendChild(h("textarea", { class: "hidden" }));
  area.value = text;
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("The browser doesn't let the page copy.");
}

/** `read(format)` gives {table, columns, rows, cut}, `cut` if there are more rows. */
export function copyButtons(app, read) {
  const copy = async (format) => {
    try {
      const source = await read(format);
      await toClipboard(FORMATS[format](source));
      const rows = many(source.rows.length, "row");
      app.toast(source.cut ? `The first ${rows} are copied.` : `Copied ${rows} as ${format}.`);
    } catch (error) {
      app.toast(error.message, "bad");
    }
  };
  return h(
    "span",
    { class: "copy", role: "group", "aria-label": "Copy as" },
    h("span", { "aria-hidden": "true" }, "Copy as"),
    Object.keys(FORMATS).map((format) =>
      h("button", { type: "button", class: "link", onclick: () => copy(format) }, format)
    ),
  );
}
