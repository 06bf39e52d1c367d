// store.js -- what the page asks of a Deno KV file, as SQL. It runs in the
// worker (worker.js); each method is a request of the page.

import { Database, SqlError } from "./engine.js";
import { journalNames } from "./files.js";
import { MEMBERS_SHOWN, PAGE } from "./paging.js";

const FOLDER = "/db";
const SLICE_MS = 40;
const SHOWN = 160; // characters of a value in a row of the grid
const TEXT_LIMIT = 1 << 20; // characters of a value on the page

/** Lets the worker take messages, such as "stop", between two slices of work. */
const { port1, port2 } = new MessageChannel();
const waiting = [];
port2.onmessage = () => waiting.shift()();
function breathe() {
  return new Promise((resolve) => {
    waiting.push(resolve);
    port1.postMessage(0);
  });
}

/** A row as the page shows it: a REAL as {real}, in SQLite's spelling. */
function shownRow(statement) {
  return statement.row().map((x, i) => typeof x === "number" && statement.isReal(i) ? { real: statement.text(i) } : x);
}

// What every entry held before it was first changed. The triggers belong to
// this connection, not to the file.
const NOTE = (key) => `
  INSERT INTO page_before SELECT ${key}, o.v, o.v_encoding, o.expiration_ms FROM (SELECT 1) LEFT JOIN kv o ON o.k=${key}
   WHERE NOT EXISTS (SELECT 1 FROM page_before b WHERE b.k=${key});`;
const TRACKING = `
CREATE TEMP TABLE IF NOT EXISTS page_before(k BLOB PRIMARY KEY, v, v_encoding, expiration_ms) WITHOUT ROWID;
CREATE TEMP TRIGGER page_insert BEFORE INSERT ON main.kv BEGIN ${NOTE("new.k")} END;
CREATE TEMP TRIGGER page_update BEFORE UPDATE ON main.kv BEGIN ${NOTE("old.k")} ${NOTE("new.k")} END;
CREATE TEMP TRIGGER page_delete BEFORE DELETE ON main.kv BEGIN ${NOTE("old.k")} END;`;

const CHANGED = `FROM temp.page_before b LEFT JOIN main.kv o ON o.k=b.k
 WHERE b.v IS NOT o.v OR b.v_encoding IS NOT o.v_encoding
    OR ifnull(b.expiration_ms, -1) IS NOT ifnull(o.expiration_ms, -1)`;

const ROW_COLUMNS = `key, type, CASE WHEN type='malformed' THEN '' ELSE substr(js, 1, ${SHOWN}) END,
 length(raw)-1, versionstamp, expires_at`;

export class Store {
  /** `report(event)` sends the page what isn't the answer to a request. */
  constructor(wasm, report) {
    this.wasm = wasm;
    this.report = report;
    this.cursors = new Map();
    this.views = new Map();
    this.walkers = new Set(); // statements that go on between requests
    this.serial = 0;
    this.stopping = false;
    this.started = 0;
    this.told = 0;
    wasm.onTick = () => this.#tick();
    wasm.FS.mkdir(FOLDER);
  }

