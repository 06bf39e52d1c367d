// collection.js -- kv.collection(): the entries below a prefix as rows, which are objects.
//
// The table is the extension's (kv_collection), in temp.  It is written by its columns; what
// is read is taken from the whole value, so that each part has the type that is stored.
"use strict";

const { toText } = require("./jstext.js");

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
const literal = (text) => `'${text.replaceAll("'", "''")}'`;

/** A declaration without what is in quotes, in capitals. */
const wordsOf = (declaration) => ` ${declaration.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, "''").toUpperCase()} `;

const STEP = /\.("(?:[^"\\]|\\.)*"|[^.["]+)|\[(#-)?(\d+)\]/gy;

/** The part at a name or index. */
function partOf(v, { name, index, isFromEnd }) {
  if (v instanceof Map) return v.get(name);
  if (typeof v !== "object" || v === null) return undefined;
  if (name !== undefined) return Object.hasOwn(v, name) ? v[name] : undefined;
  const list = v instanceof Set ? [...v] : v;
  return list[isFromEnd ? list.length - index : index];
}

/** What leads from a value to the part at a path of SQLite's: $.a."b c"[0]. */
function readerOf(path) {
  const steps = Array.from(path.slice(1).matchAll(STEP), ([, name, isFromEnd, index]) =>
    ({ name: name?.startsWith('"') ? JSON.parse(name) : name, index, isFromEnd }));
  return (value) => steps.reduce(partOf, value) ?? null;
}

/** What is known of a column by its declaration. */
function column(name, declaration) {
  const words = wordsOf(declaration), [, path] = /\bAT\s+'((?:[^']|'')*)'/i.exec(declaration) ?? [];
  return {
    name,
    isKey: / KEY /.test(words),
    isId: /^ \w*INT\w* /.test(words) && !words.includes("BIGINT"),
    isJson: /^ JSON /.test(words),
    initial: /\bDEFAULT\s+('(?:[^']|'')*'|\S+)/i.exec(declaration)?.[1],
    read: readerOf(path?.replaceAll("''", "'") ?? `$.${name}`),
  };
}

/** The statement that makes the table. */
function declarationOf(name, prefixText, columns) {
  const items = Object.entries(columns).map(([column, declaration]) => `, ${quoted(column)} ${declaration}`.trimEnd());
  return `CREATE VIRTUAL TABLE ${quoted(name)} USING kv_collection(${literal(prefixText)}${items.join("")})`;
}

const OWN = "SELECT 1 FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view') AND sql NOT LIKE '%kv_collection%'";

/** Make the table, if there is none. */
function declare(db, name, prefixText, columns) {
  const sql = declarationOf(name, prefixText, columns);
  const [made] = db.rows("SELECT sql FROM sqlite_temp_schema WHERE name = ? COLLATE NOCASE", name);
  if (made?.[0] === sql) return;
  const another = "; name this one with the option name";
  if (made) throw new TypeError(`kv: there is a table temp.${name} with another declaration: ${made[0]}${another}`);
  if (db.rows(OWN, name).length) throw new TypeError(`kv: the database has a table ${name} of its own${another}`);
  db.objects(sql.replace("TABLE ", "TABLE temp."));
}

class Collection {
  #run; #table; #prefix; #columns; #keys; #templates = new WeakMap();

  /** run(parts, values, f): f(rows, db) of a statement, as kv.sql has it. */
  constructor(run, name, prefix, columns) {
    this.#run = run;
    this.#table = `temp.${quoted(name)}`;
    this.#prefix = prefix;
    this.#columns = Object.entries(columns).map(([name, declaration]) => column(name, declaration));
    this.#keys = this.#columns.filter((c) => c.isKey);
  }

  /** A row as an object: parts of its key, and of its value. */
  #row({ kv_key, kv_js }) {
    let part = this.#prefix.length;
    return Object.fromEntries(this.#columns.map((c) => [c.name, c.isKey ? kv_key[part++] : c.read(kv_js)]));
  }

  async select(parts = [""], ...values) {
    let template = this.#templates.get(parts);
    if (template === undefined) {
      template = [`SELECT kv_key, kv_js FROM ${this.#table} ${parts[0]}`, ...parts.slice(1)];
      this.#templates.set(parts, template);
    }
    return await this.#run(template, values, (rows) => rows.map((row) => this.#row(row)));
  }

  /** The whole key of a row. */
  #key(parts) {
    if (this.#keys.length === 0) throw new TypeError("kv: a collection without KEY columns is read by select(), and written by kv.set() and kv.delete()");
    if (parts.length === this.#keys.length && parts.every((v) => v !== undefined && v !== null)) return [...this.#prefix, ...parts];
    throw new TypeError(`kv: the key of a row of ${this.#table} is ${this.#keys.map((c) => c.name).join(", ")}`);
  }

  async get(...parts) { return (await this.select([" WHERE kv_key = ", ""], this.#key(parts)))[0] ?? null; }

  async delete(...parts) { return await this.#run([`DELETE FROM ${this.#table} WHERE kv_key = `, ""], [this.#key(parts)], changed); }

  /** The columns of a row that have a value, and these values as they are bound. */
  #given(row) {
    const columns = this.#columns.filter((c) => row[c.name] !== undefined), known = new Set(this.#columns.map((c) => c.name));
    const wrong = Object.keys(row).find((name) => !known.has(name));
    if (wrong !== undefined) throw new TypeError(`kv: ${this.#table} has no column ${wrong}`);
    return columns.map((c) => [c, c.isJson && row[c.name] !== null ? toText(row[c.name]) : row[c.name]]);
  }

  async update(row) {
    const set = this.#given(row).filter(([c]) => !c.isKey), key = this.#key(this.#keys.map((c) => row[c.name]));
    if (set.length === 0) throw new TypeError("kv: update() needs a column that isn't a KEY");
    const parts = set.map(([c], i) => `${i ? "," : `UPDATE ${this.#table} SET`} ${quoted(c.name)} = `);
    return await this.#run([...parts, " WHERE kv_key = ", ""], [...set.map(([, v]) => v), key], changed);
  }

  async insert(row) {
    const given = this.#given(row).filter(([, v]) => v !== null);
    // What an INSERT generates it doesn't return: of a key it is asked for before.
    for (const c of this.#keys) {
      if (c.initial === undefined || given.some(([d]) => d === c)) continue;
      const made = /^u(?:lid|uid)$/i.test(c.initial) ? `kv_${c.initial.toLowerCase()}()` : c.initial;
      given.push([c, await this.#run([`SELECT ${made} AS v`], [], ([{ v }]) => v)]);
    }
    const [id, more] = this.#keys, isGenerated = id?.isId && !more && given.every(([c]) => c !== id);
    const key = Object.fromEntries(this.#keys.map((c) => [c.name, given.find(([d]) => d === c)?.[1]]));
    const names = given.map(([c]) => quoted(c.name));
    const parts = given.length === 0 ? [`INSERT INTO ${this.#table} DEFAULT VALUES`]
      : [`INSERT INTO ${this.#table}(${names}) VALUES (`, ...Array(given.length - 1).fill(", "), ")"];
    return await this.#run(parts, given.map(([, v]) => v), (_, db) => {
      if (isGenerated) key[id.name] = Number(db.rows("SELECT last_insert_rowid()")[0][0]);
      return key;
    });
  }
}

/** Whether a statement has changed a row. */
const changed = (_, db) => db.rows("SELECT changes()")[0][0] > 0n;

module.exports = { Collection, declare };
