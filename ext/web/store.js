// store.js -- what the page asks of a Deno KV file, as SQL. It runs in the
// worker (worker.js); each method is a request of the page.

import { Database, SqlError } from "./engine.js";
import { journalNames } from "./files.js";
import { MEMBERS_SHOWN, PAGE } from "./paging.js";
import { Past } from "./past.js";
import { Shapes } from "./shapes.js";
import { Scripts } from "./scripts.js";
import { Slices } from "./slices.js";
import { Tracking } from "./tracking.js";
import { problemIn } from "./words.js";

const FOLDER = "/db";
const SHOWN = 160; // characters of a value in a row of the grid
const TEXT_LIMIT = 1 << 20; // characters of a value on the page
const INTERRUPT = 9;

const VALUE = "CASE WHEN type='malformed' THEN NULL ELSE js END";
/** What the list of entries can be sorted by. */
const ORDERS = {
  Key: "key",
  Type: "type",
  Value: `substr(${VALUE}, 1, ${SHOWN})`,
  Size: "length(raw)",
  Versionstamp: "versionstamp",
  Expires: "expires_at",
};
const ROW_COLUMNS = `key, type, CASE WHEN type='malformed' THEN '' ELSE substr(js, 1, ${SHOWN}) END,
 length(raw)-1, versionstamp, expires_at`;

/** The condition that shows what entries were, if `asOf` isn't null, and its parameters. */
function pastOf(asOf) {
  return asOf === null ? { and: "", params: [] } : { and: "AND as_of=?", params: [asOf] };
}

export class Store {
  /** `report(event)` sends the page what isn't the answer to a request. */
  constructor(wasm, report) {
    this.wasm = wasm;
    this.report = report;
    this.views = new Map();
    this.serial = 0;
    this.slices = new Slices((ms) => report({ event: "progress", ms }));
    wasm.onTick = () => this.slices.tick();
    wasm.FS.mkdir(FOLDER);
  }

  // ------------------------------------------------------------------ files

  /**
   * Opens a file, given as {name, bytes} pairs: the database first, then what
   * belongs to it. If that fails, the file before stays open.
   */
  open({ files }) {
    const [main, ...beside] = files;
    const path = `${FOLDER}/${++this.serial}.db`;
    const wal = main.bytes[18] === 2;
    this.#put(path, main.bytes);
    for (const { suffix, bytes } of journalNames(main.name, beside)) {
      this.#put(path + suffix, bytes);
    }
    let db;
    try {
      db = new Database(this.wasm, path);
      // Alone with the file: the index of the WAL needs no shared memory then.
      db.run(`PRAGMA locking_mode=exclusive; PRAGMA temp_store=memory;
        PRAGMA trusted_schema=off; PRAGMA cell_size_check=on; PRAGMA journal_size_limit=0;`);
      db.value("SELECT count(*) FROM sqlite_schema");
    } catch (error) {
      db?.close();
      this.#remove(path);
      throw error;
    }
    this.close();
    Object.assign(this, {
      db,
      path,
      wal,
      scripts: new Scripts(db, this.slices),
      shapes: new Shapes(db, this.slices),
      tracking: new Tracking(db),
      past: new Past(db, this.slices),
    });
    return this.info();
  }

