// words.js -- what numbers, times and plans are called on the page.

const UNITS = ["B", "KB", "MB", "GB", "TB"];

export function bytes(n) {
  if (n < 1000) return `${n} B`;
  let unit = 0;
  while (n >= 999.5 && unit < UNITS.length - 1) {
    n /= 1000;
    unit++;
  }
  return `${n < 9.95 ? n.toFixed(1) : Math.round(n)} ${UNITS[unit]}`;
}

export function count(n) {
  return n.toLocaleString("en-US");
}

/** "1 entry", "2,000 entries". */
export function many(n, one, more = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : more}`;
}

const STEPS = [["d", 86400000], ["h", 3600000], ["min", 60000], ["s", 1000]];

/** How long until a time, in the two largest units: "2 d 3 h", "41 s", "expired". */
export function remaining(ms) {
  if (ms <= 0) return "expired";
  const parts = [];
  for (const [name, length] of STEPS) {
    const n = Math.floor(ms / length);
    if (n > 0 || parts.length > 0) parts.push(`${n} ${name}`);
    if (parts.length === 2) break;
    ms -= n * length;
  }
  return parts.length > 0 ? parts.filter((part) => !part.startsWith("0 ")).join(" ") : "1 s";
}

export function duration(ms) {
  return ms < 1 ? "below 1 ms" : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

export function time(ms) {
  const date = new Date(ms);
  return Number.isNaN(date.getTime())
    ? `${ms} ms`
    : date.toISOString().replace("T", " ").replace(/\.000Z$/, "Z");
}

/** Which character of a text begins at an offset in its UTF-8. */
export function charAt(text, offset) {
  let at = 0;
  for (let bytes = 0; bytes < offset && at < text.length;) {
    const code = text.codePointAt(at);
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    at += code < 0x10000 ? 1 : 2;
  }
  return at;
}

/** What the extension says of a text, in the words of the editor that shows it: {message, at}. */
export function problemIn(text, error) {
  const [, message, offset] = error.match(
    /^(?:kv: )?(?:kv_\w+\(\): )?([^]*?)(?: \(at offset (\d+)\))?$/,
  );
  return { message, at: offset === undefined ? null : charAt(text, Number(offset)) };
}

/** A problem with its place, as editors count. */
export function placed(text, { message, at }) {
  if (at === null || at === undefined) return message;
  const lines = text.slice(0, at).split("\n");
  return `Line ${lines.length}, column ${lines.at(-1).length + 1}: ${message}`;
}

/** What is underlined for an error there: a word, or one character; [from, to]. */
export function spanAt(text, at) {
  const from = at < text.length ? at : Math.max(text.trimEnd().length - 1, 0);
  const [word] = text.slice(from).match(/^(?:[\w$]+|[^]?)/u);
  return [from, from + word.length];
}

const FAMILIES = [
  ["object", "Objects and maps", /^(Object|Map)$/],
  ["list", "Arrays and sets", /^(Array|Set)$/],
  ["text", "Text", /^(string|String|RegExp|\w*Error)$/],
  ["number", "Numbers and dates", /^(number|Number|bigint|BigInt|KvU64|Date)$/],
  ["flag", "Booleans, null, undefined", /^(boolean|Boolean|null|undefined)$/],
  ["bad", "Undecodable", /^malformed$/],
  ["bytes", "Bytes and others", /./],
];

/** The family of a type, which decides its colour. */
export function family(type) {
  return FAMILIES.find(([, , pattern]) => pattern.test(type))[0];
}

/** Types, each an object with `type` and numbers, by their families: {family, name, types}. */
export function families(types) {
  return FAMILIES.map(([id, name]) => (
    { family: id, name, types: types.filter(({ type }) => family(type) === id) }
  )).filter((group) => group.types.length > 0);
}

/** An SQL value as it stands in a cell; {real} is a REAL as SQLite prints it. */
export function cell(x) {
  if (x === null) return "NULL";
  if (x.real !== undefined) return x.real;
  if (x instanceof Uint8Array) {
    const head = Array.from(x.subarray(0, 24), (b) => b.toString(16).padStart(2, "0")).join("");
    return x.length > 24 ? `x'${head}…' (${bytes(x.length)})` : `x'${head}'`;
  }
  return String(x);
}

/** Lines of a hex dump: offset, bytes, and what is printable of them. */
export function hexDump(data, limit = 65536) {
  const lines = [];
  for (let at = 0; at < Math.min(data.length, limit); at += 16) {
    const row = Array.from(data.subarray(at, at + 16));
    const hex = row.map((b) => b.toString(16).padStart(2, "0")).join(" ").padEnd(47);
    const text = row.map((b) => b >= 32 && b < 127 ? String.fromCharCode(b) : "·").join("");
    lines.push(`${at.toString(16).padStart(6, "0")}  ${hex}  ${text}`);
  }
  if (data.length > limit) lines.push(`… ${bytes(data.length - limit)} more`);
  return lines.join("\n");
}

const WAYS = [
  [/^POINT/, (t) => `looks up single entries of ${t} by key`],
  [/^RANGE/, (t) => `reads one range of ${t}, not all of it`],
  [/^ALL/, (t) => `reads all of ${t}`],
];

/** A line of EXPLAIN QUERY PLAN as a sentence. */
export function planWords(detail) {
  const virtual = detail.match(/^(?:SCAN|SEARCH) (\S+)(?: AS \S+)? VIRTUAL TABLE INDEX \d+:(.*)$/);
  if (virtual) {
    const [, table, plan] = virtual;
    const way = WAYS.find(([pattern]) => pattern.test(plan));
    const backwards = /ORDER BY \S+ DESC/.test(plan) ? ", backwards" : "";
    const terms = plan.replace(/^(POINT|RANGE|ALL)\s*/, "").replace(/\s*ORDER BY.*$/, "");
    const by = terms ? ` (${terms.replaceAll(" AND ", " and ")})` : "";
    return way ? `${way[1](table)}${by}${backwards}` : `calls ${table}${by}`;
  }
  const rules = [
    [
      /^SEARCH (\S+) USING (?:COVERING )?INDEX (\S+) \((.*)\)$/,
      (_, t, i, c) => `searches ${t} by the index ${i} (${c})`,
    ],
    [
      /^SEARCH (\S+) USING (?:INTEGER )?PRIMARY KEY \((.*)\)$/,
      (_, t, c) => `searches ${t} by its primary key (${c})`,
    ],
    [
      /^SCAN (\S+) USING (?:COVERING )?INDEX (\S+)$/,
      (_, t, i) => `reads all of ${t} in the order of the index ${i}`,
    ],
    [/^SCAN CONSTANT ROW$/, () => "computes one row, without a table"],
    [/^SCAN (\S+)$/, (_, t) => `reads all of ${t}`],
    [
      /^USE TEMP B-TREE FOR (.*)$/,
      (_, what) => `collects the rows in memory and sorts them for ${what}`,
    ],
    [/^CO-ROUTINE (.*)$/, (_, what) => `computes ${what} row by row`],
    [/^MATERIALIZE (.*)$/, (_, what) => `computes ${what} once and keeps it`],
    [
      /^(CORRELATED )?(?:SCALAR|LIST) SUBQUERY \d+$/,
      (_, c) => c ? "for each row a subquery" : "once a subquery",
    ],
  ];
  for (const [pattern, words] of rules) {
    const match = detail.match(pattern);
    if (match) return words(...match);
  }
  return detail;
}

export function isNumber(x) {
  return typeof x === "number" || typeof x === "bigint" || x?.real !== undefined;
}

/** The columns of a result that a chart can show: a label and a number; null if there are none. */
export function chartColumns(columns, rows) {
  if (rows.length === 0 || columns.length < 2) return null;
  const every = (i, test) => rows.every((row) => row[i] === null || test(row[i]));
  const value = columns.findLastIndex((_, i) =>
    every(i, isNumber) && rows.some((row) => row[i] !== null)
  );
  if (value < 0) return null;
  const texts = columns.findIndex((_, i) => i !== value && every(i, (x) => typeof x === "string"));
  const label = texts >= 0 ? texts : columns.findIndex((_, i) => i !== value);
  return { label, value };
}