  /** Called by SQLite now and then: says that work goes on, and whether to stop it. */
  #tick() {
    const now = performance.now();
    if (this.started !== 0 && now - this.started > 150 && now - this.told > 150) {
      this.told = now;
      this.report({ event: "progress", ms: now - this.started });
    }
    return this.stopping ? 1 : 0;
  }

  /** Marks the beginning and the end of a request. */
  begin() {
    this.stopping = false;
    this.started = performance.now();
    this.told = this.started;
  }
  end() {
    this.started = 0;
  }

  stop() {
    this.stopping = true;
    this.#stopWalkers();
  }

  /**
   * Steps through a statement in slices, calling `slice()` after each; `row()`
   * returns false to stop early. Whether rows are left.
   */
  async #walk(statement, row, slice) {
    for (let until = performance.now() + SLICE_MS; statement.step();) {
      if (row() === false) return true;
      if (performance.now() > until) {
        slice?.();
        this.#tick();
        await breathe();
        if (this.stopping || !statement.open) throw new SqlError("interrupted", 9, -1);
        until = performance.now() + SLICE_MS;
      }
    }
    return false;
  }

  /** The same in the background: other requests are answered, and a write ends it. */
  async #stroll(statement, row, slice) {
    this.walkers.add(statement);
    try {
      await this.#walk(statement, () => row(statement), slice);
    } finally {
      this.walkers.delete(statement);
      statement.finalize();
    }
  }
  #stopWalkers() {
    for (const statement of this.walkers) statement.finalize();
    this.walkers.clear();
  }

  async #all(sql, params = []) {
    const statement = this.db.prepare(sql).bind(params);
    const rows = [];
    try {
      await this.#walk(statement, () => void rows.push(statement.row()));
    } finally {
      statement.finalize();
    }
    return rows;
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
    for (const { suffix, bytes } of journalNames(main.name, beside)) this.#put(path + suffix, bytes);
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
    Object.assign(this, { db, path, wal });
    this.#track(true);
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
    this.#closeCursors();
    this.#stopWalkers();
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

  /** What changes is noted from the moment that there is a store. */
  #track(first) {
    if (this.tracking && !first) return;
    this.tracking = this.#isStore();
    if (!this.tracking) return;
    this.db.run(TRACKING);
    if (!first) this.db.run("INSERT INTO temp.page_before SELECT k, NULL, NULL, NULL FROM main.kv");
  }

  #isStore() {
    return this.db.value(
      "SELECT count(*)=4 FROM pragma_table_info('kv', 'main') WHERE name IN ('k', 'v', 'v_encoding', 'version')",
    ) === 1;
  }

  info() {
    const { db } = this;
    const size = db.value("SELECT page_count*page_size FROM pragma_page_count, pragma_page_size");
    const tables = db.all("SELECT name, sql FROM sqlite_schema WHERE type='table' ORDER BY name");
    return {
      size,
      wal: this.wal,
      store: this.tracking,
      tables: tables.map(([name]) => name),
      collections: tables.filter(([, sql]) => /USING\s+kv_collection/i.test(sql)).map(([name]) => name),
      changed: this.tracking ? db.value(`SELECT count(*) ${CHANGED}`) : 0,
      sqlite: db.value("SELECT sqlite_version()"),
      version: db.value("SELECT kv_version()"),
    };
  }

  /** Bytes that the worker holds: WebAssembly's memory, and the files beside it. */
  memory() {
    const { FS, HEAPU8 } = this.wasm;
    const files = FS.readdir(FOLDER).filter((name) => !name.startsWith("."));
    const size = (name) => FS.lookupPath(`${FOLDER}/${name}`).node.contents?.buffer?.byteLength ?? 0;
    return HEAPU8.length + files.reduce((sum, name) => sum + size(name), 0);
  }

  /** The file as it would be on disk, as parts of a Blob. */
  save() {
    if (this.db.inTransaction) throw new SqlError("a transaction is open: COMMIT or ROLLBACK first", 1, -1);
    this.#closeCursors();
    this.#stopWalkers();
    if (this.wal) this.db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    const { FS } = this.wasm;
    return new Blob([FS.readFile(this.path)], { type: "application/vnd.sqlite3" });
  }

  /** All entries below a prefix in the format of @deno/kv-utils. */
  async ndjson({ prefix }) {
    const parts = [];
    let lines = [];
    const statement = this.db.prepare(
      "SELECT kv_export(key, raw, versionstamp) FROM kv_entries(?)",
    ).bind([prefix]);
    try {
      await this.#walk(statement, () => {
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
    const rows = await this.#all(
      "SELECT key, part, type, has_value, has_children FROM kv_children(?) LIMIT ? OFFSET ?",
      [prefix, MEMBERS_SHOWN + 1, skip],
    );
    return {
      more: rows.length > MEMBERS_SHOWN,
      rows: rows.slice(0, MEMBERS_SHOWN).map(([key, , type, hasValue, hasChildren]) => ({
        key,
        type,
        label: this.db.value("SELECT kv_slice(?, -1)", [key]).slice(1, -1),
        hasValue: hasValue === 1,
        hasChildren: hasChildren === 1,
      })),
    };
  }

  async count({ prefix }) {
    let n = 0;
    await this.#stroll(this.db.prepare("SELECT 1 FROM kv_entries(?)").bind([prefix]), () => void n++);
    return n;
  }

  /** Entries, bytes and types below one prefix, or of the single key itself. */
  async measure({ key, hasChildren }) {
    const types = new Map();
    const statement = this.db.prepare(
      `SELECT type, length(raw)-1, expires_at IS NOT NULL FROM kv_entries WHERE ${hasChildren ? "prefix" : "key"}=?`,
    ).bind([key]);
    await this.#stroll(statement, (row) => {
      const type = row.text(0);
      let sum = types.get(type);
      if (!sum) types.set(type, sum = { type, entries: 0, bytes: 0, expiring: 0 });
      sum.entries++;
      sum.bytes += row.column(1);
      sum.expiring += row.column(2);
    });
    return [...types.values()];
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
  async view({ prefix, text }) {
    this.filling?.finalize();
    while (this.views.size > 1) this.views.delete(this.views.keys().next().value);
    const id = ++this.serial;
    const like = text ? `%${text.replace(/[\\%_]/g, "\\$&")}%` : "";
    const filter = text
      ? "AND (key LIKE ?2 ESCAPE '\\' OR CASE WHEN type='malformed' THEN 0 ELSE js LIKE ?2 ESCAPE '\\' END)"
      : "";
    const view = { prefix, filtered: Boolean(text), anchors: [], count: 0 };
    this.views.set(id, view);
    this.filling = this.db.prepare(`SELECT key FROM kv_entries WHERE prefix=?1 ${filter}`)
      .bind(text ? [prefix, like] : [prefix]);
    this.#fill(id, view, this.filling);
    return { id };
  }

  async #fill(id, view, statement) {
    const tell = (state) => this.report({ event: "view", id, count: view.count, ...state });
    try {
      await this.#stroll(statement, (row) => {
        const at = view.count++ % PAGE;
        if (at === 0) view.anchors.push(view.filtered ? [] : row.text(0));
        if (view.filtered) view.anchors.at(-1).push(row.text(0));
      }, () => tell({ done: false }));
      tell({ done: true });
    } catch (error) {
      tell(error.code === 9 ? { done: true, stopped: true } : { done: true, error: error.message });
    }
  }

  page({ id, page }) {
    const view = this.views.get(id);
    const anchor = view?.anchors[page];
    if (anchor === undefined) return [];
    const rows = view.filtered
      ? this.db.all(
        `SELECT ${ROW_COLUMNS} FROM kv_entries WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key`,
        [JSON.stringify(anchor)],
      )
      : this.db.all(
        `SELECT ${ROW_COLUMNS} FROM kv_entries WHERE prefix=? AND key>=? LIMIT ${PAGE}`,
        [view.prefix, anchor],
      );
    return rows.map(([key, type, js, size, versionstamp, expiresAt]) => (
      { key, type, js, size, versionstamp, expiresAt }
    ));
  }

  /** One entry in full. */
  entry({ key }) {
    const row = this.db.first(
      `SELECT key, type, raw, versionstamp, expires_at,
        CASE WHEN type='malformed' THEN NULL ELSE kv_js(raw, 2) END,
        CASE WHEN type='malformed' THEN NULL ELSE json END
       FROM kv_entries WHERE key=?`,
      [key],
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

  /** Null if the text is a value, else what is wrong with it. */
  checkValue({ js }) {
    try {
      this.db.value("SELECT kv_value(?)", [js]);
      return null;
    } catch (error) {
      return error.message;
    }
  }

  /** The canonical text of a key. */
  checkKey({ key }) {
    return this.db.value("SELECT kv_slice(?, 0)", [key]);
  }

  help() {
    return {
      words: this.db.all("SELECT name, kind, usage, summary FROM kv_help"),
      columns: Object.fromEntries(
        this.db.all("SELECT name FROM pragma_module_list WHERE name GLOB 'kv_*' AND name NOT IN ('kv_run', 'kv_collection')")
          .map(([name]) => [name, this.#columnsOf(name)]),
      ),
    };
  }

  #columnsOf(name) {
    try {
      return this.db.all("SELECT name FROM pragma_table_xinfo(?)", [name]).map(([column]) => column);
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
    this.#closeCursors();
    const results = [];
    let wrote = false;
    try {
      for (const statement of this.db.statements(sql)) {
        const result = await this.#execOne(statement, params, limit);
        wrote ||= result.wrote;
        results.push(result);
        this.#keepLast(results);
      }
    } catch (error) {
      results.push({ error: error.message, code: error.code, offset: error.offset });
    }
    if (wrote) this.#afterWrite();
    return { results, wrote, changed: this.tracking ? this.db.value(`SELECT count(*) ${CHANGED}`) : 0 };
  }

  async #execOne(statement, params, limit) {
    const { db } = this;
    const start = performance.now();
    const before = db.totalChanges;
    // A SELECT may write, by kv_set() and the like.
    const wrote = () => !statement.readOnly || db.totalChanges !== before;
    const result = { sql: statement.sql, columns: statement.columns, plan: statement.isPlan, rows: [], count: 0 };
    if (!statement.readOnly) this.#stopWalkers();
    let ahead;
    try {
      statement.bind(params);
      await this.#walk(statement, () => {
        result.count++;
        if (result.rows.length < limit) return void result.rows.push(shownRow(statement));
        if (wrote()) return; // it must run to its end
        ahead = shownRow(statement);
        return false;
      });
    } finally {
      if (!ahead) statement.finalize();
    }
    result.ms = performance.now() - start;
    result.wrote = wrote();
    if (result.wrote && result.columns.length === 0) result.changes = db.changes;
    if (ahead) {
      result.cursor = ++this.serial;
      this.cursors.set(result.cursor, { statement, ahead });
    }
    return result;
  }

  #keepLast(results) {
    const last = results.at(-1).cursor;
    for (const id of this.cursors.keys()) if (id !== last) this.#closeCursor(id);
  }

  /** Further rows of an open result. */
  async more({ cursor, limit = 500 }) {
    const open = this.cursors.get(cursor);
    if (!open) return { rows: [], more: false };
    const rows = [open.ahead];
    let full = false;
    try {
      full = await this.#walk(open.statement, () => {
        rows.push(shownRow(open.statement));
        return rows.length <= limit;
      });
    } finally {
      if (full) open.ahead = rows.pop();
      else this.#closeCursor(cursor);
    }
    return { rows, more: full };
  }

  #closeCursor(id) {
    this.cursors.get(id).statement.finalize();
    this.cursors.delete(id);
  }
  #closeCursors() {
    for (const id of this.cursors.keys()) this.#closeCursor(id);
  }

  // --------------------------------------------------------------- changing

  /** Runs statements with parameters, all or none of them. */
  write({ steps }) {
    this.#closeCursors();
    this.#stopWalkers();
    const { db } = this;
    let changes = 0;
    db.run("SAVEPOINT page_write");
    try {
      for (const { sql, params, exactly } of steps) {
        db.all(sql, params);
        if (exactly !== undefined && db.changes !== exactly) {
          throw new SqlError("the entry has been changed or deleted meanwhile; look at it again", 19, -1);
        }
        changes += db.changes;
      }
      db.run("RELEASE page_write");
    } catch (error) {
      db.run("ROLLBACK TO page_write; RELEASE page_write");
      throw error;
    }
    this.#afterWrite();
    return { changes, changed: db.value(`SELECT count(*) ${CHANGED}`) };
  }

  #afterWrite() {
    this.#track(false);
  }

  /** What differs from the file that was opened. */
  changes({ limit = 500 }) {
    if (!this.tracking) return { total: 0, rows: [] };
    const { db } = this;
    const rows = db.all(
      `SELECT b.k, b.v IS NOT NULL, iif(b.v IS NULL, NULL, kv_raw(b.v, b.v_encoding)), b.expiration_ms,
        o.k IS NOT NULL, iif(o.k IS NULL, NULL, kv_raw(o.v, o.v_encoding)), o.expiration_ms
       ${CHANGED} ORDER BY b.k LIMIT ?`,
      [limit],
    );
    return {
      total: db.value(`SELECT count(*) ${CHANGED}`),
      rows: rows.map(([k, had, before, expiredBefore, has, after, expiresAfter]) => ({
        key: this.#keyText(k),
        before: had === 1 ? this.#side(before, expiredBefore) : null,
        after: has === 1 ? this.#side(after, expiresAfter) : null,
      })),
    };
  }

  #keyText(k) {
    try {
      return this.db.value("SELECT kv_key_decode(?)", [k]);
    } catch {
      return `x'${Array.from(k, (b) => b.toString(16).padStart(2, "0")).join("")}'`;
    }
  }
  #side(raw, expiration) {
    const [type, js] = this.db.first("SELECT kv_type(?1), iif(kv_type(?1)='malformed', '', kv_js(?1))", [raw]);
    return { type, js: js.slice(0, 4000), expiresAt: expiration >= 0 ? expiration : null };
  }

  /** Puts an entry back to what the file held. */
  undo({ key }) {
    const [v, encoding, expiration] = this.db.first(
      "SELECT v, v_encoding, expiration_ms FROM temp.page_before WHERE k=kv_key_encode(?)",
      [key],
    );
    const step = v === null
      ? { sql: "DELETE FROM kv_entries WHERE key=?", params: [key] }
      : {
        sql: "INSERT OR REPLACE INTO kv_entries(key, raw, expires_at) VALUES (?, kv_raw(?, ?), ?)",
        params: [key, v, encoding, expiration >= 0 ? expiration : null],
      };
    return this.write({ steps: [step] });
  }
}