  #put(path, bytes) {
    const { FS } = this.wasm;
    const stream = FS.open(path, "w+");
    // The bytes become the file, without a copy.
    if (bytes.length > 0) FS.write(stream, bytes, 0, bytes.length, 0, true);
    FS.close(stream);
  }

  close() {
    if (!this.db) return;
    this.#quiet();
    this.views.clear();
    this.db.close();
    this.db = undefined;
    this.#remove(this.path);
  }

  #remove(path) {
    const { FS } = this.wasm;
    for (const name of FS.readdir(FOLDER)) {
      if (`${FOLDER}/${name}`.startsWith(path)) FS.unlink(`${FOLDER}/${name}`);
    }
  }

  /** Ends all statements that are under way. */
  #quiet() {
    this.scripts.close();
    this.slices.stopWalkers();
  }

  info() {
    const { db } = this;
    const size = db.value("SELECT page_count*page_size FROM pragma_page_count, pragma_page_size");
    const tables = db.all("SELECT name FROM sqlite_schema WHERE type='table' ORDER BY name");
    return {
      size,
      wal: this.wal,
      store: this.tracking.on,
      foreign: this.tracking.on ? null : this.tracking.foreign(),
      tables: tables.map(([name]) => name),
      changed: this.tracking.count(),
      sqlite: db.value("SELECT sqlite_version()"),
      version: db.value("SELECT kv_version()"),
    };
  }

  /** Bytes that the worker holds: WebAssembly's memory, and the files beside it. */
  memory() {
    const { FS, HEAPU8 } = this.wasm;
    const files = FS.readdir(FOLDER).filter((name) => !name.startsWith("."));
    const size = (name) =>
      FS.lookupPath(`${FOLDER}/${name}`).node.contents?.buffer?.byteLength ?? 0;
    return HEAPU8.length + files.reduce((sum, name) => sum + size(name), 0);
  }

  /** The file as it would be on disk, as parts of a Blob. */
  save() {
    if (this.db.inTransaction) {
      throw new SqlError("a transaction is open: COMMIT or ROLLBACK first", 1, -1);
    }
    this.#quiet();
    if (this.wal) this.db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    const { contents, usedBytes } = this.wasm.FS.lookupPath(this.path).node;
    return new Blob([contents.subarray(0, usedBytes)], { type: "application/vnd.sqlite3" });
  }

  /** What is on disk is now what is here: no entry differs. */
  saved() {
    this.tracking.reset();
  }

  /** All entries below a prefix in the format of @deno/kv-utils. */
  async ndjson({ prefix }) {
    const parts = [];
    let lines = [];
    const statement = this.db.prepare(
      "SELECT kv_export(key, raw, versionstamp) FROM kv_entries(?)",
    ).bind([prefix]);
    try {
      await this.slices.walk(statement, () => {
        lines.push(statement.text(0), "\n");
        if (lines.length > 10000) {
          parts.push(lines.join(""));
          lines = [];
        }
      });
    } finally {
      statement.finalize();
    }
    return new Blob([...parts, lines.join("")], { type: "application/x-ndjson" });
  }

  // ---------------------------------------------------------------- looking

  /** A level of the tree of keys, from the `skip`-th on. */
  async children({ prefix, skip = 0 }) {
    const { db } = this;
    const rows = await this.slices.all(
      db.prepare("SELECT key, type, has_value, has_children FROM kv_children(?) LIMIT ? OFFSET ?")
        .bind([prefix, MEMBERS_SHOWN + 1, skip]),
    );
    return {
      more: rows.length > MEMBERS_SHOWN,
      rows: rows.slice(0, MEMBERS_SHOWN).map(([key, type, hasValue, hasChildren]) => ({
        key,
        type,
        label: type === "malformed" ? key : db.value("SELECT kv_slice(?, -1)", [key]).slice(1, -1),
        hasValue: hasValue === 1,
        hasChildren: hasChildren === 1,
      })),
    };
  }

  async count({ prefix }) {
    let n = 0;
    await this.slices.stroll(
      this.db.prepare("SELECT 1 FROM kv_entries(?)").bind([prefix]),
      () => void n++,
    );
    return n;
  }

  /** Entries, bytes and types below one prefix, or of the single key itself. */
  async measure({ key, hasChildren }) {
    const types = new Map();
    const statement = this.measuring = this.db.prepare(
      `SELECT type, length(raw)-1, expires_at IS NOT NULL FROM kv_entries WHERE ${
        hasChildren ? "prefix" : "key"
      }=?`,
    ).bind([key]);
    const tell = () => this.report({ event: "measured", key, types: [...types.values()] });
    await this.slices.stroll(statement, (row) => {
      const type = row.text(0);
      let sum = types.get(type);
      if (!sum) types.set(type, sum = { type, entries: 0, bytes: 0, expiring: 0 });
      sum.entries++;
      sum.bytes += row.column(1);
      sum.expiring += row.column(2);
    }, tell);
    return [...types.values()];
  }

  /** Ends the measuring that is under way. */
  unmeasure() {
    this.measuring?.finalize();
  }

  /** The file's collections, and those that fit what it holds; `make` makes them, in temp. */
  async collections({ make }) {
    if (make) this.#quiet();
    return await this.shapes.list(make, this.tracking.on);
  }

  /** A few numbers about the whole store. */
  facts() {
    const { db } = this;
    return {
      versionstamp: db.value("SELECT kv_versionstamp()"),
      queue: db.value("SELECT count(*) FROM kv_queue"),
      indexes: db.value("SELECT count(*) FROM kv_indexes"),
    };
  }

  /**
   * A list of entries below a prefix, perhaps only those with a text in key or
   * value. Its keys are collected in slices while its pages are read: of every
   * page the first, or all of them if the list is filtered.
   */
  async view({ prefix, text, order = null, asOf = null }) {
    this.filling?.finalize();
    while (this.views.size > 1) this.views.delete(this.views.keys().next().value);
    const id = ++this.serial;
    const view = { prefix, asOf, filtered: Boolean(text || order), anchors: [], count: 0 };
    this.views.set(id, view);
    this.filling = this.#select("key", { prefix, text, order, asOf });
    this.#fill(id, view, this.filling);
    return { id };
  }

  /**
   * A statement over the entries below a prefix: with a text in key or value, in an order, as they
   * were at a time or versionstamp.
   */
  #select(columns, { prefix, text, order, asOf }) {
    const like = text ? `%${text.replace(/[\\%_]/g, "\\$&")}%` : "";
    const filter = text
      ? `AND (key LIKE ?2 ESCAPE '\\'
          OR CASE WHEN type='malformed' THEN 0 ELSE js LIKE ?2 ESCAPE '\\' END)`
      : "";
    const way = order?.descending ? "DESC" : "ASC";
    const by = !order
      ? ""
      : `ORDER BY ${ORDERS[order.name]} ${way}${order.name === "Key" ? "" : ", key"}`;
    const past = asOf === null ? "" : "AND as_of=?3";
    return this.db.prepare(
      `SELECT ${columns} FROM kv_entries WHERE prefix=?1 ${filter} ${past} ${by}`,
    ).bind([prefix, like, asOf].slice(0, past ? 3 : text ? 2 : 1));
  }

  /**
   * The entries of a list for the clipboard, `limit` of them at most; `exact`: what stores them
   * again, byte for byte.
   */
  async copy({ limit, exact, ...list }) {
    const columns = exact ? { key: "key", raw: "raw", expires_at: "expires_at" } : {
      key: "key",
      type: "type",
      js: VALUE,
      versionstamp: "versionstamp",
      expires_at: "expires_at",
    };
    const statement = this.#select(Object.values(columns).join(", "), list);
    const rows = [];
    let cut = false;
    try {
      cut = await this.slices.walk(
        statement,
        () => rows.push(statement.row()) <= limit,
      );
    } finally {
      statement.finalize();
    }
    return {
      table: "kv_entries",
      columns: Object.keys(columns),
      rows: rows.slice(0, limit),
      cut,
    };
  }

  async #fill(id, view, statement) {
    const tell = (state) => this.report({ event: "view", id, count: view.count, ...state });
    try {
      await this.slices.stroll(statement, (row) => {
        const at = view.count++ % PAGE;
        if (at === 0) view.anchors.push(view.filtered ? [] : row.text(0));
        if (view.filtered) view.anchors.at(-1).push(row.text(0));
      }, () => tell({ done: false }));
      tell({ done: true });
    } catch (error) {
      tell(
        error.code === INTERRUPT
          ? { done: true, stopped: true }
          : { done: true, error: error.message },
      );
    }
  }

  page({ id, page }) {
    const view = this.views.get(id);
    const anchor = view?.anchors[page];
    if (anchor === undefined) return [];
    const { and, params } = pastOf(view.asOf);
    const rows = view.filtered
      ? this.db.all(
        `SELECT ${ROW_COLUMNS} FROM kv_entries
          WHERE key IN (SELECT value FROM json_each(?)) ${and}`,
        [JSON.stringify(anchor), ...params],
      ).sort(([a], [b]) => anchor.indexOf(a) - anchor.indexOf(b))
      : this.db.all(
        `SELECT ${ROW_COLUMNS} FROM kv_entries WHERE prefix=? AND key>=? ${and} LIMIT ${PAGE}`,
        [view.prefix, anchor, ...params],
      );
    return rows.map(([key, type, js, size, versionstamp, expiresAt]) => (
      { key, type, js, size, versionstamp, expiresAt }
    ));
  }

  /** One entry in full, now or as it was. */
  entry({ key, asOf = null }) {
    const { and, params } = pastOf(asOf);
    const row = this.db.first(
      `SELECT key, type, raw, versionstamp, expires_at,
        CASE WHEN type='malformed' THEN NULL ELSE kv_js(raw, 2) END,
        CASE WHEN type='malformed' THEN NULL ELSE json END
       FROM kv_entries WHERE key=? ${and}`,
      [key, ...params],
    );
    if (!row) return null;
    const [full, type, raw, versionstamp, expiresAt, js, json] = row;
    return {
      key: full,
      type,
      raw,
      versionstamp,
      expiresAt,
      js: js?.slice(0, TEXT_LIMIT) ?? null,
      json: json?.slice(0, TEXT_LIMIT) ?? null,
      whole: (js?.length ?? 0) <= TEXT_LIMIT,
    };
  }

  /** Whether the file keeps a history; the states of an entry; what was deleted: past.js. */
  history() {
    return this.past.kept;
  }
  versions({ key, limit = 100 }) {
    return this.past.versions(key, limit);
  }
  deleted({ prefix, limit = 200 }) {
    return this.past.deleted(prefix, limit);
  }
  /** How many entries below a prefix differ from what they were. */
  restorable({ prefix, asOf }) {
    return this.past.restorable(prefix, asOf);
  }

  /** Null if the text is a value, else what is wrong with it: {message, at}. */
  checkValue({ js }) {
    try {
      this.db.value("SELECT kv_value(?)", [js]);
      return null;
    } catch (error) {
      return problemIn(js, error.message);
    }
  }

  /** The canonical text of a key. */
  checkKey({ key }) {
    return this.db.value("SELECT kv_slice(?, 0)", [key]);
  }

  /** The words of the extension, and the columns of all tables. */
  help() {
    return {
      words: this.db.all("SELECT name, kind, usage, summary FROM kv_help"),
      columns: Object.fromEntries(
        this.db.all(
          `SELECT name FROM pragma_module_list
            WHERE name GLOB 'kv_*' AND name NOT IN ('kv_run', 'kv_collection')
           UNION SELECT name FROM main.sqlite_schema
            WHERE type IN ('table', 'view') AND name NOT GLOB 'sqlite_*'
           UNION SELECT name FROM temp.sqlite_temp_schema
            WHERE type IN ('table', 'view') AND name<>'page_before'`,
        )
          .map(([name]) => [name, this.#columnsOf(name)]),
      ),
    };
  }

  #columnsOf(name) {
    try {
      return this.db.all("SELECT name FROM pragma_table_xinfo(?)", [name]).map(([column]) =>
        column
      );
    } catch {
      return [];
    }
  }

  // ----------------------------------------------------------------- asking

  /**
   * Runs a script. Of each statement with columns the first `limit` rows; the
   * last one stays open for `more` if it has further rows.
   */
  async exec({ sql, params = [], limit = 500 }) {
    const { results, wrote } = await this.scripts.run(sql, params, limit);
    if (wrote) this.tracking.look();
    return { results, wrote, changed: this.tracking.count() };
  }
  more({ cursor, limit = 500 }) {
    return this.scripts.more(cursor, limit);
  }

  // --------------------------------------------------------------- changing

  /** Runs statements with parameters, all or none of them. */
  write({ steps }) {
    this.#quiet();
    const { db } = this;
    let changes = 0;
    db.run("SAVEPOINT page_write");
    try {
      for (const { sql, params, exactly } of steps) {
        db.all(sql, params);
        if (exactly !== undefined && db.changes !== exactly) {
          throw new SqlError(
            "the entry has been changed or deleted meanwhile; look at it again",
            19,
            -1,
          );
        }
        changes += db.changes;
      }
      db.run("RELEASE page_write");
    } catch (error) {
      db.run("ROLLBACK TO page_write; RELEASE page_write");
      throw error;
    }
    this.tracking.look();
    return { changes, changed: this.tracking.count() };
  }

  /** What differs from the file that was opened, and what had expired and is removed. */
  changes({ limit = 500 }) {
    return {
      total: this.tracking.count(),
      rows: this.tracking.list(limit),
      collected: this.tracking.collected(limit),
    };
  }

  /** Puts an entry back to what the file held. */
  undo({ key }) {
    return this.write({ steps: [this.tracking.undoing(key)] });
  }
}
